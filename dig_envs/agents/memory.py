"""The memory of agents that decide from more than what they are shown now.

An agent with a memory has the attribute ``memory_size``, and its ``act_batch`` takes one argument
more: ``memory``, float32 (n, memory_size), all zero at the start of a game, which it rewrites in
place. So the memory belongs to whoever runs the games, one row for each game and seat, and an agent
is the same for one game and for thousands.
"""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dig_envs.agents.protocol import Agent, traits
from dig_envs.engine.core.checks import check_array, shown_in_message
from dig_envs.engine.game import Array, Game


def memory_size(agent: Any) -> int:
    """The number of numbers that an agent remembers of a game; 0 without a memory."""
    return int(traits(agent).memory_size)


def check_memory(memory: Array | None, count: int, size: int, who: str) -> Array:
    """The memory of ``count`` decisions, a writable float32 array (count, size).

    Raises:
        TypeError: it is not float32. ValueError: it is missing, has another shape, is read-only
            or not finite.
    """
    wanted = (
        f"{who} remembers: pass memory, a writable float32 array {(count, size)}, zero at a game's "
        "start"
    )
    if memory is None:
        raise ValueError(wanted)
    if not isinstance(memory, np.ndarray) or memory.dtype != np.float32:
        given = memory.dtype if isinstance(memory, np.ndarray) else shown_in_message(memory)
        raise TypeError(f"{wanted}, not {given}")
    if memory.shape != (count, size) or not memory.flags.writeable:
        kind = "" if memory.flags.writeable else " that is read-only"
        raise ValueError(f"{wanted}, not one {memory.shape}{kind}")
    if not np.isfinite(memory).all():
        raise ValueError(f"{wanted}, of finite numbers")
    return memory


def remembered(
    agent: Any, game: Game, first: Array, played: Sequence[tuple[int, int]], seat: int
) -> Array:
    """The memory of an agent that has seen all that a seat was shown, float32 (1, memory_size);
    zeros for an agent without a method ``notice``.

    Args:
        first: the position at the beginning, a record array of length 1.
        played: seats and actions since, in the order in which they were carried out.
    """
    memory, seats = np.zeros((1, memory_size(agent)), np.float32), np.array([seat], np.int64)
    states = first.copy()
    if hasattr(agent, "notice"):
        for who, action in played:
            agent.notice(states, seats, memory)
            game.kernels.apply_one(states, who, action)
    return memory


def in_mind(agent: Any, states: Array, seats: Array, memory: Array | None) -> Array:
    """The positions with all in sight that their seats remember. They are as given for an agent
    without a method ``in_mind``, which remembers nothing, or nothing that a position has."""
    if memory is None or not hasattr(agent, "in_mind"):
        return states
    found: Array = agent.in_mind(states, seats, memory[:, : memory_size(agent)])
    return found


class PerAgent(WeakKeyDictionary[Any, Array]):
    """An array for each agent, as long as the agent is there; unlike its base it can be pickled."""

    def __reduce__(self) -> tuple[type["PerAgent"], tuple[dict[Any, Array]]]:
        return PerAgent, (dict(self.items()),)


class Memories:
    """The memories of several agents in n games side by side, for whoever runs the games.

    Args:
        agents: who play; those without a memory cost nothing.
        num_games: how many games there are.
        num_seats: the most seats of a game.
    """

    def __init__(self, agents: Sequence[Agent], num_games: int, num_seats: int) -> None:
        self._agents = agents
        sizes = {number: memory_size(agent) for number, agent in enumerate(agents)}
        self._kept = {
            number: np.zeros((num_games, num_seats, size), np.float32)
            for number, size in sizes.items()
            if size
        }

    def act(
        self,
        number: int,
        games: Array,
        observation: Array,
        action_mask: Array,
        states: Array,
        seats: Array,
        **more: Any,
    ) -> Array:
        """The actions of agent ``number`` in some games, integers (n,). The agent remembers what it
        is shown now. ``more``: its other arguments.

        Raises:
            TypeError, ValueError: the agent's actions are no integers, or not one for each game.
        """
        agent, shape = self._agents[number], (len(observation),)
        what = f"the actions of {agent.name}"
        if number not in self._kept:
            chosen = agent.act_batch(observation, action_mask, states, seats, **more)
            return check_array(chosen, what, "iu", "integers", shape)
        memory = self._kept[number][games, seats]
        chosen = agent.act_batch(observation, action_mask, states, seats, memory, **more)  # type: ignore[call-arg]
        actions = check_array(chosen, what, "iu", "integers", shape)
        self._kept[number][games, seats] = memory
        return actions

    def forget(self, games: Any) -> None:
        """Forget the games of these numbers, as new ones begin."""
        for kept in self._kept.values():
            kept[games] = 0.0
