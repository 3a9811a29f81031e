"""One game in play: shared by the AEC and the parallel environment."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from dig_envs.adapters.rendering import Rendering, ShownPosition
from dig_envs.engine.compiler.jit import bound, check_result
from dig_envs.engine.core.checks import action_text, check_choice, check_seed, shown_in_message
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.seeds import following_seed
from dig_envs.engine.core.state import ANSWERS, REWARD_KINDS, as_records, new_records
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Array, Game, LayoutEntry, Snapshot
from dig_envs.engine.snapshots.positions import load_position, save_position
from dig_envs.language.answers import Answer, parse_answer
from dig_envs.language.prompts import PARTS, Prompt, make_prompt
from dig_envs.registry import load_game

ILLEGAL_POLICIES = ("raise", "terminate")  # what an illegal action does
ILLEGAL_REWARD = -1.0  # for the agent that made an illegal action, where that ends the game
MASK_PLACES = ("observation", "info", "both")  # where action masks are

# Attributes that copies get anew: views of memory, and compiled functions.
NOT_COPIED = {
    *("game", "_states", "_template", "_own_memory", "_mask", "_vector", "_look_memory", "_looks"),
    *("_actions", "_choice", "_rewards", "_advance", "state_space", "_window", "_log"),
}

Infos = dict[str, dict[str, Any]]


def mask_space(size: int) -> spaces.Box:
    """The space of action masks: int8, 0 or 1."""
    return spaces.Box(0, 1, (size,), np.int8)


def vector_space(game: Game) -> spaces.Box:
    """The space of the flat observation, float32 (observation_size,), with the bounds of each
    field."""
    low, high = game.fields.bounds()
    return spaces.Box(low, high, dtype=np.float32)


def observation_space(game: Game) -> spaces.Dict:
    """The space of dict observations: ``observation``, the flat float32 vector, and
    ``action_mask``, int8, 1 for each legal action."""
    return spaces.Dict(
        {"observation": vector_space(game), "action_mask": mask_space(len(game.actions))}
    )


def agent_names(num_seats: int) -> list[str]:
    """The agents' names in the order of the seats."""
    return [f"player_{seat}" for seat in range(num_seats)]


def check_reset(game: Game, options: Any) -> None:
    """Check the ``options`` of a call of ``reset``: what libraries pass there is not used.

    Raises:
        ValueError: it is asked to change options of the game. TypeError: they are not a mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(
            f"the options of reset must be a mapping or None, not {shown_in_message(options)}"
        )
    if named := [option.name for option in game.options if option.name in (options or {})]:
        raise ValueError(
            f"reset cannot change {', '.join(named)}: an environment keeps its options; make "
            "another one"
        )


class GamePosition(Rendering):
    """Mixin: the state of one game, with everything that does not depend on the kind of
    environment.

    Attributes: ``game``, ``options`` (all of them, with values), ``reward_kind``, ``mask_place``,
    ``possible_agents``, and those of :class:`~dig_envs.adapters.rendering.Rendering`.
    """

    infos: Infos

    def _init_position(
        self,
        name: str,
        reward: str,
        render_mode: str | None,
        mask: str,
        render_view: str,
        with_events: bool,
        options: Mapping[str, Any],
    ) -> None:
        self.game: Game = load_game(name)
        self.options = self.game.options_to_deal(options)
        self.reward_kind = check_choice("reward", reward, REWARD_KINDS)
        self.mask_place = check_choice("mask", mask, MASK_PLACES)
        self.with_events = with_events
        self.num_seats = int(self.options["num_players"])
        self.possible_agents = agent_names(self.num_seats)
        self._init_rendering(render_mode, render_view)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        observation = (
            vector_space(self.game) if self.mask_place == "info" else observation_space(self.game)
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces = {
            agent: spaces.Discrete(len(self.game.actions)) for agent in self.possible_agents
        }
        self._num_actions = len(self.game.actions)
        self._episode_seed: int | None = None
        # whether an illegal action has ended the episode, while the position is not over
        self._stopped = False
        # what agents with a memory remember of this episode, by agent and seat: the position that
        # they were asked about last, and their memory before and after that
        self._memories: dict[tuple[str, int], tuple[bytes, Array, Array]] = {}
        self._template = self.game.template(self.options)
        self._allocate(new_records(1, self.game.state))
        self._log: EventLog | None = None
        # the position that the log begins with, and what was played since: action * ANSWERS + seat
        self._first, self._played = b"", list[int]()

    @property
    def states(self) -> Array:
        """The position, a record array of length 1. Another one is put there by ``restore``."""
        return self._states

    def _allocate(self, states: Array) -> None:
        self._states = states
        # mask, record and vector of the seat that is asked, and of any seat that is looked at
        self._own_memory, self._look_memory = (
            (np.zeros((1, len(self.game.actions)), np.int8), *self.game.new_observations(1))
            for _ in range(2)
        )

    @cached_property
    def _looks(self) -> list[Callable[[], int]]:
        """For each seat: write what it sees into ``_look_memory``."""
        look_one = self.game.kernels.look_one
        return [
            bound(look_one, (self.states, seat, *self._look_memory), keeps_gil=True)
            for seat in range(self.num_seats)
        ]

    # ------------------------------------------------------------ about the game

    @property
    def action_names(self) -> tuple[str, ...]:
        """The text of each action."""
        return self.game.actions

    @property
    def observation_layout(self) -> dict[str, LayoutEntry]:
        """Name of each field of the observation -> its shape, slice in the flat vector and
        meaning."""
        return self.game.layout

    @property
    def full_state_layout(self) -> dict[str, LayoutEntry]:
        """Name of each field of the full state -> its shape, slice in the vector, meaning and
        bounds."""
        return self.game.full_state.layout

    def named(self, vector: Array) -> dict[str, Array]:
        """The fields of a flat observation by name: views of the same numbers, each in the field's
        shape."""
        return self.game.named(vector)

    def seat_of(self, agent: str) -> int:
        """The seat (0 … n-1) of an agent's name; raises ValueError for an unknown one."""
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ValueError(
                f"no agent {agent!r}; there are {', '.join(self.possible_agents)}"
            ) from None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations; the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions; the same object at each call."""
        return self.action_spaces[agent]

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of :meth:`state`."""
        low, high = self.game.full_state.bounds()
        return spaces.Box(low, high, dtype=np.float32)

    # ------------------------------------------------------------ dealing and looking

    @property
    def dealt(self) -> bool:
        """Whether there is a game: one that was dealt or restored, in play or over."""
        return self._episode_seed is not None

    def _require_game(self) -> None:
        if not self.dealt:
            raise ResetNeeded("there is no game yet: call reset() first")

    def _deal(self, seed: int | None, options: Mapping[str, Any] | None) -> int:
        """Deal a new game: from a seed, else from the one that follows the last episode's, else
        from entropy.

        Mask and observation of the first mover are kept; returns its seat.
        """
        check_reset(self.game, options)
        if seed is not None:
            self._episode_seed = check_seed(seed)
        elif self._episode_seed is None:
            self._episode_seed = secrets.randbits(64)
        else:
            self._episode_seed = following_seed(self._episode_seed)
        self._memories = {}
        dealt = np.uint64(self._episode_seed)
        mover = self.game.kernels.deal_one(self.states, dealt, self._template, *self._own_memory)
        self._begin_log()
        return int(mover)

    def observe(self, agent: str) -> Any:
        """A fresh observation of an agent; the mask is zero if it is not to act now."""
        return self._as_asked(self.look(agent))

    def look(self, agent: str) -> dict[str, Array]:
        """``observation`` and ``action_mask`` of an agent, whatever ``mask`` says."""
        self._require_game()
        return self._look(self.seat_of(agent))

    def _as_asked(self, seen: dict[str, Array]) -> Any:
        """The observation in the form that ``mask`` asks for: the vector alone if masks are in the
        infos only."""
        return seen["observation"] if self.mask_place == "info" else seen

    def _mask_of(self, seat: int) -> Array:
        """A fresh mask of any seat; zero if it is not to act."""
        mask: Array = self._look(seat)["action_mask"]
        return mask

    def _with_masks(self, infos: Infos) -> Infos:
        """Put the masks of the agents into their infos, where these belong there, and return the
        infos."""
        if self.mask_place != "observation":
            for agent, info in infos.items():
                info["action_mask"] = self._mask_of(self._seats[agent])
        return infos

    def full_state(self) -> Array:
        """The complete state for a critic in training, hidden information included: float32
        (full_state_size,), a fresh array (:mod:`dig_envs.engine.core.full_state`).

        Raises:
            ResetNeeded: there is no game yet.
        """
        self._require_game()
        full: Array = self.game.full_state.of(self.states)[0]
        return full

    def state(self) -> Array:
        """:meth:`full_state`, under PettingZoo's name."""
        return self.full_state()

    def _look(self, seat: int) -> dict[str, Array]:
        """A fresh observation of any seat; the mask is zero if it is not to act."""
        check_result(self._looks[seat](), "look_one")
        masks, _, flat = self._look_memory
        if self._stopped:
            masks[:] = 0
        return {"observation": flat[0].copy(), "action_mask": masks[0].copy()}

    def _returns(self) -> list[float]:
        returns: list[float] = self.game.returns_of(self.states)[0].tolist()
        return returns[: self.num_seats]

    def _earned_since(self, before: list[int]) -> list[float]:
        """The reward of each seat for a step; ``before`` holds the scores before the step."""
        if self.reward_kind == "score":
            return [float(after - old) for after, old in zip(self._scores(), before, strict=True)]
        return self._returns() if self.states["over"][0] else [0.0] * self.num_seats

    def _scores(self) -> list[int]:
        scores: list[int] = self.states["scores"][0].tolist()
        return scores[: self.num_seats]

    def _infos_of_illegal(self, illegal: Mapping[str, Any]) -> Infos:
        """End the episode because of illegal actions, by agent; return the infos of all agents. The
        position stays as it is."""
        self._stopped = True
        infos = self._with_events(self._with_masks(self._final_infos()))
        for agent, action in illegal.items():
            infos[agent]["illegal_action"] = action_text(action, self.game.actions)
        return infos

    def _final_infos(self) -> Infos:
        """The info of each agent at the end: ``won``, its share of the victory; ``scores`` of all
        seats; and ``turn_limit``, whether the turn limit ended the game."""
        limit = bool(self.states["truncated"][0])
        shares = shares_of_victory(self.states["winners"][0], self.game.cooperative).tolist()
        return {
            agent: {"won": won, "scores": self._scores(), "turn_limit": limit}
            for agent, won in zip(self.possible_agents, shares, strict=False)
        }

    # ------------------------------------------------------------ agents that remember

    def memory_of(self, agent: str, seat: int, size: int) -> Array:
        """The memory of an agent for its decision in the present position, float32 (1, size). It is
        zero at the agent's first decision of an episode. The agent writes to it, and gets it back
        at its next decision. A second request for the same decision gives the same memory. Copies
        of the environment have copies of the memories.

        Args:
            agent: a text that only this agent and its copies have. seat: that decides.
            size: of the memory.
        """
        position, nothing = self.states.tobytes(), np.zeros((1, size), np.float32)
        asked, before, after = self._memories.get((agent, seat), (b"", nothing, nothing))
        before = before if asked == position else after
        self._memories[agent, seat] = (position, before, before.copy())
        return self._memories[agent, seat][2]

    # ------------------------------------------------------------ events

    def _begin_log(self) -> None:
        self._stopped = False
        self._log, self._first, self._played = None, self.states.tobytes(), []

    @property
    def event_log(self) -> EventLog:
        """The events since the game was dealt, restored or dealt anew (``determinize``); brought up
        to date when asked for."""
        self._require_game()
        if self._log is None:
            self._log = EventLog(
                self.game, as_records(np.frombuffer(self._first, self.game.state).copy())
            )
        for both in self._played[len(self._log.played) :]:
            self._log.play(both % ANSWERS, both // ANSWERS)
        return self._log

    def events(self, agent: str) -> list[Event]:
        """The events that an agent was told since its last decision, that decision first; at its
        first one, since the deal.

        Raises:
            ResetNeeded: there is no game yet. ValueError: an unknown agent.
        """
        return self.event_log.since(self.seat_of(agent))

    def _with_events(self, infos: Infos) -> Infos:
        """Put into the infos what their agents were told, where that is asked for, and return the
        infos."""
        if self.with_events:
            for agent, info in infos.items():
                info["events"] = self.events(agent)
        return infos

    # ------------------------------------------------------------ words

    def prompt(self, agent: str, parts: Sequence[str] = PARTS) -> Prompt:
        """The text that an agent needs to decide: rules, how to answer, position, news, legal
        actions. ``str(env.prompt(agent))`` is all of it, ``.messages()`` a chat with a system
        message, ``.position`` and so on one part. It has fewer than 4,000 tokens in every position
        (:mod:`dig_envs.language.prompts`).

        Args:
            agent: whose knowledge it is; it need not be the one that decides.
            parts: which of ``rules``, ``how_to_answer``, ``position``, ``news``, ``actions`` are
                made; the others are "".

        Raises:
            ResetNeeded: there is no game yet. ValueError: an unknown agent or part.
        """
        self._require_game()
        seat = self.seat_of(agent)
        return make_prompt(
            self.game, self.states, seat, self.events(agent) if "news" in parts else (), parts
        )

    def parse(self, agent: str, text: str) -> Answer:
        """The meaning of an agent's answer in words: a legal action, or what is wrong with it.
        ``.outcome`` is ``legal``, ``ambiguous``, ``illegal`` or ``unreadable``, ``.action`` the
        legal action, ``.message`` one sentence for whoever answered
        (:mod:`dig_envs.language.answers`). Nothing is guessed, and nothing is played.

        Raises:
            ResetNeeded: there is no game yet. ValueError: an unknown agent. TypeError: the answer
                is not a string.
        """
        self._require_game()
        return parse_answer(self.game, self.states, self.seat_of(agent), text)

    # ------------------------------------------------------------ saving, viewing, searching

    def snapshot(self) -> Snapshot:
        """The complete position as a JSON-able dict: the keys in the game's ``RULES.md``, and the
        ``seed`` of the episode."""
        self._require_game()
        return ShownPosition(save_position(self.game, self.states))

    def view(self, agent: str) -> Snapshot:
        """The view of an agent, in the form of a snapshot, without generator and seed."""
        self._require_game()
        seat = self.seat_of(agent)
        return ShownPosition(self.game.to_view(self.game.to_snapshot(self.states[0]), seat), seat)

    def _restore_states(self, snapshot: Snapshot) -> None:
        """Take a snapshot's position. What is dealt after the episode follows from its seed;
        without one, from ours."""
        seed = secrets.randbits(64) if self._episode_seed is None else self._episode_seed
        self.states[:] = load_position(self.game, snapshot, self.options, seed)
        self._begin_log()
        self._memories = {}
        self._episode_seed = int(self.states["seed"][0])

    def _redeal(self, agent: str, seed: int) -> None:
        self._require_game()
        self.game.kernels.determinize_one(
            self.states, self.seat_of(agent), np.uint64(check_seed(seed))
        )
        self._begin_log()

    # ------------------------------------------------------------ copying

    def __getstate__(self) -> dict[str, Any]:
        plain = {k: v for k, v in self.__dict__.items() if k not in NOT_COPIED}
        return {**plain, "environment": self.game.env_name, "state_bytes": self.states.tobytes()}

    def __setstate__(self, plain: dict[str, Any]) -> None:
        plain = dict(plain)
        self.game = load_game(plain.pop("environment"))
        states = np.frombuffer(plain.pop("state_bytes"), self.game.state).copy()
        self.__dict__.update(plain)
        self._template = self.game.template(self.options)
        self._allocate(as_records(states))
        self._log = None
        if self._episode_seed is not None:  # a game has been dealt
            self._refresh()

    def _refresh(self) -> None:
        """Recompute what is derived from the state."""
