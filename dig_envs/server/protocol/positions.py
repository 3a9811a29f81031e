"""Positions as the protocol tells them: who is to decide, what a seat observes, what an agent
plays, how a game ended."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions
from dig_envs.agents.memory import memory_size
from dig_envs.engine.core.checks import check_integer, shown_in_message
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import NO_NAMES, Names
from dig_envs.engine.game import Array, Game
from dig_envs.server.protocol.answers import Choice, Standing


def check_seat(states: Array, seat: Any) -> int:
    """A seat of the game; raises ValueError or TypeError."""
    return check_integer(seat, "seat", 0, int(states["num_players"][0]) - 1)


def asked(
    game: Game,
    agent: Any,
    states: Array,
    seat: int,
    memory: bytes = b"",
    events: Sequence[Event] | None = None,
) -> Decisions:
    """What an agent is asked in a position, and given of what it remembers of the game; with no
    ``memory`` it has seen nothing of it yet.

    ``events``: for an agent that takes them, what the seat was told since its last decision.
    """
    vector, mask = game.look(states, seat)
    size, remembered = memory_size(agent), None
    if size:
        remembered = np.frombuffer(memory or bytes(4 * size), np.float32).reshape(1, size).copy()
    seats = np.array([seat], np.int64)
    return Decisions(vector[None], mask[None], states, seats, remembered, [events or ()])


def decide(
    game: Game,
    agent: Any,
    states: Array,
    seat: int,
    memory: bytes = b"",
    events: Sequence[Event] | None = None,
) -> tuple[int, bytes]:
    """An agent's action in a position, and what it then remembers of the game (:func:`asked`)."""
    question = asked(game, agent, states, seat, memory, events)
    more = {} if events is None else {"events": question.events}
    if question.memory is None:
        return int(agent.act_batch(*question[:4], **more)[0]), b""
    action = int(agent.act_batch(*question[:5], **more)[0])
    return action, question.memory.tobytes()


def names_of_seats(given: Any, seats: int) -> Names:
    """The names of all seats from a list of texts, empty for the usual name; raises TypeError or
    ValueError for impossible ones (:class:`Names`)."""
    if not isinstance(given, list) or len(given) != seats:
        raise ValueError(
            f"names is a list of {seats} texts, empty for the usual name, not "
            f"{shown_in_message(given)}"
        )
    return Names(
        tuple(NO_NAMES.of(seat) if name == "" else name for seat, name in enumerate(given))
    )


def choice(
    game: Game,
    seat: int,
    num_seats: int,
    action: int,
    label: str,
    things: Sequence[str],
    names: Names = NO_NAMES,
    warning: str = "",
) -> Choice:
    """A legal action of a seat as a page offers it: number, notation, in words, how to choose it
    step by step, its things in the picture, and what is to be asked before."""
    group = game.action_list.group(action)
    return {
        "action": action,
        "text": game.actions[action],
        "label": label,
        "group": group.first,
        "steps": game.action_list.steps(action, seat, num_seats, names),
        "cost": group.cost,
        "warning": warning,
        "things": list(things),
    }


def result(game: Game, states: Array) -> Standing:
    """The scores; at the end also who won, the returns, and whether the turn limit ended the
    game."""
    state, seats = states[0], int(states["num_players"][0])
    scores: Standing = {
        "over": bool(state["over"]),
        "scores": [int(score) for score in state["scores"][:seats]],
    }
    if not scores["over"]:
        return scores
    return {
        **scores,
        "winners": [int(seat) for seat in np.flatnonzero(state["winners"])],
        "returns": [float(value) for value in game.returns_of(states)[0][:seats]],
        "turn_limit": bool(state["truncated"]),
    }
