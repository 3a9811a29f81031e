"""The compiled game and the plain one (reference.py), step by step."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.diggity import reference
from tests.rules.diggity.positions import GAME, Position, deal, random_step

GAMES = 1 if JIT_DISABLED else 2
OPTIONS = {
    "standard": {},
    "hidden": {"hidden_tools": True},
    "short": {"gold_cards": 8, "high_gold": False},
    "shortest": {"gold_cards": 1},
    "limit": {"max_turns": 25, "hidden_tools": True},
}


def without_generator(position: Position) -> dict:
    return {key: value for key, value in position.snapshot.items() if key != "rng"}


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_same_games(players, options):
    """Legal actions and whole snapshots, in random games and in games of partly scripted players."""
    for seed in range(GAMES):
        position, chance = deal(seed, num_players=players, **options), np.random.default_rng(seed)
        careful = 0.0 if JIT_DISABLED else (0.0, 0.9)[seed % 2]
        slow = without_generator(position)
        assert slow == reference.deal(slow["gold"] + slow["gold_aside"], all_cards(slow), slow["options"])
        while position.mover >= 0:
            assert position.legal == set(reference.legal(slow))
            if chance.random() < careful:
                (text,) = position.play_scripted(1)
            else:
                text = random_step(position, chance)
            fast = without_generator(position)
            slow = reference.play(slow, text, fast["pile"])
            assert fast == slow, text
        assert reference.legal(slow) == []


def all_cards(dealt: dict) -> list[str]:
    """The mine cards in an order that gives these hands: they are dealt from the end, seat 0's whole hand first."""
    return dealt["pile"] + [card for hand in reversed(dealt["hands"]) for card in hand]


def test_the_same_action_list():
    assert list(GAME.actions) == reference.ACTIONS
