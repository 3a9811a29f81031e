"""The picture of Fossil Memory: face-down cards say nothing, those in sight or remembered say how
they are known."""

from typing import Any

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.pictures.drawing import sheet_of
from tests.games import mostly_heuristic, needs_compiling, play

pytestmark = needs_compiling


def things(
    recall: str, actions: int, seat: int | None, whole: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """A position after some actions, and what is in a seat's picture of it (of seat None:
    everybody's, or the whole position's)."""
    env = RawAEC("fossil_memory", recall=recall)
    env.reset(seed=4)
    for _ in play(env, np.random.default_rng(2), mostly_heuristic, actions):
        pass
    snapshot = env.snapshot()
    view = (
        snapshot
        if whole
        else env.game.to_public(snapshot)
        if seat is None
        else env.game.to_view(snapshot, seat)
    )
    return view, sheet_of(env.game, view, seat).things


def test_cards_say_how_they_are_known():
    view, there = things("perfect", 5, 1)
    titles = [title for name, title in there.items() if name.startswith("place:")]
    assert (
        sum("in sight" in title or "face up" in title for title in titles)
        == len(view["up"] + view["shown"])
        > 0
    )
    assert (
        sum("not seen yet" in title for title in titles)
        == view["seen"].count(False)
        == view["grid"].count(None)
    )
    assert not any("not seen yet" in title and "part" in title for title in titles)


def test_the_whole_position_names_every_card_and_who_has_seen_it_lately():
    view, there = things("recent", 5, None, whole=True)
    assert all(
        "part" in there[f"place:{row},{column}"] for row in range(1, 5) for column in range(1, 7)
    )
    place = view["recent"][0][0]
    assert "since the last decision of Player 1" in there[f"place:{place}"]
    assert "in order: " + " then ".join(view["recent"][0]) in there["seat:0"]
