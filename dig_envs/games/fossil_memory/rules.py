"""The rules of Fossil Memory (FM-1 to FM-11), as compiled functions on a state record."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import append, clear, insert_sorted, remove_value
from dig_envs.engine.core.random import below, seed_generator, shuffle
from dig_envs.engine.core.tell import tell
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import events as e
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.knowledge import knows, note

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """Draw the genera in play and lay their cards on the grid (FM-1, FM-2)."""
    seed_generator(state, seed)
    choice = state.genera - 1 if state.genera > 0 else below(state, box.NUM_CHOICES)
    for genus in range(deck.NUM_GENERA):
        state.in_play[genus] = box.IN_PLAY[choice, genus]
    for card in range(1, len(box.CARDS)):
        if state.in_play[box.GENUS_OF[card]]:
            state.cards = append(state.grid, state.cards, card)
    shuffle(state, state.grid, box.NUM_PLACES)
    begin_turn(state)


@compiled
def begin_turn(state):
    """Begin a turn; the turns go round from seat 0 (FM-2)."""
    turns.begin_turn(state, state.turn % state.num_players)


# ---------------------------------------------------------------- a turn


@compiled
def legal_actions(state, seat, mask):
    """FM-3, FM-4: every card that has not been flipped in this turn."""
    for place in range(box.NUM_PLACES):
        mask[s.A_FLIP + place] = state.grid[place] != box.TAKEN
    # all, of which those that are not in the list stay as they are: a length cannot be foretold
    for i in range(box.MAX_PARTS):
        mask[s.A_FLIP + state.up[i]] &= i >= state.up_len


@compiled
def apply_action(state, seat, action):
    """FM-3 to FM-7: where neither FM-5 nor FM-7 holds, the same player goes on (FM-6)."""
    place = action - s.A_FLIP
    if state.shown_len > 0:  # FM-4
        tell(state, e.TURNED_DOWN, seat, state.shown_len)
        state.shown_len = clear(state.shown, box.MAX_PARTS)
    tell(state, e.TURNED_UP, seat, state.grid[place] - 1, place)
    state.up_len = append(state.up, state.up_len, place)
    note(state, seat, place)
    genus = genus_at(state, place)
    if genus != genus_at(state, state.up[0]):
        tell(state, e.MISSED, seat, genus_at(state, state.up[0]))
        leave_in_sight(state)
        end_turn(state)
    elif state.up_len == deck.PARTS[genus]:
        take(state, seat, genus)
        end_turn(state)


@compiled
def genus_at(state, place):
    """The genus of the card at a place that has one."""
    return box.GENUS_OF[state.grid[place]]


@compiled
def leave_in_sight(state):
    """FM-4, FM-5: the cards of this turn stay in sight until the next flip."""
    for i in range(box.MAX_PARTS):
        state.shown[i] = state.up[i]
    state.shown_len = state.up_len
    state.up_len = clear(state.up, box.MAX_PARTS)


@compiled
def take(state, seat, genus):
    """FM-7: the skeleton goes from the grid to the museum."""
    for i in range(state.up_len):
        place = state.up[i]
        state.grid[place] = box.TAKEN
        if state.recall == s.RECENT:
            for p in range(state.num_players):
                state.recent_len[p] = remove_value(state.recent[p], state.recent_len[p], place)
    state.cards -= state.up_len
    state.up_len = clear(state.up, box.MAX_PARTS)
    state.museums_len[seat] = append(state.museums[seat], state.museums_len[seat], genus)
    state.owner[genus] = seat + 1
    state.scores[seat] += deck.VALUE[genus]
    tell(state, e.TOOK, seat, genus, deck.VALUE[genus])


@compiled
def end_turn(state):
    """End the turn: the game is over after the last card or at the turn limit, or the next turn
    begins (FM-8 to FM-10)."""
    if state.cards == 0:
        turns.finish_by_score(state, s.OVER)
    elif turns.is_turn_limit_reached(state):
        turns.truncate_by_score(state, s.OVER)
    else:
        begin_turn(state)


# ---------------------------------------------------------------- for the engine


@compiled
def determinize(state, seat):
    """The cards that the seat is not shown change places; they are put in order before, so that
    only the view matters."""
    hidden = 0
    for place in range(box.NUM_PLACES):
        if is_hidden(state, seat, place):
            hidden = insert_sorted(state.mixed, hidden, state.grid[place])
    shuffle(state, state.mixed, hidden)
    for place in range(box.NUM_PLACES):
        if is_hidden(state, seat, place):
            hidden -= 1
            state.grid[place] = state.mixed[hidden]
            state.mixed[hidden] = 0


@compiled
def is_hidden(state, seat, place):
    """Whether the place has a card that the seat is not shown."""
    return state.grid[place] != box.TAKEN and not knows(state, seat, place)


@compiled
def derive(state):
    """The cards on the grid are counted, the owners taken from the museums."""
    state.cards = 0
    for place in range(box.NUM_PLACES):
        state.cards += state.grid[place] != box.TAKEN
    clear(state.owner, deck.NUM_GENERA)
    for p in range(state.num_players):
        for i in range(state.museums_len[p]):
            state.owner[state.museums[p, i]] = p + 1
