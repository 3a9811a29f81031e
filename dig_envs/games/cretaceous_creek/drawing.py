"""A position of Cretaceous Creek as text, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.cretaceous_creek import components as box
from dig_envs.text.views import mark_of, result_of, seat_name, size_of

CELL = 16
# How the top fossil of a space is shown.
TOP = {None: "-", "buried": "({})", "exposed": "{}", "endangered": "{}!"}
CAMP_NAMES = {box.SPACES[camp] for camp in box.CAMPS}


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end.

    In the grid a fossil in brackets is face down (``?``: unknown), ``!`` marks an endangered one,
    ``~`` water, ``*`` a camp. ``<`` marks the player who is asked.
    """
    lines = [title(snapshot), _museum(snapshot), ""]
    for row in range(0, len(box.SPACES), box.COLUMNS):
        lines += _row(snapshot, box.SPACES[row : row + box.COLUMNS])
    lines += ["", *_seats(snapshot), "", *_storm(snapshot)]
    return "\n".join(lines)


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, the phase and the action points left; or how the game ended."""
    turn = f"Turn {snapshot['turn']} of {seat_name(snapshot['player'])}"
    if snapshot["phase"] == "over":
        return f"{turn}. {result_of(snapshot)}"
    return f"{turn}: {snapshot['phase']}, {snapshot['ap']} AP left"


def _museum(snapshot: Mapping[str, Any]) -> str:
    missing = [genus for genus in box.GENERA if genus not in snapshot["museum"]]
    return (
        f"Museum: {' '.join(snapshot['museum']) or 'empty'}; missing: "
        f"{' '.join(missing) or 'nothing'}"
    )


def _row(snapshot: Mapping[str, Any], spaces: tuple[str, ...]) -> list[str]:
    heads = [
        space
        + ("*" if space in CAMP_NAMES else " ")
        + ("~" if space in snapshot["flooded"] else " ")
        for space in spaces
    ]
    fossils = [_fossils(snapshot, space) for space in spaces]
    people = [
        _people([p for p, place in enumerate(snapshot["pos"]) if place == space])
        for space in spaces
    ]
    border = "+" + "+".join("-" * CELL for _ in spaces) + "+"
    cells = [
        "|" + "|".join(f" {text:<{CELL - 1}}" for text in texts) + "|"
        for texts in (heads, fossils, people)
    ]
    return [border, *cells] + ([border] if spaces[-1] == box.SPACES[-1] else [])


def _fossils(snapshot: Mapping[str, Any], space: str) -> str:
    """The pile, bottom first."""
    pile = [fossil or "?" for fossil in snapshot["grid"][space]]
    below = [f"({fossil})" for fossil in pile[:-1]]
    return " ".join([*below, TOP[snapshot["top"][space]].format(*pile[-1:])])


def _people(seats: list[int]) -> str:
    """The players on a space, in a text that fits a cell."""
    if len(seats) < 2:
        return "".join(map(seat_name, seats))
    return f"Players {' '.join(str(p + 1) for p in seats)}"


def _seats(snapshot: Mapping[str, Any]) -> list[str]:
    lines = []
    for p, place in enumerate(snapshot["pos"]):
        where = (
            "evacuated" if snapshot["evacuated"][p] else f"at {place}" if place else "no camp yet"
        )
        escapes = ", must escape" if p in snapshot["displaced"] else ""
        stored = " ".join(snapshot["storage"][p]) or "nothing stored"
        lines.append(f"{seat_name(p)}, {where}{escapes}: {stored}{mark_of(snapshot, p)}")
    if snapshot["swap"]:
        lines.append(
            f"Exchange: {snapshot['swap']['gives']} goes to "
            f"{seat_name(snapshot['swap']['partner'])}"
        )
    return lines


def _storm(snapshot: Mapping[str, Any]) -> list[str]:
    stacks = " | ".join(" ".join(stack) for stack in snapshot["stacks"]) or "-"
    lines = [
        f"Storm Phase {snapshot['storm']}, period {snapshot['period']}. "
        f"Erosion deck: {size_of(snapshot['deck'])} cards, {size_of(snapshot['aside'])} set "
        f"aside. Stacks: {stacks}"
    ]
    for key, words in (
        ("revealed", "Revealed"),
        ("used", "Used"),
        ("sandbagged", "Out of the game by sandbags"),
    ):
        if snapshot[key]:
            lines.append(f"{words}: {' '.join(snapshot[key])}")
    lines.append(f"Fossils out of the game: {' '.join(snapshot['out']) or '-'}")
    return lines
