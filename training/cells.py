"""What a network is told of a game: which fields of the observation, and which actions, belong to
like things, called cells, such as the spaces of a board, the types of fossils, the cards of a hand.

The setting ``[[cells]]`` names groups of them. The cells of a group share their weights, so that
what is learned of one holds for all (:mod:`training.network`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game

from .settings import Settings

Array = np.ndarray[Any, Any]
# (rows, columns) of what actions mean by here, N, E, S, W
DIRECTIONS = ((0, 0), (-1, 0), (0, 1), (1, 0), (0, -1))
EVERYTHING = ["*"]  # the fields of one cell that shows the whole observation
# groups of actions: the first one, and how many there are, or belong to each cell
Actions = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Group:
    """Cells that are alike.

    ``fixed``: each of them is always there and is one of its own, such as a space. Others are
    places of a list, such as a hand, and are there if they show anything.
    """

    name: str
    count: int
    rows: tuple[tuple[int, int], ...]  # fields with a row for each cell, and their widths
    columns: tuple[tuple[int, int], ...]  # fields with a column for each, and their heights
    units: int  # features of each cell
    actions: Actions
    fixed: bool
    memory: int  # numbers that each cell remembers

    @property
    def seen(self) -> int:
        """Numbers that are seen at a cell."""
        return sum(width for _, width in (*self.rows, *self.columns))

    @property
    def per_cell(self) -> int:
        """Actions that belong to each cell."""
        return sum(each for _, each in self.actions)

    @property
    def order(self) -> list[int]:
        """The actions of all cells, those of the first cell first."""
        return [
            first + cell * each + k
            for cell in range(self.count)
            for first, each in self.actions
            for k in range(each)
        ]


@dataclass(frozen=True)
class Link:
    """Which cells of two groups tell each other of themselves; both may be the same group."""

    first: int  # the number of a group
    second: int
    # of the observation, a row for each of the first group, a column for each of the second
    field: int | None
    to_first: Array | None  # without a field: float32 (first, second) and …
    to_second: Array | None  # … (second, first); only the former is used within one group

    @property
    def ways(self) -> Iterator[tuple[str, int, int]]:
        """The directions in which it is used: a name, the group that is told, the group that
        tells."""
        yield "a", self.first, self.second
        if self.first != self.second:
            yield "b", self.second, self.first


@dataclass(frozen=True)
class Grid:
    """A group whose cells are the spaces of a grid, on which the seats stand."""

    group: int
    position: int  # the field, one-hot for each seat, the player's own first
    seats: int
    rows: int
    columns: int
    actions: Actions  # that name a direction: 5 (here, N, E, S, W) or 4 (N, E, S, W) in a group

    @property
    def spaces(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    @property
    def offsets(self) -> Array:
        """float32 (spaces * spaces, …): one-hot, how the second space lies relative to the
        first."""
        rows, columns = np.divmod(np.arange(self.spaces), self.columns)
        south, east = (along[None, :] - along[:, None] for along in (rows, columns))
        which = (south + self.rows - 1) * (2 * self.columns - 1) + east + self.columns - 1
        places = np.eye((2 * self.rows - 1) * (2 * self.columns - 1), dtype=np.float32)
        return np.asarray(places[which.flatten()])

    @property
    def reach(self) -> Array:
        """float32 (spaces, 5 * spaces): for a space, one-hot, which one lies in each direction
        (zeros: beyond the edge)."""
        table = np.zeros((self.spaces, len(DIRECTIONS), self.spaces), np.float32)
        for space in range(self.spaces):
            for k, (south, east) in enumerate(DIRECTIONS):
                row, column = space // self.columns + south, space % self.columns + east
                if 0 <= row < self.rows and 0 <= column < self.columns:
                    table[space, k, row * self.columns + column] = 1
        return table.reshape(self.spaces, -1)

    @property
    def neighbours(self) -> Array:
        """float32 (spaces, spaces): equal shares of the spaces next to each."""
        next_to = self.reach.reshape(self.spaces, -1, self.spaces)[:, 1:].sum(axis=1)
        return np.asarray(next_to / next_to.sum(axis=1, keepdims=True).clip(1), np.float32)


@dataclass(frozen=True)
class Cells:
    """The groups of a network, and what is left of the game for its layers. Fields of the
    observation are numbered in their order."""

    groups: tuple[Group, ...]
    links: tuple[Link, ...]
    grid: Grid | None
    rounds: int  # in which linked cells tell each other of themselves
    fields: tuple[int, ...]  # sizes of all fields
    kept: tuple[int, ...]  # the fields that the layers see
    rest: tuple[int, ...]  # actions that belong to no cell, then those that name a direction

    @property
    def order(self) -> list[int]:
        """The place of each action in ``rest`` and the groups' actions, one after the other."""
        listed = [*self.rest, *(action for group in self.groups for action in group.order)]
        return sorted(range(len(listed)), key=listed.__getitem__)


def make_cells(game: Game, settings: Settings) -> Cells:
    """The cells that the settings name; raises ValueError if they do not fit the game."""
    groups = tuple(_make_group(game, one) for one in settings.cells if one["units"])
    names = [group.name for group in groups]
    if len(set(names)) < len(names):
        raise ValueError(f"[[cells]]: two groups have the same name: {', '.join(names)}")
    if game.cooperative and any(group.memory for group in groups):
        raise ValueError(
            f"[[cells]] memory: {game.name} is cooperative, the learner plays all seats and would "
            "mix up what they remember"
        )
    grid = _make_grid(game, groups, settings.grid) if settings.grid else None
    links = tuple(_make_link(game, groups, grid, one) for one in settings.links)
    linked = settings.rounds or links or grid
    if linked and not (
        groups and all(group.fixed and group.units == groups[0].units for group in groups)
    ):
        raise ValueError(
            "rounds, [[links]] and [grid] need [[cells]] that are all fixed and have the same units"
        )
    hidden = [
        _field(game, name)
        for one in settings.cells
        if one.get("leave_out", False)
        for name in (*one.get("fields", []), *one.get("columns", []))
    ]
    hidden += [link.field for link in links if link.field is not None] + (
        [grid.position] if grid else []
    )
    directed = [first + k for first, count in grid.actions for k in range(count)] if grid else []
    taken = [*directed, *(action for group in groups for action in group.order)]
    twice = sorted({action for action in taken if taken.count(action) > 1})
    if twice:
        raise ValueError(f"[[cells]]: {game.actions[twice[0]]!r} belongs to more than one cell")
    rest = [action for action in range(len(game.actions)) if action not in set(taken)]
    sizes = tuple(prod(entry.shape) for entry in game.layout.values())
    kept = tuple(field for field in range(len(sizes)) if field not in hidden)
    if not kept:
        raise ValueError("[[cells]]: they leave nothing of the observation to the layers")
    return Cells(groups, links, grid, settings.rounds, sizes, kept, (*rest, *directed))


def _make_group(game: Game, settings: Mapping[str, Any]) -> Group:
    fields, columns = settings.get("fields", []), settings.get("columns", [])
    if not fields and not columns:
        raise ValueError("[[cells]]: nothing is seen at the cells: give fields or columns")
    first = (*fields, *columns)[0]
    shape = game.layout[first].shape if first in game.layout else ()
    name, count = settings.get("name", first), shape[0 if fields else -1] if shape else 0
    if fields == EVERYTHING:
        count = 1
    words = f"the {count} cells of {name!r}"
    rows: list[tuple[int, tuple[int, ...]]] = [
        (k, (1, prod(one.shape))) for k, one in enumerate(game.layout.values())
    ]
    if fields != EVERYTHING:
        rows = _fields(game, fields, count, lambda shape: shape[:1], f"a row for each of {words}")
    heights = _fields(
        game, columns, count, lambda shape: shape[1:], f"a column for each of {words}"
    )
    actions = []
    for wanted in settings.get("actions", []):
        begin, number = _actions(game, wanted)
        each, over = divmod(number, count)
        if over:
            raise ValueError(
                f"[[cells]]: the {number} actions from {wanted!r} cannot be shared equally among "
                f"{words}"
            )
        actions.append((begin, each))
    return Group(
        name,
        count,
        tuple((field, prod(shape[1:])) for field, shape in rows),
        tuple((field, shape[0]) for field, shape in heights),
        settings["units"],
        tuple(actions),
        settings.get("fixed", False),
        settings.get("memory", 0),
    )


def _field(game: Game, name: str) -> int:
    """The number of a field; raises ValueError that names those that there are."""
    if name not in game.layout:
        raise ValueError(
            f"[[cells]]: {shown_in_message(name)} is not a field of {game.name}; there are "
            f"{', '.join(game.layout)}"
        )
    return list(game.layout).index(name)


def _fields(
    game: Game, names: Sequence[str], count: int, part: Any, words: str
) -> list[tuple[int, tuple[int, ...]]]:
    """The numbers and shapes of fields of which this part of the shape is the number of cells;
    raises ValueError that names those that there are."""
    fitting = [name for name, one in game.layout.items() if part(tuple(one.shape)) == (count,)]
    for name in names:
        if name not in fitting:
            there = fitting or [name for name, one in game.layout.items() if one.shape]
            raise ValueError(
                f"[[cells]]: {shown_in_message(name)} is not a field of {game.name} with {words}; "
                f"there are {', '.join(there)}"
            )
    return [(list(game.layout).index(name), tuple(game.layout[name].shape)) for name in names]


def _actions(game: Game, name: str) -> tuple[int, int]:
    """The first action of a group and its number of actions; raises ValueError if no group begins
    with it."""
    lasts = {game.actions[first]: (first, last - first + 1) for first, last in game.action_groups}
    if name not in lasts:
        raise ValueError(
            f"[[cells]]: {shown_in_message(name)} is not the first of a group of actions of "
            f"{game.name}; these are {', '.join(map(repr, lasts))}"
        )
    return lasts[name]


def _number(groups: Sequence[Group], name: str, where: str) -> int:
    names = [group.name for group in groups]
    if name not in names:
        raise ValueError(
            f"{where}: no group {shown_in_message(name)} of [[cells]]; there are {', '.join(names)}"
        )
    return names.index(name)


def _make_grid(game: Game, groups: Sequence[Group], settings: Mapping[str, Any]) -> Grid:
    number = _number(groups, settings["cells"], "[grid]")
    rows, columns, name = settings["rows"], settings["columns"], settings["position"]
    spaces = groups[number].count
    if rows * columns != spaces:
        raise ValueError(
            f"[grid]: {rows} times {columns} is not {spaces}, the number of {groups[number].name!r}"
        )
    shape = game.layout[name].shape if name in game.layout else ()
    if len(shape) != 2 or shape[1] != spaces:
        raise ValueError(
            f"[grid]: {shown_in_message(name)} is not a field of {game.name} with a row for each "
            f"seat and {spaces} columns"
        )
    actions = [_actions(game, one) for one in settings["actions"]]
    for one, (_, count) in zip(settings["actions"], actions, strict=True):
        if count not in (len(DIRECTIONS) - 1, len(DIRECTIONS)):
            raise ValueError(
                f"[grid]: the {count} actions from {shown_in_message(one)} are not N, E, S, W, "
                "with or without here before them"
            )
    position = list(game.layout).index(name)
    return Grid(number, position, shape[0], rows, columns, tuple(actions))


def _make_link(
    game: Game, groups: Sequence[Group], grid: Grid | None, settings: Mapping[str, Any]
) -> Link:
    if len(settings["cells"]) != 2:
        raise ValueError(
            f"[[links]]: a link is between two groups, not {shown_in_message(settings['cells'])}"
        )
    first, second = (_number(groups, name, "[[links]]") for name in settings["cells"])
    one, other = groups[first], groups[second]
    field, shares = settings.get("field", ""), settings.get("shares", [])
    neighbours = settings.get("neighbours", False)
    if bool(field) + bool(shares) + neighbours != 1:
        raise ValueError("[[links]]: a link needs either a field, or shares, or neighbours")
    if field:
        wanted = (one.count, other.count)
        if field not in game.layout or tuple(game.layout[field].shape) != wanted:
            raise ValueError(
                f"[[links]]: {shown_in_message(field)} is not a field of {game.name} with a row "
                f"for each of the {one.count} of {one.name!r} and a column for each of the "
                f"{other.count} of {other.name!r}"
            )
        return Link(first, second, list(game.layout).index(field), None, None)
    if neighbours:
        if grid is None or not first == second == grid.group:
            raise ValueError("[[links]]: neighbours are a link of the cells of the grid")
        return Link(first, second, None, grid.neighbours, None)
    if sum(shares) > one.count or (first != second and len(shares) != other.count):
        raise ValueError(
            f"[[links]]: {len(shares)} shares with {sum(shares)} cells do not fit the {one.count} "
            f"of {one.name!r} and the {other.count} of {other.name!r}"
        )
    belongs = np.zeros((one.count, len(shares)), np.float32)
    belongs[np.arange(sum(shares)), np.repeat(np.arange(len(shares)), shares)] = 1
    means = belongs.T / belongs.sum(axis=0)[:, None]
    if first == second:
        return Link(first, second, None, np.asarray(belongs @ means, np.float32), None)
    return Link(first, second, None, belongs, np.asarray(means, np.float32))
