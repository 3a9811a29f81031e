"""The set-up: DD-1 to DD-8."""

from collections import Counter

import numpy as np
import pytest

from tests.rules.dino_dig.positions import OPTIONS, base, deal
from tests.rules.dino_dig.reference import DECK, SIZES


def cards_of(position):
    """All cards on the site."""
    return [entry["card"] for stack in position["site"].values() for entry in stack]


@pytest.mark.parametrize("jokers", [True, False])
def test_dd_1_stacks_of_the_standard_site(jokers):
    position = deal(1, jokers=jokers)
    sizes = {f"{r},{c}": int(size) for r, row in enumerate(SIZES[jokers], 1) for c, size in enumerate(row, 1)}
    assert {text: len(stack) for text, stack in position["site"].items()} == sizes
    assert Counter(cards_of(position)) == Counter(DECK if jokers else DECK[:52])
    assert position["supply"] == []
    assert all(entry["known"] == [] and not entry["up"] for stack in position["site"].values() for entry in stack)


def test_dd_1_the_deal_is_shuffled_evenly():
    """The card on top of 1,1 over many deals: each of 54 about as often as the others."""
    games = 540
    tops = Counter(deal(seed)["site"]["1,1"][1]["card"] for seed in range(games))
    assert len(tops) == 54
    chi_squared = sum((tops[code] - games / 54) ** 2 / (games / 54) for code in DECK)
    assert chi_squared < 90, "the 99.9 % point for 53 degrees of freedom"


def test_dd_1_a_square_stays_when_its_stack_is_used_up():
    position = base("field").play("P1 dig", "home", "end turn", "end turn")
    assert position["site"]["1,3"] == []
    assert "P2 move N" in position.legal
    assert "P1 dig" not in position.legal, "there is nothing to dig"


def test_dd_2_only_the_owner_is_on_a_base_and_no_cards_lie_there():
    position = base("field", {"pieces.1": ["1,3", "2,2", "3,3"]}).play("P1 dig", "home", "end turn")
    assert "P1 move home" not in position.legal, "1,3 is the other's base square"
    assert len(position["museums"][0]) == 2


def test_dd_3_dd_8_the_last_of_three_is_asked_and_the_last_of_four_is_not():
    three = deal(1, num_players=3).play("base 1,1", "base 1,5")
    assert (three["phase"], three.mover, three.legal) == ("base", 2, {"base 4,1", "base 4,5"})
    four = deal(1, num_players=4).play("base 1,1", "base 1,5", "base 4,1")
    assert (four["phase"], four["bases"]) == ("contract", ["1,1", "1,5", "4,1", "4,5"])


def test_dd_4_the_edge_only():
    position = deal(2, deregulation=True)
    inner = {"base 2,2", "base 2,3", "base 2,4", "base 3,2", "base 3,3", "base 3,4"}
    assert len(position.legal) == 14
    assert not position.legal & inner


def test_dd_4_the_last_player_is_asked_too():
    position = deal(2, deregulation=True).play("base 1,2")
    assert (position["phase"], position.mover) == ("base", 1)
    assert "base 1,2" not in position.legal


def test_dd_4_the_row_at_the_end_of_the_table_has_room():
    """A square in row 1 has a place to the north, outside of the area in which cards may lie."""
    position = base("horizon").play(*["lay 2,4", "lay 1,4", *["lay 4,4"] * 34])
    assert "base 1,4" in position.legal
    assert "base 4,4" not in position.legal


def test_dd_5_the_site_grows_within_seven_by_seven():
    position = base("horizon").play("lay 2,4", "lay 1,4")
    assert "lay 1,3" in position.legal
    assert not any(text.startswith("lay 0") for text in position.legal)
    position.play("lay 5,6", "lay 5,7")
    assert {"lay 4,7", "lay 6,7"} <= position.legal
    assert "lay 6,6" in position.legal, "beside 5,6"
    assert "lay 1,6" not in position.legal, "beside no square"


def test_dd_5_east_and_west_do_not_wrap():
    """The square after 3,7 in the table is 4,1: not beside it."""
    position = base("horizon").play("lay 3,6", "lay 3,7")
    assert "lay 4,1" not in position.legal
    assert "lay 2,7" in position.legal


def test_dd_5_players_lay_in_turn_beginning_with_seat_0():
    position = deal(4, num_players=3, new_horizons=True)
    movers = []
    for _ in range(36):
        assert position["phase"] == "lay"
        top = position["supply"][-1]
        movers.append(position.mover)
        position.play("lay 4,4")
        assert position["site"]["4,4"][-1]["card"] == top, "the top card"
    assert movers == [k % 3 for k in range(36)]
    assert position["phase"] == "base"


@pytest.mark.parametrize(("players", "jokers", "order"), [(4, True, [3, 2, 1, 0]), (4, False, [1, 0, 3, 2]), (3, True, [2, 1, 0])])
def test_dd_5_bases_go_backwards_from_the_last_to_lay(players, jokers, order):
    position = deal(4, num_players=players, jokers=jokers, new_horizons=True)
    position.play(*["lay 3,3"] * (36 if jokers else 34))
    found = []
    while position["phase"] == "base":
        found.append(position.mover)
        position.play(sorted(position.legal)[0])
    assert found == order
    assert (position["phase"], position.mover) == ("contract", 0)


def test_dd_5_deregulation_changes_nothing_more():
    one, two = (deal(9, new_horizons=True, deregulation=flag) for flag in (False, True))
    for _ in range(36):
        text = sorted(one.legal)[len(one.legal) // 2]
        assert one.legal == two.legal
        one.play(text)
        two.play(text)
    assert one["phase"] == "base"
    assert one.legal == two.legal


def test_dd_5_room_for_four_whatever_is_laid():
    chance = np.random.default_rng(1)
    for seed in range(12):
        position = deal(seed, num_players=4, new_horizons=True)
        while position["phase"] == "lay":
            position.play(chance.choice(sorted(position.legal)))
        assert len(position.legal) >= 4


@pytest.mark.parametrize(("players", "suits"), [(2, "HD"), (3, "HDSC"), (4, "HDSC")])
def test_dd_6_suits_that_nobody_has(players, suits):
    position = deal(5, num_players=players)
    while position["phase"] == "base":
        position.play(sorted(position.legal)[0])
    assert position.legal == {f"suit {suit}" for suit in suits}
    position.play(f"suit {suits[1]}")
    if players > 2:
        assert position.legal == {f"suit {suit}" for suit in suits if suit != suits[1]}
    while position["phase"] == "contract":
        position.play(sorted(position.legal)[0])
    assert len(set(position["suits"])) == players
    assert (position["phase"], position["turn"], position.mover) == ("act", 1, 0)


def test_dd_6_the_last_of_three_is_asked_for_a_suit():
    position = deal(5, num_players=3).play("base 1,1", "base 1,5", "base 4,1", "suit C", "suit H")
    assert (position["phase"], position.mover, position.legal) == ("contract", 2, {"suit D", "suit S"})


def test_dd_7_all_suits_for_everybody():
    position = deal(5, num_players=4, contract="freelance").play("base 1,1", "base 1,5", "base 4,1")
    for seat in range(4):
        assert (position.mover, position.legal) == (seat, {"suit H", "suit D", "suit S", "suit C"})
        position.play("suit D")
    assert (position["suits"], position["phase"]) == (["D"] * 4, "act")


def test_dd_7_secret_until_the_end():
    position = base("final", {"options.contract": "freelance"})
    assert position.view(0)["suits"] == ["H", None]
    assert position.view(1)["suits"] == [None, "D"]
    position.play("P1 move home")
    assert position.view(0)["suits"] == position.view(1)["suits"] == ["H", "D"]


@pytest.mark.parametrize("options", OPTIONS)
def test_dd_8_all_begin_at_home_and_seat_0_begins(options):
    position = deal(6, **options)
    while position["phase"] != "act":
        assert position["turn"] == 0
        assert len(position.legal) >= 2
        position.play(position.scripted)
    assert (position["turn"], position.mover) == (1, 0)
    assert all(pieces == ["home"] * 3 for pieces in position["pieces"])
    assert position.legal == {"P1 move out", "P2 move out", "P3 move out", "end turn"}
