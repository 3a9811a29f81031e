"""Simulations of an information-set Monte Carlo tree search, compiled once per game; the README of
the agents explains it.

Like ``kernels.py`` this file is loaded once per game: the names in the next block are that game's
own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.core.random import mix, random_legal
from dig_envs.engine.search.program import judge, value_alone
from dig_envs.engine.search.tree import (
    MAX_PATH,
    NOBODY_PLAYS,
    NOTHING,
    POLICY_PLAYS,
    SCRIPT_PLAYS,
    add_to_leads,
    back_up,
    choose_edge,
    count_luck,
    give_priors,
    lead_scale,
    next_deal,
    next_random,
    node_of,
    place_of,
)

GAME: CacheKey
COOPERATIVE: bool
MAX_ACTIONS: int
legal_actions: Callable[..., Any]
apply_action: Callable[..., Any]
observe: Callable[..., Any]
redeal: Callable[..., Any]
heuristic: Callable[..., Any]
playout: Callable[..., Any]
opponent: Callable[..., Any]
estimate: Callable[..., Any]
expected_returns: Callable[..., Any]
put_off: Callable[..., Any]
write_returns: Callable[..., Any]
write_mask: Callable[..., Any]

UNKNOWN = np.nan  # a value that the policy has not been asked for
HASH = np.uint64(0x9E3779B97F4A7C15)
_11, _31, _33 = np.uint64(11), np.uint64(31), np.uint64(33)


@kernel(GAME)
def simulate(roots, seat, tree, work, policy, scratch, count):
    """``count`` simulations from the position ``roots[0]``, in which the seat has a decision to
    make.

    Each begins with the hidden things dealt anew, goes down the tree, adds one node, plays on and
    adds the result to the path. A policy that guides is ``policy`` with its ``scratch`` memory; or
    (``search.inside`` is 0) the caller asks it: ``work`` then has what it is to be asked
    (:func:`~dig_envs.engine.search.tree.take_evaluations` reads it), and ``count`` is at most the
    number of simulations that ``work`` has room for.
    """
    search = tree.search[0]
    if search.num_nodes == 0:
        # from what the seat knows, nothing else
        search.rng = mix(search.seed ^ what_is_seen(roots[0], seat, work))
        search.deals = mix(search.rng)
    search.virtual_loss = lead_scale(search)
    last_turn = roots[0].turn + search.depth if search.depth > 0 else MAX_ACTIONS
    caller_asks = search.guided and not search.inside
    for j in range(count):
        i = j if caller_asks else 0
        work.states[i] = roots[0]
        state = work.states[i]
        redeal(state, seat, next_deal(tree))
        decider = descend(state, seat, tree, work, i, last_turn, policy, scratch)
        if caller_asks:
            prepare_questions(state, decider, seat, tree, work, i, policy, scratch, last_turn)
        else:
            value = (
                ask_for_priors(state, decider, tree, work, policy, scratch)
                if search.guided
                else UNKNOWN
            )
            finish_simulation(
                state, seat, tree, work, i, policy, scratch, last_turn, decider, value
            )


@kernel(GAME)
def go_on(roots, seat, tree, work, seed):
    """Make the seat's decision in ``roots[0]`` the root of the tree that an earlier search has
    left.

    Returns whether it is in there. What lies below a node comes from simulations in which the seat
    came to see what it sees there, so it is about this decision. Random numbers follow from what
    the seat sees and from how many simulations there were.
    """
    search = tree.search[0]
    seen = what_is_seen(roots[0], seat, work)
    node = tree.table[place_of(tree, node_key(seen, seat))]
    if node == NOTHING:
        return False
    search.root = node
    search.seed = seed
    search.rng = mix(mix(seed ^ seen) + np.uint64(search.simulations))
    return True


@compiled
def node_key(key, decider):
    """The key of a node from what it is found by and whose decision it is."""
    return mix(key + HASH * np.uint64(decider + 1))


@compiled
def finish_simulation(state, seat, tree, work, i, policy, scratch, last_turn, decider, value):
    """Play on beyond the tree, judge where that ends, and add it to the path of simulation ``i``.

    ``value`` is what the policy has said of the position for its decider, or UNKNOWN.
    """
    search = tree.search[0]
    if search.playout != NOBODY_PLAYS:
        play_out(state, search, work, policy, scratch, last_turn, work.lucky[i])
        value = UNKNOWN
    evaluate(state, search, work.returns[i], work.leads[i])
    if not search.valued:
        count_luck(work.returns[i], work.lucky[i], state.num_players)
    elif not state.over:
        ask_for_values(state, seat, work, policy, scratch, decider, value)
    back_up(tree, work, i, seat, state.num_players)


@compiled
def prepare_questions(state, decider, seat, tree, work, i, policy, scratch, last_turn):
    """For a policy that the caller asks: note the leaf, and what it is to be asked; a simulation
    that waits for no value ends."""
    search = tree.search[0]
    if not state.over:
        ask_policy(state, decider, work, i, search)
    work.waiting[i] = search.valued and not state.over
    if work.waiting[i]:
        evaluate(state, search, work.returns[i], work.leads[i])
        add_to_leads(tree, work, i, -search.virtual_loss)
    else:
        finish_simulation(state, seat, tree, work, i, policy, scratch, last_turn, decider, UNKNOWN)


# ---------------------------------------------------------------- in the tree


@compiled
def descend(state, seat, tree, work, i, last_turn, policy, scratch):
    """Play simulation ``i`` by the tree until a position that is not in it, which gets a node, or
    the end; returns who decides there.

    A decision of the searching seat has the node of what this seat sees. A decision of another seat
    has the node of what the searching seat knows (``known``) and of what that other seat has done
    since (``done``). While several seats decide at the same time, ``known`` stays what the
    searching seat saw when that began: the others do not see what it has committed. Where
    ``search.others`` names a player, other seats have no nodes: that player decides for them.
    """
    search = tree.search[0]
    decider, length = seat, 0
    work.leaves[i] = NOTHING
    known = known_before = done = np.uint64(0)
    before = NOTHING  # who decided at the last node
    # Whether seats decide at the same time, since when, and who of them has committed, as bits.
    sealed, phase, turn, committed = False, state.phase, state.turn, 0
    while length < MAX_PATH and not state.over and state.turn < last_turn:
        owing = seats_owing(state)
        seen = what_is_seen(state, seat, work)
        if sealed and (state.phase != phase or state.turn != turn or (owing & committed) != 0):
            sealed = False  # that decision is complete, and this is another
        if not sealed:
            known = seen
            if owing & (owing - 1):  # more than one seat
                sealed, phase, turn, committed = True, state.phase, state.turn, 0
        if decider != seat and search.others != NOBODY_PLAYS:
            action = answer_of(state, decider, search, work, policy, scratch)
            search.steps += 1
        else:
            if decider != before or known != known_before:
                done = np.uint64(0)
            before, known_before = decider, known
            key = seen if decider == seat else known + mix(done + HASH)
            node, is_new = node_of(tree, node_key(key, decider), decider)
            if node == NOTHING or is_new or (search.guided and not tree.nodes[node].evaluated):
                work.leaves[i] = node if search.guided else NOTHING
                break
            write_mask(state, decider, work.mask)
            hint = hint_at(state, decider, seat, tree, node)
            edge = choose_edge(tree, node, work.mask, work.slots, hint)
            if edge == NOTHING:
                break
            action = np.int64(tree.edges[edge].action)
            work.paths[i, length, 0] = edge
            work.paths[i, length, 1] = decider
            work.odds[i, length] = 0.0 if search.valued else put_off(state, decider, action)
            length += 1
            done = done + mix(np.uint64(action + 1))
        apply_action(state, decider, action)
        if sealed and not state.owes[decider]:
            committed |= 1 << decider
        decider = np.int64(state.to_move)
    work.lengths[i] = length
    search.steps += length
    return decider


@compiled
def answer_of(state, decider, search, work, policy, scratch):
    """The action of the player that stands for the other seats."""
    if search.others == SCRIPT_PLAYS:
        return np.int64(opponent(state, decider, work.weights))
    ask_inside(state, decider, work, policy, scratch)
    return likeliest(scratch.logits, work.mask)


@compiled
def ask_inside(state, decider, work, policy, scratch):
    """``scratch.logits`` and ``work.mask`` of a decision, from what its seat sees; returns the
    value for this seat."""
    write_mask(state, decider, work.mask)
    work.flat[0, :] = 0
    observe(state, decider, work.observation[0])
    return judge(policy, scratch, work.flat[0], work.mask)


@compiled
def ask_policy(state, decider, work, i, search):
    """Write what the policy is asked about a leaf: the decider's observation, and for values that
    of every seat."""
    work.deciders[i] = decider
    rows = np.int64(state.num_players) if search.valued else 1
    for k in range(rows):
        row, p = i * rows + k, (decider + k) % state.num_players
        write_mask(state, p, work.masks[row])
        work.flats[row, :] = 0
        observe(state, p, work.observations[row])


@compiled
def ask_for_priors(state, decider, tree, work, policy, scratch):
    """A new node gets its priors from what its seat sees; returns the value for this seat, UNKNOWN
    if the policy was not asked."""
    node = work.leaves[0]
    if node == NOTHING or state.over or tree.nodes[node].evaluated:
        return UNKNOWN
    value = np.float64(ask_inside(state, decider, work, policy, scratch))
    give_priors(tree, node, scratch.logits, work.mask, work.slots)
    return value


@compiled
def ask_for_values(state, seat, work, policy, scratch, decider, value):
    """Add the policy's value of the position for each seat for which the path keeps sums, judged
    from its own observation.

    That for the decider is ``value``, unless this is UNKNOWN.
    """
    needed = 1 << seat
    for step in range(work.lengths[0]):
        needed |= 1 << work.paths[0, step, 1]
    for p in range(state.num_players):
        if needed & (1 << p) and p == decider and not np.isnan(value):
            work.leads[0, p] += value
        elif needed & (1 << p):
            work.flat[0, :] = 0
            observe(state, p, work.observation[0])
            work.leads[0, p] += value_alone(policy, scratch, work.flat[0])


@compiled
def seats_owing(state):
    """The seats that have a decision to make, as bits."""
    bits = 0
    for p in range(state.num_players):
        if state.owes[p]:
            bits |= 1 << p
    return bits


@compiled
def hint_at(state, decider, seat, tree, node):
    """The scripted player's choice; asked only once at a node of the searching seat, where it
    depends on nothing else."""
    if tree.search[0].trust == 0.0:
        return NOTHING
    if decider == seat and tree.nodes[node].hint != NOTHING:
        return np.int64(tree.nodes[node].hint)
    hint = np.int64(heuristic(state, decider))
    tree.nodes[node].hint = hint
    return hint


@compiled
def what_is_seen(state, seat, work):
    """A 64-bit hash of the seat's observation."""
    work.flat[0, :] = 0
    observe(state, seat, work.observation[0])
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
def play_out(state, search, work, policy, scratch, last_turn, lucky):
    """Play on to the end of the game or to the turn at which simulations are cut off.

    ``lucky`` gets the chance of each seat that luck put off would have made it win on the way;
    where the policy judges the end, no luck is put off.
    """
    count = 0
    goes_on = 1.0  # how likely the game is to go on without luck that was put off
    lucky[:] = 0.0
    while not state.over and state.turn < last_turn and count < MAX_ACTIONS:
        seat = np.int64(state.to_move)
        action = next_action(state, seat, search, work, policy, scratch)
        chance = 0.0 if search.valued else put_off(state, seat, action)
        lucky[seat] += goes_on * chance
        apply_action(state, seat, action)
        goes_on *= 1.0 - chance
        count += 1
    search.steps += count


@compiled
def next_action(state, seat, search, work, policy, scratch):
    """The choice of the player that plays on beyond the tree."""
    if search.playout == SCRIPT_PLAYS:
        return np.int64(playout(state, seat))
    if search.playout == POLICY_PLAYS:
        ask_inside(state, seat, work, policy, scratch)
        return drawn_from(scratch.logits, work.mask, search)
    write_mask(state, seat, work.mask)
    return np.int64(random_legal(work.mask, search))


@compiled
def likeliest(logits, mask):
    """The legal action with the greatest logit."""
    best = NOTHING
    for action in range(len(mask)):
        if mask[action] and (best == NOTHING or logits[action] > logits[best]):
            best = action
    return np.int64(best)


@compiled
def drawn_from(logits, mask, search):
    """A legal action drawn from a policy's distribution: the greatest logit with Gumbel noise."""
    best, best_bound = 0, -np.inf
    for action in range(len(mask)):
        if mask[action]:
            uniform = (np.float64(next_random(search) >> _11) + 0.5) / 9007199254740992.0
            bound = logits[action] - np.log(-np.log(uniform))
            if bound > best_bound:
                best, best_bound = action, bound
    return np.int64(best)


@compiled
def evaluate(state, search, returns, leads):
    """The returns and leads of all seats. Before the end returns are estimates; if a policy gives
    values, leads are in its terms."""
    if state.over:
        write_returns(state, returns)
    elif search.valued:
        returns[:] = 0.0
    else:
        expected_returns(state, returns)
    for p in range(state.num_players):
        if search.valued:
            leads[p] = (
                search.win_weight * paid_at_the_end(state, p, returns[p], search)
                + search.score_weight * state.scores[p]
            )
        else:
            leads[p] = state.scores[p] if state.over else estimate(state, p)
    if not search.valued and not COOPERATIVE and state.num_players > 1:
        subtract_best_of_others(leads, state.num_players)


@compiled
def paid_at_the_end(state, seat, result, search):
    """The reward of the policy's training for the end of a game: the return, or in older trainings
    1 for a win and else -1."""
    if search.win_or_lose and state.over:
        return 1.0 if state.winners[seat] else -1.0
    return result


@compiled
def subtract_best_of_others(points, seats):
    """From the points of each seat take those of the best other one."""
    best, second = -np.inf, -np.inf
    for p in range(seats):
        if points[p] > best:
            best, second = points[p], best
        elif points[p] > second:
            second = points[p]
    for p in range(seats):
        points[p] -= second if points[p] == best else best
