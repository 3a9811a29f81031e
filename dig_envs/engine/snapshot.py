"""Reading a snapshot that comes from outside: every check names the key that is wrong and what would be right."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.errors import OptionError, SnapshotError
from dig_envs.engine.options import Option, complete_options
from dig_envs.engine.state import new_records

COMMON_KEYS = ("game", "options", "to_move", "phase", "turn", "scores", "winners", "truncated")
MAX_WORD = 2**64 - 1


def common_entries(state: Any, game: str, options: tuple[Option, ...], phases: Sequence[str]) -> dict[str, Any]:
    """The entries with which every game's snapshot begins, from a state record."""
    seats = range(int(state["num_players"]))
    return {
        "game": game,
        "options": {option.name: option.decode(state[option.name]) for option in options},
        "to_move": int(state["to_move"]),
        "phase": phases[state["phase"]],
        "turn": int(state["turn"]),
        "scores": [int(state["scores"][p]) for p in seats],
        "winners": [p for p in seats if state["winners"][p]],
        "truncated": bool(state["truncated"]),
    }


def require(condition: bool, key: str, message: str) -> None:
    """Raise a :class:`SnapshotError` naming the key unless the condition holds."""
    if not condition:
        raise SnapshotError(f"snapshot key {key!r}: {message}")


class Reader:
    """Typed access to the keys of a snapshot.

    Refuses unknown and missing keys at once. ``game``: the name that the snapshot must carry; ``keys``: the game's own;
    ``optional``: keys that may be there.
    """

    def __init__(
        self, snapshot: Any, game: str, options: tuple[Option, ...], keys: Sequence[str], optional: Sequence[str] = ()
    ) -> None:
        if not isinstance(snapshot, Mapping):
            raise SnapshotError(f"a snapshot is a JSON object, not {type(snapshot).__name__}")
        self.snapshot = snapshot
        require(snapshot.get("game") == game, "game", f"must be {game!r}, not {snapshot.get('game')!r}")
        for key in (*COMMON_KEYS, *keys):
            require(key in snapshot, key, "is missing")
        for key in snapshot:
            require(key in (*COMMON_KEYS, *keys, *optional, "rng"), str(key), "is unknown")
        self.options = self._options(options, game)

    def _options(self, options: tuple[Option, ...], game: str) -> dict[str, Any]:
        given = self.snapshot["options"]
        require(isinstance(given, Mapping), "options", "must be an object")
        for option in options:
            require(option.name in given, f"options.{option.name}", "is missing")
        try:
            return complete_options(options, given, game)
        except OptionError as error:
            raise SnapshotError(f"snapshot key 'options': {error}") from None

    def new_state(self, dtype: np.dtype[Any], options: tuple[Option, ...]) -> np.ndarray[Any, Any]:
        """A record array of length 1, zero but for the options of the snapshot."""
        records = new_records(1, dtype)
        for option in options:
            records[option.name][0] = option.encode(self.options[option.name])
        return records

    def integer(self, key: str, low: int, high: int) -> int:
        """An integer in a closed range."""
        return self.integer_value(self.snapshot[key], key, low, high)

    @staticmethod
    def integer_value(value: Any, key: str, low: int, high: int) -> int:
        """Check an integer that was found under a key."""
        good = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        require(good, key, f"must be an integer from {low} to {high}, not {value!r}")
        return int(value)

    def boolean(self, key: str) -> bool:
        """True or false."""
        value = self.snapshot[key]
        require(isinstance(value, bool), key, f"must be true or false, not {value!r}")
        return bool(value)

    def choice(self, key: str, values: Sequence[Any]) -> int:
        """The place of a value in a list of allowed ones."""
        return self.choice_value(self.snapshot[key], key, values)

    @staticmethod
    def choice_value(value: Any, key: str, values: Sequence[Any]) -> int:
        """Check a value that was found under a key; returns its place among the allowed ones."""
        for index, allowed in enumerate(values):
            if type(value) is type(allowed) and value == allowed:
                return index
        raise SnapshotError(f"snapshot key {key!r}: {value!r} is not one of {', '.join(map(repr, values))}")

    def array(self, key: str, length: int | None = None, most: int | None = None) -> list[Any]:
        """A list, of a given length or with at most so many entries."""
        return self.array_value(self.snapshot[key], key, length, most)

    @staticmethod
    def array_value(value: Any, key: str, length: int | None = None, most: int | None = None) -> list[Any]:
        """Check a list that was found under a key."""
        require(isinstance(value, list), key, f"must be a list, not {value!r}")
        if length is not None:
            require(len(value) == length, key, f"must have {length} entries, not {len(value)}")
        if most is not None:
            require(len(value) <= most, key, f"must have at most {most} entries, not {len(value)}")
        return list(value)

    def choices(self, key: str, values: Sequence[Any], length: int | None = None, most: int | None = None) -> list[int]:
        """A list of allowed values, as their places."""
        return [self.choice_value(value, key, values) for value in self.array(key, length, most)]

    def mapping(self, key: str, names: Sequence[str]) -> dict[str, Any]:
        """An object with exactly these keys."""
        value = self.snapshot[key]
        require(isinstance(value, Mapping), key, f"must be an object, not {value!r}")
        require(set(value) == set(names), key, f"must have exactly the keys {', '.join(names)}")
        return dict(value)

    def rng(self) -> int:
        """The state of the random generator; a fresh one where the snapshot has none."""
        text = self.snapshot.get("rng")
        if text is None:
            return secrets.randbits(64)
        good = isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= 20 and int(text) <= MAX_WORD
        require(good, "rng", f"must be a string of digits up to {MAX_WORD}, not {text!r}")
        return int(text)


def require_multiset(found: Iterable[Any], expected: Iterable[Any], key: str, what: str) -> None:
    """Raise unless two collections are equal as multisets; the message says what is missing or too many."""
    have, want = Counter(found), Counter(expected)
    if have != want:
        missing = sorted((want - have).elements(), key=str)
        surplus = sorted((have - want).elements(), key=str)
        require(False, key, f"{what} do not add up: missing {missing}, too many {surplus}")
