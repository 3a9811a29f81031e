"""Networks that remember: their memory, their sequences, their files."""

import copy

import numpy as np
import pytest
import torch

from dig_envs.agents.loading import load_agent
from dig_envs.registry import load_game
from tests.training.random_network import with_random_weights
from tests.training.test_ppo import lesson_of
from training.cells import make_cells
from training.export import write_policy
from training.games import TrainingGames
from training.imitation import learn_from, take_lesson
from training.learner import new_learner
from training.network import new_network
from training.ppo import collect
from training.settings import Settings

NAME = "fossil_memory_v0"
GAME = load_game(NAME)
CELLS = [
    {
        "fields": ["known", "genus", "up", "belongs"],
        "units": 8,
        "actions": ["flip 1,1"],
        "fixed": True,
        "memory": 3,
    }
]
SMALL = {
    "num_envs": 8,
    "rollout_steps": 12,
    "layers": [16],
    "batch_size": 24,
    "games": [{"recall": "recent", "max_turns": 6}],
}


def network_of(cells=CELLS):
    made = make_cells(GAME, Settings.of(cells=cells))
    return with_random_weights(new_network(GAME, [16], made, 0))


def learning(cells=CELLS, **changes):
    settings = Settings.of(**{**SMALL, **changes}, cells=cells)
    games = TrainingGames(NAME, settings, 1)
    games.reset()
    return new_learner(GAME, settings, 0), games


def test_a_rollout_can_be_replayed():
    """The network's outputs step by step, with games ending in between, come again from the
    sequences; each decision once."""
    learner, games = learning(epochs=1)
    collect(learner, games)  # so that the memory is not zero at the beginning
    rollout = collect(learner, games)
    assert rollout.dones.any(), "the test is about episodes that end"
    assert (rollout.memory != 0).any()
    pieces = list(learner.minibatches(*rollout.dones.shape))
    assert sorted(torch.cat(pieces).tolist()) == list(range(96))
    for rows in pieces:
        steps, game = rows.view(12, 2) // 8, rows.view(12, 2) % 8
        assert (steps == torch.arange(12)[:, None]).all()
        assert (game == game[:1]).all()
        logits, values = learner.judge(rollout, rows)
        chances = torch.log_softmax(logits, dim=1).gather(
            1, rollout.actions.flatten()[rows][:, None]
        )[:, 0]
        np.testing.assert_allclose(chances.detach(), rollout.log_probs.flatten()[rows], atol=1e-5)
        np.testing.assert_allclose(values.detach(), rollout.values.flatten()[rows], atol=1e-5)
    games.close()


def test_the_student_remembers_whoever_plays():
    """In a lesson, too, the student's memory follows from what it was shown, and the teacher has a
    memory of its own."""
    learner, games = learning(warm_start_student_share=0.5)
    teacher, network = load_agent("remembering", NAME), learner.network
    rng = np.random.default_rng(0)
    take_lesson(learner, games, teacher, rng)
    lesson = take_lesson(learner, games, teacher, rng)
    now = lesson.memory
    for k in range(len(lesson.dones)):
        _, _, now = network.step(lesson.observations[k], lesson.masks[k], now)
        now = now * (1 - lesson.dones[k])[:, None]
    np.testing.assert_allclose(games.memory_of(network), now.detach(), atol=1e-5)
    assert games.memory_of(teacher).shape == (8, 24)
    games.close()


@pytest.mark.parametrize("memory", [0, 3])
def test_only_with_a_memory_it_learns_what_was_seen_before(memory):
    """The right choice is what stood at a place of the observation one decision ago; a new game
    begins with choice 0."""
    learner, games = learning([{**CELLS[0], "memory": memory}], epochs=40, batch_size=96)
    learner.set_learning_rate(0.02, 0.02, 0.0)
    generator = torch.Generator().manual_seed(0)
    seen = torch.zeros(12, 16, GAME.observation_size)
    place = GAME.layout["known"].slice.start
    seen[..., place] = torch.randint(2, (12, 16), generator=generator).float()
    dones = (torch.rand(12, 16, generator=generator) < 0.2).float()
    choices = torch.zeros(12, 16, dtype=torch.int64)
    choices[1:] = (seen[:-1, :, place] * (1 - dones[:-1])).long()
    masks = torch.zeros(12, 16, 24, dtype=torch.bool)
    masks[..., :2] = True
    lesson = lesson_of(
        seen,
        masks,
        dones,
        torch.zeros(16, learner.network.memory_size),
        choices,
        torch.zeros(12, 16),
    )
    learn_from(learner, lesson)
    agreement = learn_from(learner, lesson)["agreement"]
    assert agreement > 0.97 if memory else agreement < 0.8
    games.close()


def test_a_search_cannot_be_guided_by_what_remembers(tmp_path):
    folder = write_policy(tmp_path / "fossil_memory" / "small", GAME, network_of(), {})
    with pytest.raises(ValueError, match="has a memory"):
        load_agent(f"search:guide={folder}", NAME)


def test_cells_that_remember_are_alike():
    """Cells that change places, with what is remembered and learned of them, change the logits'
    places and nothing else."""
    fields = [name for name, entry in GAME.layout.items() if entry.shape and entry.shape[0] == 24]
    network = network_of([{**CELLS[0], "fields": fields, "leave_out": True}])
    order = torch.randperm(24, generator=torch.Generator().manual_seed(1))
    seen = torch.rand(1, GAME.observation_size)
    moved = seen.clone()
    with torch.no_grad():
        for name in fields:
            place = GAME.layout[name].slice
            moved[:, place] = seen[:, place].view(1, 24, -1)[:, order].flatten(1)
        elsewhere = copy.deepcopy(network)
        elsewhere.place0.weight.copy_(network.place0.weight[order])
    remembered, mask = torch.rand(1, 24, 3), torch.ones(1, 24)
    logits, value, after = network.step(seen, mask, remembered.flatten(1))
    other_logits, other_value, other_after = elsewhere.step(
        moved, mask, remembered[:, order].flatten(1)
    )
    torch.testing.assert_close(other_logits, logits[:, order])
    torch.testing.assert_close(other_value, value)
    torch.testing.assert_close(other_after.view(24, 3), after.view(24, 3)[order])


def test_one_seat_does_not_remember_for_another():
    cells = [{"fields": ["fossils"], "units": 4, "memory": 3}]
    with pytest.raises(ValueError, match="cretaceous_creek is cooperative"):
        make_cells(load_game("cretaceous_creek_v0"), Settings.of(cells=cells))
