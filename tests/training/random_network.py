"""Networks with random weights, and policies of them."""

from functools import cache

import numpy as np
import torch

from dig_envs.agents.saving import write_folder
from training.export import LICENCE, to_onnx
from training.network import new_network


def with_random_weights(network, seed=0):
    """The network with all weights drawn at random, so that nothing is zero that should matter."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.3)
    return network


def random_network(game, seed=0, layers=(8,), cells=None):
    """A network of a game."""
    return with_random_weights(new_network(game, list(layers), cells, seed), seed)


@cache
def _graph(game, seed):
    return to_onnx(random_network(game, seed))


def random_policy(folder, game, seed=0, **facts):
    """A policy as training writes it, whose network is made once in a process; returns the
    folder."""
    return write_folder(folder, game, _graph(game, seed), {"licence": LICENCE, **facts})


@torch.no_grad()
def answer(network, observation, action_mask, memory=None):
    """Logits and values of a network as arrays; rewrites the memory."""
    kept = np.zeros((len(observation), 0), np.float32) if memory is None else memory
    logits, values, after = network.step(
        *(torch.tensor(array) for array in (observation, action_mask, kept))
    )
    kept[:] = after.numpy()
    return logits.numpy(), values.numpy()
