"""Fossils of Fossil Canyon that change place: from and to the dig site, the hands and the museums,
and what all see of it."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear, insert_sorted, remove_value
from dig_envs.engine.core.tell import tell
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import events as e
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s


@compiled
def pop_buried(state):
    """The top buried fossil leaves the dig site."""
    state.buried_len -= 1
    t = state.buried[state.buried_len]
    state.buried[state.buried_len] = 0
    return t


@compiled
def expose(state, t):
    """A fossil lies face up in the dig site."""
    state.exposed[t] += 1
    state.num_exposed += 1


# ---------------------------------------------------------------- what the others know


@compiled
def know_more(state, p, t):
    """FC-29: a fossil goes to the hidden hand of p in sight of all."""
    for x in range(state.num_players):
        if x != p:
            state.known_len[x, p] = insert_sorted(state.known[x, p], state.known_len[x, p], t)


@compiled
def know_less(state, p, t):
    """FC-29: a fossil leaves the hidden hand of p in sight of all."""
    for x in range(state.num_players):
        if state.known_len[x, p] > 0:
            state.known_len[x, p] = remove_value(state.known[x, p], state.known_len[x, p], t)


# ---------------------------------------------------------------- hands


@compiled
def leave_hidden(state, p, t):
    """A fossil leaves a hidden hand in sight of all."""
    state.hidden[p, t] -= 1
    state.num_hidden[p] -= 1
    know_less(state, p, t)


@compiled
def leave_open(state, p, t):
    """A face-up fossil leaves."""
    state.open[p, t] -= 1
    state.num_open[p] -= 1


@compiled
def get_hidden(state, p, t):
    """A fossil goes to a hidden hand (FC-10)."""
    state.hidden[p, t] += 1
    state.num_hidden[p] += 1


@compiled
def get_open(state, p, t):
    """A fossil is laid face up in front of a player."""
    state.open[p, t] += 1
    state.num_open[p] += 1


@compiled
def take_chosen_into_hidden_hand(state, seat):
    """All fossils of the seat are in `open`: those chosen become the hidden hand."""
    state.num_hidden[seat] = clear(state.hidden[seat], deck.NUM_TYPES)
    for i in range(state.chosen_len[seat]):
        t = state.chosen[seat, i]
        get_hidden(state, seat, t)
        leave_open(state, seat, t)
    state.chosen_len[seat] = clear(state.chosen[seat], state.chosen_len[seat])


# ---------------------------------------------------------------- museums


@compiled
def build_if_complete(state, p, t):
    """FC-12, after p has got a fossil of type t."""
    genus = deck.GENUS_OF[t]
    if genus != deck.NO_GENUS and questions.holds_all_parts(state, p, genus):
        build(state, p, genus)


@compiled
def build(state, p, genus):
    """FC-5, FC-12: the parts leave, face-up ones first, and the piece goes to the museum."""
    hidden = 0
    revealed = 0  # the parts from the hidden hand, as bits
    for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
        if state.open[p, t] > 0:
            leave_open(state, p, t)
        else:
            leave_hidden(state, p, t)
            hidden += 1
            revealed |= 1 << (t - deck.FIRST_TYPE[genus])
    tell(state, e.BUILT, p, genus, deck.VALUE[genus], hidden, deck.PARTS[genus] - hidden, revealed)
    state.museums[p, genus] += 1
    count_skeleton(state, p, genus)
    state.scores[p] += deck.VALUE[genus]
    state.scored = 1
    # FC-22: steps 2 and 3 of the own turn earn a bonus dig.
    if p == state.player and not state.ending and state.phase != s.BONUS and state.phase != s.SETUP:
        state.bonus = 1


@compiled
def count_skeleton(state, p, genus):
    """Update what is kept beside the museums: one of them has a skeleton more."""
    state.pieces[genus] += 1
    if deck.CARNIVORE[genus]:
        state.carnivores[p] += 1
        state.carnivore_sum[p] += deck.VALUE[genus]
    if deck.JURASSIC[genus]:
        state.jurassic[p] += 1
        state.jurassic_sum[p] += deck.VALUE[genus]
    if deck.VALUE[genus] > state.best[p]:
        state.best[p] = deck.VALUE[genus]
