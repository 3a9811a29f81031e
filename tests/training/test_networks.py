"""Every network: as a policy in ONNX it does exactly what it did, and all weights are
learned."""

from functools import partial

import numpy as np
import pytest
import torch

from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import WEIGHTS
from dig_envs.agents.program import read_program
from dig_envs.registry import load_game
from tests.training.random_network import answer, with_random_weights
from tests.training.test_cells import CREEK, GROUPS, MINE, PASSAGES
from tests.training.test_remembering import CELLS as REMEMBERING
from training.cells import make_cells
from training.export import read_network, to_onnx, write_policy
from training.games import TrainingGames
from training.imitation import learn_from, take_lesson
from training.learner import new_learner
from training.network import new_network
from training.ppo import SLICES, collect, loss_of_rows, update
from training.settings import Settings

RECENT = {"games": [{"recall": "recent", "max_turns": 6}]}
ALL_PLACES = {"fields": ["taken", "up", "known", "genus"], "units": 8, "actions": ["flip 1,1"]}
MINE_GAMES = {"games": [{"gold_cards": 1}]}
ONE_GROUP = {"cells": [{**ALL_PLACES, "units": 5, "fixed": True}], "rounds": 1}  # without links
KINDS = {
    "plain": ("cretaceous_creek_v0", {}),
    "memory": ("fossil_memory_v0", {"cells": REMEMBERING, **RECENT}),
    "cells": ("diggity_v0", {"cells": GROUPS, **MINE_GAMES}),
    "cells with actions": ("diggity_v0", {"cells": [PASSAGES], **MINE_GAMES}),
    "cells without actions": ("diggity_v0", {"cells": [MINE], **MINE_GAMES}),
    "links": ("cretaceous_creek_v0", {**CREEK, "games": [{"num_players": 4}]}),
    "one group": ("fossil_memory_v0", {**ONE_GROUP, **RECENT}),
    "all actions in cells": ("fossil_memory_v0", {"cells": [ALL_PLACES], **RECENT}),
}
SMALL = {
    "num_envs": 8,
    "rollout_steps": 32,
    "layers": [16, 12],
    "batch_size": 64,
    "bfloat16": False,
}
kinds = pytest.mark.parametrize("kind", KINDS)
main_kinds = pytest.mark.parametrize("kind", ["plain", "memory", "cells", "links"])
no_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch knows no GPU")


def learning(kind, **changes):
    """The game, its learner and its games; some have gone farther than others."""
    name, settings = KINDS[kind]
    learner = new_learner(load_game(name), Settings.of(**{**SMALL, **settings, **changes}), 0)
    games = TrainingGames(name, learner.settings, 1, "random")
    games.reset()
    collect(learner, games)
    return load_game(name), learner, games


@main_kinds
def test_threads_change_nothing(kind):
    """Two threads play and learn the same as one, to the last bit, in imitation and in PPO."""
    learned = []
    for threads in (1, 2):
        _, learner, games = learning(kind, threads=threads, bfloat16=True)
        learn_from(
            learner,
            take_lesson(
                learner,
                games,
                load_agent("random", games.game.env_name, 0),
                np.random.default_rng(0),
            ),
        )
        update(learner, collect(learner, games))
        learned.append(learner.network.weights)
    one, two = learned
    assert all((one[name] == two[name]).all() for name in one)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=no_gpu)])
@main_kinds
def test_it_imitates_and_learns_where_it_is(kind, device):
    """On a GPU, too, all weights are there, change and stay finite; the games and what they show
    are on the CPU."""
    _, learner, games = learning(kind, device=device, bfloat16=True)
    before = learner.network.weights
    learn_from(
        learner,
        take_lesson(
            learner, games, load_agent("random", games.game.env_name, 0), np.random.default_rng(0)
        ),
    )
    rollout = collect(learner, games)
    metrics = update(learner, rollout)
    assert {weights.device.type for weights in learner.network.parameters()} == {device}
    assert rollout.observations.device.type == "cpu"
    assert np.isfinite(list(metrics.values())).all()
    after = learner.network.weights
    assert all(np.isfinite(array).all() for array in after.values())
    assert all(
        (after[name] != array).any()
        for name, array in before.items()
        if array.size and name.endswith("weight")
    )


@main_kinds
def test_slices_of_a_minibatch_have_its_gradients(kind):
    """Summed over the slices they are those of the minibatch, and so are the metrics."""
    _, learner, games = learning(kind)
    rollout = collect(learner, games)
    columns = (
        rollout.actions.flatten(),
        rollout.log_probs.flatten(),
        torch.randn(rollout.dones.numel()),
        rollout.values.flatten(),
    )
    rows = next(learner.minibatches(*rollout.dones.shape))
    assert len(learner.slices_of(rows)) == SLICES
    assert sorted(torch.cat(learner.slices_of(rows)).tolist()) == sorted(rows.tolist())
    gradients, metrics = [], []
    for learner.slices in (SLICES, 1):
        metrics.append(learner.measure(rows, partial(loss_of_rows, learner, rollout, columns)))
        gradients.append([weights.grad for weights in learner.network.parameters()])
    assert metrics[0] == pytest.approx(metrics[1], abs=1e-4)
    for summed, at_once in zip(*gradients, strict=True):
        np.testing.assert_allclose(summed, at_once, atol=1e-5)


@main_kinds
def test_a_sharper_network_has_the_same_likeliest_actions(kind):
    """Sharpening multiplies the logits of legal actions, and leaves the values and the logits of
    illegal actions as they are."""
    _, learner, games = learning(kind)
    network, mask = with_random_weights(learner.network), games.action_mask
    memory = np.zeros((8, network.memory_size), np.float32)
    logits, values = answer(network, games.observation, mask, memory.copy())
    network.sharpen(3.0)
    sharper, same = answer(network, games.observation, mask, memory.copy())
    np.testing.assert_allclose(sharper[mask == 1], 3 * logits[mask == 1], rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(sharper[mask == 0], logits[mask == 0])
    np.testing.assert_array_equal(same, values)


@kinds
def test_as_a_policy_it_says_the_same(kind, tmp_path):
    """A written policy gives the same outputs as the network read from it step by step through
    games, its memory included."""
    game, learner, games = learning(kind)
    written, cells = with_random_weights(learner.network), make_cells(game, learner.settings)
    folder = write_policy(tmp_path / game.name / "small", game, written, {})
    agent = load_agent(str(folder))
    network = read_network(folder, game, cells)
    for name, weights in written.weights.items():  # to the precision of float16
        np.testing.assert_allclose(network.weights[name], weights, rtol=2**-11, atol=2**-25)
    graph = (folder / WEIGHTS).read_bytes()
    assert to_onnx(network) == graph
    sizes = game.observation_size, len(game.actions), network.memory_size
    assert read_program(graph, *sizes) is not None, "compiled code can read it, too"
    assert agent.memory_size == network.memory_size
    games.reset()
    theirs, ours = np.zeros((2, 8, network.memory_size), np.float32)
    spread = 0.0
    for k in range(30):
        logits, values = agent.evaluate(
            games.observation, games.action_mask, *([theirs] if agent.memory_size else [])
        )
        our_logits, our_values = answer(network, games.observation, games.action_mask, ours)
        np.testing.assert_allclose(logits, our_logits, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(values, our_values, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(theirs, ours, atol=1e-5)
        spread = max(spread, our_logits[games.action_mask == 1].std())
        done = games.step(
            (games.action_mask * np.random.default_rng(k).random(games.action_mask.shape)).argmax(
                axis=1
            )
        ).done
        theirs[done] = ours[done] = 0
    assert spread > 0.1
    games.close()
    if cells.groups:
        with pytest.raises(ValueError, match="these settings ask for"):
            read_network(folder, game)


def test_first_weights_follow_from_the_seed_alone():
    torch.manual_seed(1)
    game = load_game("fossil_canyon")
    first = new_network(game, [8, 4], None, 3).weights
    torch.manual_seed(2)
    state = torch.get_rng_state()
    again, other = (new_network(game, [8, 4], None, seed).weights for seed in (3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["layer0.weight"], other["layer0.weight"])
    assert torch.equal(torch.get_rng_state(), state), "the process's own generator is left alone"
