"""Texts about a view or a snapshot that all games share."""

from collections.abc import Mapping, Sized
from typing import Any

from dig_envs.engine.core.fields import TURN_LIMITS
from dig_envs.engine.core.words import enumeration, game_is_over, names_now


def size_of(hidden: Any) -> int:
    """Return how many entries there are: of a list, or in a view of its length."""
    return len(hidden) if isinstance(hidden, Sized) else int(hidden)


def seat_name(seat: int) -> str:
    """Return what a seat is called in texts: *Player 1* and so on, as in events."""
    return names_now().of(seat)


def mark_of(snapshot: Mapping[str, Any], seat: int) -> str:
    """Return what stands behind the line of a seat: a mark if it is the one to move."""
    return " <" if seat == snapshot["to_move"] else ""


def limit_of(view: Mapping[str, Any]) -> str | None:
    """Return what the limit is called that has ended a game, such as *turn*; None where none
    has."""
    return (
        next(unit for option, unit in TURN_LIMITS.items() if option in view["options"])
        if view["truncated"]
        else None
    )


def result_of(snapshot: Mapping[str, Any]) -> str:
    """Return how a finished game ended and who won, such as ``The game is over by the turn limit:
    Player 1 and Player 3 won``."""
    return (
        f"{game_is_over(limit_of(snapshot))}: "
        f"{enumeration([seat_name(seat) for seat in snapshot['winners']]) or 'nobody'} won"
    )
