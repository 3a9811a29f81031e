"""Questions about a position of Cretaceous Creek, which rules, observation and scripted player
ask."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.turns import NOBODY
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import state as s

NO_WAY = 20  # more steps than there are between any two spaces


@compiled
def capacity(state):
    """The number of fossils that a paleontologist can store (CC-8, CC-31)."""
    return box.SOLO_STORAGE if state.num_players == 1 else box.STORAGE


@compiled
def is_carrier(state, seat):
    """Whether the seat stores a fossil (CC-8)."""
    return state.stored[seat] > 0


@compiled
def top_fossil(state, space):
    return state.grid[space, state.height[space] - 1]


@compiled
def in_reach(state, seat, other):
    """CC-8: whether another paleontologist is on the seat's own space or an adjacent one."""
    if state.pos[seat] < 0 or state.pos[other] < 0:
        return False
    for d in range(5):
        if box.REACH[state.pos[seat], d] == state.pos[other]:
            return True
    return False


@compiled
def may_evacuate(state, seat):
    """Whether the seat may leave for good: the option allows it, and it stands on a camp
    (CC-18)."""
    return state.evacuation == s.EVACUATION_ANY and box.IS_CAMP[state.pos[seat]]


@compiled
def first_escape(state, seat):
    """CC-25: 0 if an adjacent space is dry, 4 if only a diagonal one is, 8 if none is."""
    for first in range(0, 8, 4):
        for d in range(first, first + 4):
            target = box.NEIGHBOUR[state.pos[seat], d]
            if target >= 0 and not state.flooded[target]:
                return first
    return 8


@compiled
def steps_to_camp(state, space, dry):
    """Steps from a space to the nearest camp (with ``dry``: that is not flooded), NO_WAY if there
    is none."""
    best = NO_WAY
    for c in range(4):
        if not (dry and state.flooded[box.CAMPS[c]]):
            best = min(best, int(box.DISTANCE[space, box.CAMPS[c]]))
    return best


@compiled
def holder_of_edm(state):
    """The seat that stores EDM, -1 if none does."""
    for p in range(state.num_players):
        if state.storage[p, box.EDM] > 0:
            return p
    return NOBODY


@compiled
def is_needed(state, t):
    """Whether the type belongs to a missing skeleton."""
    return t != box.EDM and not state.museum[box.GENUS_OF[t]]


@compiled
def is_stored(state, t):
    for p in range(state.num_players):
        if state.storage[p, t] > 0:
            return True
    return False


@compiled
def is_face_down(state, space, layer):
    """Whether the fossil in that layer (0 is the bottom) lies face down."""
    return layer < state.height[space] - 1 or state.top[space] == s.BURIED


@compiled
def is_hopeless(state):
    """Whether the action points until the end of the storm are too few for a victory,
    wherever everybody stands: 3 for each part that nobody stores, and 2 for each further
    paleontologist who stores parts of one skeleton."""
    needed = 0
    for genus in range(box.NUM_GENERA):
        if not state.museum[genus]:
            holders = 0
            for p in range(state.num_players):
                for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
                    if state.storage[p, t] > 0:
                        holders += 1
                        break
            needed += 2 * max(0, holders - 1)
            for t in range(box.FIRST_TYPE[genus], box.FIRST_TYPE[genus + 1]):
                needed += 0 if is_stored(state, t) else 3
    return needed > int(state.ap) + box.ACTION_POINTS * (most_turns(state) - 1)


@compiled
def most_turns(state):
    """How many turns there may be, with the one in progress (CC-30)."""
    turns = int(state.num_stacks) + 8 * (box.LAST_STORM - int(state.storm))
    if state.period == 1:
        turns += 2 * int(state.deck_len // state.storm)
    return turns
