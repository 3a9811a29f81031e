"""What the texts and pictures of all games say alike of a view or a snapshot."""

from collections.abc import Mapping, Sized
from typing import Any

from dig_envs.engine.core.words import enumeration, names_now


def size_of(hidden: Any) -> int:
    """Return how many entries there are: of a list, or in a view of its length."""
    return len(hidden) if isinstance(hidden, Sized) else int(hidden)


def seat_name(seat: int) -> str:
    """Return what a seat is called in texts: *Player 1* and so on, as in events."""
    return names_now().of(seat)


def mark_of(snapshot: Mapping[str, Any], seat: int) -> str:
    """Return what stands behind the line of a seat: a mark if it is the one to move."""
    return " <" if seat == snapshot["to_move"] else ""


def result_of(snapshot: Mapping[str, Any]) -> str:
    """Return how a finished game ended and who won, such as ``The game is over by the turn limit: Player 1 and Player 3 won``."""
    how = f" by the {'round' if 'max_rounds' in snapshot['options'] else 'turn'} limit" if snapshot["truncated"] else ""
    return f"The game is over{how}: {enumeration([seat_name(seat) for seat in snapshot['winners']]) or 'nobody'} won"
