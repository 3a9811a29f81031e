"""Reports as JSON and back: dataclasses of numbers, texts, tuples, dictionaries and other
dataclasses."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from importlib import import_module
from types import UnionType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from dig_envs.engine.core.checks import shown_in_message

T = TypeVar("T")


class JsonReport:
    """Mixin of report dataclasses, which say their ``KIND``, ``FORMAT``, the ``NAME`` for messages
    and the ``ERROR`` to raise.

    ``SHOW`` is the name of the module that makes tables and plots of them.
    """

    KIND: ClassVar[str]
    FORMAT: ClassVar[int]
    NAME: ClassVar[str]
    ERROR: ClassVar[type[Exception]]
    SHOW: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """The report as plain dicts and lists. Its kind and format version come first, floats have
        five decimals."""
        plain: dict[str, Any] = rounded({"kind": self.KIND, "format": self.FORMAT, **asdict(self)})  # type: ignore[call-overload]
        return plain

    @classmethod
    def from_json(cls, plain: Any) -> Self:
        """The report that :meth:`as_json` wrote; raises ``ERROR`` if it is of another kind or
        format, or damaged."""
        if not isinstance(plain, dict) or plain.get("kind") != cls.KIND:
            raise cls.ERROR(f"this is not a report of {cls.NAME}")
        if plain.get("format") != cls.FORMAT:
            raise cls.ERROR(
                f"the report has format {shown_in_message(plain.get('format'))}; this version "
                "reads format "
                f"{cls.FORMAT}"
            )
        try:
            report = read_as(
                cls, {key: value for key, value in plain.items() if key not in ("kind", "format")}
            )
        except TypeError as error:
            raise cls.ERROR(f"the report is damaged: {error}") from None
        return report

    def plot(self, axes: Any = None) -> Any:
        """Draw the report with its intervals (``pip install -e ".[plots]"``) and return
        matplotlib's axes.

        Args:
            axes: to draw on; None: those of a new figure, which a notebook shows.
                ``report.plot().figure.savefig("report.png")`` writes a file.

        Raises:
            ImportError: matplotlib is not installed.
        """
        return import_module(self.SHOW).plot(self, axes)

    def _repr_html_(self) -> str:
        html: str = import_module(self.SHOW).as_html(self)
        return html


def rounded(value: Any) -> Any:
    """A value in a report's form: floats with five decimals, dicts for mappings, lists for
    tuples."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, Mapping):
        return {key: rounded(entry) for key, entry in value.items()}
    return [rounded(entry) for entry in value] if isinstance(value, list | tuple) else value


def read_as(hint: type[T], plain: Any) -> T:
    """A value of the type ``hint`` from JSON; raises TypeError if the JSON has another form.

    Hints are dataclasses, tuples, lists, dicts with texts as keys, numbers, texts, truth values,
    ``Any``, and each of them ``| None``.
    """
    value: T = _read(hint, plain, "")
    return value


def _read(hint: Any, plain: Any, place: str) -> Any:
    form, parameters = get_origin(hint), get_args(hint)
    if hint is Any or (form is UnionType and plain is None):
        return plain
    if form is UnionType:
        return _read(parameters[0], plain, place)
    kind = dict if is_dataclass(hint) or form is dict else list if form is tuple else form or hint
    numbers = type(plain) is int and hint is float
    if not (numbers or (isinstance(plain, kind) and (hint is bool or not isinstance(plain, bool)))):
        raise TypeError(
            f"{place or 'it'} is {shown_in_message(plain)}, not a value of type {kind.__name__}"
        )
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        for key in plain.keys() - {one.name for one in fields(hint)}:
            raise TypeError(f"{place or 'it'} has an entry {shown_in_message(key)}")
        entries = {
            key: _read(hints[key], value, f"{place} {key}".strip()) for key, value in plain.items()
        }
        return hint(**entries)  # type: ignore[operator]
    if kind is list:
        found = [_read(parameters[0], entry, place) for entry in plain]
        return tuple(found) if form is tuple else found
    if form is dict:
        return {
            key: _read(parameters[1], entry, f"{place} {key}".strip())
            for key, entry in plain.items()
        }
    return plain


def to_text(plain: Any) -> str:
    """JSON as the text of a file, each list of numbers on one line."""
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    return (
        re.sub(
            r"\[\n\s*([-+\d.,eE\s]+?)\n\s*\]", lambda found: f"[{' '.join(found[1].split())}]", text
        )
        + "\n"
    )
