"""The surroundings of the player, for games on a grid: a fixed first stage of the network.

Actions such as "excavate E" mean something relative to the player, but the observation is in grid
order. This stage copies the cells within ``radius`` steps of the player's own cell to fixed places,
so that the layers after it need not learn to look them up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from dig_envs.engine.game import Game

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Window:
    """The place of the grid in an observation."""

    position: slice  # of the one-hot position of the player's own seat, (rows * columns,)
    # slices of fields, (rows * columns, depth) or (rows * columns,), and their depths
    fields: tuple[tuple[slice, int], ...]
    rows: int
    columns: int
    radius: int  # how many steps the player sees

    @property
    def cells(self) -> int:
        """Cells of the grid."""
        return self.rows * self.columns

    @property
    def size(self) -> int:
        """Numbers that the stage adds to an observation."""
        return len(self.offsets) * sum(depth for _, depth in self.fields)

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """(rows, columns) away from the player."""
        reach = range(-self.radius, self.radius + 1)
        return [
            (south, east)
            for south in reach
            for east in reach
            if abs(south) + abs(east) <= self.radius
        ]

    @cached_property
    def lookup(self) -> Array:
        """float32 (cells, offsets * cells): for a player's cell, which cell lies at each offset
        (zeros: beyond the edge)."""
        table = np.zeros((self.cells, len(self.offsets), self.cells), np.float32)
        for cell in range(self.cells):
            for k, (south, east) in enumerate(self.offsets):
                row, column = cell // self.columns + south, cell % self.columns + east
                if 0 <= row < self.rows and 0 <= column < self.columns:
                    table[cell, k, row * self.columns + column] = 1
        return table.reshape(self.cells, -1)

    def extend(self, observation: torch.Tensor, lookup: torch.Tensor) -> torch.Tensor:
        """Observations (n, size), followed by the player's surroundings; ``lookup`` is the
        window's, as a tensor."""
        n = len(observation)
        grid = torch.cat(
            [observation[:, place].reshape(n, self.cells, depth) for place, depth in self.fields],
            dim=2,
        )
        around = (observation[:, self.position] @ lookup).reshape(n, -1, self.cells) @ grid
        return torch.cat([observation, around.reshape(n, -1)], dim=1)


def make_window(game: Game, settings: Mapping[str, Any]) -> Window:
    """The window for the setting ``[window]``; raises ValueError if the game does not observe such
    a field."""
    unknown = [
        name for name in (settings["position"], *settings["fields"]) if name not in game.layout
    ]
    if unknown:
        raise ValueError(
            f"[window]: {game.name} observes no {', '.join(unknown)}; there are "
            f"{', '.join(game.layout)}"
        )
    cells = settings["rows"] * settings["columns"]
    start = game.layout[settings["position"]].slice.start
    places = [game.layout[name].slice for name in settings["fields"]]
    fields = tuple((place, (place.stop - place.start) // cells) for place in places)
    return Window(
        slice(start, start + cells),
        fields,
        settings["rows"],
        settings["columns"],
        settings["radius"],
    )
