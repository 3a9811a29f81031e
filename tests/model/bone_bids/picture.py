"""The picture of a view of Bone Bids: the bone and the cards that are out above, a line for each
player below."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from dig_envs.pictures.parts import (
    CARD,
    HEADER,
    MARGIN,
    About,
    back,
    card,
    panel,
    plural,
    row,
    stack,
)
from dig_envs.pictures.seats import marked_name, said, seat_name, token
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import result_of, size_of
from tests.model.bone_bids import components as box

View = Mapping[str, Any]

TABLE, SEAT = 120.0, 104.0  # height of what lies on the table, and of a player's line
HAND, BID = 230.0, 780.0  # where a hand and a bid begin
ROOM = 500.0  # width of a hand


def height(options: View) -> int:
    """The height of the picture in pixels, which depends on the options only."""
    return int(HEADER + TABLE + options["num_players"] * SEAT + MARGIN)


def headline(view: View) -> str:
    """Return the header's line: what is going on."""
    return (
        result_of(view)
        if view["phase"] == "over"
        else f"Round {view['turn']}: all bid for a bone worth {view['worth']}"
    )


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    panel(sheet, MARGIN, HEADER, sheet.width - 2 * MARGIN, TABLE - 8)
    with sheet.thing("bone", f"Bone worth {view['worth']}" if view["worth"] else "No bone"):
        sheet.disc(MARGIN + 60, HEADER + 54, 34, fill="orange", line="line")
        sheet.text(
            MARGIN + 60,
            HEADER + 64,
            str(view["worth"] or "–"),
            28,
            "on_hue",
            anchor="middle",
            bold=True,
        )
    cards, out = size_of(view["pile"]), Counter[str](view["out"])
    stack(sheet, "pile", f"Pile: {plural(cards, 'card')}, face down", 130, HEADER + 18, cards)
    for place, name in enumerate(box.CARDS):
        with sheet.thing(f"out:{name}", f"{name}: {out[name]} of {box.COPIES[place]} out"):
            _face(sheet, HAND + place * 80, HEADER + 18, name)
            sheet.text(
                HAND + place * 80 + CARD[0] / 2,
                HEADER + 108,
                f"{out[name]} out",
                11,
                "muted",
                anchor="middle",
            )
    for p in range(len(view["scores"])):
        _player(sheet, view, p, viewer, HEADER + TABLE + p * SEAT)


def _player(sheet: Sheet, view: View, p: int, viewer: int | None, y: float) -> None:
    """Draw the name and points, the hand and the bid of a player."""
    hand, points = view["hands"][p], plural(view["scores"][p], "point")
    sheet.box(
        MARGIN,
        y,
        sheet.width - 2 * MARGIN,
        SEAT - 8,
        "surface",
        "mark" if p == view["to_move"] else None,
        8,
        2,
    )
    with sheet.thing(
        f"seat:{p}", f"{seat_name(p, viewer)}; {points}; {plural(size_of(hand), 'card')} in hand"
    ):
        token(sheet, MARGIN + 24, y + 36, p, str(p))
        sheet.text(MARGIN + 46, y + 34, marked_name(view, p, viewer), 14, bold=True)
        sheet.text(MARGIN + 46, y + 54, points, 12)
    if isinstance(hand, int):  # the length of a hidden list
        for x in row(hand, ROOM):
            back(sheet, HAND + x, y + 10)
    else:
        held = Counter[str](hand)
        for x, name in zip(row(len(held), ROOM), held, strict=True):
            with sheet.thing(
                f"hand:{p}:{name}", f"{seat_name(p, viewer)}: {plural(held[name], 'card')} {name}"
            ):
                _face(sheet, HAND + x, y + 10, name, held[name])
    if view["pending"][p] is not None:
        name = view["pending"][p]
        sheet.text(BID - 12, y + 52, "bid", 12, "muted", anchor="end")
        title = said("{seat's} bid", p, viewer) + f": {name}"
        card(sheet, f"bid:{p}", title, BID, y + 10, face=lambda x, y, *_: _face(sheet, x, y, name))


def _face(sheet: Sheet, x: float, y: float, name: str, copies: int = 1) -> None:
    """Draw the face of a card, and how many of them there are where it is several."""
    sheet.box(x, y, *CARD, line="line", corner=5)
    sheet.text(x + CARD[0] / 2, y + 48, name, 28, anchor="middle", bold=True)
    if copies > 1:
        sheet.text(x + CARD[0] - 5, y + 70, f"×{copies}", 11, "muted", anchor="end")


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The thing that an action of a seat belongs to: the card in its hand."""
    return (f"hand:{seat}:{words[1]}",)


ABOUT: About = {
    "found": ("bone",),
    "won": ("bone",),
    "bid": ("hand:{seat}:{card}", "bid:{seat}"),
    "revealed": ("bid:{seat}", "out:{card}"),
}
