"""CC-20 to CC-30: erosion, floods, sandbagging, displacement, the storm and the end."""

from collections import Counter

import numpy as np
import pytest

import dig_envs
from dig_envs.games.cretaceous_creek import questions
from tests.rules.cretaceous_creek.positions import (
    EVENTS,
    GAME,
    NEW_OUT,
    deal,
    in_order,
    late,
    start_with,
)

# ---------------------------------------------------------------- CC-20 to CC-23


def test_cc21_none_does_nothing():
    """CC-21: a `none` card changes no space."""
    before = start_with(deck=["A1", "A2", "A3", "none"])
    grid, top = before["grid"], before["top"]
    before.play("end turn")
    assert (before["grid"], before["top"], before["stacks"]) == (grid, top, [["none"]])


def test_cc22_no_flood_before_storm_phase_4():
    """CC-22: an empty space is not flooded in Storm Phases 1 to 3."""
    position = start_with([["PAC2", "QUE1"], []], deck=["none", "A2", "A3", "C1"])
    assert position["grid.C1"] == []
    position.play("end turn")
    assert (position["flooded"], position["stacks"]) == ([], [["C1"]])


# ---------------------------------------------------------------- CC-24


def test_cc24_not_before_storm_phase_4():
    """CC-24: nobody is asked in Storm Phases 1 to 3."""
    assert start_with([["EDM"], []]).play("end turn")["phase"] == "act"


def test_cc24_nobody_is_asked_without_edm_in_storage():
    """CC-24: EDM lying in the ground or out of the game is of no use."""
    assert (
        late(pos=["A2", "B5"], storage=[["PAR1"], []], out=NEW_OUT).play("end turn")["phase"]
        == "act"
    )


def test_cc24_sandbag_in_period_2():
    """CC-24: the stack and EDM go out of the game, nothing happens, and the cards are not used."""
    changes = {"turn": 29, "period": 2, "deck": [], "stacks": [["A1", "B1", "none", "C1"], ["C4"]]}
    changes["used"] = ["A2", "A3", "A4", "A5", "B2", "B3", "B4", "B5", "C2", "C3", "C5"]
    position = late(**changes).play("end turn")
    assert position["revealed"] == ["A1", "B1", "none", "C1"]
    position.play("sandbag")
    assert position["sandbagged"] == ["A1", "B1", "none", "C1"]
    assert (position["used"], position["stacks"], position["flooded"]) == (
        changes["used"],
        [["C4"]],
        [],
    )
    assert (position["out"], position["storage"], position["turn"]) == (NEW_OUT, [["PAR1"], []], 30)


# ---------------------------------------------------------------- CC-25


def test_cc25_seat_order_and_completion_on_arrival():
    """CC-25, CC-17: displaced carriers choose in seat order; an escape to a camp completes a
    skeleton."""
    position = late(
        storage=[["PAR1", "PAR2", "PAR3"], ["EDM"]],
        pos=["B1", "B2"],
        grid__B3=[],
        top__B3=None,
        grid__C5=[],
        top__C5=None,
    )
    position.play("end turn", "no sandbag")
    assert (position["displaced"], position["to_move"], position["turn"]) == ([0, 1], 0, 25)
    assert position.legal == {"escape N"}
    position.play("escape N")
    assert (position["museum"], position["ended"]) == (
        ["TYR", "TRI", "ANK", "PAC", "PAR", "QUE"],
        None,
    )
    assert (position["displaced"], position["to_move"], position["phase"]) == ([1], 1, "escape")
    assert position.legal == {"escape N", "escape E", "escape S"}
    position.play("escape N")
    assert (position["pos"], position["turn"], position["phase"]) == (["A1", "A2"], 26, "act")


def test_cc25_who_stores_nothing_stays():
    """CC-25: only carriers leave a flooded space."""
    position = late(pos=["A1", "B1"], storage=[["PAR1"], []], out=NEW_OUT).play("end turn")
    assert (position["phase"], position["pos"], position["flooded"]) == (
        "act",
        ["A1", "B1"],
        ["B1", "B2", "C1"],
    )


def test_cc25_forced_discards_come_first():
    """CC-25: a carrier that cannot leave discards everything before the others choose."""
    changes = {
        "turn": 26,
        "player": 1,
        "to_move": 1,
        "grid__A1": [],
        "top__A1": None,
        "flooded": ["A2", "C2"],
    }
    changes["stacks"] = [["none", "none"]]
    changes["deck"] = ["none", "A3", "A4", "A5", "B3", "B4", "B5", "C5", "C1", "B2", "A1", "B1"]
    position = late(**changes, storage=[["EDM"], ["PAR1", "PAR1"]], pos=["B1", "B2"])
    position.play("end turn", "no sandbag")
    assert (position["storage"], position["out"]) == ([[], ["PAR1", "PAR1"]], NEW_OUT)
    assert (position["phase"], position["to_move"], position["displaced"]) == ("escape", 1, [1])
    assert position.legal == {"escape E"}


# ---------------------------------------------------------------- CC-26, CC-27


@pytest.mark.parametrize("storm", [1, 2, 3])
def test_cc26_the_storm_advances_and_all_cards_are_shuffled(storm):
    """CC-26: the next Storm Phase has its own deck, all 18 cards are in play, and nothing is
    flooded or used."""
    stack = ["A3", "A4", "A5"][:storm]
    used = ["A2", "B1", "B2", "B3", "B4", "B5", "C1", "C2", "C3"][: 3 * storm]
    turn = {"turn": 8 * storm, "player": 1, "to_move": 1, "storm": storm, "period": 2}
    position = start_with(deck=[], stacks=[stack], used=used, **turn).play("end turn")
    assert (position["storm"], position["period"], position["turn"], position["to_move"]) == (
        storm + 1,
        1,
        8 * storm + 1,
        0,
    )
    assert (len(position["deck"]), len(position["aside"])) == (4 * storm + 4, 14 - 4 * storm)
    assert Counter(position["deck"] + position["aside"]) == EVENTS
    assert (position["stacks"], position["used"]) == ([], [])


def test_cc26_shuffle_is_uniform():
    """CC-26, chance 3: over many generators every card is on top of the new deck equally often."""
    position = start_with(
        turn=8, player=1, to_move=1, period=2, deck=[], stacks=[["A3"]], used=["C5", "A2", "B3"]
    )
    count = 4000
    top = np.zeros(16, np.int64)
    for seed in range(count):
        states = position.states.copy()
        states["rng"] = seed * 7919
        GAME.kernels.apply_one(states, 1, GAME.action_index["end turn"])
        top[states["deck"][0, 7]] += 1
    assert abs(top[:15] - count / 18).max() < 5 * (count / 18) ** 0.5
    assert abs(top[15] - count / 6) < 5 * (count / 6) ** 0.5


def test_cc26_also_at_the_end_of_period_1():
    """CC-26, CC-27: when the deck runs out and all its cards were laid or sandbagged, the storm
    advances at once."""
    spaces = ["A2", "A3", "A4", "B1", "B2", "B4", "B5", "C1"]
    changes = {
        "turn": 28,
        "deck": ["A5", "C2", "C3", "C4"],
        "flooded": spaces,
        "player": 1,
        "to_move": 1,
    }
    changes |= {"sandbagged": ["none", "B3", "A1", "C5"], "stacks": []}
    position = late(**changes, pos=["A1", "C5"], storage=[["PAR1"], []], out=NEW_OUT).play(
        "end turn"
    )
    assert (position["ended"], position["storm"], position["turn"]) == ("flooded", 5, 28)


# ---------------------------------------------------------------- CC-28, CC-29


def test_cc28_the_evacuated_win_too():
    """CC-28: everybody who has not evacuated on a camp; all seats win."""
    changes = {
        "storage": [["PAR1", "PAR2"], [], []],
        "pos": ["B5", None, "A1"],
        "evacuated": [False, True, False],
    }
    changes |= {
        "options__num_players": 3,
        "scores": [5] * 3,
        "grid__B3": [],
        "top__B3": None,
        "out": NEW_OUT,
    }
    position = late(**changes).play("excavate S", "move N")
    assert (position["ended"], position["winners"], position["scores"]) == (
        "won",
        [0, 1, 2],
        [6, 6, 6],
    )


@pytest.mark.parametrize("fossil", ["TYR1", "QUE1", "PAC1"])
def test_cc29_part(fossil):
    """CC-29 `part`: the last copy of a needed type out of the game loses at once, a spare copy or
    EDM does not."""
    spare = fossil != "TYR1"
    position = start_with([[fossil], []]).play(f"discard {fossil}")
    assert position["ended"] == (None if spare else "part")
    if spare:
        last = start_with([[fossil], []], out=(fossil,)).play(f"discard {fossil}")
        assert (last["ended"], last["winners"], last["to_move"], last["phase"]) == (
            "part",
            [],
            -1,
            "over",
        )
    assert start_with([["EDM"], []]).play("discard EDM")["ended"] is None


def test_cc29_a_completed_genus_is_not_needed():
    """CC-29: fossils of a genus with a piece may be lost."""
    position = start_with([["PAC1"], []], ("PAC",)).play("discard PAC1")
    assert (position["ended"], position["out"]) == (None, ["PAC1"])


def test_cc29_part_comes_before_evacuated():
    """CC-29: the first reason that applies is named."""
    assert (
        start_with([["TYR1"], []], pos=["A1", None], evacuated=[False, True]).play("evacuate")[
            "ended"
        ]
        == "part"
    )


CORNERS = {
    "turn": 26,
    "player": 1,
    "to_move": 1,
    "grid__A1": [],
    "top__A1": None,
    "grid__C5": [],
    "top__C5": None,
}
CORNERS |= {
    "grid__C4": ["PAR3"],
    "top__C4": "exposed",
    "flooded": ["A5", "C1", "C5"],
    "stacks": [["none"]],
}
CORNERS["deck"] = ["none", "none", "A3", "A4", "B1", "B2", "B3", "B4", "B5", "C3", "C4", "A1"]


def test_cc29_corners_not_with_a_complete_museum():
    """CC-29 `corners`: only while a piece is missing; who stores nothing can still win on a flooded
    camp."""
    museum = {"museum": ["TYR", "TRI", "ANK", "PAC", "PAR", "QUE"], "scores": [6, 6]}
    changes = {
        **CORNERS,
        **museum,
        "storage": [[], []],
        "out": NEW_OUT,
        "grid__B3": [],
        "top__B3": None,
        "grid__C4": ["PAR1"],
    }
    position = late(**changes).play("end turn")
    assert position["ended"] is None
    assert {"A1", "A5", "C1", "C5"} <= set(position["flooded"])
    position.play("move N", "end turn")
    assert (position["pos.0"], position["ended"]) == ("A1", None)
    position.play("move N")
    assert position["ended"] == "won"


def test_cc29_corners_not_in_the_solo_game():
    """CC-29 `corners` does not apply to the solo game, where a skeleton is completed anywhere."""
    seats = {
        "options__num_players": 1,
        "scores": [5],
        "pos": ["B3"],
        "evacuated": [False],
        "storage": [["PAR1"]],
    }
    out = in_order([*NEW_OUT, "PAR1"])
    position = late(**{**CORNERS, **seats, "player": 0, "to_move": 0, "out": out}).play("end turn")
    assert position["ended"] is None
    assert {"A1", "A5", "C1", "C5"} <= set(position["flooded"])


def test_cc30_length():
    """CC-30: one erosion step a turn, each of which uses up one draw or one stack; waiting ends
    within 32 turns."""
    for seed in range(30):
        position = deal(seed).play("camp A1", "camp A5")
        for turn in range(1, 33):
            assert position["turn"] == turn
            cards = len(position["deck"]), len(position["stacks"])
            position.play("end turn")
            if position["ended"] or position["storm"] > (turn + 7) // 8:
                break
            now = len(position["deck"]), len(position["stacks"])
            assert now in ((cards[0] - position["storm"], cards[1] + 1), (0, cards[1] - 1))
        assert position["turn"] <= 32


@np.errstate(over="raise")
def test_cc30_a_game_that_has_just_begun_is_not_hopeless():
    """CC-30: 32 turns with 4 action points, more than a number of the state can be; without a
    compiler, too."""
    env = dig_envs.make("cretaceous_creek_v0")
    env.reset(seed=1)
    while not env.unwrapped.states["ap"][0]:  # where everybody begins
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    state = env.unwrapped.states.view(np.recarray)[0]
    assert getattr(questions.most_turns, "py_func", questions.most_turns)(state) == 32
    assert not getattr(questions.is_hopeless, "py_func", questions.is_hopeless)(state)
