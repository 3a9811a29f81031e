"""A position of Twenty Questions as text: what everybody can see of it, from a snapshot or from a view."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end; the card in play is not shown."""
    lines = [title(snapshot), ""]
    for p, cards in enumerate(snapshot["taken"]):
        lines.append(f"P{p}: {snapshot['left'][p]:>2} questions left, {len(cards)} cards: {_grouped(cards)}{_role(snapshot, p)}")
    deck = snapshot["deck"] if isinstance(snapshot["deck"], int) else len(snapshot["deck"])
    lines += ["", f"Deck: {deck} cards. Discarded: {_grouped(snapshot['discards'])}"]
    if snapshot["asked"]:
        said = (f"{text.removeprefix('ask ')}: {'yes' if yes else 'no'}" for text, yes in snapshot["asked"])
        lines.append(f"About this card: {', '.join(said)}")
    return "\n".join(lines)


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, who asks and who answers; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. The game is over: {' and '.join(f'P{p}' for p in snapshot['winners'])} won"
    return f"Turn {snapshot['turn']}: P{snapshot['to_move']} asks, P{snapshot['answerer']} answers"


def _role(snapshot: Mapping[str, Any], p: int) -> str:
    return " <" if p == snapshot["to_move"] else ""


def _grouped(cards: Sequence[str]) -> str:
    """Cards of a genus together: TYR COE*3."""
    return " ".join(genus if count == 1 else f"{genus}*{count}" for genus, count in Counter(cards).items()) or "-"
