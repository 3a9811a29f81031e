"""The end of a turn and of the game, DG-24 to DG-31."""

from collections import Counter

import numpy as np
import pytest

from tests.rules.diggity.positions import Position, arrange, base, changed, deal, random_step

STUCK = {"mine.0.card": "L-N", "hands.1": ["C-EW", "T-E", "S-EW", "S-E", "L-E"], "pile.50": "C-NW", "pile.24": "C-N",
         "pile.48": "S-N", "pile.47": "L-NE"}  # fmt: skip


def test_a_card_is_drawn_for_each_laid():
    """DG-27: the top of the pile."""
    position = deal(0)
    top = position["pile"][-1]
    position.play("card 0")
    assert len(position["hands.0"]) == 5
    assert top in position["hands.0"]
    assert len(position["pile"]) == 53


def test_none_is_drawn_after_a_pass():  # DG-27
    position = base("ring", STUCK)
    before = position["hands.1"], position["pile"]
    position.play("pass")
    assert (position["hands.1"], position["pile"], position["passes"]) == (*before, 1)


def test_a_card_laid_ends_the_passes():
    """DG-24: they count in a row."""
    position = base("ring", STUCK).play("pass")
    while position["phase"] != "play" or position["player"] == 0:
        position.play(sorted(position.legal)[0])
    assert position["passes"] == 0


def test_all_have_passed():
    """DG-24: the mine is closed, the player after the last to pass begins."""
    position = base("ring", {**STUCK, "passes": 1}).play("pass")
    assert (position["mine"], position["discard"], position["passes"]) == ([], ["T-NE", "S-NW", "L-N"], 0)
    assert (position["player"], position["turn"]) == (0, 5)
    assert position.legal == {f"card {h}" for h in range(5)}


def test_no_open_passage_left():
    """DG-24: the next player begins a new mine."""
    position = arrange([["S-N"], []], mine=[("L-N", 0, 0, 0)])
    position.play(f"card {position['hands.0'].index('S-N')}", "place 0 N")
    assert (position["mine"], position["discard"], position["player"]) == ([], ["S-N", "L-N"], 1)


def test_the_closing_card_gives_its_tool():  # DG-25
    position = arrange([["T-N"], []], mine=[("L-N", 0, 0, 0)])
    position.play(f"card {position['hands.0'].index('T-N')}", "place 0 N")
    assert (position["mine"], position["tools"], position["player"]) == ([], [["shovel"], []], 1)


def test_the_closing_card_gives_gold_and_the_winner_begins():
    """DG-25: not the next player."""
    mine = [("S-N", 0, 0, 0), ("S-NS", 0, -14, 0), ("C-NS", 0, -28, 0)]
    position = arrange([["T-N"], []], mine=mine)
    position.play(f"card {position['hands.0'].index('T-N')}", "place 0 N")
    assert (position["mine"], position["scores"][0] > 0, position["player"]) == ([], True, 0)


def test_the_order_at_the_end_of_a_turn():
    """DG-26, DG-28: the hand is filled up from the old pile, then the mine is discarded and is in the new pile."""
    position = base("jill").play("card 0", "place 3 S", "stop", "stop")
    assert "T-NW" in position["hands.0"]
    assert {"S-NESW", "T-NESW", "S-NES"} <= set(position["pile"])
    assert (len(position["pile"]), position["discard"]) == (52, [])


def test_the_new_pile_is_shuffled():
    """DG-28, chance 2: every game has another order."""
    orders = set()
    for rng in range(6):
        position = Position({**changed("jill", {}), "rng": str(rng)})
        position.play("card 1", "place 0 N")
        assert Counter(position["pile"]) == Counter(changed("jill", {})["discard"])
        orders.add(tuple(position["pile"]))
    assert len(orders) == 6


def test_with_nothing_discarded_the_mine_is_closed():
    """DG-28: all other cards are in the mine or in hands."""
    position = long_mine()
    count = len(position["mine"])
    assert (position["discard"], len(position["pile"])) == ([], 1)
    position.play(sorted(position.legal)[0])
    text = next(text for text in sorted(position.legal) if position.copy().play(text)["phase"] == "play")
    player = position["player"]
    position.play(text)
    assert (position["mine"], position["discard"]) == ([], [])
    assert len(position["pile"]) in (count + 1, 54)
    assert position["player"] == 1 - player


def long_mine() -> Position:
    """A mine of all cards that are not in hands, but one: laid by players who never find gold."""
    for seed in range(40):
        position, chance = deal(seed, max_turns=10_000), np.random.default_rng(seed)
        for _ in range(400):
            texts = sorted(position.legal)
            if position["phase"] == "place":
                texts = [text for text in texts if keeps_the_mine(position, text)] or texts
            elif position["phase"] == "take":
                texts = [text for text in texts if text != "take miner"]
            if position["phase"] == "play" and len(position["pile"]) == 1 and not position["discard"]:
                twin = position.copy().play(texts[0])
                if any(twin.copy().play(text)["phase"] == "play" for text in twin.legal):
                    return position
            position.play(texts[int(chance.integers(len(texts)))])
            if position.mover < 0 or position["discard"]:
                break
    raise AssertionError("no mine has grown so far")


def keeps_the_mine(position, text):
    twin = position.copy().play(text)
    return bool(twin["mine"]) and twin["phase"] != "auction"


# ---------------------------------------------------------------- the end of the game


def test_the_last_gold():
    """DG-29: over at once: no card is drawn, the mine stays; DG-30."""
    changes = {"gold": [2], "nuggets": [[4], [5], [3]], "scores": [4, 5, 3]}
    position = base("jill", changes).play("card 0", "place 3 S", "stop", "stop")
    assert (position["phase"], position["to_move"], position["winners"], position["truncated"]) == ("over", -1, [0], False)
    assert (len(position["hands.0"]), len(position["mine"]), position["turn"], position["player"]) == (3, 4, 31, 0)


def test_ties_are_shared():  # DG-30
    changes = {"gold": [2], "nuggets": [[3], [5], [4]], "scores": [3, 5, 4], "gold_aside": changed("jill", {})["gold_aside"]}
    changes["gold_aside"] = [1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6]
    position = base("jill", changes).play("card 0", "place 3 S", "stop", "stop")
    assert (position["scores"], position["winners"]) == ([5, 5, 4], [0, 1])


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_the_turn_limit(limit):
    """DG-31: the turn with that number is played to its end, and it is the last."""
    position, chance = deal(3, max_turns=limit), np.random.default_rng(3)
    while position.mover >= 0:
        assert position["turn"] <= limit
        random_step(position, chance)
    assert (position["turn"], position["truncated"], position["phase"]) == (limit, True, "over")
    assert [len(hand) for hand in position["hands"]] == [5, 5]
    assert position["winners"] == [p for p in (0, 1) if position["scores"][p] == max(position["scores"])]


def test_the_last_gold_in_the_last_turn():
    """DG-29, DG-31: the game is over by gold, not truncated."""
    changes = {"gold": [2], "nuggets": [[4], [5], [3]], "scores": [4, 5, 3], "options.max_turns": 31}
    assert base("jill", changes).play("card 0", "place 3 S", "stop", "stop")["truncated"] is False


def test_gold_in_the_last_turn():
    """DG-31: it counts, and all of DG-26 is done."""
    position = base("jill", {"options.max_turns": 31}).play("card 0", "place 3 S", "stop", "stop")
    assert (position["truncated"], position["scores"], position["winners"]) == (True, [6, 5, 0], [0])
    assert (position["mine"], len(position["hands.0"]), len(position["pile"])) == ([], 4, 52)


def test_a_pass_in_the_last_turn():  # DG-31
    position = base("ring", {**STUCK, "options.max_turns": 4}).play("pass")
    assert (position["truncated"], position["passes"], position["winners"]) == (True, 1, [0, 1])
