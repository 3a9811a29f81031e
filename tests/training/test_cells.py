"""Networks with cells: what they share, what they see, their files."""

import numpy as np
import pytest
import torch

from dig_envs import BatchEnv
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
PASSAGES = {"fields": ["open_exists", "open_symbol", "open_fits", "open_makes"], "units": 12, "actions": "place 0 N"}
HAND = {"fields": ["hand_exists", "hand_symbol", "hand_passages"], "units": 6, "actions": "card 0"}
MINE = {"fields": ["mine_exists", "mine_symbol"], "units": 5}
GROUPS = [HAND, {**PASSAGES, "leave_out": True}, {**MINE, "leave_out": True}]
SMALL = {"num_envs": 8, "rollout_steps": 12, "layers": [16], "batch_size": 24, "games": [{"gold_cards": 1}]}


def network_of(groups, game=GAME):
    return with_random_weights(new_network(game, [16], make_cells(game, groups), 0))


def some_positions(name=NAME, steps=25):
    """Positions of many phases: the games have not gone equally far."""
    batch = BatchEnv(name, 64, seed=3)
    for k in range(steps):
        batch.step(batch.heuristic_actions() if k % 3 else batch.sample_actions())
    return batch


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
        changed[:, place] = observation[:, place].view(len(observation), len(order), -1)[:, order].flatten(1)
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


def test_the_layers_see_what_is_not_left_out():
    """Beside what they see of the groups; one field is enough to leave out that of another group."""
    assert make_cells(GAME, GROUPS).kept == tuple(
        number
        for name, entry in GAME.layout.items()
        if name not in PASSAGES["fields"] + MINE["fields"]
        for number in range(entry.slice.start, entry.slice.stop)
    )
    assert len(make_cells(GAME, [PASSAGES]).kept) == GAME.observation_size
    nobody_sees = make_cells(GAME, [PASSAGES, {**MINE, "units": 0, "leave_out": True}])
    assert nobody_sees.size == GAME.observation_size - 64 - 256 + 2 * 12
    assert len(nobody_sees.groups) == 1


def test_every_cell_and_only_what_is_there_is_told_to_the_layers():
    """A change at one cell changes the value; where all is zero there are no features, whatever the weights."""
    network = network_of(GROUPS)
    observation, mask = torch.zeros(1, GAME.observation_size), torch.ones(1, len(GAME.actions))
    values = [network(observation, mask)[1].item()]
    for place in (GAME.layout["open_symbol"].slice, GAME.layout["mine_symbol"].slice):
        observation[:, place.stop - 1] = 1
        values.append(network(observation, mask)[1].item())
    assert len(set(np.round(values, 5))) == 3
    features = network._features(1, observation, torch.ones(1, 48, dtype=torch.bool))
    assert features[:-1].abs().sum() == 0
    assert features[-1].any()


def test_actions_keep_their_places():
    """An action's logit comes from its own cell; those of no cell from the layers, in the order of the game."""
    network = network_of(GROUPS)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.startswith(("logits", "policy")):
                parameter.zero_()
        network.policy.bias.copy_(torch.arange(14.0))
        network.get_submodule("logits1").bias.copy_(torch.arange(100.0, 104.0))
        network.get_submodule("logits0").bias.fill_(50.0)
    logits, _ = network(torch.rand(1, GAME.observation_size), torch.ones(1, len(GAME.actions)))
    assert logits[0].tolist() == [50.0] * 5 + [100.0, 101.0, 102.0, 103.0] * 48 + list(range(14))
    assert GAME.actions[5 + 4 * 3 + 2] == "place 3 S"


def test_what_is_learned_of_one_cell_holds_for_all():
    """The right choice is the marked passage. In the lesson it is always one of the first eight, later one of the others."""
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
    learn_from(learner, lesson_of(seen[None], masks, nothing, torch.zeros(256, 0), choices[None], nothing))
    seen, choices = marked(8, 48)
    assert (learner.network(seen, mask)[0].argmax(dim=1) == choices).float().mean().item() > 0.95
    games.close()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([{**PASSAGES, "fields": ["sky"]}], "'sky' is no field of diggity with cells; there are hand_exists, "),
        (
            [{**PASSAGES, "fields": ["open_exists", "mine_exists"]}],
            "'mine_exists' is no field of diggity with 48 cells, as 'open_exists'",
        ),
        (
            [{**PASSAGES, "actions": "place 48 N"}],
            "'place 48 N' is not the first of a group of actions of diggity; these are 'card 0', ",
        ),
        (
            [{**PASSAGES, "actions": "card 0"}],
            "the actions 'card 0' to 'card 4' cannot be shared equally among the 48 cells of 'open_exists'",
        ),
        ([PASSAGES, {**PASSAGES, "fields": ["open_makes"]}], "'place 0 N' belongs to a cell of 'open_exists' and of 'open_makes'"),
    ],
)
def test_cells_that_do_not_fit_the_game(groups, message):
    with pytest.raises(ValueError, match=message):
        make_cells(GAME, groups)
