"""The native PettingZoo parallel environment of any game."""

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from dig_envs.adapters.position import ILLEGAL_POLICIES, ILLEGAL_REWARD, GamePosition, Infos
from dig_envs.adapters.rendering import RENDER_FPS, available_modes
from dig_envs.engine.core.checks import check_action_type, check_choice, illegal_action, is_legal
from dig_envs.engine.core.errors import IllegalActionError
from dig_envs.engine.core.state import ANSWERS
from dig_envs.engine.game import Array, Snapshot
from dig_envs.registry import with_observation

IDLE_MASKS = ("none", "one")
MISSING = -1  # in place of the action of an agent that has given none
IGNORED = 0  # the action that the mask of an agent without a decision allows, with idle="one"

Observations = dict[str, Any]
Outcome = tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]


class Parallel(GamePosition, ParallelEnv):
    """A game as a parallel environment: all agents that are to act (:meth:`agents_to_act`) do so in
    the same step.

    The actions of other agents are ignored and may be left out. Other arguments, ends and infos are
    those of the AEC environment.

    Args:
        illegal: what a missing or illegal action of an agent that is to act does. ``"raise"``:
            IllegalActionError, and then nothing has changed. ``"terminate"``: the episode ends,
            with reward -1 for all who made one and 0 for the others, the position unchanged, and
            the action's text in ``infos[agent]["illegal_action"]``; for libraries that draw actions
            without a mask.
        idle: the masks of agents that are not to act, and of all at the end. ``"none"``: all zero.
            ``"one"``: action 0 alone is allowed (and ignored), for learners whose distributions
            need an action.
    """

    def __init__(
        self,
        name: str,
        reward: str = "win",
        render_mode: str | None = None,
        mask: str = "observation",
        render_view: str = "public",
        illegal: str = "raise",
        idle: str = "none",
        with_events: bool = False,
        observation: str | None = None,
        **options: Any,
    ) -> None:
        name = with_observation(name, observation)
        self.illegal = check_choice("illegal", illegal, ILLEGAL_POLICIES)
        self.idle = check_choice("idle", idle, IDLE_MASKS)
        self._init_position(name, reward, render_mode, mask, render_view, with_events, options)
        self.metadata = {
            "name": self.game.env_name,
            "render_modes": available_modes(),
            "render_fps": RENDER_FPS,
        }
        self.agents: list[str] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Deal a new game. Without a seed: the one that follows the last episode's.

        Raises:
            TypeError, ValueError: the seed is not an integer from -2**63 to 2**64 - 1, or
                ``options`` has an option of the game.
        """
        self._deal(seed, options)
        self.agents = self.possible_agents[:]
        self._render_step()
        return self._observations(), self._with_events(
            self._with_masks({agent: {} for agent in self.agents})
        )

    def _observations(self) -> Observations:
        return {agent: self.observe(agent) for agent in self.possible_agents}

    def observe(self, agent: str) -> Any:
        """A fresh observation of an agent. ``idle`` decides the mask of one that is not to act
        now."""
        seen = self.look(agent)
        self._fill_idle(seen["action_mask"])
        return self._as_asked(seen)

    def _with_masks(self, infos: Infos) -> Infos:
        for info in super()._with_masks(infos).values():
            if "action_mask" in info:
                self._fill_idle(info["action_mask"])
        return infos

    def _fill_idle(self, mask: Array) -> None:
        """Write the mask of an agent that is not to act, as ``idle`` says."""
        if self.idle == "one" and not mask.any():
            mask[IGNORED] = 1

    def agents_to_act(self) -> list[str]:
        """The agents that have a decision to make now, in the order of the seats."""
        if self._stopped:
            return []
        owes = self.states["owes"][0].tolist()
        return [agent for agent, seat in self._seats.items() if owes[seat]]

    def step(self, actions: Mapping[str, Any]) -> Outcome:
        """Play the actions of all agents that are to act, in the order of the seats; returns
        nothing but empty dicts after the end.

        Raises:
            IllegalActionError: with ``illegal="raise"``. TypeError: actions are no mapping, or one
                of them is not an integer. Then nothing has changed.
        """
        self._require_game()
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, Mapping):
            raise TypeError(
                f"actions must be a mapping from agents to actions, not {type(actions).__name__}"
            )
        masks = {agent: self._mask_of(self._seats[agent]) for agent in self.agents_to_act()}
        chosen = {
            agent: check_action_type(actions[agent]) if agent in actions else MISSING
            for agent in masks
        }
        illegal = {
            agent: actions.get(agent)
            for agent, action in chosen.items()
            if not is_legal(action, masks[agent])
        }
        if illegal and self.illegal == "terminate":
            return self._end_on_illegal(illegal)
        for agent, action in illegal.items():
            if action is None:
                raise IllegalActionError(f"no action given for {agent}")
            raise illegal_action(action, masks[agent], self.game.actions, agent)
        before = self._scores()
        for agent, action in chosen.items():
            self.game.kernels.apply_one(self.states, self._seats[agent], action)
            self._played.append(action * ANSWERS + self._seats[agent])
        outcome = self._outcome(self._earned_since(before), bool(self.states["over"][0]))
        self._render_step()
        return outcome

    def _end_on_illegal(self, illegal: Mapping[str, Any]) -> Outcome:
        pay = [ILLEGAL_REWARD if agent in illegal else 0.0 for agent in self.possible_agents]
        return self._outcome(pay, True, self._infos_of_illegal(illegal))

    def _outcome(self, pay: list[float], over: bool, infos: Infos | None = None) -> Outcome:
        """The five results of a step; ``infos`` replaces the infos of the position."""
        agents = self.possible_agents
        if over:
            self.agents = []
        return (
            self._observations(),
            dict(zip(agents, pay, strict=True)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            infos
            or self._with_events(
                self._with_masks(self._final_infos() if over else {agent: {} for agent in agents})
            ),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot (see the AEC environment); raises SnapshotError naming the key,
        and then nothing has changed."""
        self._restore_states(snapshot)
        self.agents = [] if self.states["over"][0] else self.possible_agents[:]

    def determinize(self, agent: str, seed: int) -> None:
        """Deal anew, in place, what the agent cannot know; its observation, mask and view stay the
        same.

        Args:
            agent: such as ``player_0``.
            seed: an integer from -2**63 to 2**64 - 1.

        Raises:
            ValueError: an unknown agent, or a seed out of range. TypeError: the seed is not an
                integer.
        """
        self._redeal(agent, seed)

    def __str__(self) -> str:
        return self.game.env_name
