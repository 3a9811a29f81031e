"""Our games as a taskset and an environment of verifiers, with a server that stands in for a
model."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dig_envs.adapters.text_game import TextGame
from dig_envs.agents.llm_stand_in import StandIn, at_random

vf = pytest.importorskip(
    "verifiers.v1", reason="verifiers is not installed: pip install 'dig_envs[verifiers]'"
)
from dig_envs.adapters import verifiers as adapter  # noqa: E402

pytestmark = pytest.mark.ecosystem

MODULE = """\
from dig_envs.adapters.verifiers import DigEnv, DigHarness, DigTaskset

__all__ = ["DigEnv", "DigHarness", "DigTaskset"]
"""
SECONDS = 300


@pytest.fixture(autouse=True)
def taskset_module(tmp_path, monkeypatch):
    """The module by whose name verifiers finds the taskset, as the adapter's page has it."""
    (tmp_path / "my_games.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def environment(player=None, **taskset):
    config = {
        "taskset": {"id": "my_games", **taskset},
        "player": {"runtime": {"type": "subprocess"}, **(player or {})},
    }
    env = vf.load_environment(vf.resolve_env_config(config))
    assert type(env) is adapter.DigEnv
    return env


def episodes(env, count=1, bad=0.0, answering=None):
    """Return the traces of the first tasks of an environment."""

    async def run(address):
        client = vf.EvalClientConfig(base_url=address, api_key_var="NO_KEY")
        context = vf.ModelContext(client=client, model="stand-in", sampling=vf.SamplingConfig())
        async with env.serving():
            return [
                await env.run_slot(env.slots(task)[0], context) for task in env.taskset.take(count)
            ]

    with StandIn(answering or at_random(bad=bad)) as server:
        return asyncio.run(asyncio.wait_for(run(server.url), SECONDS))


def conversation(trace):
    """(role, content) of all messages of a conversation."""
    return [(message.role, message.content) for message in trace.branches[-1].messages]


def check_course(episode):
    """The same answers in the same order make the same game here, ask the same and lead to the same
    rewards."""
    data = episode.task.data
    game = TextGame(data.environment, data.options, data.seats, data.opponents, data.mistakes)
    game.reset(data.seed)
    spoken = {trace.info["seat"]: conversation(trace) for trace in episode.traces}
    for seat, said in spoken.items():
        assert said.pop(0) == ("system", game.system), seat
    wrong = ""
    while (seat := game.seat) is not None:
        assert spoken[seat].pop(0) == ("user", wrong or game.message(seat))
        role, content = spoken[seat].pop(0)
        assert role == "assistant"
        wrong = game.answer(content or "").message  # verifiers keeps an empty answer as none
    assert not any(spoken.values())
    for trace in episode.traces:
        assert trace.rewards["game_return"].score == game.returns[trace.info["seat"]]
        assert trace.info["outcome"] == game.ending(trace.info["seat"])


@pytest.mark.parametrize(
    ("name", "options", "opponents"),
    [
        ("go_dig_v0", {"num_players": 3}, ["random", "heuristic"]),
        ("fossil_canyon_v0", {"num_players": 2, "max_turns": 6}, ["heuristic"]),
        ("cretaceous_creek_v0", {}, ["cretaceous_creek/heuristic"]),
        ("twenty_questions_v0", {}, ["random"]),
    ],
)
def test_whole_games(name, options, opponents):
    """Simultaneous decisions, chance, hidden hands and teams; answers that are no actions among
    them."""
    for number, episode in enumerate(
        episodes(
            environment(environment=name, options=options, opponents=opponents, mistakes=50),
            2,
            bad=0.1,
        )
    ):
        assert episode.ok, episode.errors
        (trace,) = episode.traces
        assert trace.info["seat"] == number % episode.task.data.options["num_players"], (
            "another seat from task to task"
        )
        assert 0 <= trace.metrics["won"] <= 1
        assert trace.metrics["decisions"] + trace.metrics["wrong_answers"] == trace.num_turns
        check_course(episode)


def test_a_model_plays_against_itself():
    (episode,) = episodes(
        environment(environment="diggity_v0", seats=[0, 1], options={"gold_cards": 1})
    )
    assert episode.ok, episode.errors
    assert sorted(trace.info["seat"] for trace in episode.traces) == [0, 1]
    assert sum(trace.rewards["game_return"].score for trace in episode.traces) == 0
    for trace in episode.traces:
        asked = [content for role, content in conversation(trace) if role == "user"]
        assert all(f"You are Player {trace.info['seat'] + 1}." in content for content in asked), (
            "each seat has its own conversation"
        )
    check_course(episode)


def test_a_model_that_never_answers_has_lost():
    (episode,) = episodes(environment(environment="go_dig_v0", mistakes=2), bad=1.0)
    (trace,) = episode.traces
    assert trace.rewards["game_return"].score == -1
    assert trace.metrics["wrong_answers"] == trace.num_turns == 3
    assert trace.metrics["forfeited"] == 1
    assert trace.metrics["decisions"] == 0
    assert "you have forfeited" in trace.info["outcome"]
    assert "answer with one action" in conversation(trace)[3][1]
    check_course(episode)


def test_a_conversation_that_is_cut_off_is_lost():
    (episode,) = episodes(environment(player={"max_turns": 4}, environment="go_dig_v0"))
    (trace,) = episode.traces
    assert trace.num_turns == 4
    assert trace.rewards["game_return"].score == -1
    assert "ended before the game" in trace.info["outcome"]


def test_an_agent_that_there_is_not_fails_the_episode():
    (episode,) = episodes(environment(environment="go_dig_v0", opponents=["nobody"]))
    assert not episode.ok
    assert "nobody" in episode.errors[0].message


def test_tasks():
    taskset = environment(
        environment="diggity_v0", options={"num_players": 3, "gold_cards": 8}, first_seed=10
    ).taskset
    tasks = list(taskset.take(4))
    assert [task.data.seed for task in tasks] == [10, 11, 12, 13]
    assert [task.data.seats for task in tasks] == [[0], [1], [2], [0]]
    assert len({task.key for task in tasks}) == 4
    assert not taskset.bounded
    assert "`gold_cards` 8" in tasks[0].data.system_prompt
    assert [task.data.seats for task in environment(seats=[0, 1]).taskset.take(2)] == [
        [0, 1],
        [0, 1],
    ]
    for wrong in (
        {"environment": "chess"},
        {"options": {"wings": 2}},
        {"seats": [7]},
        {"seats": []},
    ):
        with pytest.raises(ValueError, match=r"chess|wings|seat"):
            list(environment(**wrong).taskset.take(1))


def test_the_command_of_verifiers(taskset_module):
    command = [
        Path(sys.executable).parent / "vf-eval", "my_games", "-n", "2", "--no-push", "--no-rich",
        "-m", "stand-in", "--client.api-key-var", "NO_KEY", "--env.taskset.environment",
        "go_dig_v0", "--env.taskset.opponents", '["random"]', "--output-dir",
        taskset_module / "out",
    ]  # fmt: skip
    known = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(taskset_module), *filter(None, sys.path)])
    }
    with StandIn(at_random()) as server:
        ask = {
            "env": known,
            "cwd": taskset_module,
            "capture_output": True,
            "text": True,
            "timeout": SECONDS,
            "check": False,
        }
        run = subprocess.run([*command, "--client.base-url", server.url], **ask)
    assert run.returncode == 0, run.stderr[-3000:]
    (file,) = (taskset_module / "out").rglob("traces.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert "game_return" in str(lines[0])
