"""Sparse observations in PyTorch: lists of the numbers that are not zero, and the layer that reads
them. The mathematics are those of a dense layer; most products with zero are left out."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from dig_envs.batch.sparse import SparseRows
from dig_envs.engine.game import Game

Array = np.ndarray[Any, Any]
# numbers of an observation from which on a CPU is faster with lists of those that are not zero
LARGE = 700


class Rows(NamedTuple):
    """Observations as lists of the numbers that are not zero, which most of a large one are.

    Row i has the entries ``offsets[i]`` to ``offsets[i + 1]`` of ``columns``, int32, and of
    ``values``, float32.
    """

    columns: Tensor
    values: Tensor
    offsets: Tensor  # int64 (rows + 1,)

    @classmethod
    def of(cls, columns: Array, values: Array, counts: Array) -> Self:
        """Rows that share memory with NumPy's arrays; ``counts``: entries of each row."""
        offsets = functional.pad(torch.from_numpy(counts).cumsum(0), (1, 0))
        return cls(torch.from_numpy(columns), torch.from_numpy(values), offsets)

    def at(self, rows: Tensor) -> Self:
        """Some of the rows."""
        # `index_select` is several times as fast as brackets
        first, counts = self.offsets[rows], self.offsets.diff()[rows]
        offsets = functional.pad(counts.cumsum(0), (1, 0))
        places = torch.arange(int(offsets[-1]), device=rows.device)
        places += torch.repeat_interleave(first - offsets[:-1], counts)
        columns, values = (part.index_select(0, places) for part in (self.columns, self.values))
        return type(self)(columns, values, offsets)

    def chunk(self, count: int) -> list[Self]:
        """The rows in so many parts of about the same size."""
        rows = torch.arange(len(self.offsets) - 1, device=self.offsets.device)
        return [self.at(some) for some in rows.chunk(count)]

    def to(self, device: torch.device) -> Self:
        """A copy on a device."""
        return type(self)(*(part.to(device) for part in self))


Seen = Tensor | Rows


def as_seen(observation: Array | Tensor | SparseRows) -> Seen:
    """The observations of a batch, which its next step may change if they are dense."""
    if not isinstance(observation, SparseRows):
        return as_tensor(observation)
    return Rows.of(observation.columns, observation.values, np.diff(observation.offsets))


def as_tensor(array: Array | Tensor) -> Tensor:
    """A tensor as it is, an array as a copy, as a batch's own cannot be written to."""
    return array if isinstance(array, Tensor) else torch.tensor(array)


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts."""
    counts = torch.cat([part.offsets.diff() for part in parts])
    columns, values = (torch.cat(column) for column in list(zip(*parts, strict=True))[:2])
    return Rows(columns, values, functional.pad(counts.cumsum(0), (1, 0)))


class SparseLinear(torch.autograd.Function):
    """What a linear layer gives for rows: the sum of the weights of their columns, times their
    values."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, rows: Rows) -> Tensor:
        """The outputs, float32 (n, outputs)."""
        ctx.rows, ctx.inputs = rows, weight.shape[1]
        return weighted_sums(weight.t(), *rows) + bias

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients: that of a column's weights is the sum over the rows that have it."""
        (gradient,), rows = gradients, ctx.rows
        row_of = torch.arange(len(gradient), dtype=torch.int32, device=gradient.device)
        row_of = torch.repeat_interleave(row_of, rows.offsets.diff())
        columns, order = rows.columns.sort(stable=True)
        every = torch.arange(ctx.inputs + 1, dtype=torch.int32, device=gradient.device)
        offsets = torch.searchsorted(columns, every)
        row_of, values = (part.index_select(0, order) for part in (row_of, rows.values))
        of_weight = weighted_sums(gradient, row_of, values, offsets)
        return of_weight.t(), gradient.sum(0), None


def outputs_of(layer: nn.Linear, seen: Seen) -> Tensor:
    """The outputs of a layer for dense or sparse observations."""
    if isinstance(seen, Tensor):
        return layer(seen)  # type: ignore[no-any-return]
    return SparseLinear.apply(layer.weight, layer.bias, seen)  # type: ignore[no-any-return,no-untyped-call]


def lay_out_for_rows(layer: nn.Linear) -> None:
    """Have the weights of a column lie beside each other in memory."""
    layer.weight.data = layer.weight.data.t().contiguous().t()


def reads_rows(game: Game, device: torch.device) -> bool:
    """Whether sparse observations are faster for plain layers: where they are large, on a CPU."""
    return game.observation_size >= LARGE and device.type == "cpu"


def weighted_sums(table: Tensor, columns: Tensor, values: Tensor, offsets: Tensor) -> Tensor:
    """For each list the sum of these rows of the table, times the values."""
    return functional.embedding_bag(
        columns,
        table.contiguous(),
        offsets.int(),
        mode="sum",
        per_sample_weights=values,
        include_last_offset=True,
    )
