"""Invariants after the steps of whole games, random and careful ones, for all numbers of players and the options."""

from collections import Counter

import pytest

from dig_envs.engine.jit import JIT_DISABLED
from tests.rules.diggity import reference
from tests.rules.diggity.positions import GAME, cards_of, whole_game

EVERY = 25 if JIT_DISABLED else 3
OPTIONS = [
    {},
    {"gold_cards": 1},
    {"gold_cards": 8, "high_gold": False},
    {"hidden_tools": True},
    {"max_turns": 40},
    {"max_turns": 10_000},
]


def check_position(position):
    """The invariants of the section "Snapshot", and that validation accepts what the rules reach."""
    snapshot, n = position.snapshot, len(position["scores"])
    options = snapshot["options"]
    assert Counter(cards_of(snapshot)) == Counter(reference.BOX)
    assert snapshot["pile"]
    gold = [*snapshot["gold"], *snapshot["gold_aside"], *(value for won in snapshot["nuggets"] for value in won)]
    gold += [snapshot["auction"]["value"]] if snapshot["auction"] else []
    assert sorted(gold) == [value for value in reference.GOLD if options["high_gold"] or value < 5]
    assert snapshot["scores"] == [sum(won) for won in snapshot["nuggets"]]
    for kind in reference.TOOLS:
        assert snapshot["piles"][kind] + sum(held.count(kind) for held in snapshot["tools"]) == n
    over = not snapshot["gold"] and snapshot["auction"] is None
    assert (snapshot["phase"] == "over") == (over or snapshot["truncated"])
    assert 0 <= snapshot["passes"] < n
    assert snapshot["turn"] <= options["max_turns"]
    if position.mover >= 0:
        assert position.legal
        assert position.mover == snapshot["player"] or snapshot["phase"] == "auction"
    else:
        assert snapshot["winners"] == [p for p, score in enumerate(snapshot["scores"]) if score == max(snapshot["scores"])]
    assert GAME.to_snapshot(GAME.from_snapshot(snapshot)[0]) == snapshot


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_invariants_in_whole_games(players, options):
    for careful in (0.0,) if JIT_DISABLED else (0.0, 0.9):
        for position in whole_game(players, EVERY, careful, num_players=players, **options):
            check_position(position)


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python this is too slow")
def test_games_end_long_before_the_limit():
    """DG-31: with the default no random game is truncated."""
    for seed in range(60):
        *_, last = whole_game(seed, 10_000, num_players=2 + seed % 3)
        assert not last["truncated"]
        assert last["turn"] < 350
