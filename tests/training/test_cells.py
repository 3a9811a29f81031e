"""Networks with cells: what they share, what they see, their files."""

import pytest
import torch

from dig_envs.registry import load_game
from tests.training.random_network import with_random_weights
from tests.training.test_ppo import lesson_of
from training.cells import make_cells
from training.games import TrainingGames
from training.imitation import learn_from
from training.learner import new_learner
from training.parts import new_network
from training.settings import Settings

NAME = "diggity_v0"
GAME = load_game(NAME)
PASSAGES = {
    "fields": ["open_exists", "open_symbol", "open_fits", "open_makes"],
    "units": 12,
    "actions": "place 0 N",
}
HAND = {"fields": ["hand_exists", "hand_symbol", "hand_passages"], "units": 6, "actions": "card 0"}
MINE = {"fields": ["mine_exists", "mine_symbol"], "units": 5}
GROUPS = [HAND, {**PASSAGES, "leave_out": True}, {**MINE, "leave_out": True}]
SMALL = {
    "num_envs": 8,
    "rollout_steps": 12,
    "layers": [16],
    "batch_size": 24,
    "games": [{"gold_cards": 1}],
}


def network_of(groups, game=GAME):
    return with_random_weights(new_network(game, [16], make_cells(game, groups), 0))


def learning(groups, **changes):
    settings = Settings.of(**{**SMALL, **changes}, cells=groups)
    games = TrainingGames(NAME, settings, 1)
    games.reset()
    return new_learner(GAME, settings, 0), games


def moved(observation, fields, order):
    """The observation with the cells of these fields in another order."""
    changed = observation.clone()
    for name in fields:
        place = GAME.layout[name].slice
        changed[:, place] = (
            observation[:, place].view(len(observation), len(order), -1)[:, order].flatten(1)
        )
    return changed


@pytest.mark.parametrize(("one", "first", "per_cell"), [(1, 5, 4), (0, 0, 1)])
def test_cells_are_alike(one, first, per_cell):
    """Cells that change places change the places of their actions' logits, and nothing else."""
    groups = [{**group, "leave_out": True} for group in GROUPS]
    network = network_of(groups)
    observation = torch.rand(3, GAME.observation_size)
    mask = torch.ones(3, len(GAME.actions))
    cells = network.cells.groups[one].cells
    order = torch.randperm(cells, generator=torch.Generator().manual_seed(1))
    logits, value = network(observation, mask)
    other_logits, other_value = network(moved(observation, groups[one]["fields"], order), mask)
    torch.testing.assert_close(other_value, value)
    stop = first + cells * per_cell
    expected = logits.clone()
    expected[:, first:stop] = logits[:, first:stop].view(3, cells, per_cell)[:, order].flatten(1)
    torch.testing.assert_close(other_logits, expected)
    assert not torch.allclose(other_logits, logits, atol=1e-3)


def test_what_is_learned_of_one_cell_holds_for_all():
    """The right choice is the marked passage. In the lesson it is always one of the first eight,
    later one of the others."""
    learner, games = learning(GROUPS, epochs=20, batch_size=64)
    learner.set_learning_rate(0.01, 0.01, 0.0)
    mark = GAME.layout["open_fits"].slice.start

    def marked(first, last):
        where = torch.randint(first, last, (256,), generator=torch.Generator().manual_seed(0))
        seen = torch.zeros(256, GAME.observation_size)
        seen[:, GAME.layout["open_exists"].slice] = 1
        seen[torch.arange(256), mark + 2 * where] = 1
        return seen, 5 + 4 * where

    mask = torch.zeros(256, len(GAME.actions), dtype=torch.bool)
    mask[:, 5:197:4] = True
    seen, choices = marked(0, 8)
    masks, nothing = mask[None], torch.zeros(1, 256)
    learn_from(
        learner, lesson_of(seen[None], masks, nothing, torch.zeros(256, 0), choices[None], nothing)
    )
    seen, choices = marked(8, 48)
    assert (learner.network(seen, mask)[0].argmax(dim=1) == choices).float().mean().item() > 0.95
    games.close()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (
            [{**PASSAGES, "fields": ["sky"]}],
            "'sky' is not a field of diggity with cells; there are hand_exists, ",
        ),
        (
            [{**PASSAGES, "fields": ["open_exists", "mine_exists"]}],
            "'mine_exists' is not a field of diggity with 48 cells, as 'open_exists'",
        ),
        (
            [{**PASSAGES, "actions": "place 48 N"}],
            "'place 48 N' is not the first of a group of actions of diggity; these are 'card 0', ",
        ),
        (
            [{**PASSAGES, "actions": "card 0"}],
            (
                "the actions 'card 0' to 'card 4' cannot be shared equally among the 48 cells of "
                "'open_exists'"
            ),
        ),
        (
            [PASSAGES, {**PASSAGES, "fields": ["open_makes"]}],
            "'place 0 N' belongs to a cell of 'open_exists' and of 'open_makes'",
        ),
    ],
)
def test_cells_that_do_not_fit_the_game(groups, message):
    with pytest.raises(ValueError, match=message):
        make_cells(GAME, groups)
