"""Compiled or not, the games are the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.engine import playthrough

CHECKOUT = Path(__file__).parent.parent.parent


def test_plain_python_plays_the_same_games_as_compiled_code():
    """Compiled here, uncompiled in another process; or the other way, if tests run uncompiled."""
    other_way = {"PYTHONPATH": str(CHECKOUT), "NUMBA_DISABLE_JIT": "0" if JIT_DISABLED else "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.playthrough"],
        capture_output=True,
        text=True,
        env={**os.environ, **other_way},
        cwd=CHECKOUT,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == playthrough.digests()
