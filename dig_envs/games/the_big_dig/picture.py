"""The picture of a view of The Big Dig: an animal, what lies on the attributes of its regions, and
those of a region that is touched; below them cards and tokens of both, their models, and all
arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dig_envs.engine.core.events import Event
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.app import Prediction
from dig_envs.games.the_big_dig.drawing import FINAL_WORDS, in_words, open_predictions
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

HEAD = 18.0  # the name of an attribute
STEPS = 26.0  # height of the steps of a turn
ANIMAL = 208.0  # height of the animal on a wide sheet
NOTE = 17.0  # a line of what lies in a region
ASIDE = 190.0  # width of what is told beside the animal
NOTES = 7  # of them, for which there is room on a wide sheet
BOARD = STEPS + ANIMAL + HEAD + NOTES * NOTE + 12  # height
DUG = 42.0  # height of the excavation
SEAT = 66.0  # height of what belongs to a player
ENTRY = 29.0  # an entry of the lists: two lines
REGION_HUES = ("grey", "brown", "yellow", "green", "purple", "blue")
SIGNS = {"rock": "–", "request": "×2"}  # of cards that are no state
PLAIN = {  # beside the terms of the rules
    "Manus": "Hand (manus)",
    "Pes": "Foot (pes)",
    "Proximal Forelimb": "Arm (proximal forelimb)",
    "Distal Forelimb": "Forearm (distal forelimb)",
    "Proximal Hindlimb": "Thigh (proximal hindlimb)",
    "Distal Hindlimb": "Shin (distal hindlimb)",
    "Manus Posture": "Hand posture",
    "Pes Posture": "Foot posture",
}
# the steps of a turn with the phases of each
TURN = (
    ("1 Ask", ("model",)),
    ("2 Claim", ("argumentation", "argument")),
    ("3 Ask, dig", ("research", "research_model")),
    ("4 Bet", ("evaluation", "placement")),
)
BODY = (  # the animal in a box of 395 by 136, which looks to the left
    "50,38 100,36 130,32 170,26 225,28 275,44 330,58 392,46 394,51 335,78 285,84 240,92 170,94 "
    "118,84 96,62 50,54"
)
PARTS = {  # of it, by region; with where its name stands
    "skull": ("4,54 14,40 38,26 62,26 80,38 78,58 52,62 24,62", (40, 94)),
    "forelimb": ("112,70 150,66 152,92 142,106 146,124 158,130 118,132 124,108 116,92", (80, 124)),
    "hindlimb": ("222,62 272,54 286,78 272,98 282,118 298,128 252,132 260,110 244,98 224,88",
                 (354, 122)),
    "diet": ("152,54 176,48 214,52 216,78 178,86 154,76", (184, 70)),
    "senses": ("46,36 54,29 63,36 54,43", (60, 18)),
    "movement": ("296,56 330,62 392,47 394,51 335,76 296,76", (348, 96)),
}  # fmt: skip


FROM_KNOWN = (
    "Touch something that is known, or a part of the animal. This makes a model: what else have "
    "living animals that have it? You can claim only what follows from discovered (green) or "
    "claimed (yellow) attributes."
)
ACTS = "You act in two of three: claim, ask again, and dig (draw a card). You pass in one."
BETS = "When its attribute is dug up, a bet gets 5 points on ✓, 2 on ✗, and loses 5 if it is wrong."
HELP = {  # what a decision is about, by phase
    "model": FROM_KNOWN,
    "argumentation": f"Act: claim what one of your models predicts. {ACTS}",
    "argument": "Touch one of your models, then what it predicts. You get a point or more now, and "
    "5 at the end if the claim still holds.",
    "research": f"Act: make one more model. {ACTS}",
    "research_model": FROM_KNOWN,
    "evaluation": BETS,
    "placement": f"Touch a part of the animal, then ✓ (it is so) or ✗ (it is not). {BETS}",
    "over": "",
}
# what stands in panels that are still empty
NO_MODELS = (
    "A model tells what else living animals have that match its inputs. The more of them agree, "
    "the higher the support, up to 94."
)
NO_ARGUMENTS = "What both have claimed stands here, and who was right."
LEGS = (  # the legs on the other side, and the ribs
    "136,76 160,74 168,96 160,110 166,126 178,131 146,132 148,112 140,96",
    "258,68 288,64 298,86 289,104 298,120 310,129 276,131 280,112 264,96",
)
# What each state of an attribute looks like, by attribute: shapes in the same box, "|" between
# several; those of the legs behind are those of the legs before, so far to the right.
SHAPES = {
    1: ("9,57 9,65 12,65 12,58|14,59 14,67 17,67 17,60", "8,56 11,66 14,58|14,59 17,68 20,60",
        "8,56 8,70 15,70 15,59"),
    2: ("", "25,61 27,68 30,61", "24,60 28,82 33,61"),
    3: ("36,61 39,68 42,61|45,61 48,68 51,61|54,61 57,68 60,60",
        "35,61 41,71 43,61|45,61 51,71 53,61|55,61 61,70 63,60",
        "36,61 36,67 45,67 45,61|48,61 48,67 57,67 57,61"),
    4: ("11,48 14,45 17,47 14,50", "9,49 13,42 19,44 16,51", "7,50 13,39 25,42 19,53"),
    5: ("42,35 45,32 48,35 45,39", "51,36 54,32 57,36 54,40", "51,28 54,24 57,28 54,32"),
    6: ("18,55 24,42 36,38 36,57", "3,55 8,38 36,28 36,59", "-8,53 12,48 36,43 36,54"),
    7: ("129,73 134,73 137,98 133,98", "123,72 141,72 142,99 126,99"),
    8: ("129,102 138,102 137,110 131,110", "129,102 138,102 137,117 131,117",
        "129,102 138,102 137,124 131,124"),
    9: ("144,124 120,124 114,131 146,131",
        "144,124 122,124 104,132 122,129 114,134 130,129 126,134 140,129",
        "144,124 120,121 106,125 104,132 112,127 122,128 116,135 128,129 142,130",
        "142,122 118,120 92,130 96,136 128,134 144,130"),
    10: ("234,60 250,57 250,65", "238,50 254,58 247,66", "245,46 253,46 250,64"),
    11: ("249,68 253,63 258,63 262,68 258,73 253,73", "247,64 265,64 265,72 247,72"),
}  # fmt: skip
BEHIND = {12: (7, 122), 13: (8, 132), 14: (9, 134)}
STANDING = (  # the whole animal in a box of 100 by 100, which stands up at the end
    "1,43 4,37 10,33 16,33 20,36 26,35 43,33 57,34 70,38 85,42 100,38 101,40 86,47 73,50 72,56 "
    "76,63 64,64 66,58 62,52 43,53 37,53 37,60 40,64 30,64 31,58 28,50 24,46 13,44 6,46"
)
RIBS = tuple((x, 34 - abs(x - 190) / 30, 78 - abs(x - 190) / 7) for x in range(132, 222, 13))


# what the state before says, too: of yes and no the second one
SAID_TWICE = {
    code
    for code, name in zip(board.STATES, board.STATE_NAMES, strict=True)
    if name.endswith(": no")
}


class Lines(NamedTuple):
    """The measures of a drawn attribute: its width, the height of a state, width and height of a
    space."""

    wide: float
    line: float
    space: tuple[float, float]


IN_COLUMN = Lines((INSIDE - 4) / 2, 24.0, (44.0, 20.0))


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
    supports, inside = _supports(view, viewer), sheet.width - 2 * MARGIN
    _steps(sheet, view, MARGIN, HEADER, inside)
    y = HEADER + STEPS
    _help(sheet, view, MARGIN, y + 12, ASIDE)
    across = ANIMAL * 395 / 140
    _animal(sheet, view, MARGIN + ASIDE + (inside - ASIDE - across) / 2, y, across)
    y += ANIMAL
    _notes(sheet, view, y, MARGIN, inside, len(board.REGIONS), supports, NOTES)
    for name, first, last in _opened(view, viewer):
        with sheet.within(f"region:{name}"):
            sheet.box(0, y, sheet.width, HEADER + BOARD - y, fill="page")
            across = min((inside + 4) / (last - first), 180)
            how = Lines(across - 4, 26.0, (30.0, 21.0))
            for place, a in enumerate(range(first, last)):
                tall = HEAD + how.line * int(board.STATES_OF[a]) + 3
                _attribute(
                    sheet, view, a, MARGIN + place * across, y, tall, supports, _chosen(view), how
                )
    y = HEADER + BOARD
    _excavation(sheet, view, MARGIN, y, inside)
    y += DUG
    half = (inside - 8) / 2
    for p in range(box.SEATS):
        _seat(sheet, view, p, viewer, MARGIN + p * (half + 8), y, half)
    y += SEAT + 6
    rows = max(3, *map(len, view["models"]), len(view["arguments"]))
    third, tall = (inside - 16) / 3, 32 + rows * ENTRY
    for p in range(box.SEATS):
        _models(sheet, view, p, viewer, MARGIN + p * (third + 8), y, third, tall)
    _arguments(sheet, view, MARGIN + 2 * (third + 8), y, third, tall)


def _opened(view: View, viewer: int | None) -> list[tuple[str, int, int]]:
    """The regions that a viewer can open, each with its first attribute and the one after its last:
    none as long as nobody chooses among their spaces."""
    choosing = view["phase"] in ("model", "research_model", "placement")
    if viewer is None or not (choosing or _supports(view, viewer)):
        return []
    return [(name, first, last) for name, _, first, last in _spans()]


def _steps(sheet: Sheet, view: View, x: float, y: float, width: float) -> None:
    """The steps of a turn, the present one strong."""
    across = (width + 6) / len(TURN)
    for place, (words, phases) in enumerate(TURN):
        now = view["phase"] in phases
        at = x + place * across
        with sheet.thing(f"step:{place + 1}", f"Step {words}{', now' if now else ''}"):
            fill, line = ("yellow", "mark") if now else ("surface", None)
            sheet.box(at, y, across - 6, STEPS - 6, fill, line, 10, 1.6)
            colour = "on_hue" if now else "muted"
            middle, room = at + across / 2 - 3, across - 12
            sheet.text(middle, y + 14.5, words, 12, colour, "middle", bold=now, room=room)


def _help(sheet: Sheet, view: View, x: float, y: float, width: float) -> float:
    """How far the game is, and what the decision is about; returns where it ends."""
    turn = f"Turn {view['turn']} of {view['options']['turns']}"
    with sheet.thing("help", f"{turn}. {HELP[view['phase']]}"):
        sheet.text(x, y, turn, 13, bold=True)
        lines = broken(HELP[view["phase"]], 12, REGULAR, width)
        for line, words in enumerate(lines):
            sheet.text(x, y + 19 + 16 * line, words, 12)
    return y + 14 + 16 * len(lines)


def _chosen(view: View) -> set[str]:
    """The words chosen so far in a decision of several steps."""
    return {
        word
        for actions in view["pending"]
        for action in actions or ()
        for word in action.split()[1:]
    }


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on: the steps of a turn, the animal, what lies in its
    regions, the players, what was drawn, models and arguments; return where it ends."""
    supports = _supports(view, viewer)
    _steps(sheet, view, EDGE, y, INSIDE)
    y += STEPS
    _animal(sheet, view, EDGE, y, INSIDE)
    top = y + 140 * INSIDE / 395
    y = _notes(sheet, view, top, EDGE, INSIDE, 2, supports)
    y = _help(sheet, view, EDGE + 4, y + 12, INSIDE - 8) + 2
    for p in range(box.SEATS):
        y += _seat_in_column(sheet, view, p, viewer, y) + 6
    tall = 34.0
    _excavation(sheet, view, EDGE, y, INSIDE, tall)
    y += tall + 6
    for p in range(box.SEATS):
        count = sum(inputs is not None for inputs in view["models"][p])
        # those that others have shown are among the arguments
        if count and (viewer == p or None not in view["models"][p]):
            _models(sheet, view, p, viewer, EDGE, y, INSIDE, 30 + count * ENTRY, whole=False)
            y += 36 + count * ENTRY
    if view["arguments"]:
        _arguments(sheet, view, EDGE, y, INSIDE, 30 + len(view["arguments"]) * ENTRY)
        y += 36 + len(view["arguments"]) * ENTRY
    ends = [y - 6]
    for name, first, last in _opened(view, viewer):  # over all that is below the animal
        with sheet.within(f"region:{name}"):
            sheet.box(0, top, COLUMN, y - top, fill="page")
            attributes = range(first, last)
            ends.append(_in_two(sheet, view, attributes, top, supports, _chosen(view), IN_COLUMN))
    return max(ends)


def _notes(
    sheet: Sheet, view: View, y: float, x: float, width: float, across: int,
    supports: Mapping[str, int], most: int = 99,
) -> float:  # fmt: skip
    """A note for each region, so many side by side: what is discovered and claimed there, who has
    bet on it, and of a model that is argued with what it predicts; returns where they end."""
    wide, ends = (width + 6) / across, y
    for place, (name, hue, first, last) in enumerate(_spans()):
        if place % across == 0:
            y = ends
        lines = _lines_of(view, range(first, last), supports)[:most]
        tall = HEAD + max(len(lines), most if most < 99 else 1) * NOTE + 6
        left = x + place % across * wide
        known = _known(view, first, last)
        sheet.box(left, y, wide - 6, tall, "surface", None, 5)
        sheet.box(left, y, wide - 6, HEAD, hue, None, 5)
        heading = f"{name.capitalize()}  {known}/{last - first}"
        sheet.text(left + 6, y + 13.5, heading, 12, "on_hue", bold=True)
        if view["request"] == name:
            sheet.text(left + wide - 12, y + 13.5, "×2", 12, "on_hue", "end", bold=True)
        for row, space in enumerate(lines):
            _note(sheet, view, space, supports, left + 4, y + HEAD + 4 + row * NOTE, wide - 14)
        if not lines:
            sheet.text(left + 6, y + HEAD + 15, "nothing known", 11.5, "muted")
        ends = max(ends, y + tall + 6)
    return ends


def _lines_of(view: View, attributes: range, supports: Mapping[str, int]) -> list[str]:
    """The spaces of a region that a note is about: what is discovered, what is claimed, other bets,
    and the predictions, the strongest first."""
    bets = {space for tokens in view["tokens"] for space, count in tokens.items() if count}
    inside = [
        f"{board.STATES[state]}-{sign}" for a in attributes for state in _states(a) for sign in "AN"
    ]
    found = [space for space in inside if space in view["discovered"] and space[-1] == "A"]
    found += [space for space in inside if space in view["conjectured"]]
    found += [space for space in inside if space in bets and space not in found]
    guesses = sorted(
        (one for one in inside if supports.get(one) and one.rpartition("-")[0] not in SAID_TWICE),
        key=lambda s: -supports[s],
    )
    return found + [space for space in guesses if space not in found]


def _note(
    sheet: Sheet, view: View, space: str, supports: Mapping[str, int], x: float, y: float,
    width: float,
) -> None:  # fmt: skip
    """A line of a note: the marker of a space, its words, the support that a model has for it, and
    the tokens."""
    marker = "D" if space in view["discovered"] else "C" if space in view["conjectured"] else ""
    support = supports.get(space, 0)
    says = [in_words()[space], *_lies_there(view, space)]
    says += [f"predicted with support {support}"] if support else []
    with sheet.thing(f"note:{space}", ", ".join(says)):
        hue = {"D": "green", "C": "yellow", "": None}[marker]
        sheet.box(x, y, width, NOTE - 2, "card", None, 3)
        if support:  # of a hundred
            sheet.box(x, y + NOTE - 5, width * support / 100, 3, "mark", None, 1)
        left, right = x + 3, x + width
        if hue:
            sheet.box(x, y, 16, NOTE - 2, hue, None, 3)
            sheet.text(x + 8, y + 12, _sign(space, marker), 11.5, "on_hue", "middle")
            left += 16
        for p in reversed(range(box.SEATS)):
            count = view["tokens"][p].get(space, 0)
            if count:
                right -= 16
                token(sheet, right + 8, y + NOTE / 2 - 1, p, str(count), 6.5)
        if support:
            right -= 3 + sheet.text(right - 2, y + 12, str(support), 11.5, "mark", "end", bold=True)
        sheet.text(left, y + 12, in_short(space), 11.5, room=right - left - 2)


def _known(view: View, first: int, last: int) -> int:
    """How many attributes of a region are discovered."""
    found = {space.partition("-")[0] for space in view["discovered"]}
    return len(found & {str(a + 1) for a in range(first, last)})


def _in_two(
    sheet: Sheet, view: View, attributes: Sequence[int], y: float, supports: Mapping[str, int],
    chosen: set[str], how: Lines,
) -> float:  # fmt: skip
    """Attributes in two columns; returns where they end."""
    talls = [HEAD + how.line * len(_states(attribute)) + 5 for attribute in attributes]
    at, side, top = y, 0, y
    for a, tall in zip(attributes, talls, strict=True):
        if side == 0 and at - top + tall / 2 > sum(talls) / 2:
            y, at, side = at, top, 1
        x = EDGE + side * (how.wide + 4)
        _attribute(sheet, view, a, x, at, tall - 3, supports, chosen, how)
        at += tall
    return max(y, at) + 4


def _lies_there(view: View, space: str) -> list[str]:
    """The marker and the tokens on a space in words."""
    marker = "discovered" if space in view["discovered"] else "claimed"
    marked = [marker] if space in (*view["discovered"], *view["conjectured"]) else []
    return marked + [
        f"{plural(tokens[space], 'bet')} of {player_name(p)}"
        for p, tokens in enumerate(view["tokens"])
        if tokens.get(space)
    ]


def _states(attribute: int) -> range:
    return range(int(board.FIRST_STATE[attribute]), int(board.FIRST_STATE[attribute + 1]))


# ---------------------------------------------------------------- the board


def _attribute(
    sheet: Sheet, view: View, a: int, x: float, y: float, tall: float, supports: Mapping[str, int],
    chosen: set[str], how: Lines,
) -> None:  # fmt: skip
    """An attribute: its states, and for each of them the assertion on the left and the negation on
    the right."""
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
        sheet.text(x + 3, y + 13, name, 11.5, "on_hue", room=room)
        if wanted:
            sheet.text(x + how.wide - 3, y + 13, "×2", 11.5, "on_hue", anchor="end", bold=True)
    for i, state in enumerate(_states(a)):
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
    for leg in LEGS:
        sheet.path(_outline(leg, x, y, scale), "surface", "line", 1)
    sheet.path(_outline(BODY, x, y, scale), "card", "line", 1.5)
    for across, top, low in RIBS:
        start = f"M{x + across * scale:.1f} {y + top * scale:.1f}"
        bend = f"q{9 * scale:.1f} {(low - top) * scale / 2:.1f} {-3 * scale:.1f}"
        sheet.path(f"{start}{bend} {(low - top) * scale:.1f}", None, "back", 1.2 * scale)
    for name, hue, first, last in _spans():
        corners, (across, down) = PARTS[name]
        known = _known(view, first, last)
        wanted = view["request"] == name
        says = f"{name.capitalize()}: {plural(last - first, 'attribute')}, {known} discovered"
        says += "; ✓: it is so, ✗: it is not"
        with sheet.thing(f"region:{name}", says + ", which the special request names" * wanted):
            sheet.path(
                _outline(corners, x, y, scale),
                hue,
                "mark" if wanted else "line",
                2.5 if wanted else 1,
            )
        words = f"{name} ×2" if wanted else f"{name} {known}/{last - first}" if known else name
        sheet.text(
            x + across * scale, y + down * scale, words, 11.5 * min(scale, 1.2),
            "on_hue" if name == "diet" else "ink", "middle", room=90 * scale,
        )  # fmt: skip
    _bones(sheet, view, x, y, scale)


def _bones(sheet: Sheet, view: View, x: float, y: float, scale: float) -> None:
    """What the animal looks like, as far as it is discovered, or yellow, claimed."""
    for word, fill in (("conjectured", "yellow"), ("discovered", "card")):
        for space in view[word]:
            a, state, sign = space.split("-")
            like, aside = BEHIND.get(int(a), (int(a), 0))
            if sign == "N" or like not in SHAPES:
                continue
            for shape in filter(None, SHAPES[like][int(state) - 1].split("|")):
                corners = [corner.split(",") for corner in shape.split()]
                ends = [
                    f"{x + (float(across) + aside) * scale:.1f} {y + float(down) * scale:.1f}"
                    for across, down in corners
                ]
                sheet.path(f"M{' L'.join(ends)}Z", fill, "ink", 1.2)


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
            sheet.text(x + 50, y + 36, f"next: {codes}", 11.5, "muted", room=770)
    drawn, at = view["drawn"], x + 50
    last = len(drawn) - 1
    room = x + width - at - (150 if sheet.width == COLUMN else 330)
    step = min(24.0, room / max(last, 1))
    for place, card in enumerate(drawn):
        kind = "card" if card == "rock" else "yellow" if card.startswith("request") else "green"
        words, colour = SIGNS.get(card.split()[0], "✓"), "muted" if kind == "card" else "on_hue"
        wide = step - 2
        if place == last:  # in words
            says = in_short(card) if kind == "green" else in_words()[card]
            wide = x + width - at - (8 if sheet.width == COLUMN else 150)
            words = f"{words} {says}"
            wide = min(wide, width_of(words, 12) + 14)
        with sheet.thing(f"drawn:{place}", f"Drawn: {in_words()[card]}"):
            line, thick = ("mark", 2) if place == last else ("line", 0.8)
            sheet.box(at, y + 7, wide, 20, kind, line, 3, thick)
            sheet.text(at + wide / 2, y + 21, words, 11.5, colour, "middle", room=wide - 2)
        at += wide + 2


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
    sheet.text(x + width - 278, y + 18, "act or pass", 11.5, "muted")
    sheet.text(x + width - 278, y + 41, "bets", 11.5, "muted")
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
            f"Card {card} of {whose}, "
            f"{f'played as number {place + 1} of this turn' if played else 'not played yet'}"
        )
        _plate(sheet, name, words, x + place * step, y, step - 4, card, played)


def _evaluations(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, step: float
) -> None:
    """The three evaluation cards; the one that was revealed is strong."""
    for place, card in enumerate(s.EVALUATIONS):
        played = view["evaluation"][p] == card
        words = f"Card {card} bets of {in_sentence(p, viewer)}{', revealed' if played else ''}"
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
    if not view["models"][p] and viewer in (p, None):
        sheet.lines(x + 12, y + 42, NO_MODELS, width - 24, 11.5, "muted")
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
            sheet.text(x + 11, at + 12, words, 11.5, "ink" if inputs else "muted", room=width - 20)
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
    """A space or a state as one says it."""
    if name in board.SPACES:
        return board.SPACES_SAID[board.SPACES.index(name)]
    return board.STATES_SAID[board.STATES.index(name)]


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
    panel(sheet, x, y, width, tall, "Claims and attacks")
    if not view["arguments"]:
        sheet.lines(x + 12, y + 42, NO_ARGUMENTS, width - 24, 11.5, "muted")
    for place, argument in enumerate(view["arguments"]):
        at, by, valid = y + 28 + place * ENTRY, argument["by"], argument["valid"]
        target = argument["target"]
        inputs = " and ".join(map(in_short, argument["inputs"]))
        about, proved = in_short(argument["output"]), argument["output"] in view["discovered"]
        if target:
            does, end = f"attacks the claim about {about} from {in_short(target)}", ""
            does_short = f"✗ {in_short(target)} → {about}"
        else:
            does = f"claims {about} with support {argument['support']}{', proved' * proved}"
            end, does_short = "✓" if proved else str(argument["support"]), f"→ {about}"
        title = (
            f"Turn {argument['turn']}, {player_name(by)}: {inputs}: "
            f"{does}{'' if valid else ', refuted'}"
        )
        with sheet.thing(f"argument:{place}", title):
            new = argument["turn"] == view["turn"]
            fill, line = "card" if valid else "surface", "mark" if new else None
            fill = "green" if proved and valid else fill
            sheet.box(x + 6, at, width - 12, ENTRY - 2, fill=fill, line=line, corner=3)
            token(sheet, x + 17, at + 14, by, str(by + 1), 7.5)
            words = f"{argument['turn']}: {' and '.join(map(in_short, argument['inputs']))}"
            colour, room = "ink" if valid else "muted", width - 43 - (0 if target else 20)
            colour = "on_hue" if fill == "green" else colour
            wide = sheet.text(x + 29, at + 12, words, 11.5, colour, room=width - 38)
            low = sheet.text(x + 29, at + 24.5, does_short, 11.5, colour, room=room)
            if not valid:
                for down, long in ((8.0, wide), (20.5, low)):
                    sheet.stroke(x + 29, at + down, x + 33 + long, at + down, "muted", 1.2)
            sheet.text(x + width - 12, at + 24.5, end, 11.5, colour, anchor="end", bold=not target)


# ---------------------------------------------------------------- actions


def legend(options: View) -> tuple[Sign, ...]:
    def space(marker: str, words: str) -> Callable[[Sheet, float, float], None]:
        def draw(sheet: Sheet, x: float, y: float) -> None:
            _shape(sheet, x - 15, y - 8, (29.0, 16.0), marker, False)
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
        Sign("claimed (a conjecture)", space("C", "✓?")),
        Sign("predicted, with support 35", space("", "35")),
        Sign(
            "bets of player 1 (tokens) on a space, or left in the bank",
            lambda sheet, x, y: pips(sheet, x - 14, y, 2, 3, SEAT_HUES[0], 4),
        ),
        Sign("a card that was drawn: state 1 of attribute 10", plate("10-1", "green")),
        Sign("a card that was drawn: rock, which says nothing", plate(SIGNS["rock"], "card")),
        Sign("a special request: its region counts twice", plate(SIGNS["request"], "yellow")),
        Sign("a card that was played: act or pass, or for bets", plate("act ✓", "yellow", wide=50)),
        Sign("an attack on a claim (a nullification)", letters("✗ →")),
        Sign("a claim that is refuted", _struck),
    )


def _struck(sheet: Sheet, x: float, y: float) -> None:
    sheet.text(x, y + 4, "blunt hands", 11.5, "muted", anchor="middle")
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
            return (_region(space), f"space:{space}", *_noted(view, seat, space))
        case ["output", state]:
            notes = (note for sign in "AN" for note in _noted(view, seat, f"{state}-{sign}"))
            return (_region(state), f"state:{state}", *notes)
        case ["act" | "pass"]:
            return (f"card:{seat}:{words[0]}",)
        case ["argue", model]:
            return (f"model:{seat}:{model}",)
        case ["target", number]:
            space = _chosen_model(view, seat or 0)[int(number) - 1]
            return (_region(space), f"space:{space}")
        case ["add" | "move" | "remove"]:
            return (f"evaluation:{seat}:{words[0]}",)
    return ()


def _noted(view: View, seat: int | None, space: str) -> tuple[str, ...]:
    """The note of a space, where it has one in its region."""
    a = int(space.partition("-")[0]) - 1
    first, last = next((first, last) for _, _, first, last in _spans() if first <= a < last)
    lines = _lines_of(view, range(first, last), _supports(view, seat))
    return (f"note:{space}",) if space in lines[:NOTES] else ()


def _region(name: str) -> str:
    """The part of the animal that a space or a state belongs to."""
    return f"region:{board.REGIONS[board.REGION_OF[int(name.partition('-')[0]) - 1]]}"


def _argued(event: Event) -> tuple[str, ...]:
    spaces = (event.values.get(part) for part in ("first", "second", "output"))
    return f"model:{event.seat}:{event.values['model']}", *(
        f"note:{code}" for code in spaces if code in board.SPACES
    )


def _output(event: Event) -> tuple[str, ...]:
    return (f"note:{event.values['output']}",) if event.values["output"] in board.SPACES else ()


def _drawn(event: Event) -> tuple[str, ...]:
    card = event.values["card"]
    return (f"note:{card}-A", _region(card)) if card in board.STATES else ()


def _found(event: Event) -> str:
    return "find" if event.values["card"] in board.STATES else ""


ABOUT: About = {
    **dict.fromkeys(("created", "conjectured", "attacked"), _argued),
    "evaluated": ("evaluation:{seat}:{card}",),
    **dict.fromkeys(("invalidated", "lasted"), _output),
    "moved": ("note:{space}", "note:{to}"),
    "settled": lambda event: (_region(f"{event.values['attribute']}-1"),),
    **dict.fromkeys(("excavated", "explored"), _drawn),
    **dict.fromkeys(
        ("marked", "unmarked", "put", "took_back", "weighed", "confirmed"), ("note:{space}",)
    ),
}

JOYS: Joys = {
    **dict.fromkeys(("excavated", "explored"), _found),
    "conjectured": "find",
    "attacked": "loss",
    "settled": lambda event: "loss" if event.values["points"] < 0 else "find",
    "last_turn_ended": f"complete:{STANDING}",
}
