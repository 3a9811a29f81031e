"""A position of Bone Bids as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end."""
    lines = [f"Round {snapshot['turn']}, the bone is worth {snapshot['worth']}. Out: {' '.join(snapshot['out']) or 'nothing'}"]
    for p, hand in enumerate(snapshot["hands"]):
        cards = hand if isinstance(hand, int) else len(hand)
        asked = " <" if p == snapshot["to_move"] else ""
        lines.append(f"P{p}: {snapshot['scores'][p]} points, {cards} cards{asked}")
    if snapshot["phase"] == "over":
        lines.append(f"The game is over; winners: {', '.join(f'P{p}' for p in snapshot['winners'])}")
    return "\n".join(lines)
