"""A position of Twenty Questions as text, from a snapshot or from a view."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from dig_envs.text.views import mark_of, result_of, seat_name, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end; the card in play is named where the
    view has it."""
    lines = [title(snapshot), ""]
    for p, cards in enumerate(snapshot["taken"]):
        left, score = snapshot["left"][p], snapshot["scores"][p]
        lines.append(
            f"{seat_name(p)}: {left:>2} questions left, {score} cards: "
            f"{_in_order(cards)}{mark_of(snapshot, p)}"
        )
    lines += [
        "",
        f"Deck: {size_of(snapshot['deck'])} cards. Discarded: {_in_order(snapshot['discards'])}",
    ]
    if snapshot["card"] is not None:
        lines.append(f"The card in play: {snapshot['card']}")
    if snapshot["asked"]:
        said = (
            f"{text.removeprefix('ask ')}: {'yes' if yes else 'no'}"
            for text, yes in snapshot["asked"]
        )
        lines.append(f"About this card: {', '.join(said)}")
    return "\n".join(lines)


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, who asks and who answers; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    return (
        f"Turn {snapshot['turn']}: {seat_name(snapshot['to_move'])} asks, "
        f"{seat_name(snapshot['answerer'])} answers"
    )


def _in_order(cards: Sequence[str]) -> str:
    """Cards in their order, those of a genus that follow each other together: TYR COE*3 TYR."""
    runs = ((genus, len(list(run))) for genus, run in groupby(cards))
    return " ".join(genus if count == 1 else f"{genus}*{count}" for genus, count in runs) or "-"
