"""Seeds of training, its evaluations, the gate and the final evaluation have nothing in common."""

import json

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from tests.training.tiny import LEG, changed, done, purpose_of, train
from training.seeds import GAMES, PURPOSES, seed_stream


def test_streams():
    """64 bits, the same for the same arguments, room for the games that follow, others for
    everything else."""
    starts = [
        seed_stream(purpose, run, step)
        for purpose in PURPOSES
        for run in range(20)
        for step in range(50)
    ]
    assert len(set(starts)) == len(starts)
    assert all(0 <= start <= 2**64 - GAMES and start % GAMES == 0 for start in starts)
    assert seed_stream("gate", 3, 7) == seed_stream("gate", 3, 7)
    assert seed_stream("gate", 3) != seed_stream("gate", 3, 0)
    for purpose in PURPOSES:
        for run in range(100):
            first = seed_stream(purpose, run)
            assert {purpose_of(first), purpose_of(first + GAMES - 1)} == {purpose}
    with pytest.raises(
        ValueError,
        match=(
            "no seeds for 'luck'; there are those for training, evaluation, gate, final evaluation"
        ),
    ):
        seed_stream("luck", 0)


@pytest.mark.parametrize("env", ["cretaceous_creek_v0", "fossil_canyon_v0"])
def test_no_deal_of_a_run_serves_two_purposes(env, tmp_path, monkeypatch):
    """All seeds that a tiny run deals from: each is of the stream of its part of the run, or
    follows from one of training."""
    dealt = []
    deal, step = BatchEnv._deal, BatchEnv.step

    def noting_deal(self, *given):
        deal(self, *given)
        dealt.append((self.batch_size, True, self.states["seed"].copy()))

    def noting_step(self, actions, games=None):
        result = step(self, actions, games)
        ended = self.terminated | self.truncated
        # the training games; those that judge are played once
        if ended.any() and self.batch_size == 8:
            dealt.append((8, False, self.states["seed"][ended].copy()))
        return result

    monkeypatch.setattr(BatchEnv, "_deal", noting_deal)
    monkeypatch.setattr(BatchEnv, "step", noting_step)
    words = [
        *changed(evaluation_games=5, gate_games=6),
        "--steps",
        str(3 * LEG),
        "--seed",
        "3",
        "--games",
        "7",
    ]
    done(train(tmp_path / "run", tmp_path / "zoo" / "x", *words, env=env))
    training = {int(seed) for size, _, seeds in dealt if size == 8 for seed in seeds}
    judging = {int(seed) for size, _, seeds in dealt if size != 8 for seed in seeds}
    assert len(training) >= 24, "eight games dealt for each leg, and more that followed"
    assert not training & judging
    purposes = {purpose_of(seed) for seed in judging}
    assert purposes == (
        {"evaluation", "final evaluation"}
        if env.startswith("creta")
        else {"gate", "final evaluation"}
    )
    assert {
        purpose_of(int(seed))
        for size, first, seeds in dealt
        if size == 8 and first
        for seed in seeds
    } == {"training"}
    card = json.loads((tmp_path / "zoo" / "x" / "card.json").read_text())
    assert {card["evaluation_seed"] + k for k in range(7)} <= judging
    assert np.all([purpose_of(card["evaluation_seed"] + k) == "final evaluation" for k in range(7)])
