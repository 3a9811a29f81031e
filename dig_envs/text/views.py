"""Texts about a view or a snapshot that all games share."""

from collections.abc import Mapping, Sized
from typing import Any

from dig_envs.engine.core.fields import TURN_LIMITS
from dig_envs.engine.core.words import enumeration, game_is_over, names_now


def size_of(hidden: Any) -> int:
    """The number of entries: of a list, or of a view that shows only the length."""
    return len(hidden) if isinstance(hidden, Sized) else int(hidden)


def seat_name(seat: int) -> str:
    """The name of a seat in texts: *Player 1* and so on, as in events."""
    return names_now().of(seat)


def mark_of(snapshot: Mapping[str, Any], seat: int) -> str:
    """The mark behind a seat's line if the seat is to move."""
    return " <" if seat == snapshot["to_move"] else ""


def limit_of(view: Mapping[str, Any]) -> str | None:
    """The name of the limit that has ended a game, such as *turn*; None if there was none."""
    return (
        next(unit for option, unit in TURN_LIMITS.items() if option in view["options"])
        if view["truncated"]
        else None
    )


def result_of(snapshot: Mapping[str, Any]) -> str:
    """The result of a finished game and its winners, such as ``The game is over by the turn limit:
    Player 1 and Player 3 won``."""
    return (
        f"{game_is_over(limit_of(snapshot))}: "
        f"{enumeration([seat_name(seat) for seat in snapshot['winners']]) or 'nobody'} won"
    )
