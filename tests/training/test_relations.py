"""Networks with relations: what like things share, who tells whom, which settings are refused."""

import copy
from pathlib import Path

import numpy as np
import pytest
import torch

from dig_envs import BatchEnv
from dig_envs.registry import load_game
from tests.training.random_network import with_random_weights
from training.parts import new_network
from training.relations import make_relations
from training.settings import Settings, load_settings

GAME = load_game("cretaceous_creek_v0")
ASKED = load_settings("cretaceous_creek", Path("relations")).relations | {"units": 5}


def network_of(**changes):
    """A network with random weights but for those that tell like things apart, which are zero."""
    network = with_random_weights(new_network(GAME, [12], make_relations(GAME, ASKED | changes), 0))
    with torch.no_grad():
        for name, weights in network.named_parameters():
            if name.startswith("place"):
                weights.zero_()
    return network


def some_positions(players=3):
    """Observations and masks of games that have not gone equally far."""
    batch = BatchEnv(GAME.env_name, 48, seed=5, num_players=players)
    for k in range(30):
        batch.step(batch.heuristic_actions() if k % 4 else batch.sample_actions())
    return torch.tensor(batch.observation), torch.tensor(batch.action_mask)


def exchanged(observation, mask, one, other):
    """The positions in which two types of fossils have changed places, and where each action is
    then."""
    numbers, actions = np.arange(GAME.observation_size), np.arange(len(GAME.actions))
    for entry in GAME.layout.values():
        place = numbers[entry.slice].reshape(entry.shape)
        if entry.shape[-1:] == (19,):
            place[..., [one, other]] = place[..., [other, one]]
    names = [GAME.actions[action].split() for action in actions]
    types = [GAME.actions[32 + k].split()[1] for k in range(19)]
    swap = {types[one]: types[other], types[other]: types[one]}
    for action, words in enumerate(names):
        actions[action] = GAME.action_index[" ".join(swap.get(word, word) for word in words)]
    return observation[:, numbers], mask[:, actions], actions


@pytest.mark.parametrize(("one", "other"), [(0, 3), (4, 6), (12, 14)])
def test_types_of_a_skeleton_are_alike(one, other):
    """Two parts of one skeleton that change places change the places of their logits, and nothing
    else."""
    network = network_of()
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
    logits, _ = (network := network_of())(observation, torch.ones_like(mask))
    seen, mask, order = exchanged(observation, torch.ones_like(mask), 0, 8)
    assert not torch.allclose(network(seen, mask)[0], logits[:, order], atol=1e-3)


def test_what_belongs_to_no_thing_goes_into_the_layers():
    """All numbers of the observation are seen once: by things, by links, by the grid, or by the
    layers."""
    relations = make_relations(GAME, ASKED)
    seen = {
        n
        for kind in relations.kinds
        for place, _ in (*kind.rows, *kind.columns)
        for n in range(place.start, place.stop)
    }
    for place in [link.field for link in relations.links if link.field] + [relations.grid.position]:
        seen |= set(range(place.start, place.stop))
    assert seen.isdisjoint(relations.left)
    assert seen | set(relations.left) == set(range(GAME.observation_size))
    assert sorted(
        relations.rest + tuple(a for kind in relations.kinds for a in kind.order)
    ) == list(range(len(GAME.actions)))


def with_change(path, value):
    """The settings with one entry changed, such as ``kinds.0.count``."""
    asked = copy.deepcopy(ASKED)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner = asked
    for part in way:
        inner = inner[part]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return asked


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (
            "kinds.0.count",
            14,
            "'fossils' is not a field of cretaceous_creek with a row for each of the 14 of 'space'",
        ),
        (
            "kinds.1.columns",
            ["museum"],
            "'museum' is not a field of cretaceous_creek with a column for each of the 19 of "
            "'type'",
        ),
        ("kinds.1.actions", ["give TYR2 to +1"], "is not the first of a group of actions"),
        (
            "kinds.1.actions",
            ["discard TYR1", "discard TYR1"],
            "'discard TYR1' belongs to more than one thing",
        ),
        ("links.1.kinds", ["space", "bone"], "no kind 'bone'; there are space, type, genus"),
        (
            "links.1.kinds",
            ["type", "space"],
            "a row for each of the 19 of 'type' and a column for each of the 15 of 'space'",
        ),
        (
            "links.0.kinds",
            ["type", "type"],
            "neighbours are a link of the kind of the grid with itself",
        ),
        ("links.3.groups", [4, 3], "do not fit the 19 of 'type'"),
        ("grid.actions", ["discard TYR1"], "are not N, E, S, W"),
    ],
)
def test_what_does_not_fit_the_game_is_refused(path, value, words):
    """Each error names what was wrong, and where there is a choice, what there is."""
    with pytest.raises(ValueError, match=r"^\[relations\]: ") as error:
        make_relations(GAME, Settings.of(relations=with_change(path, value)).relations)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("units", 0, "relations.units must be at least 1"),
        ("kinds.0.name", None, "relations.kinds[0] needs name"),
        (
            "links.0.neighbors",
            True,
            (
                "no setting 'relations.links[0].neighbors'; the nearest is "
                "'relations.links[0].neighbours'"
            ),
        ),
    ],
)
def test_settings_of_the_wrong_form_are_refused(path, value, words):
    """The message names the setting and its place."""
    with pytest.raises(ValueError, match="relations") as error:
        Settings.of(relations=with_change(path, value))
    assert words in str(error.value)
