"""Networks that remember what they have seen in a game, for games whose observations do not keep it.

Three kinds, by the setting ``[memory]``: a *history*, which sees its last decisions' observations again, a *GRU* (Cho et al. 2014,
arXiv:1406.1078), which learns what to keep, and a *grid*, which has a small GRU at each cell of a grid, all with the same weights.
All are stepped with a memory that is zero at a game's start, and learn from whole sequences (:meth:`Network.replay`): GRUs by
backpropagation through the steps of a rollout (truncated BPTT).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from dig_envs.engine.game import Game

from .cells import Places, at_each, places_of
from .network import ILLEGAL, Array, Network, empty_linear, new_linear, new_weights
from .settings import GRID, GRU, HISTORY

CELL_FEATURES = 64  # of each cell of a grid


@dataclass(frozen=True)
class Memory:
    """What a network remembers, as the settings say.

    Attributes:
        kind: ``history``, ``gru`` or ``grid``.
        size: frames of a history; units of a GRU, or of a grid's at each cell.
        fields: of a grid, the slices of the observation's fields per cell, (cells, depth) or (cells,), with their depths.
        cells: of a grid.
    """

    kind: str
    size: int
    fields: Places = ()
    cells: int = 0


def make_memory(game: Game, settings: Mapping[str, Any]) -> Memory | None:
    """What the setting ``[memory]`` asks for, None if it is empty; raises ValueError for what does not go with the game.

    In a cooperative game one learner plays all seats, and would remember for one what another has seen.
    """
    if not settings:
        return None
    if game.cooperative:
        raise ValueError(f"[memory]: {game.name} is cooperative, the learner plays all seats and would mix up what they remember")
    kind = settings["kind"]
    if kind != GRID:
        return Memory(kind, settings["frames" if kind == HISTORY else "units"])
    cells = len(game.actions)
    fields = places_of(game, settings["fields"], cells, "[memory]", "a cell for each action")
    return Memory(kind, settings["units"], fields, cells)


def all_remembered(
    remember: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], seen: torch.Tensor, dones: torch.Tensor, memory: torch.Tensor
) -> torch.Tensor:
    """What is remembered after each of t steps of m games, (t * m, …): nothing of a game that has ended goes into the next."""
    remembered = []
    for some, done in zip(seen, dones, strict=True):
        remembered.append(remember(some, memory))
        memory = remembered[-1] * (1.0 - done)[:, None]
    return torch.cat(remembered)


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

    def _add_more(self, weights: Mapping[str, Array]) -> None:
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
        remembered = all_remembered(self.memory, features.view(*observations.shape[:2], -1), dones, memory)
        logits, values = self.judge(torch.cat([features, remembered], dim=1), action_masks.flatten(0, 1))
        return logits, values


class GridNetwork(Network):
    """For games in which an action is a cell of a grid: each cell remembers by itself, and the cells share all weights.

    What is seen and remembered at a cell becomes features; those of all cells are added up and go with the observation through the
    layers, from which the value is read; the logit of a cell is read from its features beside what the layers make of the whole.

    Args:
        weights: as of :class:`Network`, the layers beginning with observation and features, ``policy`` with one row;
            ``memory.*`` as of :class:`RecurrentNetwork`; ``cell.*`` (features, what is seen and remembered at a cell);
            ``of_cell.*`` (features, features) and ``of_all.*`` (features, width of the last layer); ``place.weight`` (cells,
            features), by which cells that are otherwise alike differ.
        grid: where the cells are in an observation.
    """

    memory: nn.GRUCell
    cell: nn.Linear
    of_cell: nn.Linear
    of_all: nn.Linear
    place: nn.Embedding

    def __init__(self, weights: Mapping[str, Array], grid: Memory) -> None:
        super().__init__(weights)
        self.grid = grid
        self.memory_size = grid.cells * grid.size

    def _add_more(self, weights: Mapping[str, Array]) -> None:
        rows, inputs = weights["memory.weight_ih"].shape
        self.memory = nn.utils.skip_init(nn.GRUCell, inputs, rows // 3)  # type: ignore[no-untyped-call]
        for name in ("cell", "of_cell", "of_all"):
            outputs, inputs = weights[f"{name}.weight"].shape
            self.add_module(name, empty_linear(inputs, outputs))
        self.place = nn.Embedding(*weights["place.weight"].shape)

    def judge_cells(
        self, observation: torch.Tensor, cells: torch.Tensor, memory: torch.Tensor, action_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values (:meth:`forward`) from what is seen, at each cell and in all, and remembered."""
        features = torch.relu(self.cell(torch.cat([cells, memory.view(*cells.shape[:2], -1)], dim=2)))
        whole = self.hidden(torch.cat([observation, features.sum(dim=1)], dim=1))
        both = torch.relu(self.of_cell(features) + self.of_all(whole)[:, None] + self.place.weight)
        logits, value = self.policy(both)[:, :, 0], self.value(whole)
        return logits.masked_fill(~action_mask.bool(), ILLEGAL), value[:, 0]

    def remember(self, cells: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """What is remembered then, (n, memory_size)."""
        after: torch.Tensor = self.memory(cells.flatten(0, 1), memory.reshape(-1, self.grid.size))
        return after.view(len(cells), -1)

    def step(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, values, and the states of the GRUs."""
        cells = at_each(observation, self.grid.fields, self.grid.cells)
        after = self.remember(cells, memory)
        return *self.judge_cells(observation, cells, after, action_mask), after

    def replay(
        self, observations: torch.Tensor, action_masks: torch.Tensor, dones: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values of sequences: only the GRUs go step by step."""
        flat = observations.flatten(0, 1)
        cells = at_each(flat, self.grid.fields, self.grid.cells)
        remembered = all_remembered(self.remember, cells.view(*observations.shape[:2], *cells.shape[1:]), dones, memory)
        return self.judge_cells(flat, cells, remembered, action_masks.flatten(0, 1))

    def copy(self) -> Network:
        """Another one with the same weights, on the same device."""
        return GridNetwork(self.weights, self.grid).to(self.device)


def network_that_remembers(weights: Mapping[str, Array], memory: Memory) -> Network:
    """The network of some weights."""
    if memory.kind == HISTORY:
        return HistoryNetwork(weights, memory.size)
    return RecurrentNetwork(weights) if memory.kind == GRU else GridNetwork(weights, memory)


def new_memory_weights(
    memory: Memory, inputs: int, actions: int, layers: list[int], generator: torch.Generator
) -> dict[str, Array]:
    """Weights that have learned nothing."""
    if memory.kind == HISTORY:
        weights = new_weights([inputs * (memory.size + 1), *layers], layers[-1], actions, generator)
    elif memory.kind == GRU:
        weights = new_weights([inputs, *layers], layers[-1] + memory.size, actions, generator)
        weights |= _new_gru(layers[-1], memory.size, generator)
    else:
        seen, width = sum(depth for _, depth in memory.fields), CELL_FEATURES
        weights = new_weights([inputs + width, *layers], layers[-1], actions, generator)
        weights |= _new_gru(seen, memory.size, generator)
        shapes = {"cell": (width, seen + memory.size, 2**0.5), "of_cell": (width, width, 1.0), "of_all": (width, layers[-1], 1.0)}
        weights |= new_linear({**shapes, "policy": (1, width, 0.01)}, generator)
        weights["place.weight"] = torch.zeros(memory.cells, width).numpy()
    return weights


def _new_gru(inputs: int, units: int, generator: torch.Generator) -> dict[str, Array]:
    """Weights of a GRU cell: orthogonal for each gate."""
    weights: dict[str, Array] = {}
    for name, size in (("weight_ih", inputs), ("weight_hh", units)):
        blocks = [nn.init.orthogonal_(torch.empty(units, size), generator=generator) for _ in range(3)]
        weights[f"memory.{name}"] = torch.cat(blocks).numpy()
    for name in ("bias_ih", "bias_hh"):
        weights[f"memory.{name}"] = torch.zeros(3 * units).numpy()
    return weights
