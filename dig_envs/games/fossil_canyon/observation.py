"""What a seat may know of Fossil Canyon, as numbers (the fields are explained in ``state.MEANINGS``)."""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.fossil_canyon.components import (
    AWARD_PIECES,
    AWARD_VALUE,
    DIGS,
    EVENT_KINDS,
    EVENT_MIX,
    HERBIVORES,
    MAJOR,
    MAX_CARNIVORE_SUM,
    MAX_CARNIVORES,
    MAX_EXCHANGES,
    MAX_HAND,
    MAX_HIDDEN,
    MAX_JURASSIC,
    MAX_JURASSIC_SUM,
    MAX_PLAYERS,
    MAX_SCORE,
    MINOR,
    NUM_EVENTS,
    STARTING_HAND,
)
from dig_envs.games.fossil_canyon.rules import pieces_left, research_value, site_size
from dig_envs.games.fossil_canyon.state import ADJUST, BONUS, DIG, EXCHANGE, GIVE, KEEP, PAY, TAKE
from dig_envs.games.fossil_deck import (
    COPIES,
    FIRST_TRACE,
    FIRST_TYPE,
    NUM_GENERA,
    NUM_TRACES,
    NUM_TYPES,
    PARTS,
    RESEARCH,
    SKELETONS,
)

# Shares: multiplying is faster than dividing.
PER_COPY = (1 / COPIES).astype(np.float32)
PER_SKELETON = (1 / SKELETONS).astype(np.float32)
PER_PART = (1 / PARTS).astype(np.float32)
BOX = COPIES.astype(np.float32)
BEST_VALUE = 25
LONGEST_HIDDEN = int(STARTING_HAND.max())
LARGEST_SITE = 60
ALL_RESEARCH = int(RESEARCH.sum())
MOST_PASSES, MOST_IDLE = MAX_PLAYERS, 10 * MAX_PLAYERS
CLAIM_PLACE = np.zeros(10, np.int8)
CLAIM_PLACE[[DIG, EXCHANGE, BONUS, ADJUST]] = range(4)


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    observe_own_hand(state, seat, obs)
    for k in range(1, state.num_players):
        observe_other_hand(state, seat, (seat + k) % state.num_players, k - 1, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, (seat + k) % state.num_players, k, obs)
    observe_fossils(state, seat, obs)
    observe_genera(state, seat, obs)
    observe_research(state, seat, obs)
    observe_events(state, obs)
    observe_turn(state, seat, obs)
    observe_options(state, obs)


@compiled
def observe_own_hand(state, seat, obs):
    """What the seat holds."""
    for t in range(NUM_TYPES):
        obs.own_hidden[t] = state.hidden[seat, t] * PER_COPY[t]
        obs.own_open[t] = state.open[seat, t] * PER_COPY[t]
    for i in range(state.chosen_len[seat]):
        obs.own_chosen[state.chosen[seat, i]] += PER_COPY[state.chosen[seat, i]]
    if state.phase == KEEP and state.player == seat:
        obs.own_dug[state.dug - 1] = 1


@compiled
def observe_other_hand(state, seat, p, k, obs):
    """What the seat sees and knows of another's fossils, and what the other knows of the seat's."""
    if state.num_open[p] > 0:
        for t in range(NUM_TYPES):
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
    obs.plays[k] = 1
    obs.num_hidden[k] = state.num_hidden[p] / LONGEST_HIDDEN
    obs.num_open[k] = state.num_open[p] / MAX_HAND
    if p != seat:
        obs.num_unknown[k] = (state.num_hidden[p] - state.known_len[seat, p]) / LONGEST_HIDDEN
    if state.scores[p] > 0:
        for genus in range(NUM_GENERA):
            obs.skeletons[k, genus] = state.museums[p, genus] * PER_SKELETON[genus]
        for i in range(len(HERBIVORES)):
            obs.herbivores[k, i] = state.museums[p, HERBIVORES[i]] > 0
        obs.minor_awards[k] = state.awards[p, MINOR] / AWARD_PIECES[MINOR]
        obs.major_award[k] = state.awards[p, MAJOR]
        obs.score[k] = state.scores[p] / MAX_SCORE
        obs.best_skeleton[k] = state.best[p] / BEST_VALUE
        obs.carnivores[k, 0] = state.carnivores[p] / MAX_CARNIVORES
        obs.carnivores[k, 1] = state.carnivore_sum[p] / MAX_CARNIVORE_SUM
        obs.jurassic[k, 0] = state.jurassic[p] / MAX_JURASSIC
        obs.jurassic[k, 1] = state.jurassic_sum[p] / MAX_JURASSIC_SUM
    obs.lead[k] = (state.scores[p] - state.scores[seat]) / MAX_SCORE


@compiled
def observe_fossils(state, seat, obs):
    """The dig site, and what the seat cannot place: all copies but those that it sees or knows of."""
    if state.num_exposed > 0:
        for t in range(NUM_TYPES):
            obs.exposed[t] = state.exposed[t] * PER_COPY[t]
    obs.buried = state.buried_len / LARGEST_SITE
    obs.site = site_size(state) / LARGEST_SITE
    for t in range(NUM_TYPES):
        obs.unplaced[t] = BOX[t] - state.hidden[seat, t] - state.exposed[t]
    for p in range(state.num_players):
        for t in range(NUM_TYPES):
            obs.unplaced[t] -= state.open[p, t]
        for i in range(state.known_len[seat, p]):
            obs.unplaced[state.known[seat, p, i]] -= 1
    for genus in range(NUM_GENERA):
        if state.pieces[genus] > 0:
            for t in range(FIRST_TYPE[genus], FIRST_TYPE[genus + 1]):
                obs.unplaced[t] -= state.pieces[genus]
    for x in range(NUM_TRACES):
        obs.unplaced[FIRST_TRACE + x] -= state.spent[x]
        if not state.research:
            obs.unplaced[FIRST_TRACE + x] = 0
    if state.phase == KEEP and state.player == seat:
        obs.unplaced[state.dug - 1] -= 1
    for t in range(NUM_TYPES):
        obs.unplaced[t] *= PER_COPY[t]


@compiled
def observe_genera(state, seat, obs):
    """Per genus what is still to be built, and how much of it is at hand."""
    for genus in range(NUM_GENERA):
        left = SKELETONS[genus] - state.pieces[genus]
        obs.pieces_left[genus] = left * PER_SKELETON[genus]
        if left == 0:
            continue
        held = 0
        near = 0
        for t in range(FIRST_TYPE[genus], FIRST_TYPE[genus + 1]):
            if state.hidden[seat, t] + state.open[seat, t] > 0:
                held += 1
                near += 1
            elif state.exposed[t] > 0 or is_open_anywhere(state, t):
                near += 1
        obs.parts_held[genus] = held * PER_PART[genus]
        obs.parts_in_reach[genus] = near * PER_PART[genus]


@compiled
def is_open_anywhere(state, t):
    """Whether a fossil of the type lies face up in front of anybody."""
    for p in range(state.num_players):
        if state.open[p, t] > 0:
            return True
    return False


@compiled
def observe_research(state, seat, obs):
    """Trace fossils and awards."""
    for x in range(NUM_TRACES):
        obs.spent[x] = state.spent[x]
    obs.research_value = research_value(state, seat) / ALL_RESEARCH
    for award in range(2):
        obs.awards_left[award] = pieces_left(state, award) / AWARD_PIECES[award]


@compiled
def observe_events(state, obs):
    """The event deck from the top: the cards drawn before are at its bottom."""
    for kind in range(EVENT_KINDS):
        obs.events_unknown[kind] = EVENT_MIX[state.events, kind]
    for i in range(state.events_seen):
        card = state.event_deck[i]
        obs.event_known[NUM_EVENTS - 1 - i] = 1
        obs.event_exposes[NUM_EVENTS - 1 - i] = card / 2
        obs.events_unknown[card] -= 1
    for kind in range(EVENT_KINDS):
        obs.events_unknown[kind] /= NUM_EVENTS


@compiled
def observe_turn(state, seat, obs):
    """The turn in progress and the clock."""
    obs.has_turn[(state.player - seat) % state.num_players] = 1
    obs.phase[state.phase] = 1
    obs.digs = state.digs / DIGS
    obs.returned = state.returned
    obs.bonus = state.bonus
    obs.exchanges = state.exchanges / MAX_EXCHANGES
    obs.scored = state.scored
    if state.phase == GIVE or state.phase == TAKE:
        obs.partner[(state.partner - 1 - seat) % state.num_players] = 1
        obs.left_to_give = state.left / MAX_EXCHANGES
        for i in range(state.barred_len):
            obs.barred[state.barred[i]] = 1
    if state.phase == PAY:
        award = state.claim - 1
        obs.claim[award] = 1
        obs.paid = state.paid / AWARD_VALUE[MAJOR]
        obs.missing = (AWARD_VALUE[award] - state.paid) / AWARD_VALUE[MAJOR]
        obs.claimed_in[CLAIM_PLACE[state.back]] = 1
    obs.ending = state.ending
    obs.passes = state.passes / MOST_PASSES
    obs.idle = state.idle / MOST_IDLE
    obs.turn = state.turn / state.max_turns


@compiled
def observe_options(state, obs):
    """The options."""
    obs.num_players[state.num_players - 2] = 1
    obs.research = state.research
    obs.endgame_bonuses = state.endgame_bonuses
    obs.hidden_limit = state.hidden_limit / MAX_HIDDEN
    obs.blind_take = state.blind_take
    obs.return_dig = state.return_dig
    for kind in range(EVENT_KINDS):
        obs.events[kind] = EVENT_MIX[state.events, kind] / NUM_EVENTS
    obs.stalemate_rounds = state.stalemate_rounds / 10
