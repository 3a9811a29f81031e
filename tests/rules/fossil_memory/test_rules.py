"""FM-1 to FM-11, one after the other: what must happen and what must not."""

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
TURNS = "1,1 1,2 1,3 1,4; 1,5 1,6 2,1; 2,2 2,3 2,4; 2,5 2,6 3,1; 3,2 3,3 3,4; 3,5 3,6; 4,1 4,2; 4,3 4,4; 4,5 4,6"
EVERYTHING = [  # of `start`, turn by turn, each of which takes a skeleton
    [f"flip {place}" for place in turn.split()] for turn in TURNS.split("; ")
]


def parts(genus):
    return [f"{genus}{part + 1}" for part in range(PARTS[genus])]


# ---------------------------------------------------------------- components, FM-1, FM-2


def test_components():
    """Twenty-four cards of one genus of four parts, four of three and four of two; the largest possible total."""
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
    """FM-1, FM-2: 24 cards face down, one of each part of nine genera; seat 0 begins, nobody has anything."""
    for seed in range(10):
        snapshot = deal(seed, num_players=players, recall=recall).snapshot
        check_genera(snapshot)
        assert snapshot["options"] == {"num_players": players, "genera": "random", "recall": recall, "max_turns": 200}
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
    """It is kept in table order, and these genera and TYR are in play in every game."""
    for seed in range(3):
        snapshot = deal(seed, genera=order).snapshot
        check_genera(snapshot)
        assert snapshot["options"]["genera"] == CHOSEN
        assert snapshot["genera"] == ["TYR", *CHOSEN]


@pytest.mark.parametrize(
    "wrong",
    [
        *("Random", None, [], 5, CHOSEN[:7], [*CHOSEN, "DIL"], ["TYR", *CHOSEN[1:]], ["BRA", *CHOSEN[:7]]),
        *(["BRA", "TRI", "ALL", "ANK", "QUE", "DEI", "STE", "PAC"], ["CAM", *CHOSEN[1:]], [1] * 8, [["BRA"], *CHOSEN[1:]]),
    ],
    ids=str,
)
def test_fm1_other_choices_are_refused(wrong):
    with pytest.raises(
        OptionError, match=r"option 'genera': .* is not one of 'random', or a list of four of BRA, .* and four of DEI, "
    ):
        GAME.complete_options({"genera": wrong})


@pytest.mark.parametrize("players", [2, 3, 4])
def test_fm2_turns_go_round(players):
    position = start(players=players)
    for turn in range(1, 10):
        assert position["turn"] == turn
        assert position.mover == (turn - 1) % players
        position.flip("1,1", "1,5")


# ---------------------------------------------------------------- FM-3 to FM-7


def test_fm3_any_face_down_card_may_be_flipped_and_nothing_else_done():
    position = start()
    assert position.legal == {f"flip {place}" for place in PLACES}
    assert len(GAME.actions) == 24, "there is no passing"
    position.flip("1,1")
    assert position.legal == {f"flip {place}" for place in PLACES} - {"flip 1,1"}
    position.flip("1,3")
    assert position.legal == {f"flip {place}" for place in PLACES} - {"flip 1,1", "flip 1,3"}


def test_fm4_the_cards_stay_in_sight_until_the_next_flip():
    position = start("none").flip("1,1", "1,5")
    for seat in (0, 1):
        assert [card for card in position.view(seat)["grid"] if card] == ["TYR1", "BRA1"]
    position.flip("4,6")
    assert position["shown"] == []
    for seat in (0, 1):
        assert [card for card in position.view(seat)["grid"] if card] == ["MOS2"], "the flip turns them down first"


@pytest.mark.parametrize("places", [("1,1", "1,5"), ("1,1", "1,2", "1,5"), ("1,1", "1,2", "1,3", "4,6"), ("4,5", "4,4")])
def test_fm5_another_genus_ends_the_turn_and_nothing_is_taken(places):
    position = start().flip(*places)
    assert (position["turn"], position.mover) == (2, 1)
    assert position["shown"] == list(places)
    assert position["up"] == []
    assert position["museums"] == [[], []]
    assert position["scores"] == [0, 0]
    assert position["grid"] == start()["grid"]


@pytest.mark.parametrize("recall", RECALLS)
def test_fm4_a_card_in_sight_counts_as_face_down(recall):
    """The next player may flip any of them, and takes a skeleton with them."""
    position = start(recall).flip("4,5", "4,3", "4,6", "4,5")
    assert (position["museums"], position["shown"]) == ([[], ["MOS"]], [])


def test_fm5_the_cards_of_the_turn_before_are_not_of_this_turn():
    """Parts in sight do not help: the skeleton must be flipped in one turn."""
    position = start().flip("2,2", "2,3", "2,5").flip("2,4")
    assert position["up"] == ["2,4"]
    assert position["museums"] == [[], []]
    position.flip("2,5")
    assert position["shown"] == ["2,4", "2,5"]


@pytest.mark.parametrize("places", [("1,1",), ("1,4", "1,2"), ("1,3", "1,1", "1,2"), ("2,2", "2,4"), ("4,5",)])
def test_fm6_the_same_player_goes_on_while_parts_are_missing(places):
    position = start().flip(*places)
    assert (position["turn"], position.mover) == (1, 0)
    assert position["up"] == list(places)
    assert position["shown"] == []


@pytest.mark.parametrize("texts", EVERYTHING)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("recall", RECALLS)
def test_fm7_a_complete_skeleton_is_taken(texts, reverse, recall):
    """Whatever the order: the cards leave the grid, the value is scored, and there is no further turn."""
    position = start(recall)
    genus = position["grid"][PLACES.index(texts[0].removeprefix("flip "))][:3]
    position.play(*(texts[::-1] if reverse else texts))
    assert position["museums"] == [[genus], []]
    assert position["scores"] == [VALUES[genus], 0]
    assert [card for card in position["grid"] if card] == [card for card in start()["grid"] if card[:3] != genus]
    assert (position["turn"], position.mover, position["shown"]) == (2, 1, [])
    assert not position.legal & set(texts)
    assert len(position.legal) == 24 - PARTS[genus]


def test_fm7_museums_are_in_the_order_taken():
    position = start().play(*EVERYTHING[8], *EVERYTHING[7], *EVERYTHING[0], *EVERYTHING[6], *EVERYTHING[1])
    assert position["museums"] == [["MOS", "TYR", "BRA"], ["DIL", "COE"]]
    assert position["scores"] == [7 + 25 + 20, 8 + 9]


# ---------------------------------------------------------------- FM-8 to FM-10


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("recall", RECALLS)
def test_fm8_fm9_the_last_card_ends_the_game(players, recall):
    """FM-8, FM-9: the most points win."""
    position = start(recall, players)
    for turn, texts in enumerate(EVERYTHING, 1):
        assert position["turn"] == turn
        assert position["winners"] == []
        position.play(*texts)
    snapshot = position.snapshot
    assert (snapshot["phase"], snapshot["to_move"], snapshot["turn"], snapshot["truncated"]) == ("over", -1, 9, False)
    assert sum(snapshot["scores"]) == 25 + 20 + 19 + 18 + 15 + 10 + 9 + 8 + 7
    best = max(snapshot["scores"])
    assert snapshot["winners"] == [p for p in range(players) if snapshot["scores"][p] == best]
    assert snapshot["grid"] == [""] * 24


def test_fm10_a_turn_beyond_the_limit_does_not_begin():
    """The points as they stand decide, and the cards of the last turn stay in sight."""
    position = start(max_turns=3).flip("4,1", "4,2", "3,5", "3,6", "1,1")
    assert position["phase"] == "flip"
    position.flip("1,5")
    snapshot = position.snapshot
    assert (snapshot["phase"], snapshot["to_move"], snapshot["turn"], snapshot["truncated"]) == ("over", -1, 3, True)
    assert snapshot["winners"] == [1]  # PAC 10 against COE, hence seat 1
    assert snapshot["scores"] == [9, 10]
    assert snapshot["shown"] == ["1,1", "1,5"]
    assert position.view(0)["grid"][0] == "TYR1"


def test_fm10_a_skeleton_in_the_last_turn_counts():
    position = start(max_turns=1).flip("3,5", "3,6")
    assert (position["truncated"], position["scores"], position["winners"]) == (True, [10, 0], [0])
    assert position["shown"] == []


def test_fm10_the_last_card_in_the_last_turn_is_no_truncation():
    position = start(max_turns=9)
    for texts in EVERYTHING:
        position.play(*texts)
    assert position["phase"] == "over"
    assert not position["truncated"]


def test_fm10_nobody_scores_everybody_wins():
    position = start(max_turns=2).flip("1,1", "1,5", "1,1", "1,5")
    assert (position["truncated"], position["winners"]) == (True, [0, 1])


# ---------------------------------------------------------------- FM-11


def cards_of(position, seat):
    return [card for card in position.view(seat)["grid"] if card]


@pytest.mark.parametrize(("recall", "shown"), [("perfect", ["TYR1", "BRA1", "TRI1", "MOS2"]), ("none", ["MOS2"])])
def test_fm11_every_card_that_was_face_up_or_none(recall, shown):
    """Perfect: every card that was face up at any time; none: only those that are face up now."""
    position = start(recall).flip("1,1", "1,5", "2,2", "1,1", "4,6")
    assert cards_of(position, 0) == cards_of(position, 1) == shown
    assert (position["seen"] is None, position["recent"]) == (recall == "none", None)


def test_fm11_recent_every_card_is_shown_to_every_seat_at_its_next_decision():
    """Three players: what was turned up since the own last decision, that decision's card included."""
    position = start("recent", 3).flip("1,1", "1,5")
    assert position["recent"] == [["1,5"], ["1,1", "1,5"], ["1,1", "1,5"]]
    assert cards_of(position, 0) == ["TYR1", "BRA1"], "what is in sight, too"
    position.flip("2,2")
    assert position["recent"] == [["1,5", "2,2"], ["2,2"], ["1,1", "1,5", "2,2"]]
    assert cards_of(position, 1) == ["TRI1"], "what it was shown at its last decision is gone"
    assert cards_of(position, 0) == ["BRA1", "TRI1"]
    assert cards_of(position, 2) == ["TYR1", "BRA1", "TRI1"]
    position.flip("1,1")
    assert position["recent"] == [["1,5", "2,2", "1,1"], ["1,1"], ["1,5", "2,2", "1,1"]], "at its latest turn, once"
    assert cards_of(position, 1) == ["TYR1", "TRI1"], "the cards in sight, too"


@pytest.mark.parametrize("recall", ["recent", "none"])
def test_fm11_with_recent_and_none_no_older_record_is_kept(recall):
    """Two ways to the same cards in sight are one position, in which the scripted player flips the same."""
    one = start(recall).flip("4,1", "1,1", "1,5", "2,2", "4,6", "2,5", "4,6", "2,2")
    other = start(recall).flip("4,3", "4,5", "1,1", "2,2", "1,5", "2,5", "4,6", "2,2")
    assert one.snapshot | {"rng": ""} == other.snapshot | {"rng": ""}
    assert one.scripted == other.scripted
    assert all(one.known_to(seat) == other.known_to(seat) for seat in (0, 1))


def test_fm11_recent_what_is_taken_is_forgotten():
    position = start("recent", 3).flip("4,5", "1,1").flip("4,6", "4,5")
    assert position["museums"] == [[], ["MOS"], []]
    assert position["recent"] == [["1,1"], [], ["1,1"]]
    for seat, shown in enumerate((["TYR1"], [], ["TYR1"])):
        assert cards_of(position, seat) == shown
