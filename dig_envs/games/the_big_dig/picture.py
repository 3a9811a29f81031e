"""The picture of a view of The Big Dig: the board above, then cards and tokens of both, their models, and all arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.core.events import Event
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.app import Prediction
from dig_envs.games.the_big_dig.drawing import FINAL_WORDS, IN_WORDS, open_predictions
from dig_envs.pictures.fonts import width_of
from dig_envs.pictures.parts import HEADER, MARGIN, SEAT_HUES, Part, in_sentence, marked_name, panel, pips, plural, seat_name, token
from dig_envs.pictures.sheet import Sheet
from dig_envs.text.views import result_of, size_of
from dig_envs.text.views import seat_name as player_name

__all__ = ["about", "headline", "height", "paint", "parts", "touched"]

View = Mapping[str, Any]

ACROSS = 7  # attributes in a row of the board
WIDE = (960 - 2 * MARGIN + 4) / ACROSS  # from one attribute to the next
LINE = 19.0  # a state of an attribute
HEAD = 18.0  # the name of an attribute
SPACE = (32.0, 16.0)  # of the board, for a marker and the tokens of both
STATES_IN_ROW = tuple(int(board.STATES_OF[first : first + ACROSS].max()) for first in range(0, board.NUM_ATTRIBUTES, ACROSS))
BOARD = sum(HEAD + LINE * count + 7 for count in STATES_IN_ROW)  # height of the board
DUG = 40.0  # height of the excavation
SEAT = 76.0  # height of what belongs to a player
ENTRY = 30.0  # an entry of the lists: two lines
REGION_HUES = ("grey", "brown", "yellow", "green", "purple", "blue")
WORDS = {
    "model": "make a model",
    "argumentation": "argue or pass",
    "argument": "choose an argument",
    "research": "research or pass",
    "research_model": "make another model",
    "evaluation": "choose an evaluation card",
    "placement": "place tokens",
}


def height(options: View) -> int:
    """The height of the picture in pixels, which depends on the options only."""
    return int(HEADER + BOARD + DUG + SEAT + 12 + 28 + 2 * options["turns"] * ENTRY + MARGIN)


def headline(view: View) -> str:
    """Turn, phase and who is asked; or who has won."""
    turns = f"Turn {view['turn']} of {view['options']['turns']}"
    if view["phase"] == "over":
        return f"{turns}. {result_of(view)}"
    return f"{turns}, {view['phase'].replace('_', ' ')} phase. {player_name(view['to_move'])}: {WORDS[view['phase']]}"


def paint(sheet: Sheet, view: View, viewer: int | None) -> None:
    """Draw a view of a seat, or of nobody; of a snapshot all that it has."""
    supports = _supports(view, viewer)
    chosen = {word for actions in view["pending"] for action in actions or () for word in action.split()[1:]}
    y = HEADER
    for first, count in zip(range(0, board.NUM_ATTRIBUTES, ACROSS), STATES_IN_ROW, strict=True):
        for a in range(first, min(first + ACROSS, board.NUM_ATTRIBUTES)):
            _attribute(sheet, view, a, MARGIN + (a - first) * WIDE, y, HEAD + LINE * count + 3, supports, chosen)
        y += HEAD + LINE * count + 7
    _regions(sheet, view, MARGIN + (ACROSS - 1) * WIDE, y - (HEAD + LINE * STATES_IN_ROW[-1] + 7))
    _excavation(sheet, view, y)
    y += DUG
    half = (sheet.width - 2 * MARGIN - 8) / 2
    for p in range(box.SEATS):
        _seat(sheet, view, p, viewer, MARGIN + p * (half + 8), y, half)
    y += SEAT + 6
    third, tall = (sheet.width - 2 * MARGIN - 16) / 3, 28 + 2 * view["options"]["turns"] * ENTRY
    for p in range(box.SEATS):
        _models(sheet, view, p, viewer, MARGIN + p * (third + 8), y, third, tall)
    _arguments(sheet, view, MARGIN + 2 * (third + 8), y, third, tall)


def parts(view: View) -> list[Part]:
    """The parts of the picture that can stand below each other: each attribute, what was drawn, players, models, arguments."""
    found: list[Part] = []
    y, half, third = HEADER, (960 - 2 * MARGIN - 8) / 2, (960 - 2 * MARGIN - 16) / 3
    for count in STATES_IN_ROW:
        tall = HEAD + LINE * count + 3
        found += [(MARGIN + a * WIDE, y, WIDE - 4, tall) for a in range(ACROSS)]  # the last of all explains the signs
        y += tall + 4
    drawn = [(MARGIN, y, half, DUG), (MARGIN + half, y, half + 8, DUG)]
    y += DUG
    seats = [(MARGIN + p * (half + 8), y, half, SEAT) for p in range(box.SEATS)]
    y += SEAT + 6
    counts = [*(len(models) for models in view["models"]), len(view["arguments"])]
    lists = [(MARGIN + p * (third + 8), y, third, 28 + max(count, 1) * ENTRY) for p, count in enumerate(counts)]
    return [*seats, *drawn, *found, *lists]


# ---------------------------------------------------------------- the board


def _attribute(
    sheet: Sheet, view: View, a: int, x: float, y: float, tall: float, supports: Mapping[str, int], chosen: set[str]
) -> None:
    """An attribute: its states, and for each of them the assertion on the left and the negation on the right."""
    region = int(board.REGION_OF[a])
    wanted = view["request"] == board.REGIONS[region]
    name = f"{a + 1} {board.ATTRIBUTE_NAMES[a]}"
    says = f"Attribute {name}, region {board.REGIONS[region]}{', which the special request names' if wanted else ''}"
    with sheet.thing(f"attribute:{a + 1}", says):
        sheet.box(x, y, WIDE - 4, tall, fill="surface", line="mark" if wanted else None, corner=4, thick=1.5)
        sheet.box(x + 1, y + 1, WIDE - 6, HEAD - 3, fill=REGION_HUES[region], corner=3)
        sheet.text(x + 6, y + 12.5, name, 10, "on_hue", bold=True, room=WIDE - (34 if wanted else 16))
        if wanted:
            sheet.text(x + WIDE - 9, y + 12.5, "×2", 10, "on_hue", anchor="end", bold=True)
    for i in range(int(board.STATES_OF[a])):
        _state(sheet, view, int(board.FIRST_STATE[a]) + i, x + 2, y + HEAD + i * LINE, supports, chosen)


def _state(sheet: Sheet, view: View, state: int, x: float, y: float, supports: Mapping[str, int], chosen: set[str]) -> None:
    """A state by its number and name, with the support of what is argued; its two spaces beside it."""
    code, room = board.STATES[state], WIDE - 14 - 2 * SPACE[0]
    name = board.STATE_NAMES[state]
    guess = next((space for space in (f"{code}-A", f"{code}-N") if space in supports), None)
    label = f"{code[-1]} {name.partition(': ')[2]}"
    if guess:  # only these can be chosen; things take time
        with sheet.thing(f"state:{code}", f"{name}, state {code}; predicted: {IN_WORDS[guess]} with support {supports[guess]}"):
            sheet.box(x, y, room, SPACE[1], fill="card", line="mark" if code in chosen else None, corner=2, thick=2)
            sheet.text(x + 2, y + 12, label, 9, room=room - 2)
    else:
        sheet.text(x + 2, y + 12, label, 9, room=room - 2)
    for place, sign in enumerate("AN"):
        space = f"{code}-{sign}"
        support = supports[space] if space == guess else 0
        _space(sheet, view, space, x + room + 2 + place * (SPACE[0] + 2), y, support, space in chosen)


def _space(sheet: Sheet, view: View, space: str, x: float, y: float, support: int, marked: bool) -> None:
    """A space: the one of a negation has a corner cut off. D is a discovered marker; C, with a bar, a conjectured one.

    The support with which it is predicted, if it is above 0, stands in place of the marker's letter; or, where tokens of both
    leave no room, to the left of the space.
    """
    marker = "D" if space in view["discovered"] else "C" if space in view["conjectured"] else ""
    counts = [tokens.get(space, 0) for tokens in view["tokens"]]
    words = [IN_WORDS[space], {"D": "discovered", "C": "conjectured", "": ""}[marker]]
    words += [f"{plural(count, 'token')} of {player_name(p)}" for p, count in enumerate(counts) if count]
    with sheet.thing(f"space:{space}", ", ".join(word for word in words if word)):
        if support and all(counts):
            sheet.text(x - 4 - (SPACE[0] + 2) * (space[-1] == "N"), y + 12, str(support), 9, "mark", anchor="end", bold=True)
        (wide, tall), cut = SPACE, 7 if space[-1] == "N" else 0
        shape = f"M{x:.1f} {y:.1f}h{wide - cut:.1f}l{cut} {cut}v{tall - cut:.1f}h{-wide:.1f}z"
        fill = {"D": "green", "C": "yellow", "": "card"}[marker]
        sheet.path(shape, fill, "mark" if marked else "line", 2.4 if marked else 1.4 if marker else 0.6)
        if marker == "C":
            sheet.box(x + 1, y + tall - 3.5, wide - 2, 2.5, fill="on_hue")
        for p, count in enumerate(counts):
            if count:
                token(sheet, x + (8, wide - 8)[p], y + tall / 2, p, str(count), 7)
        if (support or marker) and not all(counts):  # beside a token, if there is one
            at, colour = x + wide / 2 + 7 * (bool(counts[0]) - bool(counts[1])), "on_hue" if marker else "mark"
            sheet.text(at, y + 11.5, str(support or marker), 10, colour, "middle", bold=True)


def _regions(sheet: Sheet, view: View, x: float, y: float) -> None:
    """The hues of the regions, and the signs of the board."""
    first = 0
    for region, name in enumerate(board.REGIONS):
        count = board.REGION_OF.tolist().count(region)
        wanted = view["request"] == name
        at = x + 4, y + 1 + region * 9.6
        sheet.box(*at, 9, 7.6, fill=REGION_HUES[region], line="line", thick=0.6)
        words = f"{first + 1}–{first + count} {name}{': ×2' if wanted else ''}"
        sheet.text(at[0] + 13, at[1] + 7, words, 8.5, "mark" if wanted else "muted", bold=wanted)
        first += count
    sheet.path(f"M{x + 4:.1f} {y + 61:.1f}h18v10h-18z", "card", "line", 0.8)
    sheet.text(x + 26, y + 69.5, "is", 9, "muted")
    sheet.path(f"M{x + 44:.1f} {y + 61:.1f}h13l5 5v5h-18z", "card", "line", 0.8)
    sheet.text(x + 66, y + 69.5, "is not", 9, "muted")


def _supports(view: View, viewer: int | None) -> dict[str, int]:
    """The supports of the model with which the seat to move argues, if the viewer sees it, by space (BD-16)."""
    if _is_arguing(view, view["to_move"]) and viewer in (view["to_move"], None):
        guesses = open_predictions(_chosen_model(view, view["to_move"]), view["discovered"])
        return {guess.space: guess.support for guess in guesses}
    return {}


def _is_arguing(view: View, p: int) -> bool:
    """Whether a seat has chosen, as far as one sees, the model of an argument that is still to be shown."""
    pending: list[str] = (view["pending"][p] if p >= 0 else None) or [""]
    return pending[0].startswith("argue ")


def _chosen_model(view: View, p: int) -> Sequence[str]:
    model: Sequence[str] = view["models"][p][int(view["pending"][p][0].split()[1]) - 1]
    return model


# ---------------------------------------------------------------- the excavation and the players


def _excavation(sheet: Sheet, view: View, y: float) -> None:
    """The cards drawn so far, in order, and how many are left."""
    panel(sheet, MARGIN, y, sheet.width - 2 * MARGIN, DUG - 6)
    deck = view["deck"]
    order = "" if isinstance(deck, int) else ", from the top: " + ", ".join(IN_WORDS[card] for card in reversed(deck))
    with sheet.thing("deck", f"Excavation deck, {plural(size_of(deck), 'card')}{order}"):
        sheet.box(MARGIN + 8, y + 5, 34, 24, fill="back", line="line", corner=3)
        sheet.box(MARGIN + 13, y + 9, 24, 16, fill="card", corner=3)
        sheet.text(MARGIN + 25, y + 21.5, str(size_of(deck)), 12, anchor="middle", bold=True)
        if not isinstance(deck, int):
            sheet.text(MARGIN + 48, y + 31, "next: " + " ".join(card for card in reversed(deck)), 7.5, "muted", room=860)
    step = min(46.0, (sheet.width - 2 * MARGIN - 60) / len(view["drawn"]))
    for place, card in enumerate(view["drawn"]):
        at = MARGIN + 50 + place * step
        kind = "card" if card == "rock" else "yellow" if card.startswith("request") else "green"
        last = place == len(view["drawn"]) - 1
        with sheet.thing(f"drawn:{place}", f"Drawn: {IN_WORDS[card]}"):
            sheet.box(at, y + 4, step - 3, 19, fill=kind, line="mark" if last else "line", corner=3, thick=2 if last else 0.8)
            words, colour = card.removeprefix("request "), "muted" if kind == "card" else "on_hue"
            sheet.text(at + step / 2 - 1.5, y + 17, words, 10, colour, anchor="middle", room=step - 6)


def _seat(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, width: float) -> None:
    """A player: points, tokens in the bank, decision and evaluation cards, an own commitment, the final scoring."""
    asked = view["phase"] != "over" and view["to_move"] == p
    won = p in view["winners"]
    bank = box.NUM_TOKENS - sum(view["tokens"][p].values())
    points = plural(view["scores"][p], "point")
    final = _final(view, p)
    picked = [s.ACTIONS.label(s.ACTIONS.names.index(action), p, box.SEATS).lower() for action in view["pending"][p] or ()]
    pending = ", ".join(picked)
    says = [seat_name(p, viewer), points, f"{plural(bank, 'token')} in the bank", f"final scoring: {final}" if final else ""]
    says += [f"chosen so far: {pending}" if pending else "", "to move" if asked else "", "won" if won else ""]
    with sheet.thing(f"seat:{p}", ", ".join(word for word in says if word)):
        sheet.box(x, y, width, SEAT, fill="surface", line="mark" if asked else None, corner=8, thick=2)
        token(sheet, x + 22, y + 23, p, str(p + 1))
        sheet.text(x + 42, y + 20, marked_name(view, p, viewer), 14, bold=True, room=width - 342)
        sheet.text(x + 42, y + 36, points, 12, bold=True)
        pips(sheet, x + 16, y + 51, bank, box.NUM_TOKENS, SEAT_HUES[p], 4)
        sheet.text(x + 12, y + 70, f"bank {bank}", 10, "muted")
        words = f"final scoring: {final}" if final else f"chosen: {pending}" if pending else ""
        sheet.text(x + 60, y + 70, words, 10, "ink" if final else "mark", room=width - 72)
    _decisions(sheet, view, p, viewer, x + width - 294, y + 8)
    _evaluations(sheet, view, p, viewer, x + width - 294, y + 35)


def _decisions(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float) -> None:
    """The three decision cards: those played in this turn, in order, then those that are left."""
    spent = view["spent"][p]
    left = ["act", "act", "pass"]
    for card in spent:
        left.remove(card)
    whose = in_sentence(p, viewer)
    sheet.text(x, y + 14, "decisions", 10, "muted")
    for place, card in enumerate([*spent, *left]):
        played = place < len(spent)
        again = not played and card in left[: place - len(spent)]
        name = f"played:{p}:{place}" if played else f"card:{p}:{card}{':2' if again else ''}"
        words = f"Decision card {card} of {whose}, {f'played as number {place + 1} of this turn' if played else 'not played yet'}"
        _plate(sheet, name, words, x + 66 + place * 74, y, card, played)


def _evaluations(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float) -> None:
    """The three evaluation cards; the one that was revealed is strong."""
    sheet.text(x, y + 14, "evaluation", 10, "muted")
    for place, card in enumerate(s.EVALUATIONS):
        played = view["evaluation"][p] == card
        words = f"Evaluation card {card} of {in_sentence(p, viewer)}{', revealed' if played else ''}"
        _plate(sheet, f"evaluation:{p}:{card}", words, x + 66 + place * 74, y, card, played)


def _plate(sheet: Sheet, name: str, title: str, x: float, y: float, word: str, strong: bool) -> None:
    with sheet.thing(name, title):
        thick = 1.6 if strong else 0.8
        sheet.box(x, y, 68, 20, fill="yellow" if strong else "card", line="ink" if strong else "line", corner=4, thick=thick)
        sheet.text(x + 34, y + 14, f"{word} ✓" if strong else word, 11, "on_hue" if strong else "ink", anchor="middle", bold=strong)


def _final(view: View, p: int) -> str:
    """The points of the final scoring in words, in the order of the rules."""
    if view["final"] is None:
        return ""
    points = view["final"][p].values()
    return ", ".join(f"{word} {value:+d}".replace("-", "−") for word, value in zip(FINAL_WORDS, points, strict=True))


# ---------------------------------------------------------------- models and arguments


def _models(sheet: Sheet, view: View, p: int, viewer: int | None, x: float, y: float, width: float, tall: float) -> None:
    """The models of a player with their strongest predictions; one that the viewer may not see is a number."""
    panel(sheet, x, y, width, tall, f"Models of {in_sentence(p, viewer)}")
    chosen = view["pending"][p][0].split()[1] if _is_arguing(view, p) else ""
    for m, inputs in enumerate(view["models"][p]):
        at = y + 28 + m * ENTRY
        guesses = [guess for guess in open_predictions(inputs, view["discovered"]) if guess.support] if inputs else []
        strong = ", ".join(f"{guess.space} {guess.support}" for guess in guesses)
        says = f"predicts with support {strong or 'above 0 nothing'}" if inputs else "not shown yet"
        names = " and ".join(IN_WORDS[space] for space in inputs or ())
        with sheet.thing(f"model:{p}:{m + 1}", f"Model {m + 1} of {in_sentence(p, viewer)}: {names + '; ' if names else ''}{says}"):
            marked = chosen == str(m + 1)
            sheet.box(x + 6, at, width - 12, ENTRY - 2, fill="card", line="mark" if marked else None, corner=3, thick=2)
            words = f"{m + 1}. {' and '.join(map(in_short, inputs)) if inputs else 'not shown yet'}"
            sheet.text(x + 12, at + 12, words, 11, "ink" if inputs else "muted", bold=bool(inputs), room=width - 22)
            if inputs:
                sheet.text(x + 24, at + 24.5, f"→ {_best(guesses, width - 50)}", 10.5, "muted", room=width - 34)


def in_short(name: str) -> str:
    """A space or a state as one says it: ``large canines``, ``no short distal hindlimb``, ``no grazing``."""
    words = board.SPACE_NAMES[board.SPACES.index(name)] if name in board.SPACES else board.STATE_NAMES[board.STATES.index(name)]
    attribute, _, state = words.lower().partition(": ")
    negated, state = state.startswith("not "), state.removeprefix("not ")
    if state in ("yes", "no"):
        return f"{'no ' if negated == (state == 'yes') else ''}{attribute}"
    return f"{'no ' * negated}{state} {attribute}"


def _best(guesses: Sequence[Prediction], room: float) -> str:
    """As many of the strongest predictions as fit into a width."""
    words = ""
    for guess in guesses:
        longer = f"{words}{',  ' if words else ''}{in_short(guess.space)} {guess.support}"
        if words and width_of(longer, 10.5) > room:
            break
        words = longer
    return words or "nothing"


def _arguments(sheet: Sheet, view: View, x: float, y: float, width: float, tall: float) -> None:
    """All arguments in order of creation; an invalid one is struck out."""
    panel(sheet, x, y, width, tall, "Arguments")
    for place, argument in enumerate(view["arguments"]):
        at, by, valid = y + 28 + place * ENTRY, argument["by"], argument["valid"]
        target = argument["target"]
        inputs = " and ".join(IN_WORDS[space] for space in argument["inputs"])
        if target:
            does = f"nullification of the conjecture from {target} about {IN_WORDS[argument['output']]}"
            end = "nullifies"
            does_short = f"✗ {in_short(target)} → {in_short(argument['output'])}"
        else:
            does = f"conjecture {IN_WORDS[argument['output']]} with support {argument['support']}"
            end = str(argument["support"])
            does_short = f"→ {in_short(argument['output'])}"
        title = f"Turn {argument['turn']}, {player_name(by)}: {inputs}: {does}{'' if valid else ', invalid'}"
        with sheet.thing(f"argument:{place}", title):
            new = argument["turn"] == view["turn"]
            fill, line = "card" if valid else "surface", "mark" if new else None
            sheet.box(x + 6, at, width - 12, ENTRY - 2, fill=fill, line=line, corner=3)
            token(sheet, x + 18, at + 14, by, str(by + 1), 6.5)
            words = f"turn {argument['turn']}: {' and '.join(map(in_short, argument['inputs']))}"
            colour = "ink" if valid else "muted"
            wide = sheet.text(x + 31, at + 12, words, 11, colour, room=width - 43)
            low = sheet.text(x + 31, at + 24.5, does_short, 10.5, colour, room=width - 43 - (52 if target else 22), bold=True)
            if not valid:
                for down, long in ((8.0, wide), (20.5, low)):
                    sheet.stroke(x + 29, at + down, x + 33 + long, at + down, "muted", 1.2)
            sheet.text(x + width - 12, at + 24.5, end, 10.5, colour, anchor="end", bold=not target)


# ---------------------------------------------------------------- actions


def touched(view: View, seat: int | None, words: list[str]) -> tuple[str, ...]:
    """The things that an action of a seat belongs to."""
    match words:
        case ["input" | "put" | "lift", space]:
            return (f"space:{space}",)
        case ["output", state]:
            return (f"state:{state}",)
        case ["act" | "pass"]:
            return (f"card:{seat}:{words[0]}",)
        case ["argue", model]:
            return (f"model:{seat}:{model}",)
        case ["target", number]:
            return (f"space:{_chosen_model(view, seat or 0)[int(number) - 1]}",)
        case ["add" | "move" | "remove"]:
            return (f"evaluation:{seat}:{words[0]}",)
    return ()


def about(event: Event) -> tuple[str, ...]:
    """The things that an event is about; where something moves, first from where, then where to."""
    seat, told = event.seat, event.values
    match event.kind.name:
        case "created" | "conjectured" | "attacked":
            spaces = [told[part] for part in ("first", "second", "output") if told.get(part)]
            model = f"model:{seat}:{told['model']}"
            return model, *(f"space:{code}" for code in spaces if code in board.SPACES)
        case "decided":
            return ()
        case "evaluated":
            return (f"evaluation:{seat}:{told['card']}",)
        case "invalidated" | "lasted":
            return (f"space:{told['output']}",) if told["output"] in board.SPACES else ()
        case "moved":
            return f"space:{told['space']}", f"space:{told['to']}"
        case "settled":
            return (f"attribute:{told['attribute']}",)
        case "excavated" | "explored":
            return (f"space:{told['card']}-A",) if told["card"] in board.STATES else ()
    return (f"space:{told['space']}",) if told.get("space") else ()
