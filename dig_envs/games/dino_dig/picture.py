"""The picture of a view of Dino Dig: the dig site with its stacks and pieces; beside it the card in
hand and the players."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import fill, names_now
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig.drawing import title as headline
from dig_envs.pictures.fonts import width_of
from dig_envs.pictures.legend import Sign, plate
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    footprint,
    panel,
    plural,
    stack,
)
from dig_envs.pictures.seats import (
    SEAT_HUES,
    in_sentence,
    marked_name,
    said,
    seat_name,
    seat_panel,
    standing,
    token,
)
from dig_envs.pictures.sheet import COLUMN, Sheet
from dig_envs.text.views import size_of

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

SITE = 604.0  # width of the dig site's panel
SIDE = 312.0  # width of what stands beside it
HEAD = 32.0  # height of the site's heading
STRIP = 96.0  # height of the panel for the card in hand
GAP = 8.0
CELL = 90.0  # height of a square in a column
LEAST_SEAT = 132.0  # height of a player's panel with its gap, at least

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
GOAL = 32.0  # height of what a player is still to do, where there is room for it
SUIT_NAMES = dict(zip(box.SUITS, box.SUIT_NAMES, strict=True))
SUIT_SIGNS = {"H": "♥", "D": "♦", "S": "♠", "C": "♣", "X": "★"}
SUIT_HUES = {"H": "red", "D": "yellow", "S": "blue", "C": "green", "X": "purple"}
STEPS = dict(zip(box.DIRECTIONS, box.STEPS, strict=True))


def height(options: View) -> int:
    return int(HEADER + _body(options) + 10)


def _body(options: View) -> float:
    """The height of what is below the header."""
    return float(
        max(
            616 if options["new_horizons"] else 568,
            STRIP + GAP + options["num_players"] * LEAST_SEAT,
        )
    )


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    grid = _grid(view)
    _site(sheet, view, viewer, grid, MARGIN, HEADER, SITE, _body(view["options"]))
    words = "the top card is at the right; small digits: the players who have seen it"
    sheet.text(MARGIN + 90, HEADER + 20, words, 11.5, "muted", room=SITE - 100)
    left, body, seats = MARGIN + SITE + 12, _body(view["options"]), len(view["scores"])
    _strip(sheet, view, viewer, left, HEADER)
    step = (body - STRIP) / seats
    for p in range(seats):
        _seat(sheet, view, p, viewer, left, HEADER + STRIP + GAP + p * step, step - GAP)
    for p in range(seats):
        _pieces(sheet, view, p, viewer, grid)


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: what is asked, the dig site, the players; return where
    it ends."""
    _strip(sheet, view, viewer, EDGE, y)
    y += STRIP + 6
    row, first, rows, columns = _extent(view)
    wide = min((INSIDE - 4) / columns, 90.0)
    grid = Grid(row, first, EDGE + 2 + (INSIDE - 4 - columns * wide) / 2, y + 28, wide, CELL)
    tall = 32 + rows * CELL
    _site(sheet, view, viewer, grid, EDGE, y, INSIDE, tall)
    y += tall + 6
    seats = len(view["scores"])
    for p in range(seats):
        _seat(sheet, view, p, viewer, EDGE, y, LEAST_SEAT - GAP + GOAL)
        y += LEAST_SEAT - 2 + GOAL
    for p in range(seats):
        _pieces(sheet, view, p, viewer, grid)
    return y - 6


def _side(sheet: Sheet) -> float:
    """The width of what stands beside the dig site; in a column, of what stands below it."""
    return SIDE if sheet.width > COLUMN else INSIDE


# ---------------------------------------------------------------- cards


def name_of(code: str) -> str:
    """A card in words: ``queen of hearts``."""
    return box.CARD_NAMES[box.CARDS.index(code)]


def _in_words(card: View, viewer: int | None) -> str:
    """A card as the viewer knows it, and who has seen it."""
    name = "unknown card" if card["card"] is None else name_of(card["card"])
    if card.get("up"):
        return f"{name}, face up"
    return (
        f"{name} (seen by {names_now().people(card['known'], viewer)})" if card["known"] else name
    )


def _whose(p: int, viewer: int | None, thing: str) -> str:
    """A thing of a player: ``Your museum``, ``Player 2's museum``."""
    return said("{seat's}", p, viewer) + f" {thing}"


def _all_in_words(cards: Sequence[View], viewer: int | None) -> str:
    return "; ".join(_in_words(card, viewer) for card in cards)


def _short(code: str) -> str:
    """A card in two or three signs: ``10♥``, ``X1``."""
    return code if code[0] == "X" else f"{'10' if code[0] == 'T' else code[0]}{SUIT_SIGNS[code[1]]}"


def _card(
    sheet: Sheet,
    card: View,
    seats: int,
    x: float,
    y: float,
    size: tuple[float, float],
    alone: bool = True,
    marked: bool = False,
) -> None:
    """A playing card: face up, face down with its face on the back for who knows it, or face down;
    not a thing by itself.

    At the bottom stand the numbers of the players who have seen it, unless it lies face up.
    ``alone``: none lies upon it.
    """
    (wide, high), code, up = size, card["card"], card.get("up", False)
    sheet.box(
        x,
        y,
        wide,
        high,
        "card" if up else "back",
        "mark" if marked else "line",
        4,
        2.5 if marked else 1,
    )
    if code is None:
        sheet.box(x + 3, y + 3, wide - 6, high - 6, None, "card", 2)
        if alone:
            footprint(sheet, x + wide / 2, y + high / 2, wide * 0.27)
    else:
        _face(sheet, code, x, y, wide, high, 1 if up else 3, alone)
    if card["known"] and not up:
        seen = "all" if len(card["known"]) == seats else "".join(str(p + 1) for p in card["known"])
        long = width_of(seen, 11.5)
        sheet.box(x + 1.5, y + high - 13.5, long + 3, 12, "card", "line", 2)
        sheet.text(x + 3, y + high - 4, seen, 11.5)


def _face(
    sheet: Sheet, code: str, x: float, y: float, wide: float, high: float, edge: float, alone: bool
) -> None:
    """Rank and the suit's sign on its hue at the left; of a card that nothing covers
    the suit larger at the right."""
    suit = "X" if code[0] == "X" else code[1]
    rank = code if suit == "X" else "10" if code[0] == "T" else code[0]
    column, letters = 17.0, 12.0 if high > 40 else 11.5
    if edge > 1:
        sheet.box(x + edge, y + edge, wide - 2 * edge, high - 2 * edge, "card", corner=2)
    hued = column if high > 40 or not alone else wide - 2 * edge
    sheet.box(x + edge, y + edge, hued, high - 2 * edge, SUIT_HUES[suit], corner=2)
    middle = x + edge + column / 2
    sheet.text(
        middle, y + edge + letters, rank, letters, "on_hue", anchor="middle", bold=True, room=column
    )
    sign, right = SUIT_SIGNS[suit], x + (edge + column + wide - edge) / 2
    if high > 40 or not alone:
        low = y + edge + 2 * letters - (1 if high > 40 else 4)
        sheet.text(middle, low, sign, letters - 1, "on_hue", "middle")
    if alone and high >= 50:
        sheet.text(right, y + high * 0.42 + 6, sign, 18, anchor="middle")
        sheet.text(right, y + high - edge - 4, code[1], 11.5, "muted", anchor="middle", bold=True)
    elif alone:
        sheet.text(x + wide - edge - 6, y + high * 0.62, sign, 12, "on_hue", "middle")


# ---------------------------------------------------------------- the dig site


def _extent(view: View) -> tuple[int, int, int, int]:
    """First row, first column, rows and columns that are drawn: while a site grows all that it may
    have."""
    if view["phase"] == "lay":
        return 1, 1, box.ROWS, box.COLUMNS
    rows, columns = zip(*(map(int, square.split(",")) for square in view["site"]), strict=True)
    return min(rows), min(columns), max(rows) - min(rows) + 1, max(columns) - min(columns) + 1


class Grid(NamedTuple):
    """The layout of the squares in the panel: the first row and column, where that square begins,
    width and height of each."""

    row: int
    column: int
    left: float
    top: float
    wide: float
    high: float

    def cell(self, square: str) -> tuple[float, float, float, float]:
        """The rectangle in which a square is drawn: x, y, width, height."""
        row, column = map(int, square.split(","))
        left = self.left + (column - self.column) * self.wide
        return left + 2, self.top + (row - self.row) * self.high + 2, self.wide - 4, self.high - 4

    @property
    def is_large(self) -> bool:
        """Whether large cards fit a square, above the pieces."""
        return self.wide > 104 and self.high > 108

    @property
    def most(self) -> int:
        """The largest stack of which all cards are shown, so that of a covered one rank and suit
        are seen."""
        return 5 if self.wide > 104 else 4 if self.wide > 92 else 3


def _grid(view: View) -> Grid:
    """The squares of a site, as large as they can be, in the middle of the panel."""
    row, column, rows, columns = _extent(view)
    across, down = SITE - 12, _body(view["options"]) - HEAD - 6
    wide, high = min(across / columns, 120.0), min(down / rows, 152.0)
    left, top = MARGIN + 6 + (across - columns * wide) / 2, HEADER + HEAD + (down - rows * high) / 2
    return Grid(row, column, left, top, wide, high)


def _site(
    sheet: Sheet,
    view: View,
    viewer: int | None,
    grid: Grid,
    x: float,
    y: float,
    width: float,
    high: float,
) -> None:
    panel(sheet, x, y, width, high, "Dig site")
    for square, cards in view["site"].items():
        _square(sheet, view, square, cards, viewer, grid)
    if view["phase"] == "lay":
        for square in sorted(_places_beside(view["site"])):
            x, y, wide, high = grid.cell(square)
            with sheet.thing(f"square:{square}", f"Empty place {square}: a card may be laid here"):
                sheet.box(x, y, wide, high, "surface", "muted", 5, dashed=True)
                sheet.text(x + 6, y + 13, square, 11.5, "muted")


def _places_beside(site: View) -> set[str]:
    """DD-5: the empty places within the table that are next to a square of the site."""
    found = {_beside(square, direction) for square in site for direction in box.DIRECTIONS}
    return {place for place in found if place in box.SQUARES and place not in site}


def _beside(square: str, direction: str) -> str:
    """The place in a direction, which may be outside the table."""
    row, column = map(int, square.split(","))
    down, right = STEPS[direction]
    return f"{row + down},{column + right}"


def _square(
    sheet: Sheet, view: View, square: str, cards: Sequence[View], viewer: int | None, grid: Grid
) -> None:
    """A square: how many cards, the upper ones of the stack, whose base is beside it."""
    x, y, wide, high = grid.cell(square)
    owner = next((p for p, base in enumerate(view["bases"]) if base == square), None)
    says = f"Square {square}: " + (
        f"{plural(len(cards), 'card')}, from the bottom {_all_in_words(cards, viewer)}"
        if cards
        else "no cards"
    )
    if owner is not None:
        says += "; " + fill("{seat's} base square", {}, {"seat": owner}, names_now(), viewer)
    with sheet.thing(f"square:{square}", says):
        sheet.box(x, y, wide, high, "page", "line" if cards else "grey", 5)
        at = x + 6 + sheet.text(x + 6, y + 13, square, 11.5, "muted") + 4
        if cards:
            at += sheet.text(at, y + 13, f"×{len(cards)}", 11.5, bold=True) + 4
        if owner is not None:
            _house(sheet, owner, x + wide - (20 if wide > 80 else 17), y + 2)
        count = len(cards) if len(cards) <= grid.most else min(grid.most - 1, 3)
        shown, below = cards[len(cards) - count :], cards[: len(cards) - count]
        large = grid.is_large
        _fan(
            sheet,
            shown,
            len(below),
            len(view["scores"]),
            x + 5,
            y + 19,
            wide - 10,
            (44.0, 62.0) if large else (28.0, 38.0),
        )
        codes = [_short(card["card"]) for card in below if card["card"] is not None]
        known = " ".join(codes if len(codes) <= 8 else ["…", *codes[-8:]])
        if known and large:
            sheet.lines(x + 6, y + 92, f"under: {known}", wide - 10, 11.5, leading=1.15, most=2)
        elif known and wide > 80:
            right = x + wide - (22 if owner is not None else 4)
            sheet.text(at, y + 13, f"↓ {known}", 11.5, room=right - at)


def _fan(
    sheet: Sheet,
    cards: Sequence[View],
    below: int,
    seats: int,
    x: float,
    y: float,
    room: float,
    size: tuple[float, float],
) -> None:
    """Draw the upper cards of a stack, the top one last and uncovered; before them the number of
    those below."""
    if below:
        sheet.box(x, y, 20, size[1], "card", "line", 4)
        sheet.text(
            x + 10, y + size[1] / 2 + 4, f"+{below}", 11.5, anchor="middle", bold=True, room=18
        )
        x, room = x + 22, room - 22
    step = min(size[0] + 3, (room - size[0]) / max(len(cards) - 1, 1))
    for place, card in enumerate(cards):
        _card(
            sheet,
            card,
            seats,
            x + place * step,
            y,
            size,
            alone=place == len(cards) - 1 or step > size[0],
        )


def _house(sheet: Sheet, p: int, x: float, y: float) -> None:
    """The sign of a home base: a house in the player's hue, with the number by which the player is
    called."""
    sheet.polygon(
        (x, y + 6),
        (x + 8, y),
        (x + 16, y + 6),
        (x + 16, y + 15),
        (x, y + 15),
        fill=SEAT_HUES[p],
        line="ink",
    )
    sheet.text(x + 8, y + 13.5, str(p + 1), 11.5, "on_hue", anchor="middle", bold=True)


# ---------------------------------------------------------------- the pieces


def _pieces(sheet: Sheet, view: View, p: int, viewer: int | None, grid: Grid) -> None:
    """A player's paleontologists on their squares; those at home are drawn in the player's
    panel."""
    for k, place in enumerate(view["pieces"][p]):
        if place != "home":
            x, y, wide, high = grid.cell(place)
            here = [
                (q, j)
                for q, some in enumerate(view["pieces"])
                for j, other in enumerate(some)
                if other == place
            ]
            radius = 11 if grid.is_large else 9
            across = min(len(here), 4 if grid.is_large else 3)  # then another row above
            step = min(2 * radius + 4, (wide - 2 * radius - 8) / max(across - 1, 1))
            order = here.index((p, k))
            _piece(
                sheet,
                view,
                p,
                k,
                viewer,
                x + radius + 4 + order % across * step,
                y + high - radius - 4 - order // across * 2 * radius,
                radius,
            )


def _piece(
    sheet: Sheet, view: View, p: int, k: int, viewer: int | None, x: float, y: float, radius: float
) -> None:
    """A paleontologist: a dot for a full backpack, hollow after acting, a ring around the one that
    has the card in hand."""
    place, card = view["pieces"][p][k], view["backpacks"][p][k]
    acted = view["player"] == p and view["acted"][k]
    handles = view["player"] == p and bool(view["chain"]) and view["chain"][-1] == k + 1
    says = _whose(
        p, viewer, f"piece {k + 1}, {'at home' if place == 'home' else 'on ' + place}, backpack "
    )
    says += "empty" if card is None else f"with a card: {_in_words(card, viewer)}"
    with sheet.thing(
        f"piece:{p}:{k + 1}", says + ", has acted" * acted + ", has the card in hand" * handles
    ):
        _figure(sheet, p, str(k + 1), x, y, radius, card is not None, acted, handles)


def _figure(
    sheet: Sheet,
    p: int,
    words: str,
    x: float,
    y: float,
    radius: float,
    full: bool,
    acted: bool,
    handles: bool,
) -> None:
    if handles:
        sheet.disc(x, y, radius + 4, None, "mark", 2.5)
    token(sheet, x, y, p, words, radius - 1, hollow=acted)
    top, brim = y - radius * 0.75, radius * 0.95  # the hat of a paleontologist
    hat = f"M{x - brim:.1f} {top:.1f}q{brim:.1f} {-brim / 3:.1f} {2 * brim:.1f} 0l{-brim / 2:.1f} "
    hat += f"{-brim / 5:.1f}q{-brim / 2:.1f} {-brim * 0.9:.1f} {-brim:.1f} 0z"
    sheet.path(hat, "grey" if acted else "brown", "ink", 0.9)
    if full:
        sheet.box(x + radius * 0.5, y - radius * 1.35, 7, 10, "back", "card", 1.5)


# ---------------------------------------------------------------- what is asked


def _strip(sheet: Sheet, view: View, viewer: int | None, x: float, y: float) -> None:
    """The things that the player to move deals with: card in hand, pieces that have not acted,
    contracts, supply."""
    phase, name = view["phase"], seat_name(view["player"], viewer)
    heading = {
        "lay": f"{name}: a card of the supply to lay",
        "base": f"{name}: a base square to choose",
        "contract": f"{name}: a suit to choose as contract",
        "act": f"{name}: pieces that have not acted",
        "card": f"{name}: the card in hand",
        "over": f"The game is over; last turn: {name}",
    }[phase]
    panel(sheet, x, y, _side(sheet), STRIP, heading)
    if phase == "contract":
        _contracts(sheet, view, viewer, x + 12, y + 34)
    elif phase == "act":
        _waiting(sheet, view, viewer, x + 12, y + 34)
    elif phase == "card":
        _hand(sheet, view, viewer, x + 12, y + 30)
    elif phase == "base":
        sheet.lines(
            x + 12,
            y + 46,
            "Your pieces begin there, and bring cards to its museum.",
            SIDE - 24,
            12,
            "muted",
        )
    elif phase == "over":
        sheet.lines(
            x + 12,
            y + 46,
            " ".join(_blocked(view, viewer)) or "The longest skeleton wins; its cards are framed.",
            SIDE - 24,
            12,
            "muted",
            most=4,
        )
    if size_of(view["supply"]):
        supply = view["supply"]
        count = size_of(supply)
        order = (
            ""
            if isinstance(supply, int)
            else ", from the top: " + ", ".join(map(name_of, reversed(supply)))
        )
        stack(
            sheet,
            "supply",
            f"Supply: {plural(count, 'card')}, face down{order}",
            x + 14,
            y + 34,
            count,
            (38, 52),
        )
        if not isinstance(supply, int):
            sheet.text(x + 70, y + 62, f"next: {_short(supply[-1])}", 12, "muted")


def _blocked(view: View, viewer: int | None) -> list[str]:
    """DD-25: for each player the card that would make the skeleton longer, but for another player's
    card beside it."""
    found = []
    for p, run in enumerate(view["runs"] if view["options"]["contract"] != "free_for_all" else ()):
        ends = (run["high"] + 1, run["high"] - len(run["cards"])) if run["cards"] else ()
        for card in view["museums"][p]:
            code = card["card"]
            if code[0] == "X" or code[1] == view["suits"][p] or _value(code) not in ends:
                continue
            for q, cards in enumerate(view["museums"]):
                for other in [*cards, *filter(None, view["backpacks"][q])]:
                    beside = other["card"][0] != "X" and other["card"][1] == code[1]
                    if q != p and beside and abs(_value(other["card"]) - _value(code)) == 1:
                        whose, by = _whose(p, viewer, _short(code)), in_sentence(q, viewer)
                        found.append(f"{whose} is blocked: {by} {'have' * (q == viewer) or 'has'} "
                                     f"{_short(other['card'])}.")  # fmt: skip
                        break
    return found


def _value(code: str) -> int:
    """The value of a card that is no joker, from 2; the ace is above the king."""
    return "23456789TJQKA".index(code[0]) + 2


def _contracts(sheet: Sheet, view: View, viewer: int | None, x: float, y: float) -> None:
    """DD-6, DD-7: the suits, and who has them as far as the viewer knows."""
    for place, (suit, name) in enumerate(SUIT_NAMES.items()):
        owners = [seat_name(p, viewer) for p, chosen in enumerate(view["suits"]) if chosen == suit]
        with sheet.thing(
            f"suit:{suit}",
            f"Contract {name}" + (f", chosen by {', '.join(owners)}" if owners else ""),
        ):
            at = x + 73 * place
            sheet.box(at, y, 68, 48, SUIT_HUES[suit], "line", 6)
            sheet.text(
                at + 34,
                y + 20,
                f"{SUIT_SIGNS[suit]} {suit}",
                16,
                "on_hue",
                anchor="middle",
                bold=True,
            )
            sheet.text(
                at + 34, y + 38, ", ".join(owners) or name, 11, "on_hue", anchor="middle", room=64
            )


def _waiting(sheet: Sheet, view: View, viewer: int | None, x: float, y: float) -> None:
    """DD-9: which pieces have acted in this turn."""
    left = [str(k + 1) for k, acted in enumerate(view["acted"]) if not acted]
    says = _whose(
        view["player"],
        viewer,
        f"pieces that have not acted in this turn: {', '.join(left) or 'none'}",
    )
    with sheet.thing("acted", says):
        for k, acted in enumerate(view["acted"]):
            token(sheet, x + 16 + 86 * k, y + 24, view["player"], str(k + 1), 12, hollow=acted)
            sheet.text(
                x + 36 + 86 * k,
                y + 29,
                "acted" if acted else "ready",
                12,
                "muted" if acted else "ink",
            )


def _hand(sheet: Sheet, view: View, viewer: int | None, x: float, y: float) -> None:
    """DD-13 to DD-18: the card in hand, the pieces that have had it, and whether it may be
    stowed."""
    card, chain = view["hand"], " → ".join(map(str, view["chain"]))
    source = (
        "from this backpack: it cannot go back" if view["stowed"] else "may go into the backpack"
    )
    says = _whose(
        view["player"],
        viewer,
        f"card in hand: {_in_words(card, viewer)}; handled by piece {chain}, {source}",
    )
    with sheet.thing("hand", says):
        sheet.room(x - 5, y - 4, _side(sheet) - 14, 68)
        _card(sheet, card, len(view["scores"]), x, y, (44, 60), marked=True)
        shown = "unknown card" if card["card"] is None else name_of(card["card"])
        sheet.text(x + 58, y + 15, shown, 13, bold=True)
        sheet.text(x + 58, y + 35, f"piece {chain}", 12, room=_side(sheet) - 76)
        sheet.text(x + 58, y + 53, source, 11.5, "muted", room=_side(sheet) - 76)


# ---------------------------------------------------------------- the players


def _seat(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, high: float
) -> None:
    """A player: contract, backpacks, home base, museum."""
    side = _side(sheet)
    seat_panel(sheet, view, p, x, y, side, high)
    run = view["runs"][p] if view["phase"] == "over" else None
    name, contract = seat_name(p, viewer), _contract(view, p, viewer)
    says = ", ".join([name, f"contract: {contract}", *standing(view, p)])
    if run is not None:
        listed = ", ".join(map(name_of, run["cards"])) or "none"
        says += (
            f", {plural(view['scores'][p], 'point')}, skeleton of {len(run['cards'])}, high "
            f"{run['high']}: {listed}"
        )
    with sheet.thing(f"seat:{p}", says):
        token(sheet, x + 18, y + 18, p, "", 9)
        sheet.text(x + 34, y + 23, marked_name(view, p, viewer), 13, bold=True, room=84)
        suit = view["suits"][p]
        sheet.box(x + 122, y + 8, 82, 20, SUIT_HUES[suit] if suit else None, "line", 10)
        words = f"digs for {SUIT_SIGNS[suit]}" if suit else contract
        sheet.text(
            x + 163, y + 22.3, words, 11.5, "on_hue" if suit else "muted", anchor="middle", room=78
        )
        if run is not None:
            words = (
                f"row: {view['scores'][p]}, high {run['high']}" if run["cards"] else "no skeleton"
            )
            sheet.text(x + side - 6, y + 22.3, words, 11.5, "mark", anchor="end", room=side - 212)
    sheet.text(x + 5, y + 58, "carry", 11.5, "muted")
    for k in range(box.PIECES):
        _backpack(sheet, view, p, k, viewer, x + 62 + 44 * k, y + 34)
    _home(sheet, view, p, viewer, x + 198, y + 34)
    sheet.text(x + 5, y + 104, "museum", 11.5, "muted")
    goal = _goal(view, p) if high > LEAST_SEAT else []
    for line, words in enumerate(goal):
        sheet.text(x + 5, y + high - 23 + 16 * line, words, 11.5, "muted", room=side - 10)
    _museum(sheet, view, p, viewer, x + 62, y + 80, high - 84 - (GOAL if goal else 0))


def _goal(view: View, p: int) -> list[str]:
    """DD-21, DD-24: what a museum still needs before the end, and the values in a row as far as
    they are seen."""
    if view["phase"] == "over":
        return []
    left = box.ENOUGH_CARDS - len(view["museums"][p])
    needed = f"{plural(left, 'more card')} and " if left > 0 else ""
    row = _in_a_row(view["museums"][p], view["options"]["contract"] == "free_for_all")
    values = " ".join(RANKS[value - 2] for value in row)
    return [
        f"{needed}all pieces at home end the game.".capitalize(),
        f"In a row: {values}. The longest row wins." if row else "The longest row of values wins.",
    ]


def _in_a_row(cards: Sequence[View], of_a_suit: bool) -> list[int]:
    """The most consecutive values of cards that are seen; jokers and what blocks count at the end
    only."""
    codes = [card["card"] for card in cards if card["card"] and card["card"][0] != "X"]
    best: list[int] = []
    for suit in box.SUITS if of_a_suit else ("",):
        row: list[int] = []
        for value in sorted({_value(code) for code in codes if suit in ("", code[1])}):
            row = [*row, value] if row and row[-1] == value - 1 else [value]
            if len(row) >= len(best):
                best = row
    return best


def _contract(view: View, p: int, viewer: int | None) -> str:
    """DD-6, DD-7: a player's contract as far as it is known."""
    suit, kind = view["suits"][p], view["options"]["contract"]
    if suit is not None:
        return SUIT_NAMES[suit]
    if kind == "free_for_all":
        return "any suit"
    begun = view["phase"] not in ("lay", "base") and p != viewer
    return "secret" if kind == "freelance" and begun else "not chosen"


def _backpack(
    sheet: Sheet, view: View, p: int, k: int, viewer: int | None, x: float, y: float
) -> None:
    card = view["backpacks"][p][k]
    says = "empty" if card is None else _in_words(card, viewer)
    with sheet.thing(f"pack:{p}:{k + 1}", _whose(p, viewer, f"piece {k + 1}, backpack: {says}")):
        sheet.room(x - 2, y, 6, 40)
        sheet.text(x + 4, y + 24, str(k + 1), 11.5, "muted", anchor="middle", bold=True)
        if card is None:
            sheet.box(x + 10, y, 30, 40, "surface", "muted", 4, dashed=True)
        else:
            _card(sheet, _at_the_end(view, card), len(view["scores"]), x + 10, y, (30, 40))


def _at_the_end(view: View, card: View) -> View:
    """A card of a museum or backpack: when the game is over it is turned up for everybody."""
    return {**card, "up": True} if view["phase"] == "over" and card["card"] is not None else card


def _home(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float) -> None:
    base, at_home = (
        view["bases"][p],
        [k for k, place in enumerate(view["pieces"][p]) if place == "home"],
    )
    where = f"beside {base}" if base else "no base yet"
    listed = ", ".join(str(k + 1) for k in at_home) or "none"
    with sheet.thing(f"home:{p}", _whose(p, viewer, f"home base, {where}; pieces there: {listed}")):
        sheet.box(x, y, _side(sheet) - 208, 40, "page", "line", 5)
        _house(sheet, p, x + 7, y + 5)
        sheet.text(x + 15, y + 35, base or "–", 11.5, "muted", anchor="middle")
    for order, k in enumerate(at_home):
        _piece(sheet, view, p, k, viewer, x + 42 + 24 * order, y + 20, 10)


def _museum(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, high: float
) -> None:
    """A museum's cards in the order in which they came; those of the skeleton are framed when the
    game is over."""
    cards = view["museums"][p]
    run = view["runs"][p]["cards"] if view["runs"] is not None else []
    size = (38.0, 52.0) if high >= 110 else (30.0, 38.0)
    rows = max(int(high // (size[1] + 3)), 1)
    room = _side(sheet) - 72
    across = max(-(-len(cards) // rows), int(room // (size[0] + 3)))
    step = min(size[0] + 3, (room - size[0]) / (across - 1))
    listed = f": {_all_in_words(cards, viewer)}" if cards else ""
    with sheet.thing(
        f"museum:{p}", _whose(p, viewer, f"museum, {plural(len(cards), 'card')}{listed}")
    ):
        if not cards:
            sheet.box(x, y, room, size[1], "surface", "muted", 4, dashed=True)
            sheet.text(
                x + room / 2, y + size[1] / 2 + 4, "no cards", 11.5, "muted", anchor="middle"
            )
        for place, card in enumerate(cards):
            at = x + place % across * step, y + place // across * (size[1] + 3)
            whole = step >= size[0] or place % across == across - 1 or place == len(cards) - 1
            _card(
                sheet,
                _at_the_end(view, card),
                len(view["scores"]),
                *at,
                size,
                alone=whole,
                marked=card["card"] in run,
            )


# ---------------------------------------------------------------- what actions belong to


def legend(options: View) -> tuple[Sign, ...]:
    def playing(card: View) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _card(sheet, card, 3, x - 15, y - 19, (30, 38))

    def piece(full: bool, acted: bool, handles: bool) -> Callable[[Sheet, float, float], None]:
        return lambda sheet, x, y: _figure(sheet, 0, "1", x, y, 11, full, acted, handles)

    return (
        *(Sign(name, plate(f"{SUIT_SIGNS[suit]} {suit}", SUIT_HUES[suit])) for suit,
            name in SUIT_NAMES.items()),
        *([Sign("a joker, which can stand for any card",
            plate(f"{SUIT_SIGNS['X']} 1", SUIT_HUES["X"]))] * bool(options["jokers"])),
        Sign("a card that lies face up", playing({"card": "7H", "known": [], "up": True}), 44),
        Sign("lies face down; players 1 and 2 have seen it, and you know it",
            playing({"card": "7H", "known": [0, 1]}), 44),
        Sign("a card that lies face down, which player 2 has seen",
            playing({"card": None, "known": [1]}), 44),
        Sign("the home base of player 1", lambda sheet, x, y: _house(sheet, 0, x - 8, y - 8)),
        Sign("piece 1 of a player", piece(False, False, False)),
        Sign("has a card in its backpack", piece(True, False, False)),
        Sign("has acted in this turn", piece(False, True, False)),
        Sign("has the card in hand", piece(False, False, True), 36),
        Sign("two more cards lie below", plate("+2", "card", wide=22)),
    )  # fmt: skip


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The things that an action of a seat belongs to: the piece, then where it goes or digs; where
    the card in hand goes."""
    match words:
        case ["lay" | "base", square]:
            return (f"square:{square}",)
        case ["suit", suit]:
            return (f"suit:{suit}",)
        case [piece, "move", "home"]:
            return _piece_name(seat, piece), f"home:{seat}"
        case [piece, "move", direction]:
            return _piece_name(seat, piece), _square_name(view, seat, int(piece[1]), direction)
        case [piece, "dig"]:
            return _piece_name(seat, piece), _square_name(view, seat, int(piece[1]))
        case [piece, "unload"]:
            return (f"pack:{seat}:{piece[1]}",)
        case ["face-up", direction]:
            return (_square_name(view, seat, view["chain"][-1], direction),)
        case ["face-down"]:
            return (_square_name(view, seat, view["chain"][-1]),)
        case ["home"]:
            return (f"museum:{seat}",)
        case ["stow"]:
            return (f"pack:{seat}:{view['chain'][-1]}",)
        case ["pass", piece]:
            return (_piece_name(seat, piece),)
    return ()


def _piece_name(seat: int | None, piece: str) -> str:
    return f"piece:{seat}:{piece[1]}"


def _square_name(view: View, seat: int | None, piece: int, direction: str | None = None) -> str:
    """The square of a piece, or the one in a direction from it; ``out`` is that beside the home
    base."""
    if direction == "out":
        return f"square:{view['bases'][seat]}"
    place = view["pieces"][seat][piece - 1]
    return f"square:{place if direction is None else _beside(place, direction)}"


def _moved(event: Event) -> tuple[str, ...]:
    places = (event.values[end] for end in ("from", "to"))
    names = (f"home:{event.seat}" if at == "home" else f"square:{at}" for at in places)
    return f"piece:{event.seat}:{event.values['piece']}", *names


ABOUT: About = {
    "laid": ("supply", "square:{square}"),
    **dict.fromkeys(("chose_base", "laid_face_up", "laid_face_down"), ("hand", "square:{square}")),
    **dict.fromkeys(("chose_contract", "wrote_contract"), ("suit:{suit}",)),
    "moved": _moved,
    "dug": ("square:{square}", "hand", "piece:{seat}:{piece}"),
    "unloaded": ("pack:{seat}:{piece}", "hand"),
    "brought_home": ("hand", "museum:{seat}"),
    **dict.fromkeys(("stowed", "swapped"), ("hand", "pack:{seat}:{piece}")),
    "passed": ("piece:{seat}:{from}", "piece:{seat}:{to}"),
    "lost": ("pack:{seat}:{piece}", "museum:{taker}"),
    **dict.fromkeys(("turned_up_museum", "declared", "finished"), ("museum:{seat}",)),
    "turned_up_backpack": ("pack:{seat}:{piece}",),
}

JOYS: Joys = {"dug": "find", "brought_home": "find", "finished": "complete", "lost": "loss"}
