"""Options: the variants of a game, checked when given by name and stored in the state as
integers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import OptionError


@dataclass(frozen=True)
class Option:
    """One option of a game.

    ``values``: all values it can take, in the order of the rules file; the state stores a value's
    place in it, or, where the values are integers or booleans, the value itself. A value may also
    be a tuple of integers or of words; it is given as a tuple or a list and always comes back as a
    list, as in JSON. ``any_order``: the parts of such a value all differ, and may be given in any
    order. ``description``: the valid values in words, where there are many. ``for_people``: the
    default where people play, if it is another one. ``shown``: whether an observation shows it.
    ``settled``: whether set-up gives it the value that a variant has
    (:mod:`dig_envs.engine.core.variants`). ``since``: the first version of the environment that
    offers it; earlier ones play with its default. ``former``: defaults of earlier versions, each by
    the last version that had it.
    """

    name: str
    values: tuple[Any, ...] | range
    default: Any
    meaning: str
    description: str = ""
    any_order: bool = False
    for_people: Any = None
    shown: bool = True
    settled: bool = False
    since: int = 0
    former: Mapping[int, Any] = field(default_factory=dict)

    def in_version(self, version: int) -> "Option":
        """The option with the default of this version of the environment."""
        had = [last for last in self.former if last >= version]
        return replace(self, default=self.former[min(had)], former={}) if had else self

    def encode(self, value: Any) -> int:
        """The stored integer of a value; raises :class:`OptionError`."""
        if isinstance(self.values, range):  # at once: it may be long
            if type(value) is int and value in self.values:
                return value
            raise self._no_value(value)
        for index, allowed in enumerate(self.values):
            if _same(value, allowed, self.any_order):
                return index if isinstance(allowed, str | tuple) else int(allowed)
        raise self._no_value(value)

    def _no_value(self, given: Any) -> OptionError:
        return OptionError(
            f"option {self.name!r}: {shown_in_message(given)} is not one of "
            f"{self.describe_values()}"
        )

    def decode(self, stored: int) -> Any:
        """The value of a stored integer."""
        first: Any = self.values[0]
        if isinstance(first, str | tuple):
            value: Any = self.values[stored]
            return list(value) if isinstance(value, tuple) else value
        return bool(stored) if isinstance(first, bool) else int(stored)

    def by_text(self) -> dict[str, Any]:
        """The values by their text as typed in a command; a tuple has hyphens, such as
        ``3-12-3``."""
        return {
            "-".join(map(str, value)) if isinstance(value, tuple) else str(value): value
            for value in self.values
        }

    def from_text(self, text: str) -> Any:
        """The value of a text as typed in a command; raises :class:`OptionError`."""
        if isinstance(self.values, range) and re.fullmatch("0|[1-9][0-9]{0,17}", text):
            return self.decode(self.encode(int(text)))  # at once: the range may be long
        by_text = self.by_text()
        if self.any_order:
            parts = sorted(text.split("-"))
            text = next((known for known in by_text if sorted(known.split("-")) == parts), text)
        if text not in by_text:
            raise self._no_value(text)
        return by_text[text]

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        values = self.values
        lists = [value for value in values if isinstance(value, tuple)]
        if lists:  # form and words; not which go together
            parts = list(dict.fromkeys(chain.from_iterable(lists)))
            of_words = isinstance(parts[0], str)
            schema: dict[str, Any] = {
                "type": "array",
                "items": {"enum": parts} if of_words else {"type": "integer"},
                "minItems": len(lists[0]),
                "maxItems": len(lists[0]),
            }
            schema |= {"uniqueItems": True} if self.any_order else {}
            others = [value for value in values if not isinstance(value, tuple)]
            return {"anyOf": [schema, {"enum": others}]} if others else schema
        if isinstance(values, range) and values.step == 1:
            return {"type": "integer", "minimum": values.start, "maximum": values.stop - 1}
        return {"enum": list(values)}

    def to_json(self) -> dict[str, Any]:
        """``name``, ``values``, ``default`` and ``meaning`` as JSON.

        ``values`` is a list, or for a range of integers ``{"least": …, "most": …, "step": …}``.
        """
        values: Any = self.values
        if isinstance(values, range):
            shown: Any = {"least": values[0], "most": values[-1], "step": values.step}
        else:
            shown = [list(value) if isinstance(value, tuple) else value for value in values]
        default = list(self.default) if isinstance(self.default, tuple) else self.default
        return {"name": self.name, "values": shown, "default": default, "meaning": self.meaning}

    def describe_values(self) -> str:
        """The valid values, in words for people."""
        if self.description:
            return self.description
        if isinstance(self.values, range):
            return f"{self.values.start} … {self.values.stop - 1}"
        return ", ".join(repr(value) for value in self.values)


def defaults_for_people(options: tuple[Option, ...]) -> dict[str, Any]:
    """The options with a different default for people, with that default."""
    return {option.name: option.for_people for option in options if option.for_people is not None}


def other_than_default(options: tuple[Option, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options that differ from their default. A later option then changes nothing."""
    defaults = {option.name: option.decode(option.encode(option.default)) for option in options}
    return {
        name: value
        for name, value in given.items()
        if name not in defaults or not _same(value, defaults[name])
    }


def _same(value: Any, allowed: Any, any_order: bool = False) -> bool:
    """Whether a given value is an allowed one; 1 is not True, and a list stands for a tuple."""
    if isinstance(allowed, tuple):
        if not isinstance(value, list | tuple) or len(value) != len(allowed):
            return False
        if any_order:
            return all(any(_same(given, part) for given in value) for part in allowed)
        return all(map(_same, value, allowed))
    return type(value) is type(allowed) and value == allowed


def parse_option(
    options: tuple[Option, ...], text: str, several: bool = False
) -> tuple[str, list[Any]]:
    """The name and the values of an option as typed in a command: ``name=value``, with ``several``
    ``name=value,value…``.

    Raises:
        OptionError: says what would be right.
    """
    known = {option.name: option for option in options}
    name, sign, values = text.partition("=")
    if not sign or name not in known:
        raise OptionError(
            f"option {shown_in_message(text)}: write name=value, the name one of {', '.join(known)}"
        )
    return name, [
        known[name].from_text(value) for value in (values.split(",") if several else [values])
    ]


def parse_options(
    options: tuple[Option, ...], texts: Sequence[str], sweeps: Sequence[str] = ()
) -> dict[str, list[Any]]:
    """The values of options as typed in a command, by name: one of each of ``texts``, several of
    each of ``sweeps`` (:func:`parse_option`).

    Raises:
        OptionError: says what would be right; also for an option that is given twice.
    """
    parsed = [parse_option(options, text) for text in texts]
    parsed += [parse_option(options, text, several=True) for text in sweeps]
    found: dict[str, list[Any]] = {}
    for name, values in parsed:
        if name in found:
            raise OptionError(f"option {name!r} is given twice: give each option once")
        found[name] = values
    return found


def complete_options(
    options: tuple[Option, ...], given: Mapping[str, Any], game: str
) -> dict[str, Any]:
    """All options with their values, defaults filled in; raises :class:`OptionError` for an unknown
    one."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            # the words that libraries look for
            shown = shown_in_message(name)
            unexpected = f"got an unexpected keyword argument {shown}"
            raise OptionError(
                f"{game} has no option {shown}; its options are {', '.join(known)} ({unexpected})"
            )
    complete = {name: given.get(name, option.default) for name, option in known.items()}
    return {
        name: known[name].decode(known[name].encode(_plain(value)))
        for name, value in complete.items()
    }


def _plain(value: Any) -> Any:
    """A value with Python's numbers, words and lists in place of NumPy's."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [part.item() if isinstance(part, np.generic) else part for part in value]
    return value
