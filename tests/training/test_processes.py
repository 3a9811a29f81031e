"""Training in several processes: they learn as one would, and one that ends is noticed."""

import json
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import distributed

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.random import RandomAgent
from dig_envs.registry import load_game
from tests.games import needs_compiling
from tests.training.random_network import random_network
from tests.training.tiny import assert_same_weights, command, said, train
from training import processes
from training.checkpoints import list_checkpoints
from training.export import write_policy
from training.games import TrainingGames
from training.learner import new_learner
from training.ppo import Rollout, collect, update
from training.processes import (
    Begin,
    FirstPart,
    OtherEnded,
    OtherPart,
    Team,
    heeding_others,
    joined,
    packed,
    together,
    unpacked,
)
from training.run import IMITATION, PPO
from training.settings import Settings
from training.train import check_same_run, open_run

GAME = load_game("go_dig_v0")
TINY = Settings.of(
    layers=[16], num_envs=8, rollout_steps=16, batch_size=32, epochs=3, threads=1, bfloat16=False
)
REMEMBERING = [{"fields": ["*"], "units": 8, "memory": 8}]
PER_GAME = ("last_values", "memory")  # parts of a rollout without a dimension for the steps
forking = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")


def in_two_processes(work):
    """What ``work(team)`` gives in each of two processes; None where one has ended early."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])

    def one(rank, answers):
        for name in ("RANK", "LOCAL_RANK"):
            os.environ[name] = str(rank)
        for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
            os.environ[name] = "2"
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        answers.send(work(Team()))
        os._exit(0)

    context, begun = multiprocessing.get_context("fork"), []
    for rank in range(2):
        own, other = context.Pipe(duplex=False)
        process = context.Process(target=one, args=(rank, other))
        process.start()
        other.close()
        begun.append((process, own))
    found = []
    for process, own in begun:
        try:
            found.append(own.recv())
        except EOFError:
            found.append(None)
        process.join()
    return found


def arrays(tensors):
    return {name: tensor.detach().numpy().copy() for name, tensor in tensors.items()}


def assert_close(ours, theirs, **tolerance):
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], err_msg=name, **tolerance)


# ---------------------------------------------------------------- learning


def learner_of(settings):
    learner = new_learner(GAME, settings, 0)
    learner.set_learning_rate(0.01, 0.01, 0.0)
    return learner


@forking
def test_two_processes_learn_as_one_does():
    """From rollouts of their own: after each update both have the same weights and metrics to the
    bit, and those of one process that has learned from both rollouts at once, up to rounding.

    Each minibatch is a whole rollout here, so that the order of the rows, which each process draws
    by itself, changes nothing.
    """
    settings = replace(TINY, num_envs=4, batch_size=4 * 16, target_kl=0.5)

    def learn(team):
        learner, games = learner_of(settings), TrainingGames(GAME.env_name, settings, team.rank)
        found = []
        for seed in (1, 2):
            learner.generator.manual_seed(seed + 10 * team.rank)
            games.reset(seed + 10 * team.rank)
            rollout = replace(collect(learner, games), ended={})
            played = arrays({k: v for k, v in vars(rollout).items() if k != "ended"})
            metrics = update(learner, rollout)
            found.append((played, metrics, arrays(learner.network.state_dict())))
        return found

    one, other = in_two_processes(learn)
    alone = learner_of(replace(settings, num_envs=8, batch_size=8 * 16))
    for (played, metrics, weights), (also, same_metrics, same_weights) in zip(
        one, other, strict=True
    ):
        assert not np.array_equal(played["actions"], also["actions"]), "games of their own"
        assert metrics == same_metrics
        assert_close(weights, same_weights, rtol=0, atol=0)
        both = {
            name: torch.from_numpy(
                np.concatenate([played[name], also[name]], int(name not in PER_GAME))
            )
            for name in played
        }
        assert update(alone, Rollout(**both, ended={})) == pytest.approx(metrics, abs=5e-5)
        assert_close(arrays(alone.network.state_dict()), weights, atol=1e-5)


@forking
def test_others_do_what_the_first_one_says(tmp_path):
    """A leg of imitation and one of PPO, against a policy that is sent with its files: all have the
    same weights and the same optimizer after each, and the first one counts for all."""
    policy = write_policy(
        tmp_path / "sent", GAME, random_network(GAME), {"name": "x", "settings": TINY.as_dict()}
    )
    against = WeightedOpponents([OnnxAgent(policy, sample=True, seed=4)], [1.0])

    def work(team):
        if team.rank:
            part = OtherPart.of(team)
            part.follow()
            return arrays(part.learner.network.state_dict()), part.games.num_envs
        part, counted = FirstPart(team, GAME, TINY, 3), []
        part.prepare()
        for leg, phase in enumerate((IMITATION, PPO)):
            part.deal(phase, leg * 256, 0.0, against)
            part.learner.set_learning_rate(0.01, 0.01, 0.0)
            counted += [part.learn(nullcontext()) for _ in range(2)]
        part.close()
        return arrays(part.learner.network.state_dict()), part.games.num_envs, counted

    (weights, games, counted), (same, as_many) = in_two_processes(work)
    assert (games, as_many) == (4, 4)
    assert [steps for steps, _ in counted] == [8 * 16] * 4
    assert "agreement" in counted[0][1]
    assert "kl" in counted[2][1]
    assert_close(weights, same, rtol=0, atol=0)
    first = new_learner(GAME, TINY, 3).network.state_dict()
    assert not np.array_equal(weights["policy.weight"], first["policy.weight"])


@forking
def test_a_process_that_dies_is_noticed():
    """By the one that waits for its numbers, and by the one that is told so."""

    def work(team):
        try:
            with heeding_others():
                distributed.all_reduce(torch.ones(1))
                if team.rank:
                    os.kill(os.getpid(), signal.SIGKILL)
                distributed.all_reduce(torch.ones(1))
        except OtherEnded as error:
            return str(error)

    said, nothing = in_two_processes(work)
    assert nothing is None
    assert re.match("another process of this training has ended or cannot be reached: .*gloo", said)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(OtherEnded), heeding_others():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before
    with pytest.raises(RuntimeError, match="of its own"), heeding_others():
        raise RuntimeError("of its own")


def test_a_program_that_was_started_alone_has_no_team(monkeypatch):
    """Also by torchrun with one process."""
    with joined() as team:
        assert team is None
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "x")
    monkeypatch.setenv("WORLD_SIZE", "1")
    with joined() as team:
        assert team is None


def test_processes_that_do_not_meet_say_so(tmp_path, monkeypatch):
    """In one line, with the reason."""

    def alone():
        raise distributed.DistNetworkError("the client has timed out\nat an address")

    monkeypatch.setattr(processes, "Team", alone)
    for name, value in (("TORCHELASTIC_RUN_ID", "x"), ("WORLD_SIZE", "2")):
        monkeypatch.setenv(name, value)
    result = train(tmp_path / "run", tmp_path / "zoo" / "x")
    assert result.exit_code == 2
    assert said(result).endswith("has ended or cannot be reached: the client has timed out")


# ---------------------------------------------------------------- what is shared and sent


class OneOfTwo(Team):
    """The first of two processes on one machine, without the other."""

    rank, count, local_rank, local_count, gpu = 0, 2, 0, 2, None

    def __init__(self, said=None):
        self.said = said

    def hear(self):
        return self.said


def test_settings_are_shared_equally():
    own = OneOfTwo().share_of(replace(TINY, threads=0))
    assert (own.num_envs, own.batch_size) == (4, 16)
    assert own.threads >= 1
    for settings, message in (
        ({"num_envs": 9}, r"2 processes cannot share 9 games of each kind \(num_envs\) equally"),
        ({"num_envs": 6, "games": [{}, {}]}, "cannot share 3 games of each kind"),
        ({"batch_size": 33}, "cannot share 33 decisions of a minibatch"),
        ({"batch_size": 48, "cells": REMEMBERING}, "cannot share 3 games of a minibatch"),
        ({"device": "cuda:1"}, "device cuda:1: each process has its own GPU"),
    ):
        with pytest.raises(ValueError, match=message):
            OneOfTwo().check_shares(replace(TINY, **settings))
    OneOfTwo().check_shares(replace(TINY, cells=REMEMBERING))


def test_the_command_says_where_machines_meet():
    team = OneOfTwo()
    assert team.command == "torchrun --nproc-per-node 2 --no-python --"
    team.count = 4
    meet = "--nnodes 2 --rdzv-backend c10d --rdzv-endpoint HOST:PORT"
    assert team.command == f"torchrun {meet} --nproc-per-node 2 --no-python --"


def test_a_machine_with_other_sources_is_refused():
    begin = Begin(GAME.env_name, TINY, 0, "0123456789abcdef")
    with pytest.raises(ValueError, match="has other sources: install the same dig_envs everywhere"):
        OtherPart.of(OneOfTwo(begin))


def test_metrics_are_those_of_all_games():
    one = {"games": 3, "won": 0.5, "score": 10.0, "decisions": 4.0, "kl": 0.01}
    other = {"games": 1, "won": 1.0, "score": 2.0, "decisions": 8.0, "kl": 0.01}
    nothing = {"games": 0, "kl": 0.01}
    every = {"games": 4, "won": 0.625, "score": 8.0, "decisions": 5.0, "kl": 0.01}
    assert together([one, other]) == together([one, nothing, other]) == every
    assert together([nothing, one, other]) == every
    assert together([nothing, nothing]) == nothing


def test_policies_are_sent_with_their_files(tmp_path):
    """Also to a machine that does not have the run's folder; others are sent as they are."""
    facts = {"name": "sent", "settings": TINY.as_dict()}
    folder = write_policy(tmp_path / "sent", GAME, random_network(GAME), facts)
    policy, other = OnnxAgent(folder, sample=True, seed=4), RandomAgent(1)
    sent = pickle.dumps(packed(WeightedOpponents([policy, other], [0.25, 0.75], 0.5)))
    games = TrainingGames(GAME.env_name, TINY, 0)
    games.reset()
    seen = games.observation.copy(), games.action_mask.copy()
    expected = policy.act_batch(*seen)
    shutil.rmtree(folder)
    (tmp_path / "there").mkdir()
    there = unpacked(pickle.loads(sent), tmp_path / "there")
    assert (there.weights, there.mixed) == ([0.25, 0.75], 0.5)
    assert np.array_equal(there.agents[0].act_batch(*seen), expected)
    assert isinstance(there.agents[1], RandomAgent)


def test_a_run_goes_on_with_as_many_processes(tmp_path):
    """A run from before they could be several has one."""
    wanted = {"environment": "x", "seed": 1, "settings": TINY.as_dict(), "steps": None}
    open_run(tmp_path / "one", wanted)
    check_same_run(tmp_path / "one", {**wanted, "processes": 1})
    with pytest.raises(ValueError, match=r"begun with processes: 1; .* not with 2"):
        check_same_run(tmp_path / "one", {**wanted, "processes": 2})


# ---------------------------------------------------------------- the command


def torchrun(run, out, processes=2):
    words = command(run, out, *ARGUMENTS, env=GAME.env_name)
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    return subprocess.Popen(
        [*start, str(processes), "--no-python", "--", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


ARGUMENTS = ["--steps", "1536", "--seed", "5", "--set", "gate_games=8"]


def child_of(process, rank):
    """The process of this number that torchrun has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    for child in children.split():
        if f"RANK={rank}".encode() in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            return int(child)
    raise AssertionError("it has ended")


@pytest.mark.slow
@forking
@needs_compiling
def test_killed_run_goes_on(tmp_path):
    """From torchrun to the exported policy. One process is killed: the run ends with one line of
    its own, and the same command comes to the same weights as a run that was not interrupted."""
    whole, run, out = tmp_path / "whole", tmp_path / "run", tmp_path / "zoo" / "tiny"
    said = torchrun(whole, tmp_path / "zoo" / "whole").communicate()[0]
    assert "saved: " in said, said
    card = json.loads((tmp_path / "zoo" / "whole" / "card.json").read_text())
    start = "torchrun --nproc-per-node 2 --no-python -- dig-envs train go_dig_v0"
    assert card["training_command"].startswith(start)
    assert said.count("final evaluation") == 1
    process = torchrun(run, out)
    while len(list_checkpoints(run)) < 2 and process.poll() is None:
        time.sleep(0.01)
    os.kill(child_of(process, 1), signal.SIGKILL)
    said = process.communicate()[0]
    assert process.returncode
    assert said.count("error: ") == 1, said
    assert re.search("another process of this training has ended.*; the same command goes", said)
    said = torchrun(run, out, processes=1).communicate()[0]
    assert "was begun with processes: 2; it goes on only with as many, not with 1" in said
    said = torchrun(run, out).communicate()[0]
    assert "going on from" in said, said
    assert_same_weights(whole, run)
