"""The decision that a player is asked for: from an environment, or as arrays from outside."""

import logging
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.agents.memory import MemoryPerSeat
from dig_envs.engine.core.checks import canonical, canonical_states, shown_in_message
from dig_envs.engine.core.errors import ForfeitError, IllegalActionError
from dig_envs.engine.core.texts import clean_text
from dig_envs.engine.game import Array, Game

LONGEST_DETAIL = 1000  # characters of what an owner is told
log = logging.getLogger(__name__)


class OneGame:
    """Mixin of agents: to choose in one game is to choose in a batch of one.

    An agent with a memory remembers here by itself, per environment and seat, until the next
    episode begins. To ask it twice about one decision is to let it see that twice.
    """

    memory_size = 0
    takes_events = False

    def act(self, env: Any, agent: str | None = None) -> int:
        """Return the action of an agent, by default ``env.agent_selection``
        (:class:`dig_envs.agents.protocol.Agent`)."""
        decision: tuple[Any, ...] = decision_of(env, agent)
        seat, more = int(decision[3][0]), dict[str, Any]()
        if self.memory_size:
            decision = (*decision, self._memory.of(env.unwrapped, seat, self.memory_size))
        if self.takes_events:
            more["events"] = [env.unwrapped.event_log.since(seat)]
        return int(self.act_batch(*decision, **more)[0])

    def remember_copy(self, copied: Any, env: Any) -> None:
        """Remember of a copied environment what this agent remembers of the original, where it has
        a memory of its own."""
        if self.memory_size:
            self._memory.copy_for(copied.unwrapped, env.unwrapped)

    @cached_property
    def _memory(self) -> MemoryPerSeat:
        return MemoryPerSeat()

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
    ) -> Array:
        """Return one action for each decision (:class:`dig_envs.agents.protocol.Agent`)."""
        raise NotImplementedError


def decision_of(env: Any, agent: str | None) -> tuple[Array, Array, Array, Array]:
    """Return observation, mask, states and seats, a batch of one, of the decision that an agent has
    to make in an environment.

    Raises:
        ValueError: there is no such agent, it is not to act now, or none is named where several may
            act at once.
        ResetNeeded: there is no game yet.
    """
    position = env.unwrapped
    if agent is None:
        position._require_game()
        agent = getattr(position, "agent_selection", None)
        if agent is None:
            raise ValueError("in a parallel environment name the agent: act(env, agent='player_0')")
    seat = position.seat_of(agent)
    seen = position.look(agent)
    if not seen["action_mask"].any():
        raise ValueError(
            f"{agent} has no decision to make now; ask an agent whose action mask is not all zero"
        )
    return (
        seen["observation"][None],
        seen["action_mask"][None],
        position.states,
        np.array([seat], np.int64),
    )


def check_positions(game: Game, states: Any, seats: Any, who: str) -> tuple[Array, Array]:
    """Return states and deciding seats as compiled code takes them: records (n,), int64 (n,).

    Raises:
        ValueError: they are missing, of another kind or shape, or a seat is not to act.
    """
    if states is None or seats is None:
        raise ValueError(
            f"{who} decides on positions: pass states and seats (BatchEnv.states, BatchEnv.mover)"
        )
    records = canonical_states(states, game.state)
    given = np.asarray(seats)
    if given.dtype.kind not in "iu" or given.shape != records.shape:
        raise ValueError(
            f"seats must be {len(records)} integers, one for each state, not "
            f"{shown_in_message(seats)}"
        )
    deciders = canonical(given, np.int64)
    exist = (deciders >= 0) & (deciders < game.max_players)
    to_act = records["owes"][np.arange(len(records)), np.where(exist, deciders, 0)] != 0
    wrong = np.flatnonzero(~(exist & to_act))
    if len(wrong):
        raise ValueError(
            f"seat {deciders[wrong[0]]} has no decision to make in position {wrong[0]}; see "
            "BatchEnv.mover"
        )
    return records, deciders


def forfeit(who: str, failure: ForfeitError) -> ForfeitError:
    """Return the error that says that ``who`` gave up a game. The detail goes to the log of this
    process, standard error by default, which its owner sees and the other players do not."""
    if failure.detail:
        log.warning("%s, %s", who, clean_text(failure.in_full, LONGEST_DETAIL))
    return ForfeitError(f"{who}, {failure}")


def not_legal(who: str, error: IllegalActionError) -> ForfeitError:
    """Return the error that says that ``who`` gave up a game by an action that is not legal. Which
    one, and what would have been legal, is for its owner alone."""
    return forfeit(who, ForfeitError("chose what is not legal", str(error)))
