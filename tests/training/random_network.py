"""Networks with random weights."""

import numpy as np

from training.network import Network


def random_network(game, seed=0, width=8):
    """One hidden layer, no window."""
    rng = np.random.default_rng(seed)
    shapes = {"layer0": (width, game.observation_size), "policy": (len(game.actions), width), "value": (1, width)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    return Network(weights, None)
