"""The network that is trained. Policy and value share hidden layers (ReLU), which halves the work
of two networks; beside them stand the cells of the game, if the settings name some
(:mod:`training.cells`).

1. What is seen at a cell becomes its features. The cells of a group share these weights. A fixed
   cell, such as a space, also has features of its own; one that shows nothing has none otherwise.
   Cells that are linked tell each other, and spaces are told how they lie relative to each seat.
2. In each round a cell adds to its features what it makes of its own, of those that it is linked
   to, and of the rest's, which are made of the layers' part of the observation. The rest adds what
   it makes of mean and maximum over each group: a graph network (Battaglia et al. 2018,
   arXiv:1806.01261).
3. The layers see their part of the observation, and mean and maximum over each group. The value and
   the logits of actions that belong to no cell are read from the layers; those of a cell's actions
   from its features beside what the layers give. Actions that name a direction are read from the
   space that is meant, too.

A group can remember: each of its cells has a GRU (Cho et al. 2014, arXiv:1406.1078) with shared
weights. Its memory is zero at a game's start, and it learns from sequences (:meth:`Network.replay`)
by backpropagation through the steps of a rollout.

An exported policy is its weights under their names: ``layer0.weight``, ``layer0.bias`` …,
``policy.*``, ``value.*``.
"""

import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor, nn

from dig_envs.engine.game import Game

from .cells import DIRECTIONS, Cells
from .rows import outputs_of

Array = np.ndarray[Any, Any]
ILLEGAL = -1e8  # the logit of an illegal action: its probability is exactly 0
SUMMARIES = 2  # of a group: mean and maximum


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
    "memory": Role(gain=1.0),
}


def role_of(name: str) -> Role:
    """The role of a layer, or of the layer of a parameter."""
    return next((role for begin, role in ROLES.items() if name.startswith(begin)), Role())


def new_network(game: Game, layers: list[int], cells: Cells | None, seed: int) -> "Network":
    """An untrained network; its weights depend on the seed alone."""
    return Network(game.observation_size, len(game.actions), layers, cells).draw_weights(seed)


class Network(nn.Module):
    """The network (see above).

    Args:
        inputs, actions, layers: sizes of an observation, of the action mask, and of the hidden
            layers. Weights are not set: :meth:`draw_weights`, or ``load_state_dict``.
        cells: beside the layers; None: there are none.

    Attributes:
        fast: compute in bfloat16: about three times as fast on processors that have it, slower on
            others.
        plain: whether there are the layers alone, which see all of the observation.
        reads_rows: whether it is given sparse observations, which only a plain network reads.
        memory_size: numbers that it remembers of a game, 0 for most.
    """

    order: Tensor
    policy: nn.Linear
    value: nn.Linear

    def __init__(
        self, inputs: int, actions: int, layers: list[int], cells: Cells | None = None
    ) -> None:
        super().__init__()
        nothing = Cells((), (), None, 0, (inputs,), (0,), tuple(range(actions)))
        self.cells = cells = cells or nothing
        self.inputs, self.num_actions, self.depth = inputs, actions, len(layers)
        self.fast = self.reads_rows = False
        self.plain = not cells.groups and len(cells.kept) == len(cells.fields)
        self.groups, self.grid, self.sizes = cells.groups, cells.grid, list(cells.fields)
        self.remembers = next((k for k, group in enumerate(self.groups) if group.memory), -1)
        self.memory_size = sum(group.memory * group.count for group in self.groups)
        # of all groups where they are linked
        self.units = units = self.groups[0].units if self.groups else 0
        summaries = SUMMARIES * sum(group.units for group in self.groups)
        kept = sum(cells.fields[field] for field in cells.kept)
        size = kept + summaries
        size += (units if cells.rounds else 0) + (len(DIRECTIONS) * units if self.grid else 0)

        for k, (ins, outs) in enumerate(pairwise([size, *layers])):
            self._add(f"layer{k}", ins, outs)
        self._add("policy", layers[-1], len(cells.rest))
        self._add("value", layers[-1], 1)
        for k, group in enumerate(self.groups):
            seen = group.seen + group.memory
            self._add(f"cells{k}", seen, group.units)
            if group.fixed:
                self._add(f"place{k}", group.units, group.count)  # only its weights are used
            if group.actions:
                self._add_head(str(k), group.units, layers[-1], group.per_cell)
                self._hold(f"actions{k}", np.array(group.order, np.int64))
            if group.memory:
                self._add("memory_seen", group.seen, 3 * group.memory)
                self._add("memory_before", group.memory, 3 * group.memory)
        for k, link in enumerate(cells.links):
            for way, _, teller in link.ways:
                group = self.groups[teller]
                self._add(f"link{k}{way}_seen", group.seen + group.memory, units)
            for name, matrix in ((f"fixed{k}a", link.to_first), (f"fixed{k}b", link.to_second)):
                if matrix is not None:
                    self._hold(name, matrix)
        if self.grid:
            for seat in range(self.grid.seats):
                self._add(f"link_offset{seat}", self.grid.offsets.shape[1], units)
            self._add_head("_near", units, layers[-1], len(self.grid.actions))
            self._hold("offsets", self.grid.offsets)
            self._hold("reach", self.grid.reach)
            directed = sum(count for _, count in self.grid.actions)
            self.others = [len(cells.rest) - directed, directed]
        if cells.rounds:
            self._add("rest", kept, units)
        for r in range(cells.rounds):
            for k in range(len(self.groups)):
                self._add(f"of_own{r}_{k}", units, units)
                self._add(f"link_rest{r}_{k}", units, units)
            for k, link in enumerate(cells.links):
                for way, _, _ in link.ways:
                    self._add(f"link{k}{way}_{r}", units, units)
            if r < cells.rounds - 1:
                self._add(f"gather{r}", units + summaries, units)
        self._hold("order", np.array(cells.order, np.int64))

    def _add(self, name: str, inputs: int, outputs: int) -> None:
        bias = role_of(name).bias
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a layer without outputs
            layer = nn.utils.skip_init(nn.Linear, inputs, outputs, bias)  # type: ignore[no-untyped-call]
        self.add_module(name, layer)

    def _add_head(self, name: str, units: int, last: int, actions: int) -> None:
        """The layers for the logits of cells with so many actions each."""
        self._add(f"of_cells{name}", units, units)
        self._add(f"of_all{name}", last, units)
        self._add(f"logits{name}", units, actions)

    def _hold(self, name: str, array: Array) -> None:
        self.register_buffer(name, torch.from_numpy(array), persistent=False)

    # ------------------------------------------------------------ weights

    @torch.no_grad()
    def draw_weights(self, seed: int) -> Self:
        """Set weights that have learned nothing: orthogonal, small ones for the policy, so that it
        begins nearly uniform."""
        generator = torch.Generator().manual_seed(seed)
        for name, weights in self.named_parameters():
            gain = role_of(name).gain
            if name.endswith(".bias") or gain == 0.0:
                weights.zero_()
                continue
            for gate in weights.chunk(3) if name.startswith("memory") else [weights]:
                if gate.numel():
                    nn.init.orthogonal_(gate, gain, generator=generator)
        return self

    @property
    def weights(self) -> dict[str, Array]:
        """A copy of the weights by name."""
        return {
            name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()
        }

    def load_weights(self, weights: Mapping[str, Array]) -> Self:
        """Take weights by name."""
        self.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        return self

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

    @property
    def seen_as(self) -> torch.dtype:
        """The dtype of the observations that learning keeps: that of the first layers, which round
        them anyway."""
        return torch.bfloat16 if self.fast else torch.float32

    # ------------------------------------------------------------ decisions

    def forward(self, observation: Any, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (n, num_actions), illegal actions at -1e8, and values (n,), of a network that
        remembers nothing; the mask is bool or 0 and 1."""
        return self.step(observation, action_mask, action_mask[:, :0])[:2]

    def step(
        self, observation: Any, action_mask: Tensor, memory: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, values and the new memory, (n, memory_size); ``memory`` is zero at a game's
        start."""
        if self.plain:
            return *self._read(self._hidden(observation), [], action_mask), memory
        fields = torch.split(observation, self.sizes, dim=1)
        seen = self._seen(fields)
        memory = self._remember(seen, memory)
        return *self._decide(fields, seen, memory, action_mask), memory

    def replay(
        self, observations: Tensor, action_masks: Tensor, dones: Tensor, memory: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits (t * m, num_actions) and values (t * m,) for t played steps of m games, all (t, m,
        …).

        Only the GRU goes step by step; nothing of a game goes into the next one. ``dones``: whether
        a game ended with the step; ``memory`` (m, memory_size): what was remembered before the
        first.
        """
        fields = torch.split(observations.flatten(0, 1), self.sizes, dim=1)
        seen = self._seen(fields)
        steps = [one.view(*dones.shape, *one.shape[1:]) for one in seen]
        remembered = []
        for t, done in enumerate(dones):
            remembered.append(self._remember([one[t] for one in steps], memory))
            memory = remembered[-1] * (1.0 - done)[:, None]
        return self._decide(fields, seen, torch.cat(remembered), action_masks.flatten(0, 1))

    def _seen(self, fields: Sequence[Tensor]) -> list[Tensor]:
        """The observed numbers of the cells of each group, (n, count, numbers)."""
        found = []
        for group in self.groups:
            rows = [fields[k].reshape(-1, group.count, width) for k, width in group.rows]
            columns = [
                fields[k].reshape(-1, height, group.count).transpose(1, 2)
                for k, height in group.columns
            ]
            found.append(torch.cat([*rows, *columns], dim=2))
        return found

    def _remember(self, seen: list[Tensor], memory: Tensor) -> Tensor:
        """The new memory, (n, memory_size)."""
        if not self.memory_size:
            return memory
        before = memory.reshape(-1, self.groups[self.remembers].memory)
        told = seen[self.remembers].flatten(0, 1).float()
        reset, update, new = self._linear("memory_seen", told).chunk(3, dim=1)
        own_reset, own_update, own_new = self._linear("memory_before", before).chunk(3, dim=1)
        keep = torch.sigmoid(update + own_update)
        new = torch.tanh(new + torch.sigmoid(reset + own_reset) * own_new)
        return (new + keep * (before - new)).reshape(-1, self.memory_size)

    def _decide(
        self, fields: Sequence[Tensor], seen: list[Tensor], memory: Tensor, action_mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits and values from what is seen and remembered."""
        if self.memory_size:
            group = self.groups[self.remembers]
            remembered = memory.reshape(-1, group.count, group.memory)
            seen = [
                torch.cat([one, remembered], dim=2) if k == self.remembers else one
                for k, one in enumerate(seen)
            ]
        with self._in_bfloat16():
            kept = torch.cat([fields[k] for k in self.cells.kept], dim=1)
            cells, rest, near = self._features(fields, seen, kept)
            around = [one.reshape(-1, len(DIRECTIONS) * self.units) for one in near]
            parts = [kept, *rest, *_summaries(cells), *around]
        together = self._hidden(torch.cat(parts, dim=1))
        mask = action_mask.bool()
        heads = [self._head("_near", one, together) for one in near]
        for k, group in enumerate(self.groups):
            if group.actions:
                legal = mask.index_select(1, self.get_buffer(f"actions{k}"))
                asked = legal.reshape(-1, group.count, group.per_cell).any(dim=2)
                head = self._head(str(k), cells[k], together, asked)
                heads.append(head.reshape(-1, group.count * group.per_cell))
        return self._read(together, heads, mask)

    def _read(
        self, together: Tensor, heads: list[Tensor], action_mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits and values from what the layers give, and the logits of the cells' actions; those
        of the spaces around the player (n, 5, groups), which are added to others, come first."""
        logits: Tensor = self.policy(together)
        if self.grid:
            each, *heads = heads
            directed = [
                each[:, len(DIRECTIONS) - count :, k]
                for k, (_, count) in enumerate(self.grid.actions)
            ]  # of actions that name a direction, group by group
            logits, more = torch.split(logits, self.others, dim=1)
            heads = [more + torch.cat(directed, dim=1), *heads]
        if self.groups:
            logits = torch.cat([logits, *heads], dim=1).index_select(1, self.order)
        value: Tensor = self.value(together)
        return logits.masked_fill(~action_mask.bool(), ILLEGAL), value[:, 0]

    def _hidden(self, seen: Any) -> Tensor:
        """The output of the last hidden layer, float32 (n, its width)."""
        with self._in_bfloat16():
            for k in range(self.depth):
                seen = torch.relu(outputs_of(self.get_submodule(f"layer{k}"), seen))  # type: ignore[arg-type]
        found: Tensor = seen
        return found.float()

    def _features(
        self, fields: Sequence[Tensor], seen: list[Tensor], kept: Tensor
    ) -> tuple[list[Any], list[Tensor], list[Tensor]]:
        """The features of the cells of each group, (n, count, units) or a :class:`Listed`, of the
        rest (n, units), if there are rounds, and of the spaces here, N, E, S, W of the player (n,
        5, units), if there is a grid."""
        rounds, grid = self.cells.rounds, self.grid
        matrices = [self._matrices(fields, k) for k in range(len(self.cells.links))]
        sums: list[Any] = []
        for k, group in enumerate(self.groups):
            if group.fixed:
                own = self._linear(f"cells{k}", seen[k])
                sums.append(own + self.get_parameter(f"place{k}.weight").to(own.dtype))
            elif torch.onnx.is_in_onnx_export():
                sums.append(self._linear(f"cells{k}", seen[k]))  # zeros where nothing is seen
            else:
                there = (seen[k] != 0).any(dim=2)
                found = torch.relu(self._linear(f"cells{k}", seen[k][there]))
                sums.append(Listed(found.float(), there))
        self._tell(sums, seen, matrices, "seen")
        if grid:
            stand = torch.split(fields[grid.position], grid.spaces, dim=1)
            for seat in range(grid.seats):
                of_spaces = self._linear(f"link_offset{seat}", self.get_buffer("offsets"))
                relative = stand[seat] @ of_spaces.reshape(grid.spaces, grid.spaces * self.units)
                sums[grid.group] = sums[grid.group] + relative.reshape(-1, grid.spaces, self.units)
        cells = [torch.relu(one) if isinstance(one, Tensor) else one for one in sums]
        rest = [torch.relu(self._linear("rest", kept))] if rounds else []
        for r in range(rounds):
            sums = [
                self._linear(f"of_own{r}_{k}", one)
                + self._linear(f"link_rest{r}_{k}", rest[0])[:, None]
                for k, one in enumerate(cells)
            ]
            self._tell(sums, cells, matrices, str(r))
            cells = [one + torch.relu(more) for one, more in zip(cells, sums, strict=True)]
            if r < rounds - 1:
                told = torch.cat([*rest, *_summaries(cells)], dim=1)
                rest = [rest[0] + torch.relu(self._linear(f"gather{r}", told))]
        if not grid:
            return cells, rest, []
        around = stand[0] @ self.get_buffer("reach")
        around = around.reshape(-1, len(DIRECTIONS), grid.spaces)
        return cells, rest, [around @ cells[grid.group]]

    def _matrices(self, fields: Sequence[Tensor], k: int) -> dict[str, Tensor]:
        """The matrix of a link for each direction of its use."""
        link = self.cells.links[k]
        if link.field is None:
            return {way: self.get_buffer(f"fixed{k}{way}") for way, _, _ in link.ways}
        matrix = fields[link.field].reshape(
            -1, self.groups[link.first].count, self.groups[link.second].count
        )
        return {"a": matrix, "b": matrix.transpose(1, 2)}

    def _tell(
        self,
        sums: list[Tensor],
        cells: list[Tensor],
        matrices: list[dict[str, Tensor]],
        layers: str,
    ) -> None:
        """Add to the sums of each group what those that it is linked to tell it."""
        for k, link in enumerate(self.cells.links):
            for way, told, teller in link.ways:
                more = self._linear(f"link{k}{way}_{layers}", cells[teller])
                sums[told] = sums[told] + matrices[k][way] @ more

    def _head(
        self, name: str, cells: "Tensor | Listed", together: Tensor, legal: Tensor | None = None
    ) -> Tensor:
        """The logits of actions that belong to cells, float32 (n, cells, actions of each); of a
        list only those of cells with a legal action, bool (n, cells), are computed."""
        with self._in_bfloat16():
            of_all = self._linear(f"of_all{name}", together)
            if isinstance(cells, Tensor):
                both = torch.relu(self._linear(f"of_cells{name}", cells) + of_all[:, None])
            else:
                assert legal is not None
                asked = legal.flatten().nonzero()[:, 0]
                features = cells.at(asked)
                both = self._linear(f"of_cells{name}", features)
                both = torch.relu(both + of_all.index_select(0, asked // legal.shape[1]))
        found = self._linear(f"logits{name}", both.float())
        if isinstance(cells, Tensor) or legal is None:
            return found
        logits = found.new_full((legal.numel(), found.shape[1]), ILLEGAL)
        return logits.index_copy(0, asked, found).view(*legal.shape, -1)

    def _linear(self, name: str, features: Tensor) -> Tensor:
        found: Tensor = self.get_submodule(name)(features)
        return found

    def _in_bfloat16(self) -> torch.autocast:
        """A context in which layers compute in bfloat16, if this network does."""
        device = self.value.weight.device.type
        # a cache would be all threads'
        return torch.autocast(device, torch.bfloat16, enabled=self.fast, cache_enabled=False)


class Listed(NamedTuple):
    """The features of those cells of a list that show something, float32 (number, units); others
    have zeros."""

    features: Tensor
    there: Tensor  # bool (n, count)

    def at(self, places: Tensor) -> Tensor:
        """The features at places of ``there``, flat."""
        rows = self.there.flatten().cumsum(0) * self.there.flatten()  # counted from 1; 0: zeros
        with_zeros = torch.cat([self.features.new_zeros(1, self.features.shape[1]), self.features])
        return with_zeros.index_select(0, rows.index_select(0, places))


def _summaries(cells: Sequence[Tensor | Listed]) -> list[Tensor]:
    """Mean and maximum over the cells of each group."""
    found: list[Tensor] = []
    for one in cells:
        if isinstance(one, Tensor):
            found += [one.mean(dim=1), one.amax(dim=1)]
        else:
            lengths = one.there.sum(dim=1)
            total, most = (
                torch.segment_reduce(one.features, how, lengths=lengths, initial=0)
                for how in ("sum", "max")
            )
            found += [total / one.there.shape[1], most]
    return found
