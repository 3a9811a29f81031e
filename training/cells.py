"""Networks for games in which many actions belong to like things, called cells: the open passages
of a mine, the cards of a hand.

The setting ``[[cells]]`` names groups of them. The cells of a group share their weights, so that
what is learned of one holds for all, and only those that are there cost time. What is seen at a
cell becomes features; their mean and maximum over the cells go with the observation through the
layers. The logits of a cell's actions are read from its features beside what the layers give; those
of all other actions and the value are read from the layers alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game

from .network import ILLEGAL, Network, Shapes, shapes_of

# slices of an observation's fields per cell, (cells, depth) or (cells,), with their depths
Places = tuple[tuple[slice, int], ...]
SUMMARIES = 2  # of the cells of a group: mean and maximum


@dataclass(frozen=True)
class Group:
    """Cells that are alike."""

    fields: Places  # what is seen at a cell
    cells: int
    units: int  # features of each; 0: nobody sees them
    first: int  # action of the first cell
    # actions, those of the first cell first; 0 for cells that only the layers are told of
    per_cell: int

    @property
    def depth(self) -> int:
        """Numbers that are seen at a cell."""
        return sum(depth for _, depth in self.fields)

    @property
    def actions(self) -> range:
        """The actions of all cells."""
        return range(self.first, self.first + self.cells * self.per_cell)


@dataclass(frozen=True)
class Cells:
    """The groups of a network, and what is left of the game for its layers."""

    groups: tuple[Group, ...]
    kept: tuple[int, ...]  # numbers of the observation that the layers see
    rest: tuple[int, ...]  # actions that belong to no cell
    inputs: int  # size of the observation

    @property
    def size(self) -> int:
        """Numbers that go into the layers."""
        return len(self.kept) + sum(SUMMARIES * group.units for group in self.groups)

    @property
    def order(self) -> list[int]:
        """The place of each action in ``rest`` and the groups' actions, one after the other."""
        listed = [*self.rest, *(action for group in self.groups for action in group.actions)]
        return sorted(range(len(listed)), key=listed.__getitem__)

    def network(self, game: Game, layers: list[int]) -> "CellsNetwork":
        """A network with unset weights."""
        shapes = shapes_of([self.size, *layers], layers[-1], len(self.rest))
        for k, group in enumerate(self.groups):
            shapes[f"cells{k}"] = (group.units, group.depth)
            if group.per_cell:
                shapes[f"of_cells{k}"], shapes[f"of_all{k}"] = (
                    (group.units, group.units),
                    (group.units, layers[-1]),
                )
                shapes[f"logits{k}"] = (group.per_cell, group.units)
        return CellsNetwork(shapes, self)


def places_of(game: Game, names: Sequence[str], cells: int, source: str, like: str) -> Places:
    """The places in an observation of fields with this number of cells.

    Raises:
        ValueError: a field has not so many cells; it names those that have. ``like`` says in words
            how many are meant.
    """
    layout = {
        name: entry
        for name, entry in game.layout.items()
        if entry.shape and entry.shape[0] == cells
    }
    for name in names:
        if name not in layout:
            raise ValueError(
                f"{source}: {shown_in_message(name)} is not a field of {game.name} with {like}; "
                f"there are {', '.join(layout) or 'none'}"
            )
    return tuple((layout[name].slice, prod(layout[name].shape[1:])) for name in names)


def at_each(observation: torch.Tensor, places: Places, cells: int) -> torch.Tensor:
    """The observed numbers of each cell, (n, cells, depth)."""
    return torch.cat(
        [observation[:, place].view(-1, cells, depth) for place, depth in places], dim=2
    )


def are_there(observation: torch.Tensor, group: Group) -> torch.Tensor:
    """Whether a cell shows anything, bool (n, cells)."""
    there = torch.zeros(len(observation), group.cells, dtype=torch.bool, device=observation.device)
    for place, depth in group.fields:
        there |= (observation[:, place] != 0).view(-1, group.cells, depth).any(dim=2)
    return there


def _summaries(features: torch.Tensor, there: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and maximum over all cells of a group, (n, units); ``features`` are those of the cells
    that are there."""
    lengths = there.sum(dim=1)
    total, most = (
        torch.segment_reduce(features, how, lengths=lengths, initial=0) for how in ("sum", "max")
    )
    return total / there.shape[1], most


def make_cells(game: Game, settings: Sequence[Mapping[str, Any]]) -> Cells:
    """The groups that the setting ``[[cells]]`` asks for; raises ValueError if one does not fit the
    game."""
    groups: list[Group] = []
    left_out: set[int] = set()
    taken: dict[int, str] = {}
    for one in settings:
        group = _make_group(game, one)
        for action in group.actions:
            if action in taken:
                raise ValueError(
                    f"[[cells]]: {game.actions[action]!r} belongs to a cell of {taken[action]!r} "
                    f"and of {one['fields'][0]!r}"
                )
            taken[action] = one["fields"][0]
        if one.get("leave_out", False):
            left_out |= {
                number for place, _ in group.fields for number in range(place.start, place.stop)
            }
        if group.units:
            groups.append(group)
    kept = tuple(number for number in range(game.observation_size) if number not in left_out)
    rest = tuple(action for action in range(len(game.actions)) if action not in taken)
    return Cells(tuple(groups), kept, rest, game.observation_size)


def _make_group(game: Game, settings: Mapping[str, Any]) -> Group:
    name, *_ = names = settings["fields"]
    shapes = {other: entry.shape for other, entry in game.layout.items() if entry.shape}
    if name not in shapes:
        raise ValueError(
            f"[[cells]]: {shown_in_message(name)} is not a field of {game.name} with cells; "
            f"there are {', '.join(shapes)}"
        )
    cells = shapes[name][0]
    places = places_of(game, names, cells, "[[cells]]", f"{cells} cells, as {name!r} has")
    if "actions" not in settings:
        return Group(places, cells, settings["units"], 0, 0)
    wanted, lasts = settings["actions"], dict(game.action_groups)
    if wanted not in (game.actions[first] for first in lasts):
        there = ", ".join(repr(game.actions[first]) for first in lasts)
        raise ValueError(
            f"[[cells]]: {shown_in_message(wanted)} is not the first of a group of actions of "
            f"{game.name}; these "
            f"are {there}"
        )
    first = game.action_index[wanted]
    per_cell, over = divmod(lasts[first] - first + 1, cells)
    if over:
        text = f"{wanted!r} to {game.actions[lasts[first]]!r}"
        raise ValueError(
            f"[[cells]]: the actions {text} cannot be shared equally among the {cells} cells of "
            f"{name!r}"
        )
    return Group(places, cells, settings["units"], first, per_cell)


class CellsNetwork(Network):
    """Layers, and beside them the cells (see above).

    ``policy`` has a row for each action that belongs to no cell. For each group k, ``cells<k>``
    makes features of what is seen at a cell; if it has actions, ``of_cells<k>`` and ``of_all<k>``
    lead from these and from what the layers give to ``logits<k>``.
    """

    kept: torch.Tensor
    order: torch.Tensor

    def __init__(self, shapes: Shapes, cells: Cells) -> None:
        super().__init__(shapes)
        self.cells, self.inputs, self.num_actions = cells, cells.inputs, len(cells.order)
        self.register_buffer("kept", torch.tensor(cells.kept, dtype=torch.int64), persistent=False)
        self.register_buffer(
            "order", torch.tensor(cells.order, dtype=torch.int64), persistent=False
        )

    def forward(
        self, observation: torch.Tensor, action_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values, as for :class:`Network`."""
        mask = action_mask.bool()
        there = [are_there(observation, group) for group in self.cells.groups]
        features = [self._features(k, observation, there[k]) for k in range(len(there))]
        summaries = [
            summary
            for some, which in zip(features, there, strict=True)
            for summary in _summaries(some, which)
        ]
        together = self.hidden(
            torch.cat([observation.index_select(1, self.kept), *summaries], dim=1)
        )
        groups = [k for k, group in enumerate(self.cells.groups) if group.per_cell]
        logits = [self._logits(k, features[k], there[k], together, mask) for k in groups]
        every = torch.cat([self.policy(together), *logits], dim=1).index_select(1, self.order)
        value: torch.Tensor = self.value(together)
        return every.masked_fill(~mask, ILLEGAL), value[:, 0]

    def _features(self, k: int, observation: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        """The features of the cells that are there, one after the other, (number, units). Features
        of others would be 0."""
        group = self.cells.groups[k]
        seen = [
            observation[:, place].view(-1, group.cells, depth)[there]
            for place, depth in group.fields
        ]
        return torch.relu(self.get_submodule(f"cells{k}")(torch.cat(seen, dim=1)))

    def _logits(
        self,
        k: int,
        features: torch.Tensor,
        there: torch.Tensor,
        together: torch.Tensor,
        mask: torch.Tensor,
    ) -> torch.Tensor:
        """The logits of a group's actions, (n, actions); only cells with a legal action are
        computed."""
        group = self.cells.groups[k]
        asked = (
            mask[:, group.first : group.actions.stop]
            .view(len(mask), group.cells, group.per_cell)
            .any(dim=2)
        )
        # of the features, counted from 1; 0: zeros
        row = there.flatten().cumsum(0).view_as(there) * there
        with_zeros = torch.cat([features.new_zeros(1, group.units), features])
        each = self.get_submodule(f"of_cells{k}")(with_zeros[row[asked]])
        both = torch.relu(each + self.get_submodule(f"of_all{k}")(together)[asked.nonzero()[:, 0]])
        logits = together.new_full((*asked.shape, group.per_cell), ILLEGAL)
        logits[asked] = self.get_submodule(f"logits{k}")(both)
        return logits.flatten(1)
