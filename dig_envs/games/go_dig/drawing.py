"""A position of Go Dig as text, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.fossil_deck import GENERA, grouped
from dig_envs.text.views import mark_of, result_of, seat_name, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end.

    ``<`` marks the player who has the turn. A hand is shown where the view has it, and of every
    hand what everybody knows.
    """
    lines = [title(snapshot), ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    return "\n".join([*lines, "", f"Dig pile: {size_of(snapshot['pile'])} cards"])


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn and who asks; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    return f"Turn {snapshot['turn']}: {seat_name(snapshot['to_move'])} asks"


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    mark = mark_of(snapshot, p)
    museum = ", ".join(snapshot["museums"][p]) or "nothing yet"
    hand, known = snapshot["hands"][p], snapshot["known"][p]
    cards = size_of(hand)
    lines = [f"{seat_name(p)} {snapshot['scores'][p]:>3} points: {museum}{mark}"]
    if isinstance(hand, list):
        lines.append(f"     hand: {grouped(hand)}")
    lines.append(f"     {cards} cards, everybody knows of: {grouped(known)}")
    holds = " ".join(snapshot["asked"][p]) or "-"
    most = " ".join(
        f"{genus} {most}" for genus, most in zip(GENERA, snapshot["maybe"][p], strict=True)
    )
    lines.append(
        f"     among the other {cards - len(known)}, one at least: {holds}; at most: {most}"
    )
    return lines
