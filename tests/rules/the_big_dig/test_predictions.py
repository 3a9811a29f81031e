"""BD-5 to BD-7: what the companion app says, against a slow count over the fauna."""

import itertools
import random

import pytest

from dig_envs.games.the_big_dig import app
from dig_envs.games.the_big_dig.components import support_by_counts
from tests.rules.the_big_dig.reference import (
    SPACES,
    attribute,
    fauna,
    matches,
    predictions,
    support_of,
)

SINGLES = [(space,) for space in SPACES]
PAIRS = [
    pair for pair in itertools.combinations(SPACES, 2) if attribute(pair[0]) != attribute(pair[1])
]


def answer(inputs):
    """The app's predictions as pairs of space and support."""
    return sorted(
        (prediction.space, prediction.support) for prediction in app.predictions(list(inputs))
    )


def expected(inputs):
    return sorted(predictions(inputs).values())


@pytest.mark.parametrize(
    ("n", "k", "support"),
    [
        (0, 0, 0),
        (1, 1, 0),
        (3, 3, 0),
        (4, 4, 2),
        (5, 5, 13),
        (5, 4, 0),
        (10, 10, 44),
        (8, 4, 0),
        (42, 38, 56),
        (42, 4, 56),
    ]
    + [(40, 10, 20), (113, 38, 15), (120, 120, 94)],
)
def test_bd7_support(n, k, support):
    """BD-7: the table of the rules, for the count that everything here is compared with, and for
    the game's own."""
    assert support_of(n, k) == support_by_counts(n, k) == support


@pytest.mark.parametrize(
    ("inputs", "found"),
    [
        (
            ("2-3-A",),
            {
                "18-1-A": 56,
                "18-2-N": 56,
                "26-3-N": 62,
                "5-1-A": 13,
                "5-2-N": 44,
                "24-1-N": 0,
                "24-2-A": 0,
            },
        ),
        (("2-3-A", "3-3-A"), {"18-1-N": 0, "18-2-N": 0, "24-1-A": 6, "5-3-N": 35}),
        (("2-3-A", "18-1-A"), {"26-3-N": 73, "5-2-N": 58}),
        (("3-3-A",), {"18-1-N": 26, "5-1-N": 11}),
        (("6-2-N",), {"13-1-N": 15}),
        (("13-1-N",), {"23-2-A": 62}),
    ],
)
def test_bd6_the_rules_examples(inputs, found):
    """BD-6, BD-7: the worked predictions; exactly half of the species is a negation with support
    0."""
    assert found.items() <= dict(answer(inputs)).items()


def test_bd6_bd7_all_models_with_one_input():
    """BD-6, BD-7: sign and support of all 148 models with one input."""
    for inputs in SINGLES:
        assert answer(inputs) == expected(inputs)


def test_bd6_bd7_models_with_two_inputs():
    """BD-6, BD-7: 400 of the 10,528 models with two inputs, in either order, and among them some
    that no species matches."""
    assert len(PAIRS) == 10528
    chosen = random.Random(7).sample(PAIRS, 400)
    for one, other in chosen:
        assert answer((one, other)) == answer((other, one)) == expected((one, other))
    nothing = (
        pair
        for pair in PAIRS
        if not any(matches(s, pair[0]) and matches(s, pair[1]) for s in fauna())
    )
    for pair in itertools.islice(nothing, 5):
        assert {support for _, support in answer(pair)} == {0}
        assert {space[-1] for space, _ in answer(pair)} == {"N"}
        assert answer(pair) == expected(pair)
