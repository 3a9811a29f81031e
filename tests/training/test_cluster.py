"""Training with games on a Ray cluster of two machines (two nodes on this one)."""

# ruff: noqa: E402 (what is not installed is skipped before it is imported)

import pickle
import shutil
import sys

import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'dig_envs[ray]'")
for needed in ("torch", "tensorboard", "onnx", "onnxruntime", "typer"):
    pytest.importorskip(needed, reason=f"{needed} is not installed: pip install 'dig_envs[train]'")

import numpy as np
import torch
from typer.testing import CliRunner

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.random import RandomAgent
from dig_envs.arena.entrants import code_hash
from dig_envs.registry import load_game
from tests.cluster import kill_a_worker, two_nodes  # noqa: F401 (a fixture)
from tests.training.random_network import random_network
from training.budget import Budget
from training.checkpoints import WEIGHTS, list_checkpoints
from training.cluster import (
    ClusterGames,
    ClusterRun,
    Leg,
    Worker,
    choose_workers,
    packed,
    side_by_side,
    unpacked,
)
from training.export import write_policy
from training.games import TrainingGames
from training.learner import new_learner
from training.metrics import read
from training.ppo import collect
from training.settings import Settings
from training.train import app

pytestmark = pytest.mark.ecosystem
GAME = load_game("go_dig_v0")
SOURCES = code_hash(GAME)
SETTINGS = Settings.of(
    layers=[16],
    num_envs=8,
    rollout_steps=16,
    batch_size=64,
    epochs=1,
    checkpoint_rollouts=2,
    warm_start_steps=256,
    gate_games=8,
)


class Quiet:
    """A reporter that remembers what it was told."""

    def __init__(self):
        self.said = []

    def say(self, text):
        self.said.append(text)

    def begin(self, share):
        pass

    def progress(self, share, words):
        pass


def run(folder, address, steps=1024, seed=3, after=lambda run: None):
    """A run of imitation and PPO with two workers; its last weights. ``after`` is called after
    every rollout."""
    training = ClusterRun(
        GAME, folder, SETTINGS, seed, Budget(steps, None), Quiet(), address=address, workers=2
    )
    real = training._collect

    def collect_and_tell():
        rollout = real()
        after(training)
        return rollout

    training._collect = collect_and_tell
    training.begin()
    training.train()
    weights = torch.load(list_checkpoints(folder)[-1] / WEIGHTS, weights_only=True)["network"]
    return {name: tensor.numpy() for name, tensor in weights.items()}


def test_workers_side_by_side_play_what_each_plays_alone():
    """Without a cluster: the parts of a rollout are the workers', in their order, and a worker's
    are those of a run."""
    leg, parts = Leg((11, 12), 0.0, None, SOURCES), []
    learner = new_learner(GAME, SETTINGS, 5)
    weights = learner.network.state_dict()
    for number in (0, 1):
        parts.append(Worker(GAME.env_name, SETTINGS, number).rollout(leg, weights))
    whole = side_by_side(parts)
    assert whole.actions.shape == (16, 16)
    assert whole.last_values.shape == (16,)
    assert whole.memory.shape[0] == 16
    assert torch.equal(whole.observations[:, 8:], parts[1].observations)
    assert not torch.equal(parts[0].observations, parts[1].observations)
    learner.generator.manual_seed(12)
    games = TrainingGames(GAME.env_name, SETTINGS, 0)
    games.reset(12)
    alone = collect(learner, games)
    assert torch.equal(alone.actions, parts[1].actions)
    assert torch.equal(alone.rewards, parts[1].rewards)


def test_a_worker_begun_anew_plays_the_first_rollout_of_a_leg_again():
    leg, weights = (
        Leg((11,), 0.0, None, SOURCES),
        new_learner(GAME, SETTINGS, 5).network.state_dict(),
    )
    worker = Worker(GAME.env_name, SETTINGS, 0)
    first, second = (worker.rollout(leg, weights).actions for _ in range(2))
    assert not torch.equal(first, second), "games go on within a leg"
    assert torch.equal(Worker(GAME.env_name, SETTINGS, 0).rollout(leg, weights).actions, first)


def test_the_same_seed_gives_the_same_run(two_nodes, tmp_path):  # noqa: F811
    """Also when a machine dies between two legs; and it learns from lessons and from rollouts."""
    one = run(tmp_path / "one", two_nodes.address)
    rows = read(tmp_path / "one")
    assert {row["phase"] for row in rows} == {"imitation", "ppo", "evaluation"}
    assert sum(row.get("games", 0) for row in rows) > 0
    again = run(tmp_path / "again", two_nodes.address)
    assert one.keys() == again.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], again[name], err_msg=name)


def test_a_machine_dies_in_the_middle(two_nodes, tmp_path):  # noqa: F811
    """Each machine has a worker. That of the dead one is begun anew on another machine, and the run
    comes to its end."""
    killed = []

    def kill(training):
        if not killed:
            two_nodes.add_node(num_cpus=1, object_store_memory=80_000_000)
            killed.append(two_nodes.list_all_nodes()[1])
            two_nodes.remove_node(killed[0], allow_graceful=False)

    run(tmp_path / "run", two_nodes.address, after=kill)
    assert killed
    assert [row["steps"] for row in read(tmp_path / "run") if row["phase"] == "ppo"][-1] >= 1024


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_worker_is_killed_in_the_middle(two_nodes, tmp_path):  # noqa: F811
    """It is begun anew, and the run says so and comes to its end."""
    reporters = []

    def kill(training):
        if not reporters and kill_a_worker("Worker"):
            reporters.append(training.reporter)

    run(tmp_path / "run", two_nodes.address, after=kill)
    (said,) = [text for text in reporters[0].said if "a worker died" in text]
    assert "this is not the run that its seed gives" in said
    assert [row["steps"] for row in read(tmp_path / "run") if row["phase"] == "ppo"][-1] >= 1024


def test_policies_are_sent_with_their_files(tmp_path):
    """Also to a machine that does not have the run's folder; others are sent as they are."""
    facts = {"name": "sent", "settings": SETTINGS.as_dict()}
    folder = write_policy(tmp_path / "sent", GAME, random_network(GAME), facts)
    policy, other = OnnxAgent(folder, sample=True, seed=4), RandomAgent(1)
    sent = pickle.dumps(packed(WeightedOpponents([policy, other], [0.25, 0.75], 0.5)))
    games = TrainingGames(GAME.env_name, SETTINGS, 0)
    seen = games.observation.copy(), games.action_mask.copy()
    expected = policy.act_batch(*seen)
    shutil.rmtree(folder)
    (tmp_path / "there").mkdir()
    there = unpacked(pickle.loads(sent), tmp_path / "there")
    assert (there.weights, there.mixed) == ([0.25, 0.75], 0.5)
    assert np.array_equal(there.agents[0].act_batch(*seen), expected)
    assert isinstance(there.agents[1], RandomAgent)


def test_a_machine_with_other_sources_is_refused(two_nodes):  # noqa: F811
    ray.init(address=two_nodes.address, log_to_driver=False, logging_level="ERROR")
    games = ClusterGames(GAME.env_name, SETTINGS, 2)
    games.sources = "0123456789abcdef"
    games.begin_leg([1, 2])
    with pytest.raises(ValueError, match="has other sources: install the same dig_envs everywhere"):
        games.play("rollout", new_learner(GAME, SETTINGS, 5).network)
    games.close()


def test_the_command(tmp_path):
    """A wrong choice is told in a line, and nothing is trained."""
    words = [
        "go_dig",
        "--steps",
        "512",
        "--run",
        str(tmp_path / "run"),
        "--out",
        str(tmp_path / "policy"),
    ]
    refused = (
        (["--ray-workers", "3"], "--ray-workers are workers of a cluster"),
        (["--ray", "auto"], "no Ray cluster at 'auto'"),
    )
    for more, message in refused:
        result = CliRunner().invoke(app, [*words, *more])
        assert result.exit_code == 2
        assert message in result.output
    assert not (tmp_path / "policy").exists()
    assert not list_checkpoints(tmp_path / "run")


def test_workers_share_the_games_equally():
    assert choose_workers(SETTINGS, None, 100) == 8
    assert choose_workers(SETTINGS, None, 3) == 2
    assert choose_workers(SETTINGS, 4, 1) == 4
    with pytest.raises(ValueError, match="3 workers cannot share 8 games of each kind equally"):
        choose_workers(SETTINGS, 3, 4)
