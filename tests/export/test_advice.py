"""An exported game gives the advice that is given here: actions, chances and reasons."""

import json
from base64 import b64encode

import pytest

from dig_envs.agents.advice import advise_on
from dig_envs.agents.deciding import decision_of, position_of
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import remembered
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.core.words import Names
from dig_envs.registry import load_game
from tests.export.node import SMALL, needs_node, node
from tests.games import SHIPPED, positions

pytestmark = [
    pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here"),
    needs_node,
]
NAMES = ("Ann", "Bob")


def check_advice(folder, game, every, players, most, **options):
    """Compare the advice on views in the middle of games; the seat is the one to move."""
    asked, expected = [], []
    for k, env in enumerate(positions(game.env_name, options, games=1, every=every)):
        if k == most:
            break
        seat, player = int(env.states["to_move"][0]), players[k % len(players)]
        agent = load_agent(player, game.env_name)
        top, position = 1 + k % 4, position_of(env, "that advises", None)
        decisions, log = decision_of(position, agent, f"player_{seat}"), env.event_log
        memory = remembered(agent, game, log.first, log.played, seat)
        kept = b64encode(memory.tobytes()).decode()
        if memory.size:
            decisions = decisions._replace(memory=memory)
        found = advise_on(game, agent, decisions, top, Names(NAMES))
        asked.append({"view": game.to_view(game.to_snapshot(env.states[0]), seat), "seat": seat}
                     | {"player": player, "top": top, "names": NAMES, "memory": kept})  # fmt: skip
        expected.append([one.to_json() for one in found])
    path = folder / "advice.json"
    path.write_text(json.dumps([game.name, asked]))
    found = node("advice.mjs", folder, path)
    for question, here, there in zip(asked, expected, found, strict=True):
        assert there == here, question["player"]
    assert len({one["reason"] for several in expected for one in several}) > 3
    assert any(0 < one["chance"] < 100 for several in expected for one in several)


def test_advice_is_that_of_here(package):
    """Of the scripted player, of a policy, and of one that searches."""
    check_advice(
        package, load_game(SMALL), 7, ("heuristic", "go_dig/policy", "search:sims=50:seed=0"), 6
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SHIPPED if name != SMALL])
def test_every_game_advises_as_here(name, exported):
    check_advice(exported(name), load_game(name), 15, ("heuristic",), 10)


@pytest.mark.slow
def test_who_remembers_advises_as_here(exported):
    """From the same memory, which the view has not."""
    name = "fossil_memory_v0"
    players = "remembering", "hard"
    check_advice(exported(name), load_game(name), 9, players, 8, recall="none")
