"""What a seat may know of The Treasure of Oak Island, as numbers."""

import numpy as np

from dig_envs.engine import fields
from dig_envs.engine.fields import Field, Fields
from dig_envs.engine.jit import compiled
from dig_envs.engine.standard import standard_filler
from dig_envs.engine.turns import NOBODY
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
    Field("where", (box.NUM_CHARACTERS, box.NUM_PLACES), f"per character, one-hot: {', '.join(box.PLACES)}"),
    Field("active", (PLACES,), f"per location ({', '.join(LOCATIONS)}): 1 if it is active"),
    Field("characters", (PLACES,), f"per location: characters there / {box.NUM_CHARACTERS}"),
    Field("missing", (PLACES, MOST_ROWS), "per location and row: characters that are still missing / 2"),
    fields.plays(SEATS),
    Field("is_first", (SEATS,), "per seat: 1 for the first player of the phase"),
    Field("had_turn", (SEATS,), "per seat: 1 if it has had its turn in this Episode"),
    Field("money", (SEATS,), "per seat: money / 1000, at most 4", high=MOST_SHOWN),
    Field("dazzlers", (SEATS,), "per seat: Bobby Dazzlers / 20, at most 1"),
    Field("ifso", (SEATS,), "per seat: If so cubes / 6"),
    Field("clues", (SEATS,), "per seat: clue tokens / 6"),
    Field("room", (SEATS,), "per seat: If so cubes that it may still take / 6"),
    Field("has_laird", (SEATS,), "per seat: 1 if it has Laird"),
    Field(
        "can_pay", (SEATS, box.NUM_DIGGING), f"per seat and digging location ({', '.join(DIGGING)}): 1 if it has the money for it"
    ),
    Field("laird_free", (), "1 if Laird is at the interpretive centre"),
    Field("on_compass", (), f"characters on the compass / {box.NUM_CHARACTERS}"),
    Field("bag_size", (), f"cubes in the bag / {box.MOST_CUBES}"),
    Field("in_bag", (box.NUM_COLOURS,), f"per colour ({COLOURS}): cubes in the bag / {MOST_OF}"),
    Field("share", (box.NUM_COLOURS,), "per colour: its share of the bag"),
    Field("dirt", (len(box.DIRT_NAMES),), "per colour but yellow: cubes in the dirt pile, divided in the same way"),
    fields.phase(s.PHASES),
    Field("episode", (3,), "one-hot: War Room, Episode 1, Episode 2"),
    Field("round_number", (), "round / max_rounds"),
    Field("rounds_left", (), "rounds after this one / 20, at most 1"),
    fields.num_players(box.MIN_PLAYERS, SEATS),
)

standard = standard_filler(FIELDS, least_players=box.MIN_PLAYERS)

# Shares: multiplying is faster than dividing.
ONE = np.float32(1)
PER_CHARACTER, PER_TOKEN = np.float32(1 / box.NUM_CHARACTERS), np.float32(1 / box.LIMIT)
PER_DOLLAR, PER_DAZZLER, PER_ROUND = np.float32(1 / MUCH_MONEY), np.float32(1 / MANY_DAZZLERS), np.float32(1 / MANY_ROUNDS)
PER_CUBE, PER_COLOUR = np.float32(1 / box.MOST_CUBES), (1 / box.MOST_OF).astype(np.float32)
MOST_MONEY = np.float32(MOST_SHOWN)
MISSING_SHARE = (box.MISSING.transpose(0, 2, 1) / MOST_NEEDED).astype(np.float32)  # per location, set of characters, row
ACTIVE = box.ACTIVE.astype(np.float32)
SIZE_SHARE = (box.SIZE / box.NUM_CHARACTERS).astype(np.float32)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_map(state, obs)
    for k in range(state.num_players):
        p = seat + k
        observe_seat(state, p if p < state.num_players else p - state.num_players, k, obs)
    observe_clock(state, seat, obs)
    observe_cubes(state, obs)


@compiled
def observe_map(state, obs):
    """Characters and locations."""
    for c in range(box.NUM_CHARACTERS):
        obs.where[c, state.where[c]] = ONE
    for place in range(PLACES):
        here = state.here[place + 1]
        obs.active[place] = ACTIVE[place, here]
        obs.characters[place] = SIZE_SHARE[here]
        for row in range(MOST_ROWS):
            obs.missing[place, row] = MISSING_SHARE[place, here, row]
    obs.on_compass = SIZE_SHARE[state.here[box.COMPASS]]


@compiled
def observe_seat(state, p, k, obs):
    """What seat p, which is k places clockwise from the observer, has."""
    money = state.money[p]
    obs.money[k] = min(np.float32(money) * PER_DOLLAR, MOST_MONEY)
    obs.dazzlers[k] = min(np.float32(state.scores[p]) * PER_DAZZLER, ONE)
    obs.ifso[k] = np.float32(state.ifso[p]) * PER_TOKEN
    obs.clues[k] = np.float32(state.clues[p]) * PER_TOKEN
    obs.room[k] = np.float32(box.LIMIT - state.ifso[p] - state.clues[p]) * PER_TOKEN
    for place in range(box.NUM_DIGGING):
        obs.can_pay[k, place] = money >= box.COST[place]


@compiled
def observe_clock(state, seat, obs):
    """Phase, Episode and round, who began and who is through, and who has Laird."""
    n = state.num_players
    obs.is_first[distance(seat, state.first, n)] = ONE
    p = state.first
    for _ in range(rules.turns_taken(state)):
        obs.had_turn[distance(seat, p, n)] = ONE
        p = rules.after(state, p)
    if state.laird == NOBODY:
        obs.laird_free = ONE
    else:
        obs.has_laird[distance(seat, state.laird, n)] = ONE
    obs.episode[state.episode] = ONE
    obs.round_number = state.round_number / state.max_rounds
    obs.rounds_left = min(np.float32(state.max_rounds - state.round_number) * PER_ROUND, ONE)


@compiled
def distance(seat, other, num_players):
    """How many places clockwise from the seat the other one sits (faster than a remainder)."""
    return other - seat if other >= seat else other - seat + num_players


@compiled
def observe_cubes(state, obs):
    """Bag and dirt pile."""
    obs.bag_size = np.float32(state.bag_len) * PER_CUBE
    per_cube = ONE / np.float32(max(state.bag_len, 1))
    for cube in range(box.NUM_COLOURS):
        count = np.float32(state.in_bag[cube])
        obs.in_bag[cube] = count * PER_COLOUR[cube]
        obs.share[cube] = count * per_cube
    for cube in range(len(box.DIRT_NAMES)):
        obs.dirt[cube] = np.float32(state.dirt[cube]) * PER_COLOUR[cube]
