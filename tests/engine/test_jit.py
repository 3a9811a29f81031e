"""Compiled or not, the games are the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

from dig_envs.engine.compiler.jit import JIT_DISABLED
from tests.engine import playthrough

CHECKOUT = Path(__file__).parent.parent.parent


def run_python(*arguments, folder=CHECKOUT, **variables):
    """Return what a Python process prints that finds the package in a folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }
    result = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=folder
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_plain_python_plays_the_same_games_as_compiled_code():
    """Compiled here, uncompiled in another process; or the other way, if tests run uncompiled."""
    disabled = "0" if JIT_DISABLED else "1"
    played = run_python("-m", "tests.engine.playthrough", NUMBA_DISABLE_JIT=disabled)
    assert json.loads(played) == playthrough.digests()
