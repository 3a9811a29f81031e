"""A position of The Treasure of Oak Island as text: all but the order of the bag, from a snapshot or from a view."""

from collections.abc import Mapping
from typing import Any

from dig_envs.games.oak_island import components as box


def draw(snapshot: Mapping[str, Any]) -> str:
    """The public part of a position as text, without a line break at the end.

    ``*`` marks an active location, ``<`` the player whose turn it is; of each row of a location it says how many it needs of whom.
    """
    lines = [_title(snapshot), ""]
    for location in box.BOX.locations:
        here = [name for name, place in snapshot["where"].items() if place == location.name]
        rows = [(row.need, [name for name in row.characters if name in here]) for row in location.rows]
        active = "*" if all(len(found) >= need for need, found in rows) else " "
        digs = f"{location.cubes}+{location.extra}" if location.cubes else ""
        missing = " and ".join(_wanted(need, row.characters) for (need, _), row in zip(rows, location.rows, strict=True))
        lines.append(f"{active} {location.name:<20}${location.cost:<4} {digs:<4} {' '.join(here) or '-'}")
        lines.append(f"{'':28} wants {missing}")
    compass = [name for name, place in snapshot["where"].items() if place == "compass"]
    lines += [f"  compass: {' '.join(compass) or '-'}", ""]
    for p in range(len(snapshot["scores"])):
        lines.append(_player(snapshot, p))
    return "\n".join([*lines, *_cubes(snapshot)])


def _title(snapshot: Mapping[str, Any]) -> str:
    where = f"Round {snapshot['round']}, {'War Room' if snapshot['episode'] == 0 else 'Episode ' + str(snapshot['episode'])}"
    if snapshot["phase"] != "over":
        return f"{where}, P{snapshot['to_move']}"
    if snapshot["truncated"]:
        return f"{where}. The game is over at the round limit: {' and '.join(f'P{p}' for p in snapshot['winners'])} won"
    return f"{where}. The game is over: P{snapshot['found']} has found the treasure"


def _wanted(need: int, names: tuple[str, ...]) -> str:
    return f"{need} of {', '.join(names)}" if len(names) > need else ", ".join(names)


def _player(snapshot: Mapping[str, Any], p: int) -> str:
    laird = ", Laird" if snapshot["laird"] == p else ""
    asked = " <" if p == snapshot["to_move"] else ""
    return (
        f"P{p}: ${snapshot['money'][p]}, {snapshot['dazzlers'][p]} Bobby Dazzlers, {snapshot['ifso'][p]} If so, "
        f"{snapshot['clues'][p]} clues{laird}{asked}"
    )


def _cubes(snapshot: Mapping[str, Any]) -> list[str]:
    bag = snapshot["bag"]
    held = {"red": sum(snapshot["dazzlers"]), "blue": sum(snapshot["ifso"])}
    left = {
        colour: snapshot["options"][f"bag_{colour}"] - count - held.get(colour, 0) for colour, count in snapshot["dirt"].items()
    }
    left["yellow"] = int(snapshot["found"] == -1)
    size = bag if isinstance(bag, int) else len(bag)
    return [
        f"Bag: {size} cubes: {', '.join(f'{count} {colour}' for colour, count in left.items())}",
        f"Dirt pile: {', '.join(f'{count} {colour}' for colour, count in snapshot['dirt'].items())}",
    ]
