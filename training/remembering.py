"""Networks that remember what they have seen in a game, for games whose observations do not keep
it: a GRU (Cho et al. 2014, arXiv:1406.1078), or a small one for each cell of a grid, all with the
same weights.

They are stepped with a memory that is zero at a game's start, and learn from sequences
(:meth:`RecurrentNetwork.replay`), by backpropagation through the steps of a rollout (truncated
BPTT).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from dig_envs.engine.game import Game

from .cells import Places, at_each, places_of
from .network import ILLEGAL, MEMORY, Network, Shapes, shapes_of

CELL_FEATURES = 64  # of each cell of a grid


@dataclass(frozen=True)
class Memory:
    """The memory of a network, as the settings say."""

    units: int  # of the GRU, or of that at each cell
    cells: int = 0  # of the grid, the game's actions; 0: no grid, one GRU
    places: Places = ()  # of the fields that are seen at a cell

    def network(self, game: Game, layers: list[int]) -> "RecurrentNetwork":
        """A network with unset weights."""
        inputs, actions, last, width = (
            game.observation_size,
            len(game.actions),
            layers[-1],
            CELL_FEATURES,
        )
        if not self.cells:
            return RecurrentNetwork(
                {
                    **shapes_of([inputs, *layers], last + self.units, actions),
                    MEMORY: (self.units, last),
                }
            )
        seen = sum(depth for _, depth in self.places)
        shapes = {
            **shapes_of([inputs + width, *layers], last, actions),
            "policy": (1, width),
            MEMORY: (self.units, seen),
        }
        shapes |= {
            "cell": (width, seen + self.units),
            "of_cell": (width, width),
            "of_all": (width, last),
            "place": (self.cells, width),
        }
        return GridNetwork(shapes, self)


def make_memory(game: Game, settings: Mapping[str, Any]) -> Memory:
    """The memory for the setting ``[memory]``; raises ValueError if it does not fit the game.

    In a cooperative game one learner plays all seats, and would remember for one what another has
    seen.
    """
    if game.cooperative:
        raise ValueError(
            f"[memory]: {game.name} is cooperative, the learner plays all seats and would mix up "
            "what they remember"
        )
    names = settings.get("fields", [])
    if not names:
        return Memory(settings["units"])
    cells = len(game.actions)
    return Memory(
        settings["units"],
        cells,
        places_of(game, names, cells, "[memory]", "a cell for each action"),
    )


class RecurrentNetwork(Network):
    """Layers, then a GRU cell, ``memory``; policy and value are read from both."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__(shapes)
        self.memory_size = self.memory.hidden_size

    def look(self, observation: torch.Tensor) -> torch.Tensor:
        """The input of the GRU, (n, …)."""
        return self.hidden(observation)

    def remember(self, seen: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The new memory, (n, memory_size)."""
        after: torch.Tensor = self.memory(seen, memory)
        return after

    def decide(
        self,
        observation: torch.Tensor,
        seen: torch.Tensor,
        remembered: torch.Tensor,
        action_mask: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values (:meth:`forward`) from what is seen and remembered."""
        return self.judge(torch.cat([seen, remembered], dim=1), action_mask)

    def step(
        self, observation: torch.Tensor, action_mask: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits, values, and the state of the GRU."""
        seen = self.look(observation)
        after = self.remember(seen, memory)
        return *self.decide(observation, seen, after, action_mask), after

    def replay(
        self,
        observations: torch.Tensor,
        action_masks: torch.Tensor,
        dones: torch.Tensor,
        memory: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (t * m, num_actions) and values (t * m,) for t played steps of m games, all (t, m,
        …).

        Only the GRU goes step by step; nothing of a game goes into the next one. ``dones``: whether
        a game ended with the step; ``memory`` (m, memory_size): what was remembered before the
        first.
        """
        flat = observations.flatten(0, 1)
        seen = self.look(flat)
        remembered = []
        for some, done in zip(seen.view(*dones.shape, *seen.shape[1:]), dones, strict=True):
            remembered.append(self.remember(some, memory))
            memory = remembered[-1] * (1.0 - done)[:, None]
        return self.decide(flat, seen, torch.cat(remembered), action_masks.flatten(0, 1))


class GridNetwork(RecurrentNetwork):
    """For games in which an action is a cell of a grid: each cell remembers by itself, and the
    cells share all weights.

    What is seen and remembered at a cell becomes features; those of all cells are added up and go
    with the observation through the layers, from which the value is read; the logit of a cell is
    read from its features beside what the layers give.
    """

    cell: nn.Linear  # from what is seen and remembered at a cell to its features
    of_cell: nn.Linear  # from these …
    of_all: nn.Linear  # … and from what the layers give, to what the logit is read from
    # only its weights are added to that (cells, features), so that cells that are otherwise alike
    # can differ
    place: nn.Linear

    def __init__(self, shapes: Shapes, grid: Memory) -> None:
        super().__init__(shapes)
        self.grid = grid
        self.memory_size = grid.cells * grid.units
        self.inputs -= CELL_FEATURES
        self.num_actions = grid.cells

    def look(self, observation: torch.Tensor) -> torch.Tensor:
        """The observed numbers of each cell, (n, cells, depth)."""
        return at_each(observation, self.grid.places, self.grid.cells)

    def remember(self, seen: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The new memory, (n, memory_size)."""
        return (
            super()
            .remember(seen.flatten(0, 1), memory.reshape(-1, self.grid.units))
            .view(len(seen), -1)
        )

    def decide(
        self,
        observation: torch.Tensor,
        seen: torch.Tensor,
        remembered: torch.Tensor,
        action_mask: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values (:meth:`forward`) from what is seen, at each cell and in all, and
        remembered."""
        features = torch.relu(
            self.cell(torch.cat([seen, remembered.view(*seen.shape[:2], -1)], dim=2))
        )
        together = self.hidden(torch.cat([observation, features.sum(dim=1)], dim=1))
        both = torch.relu(
            self.of_cell(features) + self.of_all(together)[:, None] + self.place.weight
        )
        logits, value = self.policy(both)[:, :, 0], self.value(together)
        return logits.masked_fill(~action_mask.bool(), ILLEGAL), value[:, 0]
