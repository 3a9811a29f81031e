"""Simulations of an information-set Monte Carlo tree search, compiled once per game; ``dig_envs/agents/README.md`` explains the search.

Like ``kernels.py`` this file is loaded once per game: the names in the next block are that game's own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.jit import compiled, kernel
from dig_envs.engine.random import mix
from dig_envs.engine.tree import MAX_PATH, NOTHING, back_up, choose_edge, next_random, node_of

GAME: str
COOPERATIVE: bool
MAX_ACTIONS: int
legal_actions: Callable[..., Any]
apply_action: Callable[..., Any]
observe: Callable[..., Any]
redeal: Callable[..., Any]
heuristic: Callable[..., Any]
write_returns: Callable[..., Any]
write_mask: Callable[..., Any]
random_legal: Callable[..., Any]

HASH = np.uint64(0x9E3779B97F4A7C15)
_1, _31, _33 = np.uint64(1), np.uint64(31), np.uint64(33)


@kernel(GAME)
def simulate(roots, seat, tree, work, count):
    """``count`` simulations from the position ``roots[0]``, in which the seat owes a decision.

    Each begins with the hidden things dealt anew, goes down the tree, adds one node, plays on and adds the result to the path.
    """
    search = tree.search[0]
    if search.simulations == 0:
        search.rng = mix(search.seed ^ what_is_seen(roots[0], seat, work))  # from what the seat knows, nothing else
    last_turn = roots[0].turn + search.depth if search.depth > 0 else MAX_ACTIONS
    for _ in range(count):
        work.states[0] = roots[0]
        state = work.states[0]
        redeal(state, seat, next_random(search))
        length = descend(state, seat, tree, work, last_turn)
        play_out(state, search, work.masks[0], last_turn)
        evaluate(state, work.returns[0], work.leads[0])
        back_up(tree, work.paths[0], length, work.returns[0], work.leads[0], seat)


# ---------------------------------------------------------------- in the tree


@compiled
def descend(state, seat, tree, work, last_turn):
    """Play by the tree until a position that is not in it, which gets a node, or the end; returns the length of the path.

    Nodes of the searching seat are told apart by what it sees. Nodes of another seat are, too, and by what that seat has
    done since; in a simultaneous decision by what the searching seat saw when it began, not by what it has committed since.
    """
    search = tree.search[0]
    mask = work.masks[0]
    decider = seat
    sealed, phase, turn, committed = False, state.phase, state.turn, 0
    base = np.uint64(0)  # what the searching seat saw when the simultaneous decision began
    context, own, before = np.uint64(0), np.uint64(0), NOTHING  # another seat's actions since the context of its decision
    length = 0
    while length < MAX_PATH and not state.over and state.turn < last_turn:
        owing = seats_owing(state)
        if sealed and (state.phase != phase or state.turn != turn or (owing & committed) != 0):
            sealed = False
        seen = what_is_seen(state, seat, work)
        if not sealed and (owing & (owing - 1)) != 0:
            sealed, phase, turn, committed = True, state.phase, state.turn, 0
            base = seen
        if decider == seat:
            key = seen
        else:
            if decider != before or context != (base if sealed else seen):
                context, own = base if sealed else seen, np.uint64(0)
            key = context + mix(own + HASH)
        before = decider
        node, is_new = node_of(tree, mix(key + HASH * np.uint64(decider + 1)), decider)
        if node == NOTHING or is_new:
            break
        write_mask(state, decider, mask)
        edge = choose_edge(tree, node, mask, work.slots, hint_at(state, decider, seat, tree, node))
        if edge == NOTHING:
            break
        action = tree.edges[edge].action
        work.paths[0, length, 0] = edge
        work.paths[0, length, 1] = decider
        length += 1
        apply_action(state, decider, action)
        own = own + mix(np.uint64(action + 1))
        if sealed and not state.owes[decider]:
            committed |= 1 << decider
        decider = state.to_move
    search.steps += length
    return length


@compiled
def seats_owing(state):
    """The seats that owe a decision, as bits."""
    bits = 0
    for p in range(state.num_players):
        if state.owes[p]:
            bits |= 1 << p
    return bits


@compiled
def hint_at(state, decider, seat, tree, node):
    """The scripted player's choice; asked once for a node of the searching seat, because it depends on what is seen only."""
    if not tree.search[0].hints:
        return NOTHING
    if decider != seat:
        return heuristic(state, decider)
    if tree.nodes[node].hint == NOTHING:
        tree.nodes[node].hint = heuristic(state, decider)
    return int(tree.nodes[node].hint)


@compiled
def what_is_seen(state, seat, work):
    """A 64-bit hash of the seat's observation."""
    work.flat[0, :] = 0
    observe(state, seat, work.observations[0])
    words = work.words[0]
    size = len(words)
    a, b = np.uint64(seat + 1), HASH
    for i in range(0, size - 1, 2):
        a = ((a ^ words[i]) * HASH) ^ (a >> _31)
        b = ((b ^ words[i + 1]) * HASH) ^ (b >> _33)
    if size & 1:
        a = ((a ^ words[size - 1]) * HASH) ^ (a >> _31)
    return mix(a + mix(b))


# ---------------------------------------------------------------- beyond the tree


@compiled
def play_out(state, search, mask, last_turn):
    """Play on to the end of the game or to the turn at which simulations are cut off."""
    count = 0
    while not state.over and state.turn < last_turn and count < MAX_ACTIONS:
        seat = state.to_move
        if search.scripted:
            action = heuristic(state, seat)
        else:
            write_mask(state, seat, mask)
            action = random_legal(mask, search)
        apply_action(state, seat, action)
        count += 1
    search.steps += count


@compiled
def evaluate(state, returns, leads):
    """Returns (zero if the game is not over) and leads of all seats."""
    if state.over:
        write_returns(state, returns)
    else:
        returns[:] = 0.0
    for p in range(state.num_players):
        leads[p] = state.scores[p]
        if not COOPERATIVE and state.num_players > 1:
            best = -(1 << 30)
            for x in range(state.num_players):
                if x != p and state.scores[x] > best:
                    best = state.scores[x]
            leads[p] -= best
