"""The benchmark counts what it says and reports all it should; no test here is about speed."""

import io
import random

import numpy as np
import pytest
from pettingzoo.utils.env import AECEnv
from rich.console import Console

from dig_envs import bench
from dig_envs.adapters.aec import RawAEC
from dig_envs.batch import BatchEnv, random_rollout

NAME = "cretaceous_creek_v0"


class Clock:
    """A clock that shows the seconds given, one after the other."""

    def __init__(self, *times):
        self.times = iter(times)

    def perf_counter(self):
        return next(self.times)

    process_time = perf_counter


def counting(env: AECEnv) -> list:
    """Notes every action that the environment is given."""
    actions = []
    step = env.step
    env.step = lambda action: (actions.append(action), step(action))[1]
    return actions


@pytest.mark.parametrize("make", [lambda: bench.EmptyEnv(20, 30, 50), lambda: RawAEC(NAME)], ids=["empty", NAME])
def test_aec_loop_counts_turns(make, monkeypatch):
    """Two episodes in 4 seconds: the speed is the actions without the dead steps over the whole time, resets included."""
    env = make()
    actions = counting(env)
    monkeypatch.setattr(bench, "time", Clock(0.0, 0.0, 1.0, 4.0))
    speed = bench.aec_speed(env, 4.0, random.Random(0))
    turns = sum(action is not None for action in actions)
    assert 0 < turns < len(actions)
    assert speed == turns / 4


def test_batch_loop_counts_actions(monkeypatch):
    batch = BatchEnv(NAME, 8)
    monkeypatch.setattr(bench, "time", Clock(0.0, 0.0, 1.0, 2.0))
    assert bench.batch_speed(batch, 2.0) == 2 * 8 / 2


def test_rollout_counts_actions(monkeypatch):
    monkeypatch.setattr(bench, "BATCH", 8)
    monkeypatch.setattr(bench, "time", Clock(0.0, 0.0, 5.0))
    assert bench.rollout_speed(NAME, 5.0, {}) == random_rollout(NAME, 8).actions / 5


def test_the_batches_are_as_large_as_asked():
    sizes = [
        int(what.split()[2].rstrip(","))
        for what in bench.batch_measurements(bench.load_game(NAME), {}, 12)
        if what.startswith("batch of")
    ]
    assert sizes == [12 if threads == 1 else 24 * threads for threads in sorted({1, bench.num_cores()})] * 2


class Searcher:
    """Takes note of the positions and says that it has made ten simulations."""

    def __init__(self):
        self.seen = []

    def search(self, states, seat):
        self.seen.append((int(states["turn"][0]), seat))
        return type("Found", (), {"simulations": 10})


def test_search_counts_simulations(monkeypatch):
    """Three searches in 6 seconds, over the positions in turn."""
    batch = BatchEnv(NAME, 2)
    states = batch.states.copy()
    states["turn"] = [5, 7]
    searcher = Searcher()
    monkeypatch.setattr(bench, "time", Clock(0.0, 0.0, 2.0, 4.0, 6.0))
    assert bench.search_speed(searcher, states, np.array([0, 1]), 6.0) == 3 * 10 / 6
    assert searcher.seen == [(5, 0), (7, 1), (5, 0)]


def test_search_is_measured_in_positions_of_all_stages(monkeypatch):
    """Two measurements that name their agents, and only where they are asked for."""
    seen = []
    monkeypatch.setattr(bench, "search_speed", lambda agent, states, seats, seconds: seen.append(states["turn"].copy()) or 1.0)
    measurements = bench.search_measurements(bench.load_game(NAME), {})
    assert [run(0.1) for run in measurements.values()] == [1.0, 1.0]
    assert all(what.startswith("search:sims=") for what in measurements)
    assert len(set(seen[0].tolist())) > 3
    assert bench.bench(NAME, 0.01, 1, start=False)["search"] == []


def test_empty_environment():
    """Fresh observations, the given number of turns, and every agent is asked for its dead step."""
    env = bench.EmptyEnv(20, 30, 7)
    env.reset(seed=0)
    first, second = env.observe("player_0"), env.observe("player_0")
    assert first["observation"].shape == (20,)
    assert first["action_mask"].sum() == 10
    assert not any(first[key] is second[key] for key in first)
    actions = counting(env)
    for _ in env.agent_iter():
        _, _, terminated, _, _ = env.last()
        env.step(None if terminated else 0)
    assert actions == [0] * 7 + [None] * 2


def test_measurements_take_turns():
    """Each once to warm up, then all in turn; median, least and greatest of the repeats."""
    calls = []

    def measurement(what, values):
        given = iter(values)
        return lambda seconds: (calls.append((what, seconds)), next(given))[1]

    found = bench.measure({"a": measurement("a", [9, 1, 5, 2]), "b": measurement("b", [9, 7, 7, 8])}, 0.5, 3)
    assert calls == [("a", 0.05), ("b", 0.05), *[("a", 0.5), ("b", 0.5)] * 3]
    assert found["a"] == bench.Speed("a", 2, 1, 5)
    assert found["b"] == bench.Speed("b", 7, 7, 8)


def test_report_without_connect_four(monkeypatch):
    """Where pygame is missing the rest is measured and the report says what was not."""
    monkeypatch.setattr(bench, "connect_four", lambda: None)
    report = bench.bench(NAME, 0.01, 1, start=False)
    assert report["ratios"] == {}
    assert [row["what"] for row in report["aec"]] == [bench.EMPTY_RAW, f"{NAME}, raw", f"{NAME}, env()"]
    out = io.StringIO()
    bench.print_report(report, Console(file=out, width=200))
    assert 'pip install "dig_envs[bench]"' in out.getvalue()


@pytest.mark.slow
def test_start_up(tmp_path, monkeypatch):
    """Compiling takes longer than loading from the cache, and importing is a part of that; in any folder."""
    monkeypatch.chdir(tmp_path)
    times = bench.start_up(bench.load_game(NAME), 1)
    assert times["first_use"][0] > times["warm"][0] > times["import"][0] > 0
