"""The observation of Fossil Memory: what a seat may know, as numbers."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.raw import News
from dig_envs.engine.core.seats import distance
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import events as e
from dig_envs.games.fossil_memory import state as s

GENERA, PLACES = deck.NUM_GENERA, box.NUM_PLACES
FIELDS = Fields(
    Field("taken", (PLACES,), "per place in grid order: 1 if its card has been taken"),
    Field("up", (PLACES,), "per place: 1 if its card was flipped in this turn"),
    Field("shown", (PLACES,), "per place: 1 if its card is in sight from the turn before"),
    Field(
        "known", (PLACES,), "per place: 1 if the seat is shown its card, by `recall`", derived=True
    ),
    Field("genus", (PLACES, GENERA), "per place, one-hot: genus of the card, if it is known"),
    Field(
        "part",
        (PLACES, box.MAX_PARTS),
        "per place, one-hot: part 1 to 4 of the card, if it is known",
    ),
    Field("in_play", (GENERA,), "per genus: 1 if it is in play"),
    Field("value", (GENERA,), "per genus: value / 25"),
    Field("parts", (GENERA,), "per genus: parts / 4"),
    Field(
        "museum",
        (GENERA, box.MAX_PLAYERS),
        "per genus, one-hot: whose museum (self, +1, +2, +3) it is in",
    ),
    Field("flipping", (GENERA,), "one-hot: genus of the cards flipped in this turn", derived=True),
    Field(
        "parts_known",
        (GENERA,),
        "per genus: parts that are known and on the grid / 4",
        derived=True,
    ),
    fields.plays(box.MAX_PLAYERS),
    fields.score(box.MAX_PLAYERS, box.MAX_SCORE),
    Field("skeletons", (box.MAX_PLAYERS,), "per seat: skeletons in its museum / 9"),
    Field("cards", (), "cards on the grid / 24"),
    Field("unknown", (), "cards on the grid that are not known / 24", derived=True),
    Field("flipped", (), "cards flipped in this turn / 4"),
    Field(
        "missing",
        (),
        "parts that the cards flipped in this turn lack / 4, 0 before the first flip",
        derived=True,
    ),
    fields.turn(),
    fields.num_players(2, box.MAX_PLAYERS),
    Field("recall", (len(s.RECALLS),), f"one-hot: {', '.join(s.RECALLS)}"),
    # What follows from the above, for networks that do not find it by themselves.
    Field(
        "belongs",
        (PLACES,),
        "per place: 1 if its card is known, of the genus being flipped, and not flipped yet",
        derived=True,
    ),
    Field(
        "complete",
        (PLACES,),
        "per place: value / 25 of the genus of its card if every part of it is known, else 0",
        derived=True,
    ),
    Field(
        "lacking",
        (PLACES,),
        "per place: parts that are not known of the genus of its card / 4, 0 if the card is not "
        "known",
        derived=True,
    ),
)

NEWS = News(
    32,
    kinds=(e.TURNED_UP, e.TOOK),
    parts=("place", "genus", "card"),
    split={"card": {"genus": box.GENUS_OF[1:], "part": box.PART_OF[1:]}},
)

standard = standard_filler(FIELDS)

VALUE_SHARE = (deck.VALUE / deck.VALUE.max()).astype(np.float32)
# Shares: multiplying is faster than dividing.
PER_SKELETON, PER_PART = 1 / box.NUM_SKELETONS, np.float32(1 / box.MAX_PARTS)
GENUS_OF, PART_OF = (
    box.GENUS_OF.astype(np.uint8),
    box.PART_OF.astype(np.uint8),
)  # an unsigned index is faster: it cannot be negative
PARTS_SHARE = (deck.PARTS / box.MAX_PARTS).astype(np.float32)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_grid(state, seat, obs)
    observe_genera(state, seat, obs)
    observe_what_follows(state, obs)
    observe_seats(state, seat, obs)
    obs.cards = state.cards / PLACES
    obs.recall[state.recall] = 1


@compiled
def observe_raw(state, seat, obs):
    """Take out the cards that are not in sight."""
    for place in range(PLACES):
        if obs.up[place] == 0 and obs.shown[place] == 0:
            for genus in range(GENERA):
                obs.genus[place, genus] = 0
            for part in range(box.MAX_PARTS):
                obs.part[place, part] = 0


@compiled
def observe_seats(state, seat, obs):
    for p in range(state.num_players):
        k = distance(state, seat, p)
        obs.skeletons[k] = state.museums_len[p] * PER_SKELETON
    for genus in range(GENERA):  # those in no museum have zero written for some seat
        obs.museum[genus, distance(state, seat, state.owner[genus] - 1)] = state.owner[genus] > 0


@compiled
def observe_grid(state, seat, obs):
    """The places, and of the cards known how many there are of each genus."""
    for place in range(PLACES):
        obs.taken[place] = state.grid[place] == box.TAKEN
    observe_known(state, seat, obs)
    known = 0
    for place in range(PLACES):
        known += obs.known[place] > 0
    obs.unknown = (state.cards - known) / PLACES
    for place in range(PLACES):  # of what is not known, zero is written
        card = np.uint8(state.grid[place])
        genus = GENUS_OF[card]
        shown = obs.known[place]
        obs.genus[place, genus] = shown
        obs.part[place, PART_OF[card]] = shown
        obs.parts_known[genus] += shown * PER_PART


@compiled
def observe_what_follows(state, obs):
    """Of each known card what the other known cards make of it."""
    for place in range(PLACES):
        genus = GENUS_OF[np.uint8(state.grid[place])]
        shown = obs.known[place]
        lacking = obs.parts[genus] - obs.parts_known[genus]
        obs.belongs[place] = shown * obs.flipping[genus] - obs.up[place]
        obs.complete[place] = shown * obs.value[genus] * (lacking == 0)
        obs.lacking[place] = shown * lacking


@compiled
def observe_known(state, seat, obs):
    """Write which cards are known to the seat (FM-11), once for all places."""
    observe_list(state.up, state.up_len, obs.up)
    observe_list(state.shown, state.shown_len, obs.shown)
    if state.recall == s.PERFECT:  # what lies face up has been seen
        for place in range(PLACES):
            obs.known[place] = state.seen[place] & (state.grid[place] != box.TAKEN)
    else:
        for place in range(PLACES):
            obs.known[place] = max(obs.up[place], obs.shown[place])
        for i in range(state.recent_len[seat]):
            obs.known[state.recent[seat, i]] = 1


@compiled
def observe_list(places, length, flags):
    """Flags of the places in a list. Zero is written for what is not in it, and first: a length
    cannot be foretold."""
    for i in range(box.MAX_PARTS - 1, -1, -1):
        flags[places[i]] = i < length


@compiled
def observe_genera(state, seat, obs):
    """The genera, and which of them is being flipped."""
    for genus in range(GENERA):
        obs.in_play[genus] = state.in_play[genus]
        obs.value[genus] = VALUE_SHARE[genus]
        obs.parts[genus] = PARTS_SHARE[genus]
    flipped = state.up_len
    genus = GENUS_OF[np.uint8(state.grid[state.up[0]])]
    obs.flipping[genus] = flipped > 0
    obs.flipped = flipped / box.MAX_PARTS
    obs.missing = (deck.PARTS[genus] - flipped) * (flipped > 0) / box.MAX_PARTS
