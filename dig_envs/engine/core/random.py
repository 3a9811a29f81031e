"""Random draws from the generator in the state: SplitMix64 (Steele, Lea, Flood 2014), the same on
every platform."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW_32 = np.uint64(0xFFFFFFFF)
BLOCK = np.uint64(8)  # bytes of a word
ONES = np.uint64(0x0101010101010101)
_30, _27, _31, _32, _56 = (np.uint64(bits) for bits in (30, 27, 31, 32, 56))


@compiled
def mix(z):
    """SplitMix64's output for a word. It is a bijection of the 64-bit words; every input bit sways
    every output bit."""
    z = (z ^ (z >> _30)) * MIX_1
    z = (z ^ (z >> _27)) * MIX_2
    return z ^ (z >> _31)


@compiled
def seed_generator(state, seed):
    """Start the state's generator from a seed (uint64); neighbouring seeds give unrelated games."""
    state.seed = seed
    state.rng = mix(seed ^ GAMMA)


@compiled
def next_seed(seed):
    """The seed of the next episode after the one dealt from ``seed``, whatever was played."""
    return mix(seed + GAMMA)


@compiled
def below(state, n):
    """A uniform integer from 0 to n - 1, 1 <= n < 2**31, by Lemire's method with rejection of the
    biased tail (Lemire 2019)."""
    bound = np.uint64(n)
    while True:
        state.rng = state.rng + GAMMA
        product = (mix(state.rng) >> _32) * bound
        low = product & LOW_32
        if low >= bound or low >= (LOW_32 + np.uint64(1) - bound) % bound:
            return np.int64(product >> _32)


@compiled
def shuffle(state, items, length):
    """Shuffle ``items[:length]`` in place, every order equally likely (Fisher and Yates)."""
    for i in range(length - 1, 0, -1):
        j = below(state, i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


@compiled
def ones_in_block(mask, first):
    """How many of the ``BLOCK`` entries from ``first`` on are 1. They are the bytes of a word whose
    sum is the highest byte of a product.
    """
    word = np.uint64(0)
    for k in range(BLOCK):
        word |= np.uint64(np.uint8(mask[first + np.uint64(k)])) << (BLOCK * np.uint64(k))
    return np.int64((word * ONES) >> _56)


@compiled
def random_legal(mask, generator):
    """The index of a 1 in the mask, all equally likely; -1 if there is none.

    It draws which of the ones to take, and passes over as many. A loop that ends at a random entry
    is slow, since the processor cannot predict its end: so whole blocks of the mask are passed
    over, and in the last block all entries are looked at. Indices are unsigned because Numba tests
    signed ones for counting from the end.

    Args:
        mask: of integers of 8 bits, 0 or 1.
        generator: a record with the field ``rng``.
    """
    size = np.uint64(mask.shape[0])
    ones = 0
    first = np.uint64(0)  # of the block
    while first + BLOCK <= size:
        ones += ones_in_block(mask, first)
        first += BLOCK
    while first < size:
        ones += mask[first]
        first += np.uint64(1)
    skipped = below(generator, ones)  # ones that stand before the one to take
    first = np.uint64(0)
    while first + BLOCK < size:
        inside = ones_in_block(mask, first)
        if skipped < inside:
            break
        skipped -= inside
        first += BLOCK
    action = np.int64(first)
    for k in range(min(size - first, BLOCK)):  # goes on by one until `skipped` becomes negative
        skipped -= mask[first + np.uint64(k)]
        action += skipped >= 0
    return action if action < mask.shape[0] else -1
