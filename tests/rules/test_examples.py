"""The worked examples of the rules of every game: `-k go_dig` runs those of one."""

import pytest

from dig_envs.registry import load_game
from tests.games import SHIPPED
from tests.worked_examples import load_examples, run_example

EXAMPLES = [
    pytest.param(load_game(name), base, example, id=f"{load_game(name).name}: {example['name']}")
    for name in [*SHIPPED, "bone_bids_v0"]
    for base, example in load_examples(load_game(name))
]


@pytest.mark.parametrize(("game", "base", "example"), EXAMPLES)
def test_worked_example(game, base, example):
    run_example(game, base, example)
