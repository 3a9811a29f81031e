"""Games that are exported once for all tests of a process; of two processes one waits, and finds
most of it in the cache."""

import os
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from filelock import FileLock

from dig_envs.agents.zoo import policies_of
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.export import build
from dig_envs.registry import load_game
from tests.export.node import SMALL
from tests.export.recurrent import REMEMBERING, recurrent_policies

FOLDERS: dict[tuple[str, str], Path] = {}  # of this process


def leave_out_optimisation(patch):
    """It takes longest to compile: but what nobody calls has to go. The cache keeps the results
    apart; the small module is made of the same object as the fast one."""
    kept, options, rules = build.kept, llvm.create_pipeline_tuning_options, build.rules_object
    target_machine = llvm.Target.create_target_machine

    def plain(key, name, make):
        is_rules = key is not build.ENGINE_KEY and name.endswith(".o")
        return kept(key, f"plain-{name}" if is_rules else name, make)

    def plain_machine(target, opt, **others):
        return target_machine(target, opt=0, **others)

    patch.setattr(build, "kept", plain)
    patch.setattr(build, "rules_object", lambda *which, small=False: rules(*which))
    patch.setattr(llvm, "create_pipeline_tuning_options", lambda level: options(1))
    patch.setattr(llvm.Target, "create_target_machine", plain_machine)


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Return the function that gives the folder of a game, as WebAssembly by default, with
    policies. Only the small game's rules are optimised, as those that people export are."""
    pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
    if JIT_DISABLED or linker() is None:
        pytest.skip("nothing is linked here")
    own = tmp_path_factory.getbasetemp()  # beside those of other processes of this run
    lock = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "export.lock"

    def export(name, to="wasm"):
        if (name, to) not in FOLDERS:
            game = load_game(name)
            folder = tmp_path_factory.mktemp(f"{game.name}-{to}")
            policies = [one for one in policies_of(game) if one == f"{game.name}/policy"]
            if name == REMEMBERING:
                policies += map(str, recurrent_policies(tmp_path_factory.getbasetemp()))
            with FileLock(lock), pytest.MonkeyPatch.context() as patch:
                if name != SMALL:
                    leave_out_optimisation(patch)
                build.export_game(game, to, folder, policies=policies)
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
