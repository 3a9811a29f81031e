"""The network that is trained: one multi-layer perceptron for the policy and the value."""

import warnings
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from torch import nn

from .rows import Seen, outputs_of
from .window import Window

Array = np.ndarray[Any, Any]
# (outputs, inputs) of layers by name; those of a GRU cell are its units and inputs
Shapes = dict[str, tuple[int, int]]
MEMORY = "memory"  # the name of a GRU cell
ILLEGAL = -1e8  # the logit of an illegal action: its probability is exactly 0


class Role(NamedTuple):
    """How the layers of one purpose are set up.

    ``gain``: of the first weights, which are orthogonal; 0: they are zero. ``bias``: whether they
    have one. ``gives_logits``: whether their outputs are logits of the policy.
    """

    gain: float = 2**0.5
    bias: bool = True
    gives_logits: bool = False


# By the beginning of the layers' names, which exported policies have, too. Other layers: Role().
ROLES = {
    "policy": Role(gain=0.01, gives_logits=True),
    "logits": Role(gain=0.01, gives_logits=True),
    "value": Role(gain=1.0),
    "of_": Role(gain=1.0),
    "link": Role(gain=1.0, bias=False),
    "cells": Role(bias=False),
    "place": Role(gain=0.0, bias=False),
    MEMORY: Role(gain=1.0),
}


def role_of(name: str) -> Role:
    """The role of a layer, or of the layer of a parameter."""
    return next((role for begin, role in ROLES.items() if name.startswith(begin)), Role())


def shapes_of(sizes: list[int], features: int, actions: int) -> Shapes:
    """The shapes of hidden layers and heads.

    Args:
        sizes: of what goes into the first layer, and of the layers.
        features: numbers that policy and value are read from.
        actions: logits of the policy.
    """
    layers = {f"layer{k}": (outs, ins) for k, (ins, outs) in enumerate(pairwise(sizes))}
    return {**layers, "policy": (actions, features), "value": (1, features)}


class Network(nn.Module):
    """Hidden layers (ReLU) that policy and value share, which halves the work of two separate
    networks, and a linear head for each.

    An exported policy is its weights under their names: ``layer0.weight``, ``layer0.bias`` …,
    ``policy.*``, ``value.*``.

    Args:
        shapes: of all layers. Their weights are not set: :meth:`draw_weights`, or
            ``load_state_dict``.
        window: the fixed first stage, if there is one (:mod:`training.window`).

    Attributes:
        fast: compute the layers in bfloat16: about three times as fast on processors that have it,
            slower on others.
        seen_as: dtype of the observations that learning keeps: that of the first layer, which
            rounds them anyway.
        inputs: size of an observation.
        num_actions: number of actions.
        reads_rows: whether it is given sparse observations, which only plain layers read.
        memory_size: numbers that it remembers of a game, 0 for most (:mod:`training.remembering`).
    """

    lookup: torch.Tensor
    policy: nn.Linear
    value: nn.Linear
    memory: nn.GRUCell

    def __init__(self, shapes: Shapes, window: Window | None = None) -> None:
        super().__init__()
        self.window = window
        self.fast = self.reads_rows = False
        self.memory_size = 0
        if window is not None:
            self.register_buffer("lookup", torch.from_numpy(window.lookup), persistent=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a layer without outputs
            for name, (outputs, inputs) in shapes.items():
                kind, more = (
                    (nn.GRUCell, {})
                    if name == MEMORY
                    else (nn.Linear, {"bias": role_of(name).bias})
                )
                self.add_module(name, nn.utils.skip_init(kind, inputs, outputs, **more))  # type: ignore[no-untyped-call]
        self.depth = sum(name.startswith("layer") for name in shapes)
        self.inputs = shapes["layer0"][1] - (window.size if window else 0)
        self.num_actions = shapes["policy"][0]

    @classmethod
    def of(cls, weights: Mapping[str, torch.Tensor | Array]) -> Self:
        """A network with these named weights: a plain one without a window."""
        shapes = {
            name.removesuffix(".weight"): array.shape
            for name, array in weights.items()
            if name.endswith(".weight")
        }
        network = cls({name: (shape[0], shape[1]) for name, shape in shapes.items()})
        network.load_state_dict({name: torch.as_tensor(array) for name, array in weights.items()})
        return network

    @torch.no_grad()
    def draw_weights(self, seed: int) -> Self:
        """Set weights that have learned nothing: orthogonal, small ones for the policy, so that it
        begins nearly uniform."""
        generator = torch.Generator().manual_seed(seed)
        for name, weights in self.named_parameters():
            gain = role_of(name).gain
            if ".bias" in name or gain == 0.0:
                weights.zero_()
                continue
            for gate in weights.chunk(3) if name.startswith(MEMORY) else [weights]:
                if gate.numel():
                    nn.init.orthogonal_(gate, gain, generator=generator)
        return self

    @property
    def weights(self) -> dict[str, Array]:
        """A copy of the weights by name."""
        return {
            name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()
        }

    @property
    def seen_as(self) -> torch.dtype:  # noqa: D102 (above)
        return torch.bfloat16 if self.fast and self.is_plain else torch.float32

    @property
    def is_plain(self) -> bool:
        """Whether an observation goes to the first layer and nowhere else."""
        return type(self) is Network and self.window is None

    @torch.no_grad()
    def sharpen(self, factor: float) -> None:
        """Multiply all logits by a factor: above 1 likely actions become likelier still; the
        likeliest one stays the same."""
        for name, weights in self.named_parameters():
            if role_of(name).gives_logits:
                weights.mul_(factor)

    @property
    def layers(self) -> list[int]:
        """Sizes of the hidden layers."""
        return [self.get_submodule(f"layer{k}").out_features for k in range(self.depth)]  # type: ignore[misc]

    def forward(
        self, observation: Any, action_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (n, num_actions), illegal actions at -1e8, and values (n,); the mask is bool or 0
        and 1."""
        return self.judge(self.hidden(observation), action_mask)

    def hidden(self, observation: Any) -> torch.Tensor:
        """The output of the last hidden layer, float32 (n, its width)."""
        seen: Seen = (
            observation if self.window is None else self.window.extend(observation, self.lookup)
        )
        with self.in_bfloat16(self.policy.weight.device):
            for k in range(self.depth):
                seen = torch.relu(outputs_of(self.get_submodule(f"layer{k}"), seen))  # type: ignore[arg-type]
        assert isinstance(seen, torch.Tensor)
        return seen.float()

    def in_bfloat16(self, device: torch.device) -> torch.autocast:
        """A context in which layers compute in bfloat16, if this network does."""
        # a cache would be all threads'
        return torch.autocast(device.type, torch.bfloat16, enabled=self.fast, cache_enabled=False)

    def judge(
        self, features: torch.Tensor, action_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values (:meth:`forward`) from features."""
        logits: torch.Tensor = self.policy(features)
        value: torch.Tensor = self.value(features)
        return logits.masked_fill(~action_mask.bool(), ILLEGAL), value[:, 0]

    def step(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, values and the new memory, (n, memory_size); ``memory`` is zero at a game's
        start."""
        return *self(observation, action_mask), memory
