"""Raw observations: what lies on the table, and the news since the seat's own last decision.

The usual observation of a game also has fields that a player would have to remember or to work out
(``Field(…, derived=True)``). A raw one lacks them. Where something was seen or said that leaves no
trace on the table, the game declares ``NEWS`` beside its fields: which kinds of events are told.
Then the record of a position has room for the latest of them in front of the state, where ``tell``
keeps them, and so a position is all that is needed for an observation. Snapshots do not have the
news: after one is restored, there is none yet.

A game with raw observations is a :class:`~dig_envs.engine.game.Game` of its own, whose name ends in
``_raw``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.declared import Rules
from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.core.events import Events, Flag, Kind, Number, Seats, Thing, Things, Who
from dig_envs.engine.core.fields import Field, Fields, seats_in_words
from dig_envs.engine.core.seats import distance
from dig_envs.engine.core.state import without_gaps, zero_records
from dig_envs.engine.core.tell import MAX_NUMBERS

Array = np.ndarray[Any, Any]
Observe = Callable[..., None]

LARGE = 10  # unit of a number in the news; larger ones are shown as so many
NOBODY, NOTHING = -1, -1
HEAD = 2  # kind and seat, before the numbers of an event
COLUMNS = 3  # groups of numbers, at most, that show one value of an event


@dataclass(frozen=True)
class News:
    """The events that raw observations tell.

    Args:
        rows: how many at most; older ones are counted only. Even.
        kinds: of events, the numbers that ``EVENTS.add`` has returned.
        parts: the names of the values that are shown, in their order in a row.
        split: the name of a part -> what is shown in its place: name -> for each of its things the
            place in a one-hot group, -1 for none. Groups of the same name are one.
    """

    rows: int
    kinds: tuple[int, ...]
    parts: tuple[str, ...]
    split: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def kinds_in_bits(self) -> int:
        """The kinds, a bit each."""
        return sum(1 << kind for kind in self.kinds)


def with_room(state: np.dtype[Any], news: News) -> np.dtype[Any]:
    """The record type of a state with room for news in front of it.

    In front, since Numba takes a record that begins as another one does for that other one.
    """
    seats = state["owes"].shape[0]
    own = [(name, *(state[name].subdtype or (state[name],))) for name in state.names or ()]
    return without_gaps(
        [
            ("news_kinds", np.int64),  # a bit for each kind that is kept
            ("news_len", np.int32),  # how many there have been
            # per seat: how many of them before its last decision
            ("news_since", np.int32, (seats,)),
            # the last ones: kind, seat, numbers; number i is in row i modulo their number
            ("news", np.int16, (news.rows, HEAD + MAX_NUMBERS)),
            # the state begins at a full word
            *([("_news_end", np.uint8, (4,))] if seats % 2 == 0 else []),
            *own,
        ]
    )


# the fields of that room
ROOM = ("news_kinds", "news_len", "news_since", "news", "_news_end")


class Columns:
    """Where the values of events are shown in a row of the news.

    Attributes: ``width``: of a row. ``meaning``: of its numbers, in words. ``one_hot`` int16
    (kinds, MAX_NUMBERS, COLUMNS, values): where a 1 is written for a value, NOTHING for nowhere.
    ``seat_at``, ``number_at``, ``bits_at`` int16 (kinds, MAX_NUMBERS): where a seat, a number, or
    several things, ``bits`` at most, are shown.
    ``hidden``, ``knows`` int8 (kinds, MAX_NUMBERS): 1 where a value is hidden, or is a seat that
    knows what is hidden, 2 where it is several of them, a bit each.
    """

    def __init__(self, news: News, events: Events, seats: int) -> None:
        self.rows, self.seats, self.split = news.rows, seats, news.split
        kinds = [events.kinds[kind] for kind in news.kinds]
        self._check(news, kinds)
        self.place_of = np.full(len(events.kinds), NOTHING, np.int16)  # of a kind among the news
        self.place_of[list(news.kinds)] = range(len(kinds))
        self.of_seat = len(kinds)
        self.width = self.of_seat + seats
        words = [f"one-hot kind ({', '.join(kind.name for kind in kinds)})"]
        words.append(f"seat ({seats_in_words(seats)})")
        groups: dict[str, tuple[int, int]] = {}  # name -> first column, size
        for name in news.parts:
            for group, size, text in self._groups(name, kinds):
                if groups.setdefault(group, (self.width, size))[1] != size:
                    raise RulesError(f"NEWS: two groups {group!r} of different sizes")
                if groups[group][0] == self.width:
                    self.width += size
                    words.append(text)
        self.meaning = "; ".join(words)
        shape = (len(kinds), MAX_NUMBERS)
        tables = [table for one in self.split.values() for table in one.values()]
        values = max(2, *(size for _, size in groups.values()), *map(len, tables))
        self.one_hot = np.full((*shape, COLUMNS, values), NOTHING, np.int16)
        self.seat_at, self.number_at, self.bits_at = np.full((3, *shape), NOTHING, np.int16)
        self.bits = 0
        self.hidden, self.knows = np.zeros((2, *shape), np.int8)
        for k, kind in enumerate(kinds):
            for j, part in enumerate(kind.parts):
                self.hidden[k, j] = part.hidden
                if isinstance(part, Who | Seats) and part.knows:
                    self.knows[k, j] = 1 if isinstance(part, Who) else 2
                if part.name in news.parts:
                    self._place(k, j, part, groups)

    def _check(self, news: News, kinds: Sequence[Kind]) -> None:
        there = {part.name: part for kind in kinds for part in kind.parts}
        for name in (*news.parts, *self.split):
            if name not in there:
                raise RulesError(f"NEWS: no kind of its events has a part {name!r}")
        for kind in kinds:
            if kind.private:
                raise RulesError(f"NEWS: {kind.name!r} is told to single seats only")
            for part in kind.parts:
                if part.name in news.parts and not isinstance(part, Thing | Who | Number | Flag):
                    raise RulesError(f"NEWS: cannot show {part.name!r} of {kind.name!r}")
        if news.rows % 2 or max(news.kinds) > 62:
            raise RulesError("NEWS: an even number of rows, and kinds up to number 62")

    def _groups(self, name: str, kinds: Sequence[Kind]) -> list[tuple[str, int, str]]:
        """The groups that show a part: name, size, and what they say."""
        if name in self.split:
            return [
                (group, 1 + int(np.max(table)), f"one-hot {group}")
                for group, table in self.split[name].items()
            ]
        part = next(part for kind in kinds for part in kind.parts if part.name == name)
        if isinstance(part, Who):
            return [(name, self.seats, f"seat {name} ({seats_in_words(self.seats)})")]
        if isinstance(part, Thing):
            listed = ", ".join(map(str, part.names)) if len(part.names) <= 8 else "in table order"
            return [(name, len(part.names), f"{name} ({listed})")]
        return [(name, 1, f"{name}{'' if isinstance(part, Flag) else f' / {LARGE}, at most 1'}")]

    def _place(self, k: int, j: int, part: Any, groups: dict[str, tuple[int, int]]) -> None:
        if part.name in self.split:
            for c, (group, table) in enumerate(self.split[part.name].items()):
                self.one_hot[k, j, c, : len(table)] = np.where(
                    np.asarray(table) < 0, NOTHING, groups[group][0] + np.asarray(table)
                )
            return
        first, size = groups[part.name]
        if isinstance(part, Who):
            self.seat_at[k, j] = first
        elif isinstance(part, Things):
            self.bits_at[k, j], self.bits = first, max(self.bits, size)
        elif isinstance(part, Thing):
            self.one_hot[k, j, 0, :size] = range(first, first + size)
        elif isinstance(part, Flag):
            self.one_hot[k, j, 0, 1] = first
        else:
            self.number_at[k, j] = first

    def fields(self) -> tuple[Field, Field]:
        """The fields of the news."""
        return (
            Field(
                "news",
                (self.rows, self.width),
                "per event since the own last decision, which comes first, the oldest first: "
                f"{self.meaning}; zero for what the seat is not told",
            ),
            Field(
                "news_lost", (), f"earlier ones, for which there are no rows / {LARGE}, at most 1"
            ),
        )


def _with_all(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """An observation's record type with all its numbers as one more field, in the same memory."""
    names = dtype.names or ()
    fields: Any = {
        "names": [*names, "all_numbers"],
        "formats": [*(dtype[name] for name in names), (np.float32, (dtype.itemsize // 4,))],
        "offsets": [*(dtype.fields[name][1] for name in names), 0],  # type: ignore[index]
        "itemsize": dtype.itemsize,
    }
    whole: np.dtype[Any] = np.dtype(fields)
    return whole


class RawFields(Fields):
    """The fields of a raw observation; its record has the field ``all_numbers``, too."""

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The record type."""
        return _with_all(Fields(*self.fields).dtype)


def raw_fields(fields: Fields, columns: Columns | None) -> RawFields:
    """The fields of the raw observation."""
    more = () if columns is None else columns.fields()
    return RawFields(*(one for one in fields.fields if not one.derived), *more)


def raw_rules(rules: Rules, fields: Fields, columns: Columns | None, mend: Observe | None) -> Rules:
    """The functions of a game with raw observations.

    Args:
        rules: of the game. fields: of its usual observation.
        columns: of the news, if there is any. mend: ``observe_raw`` of the game: changes, in the
            fields that are left, what a player would have to remember; or None.
    """
    observe = _observer(rules.observe, fields, columns, mend or _leave)
    if columns is None:
        return replace(rules, observe=observe)
    return replace(
        rules,
        observe=observe,
        apply_action=_noting(rules.apply_action),
        determinize=_forgetting(rules.determinize, columns),
    )


@compiled
def _leave(state, seat, obs):
    """Change nothing."""


@compiled
def _no_news(state, seat, obs):
    """Tell nothing."""


def _observer(usual: Observe, fields: Fields, columns: Columns | None, mend: Observe) -> Observe:
    """Writes the usual observation to a scratch record, and from there what lies on the table."""
    whole = _with_all(fields.dtype)
    sizes = [int(np.prod(one.shape, dtype=int)) for one in fields.fields]
    left = np.flatnonzero(np.repeat([not one.derived for one in fields.fields], sizes))
    count = len(left)
    tell_news = _no_news if columns is None else _teller(columns)

    @compiled
    def observe(state, seat, obs):
        """Write the raw observation of a seat; the record comes in zero."""
        observe_by(state, seat, obs, zero_records(1, whole))

    @compiled
    def observe_by(state, seat, obs, room):
        usual(state, seat, room[0])
        found, numbers = room[0].all_numbers, obs.all_numbers
        for i in range(count):
            numbers[i] = found[left[i]]
        tell_news(state, seat, obs)
        mend(state, seat, obs)

    return observe


def _teller(columns: Columns) -> Observe:
    """Writes the news of a seat."""
    place_of, one_hot, of_seat = columns.place_of, columns.one_hot, columns.of_seat
    seat_at, number_at, bits_at = columns.seat_at, columns.number_at, columns.bits_at
    hidden, bits = columns.hidden, columns.bits
    is_told = _is_told(columns)

    @compiled
    def tell_news(state, seat, obs):
        rows = len(state.news)
        since = state.news_len - state.news_since[seat]
        lost = max(0, since - rows)
        obs.news_lost = min(np.float32(1), np.float32(lost) / np.float32(LARGE))
        for i in range(since - lost):
            event = state.news[(state.news_len - since + lost + i) % rows]
            row, k = obs.news[i], place_of[event[0]]
            row[k] = 1
            if event[1] >= 0:
                row[of_seat + distance(state, seat, event[1])] = 1
            told = is_told(event, k, seat)
            for j in range(MAX_NUMBERS):
                value = event[HEAD + j]
                if value < 0 or (hidden[k, j] and not told):
                    continue
                if seat_at[k, j] >= 0:
                    row[seat_at[k, j] + distance(state, seat, value)] = 1
                if number_at[k, j] >= 0:
                    row[number_at[k, j]] = min(np.float32(1), np.float32(value) / np.float32(LARGE))
                if bits_at[k, j] >= 0:
                    for bit in range(bits):
                        if (value >> bit) & 1:
                            row[bits_at[k, j] + bit] = 1
                for c in range(COLUMNS):
                    if value < one_hot.shape[3] and one_hot[k, j, c, value] >= 0:
                        row[one_hot[k, j, c, value]] = 1

    return tell_news


def _is_told(columns: Columns) -> Callable[..., Any]:
    """Whether a seat knows the hidden values of an event."""
    knows = columns.knows

    @compiled
    def is_told(event, k, seat):
        if event[1] == seat:
            return True
        for j in range(MAX_NUMBERS):
            value = event[HEAD + j]
            if knows[k, j] == 1 and value == seat:
                return True
            if knows[k, j] == 2 and (value >> seat) & 1:
                return True
        return False

    return is_told


def _noting(apply_action: Callable[..., None]) -> Callable[..., None]:
    """Notes that the news of a seat begin anew with its decision."""

    @compiled
    def noted(state, seat, action):
        state.news_since[seat] = state.news_len
        apply_action(state, seat, action)

    return noted


def _forgetting(determinize: Callable[..., None], columns: Columns) -> Callable[..., None]:
    """Takes out of the news what the seat cannot know, since it is dealt anew."""
    place_of, hidden, is_told = columns.place_of, columns.hidden, _is_told(columns)

    @compiled
    def redealt(state, seat):
        determinize(state, seat)
        for i in range(min(state.news_len, len(state.news))):
            event = state.news[i]
            k = place_of[event[0]]
            if not is_told(event, k, seat):
                for j in range(MAX_NUMBERS):
                    if hidden[k, j]:
                        event[HEAD + j] = NOBODY

    return redealt
