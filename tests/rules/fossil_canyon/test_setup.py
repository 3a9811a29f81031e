"""FC-1 to FC-8: components, deal, skeletons of the starting hand, the choice of hidden fossils, and
the chance in them."""

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.games import fossil_deck as deck
from tests.games import needs_compiling
from tests.rules.fossil_canyon.positions import (
    CARDS,
    GAME,
    JURASSIC,
    POINTS,
    Position,
    base,
    deal,
    fossils_of,
    in_play,
)
from tests.rules.tables import table

HANDS = {2: 10, 3: 8, 4: 6, 5: 5, 6: 4}


def test_box():
    """The component tables: 64 cards of 40 types, 23 skeletons, values, periods and diets."""
    rows, traces = table(GAME, "genus"), table(GAME, "trace fossil")
    for g, row in enumerate(rows):
        parts, skeletons, value = (
            row["parts"],
            row["skeletons (= copies of each part)"],
            row["value"],
        )
        assert (deck.GENERA[g], deck.PERIOD[g], deck.CARNIVORE[g]) == (
            row["genus"],
            row["period"],
            row["diet"] == "carnivore",
        )
        assert [str(number[g]) for number in (deck.PARTS, deck.SKELETONS, deck.VALUE)] == [
            parts,
            skeletons,
            value,
        ]
        assert CARDS[f"{row['genus']}{parts}"] == int(skeletons)
    assert [
        genus for genus, jurassic in zip(deck.GENERA, deck.JURASSIC, strict=True) if jurassic
    ] == JURASSIC
    assert dict(zip(deck.TRACES, map(str, deck.RESEARCH), strict=True)) == {
        row["trace fossil"]: row["research value"] for row in traces
    }
    assert (len(CARDS), CARDS.total(), deck.SKELETONS.sum()) == (40, 64, 23)


@pytest.mark.parametrize("players", HANDS)
def test_fc4_starting_hands(players):
    """FC-2, FC-4: four discarded, hands by the number of players, everything else buried; the trace
    fossils may stay in the box."""
    for seed in range(5 if JIT_DISABLED else 60):
        snapshot = deal(seed, num_players=players, research=seed % 5 > 0).snapshot
        assert fossils_of(snapshot) == in_play(snapshot["options"])
        assert (len(snapshot["discarded"]), snapshot["exposed"], snapshot["open"]) == (
            4,
            [],
            [[]] * players,
        )
        assert (
            len(snapshot["buried"])
            == in_play(snapshot["options"]).total() - 4 - players * HANDS[players]
        )
        for hand, museum in zip(snapshot["hidden"], snapshot["museums"], strict=True):
            assert len(hand) + sum(len(deck.parts_of(genus)) for genus in museum) == HANDS[players]


def test_fc1_fc7_who_begins():
    """FC-1, FC-7: seat 0 chooses first and has the first turn; turns go clockwise."""
    position = deal(1, num_players=3)
    for seat in range(3):
        assert (position.mover, position["phase"], position["player"], position["turn"]) == (
            seat,
            "setup",
            seat,
            0,
        )
        position.play("done")
    for turn in range(1, 6):
        assert (position["turn"], position.mover) == (turn, (turn - 1) % 3)
        while position["turn"] == turn:
            position.play(
                next(
                    t
                    for t in ("dig buried", "finish", "done", *sorted(position.legal))
                    if t in position.legal
                )
            )


@needs_compiling
def test_fc2_fc4_fossils_are_dealt_uniformly():
    """Chance 1: every type is equally often discarded, in each place of the site and in each
    hand."""
    count = 8000
    states = Position.deals(count, num_players=6)
    share = deck.COPIES / 64
    for place in (0, 17, 35):  # 60 - 24 buried fossils
        seen = np.bincount(states["buried"][:, place], minlength=40)
        assert (abs(seen - count * share) < 5 * (count * share) ** 0.5).all()
    discarded = states["discarded"].sum(axis=0)
    assert (abs(discarded - 4 * count * share) < 5 * (4 * count * share) ** 0.5).all()
    for seat in (0, 5):
        hand = states["hidden"][:, seat, 34:].sum(axis=0)  # trace fossils never leave
        assert (abs(hand - 4 * count / 64) < 5 * (4 * count / 64) ** 0.5).all()


@needs_compiling
def test_fc5_skeletons_of_the_starting_hand():
    """FC-5: built before anything is chosen, as often as possible, and the hand is not refilled."""
    found = 0
    for seed in range(3000):
        position = deal(seed, num_players=2)
        for seat in range(2):
            museum = position[f"museums.{seat}"]
            assert position["scores"][seat] == sum(POINTS[genus] for genus in museum)
            if museum == ["MOS", "MOS"]:
                found += 1
                assert len(position[f"hidden.{seat}"]) == 6
        assert not position["scored"]
        if found == 2:
            return
    raise AssertionError("no hand with two Mosasaurus")


@needs_compiling
def test_fc8_a_seat_without_fossils_is_not_asked():
    """FC-8: in a game for six, a hand of four that is complete at once leaves nothing to choose."""
    states = Position.deals(40000, num_players=6)
    without = np.argwhere(states["num_hidden"][:, :6] == 0)
    assert len(without)
    for seed, seat in without[:5]:
        position = deal(int(seed), num_players=6)
        asked = []
        while position["phase"] == "setup":
            asked.append(position.mover)
            position.play("done")
        assert asked == [p for p in range(6) if p != seat]
        assert position[f"hidden.{seat}"] == position[f"open.{seat}"] == []


def test_fc6_the_choice():
    """FC-6, FC-8: types of which a fossil is not chosen yet; ended by `done`, by the limit, or by
    the whole hand."""
    position = base("deal")
    hand = set(position["hidden.0"])
    assert position.legal == {"done", *(f"hide {t}" for t in hand)}
    position.play("hide ALL2")  # there are two
    assert "hide ALL2" in position.legal
    position.play("hide ALL2")
    assert "hide ALL2" not in position.legal
    assert position["chosen.0"] == ["ALL2", "ALL2"]
    position.play("hide TYR1")
    assert position.mover == 1
    position.play("done")
    assert position["hidden"] == [["TYR1", "ALL2", "ALL2"], []]
    assert len(position["open.1"]) == 10


@needs_compiling
def test_fc8_the_whole_hand_completes_the_choice():
    for seed in range(2000):
        position = deal(seed, num_players=6)
        if len(position["hidden.0"]) == 2:
            first, second = position["hidden.0"]
            position.play(f"hide {second}", f"hide {first}")
            assert position.mover == 1
            return
    raise AssertionError("no hand of two")


def test_the_order_of_choosing_leaves_no_trace():
    """The same fossils chosen in another order give the same position."""
    one = base("deal").play("hide TYR1", "hide UTA", "hide ALL1", "hide ORN", "done")
    other = base("deal").play("hide ALL1", "hide TYR1", "hide UTA", "hide ORN", "done")
    assert {**one.snapshot, "rng": 0} == {**other.snapshot, "rng": 0}
