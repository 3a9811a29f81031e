"""The scripted players of the competitive games win against random ones, in every seat."""

from typing import Any

import pytest

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_games
from dig_envs.registry import game_name
from tests.games import case_id, needs_compiling

# game, players, the least share of wins, other options
CASES: list[tuple[str, int, float, dict[str, Any]]] = [
    *(("diggity_v0", players, share, {}) for players, share in ((2, 0.97), (3, 0.95), (4, 0.93))),
    *(
        ("diggity_v0", players, share, {"hidden_tools": True})
        for players, share in ((2, 0.97), (4, 0.9))
    ),
    *(("dino_dig_v0", players, share, {}) for players, share in ((2, 0.97), (4, 0.9))),
    *(
        ("fossil_canyon_v0", players, share, {})
        for players, share in ((2, 0.97), (4, 0.94), (6, 0.9))
    ),
    *(("fossil_memory_v0", players, 0.97, {}) for players in (2, 3, 4)),
    *(("go_dig_v0", players, share, {}) for players, share in ((2, 0.82), (3, 0.84), (4, 0.84))),
    *(("oak_island_v0", players, share, {}) for players, share in ((2, 0.9), (3, 0.72), (4, 0.55))),
    *(
        ("oak_island_v1", players, share, {})
        for players, share in ((2, 0.72), (3, 0.51), (4, 0.35))
    ),
    *(("the_big_dig_v0", 2, 0.97, {"deck": deck}) for deck in ("random", "wild")),
    *(("twenty_questions_v0", players, 0.98, {}) for players in (2, 4)),
]


@needs_compiling
@pytest.mark.parametrize(
    ("name", "players", "share", "options"),
    CASES,
    ids=[case_id(n, {"num_players": p, **o}) for n, p, _, o in CASES],
)
def test_it_beats_random_players(name, players, share, options):
    agents = [load_agent("heuristic", name), *[load_agent("random", name)] * (players - 1)]
    # of Oak Island chance decides more
    games = 400 if game_name(name) == "oak_island" else 100 * players
    results = play_games(
        name, agents, games, options={"num_players": players, **options}, rotate=True
    )
    assert results.won_by(0).mean >= share
