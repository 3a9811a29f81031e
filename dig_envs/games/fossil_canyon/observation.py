"""The observation of Fossil Canyon: what a seat may know, as numbers."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.raw import News
from dig_envs.engine.core.seats import distance, seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import events as e
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s

OTHERS = box.MAX_PLAYERS - 1
# of a type: its genus, its part of a skeleton, and its number among the trace fossils; -1 for none
IS_TRACE = np.arange(deck.NUM_TYPES) >= deck.FIRST_TRACE
GENUS_OF = np.where(IS_TRACE, -1, deck.GENUS_OF)
PART_OF = np.where(IS_TRACE, -1, np.arange(deck.NUM_TYPES) - deck.FIRST_TYPE[GENUS_OF])
TRACE_OF = np.where(IS_TRACE, np.arange(deck.NUM_TYPES) - deck.FIRST_TRACE, -1)
FIELDS = Fields(
    Field(
        "own_hidden",
        (deck.NUM_TYPES,),
        "per type: fossils in the own hidden hand / copies in the box (in `setup` the whole hand)",
    ),
    Field("own_open", (deck.NUM_TYPES,), "per type: own face-up fossils / copies"),
    Field(
        "own_chosen",
        (deck.NUM_TYPES,),
        "per type: fossils chosen so far, in `setup` and `adjust` / copies",
    ),
    Field(
        "own_dug", (deck.NUM_TYPES,), "one-hot: the fossil about which the seat decides in `keep`"
    ),
    Field(
        "open",
        (OTHERS, deck.NUM_TYPES),
        "per other seat (+1 to +5) and type: face-up fossils / copies",
    ),
    Field(
        "known_of",
        (OTHERS, deck.NUM_TYPES),
        "per other seat and type: fossils that the seat knows to be in the other's hidden hand / "
        "copies",
        derived=True,
    ),
    Field(
        "known_by",
        (OTHERS, deck.NUM_TYPES),
        "per other seat and type: fossils that the other knows to be in the seat's hidden hand / "
        "copies",
        derived=True,
    ),
    fields.plays(box.MAX_PLAYERS),
    Field("num_hidden", (box.MAX_PLAYERS,), "per seat: hidden fossils / 10"),
    Field("num_open", (box.MAX_PLAYERS,), "per seat: face-up fossils / 41"),
    Field(
        "num_unknown",
        (box.MAX_PLAYERS,),
        "per seat: hidden fossils that the seat does not know / 10 (self: 0)",
        derived=True,
    ),
    Field("exposed", (deck.NUM_TYPES,), "per type: fossils exposed in the dig site / copies"),
    Field(
        "unplaced",
        (deck.NUM_TYPES,),
        "per type: copies that the seat cannot place / copies: buried, discarded, in the hidden "
        "hand or under the eyes of another",
        derived=True,
    ),
    Field("buried", (), "buried fossils / 60"),
    Field("site", (), "fossils in the dig site, buried or exposed / 60"),
    Field(
        "skeletons",
        (box.MAX_PLAYERS, deck.NUM_GENERA),
        "per seat and genus: skeletons in its museum / skeletons in the box",
    ),
    Field("minor_awards", (box.MAX_PLAYERS,), "per seat: minor awards / 3"),
    Field("major_award", (box.MAX_PLAYERS,), "per seat: 1 if it has the major award"),
    fields.score(box.MAX_PLAYERS, box.MAX_SCORE),
    Field(
        "lead",
        (box.MAX_PLAYERS,),
        "per seat: its score minus the own score / 384, from -1 to 1",
        low=-1.0,
        derived=True,
    ),
    Field(
        "best_skeleton",
        (box.MAX_PLAYERS,),
        "per seat: value of its most valuable skeleton / 25",
        derived=True,
    ),
    Field(
        "carnivores",
        (box.MAX_PLAYERS, 2),
        "per seat: carnivore skeletons / 14; the sum of their values / 167",
        derived=True,
    ),
    Field(
        "jurassic",
        (box.MAX_PLAYERS, 2),
        "per seat: Jurassic skeletons / 6; the sum of their values / 83",
        derived=True,
    ),
    Field(
        "herbivores",
        (box.MAX_PLAYERS, len(box.HERBIVORES)),
        "per seat: 1 for each of TRI, ANK, PAR, PAC of which it has a skeleton",
        derived=True,
    ),
    Field(
        "pieces_left",
        (deck.NUM_GENERA,),
        "per genus: skeletons not built yet / skeletons in the box",
        derived=True,
    ),
    Field(
        "parts_held",
        (deck.NUM_GENERA,),
        "per genus: different parts in the own hand / parts",
        derived=True,
    ),
    Field(
        "parts_in_reach",
        (deck.NUM_GENERA,),
        "per genus: different parts in the own hand, face up at others or exposed / parts",
        derived=True,
    ),
    Field("spent", (deck.NUM_TRACES,), "per trace fossil: 1 if it was paid for an award"),
    Field("research_value", (), "research value of the own hand / 12", derived=True),
    Field("awards_left", (len(box.AWARDS),), "minor, major: pieces left / pieces"),
    Field(
        "event_known",
        (box.NUM_EVENTS,),
        "per event card from the top: 1 if known, because it was drawn before",
        derived=True,
    ),
    Field(
        "event_exposes",
        (box.NUM_EVENTS,),
        "per event card from the top: fossils that it exposes / 2, if known",
        derived=True,
    ),
    Field(
        "events_unknown",
        (box.EVENT_KINDS,),
        "cards that expose 0, 1, 2 fossils among the unknown ones / 18",
        derived=True,
    ),
    fields.has_turn(
        box.MAX_PLAYERS, "per seat: 1 for the one whose turn it is (in `setup`, that chooses)"
    ),
    fields.phase(s.PHASES),
    Field("digs", (), "fossils still to be dug in step 2 / 2"),
    Field("returned", (), "1 if a fossil has been put back in this turn"),
    Field("bonus", (), "1 if the mover has built a skeleton in step 2 or 3 of this turn"),
    Field("exchanges", (), "exchanges completed in this turn / 3"),
    Field("scored", (), "1 if somebody has got a scoring piece in this turn"),
    Field("partner", (box.MAX_PLAYERS,), "one-hot (self, +1 to +5): with whom the mover exchanges"),
    Field("left_to_give", (), "fossils still to be given / 3"),
    Field("barred", (deck.NUM_TYPES,), "per type: 1 if it may not be taken in this exchange"),
    Field("claim", (len(box.AWARDS),), "one-hot: minor, major: the award that is being paid"),
    Field("paid", (), "research value paid so far / 6"),
    Field("missing", (), "research value still to be paid / 6", derived=True),
    Field(
        "claimed_in",
        (len(s.CLAIM_PHASES),),
        "one-hot: dig, exchange, bonus, adjust: where play goes on after the payment",
    ),
    Field("ending", (), "1 in the end phase"),
    Field("passes", (), "turns of the end phase without exchange or claim, in a row / 6"),
    Field("idle", (), "turns of the end phase without a new piece, in a row / 60"),
    fields.turn(),
    fields.num_players(2, box.MAX_PLAYERS),
    Field("research", (), "1 with research fossils"),
    Field("endgame_bonuses", (), "1 with endgame bonuses"),
    Field("hidden_limit", (), "most fossils in a hidden hand / 3"),
    Field("blind_take", (), "1 if blind takes are allowed"),
    Field("return_dig", (), "1 if a dug fossil may be put back"),
    Field("events", (box.EVENT_KINDS,), "event cards that expose 0, 1, 2 fossils / 18"),
    Field("stalemate_rounds", (), "stalemate_rounds / 10"),
)

# what was hidden in sight of others, or seen before it was hidden
NEWS = News(
    96,
    kinds=(
        e.TURNED_UP,
        e.TURNED_DOWN,
        e.EVENT_CARD,
        e.DUG,
        e.DUG_EXPOSED,
        e.PUT_BACK,
        e.BUILT,
        e.GAVE,
        e.TOOK,
        e.TOOK_BLIND,
        e.PAID,
    ),
    parts=("other", "genus", "fossil", "revealed", "hidden", "card"),
    split={"fossil": {"genus": GENUS_OF, "part": PART_OF, "trace": TRACE_OF}},
)

standard = standard_filler(FIELDS)

# Shares: multiplying is faster than dividing.
PER_COPY = (1 / deck.COPIES).astype(np.float32)
PER_SKELETON = (1 / deck.SKELETONS).astype(np.float32)
PER_PART = (1 / deck.PARTS).astype(np.float32)
BOX = deck.COPIES.astype(np.float32)
BEST_VALUE = 25
LONGEST_HIDDEN = int(box.STARTING_HAND.max())
LARGEST_SITE = 60
ALL_RESEARCH = int(deck.RESEARCH.sum())
CLAIM_PLACE = np.zeros(len(s.PHASES), np.int8)
CLAIM_PLACE[list(s.CLAIM_PHASES)] = range(len(s.CLAIM_PHASES))


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_own_hand(state, seat, obs)
    for k in range(1, state.num_players):
        observe_other_hand(state, seat, seat_after(state, seat, k), k - 1, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, seat_after(state, seat, k), k, obs)
    observe_fossils(state, seat, obs)
    observe_genera(state, seat, obs)
    observe_research(state, seat, obs)
    observe_events(state, obs)
    observe_turn(state, seat, obs)
    observe_options(state, obs)


@compiled
def observe_own_hand(state, seat, obs):
    for t in range(deck.NUM_TYPES):
        obs.own_hidden[t] = state.hidden[seat, t] * PER_COPY[t]
        obs.own_open[t] = state.open[seat, t] * PER_COPY[t]
    for i in range(state.chosen_len[seat]):
        obs.own_chosen[state.chosen[seat, i]] += PER_COPY[state.chosen[seat, i]]
    if state.phase == s.KEEP and state.player == seat:
        obs.own_dug[state.dug - 1] = 1


@compiled
def observe_other_hand(state, seat, p, k, obs):
    """Write what the seat sees and knows of another's fossils, and what the other knows of the
    seat's."""
    if state.num_open[p] > 0:
        for t in range(deck.NUM_TYPES):
            obs.open[k, t] = state.open[p, t] * PER_COPY[t]
    for i in range(state.known_len[seat, p]):
        t = state.known[seat, p, i]
        obs.known_of[k, t] += PER_COPY[t]
    for i in range(state.known_len[p, seat]):
        t = state.known[p, seat, i]
        obs.known_by[k, t] += PER_COPY[t]


@compiled
def observe_seat(state, seat, p, k, obs):
    """The public numbers of seat p, which is k places clockwise from the observer."""
    obs.num_hidden[k] = state.num_hidden[p] / LONGEST_HIDDEN
    obs.num_open[k] = state.num_open[p] / box.MAX_HAND
    if p != seat:
        obs.num_unknown[k] = (state.num_hidden[p] - state.known_len[seat, p]) / LONGEST_HIDDEN
    if state.scores[p] > 0:  # everything in a museum scores, and an empty one is all zero
        observe_museum(state, p, k, obs)
    obs.lead[k] = (state.scores[p] - state.scores[seat]) / box.MAX_SCORE


@compiled
def observe_museum(state, p, k, obs):
    for genus in range(deck.NUM_GENERA):
        obs.skeletons[k, genus] = state.museums[p, genus] * PER_SKELETON[genus]
    for i in range(len(box.HERBIVORES)):
        obs.herbivores[k, i] = state.museums[p, box.HERBIVORES[i]] > 0
    obs.minor_awards[k] = state.awards[p, box.MINOR] / box.AWARD_PIECES[box.MINOR]
    obs.major_award[k] = state.awards[p, box.MAJOR]
    obs.best_skeleton[k] = state.best[p] / BEST_VALUE
    obs.carnivores[k, 0] = state.carnivores[p] / box.MAX_CARNIVORES
    obs.carnivores[k, 1] = state.carnivore_sum[p] / box.MAX_CARNIVORE_SUM
    obs.jurassic[k, 0] = state.jurassic[p] / box.MAX_JURASSIC
    obs.jurassic[k, 1] = state.jurassic_sum[p] / box.MAX_JURASSIC_SUM


@compiled
def observe_fossils(state, seat, obs):
    """The dig site, and what the seat cannot place: all copies but those that it sees or knows
    of."""
    if state.num_exposed > 0:
        for t in range(deck.NUM_TYPES):
            obs.exposed[t] = state.exposed[t] * PER_COPY[t]
    obs.buried = state.buried_len / LARGEST_SITE
    obs.site = questions.site_size(state) / LARGEST_SITE
    for t in range(deck.NUM_TYPES):
        obs.unplaced[t] = BOX[t] - state.hidden[seat, t] - state.exposed[t]
    for p in range(state.num_players):
        for t in range(deck.NUM_TYPES):
            obs.unplaced[t] -= state.open[p, t]
        for i in range(state.known_len[seat, p]):
            obs.unplaced[state.known[seat, p, i]] -= 1
    for genus in range(deck.NUM_GENERA):
        if state.pieces[genus] > 0:
            for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
                obs.unplaced[t] -= state.pieces[genus]
    for x in range(deck.NUM_TRACES):
        obs.unplaced[deck.FIRST_TRACE + x] -= state.spent[x]
        if not state.research:
            obs.unplaced[deck.FIRST_TRACE + x] = 0
    if state.phase == s.KEEP and state.player == seat:
        obs.unplaced[state.dug - 1] -= 1
    for t in range(deck.NUM_TYPES):
        obs.unplaced[t] *= PER_COPY[t]


@compiled
def observe_genera(state, seat, obs):
    """Per genus what is still to be built, and how much of it is at hand."""
    for genus in range(deck.NUM_GENERA):
        left = deck.SKELETONS[genus] - state.pieces[genus]
        obs.pieces_left[genus] = left * PER_SKELETON[genus]
        if left == 0:
            continue
        held = 0
        near = 0
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            if state.hidden[seat, t] + state.open[seat, t] > 0:
                held += 1
                near += 1
            elif state.exposed[t] > 0 or questions.anybody_shows(state, t):
                near += 1
        obs.parts_held[genus] = held * PER_PART[genus]
        obs.parts_in_reach[genus] = near * PER_PART[genus]


@compiled
def observe_research(state, seat, obs):
    for x in range(deck.NUM_TRACES):
        obs.spent[x] = state.spent[x]
    obs.research_value = questions.research_value(state, seat) / ALL_RESEARCH
    for award in range(len(box.AWARDS)):
        obs.awards_left[award] = questions.pieces_left(state, award) / box.AWARD_PIECES[award]


@compiled
def observe_events(state, obs):
    """The event deck from the top: the cards drawn before are at its bottom."""
    for kind in range(box.EVENT_KINDS):
        obs.events_unknown[kind] = box.EVENT_MIX[state.events, kind]
    for i in range(state.events_seen):
        card = state.event_deck[i]
        obs.event_known[box.NUM_EVENTS - 1 - i] = 1
        obs.event_exposes[box.NUM_EVENTS - 1 - i] = card / 2
        obs.events_unknown[card] -= 1
    for kind in range(box.EVENT_KINDS):
        obs.events_unknown[kind] /= box.NUM_EVENTS


@compiled
def observe_turn(state, seat, obs):
    obs.digs = state.digs / box.DIGS
    obs.returned = state.returned
    obs.bonus = state.bonus
    obs.exchanges = state.exchanges / box.MAX_EXCHANGES
    obs.scored = state.scored
    if state.phase == s.GIVE or state.phase == s.TAKE:
        obs.partner[distance(state, seat, state.partner - 1)] = 1
        obs.left_to_give = state.left / box.MAX_EXCHANGES
        for i in range(state.barred_len):
            obs.barred[state.barred[i]] = 1
    if state.phase == s.PAY:
        award = state.claim - 1
        obs.claim[award] = 1
        obs.paid = state.paid / box.AWARD_VALUE[box.MAJOR]
        obs.missing = (box.AWARD_VALUE[award] - state.paid) / box.AWARD_VALUE[box.MAJOR]
        obs.claimed_in[CLAIM_PLACE[state.back]] = 1
    obs.ending = state.ending
    obs.passes = state.passes / box.MAX_PLAYERS
    obs.idle = state.idle / box.MAX_IDLE


@compiled
def observe_options(state, obs):
    obs.research = state.research
    obs.endgame_bonuses = state.endgame_bonuses
    obs.hidden_limit = state.hidden_limit / box.MAX_HIDDEN
    obs.blind_take = state.blind_take
    obs.return_dig = state.return_dig
    for kind in range(box.EVENT_KINDS):
        obs.events[kind] = box.EVENT_MIX[state.events, kind] / box.NUM_EVENTS
    obs.stalemate_rounds = state.stalemate_rounds / box.MAX_STALEMATE_ROUNDS
