"""Observations as lists of the columns that are not zero: most numbers of a large one are."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dig_envs.engine.game import Array, Game

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

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.offsets) - 1

    def __array__(self, *form: Any, **more: Any) -> Array:
        """Raise TypeError: who reads arrays would have to read all the zeros, too."""
        raise TypeError(
            f"float32 (n, {self.size}) observations are read here, not sparse rows: make the games "
            'with observation="float32", or take batch.dense_observation()'
        )


def sparse_rows(
    game: Game, states: Array, lo: int, hi: int, seats: Array
) -> tuple[Array, Array, Array]:
    """Columns and values of what one seat sees in each of the games ``lo`` to ``hi``, and the
    number of entries of each game."""
    size = game.observation_size
    most = max(1, CHUNK // size)
    records, flat = game.new_observations(most)
    parts = []
    for start in range(lo, hi, most):
        some = slice(start, min(start + most, hi))
        count = some.stop - start
        game.kernels.observations_of(states[some], 0, count, seats[some], records, flat)
        places = np.flatnonzero(flat[:count] != 0)  # of truth values it is found fastest
        begins = size * np.arange(count + 1)
        counts = np.diff(np.searchsorted(places, begins))
        columns = (places - np.repeat(begins[:-1], counts)).astype(np.int32)
        parts.append((columns, flat.ravel()[places], counts))
    columns, values, counts = map(np.concatenate, zip(*parts, strict=True))
    return columns, values, counts


def joined(game: Game, parts: list[tuple[Array, Array, Array]]) -> SparseRows:
    """The rows that several threads have made, in their order."""
    columns, values, counts = map(np.concatenate, zip(*parts, strict=True))
    return SparseRows(columns, values, np.append(0, counts.cumsum()), game.observation_size)
