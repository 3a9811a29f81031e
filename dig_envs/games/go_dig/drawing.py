"""A position of Go Dig as text: what everybody can see and remember of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.fossil_deck import GENERA, grouped
from dig_envs.text.views import mark_of, result_of, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    ``<`` marks the player who is asked. Of hands there is only what everybody knows, even where the snapshot knows more.
    """
    lines = [title(snapshot), ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    return "\n".join([*lines, "", f"Dig pile: {size_of(snapshot['pile'])} cards"])


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn and who asks; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    return f"Turn {snapshot['turn']}: P{snapshot['to_move']} asks"


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    asked = mark_of(snapshot, p)
    museum = ", ".join(snapshot["museums"][p]) or "nothing yet"
    cards, known = size_of(snapshot["hands"][p]), snapshot["known"][p]
    lines = [f"P{p} {snapshot['scores'][p]:>3} points: {museum}{asked}", f"     {cards} cards, known: {grouped(known)}"]
    if cards > len(known):
        holds = " ".join(snapshot["asked"][p]) or "-"
        none = " ".join(genus for genus, most in zip(GENERA, snapshot["maybe"][p], strict=True) if most == 0) or "-"
        lines.append(f"     among the other {cards - len(known)}, some: {holds}; none: {none}")
    return lines
