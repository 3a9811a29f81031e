"""Playing the units of a schedule, in this process or in several."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

import numpy as np

from dig_envs.agents.loading import close_agents
from dig_envs.agents.matches import play_seated
from dig_envs.agents.protocol import Agent
from dig_envs.agents.sealed import load_player
from dig_envs.arena.results import UnitResult
from dig_envs.arena.schedule import Form, Unit, seatings
from dig_envs.engine.core.checks import WORDS
from dig_envs.engine.core.errors import ArenaError

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier  # which some systems do not have


@dataclass(frozen=True)
class ArenaSetup:
    """Everything that all units of an arena have in common.

    Attributes:
        environment: its name. options: of the game, all of them.
        agents: their names.
        seed: of deal 0.
        form: who sits at a table.
        load: makes an agent of a name, the environment and a seed, as
            :func:`~dig_envs.agents.sealed.load_player` does; a function of a module, so that
            workers find it.
        seeded_as: the names from which the agents' seeds follow; empty: their names.
        prepare: called in each process that plays, before any of them begins to play.
        objects: agents by name that are not loaded, but play as they are.
    """

    environment: str
    options: Mapping[str, Any]
    agents: tuple[str, ...]
    seed: int
    form: Form
    load: Callable[[str, str, int], Agent] = load_player
    seeded_as: tuple[str, ...] = ()
    prepare: Callable[[], Any] | None = None
    objects: Mapping[str, Agent] = field(default_factory=dict)

    @property
    def num_seats(self) -> int:
        """The number of seats of a game."""
        return int(self.options["num_players"])


def agent_seed(setup: ArenaSetup, unit: Unit, contestant: int) -> int:
    """The seed of an agent in a unit. It depends on the unit alone, not on who plays it and
    when."""
    all_names = setup.seeded_as or setup.agents
    names = [all_names[k] for k in unit.contestants]
    text = f"{setup.seed}|{unit.start}|{names}|{all_names[contestant]}"
    if names.count(all_names[contestant]) > 1:  # two random players must not draw the same actions
        text += f"|{contestant}"
    return int.from_bytes(sha256(text.encode()).digest()[:6], "big")


def play_unit(setup: ArenaSetup, unit: Unit) -> UnitResult:
    """Play a unit with freshly loaded agents, and objects as they are."""
    names = [setup.agents[k] for k in unit.contestants]
    loaded = {
        k: setup.load(name, setup.environment, agent_seed(setup, unit, k))
        for k, name in zip(unit.contestants, names, strict=True)
        if name not in setup.objects
    }
    agents = [setup.objects.get(setup.agents[k]) or loaded[k] for k in unit.contestants]
    seating = seatings(setup.num_seats, setup.form)
    seeds = [(setup.seed + deal) % WORDS for deal in unit.deals for _ in seating]
    try:
        results = play_seated(
            setup.environment,
            agents,
            np.tile(seating, (len(unit.deals), 1)),
            seeds,
            setup.options,
            num_threads=1,
        )
    finally:
        close_agents(list(loaded.values()))
    return UnitResult.of(results, setup.num_seats)


def play_units(
    setup: ArenaSetup, units: Sequence[Unit], workers: int = 1
) -> Generator[tuple[Unit, UnitResult], None, None]:
    """Play units, yielding each when it has ended; with several workers, in processes of their own.

    Raises:
        ArenaError: a worker died.
    """
    workers = min(workers, len(units))
    if workers <= 1:
        for unit in units:
            yield unit, play_unit(setup, unit)
        return
    spawn = multiprocessing.get_context("spawn")
    alive, end = spawn.Pipe(duplex=False)  # it closes when this process closes it or dies
    executor = ProcessPoolExecutor(
        workers,
        mp_context=spawn,
        initializer=_begin_worker,
        initargs=(alive, setup.prepare, spawn.Barrier(workers)),
    )
    try:
        futures = {executor.submit(play_unit, setup, unit): unit for unit in units}
        for future in as_completed(futures):
            yield futures.pop(future), future.result()
    except BrokenProcessPool:
        raise ArenaError("a worker process died; is there enough memory for so many?") from None
    except BaseException:
        end.close()  # the workers do not finish what they are playing
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        for side in (end, alive):
            side.close()


def _begin_worker(
    alive: Connection, prepare: Callable[[], Any] | None, all_begin: "Barrier"
) -> None:
    """Prepare a worker, and wait until all are prepared. Ctrl-C is for the process that a worker
    works for; a worker ends when that process says so or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()
    if prepare is not None:
        prepare()
    all_begin.wait()


def _end_with(alive: Connection) -> None:
    wait([alive])
    os._exit(1)
