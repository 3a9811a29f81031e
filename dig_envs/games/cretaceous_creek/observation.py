"""The observation of Cretaceous Creek: what a seat may know, as numbers."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.seats import distance, seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions
from dig_envs.games.cretaceous_creek import state as s

FIELDS = Fields(
    Field("fossils", (box.NUM_SPACES,), "per space in grid order: number of fossils / 2"),
    Field(
        "top_state",
        (box.NUM_SPACES, 4),
        "per space, one-hot: no fossil, buried, exposed, endangered",
    ),
    Field(
        "top_type",
        (box.NUM_SPACES, box.NUM_TYPES),
        "per space, one-hot in type order: the type of a face-up top fossil",
    ),
    Field("flooded", (box.NUM_SPACES,), "per space: 1 if flooded"),
    Field(
        "event_place",
        (box.NUM_SPACES, 8),
        "per space, one-hot: where its event card is: unseen (deck or aside), in stack 1 to 4 "
        "(from the left), revealed now, used, sandbagged; all zero for a flooded space. In period "
        "2 the stack number says in how many turns it is hit",
    ),
    Field(
        "none_cards",
        (8,),
        "how many of the 3 blank event cards (/ 3) are in the places of `event_place`",
    ),
    fields.plays(s.MAX_PLAYERS),
    Field("evacuated", (s.MAX_PLAYERS,), "per seat: 1 if it has evacuated"),
    Field(
        "position",
        (s.MAX_PLAYERS, box.NUM_SPACES),
        "per seat, one-hot: its space; all zero before `camp` and after evacuation",
    ),
    Field("storage", (s.MAX_PLAYERS, box.NUM_TYPES), "per seat and type: stored fossils / 2"),
    Field(
        "free_storage",
        (s.MAX_PLAYERS,),
        "per seat: free storage / its capacity (4; solo 6)",
        derived=True,
    ),
    Field("displaced", (s.MAX_PLAYERS,), "per seat: 1 if it still has to escape"),
    fields.has_turn(s.MAX_PLAYERS),
    Field("museum", (box.NUM_GENERA,), "per genus: 1 if the museum has its piece"),
    Field("out", (box.NUM_TYPES,), "per type: copies out of the game / its copies"),
    Field(
        "face_up",
        (box.NUM_TYPES,),
        "per type: copies face up on the grid / its copies",
        derived=True,
    ),
    Field(
        "unseen",
        (box.NUM_TYPES,),
        "per type: copies face down on the grid / its copies",
        derived=True,
    ),
    Field(
        "needed",
        (box.NUM_TYPES,),
        "per type: 1 if it belongs to a genus whose piece is missing",
        derived=True,
    ),
    Field("storm", (4,), "one-hot: Storm Phase 1 to 4"),
    Field("period", (), "0 in period 1, 1 in period 2"),
    Field("deck_length", (), "cards in the erosion deck / 16"),
    Field("stacks", (), "number of face-up stacks / 4"),
    Field("cards_per_turn", (), "cards revealed per turn of period 1 / 4", derived=True),
    Field(
        "turns_left_in_phase",
        (),
        "draws left + stacks there are + stacks to come at most, / 8",
        derived=True,
    ),
    fields.turn(box.MAX_TURNS),
    Field("action_points", (), "AP left / 4"),
    fields.phase(s.PHASES[:-1]),
    Field("swap_partner", (s.MAX_PLAYERS - 1,), "one-hot: partner of the open swap, +1, +2, +3"),
    Field("swap_gives", (box.NUM_TYPES,), "one-hot: the type given in the open swap"),
    fields.num_players(1, s.MAX_PLAYERS),
    Field("level", (4,), "one-hot: beginner, intermediate, advanced, expert"),
    Field("evacuation", (), "1 if `evacuation` is `any`, 0 if `never`"),
    Field(
        "wanted",
        (box.NUM_SPACES,),
        "per space: 1 if its top fossil is face up, of a needed type, and nobody stores that type",
        derived=True,
    ),
    Field(
        "last_copy",
        (box.NUM_SPACES,),
        "per space: 1 if it is wanted and the box holds no other copy that is still in the game",
        derived=True,
    ),
    Field(
        "fits",
        (box.NUM_SPACES,),
        "per space: if it is wanted, the share of its genus's parts that the observer stores",
        derived=True,
    ),
    Field(
        "struck_soon",
        (box.NUM_SPACES,),
        "per space: 1 / (1 + turns until its card in a face-up stack strikes), 0 if it is in none",
        derived=True,
    ),
    Field(
        "genus_stored",
        (s.MAX_PLAYERS, box.NUM_GENERA),
        "per seat (self, +1, +2, +3) and genus: share of the parts that it stores",
        derived=True,
    ),
    Field(
        "carries_set",
        (s.MAX_PLAYERS,),
        "per seat: 1 if it stores all parts of a missing skeleton",
        derived=True,
    ),
    Field(
        "camp_steps",
        (s.MAX_PLAYERS,),
        "per seat: steps to the nearest camp that is not flooded / 6; 0 if there is none",
        derived=True,
    ),
    Field(
        "offset",
        (s.MAX_PLAYERS - 1, 2),
        "per other seat: rows (south positive) and columns (east positive) from the observer, "
        "each / 4",
        low=-1.0,
        derived=True,
    ),
)

standard = standard_filler(FIELDS)

UNSEEN, IN_STACK, REVEALED, USED, SANDBAGGED = 0, 1, 5, 6, 7  # places of an event card


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    observe_grid(state, obs)
    observe_events(state, obs)
    for k in range(state.num_players):
        observe_seat(state, seat, seat_after(state, seat, k), k, obs)
    observe_museum(state, obs)
    observe_wanted(state, obs)
    observe_storm(state, obs)
    obs.action_points = state.ap / box.ACTION_POINTS
    if state.phase == s.SWAP:
        obs.swap_partner[distance(state, seat, state.swap_partner) - 1] = 1
        obs.swap_gives[state.swap_gives] = 1
    obs.level[state.level] = 1
    obs.evacuation = 1 if state.evacuation == s.EVACUATION_ANY else 0


@compiled
def observe_grid(state, obs):
    for space in range(box.NUM_SPACES):
        height = state.height[space]
        obs.fossils[space] = height / 2
        obs.top_state[space, state.top[space]] = 1
        obs.flooded[space] = state.flooded[space]
        for layer in range(height):
            t = state.grid[space, layer]
            if questions.is_face_down(state, space, layer):
                obs.unseen[t] += 1 / state.copies[t]
            else:
                obs.top_type[space, t] = 1
                obs.face_up[t] += 1 / state.copies[t]


@compiled
def observe_events(state, obs):
    observe_cards(state.deck, state.deck_len, UNSEEN, obs)
    observe_cards(state.aside, state.aside_len, UNSEEN, obs)
    draws_left = state.deck_len // state.storm if state.storm <= box.LAST_STORM else 0
    for stack in range(state.num_stacks):
        observe_cards(state.stacks[stack], state.stack_len[stack], IN_STACK + stack, obs)
        for i in range(state.stack_len[stack]):
            if state.stacks[stack, i] != box.NO_EROSION:
                obs.struck_soon[state.stacks[stack, i]] = 1 / (1 + draws_left + stack)
    observe_cards(state.revealed, state.revealed_len, REVEALED, obs)
    observe_cards(state.used, state.used_len, USED, obs)
    observe_cards(state.sandbagged, state.sandbagged_len, SANDBAGGED, obs)


@compiled
def observe_cards(cards, length, place, obs):
    for i in range(length):
        if cards[i] == box.NO_EROSION:
            obs.none_cards[place] += 1 / 3
        else:
            obs.event_place[cards[i], place] = 1


@compiled
def observe_seat(state, seat, p, k, obs):
    obs.evacuated[k] = state.evacuated[p]
    obs.free_storage[k] = 1 - state.stored[p] / questions.capacity(state)
    obs.displaced[k] = state.displaced[p]
    if state.pos[p] >= 0:
        obs.position[k, state.pos[p]] = 1
        steps = questions.steps_to_camp(state, state.pos[p], True)
        obs.camp_steps[k] = steps / 6 if steps < questions.NO_WAY else 0.0
        if k > 0 and state.pos[seat] >= 0:
            obs.offset[k - 1, 0] = (
                state.pos[p] // box.COLUMNS - state.pos[seat] // box.COLUMNS
            ) / 4
            obs.offset[k - 1, 1] = (state.pos[p] % box.COLUMNS - state.pos[seat] % box.COLUMNS) / 4
    if state.stored[p] > 0:
        for t in range(box.NUM_TYPES):
            obs.storage[k, t] = state.storage[p, t] / 2
        for genus in range(box.NUM_GENERA):
            held = 0
            for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
                held += state.storage[p, t] > 0
            obs.genus_stored[k, genus] = held / box.PARTS[genus]
            if held == box.PARTS[genus] and not state.museum[genus]:
                obs.carries_set[k] = 1


@compiled
def observe_wanted(state, obs):
    """Write which face-up fossils are worth fetching, from fields that are written already."""
    for space in range(box.NUM_SPACES):
        if state.height[space] == 0 or state.top[space] == s.BURIED:
            continue
        t = questions.top_fossil(state, space)
        if obs.needed[t] == 1 and not questions.is_stored(state, t):
            obs.wanted[space] = 1
            obs.last_copy[space] = state.out[t] == state.copies[t] - 1
            obs.fits[space] = obs.genus_stored[0, box.GENUS_OF[t]]


@compiled
def observe_museum(state, obs):
    """The pieces, what is lost and what is still needed."""
    for genus in range(box.NUM_GENERA):
        obs.museum[genus] = state.museum[genus]
    for t in range(box.NUM_TYPES):
        obs.out[t] = state.out[t] / state.copies[t]
        obs.needed[t] = questions.is_needed(state, t)


@compiled
def observe_storm(state, obs):
    """Write the storm: its number and period, the deck and the stacks."""
    if state.storm <= box.LAST_STORM:
        obs.storm[state.storm - 1] = 1
    obs.period = state.period - 1
    obs.deck_length = state.deck_len / 16
    obs.stacks = state.num_stacks / box.MAX_STACKS
    # it is beyond when the site is flooded (CC-27)
    obs.cards_per_turn = min(state.storm, box.LAST_STORM) / box.LAST_STORM
    draws = state.deck_len // state.storm
    obs.turns_left_in_phase = (2 * draws + state.num_stacks) / 8
