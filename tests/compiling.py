"""Compiles games before the tests of a whole run begin: each once, side by side, which the test
processes then share."""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from dig_envs.adapters.warmup import warm_up_steps
from dig_envs.engine.compiler.cache import cache_roots
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.compiler.loading import cache_key
from dig_envs.registry import list_environments, load_game, newest_version
from tests import games  # noqa: F401 - the model game is compiled, too

# a file in the folder of a game of which everything has been compiled
COMPLETE = "compiled-for-tests"


def mark_of(name: str) -> Path:
    """The file that says that all of a game has been compiled from these sources."""
    return cache_roots()[0] / cache_key(load_game(name)).folder / COMPLETE


def missing() -> list[str]:
    """The games of which not everything has been compiled yet from these sources, those with most
    to compile first."""
    left = [name for name in list_environments() if not mark_of(name).is_file()]
    return sorted(left, key=size_of_sources, reverse=True)


def size_of_sources(name: str) -> int:
    """Bytes of a game's modules."""
    folder = Path(sys.modules[load_game(name).package].__file__ or "").parent
    return sum(path.stat().st_size for path in folder.rglob("*.py"))


def compile_game(name: str) -> None:
    """Do everything once that ``dig-envs compile`` does; with a former version only what plays its
    recorded games."""
    game = load_game(name)
    is_former = game.version < newest_version(game.name)
    for what, step in warm_up_steps(game):
        if not is_former or what in ("environment", "events", "scripted player"):
            step()
    if mark_of(name).parent.is_dir():
        mark_of(name).touch()


def compile_missing(processes: int) -> None:
    """Compile the games of which not everything has been compiled yet."""
    left = [] if JIT_DISABLED else missing()
    if left:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
            list(executor.map(compile_game, left))
