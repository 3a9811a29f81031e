"""The course of a game of The Big Dig: set-up, commitments carried out, turns.

Every phase is simultaneous: a seat's choices wait in ``state.pending`` until the last seat that is
asked has completed its commitment, and are carried out together then. Only a complete model goes to
its owner at once (it is private anyway).
"""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append, clear
from dig_envs.engine.core.random import below, seed_generator, shuffle
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.engine.core.turns import commit, finish_by_score
from dig_envs.engine.core.variants import draw_variant
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import events as e
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.data import DECK_STATES
from dig_envs.games.the_big_dig.rules import (
    arguments,
    commitments,
    deck,
    discovery,
    models,
    scoring,
)
from dig_envs.games.the_big_dig.rules.commitments import begin_phase, clear_pending
from dig_envs.games.the_big_dig.rules.legal import tokens_to_lift

# ---------------------------------------------------------------- set-up


@compiled
def setup(state, seed):
    """BD-8: choose the deck, discover its first attribute, shuffle the rest; then the first turn
    begins."""
    seed_generator(state, seed)
    for p in range(box.SEATS):
        state.bank[p] = box.NUM_TOKENS
    if draw_variant(state, seed):
        deck.make_deck_of_variant(state)
    else:
        deck.make_deck(state)
    take_out_first_discovery(state)
    shuffle(state, state.cards, state.cards_len)
    begin_turn(state)


@compiled
def take_out_first_discovery(state):
    """BD-8: one of the attribute state cards, or the starter discovery, is discovered before the
    first turn."""
    i = below(state, DECK_STATES)
    if state.first_discovery == s.STARTER_FIRST:
        i = 0
        while state.cards[i] != box.STARTER_DISCOVERY:
            i += 1
    first = state.cards[i]
    state.cards_len -= 1
    state.cards[i] = state.cards[state.cards_len]
    state.cards[state.cards_len] = 0
    state.drawn[0] = first
    state.drawn_len = 1
    discovery.mark_discovered(state, first)


# ---------------------------------------------------------------- actions


@compiled
def apply_action(state, seat, action):
    """Add a choice to the seat's commitment; the phase is resolved when all are complete."""
    state.pending_len[seat] = append(state.pending[seat], state.pending_len[seat], action)
    complete = is_complete(state, seat)
    if complete and (state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL):
        keep_model(state, seat)
    else:
        tell(state, e.PICKED, seat, action)
    if complete and commit(state, seat):
        resolve(state)


@compiled
def is_complete(state, seat):
    """Whether the seat's commitment needs no further choice."""
    count = state.pending_len[seat]
    last = state.pending[seat, count - 1]
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:
        return count == 2
    if state.phase == s.ARGUMENT:
        return is_argument_complete(state, seat, count, last)
    if state.phase == s.PLACEMENT:
        return state.evaluation[seat] == s.ADD or last == s.A_DONE or is_all_lifted(state, seat)
    return True


@compiled
def is_argument_complete(state, seat, count, last):
    """BD-16: `no argument`; a model and an output; a target where two are possible."""
    if last == s.A_NO_ARGUMENT or count == 3:
        return True
    if count == 1:
        return False
    m, output = state.pending[seat, 0] - s.A_ARGUE, last - s.A_OUTPUT
    return not (
        arguments.can_nullify(state, seat, m, output, 1)
        and arguments.can_nullify(state, seat, m, output, 2)
    )


@compiled
def is_all_lifted(state, seat):
    """BD-22: whether no token of the attribute is left to lift (and the last one lifted has been
    put)."""
    count = state.pending_len[seat]
    if state.evaluation[seat] == s.MOVE and count % 2 == 1:
        return False
    a = board.attribute_of(state.pending[seat, 0] - s.A_LIFT)
    for space in range(board.first_space(a), board.end_space(a)):
        if tokens_to_lift(state, seat, space) > 0:
            return False
    return True


@compiled
def resolve(state):
    """All have committed: reveal, carry out, and go on to the next decision."""
    if state.phase == s.MODEL:
        begin_phase(state, s.ARGUMENTATION)
    elif state.phase == s.ARGUMENTATION:
        reveal_decisions(state)
        if not begin_phase(state, s.ARGUMENT):
            begin_research(state)
    elif state.phase == s.ARGUMENT:
        arguments.carry_out_arguments(state)
        begin_research(state)
    elif state.phase == s.RESEARCH:
        reveal_decisions(state)
        begin_research_models(state)
    elif state.phase == s.RESEARCH_MODEL:
        explore(state)
    elif state.phase == s.EVALUATION:
        reveal_evaluations(state)
        if not begin_phase(state, s.PLACEMENT):
            carry_out_placements(state)
            end_turn(state)
    elif state.phase == s.PLACEMENT:
        carry_out_placements(state)
        end_turn(state)


@compiled
def keep_model(state, seat):
    """BD-5, BD-10: a complete model joins its owner's, and the app tells its predictions."""
    first = state.pending[seat, 0] - s.A_INPUT
    second = first if state.pending[seat, 1] == s.A_SINGLE else state.pending[seat, 1] - s.A_INPUT
    clear_pending(state, seat)
    m = state.num_models[seat]
    state.num_models[seat] += 1
    models.write_model(state, seat, m, first, second)
    tell(
        state,
        e.CREATED,
        seat,
        m + 1,
        min(first, second),
        -1 if first == second else max(first, second),
    )


# ------------------------------------------------------------ decision cards, research, exploration


@compiled
def reveal_decisions(state):
    """BD-11: the cards chosen face down; who was not asked has only act cards left."""
    for p in range(box.SEATS):
        card = s.ACT
        if state.pending_len[p] > 0 and state.pending[p, 0] == s.A_PASS:
            card = s.PASS
        spend(state, p, card)
        clear_pending(state, p)


@compiled
def spend(state, p, card):
    """Reveal a decision card (BD-11)."""
    tell(state, e.DECIDED, p, state.num_spent[p], card - s.ACT)
    state.num_spent[p] = append(state.spent[p], state.num_spent[p], card)


@compiled
def begin_research(state):
    """BD-19: who passed in the argumentation acts, unasked."""
    if not begin_phase(state, s.RESEARCH):
        reveal_decisions(state)
        begin_research_models(state)


@compiled
def begin_research_models(state):
    """Ask the seats that act for one more model (BD-19)."""
    if not begin_phase(state, s.RESEARCH_MODEL):
        explore(state)


@compiled
def explore(state):
    """BD-20: the last cards are spent, and whoever acts draws, in seat order; then the
    evaluation."""
    for p in range(box.SEATS):
        passed = state.spent[p, 0] == s.PASS or state.spent[p, 1] == s.PASS
        spend(state, p, s.ACT if passed else s.PASS)
    for p in range(box.SEATS):
        if state.spent[p, s.NUM_DECISIONS - 1] == s.ACT:
            excavate(state, p)
    begin_phase(state, s.EVALUATION)


@compiled
def excavate(state, seat):
    """BD-9: draw the top card, if there is one, and resolve it; the seat that explores, or NO_SEAT
    at the beginning of a turn."""
    if state.cards_len == 0:
        return
    state.cards_len -= 1
    card = state.cards[state.cards_len]
    state.cards[state.cards_len] = 0
    state.drawn_len = append(state.drawn, state.drawn_len, card)
    tell(state, e.EXCAVATED if seat == NO_SEAT else e.EXPLORED, seat, card)
    if card < box.REQUEST_CARD:
        discovery.discover(state, card)
    else:
        discovery.heed_request(state, card)


# ---------------------------------------------------------------- evaluation


@compiled
def reveal_evaluations(state):
    """Reveal the evaluation cards of both (BD-21)."""
    for p in range(box.SEATS):
        state.evaluation[p] = state.pending[p, 0] - s.A_ADD + s.ADD
        tell(state, e.EVALUATED, p, state.evaluation[p] - s.ADD)
        clear_pending(state, p)


@compiled
def carry_out_placements(state):
    """BD-22: all lifted tokens leave the board, then all are put that were chosen."""
    for p in range(box.SEATS):
        if state.pending_len[p] == 0 or state.pending[p, 0] == s.A_DONE:
            tell(state, e.LEFT, p)
        for i in range(state.pending_len[p]):
            action = state.pending[p, i]
            if s.A_LIFT <= action < s.A_DONE:
                state.tokens[p, action - s.A_LIFT] -= 1
                state.bank[p] += 1
                if state.evaluation[p] == s.MOVE:
                    tell(state, e.MOVED, p, action - s.A_LIFT, state.pending[p, i + 1] - s.A_PUT)
                else:
                    tell(state, e.TOOK_BACK, p, action - s.A_LIFT, 1)
            elif s.A_PUT <= action < s.A_LIFT:
                state.tokens[p, action - s.A_PUT] += 1
                state.bank[p] -= 1
                if state.evaluation[p] == s.ADD:
                    tell(state, e.PUT, p, action - s.A_PUT)
        clear_pending(state, p)


# ---------------------------------------------------------------- turns


@compiled
def begin_turn(state):
    """BD-9, BD-10: the excavation, then the model phase."""
    state.turn += 1
    tell(state, e.TURN_BEGAN, NO_SEAT, state.turn, state.turns)
    excavate(state, NO_SEAT)
    begin_phase(state, s.MODEL)


@compiled
def end_turn(state):
    """BD-23: all cards return; the next turn, or the final scoring (BD-34: the most points win)."""
    for p in range(box.SEATS):
        state.evaluation[p] = 0
        state.num_spent[p] = clear(state.spent[p], state.num_spent[p])
    if state.turn < state.turns:
        begin_turn(state)
        return
    tell(state, e.LAST_TURN_ENDED, NO_SEAT)
    scoring.score_finally(state)
    finish_by_score(state, s.OVER)


# ---------------------------------------------------------------- what the checks of snapshots ask


@compiled
def derive(state):
    """Recompute what follows from the cards drawn, the tokens, the models and the arguments."""
    state.request = 0
    clear(state.known, board.NUM_ATTRIBUTES)
    clear(state.discovered, board.NUM_SPACES)
    for i in range(state.drawn_len):
        if state.drawn[i] < box.REQUEST_CARD:
            discovery.mark_discovered(state, state.drawn[i])
        else:
            discovery.heed_request(state, state.drawn[i])
    for p in range(box.SEATS):
        state.bank[p] = box.NUM_TOKENS
        for space in range(board.NUM_SPACES):
            state.bank[p] -= state.tokens[p, space]
        clear(state.shown[p], box.MAX_MODELS)
        for m in range(state.num_models[p]):
            models.predict(state.models[p, m, 0], state.models[p, m, 1], state.support[p, m])
    for i in range(state.num_arguments):
        m = arguments.model_of(state, i)
        if m != models.NO_MODEL:
            state.shown[state.argument_by[i], m] = 1


@compiled
def inspect(state, facts):
    facts.apart = 1 if commitments.is_apart(state) else 0
    for p in range(box.SEATS):
        facts.asked[p] = 1 if commitments.is_asked(state, p) else 0
    for i in range(state.num_arguments):
        inspect_argument(state, i, facts)
    for space in range(board.NUM_SPACES):
        if not state.discovered[space] and arguments.has_valid_conjecture(state, space):
            facts.guessed[space] = 1
    if state.phase == s.OVER:
        for p in range(box.SEATS):
            facts.final[p, s.NULLIFICATIONS] = scoring.points_of_nullifications(state, p)
            facts.final[p, s.CONFIDENT] = scoring.points_of_tokens(state, p)
            facts.final[p, s.VALUABLE] = scoring.points_of_conjectures(state, p)


@compiled
def inspect_argument(state, i, facts):
    """Write what the rules say of an argument on the board."""
    p, output = state.argument_by[i], arguments.output_state(state, i)
    m = arguments.model_of(state, i)
    facts.model[i] = m
    facts.prediction[i] = (
        state.support[p, m, output] if m != models.NO_MODEL else models.NO_PREDICTION
    )
    facts.predicted[i] = models.predicted_space(output, facts.prediction[i])
    facts.had_target[i] = 1 if arguments.had_target(state, i) else 0
    low, high = state.argument_inputs[i, 0], state.argument_inputs[i, 1]
    facts.first[i] = arguments.find_argument(
        state, low, high, state.argument_output[i], state.argument_target[i]
    )
    facts.disproved[i] = 1 if discovery.is_disproved(state, i) else 0
