"""Many games of one learner, the other seats played inside: for training loops of your own, and the
core of the vector environments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from dig_envs.adapters.learner import (
    DEFAULT_OPPONENT,
    Opponents,
    check_learner,
    draw_learner,
    draw_opponents,
    load_opponents,
    nothing_to_decide,
)
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.memory import Memories, PerAgent, memory_size
from dig_envs.agents.own import check_agent
from dig_envs.agents.protocol import traits
from dig_envs.agents.random import RandomAgent
from dig_envs.batch.batch_env import DENSE, BatchEnv
from dig_envs.engine.compiler.learner_data import EVERY_SEAT, MOST_DEALS
from dig_envs.engine.core.checks import is_sequence
from dig_envs.engine.core.declared import LayoutEntry
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.state import PLAYERS
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.engine.game import Array, Game

Seeds = int | Sequence[int] | Array


@dataclass(frozen=True)
class Ended:
    """An episode that ended.

    Attributes:
        game: that was played.
        states: the last position, a record array of length 1.
        observer: the learner's seat; where it plays every seat, the one that decided last.
        seat: the learner's seat; 0 where it plays every seat, as a team shares its result.
        reward: what the learner was paid in the episode.
        decisions: of the learner in the episode.
    """

    game: Game
    states: Array
    observer: int
    seat: int
    reward: float
    decisions: int

    @property
    def observation(self) -> Array:
        """What ``observer`` sees of the last position, float32 (observation_size,)."""
        return self.game.look(self.states, self.observer)[0]

    @property
    def won(self) -> float:
        """The seat's share of the victory, 1/k for each of k winners; in a cooperative game 1 or
        0."""
        shares = shares_of_victory(self.states["winners"][0], self.game.cooperative)
        return float(shares[self.seat])

    @property
    def scores(self) -> Array:
        """Of all seats, int64 (max_players,), zero for seats that are not there."""
        return np.asarray(self.states["scores"][0], np.int64)

    @property
    def outcome(self) -> float:
        """The game's return for the seat, -1 to 1, whatever ``reward`` is."""
        return float(np.float32(self.game.returns_of(self.states)[0, self.seat]))

    @property
    def turn_limit(self) -> bool:
        """Whether the turn limit ended the game."""
        return bool(self.states["truncated"][0])

    @property
    def full_state(self) -> Array:
        """Of the last position, float32 (full_state_size,)."""
        return np.asarray(self.game.full_state.of(self.states)[0])


@dataclass
class Step:
    """The results of one decision of the learner in every game.

    ``reward`` float32 (num_envs,) and ``done`` bool (num_envs,) are arrays of their own; ``ended``
    has the episodes that ended, by the number of the game. ``won`` float64 (num_envs,) and
    ``scores`` int64 (num_envs, max_players) are those of :class:`Ended`, zero for the other games.
    """

    reward: Array
    done: Array
    ended: dict[int, Ended]
    max_players: int

    @property
    def won(self) -> Array:
        """The learner's share of the victory in the episodes that ended."""
        won = np.zeros(len(self.done))
        for index, one in self.ended.items():
            won[index] = one.won
        return won

    @property
    def scores(self) -> Array:
        """The scores of all seats in the episodes that ended."""
        scores = np.zeros((len(self.done), self.max_players), np.int64)
        for index, one in self.ended.items():
            scores[index] = one.scores
        return scores


def _first(seed: Seeds) -> int:
    return int(seed if np.ndim(seed) == 0 else seed[0]) % 2**64  # type: ignore[arg-type,index]


def kind_of(agent: Any) -> int:
    """Who of `PLAYERS` plays as the agent does; 0: the agent has to be asked."""
    if type(agent) is HeuristicAgent and not agent.style:
        kind = PLAYERS.index("heuristic")
    elif type(agent) is RandomAgent:
        kind = PLAYERS.index("random")
    else:
        return 0
    is_changed = "choose" in vars(agent) or "act_batch" in vars(agent)
    return 0 if is_changed else kind


class LearnerBatch:
    """Games of one environment in all of which one learner decides at once, and agents play the
    rest.

    After each :meth:`step` every game has been played on, in batches, until its learner is asked
    again. A game that ended is dealt anew in the same step. An episode in which the learner had
    nothing to decide is skipped.

    The reward of a step is all that the learner's seat is paid up to its next decision or the end
    of the game, also when another seat ends it. What it is paid before its first decision is added
    to its first reward.

    Attributes: ``batch``: the games themselves. ``begun``: whether ``reset`` has dealt them.
    ``learners``: the learner's seat in each game, or ``"random"``, ``"all"``. ``opponents``: as
    given.

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        num_envs: number of games.
        learner: a seat; a sequence with one seat per game; ``"random"`` for a seat drawn anew every
            episode; ``"all"`` (cooperative games) when the learner plays every seat. None:
            ``"all"`` in a cooperative game, else ``"random"``.
        opponents: who plays the other seats: an agent or a name for :func:`dig_envs.load_agent`; a
            list of them, from which one is drawn for each seat and episode; or
            :class:`~dig_envs.adapters.learner.WeightedOpponents`, by weight. Each opponent decides
            at once in all games in which one of its seats is to move. The scripted player and the
            random one play inside the compiled step, which is faster; the random one draws from
            generators of the games. Default: the scripted player.
        seed: an integer, or one per game (:class:`BatchEnv`).
        reward: ``"win"`` or ``"score"``; the latter pays changes of score, so not what a seat has
            at the deal.
        num_threads: default: all cores.
        observation: ``"float32"``, ``"raw"`` or ``"sparse"`` for the learner (:class:`BatchEnv`);
            opponents see float32, and policies among them have to be made for raw ones, too.
        per_game: options of the single games, one mapping per game, which go before ``options``.
        options: the game's options. ``num_players`` may also be a sequence with one value per game.

    Raises:
        OptionError: unknown option or bad value. ValueError: unknown game or agent.
    """

    def __init__(
        self,
        name: str,
        num_envs: int,
        learner: int | str | Sequence[int] | Array | None = None,
        opponents: Opponents = DEFAULT_OPPONENT,
        seed: Seeds = 0,
        reward: str = "win",
        num_threads: int | None = None,
        per_game: Sequence[Mapping[str, Any]] | None = None,
        observation: str = DENSE,
        **options: Any,
    ) -> None:
        self.batch = BatchEnv(
            name, num_envs, seed, num_threads, reward, observation, per_game=per_game, **options
        )
        self.game = self.batch.game
        self.num_envs = num_envs
        self._every_game = np.arange(num_envs)
        # stays as it is from episode to episode
        self._num_seats = self.batch.states["num_players"].astype(np.int64)
        self.learners = self._check_learners(learner)
        self.opponents = opponents
        self._remembered = PerAgent()
        self._seed_generator(_first(seed))
        self.begun = False
        self._is_cut_short = False  # whether a call has ended before the learner is to decide
        # the learner's seat in this episode, or EVERY_SEAT
        self._seat = np.zeros(num_envs, np.int64)
        # the index of the agent that plays each seat
        self._player = np.zeros((num_envs, self.game.max_players), np.int64)
        # whom the compiled step asks and plays for (`players` of `BatchEnv.step`)
        self._inside = np.zeros((num_envs, self.game.max_players), np.int8)
        self._earned = np.zeros(num_envs)  # rewards that the learner has not been given yet
        # the learner's decisions in the episode so far
        self._decisions = np.zeros(num_envs, np.int64)
        # episodes in a row in which it had nothing to decide
        self._idle = np.zeros(num_envs, np.int64)
        self._begin_step()

    def _check_learners(self, learner: Any) -> list[int | str]:
        if not is_sequence(learner):
            return [check_learner(learner, self.game, int(self._num_seats.min()))] * self.num_envs
        if len(learner) != self.num_envs:
            raise OptionError(
                f"the learner's seats have {len(learner)} entries for {self.num_envs} games; give "
                "one for each"
            )
        return [
            check_learner(seat, self.game, int(n))
            for seat, n in zip(learner, self._num_seats, strict=True)
        ]

    def _seed_generator(self, seed: int) -> None:
        """Seed the draws of seats and opponents; the opponents' own seeds are drawn from the same
        generator."""
        self._rng = np.random.default_rng(seed)
        self._load_opponents()

    def set_opponents(self, opponents: Opponents) -> None:
        """Take other opponents; ``reset`` has to follow."""
        self.opponents = opponents
        self._load_opponents()
        self._player[:] = self._inside[:] = 0

    def _load_opponents(self) -> None:
        self._agents = load_opponents(self.opponents, self.game, self._rng)
        self._kinds = np.array([kind_of(agent) for agent in self._agents], np.int8)
        self._memories = Memories(self._agents, self.num_envs, self.game.max_players)
        if any(traits(agent).takes_events for agent in self._agents):
            self.batch.note_events()

    # ------------------------------------------------------------ looking

    @property
    def observation(self) -> Any:
        """The observations of the deciding seats, float32 (num_envs, observation_size) or sparse
        (:class:`BatchEnv`); every step overwrites them. Raises ResetNeeded before the first
        ``reset``, as all here does."""
        self.require_games()
        return self.batch.observation

    @property
    def action_mask(self) -> Array:
        """The legal actions of the deciding seats, int8 (num_envs, num_actions); every step
        overwrites them."""
        self.require_games()
        return self.batch.action_mask

    @property
    def learner_seats(self) -> Array:
        """The learner's seat in each game now, int64 (num_envs,); -1 where it plays all."""
        self.require_games()
        return self._seat.copy()

    @property
    def full_state_layout(self) -> dict[str, LayoutEntry]:
        """As :attr:`BatchEnv.full_state_layout`."""
        return self.batch.full_state_layout

    def full_state(self) -> Array:
        """Everything that is decided in each game, hidden or not, float32 (num_envs,
        full_state_size), a fresh array (:meth:`BatchEnv.full_state`)."""
        self.require_games()
        return self.batch.full_state()

    def choices_of(self, agent: Any) -> Array:
        """The actions of an agent in the learner's place in every game, int64 (num_envs,). Ask an
        agent with a memory once per decision, because it remembers what it is shown.

        One that takes events needs games that are made ``with_events=True``.

        Raises:
            TypeError: it is no agent, or its actions are no integers. ValueError: it takes events,
                which are not noted, or its actions are not one for each game.
            IllegalActionError: an object of one's own chooses what is not legal.
            PolicyMismatchError: it plays another game.
        """
        self.require_games()
        batch, player = self.batch, check_agent(agent, self.game)
        decision = (
            batch.dense_observation(self._every_game),
            batch.action_mask.copy(),
            batch.states.copy(),
            batch.mover.copy(),
        )
        memory = (self.memory_of(agent),) if memory_size(agent) else ()
        told = self._told(player, self._every_game)
        return np.asarray(player.act_batch(*decision, *memory, **told))

    def _told(self, agent: Any, games: Array) -> dict[str, Any]:
        """What an agent that takes events is given for its decisions in some games."""
        if not traits(agent).takes_events:
            return {}
        mover = self.batch.mover
        return {"events": [self.batch.events(int(i), int(mover[i])) for i in games]}

    def memory_of(self, agent: Any) -> Array:
        """The memory of an agent in the learner's place, float32 (num_envs, memory_size). Let the
        agent rewrite this array in place; it is zero where an episode has just begun.
        """
        if agent not in self._remembered:
            self._remembered[agent] = np.zeros((self.num_envs, memory_size(agent)), np.float32)
        return self._remembered[agent]

    # ------------------------------------------------------------ playing

    def reset(self, seed: Seeds | None = None, games: Array | None = None) -> None:
        """Deal games and play up to the learner's decisions.

        The first time without a seed the games are those of the constructor's seed, later those
        that follow.

        Args:
            seed: an integer, then game i gets ``seed + i``; or one per game. If all games are
                dealt, the draws of seats and opponents begin anew, too.
            games: bool (num_envs,), which to deal; the others stay as they are. None: all.

        Raises:
            TypeError, ValueError: as for :meth:`BatchEnv.reset`. ForfeitError: an opponent gives
                up. ResetNeeded: ``games`` are given,
                and not all games have been dealt before.
        """
        if games is not None:
            self.require_games()
        if seed is not None or self.begun:
            self.batch.reset(seed, games)
        if seed is not None and games is None:
            self._seed_generator(_first(seed))
        self.begun = True
        self._begin_step()
        for index in self._every_game if games is None else np.flatnonzero(games):
            self._begin_episode(int(index))
        self._play_others()

    def require_games(self) -> None:
        """Raise ResetNeeded before the first ``reset``, and where an opponent has failed during a
        call."""
        if not self.begun:
            raise ResetNeeded("there are no games yet: call reset() first")
        if self._is_cut_short:
            raise ResetNeeded(
                "an opponent failed, so the others' decisions are not all made: call reset() to go "
                "on with new games"
            )

    def step(self, actions: Array, games: Array | None = None) -> Step:
        """Play the learner's actions, integers (num_envs,), then the others' up to its next
        decisions.

        Args:
            actions: a legal action for each game.
            games: bool (num_envs,), which games to play on; the others stay as they are (reward 0,
                not ended), and their entries in ``actions`` mean nothing. None: all.

        Raises:
            IllegalActionError: naming the first game with an illegal action; then nothing has
                changed. TypeError, ValueError: ``actions`` or ``games`` of another kind or shape.
            ResetNeeded: before the first ``reset``. ForfeitError: an opponent gives up; then
                ``reset`` has to follow.
        """
        self.require_games()
        self._begin_step()
        self._play(actions, games, by_learner=True)
        self._play_others()
        going_on = ~self._done if games is None else ~self._done & games
        self._reward[going_on] = self._earned[going_on]
        self._earned[going_on] = 0
        return Step(self._reward, self._done, self._ended, self.game.max_players)

    def _begin_step(self) -> None:
        """Make the arrays that a step returns anew, as learners keep and change them."""
        self._reward = np.zeros(self.num_envs, np.float32)
        self._done = np.zeros(self.num_envs, np.bool_)
        self._ended: dict[int, Ended] = {}

    def _begin_episode(self, index: int) -> None:
        """Draw who plays which seat in a newly dealt game."""
        self._seat[index] = draw_learner(
            self.learners[index], int(self._num_seats[index]), self._rng
        )
        self._player[index] = draw_opponents(
            self.opponents, len(self._agents), self.game.max_players, self._rng
        )
        self._inside[index] = self._kinds[self._player[index]]
        self._inside[
            index, slice(None) if self._seat[index] == EVERY_SEAT else self._seat[index]
        ] = 0
        self._earned[index] = self._decisions[index] = 0
        self._memories.forget(index)
        for remembered in self._remembered.values():
            remembered[index] = 0.0

    def _play(self, actions: Array, games: Array | None, by_learner: bool = False) -> None:
        """Play one action in some of the games (None: in all)."""
        movers = self.batch.mover.copy()
        inside = None if self.batch.with_events else self._inside
        self.batch.advance(actions, games, inside)
        rewards, terminated = self.batch.reward, self.batch.terminated
        if by_learner:
            self._decisions += 1 if games is None else games
        # all seats of a team get the same reward: that of seat 0
        self._earned += rewards[self._every_game, np.maximum(self._seat, 0)]
        over = np.flatnonzero(terminated)
        if len(over):
            last = self.batch.final_states[over]
            for k, index in enumerate(over.tolist()):
                self._end_episode(index, int(movers[index]), last[k : k + 1])
                self._begin_episode(index)

    def _play_others(self) -> None:
        """Play the seats that are not the learner's until it has to decide in every game."""
        self._is_cut_short = True
        while True:
            mover = self.batch.mover
            others = (self._seat != EVERY_SEAT) & (self._seat != mover)
            if not others.any():
                self._is_cut_short = False
                return
            actions = np.zeros(self.num_envs, np.int64)
            asked = others if self.batch.with_events else others & self.batch.asks(self._inside)
            player = self._player[self._every_game, mover]
            for number in np.unique(player[asked]).tolist():
                games = np.flatnonzero(asked & (player == number))
                seen = self.batch.dense_observation(games)
                masks = self.batch.action_mask[games]
                told = self._told(self._agents[number], games)
                actions[games] = self._memories.act(
                    number, games, seen, masks, self.batch.states[games], mover[games], **told
                )
            self._play(actions, others)

    def _end_episode(self, index: int, last_mover: int, last: Array) -> None:
        """Note the reward and the end of a finished game; one in which the learner had nothing to
        decide is skipped."""
        if self._decisions[index] == 0:
            self._idle[index] += 1
            if self._idle[index] == MOST_DEALS:
                raise RuntimeError(nothing_to_decide(int(self._seat[index])))
            return
        self._idle[index] = 0
        seat = max(int(self._seat[index]), 0)
        self._done[index] = True
        self._reward[index] = self._earned[index]
        self._ended[index] = Ended(
            game=self.game,
            states=last,
            observer=last_mover if self._seat[index] == EVERY_SEAT else seat,
            seat=seat,
            reward=float(self.batch.final_returns[index, seat]),
            decisions=int(self._decisions[index]),
        )

    def close(self) -> None:
        """End the threads."""
        self.batch.close()


class OverLearnerBatch:
    """Mixin of environments over a :class:`LearnerBatch`, their attribute ``games``."""

    games: LearnerBatch

    @property
    def batch(self) -> BatchEnv:
        """The games themselves."""
        return self.games.batch

    @property
    def learner_seats(self) -> Array:
        """The learner's seat in each game now, int64 (num_envs,); -1 where it plays all."""
        return self.games.learner_seats

    @property
    def full_state_layout(self) -> dict[str, LayoutEntry]:
        """As :attr:`BatchEnv.full_state_layout`."""
        return self.batch.full_state_layout

    def full_state(self) -> Array:
        """Everything that is decided in each game, hidden or not, float32 (num_envs,
        full_state_size), a fresh array (:meth:`BatchEnv.full_state`)."""
        return self.games.full_state()

    def action_masks(self) -> Array:
        """The legal actions of the deciding seats, bool (num_envs, num_actions)."""
        return self.games.action_mask.astype(np.bool_)
