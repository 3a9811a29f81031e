"""The algorithm: advantages, loss, updates, imitation, the program in one file."""

import ast
import json
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

from dig_envs import load_agent
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.batch.sparse import entries_of
from dig_envs.registry import load_game
from training import ppo
from training.games import TrainingGames
from training.imitation import Lesson, take_lesson
from training.interrupt import as_program
from training.learner import new_learner
from training.ppo import (
    METRICS,
    Hyperparameters,
    Rollout,
    collect,
    compute_advantages,
    normalize,
    ppo_loss,
    update,
)
from training.rows import Rows, joined
from training.settings import Settings

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
TINY = {"num_envs": 8, "rollout_steps": 16, "layers": [16], "batch_size": 32}


def learning(**changes):
    settings = Settings.of(**{**TINY, **changes})
    games = TrainingGames(NAME, settings, 1, "heuristic")
    games.reset()
    learner = new_learner(GAME, settings, 0)
    learner.generator.manual_seed(1)
    learner.set_learning_rate(0.01, 0.01, 0.0)
    return learner, games


def test_advantages_by_hand():
    """Two games of three steps, one of which ends after its second."""
    rewards, dones, values, last_values = (
        torch.tensor(array, dtype=torch.float32)
        for array in (
            [[1, 0], [0, 2], [0, 1]],
            [[0, 0], [0, 1], [0, 0]],
            [[1, 2], [3, 4], [5, 6]],
            [7, 8],
        )
    )
    nothing = torch.zeros(3, 2)
    rollout = Rollout(
        nothing, nothing, nothing, nothing, values, rewards, dones, last_values, {}, nothing
    )
    gamma, lam = 0.5, 0.25
    last = [0 + gamma * 7 - 5, 1 + gamma * 8 - 6]
    middle = [0 + gamma * 5 - 3 + gamma * lam * last[0], 2 - 4]  # nothing comes after an end
    first = [
        1 + gamma * 3 - 1 + gamma * lam * middle[0],
        0 + gamma * 4 - 2 + gamma * lam * middle[1],
    ]
    np.testing.assert_allclose(
        compute_advantages(rollout, gamma, lam).numpy(), [first, middle, last], rtol=1e-6
    )


def test_the_loss_by_hand():
    """One of two actions has become twice as likely, beyond the clip range: nothing is gained by
    more of it, but something lost."""
    old, new = torch.tensor([0.25, 0.75]), torch.tensor([[0.5, 0.5], [0.5, 0.5]])
    values, returns = torch.tensor([1.0, 1.0], requires_grad=True), torch.tensor([2.0, 1.0])
    settings = Hyperparameters(clip_range=0.2, value_weight=0.5, entropy_weight=0.1)
    logits = new.log().requires_grad_()
    advantages = normalize(torch.tensor([3.0, 7.0, -1.0]), torch.tensor([0, 2]))[[0, 2]]  # ± 1 / √2
    loss, metrics = ppo_loss(
        logits, values, torch.tensor([0, 1]), old.log(), advantages, returns, settings
    )
    gained, lost = 1.2 / 2**0.5, -0.8 / 2**0.5  # the ratios 2 and 2/3, clipped
    assert metrics["policy_loss"] == pytest.approx(-(gained + lost) / 2, abs=1e-5)
    assert (metrics["value_loss"], metrics["clip_fraction"]) == (0.5, 1.0)
    assert metrics["entropy"] == pytest.approx(np.log(2))
    assert loss.item() == pytest.approx(
        metrics["policy_loss"] + 0.5 * 0.5 - 0.1 * np.log(2), abs=1e-6
    )
    assert set(metrics) <= set(METRICS)


def test_actions_are_drawn_by_their_probabilities():
    """Those of probability 0 never, whatever the chance is."""
    shares = torch.tensor([0.0, 0.25, 0.0, 0.75, 0.0])
    logits = torch.where(shares > 0, shares.log(), torch.tensor(-1e8))
    chances = torch.cat([torch.arange(100) / 100, torch.tensor([1 - 2.0**-24])])
    actions, log_probs = ppo.draw(logits.expand(101, 5), chances)
    assert actions.bincount().tolist() == [0, 25, 0, 76]
    np.testing.assert_allclose(log_probs.exp(), shares[actions], rtol=1e-6)


def test_shares_that_no_float_has_exactly():
    """An illegal action is never drawn, not even as the last one by the largest chance."""
    many = torch.rand(64, 300, generator=torch.Generator().manual_seed(0)) * 20
    many[:, 250:] = many[:, ::7] = -1e8
    for chance in (0.0, 0.5, 1 - 2.0**-24):
        actions, log_probs = ppo.draw(many, torch.full((64,), chance))
        assert (many.gather(1, actions[:, None]) >= 0).all()
        assert log_probs.isfinite().all()


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_network_that_has_diverged(wrong):
    """The rollout ends with these words, before an action of it is played."""
    learner, games = learning()
    before = games.observation.copy()
    with torch.no_grad():
        learner.network.policy.bias[:] = wrong
    with pytest.raises(ValueError, match="not finite: the training has diverged"):
        collect(learner, games)
    np.testing.assert_array_equal(games.observation, before)
    games.close()


def test_only_legal_actions_are_drawn():
    """Illegal ones have probability 0 to the bit, and a rollout says how likely the drawn ones
    were."""
    learner, games = learning()
    rollout = collect(learner, games)
    assert rollout.masks.gather(2, rollout.actions[..., None]).all()
    logits, values = learner.network(
        rollout.observations.flatten(0, 1), rollout.masks.flatten(0, 1)
    )
    probabilities = torch.softmax(logits, dim=1)
    assert (probabilities[~rollout.masks.flatten(0, 1)] == 0).all()
    drawn = probabilities.gather(1, rollout.actions.flatten()[:, None])[:, 0]
    np.testing.assert_allclose(drawn.log().detach(), rollout.log_probs.flatten(), atol=1e-5)
    np.testing.assert_allclose(values.detach(), rollout.values.flatten(), atol=1e-5)
    games.close()


def some_rows(seed=0, count=40, size=30):
    """Dense observations, one of them zero, and the same as rows."""
    generator = torch.Generator().manual_seed(seed)
    seen = torch.randn(count, size, generator=generator)
    seen *= torch.rand(count, size, generator=generator) < 0.2
    seen[3] = 0
    return seen, Rows.of(*entries_of(seen.numpy()))


def as_dense(rows, size=30):
    row_of = torch.repeat_interleave(torch.arange(len(rows.offsets) - 1), rows.offsets.diff())
    found = torch.zeros(len(rows.offsets) - 1, size)
    found[row_of, rows.columns.long()] = rows.values
    return found


def test_rows_are_taken_cut_and_joined():
    seen, rows = some_rows()
    order = torch.randperm(len(seen), generator=torch.Generator().manual_seed(1))
    assert torch.equal(as_dense(rows), seen)
    assert torch.equal(as_dense(rows.at(order)), seen[order])
    assert torch.equal(as_dense(joined(rows.chunk(3))), seen)


@pytest.mark.parametrize("reads_rows", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_sparse_observations_teach_the_same(sparse, reads_rows):
    """Whatever is given, and in whatever order the weights lie in memory: Adam takes that for
    granted."""
    seen, rows = some_rows()
    mask = torch.rand(40, 5, generator=torch.Generator().manual_seed(1)) < 0.7
    mask[:, 0] = True

    def learned(observation, **layout):
        torch.manual_seed(2)
        network = ppo.PolicyAndValue(30, 5, 8, **layout)
        learner = ppo.Learner(network, Hyperparameters(), torch.device("cpu"))

        def loss_of(some):
            part = observation.at(some) if isinstance(observation, Rows) else observation[some]
            logits, values = network(part, mask[some])
            return logits.log_softmax(1)[:, 0].mean() + values.square().mean(), {}

        for _ in range(3):
            learner.set_learning_rate(0.01, 0.01, 0)
            learner.measure(torch.arange(40), loss_of)
            learner.improve()
        return network.state_dict()

    expected = learned(seen)
    found = learned(rows if sparse else seen, reads_rows=reads_rows)
    for name, weights in found.items():
        np.testing.assert_allclose(weights, expected[name], atol=2e-6, err_msg=name)


def test_sparse_rollouts_are_the_dense_ones():
    """The same games, decisions and losses, up to rounding, with opponents that read rows."""
    found = {}
    for kind in ("float32", "sparse"):
        settings = Hyperparameters(num_envs=8, rollout_steps=16, batch_size=64)
        games = ppo.PaidGames(NAME, 8, seed=1, reward="score", observation=kind, num_players=2)
        torch.manual_seed(0)
        network = ppo.PolicyAndValue(
            GAME.observation_size, len(GAME.actions), 16, reads_rows=kind == "sparse"
        )
        learner = ppo.Learner(network, settings, torch.device("cpu"))
        learner.generator.manual_seed(1)
        games.set_opponents(ppo.EarlierCopy(network, "copy"))
        games.reset()
        rollout = collect(learner, games)
        seen = rollout.observations
        seen = as_dense(seen, GAME.observation_size) if kind == "sparse" else seen.flatten(0, 1)
        learner.network.reads_rows = False
        if kind == "sparse":
            with pytest.raises(TypeError, match="does not read observations of the kind 'sparse'"):
                collect(learner, games)
        found[kind] = seen, rollout.actions, rollout.rewards, update(learner, rollout)
        games.close()
    for one, other in zip(*[values[:3] for values in found.values()], strict=True):
        assert torch.equal(one, other)
    assert found["sparse"][3] == pytest.approx(found["float32"][3], abs=2e-4)


def test_update_makes_what_paid_likelier():
    """In a bandit where one action pays, PPO's updates make this action the one nearly always
    chosen."""
    learner, games = learning(entropy_weight=0.0, target_kl=0.0)
    games.close()
    seen, mask = (
        torch.rand(8, GAME.observation_size),
        torch.ones(8, len(GAME.actions), dtype=torch.bool),
    )
    mask[:, 5:] = False
    for _ in range(20):
        with torch.no_grad():
            logits, values = learner.network(seen, mask)
            log_probs = torch.log_softmax(logits, dim=1)
            actions = torch.multinomial(
                log_probs.exp(), 16, replacement=True, generator=learner.generator
            ).T
        rewards = (actions == 3).float()
        chosen = torch.stack([log_probs.gather(1, row[:, None])[:, 0] for row in actions])
        many = [tensor.expand(16, *tensor.shape).clone() for tensor in (seen, mask)]
        before = values.expand(16, 8).clone()
        nothing = torch.zeros(8, 0)
        metrics = update(
            learner,
            Rollout(
                *many,
                actions,
                chosen,
                before,
                rewards,
                torch.ones(16, 8),
                torch.zeros(8),
                {},
                nothing,
            ),
        )
    with torch.no_grad():
        chance = torch.softmax(learner.network(seen, mask)[0], dim=1)[:, 3]
    assert chance.min() > 0.8
    assert set(metrics) <= set(METRICS)


def test_update_stops_at_the_target():
    """With a tiny target the passes end when the policy has begun to move; with none they go on."""
    moved = {}
    for target in (1e-9, 0.0):
        learner, games = learning(epochs=10, target_kl=target)
        moved[target] = update(learner, collect(learner, games))["kl"]
        games.close()
    assert moved[1e-9] < moved[0.0] / 10


def test_a_lesson_is_what_the_teacher_does():
    """Its choices in the positions that are seen, all of them legal; where it plays, they are
    played."""
    settings = {"score_weight": 1.0, "win_weight": 0.0, "gamma": 1.0}
    teacher = load_agent("heuristic", NAME)
    for share in (0.0, 1.0):
        learner, games = learning(**settings, warm_start_student_share=share)
        first = games.choices_of(teacher)
        lesson = take_lesson(learner, games, teacher, np.random.default_rng(0))
        np.testing.assert_array_equal(lesson.choices[0], first)
        assert lesson.masks.gather(2, lesson.choices[..., None]).all()
        assert lesson.masks.gather(2, lesson.actions[..., None]).all()
        assert bool((lesson.actions == lesson.choices).all()) == (share == 0.0)
        goes_on = lesson.following[:-1] - lesson.following[1:] * (1 - lesson.dones[:-1])
        np.testing.assert_allclose(goes_on, lesson.rewards[:-1], atol=1e-4)
        games.close()


def lesson_of(observations, masks, dones, memory, choices, following):
    """A lesson of what learning from it needs."""
    return Lesson(
        observations, masks, None, None, None, None, dones, None, {}, memory, choices, following
    )


# ---------------------------------------------------------------- the program in one file


@pytest.mark.parametrize("name", ["exact", "ppo", "with_jax", "with_openspiel", "with_sb3"])
def test_it_needs_nothing_else_of_training(name):
    """But what writes a policy's folder, what reads sparse observations, and what makes SIGTERM
    Ctrl-C."""
    tree = ast.parse((Path(ppo.__file__).parent / f"{name}.py").read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not any(
        "training" in (alias.name, getattr(node, "module", ""))
        for node in imports
        for alias in node.names
    )
    own = {node.module for node in imports if isinstance(node, ast.ImportFrom) and node.level}
    assert own <= {"files", "interrupt", "rows", *(["ppo"] if name == "exact" else [])}


@pytest.mark.parametrize("game", ["fossil_canyon", "cretaceous_creek"])
def test_the_program(game, tmp_path, capsys):
    """From the command line to a policy that plays as the network did."""
    tiny = [
        "--num-envs",
        "8",
        "--rollout-steps",
        "16",
        "--hidden",
        "16",
        "--batch-size",
        "32",
        "--games",
        "4",
    ]
    torch.set_num_threads(2)
    ppo.main([game, "--steps", "300", "--out", str(tmp_path / "zoo" / "x"), *tiny])
    assert torch.get_num_threads() == 1
    output = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("steps ") for line in output) == 3
    assert all(any(line.strip().startswith(f"{name}: ") for line in output) for name in METRICS)
    assert output[-1].startswith("won with sampled actions against ")
    assert sum(line.startswith("won with the likeliest actions against ") for line in output) >= 1
    assert load_agent(str(tmp_path / "zoo" / "x")).card["steps"] == 3 * 8 * 16
    assert json.loads((tmp_path / "zoo" / "x" / "card.json").read_text())["pays"] == "return"


def test_it_learns_and_is_tested_with_the_options_given(tmp_path, capsys):
    words = "oak_island --steps 64 --num-envs 4 --rollout-steps 16 --games 2 --option max_rounds=1"
    more = "--option variants=9 --test-option variant=50"
    out = tmp_path / "zoo" / "x"
    ppo.main([*words.split(), *more.split(), "--out", str(out)])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("won with")]
    assert [line.count("with the test options") for line in lines] == [0] * 4 + [1] * 4
    (case,) = json.loads((out / "card.json").read_text())["settings"]["games"]
    assert (case["max_rounds"], case["variants"], case["variant"]) == (1, 9, 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--epochs 0", "error: --epochs must be at least 1, not 0"),
        ("--gamma x", "invalid float value"),
        ("--gamma 1.5", "--gamma must be from 0 to 1, not 1.5"),
        ("--learning-rate inf", "--learning-rate must be a finite number, not inf"),
        ("--score-weight nan", "--score-weight must be a finite number, not nan"),
        ("--steps 0", "--steps must be at least 1, not 0"),
        ("--games 0", "--games must be at least 1"),
        ("--hidden 0", "--hidden must be at least 1"),
        ("--seed -1", "--seed must be from 0 to"),
        ("--option num_players=9", "error: option 'num_players': 9 is not one of"),
        ("--option playrs=2", "error: option 'playrs=2': write name=value"),
        ("--test-option num_players=9", "error: option 'num_players': 9 is not one of"),
        ("--out policies/fossil_canyon/policy", "choose another folder with --out"),
    ],
)
def test_bad_options(words, message, capsys):
    with pytest.raises(SystemExit) as error:
        ppo.main(["fossil_canyon", *words.split()])
    assert error.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert "remove" not in told


def test_a_game_that_does_not_exist(capsys):
    with pytest.raises(SystemExit):
        ppo.main(["go_dgi"])
    assert "error: no environment 'go_dgi'" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_learned(tmp_path, monkeypatch, capsys):
    """It is saved and evaluated, and the card has the decisions that were made. Before the first
    update there is nothing to keep."""
    rollouts, collected = [], ppo.collect

    def interrupted(*given):
        rollouts.append(given)
        if len(rollouts) in (2, 3):
            raise KeyboardInterrupt
        return collected(*given)

    monkeypatch.setattr(ppo, "collect", interrupted)
    words = "go_dig --steps 1000 --num-envs 4 --rollout-steps 8 --hidden 8 --games 2 --out"
    ppo.main([*words.split(), str(tmp_path / "x")])
    told = capsys.readouterr().out
    assert "interrupted after 32 decisions" in told
    assert told.count("won with") == 4
    assert load_agent(str(tmp_path / "x"), "go_dig_v0").card["steps"] == 32
    with pytest.raises(KeyboardInterrupt):
        ppo.main([*words.split(), str(tmp_path / "y")])
    assert not (tmp_path / "y").exists()


def test_sigterm_is_as_ctrl_c():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        as_program(lambda: signal.raise_signal(signal.SIGTERM))
    assert ended.value.code == 130
    assert signal.getsignal(signal.SIGTERM) == before


def test_earlier_copies_play_the_other_seats(monkeypatch, capsys):
    """One more after each leg; they do not learn on, and draw their actions."""
    settings = Hyperparameters(
        num_envs=4, rollout_steps=8, batch_size=32, epochs=1, learning_rate=0.1
    )
    games = ppo.PaidGames(NAME, 4, reward="score")
    learner = ppo.Learner(
        ppo.PolicyAndValue(GAME.observation_size, len(GAME.actions), 8),
        settings,
        torch.device("cpu"),
    )
    drawn = []
    monkeypatch.setattr(
        LearnerBatch, "set_opponents", lambda self, opponents: drawn.append(opponents)
    )
    assert list(ppo.train(games, learner, steps=4 * 32 - 1, seed=0, leg=2)) == [32, 64, 96, 128]
    games.close()
    assert [[agent.name for agent in one.agents] for one in drawn] == [
        ["heuristic", "random", "after 0 updates"],
        ["heuristic", "random", "after 0 updates", "after 2 updates"],
    ]
    assert all(sum(one.weights[2:]) == pytest.approx(0.5) for one in drawn)
    first, second = (agent.network.state_dict()["policy.bias"] for agent in drawn[1].agents[2:])
    assert not torch.equal(first, second)
    assert not torch.equal(second, learner.network.state_dict()["policy.bias"])
