"""The network that is trained: one multi-layer perceptron for the policy and the value."""

import warnings
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from dig_envs.agents.deciding import OneGame
from dig_envs.agents.memory import check_memory

from .window import Window

Array = np.ndarray[Any, Any]
ILLEGAL = -1e8  # the logit of an illegal action


class Network(nn.Module):
    """Hidden layers (ReLU) that policy and value share, which halves the work of two separate networks, and a linear head for each.

    It trains, it plays (:class:`NetworkAgent`), and an exported policy is its weights under their names.

    Args:
        weights: float32 arrays by name: ``layer0.weight`` (out, in), ``layer0.bias`` …, ``policy.*``, ``value.*``.
        window: the fixed first stage, if there is one (:mod:`training.window`).

    Attributes:
        fast: compute the layers in bfloat16: about three times as fast on processors that have it, slower on others.
    """

    lookup: torch.Tensor
    policy: nn.Linear
    value: nn.Linear
    memory_size = 0  # numbers that it remembers of a game: training/remembering.py has networks that do

    def __init__(self, weights: Mapping[str, Array], window: Window | None = None) -> None:
        super().__init__()
        self.window = window
        self.fast = False
        if window is not None:
            self.register_buffer("lookup", torch.from_numpy(window.lookup), persistent=False)
        self.depth = sum(name.startswith("layer") for name in weights) // 2
        for name in (*(f"layer{k}" for k in range(self.depth)), "policy", "value"):
            outputs, inputs = weights[f"{name}.weight"].shape
            self.add_module(name, empty_linear(inputs, outputs))
        self._add_more(weights)
        self.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})

    def _add_more(self, weights: Mapping[str, Array]) -> None:
        """The modules of a network that remembers, or has cells."""

    @property
    def weights(self) -> dict[str, Array]:
        """A copy of the weights by name."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    @property
    def layers(self) -> list[int]:
        """Sizes of the hidden layers."""
        return [self.get_submodule(f"layer{k}").out_features for k in range(self.depth)]  # type: ignore[misc]

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.policy.weight.device

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (n, num_actions), illegal actions at -1e8, and values (n,); the mask is bool or 0 and 1."""
        return self.judge(self.hidden(observation), action_mask)

    def hidden(self, observation: torch.Tensor) -> torch.Tensor:
        """What the hidden layers make of observations, float32 (n, width of the last)."""
        features = observation if self.window is None else self.window.extend(observation, self.lookup)
        with torch.autocast(features.device.type, torch.bfloat16, enabled=self.fast):
            for k in range(self.depth):
                features = torch.relu(self.get_submodule(f"layer{k}")(features))
        return features.float()

    def judge(self, features: torch.Tensor, action_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values (:meth:`forward`) from features."""
        logits: torch.Tensor = self.policy(features)
        value: torch.Tensor = self.value(features)
        return logits.masked_fill(~action_mask.bool(), ILLEGAL), value[:, 0]

    def step(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, values and what is remembered then, (n, memory_size); ``memory`` is zero at a game's start."""
        return *self(observation, action_mask), memory

    def replay(
        self, observations: torch.Tensor, action_masks: torch.Tensor, dones: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (t * m, num_actions) and values (t * m,) of t steps of m games that were played, all (t, m, …).

        ``dones``: whether a game ended with the step; ``memory`` (m, memory_size): what was remembered before the first.
        """
        logits, values = self(observations.flatten(0, 1), action_masks.flatten(0, 1))
        return logits, values

    def copy(self) -> "Network":
        """Another one with the same weights, on the same device."""
        return type(self)(self.weights, self.window).to(self.device)

    @torch.no_grad()
    def evaluate(self, observation: Array, action_mask: Array, memory: Array | None = None) -> tuple[Array, Array]:
        """:meth:`step` for arrays: masked logits (n, num_actions) and values (n,), float32; rewrites ``memory`` in place."""
        kept = check_memory(memory, len(observation), self.memory_size, "the network") if self.memory_size else np.zeros((0, 0))
        logits, value, after = self.step(self.to_device(observation), self.to_device(action_mask), self.to_device(kept))
        if self.memory_size:
            kept[:] = after.cpu().numpy()
        return logits.cpu().numpy(), value.cpu().numpy()

    def to_device(self, array: Array) -> torch.Tensor:
        """A copy of an array as a tensor where the weights are."""
        return torch.from_numpy(np.array(array)).to(self.device)


def empty_linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """A layer whose weights are yet to be set; PyTorch would warn of one without outputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        layer: nn.Linear = nn.utils.skip_init(nn.Linear, inputs, outputs, bias=bias)  # type: ignore[no-untyped-call]
    return layer


def new_weights(sizes: list[int], features: int, actions: int, generator: torch.Generator) -> dict[str, Array]:
    """Weights that have learned nothing: orthogonal, small ones for the policy, so that it begins nearly uniform.

    Args:
        sizes: of what goes into the first layer, and of the layers.
        features: numbers that policy and value are read from.
        actions: number of actions.
        generator: of all that is drawn.
    """
    shapes = {f"layer{k}": (outs, ins, 2**0.5) for k, (ins, outs) in enumerate(pairwise(sizes))}
    shapes |= {"policy": (actions, features, 0.01), "value": (1, features, 1.0)}
    return new_linear(shapes, generator)


def new_linear(shapes: Mapping[str, tuple[int, int, float]], generator: torch.Generator) -> dict[str, Array]:
    """Weights, orthogonal, and zero biases of layers by their names: outputs, inputs, gain."""
    weights: dict[str, Array] = {}
    for name, (outs, ins, gain) in shapes.items():
        matrix = torch.empty(outs, ins)
        weights[f"{name}.weight"] = nn.init.orthogonal_(matrix, gain, generator=generator).numpy()
        weights[f"{name}.bias"] = np.zeros(outs, np.float32)
    return weights


def new_network(inputs: int, actions: int, layers: list[int], window: Window | None, seed: int) -> Network:
    """A network that has learned nothing."""
    generator = torch.Generator().manual_seed(seed)
    return Network(new_weights([inputs + (window.size if window else 0), *layers], layers[-1], actions, generator), window)


class NetworkAgent(OneGame):
    """A network as a player: for the games that judge a run, and as its own opponent.

    Args:
        network: its weights are copied, so that the player stays as it is when the network learns on.
        sample: draw actions instead of playing the likeliest.
        seed: for ``sample``.
    """

    def __init__(self, network: Network, sample: bool = False, seed: int = 0, name: str = "network") -> None:
        self.name = name
        self.network = network.copy()
        self.memory_size = network.memory_size
        self.sample = sample
        self._rng = np.random.default_rng(seed)

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
    ) -> Array:
        """One action for each decision."""
        logits, _ = self.network.evaluate(observation, action_mask, memory)
        if self.sample:
            logits = logits + self._rng.gumbel(size=logits.shape)
        return np.asarray(np.where(action_mask, logits, -np.inf).argmax(axis=1))
