"""The numbered rules one by one, with what must not happen."""

from collections import Counter

import pytest

from tests.rules.oak_island.positions import CHARACTERS, GAME, LOCATIONS, base, changed, deal, everybody_at, next_cubes
from tests.rules.oak_island.reference import TABLE

LAST = {"where": everybody_at("lots", Charles="compass"), "turn": 8, "to_move": 1}  # changes to `start`


def active(position):
    """The locations that the position's observation says are active."""
    flags = GAME.named(position.observation(0))["active"]
    return [name for name, flag in zip(LOCATIONS, flags, strict=True) if flag]


# ---------------------------------------------------------------- the round


@pytest.mark.parametrize("players", [2, 3, 4])
def test_oi_1_to_3_the_beginning(players):
    position = deal(3, num_players=players)
    snapshot = position.snapshot
    assert Counter(snapshot["bag"]) == {"brown": 60, "blue": 16, "green": 12, "red": 8, "yellow": 1}
    assert snapshot["money"] == [100] * players
    for key in ("dazzlers", "ifso", "clues", "scores"):
        assert snapshot[key] == [0] * players
    assert set(snapshot["where"].values()) == {"compass"}
    assert list(snapshot["where"]) == CHARACTERS
    assert (snapshot["laird"], snapshot["round"], snapshot["episode"], snapshot["turn"]) == (-1, 1, 0, 1)


def test_oi_1_the_options_of_the_bag():
    bag = deal(1, bag_red=3, bag_blue=0, bag_green=40, bag_brown=1)["bag"]
    assert Counter(bag) == {"red": 3, "green": 40, "brown": 1, "yellow": 1}


def test_chance_1_every_order_of_the_bag_is_equally_likely():
    orders = Counter(tuple(deal(seed, bag_red=1, bag_blue=1, bag_green=0, bag_brown=0)["bag"]) for seed in range(1200))
    assert len(orders) == 6
    assert all(150 < count < 250 for count in orders.values()), "200 on average, with a standard deviation of 13"


def test_oi_4_a_character_may_go_where_it_fills_no_row():
    position = base("start").play("move Terry lots", "move Gary caisson", "move Charles swamp")
    assert [position[f"where.{name}"] for name in ("Terry", "Gary", "Charles")] == ["lots", "caisson", "swamp"]


def test_oi_4_nobody_goes_back_and_nobody_passes():
    assert not any("compass" in text for text in GAME.actions)
    position = base("start", {"money": [0, 0]})
    assert position.legal == {f"move {name} {place}" for name in CHARACTERS for place in LOCATIONS}


def test_oi_4_anybody_may_relocate_again_and_again():
    position = base("start", {"money": [200, 200]})
    position.play("move Billy swamp", "move Billy caisson", "move Gary lots", "move Billy lots")
    assert position["money"] == [200, 0]
    position.play("move Billy bore_hole")
    assert position["money"] == [100, 0]
    assert position["where.Billy"] == "bore_hole"
    assert position["to_move"] == 1
    assert "move Billy lots" not in position.legal


def test_oi_5_a_relocation_does_not_end_the_war_room():
    position = base("start", LAST).play("move Billy swamp")
    assert position["phase"] == "war"
    assert position["to_move"] == 0
    position.play("move Charles swamp")
    assert position["phase"] == "episode"
    assert position["episode"] == 1


def test_oi_5_both_episodes_with_everybody_where_they_are():
    position = base("start", LAST | {"money": [0, 0]}).play("move Charles lots")
    where = position["where"]
    seen = []
    while position["phase"] == "episode":
        seen.append((position["episode"], position.mover))
        assert position["where"] == where
        position.play(next(iter(position.legal)))
    assert [episode for episode, _ in seen] == [1, 1, 2, 2]
    assert {seat for episode, seat in seen if episode == 1} == {0, 1}
    assert {seat for episode, seat in seen if episode == 2} == {0, 1}
    assert position["round"] == 2


@pytest.mark.parametrize(
    ("dazzlers", "money", "first"),
    [
        ([0, 0, 0], [100, 100, 100], 0),
        ([0, 0, 0], [100, 300, 300], 1),
        ([0, 1, 1], [900, 100, 200], 2),
        ([0, 0, 1], [900, 800, 0], 2),
        ([2, 2, 1], [300, 300, 900], 0),
    ],
)
def test_oi_6_the_first_player(dazzlers, money, first):
    """At the beginning of each phase; money counts after what the bank has paid."""
    seats = {"options.num_players": 3, "options.bag_red": 6, "ifso": [0] * 3, "clues": [0] * 3}
    bag = ["brown"] * 6 + ["blue"] * 8 + ["green"] * 2 + ["red"] * (6 - sum(dazzlers)) + ["yellow"]
    at_end = {**seats, "dazzlers": dazzlers, "scores": dazzlers, "money": money, "bag": bag[::-1]}
    skips = {"where": everybody_at("lots", Gary="swamp"), "turn": 48, "to_move": 2}
    changes = {**at_end, **skips}
    for episode, after in ((1, 2), (2, 0)):
        position = base("dig", {**changes, "episode": episode, "turn": 28 + 9 + 2 + 3 * (episode - 1)})
        assert position.legal == {"skip"}
        position.play("skip")
        assert (position["episode"], position["first"], position.mover) == (after, first, first)


# ---------------------------------------------------------------- which locations are active


def filled(rows, short=None):
    """Characters that fill the rows, each just so; one too few in the row ``short``."""
    chosen = []
    for k, (need, names) in enumerate(rows):
        chosen += [name for name in names if name not in chosen][: need - (k == short)]
    return chosen


@pytest.mark.parametrize("location", LOCATIONS)
def test_oi_7_every_row_is_needed(location):
    rows = TABLE[location][0]
    elsewhere = next(place for place in ("bore_hole", "caisson") if place != location)
    for short in (None, *range(len(rows))):
        chosen = filled(rows, short)
        others = dict.fromkeys(chosen, location)
        position = base("dig", {"where": {**everybody_at(elsewhere), **others}})
        assert (location in active(position)) == (short is None), f"without row {short}: {chosen}"


def test_oi_7_others_may_be_there_and_both_may_dig_twice():
    position = base("dig", {"where": everybody_at("lots"), **next_cubes("brown", "brown", "brown", "brown")})
    for _ in range(4):
        assert position.legal == {"dig lots +0"}
        position.play("dig lots +0")
    assert position["round"] == 4


# ---------------------------------------------------------------- digging


def test_oi_8_skip_is_legal_only_where_nothing_else_is():
    for changes in ({}, {"clues.0": 2}, {"laird": 0}, {"money.0": 0}, {"money.0": 0, "laird": 0}):
        legal = base("dig", changes).legal
        assert ("skip" in legal) == (legal == {"skip"})


def test_oi_8_a_dig_that_costs_the_last_money_is_compulsory():
    position = base("dig", {"money": [200, 200], "where": everybody_at("bore_hole")})
    assert position.legal == {"dig bore_hole +0"}


@pytest.mark.parametrize(("location", "cost", "cubes", "extra"), [(n, *TABLE[n][1:]) for n in LOCATIONS[:4]])
def test_oi_9_10_price_and_number_of_cubes(location, cost, cubes, extra):
    """With six tokens each number up to the limit; tokens are not spent."""
    where = {**everybody_at("interpretive_centre"), **dict.fromkeys(filled(TABLE[location][0]), location)}
    changes = {"where": where, "money": [400, 0], "clues.0": 6, **next_cubes("brown", "brown", "brown", "brown", "brown", "brown")}
    position = base("dig", changes)
    assert {text for text in position.legal if text.startswith("dig")} == {f"dig {location} +{x}" for x in range(extra + 1)}
    for x in range(extra + 1):
        twin = position.copy().play(f"dig {location} +{x}")
        assert len(position["bag"]) - len(twin["bag"]) - twin["ifso.0"] >= 0
        assert len(twin["bag"]) == 19 - cubes - x + max(0, sum(cube == "blue" for cube in position["bag"][19 - cubes - x :]))
        greens = position["bag"][19 - cubes - x :].count("green")
        assert twin["money.0"] == 400 - cost + 100 * greens
        assert twin["clues.0"] == 6


def test_oi_11_each_colour():
    changes = {"clues.0": 2, **next_cubes("blue", "green", "red", "brown")}
    position = base("dig", changes).play("dig bore_hole +2")
    assert (position["ifso.0"], position["dazzlers.0"], position["money.0"]) == (1, 1, 200)
    assert position["dirt"] == {"brown": 1, "green": 1, "blue": 0, "red": 0}
    assert position["bag"] == changes["bag"][:-4]


def test_oi_11_17_nothing_is_pulled_after_the_yellow_cube():
    changes = {"clues.0": 2, **next_cubes("green", "yellow", "red", "red")}
    position = base("dig", changes).play("dig bore_hole +2")
    assert position["found"] == 0
    assert position["dazzlers"] == [0, 0]
    assert position["money.0"] == 200
    assert position["bag"] == changes["bag"][:-2]


def test_oi_12_only_what_is_too_much_goes_back():
    bag = next_cubes("blue", "blue", "blue", "blue")["bag"]
    blues = bag.count("blue")
    for ifso, clues in ((0, 2), (1, 1), (0, 5), (3, 3), (4, 2), (0, 6), (2, 0)):
        start = {"bag": bag, "options.bag_blue": 8 + ifso, "ifso.0": ifso, "clues.0": clues, "money.0": 200}
        position = base("dig", start).play(f"dig bore_hole +{min(2, clues)}")
        pulled = 2 + min(2, clues)
        kept = min(6 - clues, ifso + pulled)
        assert position["ifso.0"] == kept
        assert position["clues.0"] == clues
        assert Counter(position["bag"])["blue"] == blues + ifso - kept
        if ifso + pulled + clues <= 6:
            assert position["bag"] == bag[:-pulled], "the bag keeps its order"


def test_oi_12_chance_2_the_whole_bag_is_shuffled():
    """The yellow cube, which lay at the bottom, is anywhere afterwards."""
    bag = next_cubes("blue", "blue")["bag"]
    bag[0], bag[2] = bag[2], bag[0]
    assert bag[0] == "yellow"
    places = Counter()
    for seed in range(900):
        position = base("dig", {"bag": bag, "options.bag_blue": 8, "clues.0": 6, "clues.1": 0})
        position.states["rng"] = seed
        places[position.play("dig bore_hole +0")["bag"].index("yellow")] += 1
    assert sorted(places) == list(range(19))
    assert all(20 < count < 80 for count in places.values()), "47 on average, with a standard deviation of 7"


def test_oi_12_17_is_carried_out_for_the_winner():
    bag = next_cubes("blue", "yellow")["bag"]
    position = base("dig", {"bag": bag, "clues.0": 6}).play("dig bore_hole +0")
    assert position["found"] == 0
    assert position["ifso.0"] == 0
    assert len(position["bag"]) == 18


# ---------------------------------------------------------------- the interpretive centre

RICH = {"options.bag_blue": 14, "ifso": [3, 3], "options.bag_red": 4, "dazzlers": [1, 1], "scores": [1, 1]}


def test_oi_13_trades_of_up_to_all_if_so_cubes():
    position = base("dig", RICH)
    trades = {(a, b) for a in range(7) for b in range(7) if 1 <= a + b <= 3}
    assert {text for text in position.legal if text.startswith("trade")} == {f"trade {a} clues {b} cash" for a, b in trades}
    for a, b in trades:
        twin = position.copy().play(f"trade {a} clues {b} cash")
        assert (twin["ifso.0"], twin["clues.0"], twin["money.0"]) == (3 - a - b, a, 300 + 100 * b)
        assert twin["dirt"] == {"brown": 0, "green": 0, "blue": a + b, "red": 0}
        assert twin["dazzlers"] == [1, 1], "a trade is no conversion"
        assert twin["bag"] == position["bag"]


def test_oi_13_14_16_not_where_the_centre_is_not_active():
    where = {**changed("dig", {})["where"], "Alex": "lots", "Charles": "lots"}
    position = base("dig", {**RICH, "where": where, "laird": 0})
    assert position.legal == {"dig bore_hole +0"}


@pytest.mark.parametrize(("ifso", "clues", "after"), [(3, 2, 3), (3, 3, 3), (0, 6, 6), (0, 5, 6)])
def test_oi_14_no_token_beyond_six(ifso, clues, after):
    changes = {**RICH, "ifso": [ifso, 0], "options.bag_blue": 8 + ifso, "clues.0": clues}
    assert base("dig", changes).play("convert dazzler")["clues.0"] == after


# ---------------------------------------------------------------- Laird


@pytest.mark.parametrize("place", ["lots", "swamp"])
@pytest.mark.parametrize("laird", [-1, 0, 1])
def test_oi_15_a_red_cube_brings_laird(place, laird):
    where = {"where.Marty": "lots", "where.Gary": "lots"} if place == "lots" else {}
    changes = {"laird": laird, "to_move": 1, "turn": 34, **where, **next_cubes("red")}
    position = base("dig", changes)
    assert (f"dig {place} +0" in position.legal) == (laird != 1)
    if laird != 1:
        assert position.play(f"dig {place} +0")["laird"] == 1


def test_oi_15_not_from_the_bore_hole_nor_without_a_red_cube():
    assert base("dig", {"laird": 1, **next_cubes("red", "red")}).play("dig bore_hole +0")["laird"] == 1
    assert base("dig", {"laird": 1, **next_cubes("blue")}).play("dig swamp +0")["laird"] == 1


def test_oi_15_a_red_cube_before_the_yellow_one():
    position = base("dig", {"clues.0": 1, **next_cubes("red", "yellow")}).play("dig swamp +1")
    assert (position["laird"], position["dazzlers"], position["found"]) == (0, [1, 0], 0)


@pytest.mark.parametrize("text", ["trade 1 clues 0 cash", "convert dazzler", "visit"])
def test_oi_16_any_use_brings_laird_there(text):
    assert base("dig", {**RICH, "laird": 0}).play(text)["laird"] == -1


@pytest.mark.parametrize("text", ["trade 1 clues 0 cash", "convert dazzler"])
def test_oi_16_but_not_from_another_player(text):
    position = base("dig", {**RICH, "laird": 1})
    assert "visit" not in position.legal
    assert position.play(text)["laird"] == 1


def test_oi_16_laird_fills_no_row():
    where = {**changed("dig", {})["where"], "Alex": "lots", "Charles": "lots"}
    assert "interpretive_centre" not in active(base("dig", {"where": where}))


# ---------------------------------------------------------------- the end


def test_oi_17_whoever_pulls_the_yellow_cube_wins_alone():
    changes = {**RICH, "dazzlers": [0, 1], "scores": [0, 1], "options.bag_red": 3, **next_cubes("yellow")}
    position = base("dig", changes).play("dig swamp +0")
    assert (position["winners"], position["phase"], position.mover, position["truncated"]) == ([0], "over", -1, False)
    assert position["scores"] == [0, 1], "the treasure does not change the score"
    assert position["turn"] == 33


@pytest.mark.parametrize(
    ("dazzlers", "money", "winners"),
    [
        ([1, 1], [100, 100], [0, 1]),
        ([1, 1], [100, 0], [0]),
        ([0, 1], [900, 0], [1]),
        ([0, 0], [0, 100], [1]),
    ],
)
def test_oi_18_the_round_limit(dazzlers, money, winners):
    reds = {"options.bag_red": 2 + sum(dazzlers), "dazzlers": dazzlers, "scores": dazzlers}
    end = {"options.max_rounds": 3, "episode": 2, "turn": 36, "to_move": 1, "where": everybody_at("caisson", Billy="lots")}
    position = base("dig", {**reds, **end, "money": money})
    assert position.legal == {"skip"}
    position.play("skip")
    assert (position["winners"], position["truncated"], position["phase"], position["found"]) == (winners, True, "over", -1)
    assert (position["round"], position["episode"]) == (3, 2)


def test_oi_18_three_of_four_share():
    seats = {"options.num_players": 4, "ifso": [0] * 4, "clues": [0] * 4, "dazzlers": [0] * 4, "scores": [0] * 4}
    end = {"options.max_rounds": 1, "round": 1, "episode": 2, "turn": 16, "to_move": 3, "money": [100, 0, 100, 100]}
    position = base("dig", {**seats, **end, "where": everybody_at("caisson", Billy="lots")}).play("skip")
    assert position["winners"] == [0, 2, 3]
    assert GAME.returns_of(position.states)[0].tolist() == [1 / 3, -1.0, 1 / 3, 1 / 3]


def test_oi_18_a_treasure_in_the_last_turn_is_a_treasure():
    end = {"options.max_rounds": 3, "episode": 2, "turn": 36, "to_move": 1, **next_cubes("yellow")}
    position = base("dig", end).play("dig swamp +0")
    assert (position["found"], position["truncated"], position["winners"]) == (1, False, [1])


# ---------------------------------------------------------------- actions


def test_the_list_of_actions():
    names = GAME.actions
    assert len(names) == 81
    assert names[:3] == ("move Billy lots", "move Billy swamp", "move Billy bore_hole")
    assert names[39] == "move Charles interpretive_centre"
    digs = ["lots +0", "swamp +0", "swamp +1", *(f"bore_hole +{x}" for x in range(3)), *(f"caisson +{x}" for x in range(5))]
    assert list(names[40:51]) == [f"dig {text}" for text in digs]
    trades = [f"trade {a} clues {b} cash" for a in range(7) for b in range(7) if 1 <= a + b <= 6]
    assert list(names[51:78]) == trades
    assert names[78:] == ("convert dazzler", "visit", "skip")
