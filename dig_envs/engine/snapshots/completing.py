"""From what a seat sees to a complete position that agrees with it.

A game's ``completion.py`` says with ``fill`` what the entries that a view hides may hold. What it
gives is checked as every snapshot is, and then dealt anew by the rules, so that all positions that
agree with the view are as likely as in a re-deal.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import check_integer, check_seed, shown_in_message
from dig_envs.engine.core.declared import Array
from dig_envs.engine.core.errors import SnapshotError
from dig_envs.engine.snapshots.codecs import (
    NOBODY,
    Codec,
    Items,
    JsonSchema,
    PerSeat,
    Place,
    get,
    own_or_size,
    require,
    require_list,
)
from dig_envs.engine.snapshots.snapshot import ORIGIN, SEED, Candidate, Snapshot, SnapshotGame

Fill = Callable[[Candidate, int, random.Random], Snapshot]

ATTEMPTS = 3  # at what a view hides: a random deal may break a rule that no game provides for
EXCHANGES = 20_000
UPHILL = 64  # one in so many exchanges that make one fault more is kept


class SurplusError(SnapshotError):
    """More of a card is seen than there is: which, and what is wrong with it in words."""

    card: Any
    words: str


class Unseen:
    """The cards that a view does not show, in random order, dealt to the places that it hides.

    Raises SurplusError if more is seen than there is, and SnapshotError if too much is hidden; both
    name the key.
    """

    def __init__(
        self, everything: Iterable[Any], seen: Iterable[Any], key: str, draw: random.Random
    ) -> None:
        have, want = Counter(seen), Counter(everything)
        if surplus := have - want:
            card = min(surplus, key=str)
            shown = shown_in_message(card)
            words = f"{shown} is seen {have[card]} times, and the game has {want[card]}"
            error = SurplusError(f"snapshot key {key!r}: {words}")
            error.card, error.words = card, words  # exported, an error has no __init__
            raise error
        self.key = key
        self.cards = sorted((want - have).elements(), key=str)
        draw.shuffle(self.cards)

    def take(self, number: int, order: Sequence[Any] | None = None) -> list[Any]:
        """Unseen cards, removed from the unseen ones; sorted if an order is given."""
        left = len(self.cards)
        require(0 <= number <= left, self.key, f"hides {number} cards, and {left} are not in sight")
        taken = [self.cards.pop() for _ in range(number)]
        return taken if order is None else sorted(taken, key=order.index)


def exchange_faults(
    places: Sequence[list[Any]], faults: Callable[[int, list[Any]], int], draw: random.Random
) -> bool:
    """Exchange cards between places at random until none has a fault; return whether that was
    reached.

    ``faults(place, cards)``: how much is impossible about the cards of a place. An exchange that
    makes more faults is nearly always undone.
    """
    count = [faults(place, cards) for place, cards in enumerate(places)]
    filled = [place for place, cards in enumerate(places) if cards]
    for _ in range(EXCHANGES):
        if not any(count):
            return True
        if len(filled) < 2:
            return False
        p, q = draw.sample(filled, 2)
        if not count[p] and not count[q]:
            continue
        i, j = draw.randrange(len(places[p])), draw.randrange(len(places[q]))
        _swap(places, p, i, q, j)
        after = faults(p, places[p]), faults(q, places[q])
        more = sum(after) - count[p] - count[q]
        if more > 0 and draw.randrange(UPHILL**more):
            _swap(places, p, i, q, j)
        else:
            count[p], count[q] = after
    return not any(count)


def _swap(places: Sequence[list[Any]], p: int, i: int, q: int, j: int) -> None:
    places[p][i], places[q][j] = places[q][j], places[p][i]


def seat_to_move(view: Any) -> int:
    """The seat to move in a view; raises SnapshotError if there is none."""
    seat: Any = view.get("to_move") if isinstance(view, Mapping) else None
    require(
        type(seat) is int and seat >= 0, "to_move", "names no seat: say whose view it is (`seat`)"
    )
    return int(seat)


def read_view(game: SnapshotGame, view: Any, seat: int) -> Candidate:
    """A view with a checked form, of a seat or with ``NOBODY`` of the public; raises as
    :func:`complete`."""
    candidate = Candidate(game, view)
    for key in ("rng", SEED):  # it is said without what it hides
        require(key not in candidate.snapshot, key, "this is a complete position, not a view")
    require_form(dict(candidate.snapshot), game.view_schema, "")
    if seat != NOBODY:
        check_integer(seat, "seat", 0, len(candidate.seats) - 1)
    for key, codec in game.snapshot_table.items():
        if key in candidate.snapshot:
            name, value = codec.field or key, candidate.snapshot[key]
            _require_lengths(codec, candidate.state, name, (), value, key)
            if codec.view is own_or_size:
                _require_own(value, key, seat)
    return candidate


def complete(game: SnapshotGame, fill: Fill, view: Any, seat: int, seed: int) -> Array:
    """A position (record array of length 1) that agrees with the view of a seat, drawn as a re-deal
    draws it.

    Raises:
        SnapshotError: the view is malformed, or no position agrees with it. TypeError, ValueError:
            the seat or the seed is invalid.
    """
    check_integer(seat, "seat", 0)
    states, wrong = _completed(game, fill, view, seat, seed)
    if wrong:
        key, right = wrong[0]
        words = f"no position looks so to seat {seat}: must be {shown_in_message(right)}"
        for other in range(int(states[0]["num_players"])):
            if other != seat and _is_view_of(game, fill, view, other, seed):
                words = _other_seat(other, seat)
        require(False, key, words)
    return states


def _completed(
    game: SnapshotGame, fill: Fill, view: Any, seat: int, seed: int
) -> tuple[Array, list[tuple[str, Any]]]:
    """A position for a view, and the keys with which it looks otherwise to the seat, each with what
    the seat sees."""
    candidate = read_view(game, view, seat)
    draw = random.Random(check_seed(seed))
    states = _agreeing(game, fill, candidate, seat, draw)
    game.kernels.determinize_one(states, seat, np.uint64(check_seed(seed)))
    seen, given = game.to_view(game.to_snapshot(states[0]), seat), candidate.snapshot
    keys = [key for key in {**seen, **given} if key not in ORIGIN]
    return states, [(key, seen.get(key)) for key in keys if given.get(key) != seen.get(key)]


def _is_view_of(game: SnapshotGame, fill: Fill, view: Any, seat: int, seed: int) -> bool:
    try:
        return not _completed(game, fill, view, seat, seed)[1]
    except SnapshotError:
        return False


def _other_seat(other: int, seat: int) -> str:
    return f"this is the view of seat {other}, not of seat {seat}"


def _agreeing(
    game: SnapshotGame, fill: Fill, candidate: Candidate, seat: int, draw: random.Random
) -> Array:
    """A position whose hidden entries hold possible values."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            filled = {**candidate.snapshot, **fill(candidate, seat, draw)}
        except SurplusError as error:
            keys = _keys_of(candidate.snapshot, error.card, "")
            if not keys:
                raise
            most = max(keys, key=keys.count)
            raise SnapshotError(f"snapshot key {most!r}: {error.words}") from None
        try:
            return game.from_snapshot({**filled, "rng": str(draw.getrandbits(64))})
        except SnapshotError:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError


def _keys_of(value: Any, card: Any, key: str) -> list[str]:
    """The keys of the lists and entries that name a card, as often as they do; none for a number,
    which may mean something else."""
    if isinstance(value, Mapping):
        parts = [(entry, f"{key}.{name}" if key else name) for name, entry in value.items()]
    elif isinstance(value, list):
        nested = [isinstance(entry, list | Mapping) for entry in value]
        parts = [(entry, f"{key}.{i}" if nested[i] else key) for i, entry in enumerate(value)]
    else:
        return [key] if isinstance(card, str) and value == card else []
    return [found for entry, inner in parts for found in _keys_of(entry, card, inner)]


def _require_lengths(codec: Codec, state: Any, name: str, at: Place, value: Any, key: str) -> None:
    """Check lists that have an entry for each seat, or fill their array, also within each other."""
    if isinstance(codec, PerSeat):
        for p, entry in enumerate(require_list(value, key, length=int(state["num_players"]))):
            _require_lengths(codec.codec, state, name, (*at, p), entry, f"{key}.{p}")
    elif isinstance(codec, Items) and codec.fixed:
        require_list(value, key, length=len(get(state, name, at)))


def _require_own(value: Sequence[Any], key: str, seat: int) -> None:
    """Check that a list has the own entry as a list, and of the other seats how many there are."""
    lists = [p for p, entry in enumerate(value) if isinstance(entry, list)]
    whose = "everybody" if seat == NOBODY else f"seat {seat}"
    for p, entry in enumerate(value):
        what = "a list" if p == seat else "a number"
        words = f"must be {what} in the view of {whose}, not {shown_in_message(entry)}"
        if len(lists) == 1 and seat != NOBODY:
            words = _other_seat(lists[0], seat)
        require(isinstance(entry, list) == (p == seat), f"{key}.{p}", words)


# ---------------------------------------------------------------- the form of a view


def require_form(value: Any, schema: JsonSchema, key: str) -> None:
    """Raise SnapshotError unless a value has the form of a JSON Schema, of those that codecs
    write."""
    if "anyOf" in schema:
        _require_any(value, schema["anyOf"], key)
    elif "const" in schema or "enum" in schema:
        allowed = [schema["const"]] if "const" in schema else schema["enum"]
        words = f"{shown_in_message(value)} is not one of {', '.join(map(repr, allowed))}"
        require(any(type(value) is type(each) and value == each for each in allowed), key, words)
    elif "type" in schema:
        FORMS[schema["type"]](value, schema, key)


def _require_any(value: Any, schemas: Sequence[JsonSchema], key: str) -> None:
    if any(_has_form(value, schema, key) for schema in schemas):
        return
    for schema in schemas:  # one of its kind says what is wrong in it
        if schema.get("type", "string") == _kind(value):
            require_form(value, schema, key)
    words = " or ".join(str(schema.get("type", "a name")) for schema in schemas)
    require(False, key, f"must be {words}, not {shown_in_message(value)}")


def _kind(value: Any) -> str:
    """The type of a value in a JSON Schema, of those that codecs write."""
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, list):
        return "array"
    return "string" if isinstance(value, str) else "integer" if type(value) is int else ""


def _has_form(value: Any, schema: JsonSchema, key: str) -> bool:
    try:
        require_form(value, schema, key)
    except SnapshotError:
        return False
    return True


def _require_integer(value: Any, schema: JsonSchema, key: str) -> None:
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    good = type(value) is int and least <= value <= most
    ends = [str(bound) for bound in (least, most) if math.isfinite(bound)]
    bounds = f" from {' to '.join(ends)}" if ends else ""
    require(good, key, f"must be an integer{bounds}, not {shown_in_message(value)}")


def _require_array(value: Any, schema: JsonSchema, key: str) -> None:
    entries = require_list(value, key, most=schema.get("maxItems"))
    least = schema.get("minItems", 0)
    require(len(entries) >= least, key, f"must have at least {least} entries")
    inner = schema.get("prefixItems") or [schema["items"]] * len(entries)
    for place, (entry, form) in enumerate(zip(entries, inner, strict=False)):
        require_form(entry, form, f"{key}.{place}")


def _require_object(value: Any, schema: JsonSchema, key: str) -> None:
    require(isinstance(value, Mapping), key, f"must be an object, not {shown_in_message(value)}")
    dot = f"{key}." if key else ""
    for name in schema.get("required", ()):
        require(name in value, f"{dot}{name}", "is missing")
    for name, entry in value.items():
        require(name in schema["properties"], f"{dot}{name}", "is not in a view")
        require_form(entry, schema["properties"][name], f"{dot}{name}")


def _require_plain(kind: type, words: str) -> Callable[[Any, JsonSchema, str], None]:
    def check(value: Any, schema: JsonSchema, key: str) -> None:
        require(type(value) is kind, key, f"must be {words}, not {shown_in_message(value)}")

    return check


FORMS: Mapping[str, Callable[[Any, JsonSchema, str], None]] = {
    "integer": _require_integer,
    "array": _require_array,
    "object": _require_object,
    "boolean": _require_plain(bool, "true or false"),
    "string": _require_plain(str, "a text"),
    "null": _require_plain(type(None), "null"),
}
