"""The worked examples of the rules of Diggity."""

from pathlib import Path

import pytest

from dig_envs.registry import load_game
from tests.worked_examples import load_examples, run_example

EXAMPLES = load_examples(Path(__file__).with_name("examples.json"))


@pytest.mark.parametrize(("base", "example"), EXAMPLES, ids=[example["name"] for _, example in EXAMPLES])
def test_worked_example(base, example):
    run_example(load_game("diggity"), base, example)
