"""A position of Bone Bids as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.text.views import mark_of, result_of, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end."""
    lines = [f"Round {snapshot['turn']}, the bone is worth {snapshot['worth']}. Out: {' '.join(snapshot['out']) or 'nothing'}"]
    for p, hand in enumerate(snapshot["hands"]):
        lines.append(f"P{p}: {snapshot['scores'][p]} points, {size_of(hand)} cards{mark_of(snapshot, p)}")
    if snapshot["phase"] == "over":
        lines.append(result_of(snapshot))
    return "\n".join(lines)
