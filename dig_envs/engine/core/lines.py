"""Events as people type them: one line of text for each.

The short form names the kind, the seat counted from 1, and the values of the parts in their order:
``asked 2 3 TRI`` is what the log says as *Player 2 asks Player 3 for a Triceratops.* A value with
spaces is quoted, several values are joined by commas, ``-`` is nothing, ``?`` is what the seat does
not know; what is left out at the end is not said. ``action 2 ask +1 TRI`` names the action itself.

The sentence of the log is read, too, in any case and without its last mark; the names of the seats
are *Player 1* and so on, and *You* is the seat itself. What a sentence does not say is not said.
"""

import math
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from string import Formatter
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.events import (
    Event,
    Events,
    Flag,
    Kind,
    Number,
    Part,
    Seats,
    Text,
    Thing,
    Things,
    Who,
    Words,
)
from dig_envs.engine.core.said import ACTION, SENTENCE, plain

NOTHING, UNKNOWN = "-", "?"
YES, NO = "yes", "no"
LONGEST_LINE = 1000  # characters
MOST_TRIED = 3_000  # meanings of a sentence, for each kind
MOST_IMPLIED = 14  # of the numbers that a sentence may mean without them, such as a king's


def event_line(event: Mapping[str, Any], events: Events) -> str:
    """The short form of an event in JSON (:mod:`dig_envs.engine.core.said`)."""
    if event["kind"] == ACTION:
        return f"{ACTION} {event['seat'] + 1} {event['action']}"
    kind = events.kind(event["kind"])
    words = [kind.name, NOTHING if event["seat"] is None else str(event["seat"] + 1)]
    for part in kind.parts:
        words.append(_word(part, event[part.name]) if part.name in event else UNKNOWN)
    return " ".join(words)


def _word(part: Part, value: Any) -> str:
    if value is None:
        return UNKNOWN if part.hidden else NOTHING
    if isinstance(part, Flag):
        return YES if value else NO
    if isinstance(part, Who):
        return str(value + 1)
    if isinstance(part, Things | Seats):
        shift = 1 if isinstance(part, Seats) else 0
        values = [str(one + shift) if shift else str(one) for one in value]
        return shlex.quote(",".join(values)) if values else NOTHING
    return shlex.quote(str(value))


def read_line(line: Any, events: Events, seat: int, seats: int) -> dict[str, Any]:
    """An event in JSON from a line in the short form, or from a sentence of the log.

    Args:
        line: the text. events: the kinds of the game. seat: who is *You*. seats: at the table.

    Raises:
        TypeError: it is not a string. ValueError: it is neither; the message says what is wrong.
    """
    if not isinstance(line, str):
        raise TypeError(f"an event is a line of text, not {shown_in_message(line)}")
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line has at most {LONGEST_LINE} characters, not {len(line)}")
    name = line.split()[0].lower() if line.split() else ""
    if name == ACTION or any(kind.name == name for kind in events.kinds):
        try:
            return _read_short(line, events, seats)
        except ValueError:
            if (found := _read_sentence(line, events, seat, seats)) is not None:
                return found
            raise
    if (found := _read_sentence(line, events, seat, seats)) is not None:
        return found
    raise ValueError(
        f"no event {shown_in_message(line)}: type a sentence of the log, or a kind, a seat from 1 "
        f"and values, such as {_example(events)!r}; the kinds are "
        f"{', '.join([kind.name for kind in events.kinds] + [ACTION])}"
    )


def form_of(kind: Kind) -> str:
    """The short form of a kind as it is typed: ``asked SEAT OTHER GENUS``."""
    return " ".join([kind.name, "SEAT", *(part.name.upper() for part in kind.parts)])


def _example(events: Events) -> str:
    return form_of(events.kinds[-1])


def _read_short(line: str, events: Events, seats: int) -> dict[str, Any]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise ValueError(f"{shown_in_message(line)}: {str(error).lower()}") from None
    name, given = words[0].lower(), words[1:]
    if name == ACTION:
        if len(given) < 2:
            raise ValueError(f"{shown_in_message(line)}: must be {ACTION} SEAT and its text")
        return {"kind": ACTION, "seat": _seat(given[0], seats), "action": " ".join(given[1:])}
    kind = events.kind(name)
    if not given or len(given) > len(kind.parts) + 1:
        raise ValueError(f"{shown_in_message(line)}: must be {form_of(kind)}")
    event: dict[str, Any] = {"kind": kind.name}
    event["seat"] = None if given[0] == NOTHING else _seat(given[0], seats)
    for part, word in zip(kind.parts, given[1:], strict=False):
        if word != UNKNOWN:
            event[part.name] = _value(part, word, seats)
    return event


def _seat(word: str, seats: int) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 4 and 0 < int(word) <= seats):
        raise ValueError(f"{shown_in_message(word)} is not a seat; seats are 1 to {seats}")
    return int(word) - 1


def _value(part: Part, word: str, seats: int) -> Any:
    """The value of a part that a word stands for."""
    if isinstance(part, Things | Seats):
        words = [] if word == NOTHING else word.split(",")
        return [_seat(one, seats) if isinstance(part, Seats) else _name(part, one) for one in words]
    if word == NOTHING and isinstance(part, Thing | Who):
        return None
    if isinstance(part, Flag):
        if word.lower() not in (YES, NO):
            raise ValueError(f"{part.name}: {shown_in_message(word)} is neither yes nor no")
        return word.lower() == YES
    if isinstance(part, Who):
        return _seat(word, seats)
    if isinstance(part, Number):
        if not re.fullmatch(r"-?[0-9]{1,9}", word):
            raise ValueError(f"{part.name}: {shown_in_message(word)} is not an integer")
        return int(word)
    return _name(part, word)


def _name(part: Part, word: str) -> Any:
    """A name in JSON, in any case. Other words stay as they are; a later check refuses them."""
    names = part.names if isinstance(part, Thing) else ()
    return next((name for name in names if str(name).lower() == word.lower()), word)


# ---------------------------------------------------------------- sentences


def _read_sentence(line: str, events: Events, seat: int, seats: int) -> dict[str, Any] | None:
    """The event that a sentence of the log tells, if there is one: what it may mean is written, and
    what all that reads so has in common was said. Raises ValueError if several kinds read so."""
    wanted = plain(line)
    kinds = [
        k for k in events.kinds if any(_may_say(words, wanted) for words in (k.words, k.others))
    ]
    told = list[dict[str, Any]]()
    for changed in (1, 2):
        for kind in kinds:
            if found := _readings(kind, wanted, seat, seats, changed):
                same = {
                    key: value
                    for key, value in found[0].items()
                    if all(one.get(key, ...) == value for one in found)
                }
                # of what it may mean beside this the same is said; but a text is not compared
                exact = not any(isinstance(part, Text) for part in kind.parts)
                told.append({"kind": kind.name, **same, **({SENTENCE: wanted} if exact else {})})
        if told:
            break
    if len(told) > 1:
        forms = " or ".join(event_line({"seat": None, **event}, events) for event in told)
        raise ValueError(f"{shown_in_message(line)} may be {forms}: type one of these")
    return told[0] if told else None


def _may_say(words: Words | None, wanted: str) -> bool:
    """Whether a sentence has what stands between the fields of a template."""
    if not isinstance(words, str):
        return words is not None
    return all(plain(text) in wanted for text, *_ in Formatter().parse(words))


def _readings(kind: Kind, wanted: str, seat: int, seats: int, changed: int) -> list[dict[str, Any]]:
    """The seat and the parts that a seat knows, of events of a kind that read so. ``changed``: how
    many values are changed together to find them."""
    people = [p for p in range(seats) if _names(wanted, p, seat)]
    other = [p for p in range(seats) if p not in people][:1]
    implied = (0, 1, 2) if isinstance(kind.words, str) else range(MOST_IMPLIED + 1)
    choices = [[*people, None, *other]]
    choices += [_candidates(part, wanted, people, seats, implied) for part in kind.parts]
    count = math.prod(map(len, choices))
    # by the values in any order: of parts that may be exchanged
    found = dict[str, dict[int, list[dict[str, Any]]]]()
    for knows in (True, False) if kind.others is not None else (True,):

        def text(chosen: Sequence[Any], knows: bool = knows) -> str:
            values = {part.name: value for part, value in zip(kind.parts, chosen[1:], strict=True)}
            try:
                return plain(Event(kind, chosen[0], values, seat, knows).text())
            except (KeyError, TypeError, ValueError, IndexError, StopIteration):
                return ""

        near: Iterable[Sequence[Any]] = _nearest(kind, choices, wanted, text, changed)
        if count <= MOST_TRIED and any(text(one) == wanted for one in near):
            near = product(*choices)
        for chosen in near:
            if text(chosen) == wanted:
                known = {
                    part.name: value
                    for part, value in zip(kind.parts, chosen[1:], strict=True)
                    if not isinstance(part, Text) and (knows or not part.hidden)
                }
                alike = found.setdefault(str(sorted(map(str, chosen))), {})
                alike.setdefault(_gaps(kind, chosen), []).append({"seat": chosen[0], **known})
    return [one for alike in found.values() for one in alike[min(alike)]]


def _gaps(kind: Kind, chosen: Sequence[Any]) -> int:
    """How many parts are nothing before one of the same names that is something: of several cards
    the last ones are missing."""
    things = [
        (part.names, value)
        for part, value in zip(kind.parts, chosen[1:], strict=True)
        if isinstance(part, Thing) and not isinstance(part, Things)
    ]
    return sum(
        value is None and any(other == names and later is not None for other, later in things[n:])
        for n, (names, value) in enumerate(things, 1)
    )


def _nearest(
    kind: Kind,
    choices: Sequence[Sequence[Any]],
    wanted: str,
    text: Callable[[Sequence[Any]], str],
    changed: int,
) -> list[list[Any]]:
    """Choices that differ in some values from those whose text is nearest to the wanted one: these
    are found by changing so many values at a time."""
    words = _pairs(wanted)

    def distance(chosen: Sequence[Any]) -> tuple[int, int]:
        pairs = _pairs(text(chosen))
        return (words - pairs).total() + (pairs - words).total(), _gaps(kind, chosen)

    best = [some[0] for some in choices]
    while True:
        near = []
        for places in combinations(range(len(choices)), min(changed, len(choices))):
            for values in product(*(choices[place] for place in places)):
                others = dict(zip(places, values, strict=True))
                near.append([others.get(place, value) for place, value in enumerate(best)])
        nearest = min(near, key=distance)
        if distance(nearest) >= distance(best):
            return near
        best = nearest


def _pairs(text: str) -> Counter[tuple[str, str]]:
    """The pairs of words that follow each other."""
    words = ["", *text.split(), ""]
    return Counter(zip(words, words[1:], strict=False))


def _names(wanted: str, p: int, seat: int) -> bool:
    if p == seat:
        return re.search(r"\byou(r)?\b", wanted) is not None
    return re.search(rf"\bplayer {p + 1}\b", wanted) is not None


def _candidates(
    part: Part, wanted: str, people: Sequence[int], seats: int, implied: Iterable[int]
) -> list[Any]:
    """The values that a sentence may mean for a part; None where it names none. ``implied``:
    numbers that it may mean without them."""
    if isinstance(part, Flag):
        return [False, True]
    if isinstance(part, Who):
        return [*people, None]
    if isinstance(part, Seats):
        return [list(people), [], list(range(seats))]
    if isinstance(part, Things):
        return [[name for name in part.names if _is_named(part.words([name]), wanted)], []]
    if isinstance(part, Thing):
        named = [name for name in part.names if _is_named(part.words(name), wanted)]
        others = [name for name in part.names if name not in named]
        return [None, *named, *(others if len(part.names) < 5 else others[:1])]
    if isinstance(part, Number):
        spelled = {int(word) for word in re.findall(r"\b[0-9]{1,6}\b", wanted)}
        return sorted({*implied, *spelled, *(-number for number in spelled)}, key=abs)
    assert isinstance(part, Text), part
    sentences = wanted.split(". ")
    runs = range(len(sentences))
    return ["", *(". ".join(sentences[a : b + 1]) + "." for a in runs for b in runs[a:])]


def _is_named(words: Any, wanted: str) -> bool:
    name = re.escape(plain(str(words)).removeprefix("the "))
    return re.search(rf"(?<!\w){name}(?!\w)", wanted) is not None
