"""Every kind of event happens in some player's games, counts are right, and the odds picture says what the rules say."""

from collections import Counter
from math import comb

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games.oak_island.data import BOX_FILE
from dig_envs.games.oak_island.scripts import events, odds
from tests.rules.oak_island.positions import base, next_cubes
from tests.rules.oak_island.test_rules import RICH


@pytest.mark.skipif(JIT_DISABLED, reason="hundreds of games")
def test_every_kind_of_event_happens():
    counts: Counter[str] = Counter()
    for chance in events.PLAYERS.values():
        counts.update(events.count(chance, 300, 5))
    assert all(counts.values()), [kind for kind, number in counts.items() if not number]
    assert counts["treasure (OI-17)"] + counts["round limit (OI-18)"] == 900


@pytest.mark.parametrize(
    ("changes", "text", "kinds"),
    [
        ({"clues.0": 1, **next_cubes("red")}, "dig swamp +1", {"dig at swamp", "extra", "Dazzler pulled", "comes from the interp"}),
        ({"laird": 1, **next_cubes("red")}, "dig swamp +0", {"dig at swamp", "Dazzler pulled", "comes from another"}),
        ({"laird": 0}, "dig bore_hole +0", {"dig at bore_hole", "Dazzler pulled", "keeps from digging"}),
        ({"laird": 0}, "visit", {"visit", "keeps from digging"}),
        ({**RICH, "laird": 0}, "trade 1 clues 2 cash", {"for clues", "for cash", "brought back", "keeps from digging"}),
        (RICH, "convert dazzler", {"with a clue token"}),
        ({**RICH, "ifso": [0, 3], "options.bag_blue": 11, "clues.0": 6}, "convert dazzler", {"at the limit"}),
        ({"money.0": 0}, "skip", {"skip"}),
        ({"clues.0": 6, **next_cubes("blue")}, "dig swamp +0", {"dig at swamp", "go back"}),
        (next_cubes("yellow"), "dig swamp +0", {"dig at swamp", "treasure"}),
    ],
)
def test_what_counts_as_what(changes, text, kinds):
    before = base("dig", changes)
    after = before.copy().play(text)
    action = np.array([before.game.action_index[text]])
    found = events.events_of(before.states, after.states, np.array([0]), action, before.mask(0)[None])
    happened = {kind for kind, value in found.items() if value[0]}
    assert len(happened) == len(kinds)
    assert all(any(word in kind for kind in happened) for word in kinds), happened


def test_the_odds_of_the_picture():
    """The odds of a dig agree with those counted for 97 cubes: 1 yellow one and, of the 96 others, 8 red, 16 blue and 12 green."""
    rows = {row.dig: row for row in odds.odds()}
    assert len(rows) == 11
    for name, cubes, price in (("lots +0", 1, 0), ("swamp +1", 2, 100), ("bore_hole +2", 4, 200), ("caisson +4", 8, 400)):
        row = rows[name]
        assert row.cubes == cubes
        assert row.treasure == pytest.approx(cubes / 97)
        assert row.dazzler == pytest.approx(1 - comb(88, cubes) / comb(96, cubes))
        assert row.if_so == pytest.approx(1 - comb(80, cubes) / comb(96, cubes))
        assert row.money == pytest.approx(100 * cubes * 12 / 96 - price)


def test_the_picture_is_small(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "odds.svg"
    odds.draw(file)
    text = file.read_text()
    assert text.startswith("<?xml")
    assert text.count(">caisson<") == 5
    assert len(text) < 80_000
    assert BOX_FILE.with_name("odds.svg").read_text().count(">caisson<") == 5
