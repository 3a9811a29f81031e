"""The loop whose games are tensors on the device of the network: what it learns, who plays."""

import os
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
import torch

from dig_envs import IllegalActionError, load_agent
from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.adapters.learner_tensors import LearnerTensors
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from tests.training.tiny import LEG, assert_same_weights, changed, done, said, train
from training import device, learner
from training.device import DeviceGames, games_on, on_device
from training.export import write_policy
from training.games import TrainingGames
from training.imitation import learn_from, take_lesson
from training.learner import new_learner
from training.ppo import EarlierCopy, collect, update
from training.run import IMITATION, PPO, Part
from training.settings import Settings

NAME = "go_dig_v0"
GAME = load_game(NAME)
CPU = torch.device("cpu")
SETTINGS = Settings.of(
    layers=[16], num_envs=8, rollout_steps=32, batch_size=64, win_weight=2.0, score_weight=0.5
)


@pytest.fixture
def on_cpu(monkeypatch):
    """Runs play on tensors, though there is no GPU."""
    monkeypatch.setattr(device, "DEVICES", ("cpu",))


def learning(settings=SETTINGS):
    learner = new_learner(GAME, settings, 0)
    learner.set_learning_rate(0.01, 0.01, 0.0)
    learner.generator.manual_seed(1)
    return learner


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    facts = {"name": "x", "settings": SETTINGS.as_dict()}
    return write_policy(tmp_path_factory.mktemp("zoo") / "x", GAME, random_network(GAME), facts)


def in_the_first_seat(games):
    """The games with the learner there, as other seats are drawn otherwise on a device."""
    games.learners = [0] * games.num_envs
    return games


def assert_same(one, other):
    for name, value in vars(one).items():
        theirs = getattr(other, name)
        if isinstance(value, dict):
            assert {key: column.tolist() for key, column in value.items()} == {
                key: column.tolist() for key, column in theirs.items()
            }
        else:
            assert torch.equal(value, theirs), name


def test_it_learns_what_games_on_the_cpu_teach(on_cpu, policy):
    """The same lessons and rollouts to the bit, and so the same losses and weights."""
    weights, teacher = [], OnnxAgent(policy)
    plain, other = (in_the_first_seat(TrainingGames(NAME, SETTINGS, 0, "heuristic")) for _ in "12")
    tensors, _ = games_on(CPU, other)
    played = []
    for games in (plain, tensors):
        learner, rng = learning(), np.random.default_rng(0)
        games.reset(1)
        chooser = teacher if games is plain else on_device(teacher, CPU, rng)
        lesson = take_lesson(learner, games, chooser, rng)
        metrics = learn_from(learner, lesson)
        rollouts = [collect(learner, games)]
        metrics |= update(learner, rollouts[0])
        rollouts.append(collect(learner, games))
        played.append((lesson, *rollouts, metrics))
        weights.append(learner.network.state_dict())
        games.close()
    for one, other in zip(played[0][:3], played[1][:3], strict=True):
        assert_same(one, other)
    assert len(played[0][2].ended["won"]) > 0
    assert played[0][3] == played[1][3]
    for name, tensor in weights[0].items():
        assert torch.equal(tensor, weights[1][name]), name


def test_an_illegal_action_is_told_after_the_rollout(on_cpu):
    """It is not waited for, and not played."""
    games, _ = games_on(CPU, TrainingGames(NAME, SETTINGS, 0, "heuristic"))
    games.reset(1)
    before = games.observation.clone()
    actions = games.action_mask.argmax(dim=1)
    actions[3] = games.action_mask[3].argmin()
    rewards, dones = games.play(actions)
    assert torch.equal(games.observation[3], before[3])
    assert (rewards[3], dones[3]) == (0, False)
    with pytest.raises(IllegalActionError, match="game 3"):
        games.take_results()
    games.close()


def test_what_is_remembered_ends_with_the_game(on_cpu):
    """And with a new deal; what the games that go on remember stays."""
    games, _ = games_on(CPU, TrainingGames(NAME, SETTINGS, 0, "heuristic"))
    games.reset(1)

    class Remembering:
        memory_size = 3

    who = Remembering()
    memory = games.memory_of(who)
    assert memory is games.memory_of(who)
    ended = 0
    for _ in range(60):
        memory += 1
        before = memory.clone()
        dones = games.play(games.action_mask.argmax(dim=1))[1]
        assert (memory[dones] == 0).all()
        assert torch.equal(memory[~dones], before[~dones])
        ended += int(dones.sum())
    assert ended == len(games.take_results()["won"]) > 0
    assert len(games.take_results()["won"]) == 0
    games.reset(2)
    assert (games.memory_of(who) == 0).all()
    games.close()


# ---------------------------------------------------------------- who plays


def test_policies_decide_as_their_files_say(policy):
    """The likeliest actions are the same ones, and drawn ones follow the seed."""
    games = TrainingGames(NAME, SETTINGS, 0, "heuristic")
    games.reset(1)
    seen, mask = games.observation.copy(), games.action_mask.copy()
    rng = np.random.default_rng(0)
    player = on_device(OnnxAgent(policy), CPU, rng)
    tensors = torch.tensor(seen), torch.tensor(mask)
    expected = OnnxAgent(policy).act_batch(seen, mask)
    assert np.array_equal(player.act_tensors(*tensors), expected)
    assert np.array_equal(player.act_batch(seen, mask), expected)
    drawn = [
        on_device(OnnxAgent(policy, sample=True), CPU, np.random.default_rng(seed))
        for seed in (1, 1, 2)
    ]
    one, same, other = (
        torch.stack([player.act_tensors(*tensors) for _ in range(8)]) for player in drawn
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert tensors[1].expand(8, -1, -1).gather(2, one[..., None]).all()
    games.close()


def test_scripted_players_stay_as_they_are():
    for name in ("heuristic", "random"):
        agent = load_agent(name, NAME)
        assert on_device(agent, CPU, np.random.default_rng()) is agent
    with pytest.raises(ValueError, match="cannot decide on a GPU"):
        on_device(load_agent("search:sims=2", NAME), CPU, np.random.default_rng())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"shaping_weight": 0.1}, "shaping_weight"),
        ({"late_rewards": {"from": 0.5, "shaping_weight": 0.1}}, "shaping_weight"),
        ({"opponents": {"search:sims=2": 1.0}}, "cannot decide on a GPU"),
    ],
)
def test_what_keeps_games_off_a_gpu(on_cpu, changes, reason):
    games = TrainingGames(NAME, Settings.of(num_envs=2, **changes), 0, "heuristic")
    found, why = games_on(CPU, games)
    assert (found is None) == bool(reason)
    assert reason in why
    games.close()


def test_a_device_that_cannot_have_the_games_is_told(monkeypatch):
    """And a run whose network is on the CPU says nothing."""

    def fails(*_):
        raise Exception("out of memory\nin a call of the driver")

    games = TrainingGames(NAME, SETTINGS, 0, "heuristic")
    assert games_on(CPU, games) == (None, "")
    monkeypatch.setattr(device, "DEVICES", ("cpu",))
    monkeypatch.setattr(device, "LearnerTensors", fails)
    assert games_on(CPU, games) == (None, "out of memory")
    games.close()


def test_a_teacher_of_another_kind_plays_on_the_cpu(on_cpu, tmp_path, monkeypatch):
    """While it teaches; then the games are on the device."""
    monkeypatch.setattr(learner, "reads_rows", lambda *_: False)  # as on a GPU
    facts = {"name": "x", "settings": {"cells": [{"fields": ["*"], "units": 4}]}}
    teacher = write_policy(tmp_path / "x", GAME, random_network(GAME), facts)
    part = Part(GAME, replace(SETTINGS, warm_start=str(teacher)), 0)
    assert part.on_device is not None
    for phase, games in ((IMITATION, part.games), (PPO, part.on_device)):
        part.deal(phase, 0, 0.0, None)
        assert part.playing is games
        part.learn(nullcontext())
    part.close()


# ---------------------------------------------------------------- the device


def digest_of_a_rollout(where):
    """Of a rollout and of what is learned from it, against all kinds of opponents; games are on the
    CPU or on the simulated GPU, whose tensors are on the CPU, too."""
    name = "oak_island_v1"
    small = Settings.of(
        layers=[16],
        num_envs=3,
        rollout_steps=12,
        batch_size=18,
        threads=1,
        device="cpu",
        bfloat16=False,
    )
    learner = new_learner(load_game(name), small, 0)
    learner.generator.manual_seed(1)
    learner.set_learning_rate(0.01, 0.01, 0.0)
    paid = TrainingGames(name, small, 1)
    games = DeviceGames(paid, LearnerTensors(paid, where))
    agents = [*(load_agent(one, name, 1) for one in ("heuristic", "random"))]
    agents.append(EarlierCopy(learner.network, "copy", 3))
    games.set_opponents(WeightedOpponents(agents, [1.0, 1.0, 1.0], 0.5))
    games.reset(5)
    rollout = collect(learner, games)
    update(learner, rollout)
    digest = sha256()
    for part in (rollout.observations, rollout.actions, rollout.rewards, rollout.dones):
        digest.update(part.numpy().tobytes())
    for weights in learner.network.parameters():
        digest.update(weights.detach().numpy().tobytes())
    return digest.hexdigest()


@pytest.mark.slow
@pytest.mark.skipif(JIT_DISABLED, reason="games are compared with compiled ones")
def test_on_a_simulated_gpu_it_learns_the_same():
    """To the bit; Numba's simulated device runs kernels as Python."""
    program = "from tests.training.test_device import digest_of_a_rollout as of; print(of('cuda'))"
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    ).stdout
    assert said.split()[-1] == digest_of_a_rollout("cpu")


# ---------------------------------------------------------------- runs


@pytest.mark.slow
def test_a_run_on_tensors_is_the_run_on_the_cpu(tmp_path, monkeypatch):
    """The same checkpoints, metrics and policy, where no seats and opponents are drawn."""
    monkeypatch.setattr(learner, "reads_rows", lambda *_: False)  # as on a GPU
    words = ["--steps", str(3 * LEG), "--seed", "5"]
    done(train(tmp_path / "cpu", tmp_path / "zoo" / "cpu", *words))
    monkeypatch.setattr(device, "DEVICES", ("cpu",))
    result = done(train(tmp_path / "there", tmp_path / "zoo" / "there", *words))
    assert "played on the CPU" not in said(result)
    assert_same_weights(tmp_path / "cpu", tmp_path / "there")
    words = ["--steps", str(LEG), *changed(shaping_weight=0.1)]
    result = done(train(tmp_path / "shaped", tmp_path / "zoo" / "shaped", *words))
    assert "the games are played on the CPU: shaping_weight is computed there" in said(result)


@pytest.mark.slow
def test_a_run_against_its_own_snapshots(on_cpu, tmp_path, monkeypatch):
    """They decide as tensors, and the run comes to the same weights again."""
    asked, act = [], EarlierCopy.act_tensors
    monkeypatch.setattr(
        EarlierCopy,
        "act_tensors",
        lambda copy, *given: asked.append(copy.name) or act(copy, *given),
    )
    words = [
        *changed(opponents='{"random": 0.2, "best": 1, "snapshots": 1}', gate_games=4),
        *changed(warm_start='""', gate_threshold=0.001),
        *("--steps", str(3 * LEG), "--seed", "5"),
    ]
    for name in ("one", "again"):
        done(train(tmp_path / name, tmp_path / "zoo" / name, *words, env=NAME))
    assert len(set(asked)) > 1
    assert_same_weights(tmp_path / "one", tmp_path / "again")
