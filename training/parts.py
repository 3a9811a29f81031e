"""Parts that a network has beside its layers, as the settings say: a window, a memory, cells or
relations, or none."""

from typing import Any, Protocol

from dig_envs.engine.game import Game

from .cells import Cells, make_cells
from .network import Network, shapes_of
from .relations import Relations, make_relations
from .remembering import Memory, make_memory
from .window import Window, make_window

Part = Window | Memory | Cells | Relations | None


class PartSettings(Protocol):
    """The settings that say which part a network has: at most one of them is not empty."""

    @property
    def window(self) -> dict[str, Any]:
        """Of the stage for games on a grid."""

    @property
    def memory(self) -> dict[str, Any]:
        """Of the GRU."""

    @property
    def cells(self) -> list[dict[str, Any]]:
        """Of the groups of like things."""

    @property
    def relations(self) -> dict[str, Any]:
        """Of the kinds of things, and how they are related."""


def make_part(game: Game, settings: PartSettings) -> Part:
    """The part that the settings name; raises ValueError if it does not fit the game."""
    if settings.window:
        return make_window(game, settings.window)
    if settings.memory:
        return make_memory(game, settings.memory)
    if settings.relations:
        return make_relations(game, settings.relations)
    return make_cells(game, settings.cells) if settings.cells else None


def new_network(game: Game, layers: list[int], part: Part, seed: int) -> Network:
    """An untrained network; its weights depend on the seed alone."""
    if isinstance(part, Memory | Cells | Relations):
        return part.network(game, layers).draw_weights(seed)
    inputs = game.observation_size + (part.size if part else 0)
    return Network(shapes_of([inputs, *layers], layers[-1], len(game.actions)), part).draw_weights(
        seed
    )
