"""Compiles games before the tests of a whole run begin: each once, side by side, which the test processes then share."""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from dig_envs.adapters.warmup import warm_up_steps
from dig_envs.engine.compiler.cache import cache_roots
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.compiler.loading import cache_key
from dig_envs.registry import list_environments, load_game
from tests import games  # noqa: F401 - the model game is compiled, too


def missing() -> list[str]:
    """The games of which nothing has been compiled yet from these sources, those with most to compile first."""
    root = cache_roots()[0]
    left = [name for name in list_environments() if not (root / cache_key(load_game(name)).folder).is_dir()]
    return sorted(left, key=size_of_sources, reverse=True)


def size_of_sources(name: str) -> int:
    """Bytes of a game's modules."""
    folder = Path(sys.modules[load_game(name).package].__file__ or "").parent
    return sum(path.stat().st_size for path in folder.rglob("*.py"))


def compile_game(name: str) -> None:
    """Do everything once that ``dig-envs compile`` does."""
    for _, step in warm_up_steps(load_game(name)):
        step()


def compile_missing(processes: int) -> None:
    """Compile the games of which nothing has been compiled yet."""
    left = [] if JIT_DISABLED else missing()
    if left:
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
            list(executor.map(compile_game, left))
