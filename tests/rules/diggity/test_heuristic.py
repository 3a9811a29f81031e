"""The scripted player: what a good player does, and that it wins."""

import numpy as np
import pytest

from dig_envs import BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED, kernel
from dig_envs.engine.core.state import as_records, new_records
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity.heuristic import places
from dig_envs.games.diggity.rules import mine
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


@kernel("test_heuristic")
def compare(states, surveys, worlds, counts):
    """Lay each card at each place of each mine. Write how often the scripted player foresees
    something else, and the number of places."""
    surveyed, world = surveys[0], worlds[0]
    for i in range(len(states)):
        state = states[i]
        places.survey(state, surveyed, box.ANY_KIND)
        for e in range(state.open_len):
            for passage in range(box.NUM_SIDES):
                for card in range(box.NUM_CODES):
                    fits = state.open_fits[e] >> (passage & 1) & 1
                    if fits and box.PASSAGES[card] >> passage & 1:
                        made, offers = places.laid(state, surveyed, card, e, passage)
                        worlds[0] = state
                        r = mine.turn_to_attach(state, e, passage)
                        x, y = mine.attached_x(state, e, r), mine.attached_y(state, e, r)
                        mine.lay(world, card, x, y, r, e)
                        counts[0] += made != world.made or offers != places.offered(world)
                        counts[1] += 1


@pytest.mark.parametrize("players", ["heuristic", "random"])
def test_it_foresees_what_a_card_makes(players):
    """Without laying it."""
    games, steps = (1, 12) if JIT_DISABLED else (8, 40)
    batch = BatchEnv("diggity_v0", batch_size=games, seed=3)
    dtype, counts = batch.states.dtype, np.zeros(2, np.int64)
    for _ in range(steps):
        scripted = players == "heuristic"
        batch.step(batch.heuristic_actions() if scripted else batch.sample_actions())
        states = as_records(batch.states.copy())
        compare(states, new_records(1, places.Places), new_records(1, dtype), counts)
    assert counts[0] == 0
    assert counts[1] > 20 * games * steps
