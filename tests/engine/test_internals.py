"""The names of Numba on which compiling rests: each one that is missing is noticed, said once, and
done without."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import numba
import pytest

from dig_envs.engine.compiler import internals, jit
from dig_envs.engine.compiler.internals import LINKING, missing
from tests.engine import playthrough
from tests.engine.little import RESULT, Little

CHECKOUT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")
NAMES = [
    pytest.param(holder, *entry, id=f"{holder}.{entry[1]}")
    for holder, names in LINKING.items()
    for entry in re.findall(r"(\.?)(\w+)(\([^)]*\))?", names)
]
# A name that Numba itself can do without: its plain njit goes on working.
LACKS_LINKING = (
    "from numba.core.options import DefaultOptions; del DefaultOptions.no_cpython_wrapper\n"
)


def places_of(holder):
    """The module, or the classes of Numba's, in which the names of a holder are defined."""
    found = resolve_name(f"numba.core.{holder}")
    if inspect.ismodule(found):
        return [found]
    return [
        base
        for base in (found if inspect.isclass(found) else type(found)).__mro__
        if base.__module__.startswith("numba.")
    ]


def mentions(value, name):
    code = getattr(value, "__code__", None)
    return code is not None and name in (*code.co_names, *code.co_consts)


@pytest.mark.parametrize(("holder", "dot", "name", "parameters"), NAMES)
def test_each_missing_name_is_noticed(holder, dot, name, parameters, monkeypatch):
    """The check of Numba's internals reports each name that is missing and each function with other
    parameters."""
    assert missing(LINKING) == []
    path = f"numba.core.{holder}.{name}".replace(":.", ".").replace(":", ".")
    own = [(place, key) for place in places_of(holder) for key, value in vars(place).items()
           if (mentions(value, name) if dot else key == name)]  # fmt: skip
    assert own
    if parameters:
        with monkeypatch.context() as patch:
            patch.setattr(*own[0], lambda of_tomorrow: None)
            assert path in missing(LINKING)
    for place, key in own:
        monkeypatch.delattr(place, key)
    assert path in missing(LINKING)


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
    assert said[0].startswith(
        f"dig_envs: Numba {numba.__version__} has no "
        "numba.core.options.DefaultOptions.no_cpython_wrapper"
    )
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
        assert not internals.is_supported()
        assert is_there(monkeypatch)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(jit.linker().TranslatedLibrary, "finalize", lambda self: self.gone)
    assert not is_there(monkeypatch)
    assert "with Numba 9.0.0rc1 functions cannot be linked" in capsys.readouterr().err


def test_the_variable_that_turns_linking_off(monkeypatch, capsys):
    monkeypatch.setattr(jit, "PLAIN_NJIT", True)
    assert not is_there(monkeypatch)
    assert capsys.readouterr().err == "", "who asks for it knows"
