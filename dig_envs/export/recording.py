"""``python -m dig_envs.export.recording NAME FILE`` writes what the native libraries of a game are
made of, for ``wheels.py``: all its kernels in LLVM's language.

It is a program because it needs a process, and a cache, in which nothing has been compiled before;
and code that is not for the processor at hand, by Numba's variables NUMBA_CPU_NAME and
NUMBA_CPU_FEATURES.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dig_envs
from dig_envs.adapters.warmup import Step, warm_up_steps
from dig_envs.agents.advice import play_on
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.search import SearchAgent, SearchSettings
from dig_envs.engine.compiler import linking, native, objects
from dig_envs.engine.compiler.cache import file_name
from dig_envs.engine.compiler.jit import Kernel
from dig_envs.engine.compiler.sources import source_files
from dig_envs.engine.game import Game

SEVERAL = 4


def main(name: str, path: str) -> None:
    """Write the record of a game."""
    game = dig_envs.registry.load_game(name)
    steps: list[Step] = [*warm_up_steps(game), ("what few use", lambda: use_the_rest(game))]
    Path(path).write_text(json.dumps(record(*(step for _, step in steps))), encoding="utf-8")


def use_the_rest(game: Game) -> None:
    """Use once what is not warmed up, as only some programs use it."""
    env = dig_envs.make(game.env_name)
    env.reset(seed=0)
    batch = dig_envs.BatchEnv(game.env_name, SEVERAL)
    batch.full_state()
    ended = 0
    while not ended:  # seeds of the next episodes are for games that are over
        batch.step(batch.heuristic_actions())
        ended = int((batch.terminated | batch.truncated).sum())
    batch.reset()
    batch.close()
    states = env.unwrapped.states
    seat, action = int(states["to_move"][0]), int(env.last()[0]["action_mask"].argmax())
    play_on(game, states, seat, [action], deals=16, most=10_000, first=1)
    dig_envs.load_agent("heuristic:careless=0.9", env=game.env_name, seed=0).act(env)
    for style in list(game.styles)[:1]:
        HeuristicAgent(game, style).act(env)
        settings = SearchSettings(sims=2, reuse=1, **{**game.search, "others": style})
        search = SearchAgent(game, settings)
        for _ in range(2):  # the second time it looks for the position in its tree
            search.act(env)
        search.compile_what_guides()
    for player in game.players:
        dig_envs.load_agent(f"{game.name}/{player}", env=game.env_name).act(env)


def record(*steps: Callable[[], Any]) -> dict[str, Any]:
    """What was compiled in some steps: ``kernels``: of each key, by the names of their files, and
    ``modules``: of each symbol the code in LLVM's language, whether it is to be looked through for
    vectors, and the symbols that it calls."""
    native.FOLDER = Path("/nowhere")  # nothing is taken from there
    linking.MODULES = {}
    for step in steps:
        step()
    keys: dict[str, Any] = {}
    needed = []
    for kernel in _kernels():
        key = kernel.key
        for text in kernel.signatures:
            place = objects.place_of(kernel, text)
            if place not in objects.LOADED or not objects.is_lasting(place):
                continue
            made = objects.LOADED[place][1]
            if key.name not in keys:
                files = sorted(source_files(key.modules))
                keys[key.name] = {
                    "modules": key.modules,
                    "sources": key.sources,
                    "files": files,
                    "kernels": {},
                }
            keys[key.name]["kernels"][file_name(kernel.py_func, text)] = made.symbol
            needed.append(place)
    modules = {}
    while needed:
        made = objects.LOADED[needed.pop()][1]
        if made.symbol not in modules:
            callees = [objects.LOADED[callee][1].symbol for callee in made.callees]
            modules[made.symbol] = *linking.MODULES[made.symbol], callees
            needed.extend(made.callees)
    return {"keys": keys, "modules": modules}


def _kernels() -> list[Kernel]:
    """All kernels that were loaded."""
    found = {
        id(thing): thing
        for module in list(sys.modules.values())
        for thing in list(getattr(module, "__dict__", {}).values())
        if isinstance(thing, Kernel)
    }
    return list(found.values())


if __name__ == "__main__":
    main(*sys.argv[1:])
