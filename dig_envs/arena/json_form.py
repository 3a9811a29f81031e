"""Reports as JSON and back: dataclasses of numbers, texts, tuples, dictionaries and other dataclasses."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from types import UnionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints


class JsonReport:
    """Mixin of report dataclasses, which say their ``KIND``, ``FORMAT``, the ``NAME`` for messages and the ``ERROR`` to raise."""

    KIND: ClassVar[str]
    FORMAT: ClassVar[int]
    NAME: ClassVar[str]
    ERROR: ClassVar[type[Exception]]

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain dicts and lists, floats with five decimals, its kind and the version of its format first."""
        plain: dict[str, Any] = rounded({"kind": self.KIND, "format": self.FORMAT, **asdict(self)})  # type: ignore[call-overload]
        return plain

    @classmethod
    def from_json(cls, plain: Any) -> Self:
        """Return the report that :meth:`as_json` gave; raises ``ERROR`` if it is of another kind or format, or damaged."""
        if not isinstance(plain, dict) or plain.get("kind") != cls.KIND:
            raise cls.ERROR(f"this is no report of {cls.NAME}")
        if plain.get("format") != cls.FORMAT:
            raise cls.ERROR(f"the report has format {plain.get('format')!r}; this version reads format {cls.FORMAT}")
        try:
            report: Self = _read(cls, {key: value for key, value in plain.items() if key not in ("kind", "format")})
        except (AttributeError, KeyError, TypeError) as error:
            raise cls.ERROR(f"the report is damaged: {error}") from None
        return report


def rounded(value: Any) -> Any:
    """Return a value as a report has it: floats with five decimals, dicts for mappings, lists for tuples."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, Mapping):
        return {key: rounded(entry) for key, entry in value.items()}
    return [rounded(entry) for entry in value] if isinstance(value, list | tuple) else value


def _read(hint: Any, plain: Any) -> Any:
    """Return the value of a type hint; raises AttributeError, KeyError or TypeError if the JSON has another form."""
    form, parameters = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return hint(**{key: _read(hints.get(key), value) for key, value in plain.items()})  # type: ignore[operator]
    if form is UnionType:  # with None
        return None if plain is None else _read(parameters[0], plain)
    if form is tuple:
        return tuple(_read(parameters[0], entry) for entry in plain)
    return {key: _read(parameters[1], entry) for key, entry in plain.items()} if form is dict else plain


def to_text(plain: Any) -> str:
    """Return JSON as the text of a file, its lists of numbers on one line each."""
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    return re.sub(r"\[\n\s*([-+\d.,eE\s]+?)\n\s*\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"
