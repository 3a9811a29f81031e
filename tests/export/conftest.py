"""A small game, exported once for all tests."""

import pytest

from dig_envs.export.build import export_game
from dig_envs.registry import load_game
from tests.export.node import POLICY, SMALL


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """Return the folder of a small game as WebAssembly."""
    pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
    folder = tmp_path_factory.mktemp("wasm")
    export_game(load_game(SMALL), "wasm", folder, policies=[POLICY])
    return folder
