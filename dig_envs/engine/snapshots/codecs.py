"""Codecs: how each key of a snapshot is written from a state, read back with every check of form,
shown to a seat, and described.

A game's ``snapshot.py`` has one table, ``SNAPSHOT``: key -> codec. A codec knows the field of the
state (by default the one with the key's name), the form of the JSON value, and what a seat sees of
it; writing, reading, views and the JSON Schema follow from it
(:mod:`dig_envs.engine.snapshots.snapshot`). Every list says what keeps it from outgrowing its array
(``bound``): compiled code checks no bounds.

All codecs raise :class:`~dig_envs.engine.core.errors.SnapshotError` naming the key (dotted, as in
``grid.A1``) and the remedy.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import RulesError, SnapshotError

State = Any  # a record
Place = tuple[int, ...]  # where in a field: () for all of it
JsonSchema = dict[str, Any]
View = Callable[[Any, Mapping[str, Any], int], Any]  # (value, snapshot, seat) -> what the seat sees


# ---------------------------------------------------------------- errors


def require(condition: bool, key: str, message: str) -> None:
    """Raise a :class:`SnapshotError` naming the key unless the condition holds."""
    if not condition:
        raise SnapshotError(f"snapshot key {key!r}: {message}")


def require_list(
    value: Any, key: str, length: int | None = None, most: int | None = None
) -> list[Any]:
    """The value, which must be a list, of this length or with at most ``most`` entries."""
    # messages are made only where they are needed: this is called for every list of a snapshot
    if not isinstance(value, list):
        require(False, key, f"must be a list, not {shown_in_message(value)}")
    if length is not None:
        require(len(value) == length, key, f"must have {length} entries, not {len(value)}")
    if most is not None:
        require(len(value) <= most, key, f"must have at most {most} entries, not {len(value)}")
    return list(value)


def require_object(value: Any, key: str, names: Iterable[str]) -> Mapping[str, Any]:
    """The value, which must be an object with exactly these keys."""
    if not isinstance(value, Mapping):
        require(False, key, f"must be an object, not {shown_in_message(value)}")
    require(set(value) == set(names), key, f"must have exactly the keys {', '.join(names)}")
    return dict(value)


def require_integer(value: Any, key: str, low: int, high: int) -> int:
    """The value, which must be an integer in a closed range."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        require(
            False, key, f"must be an integer from {low} to {high}, not {shown_in_message(value)}"
        )
    return int(value)


def require_choice(value: Any, key: str, values: Sequence[Any]) -> int:
    """The place of the value among the allowed ones."""
    for place, allowed in enumerate(values):
        if type(value) is type(allowed) and value == allowed:
            return place
    raise SnapshotError(
        f"snapshot key {key!r}: {shown_in_message(value)} is not one of "
        f"{', '.join(map(repr, values))}"
    )


def require_multiset(found: Iterable[Any], expected: Iterable[Any], key: str, what: str) -> None:
    """Raise unless two collections are equal as multisets; the message says what is missing or too
    many."""
    have, want = Counter(found), Counter(expected)
    if have != want:
        missing = sorted((want - have).elements(), key=str)
        surplus = sorted((have - want).elements(), key=str)
        require(False, key, f"{what} do not add up: missing {missing}, too many {surplus}")


# ---------------------------------------------------------------- what a seat sees

NOBODY = -1  # in place of a seat: of a view that shows what everybody may know
NULL: JsonSchema = {"type": "null"}


def form(of: Callable[[JsonSchema], JsonSchema]) -> Callable[[View], View]:
    """Say what a view makes of the JSON Schema of an entry, so that views have one, too."""

    def mark(view: View) -> View:
        view.__dict__["form"] = of
        return view

    return mark


def view_form(view: View, entry: JsonSchema) -> JsonSchema:
    """The JSON Schema of an entry in a seat's view; raises RulesError if the view has none."""
    of: Callable[[JsonSchema], JsonSchema] | None = getattr(view, "form", None)
    if of is None:
        raise RulesError(
            f"the view {getattr(view, '__name__', view)!r} does not say what it makes of the JSON "
            "Schema: use @form"
        )
    return of(entry)


def or_null(entry: JsonSchema) -> JsonSchema:
    """The JSON Schema of the entry or null."""
    return {"anyOf": [entry, NULL]}


def object_of(
    properties: Mapping[str, JsonSchema], required: Iterable[str] | None = None
) -> JsonSchema:
    """The JSON Schema of an object with these keys and no others; all are required by default."""
    needed = list(properties if required is None else required)
    must: JsonSchema = {"required": needed} if needed else {}
    return {"type": "object", "properties": dict(properties), **must, "additionalProperties": False}


def count_of(entry: JsonSchema) -> JsonSchema:
    """The JSON Schema of a list's length."""
    most = {"maximum": entry["maxItems"]} if "maxItems" in entry else {}
    return {"type": "integer", "minimum": 0, **most}


def each(
    of: Callable[[JsonSchema], JsonSchema], depth: int = 1
) -> Callable[[JsonSchema], JsonSchema]:
    """The form of a view that has another form for each entry of a list or object, in lists nested
    ``depth`` deep."""

    def of_whole(whole: JsonSchema) -> JsonSchema:
        inner = of if depth == 1 else each(of, depth - 1)
        if "items" in whole:
            return {**whole, "items": inner(whole["items"])}
        return {
            **whole,
            "properties": {name: inner(entry) for name, entry in whole["properties"].items()},
        }

    return of_whole


@form(lambda entry: entry)
def shown(value: Any, snapshot: Mapping[str, Any], seat: int) -> Any:
    """Show everything: what lies open."""
    return value


@form(lambda entry: NULL)
def hidden(value: Any, snapshot: Mapping[str, Any], seat: int) -> None:
    """Show nothing."""
    return


@form(count_of)
def size(value: Any, snapshot: Mapping[str, Any], seat: int) -> int:
    """Show how many there are, as of a face-down pile."""
    return len(value)


@form(each(lambda entry: {"anyOf": [entry, count_of(entry)]}))
def own_or_size(value: Any, snapshot: Mapping[str, Any], seat: int) -> list[Any]:
    """Show per seat the own entry, of the others how many there are, as of hands."""
    return [entry if p == seat else len(entry) for p, entry in enumerate(value)]


@form(each(or_null))
def own_or_null(value: Any, snapshot: Mapping[str, Any], seat: int) -> list[Any]:
    """Show per seat the own entry only, as of a choice that is not revealed yet."""
    return [entry if p == seat else None for p, entry in enumerate(value)]


def in_sight(*entries: Any) -> list[str]:
    """All cards, by name, in nested lists of a snapshot or a view; sizes and nulls of a view hold
    no cards."""
    found: list[str] = []
    for entry in entries:
        if isinstance(entry, str):
            found.append(entry)
        elif isinstance(entry, list):
            found += in_sight(*entry)
    return found


# ---------------------------------------------------------------- codecs


def get(state: State, name: str, at: Place) -> Any:
    """The content of a field at a place."""
    return state[name][at] if at else state[name]


def put(state: State, name: str, at: Place, value: Any) -> None:
    """Put a value at a place of a field."""
    if at:
        state[name][at] = value
    else:
        state[name] = value


@dataclass(frozen=True)
class Codec(ABC):
    """One way to write something of a state as JSON.

    ``field``: the field of the state, where its name is not the key. ``view``: what a seat sees of
    the entry. ``since``: the first version of the environment whose snapshots have the key.
    ``optional``: of a key that came with an option: a snapshot or view lacks it where its value
    would be null, so that those of games with the option's default stay as they were.
    """

    field: str = dataclasses.field(default="", kw_only=True)
    view: View = dataclasses.field(default=shown, kw_only=True)
    since: int = dataclasses.field(default=0, kw_only=True)
    optional: bool = dataclasses.field(default=False, kw_only=True)

    @abstractmethod
    def write(self, state: State, name: str, at: Place) -> Any:
        """The JSON value of a field at a place."""

    @abstractmethod
    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        """Put a JSON value there; the state comes in zero."""

    @abstractmethod
    def json_schema(self) -> JsonSchema:
        """The JSON Schema of its values."""

    def clear(self, state: State, name: str, at: Place) -> None:  # noqa: B027 - zero is right for most
        """Make the state hold what it does where the value is null because the phase has none; the
        state comes in zero."""


@dataclass(frozen=True)
class Int(Codec):
    """An integer in a closed range."""

    low: int
    high: int

    def write(self, state: State, name: str, at: Place) -> int:
        return int(get(state, name, at))

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        put(state, name, at, require_integer(value, key, self.low, self.high))

    def json_schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Flag(Codec):
    """True or false, stored as 1 or 0."""

    def write(self, state: State, name: str, at: Place) -> bool:
        return bool(get(state, name, at))

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        require(
            isinstance(value, bool), key, f"must be true or false, not {shown_in_message(value)}"
        )
        put(state, name, at, value)

    def json_schema(self) -> JsonSchema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class OneOf(Codec):
    """One of several things, stored as an integer: ``first`` for the first of them, ``none`` for
    null."""

    first: int = dataclasses.field(default=0, kw_only=True)
    none: int | None = dataclasses.field(default=None, kw_only=True)

    @abstractmethod
    def value_of(self, stored: int) -> Any:
        """The JSON value of a stored integer other than ``none``."""

    @abstractmethod
    def stored_for(self, state: State, value: Any, key: str) -> int:
        """The stored form of a JSON value, other than a null that stands for ``none``."""

    def write(self, state: State, name: str, at: Place) -> Any:
        stored = int(get(state, name, at))
        return None if stored == self.none else self.value_of(stored)

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        is_none = value is None and self.none is not None
        put(state, name, at, self.none if is_none else self.stored_for(state, value, key))

    def clear(self, state: State, name: str, at: Place) -> None:
        put(state, name, at, self.none or 0)


@dataclass(frozen=True)
class Seat(OneOf):
    """A seat of the game."""

    def value_of(self, stored: int) -> int:
        return stored - self.first

    def stored_for(self, state: State, value: Any, key: str) -> int:
        return self.first + require_integer(value, key, 0, int(state["num_players"]) - 1)

    def json_schema(self) -> JsonSchema:
        seat: JsonSchema = {"type": "integer", "minimum": 0}
        return seat if self.none is None else or_null(seat)


@dataclass(frozen=True)
class Name(OneOf):
    """One of ``values``, stored as ``first`` plus its place in them (or as ``stored[place]``)."""

    values: Sequence[Any]
    stored: Sequence[int] | None = dataclasses.field(default=None, kw_only=True)

    def value_of(self, stored: int) -> Any:
        return self.values[
            stored - self.first if self.stored is None else list(self.stored).index(stored)
        ]

    def stored_for(self, state: State, value: Any, key: str) -> int:
        place = require_choice(value, key, self.values)
        return self.first + place if self.stored is None else self.stored[place]

    def json_schema(self) -> JsonSchema:
        return {"enum": [*self.values, *([None] if self.none is not None else [])]}


@dataclass(frozen=True)
class Counts(Codec):
    """A list without an order, in the order of ``names``, stored as a count per name.

    ``most``: of each name, one number or one per name; it is what bounds the counts. ``total``: the
    field that keeps the sum.
    """

    names: Sequence[str]
    most: Any
    total: str = ""

    def write(self, state: State, name: str, at: Place) -> list[str]:
        counts = get(state, name, at)
        return [
            text for text, count in zip(self.names, counts, strict=True) for _ in range(int(count))
        ]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        limits = self._limits()
        places = [
            require_choice(entry, key, self.names)
            for entry in require_list(value, key, most=sum(limits))
        ]
        counts = [places.count(place) for place in range(len(self.names))]
        for text, count, limit in zip(self.names, counts, limits, strict=True):
            require(
                count <= limit, key, f"has {text!r} {count} times, at most {limit} are possible"
            )
        get(state, name, at)[...] = counts
        if self.total:
            put(state, self.total, at, len(places))

    def _limits(self) -> list[int]:
        return (
            [int(most) for most in self.most]
            if hasattr(self.most, "__len__")
            else [int(self.most)] * len(self.names)
        )

    def json_schema(self) -> JsonSchema:
        return {
            "type": "array",
            "items": {"enum": list(self.names)},
            "maxItems": sum(self._limits()),
        }


@dataclass(frozen=True)
class Content(Counts):
    """All cards of a game, as :class:`Counts`; left out where they are those of the box, ``usual``
    of each name."""

    usual: Any = ()  # a sequence or an array
    optional: bool = dataclasses.field(default=True, kw_only=True)

    def write(self, state: State, name: str, at: Place) -> Any:
        same = all(int(a) == int(b) for a, b in zip(get(state, name, at), self.usual, strict=True))
        return None if same else super().write(state, name, at)

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        if value is None:
            get(state, name, at)[...] = self.usual
        else:
            super().read(state, name, at, value, key)
            total = sum(int(count) for count in self.usual)
            require_list(value, key, length=total)


def Flags(names: Sequence[str], **how: Any) -> Counts:
    """A codec for the names whose flag is set, in their order; the state has 0 or 1 per name."""
    return Counts(names, 1, **how)


@dataclass(frozen=True)
class Seats(Codec):
    """The seats whose flag is set, ascending, stored as 0 or 1 per seat."""

    def write(self, state: State, name: str, at: Place) -> list[int]:
        return [p for p in range(int(state["num_players"])) if get(state, name, at)[p]]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        seats = int(state["num_players"])
        for seat in require_list(value, key, most=seats):
            get(state, name, at)[require_integer(seat, key, 0, seats - 1)] = 1

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": True}


@dataclass(frozen=True)
class Amounts(Codec):
    """An object with the names whose count is above 0, stored as a count per name.

    ``most``: of each. ``together``: of all, where that is less than the most of each.
    """

    names: Sequence[str]
    most: int
    together: int | None = None

    def write(self, state: State, name: str, at: Place) -> dict[str, int]:
        return {
            text: int(count)
            for text, count in zip(self.names, get(state, name, at), strict=True)
            if count
        }

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        require(
            isinstance(value, Mapping), key, f"must be an object, not {shown_in_message(value)}"
        )
        for text, count in value.items():
            place = require_choice(text, key, self.names)
            get(state, name, at)[place] = require_integer(count, f"{key}.{text}", 1, self.most)
        if self.together is not None:
            require(
                sum(value.values()) <= self.together, key, f"has more than {self.together} together"
            )

    def json_schema(self) -> JsonSchema:
        amount = {"type": "integer", "minimum": 1, "maximum": self.most}
        return object_of(dict.fromkeys(self.names, amount), required=())


@dataclass(frozen=True)
class Items(Codec):
    """A list with an order, stored as the places of its entries in ``values``, with its length in
    the field ``length``.

    ``bound``: what keeps the list from outgrowing its array in the rest of the game. ``length``: by
    default the field's name with ``_len``. ``fixed``: of lists that always fill their array and
    have no length beside it. ``ascending``: of lists without an order that are kept sorted.
    ``most``: entries, where the array has room for more.
    """

    values: Sequence[Any]
    bound: str = dataclasses.field(kw_only=True)
    length: str = dataclasses.field(default="", kw_only=True)
    fixed: bool = dataclasses.field(default=False, kw_only=True)
    ascending: bool = dataclasses.field(default=False, kw_only=True)
    most: int | None = dataclasses.field(default=None, kw_only=True)

    def write(self, state: State, name: str, at: Place) -> list[Any]:
        items = get(state, name, at)
        count = len(items) if self.fixed else int(get(state, self._length(name), at))
        return [self.values[int(item)] for item in items[:count]]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        room = get(state, name, at)
        if self.fixed:
            entries = require_list(value, key, length=len(room))
        else:
            entries = require_list(value, key, most=len(room) if self.most is None else self.most)
        places = [require_choice(entry, key, self.values) for entry in entries]
        if self.ascending:
            require(
                places == sorted(places),
                key,
                f"must be in order: {[self.values[place] for place in sorted(places)]}",
            )
        room[: len(places)] = places
        if not self.fixed:
            put(state, self._length(name), at, len(places))

    def _length(self, name: str) -> str:
        return self.length or f"{name}_len"

    def json_schema(self) -> JsonSchema:
        schema: JsonSchema = {
            "type": "array",
            "items": {"enum": list(self.values)},
            "description": f"bounded by {self.bound}",
        }
        return schema if self.most is None else {**schema, "maxItems": self.most}


@dataclass(frozen=True)
class PerSeat(Codec):
    """A list with an entry for each seat in the game; the field's first axis is that of the
    seats."""

    codec: Codec

    def write(self, state: State, name: str, at: Place) -> list[Any]:
        return [self.codec.write(state, name, (*at, p)) for p in range(int(state["num_players"]))]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        entries = require_list(value, key, length=int(state["num_players"]))
        for p, entry in enumerate(entries):
            self.codec.read(state, name, (*at, p), entry, f"{key}.{p}")
        for absent in range(len(entries), len(state["scores"])):
            self.codec.clear(state, name, (*at, absent))

    def json_schema(self) -> JsonSchema:
        return {
            "type": "array",
            "items": self.codec.json_schema(),
            "description": "one entry per seat",
        }


@dataclass(frozen=True)
class PerName(Codec):
    """An object with an entry for each of ``names``; the field's first axis is theirs."""

    names: Sequence[str]
    codec: Codec

    def write(self, state: State, name: str, at: Place) -> dict[str, Any]:
        return {text: self.codec.write(state, name, (*at, i)) for i, text in enumerate(self.names)}

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        entries = require_object(value, key, self.names)
        for i, text in enumerate(self.names):
            self.codec.read(state, name, (*at, i), entries[text], f"{key}.{text}")

    def json_schema(self) -> JsonSchema:
        return object_of(dict.fromkeys(self.names, self.codec.json_schema()))


@dataclass(frozen=True)
class Each(Codec):
    """A list of entries of one kind, their number in the field ``length``; the field's first axis
    is theirs.

    ``bound``: what keeps the list from outgrowing its array in the rest of the game.
    """

    codec: Codec
    length: str
    bound: str = dataclasses.field(kw_only=True)

    def write(self, state: State, name: str, at: Place) -> list[Any]:
        return [
            self.codec.write(state, name, (*at, i)) for i in range(int(get(state, self.length, at)))
        ]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        entries = require_list(value, key, most=len(get(state, name, at)))
        put(state, self.length, at, len(entries))
        for i, entry in enumerate(entries):
            self.codec.read(state, name, (*at, i), entry, f"{key}.{i}")

    def json_schema(self) -> JsonSchema:
        return {
            "type": "array",
            "items": self.codec.json_schema(),
            "description": f"bounded by {self.bound}",
        }


@dataclass(frozen=True)
class Group(Codec):
    """An object of several entries, each with a field of its own: by default ``<key>_<entry>``."""

    entries: Mapping[str, Codec]

    def write(self, state: State, name: str, at: Place) -> dict[str, Any]:
        return {
            key: codec.write(state, self._field(name, key, codec), at)
            for key, codec in self.entries.items()
        }

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        given = require_object(value, key, self.entries)
        for entry, codec in self.entries.items():
            codec.read(state, self._field(name, entry, codec), at, given[entry], f"{key}.{entry}")

    def clear(self, state: State, name: str, at: Place) -> None:
        for key, codec in self.entries.items():
            codec.clear(state, self._field(name, key, codec), at)

    @staticmethod
    def _field(name: str, key: str, codec: Codec) -> str:
        return codec.field or f"{name}_{key}"

    def json_schema(self) -> JsonSchema:
        return object_of({key: codec.json_schema() for key, codec in self.entries.items()})


@dataclass(frozen=True)
class InPhases(Codec):
    """Something that there is in some phases only: null exactly outside them.

    Args: ``phases``: the game's. ``which``: the indices of those in which it is there. ``codec``:
    of what is there.
    """

    phases: Sequence[str]
    which: Sequence[int]
    codec: Codec

    def write(self, state: State, name: str, at: Place) -> Any:
        return self.codec.write(state, name, at) if int(state["phase"]) in self.which else None

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        there = int(state["phase"]) in self.which
        words = " and ".join(f"`{self.phases[phase]}`" for phase in self.which)
        what = "left out" if self.optional else "null"
        require((value is not None) == there, key, f"is {what} exactly outside {words}")
        if there:
            self.codec.read(state, name, at, value, key)
        else:
            self.codec.clear(state, name, at)

    def json_schema(self) -> JsonSchema:
        entry = self.codec.json_schema()
        when = (
            f"{'left out' if self.optional else 'null'} exactly outside the phases "
            f"{', '.join(self.phases[phase] for phase in self.which)}"
        )
        return {**(entry if self.optional else or_null(entry)), "description": when}
