"""A Numba of another version than those supported is tried; if it lacks something, that is said
once, and done without."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from dig_envs.engine.compiler import jit
from tests.engine import playthrough
from tests.engine.little import RESULT, Little

CHECKOUT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")
# A name that Numba itself can do without: its plain njit goes on working.
LACKS_LINKING = (
    "import numba; numba.__version__ = '0.99.0'\n"
    "from numba.core import funcdesc; del funcdesc.ExternalFunctionDescriptor\n"
)


@pytest.mark.slow  # it compiles a game in the slow way
def test_without_a_name_plain_njit_plays_the_same_games_and_says_so_once(tmp_path):
    code = (
        f"{LACKS_LINKING}from tests.engine import playthrough; "
        "print(playthrough.digest('bone_bids_v0'))"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(CHECKOUT),
        "DIG_ENVS_QUIET": "0",
        "DIG_ENVS_CACHE_DIR": str(tmp_path),
    }
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert process.stdout.split() == [playthrough.digest("bone_bids_v0")], process.stderr
    said = [line for line in process.stderr.splitlines() if "njit" in line]
    assert len(said) == 1
    assert said[0].startswith("dig_envs: with Numba 0.99.0 functions cannot be linked")
    assert "ExternalFunctionDescriptor" in said[0]
    assert "three times as long" in said[0]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()], "nothing is kept"


def test_what_is_lost_is_said_and_nothing_else(tmp_path):
    little = Little(tmp_path)
    main = little.folder / "little" / "__main__.py"
    main.write_text(LACKS_LINKING + main.read_text())
    found = little.run(DIG_ENVS_QUIET="0")
    assert {**found, "compiled": []} == {**RESULT, "compiled": []}
    assert little.errors.count("plain numba.njit is used") == 1
    assert "in every process" in little.errors
    assert little.files() == []
    little.run(DIG_ENVS_QUIET="1")
    assert little.errors == ""


def is_there(monkeypatch):
    """Whether something can be linked, looked for anew."""
    monkeypatch.setattr(jit, "_LINKER", [])
    return jit.linker() is not None


def test_a_version_that_is_not_supported_is_tried(monkeypatch, capsys):
    monkeypatch.setenv("DIG_ENVS_QUIET", "0")
    for version in ("0.60.2", "9.0.0rc1"):
        monkeypatch.setattr(numba, "__version__", version)
        assert is_there(monkeypatch)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(jit.linker().TranslatedLibrary, "finalize", lambda self: self.gone)
    assert not is_there(monkeypatch)
    assert "with Numba 9.0.0rc1 functions cannot be linked" in capsys.readouterr().err


def test_the_variable_that_turns_linking_off(monkeypatch, capsys):
    monkeypatch.setattr(jit, "PLAIN_NJIT", True)
    assert not is_there(monkeypatch)
    assert capsys.readouterr().err == "", "who asks for it knows"
