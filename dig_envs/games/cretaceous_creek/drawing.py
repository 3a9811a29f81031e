"""A position of Cretaceous Creek as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.cretaceous_creek import components as box
from dig_envs.text.views import mark_of, size_of

CELL = 13
MARK = {"exposed": " ", "endangered": "!"}
CAMP_NAMES = {box.SPACES[camp] for camp in box.CAMPS}


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    In the grid ``?`` is a face-down fossil, ``!`` marks an endangered one, ``~`` water, ``*`` a camp and ``P0`` … the
    paleontologists.
    """
    lines = [_title(snapshot), ""]
    for row in range(0, len(box.SPACES), box.COLUMNS):
        lines += _row(snapshot, box.SPACES[row : row + box.COLUMNS])
    lines += ["", *_seats(snapshot), "", *_storm(snapshot)]
    return "\n".join(lines)


def _title(snapshot: Mapping[str, Any]) -> str:
    missing = [genus for genus in box.GENERA if genus not in snapshot["museum"]]
    museum = " ".join(snapshot["museum"]) or "empty"
    title = f"Turn {snapshot['turn']}, Storm Phase {snapshot['storm']} period {snapshot['period']}. Museum: {museum}"
    return f"{title}; missing: {' '.join(missing) or 'nothing'}"


def _row(snapshot: Mapping[str, Any], spaces: tuple[str, ...]) -> list[str]:
    heads = [space + ("*" if space in CAMP_NAMES else " ") + ("~" if space in snapshot["flooded"] else " ") for space in spaces]
    fossils = [_fossils(snapshot, space) for space in spaces]
    people = [" ".join(f"P{p}" for p, place in enumerate(snapshot["pos"]) if place == space) for space in spaces]
    border = "+" + "+".join("-" * CELL for _ in spaces) + "+"
    cells = ["|" + "|".join(f" {text:<{CELL - 1}}" for text in texts) + "|" for texts in (heads, fossils, people)]
    return [border, *cells] + ([border] if spaces[-1] == box.SPACES[-1] else [])


def _fossils(snapshot: Mapping[str, Any], space: str) -> str:
    """The pile, bottom first: face-down fossils are shown as ``?`` even where the snapshot knows them."""
    pile, top = snapshot["grid"][space], snapshot["top"][space]
    if not pile:
        return "-"
    if top == "buried":
        return " ".join("?" * len(pile))
    return " ".join(["?"] * (len(pile) - 1) + [f"{pile[-1]}{MARK[top]}".strip()])


def _seats(snapshot: Mapping[str, Any]) -> list[str]:
    lines = []
    for p, place in enumerate(snapshot["pos"]):
        where = "evacuated" if snapshot["evacuated"][p] else place or "no camp yet"
        turn = f", {snapshot['ap']} AP" if p == snapshot["player"] and snapshot["phase"] == "act" else ""
        lines.append(f"P{p} at {where}{turn}: {' '.join(snapshot['storage'][p]) or 'nothing stored'}{mark_of(snapshot, p)}")
    if snapshot["swap"]:
        lines.append(f"Swap open: {snapshot['swap']['gives']} goes to P{snapshot['swap']['partner']}")
    if snapshot["phase"] == "over":
        lines.append(f"The game is over: {snapshot['ended']}")
    return lines


def _storm(snapshot: Mapping[str, Any]) -> list[str]:
    stacks = " | ".join(" ".join(stack) for stack in snapshot["stacks"]) or "none"
    lines = [f"Erosion deck: {size_of(snapshot['deck'])} cards. Stacks: {stacks}"]
    if snapshot["revealed"]:
        lines.append(f"Revealed: {' '.join(snapshot['revealed'])}")
    lines.append(f"Out of the game: {' '.join(snapshot['out']) or 'nothing'}")
    return lines
