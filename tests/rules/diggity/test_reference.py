"""The compiled game and the plain one (reference.py), step by step."""

from itertools import product

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.diggity import reference
from tests.rules.diggity.positions import (
    GAME,
    STUCK,
    Position,
    arrange,
    auction,
    base,
    changed,
    deal,
    quiet,
    theft,
)

GAMES = 1 if JIT_DISABLED else 2
OPTIONS = {
    "standard": {},
    "hidden": {"hidden_tools": True},
    "short": {"gold_cards": 8, "high_gold": False},
    "shortest": {"gold_cards": 1},
    "limit": {"max_turns": 25, "hidden_tools": True},
}


def follow(position: Position, choose) -> int:
    """Legal actions and whole snapshots to the end of the game; returns how often a pile was made
    of the mine alone (DG-28)."""
    slow, renewed = position.plain, 0
    while position.mover >= 0:
        assert position.legal == set(reference.legal(slow))
        text = choose(position)
        before = slow
        position.play(text)
        fast = position.plain
        slow = reference.play(slow, text, fast["pile"])
        assert fast == slow, text
        if slow["turn"] % 8 == 0 or position.mover < 0:
            position.check_snapshot()
        renewed += len(before["pile"]) == 1 < len(slow["pile"]) and before["discard"] == []
    assert reference.legal(slow) == []
    return renewed


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_same_games(players, options):
    """DG-1 to DG-33: legal actions and whole snapshots, in random games and in games of partly
    scripted players."""
    for seed in range(GAMES):
        position, chance = deal(seed, num_players=players, **options), np.random.default_rng(seed)
        careful = 0.0 if JIT_DISABLED else (0.0, 0.9)[seed % 2]
        slow = position.plain
        assert slow == reference.deal(
            slow["gold"] + slow["gold_aside"], all_cards(slow), slow["options"]
        )
        follow(
            position, lambda now, chance=chance, careful=careful: now.choose(chance, 1 - careful)
        )


ALL = ["shovel", "pulley", "cart", "shed"]
RING = [("L-NE", 0, 0, 0), ("S-NW", 0, -14, 2), ("T-NE", 10, -14, 2)]  # a place is left at (10, 0)
TWO_WAYS = [
    ("S-NESW", 0, 0, 0),
    ("S-NESW", 0, -14, 0),
    ("T-ESW", 0, -28, 0),
    ("L-ESW", 10, 0, 0),
    ("L-NESW", 10, -14, 0),
]
PULLEYS = ["pulley", "pulley"]
LAST_GOLD = {"gold": [2], "nuggets": [[4], [5], [3]], "scores": [4, 5, 3]}
POSITIONS = {
    "one of each kind (DG-20)": lambda: auction(["shovel", "shovel"], ["shovel", "pulley"], []),
    "up to the shed (DG-21)": lambda: auction(ALL, ALL),
    "another chance (DG-21)": lambda: auction(["shovel"], ["shovel", "pulley"], ["pulley"]),
    "the maker answers (DG-20)": lambda: auction(["pulley"], ["shovel"], value=6),
    "kept (DG-22)": lambda: auction(["shovel", "shed"], ["cart"]),
    "the winner begins (DG-23)": lambda: auction([], [], ["shovel"], []),
    "who has any tool is asked (DG-32)": lambda: auction(
        ["shovel", "cart"], [], ["shed"], ["shovel"], options__hidden_tools=True
    ),
    "theft (DG-18)": lambda: theft([[], ["pulley"], PULLEYS], options__hidden_tools=False),
    "a lone tool is stolen (DG-18)": lambda: theft(
        [["pulley"], ["pulley"]], options__hidden_tools=False
    ),
    "no tool to be had (DG-17)": lambda: theft([PULLEYS, []], options__hidden_tools=False),
    "hidden: theft opens (DG-33)": lambda: theft(
        [[], ["shovel", "pulley"], PULLEYS], revealed={"kind": "shed", "thief": 2}
    ),
    "hidden: nothing to be had (DG-33)": lambda: theft([PULLEYS, ["cart"]]),
    "all tools out but for the miner (DG-17)": lambda: arrange(
        [["C-NESW"], []], mine=TWO_WAYS, tools=[PULLEYS, []]
    ),
    "all tools out but one (DG-17)": lambda: arrange(
        [["C-NESW"], []], mine=TWO_WAYS, tools=[["pulley"], []]
    ),
    "a ring (DG-7, DG-9)": lambda: arrange([["C-NES", "S-NESW", "S-NES"], []], mine=RING),
    "touching is not connected (DG-7)": lambda: arrange(
        [["L-NS"], []], mine=[("T-NS", 0, 0, 0), ("S-ESW", 0, -14, 0), ("S-NESW", 10, -14, 0)]
    ),
    "in the middle (DG-14)": lambda: arrange(
        [["S-EW", "T-EW"], ["C-EW"]],
        mine=[
            ("L-NESW", 0, 0, 0),
            ("L-ESW", 10, 0, 0),
            ("L-NESW", 20, 0, 0),
            ("C-ESW", 0, -14, 0),
            ("C-ESW", 20, -14, 0),
        ],
    ),
    "closed (DG-24, DG-25)": lambda: arrange([["S-N", "T-N", "C-N"], []], mine=[("L-N", 0, 0, 0)]),
    "closed with gold (DG-25)": lambda: arrange(
        [["T-N"], []], mine=[("S-N", 0, 0, 0), ("S-NS", 0, -14, 0), ("C-NS", 0, -28, 0)]
    ),
    "stuck (DG-11, DG-24)": lambda: base("ring", STUCK),
    "all have passed (DG-24)": lambda: base("ring", {**STUCK, "passes": 1}),
    "a pass in the last turn (DG-31)": lambda: base("ring", {**STUCK, "options.max_turns": 4}),
    "the last gold (DG-29)": lambda: base("jill", LAST_GOLD),
    "the last gold in the last turn (DG-29, DG-31)": lambda: base(
        "jill", {**LAST_GOLD, "options.max_turns": 31}
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_the_same_from_other_positions(name):
    """DG-1 to DG-33: for a few turns from other positions, played in several ways, the game agrees
    with the reference."""
    for seed in range(3 * GAMES):
        position, chance = POSITIONS[name](), np.random.default_rng(seed)
        last = min(position["options.max_turns"], position["turn"] + 8)
        position = Position(
            {**position.snapshot, "options": {**position["options"], "max_turns": last}}
        )
        follow(
            position,
            lambda now, chance=chance, seed=seed: now.choose(
                chance, (1, 0.5)[seed % 2] if not JIT_DISABLED else 1
            ),
        )


def test_what_any_symbols_make():
    """DG-14 to DG-16: a card at each place of each column of three."""
    for symbols in [*product("CTSL", repeat=4)][:: 17 if JIT_DISABLED else 1]:
        *column, new = symbols
        shapes = [
            "NESW" if column[:i].count(symbol) < 2 else "NES" for i, symbol in enumerate(column)
        ]
        mine = [
            (f"{symbol}-{shape}", 0, -14 * i, 0)
            for i, (symbol, shape) in enumerate(zip(column, shapes, strict=True))
        ]
        position = arrange([[f"{new}-NS"], []], mine=mine)
        position.play(f"card {position['hands.0'].index(f'{new}-NS')}")
        slow = position.plain
        for text in position.legal:
            after = position.copy().play(text).plain
            assert after == reference.play(slow, text, after["pile"]), (symbols, text)


def test_with_nothing_discarded_the_mine_is_closed():
    """DG-28: all other cards are in the mine or in hands, where nobody finds gold who need not."""
    chance = np.random.default_rng(0)
    assert follow(deal(0, max_turns=80), lambda now: quiet(now, chance)) > 0


def test_the_new_pile_is_shuffled():
    """DG-28, chance 2: every game has another order."""
    orders = set()
    for rng in range(6):
        position = Position({**changed("jill", {}), "rng": str(rng)}).play("card 1", "place 0 N")
        orders.add(tuple(position["pile"]))
    assert len(orders) == 6


def all_cards(dealt: dict) -> list[str]:
    """The mine cards in an order that gives these hands: they are dealt from the end, all of seat
    0's hand first."""
    return dealt["pile"] + [card for hand in reversed(dealt["hands"]) for card in hand]


def test_the_box():
    """16 cards of each symbol."""
    assert [sum(card[0] == symbol for card in reference.BOX) for symbol in "CTSL"] == [16] * 4


def test_the_largest_number_of_open_passages():
    """The table of cards allows at most 42 open passages; a state has room for 48."""
    cards = {"NESW": 8, "NES": 12, "ESW": 12}
    assert 2 + sum((len(shape) - 2) * count for shape, count in cards.items()) == 42
    assert GAME.state["open_x"].shape == (48,)
