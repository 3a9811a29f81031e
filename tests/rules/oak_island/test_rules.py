"""The rules from positions that whole games seldom reach, against the second implementation in
`reference`; and chance."""

from collections import Counter

import numpy as np
import pytest

from tests.rules.oak_island import reference
from tests.rules.oak_island.positions import (
    CHARACTERS,
    GAME,
    LOCATIONS,
    base,
    changed,
    deal,
    everybody_at,
    next_cubes,
)

RICH = {
    "options.bag_blue": 14,
    "ifso": [3, 3],
    "options.bag_red": 4,
    "dazzlers": [1, 1],
    "scores": [1, 1],
}
LAST = {"options.max_rounds": 3, "episode": 2, "turn": 36, "to_move": 1}
NO_CENTRE = {**changed("dig", {})["where"], "Alex": "lots", "Charles": "lots"}
SIX_BLUE = {"options.bag_blue": 8, "clues.0": 6, **next_cubes("blue", "blue")}


def ranked(dazzlers, money):
    """Three seats in the last turn of an Episode, in which nobody can do anything."""
    seats = {"options.num_players": 3, "options.bag_red": 6, "ifso": [0] * 3, "clues": [0] * 3}
    bag = ["yellow", *["red"] * (6 - sum(dazzlers)), *["green"] * 2, *["blue"] * 8, *["brown"] * 6]
    where = everybody_at("swamp", Billy="bore_hole")
    skips = {"where": where, "turn": 39, "to_move": 2, "episode": 1}
    return {**seats, **skips, "dazzlers": dazzlers, "scores": dazzlers, "money": money, "bag": bag}


def filled(rows, short=None):
    chosen = []
    for k, (need, names) in enumerate(rows):
        chosen += [name for name in names if name not in chosen][: need - (k == short)]
    return chosen


def placed(location, short=None):
    """The characters that fill the rows of a location, all others elsewhere."""
    elsewhere = next(place for place in ("bore_hole", "caisson") if place != location)
    return {
        "where": {
            **everybody_at(elsewhere),
            **dict.fromkeys(filled(reference.TABLE[location][0], short), location),
        }
    }


POSITIONS = {
    "OI-4: relocation": ("start", {"money": [200, 200]}),
    "OI-4: no money": ("start", {"money": [0, 0]}),
    "OI-5": ("start", {"where": everybody_at("lots", Charles="compass"), "turn": 8, "to_move": 1}),
    "OI-6: equal": ("dig", ranked([0, 0, 0], [100, 100, 100])),
    "OI-6: money": ("dig", ranked([0, 0, 0], [100, 300, 300])),
    "OI-6: dazzlers before money": ("dig", ranked([0, 1, 1], [900, 100, 200])),
    "OI-6: the first of equals": ("dig", ranked([2, 2, 1], [300, 300, 900])),
    **{
        f"OI-7: {location} without row {short}": (
            "dig",
            {"clues.0": 6, "money": [400, 0], **placed(location, short)},
        )
        for location in LOCATIONS
        for short in (None, *range(len(reference.TABLE[location][0])))
    },
    "OI-8: compulsory": ("dig", {"money": [200, 200], "where": everybody_at("bore_hole")}),
    "OI-11: each colour": ("dig", {"clues.0": 2, **next_cubes("blue", "green", "red", "brown")}),
    "OI-12: all blue go back": ("dig", SIX_BLUE),
    "OI-12: some do": (
        "dig",
        {
            "options.bag_blue": 12,
            "ifso.0": 4,
            "clues.0": 1,
            **next_cubes("blue", "blue", "blue", "blue"),
        },
    ),
    "OI-12, OI-17: for the winner": ("dig", {"clues.0": 6, **next_cubes("blue", "yellow")}),
    "OI-13, OI-14": ("dig", RICH),
    "OI-14: no token beyond six": (
        "dig",
        {**RICH, "ifso": [0, 3], "options.bag_blue": 11, "clues.0": 6},
    ),
    "OI-13, OI-14, OI-16: no centre": ("dig", {**RICH, "where": NO_CENTRE, "laird": 0}),
    **{
        f"OI-15, OI-16: Laird {laird}": ("dig", {**RICH, "laird": laird, **next_cubes("red")})
        for laird in (-1, 0, 1)
    },
    "OI-15: at the lots": (
        "dig",
        {"laird": 1, "where.Marty": "lots", "where.Gary": "lots", **next_cubes("red")},
    ),
    "OI-15, OI-17: red, then yellow": ("dig", {"clues.0": 1, **next_cubes("red", "yellow")}),
    "OI-17": (
        "dig",
        {
            **RICH,
            "dazzlers": [0, 1],
            "scores": [0, 1],
            "options.bag_red": 3,
            **next_cubes("yellow"),
        },
    ),
    **{
        f"OI-18: {dazzlers} {money}": (
            "dig",
            {
                **LAST,
                "where": everybody_at("caisson", Billy="bore_hole"),
                "options.bag_red": 2 + sum(dazzlers),
            }
            | {"dazzlers": dazzlers, "scores": dazzlers, "money": money},
        )
        for dazzlers, money in (
            ([1, 1], [100, 100]),
            ([1, 1], [100, 0]),
            ([0, 1], [900, 0]),
            ([0, 0], [0, 100]),
        )
    },
    "OI-17, OI-18: the treasure in the last turn": ("dig", {**LAST, **next_cubes("yellow")}),
}


@pytest.mark.parametrize("extra", ["before", "after"])
@pytest.mark.parametrize("name", POSITIONS)
def test_every_action_from_rare_positions(name, extra):
    """OI-1 to OI-19: each legal action, and some turns at random after it."""
    before, changes = POSITIONS[name]
    changes = {**changes, "options.extra": extra}
    first = base(before, changes)
    for seed, text in enumerate(sorted(first.legal)):
        chance = np.random.default_rng(seed)
        position = base(before, changes)
        twin = position.plain
        assert position.legal == reference.legal(twin)
        position.check_observations(reference.observation)
        for _ in range(8):
            position.play(text)
            after = position.plain
            twin = reference.play(twin, text, after["bag"])
            assert after == twin, text
            assert position.legal == reference.legal(twin)
            if position.mover < 0:
                break
            text = str(chance.choice(sorted(position.legal)))


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
    assert (snapshot["laird"], snapshot["round"], snapshot["episode"], snapshot["turn"]) == (
        -1,
        1,
        0,
        1,
    )


def test_oi_1_the_options_of_the_bag():
    bag = deal(1, bag_red=3, bag_blue=0, bag_green=40, bag_brown=1)["bag"]
    assert Counter(bag) == {"red": 3, "green": 40, "brown": 1, "yellow": 1}


def test_chance_1_every_order_of_the_bag_is_equally_likely():
    orders = Counter(
        tuple(deal(seed, bag_red=1, bag_blue=1, bag_green=0, bag_brown=0)["bag"])
        for seed in range(1200)
    )
    assert len(orders) == 6
    assert all(150 < count < 250 for count in orders.values()), (
        "200 on average, with a standard deviation of 13"
    )


def test_oi_12_chance_2_the_whole_bag_is_shuffled():
    """OI-12, chance 2: the bag is shuffled completely, so that the yellow cube is about equally
    often everywhere."""
    bag = next_cubes("blue", "blue")["bag"]
    bag[0], bag[2] = bag[2], bag[0]
    assert bag[0] == "yellow"
    places = Counter()
    for seed in range(900):
        position = base("dig", {"bag": bag, "options.bag_blue": 8, "clues.0": 6, "clues.1": 0})
        position.states["rng"] = seed
        places[position.play("dig bore_hole +0")["bag"].index("yellow")] += 1
    assert sorted(places) == list(range(19))
    assert all(20 < count < 80 for count in places.values()), (
        "47 on average, with a standard deviation of 7"
    )


def test_oi_19_each_cube_is_seen_before_the_next_question():
    """OI-19: whatever is next in the bag changes nothing before it is pulled, and the cubes come as
    they would if all were pulled at once."""
    changes = {"options.extra": "after", "clues.0": 2}
    cubes = ["blue", "green", "red", "brown"]
    one, other = (
        base("dig", {**changes, **next_cubes(*order)}).play("dig bore_hole +0")
        for order in (cubes, [*cubes[:2], "brown", "red"])
    )
    assert one.known_to(0) == other.known_to(0)
    at_once = base("dig", {"clues.0": 2, **next_cubes(*cubes)}).play("dig bore_hole +2").plain
    in_steps = one.play("dig bore_hole +1", "dig bore_hole +2").plain
    assert in_steps["options"].pop("extra") == "after"
    assert at_once["options"].pop("extra") == "before"
    assert in_steps == at_once


@pytest.mark.parametrize("players", [2, 3, 4])
def test_oi_18_nobody_wins_at_the_limit(players):
    """Each seat loses, also the one that is ahead."""
    nothing = dict.fromkeys(("ifso", "clues", "money"), [0] * players)
    dazzlers = [1] + [0] * (players - 1)
    ahead = {"options.bag_red": 3, "dazzlers": dazzlers, "scores": dazzlers}
    last = {"options.max_rounds": 1, "round": 1, "episode": 2, "turn": 8 + 2 * players}
    where = everybody_at("caisson", Billy="bore_hole")
    seats = {"options.num_players": players, "to_move": players - 1, "where": where}
    position = base("dig", {**nothing, **ahead, **last, **seats}).play("skip")
    assert (position["winners"], position["truncated"], position["found"]) == ([], True, -1)
    returns = GAME.returns_of(position.states)[0, :players]
    assert returns.tolist() == [-1 / (players - 1)] * players
