"""Exported games, made once for all examples."""

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED, linking
from dig_envs.export.build import export_game
from dig_envs.registry import load_game


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Return a function that gives the folder of a game, as WebAssembly by default."""
    pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
    if JIT_DISABLED or linking is None:
        pytest.skip("nothing is linked here")
    folders = {}

    def export(name, target="wasm"):
        if (name, target) not in folders:
            folders[name, target] = tmp_path_factory.mktemp(f"{name}-{target}")
            export_game(load_game(f"{name}_v0"), target, folders[name, target])
        return folders[name, target]

    return export
