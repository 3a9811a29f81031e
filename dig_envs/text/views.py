"""What the texts and pictures of all games say alike of a view or a snapshot."""

from collections.abc import Mapping, Sized
from typing import Any


def size_of(hidden: Any) -> int:
    """Return how many entries there are: of a list, or in a view of its length."""
    return len(hidden) if isinstance(hidden, Sized) else int(hidden)


def mark_of(snapshot: Mapping[str, Any], seat: int) -> str:
    """Return what stands behind the line of a seat: a mark if it is the one to move."""
    return " <" if seat == snapshot["to_move"] else ""


def result_of(snapshot: Mapping[str, Any]) -> str:
    """Return how a finished game ended and who won, such as ``The game is over by the turn limit: P0 and P2 won``."""
    how = ""
    if snapshot.get("ended"):
        how = f" ({snapshot['ended']})"
    elif snapshot["truncated"]:
        how = f" by the {'round' if 'max_rounds' in snapshot['options'] else 'turn'} limit"
    return f"The game is over{how}: {' and '.join(f'P{seat}' for seat in snapshot['winners']) or 'nobody'} won"
