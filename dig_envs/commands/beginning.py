"""How ``dig-envs advise`` begins: with what a person says of the deal, or with a file."""

import copy
import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dig_envs.adapters.seat import Seat, opening_of
from dig_envs.engine.core.checks import check_integer, shown_in_message
from dig_envs.engine.core.errors import DigEnvsError, SnapshotError
from dig_envs.engine.core.words import NO_NAMES
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.codecs import JsonSchema
from dig_envs.engine.snapshots.completing import require_form
from dig_envs.engine.snapshots.snapshot import Candidate


def begin(
    game: Game,
    seat: int | None,
    options: Mapping[str, Any],
    ask: Callable[[str], str],
    piped: bool = False,
) -> Seat:
    """A seat at the beginning of a game.

    Args:
        game, seat, options: of :meth:`Seat.begin`; a seat of None is asked for.
        ask: called with a question, for what only the people at the table know: the entries of the
            view that differ between deals; once more where an answer cannot be right.
        piped: whether nobody is there who could be asked once more.

    Raises:
        SnapshotError: an answer of a pipe cannot be right, or no deal agrees with all of them.
        ValueError: there is no such seat.
    """
    options = game.complete_options(options)
    seats = int(game.template(options)["num_players"][0])

    def read_seat(answer: str) -> int:
        if not answer.isdecimal() or not 1 <= int(answer) <= seats:
            raise SnapshotError(f"players are 1 to {seats}, not {shown_in_message(answer)}")
        return int(answer) - 1

    if seat is None:
        own = _asked(f"Which player are you, 1 to {seats}?", read_seat, ask, piped)
    else:
        own = _check_seat(seat, seats)
    keys, views = opening_of(game.env_name, own, options)
    forms, typed = game.view_schema["properties"], dict[str, str]()
    questions = [
        question
        for key in keys
        for question in _questions(key, [view[key] for view in views], forms[key], own, seats)
    ]
    while True:
        answers = list[Any]()
        while len(answers) < len(questions):
            try:
                answers.append(_answer(*questions[len(answers)][1:], ask, typed, piped))
            except _Back:
                while answers and _is_known(questions[len(answers) - 1].entries):
                    answers.pop()
                del answers[-1:]
        opening = {key: copy.deepcopy(views[0][key]) for key in keys}
        for question, answer in zip(questions, answers, strict=True):
            *way, last = question.at
            functools.reduce(lambda entry, at: entry[at], way, opening)[last] = answer
        try:
            return Seat.begin(game.env_name, own, opening, options)
        except SnapshotError as error:
            if piped:
                raise
            trouble = f"{_plain(error)}\n"
        ask(f"{trouble}Enter: once more, and Enter repeats an answer.\n")


class _Question(NamedTuple):
    """What is asked at the beginning. ``at``: the way to it in the view. ``what``: its name.
    ``entries``: what it is in some deals. ``form``: its JSON schema."""

    at: tuple[Any, ...]
    what: str
    entries: Sequence[Any]
    form: JsonSchema


def _questions(
    key: str, entries: Sequence[Any], form: JsonSchema, own: int, seats: int
) -> Iterator[_Question]:
    """The questions about an entry of the view: one for each seat, or for each place of a map."""
    first = entries[0]
    if isinstance(first, list) and len(first) == seats:
        for p, parts in enumerate(zip(*entries, strict=True)):
            what = f"{key}, {'yours' if p == own else NO_NAMES.of(p)}"
            if isinstance(first[own], list) and not isinstance(parts[0], list):
                what = f"cards in the hand of {NO_NAMES.of(p)}"  # a number in the place of cards
            yield _Question((key, p), what, parts, form["items"])
    elif isinstance(first, dict) and all(isinstance(pile, list) for pile in first.values()):
        for place, pile in first.items():
            tops = [entry[place][-1] for entry in entries]  # only the top card may be seen
            fit = form["properties"][place]["items"]
            yield _Question((key, place, len(pile) - 1), f"{key} {place}", tops, fit)
    else:
        yield _Question((key,), key, entries, form)


class _Back(Exception):
    """The question before is to be asked once more."""


def _plain(error: SnapshotError) -> str:
    """The message without the words for programs."""
    return re.sub(r"^snapshot key '([^']*?)(\.\d+)*'", r"\1", str(error))


def _is_known(entries: Sequence[Any]) -> bool:
    """Whether an entry is the same in all deals, so that nobody is asked for it."""
    return all(entry == entries[0] for entry in entries)


def _asked(
    question: str, read: Callable[[str], Any], ask: Callable[[str], str], piped: bool
) -> Any:
    """The parsed answer to a question. It asks again after a SnapshotError, but a pipe only
    once."""
    trouble = ""
    while True:
        try:
            return read(ask(f"{trouble}{question}\n").strip())
        except SnapshotError as error:
            if piped:
                raise SnapshotError(_plain(error)) from None
            trouble = f"{_plain(error)}\n"


def _answer(
    what: str,
    entries: Sequence[Any],
    form: JsonSchema,
    ask: Callable[[str], str],
    typed: dict[str, str],
    piped: bool,
) -> Any:
    """The answer of a person for an entry that differs between deals: words with blanks between
    them, a number, or JSON. An empty answer means ``typed``, the answer before, or else the usual
    one. Raises _Back for ``back``."""
    if _is_known(entries):
        return entries[0]
    usual, often = Counter(map(json.dumps, entries)).most_common(1)[0]
    example = next((entry for entry in entries if entry), entries[0])
    before = typed.get(what, _written(json.loads(usual)) if 3 * often > len(entries) else None)
    by_default = "" if before is None else f"; Enter: {before or 'nothing'}"

    is_list = isinstance(example, list)
    fitting = [one for one in form.get("anyOf", ()) if ("items" in one) == is_list]
    fit = fitting[0] if fitting else form
    names = (fit.get("items", {}) if is_list else fit).get("enum", ())
    by_lower = {name.lower(): name for name in names if isinstance(name, str)}

    def read(answer: str) -> Any:
        if answer.lower() == "back":
            raise _Back
        if answer == "?":
            some = f"; the names are {' '.join(by_lower.values())}" if by_lower else ""
            several = "names with blanks between them" if is_list else "one value"
            raise SnapshotError(
                f"{what}: {several}, or JSON{some}. back: the question before this one"
            )
        if not answer and before is None:
            raise SnapshotError(f"{what}: is needed")
        text = answer or before or ""
        value: Any = text.replace(",", " ").split()
        if text[:1] in ("[", "{", '"') or not is_list:
            try:
                value = json.loads(text)
            except ValueError:
                value = text
        if is_list and isinstance(value, list):
            value = [by_lower.get(str(one).lower(), one) for one in value]
        elif isinstance(value, str):
            value = by_lower.get(value.lower(), value)
        require_form(value, fit, what)
        typed[what] = text
        return value

    return _asked(f"{what}, such as: {_written(example)}{by_default}", read, ask, piped)


def _written(entry: Any) -> str:
    """An entry in the form in which people type it."""
    words = entry if isinstance(entry, list) else [entry]
    if all(isinstance(one, str) for one in words):
        return " ".join(words)
    return json.dumps(entry)


def _check_seat(seat: int, seats: int) -> int:
    """The seat; raises ValueError, which counts from 1 as people do."""
    return check_integer(seat + 1, "--seat", 1, seats) - 1


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say of what is raised inside which file it is about."""
    try:
        yield
    except FileNotFoundError:
        raise SnapshotError(f"there is no file {path}") from None
    except (DigEnvsError, ValueError, TypeError, RecursionError) as error:
        raise SnapshotError(f"{path} is not a saved game: {error}") from None


def load_seat(path: Path) -> Seat:
    """The seat of a saved game; raises SnapshotError if the file is none."""
    with _reading(path):
        return Seat.from_json(json.loads(path.read_text(encoding="utf-8")))


def go_on(path: Path, game: Game, seat: int | None) -> Seat:
    """The seat of a saved game, or of a saved view.

    Args:
        path: of the file. game: which it must be.
        seat: of a view; None: who is to move in it.

    Raises:
        SnapshotError: the file is neither, or of another game or seat. ValueError: there is no such
            seat.
    """
    with _reading(path):
        saved = json.loads(path.read_text(encoding="utf-8"))
        seats = 0 if "told" in saved else len(Candidate(game, saved).seats)
    if seats and seat is not None:
        _check_seat(seat, seats)
    with _reading(path):
        place = Seat(saved, seat) if seats else Seat.from_json(saved)
    if place.game is not game:
        raise SnapshotError(f"{path} is not a saved game of {game.env_name}")
    if seat not in (None, place.seat):
        raise SnapshotError(f"{path} is the game of player {place.seat + 1}")
    return place
