"""A position of Fossil Memory as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.fossil_memory import components as box
from dig_envs.text.views import mark_of, result_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    ``[TRI2]`` was flipped in this turn, ``(TRI2)`` is in sight from the turn before, ``TRI2`` was seen earlier (with perfect
    recall), ``?`` lies face down, ``-`` has been taken; ``<`` marks the player who flips.
    """
    lines = [title(snapshot), ""]
    for row in range(box.ROWS):
        places = range(row * box.COLUMNS, (row + 1) * box.COLUMNS)
        lines.append("".join(f"{_place(snapshot, place):^8}" for place in places).rstrip())
    lines.append("")
    for p, museum in enumerate(snapshot["museums"]):
        lines.append(f"P{p} {snapshot['scores'][p]:>3} points: {' '.join(museum) or 'nothing yet'}{mark_of(snapshot, p)}")
    taken = [genus for museum in snapshot["museums"] for genus in museum]
    left = [genus for genus in snapshot["genera"] if genus not in taken]
    return "\n".join([*lines, f"On the grid: {' '.join(left) or 'nothing'}"])


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn and whose it is; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    return f"Turn {snapshot['turn']} of P{snapshot['to_move']}"


def _place(snapshot: Mapping[str, Any], place: int) -> str:
    card, name = snapshot["grid"][place], box.PLACES[place]
    if card == "":
        return "-"
    if name in snapshot["up"]:
        return f"[{card}]"
    if name in snapshot["shown"]:
        return f"({card})"
    return str(card) if snapshot["seen"] is not None and snapshot["seen"][place] else "?"
