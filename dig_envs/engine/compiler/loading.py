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
from dig_envs.engine.compiler.jit import linked
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
# of the kernels, for the loop of a learner
OF_KERNELS = ("start_rewards", "finish_rewards", "deal_after_end")
_LOADING = RLock()  # what is loaded by two threads at the same time would be linked twice
TAKEN_OVER = ("GAME", "COOPERATIVE", "write_returns", "write_mask", "redeal", "playout", *ENTRIES)


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
    them. And once in a process: machine code on disk looks up the functions that it calls in
    ``linking.LINKED``, where a second linking would replace them.

    Raises:
        ValueError: another game of the same name has been loaded.
    """
    with _LOADING:
        return _load_kernels(game)


def _load_kernels(game: DeclaredGame) -> ModuleType:
    key = cache_key(game)
    if (loaded := sys.modules.get(_name(game.env_name, KERNELS))) is not None:
        if key != loaded.GAME:
            raise ValueError(f"two games are called {game.name}: give one of them another name")
        return loaded
    # nothing has been compiled from these sources yet
    if not native.has(key) and not any((root / key.folder).is_dir() for root in cache_roots()):
        check_fields(game)
    functions = {
        name: linked(getattr(game.rules, name), key, noalias=name in WRITERS) for name in ENTRIES
    }
    for name in ("styled", "playout"):
        if getattr(game.rules, name) is not None:
            functions[name] = linked(getattr(game.rules, name), key)
    return load_kernels_with(game, functions)


def load_kernels_with(
    game: DeclaredGame, functions: Mapping[str, Any], form: str = ""
) -> ModuleType:
    """:mod:`dig_envs.engine.compiler.kernels` with a game's functions under the names of
    ``ENTRIES``.

    ``form`` tells apart what is loaded for one game with different functions.
    """
    if_there = {
        "styled": None,  # functions with it are compiled only for games that have it
        "derive": game.rules.derive or nothing_derived,
        "inspect": game.rules.inspect or no_facts,
        "playout": game.rules.playout or functions["heuristic"],
    }
    own = {"GAME": cache_key(game), "COOPERATIVE": game.cooperative}
    return _load(game.env_name + form, KERNELS, {**own, **if_there, **functions})


def load_search(
    game: DeclaredGame, kernels: ModuleType, form: str = "", opponent: str = "unstyled"
) -> ModuleType:
    """:mod:`dig_envs.engine.search.simulation` with the functions that the game's kernels have.

    ``opponent``: the one of them that decides for the other seats where the scripted player does.
    """
    own = {
        "opponent": getattr(kernels, opponent),
        "MAX_ACTIONS": game.max_actions,
        "estimate": game.rules.estimate or score_so_far,
        "expected_returns": game.rules.expected_returns or nothing_to_expect,
        "put_off": game.rules.put_off or nothing_put_off,
    }
    return _load(game.env_name + form, SIMULATION, own, kernels)


def load_xla(game: DeclaredGame, kernels: ModuleType) -> ModuleType:
    """:mod:`dig_envs.engine.compiler.xla` with the functions that the game's kernels have."""
    own = {
        "STATE": game.state,
        "STATE_SIZE": game.state.itemsize,
        "OBSERVATION": game.observation,
        "NUM_ACTIONS": len(game.actions),
        "OBSERVATION_SIZE": game.observation_size,
    }
    return _load_apart(game, "xla", (XLA,), own, kernels)


def load_learning(game: DeclaredGame, kernels: ModuleType) -> ModuleType:
    """:mod:`dig_envs.engine.compiler.learning` with the functions that the game's kernels have."""
    own = {name: getattr(kernels, name) for name in OF_KERNELS}
    return _load_apart(game, "learning", (LEARNING,), own, kernels)


def load_playouts(game: DeclaredGame, kernels: ModuleType) -> ModuleType:
    """:mod:`dig_envs.engine.search.playouts` with the functions that the game's kernels have."""
    return _load_apart(game, "playouts", (PLAYOUTS,), {"MAX_ACTIONS": game.max_actions}, kernels)


def load_grave(game: DeclaredGame, kernels: ModuleType, form: str = "") -> ModuleType:
    """:mod:`dig_envs.engine.search.grave` with the functions that the game's kernels have."""
    own = {"grave": game.rules.grave or nothing_grave}
    return _load_apart(game, "grave", (GRAVE,), own, kernels, form)


def load_mistakes(
    game: DeclaredGame, kernels: ModuleType, grave: ModuleType, form: str = ""
) -> ModuleType:
    """:mod:`dig_envs.engine.search.mistakes` with the functions that the game's kernels have, and
    with what finds its grave actions."""
    own = {
        "estimate": game.rules.estimate or score_so_far,
        "expected_returns": game.rules.expected_returns or nothing_to_expect,
        "grave_in": grave.grave_in,
        "may_be_grave": grave.may_be_grave,
    }
    return _load_apart(game, "mistakes", (MISTAKES, GRAVE), own, kernels, form)


def _load_apart(
    game: DeclaredGame,
    part: str,
    modules: tuple[str, ...],
    names: Mapping[str, Any],
    kernels: ModuleType,
    form: str = "",
) -> ModuleType:
    """The first of the modules, whose machine code is kept apart from that of the kernels."""
    key = cache_key(game)
    own = CacheKey(f"{key.name}-{part}", (*modules, *key.modules), key.facts)
    return _load(game.env_name + form, modules[0], {"KEY": own, **names}, kernels)


def _name(game: str, module: str) -> str:
    return f"{module}_{game}"


def _load(
    game: str, module: str, names: Mapping[str, Any], kernels: ModuleType | None = None
) -> ModuleType:
    """The module loaded once more for a game, with ``names`` and the functions of the game's
    kernels as its globals; once, whichever thread asks first.

    Raises:
        LookupError: the module declares a name that it is not given.
    """
    name = _name(game, module)
    with _LOADING:
        if name not in sys.modules:
            original = importlib.util.find_spec(module)
            assert original is not None
            spec = importlib.util.spec_from_file_location(name, str(original.origin))
            assert spec is not None
            assert spec.loader is not None
            loaded = importlib.util.module_from_spec(spec)
            if kernels is not None:
                vars(loaded).update({one: getattr(kernels, one) for one in TAKEN_OVER})
            vars(loaded).update(names)
            spec.loader.exec_module(loaded)
            if missing := inspect.get_annotations(loaded).keys() - vars(loaded).keys():
                raise LookupError(f"{module} is not given {', '.join(sorted(missing))}")
            sys.modules[name] = loaded
        return sys.modules[name]
