"""Compiled functions whose arrays lie on the stack: they find what they found before."""

import numba
import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.compiler.on_stack import on_stack
from dig_envs.engine.core.state import scratch_records, zero_records

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")

ROWS, COLUMNS = 3, 5
RECORD = np.dtype([("first", np.int8), ("many", np.float64, (4,))], align=True)


def numbers(given):
    table = np.zeros((ROWS, COLUMNS), np.int16)
    plain = np.zeros(COLUMNS)
    full, empty = np.full(ROWS, 7, np.int8), np.empty(2, np.int64)
    empty[:] = 4
    for k in range(ROWS):
        table[k, k + 1] = given + k
        plain[k] += 0.5
    return table.sum() + plain.sum() + full.sum() + empty.sum() + table[2, 3]


def in_a_loop(given):
    total = 0
    for k in range(given):
        table = np.zeros(COLUMNS, np.int64)
        table[k % COLUMNS] += k  # zero again in each round
        total += table.sum()
    return total


def records(given):
    ours, tried = zero_records(2, RECORD), scratch_records(1, RECORD)
    tried[0].first = ours[1].first + given
    tried[0].many[:] = 0.25
    return tried[0].first + tried[0].many.sum() + ours[0].many.sum()


def returns_it(given):
    found = np.zeros(COLUMNS)
    found[1] = given
    return found


def returns_a_part(given):
    rows = np.zeros((ROWS, COLUMNS))
    row = rows[0]
    return given, row


def returns_it_under_another_name(given):
    later = early = np.zeros(COLUMNS)
    for k in range(given):
        if k > 1:
            kept: object = later if k > 2 else None
        later = early
    return kept


def returns_a_row_of_a_loop(given):
    for row in np.zeros((ROWS, COLUMNS)):
        if row[given] == 0:
            return row
    return np.ones(COLUMNS)


def with_a_keyword(given):
    return np.zeros(COLUMNS, dtype=np.int8).sum() + given


def full_of_an_unknown_type(given):
    return np.full(COLUMNS, given).sum()


def of_any_length(given):
    return np.zeros(given).sum()


def allocates_nothing(given):
    return given + 1


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (numbers, 5),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [(in_a_loop, 12), (records, 3), ("around", 4)]
        ),
    ],
)
def test_the_results_are_the_same(function, given):
    step = 2
    if function == "around":

        def function(given):
            return np.full(COLUMNS, given * step, np.int64).sum() + step

    changed = on_stack(function)
    assert changed is not function
    assert changed.__globals__ is function.__globals__
    assert changed.__qualname__ == function.__qualname__
    linker()  # so that Numba knows the functions of the package
    compiled = numba.njit(changed)
    assert compiled(given) == compiled(given) == numba.njit(function)(given)
    assert "NRT_" not in next(iter(compiled.inspect_llvm().values())).split("define")[1]


@pytest.mark.parametrize(
    "function",
    [
        *(returns_it, returns_a_part, returns_it_under_another_name, returns_a_row_of_a_loop),
        *(with_a_keyword, full_of_an_unknown_type, of_any_length, allocates_nothing),
    ],
)
def test_others_stay_as_they_are(function):
    assert on_stack(function) is function
