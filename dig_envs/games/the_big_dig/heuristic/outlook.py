"""The scripted player's outlook: what may still be discovered, what a token is worth, which
conjectures will last."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.rules import arguments
from dig_envs.games.the_big_dig.rules.deck import write_chances_in_deck

EXPLORED = 1.0  # cards that both players draw per turn in the exploration
# chance that a conjecture's marker is still there at the end
UNCONTESTED, SHARED, CONTESTED = 0.9, 0.95, 0.4
CONFIDENCE = 0.8  # worth of a token beside a conjectured marker


@compiled
def write_belief(state, belief):
    """The probability of each state to be discovered before the game is over (float64, 74)."""
    if state.cards_len == 0:
        return
    draws = (state.turns - state.turn) * (1 + EXPLORED)
    if state.phase < s.EVALUATION:
        draws += EXPLORED
    drawn = min(1.0, draws / state.cards_len)
    write_chances_in_deck(state, belief)
    for found in range(board.NUM_STATES):
        belief[found] *= drawn


@compiled
def look(state, belief, tokens, survival):
    """Write what a token on each space is worth, and the chance that a conjecture with this output
    has a marker at the end, if its inputs last (float64, 148 each)."""
    for a in range(board.NUM_ATTRIBUTES):
        conjectures = 0
        for space in range(board.first_space(a), board.end_space(a)):
            conjectures += state.conjectured[space]
        for this in range(board.FIRST_STATE[a], board.FIRST_STATE[a + 1]):
            others = 0.0  # the probability that another state of the attribute is discovered
            for found in range(board.FIRST_STATE[a], board.FIRST_STATE[a + 1]):
                if found != this:
                    others += belief[found]
            for space, true, untrue in (
                (board.assertion(this), belief[this], others),
                (board.negation(this), others, belief[this]),
            ):
                tokens[space] = token_worth(state, space, true, untrue, conjectures)
                survival[space] = survival_of(state, space, true, untrue, conjectures)


@compiled
def token_worth(state, space, true, untrue, conjectures):
    """The worth of a token on a space that a discovery makes true or untrue with these
    probabilities, where its attribute has so many conjectured markers."""
    at_the_end = 0.0 if arguments.is_marked(state, space) else -1.0
    a = board.attribute_of(space)
    if state.known[a]:
        return at_the_end
    worth = (
        true * (box.DISCOVERED_NEGATION if board.is_negation(space) else box.DISCOVERED_ASSERTION)
        - untrue * box.DISPROVED
    )
    if conjectures > 0:
        for other in range(board.first_space(a), board.end_space(a)):
            if state.conjectured[other] and board.compatible(space, other):
                at_the_end += CONFIDENCE
    return worth + (1 - true - untrue) * at_the_end


@compiled
def survival_of(state, space, true, untrue, conjectures):
    """The chance of the marker, with what `token_worth` is given."""
    if state.known[board.attribute_of(space)]:
        return 0.0
    stays = SHARED if state.conjectured[space] else UNCONTESTED
    if conjectures > state.conjectured[space]:
        stays = CONTESTED
    return true + (1 - true - untrue) * stays
