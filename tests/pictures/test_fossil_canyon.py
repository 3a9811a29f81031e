"""The picture of Fossil Canyon: events in the order they come, and who knows what of hidden hands."""

from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.pictures.drawing import sheet_of
from tests.games import mostly_heuristic, needs_compiling, play

pytestmark = needs_compiling


def position() -> tuple[RawAEC, dict[str, Any]]:
    """A game of three in its middle, where somebody knows a hidden fossil of somebody else."""
    env = RawAEC("fossil_canyon", num_players=3)
    env.reset(seed=1)
    for _ in play(env, np.random.default_rng(0), mostly_heuristic, 300):
        snapshot = env.snapshot()
        if snapshot["turn"] > 3 and any(snapshot["known"][0]):
            return env, snapshot
    raise AssertionError("nobody got to know anything")


def test_events_come_next_first_and_those_not_drawn_are_unknown():
    env, snapshot = position()
    there = sheet_of(env.game, env.game.to_view(snapshot, 0), 0).things
    seen, cards = snapshot["events_seen"], snapshot["events"]
    order = ["unknown"] * (18 - seen) + [str(card) for card in reversed(cards[:seen])]
    assert there["events"] == f"Events, next first, by the number of fossils exposed: {', '.join(order)}; {seen} of 18 known to all"
    whole = sheet_of(env.game, snapshot, None).things
    assert ", ".join(map(str, reversed(cards))) in whole["events"]


def test_a_hidden_hand_names_what_the_viewer_knows_only():
    env, snapshot = position()
    other = next(p for p in range(3) if snapshot["known"][0][p])
    there = sheet_of(env.game, env.game.to_view(snapshot, 0), 0).things
    assert f"{len(snapshot['hidden'][other])} hidden fossil" in there[f"hidden:{other}"]
    assert "you know of" in there[f"hidden:{other}"]
    assert there[f"hidden:{other}"].count("part") <= len(snapshot["known"][0][other])
    public = sheet_of(env.game, env.game.to_public(snapshot), None).things
    assert "know of" not in public[f"hidden:{other}"]
    assert not any(name.startswith(f"hidden:{other}:") for name in public)


def test_a_hand_that_is_shown_says_who_knows_of_it():
    env, snapshot = position()
    other = next(p for p in range(3) if snapshot["known"][0][p])
    there = sheet_of(env.game, env.game.to_view(snapshot, other), other).things
    assert "all know" in there[f"known:{other}"] or "Player 1 knows" in there[f"known:{other}"]
