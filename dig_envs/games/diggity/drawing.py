"""A position of Diggity as text, from a snapshot or from a view."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.core.words import counted, enumeration
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity.passages import open_passages, passages_of
from dig_envs.text.views import mark_of, result_of, seat_name, size_of

UNIT = 2  # of the table, for each character: all centres and half extents fit
PASSAGE = "|-|-"  # by side
LEGEND = (
    "A card has its number in a corner, an open passage its number at its end, from 1 on (the "
    "actions count passages from 0); x: blocked, #: connected."
)
Canvas = dict[tuple[int, int], str]


def draw(snapshot: Mapping[str, Any]) -> str:
    """The position as text, without a line break at the end.

    A card of the mine is a frame with its symbol in the middle and lines to its passages, 5
    characters wide and 7 high or the other way round; the newest has corners of its own. ``<``
    marks the player who is asked, ``*`` the leader of an auction. Hands and tools are shown where
    the view has them, and how many are hidden.
    """
    lines = [title(snapshot), ""]
    if snapshot["mine"]:
        lines += [*_mine(snapshot["mine"]), "", LEGEND, ""]
    for p in range(len(snapshot["scores"])):
        lines += _seat(snapshot, p)
    tools = ", ".join(f"{count} {kind}" for kind, count in snapshot["piles"].items())
    gold, aside = (counted(size_of(snapshot[key]), "card") for key in ("gold", "gold_aside"))
    return "\n".join(
        [
            *lines,
            "",
            *_asked(snapshot),
            f"Tool piles: {tools}",
            f"Gold deck: {gold}, set aside unseen: {aside}",
            (
                f"Draw pile: {counted(size_of(snapshot['pile']), 'card')}, discarded: "
                f"{_grouped(snapshot['discard'])}"
            ),
        ]
    )


def title(snapshot: Mapping[str, Any]) -> str:
    """The turn, whose it is and what is asked; or how the game ended."""
    turn, phase, player = (
        f"Turn {snapshot['turn']}",
        snapshot["phase"],
        seat_name(snapshot["player"]),
    )
    if phase == "over":
        return f"{turn}. {result_of(snapshot)}"
    if phase == "place":
        return f"{turn}: {player} places a {name_of(snapshot['chosen'])}"
    if phase == "take":
        return f"{turn}: {player} chooses what to make"
    if phase == "steal":
        return f"{turn}: {player} steals a tool"
    if phase == "auction":
        return f"{turn}: {player} has found gold"
    passes = snapshot["passes"]
    return f"{turn}: {player} plays a card" + (
        f" after {counted(passes, 'pass/passes')}" if passes else ""
    )


def name_of(code: str) -> str:
    """A card in plain English."""
    return box.CARD_NAMES[box.CODES.index(code)]


def _asked(snapshot: Mapping[str, Any]) -> list[str]:
    """Lines about the question and about the open tools."""
    chosen, choices, steal, auction, revealed = (
        snapshot[key] for key in ("chosen", "choices", "steal", "auction", "revealed")
    )
    lines = []
    if chosen is not None:
        lines.append(f"Card to be laid: {name_of(chosen)} ({chosen})")
    if choices:
        lines.append(f"To choose from: {enumeration(choices)}")
    if steal is not None:
        lines.append(
            f"To be stolen: {steal['kind']}, from {' or '.join(map(seat_name, steal['from']))}"
        )
    if auction is not None:
        rank = auction["rank"]
        played = f"highest tool played: {box.TOOLS[rank - 1]}" if rank else "no tool played"
        worth = counted(auction["value"], "nugget")
        lines.append(
            f"Auction of {worth}: {seat_name(auction['leader'])} leads; {played}, next: "
            f"{box.TOOLS[rank]}"
        )
    if revealed is not None:
        lines.append(
            f"Every {revealed['kind']} lies open until the next turn of "
            f"{seat_name(revealed['thief'])}"
        )
    return lines


def _grouped(cards: Sequence[str]) -> str:
    """The number of cards, and the cards, in words."""
    each = ", ".join(f"{count} {code}" for code, count in Counter(cards).items())
    return counted(len(cards), "card") + (f" ({each})" if each else "")


def _seat(snapshot: Mapping[str, Any], p: int) -> list[str]:
    leads = "*" if snapshot["auction"] and snapshot["auction"]["leader"] == p else " "
    nuggets, won = (
        counted(snapshot["scores"][p], "nugget"),
        "+".join(map(str, snapshot["nuggets"][p])) or "no gold cards",
    )
    hand, tools = snapshot["hands"][p], _tools(snapshot["tools"][p])
    cards = counted(size_of(hand), "card")
    lines = [
        f"{leads}{seat_name(p)}: {nuggets} ({won}); tools: {tools}; {cards}{mark_of(snapshot, p)}"
    ]
    if isinstance(hand, list):
        lines += [f"     card {place}: {name_of(code)} ({code})" for place, code in enumerate(hand)]
    return lines


def _tools(held: Sequence[str | None]) -> str:
    """The tools that are seen, and how many others there are."""
    seen = [tool for tool in held if tool is not None]
    hidden = len(held) - len(seen)
    return ", ".join([*seen, *([f"{hidden} hidden"] if hidden else [])]) or "none"


# ---------------------------------------------------------------- the mine


def _mine(cards: Sequence[Mapping[str, Any]]) -> list[str]:
    canvas: Canvas = {}
    for place, card in enumerate(cards):
        _card(canvas, card, place + 1, newest=place == len(cards) - 1)
    passages = passages_of(cards)
    numbers = {passage: number + 1 for number, passage in enumerate(open_passages(passages))}
    for passage in passages:
        mark = "#" if passage.fits is None else str(numbers.get(passage, "x"))
        _passage(canvas, cards[passage.card], passage.side, mark)
    columns, rows = [x for x, _ in canvas], [y for _, y in canvas]
    across = range(min(columns), max(columns) + 1)
    return [
        "".join(canvas.get((x, y), " ") for x in across).rstrip()
        for y in range(min(rows), max(rows) + 1)
    ]


def _half_extents(card: Mapping[str, Any]) -> tuple[int, int]:
    """Half the width and half the height of a card, in characters."""
    return int(box.HALF_X[card["r"]]) // UNIT, int(box.HALF_Y[card["r"]]) // UNIT


def _card(canvas: Canvas, card: Mapping[str, Any], number: int, newest: bool) -> None:
    """A card in characters, without its passages."""
    (half_x, half_y), x, y = _half_extents(card), int(card["x"]) // UNIT, int(card["y"]) // UNIT
    for dy in range(-half_y, half_y + 1):
        for dx in range(-half_x, half_x + 1):
            corner = abs(dx) == half_x and abs(dy) == half_y
            frame = "-" if abs(dy) == half_y else "|" if abs(dx) == half_x else " "
            canvas[x + dx, y + dy] = ("o" if newest else "+") if corner else frame
    canvas[x, y] = card["card"][0]
    _write(canvas, x - half_x, y - half_y, str(number))


def _passage(canvas: Canvas, card: Mapping[str, Any], side: int, mark: str) -> None:
    """A line from the middle of a card to its edge, where the mark is."""
    (half_x, half_y), x, y = _half_extents(card), int(card["x"]) // UNIT, int(card["y"]) // UNIT
    dx, dy = int(box.DX[side]), int(box.DY[side])
    for step in range(1, half_x if dx else half_y):
        canvas[x + dx * step, y + dy * step] = PASSAGE[side]
    _write(canvas, x + dx * half_x - (len(mark) - 1 if dx > 0 else 0), y + dy * half_y, mark)


def _write(canvas: Canvas, x: int, y: int, text: str) -> None:
    for place, char in enumerate(text):
        canvas[x + place, y] = char
