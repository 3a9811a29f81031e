"""The baselines: each algorithm runs and says what it did, and their parts do what their files say."""

import json
import re
import shutil
import stat
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch

from dig_envs.agents.loading import load_agent
from dig_envs.documentation import baselines as pages
from training.baselines import common, queue
from training.baselines.__main__ import ALGORITHMS, load_algorithm, main
from training.baselines.common import Study, Task, evaluate, load_task, load_tasks, path_of, values_of
from training.baselines.dqn import Ring, ValueLearner
from training.baselines.nfsp import SelfPlay, Table
from training.baselines.psro import Mixture, equilibrium
from training.baselines.summary import read_summary, summarize
from training.intervals import over_seeds

SMALL = {
    "ppo": {"num_envs": 8, "rollout_steps": 16, "batch_size": 64, "layers": [8]},
    "recurrent": {"num_envs": 8, "rollout_steps": 16, "batch_size": 64, "layers": [8], "memory": {"units": 4}},
    "dqn": {"num_envs": 8, "buffer": 128, "batch_size": 16, "learn_from": 64, "target_every": 5, "layers": [8]},
    "nfsp": {"num_envs": 8, "buffer": 64, "reservoir": 32, "batch_size": 16, "learn_from": 64, "layers": [8], "anticipatory": 0.5},
    "psro": {"num_envs": 8, "rollout_steps": 16, "batch_size": 64, "layers": [8], "iterations": 2, "games": 4, "solver_steps": 50},
    "expert": {
        "layers": [8],
        "expert_games": 2,
        "batch_size": 32,
        **dict.fromkeys(["expert_search", "expert_playouts"], "sims=2:root=gumbel"),
    },
    "random": {},
    "scripted": {},
    "ismcts": {"ismcts": "search:sims=2"},
}
DECISIONS = 256


def run(folder, algorithm, game="twenty_questions", decisions=DECISIONS, seed=0, changes=None):
    """The result of a small run by the command."""
    changed = SMALL.get(algorithm, {}) if changes is None else changes
    words = [algorithm, game, "--seed", str(seed), "--decisions", str(decisions), "--out", str(folder)]
    words += [word for name, value in changed.items() for word in ("--set", f"{name}={json.dumps(value)}")]
    main([*words, "--curve-games", "2", "--final-games", "4"])
    return json.loads(path_of(folder, algorithm, game, seed).read_text())


# ---------------------------------------------------------------- runs


@pytest.mark.parametrize("algorithm", SMALL)
def test_an_algorithm_runs_and_says_what_it_did(algorithm, tmp_path):
    result = run(tmp_path, algorithm, "fossil_memory" if algorithm == "recurrent" else "twenty_questions")
    learns = algorithm not in ("random", "scripted", "ismcts")
    assert result["decisions_done"] >= (DECISIONS if learns else 0)
    assert result["curve"][0]["decisions"] == 0
    assert result["curve"][-1]["share"] == 1.0
    assert len(result["curve"]) > 2 or not learns
    assert result["settings"]
    for found in result["final"].values():
        assert set(found) == {"scripted", "random"}
        for one in found.values():
            assert one["games"] == 4
            assert 0 <= one["victories"]["low"] <= one["victories"]["mean"] <= one["victories"]["high"] <= 1
            assert one["score"]["low"] <= one["score"]["mean"] <= one["score"]["high"]
    assert {name for point in result["curve"][1:] for name in point["metrics"]} or not learns


def test_the_same_seed_learns_the_same(tmp_path):
    first, again, other = (run(tmp_path / str(k), "dqn", seed=seed) for k, seed in enumerate((0, 0, 1)))
    assert first["curve"][-1]["metrics"] == again["curve"][-1]["metrics"]
    assert first["final"] == again["final"]
    assert first["curve"][-1]["metrics"] != other["curve"][-1]["metrics"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["magic", "go_dig"], "no algorithm 'magic'; there are ppo, "),
        (["dqn", "chess"], "no baselines for the game 'chess'; there are fossil_canyon"),
        (["dqn", "go_dig", "--set", "epsilon=0.1"], "no setting 'epsilon'; the nearest is"),
        (["dqn", "go_dig", "--set", "gamma=2"], "gamma must be from 0 to 1, not 2"),
        (["dqn", "go_dig", "--set", "gamma"], "a change is written name=value, not 'gamma'"),
        (["ppo", "go_dig", "--set", "epochs=0"], "epochs must be at least 1, not 0"),
        (["dqn", "go_dig", "--decisions", "0"], "decisions and games must be at least 1"),
        (["nfsp", "cretaceous_creek"], "nfsp is for competitive games, and cretaceous_creek is cooperative"),
        (["psro", "cretaceous_creek"], "psro is for competitive games of two players"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, message, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*words, "--out", str(tmp_path)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_an_algorithm_whose_library_is_missing_says_which(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "benchmarl.algorithms", None)
    with pytest.raises(ValueError, match="mappo needs benchmarl"):
        load_algorithm("mappo")


@pytest.mark.slow
def test_sb3_runs(tmp_path):
    pytest.importorskip("sb3_contrib")
    small = {"num_envs": 8, "n_steps": 16, "batch_size": 64, "layers": [8]}
    assert run(tmp_path, "sb3", changes=small)["decisions_done"] == DECISIONS


@pytest.mark.ecosystem
@pytest.mark.parametrize("algorithm", ["mappo", "qmix"])
def test_benchmarl_runs(algorithm, tmp_path):
    pytest.importorskip("benchmarl")
    result = run(tmp_path, algorithm, "cretaceous_creek", 4096, changes={"layers": [16]})
    assert result["decisions_done"] >= 4096
    assert set(result["final"]["greedy"]) == {"team"}
    kind = "on_policy" if algorithm == "mappo" else "off_policy"
    assert result["settings"][f"{kind}_n_envs_per_worker"] == 64
    assert all(point["metrics"]["mean_return"] < 0 for point in result["curve"][1:]), "a team that has learned so little loses"


@pytest.mark.ecosystem
def test_benchmarl_is_paid_as_all_others():
    """The same games with the same actions pay as those that the other algorithms train on, through several ends."""
    pytest.importorskip("benchmarl")
    from training.baselines.with_benchmarl import PaidTask

    task, gamma, size = load_task("cretaceous_creek"), 0.9, 8
    env = PaidTask(task, gamma, seed=3).get_env_fun(size, False, None, "cpu")()
    games = task.games(size, gamma, seed=3)
    games.reset()
    frame, ended, paid = env.reset(), 0, np.zeros(size)
    while ended < 4 * size:
        chosen = env.rand_action(frame)
        actions = chosen["player", "action"].numpy()[np.arange(size), env.batch.mover]
        after, frame = env.step_and_maybe_reset(chosen)
        step = games.step(actions)
        rewards = after["next", "player", "reward"][..., 0].numpy()
        np.testing.assert_allclose(rewards, np.repeat(step.reward[:, None], 2, axis=1), atol=1e-6)
        assert after["next", "done"][:, 0].tolist() == step.done.tolist()
        ended += int(step.done.sum())
        paid += rewards[:, 0]
    assert len(set(paid)) > 1
    games.close()


@pytest.mark.ecosystem
def test_nfsp_of_openspiel_runs_and_sees_what_our_players_see(tmp_path):
    pytest.importorskip("pyspiel")
    pytest.importorskip("tree")
    from dig_envs.batch.batch_env import BatchEnv
    from training.baselines.with_openspiel import make_environment

    task = load_task("twenty_questions")
    env = make_environment(task)
    step = env.reset()
    seat = step.observations["current_player"]
    batch = BatchEnv(task.game.env_name, 1, **task.options)
    batch.set_states(None, env.get_state.dealt().states)
    np.testing.assert_array_equal(step.observations["info_state"][seat], batch.observation[0])
    small = {"hidden_layers_sizes": [8], "min_buffer_size_to_learn": 16, "batch_size": 16, "anticipatory_param": 0.5}
    assert run(tmp_path, "nfsp_openspiel", changes=small)["decisions_done"] >= DECISIONS


@pytest.mark.slow
def test_a_team_learns_by_shaped_rewards(tmp_path):
    result = run(tmp_path, "ppo", "cretaceous_creek")
    assert set(result["final"]["sampled"]) == {"team"}


@pytest.mark.slow
def test_dqn_learns_to_ask(tmp_path):
    task = load_task("twenty_questions")
    study = Study("dqn", task, seed=0, decisions=30_000, curve_games=2, final_games=200)
    load_algorithm("dqn")(study)
    learned = study.result()["final"]["greedy"]["scripted"]["score"]["low"]
    untrained = evaluate(task, load_agent("random", seed=0), 200, final=True)["scripted"]["score"]["high"]
    assert learned > 2 * untrained


# ---------------------------------------------------------------- settings, tasks, the plan


def test_the_plan_is_of_algorithms_and_games_that_there_are():
    runs = list(queue.planned())
    assert len(set(runs)) == len(runs)
    for one in runs:
        assert one.algorithm in ALGORITHMS
        assert load_task(one.game).game.name == one.game
    seeds = Counter((one.algorithm, one.game) for one in runs)
    assert all(count >= 3 for (algorithm, _), count in seeds.items() if ALGORITHMS[algorithm] != "fixed")
    assert any(load_task(one.game).game.cooperative for one in runs)


@pytest.mark.parametrize("task", load_tasks().values(), ids=lambda task: task.name)
def test_a_task_has_options_and_opponents_that_there_are(task):
    assert task.game.complete_options(task.options)["num_players"] == 2
    for name in (task.scripted, *task.opponents):
        assert load_agent(name, task.game.env_name, 0)
    assert bool(task.opponents) != task.game.cooperative


def test_a_game_may_have_values_of_its_own():
    assert "fields" in values_of("recurrent", "fossil_memory", {})["memory"]
    assert "fields" not in values_of("recurrent", "go_dig", {})["memory"]
    assert values_of("recurrent", "fossil_memory", {"memory": 3})["memory"] == 3


# ---------------------------------------------------------------- evaluation


def test_all_are_evaluated_on_the_same_deals_but_not_on_those_of_the_curve():
    task = load_task("go_dig")
    first, again = (evaluate(task, load_agent("heuristic", "go_dig_v0"), 20, final=True) for _ in range(2))
    assert first == again
    assert first["scripted"]["victories"]["mean"] == 0.5 or first["scripted"]["score"] != first["random"]["score"]
    assert evaluate(task, load_agent("heuristic", "go_dig_v0"), 20, final=False)["scripted"] != first["scripted"]


def test_no_game_is_certain():
    """Rule of three: what happened in none of n games may happen in 3/n of them, with 95 %."""
    interval = common._share(np.zeros(100))
    assert (interval.mean, interval.low, interval.high) == (0.0, 0.0, 0.03)
    interval = common._share(np.ones(100))
    assert (interval.mean, interval.low, interval.high) == (1.0, 0.97, 1.0)


# ---------------------------------------------------------------- DQN


def filled_ring(steps=30, games=2, length=12):
    """A ring whose observation is the number of the step, with rewards and ends drawn at random, and all of these."""
    rng = np.random.default_rng(0)
    ring, rewards, dones = Ring(length, games, 1, 3), rng.normal(size=(steps, games)), rng.random((steps, games)) < 0.2
    for t in range(steps):
        step = np.full((games, 1), t), np.ones((games, 3)), np.full(games, t)
        ring.add(*step, rewards[t].astype(np.float32), dones[t])
    return ring, rewards, dones


def test_what_followed_a_decision_is_summed_up_to_the_end_of_the_game():
    ring, rewards, dones = filled_ring()
    gamma, steps = 0.9, 3
    seen, actions, paid, factor, later, _ = ring.draw(400, steps, gamma, np.random.default_rng(1))
    assert set(actions) == set(range(30 - 12, 30 - steps))  # the oldest are forgotten, of the newest is not known what followed
    np.testing.assert_array_equal(seen[:, 0], actions)
    np.testing.assert_array_equal(later[:, 0], actions + steps)
    wanted = set()
    for t in set(actions.tolist()):
        for game in range(2):
            total, weight = 0.0, 1.0
            for k in range(t, t + steps):
                total, weight = total + weight * rewards[k, game], weight * gamma * (not dones[k, game])
            wanted.add((t, round(total, 4), round(weight, 4)))
    found = {(int(t), round(float(p), 4), round(float(f), 4)) for t, p, f in zip(actions, paid, factor, strict=True)}
    assert found == wanted


def test_nothing_comes_after_the_end_and_illegal_actions_are_never_the_best():
    learner = ValueLearner(2, 3, [4], 0.01, 100)
    mask = np.array([[1, 0, 1]] * 50, np.int8)
    rng = np.random.default_rng(0)
    assert set(learner.choose(np.zeros((50, 2), np.float32), mask, 1.0, rng)) == {0, 2}
    assert 1 not in learner.choose(rng.normal(size=(50, 2)).astype(np.float32), mask, 0.0, rng)
    torch.manual_seed(0)
    seen, action = np.zeros((32, 2), np.float16), np.zeros(32, np.int64)
    nowhere = np.zeros((32, 3), np.bool_)
    for _ in range(200):  # with factor 0 the value becomes what was paid, although the later position has no legal action
        metrics = learner.learn(seen, action, np.full(32, 0.5, np.float32), np.zeros(32, np.float32), seen, nowhere)
    assert metrics["value"] == pytest.approx(0.5, abs=0.05)


# ---------------------------------------------------------------- NFSP


def test_a_table_keeps_the_last_rows_and_a_reservoir_a_fair_sample():
    rng = np.random.default_rng(0)
    last, counts = Table(10, [np.zeros((), np.int64)]), np.zeros(40)
    for start in range(0, 40, 4):
        last.add([np.arange(start, start + 4)], rng)
    assert sorted(last.columns[0]) == list(range(30, 40))
    for _ in range(1500):
        sample = Table(10, [np.zeros((), np.int64)], reservoir=True)
        for start in range(0, 40, 5):
            sample.add([np.arange(start, start + 5)], rng)
        counts[sample.columns[0]] += 1
    assert counts.sum() == 10 * 1500
    assert np.all(np.abs(counts / 1500 - 0.25) < 0.06)  # five standard deviations


def test_each_decision_of_every_seat_is_paid_what_followed_it_once():
    """Over an episode the rows of a seat add up to its return and to what it scored from its first decision on."""
    task = Task("go_dig", {"num_players": 2}, "heuristic", 1.0, 0.01, 0.0, {"random": 1.0})
    games, rng = SelfPlay(task, 1, 1.0, seed=0), np.random.default_rng(0)
    paid, complete, steps, episodes = 0.0, 0, 0, 0
    while episodes < 3:
        mask = games.batch.action_mask[0]
        rows, ended = games.step(rng.choice(np.flatnonzero(mask), 1))
        steps += 1
        complete += len(rows[0])
        paid += float(rows[2].sum())
        assert all(factor in (0.0, 1.0) for factor in rows[3])
        if ended[0]:
            final = games.batch.final_states[0]
            assert complete == steps
            assert not games.waiting.any()
            assert (rows[3] == 0).sum() == 2  # the last decision of both seats
            returns = task.game.returns_of(games.batch.final_states)[0].sum()
            assert paid == pytest.approx(returns + 0.01 * final["scores"][:2].sum(), abs=1e-4)
            paid, complete, steps, episodes = 0.0, 0, 0, episodes + 1


# ---------------------------------------------------------------- PSRO


@pytest.mark.parametrize(
    ("payoffs", "wanted"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3, 1 / 3, 1 / 3]),  # rock, paper, scissors
        ([[0, -2, 1], [2, 0, -1], [-1, 1, 0]], [0.25, 0.25, 0.5]),
        ([[0, 0.5], [-0.5, 0]], [1, 0]),
        ([[0]], [1]),
    ],
)
def test_nobody_gains_against_the_mixture(payoffs, wanted):
    matrix = np.array(payoffs, float)
    found = equilibrium(matrix, 4000)
    np.testing.assert_allclose(found, wanted, atol=0.02)
    assert (matrix @ found).max() < 0.02


class Always:
    """A player that chooses one action."""

    def __init__(self, action):
        self.action, self.name = action, str(action)

    def act_batch(self, observation, action_mask, states=None, seats=None):
        return np.full(len(observation), self.action)


def test_one_member_of_a_mixture_plays_a_game_to_its_end():
    mixture = Mixture([Always(0), Always(1), Always(2)], np.array([0.25, 0.0, 0.75]), seed=0)
    seen, mask, memory = np.zeros((2000, 1)), np.ones((2000, 3)), np.zeros((2000, 1), np.float32)
    first = mixture.act_batch(seen, mask, memory=memory)
    assert (mixture.act_batch(seen, mask, memory=memory) == first).all()
    assert set(first) == {0, 2}
    assert np.mean(first == 2) == pytest.approx(0.75, abs=0.05)
    with pytest.raises(ValueError, match="pass memory"):
        mixture.act_batch(seen, mask)


# ---------------------------------------------------------------- summary, queue, pages


def test_intervals_over_seeds_are_students():
    """Of 1, 2, 3 the mean is 2, its standard error 1/√3, and the quantile for two degrees of freedom 4.303."""
    found = over_seeds([{"mean": float(value), "low": 0.0, "high": 0.0} for value in (1, 2, 3)])
    assert found == {"mean": 2.0, "low": pytest.approx(-0.48433, abs=1e-4), "high": pytest.approx(4.48433, abs=1e-4)}
    assert over_seeds([{"mean": 0.5, "low": 0.4, "high": 0.7}]) == {"mean": 0.5, "low": 0.4, "high": 0.7}
    assert over_seeds([{"mean": value, "low": 0.0, "high": 0.0} for value in (0.9, 1.0)], 0.0, 1.0)["high"] == 1.0


def test_a_summary_puts_seeds_together_and_refuses_those_that_differ(tmp_path):
    for seed in (0, 1):
        run(tmp_path, "random", seed=seed)
    (found,) = summarize(tmp_path)["runs"]
    shares = found["final"]["sampled"]["random"]["of_seeds"]["score"]
    assert found["seeds"] == [0, 1]
    assert found["final"]["sampled"]["random"]["score"]["mean"] == pytest.approx(np.mean(shares))
    path = path_of(tmp_path, "random", "twenty_questions", 1)
    path.write_text(json.dumps({**json.loads(path.read_text()), "settings": {"agent": "other"}}))
    with pytest.raises(ValueError, match="random twenty_questions differ in their settings"):
        summarize(tmp_path)
    path.write_text("[]")
    with pytest.raises(ValueError, match="is no result of a baseline"):
        summarize(tmp_path)
    with pytest.raises(ValueError, match="no results in"):
        summarize(tmp_path / "nowhere")


def test_results_join_a_summary_as_if_all_were_summarized_at_once(tmp_path, capsys):
    """Seeds join a single seed (whose interval was over games) and several, or a run that had failed; twice changes nothing."""
    steps = [("random", 0, "first"), ("psro", 1, "first"), ("psro", 0, "first"), ("random", 2, "more"), ("psro", 2, "more")]
    steps += [("random", 1, "more"), ("dqn", 0, "more")]
    for algorithm, seed, step in steps:
        run(tmp_path / step, algorithm, seed=seed)
        (tmp_path / "all").mkdir(exist_ok=True)
        shutil.copy(path_of(tmp_path / step, algorithm, "twenty_questions", seed), tmp_path / "all")
    (tmp_path / "first" / "dqn-twenty_questions-seed0.failed.json").write_text(
        json.dumps({"algorithm": "dqn", "game": "twenty_questions", "seed": 0, "reason": "exit status 1", "said": []})
    )
    out = tmp_path / "summary.json"
    main(["table", str(tmp_path / "first"), "--out", str(out)])
    assert len(read_summary(out)["failures"]) == 1
    wanted = summarize(tmp_path / "all")
    assert {run["algorithm"]: run["seeds"] for run in wanted["runs"]} == {"dqn": [0], "psro": [0, 1, 2], "random": [0, 1, 2]}
    assert wanted["failures"] == []
    for _ in range(2):
        main(["table", str(tmp_path / "more"), "--join", "--out", str(out)])
        assert read_summary(out) == json.loads(json.dumps(wanted))


def test_what_cannot_join_is_said(tmp_path, capsys):
    run(tmp_path / "first", "random", seed=0)
    run(tmp_path / "more", "random", seed=1)
    out, path = tmp_path / "summary.json", path_of(tmp_path / "more", "random", "twenty_questions", 1)
    words = ["table", str(tmp_path / "more"), "--join", "--out", str(out)]

    def refused():
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        return capsys.readouterr().err

    assert "summary.json is no summary that results can join" in refused()
    main(["table", str(tmp_path / "first"), "--out", str(out)])
    before, result = out.read_text(), json.loads(path.read_text())
    changes = {"settings": {"agent": "other"}, "decisions": 5, "task": {**result["task"], "win_weight": 0.9}}
    for key, value in changes.items():
        path.write_text(json.dumps({**result, key: value}))
        assert f"the seeds 0 and 1 of random twenty_questions differ in their {key}" in refused()
    other = result["final"]["sampled"]["random"] | {"games": 5}
    path.write_text(json.dumps({**result, "final": {"sampled": {**result["final"]["sampled"], "random": other}}}))
    assert "different numbers of games: 4, 5" in refused()
    path.unlink()
    assert "no results in" in refused()
    assert out.read_text() == before
    out.write_text(json.dumps({**json.loads(before), "format": 99}))
    assert "is no summary of format 1" in refused()


def test_the_queue_skips_what_is_done_and_notes_what_fails(tmp_path, capsys):
    plan, program, results = tmp_path / "plan.toml", tmp_path / "python", tmp_path / "results"
    plan.write_text('decisions = 5\nseeds = 2\n[[runs]]\nalgorithm = "dqn"\ngames = ["go_dig"]\nfinal_games = 7\n')
    program.write_text('#!/bin/sh\necho "$@"\ntest $6 = 0 && exit 3\necho "{}" > ${10}/dqn-go_dig-seed1.json\n')
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    words = ["queue", str(results), "--plan", str(plan), "--python", str(program)]
    main(words)
    assert capsys.readouterr().out.count("seed 0: failed") == 1
    assert path_of(results, "dqn", "go_dig", 1).exists()
    failed = json.loads((results / "dqn-go_dig-seed0.failed.json").read_text())
    assert failed["reason"] == "exit status 3"
    assert "--decisions 5" in failed["said"][-1]
    assert failed["said"][-1].endswith("--final-games 7")
    main(words)
    assert capsys.readouterr().out == ""
    main([*words, "--again", "--only", "ppo"])
    assert capsys.readouterr().out == ""
    (tmp_path / "summary.json").write_text('{"runs": [{"algorithm": "dqn", "game": "go_dig", "seeds": [0, 1]}]}')
    main([*words, "--again", "--without", str(tmp_path / "summary.json")])
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit):
        main([*words, "--without", str(plan)])
    assert "plan.toml is no summary of runs" in capsys.readouterr().err
    main([*words, "--again"])
    said = capsys.readouterr().out
    assert "seed 0: failed" in said
    assert "seed 1" not in said


def test_the_pages_show_every_run_of_the_summary():
    summary = pages.read_summary()
    for run in summary["runs"]:
        table = pages.baselines_table(run["game"])
        lines = [line for line in table.splitlines() if line.startswith(f"| {pages.NAMES[run['algorithm']]} |")]
        assert len(lines) == len(run["final"])
        assert run["environment"] == load_task(run["game"]).game.env_name
    for game in {run["game"] for run in summary["runs"] if run["decisions"]}:
        chart = pages.baselines_chart(game)
        learners = [run["algorithm"] for run in summary["runs"] if run["game"] == game and run["decisions"]]
        assert all(f'stroke="{pages.COLOURS[name]}"' in chart for name in learners)
        heights = sorted(float(y) for y in re.findall(rf'<text x="{pages.RIGHT + 30}" y="([\d.]+)"', chart))
        assert heights[-1] < pages.HEIGHT
        assert all(below - above >= 16 for above, below in pairwise(heights))
    for failure in summary["failures"]:
        assert failure["reason"] in pages.failures_table()
