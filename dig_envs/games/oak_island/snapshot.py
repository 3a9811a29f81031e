"""Snapshots of The Treasure of Oak Island: the table of their keys."""

from dig_envs.engine.snapshots.codecs import (
    Group,
    InPhases,
    Int,
    Items,
    Name,
    PerName,
    PerSeat,
    size,
)
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import BAG_LIMITS, DIGGING

SNAPSHOT = {
    "turn": Int(1, box.MOST_TURNS),
    "scores": PerSeat(Int(0, BAG_LIMITS["red"])),
    "round": Int(1, box.MOST_ROUNDS, field="round_number"),
    "episode": Int(0, 2),
    "first": Int(0, box.MAX_PLAYERS - 1),
    "where": PerName(box.CHARACTERS, Name(box.PLACES)),
    "laird": Int(-1, box.MAX_PLAYERS - 1),
    "money": PerSeat(Int(0, box.MOST_MONEY)),
    "dazzlers": PerSeat(Int(0, BAG_LIMITS["red"]), field="scores"),
    "ifso": PerSeat(Int(0, box.LIMIT + box.MOST_PULLED)),
    "clues": PerSeat(Int(0, box.LIMIT)),
    "bag": Items(
        box.CUBE_NAMES, bound="the cubes of the options, of which there are never more", view=size
    ),
    "dirt": PerName(box.DIRT_NAMES, Int(0, max(BAG_LIMITS.values()))),
    "found": Int(-1, box.MAX_PLAYERS - 1),
    "dig": InPhases(
        s.PHASES,
        (s.EXTRA,),
        Group({"place": Name(DIGGING), "cubes": PerName(box.DIRT_NAMES, Int(0, box.MOST_PULLED))}),
        optional=True,
    ),
}
