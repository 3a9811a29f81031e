"""Networks for games with several kinds of like things, and relations between them: spaces and
neighbours, types and copies, a fossil and the space on which it lies. A graph network (Battaglia et
al. 2018, arXiv:1806.01261) with a node for each thing.

The setting ``[relations]`` names them. All things of a *kind* share their weights, so that what is
learned of one type or one space holds for all of them. A *link* between two kinds is a matrix: a
field of the observation (which type lies on which space), or a fixed one (which spaces are
neighbours, which types belong together).

1. What is seen at a thing, and at the things that it is linked to, becomes its features. All that
   belongs to no kind becomes features, too, those of the *rest*.
2. In each round a thing adds to its features what it makes of its own, of those that it is linked
   to, and of the rest's; the rest adds what it makes of means and maxima over each kind.
3. Means, maxima and the rest go through the layers, from which the value and all logits that belong
   to no thing are read. The logits of a thing's actions are read from its features beside what the
   layers give.

On a grid, actions often name a direction ("excavate E"). ``[relations.grid]`` says where the seats
stand: spaces are told how they lie relative to each seat, and the logits of such actions are read
from the space that is meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game

from .network import ILLEGAL, Array, Network, Shapes, shapes_of

SUMMARIES = 2  # of the things of a kind: mean and maximum
# the name of what gives the logits of actions that name a direction; a kind's is its number
NEAR = "near"
# (rows, columns) of what actions mean by here, N, E, S, W
DIRECTIONS = ((0, 0), (-1, 0), (0, 1), (1, 0), (0, -1))
# groups: the first action, and how many of a group belong to each thing
Actions = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Kind:
    """Things that are alike."""

    name: str
    count: int
    rows: tuple[tuple[slice, int], ...]  # fields with a row for each thing, and their widths
    columns: tuple[tuple[slice, int], ...]  # fields with a column for each thing, and their heights
    actions: Actions

    @property
    def depth(self) -> int:
        """Numbers that are seen at a thing."""
        return sum(width for _, width in (*self.rows, *self.columns))

    @property
    def per_thing(self) -> int:
        """Actions that belong to each thing."""
        return sum(each for _, each in self.actions)

    @property
    def order(self) -> list[int]:
        """The actions of all things, those of the first thing first."""
        return [
            first + thing * each + k
            for thing in range(self.count)
            for first, each in self.actions
            for k in range(each)
        ]


@dataclass(frozen=True)
class Link:
    """How the things of two kinds are related; both may be the same kind."""

    first: int  # the number of a kind
    second: int
    # of the observation, a row for each of the first kind, a column for each of the second
    field: slice | None
    to_first: Array | None  # without a field: float32 (first, second) and …
    to_second: Array | None  # … (second, first); only the former is used within one kind

    @property
    def ways(self) -> Iterator[tuple[str, int, int]]:
        """The directions in which it is used: a name, the kind that is told, the kind that
        tells."""
        yield "a", self.first, self.second
        if self.first != self.second:
            yield "b", self.second, self.first


@dataclass(frozen=True)
class Grid:
    """A kind whose things are the spaces of a grid, on which the seats stand."""

    kind: int
    position: slice  # one-hot for each seat, the player's own first
    seats: int
    rows: int
    columns: int
    # groups: the first action, and how many there are: 5 (here, N, E, S, W) or 4 (N, E, S, W)
    actions: tuple[tuple[int, int], ...]

    @property
    def spaces(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    @property
    def offsets(self) -> Array:
        """float32 (spaces, spaces, …): one-hot, how the second space lies relative to the first."""
        rows, columns = np.divmod(np.arange(self.spaces), self.columns)
        south, east = (along[None, :] - along[:, None] for along in (rows, columns))
        which = (south + self.rows - 1) * (2 * self.columns - 1) + east + self.columns - 1
        return np.asarray(
            np.eye((2 * self.rows - 1) * (2 * self.columns - 1), dtype=np.float32)[which]
        )

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

    @property
    def order(self) -> list[int]:
        """The actions that name a direction, group by group."""
        return [first + k for first, count in self.actions for k in range(count)]


@dataclass(frozen=True)
class Relations:
    """Kinds, links and a grid, and what is left of the game for the layers."""

    kinds: tuple[Kind, ...]
    links: tuple[Link, ...]
    grid: Grid | None
    units: int  # features of each thing
    rounds: int
    left: tuple[int, ...]  # numbers of the observation that belong to no kind, no link and no grid
    rest: tuple[int, ...]  # actions that belong to none, then those that name a direction
    inputs: int  # size of the observation

    @property
    def summaries(self) -> int:
        """Numbers that tell the rest of all kinds."""
        return self.units * (1 + SUMMARIES * len(self.kinds))

    @property
    def size(self) -> int:
        """Numbers that go into the layers."""
        return self.summaries + (len(DIRECTIONS) * self.units if self.grid else 0) + len(self.left)

    @property
    def order(self) -> list[int]:
        """The place of each action in ``rest`` and the kinds' actions, one after the other."""
        listed = [*self.rest, *(action for kind in self.kinds for action in kind.order)]
        return sorted(range(len(listed)), key=listed.__getitem__)

    def network(self, game: Game, layers: list[int]) -> "RelationsNetwork":
        """A network with unset weights."""
        units, last = self.units, layers[-1]
        shapes = shapes_of([self.size, *layers], last, len(self.rest))
        shapes["seen_rest"] = (units, len(self.left))
        for k, kind in enumerate(self.kinds):
            shapes[f"seen{k}"], shapes[f"place{k}"] = (units, kind.depth), (kind.count, units)
            if kind.actions:
                shapes |= _head(str(k), units, last, kind.per_thing)
        for k, link in enumerate(self.links):
            shapes |= {
                f"link_seen{k}{way}": (units, self.kinds[teller].depth)
                for way, _, teller in link.ways
            }
        if self.grid:
            shapes |= {
                f"link_offset{seat}": (units, self.grid.offsets.shape[2])
                for seat in range(self.grid.seats)
            }
            shapes |= _head(NEAR, units, last, len(self.grid.actions))
        for r in range(self.rounds):
            for k in range(len(self.kinds)):
                shapes[f"of_own{r}_{k}"] = shapes[f"link_rest{r}_{k}"] = (units, units)
            for k, link in enumerate(self.links):
                shapes |= {f"link{r}_{k}{way}": (units, units) for way, _, _ in link.ways}
            if r < self.rounds - 1:
                shapes[f"gather{r}"] = (units, self.summaries)
        return RelationsNetwork(shapes, self)


def _head(name: str, units: int, last: int, actions: int) -> Shapes:
    """The shapes of the layers for the logits of things with ``actions`` actions each."""
    return {
        f"of_thing_{name}": (units, units),
        f"of_all_{name}": (units, last),
        f"logits_{name}": (actions, units),
    }


# ---------------------------------------------------------------- from the settings


def make_relations(game: Game, settings: Mapping[str, Any]) -> Relations:
    """The part for the setting ``[relations]``; raises ValueError if it does not fit the game."""
    kinds = tuple(_make_kind(game, one) for one in settings["kinds"])
    names = [kind.name for kind in kinds]
    if len(set(names)) < len(names):
        raise ValueError(f"[relations]: two kinds have the same name: {', '.join(names)}")
    grid = _make_grid(game, kinds, settings["grid"]) if settings.get("grid") else None
    links = tuple(_make_link(game, kinds, grid, one) for one in settings.get("links", []))
    seen = [place for kind in kinds for place, _ in (*kind.rows, *kind.columns)]
    seen += [link.field for link in links if link.field] + ([grid.position] if grid else [])
    taken = {number for place in seen for number in range(place.start, place.stop)}
    acting = [action for kind in kinds for action in kind.order]
    directed = grid.order if grid else []
    twice = sorted(
        {action for action in acting + directed if (acting + directed).count(action) > 1}
    )
    if twice:
        raise ValueError(f"[relations]: {game.actions[twice[0]]!r} belongs to more than one thing")
    rest = [action for action in range(len(game.actions)) if action not in {*acting, *directed}]
    left = tuple(number for number in range(game.observation_size) if number not in taken)
    if not left:
        raise ValueError("[relations]: the kinds leave nothing of the observation")
    return Relations(
        kinds,
        links,
        grid,
        settings["units"],
        settings["rounds"],
        left,
        (*rest, *directed),
        game.observation_size,
    )


def _field(game: Game, name: str, shape: Sequence[int], what: str) -> slice:
    """The place of a field whose shape begins with ``shape``; raises ValueError if there is
    none."""
    layout = game.layout
    if name not in layout or tuple(layout[name].shape[: len(shape)]) != tuple(shape):
        fitting = [
            other
            for other, entry in layout.items()
            if tuple(entry.shape[: len(shape)]) == tuple(shape)
        ]
        raise ValueError(
            f"[relations]: {shown_in_message(name)} is not a field of {game.name} with {what}; "
            f"there are {', '.join(fitting) or 'none'}"
        )
    return layout[name].slice


def _group(game: Game, name: str) -> tuple[int, int]:
    """The first action of a group and its number of actions; raises ValueError if no group begins
    with it."""
    lasts = {game.actions[first]: (first, last - first + 1) for first, last in game.action_groups}
    if name not in lasts:
        there = ", ".join(map(repr, lasts))
        raise ValueError(
            f"[relations]: {shown_in_message(name)} is not the first of a group of actions of "
            f"{game.name}; these "
            f"are {there}"
        )
    return lasts[name]


def _make_kind(game: Game, settings: Mapping[str, Any]) -> Kind:
    name, count = settings["name"], settings["count"]
    rows = []
    for one in settings.get("fields", []):
        place = _field(game, one, [count], f"a row for each of the {count} of {name!r}")
        rows.append((place, prod(game.layout[one].shape[1:])))
    columns = []
    for one in settings.get("columns", []):
        shape = game.layout[one].shape if one in game.layout else ()
        if len(shape) != 2 or shape[1] != count:
            there = [
                other
                for other, entry in game.layout.items()
                if len(entry.shape) == 2 and entry.shape[1] == count
            ]
            words = (
                f"is not a field of {game.name} with a column for each of the {count} of {name!r}"
            )
            raise ValueError(
                f"[relations]: {shown_in_message(one)} {words}; there are "
                f"{', '.join(there) or 'none'}"
            )
        columns.append((game.layout[one].slice, shape[0]))
    if not rows and not columns:
        raise ValueError(
            f"[relations]: nothing is seen at the things of {name!r}: give fields or columns"
        )
    actions = []
    for one in settings.get("actions", []):
        first, number = _group(game, one)
        each, over = divmod(number, count)
        if over:
            raise ValueError(
                f"[relations]: the {number} actions from {one!r} cannot be shared equally by the "
                f"{count} of {name!r}"
            )
        actions.append((first, each))
    return Kind(name, count, tuple(rows), tuple(columns), tuple(actions))


def _kind_number(kinds: Sequence[Kind], name: str) -> int:
    names = [kind.name for kind in kinds]
    if name not in names:
        raise ValueError(
            f"[relations]: no kind {shown_in_message(name)}; there are {', '.join(names)}"
        )
    return names.index(name)


def _make_grid(game: Game, kinds: Sequence[Kind], settings: Mapping[str, Any]) -> Grid:
    number = _kind_number(kinds, settings["kind"])
    rows, columns, name = settings["rows"], settings["columns"], settings["position"]
    spaces = kinds[number].count
    if rows * columns != spaces:
        raise ValueError(
            f"[relations]: {rows} times {columns} is not {spaces}, the number of "
            f"{kinds[number].name!r}"
        )
    shape = game.layout[name].shape if name in game.layout else ()
    if len(shape) != 2 or shape[1] != spaces:
        raise ValueError(
            f"[relations]: {shown_in_message(name)} is not a field of {game.name} with a row for "
            f"each seat and {spaces} columns"
        )
    actions = []
    for one in settings.get("actions", []):
        first, count = _group(game, one)
        if count not in (len(DIRECTIONS) - 1, len(DIRECTIONS)):
            raise ValueError(
                f"[relations]: the {count} actions from {shown_in_message(one)} are not N, E, S, "
                "W, with or "
                "without here before them"
            )
        actions.append((first, count))
    return Grid(number, game.layout[name].slice, shape[0], rows, columns, tuple(actions))


def _make_link(
    game: Game, kinds: Sequence[Kind], grid: Grid | None, settings: Mapping[str, Any]
) -> Link:
    if len(settings["kinds"]) != 2:
        raise ValueError(
            f"[relations]: a link is between two kinds, not {shown_in_message(settings['kinds'])}"
        )
    first, second = (_kind_number(kinds, name) for name in settings["kinds"])
    one, other = kinds[first], kinds[second]
    field, groups, neighbours = (
        settings.get("field", ""),
        settings.get("groups", []),
        settings.get("neighbours", False),
    )
    if bool(field) + bool(groups) + neighbours != 1:
        raise ValueError("[relations]: a link needs either a field, or groups, or neighbours")
    if field:
        words = (
            f"a row for each of the {one.count} of {one.name!r} and a column for each of the "
            f"{other.count} of {other.name!r}"
        )
        return Link(first, second, _field(game, field, [one.count, other.count], words), None, None)
    if neighbours:
        if grid is None or not first == second == grid.kind:
            raise ValueError(
                "[relations]: neighbours are a link of the kind of the grid with itself"
            )
        return Link(first, second, None, grid.neighbours, None)
    if sum(groups) > one.count or (first != second and len(groups) != other.count):
        words = (
            f"{len(groups)} groups with {sum(groups)} things do not fit the {one.count} of "
            f"{one.name!r}"
        )
        raise ValueError(f"[relations]: {words} and the {other.count} of {other.name!r}")
    belongs = np.zeros((one.count, len(groups)), np.float32)
    belongs[np.arange(sum(groups)), np.repeat(np.arange(len(groups)), groups)] = 1
    shares = belongs.T / belongs.sum(axis=0)[:, None]
    if first == second:
        return Link(first, second, None, np.asarray(belongs @ shares, np.float32), None)
    return Link(first, second, None, belongs, np.asarray(shares, np.float32))


# ---------------------------------------------------------------- the network


class RelationsNetwork(Network):
    """Things, what they tell each other, and layers (see above).

    For kind k, ``seen<k>`` and ``place<k>`` (features of each thing itself, so that things that are
    otherwise alike can differ) make its features, with ``link_seen<link>`` of the kinds that it is
    linked to. In round r, ``of_own<r>_<k>``, ``link<r>_<link>`` and ``link_rest<r>_<k>`` are added,
    and ``gather<r>`` to the rest's. ``of_thing_<k>`` and ``of_all_<k>`` lead to ``logits_<k>``;
    ``…_near`` are the same for actions that name a direction, whose logits ``policy`` has a share
    in.
    """

    left: torch.Tensor
    order: torch.Tensor

    def __init__(self, shapes: Shapes, relations: Relations) -> None:
        super().__init__(shapes)
        self.relations, self.inputs, self.num_actions = (
            relations,
            relations.inputs,
            len(relations.order),
        )
        self._hold("left", np.array(relations.left, np.int64))
        self._hold("order", np.array(relations.order, np.int64))
        for k, link in enumerate(relations.links):
            for name, matrix in ((f"fixed{k}a", link.to_first), (f"fixed{k}b", link.to_second)):
                if matrix is not None:
                    self._hold(name, matrix)
        if relations.grid:
            self._hold("offsets", relations.grid.offsets)
            self._hold("reach", relations.grid.reach)

    def _hold(self, name: str, array: Array) -> None:
        self.register_buffer(name, torch.from_numpy(array), persistent=False)

    @property
    def seen_as(self) -> torch.dtype:  # noqa: D102 (Network's)
        return torch.bfloat16 if self.fast else torch.float32

    def forward(
        self, observation: torch.Tensor, action_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values, as for :class:`Network`."""
        relations, n = self.relations, len(observation)
        observation = observation.to(self.seen_as)
        with self.in_bfloat16(observation.device):
            things, rest, near = self._features(observation)
            parts = [rest, *self._summaries(things), *([near.flatten(1)] if relations.grid else [])]
            together = self.hidden(torch.cat([*parts, observation[:, self.left]], dim=1))
        policy: torch.Tensor = self.policy(together)
        if relations.grid:
            own = self._directed(self._logits(NEAR, near, together))
            policy = torch.cat(
                [policy[:, : -own.shape[1]], policy[:, -own.shape[1] :] + own], dim=1
            )
        acting = [k for k, kind in enumerate(relations.kinds) if kind.actions]
        logits = [self._logits(str(k), things[k], together).reshape(n, -1) for k in acting]
        every = torch.cat([policy, *logits], dim=1).index_select(1, self.order)
        value: torch.Tensor = self.value(together)
        return every.masked_fill(~action_mask.bool(), ILLEGAL), value[:, 0]

    def _features(
        self, observation: torch.Tensor
    ) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
        """The features of the things of each kind (n, count, units), of the rest (n, units), and of
        the spaces here, N, E, S, W of the player (n, 5, units)."""
        relations = self.relations
        seen = [_seen(observation, kind) for kind in relations.kinds]
        links = [self._matrices(observation, k) for k in range(len(relations.links))]
        sums = [
            self._linear(f"seen{k}", one) + self._weights(f"place{k}") for k, one in enumerate(seen)
        ]
        self._tell(sums, seen, links, "link_seen")
        grid = relations.grid
        if grid:
            stand = observation[:, grid.position].reshape(len(observation), grid.seats, grid.spaces)
            for seat in range(grid.seats):
                sums[grid.kind] = sums[grid.kind] + self._relative(stand[:, seat], seat)
        things = [torch.relu(one) for one in sums]
        rest = torch.relu(self._linear("seen_rest", observation[:, self.left]))
        for r in range(relations.rounds):
            sums = [
                self._linear(f"of_own{r}_{k}", one)
                + self._linear(f"link_rest{r}_{k}", rest)[:, None]
                for k, one in enumerate(things)
            ]
            self._tell(sums, things, links, f"link{r}_")
            after = [one + torch.relu(more) for one, more in zip(things, sums, strict=True)]
            if r < relations.rounds - 1:
                rest = rest + torch.relu(
                    self._linear(f"gather{r}", torch.cat([rest, *self._summaries(after)], dim=1))
                )
            things = after
        if not grid:
            return things, rest, rest
        around = (stand[:, 0] @ self._buffer("reach")).reshape(
            len(observation), len(DIRECTIONS), grid.spaces
        )
        return things, rest, around @ things[grid.kind]

    def _tell(
        self,
        sums: list[torch.Tensor],
        things: list[torch.Tensor],
        links: list[dict[str, torch.Tensor]],
        layers: str,
    ) -> None:
        """Add to the sums of each kind what those that it is linked to tell it."""
        for k, link in enumerate(self.relations.links):
            for way, told, teller in link.ways:
                sums[told] = sums[told] + links[k][way] @ self._linear(
                    f"{layers}{k}{way}", things[teller]
                )

    def _relative(self, stand: torch.Tensor, seat: int) -> torch.Tensor:
        """The features of each space by its place relative to a seat, (n, spaces, units); zeros
        without the seat."""
        of_spaces = self._linear(f"link_offset{seat}", self._buffer("offsets"))
        return (stand @ of_spaces.flatten(1)).reshape(len(stand), *of_spaces.shape[1:])

    def _matrices(self, observation: torch.Tensor, k: int) -> dict[str, torch.Tensor]:
        """The matrix of a link for each direction of its use."""
        link, kinds = self.relations.links[k], self.relations.kinds
        if link.field is None:
            return {way: self._buffer(f"fixed{k}{way}") for way, _, _ in link.ways}
        matrix = observation[:, link.field].reshape(
            len(observation), kinds[link.first].count, kinds[link.second].count
        )
        return {"a": matrix, "b": matrix.transpose(1, 2)}

    def _summaries(self, things: list[torch.Tensor]) -> list[torch.Tensor]:
        return [summary for one in things for summary in (one.mean(dim=1), one.amax(dim=1))]

    def _logits(self, name: str, features: torch.Tensor, together: torch.Tensor) -> torch.Tensor:
        """The logits of actions that belong to things, (n, things, …)."""
        with self.in_bfloat16(features.device):
            both = (
                self._linear(f"of_thing_{name}", features)
                + self._linear(f"of_all_{name}", together)[:, None]
            )
        return self._linear(f"logits_{name}", torch.relu(both).float())

    def _directed(self, each: torch.Tensor) -> torch.Tensor:
        """The logits of the actions that name a direction, (n, …), from those of each direction,
        (n, 5, groups)."""
        assert self.relations.grid is not None
        groups = enumerate(self.relations.grid.actions)
        return torch.cat([each[:, len(DIRECTIONS) - count :, k] for k, (_, count) in groups], dim=1)

    def _linear(self, name: str, features: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.get_submodule(name)(features)
        return result

    def _weights(self, name: str) -> torch.Tensor:
        weights = self.get_submodule(name).weight
        assert isinstance(weights, torch.Tensor)
        return weights.to(self.seen_as)

    def _buffer(self, name: str) -> torch.Tensor:
        return self.get_buffer(name).to(self.seen_as)


def _seen(observation: torch.Tensor, kind: Kind) -> torch.Tensor:
    """The observed numbers of each thing of a kind, (n, count, depth)."""
    n = len(observation)
    rows = [observation[:, place].reshape(n, kind.count, width) for place, width in kind.rows]
    columns = [
        observation[:, place].reshape(n, height, kind.count).transpose(1, 2)
        for place, height in kind.columns
    ]
    return torch.cat([*rows, *columns], dim=2)
