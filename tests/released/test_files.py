"""What 0.1.0 wrote is read and goes on for ever: positions, conversations, reports and a policy,
kept in a folder beside this file.

The files are never written anew. A released version that writes other ones gets a folder of its
own.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dig_envs
from dig_envs import arena, benchmark, load_agent
from dig_envs.adapters.aec import RawAEC
from dig_envs.registry import load_game
from tests.games import case_id
from tests.server.asking import Client

FOLDER = Path(__file__).parent / "0.1.0"
WORDS = {"text", "label", "headline", "meaning"}  # they may become better


def lines(file: str) -> list[Any]:
    return [json.loads(line) for line in (FOLDER / file).read_text(encoding="utf-8").splitlines()]


POSITIONS = lines("positions.jsonl")


@pytest.mark.parametrize(
    "saved", POSITIONS, ids=[case_id(one["environment"], one["options"]) for one in POSITIONS]
)
def test_a_saved_position_is_played_to_its_end(saved):
    """The seat to move sees what it saw, and the same actions lead to the same end, dice and cards
    included."""
    env = RawAEC(saved["environment"], **saved["options"])
    env.restore(saved["snapshot"])
    seen = env.observe(env.agent_selection)
    assert int(seen["action_mask"].sum()) == saved["legal"]
    assert float(np.abs(seen["observation"]).sum().round(3)) == saved["observation_sum"]
    for action in saved["actions"]:
        env.step(action)
    end = env.snapshot()
    assert {key: end[key] for key in saved["end"]} == saved["end"]


@pytest.mark.parametrize(
    "saved", POSITIONS, ids=[case_id(one["environment"], one["options"]) for one in POSITIONS]
)
def test_a_saved_view_is_what_its_seat_knows(saved):
    game = load_game(saved["environment"])
    states = game.from_snapshot(saved["snapshot"])
    view = game.to_view(game.to_snapshot(states[0]), saved["snapshot"]["to_move"])
    assert fits(saved["view"], view), "a view of today has what it had"
    assert game.draw(game.with_defaults(saved["view"])) == game.draw(view)


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_a_program_that_speaks_as_then_is_answered_as_then(first):
    """One conversation for each of four games; players may choose otherwise, and words may be
    better."""
    client = Client()
    for request, answer in lines("protocol.jsonl")[first : first + 15]:
        number = int(request["params"].get("game", "game-1").removeprefix("game-"))
        game = f"game-{number - 2 * (first // 15)}"
        params = (
            {**request["params"], "game": game}
            if "game" in request["params"]
            else request["params"]
        )
        said = client.send({**request, "params": params})
        if request["method"] == "choose":
            assert said["result"].keys() >= answer["result"].keys()
            assert said["result"]["seat"] == answer["result"]["seat"]
        elif request["method"] in ("new", "load", "act"):
            assert fits({**answer["result"], "game": 0}, {**said["result"], "game": 0})
        else:
            assert fits(answer, said)


def fits(old: Any, new: Any) -> bool:
    """Whether an answer of today has all that one of then had."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(
            key in new and (key in WORDS or fits(old[key], new[key])) for key in old
        )
    if isinstance(old, list):
        return isinstance(new, list) and len(old) == len(new) and all(map(fits, old, new))
    return old == new


def test_reports_are_read():
    found = arena.Report.from_json(json.loads((FOLDER / "arena.json").read_text(encoding="utf-8")))
    assert found.settings["environment"] == "twenty_questions_v0"
    measured = benchmark.Report.from_json(
        json.loads((FOLDER / "benchmark.json").read_text(encoding="utf-8"))
    )
    assert [task.definition["task"] for task in measured.tasks] == ["go_dig-2"]


def test_a_policy_plays_as_it_did():
    kept = json.loads((FOLDER / "policy" / "choices.json").read_text(encoding="utf-8"))
    agent, env = load_agent(str(FOLDER / "policy")), dig_envs.make("oak_island_v0")
    env.reset(seed=kept["seed"])
    for choice in kept["choices"]:
        assert agent.act(env) == choice
        env.step(choice)
