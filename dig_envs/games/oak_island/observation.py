"""The observation of a seat of The Treasure of Oak Island."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.seats import distance, next_seat, seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.engine.core.turns import NOBODY
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import rules
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import DIGGING, LOCATIONS, MOST_NEEDED, MOST_ROWS

SEATS, PLACES = box.MAX_PLAYERS, box.NUM_LOCATIONS
MUCH_MONEY, MOST_SHOWN = 1000, 4.0
MANY_DAZZLERS = 20
MANY_ROUNDS = 20
COLOURS = ", ".join(box.CUBE_NAMES)
MOST_OF = ", ".join(str(most) for most in box.MOST_OF)

FIELDS = Fields(
    Field(
        "where",
        (box.NUM_CHARACTERS, box.NUM_PLACES),
        f"per character, one-hot: {', '.join(box.PLACES)}",
    ),
    Field(
        "active",
        (PLACES,),
        f"per location ({', '.join(LOCATIONS)}): 1 if it is active",
        derived=True,
    ),
    Field(
        "characters",
        (PLACES,),
        f"per location: characters there / {box.NUM_CHARACTERS}",
        derived=True,
    ),
    Field(
        "missing",
        (PLACES, MOST_ROWS),
        "per location and row: characters that are still missing / 2",
        derived=True,
    ),
    fields.plays(SEATS),
    Field("is_first", (SEATS,), "per seat: 1 for the first player of the phase"),
    Field("had_turn", (SEATS,), "per seat: 1 if it has had its turn in this Episode"),
    Field("money", (SEATS,), "per seat: money / 1000, at most 4", high=MOST_SHOWN),
    Field("dazzlers", (SEATS,), "per seat: Bobby Dazzlers / 20, at most 1"),
    Field("ifso", (SEATS,), "per seat: If so cubes / 6, at most 1"),
    Field("clues", (SEATS,), "per seat: clue tokens / 6"),
    Field("room", (SEATS,), "per seat: If so cubes that it may still take / 6", derived=True),
    Field("has_laird", (SEATS,), "per seat: 1 if it has Laird"),
    Field(
        "can_pay",
        (SEATS, box.NUM_DIGGING),
        f"per seat and digging location ({', '.join(DIGGING)}): 1 if it has the money for it",
        derived=True,
    ),
    Field("laird_free", (), "1 if Laird is at the interpretive centre"),
    Field("on_compass", (), f"characters on the compass / {box.NUM_CHARACTERS}", derived=True),
    Field("bag_size", (), f"cubes in the bag / {box.MOST_CUBES}"),
    Field("in_bag", (box.NUM_COLOURS,), f"per colour ({COLOURS}): cubes in the bag / {MOST_OF}"),
    Field("share", (box.NUM_COLOURS,), "per colour: its share of the bag", derived=True),
    Field(
        "dirt",
        (len(box.DIRT_NAMES),),
        "per colour but yellow: cubes in the dirt pile, divided in the same way",
    ),
    fields.phase(s.PHASES[: s.EXTRA]),
    Field("episode", (3,), "one-hot: War Room, Episode 1, Episode 2"),
    Field("round_number", (), "round / max_rounds"),
    Field("rounds_left", (), "rounds after this one / 20, at most 1", derived=True),
    fields.num_players(box.MIN_PLAYERS, SEATS),
)

standard = standard_filler(FIELDS)

# Shares: multiplying is faster than dividing.
ONE = np.float32(1)
PER_TOKEN = np.float32(1 / box.LIMIT)
PER_DOLLAR, PER_DAZZLER, PER_ROUND = (
    np.float32(1 / MUCH_MONEY),
    np.float32(1 / MANY_DAZZLERS),
    np.float32(1 / MANY_ROUNDS),
)
PER_CUBE, PER_COLOUR = np.float32(1 / box.MOST_CUBES), (1 / box.MOST_OF).astype(np.float32)
MOST_MONEY = np.float32(MOST_SHOWN)
MISSING_SHARE = (np.arange(MOST_NEEDED + 1) / MOST_NEEDED).astype(np.float32)
SIZE_SHARE = (box.SIZE / box.NUM_CHARACTERS).astype(np.float32)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_map(state, obs)
    observe_seats(state, seat, obs)
    observe_clock(state, seat, obs)
    observe_cubes(state, obs)


# Fields are looked up once and then used by a name of their own: as plain Python that is most of
# the time.


@compiled
def observe_map(state, obs):
    """Write where the characters are, and what the locations lack."""
    where, place_of = obs.where, state.where
    for c in range(box.NUM_CHARACTERS):
        where[c, place_of[c]] = ONE
    here, active, characters, missing = state.here, obs.active, obs.characters, obs.missing
    version = state.version
    for place in range(PLACES):
        there = here[place + 1]
        active[place] = box.ACTIVE[version, place, there]
        characters[place] = SIZE_SHARE[there]
        for row in range(MOST_ROWS):
            missing[place, row] = MISSING_SHARE[box.MISSING[version, place, row, there]]
    obs.on_compass = SIZE_SHARE[here[box.COMPASS]]


@compiled
def observe_seats(state, seat, obs):
    """Write what the seats have, from the observer on clockwise."""
    purses, dazzlers, ifso, clues = state.money, state.scores, state.ifso, state.clues
    money, dazzlers_share, ifso_share, clues_share, room = (
        obs.money,
        obs.dazzlers,
        obs.ifso,
        obs.clues,
        obs.room,
    )
    can_pay = obs.can_pay
    for k in range(state.num_players):
        p = seat_after(state, seat, k)
        purse = purses[p]
        money[k] = min(np.float32(purse) * PER_DOLLAR, MOST_MONEY)
        dazzlers_share[k] = min(np.float32(dazzlers[p]) * PER_DAZZLER, ONE)
        ifso_share[k] = np.float32(min(ifso[p], box.LIMIT)) * PER_TOKEN
        clues_share[k] = np.float32(clues[p]) * PER_TOKEN
        room[k] = np.float32(max(box.LIMIT - ifso[p] - clues[p], 0)) * PER_TOKEN
        for place in range(box.NUM_DIGGING):
            can_pay[k, place] = purse >= box.COST[place]


@compiled
def observe_clock(state, seat, obs):
    """Phase, Episode and round, who began and who is through, and who has Laird."""
    first, had_turn = state.first, obs.had_turn
    obs.is_first[distance(state, seat, first)] = ONE
    p = first
    for _ in range(rules.turns_taken(state)):
        had_turn[distance(state, seat, p)] = ONE
        p = next_seat(state, p)
    laird = state.laird
    if laird == NOBODY:
        obs.laird_free = ONE
    else:
        obs.has_laird[distance(state, seat, laird)] = ONE
    obs.episode[state.episode] = ONE
    number, last = state.round_number, state.max_rounds
    obs.round_number = number / last
    obs.rounds_left = min(np.float32(last - number) * PER_ROUND, ONE)


@compiled
def observe_cubes(state, obs):
    """Write the contents of the bag and of the dirt pile."""
    bag_len, counts, dirt = state.bag_len, state.in_bag, state.dirt
    in_bag, share, dirt_share = obs.in_bag, obs.share, obs.dirt
    obs.bag_size = np.float32(bag_len) * PER_CUBE
    per_cube = ONE / np.float32(max(bag_len, 1))
    for cube in range(box.NUM_COLOURS):
        count = np.float32(counts[cube])
        in_bag[cube] = count * PER_COLOUR[cube]
        share[cube] = count * per_cube
    for cube in range(len(box.DIRT_NAMES)):
        dirt_share[cube] = np.float32(dirt[cube]) * PER_COLOUR[cube]
