"""The algorithm: advantages, updates, the recipe in one file."""

import json

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from dig_envs import load_agent
from dig_envs.registry import load_game
from training.games import TrainingGames
from training.imitation import Lesson, learn_from, take_lesson
from training.metrics import MEANINGS
from training.network import NetworkAgent, new_network
from training.ppo import Learner, Rollout, app, collect, estimate_advantages, set_learning_rate, update
from training.settings import Settings

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
TINY = {"num_envs": 8, "rollout_steps": 16, "layers": [16], "batch_size": 32}


def make_rollout(rewards, dones, values, last_values):
    t, n = np.shape(rewards)
    nothing = torch.zeros(t, n)
    tensors = (torch.tensor(array, dtype=torch.float32) for array in (values, rewards, dones, last_values))
    values, rewards, dones, last_values = tensors
    return Rollout(nothing, nothing, dones, nothing, nothing, nothing, values, rewards, last_values)


def test_advantages_by_hand():
    """Two games of three steps, one of which ends after its second."""
    rollout = make_rollout([[1, 0], [0, 2], [0, 1]], [[0, 0], [0, 1], [0, 0]], [[1, 2], [3, 4], [5, 6]], [7, 8])
    gamma, lam = 0.5, 0.25
    last = [0 + gamma * 7 - 5, 1 + gamma * 8 - 6]
    middle = [0 + gamma * 5 - 3 + gamma * lam * last[0], 2 - 4]  # nothing comes after an end
    first = [1 + gamma * 3 - 1 + gamma * lam * middle[0], 0 + gamma * 4 - 2 + gamma * lam * middle[1]]
    np.testing.assert_allclose(estimate_advantages(rollout, gamma, lam).numpy(), [first, middle, last], rtol=1e-6)


def test_only_legal_actions_are_drawn():
    """Illegal ones have probability 0 to the bit, and a rollout says how likely the drawn ones were."""
    settings = Settings.of(**TINY)
    learner = Learner(GAME, settings, 0)
    games = TrainingGames(NAME, settings, 1)
    games.reset()
    rollout = collect(learner, games)
    assert rollout.masks.gather(2, rollout.actions[..., None]).all()
    logits, values = learner.network(rollout.observations.flatten(0, 1), rollout.masks.flatten(0, 1))
    probabilities = torch.softmax(logits, dim=1)
    assert (probabilities[~rollout.masks.flatten(0, 1)] == 0).all()
    drawn = probabilities.gather(1, rollout.actions.flatten()[:, None])[:, 0]
    np.testing.assert_allclose(drawn.log().detach(), rollout.log_probs.flatten(), atol=1e-5)
    np.testing.assert_allclose(values.detach(), rollout.values.flatten(), atol=1e-5)
    games.close()


def test_update_makes_what_paid_likelier():
    """A bandit: one action pays, the others do not; after some updates it is nearly always chosen."""
    settings = Settings.of(**TINY, learning_rate=0.01, entropy_weight=0.0, target_kl=0.0)
    learner = Learner(GAME, settings, 0)
    learner.generator.manual_seed(1)
    set_learning_rate(learner, 0.01)
    seen, mask = torch.rand(8, GAME.observation_size), torch.ones(8, len(GAME.actions), dtype=torch.bool)
    mask[:, 5:] = False
    for _ in range(20):
        with torch.no_grad():
            logits, values = learner.network(seen, mask)
            log_probs = torch.log_softmax(logits, dim=1)
            actions = torch.multinomial(log_probs.exp(), 16, replacement=True, generator=learner.generator).T
        rewards = (actions == 3).float()
        chosen = torch.stack([log_probs.gather(1, row[:, None])[:, 0] for row in actions])
        many = [tensor.expand(16, *tensor.shape).clone() for tensor in (seen, mask)]
        ends, nothing = torch.ones(16, 8), torch.zeros(8, 0)
        before = values.expand(16, 8).clone()
        metrics = update(learner, Rollout(*many, ends, nothing, actions, chosen, before, rewards, torch.zeros(8)))
    with torch.no_grad():
        chance = torch.softmax(learner.network(seen, mask)[0], dim=1)[:, 3]
    assert chance.min() > 0.8
    assert set(metrics) <= set(MEANINGS)


def test_update_stops_at_the_target():
    """With a tiny target the passes end when the policy has begun to move; with none they go on."""
    moved = {}
    for target in (1e-9, 0.0):
        settings = Settings.of(**TINY, epochs=10, target_kl=target)
        learner = Learner(GAME, settings, 0)
        set_learning_rate(learner, 0.01)
        games = TrainingGames(NAME, settings, 1)
        games.reset()
        moved[target] = update(learner, collect(learner, games))["kl"]
        games.close()
    assert moved[1e-9] < moved[0.0] / 10


def test_a_lesson_is_what_the_teacher_does():
    """Its choices in the positions that are seen, all of them legal; where it plays, the games go as it wants."""
    settings = Settings.of(**TINY, score_weight=1.0, win_weight=0.0, gamma=1.0, warm_start_student_share=0.0)
    learner, teacher = Learner(GAME, settings, 0), load_agent("heuristic", NAME)
    games = TrainingGames(NAME, settings, 1, "heuristic")
    games.reset()
    first = games.choices_of(teacher)
    lesson = take_lesson(learner, games, teacher, np.random.default_rng(0))
    np.testing.assert_array_equal(lesson.choices[0], first)
    assert lesson.masks.gather(2, lesson.choices[..., None]).all()
    assert lesson.observations.shape == (16, 8, GAME.observation_size)
    paid = lesson.following[:-1] - lesson.following[1:]  # what each step was paid, but where a game ended
    np.testing.assert_allclose(paid, paid.round(), atol=1e-4)
    games.close()


def test_imitation_learns_the_teachers_choices():
    """Choices that follow from what is seen are learned, and what they are worth."""
    settings = Settings.of(**TINY, epochs=25)
    learner = Learner(GAME, settings, 0)
    learner.generator.manual_seed(1)
    set_learning_rate(learner, 0.01)
    seen = torch.rand(16, 16, GAME.observation_size, generator=torch.Generator().manual_seed(0))
    masks = torch.ones(16, 16, len(GAME.actions), dtype=torch.bool)
    choices = (seen[..., 0] > 0.5).long() * 3
    lesson = Lesson(seen, masks, torch.zeros(16, 16), torch.zeros(16, 0), choices, choices.float())
    first = learn_from(learner, lesson)
    again = learn_from(learner, lesson)
    assert first["agreement"] < again["agreement"]
    assert again["agreement"] > 0.9
    assert again["imitation_loss"] < first["imitation_loss"]


def test_a_player_does_not_learn_on():
    """It keeps the weights that it was made with; it plays in single precision whatever the learner does."""
    network = new_network(GAME.observation_size, len(GAME.actions), [8], None, 0)
    network.fast = True
    player = NetworkAgent(network)
    before = player.network.weights["layer0.weight"]
    with torch.no_grad():
        network.get_submodule("layer0").weight.add_(1.0)
    np.testing.assert_array_equal(player.network.weights["layer0.weight"], before)
    assert not player.network.fast


def test_first_weights_follow_from_the_seed_alone():
    torch.manual_seed(1)
    first = new_network(20, 5, [8, 4], None, 3).weights
    torch.manual_seed(2)
    state = torch.get_rng_state()
    again, other = (new_network(20, 5, [8, 4], None, seed).weights for seed in (3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["layer0.weight"], other["layer0.weight"])
    assert torch.equal(torch.get_rng_state(), state), "the process's own generator is left alone"


@pytest.mark.parametrize("game", ["fossil_canyon", "cretaceous_creek"])
def test_the_recipe(game, tmp_path):
    """From the command line to a policy that can be loaded."""
    changes = [word for name, value in {**TINY, "checkpoint_rollouts": 1}.items() for word in ("--set", f"{name}={value}")]
    result = CliRunner().invoke(app, [game, "--steps", "300", "--out", str(tmp_path / "zoo" / "x"), *changes])
    assert result.exit_code == 0, result.output
    lines = [line for line in result.output.splitlines() if line.startswith("steps")]
    assert len(lines) == 3
    assert "explained_variance" in lines[0]
    assert load_agent(str(tmp_path / "zoo" / "x")).card["steps"] == 300
    assert json.loads((tmp_path / "zoo" / "x" / "card.json").read_text())["pays"] == "return"
    assert CliRunner().invoke(app, [game, "--set", "epochs=0"]).exit_code == 2
