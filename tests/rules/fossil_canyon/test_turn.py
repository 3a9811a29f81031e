"""FC-9 to FC-28: events, digging, exchanges, bonus dig, adjusting, research; also what must not
happen."""

from collections import Counter

import numpy as np
import pytest

from tests.games import needs_compiling
from tests.rules.fossil_canyon.positions import Position, arrange, base, deal, in_order


def exchange(hidden, open_, **changes):
    """A position in the exchange step of seat 0."""
    return arrange(hidden, open_, phase="exchange", **changes)


# ---------------------------------------------------------------- events


def test_fc3_the_deck_goes_round_in_a_fixed_order():
    position, chance = deal(5), np.random.default_rng(1)
    order = position["events"][::-1]
    drawn = []
    while len(drawn) < 20 and position.mover >= 0:
        turn = position["turn"]
        position.play_randomly(chance)
        if position.mover >= 0 and position["turn"] > turn and not position["ending"]:
            drawn.append(position["events"][0])
    assert drawn == (order * 2)[: len(drawn)]


def test_fc11_with_one_buried_fossil_only_one_is_exposed():
    left = arrange([[], []], [["TYR1"], ["BRA1"]], phase="adjust", on_top=["MOS1"])
    snapshot = left.snapshot
    moved = snapshot["buried"][:-1]
    position = Position({**snapshot, "buried": ["MOS1"], "exposed": in_order(moved)}).play("done")
    assert position["buried"] == []
    assert position["exposed"] == in_order([*moved, "MOS1"])


# ---------------------------------------------------------------- digging


def test_fc10_fc13_dug_fossils_are_hidden_beyond_the_limit():
    """FC-10, FC-13: both kinds of digs go to the hidden hand, which may grow larger than the limit
    in the own turn."""
    position = arrange(
        [["TYR1", "BRA1", "TRI1"], []], [[], ["ALL1"]], exposed=["ANK1"], on_top=["PAR1"]
    )
    assert position.legal == {"dig buried", "dig ANK1"}
    position.play("dig buried", "dig ANK1")
    assert position["hidden.0"] == ["TYR1", "BRA1", "TRI1", "ANK1", "PAR1"]
    assert position["open.0"] == []
    assert position["phase"] == "exchange"


def test_fc15_no_question_for_exposed_fossils_or_without_the_option():
    position = arrange(
        [["MOS1"], []], [["TYR1"], ["ALL1"]], exposed=["MOS2"], options__return_dig=True
    ).play("dig MOS2")
    assert position["phase"] == "dig"
    assert arrange([["MOS1"], []], [["TYR1"], ["ALL1"]]).play("dig buried")["phase"] == "dig"


def test_fc15_no_question_in_the_bonus_dig():
    position = exchange([["MOS1", "UTA"], []], [["TYR1"], ["MOS2"]], options__return_dig=True)
    position.play("exchange +1", "give open TYR1", "take MOS2")
    assert position["phase"] == "bonus"
    assert position.play("dig buried")["phase"] == "adjust"


# ---------------------------------------------------------------- exchanges


def test_fc16_prices():
    """FC-16: 1, 2 and 3 fossils, with anybody, the same again, and at most three exchanges."""
    mine = ["TYR1", "BRA1", "TRI1", "ALL1", "ANK1", "PAR1", "DEI1"]
    position = exchange([[], []], [mine, ["STE1", "PAC1", "COE1"]])
    given = iter(mine)
    for price, taken in enumerate(["STE1", "PAC1", "COE1"], 1):
        assert position.legal == {"exchange +1", "finish"}
        position.play("exchange +1")
        for left in range(price, 0, -1):
            assert (position["phase"], position["exchange.left"]) == ("give", left)
            position.play(f"give open {next(given)}")
        position.play(f"take {taken}")
    assert position["phase"] == "adjust", "no fourth exchange"
    assert position["hidden.0"] == ["STE1", "PAC1", "COE1"]
    assert len(position["open.1"]) == 6


def test_fc17_who_can_be_exchanged_with():
    """FC-17: enough fossils to pay, and something that may be taken: a hidden fossil only with
    `blind_take`."""
    hands = [["TYR1"], ["BRA1"], [], []], [[], [], ["TRI1"], []]
    assert exchange(*hands).legal == {"exchange +1", "exchange +2", "finish"}
    assert exchange(*hands, options__blind_take=False).legal == {"exchange +2", "finish"}
    position = exchange(*hands, exchanges=1)  # the second costs two
    assert position.legal == {"finish"}


def test_fc19_barred_only_in_this_exchange():
    position = exchange([["TYR1", "UTA"], []], [["CAM", "BRA1"], ["PAR1", "PAR2"]])
    position.play(
        "exchange +1",
        "give hidden TYR1",
        "take PAR1",
        "exchange +1",
        "give hidden UTA",
        "give open CAM",
    )
    assert position.legal == {"take TYR1", "take PAR2"}


@needs_compiling
def test_fc20_blind_takes_are_uniform_over_the_cards():
    """FC-20, chance 3: each card of the hidden hand with the same probability, two of a type
    counting twice."""
    seen = Counter()
    for seed in range(900):
        position = exchange(
            [["TYR1"], ["BRA1", "MOS1", "MOS1"]], [["ANK1"], []], rng=str(seed * 7919)
        )
        position.play("exchange +1", "give open ANK1", "take blind")
        seen.update(position["hidden.0"])
        assert len(position["hidden.1"]) == 2
    assert abs(seen["BRA1"] - 300) < 71  # five standard deviations
    assert abs(seen["MOS1"] - 600) < 71


def test_fc21_the_step_ends_when_no_exchange_can_begin():
    """FC-21: unasked, although an award could be claimed; that is possible in step 5."""
    position = arrange([["CAM", "SAU"], []], [[], []], on_top=["TYR1", "TYR2"]).play(
        "dig buried", "dig buried"
    )
    assert position["phase"] == "adjust"
    assert "claim minor" in position.legal


# ---------------------------------------------------------------- bonus dig


def test_fc22_two_skeletons_earn_one_bonus_dig():
    position = exchange(
        [["MOS1", "DIL1", "DIL2"][:2], []], [["TYR1", "UTA", "CAM"], ["MOS2", "DIL2"]]
    )
    position.play(
        "exchange +1",
        "give open TYR1",
        "take MOS2",
        "exchange +1",
        "give open UTA",
        "give open CAM",
        "take DIL2",
    )
    assert position["phase"] == "bonus"
    assert position.play("dig buried")["phase"] == "adjust"


def test_fc22_none_from_an_empty_site():
    """FC-22: without a fossil in the site there is no bonus dig."""
    last = {
        "turn": 18,
        "player": 2,
        "to_move": 2,
        "phase": "dig",
        "digs": 1,
        "ending": False,
        "buried": ["PAC2"],
    }
    hands = {"hidden": [["BRA1"], ["EDM"], []], "open": [["BRA2"], ["STE1"], ["DEI1", "PAC1"]]}
    position = base("end", {**last, **hands}).play("dig buried")
    assert (position["phase"], position["bonus"], position["scores.2"]) == ("exchange", True, 95)
    assert position.play("finish")["phase"] == "adjust"


def test_fc22_awards_earn_none():
    position = exchange([["CAM", "SAU"], []], [["TYR1"], ["MOS2"]]).play(
        "claim minor", "pay CAM", "pay SAU", "finish"
    )
    assert position["phase"] == "adjust"


# ---------------------------------------------------------------- adjusting


def test_fc25_a_complete_choice_ends_the_turn():
    position = arrange([["TYR1", "BRA1", "TRI1"], []], [["MOS1"], ["ALL1"]], phase="adjust")
    position.play("hide TYR1", "hide BRA1", "hide MOS1")
    assert (position["turn"], position["open.0"], position["chosen"]) == (2, ["TRI1"], [[], []])


def test_adjusting_is_passed_over_without_fossils():
    position = arrange([[], []], [["CAM", "SAU"], ["ALL1"]], phase="adjust").play(
        "claim minor", "pay CAM", "pay SAU"
    )
    assert (position["turn"], position.mover, position["scores"]) == (2, 1, [10, 0])


# ---------------------------------------------------------------- research


def test_fc26_when_awards_can_be_claimed():
    """FC-26: dig, exchange, bonus, adjust before the first `hide`; not inside an exchange, a
    question or a choice."""
    hands = [["CAM", "SAU", "MOS1"], []], [["TYR1", "ORN"], ["MOS2"]]
    digging = arrange(*hands)
    assert "claim minor" in digging.legal
    assert "claim minor" in digging.play("dig buried").legal
    position = exchange(*hands)
    assert "claim minor" in position.legal
    for text in ("exchange +1", "give open TYR1"):
        assert not {"claim minor", "claim major"} & position.play(text).legal
    position.play("take MOS2", "finish")
    assert position["phase"] == "bonus"
    assert "claim minor" in position.legal
    position.play("dig buried")
    assert "claim minor" in position.legal
    position.play("hide CAM")
    assert "claim minor" not in position.legal
    keep = arrange(*hands, options__return_dig=True).play("dig buried")
    assert keep.legal == {"keep", "put back"}


def test_fc26_never_on_anothers_turn_or_at_setup():
    position = arrange([[], ["CAM", "SAU"]], [["TYR1"], []])
    assert not position.mask(1).any()
    for seed in range(20):
        deal_ = deal(seed, num_players=2)
        assert not any(text.startswith("claim") for text in deal_.legal)


@pytest.mark.parametrize(
    ("traces", "claims"),
    [
        (["CAM"], set()),
        (["CAM", "SAU"], {"claim minor"}),
        (["CAM", "ALA"], {"claim minor"}),
        (["CAM", "ALA", "SAU"], {"claim minor", "claim major"}),
    ],
)
def test_fc27_values(traces, claims):
    """FC-27: 4 and 6, hidden and face up together."""
    position = arrange([traces[:1], []], [traces[1:], ["TYR1"]])
    assert {text for text in position.legal if text.startswith("claim")} == claims


def test_fc27_pieces_run_out():
    """FC-27: three minor awards and one major one."""
    traces = ["ALA", "EDM", "ORN", "SAU"]
    position = arrange([[], []], [traces, ["TYR1"]], awards=[[], ["major"]], spent=["CAM", "UTA"])
    assert {text for text in position.legal if text.startswith("claim")} == {"claim minor"}


def test_fc28_back_to_the_exchange_step():
    """FC-28, FC-21: when the payment leaves too few fossils for an exchange, the step is over."""
    position = exchange([["CAM", "SAU"], []], [[], ["TYR1"]]).play(
        "claim minor", "pay CAM", "pay SAU"
    )
    assert (position["turn"], position.mover) == (2, 1), "nothing is left to adjust, either"
