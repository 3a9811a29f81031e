"""The data table of The Treasure of Oak Island, ``box.toml``, read and checked: characters,
locations, contents of the bag."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from dig_envs.engine.core.errors import DigEnvsError

BOX_FILE = Path(__file__).with_name("box.toml")
DIGGING = ("lots", "swamp", "bore_hole", "caisson")
CENTRE = "interpretive_centre"
LOCATIONS = (*DIGGING, CENTRE)
WITHOUT_EXTRA = "lots"  # the rulebook allows extra cubes at the other three
BAG_LIMITS = {"red": 20, "blue": 40, "green": 40, "brown": 100}  # of the options

MOST_CHARACTERS, MOST_ROWS, MOST_NEEDED = 12, 3, 2
DOLLARS = 100  # all money is a multiple of this
MOST_COST, MOST_CUBES, MOST_EXTRA = 2000, 10, 6
NAME = re.compile(r"[A-Za-z][A-Za-z_]{0,19}")


class DataError(DigEnvsError):
    """A data table that does not fit the game; the message names file, entry and what would be
    right."""


@dataclass(frozen=True)
class Row:
    """A row of a location: at least ``need`` of these characters must be there."""

    need: int
    characters: tuple[str, ...]


@dataclass(frozen=True)
class Location:
    """A location of the board; without cubes at the interpretive centre."""

    name: str
    rows: tuple[Row, ...]
    cost: int
    cubes: int
    extra: int


@dataclass(frozen=True)
class Box:
    """All numbers of the table for a version of the environment. ``bag``: cubes in the bag at the
    start by colour, in the order of the options."""

    characters: tuple[str, ...]
    locations: tuple[Location, ...]
    bag: tuple[tuple[str, int], ...]

    @property
    def hash(self) -> str:
        """16 hex digits that tell it from every other table."""
        return sha256(repr(asdict(self)).encode()).hexdigest()[:16]


def read_box(path: Path, version: int = 1) -> Box:
    """The table in a file, for a version of the environment.

    Raises:
        DataError: naming the file, the entry and what is wrong with it.
    """
    try:
        table = tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    return _Reader(path, version).box(table)


class _Reader:
    """Reads the entries of one file."""

    def __init__(self, path: Path, version: int) -> None:
        self.path, self.version = path, version

    def require(self, condition: bool, entry: str, message: str) -> None:
        if not condition:
            raise DataError(f"{self.path}: {entry} {message}")

    def box(self, table: Mapping[str, Any]) -> Box:
        self.keys(table, "the table", ("characters", "bag", "locations"))
        characters = self.names(table["characters"], "characters", 1, MOST_CHARACTERS)
        for name in characters:
            self.require(
                NAME.fullmatch(name) is not None,
                "characters:",
                f"{name!r} is not a name of up to 20 letters and _",
            )
        self.keys(table["bag"], "bag", BAG_LIMITS)
        bag = tuple(
            (colour, self.number(table["bag"], "bag", colour, 0, most))
            for colour, most in BAG_LIMITS.items()
        )
        self.keys(table["locations"], "locations", LOCATIONS)
        locations = tuple(
            self.location(table["locations"][name], name, characters) for name in LOCATIONS
        )
        return Box(characters, locations, bag)

    def location(self, table: Any, name: str, characters: tuple[str, ...]) -> Location:
        entry = f"locations.{name}"
        digs = name in DIGGING
        names = ("rows", "cost", "cubes", "extra") if digs else ("rows", "cost")
        self.keys(table, entry, names, optional=("former_rows",))
        cost = self.number(table, entry, "cost", 0, MOST_COST)
        self.require(
            cost % DOLLARS == 0, f"{entry}.cost", f"must be a multiple of {DOLLARS}, not {cost}"
        )
        cubes = self.number(table, entry, "cubes", 1, MOST_CUBES) if digs else 0
        most = 0 if name == WITHOUT_EXTRA else MOST_EXTRA
        extra = self.number(table, entry, "extra", 0, most) if digs else 0
        rows = {
            key: self.rows(table[key], f"{entry}.{key}", characters)
            for key in ("rows", "former_rows")
            if key in table
        }
        of_version = rows["rows"] if self.version >= 1 else rows.get("former_rows", rows["rows"])
        return Location(name, of_version, cost, cubes, extra)

    def rows(self, table: Any, entry: str, characters: tuple[str, ...]) -> tuple[Row, ...]:
        good = isinstance(table, list) and 1 <= len(table) <= MOST_ROWS
        self.require(good, entry, f"must be a list of 1 to {MOST_ROWS} rows")
        return tuple(self.row(row, f"{entry}.{k}", characters) for k, row in enumerate(table))

    def row(self, table: Any, entry: str, characters: tuple[str, ...]) -> Row:
        self.keys(table, entry, ("need", "of"))
        need = self.number(table, entry, "need", 1, MOST_NEEDED)
        named = self.names(table["of"], f"{entry}.of", need, len(characters))
        for name in named:
            self.require(
                name in characters,
                f"{entry}.of:",
                f"{name!r} is not one of the characters {', '.join(characters)}",
            )
        return Row(need, tuple(sorted(named, key=characters.index)))

    def keys(
        self, table: Any, entry: str, names: Iterable[str], optional: tuple[str, ...] = ()
    ) -> None:
        good = isinstance(table, Mapping) and set(table) - set(optional) == set(names)
        self.require(good, entry, f"must have exactly the entries {', '.join(names)}")

    def number(self, table: Mapping[str, Any], entry: str, key: str, low: int, high: int) -> int:
        value = table[key]
        self.require(
            type(value) is int and low <= value <= high,
            f"{entry}.{key}",
            f"must be a number from {low} to {high}",
        )
        return int(value)

    def names(self, value: Any, entry: str, least: int, most: int) -> tuple[str, ...]:
        good = (
            isinstance(value, list)
            and all(isinstance(name, str) for name in value)
            and least <= len(value) <= most
        )
        self.require(good, entry, f"must be a list of {least} to {most} names")
        self.require(len(set(value)) == len(value), entry, "has a name twice")
        return tuple(value)
