"""A position of The Treasure of Oak Island as text: all but the order of the bag, from a snapshot
or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.snapshots.codecs import require
from dig_envs.engine.snapshots.snapshot import ENVIRONMENT
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import Location, Row
from dig_envs.text.views import mark_of, result_of, seat_name, size_of


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    ``*`` marks an active location, ``<`` the player whose turn it is; of each row of a location it
    says how many it needs of whom.
    """
    lines = [_title(snapshot), ""]
    for location in locations_of(snapshot):
        here = names_at(snapshot, location.name)
        active = "*" if all(filled_rows(location, here)) else " "
        digs = f"{location.cubes}+{location.extra}" if location.cubes else ""
        lines.append(
            f"{active} {location.name:<20}${location.cost:<4} {digs:<4} {' '.join(here) or '-'}"
        )
        lines.append(f"{'':28} wants {' and '.join(map(wanted_by, location.rows))}")
    if "dig" in snapshot:
        lines.append(f"  dug at {snapshot['dig']['place']}: {listed(snapshot['dig']['cubes'])}")
    lines += [f"  compass: {' '.join(names_at(snapshot, 'compass')) or '-'}", ""]
    for p in range(len(snapshot["scores"])):
        lines.append(_player(snapshot, p))
    return "\n".join([*lines, *_cubes(snapshot)])


def _title(snapshot: Mapping[str, Any]) -> str:
    part = "War Room" if snapshot["episode"] == 0 else f"Episode {snapshot['episode']}"
    where = (
        f"Turn {snapshot['turn']}: round {snapshot['round']}, {part}, begun by "
        f"{seat_name(snapshot['first'])}"
    )
    if snapshot["phase"] != "over":
        return f"{where}. {seat_name(snapshot['to_move'])}'s turn"
    if snapshot["truncated"]:
        return f"{where}. {result_of(snapshot)}"
    return f"{where}. The game is over: {seat_name(snapshot['found'])} has found the treasure"


def _player(snapshot: Mapping[str, Any], p: int) -> str:
    laird = ", Laird" if snapshot["laird"] == p else ""
    return (
        f"{seat_name(p)}: ${snapshot['money'][p]}, {snapshot['dazzlers'][p]} Bobby Dazzlers, "
        f"{snapshot['ifso'][p]} If so, {snapshot['clues'][p]} clues{laird}{mark_of(snapshot, p)}"
    )


def _cubes(snapshot: Mapping[str, Any]) -> list[str]:
    return [
        f"Bag: {size_of(snapshot['bag'])} cubes: {listed(left_in_bag(snapshot))}",
        f"Dirt pile: {listed(snapshot['dirt'])}",
    ]


# ---------------------------------------------------------------- also for the picture


def locations_of(view: Mapping[str, Any]) -> tuple[Location, ...]:
    """The locations of the version of the environment that wrote a view; 0 if it does not say.
    Raises SnapshotError if there is no such version."""
    name = view.get(ENVIRONMENT, "oak_island_v0")
    names = [f"oak_island_v{version}" for version in range(len(box.BOXES))]
    says = f"must be {' or '.join(names)}, not {shown_in_message(name)}"
    require(name in names, ENVIRONMENT, says)
    return box.BOXES[names.index(name)].locations


def names_at(view: Mapping[str, Any], place: str) -> list[str]:
    """The characters at a place, in character order."""
    return [name for name in box.CHARACTERS if view["where"][name] == place]


def filled_rows(location: Location, here: list[str]) -> list[bool]:
    """Whether each row of a location is filled by those who are there (OI-7)."""
    return [sum(name in here for name in row.characters) >= row.need for row in location.rows]


def wanted_by(row: Row) -> str:
    """The characters who fill a row, in words: ``1 of Terry, Charles``."""
    some = f"{row.need} of " if len(row.characters) > row.need else ""
    return some + ", ".join(row.characters)


def listed(counts: Mapping[str, int]) -> str:
    """The number of cubes of each colour, in words: ``3 brown, 1 green``."""
    return ", ".join(f"{count} {colour}" for colour, count in counts.items())


def left_in_bag(view: Mapping[str, Any]) -> dict[str, int]:
    """The cubes of each colour in the bag: those of the options that are nowhere else."""
    held = {"red": sum(view["dazzlers"]), "blue": sum(view["ifso"])}
    left = {
        colour: view["options"][f"bag_{colour}"] - count - held.get(colour, 0)
        for colour, count in view["dirt"].items()
    }
    return {**left, "yellow": int(view["found"] == -1)}
