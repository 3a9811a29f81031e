"""A position of Diggity as text: what everybody can see of it, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.diggity import components as box
from dig_envs.text.views import mark_of, result_of, size_of

UNIT = 2  # of the table, for each character: all centres and half extents fit
PASSAGE = "|-|-"  # by side
Canvas = dict[tuple[int, int], str]


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    A card of the mine is a frame with its symbol in the middle and lines to its passages, 5 characters wide and 7 high or the other
    way round. ``<`` marks the player who is asked, ``*`` the leader of an auction. Hands are not shown, of hidden tools how many.
    """
    lines = [title(snapshot), ""]
    if snapshot["mine"]:
        lines += [*_mine(snapshot["mine"]), ""]
    lines += [_seat(snapshot, p) for p in range(len(snapshot["scores"]))]
    tools = ", ".join(f"{count} {kind}" for kind, count in snapshot["piles"].items())
    counts = f"Draw pile: {size_of(snapshot['pile'])}, discarded: {len(snapshot['discard'])}, gold: {size_of(snapshot['gold'])}"
    return "\n".join([*lines, "", f"Tool piles: {tools}", counts])


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, whose it is and what is asked; or how the game ended."""
    turn, phase, player = f"Turn {snapshot['turn']}", snapshot["phase"], f"P{snapshot['player']}"
    if phase == "over":
        return f"{turn}. {result_of(snapshot)}"
    if phase == "place":
        return f"{turn}: {player} places {snapshot['chosen']}"
    if phase == "take":
        return f"{turn}: {player} takes {' or '.join(snapshot['choices'])}"
    if phase == "steal":
        return f"{turn}: {player} steals a {snapshot['steal']['kind']}"
    if phase == "auction":
        auction = snapshot["auction"]
        return f"{turn}: {player} has found {auction['value']} nuggets; the highest rank played is {auction['rank']}"
    return f"{turn}: {player} plays a card" + (f" after {snapshot['passes']} passes" if snapshot["passes"] else "")


def _seat(snapshot: Mapping[str, Any], p: int) -> str:
    leads = "*" if snapshot["auction"] and snapshot["auction"]["leader"] == p else " "
    won = "+".join(map(str, snapshot["nuggets"][p])) or "nothing yet"
    return f"{leads}P{p} {snapshot['scores'][p]:>2} nuggets ({won}), tools: {_tools(snapshot, p)}{mark_of(snapshot, p)}"


def _tools(snapshot: Mapping[str, Any], p: int) -> str:
    """The tools that everybody can see, and how many others there are; the drawing knows no seat."""
    held, revealed = snapshot["tools"][p], snapshot["revealed"]
    seen = held
    if snapshot["options"]["hidden_tools"] and snapshot["phase"] != "over":
        seen = [tool for tool in held if revealed and tool == revealed["kind"]]
    hidden = len(held) - len(seen)
    return ", ".join([*seen, *([f"{hidden} hidden"] if hidden else [])]) or "none"


# ---------------------------------------------------------------- the mine


def _mine(cards: list[Mapping[str, Any]]) -> list[str]:
    canvas: Canvas = {}
    for place, card in enumerate(cards):
        _card(canvas, card, newest=place == len(cards) - 1)
    columns, rows = [x for x, _ in canvas], [y for _, y in canvas]
    across = range(min(columns), max(columns) + 1)
    return ["".join(canvas.get((x, y), " ") for x in across).rstrip() for y in range(min(rows), max(rows) + 1)]


def _card(canvas: Canvas, card: Mapping[str, Any], newest: bool) -> None:
    """A card in characters; the newest has corners of its own."""
    code, r = box.CODES.index(card["card"]), int(card["r"])
    half_x, half_y = int(box.HALF_X[r]) // UNIT, int(box.HALF_Y[r]) // UNIT
    x, y = int(card["x"]) // UNIT, int(card["y"]) // UNIT
    for dy in range(-half_y, half_y + 1):
        for dx in range(-half_x, half_x + 1):
            corner = abs(dx) == half_x and abs(dy) == half_y
            frame = "-" if abs(dy) == half_y else "|" if abs(dx) == half_x else " "
            canvas[x + dx, y + dy] = ("o" if newest else "+") if corner else frame
    for side in range(box.NUM_SIDES):
        if int(box.TURNED[box.PASSAGES[code], r]) >> side & 1:
            _passage(canvas, x, y, side, half_x if side & 1 else half_y)
    canvas[x, y] = box.SYMBOLS[box.SYMBOL[code]]


def _passage(canvas: Canvas, x: int, y: int, side: int, length: int) -> None:
    for step in range(1, length + 1):
        canvas[x + int(box.DX[side]) * step, y + int(box.DY[side]) * step] = PASSAGE[side] if step < length else "#"
