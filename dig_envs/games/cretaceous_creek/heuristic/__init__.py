"""A scripted player of Cretaceous Creek, from what everybody can see.

It estimates what a position is worth (`worth`): pieces in the museum, less the action points that
the missing skeletons will still cost (each led by the paleontologist who needs the fewest), less
the danger that erosion takes the last copy of a part. In its turn it tries every way to spend its
action points (`plans`), follows the best ones through the erosion that is known and the next turn
(`ahead`), and begins the one after which the position is worth most. It never looks at a face-down
fossil or at the order of the erosion deck.
"""

from typing import NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.state import scratch_records
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import questions, rules, skeletons
from dig_envs.games.cretaceous_creek import state as s
from dig_envs.games.cretaceous_creek.heuristic.ahead import choose_action, hits_now
from dig_envs.games.cretaceous_creek.heuristic.plans import NUM_ACTIONS, best_of
from dig_envs.games.cretaceous_creek.heuristic.worth import EDM_KEPT, HAND_OVER, WEIGHTS, worth


class Weights(NamedTuple):
    """In what styles differ."""

    # how many of its plans it follows through the next turn, at most MOST_KEPT; 0: it chooses by
    # where they end
    plans: float = 6.0


USUAL = Weights()
FIRST = Weights(plans=0.0)


@compiled
def heuristic(state, seat):
    return styled(state, seat, USUAL)


@compiled
def playout(state, seat):
    """An action that takes little time to find, for the playouts of a search."""
    return styled(state, seat, FIRST)


@compiled
def styled(state, seat, weights):
    """The action of a seat that plays in a style."""
    w = WEIGHTS[int(state.num_players > 2)]
    if state.phase == s.ACT:
        return choose_action(state, seat, w, int(weights.plans))
    if state.phase == s.DIG:
        return (
            s.A_INITIAL_DIG
            if questions.is_needed(state, questions.top_fossil(state, state.pos[seat]))
            else s.A_NO_INITIAL_DIG
        )
    if state.phase == s.SANDBAG:
        return s.A_SANDBAG if sandbags_pay(state, w) else s.A_NO_SANDBAG
    storm = np.zeros((box.NUM_SPACES, 2))
    hits_now(state, w, storm)
    return best_of(state, seat, 0, NUM_ACTIONS, storm, w)


@compiled
def sandbags_pay(state, w):
    """Whether the revealed cards, all of them public, do enough damage to give EDM away."""
    return damage_pays(state, scratch_records(1, s.State), w)


@compiled
def damage_pays(state, sims, w):
    """Whether they do enough damage, tried out in the scratch records ``sims``."""
    storm = np.zeros((box.NUM_SPACES, 2))
    hits_now(state, w, storm)
    sims[0] = state
    sim = sims[0]
    before = worth(sim, storm, w)
    for i in range(state.revealed_len):
        card = state.revealed[i]
        if card != box.NO_EROSION:
            if sim.height[card] > 0:
                rules.erode(sim, card)
            else:
                sim.flooded[card] = 1
                for p in range(sim.num_players):
                    if sim.pos[p] == card and questions.is_carrier(sim, p):
                        before += w[HAND_OVER]
    skeletons.settle(sim)
    return worth(sim, storm, w) < before - w[EDM_KEPT]
