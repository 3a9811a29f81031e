"""State, actions and options of The Treasure of Oak Island."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, state_dtype
from dig_envs.engine.core.variants import VARIANT_FIELDS, variant_options
from dig_envs.engine.core.words import counted, enumeration
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import BAG_LIMITS, DIGGING, LOCATIONS

PHASES = ("war", "episode", "over", "extra")  # the last is not in the observation, which is older
WAR, EPISODE, OVER, EXTRA = range(len(PHASES))
EXTRAS = ("before", "after")  # when extra cubes are chosen
BEFORE, AFTER = range(len(EXTRAS))


def _bag_option(colour: str, meaning: str) -> Option:
    return Option(
        f"bag_{colour}",
        range(BAG_LIMITS[colour] + 1),
        box.BAG_DEFAULTS[colour],
        f"{colour} cubes in the bag: {meaning}",
        settled=True,
    )


OPTIONS = (
    Option("num_players", range(box.MIN_PLAYERS, box.MAX_PLAYERS + 1), 2, "players"),
    Option("max_rounds", range(1, box.MOST_ROUNDS + 1), 20, "round limit (OI-18)"),
    _bag_option("red", "Bobby Dazzlers"),
    _bag_option("blue", "If so"),
    _bag_option("green", "money"),
    _bag_option("brown", "dirt"),
    *variant_options("a bag (OI-1)"),
    Option(
        "extra",
        EXTRAS,
        "before",
        "when extra cubes are chosen: before any cube is seen (OI-10), or one by one after the "
        "others (OI-19)",
        shown=False,
    ),
)

SETS = {"here": box.NUM_CHARACTERS}  # fields that are sets, as bits

FIELDS: Fields = [
    *VARIANT_FIELDS,
    ("money", np.int32, (box.MAX_PLAYERS,), "per seat: dollars"),
    ("max_rounds", np.int16),
    ("round_number", np.int16, "from 1"),
    ("bag_red", np.int8),
    ("bag_blue", np.int8),
    ("bag_green", np.int8),
    ("bag_brown", np.int8),
    ("extra", np.int8, "index into the values of the option"),
    ("episode", np.int8, "0 in the War Room"),
    ("first", np.int8, "first player of the phase"),
    ("laird", np.int8, "the seat that has Laird, -1 for the interpretive centre"),
    ("found", np.int8, "the seat that pulled the yellow cube, -1 before"),
    ("where", np.int8, (box.NUM_CHARACTERS,), "per character: place"),
    (
        "ifso",
        np.int8,
        (box.MAX_PLAYERS,),
        "per seat: blue cubes; the red ones, Bobby Dazzlers, are in `scores`",
    ),
    ("clues", np.int8, (box.MAX_PLAYERS,), "per seat: clue tokens"),
    ("dirt", np.int8, (len(box.DIRT_NAMES),), "per colour: cubes in the dirt pile"),
    ("bag", np.int8, (box.MOST_CUBES,), "cubes, next to be pulled last"),
    ("bag_len", np.int16),
    ("dig_place", np.int8, "in `extra`: where the dig goes on"),
    (
        "dig_cubes",
        np.int8,
        (len(box.DIRT_NAMES),),
        "in `extra`: per colour: cubes that the dig has pulled",
    ),
    # What follows from `where` and `bag`, kept beside them because it is read far more often
    # than it changes.
    ("here", np.int16, (box.NUM_PLACES,), "per place: characters there"),
    ("in_bag", np.int8, (box.NUM_COLOURS,), "per colour: cubes in the bag"),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

# The trades: If so cubes for clue tokens and for cash, at least one, at most as many as anybody can
# have.
TRADES = tuple(
    (a, b) for a in range(box.LIMIT + 1) for b in range(box.LIMIT + 1) if 1 <= a + b <= box.LIMIT
)
TRADED_CLUES, TRADED_CASH = (np.array(column, np.int64) for column in zip(*TRADES, strict=True))
# The digs: a location and a number of extra cubes; per location the first of them.
DIGS = tuple(
    (place, extra) for place in range(box.NUM_DIGGING) for extra in range(int(box.EXTRA[place]) + 1)
)
DIG_PLACE, DIG_EXTRA = (np.array(column, np.int64) for column in zip(*DIGS, strict=True))
FIRST_DIG = np.array([DIGS.index((place, 0)) for place in range(box.NUM_DIGGING)], np.int64)

PLACE_NAMES = tuple(f"the {name.replace('_', ' ')}" for name in LOCATIONS)


def _dug(place: int, extra: int) -> str:
    price = f" for ${box.COST[place]}" if box.COST[place] else ""
    return PLACE_NAMES[place] + (f" with {counted(extra, 'extra cube')}" if extra else "") + price


DIG_TEXTS = tuple(f"{DIGGING[place]} +{extra}" for place, extra in DIGS)
DIG_NAMES = tuple(_dug(*dig) for dig in DIGS)


def _seen_dig(view: Mapping[str, Any], seat: int, words: str) -> str:
    """A dig; one that goes on is one cube more, or none (OI-19)."""
    if view["phase"] != PHASES[EXTRA]:
        return f"dig at {DIG_NAMES[DIG_TEXTS.index(words)]}"
    place, extra = DIGS[DIG_TEXTS.index(words)]
    more = extra > extra_in(view)
    return f"pull one more cube at {PLACE_NAMES[place]}" if more else "pull no more cubes"


def extra_in(view: Mapping[str, Any]) -> int:
    """The number of extra cubes that the current dig has pulled."""
    dig = view["dig"]
    return int(sum(dig["cubes"].values()) - box.CUBES[DIGGING.index(dig["place"])])


def _traded(clues: int, cash: int) -> str:
    got = [counted(clues, "clue token")] * (clues > 0) + [f"${cash * box.IFSO_MONEY}"] * (cash > 0)
    cubes = counted(clues + cash, '"If so" cube')
    return f"{cubes} for {enumeration(got)}"


ACTIONS = Actions()
A_MOVE = ACTIONS.add(
    "move {} {}", box.CHARACTERS, LOCATIONS, label="Send {0} to {1}",
    called=([name.replace("_", " ") for name in box.CHARACTERS], PLACE_NAMES),
)  # fmt: skip
A_DIG = ACTIONS.add("dig {}", DIG_TEXTS, label="Dig at {0}", called=(DIG_NAMES,), seen=_seen_dig)
A_TRADE = ACTIONS.add(
    "trade {}",
    [f"{a} clues {b} cash" for a, b in TRADES],
    label="Trade {0}",
    called=([_traded(*trade) for trade in TRADES],),
)
A_CONVERT = ACTIONS.add(
    "convert dazzler", label=f"Give a Bobby Dazzler for ${box.DAZZLER_MONEY} and a clue token"
)
A_VISIT = ACTIONS.add("visit", label="Visit the interpretive centre, where Laird stays then")
A_SKIP = ACTIONS.add("skip", label="Skip the turn")
