"""Networks that remember what they have seen in a game, for games whose observations do not keep it.

Two kinds, by the setting ``[memory]``: a *history*, which sees its last decisions' observations again, and a *GRU* (Cho et al.
2014, arXiv:1406.1078), which learns what to keep. Both are stepped with a memory that is zero at a game's start, and learn from
whole sequences (:meth:`Network.replay`): the GRU by backpropagation through the steps of a rollout (truncated BPTT).
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from training.network import Array, Network, new_network, new_weights
from training.settings import GRU, HISTORY
from training.window import Window


class HistoryNetwork(Network):
    """Its layers see the present observation and those of its last decisions, the latest first.

    Args:
        weights: as of :class:`Network`, the first layer as wide as all these observations.
        frames: how many earlier observations.
    """

    def __init__(self, weights: Mapping[str, Array], frames: int) -> None:
        super().__init__(weights)
        self.frames = frames
        self.inputs = weights["layer0.weight"].shape[1] // (frames + 1)
        self.memory_size = frames * self.inputs

    def step(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, values, and the observations to be seen again."""
        seen = torch.cat([observation, memory], dim=1)
        return *self(seen, action_mask), seen[:, : self.memory_size]

    def replay(
        self, observations: torch.Tensor, action_masks: torch.Tensor, dones: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values of sequences: what was remembered is put together first, then all steps go through at once."""
        seen = []
        for observation, done in zip(observations, dones, strict=True):
            seen.append(torch.cat([observation, memory], dim=1))
            memory = seen[-1][:, : self.memory_size] * (1.0 - done)[:, None]
        logits, values = self(torch.cat(seen), action_masks.flatten(0, 1))
        return logits, values

    def copy(self) -> Network:
        """Another one with the same weights, on the same device."""
        return HistoryNetwork(self.weights, self.frames).to(self.device)


class RecurrentNetwork(Network):
    """Layers, then a GRU cell; policy and value are read from both.

    Args:
        weights: as of :class:`Network`, and ``memory.weight_ih`` (3 * units, width of the last layer), ``memory.weight_hh``
            (3 * units, units), ``memory.bias_ih``, ``memory.bias_hh`` (3 * units,), as PyTorch orders them.
    """

    memory: nn.GRUCell

    def _add_memory(self, weights: Mapping[str, Array]) -> None:
        rows, inputs = weights["memory.weight_ih"].shape
        self.memory_size = rows // 3
        self.memory = nn.utils.skip_init(nn.GRUCell, inputs, self.memory_size)  # type: ignore[no-untyped-call]

    def step(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, values, and the state of the GRU."""
        features = self.hidden(observation)
        after = self.memory(features, memory)
        return *self.judge(torch.cat([features, after], dim=1), action_mask), after

    def replay(
        self, observations: torch.Tensor, action_masks: torch.Tensor, dones: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values of sequences: only the GRU goes step by step."""
        features = self.hidden(observations.flatten(0, 1))
        remembered = []
        for some, done in zip(features.view(*observations.shape[:2], -1), dones, strict=True):
            after = self.memory(some, memory)
            remembered.append(after)
            memory = after * (1.0 - done)[:, None]
        logits, values = self.judge(torch.cat([features, torch.cat(remembered)], dim=1), action_masks.flatten(0, 1))
        return logits, values


def make_network(weights: Mapping[str, Array], window: Window | None, memory: Mapping[str, Any]) -> Network:
    """The network of some weights, with the memory of the settings."""
    if not memory:
        return Network(weights, window)
    return RecurrentNetwork(weights) if memory["kind"] == GRU else HistoryNetwork(weights, memory["frames"])


def begin_network(
    inputs: int, actions: int, layers: list[int], window: Window | None, memory: Mapping[str, Any], seed: int
) -> Network:
    """A network that has learned nothing, with the memory of the settings."""
    if not memory:
        return new_network(inputs, actions, layers, window, seed)
    generator = torch.Generator().manual_seed(seed)
    if memory["kind"] == HISTORY:
        sizes = [inputs * (memory["frames"] + 1), *layers]
        return make_network(new_weights(sizes, layers[-1], actions, generator), None, memory)
    units = memory["units"]
    weights = new_weights([inputs, *layers], layers[-1] + units, actions, generator)
    for name, size in (("weight_ih", layers[-1]), ("weight_hh", units)):
        blocks = [nn.init.orthogonal_(torch.empty(units, size), generator=generator) for _ in range(3)]
        weights[f"memory.{name}"] = torch.cat(blocks).numpy()
    for name in ("bias_ih", "bias_hh"):
        weights[f"memory.{name}"] = torch.zeros(3 * units).numpy()
    return make_network(weights, None, memory)
