"""Networks with cells: what they share, who tells whom, which settings are refused."""

import copy
import re

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
from training.network import new_network
from training.settings import Settings, load_settings

NAME = "diggity_v0"
GAME = load_game(NAME)
PASSAGES = {
    "fields": ["open_exists", "open_symbol", "open_fits", "open_makes"],
    "units": 12,
    "actions": ["place 0 N"],
}
HAND = {
    "fields": ["hand_exists", "hand_symbol", "hand_passages"],
    "units": 6,
    "actions": ["card 0"],
}
MINE = {"fields": ["mine_exists", "mine_symbol"], "units": 5}
GROUPS = [HAND, {**PASSAGES, "leave_out": True}, {**MINE, "leave_out": True}]
CREEK_GAME = load_game("cretaceous_creek_v0")
_SHIPPED = load_settings("cretaceous_creek")
CREEK = {  # the network of the shipped policy, smaller
    "cells": [{**group, "units": 5} for group in _SHIPPED.cells],
    "links": _SHIPPED.links,
    "grid": _SHIPPED.grid,
    "rounds": _SHIPPED.rounds,
}
SMALL = {
    "num_envs": 8,
    "rollout_steps": 12,
    "layers": [16],
    "batch_size": 24,
    "games": [{"gold_cards": 1}],
}


def network_of(groups, game=GAME):
    cells = make_cells(game, Settings.of(cells=groups))
    return with_random_weights(new_network(game, [16], cells, 0))


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
    cells = network.cells.groups[one].count
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


# ---------------------------------------------------------------- links, a grid, rounds


def creek_network():
    """A network with random weights but for those that tell like cells apart, which are zero."""
    cells = make_cells(CREEK_GAME, Settings.of(**CREEK))
    network = with_random_weights(new_network(CREEK_GAME, [12], cells, 0))
    with torch.no_grad():
        for name, weights in network.named_parameters():
            if name.startswith("place"):
                weights.zero_()
    return network


def some_positions(players=3):
    """Observations and masks of games that have not gone equally far."""
    batch = BatchEnv(CREEK_GAME.env_name, 48, seed=5, num_players=players)
    for k in range(30):
        batch.step(batch.heuristic_actions() if k % 4 else batch.sample_actions())
    return torch.tensor(batch.observation), torch.tensor(batch.action_mask)


def exchanged(observation, mask, one, other):
    """The positions in which two types of fossils have changed places, and where each action is
    then."""
    numbers, actions = np.arange(CREEK_GAME.observation_size), np.arange(len(CREEK_GAME.actions))
    for entry in CREEK_GAME.layout.values():
        place = numbers[entry.slice].reshape(entry.shape)
        if entry.shape[-1:] == (19,):
            place[..., [one, other]] = place[..., [other, one]]
    names = [CREEK_GAME.actions[action].split() for action in actions]
    types = [CREEK_GAME.actions[32 + k].split()[1] for k in range(19)]
    swap = {types[one]: types[other], types[other]: types[one]}
    for action, words in enumerate(names):
        actions[action] = CREEK_GAME.action_index[" ".join(swap.get(word, word) for word in words)]
    return observation[:, numbers], mask[:, actions], actions


@pytest.mark.parametrize(("one", "other"), [(0, 3), (4, 6), (12, 14)])
def test_types_of_a_skeleton_are_alike(one, other):
    """Two parts of one skeleton that change places change the places of their logits, and nothing
    else."""
    network = creek_network()
    observation, mask = some_positions()
    mask = torch.ones_like(mask)
    logits, values = network(observation, mask)
    seen, _, order = exchanged(observation, mask, one, other)
    assert (seen != observation).any()
    others, same = network(seen, mask)
    torch.testing.assert_close(same, values)
    torch.testing.assert_close(others, logits[:, order], rtol=1e-4, atol=1e-4)
    assert not torch.allclose(others, logits, atol=1e-3)


def test_types_of_two_skeletons_are_not_exchanged():
    """A part of another skeleton is another thing: what belongs together matters."""
    observation, mask = some_positions()
    logits, _ = (network := creek_network())(observation, torch.ones_like(mask))
    seen, mask, order = exchanged(observation, torch.ones_like(mask), 0, 8)
    assert not torch.allclose(network(seen, mask)[0], logits[:, order], atol=1e-3)


def test_all_is_seen_and_every_action_has_a_place():
    """All fields of the observation are seen once: by cells, by links, by the grid, or by the
    layers; each action belongs to one place."""
    cells = make_cells(CREEK_GAME, Settings.of(**CREEK))
    seen = [field for group in cells.groups for field, _ in (*group.rows, *group.columns)]
    seen += [link.field for link in cells.links if link.field is not None]
    seen += [cells.grid.position, *cells.kept]
    assert sorted(seen) == list(range(len(CREEK_GAME.layout)))
    assert sum(cells.fields) == CREEK_GAME.observation_size
    actions = [*cells.rest, *(action for group in cells.groups for action in group.order)]
    assert sorted(actions) == list(range(len(CREEK_GAME.actions)))


# ---------------------------------------------------------------- bad settings


def with_change(asked, path, value):
    """The settings with one entry changed, such as ``cells.0.units``; None: without it."""
    asked = copy.deepcopy(asked)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner = asked
    for part in way:
        inner = inner[part]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return asked


def observations(game, count):
    numbers = np.random.default_rng(1).random((count, game.observation_size), np.float32)
    return torch.from_numpy(numbers), torch.ones(count, len(game.actions))


def test_nobody_sees_fields_of_cells_without_units():
    """And a network that sees less than all is not a plain one."""
    hidden = [{"fields": ["hand_exists"], "units": 0, "leave_out": True}]
    network = new_network(GAME, [16], make_cells(GAME, Settings.of(cells=hidden)), 0)
    seen, mask = observations(GAME, 3)
    other = seen.clone()
    other[:, GAME.layout["hand_exists"].slice] += 1
    found, again = network(seen, mask), network(other, mask)
    assert not network.plain
    assert all(torch.equal(one, same) for one, same in zip(found, again, strict=True))
    other[:, -1] += 1
    assert not torch.equal(network(other, mask)[0], found[0])


def test_one_cell_remembers_everything():
    """``*``: a recurrent network for any game."""
    whole = [{"fields": ["*"], "units": 8, "memory": 6}]
    network = new_network(GAME, [16], make_cells(GAME, Settings.of(cells=whole)), 0)
    with_random_weights(network)
    seen, mask = observations(GAME, 3)
    nothing = torch.zeros(3, network.memory_size)
    _, first, memory = network.step(seen, mask, nothing)
    assert memory.shape == (3, 6)
    _, second, _ = network.step(seen, mask, memory)
    assert not torch.equal(first, second), "it has seen the same before"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("cells.1.fields", ["sky"], "'sky' is not a field of diggity with a row for each of"),
        (
            "cells.1.fields",
            ["open_exists", "mine_exists"],
            "with a row for each of the 48 cells of 'open_exists'; there are open_exists, ",
        ),
        ("cells.1.fields", [], "nothing is seen at the cells: give fields or columns"),
        (
            "cells.1.actions",
            ["place 48 N"],
            "'place 48 N' is not the first of a group of actions of diggity; these are 'card 0', ",
        ),
        (
            "cells.1.actions",
            ["card 0"],
            "the 5 actions from 'card 0' cannot be shared equally among the 48 cells of",
        ),
        ("cells.2.fields", ["hand_exists"], "two groups have the same name: hand_exists, "),
        ("cells.0.actions", ["card 0", "card 0"], "'card 0' belongs to more than one cell"),
        ("rounds", 1, "need [[cells]] that are all fixed and have the same units"),
        ("cells.1.memory", 3, "only one group can remember"),
    ],
)
def test_cells_that_do_not_fit_the_game(path, value, words):
    asked = {"cells": [{**HAND, "memory": 2}, *GROUPS[1:]], "rounds": 0}
    with pytest.raises(ValueError, match=re.escape(words)):
        make_cells(GAME, Settings.of(**with_change(asked, path, value)))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (
            "cells.1.columns",
            ["museum"],
            "'museum' is not a field of cretaceous_creek with a column for each of the 19 cells of "
            "'type'",
        ),
        ("links.1.cells", ["space", "bone"], "no group 'bone' of [[cells]]; there are space, type"),
        ("links.1.cells", ["space"], "a link is between two groups, not ['space']"),
        ("links.1.shares", [1], "a link needs either a field, or shares, or neighbours"),
        (
            "links.1.cells",
            ["type", "space"],
            "a row for each of the 19 of 'type' and a column for each of the 15 of 'space'",
        ),
        ("links.0.cells", ["type", "type"], "neighbours are a link of the cells of the grid"),
        ("links.3.shares", [4, 3], "do not fit the 19 of 'type'"),
        ("grid.actions", ["discard TYR1"], "are not N, E, S, W"),
        ("grid.actions", [], "grid.actions must have at least one entry"),
        ("grid.rows", 4, "4 times 5 is not 15, the number of 'space'"),
        ("grid.position", "museum", "with a row for each seat and 15 columns"),
        ("cells.0.units", 7, "need [[cells]] that are all fixed and have the same units"),
        ("rounds", -1, "rounds must be at least 0"),
        ("grid.position", None, "grid needs position"),
        (
            "links.0.neighbors",
            True,
            "no setting 'links[0].neighbors'; the nearest is 'links[0].neighbours'",
        ),
    ],
)
def test_links_that_do_not_fit_the_game(path, value, words):
    """Each error names what was wrong, and where there is a choice, what there is."""
    with pytest.raises(ValueError, match=re.escape(words)):
        make_cells(CREEK_GAME, Settings.of(**with_change(CREEK, path, value)))
