"""Lists in a state: a fixed-size integer array with its length beside it."""

from dig_envs.engine.jit import compiled


@compiled
def append(items, length, value):
    """Put ``value`` at the end; returns the new length."""
    items[length] = value
    return length + 1


@compiled
def remove_at(items, length, index):
    """Take out the entry at ``index``, keeping the order of the others; returns the new length."""
    for i in range(index, length - 1):
        items[i] = items[i + 1]
    items[length - 1] = 0
    return length - 1


@compiled
def contains(items, length, value):
    """Whether ``value`` is among the first ``length`` entries."""
    for i in range(length):
        if items[i] == value:
            return True
    return False


@compiled
def clear(items, length):
    """Set the first ``length`` entries to zero."""
    for i in range(length):
        items[i] = 0
