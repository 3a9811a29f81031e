"""The native PettingZoo parallel environment of any game."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from dig_envs.adapters.position import RENDER_MODES, GamePosition, Infos
from dig_envs.engine.checks import check_action
from dig_envs.engine.game import Array, Snapshot

Observations = dict[str, dict[str, Array]]
Outcome = tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]


class Parallel(GamePosition, ParallelEnv):
    """A game as a parallel environment: all seats that owe a decision act in the same step.

    The actions of seats that owe nothing (mask all zero) are ignored and may be left out. A missing or illegal action of
    one that does raises :class:`IllegalActionError`, and then nothing has changed. Arguments, ends and infos are those of the
    AEC environment.
    """

    def __init__(self, name: str, reward: str = "win", render_mode: str | None = None, **options: Any) -> None:
        self._init_position(name, reward, render_mode, options)
        self.metadata = {"name": self.game.env_name, "render_modes": list(RENDER_MODES), "render_fps": 2}
        self.agents: list[str] = []

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observations, Infos]:
        """Deal a new game. Without a seed: the one that follows the last episode's; ``options`` is not used.

        Raises:
            TypeError, ValueError: the seed is no integer from -2**63 to 2**64 - 1.
        """
        self._deal(seed)
        self.agents = self.possible_agents[:]
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> Observations:
        return {agent: self._look(seat) for seat, agent in enumerate(self.possible_agents)}

    def owing(self) -> list[str]:
        """The agents that owe a decision now."""
        return [agent for agent, seat in self._seats.items() if self.states["owes"][0][seat]]

    def step(self, actions: Mapping[str, Any]) -> Outcome:
        """Play the actions of all who owe a decision, in seat order; all empty when the episode is over."""
        self._require_game()
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions must be a mapping from agents to actions, not {type(actions).__name__}")
        chosen = [(self._seats[agent], self._checked(agent, actions)) for agent in self.owing()]
        before = self._scores()
        for seat, action in chosen:
            self.game.kernels.apply_one(self.states, seat, action)
        return self._outcome(before)

    def _checked(self, agent: str, actions: Mapping[str, Any]) -> int:
        mask = np.zeros((1, self._num_actions), np.int8)
        self.game.kernels.masks_of(self.states, 0, 1, np.array([self._seats[agent]], np.int64), mask)
        return check_action(actions.get(agent), mask[0], self.game.actions, agent)

    def _outcome(self, before: list[int]) -> Outcome:
        over = bool(self.states["over"][0])
        if self.reward_kind == "score":
            pay = [float(after - old) for after, old in zip(self._scores(), before, strict=True)]
        else:
            pay = [float(value) for value in self._returns()[: self.num_seats]] if over else [0.0] * self.num_seats
        agents = self.possible_agents
        result = (
            self._observations(),
            dict(zip(agents, pay, strict=True)),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            self._final_infos() if over else {agent: {} for agent in agents},
        )
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return result

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot (see the AEC environment); raises SnapshotError naming the key, and then nothing has changed."""
        self._restore_states(snapshot)
        self.agents = [] if self.states["over"][0] else self.possible_agents[:]

    def determinize(self, agent: str, seed: int) -> None:
        """Re-deal in place what the agent cannot know; its observation, mask and view stay the same."""
        self._redeal(agent, seed)

    def __str__(self) -> str:
        return self.game.env_name
