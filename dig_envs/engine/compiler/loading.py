"""Loads the modules of compiled loops (``kernels.py``, ``search/simulation.py``,
``search/playouts.py``, ``search/grave.py``, ``search/mistakes.py``, ``learning.py`` and ``xla.py``)
once for each game, with the game's functions as globals.

Numba compiles a global function into its caller, where it costs nothing; a function that is an
argument costs a call that cannot be inlined. So each of these modules declares, as annotations
without a value, the names that it expects, and :func:`_load` sets them before the module runs.
"""

import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import fields
from threading import RLock
from types import ModuleType
from typing import Any

from dig_envs.engine.compiler import native
from dig_envs.engine.compiler.cache import CacheKey, cache_roots
from dig_envs.engine.compiler.jit import compiled, linked
from dig_envs.engine.compiler.spelling import check_fields
from dig_envs.engine.core.declared import DeclaredGame
from dig_envs.engine.core.grave import nothing_grave
from dig_envs.engine.core.state import (
    no_facts,
    nothing_derived,
    nothing_put_off,
    nothing_to_expect,
    score_so_far,
)

KERNELS, SIMULATION = "dig_envs.engine.compiler.kernels", "dig_envs.engine.search.simulation"
XLA = "dig_envs.engine.compiler.xla"
LEARNING = "dig_envs.engine.compiler.learning"
PLAYOUTS = "dig_envs.engine.search.playouts"
GRAVE = "dig_envs.engine.search.grave"
MISTAKES = "dig_envs.engine.search.mistakes"
# The names under which the loops know a game's functions.
ENTRIES = ("setup", "legal_actions", "apply_action", "observe", "determinize", "heuristic")
# those that write to something else than the state, which is no part of it
WRITERS = ("legal_actions", "observe")
# those that a game may have beside them, and what stands there otherwise
IF_NOT_THERE: dict[str, Any] = {
    "derive": nothing_derived,
    "inspect": no_facts,
    "estimate": score_so_far,
    "expected_returns": nothing_to_expect,
    "put_off": nothing_put_off,
    "grave": nothing_grave,
}
# what the kernels have, for other modules
OF_LOOPS = (
    *("write_returns", "write_mask", "start_rewards", "finish_rewards"),
    *("deal", "deal_after_end", "redeal"),
)
TAKEN_OVER = ("GAME", "playout", *ENTRIES, *OF_LOOPS)
_LOADING = RLock()  # what is loaded by two threads at the same time would be linked twice


def cache_key(game: DeclaredGame) -> CacheKey:
    """The sources and constants that make the compiled code of a game."""
    rules = [game.rules, *([] if game.usual is None else [game.usual.rules])]
    functions = [getattr(one, field.name) for one in rules for field in fields(one)]
    modules = {function.__module__ for function in functions if function is not None}
    modules.add(f"{game.package}.rules")  # a folder's __init__ chooses among the modules in it
    facts = (game.cooperative, game.max_actions, game.version)
    return CacheKey(game.env_name, (KERNELS, SIMULATION, *sorted(modules)), facts, is_game=True)


def load_kernels(game: DeclaredGame) -> ModuleType:
    """:mod:`dig_envs.engine.compiler.kernels` with this game's functions.

    These are linked once for all kernels: most kernels differ in little else than the loop around
    them. And once in a process, as they are linked by their symbols.

    Raises:
        ValueError: another game of the same name has been loaded.
    """
    with _LOADING:
        key = cache_key(game)
        if (loaded := sys.modules.get(_name(game.env_name, KERNELS))) is not None:
            if key != loaded.GAME:
                raise ValueError(f"two games are called {game.name}: give one of them another name")
            return loaded
        # nothing has been compiled from these sources yet
        if not native.has(key) and not any((root / key.folder).is_dir() for root in cache_roots()):
            check_fields(game)
        functions = {
            name: linked(function, key, noalias=name in WRITERS)
            for name in (*ENTRIES, "styled", "playout")
            if (function := getattr(game.rules, name)) is not None
        }
        return load_kernels_with(game, functions)


def load_kernels_with(
    game: DeclaredGame, functions: Mapping[str, Any], form: str = ""
) -> ModuleType:
    """:mod:`dig_envs.engine.compiler.kernels` with a game's functions under the names of
    ``ENTRIES``.

    ``form`` tells apart what is loaded for one game with different functions.
    """
    # functions with ``styled`` are compiled only for games that have it
    own = {"GAME": cache_key(game), "styled": None, "playout": functions["heuristic"]}
    return _load(game, KERNELS, {**own, **functions}, form)


def load_part(
    game: DeclaredGame, kernels: ModuleType, *modules: str, form: str = "", **own: Any
) -> ModuleType:
    """A module with the functions that the game's kernels have; the machine code of its own kernels
    is kept apart from theirs if they have the key ``KEY``.

    Args:
        modules: the module, and those whose functions are among ``own``.
        form: as above.
        own: what else it declares.
    """
    key, part = cache_key(game), modules[0].rpartition(".")[2]
    taken_over = {name: getattr(kernels, name) for name in TAKEN_OVER}
    apart = CacheKey(f"{key.name}-{part}", (*modules, *key.modules), key.facts)
    return _load(game, modules[0], {**taken_over, "KEY": apart, **own}, form)


@compiled
def nothing_supposed(state, seat):  # type: ignore[no-untyped-def]
    """Suppose nothing, for a game without a function of its own."""


def load_playouts(game: DeclaredGame, kernels: ModuleType, form: str = "") -> ModuleType:
    """:mod:`dig_envs.engine.search.playouts` with what the game supposes of hidden choices."""
    own = {"suppose": game.rules.suppose or nothing_supposed}
    return load_part(game, kernels, PLAYOUTS, form=form, **own)


def load_mistakes(
    game: DeclaredGame, kernels: ModuleType, grave: ModuleType, form: str = ""
) -> ModuleType:
    """:mod:`dig_envs.engine.search.mistakes` with what finds the grave actions of the game."""
    own = {name: getattr(grave, name) for name in ("grave_in", "may_be_grave")}
    return load_part(game, kernels, MISTAKES, GRAVE, form=form, **own)


def _name(game: str, module: str) -> str:
    return f"{module}_{game}"


def _load(game: DeclaredGame, module: str, names: Mapping[str, Any], form: str = "") -> ModuleType:
    """The module loaded once more for a game, with facts and functions of the game and ``names`` as
    its globals; once, whichever thread asks first.

    Raises:
        LookupError: the module declares a name that it is not given.
    """
    name = _name(game.env_name + form, module)
    with _LOADING:
        if name not in sys.modules:
            original = importlib.util.find_spec(module)
            assert original is not None
            spec = importlib.util.spec_from_file_location(name, str(original.origin))
            assert spec is not None
            assert spec.loader is not None
            loaded = importlib.util.module_from_spec(spec)
            vars(loaded).update(
                COOPERATIVE=game.cooperative,
                MAX_ACTIONS=game.max_actions,
                NUM_ACTIONS=len(game.actions),
                STATE=game.state,
                STATE_SIZE=game.state.itemsize,
                OBSERVATION=game.observation,
                OBSERVATION_SIZE=game.observation_size,
            )
            for function, otherwise in IF_NOT_THERE.items():
                setattr(loaded, function, getattr(game.rules, function) or otherwise)
            vars(loaded).update(names)
            spec.loader.exec_module(loaded)
            if missing := inspect.get_annotations(loaded).keys() - vars(loaded).keys():
                raise LookupError(f"{module} is not given {', '.join(sorted(missing))}")
            sys.modules[name] = loaded
        return sys.modules[name]
