"""Observations as lists of the columns that are not zero: most numbers of a large one are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dig_envs.engine.game import Array, Game

Entries = tuple[Array, Array, Array]  # columns and values of some rows, and how many each row has
CHUNK = 2**17  # numbers written at once: so many stay in the cache of a core


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The observations of several games, each as a list of its numbers that are not zero.

    Row i has the entries ``offsets[i]`` to ``offsets[i + 1]``, in ascending columns: the CSR form
    of SciPy, ``scipy.sparse.csr_array((values, columns, offsets), shape=(n, size))``, and of
    ``torch.nn.functional.embedding_bag``.

    Attributes:
        columns: int32 (k,), of the entries of all rows together, 0 to ``size`` - 1.
        values: float32 (k,), the same numbers as in float32 observations.
        offsets: int64 (n + 1,), where each row begins; the last is k.
        size: the numbers of a float32 observation.
    """

    columns: Array
    values: Array
    offsets: Array
    size: int

    @classmethod
    def of(cls, parts: Iterable[Entries], size: int) -> Self:
        """The rows of all parts, in their order."""
        columns, values, counts = map(np.concatenate, zip(*parts, strict=True))
        return cls(columns, values, np.append(0, counts.cumsum()), size)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.offsets) - 1

    def __array__(self, *form: Any, **more: Any) -> Array:
        """Raise TypeError: who reads arrays would have to read all the zeros, too."""
        raise TypeError(
            f"float32 (n, {self.size}) observations are read here, not sparse rows: make the games "
            'with observation="float32", or take batch.dense_observation()'
        )


def sparse_rows(game: Game, states: Array, lo: int, hi: int, seats: Array) -> Entries:
    """Columns and values of what one seat sees in each of the games ``lo`` to ``hi``, and the
    number of entries of each game."""
    most = max(1, CHUNK // game.observation_size)
    records, flat = game.new_observations(most)
    parts = []
    for start in range(lo, hi, most):
        some = slice(start, min(start + most, hi))
        count = some.stop - start
        game.kernels.observations_of(states[some], 0, count, seats[some], records, flat)
        parts.append(entries_of(flat[:count]))
    columns, values, counts = map(np.concatenate, zip(*parts, strict=True))
    return columns, values, counts


def entries_of(dense: Array) -> Entries:
    """Columns and values of the numbers of a matrix that are not zero, row by row, and how many
    each row has."""
    places = np.flatnonzero(dense != 0)  # of truth values it is found fastest
    begins = dense.shape[1] * np.arange(len(dense) + 1)
    counts = np.diff(np.searchsorted(places, begins))
    columns = (places - np.repeat(begins[:-1], counts)).astype(np.int32)
    return columns, dense.ravel()[places], counts
