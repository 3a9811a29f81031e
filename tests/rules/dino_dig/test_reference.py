"""The compiled game and the plain one (reference.py), step by step."""

from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.dino_dig import reference
from tests.rules.dino_dig.positions import (
    OPTIONS,
    base,
    busy_step,
    card,
    deal,
    lying,
    mixed_step,
    random_step,
)

GAMES = 1
PLAYERS = {
    "random": random_step,
    "busy": busy_step,
    "mixed": lambda position, chance: mixed_step(position, chance, 0.8),
}


def undealt(snapshot):
    """The deck from which a position was dealt, its top last."""
    on_site = [card["card"] for text in sorted(snapshot["site"]) for card in snapshot["site"][text]]
    return snapshot["supply"] + on_site[::-1]


def follow(position, slow, player, chance):
    """Legal actions and whole snapshots to the end of the game."""
    assert position.plain == slow
    while position.mover >= 0:
        assert sorted(position.legal) == sorted(reference.legal(slow))
        text = player(position, chance)
        slow = reference.play(slow, text)
        assert position.plain == slow, text
        if slow["turn"] % 8 == 0 or position.mover < 0:
            position.check_snapshot()
    assert reference.legal(slow) == []


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("player", PLAYERS)
def test_the_same_games(options, player):
    """DD-1 to DD-31: the deal, legal actions and whole snapshots, in games of three kinds of
    players."""
    for seed in range(GAMES):
        limit = 12 if player == "random" or JIT_DISABLED else 40
        position = deal(seed, max_turns=limit, **options)
        slow = reference.deal(undealt(position.snapshot), position["options"])
        follow(position, slow, PLAYERS[player], np.random.default_rng(seed))


FULL = {
    "backpacks.0": [card("9H", 0), card("5H", 0), card("8H", 0)],
    "backpacks.1.0": card("4H", 1),
}
POSITIONS = [
    ("field", {**FULL, "site.1,2": [], "site.1,4": []}),  # DD-17: each handler can swap once
    # DD-10: the base square is blocked
    ("field", {"pieces.0": ["1,3", "1,2", "home"], "pieces.1": ["1,3", "1,3", "2,2"]}),
    # DD-2: on the other's base square
    ("field", {"pieces.0": ["1,1", "4,5", "2,3"], "pieces.1": ["1,3", "2,2", "3,3"]}),
    ("field", {"pieces.0": ["1,3", "2,3", "3,3"], "pieces.1": ["home"] * 3}),  # DD-18: a line
    ("field", {"pieces.0.1": "3,3", "pieces.1": ["home"] * 3}),  # DD-20: cards are covered
    ("field", {"museums.0": [], "site.1,3": [lying("6H"), lying("7H", 0)]}),
    ("final", {}),
    ("final", {"pieces.0": ["1,3", "1,3", "home"]}),  # DD-21: a piece outside
    # DD-21: the cards of the others
    ("final", {"pieces.1": ["4,3", "home", "home"], "turn": 42, "player": 1, "to_move": 1}),
    (
        "final",
        {
            "museums.0": [card(code, 0) for code in ("9H", "JH", "8S", "TH")],
            "backpacks.0.0": card("X1", 0),
        },
    ),
    # DD-31: what goes over at the limit, too
    ("final", {"backpacks.1.0.card": "QH", "site.2,1.0.card": "KH"}),
]


@pytest.mark.parametrize(("name", "changes"), POSITIONS)
def test_the_same_from_other_positions(name, changes):
    """A few turns on from there, in several ways."""
    for seed in range(6 * GAMES):
        position = base(name, changes)
        last = position["turn"] + seed % 4
        position = base(name, {**changes, "options.max_turns": last})
        follow(position, position.plain, [*PLAYERS.values()][seed % 3], np.random.default_rng(seed))


@pytest.mark.parametrize("third", ["2,2", "3,3"])
def test_the_same_where_opponents_meet(third):
    """DD-10: pieces of different opponents count together."""
    position = deal(2, num_players=3, max_turns=4)
    while position["phase"] != "act":
        position.play(position.scripted)
    pieces = [[place, "home", "home"] for place in ("2,1", "2,2", third)]
    position = type(position)({**position.snapshot, "pieces": pieces})
    follow(position, position.plain, random_step, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("corner", "order"),
    [
        ("1,1", lambda row, column: (-row, -column)),
        ("7,7", lambda row, column: (row, column)),
        ("1,7", lambda row, column: (column, -row)),
        ("7,1", lambda row, column: (-column, row)),
    ],
)
def test_the_same_where_the_site_grows_to_a_corner(corner, order):
    """DD-4, DD-5: along an edge; east and west do not wrap."""

    def step(position, chance):
        if position["phase"] not in ("lay", "base"):
            return random_step(position, chance)
        text = max(position.legal, key=lambda text: order(*reference.square(text.split()[1])))
        position.play(text)
        return text

    position = deal(1, num_players=4, new_horizons=True, max_turns=5)
    follow(
        position,
        reference.deal(undealt(position.snapshot), position["options"]),
        step,
        np.random.default_rng(0),
    )
    assert corner in position["site"]


def test_dd_1_the_deal_is_shuffled_evenly():
    """The card on top of 1,1 over many deals: each of 54 about as often as the others."""
    games = 540
    tops = Counter(deal(seed)["site"]["1,1"][1]["card"] for seed in range(games))
    assert len(tops) == 54
    chi_squared = sum((tops[code] - games / 54) ** 2 / (games / 54) for code in reference.DECK)
    assert chi_squared < 90, "the 99.9 % point for 53 degrees of freedom"
