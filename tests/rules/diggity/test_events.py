"""Sentences about what happens that tests/playthroughs do not record: rare kinds, the order, and
who is told how much."""

import re

import numpy as np

from dig_envs.engine.game import deciding
from dig_envs.registry import load_game
from tests.rules.diggity.positions import arrange, auction, base, deal, quiet, theft


def test_dg_17_not_gained():
    position = base("parts", {"tools": [["shovel", "shovel"], []], "piles.shovel": 0})
    told = position.happens("card 4", "place 1 N")
    assert told[2:4] == [
        "It would make a shovel, but none is in the pile, and nobody else has one.",
        "Player 1 makes a shed and takes it from the pile.",
    ]
    assert not any("can make" in text for text in told)


def test_dg_19_to_dg_23_the_rulebooks_auction():
    told = base("jill").happens(
        "card 0", "place 3 S", "play shovel", "play pulley", "play cart", "play shed", viewer=2
    )
    assert told[2:] == [
        "Player 1 makes a miner, who finds 2 nuggets.",
        "Player 1 plays a shovel and leads.",
        "Player 1 has no pulley and is skipped.",
        "Player 2 plays a pulley and leads.",
        "Player 2 has no cart and is skipped.",
        "You play a cart and lead.",
        "You play a shed and lead.",
        "You win 2 nuggets.",
        "Player 1 draws a card.",
        "The mine is finished: its cards, 4 in all, are discarded.",
        "The draw pile is empty: the discarded cards, 52 in all, are shuffled and are the new one.",
        "You have the turn.",
    ]


def test_dg_25_with_gold_the_mine_is_finished_and_not_closed():
    mine = [("S-N", 0, 0, 0), ("S-NS", 0, -14, 0), ("C-NS", 0, -28, 0)]
    position = arrange([["T-N"], []], mine=mine)
    told = position.happens(f"card {position['hands.0'].index('T-N')}", "place 0 N")
    assert "The mine is finished: its cards, 4 in all, are discarded." in told
    assert not any("closed" in text for text in told)


def test_dg_28_with_nothing_discarded_the_mine_is_closed_first():
    position, chance = deal(0), np.random.default_rng(0)
    told: list[str] = []
    while "and the mine is closed" not in " ".join(told):
        count, player = len(position["mine"]) + 1, position["player"]
        told = position.happens(quiet(position, chance))
    assert told[-3:] == [
        (
            f"There is no card to draw or to shuffle, and the mine is closed: its cards, {count} "
            "in all, are discarded."
        ),
        (
            f"The draw pile is empty: the discarded cards, {count} in all, are shuffled and are "
            "the new one."
        ),
        f"Player {2 - player} has the turn.",
    ]


def test_dg_29_the_last_gold_no_card_is_drawn_and_the_mine_stays():
    changes = {"gold": [2], "nuggets": [[4], [5], [3]], "scores": [4, 5, 3]}
    told = base("jill", changes).happens("card 0", "place 3 S", "stop", "stop", viewer=0)
    assert told[-2:] == ["You win 2 nuggets.", "The game is over. The last gold is won. You won."]
    assert not any("draw" in text or "discarded" in text for text in told)


def test_dg_32_with_hidden_tools_only_who_has_none_is_skipped():
    """That a seat has not the next tool is told to nobody."""
    position = auction(["cart"], [], ["shed"], options__hidden_tools=True)
    assert position.happens("stop", "stop")[:3] == [
        "Player 1 stops.",
        "Player 2 has no tools and is skipped.",
        "Player 3 stops.",
    ]


def test_dg_33_showed_before_the_theft_and_hidden_again():
    position = arrange(
        [["L-NS"], [], []],
        mine=[("C-NESW", 0, 0, 0)],
        tools=[[], ["shovel", "pulley"], ["pulley", "pulley"]],
        options__hidden_tools=True,
        revealed={"kind": "shed", "thief": 2},
    )
    told = position.happens(f"card {position['hands.0'].index('L-NS')}", "place 0 N", viewer=1)
    assert told[2:] == [
        "Player 1 makes a pulley, but none is in the pile.",
        "Every shed is hidden again.",
        "You lay 1 pulley open.",
        "Player 3 lays 2 pulleys open.",
    ]
    assert position.happens("steal +2")[0] == "Player 1 steals a pulley from Player 3."


def test_dg_33_hidden_again_before_the_thiefs_next_turn():
    squares = [["S-NESW", "S-NESW", "S-NES", "S-NES"], ["S-NES", "S-ESW", "S-ESW", "S-ESW"]]
    position = theft([[], ["pulley"], ["pulley", "pulley"]], others=squares).play("steal +2")
    for seat in (1, 2):
        hand = position["hands"][seat]
        position.happens(f"card {next(h for h, card in enumerate(hand) if card[0] == 'S')}")
        told = position.happens(sorted(position.legal)[0])
        assert ("Every pulley is hidden again." in told) == (seat == 2)
    assert told[-2:] == ["Every pulley is hidden again.", "Player 1 has the turn."]


def test_who_sees_a_card_picks_it_by_name():
    game = load_game("diggity_v0")
    states = game.deal({}, seed=1)
    picks = [one["label"] for one in game.legal_texts(states, deciding(states)[0])]
    assert picks
    assert all(re.fullmatch(r"Pick an? .*[a-z]", label) for label in picks), picks
