"""How ``dig-envs advise`` begins: with what a person says of the deal, or with a file."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dig_envs.adapters.seat import Seat, opening_of
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import DigEnvsError, SnapshotError
from dig_envs.engine.core.words import NO_NAMES
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.completing import require_form


def begin(
    game: Game,
    seat: int | None,
    options: Mapping[str, Any],
    ask: Callable[[str], str],
    piped: bool = False,
) -> Seat:
    """Return a seat at the beginning of a game.

    Args:
        game, seat, options: of :meth:`Seat.begin`; a seat of None is asked for.
        ask: called with a question, for what only the people at the table know: the entries of the
            view that differ between deals; once more where an answer cannot be right.
        piped: whether nobody is there who could be asked once more.

    Raises:
        SnapshotError: no deal agrees with the answers of a pipe. ValueError: there is no such seat.
    """
    options = game.complete_options(options)
    seats = int(game.template(options)["num_players"][0])

    def read_seat(answer: str) -> int:
        if not answer.isdecimal() or not 1 <= int(answer) <= seats:
            raise SnapshotError(f"players are 1 to {seats}, not {shown_in_message(answer)}")
        return int(answer) - 1

    own = _asked(f"Which player are you, 1 to {seats}?", read_seat, ask) if seat is None else seat
    keys, views = opening_of(game.env_name, own, options)
    forms, typed = game.view_schema["properties"], dict[str, str]()
    while True:
        opening = dict[str, Any]()
        for key in keys:
            entries = [view[key] for view in views]
            if not isinstance(entries[0], list) or len(entries[0]) != seats:
                opening[key] = _answer(key, entries, forms[key], ask, typed)
                continue
            whose = ["yours" if p == own else NO_NAMES.of(p) for p in range(seats)]
            opening[key] = [
                _answer(f"{key}, {who}", parts, forms[key]["items"], ask, typed)
                for who, parts in zip(whose, zip(*entries, strict=True), strict=True)
            ]
        try:
            return Seat.begin(game.env_name, own, opening, options)
        except SnapshotError as error:
            if piped:
                raise
            trouble = f"{error}\n"
        ask(f"{trouble}Enter: once more, and Enter repeats an answer.\n")


def _asked(question: str, read: Callable[[str], Any], ask: Callable[[str], str]) -> Any:
    """Return what is read in an answer; asks until that raises no SnapshotError."""
    trouble = ""
    while True:
        try:
            return read(ask(f"{trouble}{question}\n").strip())
        except SnapshotError as error:
            trouble = f"{error}\n"


def _answer(
    what: str,
    entries: Sequence[Any],
    form: dict[str, Any],
    ask: Callable[[str], str],
    typed: dict[str, str],
) -> Any:
    """Return what a person says of an entry, if it differs between deals: words with blanks between
    them, a number, or JSON; nothing stands for what was ``typed`` before, or else for the usual."""
    usual, often = Counter(map(json.dumps, entries)).most_common(1)[0]
    if often == len(entries):
        return entries[0]
    example = next((entry for entry in entries if entry), entries[0])
    before = typed.get(what, _written(json.loads(usual)) if often > 2 else None)
    by_default = "" if before is None else f"; Enter: {before or 'nothing'}"

    is_list = isinstance(example, list)
    fitting = [one for one in form.get("anyOf", ()) if ("items" in one) == is_list]

    def read(answer: str) -> Any:
        if not answer and before is None:
            raise SnapshotError(f"{what}: is needed")
        text = answer or before or ""
        value: Any = text.replace(",", " ").split()
        if text[:1] in ("[", "{", '"') or not is_list:
            try:
                value = json.loads(text)
            except ValueError:
                value = text
        require_form(value, fitting[0] if fitting else form, what)
        typed[what] = text
        return value

    return _asked(f"{what}, such as: {_written(example)}{by_default}", read, ask)


def _written(entry: Any) -> str:
    """Return an entry as it can be typed."""
    if isinstance(entry, list) and all(isinstance(one, str) for one in entry):
        return " ".join(entry)
    return json.dumps(entry)


def go_on(path: Path, game: Game, seat: int | None) -> Seat:
    """Return the seat of a saved game, or of a saved view; raises SnapshotError for a file that is
    neither. ``seat``: of a view; None: who is to move in it."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        place = Seat.from_json(saved) if "told" in saved else Seat(saved, seat)
    except FileNotFoundError:
        raise SnapshotError(f"there is no file {path}") from None
    except (DigEnvsError, ValueError, TypeError, RecursionError) as error:
        raise SnapshotError(f"{path} is no saved game: {error}") from None
    if place.game is not game:
        raise SnapshotError(f"{path} is not a saved game of {game.env_name}")
    if seat not in (None, place.seat):
        raise SnapshotError(f"{path} is the game of player {place.seat + 1}")
    return place
