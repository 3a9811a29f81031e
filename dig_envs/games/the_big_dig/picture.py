"""The picture of a view of The Big Dig: an animal among its attributes, by region; below them cards
and tokens of both, their models, and all arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dig_envs.engine.core.events import Event
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.app import Prediction
from dig_envs.games.the_big_dig.drawing import in_words, open_predictions
from dig_envs.games.the_big_dig.events import HEADLINES
from dig_envs.pictures.fonts import REGULAR, width_of
from dig_envs.pictures.legend import Sign, letters, plate
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    panel,
    pips,
    plural,
    smooth,
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
from dig_envs.pictures.sheet import COLUMN, Sheet, broken
from dig_envs.text.views import result_of, size_of
from dig_envs.text.views import seat_name as player_name

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

WIDE = (960 - 2 * MARGIN + 4) / 7  # from one attribute to the next
LINE = 19.0  # a state of an attribute
HEAD = 18.0  # the name of an attribute
# The attributes (from 0) in each column of the board, each region beside its part of the animal,
# which lies over the columns in the middle.
COLUMNS = (
    (0, 1, 2, 14, 15), (3, 4, 5, 16, 17), (6, 7, 8), (9, 10, 11), (12, 13), (18, 19, 20, 21),
    (22, 23, 24, 25, 26),
)  # fmt: skip
UNDER, ANIMAL = (2, 3, 4), 140.0  # the columns below the animal, and its height
BOARD = ANIMAL + sum(HEAD + LINE * int(board.STATES_OF[a]) + 7 for a in COLUMNS[2])  # height
DUG = 42.0  # height of the excavation
SEAT = 66.0  # height of what belongs to a player
ENTRY = 29.0  # an entry of the lists: two lines
SHORTER = {"proximal": "prox.", "Proximal": "Prox.", "position": "pos.", "Movement": "Move",
           "movement": "move", "socket ": "", # words, where there is no room for them
           "Socket ": "", "hindlimb": "hindl.", "forelimb": "forel."}  # fmt: skip
REGION_HUES = ("grey", "brown", "yellow", "green", "purple", "blue")
SIGNS = {"rock": "–", "request": "×2"}  # of cards that are no state
DRAWN_ACROSS = 8  # cards drawn, in a row of a column
# BD-28, BD-29, BD-32, BD-33
FINAL_WORDS = ("nullifications", "tokens without marker", "compatible tokens", "valid arguments")
PLAIN = {"Manus": "Manus (hand)", "Pes": "Pes (foot)"}
BODY = (  # the animal in a box of 395 by 136, which looks to the left
    "50,38 100,36 130,32 170,26 225,28 275,44 330,58 392,46 394,51 335,78 285,84 240,92 170,94 "
    "118,84 96,62 50,54"
)
PARTS = {  # of it, by region; with where its name stands
    "skull": ("4,54 14,40 38,26 62,26 80,38 78,58 52,62 24,62", (40, 78)),
    "forelimb": ("112,70 150,66 152,92 142,106 146,124 158,130 118,132 124,108 116,92", (88, 124)),
    "hindlimb": ("222,62 272,54 286,78 272,98 282,118 298,128 252,132 260,110 244,98 224,88",
                 (196, 124)),
    "diet": ("152,54 176,48 214,52 216,78 178,86 154,76", (184, 70)),
    "senses": ("44,38 50,33 57,38 50,43", (60, 18)),
    "movement": ("296,56 330,62 392,47 394,51 335,76 296,76", (348, 96)),
}  # fmt: skip


class Lines(NamedTuple):
    """The measures of a drawn attribute: its width, the height of a state, width and height of a
    space."""

    wide: float
    line: float
    space: tuple[float, float]


IN_ROWS = Lines(WIDE - 4, LINE, (29.0, 16.0))
IN_COLUMN = Lines((INSIDE - 4) / 2, 24.0, (44.0, 20.0))
# in a column, where nobody chooses among all spaces
FOLDED = Lines((INSIDE - 4) / 2, 19.0, (44.0, 16.0))


def height(options: View) -> int:
    return int(HEADER + BOARD + DUG + SEAT + 12 + 28 + 2 * options["turns"] * ENTRY + 10)


def headline(view: View) -> str:
    """Turn, phase and who is asked; or who has won."""
    turns = f"Turn {view['turn']} of {view['options']['turns']}"
    if view["phase"] == "over":
        return f"{turns}. {result_of(view)}"
    asked = HEADLINES[view["phase"]]
    asked = asked if isinstance(asked, str) else asked(view)
    return f"{turns}. {player_name(view['to_move'])}: {asked}"


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    supports, chosen = _supports(view, viewer), _chosen(view)
    _animal(sheet, view, MARGIN + UNDER[0] * WIDE, HEADER, 3 * WIDE - 4)
    for place, attributes in enumerate(COLUMNS):
        y = HEADER + ANIMAL * (place in UNDER)
        for a in attributes:
            tall = HEAD + LINE * int(board.STATES_OF[a]) + 3
            x = MARGIN + place * WIDE
            _attribute(sheet, view, a, x, y, tall, supports, chosen, IN_ROWS)
            y += tall + 4
    y = HEADER + BOARD
    _excavation(sheet, view, MARGIN, y, sheet.width - 2 * MARGIN)
    sheet.text(sheet.width - MARGIN - 104, y + 22, "✓ is    ✗ is not", 11.5, "muted")
    y += DUG
    half = (sheet.width - 2 * MARGIN - 8) / 2
    for p in range(box.SEATS):
        _seat(sheet, view, p, viewer, MARGIN + p * (half + 8), y, half)
    y += SEAT + 6
    third, tall = (sheet.width - 2 * MARGIN - 16) / 3, 28 + 2 * view["options"]["turns"] * ENTRY
    for p in range(box.SEATS):
        _models(sheet, view, p, viewer, MARGIN + p * (third + 8), y, third, tall)
    _arguments(sheet, view, MARGIN + 2 * (third + 8), y, third, tall)


def _chosen(view: View) -> set[str]:
    """The words chosen so far in a decision of several steps."""
    return {
        word
        for actions in view["pending"]
        for action in actions or ()
        for word in action.split()[1:]
    }


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: the players, the animal and the attributes, what was
    drawn, models and arguments; return where it ends.

    While the viewer chooses among all spaces, those of a region are there when its part of the
    animal is touched; otherwise only states on which something lies are shown.
    """
    supports, chosen = _supports(view, viewer), _chosen(view)
    for p in range(box.SEATS):
        y += _seat_in_column(sheet, view, p, viewer, y) + 6
    _animal(sheet, view, EDGE, y, INSIDE)
    y += ANIMAL * INSIDE / 395
    shown = _with_something(view, supports, chosen)
    if viewer is not None and view["phase"] in ("model", "research_model", "placement"):
        y = _regions_in_column(sheet, view, y, supports, chosen, shown)
    else:
        marked = sorted({int(board.ATTRIBUTE_OF[state]) for state in shown})
        y = _in_two(sheet, view, marked, y, supports, chosen, FOLDED, shown)
    sheet.text(EDGE + 6, y + 14, "✓ is    ✗ is not", 11.5, "muted")
    y += 22
    rows = -(-len(view["drawn"]) // DRAWN_ACROSS)
    _excavation(sheet, view, EDGE, y, INSIDE, 14 + 22 * max(rows, 1))
    y += 20 + 22 * max(rows, 1)
    for p in range(box.SEATS):
        count = sum(inputs is not None for inputs in view["models"][p])
        # those that others have shown are among the arguments
        if count and (viewer == p or None not in view["models"][p]):
            _models(sheet, view, p, viewer, EDGE, y, INSIDE, 30 + count * ENTRY, whole=False)
            y += 36 + count * ENTRY
    if view["arguments"]:
        _arguments(sheet, view, EDGE, y, INSIDE, 30 + len(view["arguments"]) * ENTRY)
        y += 36 + len(view["arguments"]) * ENTRY
    return y - 6


def _in_two(
    sheet: Sheet, view: View, attributes: Sequence[int], y: float, supports: Mapping[str, int],
    chosen: set[str], how: Lines, shown: set[int] | None = None,
) -> float:  # fmt: skip
    """Attributes in two columns, with those of their states that are shown; returns where they
    end."""
    counts = [
        sum(shown is None or state in shown for state in _states(attribute))
        for attribute in attributes
    ]
    talls = [HEAD + how.line * count + 5 for count in counts]
    at, side, top = y, 0, y
    for a, tall in zip(attributes, talls, strict=True):
        if side == 0 and at - top + tall / 2 > sum(talls) / 2:
            y, at, side = at, top, 1
        x = EDGE + side * (how.wide + 4)
        _attribute(sheet, view, a, x, at, tall - 3, supports, chosen, how, shown)
        at += tall
    return max(y, at) + 4


def _regions_in_column(
    sheet: Sheet, view: View, y: float, supports: Mapping[str, int], chosen: set[str],
    shown: set[int],
) -> float:  # fmt: skip
    """What lies on the board in words; over them, as soon as its part of the animal is touched, a
    region with all of its spaces."""
    top = y + 18
    sheet.text(EDGE + 6, y + 12, "Touch a part of the animal. On the board:", 12, "muted")
    for state in sorted(shown):
        for space in (board.SPACES[2 * state], board.SPACES[2 * state + 1]):
            words = _lies_there(view, space)
            if words:
                line = f"{in_short(space)}: {', '.join(words)}"
                sheet.text(EDGE + 14, top + 14, line, 11.5, room=INSIDE - 20)
                top += 17
    ends = [top]
    for name, _, first, last in _spans():
        with sheet.within(f"region:{name}"):
            sheet.box(0, y, COLUMN, top - y, fill="page")
            ends.append(_in_two(sheet, view, range(first, last), y, supports, chosen, IN_COLUMN))
    return max(ends)


def _lies_there(view: View, space: str) -> list[str]:
    """The marker and the tokens on a space in words."""
    marker = [word for word in ("discovered", "conjectured") if space in view[word]][:1]
    return marker + [
        f"{plural(tokens[space], 'token')} of {player_name(p)}"
        for p, tokens in enumerate(view["tokens"])
        if tokens.get(space)
    ]


def _states(attribute: int) -> range:
    return range(int(board.FIRST_STATE[attribute]), int(board.FIRST_STATE[attribute + 1]))


def _with_something(view: View, supports: Mapping[str, int], chosen: set[str]) -> set[int]:
    """The states on which there is a marker or a token, or that an argument or a choice in progress
    is about."""
    codes = {*view["discovered"], *view["conjectured"], *supports, *chosen}
    codes |= {space for tokens in view["tokens"] for space, count in tokens.items() if count}
    names = {code.removesuffix("-A").removesuffix("-N") for code in codes}
    return {state for state, code in enumerate(board.STATES) if code in names}


def _shortened(words: str, room: float) -> str:
    """Words with as many of them in a short form as must be for a width."""
    for long, short in SHORTER.items():
        if width_of(words, 11.5) <= room:
            break
        words = words.replace(long, short)
    return words


# ---------------------------------------------------------------- the board


def _attribute(
    sheet: Sheet, view: View, a: int, x: float, y: float, tall: float, supports: Mapping[str, int],
    chosen: set[str], how: Lines, shown: set[int] | None = None,
) -> None:  # fmt: skip
    """An attribute: its states, and for each of them the assertion on the left and the negation on
    the right.

    ``shown``: the states that are shown; None for all of them.
    """
    region = int(board.REGION_OF[a])
    wanted = view["request"] == board.REGIONS[region]
    name = f"{a + 1} {PLAIN.get(board.ATTRIBUTE_NAMES[a], board.ATTRIBUTE_NAMES[a])}"
    says = (
        f"Attribute {name}, region "
        f"{board.REGIONS[region]}{', which the special request names' if wanted else ''}"
    )
    with sheet.thing(f"attribute:{a + 1}", says):
        sheet.box(
            x,
            y,
            how.wide,
            tall,
            fill="surface",
            line="mark" if wanted else None,
            corner=4,
            thick=1.5,
        )
        sheet.box(x + 1, y + 1, how.wide - 2, HEAD - 2, fill=REGION_HUES[region], corner=3)
        room = how.wide - (24 if wanted else 3)
        sheet.text(x + 3, y + 13, _shortened(name, room), 11.5, "on_hue", room=room)
        if wanted:
            sheet.text(x + how.wide - 3, y + 13, "×2", 11.5, "on_hue", anchor="end", bold=True)
    states = [state for state in _states(a) if shown is None or state in shown]
    for i, state in enumerate(states):
        _state(sheet, view, state, x + 2, y + HEAD + i * how.line, supports, chosen, how)


def _state(
    sheet: Sheet,
    view: View,
    state: int,
    x: float,
    y: float,
    supports: Mapping[str, int],
    chosen: set[str],
    how: Lines,
) -> None:
    """A state by its name, with the support of what is argued; its two spaces beside it."""
    code, (wide, tall) = board.STATES[state], how.space
    room, base = how.wide - 8 - 2 * wide, y + tall / 2 + 4
    name = board.STATE_NAMES[state]
    guess = next((space for space in (f"{code}-A", f"{code}-N") if space in supports), None)
    label = name.partition(": ")[2]
    if guess:  # only these can be chosen; things take time
        with sheet.thing(
            f"state:{code}",
            f"{name}, state {code}; predicted: {in_words()[guess]} with support {supports[guess]}",
        ):
            sheet.box(
                x,
                y,
                room,
                tall,
                fill="card",
                line="mark" if code in chosen else None,
                corner=2,
                thick=2,
            )
            sheet.text(x + 1, base, label, 11.5, room=room)
    else:
        sheet.text(x + 1, base, label, 11.5, room=room)
    for place, sign in enumerate("AN"):
        space = f"{code}-{sign}"
        support = supports[space] if space == guess else 0
        _space(
            sheet,
            view,
            space,
            x + room + 2 + place * (wide + 2),
            y,
            support,
            space in chosen,
            how.space,
        )


def _space(
    sheet: Sheet,
    view: View,
    space: str,
    x: float,
    y: float,
    support: int,
    marked: bool,
    size: tuple[float, float],
) -> None:
    """A space: ✓ that it is so, ✗ that it is not. A discovered marker is green, a conjectured one
    yellow, with a question mark.

    The support with which it is predicted, if it is above 0, stands in place of the sign; or, where
    tokens of both leave no room, to the left of the space.
    """
    marker = "D" if space in view["discovered"] else "C" if space in view["conjectured"] else ""
    counts = [tokens.get(space, 0) for tokens in view["tokens"]]
    words = [in_words()[space], *_lies_there(view, space)]
    with sheet.thing(f"space:{space}", ", ".join(words)):
        if support and all(counts):
            left = x - 4 - (size[0] + 2) * (space[-1] == "N")
            sheet.text(
                left, y + size[1] / 2 + 4, str(support), 11.5, "mark", anchor="end", bold=True
            )
        wide, tall = size
        _shape(sheet, x, y, size, marker, marked)
        for p, count in enumerate(counts):
            if count:
                token(sheet, x + (8, wide - 8)[p], y + tall / 2, p, str(count), 7)
        if not all(counts):  # beside a token, if there is one
            at = x + wide / 2 + 7 * (bool(counts[0]) - bool(counts[1]))
            colour = "on_hue" if marker else "mark" if support else "muted"
            word = str(support or _sign(space, marker if not any(counts) else ""))
            strong = bool(support or marker)
            sheet.text(at, y + tall / 2 + 4, word, 11.5, colour, "middle", bold=strong)


def _sign(space: str, marker: str) -> str:
    """The sign of a space: whether it says that it is so; with a question mark if conjectured."""
    return ("✗" if space.endswith("N") else "✓") + "?" * (marker == "C")


def _animal(sheet: Sheet, view: View, x: float, y: float, width: float) -> None:
    """An animal whose parts are the regions, each with its hue, its name and how many of its
    attributes are discovered."""
    scale = width / 395
    sheet.path(_outline(BODY, x, y, scale), "card", "line", 1.5)
    for name, hue, first, last in _spans():
        corners, (across, down) = PARTS[name]
        known = len({space.partition("-")[0] for space in view["discovered"]}
                    & {str(a + 1) for a in range(first, last)})  # fmt: skip
        wanted = view["request"] == name
        says = f"{name.capitalize()}: {plural(last - first, 'attribute')}, {known} discovered"
        with sheet.thing(f"region:{name}", says + ", which the special request names" * wanted):
            sheet.path(
                _outline(corners, x, y, scale),
                hue,
                "mark" if wanted else "line",
                2.5 if wanted else 1,
            )
            words = f"{name} ×2" if wanted else f"{name} {known}/{last - first}" if known else name
            sheet.text(
                x + across * scale, y + down * scale, words, 11.5,
                "on_hue" if name == "diet" else "ink", "middle", room=90,
            )  # fmt: skip


def _outline(corners: str, x: float, y: float, scale: float) -> str:
    """The path of a round shape: corners ``x,y`` from a point on, in units of the scale."""
    return smooth(
        [
            (x + float(across) * scale, y + float(down) * scale)
            for across, down in (corner.split(",") for corner in corners.split())
        ]
    )


def _supports(view: View, viewer: int | None) -> dict[str, int]:
    """The supports of the model with which the seat to move argues, if the viewer sees it, by space
    (BD-16)."""
    if _is_arguing(view, view["to_move"]) and viewer in (view["to_move"], None):
        guesses = open_predictions(_chosen_model(view, view["to_move"]), view["discovered"])
        return {guess.space: guess.support for guess in guesses}
    return {}


def _is_arguing(view: View, p: int) -> bool:
    """Whether a seat has chosen, as far as one sees, the model of an argument that is still to be
    shown."""
    pending: list[str] = (view["pending"][p] if p >= 0 else None) or [""]
    return pending[0].startswith("argue ")


def _chosen_model(view: View, p: int) -> Sequence[str]:
    model: Sequence[str] = view["models"][p][int(view["pending"][p][0].split()[1]) - 1]
    return model


# ---------------------------------------------------------------- the excavation and the players


def _excavation(
    sheet: Sheet, view: View, x: float, y: float, width: float, tall: float = DUG - 6
) -> None:
    """The cards drawn so far, in order, and how many are left; a special request has the sign
    ×2."""
    panel(sheet, x, y, width, tall)
    deck = view["deck"]
    order = (
        ""
        if isinstance(deck, int)
        else ", from the top: " + ", ".join(in_words()[card] for card in reversed(deck))
    )
    with sheet.thing("deck", f"Excavation deck, {plural(size_of(deck), 'card')}{order}"):
        sheet.box(x + 8, y + 5, 34, 24, fill="back", line="line", corner=3)
        sheet.box(x + 13, y + 9, 24, 16, fill="card", corner=3)
        sheet.text(x + 25, y + 21.5, str(size_of(deck)), 12, anchor="middle", bold=True)
        if not isinstance(deck, int) and sheet.width > COLUMN:
            codes = " ".join(SIGNS.get(card.split()[0], card) for card in reversed(deck))
            sheet.text(x + 50, y + 34, f"next: {codes}", 11.5, "muted", room=770)
    across = DRAWN_ACROSS if sheet.width == COLUMN else max(len(view["drawn"]), 1)
    step = min(42.0, (width - (54 if sheet.width == COLUMN else 156)) / across)
    for place, card in enumerate(view["drawn"]):
        at, top = x + 50 + place % across * step, y + 4 + place // across * 22
        kind = "card" if card == "rock" else "yellow" if card.startswith("request") else "green"
        last = place == len(view["drawn"]) - 1
        with sheet.thing(f"drawn:{place}", f"Drawn: {in_words()[card]}"):
            sheet.box(
                at,
                top,
                step - 3,
                18,
                fill=kind,
                line="mark" if last else "line",
                corner=3,
                thick=2 if last else 0.8,
            )
            words, colour = (
                SIGNS.get(card.split()[0], card),
                "muted" if kind == "card" else "on_hue",
            )
            sheet.text(
                at + step / 2 - 1.5, top + 13.5, words, 11.5, colour, anchor="middle", room=step - 3
            )


def _seat_in_words(view: View, p: int, viewer: int | None) -> tuple[str, str]:
    """All that is said of a player, and the words that stand on the picture: the final scoring, or
    what was chosen so far."""
    bank = _bank(view, p)
    points = plural(view["scores"][p], "point")
    final = _final(view, p)
    picked = [
        s.ACTIONS.label(s.ACTIONS.names.index(action), p, box.SEATS).lower()
        for action in view["pending"][p] or ()
    ]
    pending = ", ".join(picked)
    says = [
        seat_name(p, viewer),
        points,
        f"{plural(bank, 'token')} in the bank",
        f"final scoring: {final}" if final else "",
    ]
    says += [f"chosen so far: {pending}" if pending else "", *standing(view, p)]
    return ", ".join(word for word in says if word), final or (
        f"chosen: {pending}" if pending else ""
    )


def _bank(view: View, p: int) -> int:
    return int(box.NUM_TOKENS - sum(view["tokens"][p].values()))


def _seat(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, width: float
) -> None:
    """A player: points, tokens in the bank, decision and evaluation cards, an own commitment, the
    final scoring."""
    over = view["phase"] == "over"
    says, words = _seat_in_words(view, p, viewer)
    with sheet.thing(f"seat:{p}", says):
        seat_panel(sheet, view, p, x, y, width, SEAT)
        token(sheet, x + 20, y + 20, p, str(p + 1))
        sheet.text(x + 38, y + 18, marked_name(view, p, viewer), 14, bold=True, room=width - 322)
        sheet.text(x + 38, y + 34, plural(view["scores"][p], "point"), 12, bold=True)
        pips(sheet, x + 16, y + 45, _bank(view, p), box.NUM_TOKENS, SEAT_HUES[p], 4)
        sheet.text(x + 12, y + 61, words, 11.5, "ink" if over else "mark", room=width - 20)
    sheet.text(x + width - 278, y + 18, "decisions", 11.5, "muted")
    sheet.text(x + width - 278, y + 41, "evaluation", 11.5, "muted")
    _decisions(sheet, view, p, viewer, x + width - 210, y + 4, 70)
    _evaluations(sheet, view, p, viewer, x + width - 210, y + 27, 70)


def _seat_in_column(sheet: Sheet, view: View, p: int, viewer: int | None, y: float) -> float:
    """The same in a column; returns its height."""
    over = view["phase"] == "over"
    says, words = _seat_in_words(view, p, viewer)
    lines = broken(words, 11.5, REGULAR, INSIDE - 20) if words else []
    high = 70.0 + 15 * len(lines)
    with sheet.thing(f"seat:{p}", says):
        seat_panel(sheet, view, p, EDGE, y, INSIDE, high)
        token(sheet, EDGE + 20, y + 20, p, str(p + 1))
        sheet.text(EDGE + 38, y + 18, marked_name(view, p, viewer), 14, bold=True, room=120)
        sheet.text(EDGE + 38, y + 34, plural(view["scores"][p], "point"), 12, bold=True)
        pips(sheet, EDGE + 170, y + 14, _bank(view, p), box.NUM_TOKENS, SEAT_HUES[p], 4.5)
        sheet.text(
            EDGE + 166, y + 34, f"{plural(_bank(view, p), 'token')} in the bank", 11.5, "muted"
        )
        sheet.lines(
            EDGE + 10,
            y + 77,
            words,
            INSIDE - 20,
            11.5,
            "ink" if over else "mark",
            leading=15 / 11.5,
        )
    _decisions(sheet, view, p, viewer, EDGE + 6, y + 42, 53)
    _evaluations(sheet, view, p, viewer, EDGE + 182, y + 42, 53)
    return high


def _decisions(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, step: float
) -> None:
    """The three decision cards: those played in this turn, in order, then those that are left."""
    spent = view["spent"][p]
    left = ["act", "act", "pass"]
    for card in spent:
        left.remove(card)
    whose = in_sentence(p, viewer)
    for place, card in enumerate([*spent, *left]):
        played = place < len(spent)
        again = not played and card in left[: place - len(spent)]
        name = f"played:{p}:{place}" if played else f"card:{p}:{card}{':2' if again else ''}"
        words = (
            f"Decision card {card} of {whose}, "
            f"{f'played as number {place + 1} of this turn' if played else 'not played yet'}"
        )
        _plate(sheet, name, words, x + place * step, y, step - 4, card, played)


def _evaluations(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, step: float
) -> None:
    """The three evaluation cards; the one that was revealed is strong."""
    for place, card in enumerate(s.EVALUATIONS):
        played = view["evaluation"][p] == card
        words = (
            f"Evaluation card {card} of {in_sentence(p, viewer)}{', revealed' if played else ''}"
        )
        _plate(sheet, f"evaluation:{p}:{card}", words, x + place * step, y, step - 4, card, played)


def _plate(
    sheet: Sheet, name: str, title: str, x: float, y: float, wide: float, word: str, strong: bool
) -> None:
    """A card: its word, with a tick if it is strong and there is room for it."""
    with sheet.thing(name, title):
        thick = 1.6 if strong else 0.8
        sheet.box(
            x,
            y,
            wide,
            20,
            fill="yellow" if strong else "card",
            line="ink" if strong else "line",
            corner=4,
            thick=thick,
        )
        shown = f"{word} ✓" if strong and wide > 60 else word
        sheet.text(
            x + wide / 2,
            y + 14,
            shown,
            11.5,
            "on_hue" if strong else "ink",
            anchor="middle",
            bold=strong and wide > 60,
        )


def _final(view: View, p: int) -> str:
    """The points of the final scoring in words, in the order of the rules; what gave none is left
    out."""
    if view["final"] is None:
        return ""
    points = zip(FINAL_WORDS, view["final"][p].values(), strict=True)
    return ", ".join(f"{word} {value:+d}".replace("-", "−") for word, value in points if value)


# ---------------------------------------------------------------- models and arguments


def _models(
    sheet: Sheet,
    view: View,
    p: int,
    viewer: int | None,
    x: float,
    y: float,
    width: float,
    tall: float,
    whole: bool = True,
) -> None:
    """The models of a player with their strongest predictions; one that the viewer may not see is a
    number, if shown at all."""
    panel(sheet, x, y, width, tall, said("{seat's} models", p, viewer))
    chosen = view["pending"][p][0].split()[1] if _is_arguing(view, p) else ""
    entries = [
        (m, inputs) for m, inputs in enumerate(view["models"][p]) if inputs is not None or whole
    ]
    for place, (m, inputs) in enumerate(entries):
        at = y + 28 + place * ENTRY
        guesses = (
            [guess for guess in open_predictions(inputs, view["discovered"]) if guess.support]
            if inputs
            else []
        )
        strong = ", ".join(f"{guess.space} {guess.support}" for guess in guesses)
        says = f"predicts with support {strong or 'above 0 nothing'}" if inputs else "not shown yet"
        names = " and ".join(in_words()[space] for space in inputs or ())
        with sheet.thing(
            f"model:{p}:{m + 1}",
            f"Model {m + 1} of {in_sentence(p, viewer)}: {names + '; ' if names else ''}{says}",
        ):
            marked = chosen == str(m + 1)
            sheet.box(
                x + 6,
                at,
                width - 12,
                ENTRY - 2,
                fill="card",
                line="mark" if marked else None,
                corner=3,
                thick=2,
            )
            words = f"{m + 1}. {' and '.join(map(in_short, inputs)) if inputs else 'not shown yet'}"
            sheet.text(
                x + 11,
                at + 12,
                _shortened(words, width - 20),
                11.5,
                "ink" if inputs else "muted",
                room=width - 20,
            )
            if inputs:
                sheet.text(
                    x + 22,
                    at + 24.5,
                    f"→ {_best(guesses, width - 50)}",
                    11.5,
                    "muted",
                    room=width - 32,
                )


def in_short(name: str) -> str:
    """A space or a state as one says it: ``large canines``, ``no short distal hindlimb``,
    ``no grazing``."""
    words = (
        board.SPACE_NAMES[board.SPACES.index(name)]
        if name in board.SPACES
        else board.STATE_NAMES[board.STATES.index(name)]
    )
    attribute, _, state = words.lower().partition(": ")
    negated, state = state.startswith("not "), state.removeprefix("not ")
    if state in ("yes", "no", "none"):
        return f"{'no ' if negated == (state == 'yes') else ''}{attribute}"
    return f"{'no ' * negated}{state} {attribute}"


def _best(guesses: Sequence[Prediction], room: float) -> str:
    """As many of the strongest predictions as fit into a width."""
    words = ""
    for guess in guesses:
        longer = f"{words}{',  ' if words else ''}{in_short(guess.space)} {guess.support}"
        if words and width_of(longer, 11.5) > room:
            break
        words = longer
    return words or "nothing"


def _arguments(sheet: Sheet, view: View, x: float, y: float, width: float, tall: float) -> None:
    """All arguments in order of creation; an invalid one is struck out."""
    panel(sheet, x, y, width, tall, "Arguments")
    for place, argument in enumerate(view["arguments"]):
        at, by, valid = y + 28 + place * ENTRY, argument["by"], argument["valid"]
        target = argument["target"]
        inputs = " and ".join(in_words()[space] for space in argument["inputs"])
        if target:
            does = (
                f"nullification of the conjecture from {target} about "
                f"{in_words()[argument['output']]}"
            )
            end = ""  # the cross says it
            does_short = f"✗ {in_short(target)} → {in_short(argument['output'])}"
        else:
            does = f"conjecture {in_words()[argument['output']]} with support {argument['support']}"
            end = str(argument["support"])
            does_short = f"→ {in_short(argument['output'])}"
        title = (
            f"Turn {argument['turn']}, {player_name(by)}: {inputs}: "
            f"{does}{'' if valid else ', invalid'}"
        )
        with sheet.thing(f"argument:{place}", title):
            new = argument["turn"] == view["turn"]
            fill, line = "card" if valid else "surface", "mark" if new else None
            sheet.box(x + 6, at, width - 12, ENTRY - 2, fill=fill, line=line, corner=3)
            token(sheet, x + 17, at + 14, by, str(by + 1), 7.5)
            words = f"{argument['turn']}: {' and '.join(map(in_short, argument['inputs']))}"
            colour, room = "ink" if valid else "muted", width - 43 - (0 if target else 20)
            wide = sheet.text(
                x + 29, at + 12, _shortened(words, width - 38), 11.5, colour, room=width - 38
            )
            low = sheet.text(
                x + 29, at + 24.5, _shortened(does_short, room), 11.5, colour, room=room
            )
            if not valid:
                for down, long in ((8.0, wide), (20.5, low)):
                    sheet.stroke(x + 29, at + down, x + 33 + long, at + down, "muted", 1.2)
            sheet.text(x + width - 12, at + 24.5, end, 11.5, colour, anchor="end", bold=not target)


# ---------------------------------------------------------------- actions


def legend(options: View) -> tuple[Sign, ...]:
    def space(marker: str, words: str) -> Callable[[Sheet, float, float], None]:
        def draw(sheet: Sheet, x: float, y: float) -> None:
            _shape(sheet, x - 15, y - 8, IN_ROWS.space, marker, False)
            sheet.text(x, y + 4, words, 11.5, "on_hue" if marker else "mark", "middle", bold=True)

        return draw

    return (
        *(
            Sign(f"region: {name}", plate(f"{first + 1}–{last}", hue))
            for name, hue, first, last in _spans()
        ),
        Sign("an attribute is so", space("", "✓")),
        Sign("an attribute is not so", space("", "✗")),
        Sign("discovered: a fact", space("D", "✓")),
        Sign("conjectured: somebody has claimed it", space("C", "✓?")),
        Sign("predicted, with support 35", space("", "35")),
        Sign(
            "tokens (bets) of player 1 on a space, or in the bank",
            lambda sheet, x, y: pips(sheet, x - 14, y, 2, 3, SEAT_HUES[0], 4),
        ),
        Sign("a card that was drawn: state 1 of attribute 10", plate("10-1", "green")),
        Sign("a card that was drawn: rock, which says nothing", plate(SIGNS["rock"], "card")),
        Sign("a special request: its region counts twice", plate(SIGNS["request"], "yellow")),
        Sign("a decision or evaluation card that was played", plate("act ✓", "yellow", wide=50)),
        Sign("an argument that nullifies a conjecture", letters("✗ →")),
        Sign("an argument that is not valid any more", _struck),
    )


def _struck(sheet: Sheet, x: float, y: float) -> None:
    sheet.text(x, y + 4, "blunt manus", 11.5, "muted", anchor="middle")
    sheet.stroke(x - 36, y, x + 36, y, "muted", 1.2)


def _spans() -> list[tuple[str, str, int, int]]:
    """For each region its name, its hue, its first attribute and the one after its last."""
    regions = board.REGION_OF.tolist()
    ends = [sum(one <= region for one in regions) for region in range(len(board.REGIONS))]
    return list(zip(board.REGIONS, REGION_HUES, [0, *ends], ends, strict=False))


def _shape(
    sheet: Sheet, x: float, y: float, size: tuple[float, float], marker: str, marked: bool
) -> None:
    """A space of the board, in the hue of its marker."""
    fill = {"D": "green", "C": "yellow", "": "card"}[marker]
    line = "mark" if marked else "line" if marker else None
    sheet.box(x, y, *size, fill, line, 3, 2.4 if marked else 1.4)


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    match words:
        case ["input" | "put" | "lift", space]:
            return (_region(space), f"space:{space}")
        case ["output", state]:
            return (_region(state), f"state:{state}")
        case ["act" | "pass"]:
            return (f"card:{seat}:{words[0]}",)
        case ["argue", model]:
            return (f"model:{seat}:{model}",)
        case ["target", number]:
            return (f"space:{_chosen_model(view, seat or 0)[int(number) - 1]}",)
        case ["add" | "move" | "remove"]:
            return (f"evaluation:{seat}:{words[0]}",)
    return ()


def _region(name: str) -> str:
    """The part of the animal that a space or a state belongs to."""
    return f"region:{board.REGIONS[board.REGION_OF[int(name.partition('-')[0]) - 1]]}"


def _argued(event: Event) -> tuple[str, ...]:
    spaces = (event.values.get(part) for part in ("first", "second", "output"))
    return f"model:{event.seat}:{event.values['model']}", *(
        f"space:{code}" for code in spaces if code in board.SPACES
    )


def _output(event: Event) -> tuple[str, ...]:
    return (f"space:{event.values['output']}",) if event.values["output"] in board.SPACES else ()


def _drawn(event: Event) -> tuple[str, ...]:
    return (f"space:{event.values['card']}-A",) if event.values["card"] in board.STATES else ()


ABOUT: About = {
    **dict.fromkeys(("created", "conjectured", "attacked"), _argued),
    "evaluated": ("evaluation:{seat}:{card}",),
    **dict.fromkeys(("invalidated", "lasted"), _output),
    "moved": ("space:{space}", "space:{to}"),
    "settled": ("attribute:{attribute}",),
    **dict.fromkeys(("excavated", "explored"), _drawn),
    **dict.fromkeys(
        ("marked", "unmarked", "put", "took_back", "weighed", "confirmed"), ("space:{space}",)
    ),
}

JOYS: Joys = {"excavated": "find", "conjectured": "find", "attacked": "loss", "settled": "find"}
