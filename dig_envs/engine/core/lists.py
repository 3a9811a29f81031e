"""Lists in a state: a fixed-size integer array with its length beside it.

Nothing here writes outside an array, whatever it is given: compiled code checks no bounds. The
rules, and the invariants of snapshots, ensure that no list of a game outgrows its array; a list
that is full stays as it is. As plain Python and with ``NUMBA_BOUNDSCHECK=1``, where mistakes are
looked for, an entry too many, or one drawn from nothing, is an IndexError.
"""

from dig_envs.engine.compiler.jit import CHECKS_BOUNDS, JIT_DISABLED, compiled
from dig_envs.engine.core.random import below

STRICT = JIT_DISABLED or CHECKS_BOUNDS


@compiled
def complain(items):
    """Raise IndexError, where mistakes are looked for."""
    if STRICT:
        items[len(items)] = 0


@compiled
def append(items, length, value):
    """Put ``value`` at the end, if there is room; returns the new length."""
    if length < 0 or length >= len(items):
        complain(items)
        return length
    items[length] = value
    return length + 1


@compiled
def append_counted(items, length, counts):
    """Put each index at the end as often as it is counted, ascending; returns the new length."""
    for value in range(len(counts)):
        for _ in range(counts[value]):
            length = append(items, length, value)
    return length


@compiled
def draw_counted(state, counts):
    """Take one of the things that are counted, all equally likely; returns its index, -1 if there
    is none."""
    total = 0
    for value in range(len(counts)):
        total += counts[value]
    if total == 0:
        complain(counts)
        return -1
    left = below(state, total)
    for value in range(len(counts)):
        left -= counts[value]
        if left < 0:
            counts[value] -= 1
            return value
    return -1


@compiled
def insert_sorted(items, length, value):
    """Put ``value`` into its place in an ascending list, if there is room; returns the new
    length."""
    if length < 0 or length >= len(items):
        complain(items)
        return length
    at = length
    while at > 0 and items[at - 1] > value:
        items[at] = items[at - 1]
        at -= 1
    items[at] = value
    return length + 1


@compiled
def remove_at(items, length, index):
    """Take out the entry at ``index``, keeping the order of the others; returns the new length."""
    if index < 0 or index >= length or length > len(items):
        return length
    for i in range(index, length - 1):
        items[i] = items[i + 1]
    items[length - 1] = 0
    return length - 1


@compiled
def remove_value(items, length, value):
    """Take out the first entry of that value, if there is one, keeping the order of the others;
    returns the new length."""
    for i in range(min(length, len(items))):
        if items[i] == value:
            return remove_at(items, length, i)
    return length


@compiled
def contains(items, length, value):
    """Whether ``value`` is among the first ``length`` entries."""
    for i in range(min(length, len(items))):
        if items[i] == value:
            return True
    return False


@compiled
def clear(items, length):
    """Take out all entries, which leaves zeros; returns the new length, 0."""
    for i in range(min(length, len(items))):
        items[i] = 0
    return 0
