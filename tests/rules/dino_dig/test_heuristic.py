"""The scripted player: what a good player does, that it ends its games by the rules, and that it
wins."""

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.rules.dino_dig.positions import OPTIONS, Position, base, card, lying

AWAY = {"pieces.1": ["home"] * 3}


def test_what_is_dug_on_the_base_square_goes_home():
    assert base("field").play("P1 dig").scripted == "home"


def test_what_is_dug_in_a_line_goes_home_by_express():
    """With pieces in a line the scripted player passes a dug card from piece to piece and brings it
    home in the same turn."""
    position = base(
        "field", {**AWAY, "pieces.0": ["1,3", "2,3", "3,3"], "backpacks.0.1": card("5H", 0)}
    ).play("P3 dig")
    assert position.play_scripted(3) == ["pass P2", "pass P1", "home"]


def test_it_goes_home_to_win():
    """Five cards of a run against two: one move ends the game."""
    assert base("final").scripted == "P1 move home"


def test_it_does_not_go_home_to_lose():
    """With five cards that make no run, known to be behind, it stays out while there is something
    to dig."""
    snapshot = base("final").snapshot
    mine, theirs = ["2H", "5S", "8C", "JC", "2C"], ["6D", "7D", "8D", "9D", "TD"]
    snapshot["museums"] = [[card(code, 0) for code in mine], [card(code, 0, 1) for code in theirs]]
    taken = {*mine, *theirs, "KH", "4S"}
    everything = [rank + suit for suit in "HDSC" for rank in "23456789TJQKA"] + ["X1", "X2"]
    left = [code for code in everything if code not in taken]
    for stack in snapshot["site"].values():
        del stack[2:]
        for entry in stack:
            entry["card"] = left.pop()
    snapshot["site"]["2,2"] += [lying(code) for code in left]
    snapshot["pieces"][1] = ["4,3", "4,3", "home"]
    assert Position(snapshot).scripted != "P1 move home"


@pytest.mark.parametrize("options", OPTIONS)
def test_its_games_end_by_the_rules(options):
    """Within a hundred turns or a few more, not by the limit."""
    games = 2 if JIT_DISABLED else 64
    batch = BatchEnv("dino_dig_v0", games, seed=1, observation=None, **options)
    running = np.ones(games, bool)
    while running.any():
        batch.step(batch.heuristic_actions(), running)
        running &= ~batch.terminated
    assert not batch.final_states["truncated"].any()
    assert batch.final_states["turn"].max() <= 130
