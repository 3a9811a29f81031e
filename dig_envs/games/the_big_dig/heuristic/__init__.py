"""A scripted player of The Big Dig, from what its seat can see.

It first works out which states may still be discovered: those of the decks (or of the living
species) that fit the cards drawn, times the chance that they are drawn in time. From that follow,
for every space, what a token there is worth and how likely a conjecture with that output is to
score at the end (``outlook``). An argument is worth its points now, the five at the end times that
chance, and its token; a nullification also what it takes from the other. So it makes the model that
allows the best argument on the board as it is, argues whenever that gains (``arguing``), explores
when a discovery would gain more than a further model, and adds, moves or removes tokens, whichever
gains most (``placing``).
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import state as s
from dig_envs.games.the_big_dig.heuristic import arguing, outlook, placing

MODEL_WORTH = 0.6  # of a further model, per turn left


class Weights(NamedTuple):
    """The weights in which styles differ."""

    lasting: float = 1.0  # weight of what a conjecture may score at the end
    harm: float = 1.0  # weight of what a nullification takes from the other
    shaky: float = 0.85  # chance that a conjectured input keeps its marker


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """The action of a seat that is to decide; reads only what the seat may know."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    if state.phase == s.EVALUATION and state.turn == state.turns and state.num_arguments == 0:
        # nothing will be discovered or argued any more, and there is no marker to bet on: tokens
        # can only cost
        return s.A_REMOVE
    belief = np.zeros(board.NUM_STATES)
    outlook.write_belief(state, belief)
    if state.phase == s.RESEARCH:
        gain = placing.discovery_gain(state, seat, belief)
        return s.A_PASS if gain > MODEL_WORTH * (state.turns - state.turn) else s.A_ACT
    tokens = np.zeros(board.NUM_SPACES)
    survival = np.zeros(board.NUM_SPACES)
    outlook.look(state, belief, tokens, survival)
    if state.phase == s.MODEL or state.phase == s.RESEARCH_MODEL:
        return arguing.choose_input(state, seat, tokens, survival, weights)
    if state.phase == s.ARGUMENTATION:
        return (
            s.A_ACT
            if arguing.best_argument(state, seat, tokens, survival, weights)[0] > 0
            else s.A_PASS
        )
    if state.phase == s.ARGUMENT:
        return arguing.choose_argument(state, seat, tokens, survival, weights)
    if state.phase == s.EVALUATION:
        return placing.choose_evaluation(state, seat, tokens)
    return placing.choose_placement(state, seat, tokens)
