"""Training: from the first update to the exported policy, interruption, repeatability, errors."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from dig_envs import load_agent
from dig_envs.agents.onnx import read_card
from tests.games import needs_compiling
from tests.policies import shipped
from tests.training.tiny import LEG, assert_same_weights, changed, command, done, said, train
from training import card
from training.card import evaluate_in_time
from training.checkpoints import list_checkpoints, read_progress
from training.metrics import MEANINGS, read
from training.network import Network
from training.ppo import Learner
from training.run import Part
from training.settings import Settings
from training.train import open_run

STEPS = 4 * LEG
# plain layers, which read sparse observations
ARGUMENTS = ("--steps", str(STEPS), "--seed", "5")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that went through without interruption, its policy, and what it printed."""
    folder = tmp_path_factory.mktemp("finished")
    result = done(train(folder / "run", folder / "zoo" / "tiny", *ARGUMENTS))
    return folder / "run", folder / "zoo" / "tiny", result.output


def test_learning_rates(tmp_path, monkeypatch):
    """Learning rates change linearly with each leg, over the warm start and then over all steps."""
    rates = []
    monkeypatch.setattr(
        Learner,
        "set_learning_rate",
        lambda _, first, last, done: rates.append(round(first + done * (last - first), 9)),
    )
    of_the_warm_start = {
        "warm_start_steps": 100 * LEG,
        "warm_start_share": 0.5,
        "warm_start_learning_rate": 0.08,
    }
    changes = {
        **of_the_warm_start,
        "warm_start_learning_rate_end": 0.04,
        "learning_rate": 0.4,
        "learning_rate_end": 0.0,
    }
    done(train(tmp_path / "run", tmp_path / "tiny", "--steps", str(4 * LEG), *changed(**changes)))
    assert rates == [0.08, 0.06, 0.2, 0.1]


def test_ppo_begins_sharper_than_the_imitator(tmp_path, monkeypatch):
    """Where PPO takes over from imitation the logits are multiplied, once; without imitation
    nothing is."""
    factors = []
    monkeypatch.setattr(Network, "sharpen", lambda _, factor: factors.append(factor))
    words = ["--steps", str(3 * LEG), *changed(warm_start_sharpening=3)]
    done(train(tmp_path / "run", tmp_path / "zoo" / "tiny", *words))
    assert factors == [3.0]
    done(
        train(tmp_path / "without", tmp_path / "zoo" / "without", *words, *changed(warm_start='""'))
    )
    assert factors == [3.0]


def test_late_rewards(tmp_path, monkeypatch):
    """From half of the steps on other weights; the card says what the exported network's values are
    about."""
    paid, deal = [], Part.deal
    monkeypatch.setattr(
        Part,
        "deal",
        lambda part, *given: (deal(part, *given), paid.append(part.games.rewards.win_weight)),
    )
    changes = changed(win_weight=2, late_rewards='{"from": 0.5, "win_weight": 9.0}')
    done(train(tmp_path / "run", tmp_path / "tiny", "--steps", str(4 * LEG), *changes))
    assert paid == [2.0, 2.0, 9.0, 9.0]
    card = json.loads((tmp_path / "tiny" / "card.json").read_text())
    assert card["rewards"]["win_weight"] == (9.0 if card["steps"] > 2 * LEG else 2.0)
    assert read_progress(list_checkpoints(tmp_path / "run")[-1])["late_from"] == 2 * LEG


def test_whole_path(finished):
    """Warm start, PPO, checkpoints, evaluation, export, and the policy loaded again as a partner.
    Every metric is explained."""
    run, policy, output = finished
    rows = read(run)
    assert [row["phase"] for row in rows].count("evaluation") == 4
    assert {row["phase"] for row in rows} == {"imitation", "ppo", "evaluation"}
    assert {name for row in rows for name in row} <= set(MEANINGS)
    assert read_progress(list_checkpoints(run)[-1])["steps"] == STEPS
    card = json.loads((policy / "card.json").read_text())
    assert (card["seed"], card["steps_of_the_run"], card["licence"]) == (5, STEPS, "MIT")
    assert card["training_command"].startswith("dig-envs train cretaceous_creek_v0")
    assert card["settings"]["layers"] == [16]
    agents = ["random", "heuristic", "zoo/tiny", "zoo/tiny:sample", "zoo/tiny + heuristic"]
    assert [row["agent"] for row in card["evaluation"]] == agents
    assert card["evaluation"][2]["choices"] == {"zoo/tiny": "likeliest action"}
    assert card["evaluation"][3]["choices"] == {"zoo/tiny:sample": "sampled"}
    assert (policy / "curve.png").stat().st_size > 5000
    assert "zoo/tiny + heuristic" in output
    assert "steps/s" in output
    curve = output[output.index("learning curve") :].splitlines()[2:6]
    assert [line.split()[0] for line in curve] == [f"{LEG * k:,}" for k in range(1, 5)]
    assert load_agent(str(policy)).name == "zoo/tiny"
    assert list((run / "tensorboard").glob("events*"))


def test_killed_run_goes_on(finished, tmp_path):
    """After SIGKILL the same command goes on from the last checkpoint, to the same weights as an
    uninterrupted run."""
    run = tmp_path / "run"
    process = subprocess.Popen(
        command(run, tmp_path / "zoo" / "tiny", *ARGUMENTS),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.time() + 120
    while len(list_checkpoints(run)) < 1 and time.time() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert LEG <= read_progress(list_checkpoints(run)[-1])["steps"] <= STEPS
    (run / ".checkpoint-000000000999.123.tmp").mkdir()  # one that was cut off
    result = done(train(run, tmp_path / "zoo" / "tiny", *ARGUMENTS))
    assert "going on from" in result.output
    assert read_progress(list_checkpoints(run)[-1])["steps"] == STEPS
    assert_same_weights(finished[0], run)
    assert [row["steps"] for row in read(run) if row["phase"] == "evaluation"] == [
        LEG * k for k in range(1, 5)
    ]


def damage(checkpoint: Path) -> None:
    """As a disk that was full leaves a file."""
    path = checkpoint / "learner.pt"
    path.write_bytes(path.read_bytes()[:1000])


def test_a_damaged_checkpoint_is_passed_over(finished, tmp_path):
    """The run goes on from the one before, to the same weights and measurements, and keeps the
    damaged one; where none can be used nothing is renamed, and what to remove is said."""
    run, out = tmp_path / "my run", tmp_path / "zoo" / "tiny"
    shutil.copytree(finished[0], run, ignore=shutil.ignore_patterns("finished", "policy"))
    before, last = list_checkpoints(run)
    damage(last)
    told = said(done(train(run, out, *ARGUMENTS)))
    assert f"passed over: {last / 'learner.pt'} is damaged" in told
    assert f"going on from {before} " in told
    assert "miniz" not in told
    assert (run / f"unusable-{last.name}" / "learner.pt").stat().st_size == 1000
    assert_same_weights(finished[0], run)
    measured, same = (
        [(row["steps"], row.get("greedy_score"), row.get("kl")) for row in read(one)]
        for one in (finished[0], run)
    )
    assert same == measured
    shutil.rmtree(out)
    (run / "finished").unlink()
    (before / "progress.json").write_text("{")
    damage(last)
    refused = train(run, out, *ARGUMENTS)
    assert refused.exit_code == 2
    assert said(refused).endswith(
        f"no checkpoint can be used; to begin this run anew, remove '{last}' '{before}'"
    )
    assert list_checkpoints(run) == [before, last]


def test_a_finished_run_is_not_begun_again(finished):
    """A finished run is not begun again, under its own name or another, and its policy's name is
    not given to another run."""
    run, policy, _ = finished
    before = (policy / "card.json").read_bytes()
    refused = train(run, policy, *ARGUMENTS)
    assert refused.exit_code == 2
    assert f"the run in {run} is finished: its policy is {policy}." in said(refused)
    assert f"to train this one anew, remove {run} {policy}" in said(refused)
    other = train(run, policy.with_name("other"), *ARGUMENTS)
    assert other.exit_code == 2
    assert (
        f"{run} holds another run, which is finished: policy is 'zoo/tiny', asked for 'zoo/other'"
        in said(other)
    )
    taken = train(run.with_name("run2"), policy, *ARGUMENTS)
    assert taken.exit_code == 2
    assert f"{policy} is there already, the policy of another run." in said(taken)
    assert "remove" not in said(taken)
    assert not run.with_name("run2").exists()
    assert (policy / "card.json").read_bytes() == before


def test_a_name_that_another_run_took_meanwhile_stays_its_own(tmp_path, monkeypatch):
    """Of two runs for one name, the one that ends later leaves its policy in its own folder, and
    says so when it is asked again."""
    policy, run = tmp_path / "zoo" / "tiny", tmp_path / "late"
    words = ("--steps", str(LEG), "--seed", "5")

    def meanwhile(*arguments):
        monkeypatch.undo()
        done(train(tmp_path / "first", policy, "--steps", str(LEG), "--seed", "6"))
        return evaluate_in_time(*arguments)

    monkeypatch.setattr(card, "evaluate_in_time", meanwhile)
    refused = train(run, policy, *words)
    itself = run / "policy" / "zoo" / "tiny"
    assert refused.exit_code == 2
    assert f"another run has made {policy} meanwhile: the policy of this one is {itself}" in said(
        refused
    )
    assert read_card(policy)["seed"] == 6
    assert read_card(itself)["seed"] == 5
    again = train(run, policy, *words)
    assert again.exit_code == 2
    assert f"the run in {run} is finished: its policy is {itself}." in said(again)
    assert "remove" not in said(again)
    shutil.rmtree(itself)
    lost = said(train(run, policy, *words))
    assert f"the run in {run} is finished, and lacks its policy." in lost
    assert "remove" not in lost
    assert read_card(policy)["seed"] == 6


def test_a_run_is_named_after_game_policy_and_seed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done(train(None, Path("policies") / "tiny", "--steps", str(LEG), "--seed", "5"))
    assert list_checkpoints(tmp_path / "runs" / "cretaceous_creek-tiny-seed5")
    shutil.rmtree(tmp_path / "policies" / "tiny")
    assert "saved: policies/tiny" in said(
        done(train(None, Path("policies") / "tiny", "--steps", str(LEG), "--seed", "5"))
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--minutes", "-1"], "minutes must be from 0 to"),
        (["--minutes", "0"], "more than 0"),
        (["--set", "minutes=0"], "--minutes, --steps, or both"),
        (["--steps", "-10"], "steps must be at least 1"),
        (["--set", "num_envs"], "name=value"),
        (["--set", 'games=[{"level": "easy"}]'], "'easy' is not one of"),
        (["--set", 'evaluation_sweep=["level=easy"]'], "'easy' is not one of 'beginner'"),
        (
            ["--set", 'evaluation_sweep=["num_players=2,3"]'],
            "evaluation_sweep cannot change num_players",
        ),
        (["--set", "warm_start=nobody"], "no agent 'nobody'"),
        (["--set", 'opponents={"nobody": 1}'], "no agent 'nobody'"),
        (["--set", "start_from=nobody"], "no agent 'nobody'"),
        (["--set", "start_from=cretaceous_creek/policy"], "is not what these settings ask for"),
        (["--settings", "nowhere.toml"], "no settings file nowhere.toml"),
    ],
)
def test_bad_input(words, message, tmp_path):
    """Refused with what is wrong and what would be right, before anything is written."""
    if "start_from=cretaceous_creek/policy" in words:
        shipped("cretaceous_creek/policy")
    length = [] if "minutes" in words[-1] else ["--steps", "10"]
    result = train(tmp_path / "run", tmp_path / "out", *length, *words)
    assert result.exit_code == 2, result.output
    assert message in said(result)
    assert not (tmp_path / "run").exists()


def test_a_run_from_before_a_setting_existed(tmp_path):
    """A run from before a setting existed goes on if the setting has its default; otherwise the
    message names what differs."""
    wanted = {
        "environment": "x_v0",
        "seed": 1,
        "settings": {**Settings.of().as_dict()},
        "steps": None,
    }
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
    network = Network(50, 10, [32, 16]).draw_weights(0)
    seen, mask = torch.rand(4, 50), torch.ones(4, 10, dtype=torch.bool)
    exact = network(seen, mask)[1]
    network.fast = True
    fast = network(seen, mask)[1]
    assert fast.dtype == torch.float32
    assert 0 < float((fast - exact).detach().abs().max()) < 0.05
    done(train(tmp_path / "run", tmp_path / "zoo" / "x", "--steps", str(LEG), "--bfloat16"))


@pytest.mark.slow
@needs_compiling
def test_the_first_player_beats_the_scripted_one(tmp_path):
    """What README's first command trains wins more than 55 % of its 2000 games against the scripted
    player, surely."""
    words = ["dino_dig", "--settings", "quick"]
    run, policy = tmp_path / "run", tmp_path / "dino_dig" / "first"
    words += ["--run", str(run), "--out", str(policy)]
    command = [sys.executable, "-m", "dig_envs.commands.main", "train", *words]
    subprocess.run(command, check=True, capture_output=True)
    card = json.loads((policy / "card.json").read_text())
    own = next(
        row
        for row in card["evaluation"]
        if row["agent"] == card["name"] and "heuristic" in row["line_up"]
    )
    assert own["games"] == 2000
    assert own["won"]["low"] > 0.55
    assert card["gate"]["passed"]
