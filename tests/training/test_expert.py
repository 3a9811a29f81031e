"""Expert iteration: from the warm start to the exported policy, interruption, what a seat learns from, errors."""

import json
from functools import partial

import numpy as np
import pytest
import torch

from dig_envs import BatchEnv, load_agent, make
from dig_envs.agents.matches import play_games
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.search import SearchAgent
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from tests.training.tiny import assert_same_weights, changed, done, said, train_expert
from tests.training.tiny import train as train_by_ppo
from training import ppo
from training.checkpoints import list_checkpoints, read_progress
from training.expert import ExpertRun, settings_for_search
from training.export import write_policy
from training.learner import Learner
from training.metrics import MEANINGS, read
from training.searching import OneSearchedGame, Rows, explained, guided, learn_from, loss_of_rows, play_searched
from training.settings import Settings

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="as plain Python a search is slow")

NAME = "go_dig_v0"
GAME = load_game(NAME)
SEARCH = "sims=4:root=gumbel:noise=1:playout=none"
TINY = {"expert_games": 4, "expert_search": SEARCH, "expert_playouts": "sims=4:root=gumbel:noise=1:playout=random:depth=2"}
TINY |= {"expert_value_from": 0.0, "expert_window": 300, "gate_games": 4}
STEPS = 700


def train(run, out, *more):
    return train_expert(run, out, "--steps", str(STEPS), *changed(**TINY), *more)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that went through without interruption, and its policy."""
    folder = tmp_path_factory.mktemp("finished")
    done(train(folder / "run", folder / "zoo" / "tiny", "--seed", "5"))
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


def test_interrupted_run_goes_on(finished, tmp_path, monkeypatch):
    """Cut off after a round, the same command goes on from the last checkpoint, to the same weights as an uninterrupted run."""
    run, out = tmp_path / "run", tmp_path / "zoo" / "tiny"
    judge = ExpertRun._judge

    def cut_off(run):
        assert not run.progress["replay"], "cut off"
        judge(run)

    with monkeypatch.context() as patch:
        patch.setattr(ExpertRun, "_judge", cut_off)
        assert "cut off" in str(train(run, out, "--seed", "5").exception)
    assert read_progress(list_checkpoints(run)[-1])["replay"], "after a round"
    assert "going on from" in done(train(run, out, "--seed", "5")).output
    assert_same_weights(finished[0], run)


def test_a_damaged_window_is_named(tmp_path):
    file = tmp_path / "rows-1.npz"
    file.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ValueError, match=r"rows-1\.npz is damaged"):
        Rows.load(file)


def test_another_recipe_is_another_run(finished, tmp_path):
    """PPO refuses the folder of a run of expert iteration."""
    changes = changed(**TINY, gamma=1.0, shaping_weight=0.0)
    result = train_by_ppo(finished[0], tmp_path / "z" / "p", "--steps", str(STEPS), "--seed", "5", *changes, env=NAME)
    assert result.exit_code == 2
    assert "method is 'expert iteration', asked for 'masked PPO'" in said(result)


def test_another_policy_guides(finished, tmp_path, monkeypatch):
    """The policy that was chosen guides every search from the first round on, with its values, and is left as it is."""
    guides = []

    def noted(game, settings, guide, *more):
        guides.append(guide)
        return play_searched(game, settings, guide, *more)

    monkeypatch.setattr("training.expert.play_searched", noted)
    before = (finished[1] / "policy.onnx").read_bytes()
    changes = {"expert_guide": str(finished[1]), "warm_start": '""', "expert_value_from": 1.0}
    done(train(tmp_path / "run", tmp_path / "zoo" / "taught", *changed(**changes)))
    assert set(guides) == {finished[1]}
    assert all(row["with_values"] == 1 for row in read(tmp_path / "run") if row["phase"] == "expert")
    assert (finished[1] / "policy.onnx").read_bytes() == before


def test_a_guide_whose_values_do_not_judge_is_refused(tmp_path):
    """Values of shaped rewards are not those of positions."""
    shaped = write_policy(tmp_path / GAME.name / "shaped", GAME, random_network(GAME), {"settings": {"shaping_weight": 1.0}})
    result = train_expert(tmp_path / "run", tmp_path / "p", "--steps", "1", *changed(expert_guide=str(shaped)))
    assert result.exit_code == 2
    assert "shaped rewards" in said(result)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"expert_guide": "go_dig/nobody"}, "no agent 'go_dig/nobody'"),
        ({"memory": '{"units": 4}'}, "cannot be guided by a network with a [memory]"),
        ({"expert_search": "sims=4:guide=go_dig/ppo"}, "names a guide"),
        ({"expert_search": "sims=none"}, "sims must be a whole number"),
    ],
)
def test_bad_input(changes, message, tmp_path):
    """Wrong settings of expert iteration are refused with a message before any folder is made."""
    result = train_expert(tmp_path / "run", tmp_path / "p", "--steps", "1", *changed(**changes))
    assert result.exit_code == 2
    assert message in said(result)
    assert not (tmp_path / "run").exists()


# ---------------------------------------------------------------- what a seat learns from


def searched(tmp_path, settings, game=GAME):
    """A search guided by a policy with random weights, and the folder of the policy."""
    folder = write_policy(
        tmp_path / game.name / "any", game, random_network(game), {"pays": "return", "settings": settings.as_dict()}
    )
    return SearchAgent(game, guided(SEARCH, game), OnnxAgent(folder)), folder


def one_game(tmp_path, seed, game=GAME, options=None, **changes):
    """A game that was dealt for such a search."""
    settings = Settings.of(expert_search=SEARCH, **changes)
    agent, _ = searched(tmp_path, settings, game)
    return OneSearchedGame(game, settings, agent, game.template(game.complete_options(options or {})), seed)


@pytest.mark.parametrize(("name", "players"), [(NAME, 2), (NAME, 3), ("fossil_canyon_v0", 3)])
def test_targets_know_only_what_the_seat_knows(tmp_path, name, players):
    """Positions that a seat cannot tell apart: the same observation, and with the same seed the same targets."""
    game = load_game(name)
    agent, _ = searched(tmp_path, Settings.of(expert_search=SEARCH, score_weight=0.1), game)
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
    weights = {"win_weight": 0.5, "score_weight": 0.25, "expert_self_play": 1.0, "expert_result_share": 1.0}
    one = one_game(tmp_path, 11, options={"num_players": 3}, **weights)
    rows = one.play().rows
    returns, scores = GAME.returns_of(one.states)[0], one.states["scores"][0]
    assert {moment.seat for moment in one.moments} == {0, 1, 2}
    assert len({round(float(value), 3) for value in returns[:3]}) > 1
    for moment, value, result in zip(one.moments, rows.values, rows.results, strict=True):
        assert value == result == pytest.approx(0.5 * returns[moment.seat] + 0.25 * (scores[moment.seat] - moment.score), abs=1e-3)


def test_the_search_is_mixed_in(tmp_path):
    """A row's target value is the mean of result and search value; rows of seats that wait have the result alone."""
    one = one_game(tmp_path, 11, score_weight=0.25, expert_self_play=1.0, expert_result_share=0.5)
    rows = one.play().rows
    waiting = rows.policies.sum(axis=1) == 0
    assert 0 < waiting.sum() < len(rows)
    for moment, value, result, waits in zip(one.moments, rows.values, rows.results, waiting, strict=True):
        assert (moment.expected is None) == waits
        assert value == pytest.approx(result if waits else 0.5 * (result + moment.expected), abs=1e-3)


def test_rows_are_what_was_seen(tmp_path):
    """Every searched row: a legal distribution, and the observation that the environment shows."""
    played = one_game(tmp_path, 4, expert_self_play=1.0).play()
    rows = played.rows
    masks = np.unpackbits(rows.masks, axis=1, count=len(GAME.actions))
    own = rows.policies.sum(axis=1) > 0
    assert own.sum() == played.decisions
    np.testing.assert_allclose(rows.policies[own].sum(axis=1), 1.0, atol=0.01)
    assert (rows.policies[masks == 0] == 0).all()
    env = make(NAME)
    env.reset(seed=4)
    np.testing.assert_array_equal(rows.observations[0], env.observe(env.agent_selection)["observation"].astype(np.float16))


def test_opponents_with_a_memory_remember(tmp_path):
    """Without it this player would turn up cards at random, and collect hardly anything."""
    settings = {"expert_self_play": 0.0, "opponents": {"fossil_memory/remembering": 1.0}}
    remembering = 0
    for seed in range(4):
        one = one_game(tmp_path, seed, load_game("fossil_memory"), {"recall": "none"}, **settings)
        one.play()
        (other,) = one.others
        remembering += int(one.states["scores"][0, other] - one.states["scores"][0, 1 - other])
    assert remembering > 0


def test_scripted_players_are_not_learned_from(tmp_path):
    """If one seat searches among others, all rows are its own. A team searches all seats."""
    seats = set()
    for seed in range(6):
        one = one_game(tmp_path, seed, options={"num_players": 4}, expert_self_play=0.0, opponents={"random": 1.0})
        assert len(one.others) == 3
        one.play()
        assert {moment.seat for moment in one.moments} == set(range(4)) - set(one.others)
        seats |= {moment.seat for moment in one.moments}
    assert len(seats) > 1
    assert not one_game(tmp_path, 1, load_game("cretaceous_creek"), {"num_players": 3}, expert_self_play=0.0).others


def test_threads_change_nothing(tmp_path):
    """Games are the same, however many are played side by side."""
    settings = Settings.of(expert_search=SEARCH)
    _, folder = searched(tmp_path, settings)
    played = [play_searched(GAME, settings, folder, SEARCH, threads, 5, 77) for threads in (1, 3)]
    for one, other in zip(*played, strict=True):
        np.testing.assert_array_equal(one.rows.policies, other.rows.policies)
        np.testing.assert_array_equal(one.rows.values, other.rows.values)


# ---------------------------------------------------------------- learning


def made_up_rows(count=200):
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
    learner.set_learning_rate(0.003, 0.003, 0.0)
    first, _, last = (learn_from(learner, rows, updates) for updates in (5, 120, 20))
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
    """Not shaped, not discounted."""
    settings = settings_for_search(GAME, Settings.of(shaping_weight=1.0, gamma=0.9))
    assert (settings.shaping_weight, settings.gamma) == (0.0, 1.0)


def test_what_search_cannot_use_is_refused():
    for unused in ({"memory": {"units": 8}}, {"late_starts": {"file": "won.jsonl"}}):
        with pytest.raises(ValueError, match=f"--set '{next(iter(unused))}="):
            settings_for_search(GAME, Settings.of(**unused))


@pytest.mark.slow
def test_it_learns(tmp_path):
    """Expert iteration learns from scratch, without imitation: after some minutes it clearly beats random play."""
    changes = {"warm_start": '""', "layers": "[64]", "batch_size": 256, "checkpoint_rollouts": 4, "expert_games": 32}
    changes |= {"gate_games": 100, "expert_search": "sims=24:root=gumbel:considered=8:noise=1:playout=none"}
    done(train_expert(tmp_path / "run", tmp_path / "zoo" / "x", "--steps", "20000", *changed(**changes)))
    last = [row for row in read(tmp_path / "run") if row["phase"] == "evaluation"][-1]
    assert last["strength_low"]["random"] > 0.6
    newest = sorted((tmp_path / "run" / "pool").iterdir())[-1]
    agents = [load_agent(str(newest), NAME), load_agent("random", NAME, seed=1)]
    assert play_games(NAME, agents, 400, seed=5, rotate=True).win_rate(0).low > 0.6


def test_slices_of_searched_rows_have_the_gradients_of_the_minibatch():
    """Also where one slice has more rows that were searched than the other."""
    learner, rng, count = Learner(GAME, Settings.of(layers=[8, 8], bfloat16=False), 0), np.random.default_rng(0), 31
    masks = rng.random((count, len(GAME.actions))) < 0.5
    masks[:, 0] = True
    policies = masks / masks.sum(axis=1, keepdims=True)
    policies[:10] = 0
    seen, values = rng.random((count, GAME.observation_size)).astype(np.float16), rng.random(count).astype(np.float32)
    rows = Rows(seen, np.packbits(masks, axis=1), policies.astype(np.float16), values, values)
    gradients = []
    for measure in (learner.measure, partial(ppo.Learner.measure, learner)):
        measure(torch.arange(count), partial(loss_of_rows, learner, rows, 21 / count))
        gradients.append([weights.grad for weights in learner.network.parameters()])
    for summed, at_once in zip(*gradients, strict=True):
        np.testing.assert_allclose(summed, at_once, atol=1e-6)
