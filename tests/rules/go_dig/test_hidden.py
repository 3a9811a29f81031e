"""The knowledge of a seat, exactly: views, determinize, and the ways in which hidden things could
leak."""

import itertools
import json
from collections import Counter

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.go_dig.positions import Position, base, changed, genus_of, is_complete, whole_game
from tests.rules.go_dig.reference import GENERA

SEEDS = 1 if JIT_DISABLED else 12


def some_positions():
    """Positions of random games, of all numbers of players; where they end by the turn limit,
    too."""
    for seed in range(SEEDS):
        limit = 12 if seed % 4 == 3 else 200
        yield from whole_game(
            seed, every=30 if JIT_DISABLED else 5, num_players=2 + seed % 3, max_turns=limit
        )


def is_possible(snapshot):
    """Whether the hands agree with all that is known of them (the rules' section "Determinize")."""
    for p, hand in enumerate(snapshot["hands"]):
        unknown = Counter(hand) - Counter(snapshot["known"][p])
        if Counter(snapshot["known"][p]) - Counter(hand) or is_complete(hand):
            return False
        by_genus = Counter(genus_of(card) for card in unknown.elements())
        if any(by_genus[genus] == 0 for genus in snapshot["asked"][p]):
            return False
        if any(
            by_genus[genus] > most for genus, most in zip(GENERA, snapshot["maybe"][p], strict=True)
        ):
            return False
    return True


# ---------------------------------------------------------------- the view


def test_view_of_every_seat():
    """The hands of the others and the pile are lengths; everything else is as it is."""
    for position in some_positions():
        snapshot = position.snapshot
        del snapshot["rng"]
        for seat in range(len(snapshot["scores"])):
            hands = [hand if p == seat else len(hand) for p, hand in enumerate(snapshot["hands"])]
            assert position.view(seat) == {
                **snapshot,
                "pile": len(snapshot["pile"]),
                "hands": hands,
            }


# ---------------------------------------------------------------- determinize


def late_deals():
    """A small position with few possible deals: all of them, by trying every order of the unseen
    cards."""
    snapshot = changed("late", {"asked": [[], ["ANK"], []], "maybe.1.10": 1, "maybe.2.12": 1})
    unseen = snapshot["hands"][1] + snapshot["hands"][2]
    possible = Counter()
    for order in itertools.permutations(unseen):
        hands = [snapshot["hands"][0], sorted(order[:2]), sorted(order[2:])]
        possible[json.dumps(hands)] += is_possible({**snapshot, "hands": hands})
    return Position(snapshot), +possible


def test_every_possible_deal_occurs_about_as_often_as_it_should():
    """Re-deals in a small position give all possible deals and no other, about uniformly (by total
    variation distance)."""
    position, possible = late_deals()
    draws = 80 if JIT_DISABLED else 4000
    deals = (position.redeal(0, seed)["hands"] for seed in range(draws))
    found = Counter(json.dumps([sorted(hand) for hand in hands]) for hands in deals)
    assert set(found) <= set(possible)
    assert len(possible) > 3
    if not JIT_DISABLED:
        distance = (
            sum(
                abs(found[deal] / draws - count / possible.total())
                for deal, count in possible.items()
            )
            / 2
        )
        assert distance < 0.06
        assert set(found) == set(possible)


def test_hard_positions_are_dealt():
    """A re-deal succeeds where each card of a hand is known to be of another genus and many genera
    are ruled out."""
    asked = ["TRI", "ALL", "QUE", "DIL", "MOS"]
    most = [0 if genus not in asked else 1 for genus in GENERA]
    hand = ["TRI3", "ALL1", "QUE1", "DIL1", "MOS1"]
    pile = ["ALL3", "QUE2", *base("start")["pile"]]
    position = base("start", {"hands.1": hand, "pile": pile, "asked.1": asked, "maybe.1": most})
    for seed in range(5 if JIT_DISABLED else 200):
        twin = position.redeal(0, seed)
        assert [genus_of(card) for card in twin["hands.1"]] == asked
