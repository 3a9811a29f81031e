"""The PettingZoo AEC environment of any game."""

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from dig_envs.adapters.position import ILLEGAL_REWARD, GamePosition, Infos
from dig_envs.adapters.rendering import RENDER_FPS, available_modes
from dig_envs.engine.compiler.jit import bound, check_result
from dig_envs.engine.core.checks import action_index, check_action, is_legal
from dig_envs.engine.core.state import ANSWERS, REWARD_KINDS
from dig_envs.engine.game import Array, Snapshot
from dig_envs.registry import with_observation


class RawAEC(GamePosition, AECEnv):
    """A game as an AEC environment: seats act one after the other, several actions in a row where
    the rules say so.

    Observations are ``{"observation": float32 (observation_size,), "action_mask": int8
    (num_actions,)}``, fresh arrays at every call. The mask is all zero for an agent that is not to
    act now, never all zero for one that is. With ``mask="info"`` an observation is the vector
    alone, and the masks are in ``infos[agent]["action_mask"]``; with ``"both"`` they are in both
    places. An illegal action raises :class:`IllegalActionError` and changes nothing.

    The episode ends for all agents at once and is always terminated, never truncated: the turn
    limit is a rule. Then ``infos[agent]`` has ``won`` (float: the agent's share of the victory, 1/k
    for each of k winners; in a cooperative game 1 or 0), ``scores`` (a list: of all seats) and
    ``turn_limit`` (bool: whether that ended the game), and after an illegal action (:meth:`stop`)
    that of who made it has ``illegal_action`` (its text).

    Args:
        name: the game, such as ``cretaceous_creek_v0``.
        reward, render_mode, mask, render_view, with_events, observation, options: as for
            :func:`dig_envs.make`.
    """

    def __init__(
        self,
        name: str,
        reward: str = "win",
        render_mode: str | None = None,
        mask: str = "observation",
        render_view: str = "public",
        with_events: bool = False,
        observation: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        name = with_observation(name, observation)
        self._init_position(name, reward, render_mode, mask, render_view, with_events, options)
        self.metadata = {
            "name": self.game.env_name,
            "render_modes": available_modes(),
            # by PettingZoo's wrapper, which asks every agent once per cycle; see `parallel_env`
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.agents: list[str] = []
        self._mover = -1  # the seat that is asked; -1: none
        self._informs = with_events or mask != "observation"

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. Without a seed: the one that follows the last episode's.

        Raises:
            TypeError, ValueError: the seed is not an integer from -2**63 to 2**64 - 1, or
                ``options`` has an option of the game.
        """
        self._mover = self._deal(seed, options)
        self._begin()
        self._render_step()

    def _allocate(self, states: Array) -> None:
        super()._allocate(states)
        self._mask, self._vector = self._own_memory[0][0], self._own_memory[2][0]
        self._actions = np.zeros(1, np.int64)
        self._choice = (ctypes.c_int64 * 1).from_buffer(self._actions.data)  # quicker to write to
        self._rewards = np.zeros((1, self.game.max_players))

    @cached_property
    def _advance(self) -> Callable[[], int]:
        """Plays the action in ``_choice`` (``kernels.advance``)."""
        pay = (REWARD_KINDS.index(self.reward_kind), self._rewards)
        args = (self.states, self._actions, *pay, *self._own_memory)
        return bound(self.game.kernels.advance, args, keeps_gil=True)

    def _begin(self) -> None:
        """Set the attributes of an episode that begins with the present position."""
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: Infos = self._with_events(self._with_masks({agent: {} for agent in agents}))
        self._rewarded = False
        if self._mover < 0:  # a restored position may be finished
            self._end(self._mover)
        else:
            self.agent_selection = agents[self._mover]

    def _refresh(self) -> None:
        """Find mover, mask and observation of the position."""
        self._mover = -1 if self._stopped else int(self.states["to_move"][0])
        self.game.kernels.look_one(self.states, self._mover, *self._own_memory)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of ``agent_selection``."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def look(self, agent: str) -> dict[str, Array]:
        """``observation`` and ``action_mask`` of an agent, whatever ``mask`` says."""
        if self._mover < 0 or agent != self.possible_agents[self._mover]:
            return super().look(agent)
        return {"observation": self._vector.copy(), "action_mask": self._mask.copy()}

    def observe(self, agent: str) -> Any:
        """A fresh observation of an agent; the mask is zero if it is not to act now."""
        # the common case is written out: a call costs a tenth of a turn
        if (
            self.mask_place == "info"
            or self._mover < 0
            or agent != self.possible_agents[self._mover]
        ):
            return super().observe(agent)
        return {"observation": self._vector.copy(), "action_mask": self._mask.copy()}

    def step(self, action: Any) -> None:
        """Play an action of ``agent_selection``; raises IllegalActionError and changes nothing if
        it is not legal."""
        try:
            agent = self.agent_selection
        except AttributeError:
            self._require_game()
            raise
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        index = action if type(action) is int else action_index(action)
        # an integer of C: a longer number would lose its head
        self._choice[0] = index if 0 <= index < self._num_actions else -1
        answer = self._advance()
        if answer < 0:
            check_result(answer, "advance")
            check_action(action, self._mask, self.game.actions, agent)
        if self._rewarded:
            self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        self._played.append(index * ANSWERS + self._mover)
        if answer < ANSWERS:
            self._mover = mover = answer - 1
        else:
            self._mover = mover = answer - ANSWERS - 1
            self._pay()
        if mover >= 0:
            self.agent_selection = self.possible_agents[mover]
            if self._informs:
                self._inform(self.agent_selection)
        if self.render_mode == "human":
            self.render()

    def stop(self, agent: str, action: int) -> None:
        """End the episode for all because of an illegal action of an agent, which gets the reward
        -1; the position stays."""
        self.rewards = dict.fromkeys(self.possible_agents, 0.0)
        self.rewards[agent] = ILLEGAL_REWARD
        self._cumulative_rewards[agent] = ILLEGAL_REWARD
        self._rewarded = True
        self._mask[:] = 0
        self._finish(self._infos_of_illegal({agent: action}), self._seats[agent])

    def is_legal(self, action: Any) -> bool:
        """Whether an action is an integer (True is not) and legal for ``agent_selection`` now."""
        return is_legal(action, self._mask)

    def _was_dead_step(self, action: None) -> None:
        """As PettingZoo's method, for episodes that end for all agents at once: they leave one
        after the other."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        agent = self.agent_selection
        for values in (
            self.terminations,
            self.truncations,
            self.rewards,
            self._cumulative_rewards,
            self.infos,
        ):
            del values[agent]
        self.agents.remove(agent)
        if self.agents:
            self.agent_selection = self.agents[0]
        if self._rewarded:
            self._clear_rewards()

    def _inform(self, agent: str) -> None:
        """Put into the infos what changes with each step."""
        self._with_masks(self.infos)
        if self.with_events:
            self.infos[agent]["events"] = self.events(agent)

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.rewards, 0.0)
        self._rewarded = False

    def _pay(self) -> None:
        """Pay the rewards of a step, at the end of the game or before."""
        for agent, reward in zip(self.possible_agents, self._rewards[0].tolist(), strict=False):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
        self._rewarded = True
        if self._mover < 0:
            self._end(self._seats[self.agent_selection])

    def _end(self, last_mover: int) -> None:
        """End the episode for all at once."""
        self._finish(self._with_events(self._with_masks(self._final_infos())), last_mover)

    def _finish(self, infos: Infos, last_mover: int) -> None:
        """Mark the episode as ended; the seat after the last mover is asked for its dead step
        first."""
        self.terminations = dict.fromkeys(self.possible_agents, True)
        self.infos = infos
        self._mover = -1
        self.agent_selection = self.possible_agents[(last_mover + 1) % self.num_seats]

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot; raises SnapshotError naming the key, and then nothing has
        changed.

        It needs no ``reset`` before. The episode keeps its seed, so that the game dealt after it is
        the same, too.
        """
        self._restore_states(snapshot)
        self._refresh()
        self._begin()

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
        if self._mover >= 0:
            self._refresh()
            self._with_masks(self.infos)

    def __str__(self) -> str:
        return self.game.env_name
