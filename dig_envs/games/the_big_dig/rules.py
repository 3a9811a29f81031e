"""The rules of The Big Dig (BD-5 to BD-34), as compiled functions on a state record.

Every phase is simultaneous: a seat's choices wait in ``state.pending`` until the last seat that is asked has completed its
commitment, and are carried out together then. Only a complete model goes to its owner at once (it is private anyway).
"""

from dig_envs.engine.jit import compiled
from dig_envs.engine.lists import clear, contains
from dig_envs.engine.random import below, random_legal, seed_generator, shuffle
from dig_envs.games.the_big_dig.board import (
    ATTRIBUTE_OF,
    FIRST_STATE,
    NUM_ATTRIBUTES,
    NUM_REGIONS,
    NUM_SPACES,
    NUM_STATES,
    PHYSICAL,
    REGION_OF,
    assertion,
    attribute_of,
    compatible,
    end_space,
    first_space,
    is_negation,
    negation,
    state_of,
)
from dig_envs.games.the_big_dig.components import (
    CONTRIBUTION_POINTS,
    DECK_REQUEST_CARDS,
    DECK_SIZE,
    DECK_STATE_CARDS,
    DISCOVERED_ASSERTION,
    DISCOVERED_NEGATION,
    DISPROVED,
    FAUNA,
    NULLIFICATION_POINTS,
    NUM_SPECIES,
    NUM_TOKENS,
    REQUEST_CARD,
    ROCK_CARD,
    SEATS,
    STARTER_DISCOVERY,
    SUPPORT,
)
from dig_envs.games.the_big_dig.data import DECK_REQUESTS, DECK_STATES
from dig_envs.games.the_big_dig.state import (
    A_ACT,
    A_ADD,
    A_ARGUE,
    A_DONE,
    A_INPUT,
    A_LIFT,
    A_NO_ARGUMENT,
    A_OUTPUT,
    A_PASS,
    A_PUT,
    A_SINGLE,
    A_TARGET,
    ACT,
    ADD,
    ARGUMENT,
    ARGUMENTATION,
    CONFIDENT,
    EVALUATION,
    MODEL,
    MOVE,
    NULLIFICATIONS,
    NUM_ACTIONS,
    NUM_DECISIONS,
    OVER,
    PASS,
    PLACEMENT,
    RANDOM_DECK,
    RESEARCH,
    RESEARCH_MODEL,
    STARTER_FIRST,
    VALUABLE,
    WILD,
    WILD_DECK,
)

NOBODY = -1
NO_PREDICTION = -128  # on the attributes of a model's inputs
NO_MODEL = -1

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """BD-8: choose the deck, discover its first attribute, shuffle the rest; then the first turn begins."""
    seed_generator(state, seed)
    for p in range(SEATS):
        state.bank[p] = NUM_TOKENS
    make_deck(state)
    take_out_first_discovery(state)
    shuffle(state, state.cards, state.cards_len)
    begin_turn(state)


@compiled
def make_deck(state):
    """BD-8: the cards of the deck that the option names, of one of the four, or of a wild one; the states come first."""
    if state.deck == WILD_DECK:
        make_wild_deck(state)
        return
    deck = below(state, len(DECK_STATE_CARDS)) if state.deck == RANDOM_DECK else state.deck - 1
    write_deck(state, deck)


@compiled
def write_deck(state, deck):
    """The cards of one of the four decks."""
    for i in range(DECK_STATES):
        state.cards[i] = DECK_STATE_CARDS[deck, i]
    for i in range(DECK_REQUESTS):
        state.cards[DECK_STATES + i] = REQUEST_CARD + DECK_REQUEST_CARDS[deck, i]
    add_rocks(state)


@compiled
def add_rocks(state):
    """The rest of a deck."""
    for i in range(DECK_STATES + DECK_REQUESTS, DECK_SIZE):
        state.cards[i] = ROCK_CARD
    state.cards_len = DECK_SIZE


@compiled
def make_wild_deck(state):
    """BD-8 (house): eight physical states of a living species, and two regions."""
    species = below(state, NUM_SPECIES)
    for a in range(PHYSICAL):  # `cards` serves as scratch space
        state.cards[a] = a
    shuffle(state, state.cards, PHYSICAL)
    for i in range(DECK_STATES):
        state.cards[i] = FAUNA[species, state.cards[i]]
    first = below(state, NUM_REGIONS)
    second = below(state, NUM_REGIONS - 1)
    if second >= first:
        second += 1
    state.cards[DECK_STATES] = REQUEST_CARD + first
    state.cards[DECK_STATES + 1] = REQUEST_CARD + second
    add_rocks(state)


@compiled
def take_out_first_discovery(state):
    """BD-8: one of the attribute state cards, or the starter discovery, is discovered before the first turn."""
    i = below(state, DECK_STATES)
    if state.first_discovery == STARTER_FIRST:
        i = 0
        while state.cards[i] != STARTER_DISCOVERY:
            i += 1
    first = state.cards[i]
    state.cards_len -= 1
    state.cards[i] = state.cards[state.cards_len]
    state.cards[state.cards_len] = 0
    state.drawn[0] = first
    state.drawn_len = 1
    mark_discovered(state, first)


# ---------------------------------------------------------------- who decides


@compiled
def is_asked(state, p):
    """Whether a seat has a commitment to make in this phase."""
    if state.phase == ARGUMENT or state.phase == RESEARCH:  # BD-12; BD-19: who passed in phase 4 is not asked
        return state.spent[p, 0] == ACT
    if state.phase == RESEARCH_MODEL:
        return state.spent[p, 1] == ACT
    if state.phase == PLACEMENT:  # BD-22
        return state.bank[p] > 0 if state.evaluation[p] == ADD else state.bank[p] < NUM_TOKENS
    return state.phase != OVER


@compiled
def has_committed(state, seat, other):
    """Whether the other seat has completed its commitment in this phase, as far as the seat may know.

    Seats are asked in order, so that only the lower one can be first. When both decide side by side (parallel play), a seat in
    the middle of its commitment must not see whether the other needed fewer choices: it sees what it would if they took turns.
    """
    if other > seat or not is_asked(state, other):
        return False
    in_the_middle = state.owes[seat] == 1 and state.pending_len[seat] > 0
    return in_the_middle or state.owes[other] == 0


@compiled
def begin_phase(state, phase):
    """All who are asked in the phase owe a commitment; a phase in which nobody is asked is passed over."""
    state.phase = phase
    asked = False
    for p in range(SEATS):
        state.owes[p] = 1 if is_asked(state, p) else 0
        asked = asked or state.owes[p] == 1
    ask_next(state)
    return asked


@compiled
def ask_next(state):
    """The lowest seat that has not completed its commitment."""
    state.to_move = NOBODY
    for p in range(SEATS - 1, -1, -1):
        if state.owes[p]:
            state.to_move = p


@compiled
def clear_pending(state, p):
    """The commitment of a seat is carried out, or taken back."""
    for i in range(state.pending_len[p]):
        state.pending[p, i] = 0
    state.pending_len[p] = 0


# ---------------------------------------------------------------- legal actions


@compiled
def legal_actions(state, seat, mask):
    """Write 1 for each legal action of a seat that owes a decision; the mask comes in zero."""
    if state.phase == MODEL or state.phase == RESEARCH_MODEL:
        legal_inputs(state, seat, mask)
    elif state.phase == ARGUMENTATION or state.phase == RESEARCH:
        mask[A_ACT] = 1
        mask[A_PASS] = 1
    elif state.phase == ARGUMENT:
        legal_arguments(state, seat, mask)
    elif state.phase == EVALUATION:
        mask[A_ADD : A_ADD + 3] = 1
    elif state.phase == PLACEMENT:
        legal_placements(state, seat, mask)


@compiled
def legal_inputs(state, seat, mask):
    """BD-5: any first input; then one of another attribute or none, such that the model is a new one."""
    if state.pending_len[seat] == 0:
        mask[A_INPUT : A_INPUT + NUM_SPACES] = 1
        return
    first = state.pending[seat, 0] - A_INPUT
    mask[A_INPUT : A_INPUT + NUM_SPACES] = 1
    a = attribute_of(first)
    mask[A_INPUT + first_space(a) : A_INPUT + end_space(a)] = 0
    mask[A_SINGLE] = 1
    for m in range(state.num_models[seat]):
        low, high = state.models[seat, m, 0], state.models[seat, m, 1]
        if low == first and high == first:
            mask[A_SINGLE] = 0
        elif low == first:
            mask[A_INPUT + high] = 0
        elif high == first:
            mask[A_INPUT + low] = 0


@compiled
def legal_arguments(state, seat, mask):
    """BD-16."""
    if state.pending_len[seat] == 0:
        for m in range(state.num_models[seat]):
            if allows_argument(state, seat, m):
                mask[A_ARGUE + m] = 1
        mask[A_NO_ARGUMENT] = 1
        return
    m = state.pending[seat, 0] - A_ARGUE
    if state.pending_len[seat] == 1:
        for output in range(NUM_STATES):
            if can_argue(state, seat, m, output):
                mask[A_OUTPUT + output] = 1
        return
    output = state.pending[seat, 1] - A_OUTPUT  # two targets are possible, or nobody would be asked
    for target in range(1, 3):
        if can_nullify(state, seat, m, output, target):
            mask[A_TARGET + target - 1] = 1


@compiled
def legal_placements(state, seat, mask):
    """BD-22."""
    if state.evaluation[seat] == ADD:
        for space in range(NUM_SPACES):
            if not state.discovered[space]:
                mask[A_PUT + space] = 1
        return
    count = state.pending_len[seat]
    if state.evaluation[seat] == MOVE and count % 2 == 1:  # a lifted token is put on another space of the attribute
        lifted = state.pending[seat, count - 1] - A_LIFT
        a = attribute_of(lifted)
        for space in range(first_space(a), end_space(a)):
            if space != lifted and not state.discovered[space]:
                mask[A_PUT + space] = 1
        return
    mask[A_DONE] = 1
    low, high = 0, NUM_SPACES
    if count > 0:  # the first lift has fixed the attribute
        a = attribute_of(state.pending[seat, 0] - A_LIFT)
        low, high = first_space(a), end_space(a)
    for space in range(low, high):
        if state.tokens[seat, space] > 0 and tokens_to_lift(state, seat, space) > 0:
            mask[A_LIFT + space] = 1


@compiled
def tokens_to_lift(state, seat, space):
    """BD-22: tokens of a seat that lay on a space when the phase began and have not been lifted."""
    left = state.tokens[seat, space]
    for i in range(state.pending_len[seat]):
        if state.pending[seat, i] == A_LIFT + space:
            left -= 1
    return left


# ---------------------------------------------------------------- actions


@compiled
def apply_action(state, seat, action):
    """Add a choice to the seat's commitment; the phase is resolved when all are complete."""
    state.pending[seat, state.pending_len[seat]] = action
    state.pending_len[seat] += 1
    if not is_complete(state, seat):
        return
    if state.phase == MODEL or state.phase == RESEARCH_MODEL:
        keep_model(state, seat)
    state.owes[seat] = 0
    ask_next(state)
    if state.to_move == NOBODY:
        resolve(state)


@compiled
def is_complete(state, seat):
    """Whether the seat's commitment needs no further choice."""
    count = state.pending_len[seat]
    last = state.pending[seat, count - 1]
    if state.phase == MODEL or state.phase == RESEARCH_MODEL:
        return count == 2
    if state.phase == ARGUMENT:
        return is_argument_complete(state, seat, count, last)
    if state.phase == PLACEMENT:
        return state.evaluation[seat] == ADD or last == A_DONE or is_all_lifted(state, seat)
    return True


@compiled
def is_argument_complete(state, seat, count, last):
    """BD-16: `no argument`; a model and an output; a target where two are possible."""
    if last == A_NO_ARGUMENT or count == 3:
        return True
    if count == 1:
        return False
    m, output = state.pending[seat, 0] - A_ARGUE, last - A_OUTPUT
    return not (can_nullify(state, seat, m, output, 1) and can_nullify(state, seat, m, output, 2))


@compiled
def is_all_lifted(state, seat):
    """BD-22: whether no token of the attribute is left to lift (and the last one lifted has been put)."""
    count = state.pending_len[seat]
    if state.evaluation[seat] == MOVE and count % 2 == 1:
        return False
    a = attribute_of(state.pending[seat, 0] - A_LIFT)
    for space in range(first_space(a), end_space(a)):
        if tokens_to_lift(state, seat, space) > 0:
            return False
    return True


@compiled
def resolve(state):
    """All have committed: reveal, carry out, and go on to the next decision."""
    if state.phase == MODEL:
        begin_phase(state, ARGUMENTATION)
    elif state.phase == ARGUMENTATION:
        reveal_decisions(state)
        if not begin_phase(state, ARGUMENT):
            begin_research(state)
    elif state.phase == ARGUMENT:
        carry_out_arguments(state)
        begin_research(state)
    elif state.phase == RESEARCH:
        reveal_decisions(state)
        begin_research_models(state)
    elif state.phase == RESEARCH_MODEL:
        explore(state)
    elif state.phase == EVALUATION:
        reveal_evaluations(state)
        if not begin_phase(state, PLACEMENT):
            end_turn(state)
    elif state.phase == PLACEMENT:
        carry_out_placements(state)
        end_turn(state)


# ---------------------------------------------------------------- models


@compiled
def keep_model(state, seat):
    """BD-5, BD-10: a complete model joins its owner's, and the app tells its predictions."""
    first = state.pending[seat, 0] - A_INPUT
    second = first if state.pending[seat, 1] == A_SINGLE else state.pending[seat, 1] - A_INPUT
    clear_pending(state, seat)
    m = state.num_models[seat]
    state.num_models[seat] += 1
    write_model(state, seat, m, first, second)


@compiled
def write_model(state, seat, m, first, second):
    """Write a seat's m-th model, with inputs in space order."""
    state.models[seat, m, 0] = min(first, second)
    state.models[seat, m, 1] = max(first, second)
    predict(state.models[seat, m, 0], state.models[seat, m, 1], state.support[seat, m])


@compiled
def is_single(state, seat, m):
    """Whether a model has one input (which is written twice)."""
    return state.models[seat, m, 0] == state.models[seat, m, 1]


@compiled
def matches(species, space):
    """BD-6: whether a living species is as the space says."""
    return (FAUNA[species, attribute_of(space)] == state_of(space)) != is_negation(space)


@compiled
def predict(first, second, support):
    """BD-6, BD-7: write the support for each state, negative where the negation is predicted (int8, 74)."""
    support[:] = 0
    n = 0
    for species in range(NUM_SPECIES):
        if matches(species, first) and matches(species, second):
            n += 1
            for a in range(NUM_ATTRIBUTES):
                support[FAUNA[species, a]] += 1  # at first the number of those that have the state; at most 120
    for output in range(NUM_STATES):
        k = support[output]
        value = SUPPORT[n, k]
        support[output] = value if k > n - k else -value
    forget_attribute(attribute_of(first), support)
    forget_attribute(attribute_of(second), support)


@compiled
def forget_attribute(a, support):
    """BD-6: nothing is predicted on an input's attribute."""
    for output in range(FIRST_STATE[a], FIRST_STATE[a + 1]):
        support[output] = NO_PREDICTION


@compiled
def predicted_space(output, support):
    """BD-6: the space that a prediction with support above 0 is for."""
    return assertion(output) if support > 0 else negation(output)


# ---------------------------------------------------------------- arguments


@compiled
def is_marked(state, space):
    """BD-3: whether a space holds a marker."""
    return state.discovered[space] == 1 or state.conjectured[space] == 1


@compiled
def inputs_marked(state, seat, m):
    """BD-13: whether all inputs of a model are marked."""
    return is_marked(state, state.models[seat, m, 0]) and is_marked(state, state.models[seat, m, 1])


@compiled
def allows_argument(state, seat, m):
    """BD-16: whether a model allows an argument now."""
    if not inputs_marked(state, seat, m):
        return False
    for output in range(NUM_STATES):
        if can_argue(state, seat, m, output):
            return True
    return False


@compiled
def can_argue(state, seat, m, output):
    """BD-13, BD-14: whether a model allows a conjecture or a nullification about an output state."""
    if state.support[seat, m, output] == 0:
        return can_nullify(state, seat, m, output, 1) or can_nullify(state, seat, m, output, 2)
    return can_conjecture(state, seat, m, output)


@compiled
def can_conjecture(state, seat, m, output):
    """BD-13, BD-15."""
    support = state.support[seat, m, output]
    if support == 0 or support == NO_PREDICTION or state.known[ATTRIBUTE_OF[output]]:
        return False
    if not inputs_marked(state, seat, m):
        return False
    low, high = state.models[seat, m, 0], state.models[seat, m, 1]
    return find_argument(state, low, high, predicted_space(output, support), 0) == NOBODY


@compiled
def can_nullify(state, seat, m, output, target):
    """BD-14, BD-15; the target is the first (1) or the second (2) input."""
    if state.support[seat, m, output] != 0 or state.known[ATTRIBUTE_OF[output]] or is_single(state, seat, m):
        return False
    if not inputs_marked(state, seat, m):
        return False
    low, high = state.models[seat, m, 0], state.models[seat, m, 1]
    aim = low if target == 1 else high
    return has_target(state, aim, output) and find_argument(state, low, high, output, target) == NOBODY


@compiled
def has_target(state, aim, output):
    """BD-14: whether a conjecture stands on the board that a nullification could be aimed at."""
    for i in range(state.num_arguments):
        if is_aimed(state, aim, output, i):
            return True
    return False


@compiled
def is_aimed(state, aim, output, i):
    """BD-14: whether argument i is a valid conjecture with the one input `aim` about the output state."""
    if state.argument_target[i] != 0 or not state.argument_valid[i]:
        return False
    if state.argument_inputs[i, 0] != aim or state.argument_inputs[i, 1] != aim:
        return False
    return state_of(state.argument_output[i]) == output


@compiled
def find_argument(state, low, high, output, target):
    """BD-15: the first argument with these inputs, output (a state, if there is a target) and target, or NOBODY."""
    for i in range(state.num_arguments):
        if state.argument_inputs[i, 0] == low and state.argument_inputs[i, 1] == high:
            if state.argument_output[i] == output and state.argument_target[i] == target:
                return i
    return NOBODY


@compiled
def carry_out_arguments(state):
    """BD-17, BD-18: points on the board as it was, then the arguments, both seats' at once."""
    before = state.num_arguments
    for p in range(SEATS):
        add_only_target(state, p)
    for p in range(SEATS):
        if state.pending_len[p] > 1:
            write_argument(state, p)
    for i in range(before, state.num_arguments):
        state.scores[state.argument_by[i]] += points_of(state, i)
    for i in range(before, state.num_arguments):
        if state.argument_target[i] == 0:
            place_conjecture(state, i)
    for p in range(SEATS):
        clear_pending(state, p)


@compiled
def write_argument(state, p):
    """BD-17: the argument that a seat has chosen; its model becomes public."""
    m, output = state.pending[p, 0] - A_ARGUE, state.pending[p, 1] - A_OUTPUT
    support = state.support[p, m, output]
    i = state.num_arguments
    state.argument_by[i] = p
    state.argument_turn[i] = state.turn
    state.argument_inputs[i, 0] = state.models[p, m, 0]
    state.argument_inputs[i, 1] = state.models[p, m, 1]
    state.argument_support[i] = abs(support)
    state.argument_valid[i] = 1
    if support != 0:
        state.argument_target[i] = 0
        state.argument_output[i] = predicted_space(output, support)
    else:
        state.argument_target[i] = state.pending[p, 2] - A_TARGET + 1
        state.argument_output[i] = output
    state.shown[p, m] = 1
    state.num_arguments += 1


@compiled
def add_only_target(state, p):
    """BD-16: a nullification with one possible target aims at that, as the board is before the arguments."""
    if state.pending_len[p] != 2:
        return
    m, output = state.pending[p, 0] - A_ARGUE, state.pending[p, 1] - A_OUTPUT
    if state.support[p, m, output] == 0:
        state.pending[p, 2] = A_TARGET if can_nullify(state, p, m, output, 1) else A_TARGET + 1
        state.pending_len[p] = 3


@compiled
def output_state(state, i):
    """The state that argument i is about."""
    return state_of(state.argument_output[i]) if state.argument_target[i] == 0 else state.argument_output[i]


@compiled
def points_of(state, i):
    """BD-18: one, and one for each conjectured input; twice that in the region of the active request."""
    low, high = state.argument_inputs[i, 0], state.argument_inputs[i, 1]
    points = 1 + state.conjectured[low]
    if high != low:
        points += state.conjectured[high]
    if state.request == REGION_OF[ATTRIBUTE_OF[output_state(state, i)]] + 1:
        points *= 2
    return points


@compiled
def place_conjecture(state, i):
    """BD-17: token and marker on the output; the creator's tokens on incompatible spaces return to the bank."""
    p, output = state.argument_by[i], state.argument_output[i]
    if state.bank[p] > 0:
        state.bank[p] -= 1
        state.tokens[p, output] += 1
    if not is_marked(state, output):
        state.conjectured[output] = 1
    a = attribute_of(output)
    for space in range(first_space(a), end_space(a)):
        if not compatible(space, output):
            return_tokens(state, p, space)


@compiled
def return_tokens(state, p, space):
    """All tokens of a seat on a space go to its bank."""
    state.bank[p] += state.tokens[p, space]
    state.tokens[p, space] = 0


# ---------------------------------------------------------------- decision cards, research, exploration


@compiled
def reveal_decisions(state):
    """BD-11: the cards chosen face down; who was not asked has only act cards left."""
    for p in range(SEATS):
        card = ACT
        if state.pending_len[p] > 0 and state.pending[p, 0] == A_PASS:
            card = PASS
        spend(state, p, card)
        clear_pending(state, p)


@compiled
def spend(state, p, card):
    """BD-11: a decision card is revealed."""
    state.spent[p, state.num_spent[p]] = card
    state.num_spent[p] += 1


@compiled
def begin_research(state):
    """BD-19: who passed in the argumentation acts, unasked."""
    if not begin_phase(state, RESEARCH):
        reveal_decisions(state)
        begin_research_models(state)


@compiled
def begin_research_models(state):
    """BD-19: who acts makes one more model."""
    if not begin_phase(state, RESEARCH_MODEL):
        explore(state)


@compiled
def explore(state):
    """BD-20: the last cards are spent, and whoever acts draws, in seat order; then the evaluation."""
    for p in range(SEATS):
        passed = state.spent[p, 0] == PASS or state.spent[p, 1] == PASS
        spend(state, p, ACT if passed else PASS)
    for p in range(SEATS):
        if state.spent[p, NUM_DECISIONS - 1] == ACT:
            excavate(state)
    begin_phase(state, EVALUATION)


@compiled
def excavate(state):
    """BD-9: draw the top card, if there is one, and resolve it."""
    if state.cards_len == 0:
        return
    state.cards_len -= 1
    card = state.cards[state.cards_len]
    state.cards[state.cards_len] = 0
    state.drawn[state.drawn_len] = card
    state.drawn_len += 1
    if card < REQUEST_CARD:
        discover(state, card)
    elif card < ROCK_CARD:
        state.request = card - REQUEST_CARD + 1


# ---------------------------------------------------------------- evaluation


@compiled
def reveal_evaluations(state):
    """BD-21."""
    for p in range(SEATS):
        state.evaluation[p] = state.pending[p, 0] - A_ADD + ADD
        clear_pending(state, p)


@compiled
def carry_out_placements(state):
    """BD-22: all lifted tokens leave the board, then all are put that were chosen."""
    for p in range(SEATS):
        for i in range(state.pending_len[p]):
            action = state.pending[p, i]
            if A_LIFT <= action < A_DONE:
                state.tokens[p, action - A_LIFT] -= 1
                state.bank[p] += 1
            elif A_PUT <= action < A_LIFT:
                state.tokens[p, action - A_PUT] += 1
                state.bank[p] -= 1
        clear_pending(state, p)


# ---------------------------------------------------------------- turns


@compiled
def begin_turn(state):
    """BD-9, BD-10: the excavation, then the model phase."""
    state.turn += 1
    excavate(state)
    begin_phase(state, MODEL)


@compiled
def end_turn(state):
    """BD-23: all cards return; the next turn, or the final scoring."""
    for p in range(SEATS):
        state.evaluation[p] = 0
        state.num_spent[p] = 0
        for i in range(NUM_DECISIONS):
            state.spent[p, i] = 0
    if state.turn < state.turns:
        begin_turn(state)
        return
    score_finally(state)
    name_winners(state)
    state.over = 1
    begin_phase(state, OVER)


@compiled
def name_winners(state):
    """BD-34."""
    for p in range(SEATS):
        state.winners[p] = 1 if state.scores[p] >= state.scores[1 - p] else 0


# ---------------------------------------------------------------- discovery and invalid arguments


@compiled
def mark_discovered(state, found):
    """BD-8, BD-24: discovered markers on a state's assertion and on the negations of the attribute's other states."""
    a = ATTRIBUTE_OF[found]
    state.known[a] = 1
    for other in range(FIRST_STATE[a], FIRST_STATE[a + 1]):
        state.discovered[assertion(other) if other == found else negation(other)] = 1


@compiled
def discover(state, found):
    """BD-24."""
    a = ATTRIBUTE_OF[found]
    for space in range(first_space(a), end_space(a)):
        state.conjectured[space] = 0
    mark_discovered(state, found)
    for p in range(SEATS):
        settle_tokens(state, p, found)
    remember_valid(state)
    for i in range(state.num_arguments):
        if state.argument_valid[i] and is_disproved(state, i, a):
            state.argument_valid[i] = 0
    remove_orphans(state)


@compiled
def settle_tokens(state, p, found):
    """BD-24: points for a seat's tokens on a discovered attribute, which return to the bank."""
    a = ATTRIBUTE_OF[found]
    change = 0
    for space in range(first_space(a), end_space(a)):
        tokens = state.tokens[p, space]
        if space == assertion(found):
            change += DISCOVERED_ASSERTION * tokens
        elif state.discovered[space]:
            change += DISCOVERED_NEGATION * tokens
        else:
            change -= DISPROVED * tokens
        return_tokens(state, p, space)
    state.scores[p] = max(0, state.scores[p] + change)


@compiled
def is_disproved(state, i, a):
    """BD-24: whether argument i has an input, or a conjecture's output, on a space of an attribute without D."""
    low, high, output = state.argument_inputs[i, 0], state.argument_inputs[i, 1], state.argument_output[i]
    if is_false(state, low, a) or is_false(state, high, a):
        return True
    return state.argument_target[i] == 0 and is_false(state, output, a)


@compiled
def is_false(state, space, a):
    """Whether a space of the discovered attribute is known to be untrue."""
    return attribute_of(space) == a and not state.discovered[space]


@compiled
def remember_valid(state):
    """Which arguments are valid before some become invalid together."""
    for i in range(state.num_arguments):
        state.was_valid[i] = state.argument_valid[i]


@compiled
def remove_orphans(state):
    """BD-25: the conjectured markers of outputs of conjectures that have just become invalid, unless another valid one is left."""
    for i in range(state.num_arguments):
        if state.was_valid[i] and not state.argument_valid[i] and state.argument_target[i] == 0:
            if not has_valid_conjecture(state, state.argument_output[i]):
                state.conjectured[state.argument_output[i]] = 0
    clear(state.was_valid, state.num_arguments)


@compiled
def has_valid_conjecture(state, space):
    """Whether a valid conjecture has the space as its output."""
    for i in range(state.num_arguments):
        if state.argument_valid[i] and state.argument_target[i] == 0 and state.argument_output[i] == space:
            return True
    return False


@compiled
def is_targeted(state, i):
    """Final scoring: whether a valid nullification is aimed at argument i."""
    for j in range(state.num_arguments):
        if state.argument_valid[j] and state.argument_target[j] != 0:
            if is_aimed(state, aim_of(state, j), state.argument_output[j], i):
                return True
    return False


@compiled
def aim_of(state, j):
    """BD-14: the input of nullification j that is the target."""
    return state.argument_inputs[j, state.argument_target[j] - 1]


# ---------------------------------------------------------------- final scoring


@compiled
def score_finally(state):
    """BD-26 to BD-33, in order."""
    enforce_nullifications(state)
    invalidate_unfounded(state)
    reward_nullifications(state)
    punish_wild_guesses(state)
    keep_best_guesses(state)
    reward_confident_guesses(state)
    reward_contributions(state)


@compiled
def enforce_nullifications(state):
    """BD-26: the targets of valid nullifications whose inputs are both discovered become invalid."""
    remember_valid(state)
    for j in range(state.num_arguments):
        if not state.argument_valid[j] or state.argument_target[j] == 0:
            continue
        if not (state.discovered[state.argument_inputs[j, 0]] and state.discovered[state.argument_inputs[j, 1]]):
            continue
        for i in range(state.num_arguments):
            if is_aimed(state, aim_of(state, j), state.argument_output[j], i):
                state.argument_valid[i] = 0
    remove_orphans(state)


@compiled
def invalidate_unfounded(state):
    """BD-27: as long as there are valid arguments with an input without a marker, they become invalid."""
    changed = True
    while changed:
        changed = False
        remember_valid(state)
        for i in range(state.num_arguments):
            low, high = state.argument_inputs[i, 0], state.argument_inputs[i, 1]
            if state.argument_valid[i] and not (is_marked(state, low) and is_marked(state, high)):
                state.argument_valid[i] = 0
                changed = True
        remove_orphans(state)


@compiled
def reward_nullifications(state):
    """BD-28."""
    for i in range(state.num_arguments):
        if state.argument_valid[i] and state.argument_target[i] != 0:
            state.scores[state.argument_by[i]] += NULLIFICATION_POINTS
            state.final[state.argument_by[i], NULLIFICATIONS] += NULLIFICATION_POINTS


@compiled
def punish_wild_guesses(state):
    """BD-29: a token on a space without a marker costs a point, down to a score of 0."""
    for p in range(SEATS):
        lost = 0
        for space in range(NUM_SPACES):
            if not is_marked(state, space):
                lost += state.tokens[p, space]
        lost = min(lost, state.scores[p])
        state.scores[p] -= lost
        state.final[p, WILD] = -lost


@compiled
def keep_best_guesses(state):
    """BD-30, BD-31: of several conjectured markers on an attribute only those with the greatest support stay."""
    for a in range(NUM_ATTRIBUTES):
        best = -1
        for space in range(first_space(a), end_space(a)):
            if state.conjectured[space]:
                best = max(best, marker_support(state, space))
        for space in range(first_space(a), end_space(a)):  # a single marker has the greatest support
            if state.conjectured[space] and marker_support(state, space) < best:
                state.conjectured[space] = 0


@compiled
def backing_of(state, space):
    """BD-30: the sum of the supports of the valid, not targeted conjectures with an output."""
    backing = 0
    for i in range(state.num_arguments):
        if counts_for(state, i, space):
            backing += state.argument_support[i]
    return backing


@compiled
def counts_for(state, i, space):
    """BD-30, BD-33: whether argument i is a valid, not targeted conjecture with an output."""
    if not state.argument_valid[i] or state.argument_target[i] != 0 or state.argument_output[i] != space:
        return False
    return not is_targeted(state, i)


@compiled
def marker_support(state, space):
    """BD-30: the support of a conjectured marker."""
    tokens = state.tokens[0, space] + state.tokens[1, space]
    return backing_of(state, space) * tokens


@compiled
def reward_confident_guesses(state):
    """BD-32: each token on a space compatible with a remaining conjectured marker of its attribute earns a point."""
    for marker in range(NUM_SPACES):
        if not state.conjectured[marker]:
            continue
        a = attribute_of(marker)
        for space in range(first_space(a), end_space(a)):
            if compatible(space, marker):
                for p in range(SEATS):
                    state.scores[p] += state.tokens[p, space]
                    state.final[p, CONFIDENT] += state.tokens[p, space]


@compiled
def reward_contributions(state):
    """BD-33: each valid, not targeted conjecture whose output has a marker earns its creator points."""
    for i in range(state.num_arguments):
        output = state.argument_output[i]
        if state.argument_target[i] == 0 and is_marked(state, output) and counts_for(state, i, output):
            state.scores[state.argument_by[i]] += CONTRIBUTION_POINTS
            state.final[state.argument_by[i], VALUABLE] += CONTRIBUTION_POINTS


# ---------------------------------------------------------------- determinize


@compiled
def determinize(state, seat, seed):
    """Re-deal what a seat cannot know, from its view and the seed alone (the rules' section "Determinize")."""
    true_seed = state.seed
    seed_generator(state, seed)
    state.seed = true_seed
    other = 1 - seat
    redeal_cards(state)
    redeal_models(state, other)
    redeal_commitment(state, seat, other)


@compiled
def redeal_cards(state):
    """The cards not drawn yet: of the deck that is known, or of one that contains all that was drawn; shuffled."""
    count = state.cards_len
    if state.deck == WILD_DECK:
        remake_wild_deck(state)
    else:
        write_deck(state, drawn_deck(state))
        remove_drawn(state)
    shuffle(state, state.cards, count)


@compiled
def drawn_deck(state):
    """The deck that the option names, or one of those that contain all cards drawn, evenly."""
    if state.deck != RANDOM_DECK:
        return state.deck - 1
    count = 0
    for deck in range(len(DECK_STATE_CARDS)):
        count += fits_drawn(state, deck)
    left = below(state, count)
    for deck in range(len(DECK_STATE_CARDS)):
        if fits_drawn(state, deck):
            if left == 0:
                return deck
            left -= 1
    return NOBODY


@compiled
def fits_drawn(state, deck):
    """1 if one of the four decks contains all cards drawn, otherwise 0."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < REQUEST_CARD:
            if not contains(DECK_STATE_CARDS[deck], DECK_STATES, card):
                return 0
        elif card < ROCK_CARD and not contains(DECK_REQUEST_CARDS[deck], DECK_REQUESTS, card - REQUEST_CARD):
            return 0
    return 1


@compiled
def remove_drawn(state):
    """Take the cards drawn out of a complete deck."""
    for i in range(state.drawn_len):
        j = 0
        while state.cards[j] != state.drawn[i]:
            j += 1
        state.cards_len -= 1
        state.cards[j] = state.cards[state.cards_len]
        state.cards[state.cards_len] = 0


@compiled
def remake_wild_deck(state):
    """What may be left of a wild deck: more states of a species that has all those drawn, and of the pair of regions."""
    species = drawn_species(state)
    for i in range(DECK_SIZE):
        state.cards[i] = 0
    count = 0
    for a in range(PHYSICAL):
        if not state.known[a]:
            state.cards[count] = FAUNA[species, a]
            count += 1
    shuffle(state, state.cards, count)
    states, requests, rocks = count_drawn(state)
    for i in range(DECK_STATES - states, count):
        state.cards[i] = 0
    count = DECK_STATES - states
    taken = state.drawn  # regions are taken from here, then from those just added
    for _ in range(DECK_REQUESTS - requests):
        region = below(state, NUM_REGIONS)
        while contains(taken, state.drawn_len, REQUEST_CARD + region) or contains(state.cards, count, REQUEST_CARD + region):
            region = below(state, NUM_REGIONS)
        state.cards[count] = REQUEST_CARD + region
        count += 1
    for _ in range(DECK_SIZE - DECK_STATES - DECK_REQUESTS - rocks):
        state.cards[count] = ROCK_CARD
        count += 1
    state.cards_len = count


@compiled
def drawn_species(state):
    """A species that has all states drawn, evenly."""
    count = 0
    for species in range(NUM_SPECIES):
        count += has_drawn_states(state, species)
    left = below(state, count)
    for species in range(NUM_SPECIES):
        if has_drawn_states(state, species):
            if left == 0:
                return species
            left -= 1
    return NOBODY


@compiled
def has_drawn_states(state, species):
    """1 if a species has all states drawn, otherwise 0."""
    for i in range(state.drawn_len):
        card = state.drawn[i]
        if card < REQUEST_CARD and FAUNA[species, ATTRIBUTE_OF[card]] != card:
            return 0
    return 1


@compiled
def count_drawn(state):
    """States, requests and rocks among the cards drawn."""
    states, requests, rocks = 0, 0, 0
    for i in range(state.drawn_len):
        if state.drawn[i] < REQUEST_CARD:
            states += 1
        elif state.drawn[i] < ROCK_CARD:
            requests += 1
        else:
            rocks += 1
    return states, requests, rocks


@compiled
def redeal_models(state, other):
    """The other's models that have not been shown: drawn evenly from all that it does not have."""
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            state.models[other, m, 0] = NO_MODEL
    for m in range(state.num_models[other]):
        if not state.shown[other, m]:
            redeal_model(state, other, m)


@compiled
def redeal_model(state, other, m):
    """A model that the seat does not have, all equally likely: a pair of spaces, drawn again while it is none."""
    while True:
        first, second = below(state, NUM_SPACES), below(state, NUM_SPACES)
        # Each set of two inputs comes up in two orders; a single input is as likely only if it counts twice as well.
        allowed = attribute_of(first) != attribute_of(second)
        if first == second or (attribute_of(first) == attribute_of(second) and second == first ^ 1):
            allowed = True
            second = first
        if allowed and find_model(state, other, min(first, second), max(first, second)) == NO_MODEL:
            write_model(state, other, m, first, second)
            return


@compiled
def find_model(state, seat, low, high):
    """The place of a seat's model with these inputs, or NO_MODEL."""
    for m in range(state.num_models[seat]):
        if state.models[seat, m, 0] == low and state.models[seat, m, 1] == high:
            return m
    return NO_MODEL


@compiled
def redeal_commitment(state, seat, other):
    """The other's commitment: a random complete one if the seat knows it to be complete, else as if just beginning."""
    if not is_asked(state, other):
        return
    clear_pending(state, other)
    if state.phase == MODEL or state.phase == RESEARCH_MODEL:  # a complete model is one of `models`
        return
    complete = has_committed(state, seat, other)
    state.owes[other] = 1
    if complete:
        commit_randomly(state, other)
    ask_next(state)


@compiled
def commit_randomly(state, seat):
    """A commitment of uniformly random legal actions, which is not resolved."""
    while True:
        legal_actions(state, seat, state.legal)
        action = random_legal(state.legal, state)
        clear(state.legal, NUM_ACTIONS)
        state.pending[seat, state.pending_len[seat]] = action
        state.pending_len[seat] += 1
        if is_complete(state, seat):
            state.owes[seat] = 0
            return
