"""The benchmark counts what it says and reports all it should; no test here is about speed."""

import io
import sys
from types import SimpleNamespace

import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.batch.batch_env import random_rollout
from dig_envs.commands import speed as bench
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import load_game
from dig_envs.text.console import PlainConsole

NAME = "cretaceous_creek_v0"
GAME = load_game(NAME)


def counting(env):
    """Notes every action that the environment is given."""
    actions = []
    step = env.step
    env.step = lambda action: (actions.append(action), step(action))[1]
    return actions


@pytest.fixture
def counted(monkeypatch):
    """Measurements are what is counted, each played once."""
    monkeypatch.setattr(bench, "per_second", lambda run, clock=None: run)
    monkeypatch.setattr(bench, "BATCH", 8)


def test_a_speed_is_all_that_was_played_over_all_the_time():
    """A speed is the number of all actions played divided by the total time; playing continues
    until the time is up."""
    played, times = iter([5, 7]), iter([10.0, 10.0, 11.0, 14.0])
    assert bench.per_second(lambda: next(played), lambda: next(times))(4.0) == (5 + 7) / 4


def test_aec_loop_counts_turns():
    """The AEC measurement counts the turns of an episode without the dead steps, and can then play
    another episode."""
    for env in (bench.Nothing(), RawAEC(NAME)):
        check_turns(env)


def check_turns(env):
    actions, play = counting(env), bench.episodes(env)
    for _ in range(2):
        actions.clear()
        assert 0 < play() == sum(action is not None for action in actions) < len(actions)


def test_batches_are_as_large_as_asked_and_count_actions(counted):
    cores = bench.num_cores()
    *batches, rollout = bench.batch_measurements(GAME, {}, 12).items()
    sizes = [12 if threads == 1 else 24 * threads for threads in sorted({1, cores})] * 2
    assert [run() for _, run in batches] == sizes
    assert all(
        what.startswith(f"batch of {size}, ")
        for (what, _), size in zip(batches, sizes, strict=True)
    )
    assert rollout[0].startswith("random games")
    assert rollout[1]() == random_rollout(NAME, 8).actions


def test_without_a_gpu_its_measurement_is_refused_before_anything_is_played(monkeypatch):
    def missing():
        raise RuntimeError("no CUDA device was found: none")

    monkeypatch.setattr(
        bench, "cuda_measurements", lambda *arguments: pytest.fail("something was measured")
    )
    monkeypatch.setitem(sys.modules, "dig_envs.batch.cuda", SimpleNamespace(device_name=missing))
    with pytest.raises(OSError, match="no CUDA device was found"):
        bench.measure_game(GAME, 0.01, 1, cuda=True)


def test_report_without_connect_four(monkeypatch):
    """Without pygame the rest is measured and the report says what was not; a search only where it
    is asked for."""
    monkeypatch.setattr(bench, "connect_four", lambda: None)
    report = bench.measure_game(GAME, 0.01, 1, start=False)
    assert report["search"] == []
    assert [row["what"] for row in report["aec"]] == [
        bench.NOTHING,
        f"{NAME}, raw",
        f"{NAME}, env()",
    ]
    out = io.StringIO()
    bench.print_report(report, PlainConsole(file=out, width=200))
    assert how_to_install("bench") in out.getvalue()


@pytest.mark.slow
def test_start_up(tmp_path, monkeypatch):
    """Compiling takes longer than loading from the cache, and importing is a part of that; in any
    folder."""
    monkeypatch.chdir(tmp_path)
    times = bench.start_up(GAME, 1)
    assert times["first_use"][0] > times["warm"][0] > times["import"][0] > 0
    assert times["first_use_processor"][0] > times["warm_processor"][0] > 0


@pytest.mark.slow
def test_inside_jax_as_many_actions_are_counted_as_are_played(counted, monkeypatch):
    pytest.importorskip("jax", reason="JAX is not installed")
    monkeypatch.setattr(bench, "JAX_STEPS", 5)
    batch, inside = bench.jax_measurements(load_game("go_dig_v0"), {"num_players": 2}, 16).values()
    assert batch() == 16
    assert [inside(), inside()] == [80, 80]


def test_a_gpu_is_waited_for_after_some_steps():
    calls = []

    class Batch:
        batch_size, actions = 3, object()

        def sample_actions(self, into):
            return into

        def step(self, actions, check):
            assert (actions, check) == (self.actions, False)
            calls.append("step")

        def check(self):
            calls.append("check")

    assert bench.gpu_steps(Batch())() == 3 * bench.GPU_STEPS
    assert calls == ["step"] * bench.GPU_STEPS + ["check"]
