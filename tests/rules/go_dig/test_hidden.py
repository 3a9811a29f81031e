"""What a seat may know, exactly: views, determinize, and the ways in which hidden things could leak."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.games.fossil_deck import GENERA
from tests.rules.go_dig.positions import GAME, Position, arrange, base, changed, genus_of, parts, whole_game

SEEDS = 1 if JIT_DISABLED else 12
HIDDEN = {"pile", "hands"}


def some_positions():
    """Positions of random games, of all numbers of players; where they end by the turn limit, too."""
    for seed in range(SEEDS):
        limit = 12 if seed % 4 == 3 else 200
        yield from whole_game(seed, every=30 if JIT_DISABLED else 5, num_players=2 + seed % 3, max_turns=limit)


def is_possible(snapshot, seat):
    """Whether the hands of the others agree with all that is known of them (the rules' section "Determinize")."""
    for p, hand in enumerate(snapshot["hands"]):
        unknown = Counter(hand) - Counter(snapshot["known"][p])
        if Counter(snapshot["known"][p]) - Counter(hand) or any(set(parts(genus)) <= set(hand) for genus in GENERA):
            return False
        by_genus = Counter(genus_of(card) for card in unknown.elements())
        if any(by_genus[genus] == 0 for genus in snapshot["asked"][p]):
            return False
        if any(by_genus[genus] > most for genus, most in zip(GENERA, snapshot["maybe"][p], strict=True)):
            return False
    return True


# ---------------------------------------------------------------- the view


def test_view_of_every_seat():
    """The hands of the others and the pile are lengths; everything else is as it is."""
    for position in some_positions():
        snapshot = position.snapshot
        for seat in range(len(snapshot["scores"])):
            view = position.view(seat)
            assert view["pile"] == len(snapshot["pile"])
            for p, hand in enumerate(snapshot["hands"]):
                assert view["hands"][p] == (hand if p == seat else len(hand))
            assert set(view) == set(snapshot) - {"rng"}
            for key in set(view) - HIDDEN:
                assert view[key] == snapshot[key]


def test_a_hidden_card_changes_nothing_for_others():
    """Two positions that differ in a card of seat 1 and one of the pile look the same to seat 0, through a turn."""
    one, other = base("start"), base("start", {"hands.1.5": "DIL2", "pile.34": "DIL1"})
    other.states["rng"] = one.states["rng"]
    for text in ("ask +1 TRI", "ask +1 ALL", "ask +1 STE"):
        assert one.known_to(0) == other.known_to(0)
        one.play(text)
        other.play(text)
    assert one.known_to(0) == other.known_to(0)
    assert one.known_to(1) != other.known_to(1)


def test_an_unseen_card_is_seen_by_its_owner_only():
    """GD-8: whatever is drawn, the others see the same, unless it completes a skeleton."""
    seen = []
    for top in ("TYR1", "BRA1", "QUE3"):
        position = arrange([["ALL1"], ["BRA2"], ["MOS1"]], on_top=[top]).play("ask +1 ALL")
        assert position.view(0)["hands"][0].count(top) == 1
        seen.append((position.known_to(1), position.known_to(2)))
    assert seen[0] == seen[1] == seen[2]


def test_the_order_of_a_hand_tells_nothing():
    """The same cards gained in another order are the same state."""
    hands = [["ALL1", "QUE1"], ["ALL2", "QUE2", "BRA1"]]
    one = arrange(hands, rng="1").play("ask +1 ALL", "ask +1 QUE")
    other = arrange(hands, rng="1").play("ask +1 QUE", "ask +1 ALL")
    assert one.snapshot == other.snapshot
    other.states["seed"] = one.states["seed"]
    assert one.states.tobytes() == other.states.tobytes()


# ---------------------------------------------------------------- determinize


def test_redeals_are_possible_and_look_the_same():
    """Every deal satisfies what is known; view, observation and mask of the seat stay bit by bit, and the others' knowledge."""
    for position in some_positions():
        before = position.states.tobytes()
        for seat in range(int(position.states["num_players"][0])):
            for seed in range(2 if JIT_DISABLED else 4):
                twin = position.redeal(seat, seed)
                assert twin.known_to(seat) == position.known_to(seat)
                assert is_possible(twin.snapshot, seat)
                GAME.from_snapshot(twin.snapshot)
                for key in set(position.snapshot) - HIDDEN - {"rng"}:
                    assert twin[key] == position[key]
        assert position.states.tobytes() == before


def test_redeals_depend_on_the_view_and_the_seed_only():
    """A redeal of a redeal is the redeal itself; another seed gives another deal."""
    for position in some_positions():
        for seat in range(int(position.states["num_players"][0])):
            first = position.redeal(seat, 7)
            again = position.redeal(seat, 8).redeal(seat, 7)
            assert first.states.tobytes() == again.states.tobytes()


def test_redeals_differ():
    deals = {json.dumps(base("start").redeal(0, seed)["hands"]) for seed in range(10)}
    assert len(deals) == 10


def test_the_owner_keeps_its_hand_and_the_others_what_is_known():
    position = base("start", {"known.1": ["QUE1", "QUE2"], "maybe.1": [5] * 13})
    for seed in range(20):
        twin = position.redeal(0, seed)
        assert twin["hands.0"] == position["hands.0"]
        assert {"QUE1", "QUE2"} <= set(twin["hands.1"])
        assert Counter(twin["hands.1"] + twin["pile"]) == Counter(position["hands.1"] + position["pile"])


def test_what_is_known_narrows_the_deals():
    """`asked` puts a card of the genus there, `maybe` keeps them away, and both leave the rest open."""
    most = [7] * 13
    most[GENERA.index("MOS")] = most[GENERA.index("ALL")] = 0
    position = base("start", {"hands.1": ["TRI3", "QUE1", "QUE1", "QUE2", "PAC1", "COE1", "DIL1"], "pile.14": "ALL1",
                              "pile.27": "ALL3", "pile.31": "MOS1", "asked.1": ["TRI", "COE"], "maybe.1": most})  # fmt: skip
    others = set()
    for seed in range(30):
        hand = position.redeal(0, seed)["hands.1"]
        genera = {genus_of(card) for card in hand}
        assert {"TRI", "COE"} <= genera
        assert not {"MOS", "ALL"} & genera
        others |= genera
    assert len(others) > 8


def test_a_complete_skeleton_is_never_dealt():
    """Two places for a pair of cards: never both in the same hand."""
    position = arrange([["TYR1"], ["MOS1", "DIL1"], ["MOS2", "DIL2"]], museums=[[], [], []], rest_to=None)
    for seed in range(60):
        for hand in position.redeal(0, seed)["hands"]:
            assert not any(set(parts(genus)) <= set(hand) for genus in GENERA)


def late_deals():
    """A small position with few possible deals: all of them, by trying every order of the unseen cards."""
    snapshot = changed("late", {"asked": [[], ["ANK"], []], "maybe.1.10": 1, "maybe.2.12": 1})
    unseen = snapshot["hands"][1] + snapshot["hands"][2]
    possible = Counter()
    for order in itertools.permutations(unseen):
        twin = {**snapshot, "hands": [snapshot["hands"][0], sorted(order[:2]), sorted(order[2:])]}
        if is_possible(twin, 0):
            possible[json.dumps(twin["hands"])] += 1
    return Position(snapshot), possible


def test_every_possible_deal_occurs_and_no_other():
    position, possible = late_deals()
    deals = (position.redeal(0, seed)["hands"] for seed in range(80 if JIT_DISABLED else 400))
    found = {json.dumps([sorted(hand) for hand in hands]) for hands in deals}
    assert found <= set(possible)
    if not JIT_DISABLED:
        assert found == set(possible)
    assert len(possible) > 3


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python this is too slow")
def test_deals_are_about_as_likely_as_they_should_be():
    """Total variation distance from the uniform distribution over assignments, in a small position."""
    position, possible = late_deals()
    draws = 4000
    found = Counter(json.dumps([sorted(hand) for hand in position.redeal(0, seed)["hands"]]) for seed in range(draws))
    total = sum(possible.values())
    distance = sum(abs(found[deal] / draws - count / total) for deal, count in possible.items()) / 2
    assert distance < 0.06


@pytest.mark.skipif(JIT_DISABLED, reason="as plain Python this is too slow")
def test_deals_at_the_beginning_are_about_uniform():
    """How often a genus is in the other hand, against dealing at random and keeping what is possible."""
    position = base("start")
    chance, draws = np.random.default_rng(0), 3000
    unseen = position["hands.1"] + position["pile"]
    expected, kept = Counter(), 0
    while kept < draws:
        hand = list(chance.permutation(unseen)[:7])
        if not any(set(parts(genus)) <= set(hand) for genus in GENERA):
            kept += 1
            expected.update(hand)
    found = Counter(card for seed in range(draws) for card in position.redeal(0, seed)["hands.1"])
    for card in set(unseen):
        error = 4.5 * np.sqrt(2 * expected[card]) + 1
        assert abs(found[card] - expected[card]) < error, card


def test_hard_positions_are_dealt():
    """All cards of a hand spoken for, each of another genus, and many genera ruled out."""
    asked = ["TRI", "ALL", "QUE", "DIL", "MOS"]
    most = [0 if genus not in asked else 1 for genus in GENERA]
    hand = ["TRI3", "ALL1", "QUE1", "DIL1", "MOS1"]
    pile = ["ALL3", "QUE2", *base("start")["pile"]]
    position = base("start", {"hands.1": hand, "pile": pile, "asked.1": asked, "maybe.1": most})
    for seed in range(5 if JIT_DISABLED else 200):
        twin = position.redeal(0, seed)
        assert [genus_of(card) for card in twin["hands.1"]] == asked
