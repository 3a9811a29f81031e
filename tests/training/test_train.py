"""Training: the whole path, interruption, repeatability, errors."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from dig_envs import load_agent
from tests.training.tiny import LEG, SETTINGS, command, train, words
from training.checkpoints import WEIGHTS, list_checkpoints, read_progress
from training.metrics import MEANINGS, read
from training.network import new_network
from training.run import Run
from training.settings import Settings
from training.train import app, open_run

STEPS = 4 * LEG


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that went through without interruption, its policy, and what it printed."""
    folder = tmp_path_factory.mktemp("finished")
    result = train(folder / "run", folder / "zoo" / "tiny", "--steps", str(STEPS), "--seed", "5")
    assert result.returncode == 0, result.stderr
    return folder / "run", folder / "zoo" / "tiny", result.stdout


def weights_of(run: Path):
    parts = torch.load(list_checkpoints(run)[-1] / WEIGHTS, weights_only=True)
    return {name: tensor.numpy() for name, tensor in parts["network"].items()}


def assert_same_weights(run: Path, other: Path) -> None:
    ours, theirs = weights_of(run), weights_of(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


def test_learning_rates(tmp_path, monkeypatch):
    """They change linearly, leg by leg: over the warm start, which its share of the steps ends here, then over all steps."""
    rates = []
    monkeypatch.setattr("training.run.set_learning_rate", lambda learner, rate: rates.append(round(rate, 9)))
    of_the_warm_start = {"warm_start_steps": 100 * LEG, "warm_start_share": 0.5, "warm_start_learning_rate": 0.08}
    changes = {**of_the_warm_start, "warm_start_learning_rate_end": 0.04, "learning_rate": 0.4, "learning_rate_end": 0.0}
    more = [word for name, value in changes.items() for word in ("--set", f"{name}={value}")]
    arguments = words(tmp_path / "run", tmp_path / "tiny", "--steps", str(4 * LEG), *more)
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert rates == [0.08, 0.06, 0.2, 0.1]


def test_late_rewards(tmp_path, monkeypatch):
    """From half of the steps on other weights; the card says what the exported network's values are about."""
    paid, deal = [], Run._deal
    monkeypatch.setattr(Run, "_deal", lambda run, seed: (paid.append(run.games.rewards.win_weight), deal(run, seed)))
    late = 'late_rewards={"from": 0.5, "win_weight": 9.0}'
    arguments = words(tmp_path / "run", tmp_path / "tiny", "--steps", str(4 * LEG), "--set", "win_weight=2", "--set", late)
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert paid == [2.0, 2.0, 9.0, 9.0]
    card = json.loads((tmp_path / "tiny" / "card.json").read_text())
    assert card["rewards"]["win_weight"] == (9.0 if card["steps"] > 2 * LEG else 2.0)
    assert read_progress(list_checkpoints(tmp_path / "run")[-1])["late_from"] == 2 * LEG


def test_whole_path(finished):
    """Warm start, PPO, checkpoints, evaluation, export, and the policy loaded again as a partner."""
    run, policy, output = finished
    assert read_progress(list_checkpoints(run)[-1])["steps"] == STEPS
    card = json.loads((policy / "card.json").read_text())
    assert card["seed"] == 5
    assert card["steps_of_the_run"] == STEPS
    assert card["licence"] == "MIT"
    assert "--steps 1024" in card["training_command"]
    assert card["settings"]["layers"] == [16]
    assert [row["agent"] for row in card["evaluation"]] == ["random", "heuristic", "zoo/tiny", "zoo/tiny + heuristic"]
    assert (policy / "curve.png").stat().st_size > 5000
    assert "zoo/tiny + heuristic" in output
    assert "steps/s" in output
    assert load_agent(str(policy)).name == "zoo/tiny"
    assert list((run / "tensorboard").glob("events*"))


def test_metrics_are_explained(finished):
    """Every metric that is written has its explanation."""
    rows = read(finished[0])
    assert [row["phase"] for row in rows].count("evaluation") == 4
    assert {row["phase"] for row in rows} == {"imitation", "ppo", "evaluation"}
    assert {name for row in rows for name in row} <= set(MEANINGS)


def test_repeatable(finished, tmp_path):
    """The same seed gives the same weights; another one others."""
    assert train(tmp_path / "again", tmp_path / "z" / "a", "--steps", str(STEPS), "--seed", "5").returncode == 0
    assert_same_weights(finished[0], tmp_path / "again")
    assert train(tmp_path / "other", tmp_path / "z" / "b", "--steps", str(LEG), "--seed", "6").returncode == 0
    assert not np.array_equal(weights_of(finished[0])["policy.bias"], weights_of(tmp_path / "other")["policy.bias"])


def test_killed_run_goes_on(finished, tmp_path):
    """After SIGKILL the same command goes on from the last checkpoint, to the same weights as an uninterrupted run."""
    run = tmp_path / "run"
    words = command(run, tmp_path / "zoo" / "tiny", "--steps", str(STEPS), "--seed", "5")
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.time() + 120
    while len(list_checkpoints(run)) < 1 and time.time() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = read_progress(list_checkpoints(run)[-1])["steps"]
    assert LEG <= done <= STEPS
    result = train(run, tmp_path / "zoo" / "tiny", "--steps", str(STEPS), "--seed", "5")
    assert result.returncode == 0, result.stderr
    assert "going on from" in result.stdout
    assert read_progress(list_checkpoints(run)[-1])["steps"] == STEPS
    assert_same_weights(finished[0], run)
    steps = [row["steps"] for row in read(run) if row["phase"] == "evaluation"]
    assert steps == [LEG * k for k in range(1, 5)]


def test_half_written_checkpoint_is_ignored(finished, tmp_path):
    """A kill in the middle of writing leaves a folder under another name, which is not taken for a checkpoint."""
    run = tmp_path / "run"
    (run / ".checkpoint-000000000999.123.tmp").mkdir(parents=True)
    assert list_checkpoints(run) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps", "10", "--minutes", "1"], "either --minutes or --steps"),
        (["--set", "minutes=0"], "either --minutes or --steps"),
        (["--steps", "-10"], "must be more than 0"),
        (["--minutes", "0"], "must be more than 0"),
        (["--steps", "10", "--set", "no_such=1"], "no setting 'no_such'"),
        (["--steps", "10", "--set", "num_envs=many"], "num_envs must be of type int"),
        (["--steps", "10", "--set", "num_envs"], "name=value"),
        (["--steps", "10", "--set", "epochs=0"], "epochs must be at least 1"),
        (["--steps", "10", "--set", "gamma=2"], "gamma must be from 0 to 1"),
        (["--steps", "10", "--set", "learning_rate=-1"], "learning_rate must not be negative"),
        (["--steps", "10", "--set", "layers=[]"], "layers must be a list of at least one int"),
        (["--steps", "10", "--set", "layers=[0]"], "layers must be at least 1 wide"),
        (["--steps", "10", "--set", "games=[1]"], "games must be a list of at least one dict"),
        (["--steps", "10", "--set", "games=[{}, {}, {}]"], "must be a multiple of the number of [[games]] (3)"),
        (["--steps", "10", "--set", 'games=[{"level": "easy"}]'], "'easy' is not one of"),
        (["--steps", "10", "--set", 'evaluation_sweep=["level=easy"]'], "level cannot be easy"),
        (["--steps", "10", "--set", "warm_start=nobody"], "no agent 'nobody'"),
        (["--steps", "10", "--set", 'opponents={"nobody": 1}'], "no agent 'nobody'"),
        (["--steps", "10", "--set", 'opponents=["random"]'], "opponents must be of type dict"),
        (
            ["--steps", "10", "--set", 'opponents={"random": -1}'],
            "weights, numbers of 0 or more, not random = -1",
        ),
        (["--steps", "10", "--set", 'opponents={"random": "often"}'], "not random = 'often'"),
        (["--steps", "10", "--set", 'opponents={"random": 0, "best": 1}'], "a weight above 0 for an agent such as heuristic"),
        (["--steps", "10", "--set", 'late_rewards={"win_weight": 1}'], "late_rewards needs from, a share of the budget"),
        (["--steps", "10", "--set", 'late_rewards={"from": 2, "win_weight": 1}'], "late_rewards needs from"),
        (["--steps", "10", "--set", 'late_rewards={"from": 0.5}'], "numbers for some of win_weight, score_weight, shaping_weight"),
        (["--steps", "10", "--set", 'late_rewards={"from": 0.5, "gamma": 1}'], "late_rewards needs from"),
        (["--steps", "10", "--set", 'late_rewards={"from": 0.5, "win_weight": "x"}'], "late_rewards needs from"),
        (["--steps", "10", "--set", "mixed_seats=1.5"], "mixed_seats must be from 0 to 1"),
        (["--steps", "10", "--set", "gate_threshold=-1"], "gate_threshold must be from 0 to 1"),
        (["--steps", "10", "--set", "gate_games=0"], "gate_games must be at least 1"),
        (["--steps", "10", "--set", "pool_size=0"], "pool_size must be at least 1"),
        (["--steps", "10", "--set", "active_snapshots=0"], "active_snapshots must be at least 1"),
        (["--steps", "10", "--set", "minutes=-1"], "minutes must not be negative"),
        (["--steps", "10", "--set", "start_from=nobody"], "no agent 'nobody'"),
        (["--steps", "10", "--set", "start_from=cretaceous_creek/ppo"], "has other layers: [512, 256], not [16]"),
        (["--steps", "10", "--set", "start_from=cretaceous_creek/ppo", "--set", "window={}"], "is not what these settings ask for"),
        (["--steps", "10", "--set", 'evaluation_sweep=["num_players=2,3"]'], "evaluation_sweep cannot change num_players"),
        (["cretaceous_creek", "--steps", "10"], "name the game once"),
        (["--steps", "10", "--set", 'window={"radius": 1}'], "[window] needs exactly"),
        (["--steps", "10", "--settings", "nowhere.toml"], "no settings file"),
        (["--steps", "10", "--env", "no_game_v0"], "no environment 'no_game_v0'; there are cretaceous_creek_v0"),
    ],
)
def test_bad_input(words, message, tmp_path):
    """Refused with what is wrong and what would be right, before anything is written."""
    result = CliRunner().invoke(app, command(tmp_path / "run", tmp_path / "out", *words)[3:])
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "run").exists()


def test_a_run_from_before_a_setting_existed(tmp_path):
    """It goes on if the setting has its default; what differs is named by itself."""
    wanted = {"environment": "x_v0", "seed": 1, "settings": {**Settings.of().as_dict()}, "steps": None}
    open_run(tmp_path / "run", wanted)
    path = tmp_path / "run" / "run.json"
    there = json.loads(path.read_text())
    del there["settings"]["gamma"], there["steps"]
    path.write_text(json.dumps(there))
    open_run(tmp_path / "run", wanted)
    with pytest.raises(ValueError, match=r"another run: gamma is 0\.998, asked for 0\.9\. Choose"):
        open_run(tmp_path / "run", {**wanted, "settings": {**wanted["settings"], "gamma": 0.9}})
    with pytest.raises(ValueError, match="steps is None, asked for 10"):
        open_run(tmp_path / "run", {**wanted, "steps": 10})


def test_bfloat16(tmp_path):
    """Another way to compute nearly the same: what comes out is float32 and close."""
    network = new_network(50, 10, [32, 16], None, 0)
    seen, mask = torch.rand(4, 50), torch.ones(4, 10, dtype=torch.bool)
    exact = network(seen, mask)[1]
    network.fast = True
    fast = network(seen, mask)[1]
    assert fast.dtype == torch.float32
    assert 0 < float((fast - exact).detach().abs().max()) < 0.05
    result = train(tmp_path / "run", tmp_path / "zoo" / "x", "--steps", str(LEG), "--bfloat16")
    assert result.returncode == 0, result.stderr


def test_damaged_settings_file(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("layers = [")
    words = command(tmp_path / "run", tmp_path / "out", "--steps", "10", "--settings", str(file))[3:]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert "settings.toml" in "".join(result.output.split())


def test_out_is_no_policy(tmp_path):
    """Found before training, not after."""
    (tmp_path / "letter.txt").write_text("dear")
    result = CliRunner().invoke(app, command(tmp_path / "run", tmp_path, "--steps", "10")[3:])
    assert result.exit_code == 2
    assert "holds no policy" in " ".join(result.output.split())
    assert (tmp_path / "letter.txt").exists()
    assert not (tmp_path / "run").exists()


def test_other_settings_do_not_mix(finished, tmp_path):
    """A run's folder is not gone on with under other settings."""
    result = train(finished[0], tmp_path / "out", "--steps", str(STEPS), "--seed", "6")
    assert result.returncode == 2
    assert "seed is 5, asked for 6" in " ".join(result.stdout.split())
    assert "settings" not in result.stdout  # only what differs is named
    assert SETTINGS["num_envs"] == 8
