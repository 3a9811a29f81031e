"""Sentences in plain English about seats, things and numbers, from the point of view of one of the
seats.

A *template* is a sentence with fields in braces:

- ``{seat}``, ``{other}``: a person: the name, or *you* where the viewer is meant; ``{other's}``:
  *Bob's* or *your*;
- ``{ask|asks}``: a verb: the first form for *you* and for several, the second for one other person:
  the last one named before it;
- ``{card}``: a thing; ``{a card}`` with *a* or *an* before it;
- ``{count}``: a number; ``{count:card}``: *no cards*, *1 card*, *3 cards*;
  ``{count:dig of dirt/digs of dirt}`` where the plural is another one.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from string import Formatter
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.texts import INVISIBLE

Viewer = int | None  # a seat, or None: somebody who sees what is public

LONGEST_NAME = 40  # characters
# how words begin that have "an" before them
AN = re.compile(r"(?!uni|uta|use|eu|one)[aeiou]", re.IGNORECASE)
NOBODY, YOU = "nobody", "you"
# Letters that look like Latin ones: of Cyrillic, Greek, Armenian, and small capitals.
LATIN = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХҮԜԚӀЬьаеѕіјорсухүһԁԛԝӏвкмнт"
        "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυγχօոսհյց"
        "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢıɑɡ",
        "abesijkmhopctyxywqlbbaesijopcyxyhdqwlbkmhtabezhikmnoptyxaikvopuyxonuhjg"
        "abcdeghijklmnoprtuvwyziag",
        strict=True,
    )
)
ALIKE = {"i": "l", "1": "l", "|": "l", "0": "o"}
NUMBERED = re.compile("player[lo2-9]+")  # how "Player 12" looks
FIELD = re.compile(r"(?P<article>an? )?(?P<name>\w+)(?P<owner>'s)?")


@dataclass(frozen=True)
class Names:
    """The names of the seats.

    Args:
        given: seat by seat; seats without a name are called *Player 1*, *Player 2* and so on.

    Raises:
        TypeError: the names are no list or tuple of texts. ValueError: a name is empty, longer than
            40 characters, has control characters or spaces around it, shows nothing, or looks like
            *you*, *nobody*, the usual name of a seat, or another one of the names.
    """

    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.given, str) or not isinstance(self.given, Sequence):
            raise TypeError(
                f"names must be a list or tuple of texts, not {shown_in_message(self.given)}"
            )
        object.__setattr__(self, "given", tuple(self.given))
        looks = [YOU, NOBODY]
        for seat, name in enumerate(self.given):
            if not isinstance(name, str):
                raise TypeError(
                    f"the name of {usual_name(seat)} must be a text, not {type(name).__name__}"
                )
            if not 0 < len(name) <= LONGEST_NAME:
                raise ValueError(
                    f"the name of {usual_name(seat)} has {len(name)} characters; it needs 1 to "
                    f"{LONGEST_NAME}"
                )
            if not name.isprintable() or name != name.strip():
                raise ValueError(
                    f"the name of {usual_name(seat)}, {name!r}, has control characters, spaces of "
                    "other kinds, or spaces around it"
                )
            look = look_of(name)
            if all(unicodedata.category(sign).startswith("M") for sign in look):
                raise ValueError(f"the name of {usual_name(seat)}, {name!r}, shows nothing")
            if look in looks or (NUMBERED.fullmatch(look) and name != usual_name(seat)):
                raise ValueError(
                    f"the name of {usual_name(seat)}, {name!r}, is taken, or looks like one that "
                    "is: each seat needs its own, other than 'you', 'nobody' and 'Player' with a "
                    "number"
                )
            looks.append(look)

    def of(self, seat: int | None) -> str:
        """The name of a seat; *nobody* for None."""
        if seat is None:
            return NOBODY
        return self.given[seat] if seat < len(self.given) else usual_name(seat)

    def person(self, seat: int | None, viewer: Viewer) -> str:
        """The name of a seat, or *you* where it is the viewer's."""
        return YOU if seat is not None and seat == viewer else self.of(seat)

    def people(self, seats: Sequence[int], viewer: Viewer) -> str:
        """The names of several seats, the viewer first: *you and Bob*; *nobody* for none."""
        return (
            enumeration(
                [
                    self.person(seat, viewer)
                    for seat in sorted(seats, key=lambda seat: (seat != viewer, seat))
                ]
            )
            or NOBODY
        )


def usual_name(seat: int) -> str:
    """The name of a seat that has no given name."""
    return f"Player {seat + 1}"


def look_of(name: str) -> str:
    """A text that is the same for names that look alike: without upper case, spaces, invisible
    characters, and letters of other scripts that look like Latin ones."""
    plain = unicodedata.normalize("NFKC", INVISIBLE.sub("", name))
    latin = "".join(LATIN.get(sign, sign) for sign in plain if not sign.isspace())
    return "".join(ALIKE.get(sign, sign) for sign in latin.upper().lower())


NO_NAMES = Names()  # nobody has been given a name
_names_now: ContextVar[Names] = ContextVar("names_now", default=NO_NAMES)


@contextmanager
def named(names: Names) -> Iterator[None]:
    """Within this, texts and pictures of positions call the seats by these names."""
    token = _names_now.set(names)
    try:
        yield
    finally:
        _names_now.reset(token)


def names_now() -> Names:
    """The names of the seats in texts and pictures of positions, from :func:`named`."""
    return _names_now.get()


def enumeration(texts: Sequence[str]) -> str:
    """Texts as a list in a sentence: *a, b and c*; empty for none."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def counted(number: int, noun: str) -> str:
    """A number of things: *no cards*, *1 card*, *3 cards*; ``noun`` is ``card``, or ``foot/feet``
    with its plural."""
    one, _, several = noun.partition("/")
    return f"{number or 'no'} {one if number == 1 else several or one + 's'}"


def game_is_over(limit: str | None) -> str:
    """The beginning of a sentence on the end of a game, such as *The game is over by the turn
    limit*."""
    return f"The game is over by the {limit} limit" if limit else "The game is over"


def capitalised(text: str) -> str:
    """A text with a capital at the beginning of each sentence."""
    return re.sub(r"(?:^|(?<=[.!?] ))[a-z]", lambda found: found[0].upper(), text)


def fill(
    template: str,
    values: Mapping[str, Any],
    people: Mapping[str, Any],
    names: Names,
    viewer: Viewer = None,
) -> str:
    """A template with its fields filled in.

    Args:
        template: the sentence (above).
        values: what stands in the fields that are no persons.
        people: the seat, or a list of seats, in the fields that are persons.
        names: of the seats. viewer: who is *you*.

    Raises:
        KeyError: a field has no value.
    """
    sentence, forms = "", 1
    for text, field, spec, _ in Formatter().parse(template):
        sentence += text
        if field is None:
            continue
        if "|" in field:
            sentence += field.split("|")[forms]
            continue
        match = FIELD.fullmatch(field)
        if match is None:
            raise KeyError(field)
        name = match["name"]
        if name in people:
            seats = people[name] if isinstance(people[name], list) else [people[name]]
            seats = [seat for seat in seats if seat is not None]
            forms = 1 if len(seats) < 2 and viewer not in seats else 0
            filled = names.people(seats, viewer)
            sentence += filled if not match["owner"] else "your" if filled == YOU else f"{filled}'s"
            continue
        filled = counted(values[name], spec) if spec else str(values[name])
        article = ("an " if AN.match(filled) else "a ") if match["article"] else ""
        sentence += article + filled
    return sentence
