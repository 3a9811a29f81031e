"""The worked examples of the rules of every game, and the positions that they begin with:
`-k go_dig` runs those of one."""

import pytest

from dig_envs.engine.snapshots.snapshot import ORIGIN
from dig_envs.registry import load_game
from tests.games import NEWEST
from tests.worked_examples import load_bases, load_examples, run_example

GAMES = [load_game(name) for name in [*NEWEST, "bone_bids_v0"]]
BASES = [
    pytest.param(game, base, id=f"{game.env_name}: {name}")
    for game in GAMES
    for name, base in load_bases(game).items()
]
EXAMPLES = [
    pytest.param(game, base, example, id=f"{game.env_name}: {example['name']}")
    for game in GAMES
    for base, example in load_examples(game)
]


@pytest.mark.parametrize(("game", "base", "example"), EXAMPLES)
def test_worked_example(game, base, example):
    run_example(game, base, example)


@pytest.mark.parametrize(("game", "base"), BASES)
def test_a_base_comes_back_as_it_was(game, base):
    """Apart from `rng`, who wrote it, and options that came later, and with its keys in the order
    of the rules."""
    snapshot = game.to_snapshot(game.from_snapshot(base)[0])
    assert snapshot["rng"].isdigit()
    snapshot, base = (
        {key: value for key, value in one.items() if key not in ("rng", *ORIGIN)}
        for one in (snapshot, base)
    )
    assert snapshot == game.with_defaults(base)
    assert list(snapshot) == list(base)
    assert [name for name in snapshot["options"] if name in base["options"]] == list(
        base["options"]
    )
