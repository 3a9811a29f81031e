"""The compiled loops of a game: ``kernels.py`` and ``search.py``, loaded once more for each game, with its functions in them."""

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dig_envs.engine import dense, tree
from dig_envs.engine.cache import Owner, cache_roots
from dig_envs.engine.jit import shared
from dig_envs.engine.spelling import check_fields
from dig_envs.engine.state import no_facts, nothing_derived, nothing_put_off, nothing_to_expect, score_so_far

if TYPE_CHECKING:
    from dig_envs.engine.game import Game

LOADED = ("dig_envs.engine.kernels", "dig_envs.engine.search")
# The names under which the loops know a game's functions.
ENTRIES = {
    "setup": "setup",
    "legal_actions": "legal_actions",
    "apply_action": "apply_action",
    "observe": "observe",
    "determinize": "determinize",
    "heuristic": "heuristic",
}
WRITERS = ("legal_actions", "observe")  # those that write to something else than the state, which is no part of it
TAKEN_OVER = ("GAME", "COOPERATIVE", "write_returns", "write_mask", "redeal", *ENTRIES)


def owner_of(game: "Game") -> Owner:
    """Whose sources and constants make the compiled code of a game."""
    functions = [getattr(game.rules, field.name) for field in fields(game.rules)]
    modules = {function.__module__ for function in functions if function is not None}
    return Owner(game.name, (*LOADED, *sorted(modules)), (game.cooperative, game.max_actions), is_game=True)


def load_kernels(game: "Game") -> ModuleType:
    """:mod:`dig_envs.engine.kernels` with this game's functions.

    These are compiled once for all kernels: most kernels differ in little else than the loop around them.
    """
    owner = owner_of(game)
    if not any((root / owner.folder).is_dir() for root in cache_roots()):  # nothing has been compiled from these sources yet
        check_fields(game)
    functions = {name: shared(getattr(game.rules, field), owner, apart=name in WRITERS) for name, field in ENTRIES.items()}
    if_there = {"derive": game.rules.derive or nothing_derived, "inspect": game.rules.inspect or no_facts}
    return _load(game.name, "kernels", {"GAME": owner, "COOPERATIVE": game.cooperative, **functions, **if_there})


def load_search(game: "Game", kernels: ModuleType) -> ModuleType:
    """:mod:`dig_envs.engine.search` with the functions that the game's kernels have."""
    own = {
        "MAX_ACTIONS": game.max_actions,
        "estimate": game.rules.estimate or score_so_far,
        "expected_returns": game.rules.expected_returns or nothing_to_expect,
        "put_off": game.rules.put_off or nothing_put_off,
    }
    return _load(game.name, "search", {**own, **{name: getattr(kernels, name) for name in TAKEN_OVER}})


def _load(game: str, file: str, names: Mapping[str, Any]) -> ModuleType:
    """A module of this folder, once more, with ``names`` as its globals."""
    name = f"dig_envs.engine.{file}_{game}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{file}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


def signatures(game: "Game") -> dict[str, list[str]]:
    """The signatures for which each kernel of a game has been compiled or loaded in this process: a good caller needs one."""
    modules = {"": game.kernels, "search.": game.search_kernels, "tree.": tree, "dense.": dense}
    idle = {"derive_one": game.rules.derive is None, "inspect_one": game.rules.inspect is None}
    return {
        f"{prefix}{name}": [str(types) for types in kernel.signatures]
        for prefix, module in modules.items()
        for name, kernel in vars(module).items()
        if is_kernel(kernel, module) and not idle.get(name, False)
    }


def is_kernel(thing: Any, module: ModuleType) -> bool:
    """Whether something is a kernel of that module; nothing is where nothing is compiled."""
    return getattr(thing, "__module__", None) == module.__name__ and hasattr(getattr(thing, "_cache", None), "owner")
