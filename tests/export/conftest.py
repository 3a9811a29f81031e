"""Games that are exported once for all tests of a process; of two processes one waits, and finds
most of it in the cache."""

from pathlib import Path

import pytest
from filelock import FileLock

from dig_envs.agents.zoo import policies_of
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.export.build import export_game
from dig_envs.registry import load_game
from tests.export.node import OTHER_POLICY, SMALL
from tests.export.recurrent import REMEMBERING, recurrent_policies

FOLDERS: dict[tuple[str, str], Path] = {}  # of this process


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Return the function that gives the folder of a game, as WebAssembly by default, with
    policies."""
    pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
    if JIT_DISABLED or linker() is None:
        pytest.skip("nothing is linked here")
    lock = tmp_path_factory.getbasetemp().parent / "export.lock"

    def export(name, to="wasm"):
        if (name, to) not in FOLDERS:
            game = load_game(name)
            folder = tmp_path_factory.mktemp(f"{game.name}-{to}")
            some = (f"{game.name}/ppo", OTHER_POLICY)
            policies = [policy for policy in policies_of(game) if policy in some]
            if name == REMEMBERING:
                policies += map(str, recurrent_policies(tmp_path_factory.getbasetemp()))
            with FileLock(lock):
                export_game(game, to, folder, policies=policies)
            FOLDERS[name, to] = folder
        return FOLDERS[name, to]

    return export


@pytest.fixture(scope="session")
def package(exported):
    """Return the folder of a small game as WebAssembly."""
    return exported(SMALL)


@pytest.fixture(scope="session")
def library(exported):
    """Return the folder of a small game as a library in C."""
    return exported(SMALL, "c")
