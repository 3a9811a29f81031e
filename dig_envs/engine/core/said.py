"""Events as a seat was told them, from outside: read from JSON and checked.

An event is an object as :meth:`dig_envs.engine.core.events.Event.to_json` gives it: ``kind``,
``seat``, and the parts of the kind by their names; ``text`` and ``index`` are not read. A part may
be null or left out where it is hidden from the seat; part and ``seat`` may be left out where nobody
said them. An entry ``{"kind": "action", "seat": 1, "action": "ask +1 TRI"}`` says which action the
next events are told of; it is needed only where several actions tell the same. ``sentence`` is the
sentence of the log: what is told has it, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.core.checks import check_integer, is_integer, is_sequence, shown_in_message
from dig_envs.engine.core.events import (
    Event,
    Events,
    Flag,
    Kind,
    Part,
    Seats,
    Text,
    Thing,
    Things,
    Who,
)
from dig_envs.engine.core.events import Number as NumberPart

ACTION = "action"  # the entry that names an action
SENTENCE = "sentence"  # how the log says an event
UNREAD = ("kind", "text", "index")  # the last two: what else the log says of an event
ANY = -2  # in the place of a seat that was not said
LONGEST_TEXT = 1000  # characters


@dataclass(frozen=True)
class Said:
    """An event as it was told. ``seat``: ANY if it was not said. ``values``: those parts that were
    said. ``sentence``: the whole of it, as :func:`plain` gives it, or nothing."""

    kind: Kind
    seat: int | None
    values: Mapping[str, Any]
    sentence: str = ""

    def is_other(self, event: Event) -> bool:
        """Whether an event is of another kind or seat."""
        return event.kind is not self.kind or self.seat not in (ANY, event.seat)

    def differs(self, event: Event) -> int:
        """The number of differences between an event and what was said; 0 if they agree."""
        if self.is_other(event):
            return 1 + len(self.kind.parts)
        differs = sum(
            event.values[part.name] != self.values[part.name]
            for part in self.kind.parts
            if part.name in self.values and (event.knows or not part.hidden)
        )
        return differs or int(bool(self.sentence) and plain(event.text()) != self.sentence)

    def to_json(self) -> dict[str, Any]:
        """The JSON object that is read as this entry."""
        seat = {} if self.seat == ANY else {"seat": self.seat}
        sentence = {SENTENCE: self.sentence} if self.sentence else {}
        return {"kind": self.kind.name, **seat, **self.values, **sentence}


def plain(sentence: str) -> str:
    """A sentence in the form in which it is compared: lower case, without its last mark."""
    return " ".join(sentence.split()).rstrip(".!").lower()


@dataclass(frozen=True)
class Played:
    """An action of a seat, which the events after it are told of."""

    seat: int
    action: int
    text: str
    told: bool = False  # whether its events were told before

    def to_json(self) -> dict[str, Any]:
        """The JSON object that is read as this entry."""
        return {"kind": ACTION, "seat": self.seat, "action": self.text}


Entry = Said | Played


def read_said(events: Events, actions: Mapping[str, int], seats: int, given: Any) -> list[Entry]:
    """Events from outside, checked.

    Args:
        events: the kinds of the game. actions: the index of each action by its text.
        seats: at the table. given: a list of objects.

    Raises:
        TypeError: it is no list of objects, or a value is of another type.
        ValueError: an unknown kind, part or value; the message names the entry and what is allowed.
    """
    if not is_sequence(given):
        raise TypeError(f"events are a list of objects, not {shown_in_message(given)}")
    return [_read_one(events, actions, seats, f"event {n}", one) for n, one in enumerate(given, 1)]


def _read_one(
    events: Events, actions: Mapping[str, int], seats: int, where: str, given: Any
) -> Entry:
    if not isinstance(given, Mapping):
        raise TypeError(f"{where} must be an object, not {shown_in_message(given)}")
    name, rest = given.get("kind"), {k: v for k, v in given.items() if k not in UNREAD}
    if name == ACTION:
        return _read_played(actions, seats, where, rest)
    try:
        kind = events.kind(name)  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    parts = {part.name: part for part in kind.parts}
    sentence = rest.pop(SENTENCE, "")
    if not isinstance(sentence, str) or len(sentence) > LONGEST_TEXT:
        raise TypeError(
            f"{where}: {SENTENCE} must be a text of at most {LONGEST_TEXT} characters, not "
            f"{shown_in_message(sentence)}"
        )
    for key in rest:
        if key != "seat" and key not in parts:
            raise ValueError(
                f"{where}: {kind.name!r} has no part {shown_in_message(key)}; it has "
                f"{', '.join(['seat', *parts])}"
            )
    seat = rest.get("seat", ANY)
    if seat not in (None, ANY) or ("seat" in rest and seat is not None):
        check_integer(seat, f"{where}: seat", 0, seats - 1)
    values = {
        key: _value(parts[key], seats, f"{where}: {key}", value)
        for key, value in rest.items()
        if key != "seat"
    }
    return Said(kind, seat, values, plain(sentence))


def _read_played(
    actions: Mapping[str, int], seats: int, where: str, rest: Mapping[str, Any]
) -> Played:
    if rest.keys() != {"seat", "action"}:
        raise ValueError(f"{where}: {ACTION!r} has exactly seat and action")
    seat, text = check_integer(rest["seat"], f"{where}: seat", 0, seats - 1), rest["action"]
    if is_integer(text):
        text = list(actions)[check_integer(text, f"{where}: action", 0, len(actions) - 1)]
    if not isinstance(text, str):
        raise TypeError(f"{where}: action must be a text, not {shown_in_message(text)}")
    if text not in actions:
        raise ValueError(
            f"{where}: no action {shown_in_message(text)}; there are such as "
            f"{', '.join(map(repr, list(actions)[:3]))}"
        )
    return Played(seat, actions[text], text)


def _value(part: Part, seats: int, where: str, value: Any) -> Any:
    if isinstance(part, Things | Seats):
        allowed = part.names if isinstance(part, Things) else range(seats)
        if not isinstance(value, list | tuple):
            raise TypeError(f"{where} must be a list, not {shown_in_message(value)}")
        chosen = [_one_of(allowed, where, one) for one in value]
        return sorted(set(chosen), key=list(allowed).index)
    if isinstance(part, Thing):
        return None if value is None else _one_of(part.names, where, value)
    if isinstance(part, Who):
        return None if value is None else _one_of(range(seats), where, value)
    if isinstance(part, Flag):
        if not isinstance(value, bool):
            raise TypeError(f"{where} must be true or false, not {shown_in_message(value)}")
        return value
    if isinstance(part, Text):
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise TypeError(
                f"{where} must be a text of at most {LONGEST_TEXT} characters, not "
                f"{shown_in_message(value)}"
            )
        return value
    assert isinstance(part, NumberPart), part
    return check_integer(value, where, -(2**31), 2**31 - 1)


def _one_of(allowed: Sequence[Any], where: str, value: Any) -> Any:
    for one in allowed:
        if type(one) is type(value) and one == value:
            return one
    raise ValueError(
        f"{where}: {shown_in_message(value)} is not one of {', '.join(map(str, allowed))}"
    )
