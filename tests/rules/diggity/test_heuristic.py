"""The scripted player: what a good player does, and that it wins."""

from tests.rules.diggity.positions import ROW, arrange, auction


def test_it_makes_a_miner_when_nobody_can_fight():
    """The scripted player lays a circle that makes a miner before any other card, and lays it where
    it scores."""
    position = arrange([["C-NS", "S-NS", "L-NS"], []], mine=ROW)
    position.play_scripted(1)
    assert position["chosen"] == "C-NS"
    position.play_scripted(1)
    assert position["scores"][0] > 0


def test_it_fights_for_much():
    """A six is worth a shovel that nobody can answer."""
    assert auction(["cart"], ["shovel"], value=6).scripted == "play shovel"


def test_it_defends_its_gold_only_against_who_can_fight():
    """Nobody else has a shovel: it keeps its own."""
    assert auction(["shovel"], ["pulley", "cart", "shed"], value=4).scripted == "stop"


def test_it_fights_for_the_last_gold_with_all_it_has():
    """In the fight for the last gold the scripted player spends all its tools, since they are worth
    nothing afterwards."""
    gold = {
        "options__gold_cards": 1,
        "gold_aside": [1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6],
        "gold": [1],
    }
    position = arrange(
        [["C-NS"], []], mine=ROW, tools=[["pulley", "shed"], ["shovel", "cart"]], **gold
    )
    position.play(f"card {position['hands.0'].index('C-NS')}")
    position.play(
        next(
            text
            for text in sorted(position.legal)
            if position.copy().play(text)["phase"] == "auction"
        )
    )
    assert position.mover == 1
    # the other would begin in vain: it answers, the cart follows, and the shed has the last word
    assert position.scripted == "stop"
    assert position.play("play shovel").scripted == "play pulley"
    assert position.play("play pulley", "play cart").scripted == "play shed"


def test_it_steals_from_the_leader():
    mine = [("C-NESW", 0, 0, 0)]
    tools = [[], ["pulley"], ["pulley", "pulley"]]
    scores = {
        "scores": [0, 6, 0],
        "nuggets": [[], [6], []],
        "gold": [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5],
    }
    position = arrange([["L-NS"], [], []], mine=mine, tools=tools, **scores)
    position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")
    assert position.scripted == "steal +1"
