"""FM-1 and FM-2, the components and the deal; and that nothing older than the rules say is kept
(FM-11)."""

from collections import Counter

import pytest

from dig_envs.engine.core.errors import OptionError
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from tests.games import needs_compiling
from tests.rules.fossil_memory.positions import (
    GAME,
    GENERA,
    PARTS,
    PLACES,
    RECALLS,
    VALUES,
    deal,
    many_deals,
    start,
)

CHOSEN = ["BRA", "ALL", "QUE", "PAR", "DEI", "STE", "COE", "MOS"]


def parts(genus):
    return [f"{genus}{part + 1}" for part in range(PARTS[genus])]


# ---------------------------------------------------------------- components, FM-1, FM-2


def test_components():
    """Twenty-four cards of one genus of four parts, four of three and four of two; the largest
    possible total."""
    assert dict(zip(deck.GENERA, deck.PARTS, strict=True)) == PARTS
    assert dict(zip(deck.GENERA, deck.VALUE, strict=True)) == VALUES
    assert box.MAX_SCORE == 25 + (20 + 19 + 18 + 17) + (12 + 11 + 10 + 9) == 141
    assert box.NUM_CHOICES == len(set(box.CHOICES)) == 15 * 15
    assert [*GAME.actions] == [f"flip {place}" for place in PLACES]


def check_genera(snapshot):
    genera = snapshot["genera"]
    assert genera == sorted(genera, key=GENERA.index)
    assert Counter(PARTS[genus] for genus in genera) == {4: 1, 3: 4, 2: 4}
    assert genera[0] == "TYR"
    assert sorted(snapshot["grid"]) == sorted(card for genus in genera for card in parts(genus))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("recall", RECALLS)
def test_fm1_fm2_a_new_game(players, recall):
    """FM-1, FM-2: 24 cards face down, one of each part of nine genera; seat 0 begins, nobody has
    anything."""
    for seed in range(10):
        snapshot = deal(seed, num_players=players, recall=recall).snapshot
        check_genera(snapshot)
        assert snapshot["options"] == {
            "num_players": players,
            "genera": "random",
            "recall": recall,
            "max_turns": 200,
        }
        assert (snapshot["to_move"], snapshot["phase"], snapshot["turn"]) == (0, "flip", 1)
        assert snapshot["museums"] == [[]] * players
        assert snapshot["scores"] == [0] * players
        assert snapshot["up"] == snapshot["shown"] == snapshot["winners"] == []
        assert snapshot["seen"] == ([False] * 24 if recall == "perfect" else None)
        assert snapshot["recent"] == ([[]] * players if recall == "recent" else None)


@needs_compiling
def test_fm1_every_choice_of_genera_is_equally_likely():
    """Chance 1: uniform over 15 × 15; the deal does not depend on which."""
    count = 90_000
    drawn = Counter(map(bytes, many_deals(count)["in_play"]))
    assert len(drawn) == 225
    expected = count / 225
    chi_square = sum((found - expected) ** 2 / expected for found in drawn.values())
    assert 150 < chi_square < 310  # 224 degrees of freedom: mean 224, standard deviation 21


@needs_compiling
def test_fm2_every_card_is_equally_likely_at_every_place():
    """Chance 2."""
    count = 24_000
    grids = many_deals(count, genera=CHOSEN)["grid"]
    for place in range(24):
        found = Counter(grids[:, place].tolist())
        assert len(found) == 24
        assert all(abs(number - count / 24) < 6 * (count / 24) ** 0.5 for number in found.values())
    neighbours = Counter(zip(grids[:, 0].tolist(), grids[:, 1].tolist(), strict=True))
    assert len(neighbours) == 24 * 23
    assert max(neighbours.values()) < 90  # 43 on average


@pytest.mark.parametrize("order", [CHOSEN, CHOSEN[::-1], tuple(CHOSEN)])
def test_fm1_the_option_genera_in_any_order(order):
    """FM-1: the option `genera` is stored in table order, and these genera and TYR are in play in
    every game."""
    for seed in range(3):
        snapshot = deal(seed, genera=order).snapshot
        check_genera(snapshot)
        assert snapshot["options"]["genera"] == CHOSEN
        assert snapshot["genera"] == ["TYR", *CHOSEN]


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            "Random",
            None,
            [],
            5,
            CHOSEN[:7],
            [*CHOSEN, "DIL"],
            ["TYR", *CHOSEN[1:]],
            ["BRA", *CHOSEN[:7]],
        ),
        *(
            ["BRA", "TRI", "ALL", "ANK", "QUE", "DEI", "STE", "PAC"],
            ["CAM", *CHOSEN[1:]],
            [1] * 8,
            [["BRA"], *CHOSEN[1:]],
        ),
    ],
    ids=str,
)
def test_fm1_other_choices_are_refused(wrong):
    with pytest.raises(
        OptionError,
        match=(
            r"option 'genera': .* is not one of 'random', or a list of four of BRA, .* and four of "
            r"DEI, "
        ),
    ):
        GAME.complete_options({"genera": wrong})


# ---------------------------------------------------------------- FM-11


@pytest.mark.parametrize("recall", ["recent", "none"])
def test_fm11_with_recent_and_none_no_older_record_is_kept(recall):
    """Two ways to the same cards in sight are one position, in which the scripted player flips the
    same."""
    one = start(recall).flip("4,1", "1,1", "1,5", "2,2", "4,6", "2,5", "4,6", "2,2")
    other = start(recall).flip("4,3", "4,5", "1,1", "2,2", "1,5", "2,5", "4,6", "2,2")
    assert one.snapshot | {"rng": ""} == other.snapshot | {"rng": ""}
    assert one.scripted == other.scripted
    assert all(one.known_to(seat) == other.known_to(seat) for seat in (0, 1))
