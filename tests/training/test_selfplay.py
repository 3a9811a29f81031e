"""Self-play from the command line: the whole path, interruption, what is exported."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from dig_envs import BatchEnv, PolicyMismatchError, load_agent, make
from dig_envs.agents.loading import load_agents
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game, packages
from tests.training.tiny import LEG, command, train
from training.card import NOT_PASSED
from training.checkpoints import WEIGHTS, list_checkpoints, read_progress
from training.export import read_network, write_policy
from training.metrics import MEANINGS, read
from training.settings import DEFAULTS, FOLDER, load_settings

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
STEPS = 6 * LEG
OPPONENTS = '{"random": 1, "best": 1, "snapshots": 1}'
SELF_PLAY = [
    *("--set", f"opponents={OPPONENTS}"),
    *("--set", 'games=[{"num_players": 2}, {"num_players": 4}]'),
    *("--set", "gate_games=4"),
    *("--set", "pool_size=2"),
    *("--set", "active_snapshots=1"),
    *("--set", "gate_threshold=0.0"),
    *("--steps", str(STEPS), "--seed", "5"),
]


def start(run: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return train(run, out, *SELF_PLAY, *more, env=NAME)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that went through without interruption, its policy, and what it printed."""
    folder = tmp_path_factory.mktemp("finished")
    result = start(folder / "run", folder / "zoo" / "tiny")
    assert result.returncode == 0, result.stderr
    return folder / "run", folder / "zoo" / "tiny", result.stdout


def weights_of(run: Path):
    parts = torch.load(list_checkpoints(run)[-1] / WEIGHTS, weights_only=True)
    return {name: tensor.numpy() for name, tensor in parts["network"].items()}


def evaluations(run: Path):
    rows = [row for row in read(run) if row["phase"] == "evaluation"]
    return [{key: value for key, value in row.items() if key != "steps_per_second"} for row in rows]


def test_whole_path(finished):
    """Warm start without a gate, then a gate after every leg, a snapshot after every leg, and the last that passed is exported."""
    run, policy, output = finished
    rows = evaluations(run)
    assert [row["steps"] for row in rows] == [LEG * k for k in range(1, 7)]
    snapshots, best, promotions = [], LEG, 0
    for row in rows:
        groups = {"random"}
        if row["steps"] > LEG:  # after the warm start; the first best is what PPO began with
            groups |= {"best", *(["snapshots"] if set(snapshots) - {best} else [])}
        assert set(row["strength"]) == groups
        assert row["gate_games"] == 8
        assert row["promoted"] == (row["steps"] > LEG and all(value > 0.0 for value in row["strength"].values()))
        snapshots = [*snapshots, row["steps"]][-2:] if row["steps"] > LEG else []
        promotions += row["promoted"]
        best = row["steps"] if row["promoted"] else best
    assert promotions > 0
    pool = read_progress(list_checkpoints(run)[-1])["pool"]
    assert pool["snapshots"] == [f"snapshot-{steps:012d}" for steps in snapshots]
    assert (pool["best"], pool["promotions"]) == (f"snapshot-{best:012d}", promotions)
    card = json.loads((policy / "card.json").read_text())
    assert card["num_players"] == [2, 4]
    assert card["steps"] == best
    assert card["gate"]["promotions"] == pool["promotions"]
    assert card["weights_sha256"] == json.loads((run / "pool" / pool["best"] / "card.json").read_text())["weights_sha256"]
    assert [(row["options"]["num_players"], row["agent"], row["line_up"][1]) for row in card["evaluation"]] == [
        (2, "zoo/tiny", "random"),
        (2, "random", "random"),
        (2, "zoo/tiny", "heuristic"),
        (2, "heuristic", "heuristic"),
        (4, "zoo/tiny", "random"),
        (4, "random", "random"),
        (4, "zoo/tiny", "heuristic"),
        (4, "heuristic", "heuristic"),
    ]
    assert "passed the gate" in output or "not promoted" in output
    assert (policy / "curve.png").stat().st_size > 5000


def test_metrics_are_explained(finished):
    assert {name for row in read(finished[0]) for name in row} <= set(MEANINGS)


def test_only_the_pool_of_the_checkpoints_is_kept(finished):
    """Folders of snapshots that left the pool are removed; what two checkpoints need stays."""
    run = finished[0]
    pools = [read_progress(checkpoint)["pool"] for checkpoint in list_checkpoints(run)]
    needed = {name for pool in pools for name in (*pool["snapshots"], pool["best"])}
    assert {path.name for path in (run / "pool").iterdir()} == needed


def test_killed_run_goes_on_with_the_same_pool(finished, tmp_path):
    """After SIGKILL in the middle of PPO the same command comes to the same weights, pool and measurements as without."""
    run = tmp_path / "run"
    words = command(run, tmp_path / "zoo" / "tiny", *SELF_PLAY, env=NAME)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.time() + 240
    while process.poll() is None and time.time() < deadline:
        checkpoints = list_checkpoints(run)
        if checkpoints and int(checkpoints[-1].name[-12:]) >= 3 * LEG:
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "zoo").exists(), "killed before the end"
    done = read_progress(list_checkpoints(run)[-1])
    assert 3 * LEG <= done["steps"] < STEPS
    assert done["pool"]["snapshots"]
    later = run / "pool" / f"snapshot-{STEPS:012d}"
    write_policy(later, GAME, read_network(next((run / "pool").iterdir()), GAME), {"steps": STEPS})  # of a leg that was lost
    result = start(run, tmp_path / "zoo" / "tiny")
    assert result.returncode == 0, result.stderr
    assert "going on from" in result.stdout
    ours, theirs = weights_of(finished[0]), weights_of(run)
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    assert evaluations(run) == evaluations(finished[0])
    assert read_progress(list_checkpoints(run)[-1])["pool"] == read_progress(list_checkpoints(finished[0])[-1])["pool"]
    assert (tmp_path / "zoo" / "tiny" / "policy.onnx").read_bytes() == (finished[1] / "policy.onnx").read_bytes()


def test_a_pool_that_lacks_a_snapshot(finished, tmp_path):
    """A run whose pool was damaged says so."""
    run = tmp_path / "run"
    shutil.copytree(finished[0], run)
    gone = read_progress(list_checkpoints(run)[-1])["pool"]["snapshots"][0]
    shutil.rmtree(run / "pool" / gone)
    result = start(run, tmp_path / "zoo" / "tiny")
    assert result.returncode == 2
    assert f"lacks {gone}" in " ".join(result.stdout.split())


def test_without_a_promotion_the_policy_is_where_ppo_began(tmp_path):
    """And that is said, in the terminal and on the card."""
    result = start(tmp_path / "run", tmp_path / "zoo" / "tiny", "--set", "gate_threshold=1.0")
    assert result.returncode == 0, result.stderr
    assert "not passed: no snapshot passed the gate" in " ".join(result.stdout.split())
    card = json.loads((tmp_path / "zoo" / "tiny" / "card.json").read_text())
    assert card["steps"] == LEG
    assert card["gate"] == {"passed": False, "promotions": 0, "last_passed": None, "note": NOT_PASSED}


def test_start_from_a_policy(finished, tmp_path):
    """The learner begins with the weights of a policy; other layers are refused before anything is written."""
    words = ["--set", f"start_from={finished[1]}", "--set", 'warm_start=""', "--set", "gate_threshold=1.0"]
    result = start(tmp_path / "run", tmp_path / "zoo" / "next", *words)
    assert result.returncode == 0, result.stderr
    ours = read_network(tmp_path / "zoo" / "next", GAME).weights  # nothing was promoted: the weights it began with
    for name, weights in read_network(finished[1], GAME).weights.items():
        np.testing.assert_array_equal(ours[name], weights, err_msg=name)
    result = start(tmp_path / "other", tmp_path / "zoo" / "other", *words, "--set", "layers=[8, 8]")
    assert result.returncode == 2
    assert "other layers" in " ".join(result.stdout.split())
    assert not (tmp_path / "other").exists()


# ---------------------------------------------------------------- numbers of players


@pytest.mark.parametrize("players", [2, 4])
def test_plays_the_numbers_of_players_it_claims(finished, players):
    """Alone and in batches, in every seat."""
    agent = load_agent(str(finished[1]))
    env = make(NAME, num_players=players)
    env.reset(seed=1)
    seats = set()
    for _ in range(80):
        seats.add(env.agent_selection)
        env.step(agent.act(env))
    assert len(seats) == players
    results = play_games(NAME, [agent] * players, 4, options={"num_players": players})
    assert (results.lengths > 0).all()


def test_refuses_other_numbers_of_players(finished):
    """Before a game begins where that is possible, and at the first decision otherwise; the message says what it plays."""
    message = r"policy zoo/tiny was trained for 2, 4 players, not for 3"
    agent = load_agent(str(finished[1]))
    env = make(NAME, num_players=3)
    env.reset(seed=1)
    with pytest.raises(PolicyMismatchError, match=message):
        agent.act(env)
    batch = BatchEnv(NAME, 4, num_players=[2, 3, 4, 4])
    with pytest.raises(PolicyMismatchError, match=message):
        agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover)
    with pytest.raises(PolicyMismatchError, match=message):  # read from the observation
        agent.act_batch(batch.observation, batch.action_mask)
    fitting = np.array([0, 2, 3])
    assert len(agent.act_batch(batch.observation[fitting], batch.action_mask[fitting])) == 3
    with pytest.raises(PolicyMismatchError, match=message):
        play_games(NAME, [agent] * 3, 1, options={"num_players": 3})
    with pytest.raises(PolicyMismatchError, match=message):
        load_agents([str(finished[1]), "random", "random"], NAME, 3)


def test_evaluation_refuses_other_numbers_of_players(finished):
    words = ["--env", NAME, "--agents", f"{finished[1]},random", "--games", "2", "--option", "num_players=5"]
    result = subprocess.run([sys.executable, "-m", "training.evaluate", *words], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "not for 5" in " ".join(result.stdout.split())


@pytest.mark.parametrize("players", ["two", [2, "4"], [True]])
def test_damaged_claim(finished, tmp_path, players):
    policy = tmp_path / "zoo" / "tiny"
    shutil.copytree(finished[1], policy)
    card = json.loads((policy / "card.json").read_text())
    (policy / "card.json").write_text(json.dumps({**card, "num_players": players}))
    with pytest.raises(PolicyMismatchError, match="num_players must be a list of integers"):
        load_agent(str(policy))


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize("file", sorted(set(FOLDER.glob("*.toml")) - {DEFAULTS}), ids=lambda file: file.stem)
def test_every_settings_file_is_valid(file):
    """Also the options of its games."""
    game = load_game(next(name for name in packages() if file.stem.startswith(name)))
    settings = load_settings(game.name, file)
    for options in settings.games:
        game.complete_options(options)
    if not game.cooperative:
        assert {"best", "snapshots"} <= set(settings.opponents)


def test_two_to_six_players():
    settings = load_settings("fossil_canyon", FOLDER / "fossil_canyon_2to6.toml")
    assert {options["num_players"] for options in settings.games} == {2, 3, 4, 5, 6}
