"""What a network has beside its layers, as the settings say: a window, a memory or cells, or none of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from dig_envs.engine.game import Game

from .cells import Cells, CellsNetwork, make_cells, new_cells_weights
from .network import Array, Network, new_network
from .remembering import Memory, make_memory, network_that_remembers, new_memory_weights
from .settings import Settings
from .window import Window, make_window


@dataclass(frozen=True)
class Parts:
    """A fixed first stage (``window.py``), what is remembered (``remembering.py``), cells (``cells.py``)."""

    window: Window | None = None
    memory: Memory | None = None
    cells: Cells | None = None

    @classmethod
    def of(cls, game: Game, settings: Settings) -> "Parts":
        """What the settings ask for; raises ValueError if it does not fit the game."""
        return cls(make_window(game, settings.window), make_memory(game, settings.memory), make_cells(game, settings.cells))


def make_network(weights: Mapping[str, Array], parts: Parts) -> Network:
    """The network of some weights."""
    if parts.cells is not None:
        return CellsNetwork(weights, parts.cells)
    return Network(weights, parts.window) if parts.memory is None else network_that_remembers(weights, parts.memory)


def begin_network(game: Game, layers: list[int], parts: Parts, seed: int) -> Network:
    """A network that has learned nothing of a game."""
    inputs, actions = game.observation_size, len(game.actions)
    generator = torch.Generator().manual_seed(seed)
    if parts.cells is not None:
        return make_network(new_cells_weights(parts.cells, layers, generator), parts)
    if parts.memory is None:
        return new_network(inputs, actions, layers, parts.window, seed)
    return make_network(new_memory_weights(parts.memory, inputs, actions, layers, generator), parts)
