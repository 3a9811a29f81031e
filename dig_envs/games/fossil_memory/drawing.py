"""A position of Fossil Memory as text, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.fossil_memory import components as box
from dig_envs.text.views import mark_of, result_of, seat_name


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end.

    ``[TRI2]`` was flipped in this turn, ``(TRI2)`` is in sight from the turn before, ``TRI2`` lies
    face down and the view has it nevertheless, ``TRI2?`` has not been seen by anybody yet, ``?`` is
    not in the view, ``-`` has been taken; ``<`` marks the player who flips. Places are written
    row,column.
    """
    lines = [title(snapshot), ""]
    for row in range(box.ROWS):
        places = range(row * box.COLUMNS, (row + 1) * box.COLUMNS)
        lines.append("".join(f"{_place(snapshot, place):^8}" for place in places).rstrip())
    lines.append("")
    for words, key in (("Flipped in this turn", "up"), ("In sight from the turn before", "shown")):
        if snapshot[key]:
            lines.append(f"{words}: {_places(snapshot[key])}")
    for p, museum in enumerate(snapshot["museums"]):
        mark = mark_of(snapshot, p)
        lines.append(
            f"{seat_name(p)} {snapshot['scores'][p]:>3} points: "
            f"{' '.join(museum) or 'nothing yet'}{mark}"
        )
        if snapshot["recent"] is not None:
            lines.append(
                f"     turned up since the last decision: {_places(snapshot['recent'][p])}"
            )
    taken = [genus for museum in snapshot["museums"] for genus in museum]
    left = [genus for genus in snapshot["genera"] if genus not in taken]
    lines.append(f"On the grid: {' '.join(left) or 'nothing'}")
    if snapshot["seen"] is not None:
        lines.append(f"Cards not seen yet: {snapshot['seen'].count(False)}")
    return "\n".join(lines)


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn and whose it is; or how the game ended."""
    if snapshot["phase"] == "over":
        return f"Turn {snapshot['turn']}. {result_of(snapshot)}"
    return f"Turn {snapshot['turn']} of {seat_name(snapshot['to_move'])}"


def _places(places: list[str]) -> str:
    return " ".join(places) or "-"


def _place(snapshot: Mapping[str, Any], place: int) -> str:
    card, name = snapshot["grid"][place], box.PLACES[place]
    if card == "":
        return "-"
    if card is None:
        return "?"
    if name in snapshot["up"]:
        return f"[{card}]"
    if name in snapshot["shown"]:
        return f"({card})"
    return str(card) if snapshot["seen"] is None or snapshot["seen"][place] else f"{card}?"
