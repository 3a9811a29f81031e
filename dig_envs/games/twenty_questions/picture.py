"""The picture of a view of Twenty Questions: the players, the card in play, what can be asked, and
the genera it may be."""

from collections import Counter
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, NamedTuple

from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_cards import PERIOD_HUES, TRACE_HUE, face, fossil_signs, name_of, trace
from dig_envs.games.fossil_silhouettes import silhouette
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s
from dig_envs.games.twenty_questions.drawing import title as headline
from dig_envs.pictures.fonts import REGULAR, width_of
from dig_envs.pictures.legend import FACE_DOWN, Sign, plate
from dig_envs.pictures.parts import (
    EDGE,
    HEADER,
    INSIDE,
    MARGIN,
    About,
    Joys,
    card,
    panel,
    plural,
    stack,
)
from dig_envs.pictures.seats import marked_name, seat_name, token
from dig_envs.pictures.sheet import COLUMN, Sheet
from dig_envs.text.views import size_of

__all__ = ["ABOUT", "JOYS", "column", "headline", "height", "legend", "paint", "touched"]

View = Mapping[str, Any]

SEAT = 56.0  # height of a player's lines
TABLE = 112.0  # height of deck, card in play, answers and discards
QUESTIONS = 136.0  # height of the questions
GENUS, ACROSS = (128.0, 118.0), 7  # a genus to guess, and how many stand in a row
BRIEF = 70.0  # height of one of many in a column, with its silhouette only
FOLDED = (64.0, 30.0)  # one that the card in play cannot be, in a column
SMALL = (56.0, 76.0)  # deck and card in play

QUESTION_TEXTS = s.ACTIONS.names[: box.NUM_QUESTIONS]
ROWS, ROW = 4, 31.0  # rows of questions, and the height of one


class Group(NamedTuple):
    """Questions that differ in a value (``{}``) only: the row of their buttons and the words before
    it, a word or two, a button."""

    row: int
    before: str
    short: str
    button: str = "{}"


GROUPS = {
    "period": Group(0, "period", "{}"),
    "carnivore": Group(0, "", "carnivore", "carnivore"),
    "dinosaur": Group(0, "", "dinosaur", "dinosaur"),
    "trace": Group(0, "", "trace fossil", "trace fossil"),
    "fossils": Group(1, "parts", "{} parts"),
    "skeletons": Group(1, "skeletons", "skeletons {}"),
    "value>=": Group(1, "worth at least", "worth ≥ {}"),
    "research": Group(2, "research", "research {}"),
    "length<": Group(2, "shorter than", "under {} m", "{} m"),
    "weight<": Group(3, "lighter than", "under {} kg", "{} kg"),
    "name": Group(3, "named", "name {}"),
}


class Words(NamedTuple):
    """The words for a question or a guess: the name of its thing, a complete sentence, a word or
    two, its button."""

    thing: str
    sentence: str
    short: str
    button: str = ""


def _words_of(question: str, sentence: str) -> Words:
    """The words for a question: those of its group, with the value in their place."""
    name = next(name for name in GROUPS if question.startswith(f"ask {name}"))
    value = question.removeprefix(f"ask {name}").strip()
    said = deck.PERIOD_NAMES.get(
        value, f"{int(value):,}" if value.isdigit() else value.replace("A-", "A to ")
    )
    thing = f"ask:{name.rstrip('<>=')}" + (f":{value}" if value else "")
    return Words(thing, sentence, *(words.format(said) for words in GROUPS[name][2:]))


# Of all questions and guesses.
WORDS = {
    text: _words_of(text, words)
    for text, words in zip(QUESTION_TEXTS, box.QUESTIONS_IN_WORDS, strict=True)
}
WORDS |= {
    f"guess {genus}": Words(f"guess:{genus}", f"Is it {name}?", genus)
    for genus, name in zip(box.GENERA, box.GENUS_NAMES, strict=True)
}


def height(options: View) -> int:
    genera = ceil(len(box.GENERA) / ACROSS) * (GENUS[1] + 6)
    return int(HEADER + ceil(options["num_players"] / 2) * SEAT + TABLE + QUESTIONS + genera + 8)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    seats, half = len(view["scores"]), (sheet.width - 2 * MARGIN - 6) / 2
    for p in range(seats):
        _player(sheet, view, p, viewer, MARGIN + p % 2 * (half + 6), HEADER + p // 2 * SEAT, half)
    top = HEADER + ceil(seats / 2) * SEAT
    panel(sheet, MARGIN, top, sheet.width - 2 * MARGIN, TABLE - 8)
    _cards(sheet, view, viewer, MARGIN + 8, top)
    if view["phase"] != "over":
        _heard(sheet, view, 258, top, 380, 4)
    _discards(sheet, view, 650, top, sheet.width - MARGIN - 650, TABLE - 20)
    answers = dict(view["asked"])
    panel(sheet, MARGIN, top + TABLE, sheet.width - 2 * MARGIN, QUESTIONS - 8)
    _questions(sheet, answers, top + TABLE)
    for place in range(len(box.GENERA)):
        x = MARGIN + place % ACROSS * (sheet.width - 2 * MARGIN - GENUS[0]) / (ACROSS - 1)
        y = top + TABLE + QUESTIONS + place // ACROSS * (GENUS[1] + 6)
        _genus(sheet, view, place, x, y, GENUS[0])


def column(sheet: Sheet, view: View, viewer: int | None, y: float) -> float:
    """Draw the same in a column, from y on; of the genera that the card in play cannot be only the
    names. Return where it ends."""
    answers = dict(view["asked"])
    for p in range(len(view["scores"])):
        _player(sheet, view, p, viewer, EDGE, y, INSIDE)
        y += SEAT
    panel(sheet, EDGE, y, INSIDE, TABLE - 8)
    _cards(sheet, view, viewer, EDGE + 2, y)
    y += TABLE - 2
    if view["phase"] != "over":
        panel(sheet, EDGE, y, INSIDE, 96)
        _heard(sheet, view, EDGE + 10, y - 4, INSIDE - 20, 4)
        y += 102
    y = _questions_in_column(sheet, answers, y) + 6
    open_ones = [
        place for place in range(len(box.GENERA)) if _may_be(view, place) or view["phase"] == "over"
    ]
    across, high = (2, GENUS[1]) if len(open_ones) <= 8 else (3, BRIEF)
    wide = (INSIDE + 6) / across
    for k, place in enumerate(open_ones):
        _genus(
            sheet,
            view,
            place,
            EDGE + k % across * wide,
            y + k // across * (high + 6),
            wide - 6,
            high,
        )
    y += ceil(len(open_ones) / across) * (high + 6)
    others = [place for place in range(len(box.GENERA)) if place not in open_ones]
    if others:
        sheet.text(EDGE + 4, y + 14, "cannot be the card in play", 11.5, "muted")
        y += 24
        for k, place in enumerate(others):
            _folded(sheet, view, place, EDGE + k % 5 * (INSIDE + 6) / 5, y + k // 5 * 40)
        y += ceil(len(others) / 5) * 40
    discards = ceil(len(set(view["discards"])) / 5)
    _discards(sheet, view, EDGE + 8, y, INSIDE - 8, 34 + 21 * discards)
    return y + 40 + 21 * discards


# ---------------------------------------------------------------- players


def _player(
    sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, width: float
) -> None:
    """Name, role, questions left and cards of a player."""
    asks, won, left, most = (
        view["to_move"] == p,
        p in view["winners"],
        view["left"][p],
        view["options"]["questions"],
    )
    role = "asks" if asks else "answers" if view["answerer"] == p else "won" if won else ""
    cards = ", ".join(_name(genus) for genus in view["taken"][p])
    says = [
        seat_name(p, viewer),
        role,
        f"{plural(left, 'question')} left",
        plural(view["scores"][p], "card") + (f": {cards}" if cards else ""),
    ]
    with sheet.thing(f"seat:{p}", "; ".join(word for word in says if word)):
        sheet.box(x, y, width, SEAT - 6, "surface", "mark" if asks else None, 6, 2)
        token(sheet, x + 20, y + 16, p, str(p + 1), 9)
        wide = sheet.text(x + 38, y + 20.5, marked_name(view, p, viewer), 13, bold=True, room=110)
        sheet.text(x + 46 + wide, y + 20, role, 12, "mark")
        sheet.text(x + width - 10, y + 20, f"{left} of {most} questions", 11.5, anchor="end")
        if width > INSIDE:
            sheet.box(x + width - 232, y + 11, 90, 10, fill="page", line="line", corner=5)
            if left:
                sheet.box(
                    x + width - 232,
                    y + 11,
                    max(90 * left / most, 6),
                    10,
                    fill="sky",
                    line="line",
                    corner=5,
                )
        sheet.text(x + 38, y + 41, plural(view["scores"][p], "card"), 12, bold=True)
        _plates(sheet, view["taken"][p], x + 96, y + 28, width - 102)


def _plates(
    sheet: Sheet, cards: list[str], x: float, y: float, room: float, across: int = 0
) -> None:
    """Cards as plates, one for each genus with its number, in genus order; in rows of ``across``,
    or in one row."""
    held = Counter(cards)
    wide = room / across if across else min(52, room / max(len(held), 1))
    for place, genus in enumerate(genus for genus in box.GENERA if held[genus]):
        at = x + place % (across or 99) * wide, y + place // (across or 99) * 21
        hue = (
            TRACE_HUE
            if genus in deck.TRACES
            else PERIOD_HUES[str(box.PERIOD[box.GENERA.index(genus)])]
        )
        sheet.box(*at, wide - 4, 18, fill=hue, line="line", corner=3)
        word = genus if held[genus] == 1 else f"{genus}×{held[genus]}"
        sheet.text(
            at[0] + wide / 2 - 2,
            at[1] + 13.3,
            word,
            11.5,
            "on_hue",
            anchor="middle",
            bold=wide > 34,
            room=wide - 4,
        )


def _name(genus: str) -> str:
    return box.GENUS_NAMES[box.GENERA.index(genus)]


# ---------------------------------------------------------------- the table


def _cards(sheet: Sheet, view: View, viewer: int | None, left: float, y: float) -> None:
    """The deck, and the card in play for who may see it."""
    cards = size_of(view["deck"])
    stack(
        sheet,
        "deck",
        f"Deck: {plural(cards, 'card')}, face down",
        left + 8,
        y + 10,
        cards,
        SMALL,
        "deck",
    )
    if view["phase"] == "over":
        return
    code, x = view["card"], left + 92
    says = "The card in play, face down" if code is None else f"The card in play: {name_of(code)}"
    knows = seat_name(view["answerer"], viewer)
    verb, whose = ("know", "you know it") if view["answerer"] == viewer else ("knows", "knows it")
    card(
        sheet,
        "card",
        f"{says}; {knows} {verb} it",
        x,
        y + 10,
        SMALL,
        None if code is None else face(sheet, code),
        marked=True,
    )
    sheet.text(x + SMALL[0] / 2, y + SMALL[1] + 26, "in play", 11.5, "muted", anchor="middle")
    token(sheet, x + 100, y + 36, view["answerer"], str(view["answerer"] + 1), 10)
    sheet.text(x + 100, y + 62, whose, 11.5, "muted", anchor="middle")


def _heard(sheet: Sheet, view: View, x: float, y: float, room: float, most: int) -> None:
    """Write all that has been put about the card in play, in order; where there is no room for all,
    the last of it."""
    said = [
        f"{place}. {WORDS[text].short}: {'yes' if yes else 'no'}"
        for place, (text, yes) in enumerate(view["asked"], 1)
    ]
    words = [f"{WORDS[text].sentence} {'Yes' if yes else 'No'}." for text, yes in view["asked"]]
    with sheet.thing("asked", "Heard about this card: " + (" ".join(words) or "nothing yet")):
        sheet.room(x - 6, y + 8, room + 8, 88)
        sheet.text(x, y + 22, "Heard about this card", 12, "muted", bold=True)
        if not said:
            sheet.text(x, y + 42, "nothing yet", 12, "muted")
            return
        while _flow(said, 11.5, room)[-1][1] > (most - 0.5) * 16:
            said = ["…", *said[2:]]
        for entry, (across, down) in zip(said, _flow(said, 11.5, room), strict=True):
            sheet.text(x + across, y + 40 + down, entry, 11.5)


def _flow(entries: list[str], size: float, room: float) -> list[tuple[float, float]]:
    """The place of each entry in lines of this width."""
    across, down, places = 0.0, 0.0, []
    for entry in entries:
        width = width_of(entry, size, REGULAR)
        if across and across + width > room:
            across, down = 0.0, down + 16
        places.append((across, down))
        across += width + size
    return places


def _discards(sheet: Sheet, view: View, x: float, y: float, width: float, high: float) -> None:
    """The cards discarded, face up, by genus."""
    cards = view["discards"]
    order = ": " + ", ".join(_name(genus) for genus in cards) if cards else ""
    with sheet.thing("discards", plural(len(cards), "card") + " discarded" + order):
        sheet.box(
            x - 8, y + 6, width, high, fill="page" if sheet.width > COLUMN else "surface", corner=6
        )
        sheet.text(x, y + 22, f"{plural(len(cards), 'card')} discarded", 12, "muted", bold=True)
        _plates(sheet, cards, x, y + 28, width - 12, across=5)


# ---------------------------------------------------------------- questions


def _questions(sheet: Sheet, answers: Mapping[str, bool], y: float) -> None:
    """A button for each question, which shows the answer once it is asked."""
    left = dict.fromkeys(range(ROWS), MARGIN + 14)
    for name, group in GROUPS.items():
        base, x = y + 24 + ROW * group.row, left[group.row]
        if group.before:
            x += sheet.text(x, base, group.before, 12, "muted") + 8
        for text in QUESTION_TEXTS:
            if text.startswith(f"ask {name}"):
                x += _button(sheet, WORDS[text], answers.get(text), x, base - 17) + 6
        left[group.row] = x + 16


def _questions_in_column(sheet: Sheet, answers: Mapping[str, bool], y: float) -> float:
    """The same in lines of a column, as far apart as fingers need; returns where they end."""
    lines: list[list[tuple[float, str, Words | None]]] = [[]]
    # whether the group before goes on in a second line, where nothing else stands
    x, broken = 0.0, False
    for name, group in GROUPS.items():
        entries: list[tuple[float, str, Words | None]] = []
        if group.before:
            entries.append((width_of(group.before, 12, REGULAR) + 6, group.before, None))
        entries += [
            (width_of(WORDS[text].button, 12, REGULAR) + 37, text, WORDS[text])
            for text in QUESTION_TEXTS if text.startswith(f"ask {name}")
        ]  # fmt: skip
        if x and (broken or x + sum(entry[0] for entry in entries) > INSIDE - 12):
            lines, x, broken = [*lines, []], 0.0, False
        for entry in entries:
            if x + entry[0] > INSIDE - 8:
                lines, x, broken = [*lines, []], 0.0, True
            lines[-1].append(entry)
            x += entry[0]
    panel(sheet, EDGE, y, INSIDE, 40 * len(lines) + 4)
    for down, line in enumerate(lines):
        x = EDGE + 8
        for width, words, question in line:
            if question is None:
                sheet.text(x, y + 26 + 40 * down, words, 12, "muted")
            else:
                _button(sheet, question, answers.get(words), x, y + 6 + 40 * down, 32)
            x += width
    return y + 40 * len(lines) + 4


def _button(
    sheet: Sheet, question: Words, answer: bool | None, x: float, y: float, high: float = 25.0
) -> float:
    """A question, with a tick and green for yes, with a cross and red for no; returns its width."""
    with sheet.thing(
        question.thing, question.sentence + ("" if answer is None else " Yes" if answer else " No")
    ):
        _pill(sheet, question.button, answer, x, y, high)
    return _pill_width(question.button)


def _pill_width(words: str) -> float:
    return width_of(words, 12, REGULAR) + 34


def _pill(sheet: Sheet, words: str, answer: bool | None, x: float, y: float, high: float) -> None:
    width = _pill_width(words)
    sheet.box(
        x,
        y,
        width,
        high,
        fill="card" if answer is None else "green" if answer else "red",
        line="line",
        corner=12,
    )
    # the tick or cross has its place from the start: nothing moves
    shift = 0 if answer is None else -7
    colour = "ink" if answer is None else "on_hue"
    sheet.text(x + width / 2 + shift, y + high / 2 + 4.5, words, 12, colour, anchor="middle")
    if answer is not None:
        at = x + width - 15, y + high / 2
        mark = (
            f"M{at[0] - 5:.1f} {at[1]:.1f}l4 5l7 -10"
            if answer
            else f"M{at[0] - 4:.1f} {at[1] - 4:.1f}l8 8m0 -8l-8 8"
        )
        sheet.path(mark, None, "on_hue", 2.4)


# ---------------------------------------------------------------- genera


def _left(view: View, place: int) -> int:
    """The number of cards of a genus that have not been seen yet."""
    genus = box.GENERA[place]
    return int(
        box.CARDS[place] - sum(cards.count(genus) for cards in (view["discards"], *view["taken"]))
    )


def _may_be(view: View, place: int) -> bool:
    """Whether a genus may be the card in play, after all that was heard of it."""
    agrees = all(
        bool(int(box.YES[s.ACTIONS.names.index(text)]) >> place & 1) == yes
        for text, yes in view["asked"]
    )
    return _left(view, place) > 0 and agrees and view["phase"] != "over"


def _genus_in_words(view: View, place: int) -> str:
    """A genus with what is printed on its cards, how many are not seen yet, and whether it may be
    the card in play."""
    genus, left = box.GENERA[place], _left(view, place)
    guessed = any(text == f"guess {genus}" for text, _ in view["asked"])
    state = (
        "guessed wrongly"
        if guessed
        else "may be the card in play"
        if _may_be(view, place)
        else "not the card in play"
    )
    words = [
        name_of(genus),
        *_facts(place),
        f"{left} of {plural(int(box.CARDS[place]), 'card')} not seen yet",
    ]
    return ", ".join(words + [state] * (view["phase"] != "over"))


def _genus(
    sheet: Sheet, view: View, place: int, x: float, y: float, wide: float, high: float = GENUS[1]
) -> None:
    """A genus as :func:`_genus_in_words` tells it."""
    genus, may_be = box.GENERA[place], _may_be(view, place)
    guessed = any(text == f"guess {genus}" for text, _ in view["asked"])
    with sheet.thing(f"guess:{genus}", _genus_in_words(view, place)):
        _printed(sheet, place, may_be or view["phase"] == "over", x, y, wide, high)
        sheet.box(x + 1, y + high - 18, wide - 2, 17, fill="green" if may_be else "grey", corner=4)
        foot = "no" if guessed else f"{_left(view, place)} of {box.CARDS[place]} left"
        sheet.text(x + wide / 2, y + high - 5.5, foot, 11.5, "on_hue", anchor="middle", bold=may_be)
        if guessed:
            sheet.path(
                f"M{x + 8:.1f} {y + 26:.1f}l{wide - 16:.1f} 64m0 -64l{16 - wide:.1f} 64",
                None,
                "mark",
                2.5,
            )


def _folded(sheet: Sheet, view: View, place: int, x: float, y: float) -> None:
    """A genus that the card in play cannot be: its name only."""
    with sheet.thing(f"guess:{box.GENERA[place]}", _genus_in_words(view, place)):
        sheet.box(x, y, *FOLDED, fill="surface", line="grey", corner=5)
        sheet.text(x + FOLDED[0] / 2, y + 20, box.GENERA[place], 12, "muted", anchor="middle")


def _facts(place: int) -> list[str]:
    facts = [
        deck.PERIOD_NAMES[str(box.PERIOD[place])],
        "carnivore" if box.CARNIVORE[place] else "herbivore",
    ]
    facts += [] if box.DINOSAUR[place] else ["no dinosaur"]
    facts += [f"{box.LENGTH[place]:g} m", f"{box.WEIGHT[place]:,} kg"]
    if box.TRACE[place]:
        return [*facts, f"research {box.RESEARCH[place]}"]
    return [
        *facts,
        f"{box.FOSSILS[place]} parts",
        plural(int(box.SKELETONS[place]), "skeleton"),
        f"worth {box.VALUE[place]}",
    ]


def _printed(
    sheet: Sheet, place: int, strong: bool, x: float, y: float, wide: float, high: float
) -> None:
    """The face of a genus; pale if it is ruled out."""
    genus, colour, middle = box.GENERA[place], "ink" if strong else "muted", x + wide / 2
    period, is_trace = str(box.PERIOD[place]), bool(box.TRACE[place])
    sheet.box(
        x,
        y,
        wide,
        high,
        fill="card" if strong else "surface",
        line="line" if strong else None,
        corner=5,
    )
    sheet.box(x + 1, y + 1, wide - 2, 18, fill=PERIOD_HUES[period] if strong else "grey", corner=4)
    sheet.text(x + 6, y + 14, genus, 12, "on_hue", bold=True)
    worth = f"r{box.RESEARCH[place]}" if is_trace else str(box.VALUE[place])
    sheet.text(x + wide - 6, y + 14, f"{period} · {worth}", 11.5, "on_hue", anchor="end")
    if high < GENUS[1]:
        if is_trace:
            trace(sheet, genus, middle - 20, y + 22, 40, 26)
        else:
            parts = int(box.FOSSILS[place])
            silhouette(sheet, genus, middle - 26, y + 21, 52, 29, parts, range(1, parts + 1))
        return
    sheet.text(middle, y + 33, box.GENUS_NAMES[place], 11.5, colour, anchor="middle", room=wide - 6)
    left = middle - GENUS[0] / 2
    if is_trace:
        trace(sheet, genus, left + 12, y + 39, 34, 24)
    else:
        parts = int(box.FOSSILS[place])
        silhouette(
            sheet, genus, left + 6, y + 37, 48, 28, parts, range(1, parts + 1) if strong else ()
        )
    for down, words in ((48, f"{box.LENGTH[place]:g} m"), (63, f"{box.WEIGHT[place]:,} kg")):
        sheet.text(left + GENUS[0] - 6, y + down, words, 11.5, colour, anchor="end")
    last = (
        "trace fossil"
        if is_trace
        else f"{box.FOSSILS[place]} parts · {plural(int(box.SKELETONS[place]), 'skel.', 'skel.')}"
    )
    diet = ("carnivore" if box.CARNIVORE[place] else "herbivore") + (
        "" if box.DINOSAUR[place] else ", no dino."
    )
    for down, words in ((79, diet), (94, last)):
        sheet.text(middle, y + down, words, 11.5, colour, anchor="middle", room=wide - 6)


def legend(options: View) -> tuple[Sign, ...]:
    def answered(answer: bool) -> Callable[[Sheet, float, float], None]:
        def draw(sheet: Sheet, x: float, y: float) -> None:
            width = _pill_width("4 m")
            _pill(sheet, "4 m", answer, x - width / 2, y - 12.5, 25)

        return draw

    return (
        *(sign for sign in fossil_signs("TRI", traces=True) if "worth" not in sign.words),
        Sign("its period, and what it is worth", plate("K · 19", PERIOD_HUES["K"], wide=54)),
        FACE_DOWN,
        Sign("a question that was answered with yes", answered(True)),
        Sign("a question that was answered with no", answered(False)),
        Sign(
            "may be the card in play; so many of its cards have not been seen yet",
            plate("2 of 3 left", "green", wide=72),
        ),
        Sign("cannot be the card in play any more", plate("2 of 3 left", "grey", wide=72)),
    )


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    action = " ".join(words)
    return (WORDS[action].thing if action in WORDS else "discards",)


ABOUT: About = {
    "drew": ("deck", "card"),
    "asked": lambda event: (WORDS[event.values["question"]].thing,),
    "guessed": ("guess:{genus}",),
    "answered": ("asked",),
    "took": ("card", "seat:{seat}"),
    "discarded": ("card", "discards"),
}

JOYS: Joys = {"took": "find", "passed_over": "loss"}
