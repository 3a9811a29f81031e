"""Lists of hidden things that are dealt anew, in an order in which only what is in them matters."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import append, insert_sorted
from dig_envs.engine.core.random import shuffle


@compiled
def reshuffle(state, items, length):
    """Shuffle the first entries, whatever order they were in: they are put into ascending order
    before."""
    for end in range(1, length):
        insert_sorted(items, end, items[end])
    shuffle(state, items, length)


@compiled
def reshuffle_together(state, first, first_len, second, second_len):
    """Shuffle the entries of two lists over both; the first has room for all."""
    count = first_len
    for i in range(second_len):
        count = append(first, count, second[i])
    reshuffle(state, first, count)
    for i in range(first_len, count):
        second[i - first_len] = first[i]
        first[i] = 0
