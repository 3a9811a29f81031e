"""Why to send a character to a location, to dig, or to trade."""

from collections.abc import Mapping

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import counted
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import CENTRE, LOCATIONS


def _missing(version: int, place: str, where: Mapping[str, str]) -> int:
    """How many characters a location lacks."""
    rows = box.BOXES[version].locations[LOCATIONS.index(place)].rows
    there = [sum(where[one] == place for one in row.characters) for row in rows]
    return sum(max(0, row.need - count) for row, count in zip(rows, there, strict=True))


def _name(place: str) -> str:
    return s.PLACE_NAMES[LOCATIONS.index(place)]


def move(sight: Sight, character: str, place: str) -> str:
    """What the location then lacks."""
    version, where = int(sight.view["environment"].rpartition("_v")[2]), sight.view["where"]
    lacks, name = _missing(version, place, {**where, character: place}), _name(place)
    if lacks == _missing(version, place, where):
        return ""
    if lacks:
        return f"A dig at {name} then needs {counted(lacks, 'more character')}"
    return f"Then {name} can be used" if place == CENTRE else f"Then {name} can be dug"


def dig(sight: Sight, text: str) -> str:
    """How many cubes of the bag are pulled, of which one is the treasure."""
    place, extra = text.split(" +")
    location = box.BOX.locations[LOCATIONS.index(place)]
    bag = sight.view["bag"]
    cubes = min(bag, location.cubes + int(extra))
    chance = 100 * cubes / bag
    return f"It pulls {cubes} of {bag} cubes: the treasure in {chance:.0f} % of the cases"


def trade(sight: Sight, text: str) -> str:
    """What clue tokens or money are good for."""
    money, clues = sight.view["money"][sight.seat], sight.view["clues"][sight.seat]
    if text.startswith("0 clues"):
        return f"Most digs cost money, and you have ${money}"
    return f"Each clue token allows an extra cube at a dig; you have {clues or 'none'}"


REASONS = {s.A_MOVE: move, s.A_DIG: dig, s.A_TRADE: trade}
