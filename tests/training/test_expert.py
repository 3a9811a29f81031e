"""Expert iteration: the whole path, interruption, what a seat learns from, errors."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from dig_envs import BatchEnv, load_agent, make
from dig_envs.agents.matches import play_games
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.search import SearchAgent
from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from tests.training.test_train import assert_same_weights
from tests.training.tiny import SETTINGS
from training.checkpoints import list_checkpoints, read_progress
from training.expert import app, settings_for_search
from training.export import write_policy
from training.metrics import MEANINGS, read
from training.ppo import Learner
from training.searching import OneSearchedGame, Rows, SearchedGames, explained, guided, learn_from
from training.settings import Settings

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")

NAME = "go_dig_v0"
GAME = load_game(NAME)
TINY = {**SETTINGS, "expert_games": 4, "expert_search": "sims=4:root=gumbel:noise=1:playout=none", "gate_games": 4}
TINY |= {
    "expert_value_from": 0.0,
    "expert_playouts": "sims=4:root=gumbel:noise=1:playout=random:depth=2",
    "expert_window": 300,
    "warm_start_steps": 256,
}
STEPS = 700


def command(run, out, *more):
    """``python -m training.expert`` with tiny settings."""
    changes = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    where = ["--run", str(run), "--out", str(out), "--games", "4", "--steps", str(STEPS)]
    return [sys.executable, "-m", "training.expert", "go_dig", *where, "--threads", "1", *changes, *more]


def train(run, out, *more):
    return subprocess.run(command(run, out, *more), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that went through without interruption, and its policy."""
    folder = tmp_path_factory.mktemp("finished")
    result = train(folder / "run", folder / "zoo" / "tiny", "--seed", "5")
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "run", folder / "zoo" / "tiny"


def test_whole_path(finished):
    """Warm start, rounds of search, gate, export, and the policy loaded again as an opponent and as a guide."""
    run, policy = finished
    assert read_progress(list_checkpoints(run)[-1])["steps"] >= STEPS
    card = json.loads((policy / "card.json").read_text())
    assert card["pays"] == "return"
    assert card["settings"]["shaping_weight"] == 0.0
    assert "training.expert" in card["training_command"]
    assert (policy / "curve.png").stat().st_size > 5000
    env = make(NAME)
    env.reset(seed=1)
    for spec in (str(policy), f"search:sims=8:playout=none:guide={policy}"):
        assert load_agent(spec, NAME, seed=0).act(env) in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])


def test_metrics_are_explained(finished):
    rows = read(finished[0])
    assert {row["phase"] for row in rows} == {"imitation", "expert", "evaluation"}
    assert {name for row in rows for name in row} <= set(MEANINGS)
    rounds = [row for row in rows if row["phase"] == "expert"]
    assert all(row["rows"] <= TINY["expert_window"] for row in rounds)
    assert all(np.isfinite(row["policy_loss"]) for row in rounds)


def test_the_window_is_kept_and_no_more(finished):
    """Files of exactly the rounds that the kept checkpoints name."""
    run, _ = finished
    named = {name for checkpoint in list_checkpoints(run) for name in read_progress(checkpoint)["replay"]}
    assert {path.name for path in (run / "replay").iterdir()} == named
    lengths = [len(Rows.load(run / "replay" / name)) for name in read_progress(list_checkpoints(run)[-1])["replay"]]
    assert sum(lengths[1:]) < TINY["expert_window"], "the oldest round is needed"


def test_killed_run_goes_on(finished, tmp_path):
    """After SIGKILL the same command goes on from the last checkpoint, to the same weights as an uninterrupted run."""
    run = tmp_path / "run"
    process = subprocess.Popen(
        command(run, tmp_path / "zoo" / "tiny", "--seed", "5"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.time() + 300
    while not any(read_progress(one)["replay"] for one in list_checkpoints(run)) and time.time() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert read_progress(list_checkpoints(run)[-1])["replay"], "killed after a round"
    result = train(run, tmp_path / "zoo" / "tiny", "--seed", "5")
    assert result.returncode == 0, result.stdout + result.stderr
    assert_same_weights(finished[0], run)


def test_a_damaged_window_is_named(tmp_path):
    file = tmp_path / "rows-1.npz"
    file.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ValueError, match=r"rows-1\.npz is damaged"):
        Rows.load(file)


def test_another_recipe_is_another_run(finished, tmp_path):
    """A folder of expert iteration is not taken up by PPO."""
    changes = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    words = [sys.executable, "-m", "training.train", "go_dig", "--run", str(finished[0]), "--out", str(tmp_path / "z" / "p")]
    changes += ["--set", "gamma=1.0", "--set", "shaping_weight=0.0", "--seed", "5", "--steps", str(STEPS)]
    result = subprocess.run([*words, "--threads", "1", *changes], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "method is 'expert iteration', asked for 'masked PPO'" in result.stdout


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (['memory={"kind": "gru", "units": 4}'], "cannot be guided by a network with a [memory]"),
        (["expert_search=sims=4:guide=go_dig/ppo"], "names a guide"),
        (["expert_search=sims=none"], "sims must be a whole number"),
        (["expert_games=0"], "expert_games must be at least 1"),
        (["expert_result_share=1.5"], "expert_result_share must be from 0 to 1"),
    ],
)
def test_bad_input(changes, message, tmp_path):
    """Before anything is made, in one line."""
    words = [word for change in changes for word in ("--set", change)]
    result = CliRunner().invoke(
        app, ["go_dig", "--run", str(tmp_path / "run"), "--out", str(tmp_path / "p"), "--steps", "1", *words]
    )
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / "run").exists()


# ---------------------------------------------------------------- what a seat learns from


def searched(tmp_path, settings, game=GAME, **facts):
    """A search guided by a policy with random weights."""
    paid = {"pays": "return", "settings": settings.as_dict(), **facts}
    folder = write_policy(tmp_path / game.name / "any", game, random_network(game), paid)
    return SearchAgent(game, guided(settings.expert_search, game), OnnxAgent(folder)), folder


@pytest.mark.parametrize(("name", "players"), [(NAME, 2), (NAME, 3), ("fossil_canyon_v0", 3)])
def test_targets_know_only_what_the_seat_knows(tmp_path, name, players):
    """Positions that a seat cannot tell apart: the same observation, and with the same seed the same targets."""
    game = load_game(name)
    settings = Settings.of(expert_search=TINY["expert_search"], score_weight=0.1)
    agent, _ = searched(tmp_path, settings, game)
    batch = BatchEnv(name, 6, seed=3, num_players=players)
    different = 0
    for step in range(20):
        for i in range(6):
            seat, states = int(batch.mover[i]), batch.states[i : i + 1].copy()
            twin = states.copy()
            game.kernels.determinize_one(twin, seat, np.uint64(100 * step + i))
            different += twin.tobytes() != states.tobytes()
            one, other = (agent.search(which, seat, seed=step) for which in (states, twin))
            np.testing.assert_array_equal(one.policy, other.policy)
            assert (one.action, one.expected) == (other.action, other.expected)
        batch.step(batch.sample_actions())
    assert different > 20, "the positions did differ"


def test_each_seat_has_its_own_result(tmp_path):
    """Among three: a row's result is what its own seat was paid from there on, as training pays it."""
    settings = Settings.of(
        expert_search=TINY["expert_search"], win_weight=0.5, score_weight=0.25, expert_self_play=1.0, expert_result_share=1.0
    )
    agent, _ = searched(tmp_path, settings)
    one = OneSearchedGame(GAME, settings, agent, GAME.template(GAME.complete_options({"num_players": 3})), 11)
    rows = one.play().rows
    returns, scores = GAME.returns_of(one.states)[0], one.states["scores"][0]
    assert {moment.seat for moment in one.moments} == {0, 1, 2}
    assert len({round(float(value), 3) for value in returns[:3]}) > 1
    for moment, value, result in zip(one.moments, rows.values, rows.results, strict=True):
        assert value == result == pytest.approx(0.5 * returns[moment.seat] + 0.25 * (scores[moment.seat] - moment.score), abs=1e-3)


def test_the_search_is_mixed_in(tmp_path):
    """Half result, half what the search expected of what is still to come; views of those who wait have the result alone."""
    settings = Settings.of(expert_search=TINY["expert_search"], score_weight=0.25, expert_self_play=1.0, expert_result_share=0.5)
    agent, _ = searched(tmp_path, settings)
    one = OneSearchedGame(GAME, settings, agent, GAME.template(GAME.complete_options({})), 11)
    rows = one.play().rows
    waiting = rows.policies.sum(axis=1) == 0
    assert 0 < waiting.sum() < len(rows)
    for moment, value, result, waits in zip(one.moments, rows.values, rows.results, waiting, strict=True):
        assert (moment.expected is None) == waits
        expected = result if waits else 0.5 * (result + moment.expected)
        assert value == pytest.approx(expected, abs=1e-3)


def test_rows_are_what_was_seen(tmp_path):
    """Every searched row: a legal distribution, and the observation that the environment shows."""
    settings = Settings.of(expert_search=TINY["expert_search"], expert_self_play=1.0)
    agent, _ = searched(tmp_path, settings)
    played = OneSearchedGame(GAME, settings, agent, GAME.template(GAME.complete_options({})), 4).play()
    rows = played.rows
    masks = np.unpackbits(rows.masks, axis=1, count=len(GAME.actions))
    own = rows.policies.sum(axis=1) > 0
    assert own.sum() == played.decisions
    np.testing.assert_allclose(rows.policies[own].sum(axis=1), 1.0, atol=0.01)
    assert (rows.policies[masks == 0] == 0).all()
    env = make(NAME)
    env.reset(seed=4)
    np.testing.assert_array_equal(rows.observations[0], env.observe(env.agent_selection)["observation"].astype(np.float16))


def test_scripted_players_are_not_learned_from(tmp_path):
    """Where one seat searches among others, all rows are its own."""
    settings = Settings.of(expert_search=TINY["expert_search"], expert_self_play=0.0, opponents={"random": 1.0})
    agent, _ = searched(tmp_path, settings)
    template = GAME.template(GAME.complete_options({"num_players": 4}))
    seats = set()
    for seed in range(6):
        one = OneSearchedGame(GAME, settings, agent, template, seed)
        assert len(one.others) == 3
        one.play()
        assert {moment.seat for moment in one.moments} == set(range(4)) - set(one.others)
        seats |= {moment.seat for moment in one.moments}
    assert len(seats) > 1


def test_a_team_searches_all_seats(tmp_path):
    game = load_game("cretaceous_creek")
    settings = Settings.of(expert_search=TINY["expert_search"], expert_self_play=0.0)
    agent, _ = searched(tmp_path, settings, game)
    one = OneSearchedGame(game, settings, agent, game.template(game.complete_options({"num_players": 3})), 1)
    assert not one.others


def test_threads_change_nothing(tmp_path):
    """Games are the same, however many are played side by side."""
    settings = Settings.of(expert_search=TINY["expert_search"])
    _, folder = searched(tmp_path, settings)
    played = [SearchedGames(GAME, settings, folder, settings.expert_search, threads).play(5, 77) for threads in (1, 3)]
    for one, other in zip(*played, strict=True):
        np.testing.assert_array_equal(one.rows.policies, other.rows.policies)
        np.testing.assert_array_equal(one.rows.values, other.rows.values)


# ---------------------------------------------------------------- learning


def made_up_rows(count=400):
    """The policy is to take the last legal action, the value is the first number of the observation."""
    rng = np.random.default_rng(0)
    seen = rng.random((count, GAME.observation_size)).astype(np.float16)
    masks = rng.random((count, len(GAME.actions))) < 0.4
    masks[:, 3] = True
    policies = np.zeros((count, len(GAME.actions)), np.float16)
    policies[np.arange(count), len(GAME.actions) - 1 - masks[:, ::-1].argmax(axis=1)] = 1.0
    policies[::2] = 0.0
    values = 4.0 * seen[:, 0].astype(np.float32)
    return Rows(seen, np.packbits(masks, axis=1), policies, values, values)


def test_learns_policy_and_value():
    torch.manual_seed(0)
    learner = Learner(GAME, Settings.of(layers=[32], batch_size=64), 0)
    rows = made_up_rows()
    before = explained(learner, rows)
    first = learn_from(learner, rows, 10)
    for _ in range(10):
        last = learn_from(learner, rows, 40)
    assert last["policy_loss"] < first["policy_loss"] / 2
    assert last["agreement"] > 0.8
    assert explained(learner, rows) > max(0.5, before)


def test_rows_that_have_only_a_value_teach_no_policy():
    learner = Learner(GAME, Settings.of(layers=[8], batch_size=64), 0)
    rows = made_up_rows()
    rows.policies[:] = 0.0
    before = learner.network.weights["policy.weight"]
    learn_from(learner, rows, 5)
    np.testing.assert_array_equal(before, learner.network.weights["policy.weight"])


def test_values_judge_positions():
    """Not shaped, not discounted; a memory is refused."""
    settings = settings_for_search(GAME, Settings.of(shaping_weight=1.0, gamma=0.9))
    assert (settings.shaping_weight, settings.gamma) == (0.0, 1.0)


@pytest.mark.slow
def test_it_learns(tmp_path):
    """From nothing, without a scripted player to imitate: after some minutes far better than random play."""
    changes = {"warm_start": '""', "layers": "[64]", "batch_size": 256, "checkpoint_rollouts": 4, "expert_games": 32}
    changes |= {"gate_games": 100, "expert_search": "sims=24:root=gumbel:considered=8:noise=1:playout=none"}
    words = [word for name, value in changes.items() for word in ("--set", f"{name}={value}")]
    where = ["--run", str(tmp_path / "run"), "--out", str(tmp_path / "zoo" / "x"), "--games", "100"]
    subprocess.run(
        [sys.executable, "-m", "training.expert", "go_dig", "--steps", "20000", "--threads", "1", *where, *words], check=True
    )
    last = [row for row in read(tmp_path / "run") if row["phase"] == "evaluation"][-1]
    assert last["strength_low"]["random"] > 0.6
    newest = sorted((tmp_path / "run" / "pool").iterdir())[-1]
    agents = [load_agent(str(newest), NAME), load_agent("random", NAME, seed=1)]
    assert play_games(NAME, agents, 400, seed=5, rotate=True).win_rate(0).low > 0.6
