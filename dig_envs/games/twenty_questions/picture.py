"""The picture of a view of Twenty Questions: the players, the card in play, what can be asked, and the genera it may be."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from dig_envs.engine.core.events import Event
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_cards import PERIOD_HUES, TRACE_HUE, face, name_of, trace
from dig_envs.games.fossil_silhouettes import silhouette
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s
from dig_envs.games.twenty_questions.drawing import title as headline
from dig_envs.pictures.fonts import REGULAR, width_of
from dig_envs.pictures.parts import HEADER, MARGIN, Part, card, marked_name, panel, plural, seat_name, stack, token
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import size_of

__all__ = ["about", "headline", "height", "paint", "parts", "touched"]

View = Mapping[str, Any]

SEAT = 36.0  # height of a player's line
TABLE = 124.0  # height of deck, card in play, answers and discards
QUESTIONS = 140.0  # height of the questions
GENUS, ACROSS = (86.0, 118.0), 10  # a genus to guess, and how many stand in a row
SMALL = (62.0, 84.0)  # deck and card in play
ANSWERS = 364.0  # width of what has been heard

QUESTION_TEXTS = s.ACTIONS.names[: box.NUM_QUESTIONS]
ROWS, ROW = 4, 31.0  # rows of questions, and the height of one


class Group(NamedTuple):
    """Questions that differ in a value (``{}``) only: the row of their buttons and the words before it, a word or two, a button."""

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
    """How a question or a guess is called: the name of its thing, a whole sentence, a word or two, its button."""

    thing: str
    sentence: str
    short: str
    button: str = ""


def _words_of(question: str, sentence: str) -> Words:
    """How a question is called: the words of its group, the value in their place."""
    name = next(name for name in GROUPS if question.startswith(f"ask {name}"))
    value = question.removeprefix(f"ask {name}").strip()
    said = deck.PERIOD_NAMES.get(value, f"{int(value):,}" if value.isdigit() else value.replace("A-", "A to "))
    thing = f"ask:{name.rstrip('<>=')}" + (f":{value}" if value else "")
    return Words(thing, sentence, *(words.format(said) for words in GROUPS[name][2:]))


# Of all questions and guesses.
WORDS = {text: _words_of(text, words) for text, words in zip(QUESTION_TEXTS, box.QUESTIONS_IN_WORDS, strict=True)}
WORDS |= {
    f"guess {genus}": Words(f"guess:{genus}", f"Is it {name}?", genus)
    for genus, name in zip(box.GENERA, box.GENUS_NAMES, strict=True)
}


def height(options: View) -> int:
    """The height of the picture in pixels, which depends on the options only."""
    return int(HEADER + options["num_players"] * SEAT + 4 + TABLE + QUESTIONS + 2 * (GENUS[1] + 8) + MARGIN)


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    seats = len(view["scores"])
    for p in range(seats):
        _player(sheet, view, p, viewer, HEADER + p * SEAT)
    top = HEADER + seats * SEAT + 4
    panel(sheet, MARGIN, top, sheet.width - 2 * MARGIN, TABLE - 8)
    _cards(sheet, view, viewer, top)
    if view["phase"] != "over":
        _heard(sheet, view, 268, top)
    _discards(sheet, view, 650, top)
    answers = dict(view["asked"])
    _questions(sheet, answers, top + TABLE)
    gone = Counter([*view["discards"], *(genus for cards in view["taken"] for genus in cards)])
    for place, genus in enumerate(box.GENERA):
        x = MARGIN + place % ACROSS * (sheet.width - 2 * MARGIN - GENUS[0]) / (ACROSS - 1)
        y = top + TABLE + QUESTIONS + place // ACROSS * (GENUS[1] + 8)
        _genus(sheet, view, place, answers, int(box.CARDS[place]) - gone[genus], x, y)


def parts(view: View) -> list[Part]:
    """The parts of the picture that can stand below each other: the card and what was heard of it, players, discards, each genus.

    The questions are not among them: who plays has them as buttons.
    """
    seats = len(view["scores"])
    top = HEADER + seats * SEAT + 4
    rows = [(x, HEADER + p * SEAT, wide, SEAT - 5) for p in range(seats) for x, wide in ((MARGIN, 474.0), (MARGIN + 474, 454.0))]
    step = (960 - 2 * MARGIN - GENUS[0]) / (ACROSS - 1)
    genera = [
        (MARGIN + place % ACROSS * step, top + TABLE + QUESTIONS + place // ACROSS * (GENUS[1] + 8), *GENUS)
        for place in range(len(box.GENERA))
    ]
    cards = [(MARGIN, top, 238.0, TABLE - 8), (258.0, top, 380.0, TABLE - 8), (640.0, top, 320 - MARGIN, TABLE - 8)]
    return [*cards, *rows, *genera]


# ---------------------------------------------------------------- players


def _player(sheet: Sheet, view: View, p: int, viewer: int | None, y: float) -> None:
    """Name, role, questions left and cards of a player."""
    asks, won, left, most = view["to_move"] == p, p in view["winners"], view["left"][p], view["options"]["questions"]
    role = "asks" if asks else "answers" if view["answerer"] == p else "won" if won else ""
    cards = ", ".join(_name(genus) for genus in view["taken"][p])
    says = [
        seat_name(p, viewer),
        role,
        f"{plural(left, 'question')} left",
        plural(view["scores"][p], "card") + (f": {cards}" if cards else ""),
    ]
    with sheet.thing(f"seat:{p}", "; ".join(word for word in says if word)):
        sheet.box(MARGIN, y, sheet.width - 2 * MARGIN, SEAT - 5, "surface", "mark" if asks else None, 6, 2)
        token(sheet, MARGIN + 20, y + 16, p, str(p + 1), 9)
        sheet.text(MARGIN + 38, y + 20.5, marked_name(view, p, viewer), 13, bold=True)
        sheet.text(MARGIN + 134, y + 20, role, 12, "mark")
        sheet.box(MARGIN + 196, y + 11, 90, 10, fill="page", line="line", corner=5)
        if left:
            sheet.box(MARGIN + 196, y + 11, max(90 * left / most, 6), 10, fill="sky", line="line", corner=5)
        sheet.text(MARGIN + 294, y + 20, f"{left} of {most} questions", 11)
        sheet.text(MARGIN + 414, y + 20, plural(view["scores"][p], "card"), 12, bold=True)
        _plates(sheet, view["taken"][p], MARGIN + 476, y + 6, sheet.width - 2 * MARGIN - 482)


def _plates(sheet: Sheet, cards: list[str], x: float, y: float, room: float, across: int = 0) -> None:
    """Cards as plates, one for each genus with its number, in genus order; in rows of ``across``, or in one row."""
    held = Counter(cards)
    wide = room / across if across else min(52, room / max(len(held), 1))
    for place, genus in enumerate(genus for genus in box.GENERA if held[genus]):
        at = x + place % (across or 99) * wide, y + place // (across or 99) * 21
        hue = TRACE_HUE if genus in deck.TRACES else PERIOD_HUES[str(box.PERIOD[box.GENERA.index(genus)])]
        sheet.box(*at, wide - 4, 18, fill=hue, line="line", corner=3)
        word = genus if held[genus] == 1 else f"{genus}×{held[genus]}"
        sheet.text(at[0] + wide / 2 - 2, at[1] + 13, word, 10.5, "on_hue", anchor="middle", bold=True, room=wide - 5)


def _name(genus: str) -> str:
    return box.GENUS_NAMES[box.GENERA.index(genus)]


# ---------------------------------------------------------------- the table


def _cards(sheet: Sheet, view: View, viewer: int | None, y: float) -> None:
    """The deck, and the card in play for who may see it."""
    cards = size_of(view["deck"])
    stack(sheet, "deck", f"Deck: {plural(cards, 'card')}, face down", MARGIN + 16, y + 12, cards, SMALL, "deck")
    if view["phase"] == "over":
        return
    code, x = view["card"], MARGIN + 110
    says = "The card in play, face down" if code is None else f"The card in play: {name_of(code)}"
    knows = seat_name(view["answerer"], viewer)
    verb, whose = ("know", "you know it") if view["answerer"] == viewer else ("knows", "knows it")
    card(sheet, "card", f"{says}; {knows} {verb} it", x, y + 10, SMALL, None if code is None else face(sheet, code), marked=True)
    sheet.text(x + SMALL[0] / 2, y + 111, "in play", 11, "muted", anchor="middle")
    token(sheet, x + 99, y + 40, view["answerer"], str(view["answerer"]), 10)
    sheet.text(x + 99, y + 66, whose, 10, "muted", anchor="middle")


def _heard(sheet: Sheet, view: View, x: float, y: float) -> None:
    """Write all that has been put about the card in play, in order, in letters as small as need be."""
    said = [f"{place}. {WORDS[text].short}: {'yes' if yes else 'no'}" for place, (text, yes) in enumerate(view["asked"], 1)]
    words = [f"{WORDS[text].sentence} {'Yes' if yes else 'No'}." for text, yes in view["asked"]]
    with sheet.thing("asked", "Heard about this card: " + (" ".join(words) or "nothing yet")):
        sheet.text(x, y + 22, "Heard about this card", 12, "muted", bold=True)
        if not said:
            sheet.text(x, y + 42, "nothing yet", 12, "muted")
            return
        size = next((size for size in (12, 11, 10, 9, 8) if _flow(said, size)[-1][1] < 70), 7)
        for entry, (across, down) in zip(said, _flow(said, size), strict=True):
            sheet.text(x + across, y + 40 + down, entry, size)


def _flow(entries: list[str], size: int) -> list[tuple[float, float]]:
    """Return where entries stand one after the other, in lines of the width there is."""
    across, down, places = 0.0, 0.0, []
    for entry in entries:
        width = width_of(entry, size, REGULAR)
        if across and across + width > ANSWERS:
            across, down = 0.0, down + size * 1.35
        places.append((across, down))
        across += width + size * 1.2
    return places


def _discards(sheet: Sheet, view: View, x: float, y: float) -> None:
    """The cards discarded, face up, by genus."""
    cards = view["discards"]
    order = ": " + ", ".join(_name(genus) for genus in cards) if cards else ""
    with sheet.thing("discards", plural(len(cards), "card") + " discarded" + order):
        sheet.box(x - 8, y + 6, sheet.width - MARGIN - x, TABLE - 20, fill="page", corner=6)
        sheet.text(x, y + 22, f"{plural(len(cards), 'card')} discarded", 12, "muted", bold=True)
        _plates(sheet, cards, x, y + 28, sheet.width - MARGIN - x - 12, across=5)


# ---------------------------------------------------------------- questions


def _questions(sheet: Sheet, answers: Mapping[str, bool], y: float) -> None:
    """A button for each question, which shows the answer once it is asked."""
    panel(sheet, MARGIN, y, sheet.width - 2 * MARGIN, QUESTIONS - 8)
    left = dict.fromkeys(range(ROWS), MARGIN + 14)
    for name, group in GROUPS.items():
        base, x = y + 24 + ROW * group.row, left[group.row]
        if group.before:
            x += sheet.text(x, base, group.before, 12, "muted") + 8
        for text in QUESTION_TEXTS:
            if text.startswith(f"ask {name}"):
                x += _button(sheet, WORDS[text], answers.get(text), x, base - 17) + 6
        left[group.row] = x + 16


def _button(sheet: Sheet, question: Words, answer: bool | None, x: float, y: float) -> float:
    """A question, with a tick and green for yes, with a cross and red for no; returns its width."""
    width = width_of(question.button, 12, REGULAR) + 34
    with sheet.thing(question.thing, question.sentence + ("" if answer is None else " Yes" if answer else " No")):
        sheet.box(x, y, width, 25, fill="card" if answer is None else "green" if answer else "red", line="line", corner=12)
        shift = 0 if answer is None else -7  # the tick or cross has its place from the start: nothing moves
        sheet.text(x + width / 2 + shift, y + 17, question.button, 12, "ink" if answer is None else "on_hue", anchor="middle")
        if answer is not None:
            at = x + width - 15, y + 12.5
            mark = f"M{at[0] - 5:.1f} {at[1]:.1f}l4 5l7 -10" if answer else f"M{at[0] - 4:.1f} {at[1] - 4:.1f}l8 8m0 -8l-8 8"
            sheet.path(mark, None, "on_hue", 2.4)
    return width


# ---------------------------------------------------------------- genera


def _genus(sheet: Sheet, view: View, place: int, answers: Mapping[str, bool], left: int, x: float, y: float) -> None:
    """A genus with what is printed on its cards, how many are not seen yet, and whether it may be the card in play."""
    genus, guessed = box.GENERA[place], f"guess {box.GENERA[place]}" in answers
    agrees = all(bool(int(box.YES[s.ACTIONS.names.index(text)]) >> place & 1) == yes for text, yes in answers.items())
    may_be = left > 0 and agrees and view["phase"] != "over"
    state = "guessed wrongly" if guessed else "may be the card in play" if may_be else "not the card in play"
    words = [name_of(genus), *_facts(place), f"{left} of {plural(int(box.CARDS[place]), 'card')} not seen yet"]
    with sheet.thing(f"guess:{genus}", ", ".join(words + [state] * (view["phase"] != "over"))):
        _printed(sheet, place, may_be or view["phase"] == "over", x, y)
        sheet.box(x + 1, y + GENUS[1] - 18, GENUS[0] - 2, 17, fill="green" if may_be else "grey", corner=4)
        foot = "no" if guessed else f"{left} of {box.CARDS[place]} left"
        sheet.text(x + GENUS[0] / 2, y + GENUS[1] - 5.5, foot, 10, "on_hue", anchor="middle", bold=may_be)
        if guessed:
            sheet.path(f"M{x + 8:.1f} {y + 26:.1f}l{GENUS[0] - 16:.1f} 64m0 -64l{16 - GENUS[0]:.1f} 64", None, "mark", 2.5)


def _facts(place: int) -> list[str]:
    """Return what is printed on a card, in words."""
    facts = [deck.PERIOD_NAMES[str(box.PERIOD[place])], "carnivore" if box.CARNIVORE[place] else "herbivore"]
    facts += [] if box.DINOSAUR[place] else ["no dinosaur"]
    facts += [f"{box.LENGTH[place]:g} m", f"{box.WEIGHT[place]:,} kg"]
    if box.TRACE[place]:
        return [*facts, f"research {box.RESEARCH[place]}"]
    return [*facts, f"{box.FOSSILS[place]} parts", plural(int(box.SKELETONS[place]), "skeleton"), f"worth {box.VALUE[place]}"]


def _printed(sheet: Sheet, place: int, strong: bool, x: float, y: float) -> None:
    """The face of a genus; pale if it is ruled out."""
    genus, colour, middle = box.GENERA[place], "ink" if strong else "muted", x + GENUS[0] / 2
    period, is_trace = str(box.PERIOD[place]), bool(box.TRACE[place])
    sheet.box(x, y, *GENUS, fill="card" if strong else "surface", line="line" if strong else None, corner=5)
    sheet.box(x + 1, y + 1, GENUS[0] - 2, 18, fill=PERIOD_HUES[period] if strong else "grey", corner=4)
    sheet.text(x + 6, y + 14, genus, 12, "on_hue", bold=True)
    worth = f"r{box.RESEARCH[place]}" if is_trace else str(box.VALUE[place])
    sheet.text(x + GENUS[0] - 6, y + 14, f"{period} · {worth}", 11, "on_hue", anchor="end")
    sheet.text(middle, y + 31, box.GENUS_NAMES[place], 10, colour, anchor="middle", room=GENUS[0] - 8)
    if is_trace:
        trace(sheet, genus, x + 26, y + 33, 34, 22)
    else:
        parts = int(box.FOSSILS[place])
        silhouette(sheet, genus, x + 20, y + 33, 46, 25, parts, range(1, parts + 1) if strong else ())
    last = "trace fossil" if is_trace else f"{box.FOSSILS[place]} parts · {plural(int(box.SKELETONS[place]), 'skel.', 'skel.')}"
    size = f"{box.LENGTH[place]:g} m · {box.WEIGHT[place]:,} kg"
    diet = ("carnivore" if box.CARNIVORE[place] else "herbivore") + ("" if box.DINOSAUR[place] else ", no dino.")
    for down, words in ((69, size), (82, diet), (95, last)):
        sheet.text(middle, y + down, words, 9.5, colour, anchor="middle", room=GENUS[0] - 6)


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The thing that an action of a seat belongs to; a pass discards the card."""
    action = " ".join(words)
    return (WORDS[action].thing if action in WORDS else "discards",)


def about(event: Event) -> tuple[str, ...]:
    """The things that an event is about; where something moves, first from where, then where to."""
    told = event.values
    match event.kind.name:
        case "drew":
            return "deck", "card"
        case "asked":
            return (WORDS[told["question"]].thing,)
        case "guessed":
            return (f"guess:{told['genus']}",)
        case "answered":
            return ("asked",)
        case "took":
            return "card", f"seat:{event.seat}"
        case "discarded":
            return "card", "discards"
    return ()
