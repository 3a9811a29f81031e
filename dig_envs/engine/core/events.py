"""The events of a game: what may happen, what it is about, who may know how much of it, and how it
is said, from one place.

An event is written by :func:`dig_envs.engine.core.tell.tell` in the rules, as numbers; here its
numbers get names and words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.core.tell import CHOSE, MAX_NUMBERS, OVER, TURN
from dig_envs.engine.core.words import (
    NO_NAMES,
    Names,
    Viewer,
    capitalised,
    enumeration,
    fill,
    game_is_over,
)

# what programs are told of every event, and say of it; no part has such a name
RESERVED = ("index", "kind", "seat", "sentence", "text", "things")

# a number, or the name of the part that says how many, with "-" before it for as many less
Amount = int | str
# the counter that changes, its owner ("seat", a part, "all", or "" for the only one), and by how
# much
Change = tuple[str, str, Amount]


@dataclass(frozen=True)
class Part:
    """A value that an event tells beside its kind and its seat: one number in the state, a name for
    people and programs.

    Attributes:
        name: of the part.
        hidden: whether only those know it who are meant by the event: its seat, and the seats of
            parts with ``knows``.
    """

    name: str
    hidden: bool = False

    def value(self, number: int) -> Any:
        """The JSON value of a stored number."""
        return number

    def words(self, value: Any) -> Any:
        """The value as the sentence shows it."""
        return value


@dataclass(frozen=True)
class Number(Part):
    """An integer: points, cards, a distance."""


@dataclass(frozen=True)
class Flag(Part):
    """True or false."""

    def value(self, number: int) -> bool:
        """The JSON value of a stored number: 0 is False."""
        return number != 0


@dataclass(frozen=True)
class Who(Part):
    """A seat, null for -1. ``knows``: whether it knows the hidden parts of the event."""

    knows: bool = False

    def value(self, number: int) -> int | None:
        """The JSON value of a stored number; negative ones are null."""
        return None if number < 0 else number


@dataclass(frozen=True)
class Seats(Part):
    """Several seats: a bit each. ``knows``: whether they know the hidden parts of the event, and if
    all do, the public, too."""

    knows: bool = False

    def value(self, number: int) -> list[int]:
        """The JSON value of a stored number: the places of its bits."""
        return _bits(number)


@dataclass(frozen=True)
class Thing(Part):
    """One of several named things (a card, a place), null for -1.

    ``names``: of all, in the order of their numbers, as in actions and snapshots. ``called``: the
    same in plain English.
    """

    names: Sequence[Any] = ()
    called: Sequence[str] | None = None

    def value(self, number: int) -> Any:
        """The JSON value of a stored number: a name; negative ones are null."""
        return None if number < 0 else self.names[number]

    def words(self, value: Any) -> Any:
        """The thing's name in plain English."""
        return "nothing" if value is None else self._called(value)

    def _called(self, value: Any) -> str:
        return str(value) if self.called is None else self.called[list(self.names).index(value)]


@dataclass(frozen=True)
class Things(Thing):
    """Several things of a kind: a bit each."""

    def value(self, number: int) -> list[Any]:
        """The JSON value of a stored number: the names of its bits."""
        return [self.names[place] for place in _bits(number)]

    def words(self, value: Any) -> Any:
        """The things' names in plain English."""
        return enumeration([self._called(one) for one in value]) or "nothing"


def _bits(number: int) -> list[int]:
    return [place for place in range(32) if number >> place & 1]


# a sentence for :func:`~dig_envs.engine.core.words.fill`, or what chooses it
Words = str | Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True)
class Kind:
    """A kind of event.

    Attributes:
        name: such as ``"asked"``.
        meaning: when it happens, with the numbers of the rules.
        words: the sentence for those who know all of it; may depend on the values.
        parts: what it tells, in the order of the numbers.
        others: the sentence for those from whom a part is hidden; None where nothing is hidden.
        private: whether only those who are meant are told at all: the event's seat, and the seats
            of parts with ``knows``.
        changes: what it changes of what all can count.
        shown: whether everybody sees or hears all of it by the rules, even if no view keeps a trace
            of it.
        scored: for what there are points, as the row of a table of scores is called; empty: as the
            kind.
        together: whether people see such events of an action at the same time, so that they may be
            told in any order.
    """

    name: str
    meaning: str
    words: Words
    parts: tuple[Part, ...] = ()
    others: Words | None = None
    private: bool = False
    changes: tuple[Change, ...] = ()
    shown: bool = False
    scored: str = ""
    together: bool = False

    @property
    def hides(self) -> bool:
        """Whether not everybody may know all of it."""
        return self.private or any(part.hidden for part in self.parts)

    @property
    def told_to(self) -> str:
        """The seats that are told of the event, and of how much of it, in words."""
        meant = [
            *(["its seat"] if self.hides else []),
            *(
                f"`{part.name}`"
                for part in self.parts
                if isinstance(part, Who | Seats) and part.knows
            ),
        ]
        if self.private:
            return f"only {enumeration(meant)}"
        hidden = [f"`{part.name}`" for part in self.parts if part.hidden]
        return (
            f"everybody; {enumeration(hidden)} only {enumeration(meant)}" if hidden else "everybody"
        )

    def check(self) -> None:
        """Raise RulesError if the declaration does not fit together."""
        names = [part.name for part in self.parts]
        if len(names) > MAX_NUMBERS or len({*RESERVED, *names}) != len(RESERVED) + len(names):
            raise RulesError(
                f"event {self.name!r}: at most {MAX_NUMBERS} parts, each with a name of its own, "
                f"none {', '.join(RESERVED)}"
            )
        if (self.hides and not self.private) != (self.others is not None):
            raise RulesError(
                f"event {self.name!r}: 'others' says what seats are told from whom a part is hidden"
            )
        if self.shown and self.hides:
            raise RulesError(
                f"event {self.name!r}: what is shown to everybody has no hidden parts and is not "
                "private"
            )
        for _, seat, amount in self.changes:
            for part in {seat, str(amount).removeprefix("-") if isinstance(amount, str) else ""} - {
                "",
                "seat",
                "all",
            }:
                if part not in names:
                    raise RulesError(
                        f"event {self.name!r}: 'changes' names {part!r}, but the parts are "
                        f"{', '.join(names)}"
                    )


@dataclass(frozen=True)
class Event:
    """Something that has happened, as one viewer may know it.

    Attributes:
        kind: what kind of event it is. seat: which seat it is about, or None.
        values: name of each part -> its value in JSON, None where the viewer may not know it.
        viewer: whose knowledge it is: a seat, or None for what everybody may know.
        knows: whether the viewer knows all of it.
    """

    kind: Kind
    seat: int | None
    values: Mapping[str, Any]
    viewer: Viewer
    knows: bool

    def text(self, names: Names = NO_NAMES) -> str:
        """The event as a sentence; ``names`` of the seats are *Player 1* and so on by default."""
        kind = self.kind
        chosen = kind.words if self.knows or kind.others is None else kind.others
        template = chosen if isinstance(chosen, str) else chosen(self.values)
        people = {
            part.name: self.values[part.name]
            for part in kind.parts
            if isinstance(part, Who | Seats)
        }
        values = {
            part.name: part.words(self.values[part.name])
            for part in kind.parts
            if part.name not in people
        }
        return capitalised(
            fill(template, values, {"seat": self.seat, **people}, names, self.viewer)
        )

    def __str__(self) -> str:
        return self.text()

    def to_json(self, names: Names = NO_NAMES) -> dict[str, Any]:
        """A JSON-able dict: ``kind``, ``seat``, the parts by their names, and ``text``."""
        return {"kind": self.kind.name, "seat": self.seat, **self.values, "text": self.text(names)}


@dataclass(frozen=True)
class Text(Part):
    """A text that is no number in the state: why a game has ended."""


class Events:
    """Collects the kinds of events of a game in order.

    ``DREW = EVENTS.add("drew", …)`` appends a kind and returns its number, the first argument of
    ``tell`` after the state.

    Args:
        limit: what the limit is called that may end the game: it limits turns, or rounds.
        counts: what all can count in a view, and events change: name -> key of the view. There is
            one number for each entry of a list over the seats (a number, or the size of a list), or
            one for all.
    """

    def __init__(self, limit: str = "turn", **counts: str) -> None:
        self.kinds: list[Kind] = []
        self.limit = limit
        self.counts = {"scores": "scores", **counts}
        assert self.add("turn", "A turn begins.", "{seat} {have|has} the turn.") == TURN
        assert (
            self.add(
                "chose",
                "A seat has made its choice, while others make theirs.",
                "{seat} {have|has} chosen.",
            )
            == CHOSE
        )
        parts = (Seats("winners"), Flag("limit"), Text("reason"))
        assert (
            self.add("over", f"The game ends, by the {limit} limit or not.", self._over, parts)
            == OVER
        )

    def _over(self, values: Mapping[str, Any]) -> str:
        why = f" {values['reason']}" if values["reason"] else ""
        return f"{game_is_over(self.limit if values['limit'] else None)}.{why} {{winners}} won."

    def add(
        self,
        name: str,
        meaning: str,
        words: Words,
        parts: Sequence[Part] = (),
        *,
        others: Words | None = None,
        private: bool = False,
        changes: Sequence[Change] = (),
        shown: bool = False,
        scored: str = "",
        together: bool = False,
    ) -> int:
        """Append a kind (the arguments: :class:`Kind`) and return its number.

        Raises:
            RulesError: for a name that is there already, and for what does not fit together.
        """
        kind = Kind(
            name,
            meaning,
            words,
            tuple(parts),
            others,
            private,
            tuple(changes),
            shown,
            scored,
            together,
        )
        kind.check()
        if any(other.name == name for other in self.kinds):
            raise RulesError(f"the event {name!r} is there twice")
        if missing := {key for key, *_ in changes} - self.counts.keys():
            raise RulesError(
                f"event {name!r}: 'changes' names {', '.join(sorted(missing))}, which Events(…) "
                "does not count"
            )
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def kind(self, name: str) -> Kind:
        """The kind of this name; raises ValueError for an unknown one."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise ValueError(
            f"no kind of event {shown_in_message(name)}; there are "
            f"{', '.join(kind.name for kind in self.kinds)}"
        )

    def counted(self, view: Mapping[str, Any]) -> dict[str, list[int]]:
        """The public counts of a view: name -> numbers, per seat or one for all."""
        return {name: _sizes(view[key]) for name, key in self.counts.items()}

    def follow(self, counted: dict[str, list[int]], event: Event) -> None:
        """Change what was counted before an event to what is to be counted after it."""
        for key, part, amount in event.kind.changes:
            number = amount if isinstance(amount, int) else event.values[amount.removeprefix("-")]
            signed = -number if isinstance(amount, str) and amount.startswith("-") else number
            place: Any = (
                0 if part == "" else event.seat if part == "seat" else event.values.get(part)
            )
            for one in range(len(counted[key])) if part == "all" else [place]:
                counted[key][one] += signed


def _sizes(entry: Any) -> list[int]:
    """The numbers in an entry of a view, or the sizes of its lists."""
    if isinstance(entry, int):
        return [entry]
    if all(isinstance(one, str) for one in entry):
        return [len(entry)]
    return [one if isinstance(one, int) else len(one) for one in entry]
