"""A position of Bone Bids as text: from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.text.views import mark_of, result_of, seat_name, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end."""
    lines = [
        (
            f"Round {snapshot['turn']}, the bone is worth {snapshot['worth']}. Out: "
            f"{cards(snapshot['out'])}"
        )
    ]
    lines.append(f"Pile: {size_of(snapshot['pile'])} cards")
    for p, hand in enumerate(snapshot["hands"]):
        shown = f": {cards(hand)}" if isinstance(hand, list) else ""
        bid = f", bids {snapshot['pending'][p]}" if snapshot["pending"][p] else ""
        points = f"{snapshot['scores'][p]} points, {size_of(hand)} cards{shown}{bid}"
        lines.append(f"{seat_name(p)}: {points}{mark_of(snapshot, p)}")
    if snapshot["phase"] == "over":
        lines.append(result_of(snapshot))
    return "\n".join(lines)


def cards(names: list[str]) -> str:
    """Cards in a row."""
    return " ".join(names) or "nothing"
