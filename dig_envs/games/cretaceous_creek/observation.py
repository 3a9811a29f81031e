"""What a seat may know of Cretaceous Creek, as numbers (the fields are explained in ``state.MEANINGS``)."""

from dig_envs.engine.jit import compiled
from dig_envs.games.cretaceous_creek.components import (
    ACTION_POINTS,
    CAMPS,
    COLUMNS,
    COPIES,
    DISTANCE,
    EDM,
    FIRST_TYPE,
    GENUS_OF,
    LAST_STORM,
    MAX_STACKS,
    MAX_TURNS,
    NO_EROSION,
    NUM_GENERA,
    NUM_SPACES,
    NUM_TYPES,
    PARTS,
)
from dig_envs.games.cretaceous_creek.rules import capacity, is_face_down, top_fossil
from dig_envs.games.cretaceous_creek.state import BURIED, EVACUATION_ANY, SWAP

UNSEEN, IN_STACK, REVEALED, USED, SANDBAGGED = 0, 1, 5, 6, 7  # places of an event card


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    observe_grid(state, obs)
    observe_events(state, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, (seat + k) % state.num_players, k, obs)
    observe_museum(state, obs)
    observe_wanted(state, obs)
    observe_storm(state, obs)
    obs.turn = state.turn / MAX_TURNS
    obs.action_points = state.ap / ACTION_POINTS
    if not state.over:
        obs.phase[state.phase] = 1
    if state.phase == SWAP:
        obs.swap_partner[(state.swap_partner - seat) % state.num_players - 1] = 1
        obs.swap_gives[state.swap_gives] = 1
    obs.num_players[state.num_players - 1] = 1
    obs.level[state.level] = 1
    obs.evacuation = 1 if state.evacuation == EVACUATION_ANY else 0


@compiled
def observe_grid(state, obs):
    """Spaces and the fossils on them."""
    for space in range(NUM_SPACES):
        height = state.height[space]
        obs.fossils[space] = height / 2
        obs.top_state[space, state.top[space]] = 1
        obs.flooded[space] = state.flooded[space]
        for layer in range(height):
            t = state.grid[space, layer]
            if is_face_down(state, space, layer):
                obs.unseen[t] += 1 / COPIES[t]
            else:
                obs.top_type[space, t] = 1
                obs.face_up[t] += 1 / COPIES[t]


@compiled
def observe_events(state, obs):
    """Where the event cards are."""
    for i in range(state.deck_len):
        observe_event(state.deck[i], UNSEEN, obs)
    for i in range(state.aside_len):
        observe_event(state.aside[i], UNSEEN, obs)
    draws_left = state.deck_len // state.storm if state.storm <= LAST_STORM else 0
    for s in range(state.num_stacks):
        for i in range(state.stack_len[s]):
            card = state.stacks[s, i]
            observe_event(card, IN_STACK + s, obs)
            if card != NO_EROSION:
                obs.struck_soon[card] = 1 / (1 + draws_left + s)
    for i in range(state.revealed_len):
        observe_event(state.revealed[i], REVEALED, obs)
    for i in range(state.used_len):
        observe_event(state.used[i], USED, obs)
    for i in range(state.sandbagged_len):
        observe_event(state.sandbagged[i], SANDBAGGED, obs)


@compiled
def observe_event(card, place, obs):
    """One event card is in that place."""
    if card == NO_EROSION:
        obs.none_cards[place] += 1 / 3
    else:
        obs.event_place[card, place] = 1


@compiled
def observe_seat(state, seat, p, k, obs):
    """Seat p, which is k places clockwise from the observer."""
    obs.plays[k] = 1
    obs.evacuated[k] = state.evacuated[p]
    obs.free_storage[k] = 1 - state.stored[p] / capacity(state)
    obs.displaced[k] = state.displaced[p]
    obs.has_turn[k] = state.player == p
    if state.pos[p] >= 0:
        obs.position[k, state.pos[p]] = 1
        obs.camp_steps[k] = steps_to_dry_camp(state, state.pos[p]) / 6
        if k > 0 and state.pos[seat] >= 0:
            obs.offset[k - 1, 0] = (state.pos[p] // COLUMNS - state.pos[seat] // COLUMNS) / 4
            obs.offset[k - 1, 1] = (state.pos[p] % COLUMNS - state.pos[seat] % COLUMNS) / 4
    if state.stored[p] > 0:
        for t in range(NUM_TYPES):
            obs.storage[k, t] = state.storage[p, t] / 2
        for genus in range(NUM_GENERA):
            held = 0
            for t in range(FIRST_TYPE[genus], FIRST_TYPE[genus + 1]):
                held += state.storage[p, t] > 0
            obs.genus_stored[k, genus] = held / PARTS[genus]
            if held == PARTS[genus] and not state.museum[genus]:
                obs.carries_set[k] = 1


@compiled
def steps_to_dry_camp(state, space):
    """Steps to the nearest camp that is not flooded, 0 if there is none."""
    best = 0
    for c in range(4):
        steps = DISTANCE[space, CAMPS[c]]
        if not state.flooded[CAMPS[c]] and (best == 0 or steps < best):
            best = steps
            if steps == 0:
                return 0
    return best


@compiled
def observe_wanted(state, obs):
    """Which face-up fossils are worth fetching, from fields that are written already."""
    for space in range(NUM_SPACES):
        if state.height[space] == 0 or state.top[space] == BURIED:
            continue
        t = top_fossil(state, space)
        if obs.needed[t] == 0:
            continue
        stored = False
        for p in range(state.num_players):
            stored |= state.storage[p, t] > 0
        if not stored:
            obs.wanted[space] = 1
            obs.last_copy[space] = state.out[t] == COPIES[t] - 1
            obs.fits[space] = obs.genus_stored[0, GENUS_OF[t]]


@compiled
def observe_museum(state, obs):
    """The pieces, what is lost and what is still needed."""
    for genus in range(NUM_GENERA):
        obs.museum[genus] = state.museum[genus]
    for t in range(NUM_TYPES):
        obs.out[t] = state.out[t] / COPIES[t]
        obs.needed[t] = t != EDM and not state.museum[GENUS_OF[t] % NUM_GENERA]


@compiled
def observe_storm(state, obs):
    """The clock."""
    if state.storm <= LAST_STORM:
        obs.storm[state.storm - 1] = 1
    obs.period = state.period - 1
    obs.deck_length = state.deck_len / 16
    obs.stacks = state.num_stacks / MAX_STACKS
    obs.cards_per_turn = min(state.storm, LAST_STORM) / LAST_STORM  # it is beyond when the site is flooded (CC-27)
    draws = state.deck_len // state.storm
    obs.turns_left_in_phase = (2 * draws + state.num_stacks) / 8
