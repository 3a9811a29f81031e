"""The PettingZoo AEC environment of any game."""

from functools import cached_property
from typing import Any

from pettingzoo import AECEnv

from dig_envs.adapters.position import ILLEGAL_REWARD, GamePosition, Infos
from dig_envs.adapters.rendering import RENDER_FPS, available_modes
from dig_envs.engine.compiler.jit import prepare
from dig_envs.engine.core.checks import action_index, check_action, is_legal
from dig_envs.engine.core.state import ANSWERS
from dig_envs.engine.game import Array, Snapshot


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
        reward, render_mode, mask, render_view, with_events, options: as for :func:`dig_envs.make`.
    """

    def __init__(
        self,
        name: str,
        reward: str = "win",
        render_mode: str | None = None,
        mask: str = "observation",
        render_view: str = "public",
        with_events: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
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

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. Without a seed: the one that follows the last episode's.

        Raises:
            TypeError, ValueError: the seed is not an integer from -2**63 to 2**64 - 1, or
                ``options`` has an option of the game.
        """
        self._mover = self._deal(seed, options)
        self._mask, self._vector = self._masks[0], self._flat[0]
        self._begin()
        self._render_step()

    @cached_property
    def _advance(self) -> Any:
        """Plays an action of a seat in this environment's memory (``kernels.advance``)."""
        memory = (self.states, 0, 0, self._masks, self._records, self._flat)
        return prepare(self.game.kernels.advance, memory, 1, 2)

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
        self._look_one(self.states, self._mover, self._masks, self._records, self._flat)
        self._mask, self._vector = self._masks[0], self._flat[0]

    def look(self, agent: str) -> dict[str, Array]:
        """``observation`` and ``action_mask`` of an agent, whatever ``mask`` says."""
        if self._mover >= 0:
            if agent != self.possible_agents[self._mover]:
                return super().look(agent)
        else:  # nobody's observation is kept any more
            return super().look(agent)
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
        if not (0 <= index < self._num_actions and self._mask[index]):
            check_action(action, self._mask, self.game.actions, agent)
        if self._rewarded:
            self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        before = self._scores() if self.reward_kind == "score" else []
        self._played.append((self._mover, index))
        changed, mover = divmod(self._advance(self._mover, index), ANSWERS)
        self._mover = mover - 1
        if changed:
            self._pay(before)
        if self._mover >= 0:
            self.agent_selection = self.possible_agents[self._mover]
            self._with_masks(self.infos)
            if self.with_events:
                self.infos[self.agent_selection]["events"] = self.events(self.agent_selection)
        self._render_step()

    def stop(self, agent: str, action: int) -> None:
        """End the episode for all because of an illegal action of an agent, which gets the reward
        -1; the position stays."""
        self.rewards = dict.fromkeys(self.possible_agents, 0.0)
        self.rewards[agent] = ILLEGAL_REWARD
        self._cumulative_rewards[agent] = ILLEGAL_REWARD
        self._rewarded = True
        self._masks[:] = 0
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

    def _clear_rewards(self) -> None:
        self.rewards = dict.fromkeys(self.rewards, 0.0)
        self._rewarded = False

    def _pay(self, before: list[int]) -> None:
        """Pay the rewards of a step after which scores have changed or the game is over."""
        over = self._mover < 0
        if self.reward_kind != "score" and not over:
            return
        for agent, reward in zip(self.possible_agents, self._earned_since(before), strict=True):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
        self._rewarded = True
        if over:
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
