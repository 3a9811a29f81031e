"""Random draws: SplitMix64 as published, bounded draws and shuffles without bias."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from dig_envs.batch.common import GENERATOR
from dig_envs.engine.compiler.jit import JIT_DISABLED, kernel
from dig_envs.engine.core.random import GAMMA, below, random_legal, seed_generator, shuffle
from dig_envs.engine.core.seeds import following_seed
from dig_envs.engine.core.state import new_records

WORD = 2**64
FEWER = 20 if JIT_DISABLED else 1
SEEDED = np.dtype([("seed", np.uint64), ("rng", np.uint64)])

# What the reference implementation (Vigna's splitmix64.c) gives from these seeds.
REFERENCE = {
    0: (
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
        0xF88BB8A8724C81EC,
        0x1B39896A51A8749B,
    ),
    1234567: (
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ),
}


@kernel("test_random")
def draw(generators, n, out):
    for i in range(len(out)):
        out[i] = below(generators[0], n)


@kernel("test_random")
def choose_legal(generators, masks, out):
    for i in range(len(out)):
        out[i] = random_legal(masks[i], generators[i])


@kernel("test_random")
def shuffle_often(generators, items, length):
    for i in range(len(items)):
        shuffle(generators[0], items[i], length)


@kernel("test_random")
def seed_all(generators, seeds):
    for i in range(len(seeds)):
        seed_generator(generators[i], seeds[i])


def reference_mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def reference_below(rng, n):
    """Lemire's bounded draw with exact integers: (new state of the generator, value)."""
    while True:
        rng = (rng + int(GAMMA)) % WORD
        product = (reference_mix(rng) >> 32) * n
        if product % 2**32 >= 2**32 % n:
            return rng, product >> 32


def generator(rng):
    records = new_records(1, GENERATOR)
    records["rng"] = rng
    return records


def draws(rng, n, count):
    out = np.zeros(count // FEWER, np.int64)
    draw(generator(rng), n, out)
    return out


def chi_square(counts, cells):
    """Distance of the counts from equal frequencies, in standard deviations of the chi-square
    statistic."""
    expected = sum(counts.values()) / cells
    statistic = (
        sum((counts[cell] - expected) ** 2 for cell in counts) / expected
        + (cells - len(counts)) * expected
    )
    return (statistic - (cells - 1)) / (2 * (cells - 1)) ** 0.5


@pytest.mark.parametrize("seed", REFERENCE)
def test_outputs_are_splitmix64(seed):
    outputs = [reference_mix((seed + (k + 1) * int(GAMMA)) % WORD) for k in range(5)]
    assert tuple(outputs) == REFERENCE[seed]
    assert following_seed(seed) == outputs[0]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 19, 52, 1000, 2**30 + 1, 2**31 - 1])
def test_bounded_draws_equal_exact_arithmetic(n):
    """2**30 + 1 rejects a quarter of the words, so the rejection is tested, too."""
    rng = 987654321
    for value in draws(rng, n, 4000):
        rng, expected = reference_below(rng, n)
        assert value == expected
        assert 0 <= value < n


@pytest.mark.parametrize(("n", "cells"), [(2, 2), (7, 7), (64, 64), (3 * 2**29, 3)])
def test_bounded_draws_are_uniform(n, cells):
    """For n = 3 * 2**29, plain multiplication without rejection would favour every third value by
    half."""
    counts = Counter((draws(n, n, 60_000) % cells).tolist())
    assert set(counts) == set(range(cells))
    assert abs(chi_square(counts, cells)) < 4


def test_every_order_of_a_shuffle_is_equally_likely():
    rows = 24_000 // FEWER
    items = np.tile(np.arange(5, dtype=np.int8), (rows, 1))
    shuffle_often(generator(42), items, 4)
    assert (items[:, 4] == 4).all(), "what lies beyond the length stays"
    counts = Counter(map(tuple, items[:, :4].tolist()))
    assert set(counts) == set(permutations(range(4)))
    assert abs(chi_square(counts, 24)) < 4


@pytest.mark.parametrize("length", [0, 1])
def test_short_shuffles_leave_the_generator_alone(length):
    records, items = generator(7), np.array([[3, 1, 2]], np.int8)
    shuffle_often(records, items, length)
    assert (items.tolist(), records["rng"][0]) == ([[3, 1, 2]], 7)


def test_neighbouring_seeds_give_unrelated_generators():
    seeds = np.arange(1000, dtype=np.uint64)
    records = new_records(len(seeds), SEEDED)
    seed_all(records, seeds)
    assert (records["seed"] == seeds).all()
    states = [int(word) for word in records["rng"]]
    flipped = [(a ^ b).bit_count() for a, b in zip(states, states[1:], strict=False)]
    assert 30 < sum(flipped) / len(flipped) < 34, "half of the 64 bits change"


def test_following_seeds():
    """The chain of episodes' seeds is a bijection of the words, so that different chains never meet
    by chance."""
    for seed in (0, 1, 2**63, WORD - 1):
        assert following_seed(seed) == reference_mix((seed + int(GAMMA)) % WORD)
    chain = [5]
    for _ in range(1000):
        chain.append(following_seed(chain[-1]))
    assert len(set(chain)) == len(chain)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 81, 251])
def test_a_legal_action_is_the_drawn_one_of_the_ones(size):
    count = 300 // FEWER
    rng = np.random.default_rng(size)
    masks = (rng.random((count, size)) < rng.random((count, 1))).astype(np.int8)
    masks[0] = 1
    generators, found = new_records(count, GENERATOR), np.zeros(count, np.int64)
    generators["rng"] = rng.integers(0, WORD - 1, count, np.uint64)
    drawn = generators.copy()
    choose_legal(generators, masks, found)
    for i, mask in enumerate(masks):
        legal, place = np.flatnonzero(mask), np.zeros(1, np.int64)
        if len(legal):
            draw(drawn[i : i + 1], len(legal), place)
        assert found[i] == (legal[place[0]] if len(legal) else -1)
        assert not len(legal) or generators["rng"][i] == drawn["rng"][i]
