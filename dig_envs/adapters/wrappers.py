"""The protections of PettingZoo's usual wrappers in one thin layer.

``protect(raw)`` behaves as
``OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw, -1)))`` does, with the
same errors, warnings and rewards, but without forwarding every attribute through three layers,
which costs those wrappers most of their time. Two things differ: an episode that an illegal action
ends is terminated, as every other, with final infos; and an action that is not an integer is a
TypeError, not an AssertionError.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from dig_envs.engine.core.checks import action_index, check_action_type
from dig_envs.engine.core.errors import IllegalActionError

INTEGERS = (int, np.int64)


def _forwarded(name: str) -> property:
    """A property of the raw environment that may be read after reset only."""

    def read(self: "Protected") -> Any:
        if not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return getattr(self.env, name)

    return property(read)


class _HasReset:
    """``_has_reset`` of a wrapper that has not seen its game begin yet.

    ``restore`` of the raw environment begins a game without the wrapper. So at first the wrapper
    has no attribute ``_has_reset`` of its own, and Python comes here to ask the raw environment.
    Once there is a game, the wrapper gets the attribute, which Python finds first: it is read at
    every call and has to be fast.
    """

    def __get__(self, env: "Protected", _: type | None = None) -> bool:
        begun = bool(env.env.dealt)
        if begun:
            env._has_reset = env._has_updated = True
        return begun


class Protected(OrderEnforcingWrapper):
    """A raw environment that ends the game on an illegal move (reward -1) and checks bounds and the
    order of calls."""

    _has_reset: Any = _HasReset()
    rewards = _forwarded("rewards")
    terminations = _forwarded("terminations")
    truncations = _forwarded("truncations")
    infos = _forwarded("infos")
    agent_selection = _forwarded("agent_selection")
    agents = _forwarded("agents")
    num_agents = _forwarded("num_agents")

    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        del self._has_reset  # PettingZoo's wrapper has set it; see _HasReset
        self._num_actions = len(env.action_names)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game (see the raw environment)."""
        self.env.reset(seed=seed, options=options)
        self._has_reset = self._has_updated = True

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from a snapshot (see the raw environment)."""
        self.env.restore(snapshot)
        self._has_reset = self._has_updated = True

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of ``agent_selection``."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        return self.env.last(observe)  # type: ignore[no-any-return]

    def step(self, action: Any) -> None:
        """Play an action; an illegal one ends the game with reward -1 for the player who made it.

        Raises:
            TypeError: the action is neither an integer nor an array of one. AssertionError: it
                is not in the action space. Then nothing has changed.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        raw = self.env
        self._has_updated = True
        if not raw.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        # the common case, checked fast
        if not (type(action) in INTEGERS and 0 <= action < self._num_actions):
            dead = raw.terminations[raw.agent_selection]
            assert (action is None and dead) or 0 <= check_action_type(
                action
            ) < self._num_actions, "action is not in action space"
        try:
            raw.step(action)
        except IllegalActionError:
            EnvLogger.warn_on_illegal_move()
            raw.unwrapped.stop(raw.agent_selection, action_index(action))

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Yield ``agent_selection`` until no agent is left."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return self._agents_in_turn(max_iter)

    def _agents_in_turn(self, max_iter: int) -> Iterator[str]:
        raw = self.env
        while raw.agents and max_iter > 0:
            max_iter -= 1
            assert self._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
            self._has_updated = False
            yield raw.agent_selection

    def _repr_html_(self) -> str:
        html: str = self.env._repr_html_()
        return html

    def __str__(self) -> str:
        return str(self.env)


def protect(env: AECEnv) -> AECEnv:
    """The raw environment behind one thin layer of protections."""
    return Protected(env)
