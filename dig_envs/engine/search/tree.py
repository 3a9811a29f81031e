"""The memory of a tree search: flat arrays that are allocated once, and the compiled functions on
them that know no game.

A *node* is what the searching seat knows when somebody decides, under a 64-bit key; nodes are found
by their keys in a hash table, so that different ways to the same knowledge share their statistics.
An *edge* is an action at a node. The edges of a node are a linked list, because other actions may
be legal each time the node is reached.
"""

from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.core.random import below, mix
from dig_envs.engine.core.state import new_records

Array = np.ndarray[Any, Any]

MAX_PATH = 256  # actions of one simulation that can lie in the tree
EDGES_PER_NODE = 64  # for which there is memory, on average
NOTHING = -1
# beyond the tree, or for the other seats
NOBODY_PLAYS, CHANCE_PLAYS, SCRIPT_PLAYS, POLICY_PLAYS = 0, 1, 2, 3

NODE = np.dtype(
    [
        ("key", np.uint64),
        ("edges", np.int32),  # the first of the list, NOTHING for none yet
        # what the scripted player would do there, if the searching seat decides; NOTHING: not asked
        # yet
        ("hint", np.int16),
        ("seat", np.int8),  # who decides
        ("evaluated", np.int8),  # 1 when a policy has given the priors of its edges
    ],
    align=True,
)

EDGE = np.dtype(
    [
        # sums over the visits, for the seat that decides: of the returns …
        ("returns", np.float64),
        ("leads", np.float64),  # … and of the leads (the score, less the best score of another)
        ("prior", np.float32),
        ("next", np.int32),  # edge of the same node, NOTHING for the last
        ("visits", np.int32),
        ("available", np.int32),  # how often the node was visited when the action was legal
        ("action", np.int16),
        # at the root of a search by halving: 1 for the best candidate, 0 for none
        ("rank", np.int16),
    ],
    align=True,
)

SEARCH = np.dtype(
    [
        ("seed", np.uint64),
        ("rng", np.uint64),
        # with ``halving``: the candidates at the root are compared on the same deals, which follow
        # from this
        ("deals", np.uint64),
        ("exploration", np.float64),  # the constant of the selection
        # share of the lead in an action's value, the rest is the return's
        ("lead_weight", np.float64),
        ("trust", np.float64),  # prior of the scripted player's choice; 0: no priors from it
        ("win_weight", np.float64),  # what a return of 1 and …
        ("score_weight", np.float64),  # … a point are worth in the values of a policy
        # how many actions of a node are tried, times the root of its visits; 0: all
        ("widening", np.float64),
        # what simulations that wait for their value have taken from the leads on their paths
        ("virtual_loss", np.float64),
        # of the searching seat's leads at the ends of the simulations (Welford)
        ("lead_mean", np.float64),
        ("lead_squares", np.float64),
        ("simulations", np.int64),  # finished ones
        ("steps", np.int64),  # actions played in them
        ("num_nodes", np.int32),
        ("num_edges", np.int32),
        # node of the decision that is searched: the first, but in a tree that goes on from an
        # earlier search
        ("root", np.int32),
        ("depth", np.int32),  # turns after which a simulation is cut off, 0 for none
        ("guided", np.int8),  # 1: a policy gives the priors
        # 1: it is asked in compiled code; 0: the caller asks it for many leaves at once
        ("inside", np.int8),
        ("valued", np.int8),  # 1: it gives values, too; 0: scores do, or what the game expects
        # 1: its training paid 1 to each winner and -1 to the others; 0: the return
        ("win_or_lose", np.int8),
        ("playout", np.int8),  # who plays on beyond the tree: NOBODY_PLAYS … POLICY_PLAYS
        # who decides in it for the other seats; NOBODY_PLAYS: each of them searches for itself
        ("others", np.int8),
        # 1: at the root only edges with a rank are followed, those with the fewest visits first
        ("halving", np.int8),
    ],
    align=True,
)


class Tree(NamedTuple):
    """The memory of one search: ``nodes`` (n,), ``edges`` (m,), ``table`` int32 (a power of two,),
    ``search`` (1,)."""

    nodes: Array
    edges: Array
    table: Array
    search: Array


NONE = np.zeros(0, np.int8)  # in the place of records


class Work(NamedTuple):
    """Scratch memory for b simulations side by side, of a game with p seats and a actions.

    Per simulation: ``states`` (b,), ``paths`` int32 (b, MAX_PATH, 2): edges and the seats that
    decided, ``odds`` (b, MAX_PATH): the chance that a step would have won by luck which was put
    off, ``lengths`` (b,), ``leaves`` (b,): the node that waits for its priors or NOTHING,
    ``waiting`` (b,): 1 if the value is waited for, ``deciders`` (b,), ``returns``, ``leads`` and
    ``lucky`` (b, p), the last the chance of each seat to have won by such luck beyond the tree. For
    all: ``mask`` int8 (a,), ``slots`` int32 (a,), and one observation of the searching seat:
    ``observation``, ``flat``, ``words`` (the same memory as records, float32 and uint32). What a
    policy is asked about, in rows (b·p): ``masks`` int8 (b·p, a), ``observations``, ``flats``; a
    leaf has the rows of its decider and, where values are asked for, of the seats that follow.
    ``weights``: of the style in which the scripted player plays the other seats, where it has one.
    """

    states: Array
    paths: Array
    odds: Array
    lengths: Array
    leaves: Array
    waiting: Array
    deciders: Array
    returns: Array
    leads: Array
    lucky: Array
    mask: Array
    slots: Array
    observation: Array
    flat: Array
    words: Array
    masks: Array
    observations: Array
    flats: Array
    weights: tuple[float, ...]

    @property
    def without_records(self) -> "Work":
        """The same without what is of another type in each game."""
        return self._replace(states=NONE, observation=NONE, observations=NONE, weights=())


def new_tree(num_nodes: int) -> Tree:
    """Memory for a tree of at most ``num_nodes`` nodes."""
    size = 1 << (2 * num_nodes - 1).bit_length()
    return Tree(
        new_records(num_nodes, NODE),
        new_records(EDGES_PER_NODE * num_nodes + 1024, EDGE),
        np.full(size, NOTHING, np.int32),
        new_records(1, SEARCH),
    )


def packed(tree: Tree) -> tuple[Array, ...]:
    """The content of a tree, without memory that it has not used."""
    search = tree.search[0]
    return tree.nodes[: search["num_nodes"]], tree.edges[: search["num_edges"]], tree.search


def unpacked(contents: tuple[Array, ...], num_nodes: int) -> Tree:
    """A tree with these contents and memory for so many nodes."""
    nodes, edges, search = contents
    tree = new_tree(num_nodes)
    tree.nodes[: len(nodes)], tree.edges[: len(edges)] = nodes, edges
    tree.search[:] = search
    enter_nodes(tree)
    return tree


@compiled
def place_of(tree, key):
    """The place in the table of the node with this key, or the free place for it."""
    last = len(tree.table) - 1
    place = np.int64(key & np.uint64(last))
    while tree.table[place] != NOTHING and tree.nodes[tree.table[place]].key != key:
        place = (place + 1) & last
    return place


@kernel("tree")
def enter_nodes(tree):
    """Enter all nodes in an empty table."""
    for node in range(tree.search[0].num_nodes):
        tree.table[place_of(tree, tree.nodes[node].key)] = node


@compiled
def node_of(tree, key, seat):
    """The node with that key and whether it is a new one; NOTHING if there is no memory left for
    it."""
    search = tree.search[0]
    place = place_of(tree, key)
    if tree.table[place] != NOTHING:
        return tree.table[place], False
    node = search.num_nodes
    if node == len(tree.nodes):
        return NOTHING, False
    search.num_nodes = node + 1
    tree.table[place] = node
    tree.nodes[node].key = key
    tree.nodes[node].edges = NOTHING
    tree.nodes[node].hint = NOTHING
    tree.nodes[node].seat = seat
    tree.nodes[node].evaluated = 0
    return node, True


@compiled
def collect_edges(tree, node, mask, slots):
    """Note the edge of each legal action in ``slots``, making those that are missing; NOTHING where
    memory is used up."""
    search = tree.search[0]
    edge = tree.nodes[node].edges
    while edge != NOTHING:
        slots[tree.edges[edge].action] = edge
        edge = tree.edges[edge].next
    for action in range(len(mask)):
        if mask[action] and slots[action] == NOTHING and search.num_edges < len(tree.edges):
            edge = search.num_edges
            search.num_edges = edge + 1
            tree.edges[edge].returns = 0.0
            tree.edges[edge].leads = 0.0
            tree.edges[edge].prior = 0.0
            tree.edges[edge].next = tree.nodes[node].edges
            tree.edges[edge].visits = 0
            tree.edges[edge].available = 0
            tree.edges[edge].action = action
            tree.edges[edge].rank = 0
            tree.nodes[node].edges = edge
            slots[action] = edge


@compiled
def forget_slots(tree, node, slots):
    """Leave ``slots`` as it was found: NOTHING everywhere."""
    edge = tree.nodes[node].edges
    while edge != NOTHING:
        slots[tree.edges[edge].action] = NOTHING
        edge = tree.edges[edge].next


@compiled
def lead_scale(search):
    """The divisor of a lead: twice the standard deviation of the leads seen so far."""
    if search.simulations < 2 or search.lead_squares <= 0.0:
        return 1.0
    return 2.0 * np.sqrt(search.lead_squares / search.simulations)


@compiled
def value_of(edge, search, scale):
    """Mean value of a visited edge for the seat that decides."""
    mean_return = edge.returns / edge.visits
    mean_lead = edge.leads / edge.visits
    return (1.0 - search.lead_weight) * mean_return + search.lead_weight * mean_lead / scale


@compiled
def choose_edge(tree, node, mask, slots, hint):
    """The edge to follow, NOTHING if there is none; counts the visit and which actions were
    available.

    Without priors: one of the unvisited actions at random, then UCB1 with availability counts. With
    priors: PUCT with them.
    """
    search = tree.search[0]
    collect_edges(tree, node, mask, slots)
    if search.halving and node == search.root:
        best = least_visited(tree, mask, slots)
    elif search.trust > 0.0 or search.guided:
        best = best_by_prior(tree, mask, slots, hint)
    else:
        best = best_by_bound(tree, mask, slots)
    forget_slots(tree, node, slots)
    if best != NOTHING:
        tree.edges[best].visits += 1
    return best


@compiled
def next_deal(tree):
    """The seed with which the hidden things are dealt anew: with ``halving`` that of the next visit
    of the least visited candidate.

    So the first visits of all candidates see the same deal, the second ones the next, and
    differences are due to the actions.
    """
    search = tree.search[0]
    if not search.halving:
        return next_random(search)
    edge, fewest = tree.nodes[search.root].edges, -1
    while edge != NOTHING:
        if tree.edges[edge].rank > 0 and (fewest < 0 or tree.edges[edge].visits < fewest):
            fewest = tree.edges[edge].visits
        edge = tree.edges[edge].next
    return mix(search.deals + np.uint64(fewest + 1))


@compiled
def least_visited(tree, mask, slots):
    """Of the candidates at the root the one with the fewest visits, of several the one with the
    best rank."""
    best, lowest = NOTHING, 0
    for action in range(len(mask)):
        edge = slots[action]
        if mask[action] and edge != NOTHING and tree.edges[edge].rank > 0:
            # by visits, then by rank
            order = tree.edges[edge].visits * len(mask) + tree.edges[edge].rank - 1
            if best == NOTHING or order < lowest:
                best, lowest = edge, order
    return best


@compiled
def best_by_bound(tree, mask, slots):
    """UCB1; N in its logarithm is the number of visits in which the action was available (Cowling
    et al. 2012)."""
    search = tree.search[0]
    scale = lead_scale(search)
    best, best_bound, unvisited = NOTHING, -np.inf, 0
    for action in range(len(mask)):
        if not mask[action] or slots[action] == NOTHING:
            continue
        edge = tree.edges[slots[action]]
        edge.available += 1
        if edge.visits == 0:
            unvisited += 1
            if below(search, unvisited) == 0:
                best = slots[action]
        elif unvisited == 0:
            bound = value_of(edge, search, scale) + search.exploration * np.sqrt(
                np.log(edge.available) / edge.visits
            )
            if bound > best_bound:
                best, best_bound = slots[action], bound
    return best


@compiled
def best_by_prior(tree, mask, slots, hint):
    """PUCT (Rosin 2011; Silver et al. 2017): the highest value + c · prior · √N / (1 + visits).

    N is the number of visits in which the action was available. An unvisited action has the mean
    value of the visited ones. With ``widening`` (Coulom 2007) no further action is tried while as
    many have been tried as it allows.
    """
    search = tree.search[0]
    scale = lead_scale(search)
    legal, tried, visits = 0, 0, 0
    total, priors = 0.0, 0.0
    for action in range(len(mask)):
        if mask[action] and slots[action] != NOTHING:
            edge = tree.edges[slots[action]]
            legal += 1
            priors += edge.prior
            if edge.visits > 0:
                tried += 1
                visits += edge.visits
                total += edge.visits * value_of(edge, search, scale)
    mean = total / visits if visits > 0 else 0.0
    only_tried = search.widening > 0.0 and tried > 0 and tried >= search.widening * np.sqrt(visits)
    best, best_bound = NOTHING, -np.inf
    for action in range(len(mask)):
        if not mask[action] or slots[action] == NOTHING:
            continue
        edge = tree.edges[slots[action]]
        edge.available += 1
        if only_tried and edge.visits == 0:
            continue
        if not search.guided:  # the hint has a share of it, and all legal actions the rest alike
            prior = (1.0 - search.trust) / legal + (search.trust if action == hint else 0.0)
        elif priors > 0.0:
            prior = edge.prior / priors
        else:
            prior = 1.0 / legal
        value = value_of(edge, search, scale) if edge.visits > 0 else mean
        bound = value + search.exploration * prior * np.sqrt(edge.available) / (1 + edge.visits)
        if bound > best_bound:
            best, best_bound = slots[action], bound
    return best


@compiled
def back_up(tree, work, i, seat, num_players):
    """Add what simulation ``i`` gave to the edges on its path, to each for the seat that decided
    there (max^n).

    From the last step to the first, since an edge is to know what luck may bring from it on, not
    before it.
    """
    search = tree.search[0]
    for step in range(work.lengths[i] - 1, -1, -1):
        edge = tree.edges[work.paths[i, step, 0]]
        decider = work.paths[i, step, 1]
        if work.odds[i, step] > 0.0:
            work.lucky[i, :] = 0.0
            work.lucky[i, decider] = work.odds[i, step]
            count_luck(work.returns[i], work.lucky[i], num_players)
        edge.returns += work.returns[i, decider]
        edge.leads += work.leads[i, decider]
    lead = work.leads[i, seat]
    search.simulations += 1
    difference = lead - search.lead_mean
    search.lead_mean += difference / search.simulations
    search.lead_squares += difference * (lead - search.lead_mean)


@compiled
def count_luck(returns, lucky, num_players):
    """Make of returns what they are if each seat has won before by luck with its chance in
    ``lucky``, alone against the others."""
    rest = 1.0
    for p in range(num_players):
        rest -= lucky[p]
    for p in range(num_players):
        returns[p] *= rest
        for winner in range(num_players):
            if lucky[winner] > 0.0:
                returns[p] += lucky[winner] * (1.0 if p == winner else -1.0 / (num_players - 1))


@compiled
def add_to_leads(tree, work, i, amount):
    """Add an amount to the leads on a path: a virtual loss while the simulation waits for its
    value, and its removal."""
    for step in range(work.lengths[i]):
        tree.edges[work.paths[i, step, 0]].leads += amount


@compiled
def give_priors(tree, node, logits, mask, slots):
    """The softmax of the logits of the legal actions becomes the prior of their edges."""
    collect_edges(tree, node, mask, slots)
    greatest = -np.inf
    for action in range(len(mask)):
        if mask[action] and logits[action] > greatest:
            greatest = logits[action]
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += np.exp(logits[action] - greatest)
    for action in range(len(mask)):
        if mask[action] and slots[action] != NOTHING:
            tree.edges[slots[action]].prior = np.exp(logits[action] - greatest) / total
    forget_slots(tree, node, slots)
    tree.nodes[node].evaluated = 1


@kernel("tree")
def take_evaluations(tree, work, count, logits, values, seat, num_players):
    """Take in a policy's outputs for the leaves of ``count`` simulations: priors of new nodes,
    values of simulations that wait.

    For a policy that the caller has asked (``search.inside`` is 0). ``work`` is
    :attr:`Work.without_records`, so that one machine code serves all games.
    """
    search = tree.search[0]
    rows = num_players if search.valued else 1
    for i in range(count):
        node = work.leaves[i]
        if node != NOTHING and not tree.nodes[node].evaluated:
            give_priors(tree, node, logits[i * rows], work.masks[i * rows], work.slots)
        if work.waiting[i]:
            for k in range(num_players):
                work.leads[i, (work.deciders[i] + k) % num_players] += values[i * rows + k]
            add_to_leads(tree, work, i, search.virtual_loss)
            back_up(tree, work, i, seat, num_players)


@compiled
def next_random(search):
    """64 random bits."""
    search.rng = search.rng + np.uint64(0x9E3779B97F4A7C15)
    return mix(search.rng)


@kernel("tree")
def clear_tree(tree, seed):
    """Begin a new search in the same memory."""
    search = tree.search[0]
    for i in range(len(tree.table)):
        tree.table[i] = NOTHING
    search.seed = seed
    search.rng = seed
    search.lead_mean = 0.0
    search.lead_squares = 0.0
    search.simulations = 0
    search.steps = 0
    search.num_nodes = 0
    search.num_edges = 0
    search.root = 0


@kernel("tree")
def read_root(tree, visits, values, leads, priors):
    """Of each action at the root: visits, mean value and mean lead (0 for none), and the policy's
    prior."""
    search = tree.search[0]
    scale = lead_scale(search)
    visits[:] = 0
    values[:] = 0.0
    leads[:] = 0.0
    priors[:] = 0.0
    if search.num_nodes == 0:
        return
    edge = tree.nodes[search.root].edges
    while edge != NOTHING:
        action = tree.edges[edge].action
        priors[action] = tree.edges[edge].prior
        if tree.edges[edge].visits > 0:
            visits[action] = tree.edges[edge].visits
            values[action] = value_of(tree.edges[edge], search, scale)
            leads[action] = tree.edges[edge].leads / tree.edges[edge].visits
        edge = tree.edges[edge].next


@kernel("tree")
def rank_root(tree, ranks, slots):
    """Which actions are candidates at the root: ``ranks`` int16 (num_actions,), 1 for the best, 0
    for all others."""
    search = tree.search[0]
    if search.num_nodes == 0:
        return
    collect_edges(tree, search.root, ranks, slots)
    edge = tree.nodes[search.root].edges
    while edge != NOTHING:
        tree.edges[edge].rank = ranks[tree.edges[edge].action]
        edge = tree.edges[edge].next
    forget_slots(tree, search.root, slots)
