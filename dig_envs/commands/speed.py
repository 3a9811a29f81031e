"""How fast the environments are, beside others, in one run: ``dig-envs bench``.

AEC environments are driven by the standard loop (``agent_iter``, ``last``, a random legal action,
``step``), one loop for all of them; its speed is in turns (calls of ``step`` with an action) per
second. Batches are stepped with random legal actions; their speed is in actions per second over all
games. Everything is measured ``repeats`` times in turn, so that a disturbance of the machine meets
all of them alike; medians are given with the least and the greatest value.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import count, cycle
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from rich.console import Console
from rich.table import Table

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.make import make
from dig_envs.agents.loading import load_agent
from dig_envs.arena.machine import machine_now
from dig_envs.batch.batch_env import BatchEnv, num_cores, random_rollout
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array, Game

BATCH = 1024
CUDA_BATCH = 65536
GPU_STEPS = 50  # until the device is waited for
JAX_STEPS = 100  # of each game in a call
SEARCH_SIMULATIONS = 100  # for each decision
# positions of as many scripted games, that many actions further on from one to the next
SEARCH_POSITIONS, SEARCH_APART = 16, 5
WARM_UP = 0.05  # seconds of each measurement before the first that counts
NOTHING, NOTHING_TURNS = "an environment that does nothing", 100
FOUR_RAW = "PettingZoo connect_four_v3, raw"
FOUR = "PettingZoo connect_four_v3, env()"
Measurement = Callable[[float], float]  # seconds -> turns per second
# ``what`` was measured; ``median``, ``low`` and ``high`` of the repeats, per second
Row = dict[str, Any]


# ---------------------------------------------------------------- measuring


def per_second(
    run: Callable[[], int], clock: Callable[[], float] = time.perf_counter
) -> Measurement:
    """The measurement that calls ``run`` again and again, which returns how many turns or actions
    it has played."""

    def measurement(seconds: float) -> float:
        done, started = 0, clock()
        while (passed := clock() - started) < seconds:
            done += run()
        return done / passed

    return measurement


def episodes(env: Any) -> Callable[[], int]:
    """A function that plays an episode in the standard loop with random legal actions, and returns
    its number of turns."""
    draw, seeds = random.Random(0).random, count()

    def play() -> int:
        turns = 0
        env.reset(seed=next(seeds))
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(draw() * len(legal))]))
                turns += 1
        return turns

    return play


class Nothing(AECEnv):
    """An environment whose time is that of the loop alone."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = {"action_mask": np.ones(8, np.int8)}
        self._left = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = ["player_0"]
        self.agent_selection = self.agents[0]
        self._left = NOTHING_TURNS

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self._seen, 0.0, not self._left, False, {}

    def step(self, action: Any) -> None:
        if action is None:
            self.agents = []
        self._left -= 1


def batch_steps(batch: Any) -> Callable[[], int]:
    """A function that steps a batch with random legal actions."""

    def step() -> int:
        batch.step(batch.sample_actions())
        return int(batch.batch_size)

    return step


def gpu_steps(batch: Any) -> Callable[[], int]:
    """The same on a GPU, for some steps, after which it waits for the device."""

    def play() -> int:
        for _ in range(GPU_STEPS):
            batch.step(batch.sample_actions(into=batch.actions), check=False)
        batch.check()
        return GPU_STEPS * int(batch.batch_size)

    return play


def searches(agent: Any, states: Array, seats: Array) -> Callable[[], int]:
    """A function that lets an agent search in the next position, and returns the number of
    simulations."""
    places = cycle(range(len(seats)))

    def search() -> int:
        place = next(places)
        return int(agent.search(states[place : place + 1], int(seats[place])).simulations)

    return search


def measure(measurements: dict[str, Measurement], seconds: float, repeats: int) -> list[Row]:
    """Take each measurement ``repeats`` times, in turn."""
    for run in measurements.values():
        run(WARM_UP)  # compile, fill caches
    found: dict[str, list[float]] = {what: [] for what in measurements}
    for _ in range(repeats):
        for what, run in measurements.items():
            found[what].append(run(seconds))
    return [
        {
            "what": what,
            "median": round(median(speeds)),
            "low": round(min(speeds)),
            "high": round(max(speeds)),
        }
        for what, speeds in found.items()
    ]


# ---------------------------------------------------------------- what is measured


def connect_four() -> Any:
    """PettingZoo's module, or None where its dependency pygame is missing."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    return connect_four_v3


def aec_measurements(game: Game, options: dict[str, Any]) -> dict[str, Measurement]:
    """Measurements of connect_four and of the game, raw and as ``env()``, and of the loop alone."""
    environments: dict[str, Any] = {NOTHING: Nothing()}
    four = connect_four()
    if four is not None:
        environments |= {FOUR_RAW: four.raw_env(), FOUR: four.env()}
    environments[f"{game.env_name}, raw"] = RawAEC(game.env_name, **options)
    environments[f"{game.env_name}, env()"] = make(game.env_name, **options)
    return {what: per_second(episodes(env)) for what, env in environments.items()}


def batch_measurements(
    game: Game, options: dict[str, Any], batch_size: int = BATCH
) -> dict[str, Measurement]:
    """The batch on one core and a larger one on all, with and without observations, and complete
    random games."""
    cores = num_cores()
    measurements: dict[str, Measurement] = {}
    for kind, words in (("float32", "mask and observation"), (None, "mask only")):
        for threads in sorted({1, cores}):
            # enough games for each thread to save time
            size = batch_size if threads == 1 else 2 * batch_size * threads
            batch = BatchEnv(game.env_name, size, 0, threads, observation=kind, **options)
            measurements[f"batch of {size}, {words}, {cores_text(threads)}"] = per_second(
                batch_steps(batch)
            )
    rollout = per_second(lambda: random_rollout(game.env_name, BATCH, **options).actions)
    return {**measurements, f"random games in compiled code, {cores_text(cores)}": rollout}


def cores_text(cores: int) -> str:
    """A number of cores in words, such as ``2 cores``."""
    return f"{cores} core{'s' if cores > 1 else ''}"


def search_measurements(game: Game, options: dict[str, Any]) -> dict[str, Measurement]:
    """The search as it plays by default, and with random playouts to the end of the game, from
    positions of all stages.

    Simulations per second of a core's time.
    """
    batch = BatchEnv(game.env_name, SEARCH_POSITIONS, 0, 1, observation=None, **options)
    for step in range(SEARCH_POSITIONS * SEARCH_APART):
        batch.step(batch.heuristic_actions(), np.arange(SEARCH_POSITIONS) > step // SEARCH_APART)
    states, seats = batch.states.copy(), batch.mover.copy()
    settings = ("", ":playout=random:trust=0:depth=0:guide=none")
    agents = [
        load_agent(f"search:sims={SEARCH_SIMULATIONS}{setting}", game.env_name, seed=0)
        for setting in settings
    ]
    return {
        agent.name: per_second(searches(agent, states, seats), time.process_time)
        for agent in agents
    }


def jax_measurements(
    game: Game, options: dict[str, Any], batch_size: int = BATCH
) -> dict[str, Measurement]:
    """A batch on all cores, and as many games inside ``jax.jit`` and ``lax.scan``."""
    batch = BatchEnv(game.env_name, batch_size, 0, **options)
    return {
        f"batch of {batch_size}, {cores_text(num_cores())}": per_second(batch_steps(batch)),
        f"the same inside lax.scan of JAX ({version('jax')})": per_second(
            jax_rollout(game, options, batch_size)
        ),
    }


def jax_rollout(game: Game, options: dict[str, Any], batch_size: int) -> Callable[[], int]:
    """A function that plays ``JAX_STEPS`` random legal actions in each game in one compiled scan,
    and returns their number."""
    from dig_envs.adapters.jax import jax
    from dig_envs.adapters.jax import make as make_functional

    env = make_functional(game, auto_reset=True, **options)

    def step(state: Any, key: Any) -> Any:
        return env.step(state, env.sample(state, jax.random.split(key, batch_size))), None

    def play(state: Any, key: Any) -> Any:
        key, own = jax.random.split(key)
        return jax.lax.scan(step, state, jax.random.split(own, JAX_STEPS))[0], key

    kept = [env.init(jax.random.split(jax.random.key(1), batch_size)), jax.random.key(0)]
    compiled = jax.jit(play, donate_argnums=0)

    def run() -> int:
        kept[0], kept[1] = compiled(*kept)
        kept[0].current_player.block_until_ready()
        return JAX_STEPS * batch_size

    return run


def cuda_measurements(
    game: Game, options: dict[str, Any], batch_size: int = CUDA_BATCH
) -> dict[str, Measurement]:
    """Batches on a GPU, the given size and an eighth of it, and the larger one on all cores of the
    CPU.

    With and without observations. Drawing random legal actions is part of all of it; the GPU is
    not waited for in every step. All these
    batches are there at the same time.
    """
    fewer = max(1, batch_size // 8)
    measurements: dict[str, Measurement] = {}
    for kind, words in (("float32", "mask and observation"), (None, "mask only")):
        batches = [
            BatchEnv(game.env_name, size, 0, observation=kind, **options)
            for size in (fewer, batch_size)
        ]
        for batch in batches:
            measurements[f"batch of {batch.batch_size}, {words}, on the GPU"] = per_second(
                gpu_steps(batch.to("cuda"))
            )
        measurements[f"batch of {batch_size}, {words}, {cores_text(num_cores())}"] = per_second(
            batch_steps(batches[-1])
        )
    return measurements


START = """
import time; started = time.perf_counter()
import dig_envs; imported = time.perf_counter() - started
env = dig_envs.make({name!r})
opponent = dig_envs.load_agent("heuristic", env={name!r})
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    mine = int(observation["action_mask"].argmax())
    action = None if terminated else mine if agent == "player_0" else opponent.act(env)
    env.step(action)
print(imported, time.process_time())
"""


def start_up(game: Game, repeats: int) -> dict[str, list[float]]:
    """Seconds of README's first program in fresh processes, first with an empty compile cache, then
    ``repeats`` times with a full one.

    Returns ``first_use`` (one value) and ``warm`` (``repeats`` values), both with the interpreter's
    start, ``first_use_processor`` and ``warm_processor``: the processor's time for these, and
    ``import``: of the package alone.
    """
    with tempfile.TemporaryDirectory() as cache:
        times = [_start(game, cache) for _ in range(1 + repeats)]
    return {
        "first_use": [times[0][2]],
        "first_use_processor": [times[0][1]],
        "warm": [t[2] for t in times[1:]],
        "warm_processor": [t[1] for t in times[1:]],
        "import": [t[0] for t in times[1:]],
    }


def _start(game: Game, cache: str) -> list[float]:
    root = str(Path(dig_envs.__file__).parent.parent)  # the same package, wherever it was started
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "DIG_ENVS_CACHE_DIR": cache, "PYTHONPATH": path}
    command = [sys.executable, "-c", START.format(name=game.env_name)]
    started = time.perf_counter()
    output = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout
    return [*map(float, output.split()), time.perf_counter() - started]


def machine() -> dict[str, Any]:
    """The processor, its cores and their load, the date, and the versions of Python and of the
    libraries."""
    return {
        **machine_now(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        **{package: version(package) for package in ("gymnasium", "pettingzoo")},
    }


def gpu() -> str:
    """The name of the CUDA device, and the version of Numba's CUDA target; ImportError or OSError
    where one of them is missing."""
    from dig_envs.batch.cuda import device_name

    try:
        return f"{device_name()}, numba-cuda {version('numba-cuda')}"
    except RuntimeError as error:
        raise OSError(str(error)) from None


# ---------------------------------------------------------------- reports


def measure_game(
    game: Game,
    seconds: float = 1.0,
    repeats: int = 5,
    options: dict[str, Any] | None = None,
    start: bool = True,
    search: bool = False,
    batch_size: int | None = None,
    jax: bool = False,
    cuda: bool = False,
) -> dict[str, Any]:
    """Measure one environment.

    Args:
        game: which.
        seconds: for each measurement.
        repeats: how often each is taken.
        options: of the game.
        start: whether to measure compile and start-up times, too.
        search: whether to measure the search agent, and nothing else (its compilation takes a while
            the first time).
        batch_size: games of the batch on one core; on all cores it has twice as many for each.
            None: :data:`BATCH`, on a GPU :data:`CUDA_BATCH`.
        jax: whether to measure games inside JAX, and nothing else.
        cuda: whether to measure batches on a GPU, and nothing else; ``batch_size`` then is that of
            the larger one.

    Returns:
        JSON-able: ``environment``, ``options``, ``machine``, ``state_bytes``, ``observation_size``,
        ``aec``, ``batch``, ``search``, ``jax``, ``cuda`` (lists of ``what``, ``median``, ``low``,
        ``high`` per second), ``start_up`` (seconds).

    Raises:
        ImportError: JAX or Numba's CUDA target is asked for and missing. OSError: a GPU is asked
            for and missing.
    """
    size = batch_size or BATCH
    given, others = options or {}, search or jax or cuda
    complete = game.complete_options(given)
    return {
        "environment": game.env_name,
        "options": complete,
        "machine": machine() | ({"gpu": gpu()} if cuda else {}),
        "seconds": seconds,
        "repeats": repeats,
        "state_bytes": game.state.itemsize,
        "observation_size": game.observation_size,
        "aec": [] if others else measure(aec_measurements(game, given), seconds, repeats),
        "batch": [] if others else measure(batch_measurements(game, given, size), seconds, repeats),
        "search": measure(search_measurements(game, given), seconds, repeats) if search else [],
        "jax": measure(jax_measurements(game, given, size), seconds, repeats) if jax else [],
        "cuda": measure(cuda_measurements(game, given, batch_size or CUDA_BATCH), seconds, repeats)
        if cuda
        else [],
        "start_up": start_up(game, repeats) if start and not others else {},
    }


def print_report(report: dict[str, Any], console: Console) -> None:
    m = report["machine"]
    console.print(f"{report['environment']} {json.dumps(report['options'])}")
    gpu = f"{m['gpu']}, " if "gpu" in m else ""
    console.print(
        f"{m['cpu']}, {m['cores']} cores, {gpu}Python {m['python']}, NumPy {m['numpy']}, Numba "
        f"{m['numba']}; state {report['state_bytes']} bytes, observation "
        f"{report['observation_size']} numbers"
    )
    units = {"aec": "steps/s", "search": "simulations/s of a core"}
    for key in ("aec", "batch", "search", "jax", "cuda"):
        if not report[key]:
            continue
        table = Table(
            "", f"{units.get(key, 'actions/s')}, median", "least", "greatest", show_edge=False
        )
        for row in report[key]:
            table.add_row(row["what"], *(f"{row[k]:,}" for k in ("median", "low", "high")))
        console.print(table)
    if report["aec"] and not any(row["what"] == FOUR for row in report["aec"]):
        console.print(
            f"connect_four_v3 was not measured: it needs pygame ({how_to_install('bench')})"
        )
    if report["start_up"]:
        times = report["start_up"]
        console.print(
            f"README's first program: {times['first_use'][0]:.1f} s with an empty cache "
            f"({times['first_use_processor'][0]:.1f} s of processor time), "
            f"{median(times['warm']):.2f} s with a full one ({median(times['warm_processor']):.2f} "
            f"s); import alone {median(times['import']):.3f} s"
        )
