"""The mine, DG-5 to DG-12: geometry on a plane, by hand and against a graph library on random mines."""

import functools
import itertools

import networkx
import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.diggity.positions import GAME, arrange, base, deal, whole_game
from tests.rules.diggity.reference import Laid, open_passages, places

SEEDS = 2 if JIT_DISABLED else 12
SIDES = "NESW"
STATES = ["none", "connected", "open", "blocked"]


@functools.cache
def mines():
    """Positions with a mine, of random games of all numbers of players; in some the mine is only seldom finished by gold."""
    found = []
    for seed in range(SEEDS):
        for position in whole_game(seed, 29 if JIT_DISABLED else 5, num_players=2 + seed % 3):
            if position["mine"] and position["phase"] in ("play", "place"):
                found.append(position.copy())
    for seed in range(1 if JIT_DISABLED else 4):
        found += large_mines(seed)
    return found


@functools.cache
def large_mines(seed):
    """Of a game in which nobody makes a miner who need not: mines of up to 50 cards."""
    found, position, chance = [], deal(seed), np.random.default_rng(seed)
    for step in range(130):
        texts = sorted(position.legal)
        chance.shuffle(texts)
        position.play(next((text for text in texts if is_quiet(position, text)), texts[0]))
        if step % 12 == 11 and position["mine"] and position["phase"] in ("play", "place"):
            found.append(position.copy())
    return found


def is_quiet(position, text):
    """Whether an action does not find gold at once."""
    if text.startswith("take"):
        return text != "take miner"
    if not text.startswith("place"):
        return True
    after = position.copy().play(text)
    return after["phase"] != "auction" and bool(after["mine"])


def sides_of(position):
    """Per card of the mine the state of each side, as the compiled game keeps it."""
    state = position.states[0]
    return [[STATES[side] for side in state["sides"][i]] for i in range(int(state["mine_len"]))]


# ---------------------------------------------------------------- single rules


def attached(position, card, text):
    """A card of seat 0's hand is laid."""
    return position.play(f"card {position['hands.0'].index(card)}", text)


def test_half_extents():
    """DG-5: upright cards are 10 by 14, lying ones 14 by 10."""
    upright = attached(arrange([["L-NS"], []], mine=[("S-NESW", 0, 0, 0)]), "L-NS", "place 0 S")
    assert upright["mine.1"] == {"card": "L-NS", "x": 0, "y": -14, "r": 0}
    lying = attached(arrange([["L-EW"], []], mine=[("S-NESW", 0, 0, 0)]), "L-EW", "place 0 E")
    assert lying["mine.1"] == {"card": "L-EW", "x": 0, "y": -12, "r": 1}


@pytest.mark.parametrize(
    ("passage", "number", "at"),
    [
        ("N", 0, (0, -14, 2)),
        ("S", 0, (0, -14, 0)),
        ("E", 0, (0, -12, 1)),
        ("W", 0, (0, -12, 3)),
        ("N", 1, (12, 0, 3)),
        ("E", 1, (10, 0, 2)),
        ("S", 1, (12, 0, 1)),
        ("W", 1, (10, 0, 0)),
        ("N", 2, (0, 14, 0)),
        ("E", 2, (0, 12, 3)),
        ("N", 3, (-12, 0, 1)),
        ("W", 3, (-10, 0, 2)),
    ],
)
def test_where_a_card_goes(passage, number, at):
    """DG-5, DG-6, DG-8, DG-12: each passage attached to each side of an upright card."""
    position = arrange([["S-NESW"], []], mine=[("S-NESW", 0, 0, 0)])
    position.play(f"card {position['hands.0'].index('S-NESW')}", f"place {number} {passage}")
    entry = position["mine.1"]
    assert (entry["x"], entry["y"], entry["r"]) == at


def test_passages_of_a_turned_card():
    """DG-6: passage X of a card turned by r points to the side (X + r) mod 4."""
    for r, side in enumerate(SIDES):
        assert list(Laid("C-N", 0, 0, r).exits()) == [side]
    position = arrange([["L-NE"], []], mine=[("S-N", 0, 0, 0)])
    position.play(f"card {position['hands.0'].index('L-NE')}", "place 0 E")  # E to the south: r = 1, so that N points to the east
    assert sides_of(position)[1] == ["none", "open", "connected", "none"]


RING = [("L-NE", 0, 0, 0), ("S-NW", 0, -14, 2), ("T-NE", 10, -14, 2)]  # a place is left at (10, 0)


def test_touching_is_not_connected():
    """DG-7: the circle lies beside the line, whose passage runs into its edge."""
    position = arrange([[], []], mine=[*RING, ("C-NES", 10, 0, 0)])
    assert sides_of(position)[0] == ["connected", "blocked", "none", "none"]
    assert sides_of(position)[3] == ["connected", "open", "open", "none"]
    assert position.states[0]["near"][3] == 1 << 1  # the triangle alone


def test_a_passage_into_an_edge():
    """DG-9: a card may be laid one of whose passages runs into an edge; and it may block passages."""
    mine = [("L-N", 0, 0, 0), *RING[1:]]
    position = attached(arrange([["S-NESW"], []], mine=mine), "S-NESW", "place 0 N")
    assert sides_of(position)[3] == ["connected", "open", "open", "blocked"]
    position = attached(arrange([["S-NES"], []], mine=RING), "S-NES", "place 1 N")
    assert sides_of(position)[0][1] == "blocked"


def test_two_connections_at_once():
    """DG-7: one card may be connected to several others."""
    position = arrange([[], []], mine=[*RING, ("S-NESW", 10, 0, 0)])
    assert sides_of(position)[3] == ["connected", "open", "open", "connected"]
    assert sides_of(position)[0][1] == sides_of(position)[2][2] == "connected"


def test_overlaps():
    """DG-8: a place is not offered where the card would overlap another."""
    position = base("ring").play("card 3")
    assert all(not laid.overlaps(other) for laid in places(position.mine, "S-N").values() for other in position.mine)
    assert position.legal == set(places(position.mine, "S-N"))


def test_the_first_card():
    """DG-10: upright at (0, 0), and the turn is over; it makes nothing."""
    position = deal(0).play("card 4")
    (entry,) = position["mine"]
    assert (entry["x"], entry["y"], entry["r"]) == (0, 0, 0)
    assert (position["turn"], position["player"], position["tools"]) == (2, 1, [[], []])


def test_without_a_mine_any_card():  # DG-11
    assert deal(0, num_players=3).legal == {f"card {h}" for h in range(4)}


def test_a_pass_only_without_a_legal_play():
    """DG-11: who has a card that can be laid must lay one."""
    for position in mines():
        if position["phase"] == "play":
            playable = [h for h, card in enumerate(position["hands"][position.mover]) if places(position.mine, card)]
            assert position.legal == ({f"card {h}" for h in playable} or {"pass"})


def test_equal_cards_are_two_actions():
    """DG-11: a place in the hand is an action."""
    position = arrange([["C-NES", "C-NES", "C-NES"], []])
    assert {"card 0", "card 1", "card 2"} <= position.legal


def test_different_actions_may_have_the_same_result():
    """DG-12: a card that closes a ring is attached by either passage."""
    one, other = base("ring").play("card 0", "place 0 W"), base("ring").play("card 0", "place 1 N")
    assert one["mine"] == other["mine"]


def test_numbers_of_open_passages():
    """DG-12: oldest card first, on a card N, E, S, W of the table; blocked ones are not counted."""
    position = arrange([["T-NES"], []], mine=[("S-NESW", 0, 0, 0), ("S-ESW", 0, -14, 0), ("L-NESW", 10, -14, 0)])
    state = position.states[0]
    numbers = [(int(state["open_card"][e]), SIDES[state["open_side"][e]]) for e in range(int(state["open_len"]))]
    assert numbers == sorted(numbers, key=lambda number: (number[0], SIDES.index(number[1])))
    assert numbers == open_passages(position.mine)


# ---------------------------------------------------------------- random mines


def graph_of(mine):
    """Cards as nodes, with an edge where passages meet."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(mine)))
    graph.add_edges_from((i, j) for i, j in itertools.combinations(range(len(mine)), 2) if mine[i].is_connected(mine[j]))
    return graph


def test_the_largest_number_of_open_passages():
    """With this table 42, fewer than there is room for."""
    cards = {"NESW": 8, "NES": 12, "ESW": 12}
    assert 2 + sum((len(shape) - 2) * count for shape, count in cards.items()) == 42
    assert len(GAME.state["open_x"].shape) == 1
    assert GAME.state["open_x"].shape[0] == 48
