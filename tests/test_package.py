"""The top level: light to import, complete, and honest about what it lacks."""

import subprocess
import sys

import pytest

import dig_envs


def test_import_loads_nothing_heavy():
    code = "import sys, dig_envs; print(sorted({'numba', 'pygame', 'torch', 'onnxruntime', 'rich'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_everything_promised_is_there():
    for name in dig_envs.__all__:
        assert getattr(dig_envs, name) is not None
    for name in dig_envs.list_environments():
        module = getattr(dig_envs, name)
        assert callable(module.env)
        assert callable(module.raw_env)
        assert callable(module.parallel_env)
    with pytest.raises(AttributeError, match="no attribute"):
        _ = dig_envs.no_such_thing
