"""Codecs of Go Dig: lists of all seats behind each other in one array, and sets of names held as
bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.snapshots.codecs import (
    Codec,
    JsonSchema,
    Place,
    State,
    put,
    require,
    require_choice,
    require_list,
)


@dataclass(frozen=True)
class Behind(Codec):
    """The list of one seat, in an array that holds those of all seats behind each other; for use in
    ``PerSeat``.

    ``values``: what the entries are, held as places in it. ``length``: the field with the length of
    each seat's list.
    """

    values: Sequence[str]
    length: str

    def write(self, state: State, name: str, at: Place) -> list[str]:
        first = self._first(state, at)
        return [
            self.values[int(entry)]
            for entry in state[name][first : first + int(state[self.length][at])]
        ]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        first, room = self._first(state, at), len(state[name])
        places = [
            require_choice(entry, key, self.values) for entry in require_list(value, key, most=room)
        ]
        require(
            first + len(places) <= room,
            key,
            f"the lists of all seats together have at most {room} entries",
        )
        state[name][first : first + len(places)] = places
        put(state, self.length, at, len(places))

    def _first(self, state: State, at: Place) -> int:
        return sum(int(length) for length in state[self.length][: at[0]])

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "items": {"enum": list(self.values)}}


@dataclass(frozen=True)
class Bits(Codec):
    """A set of ``names`` in their order, held as the bits of one integer."""

    names: Sequence[str]

    def write(self, state: State, name: str, at: Place) -> list[str]:
        bits = int(state[name][at])
        return [text for place, text in enumerate(self.names) if bits >> place & 1]

    def read(self, state: State, name: str, at: Place, value: Any, key: str) -> None:
        entries = require_list(value, key, most=len(self.names))
        put(
            state,
            name,
            at,
            sum(
                1 << place
                for place in {require_choice(entry, key, self.names) for entry in entries}
            ),
        )

    def json_schema(self) -> JsonSchema:
        return {"type": "array", "items": {"enum": list(self.names)}, "uniqueItems": True}
