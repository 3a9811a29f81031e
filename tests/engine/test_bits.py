"""Sets as the bits of an integer."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.bits import size_of

DRAW = random.Random(5)
SETS = [0, *(1 << bit for bit in range(63)), *(DRAW.getrandbits(63) for _ in range(200))]


PROGRAM = """
from dig_envs.engine.compiler.jit import plain_njit
from dig_envs.engine.core.bits import size_of
print(plain_njit(lambda some: size_of(some) > 1)(1 << 53))
"""


@np.errstate(over="ignore")
def test_size_of_a_set():
    assert [size_of(some) for some in SETS] == [some.bit_count() for some in SETS]


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_a_compiler_that_does_little_counts_right():
    """Of signed products it would take for granted that none is too large."""
    variables, words = {**os.environ, "NUMBA_OPT": "1"}, [sys.executable, "-c", PROGRAM]
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
