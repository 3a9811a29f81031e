"""A position of Twenty Questions as text: what everybody can see of it, from a snapshot or from a view."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.text.views import mark_of, result_of, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end; the card in play is not shown."""
    lines = [title(snapshot), ""]
    for p, cards in enumerate(snapshot["taken"]):
        lines.append(f"P{p}: {snapshot['left'][p]:>2} questions left, {len(cards)} cards: {_grouped(cards)}{mark_of(snapshot, p)}")
    lines += ["", f"Deck: {size_of(snapshot['deck'])} cards. Discarded: {_grouped(snapshot['discards'])}"]
    if snapshot["asked"]:
        said = (f"{text.removeprefix('ask ')}: {'yes' if yes else 'no'}" for text, yes in snapshot["asked"])
        lines.append(f"About this card: {', '.join(said)}")
    return "\n".join(lines)


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, who asks and who answers; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    return f"Turn {snapshot['turn']}: P{snapshot['to_move']} asks, P{snapshot['answerer']} answers"


def _grouped(cards: Sequence[str]) -> str:
    """Cards of a genus together: TYR COE*3."""
    return " ".join(genus if count == 1 else f"{genus}*{count}" for genus, count in Counter(cards).items()) or "-"
