"""Playing the units of a schedule, in this process or in several."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from dig_envs.agents.loading import close_agents, load_agent
from dig_envs.agents.matches import play_seated
from dig_envs.agents.protocol import Agent
from dig_envs.arena.results import Played
from dig_envs.arena.schedule import Form, Unit, seatings
from dig_envs.engine.checks import WORDS
from dig_envs.engine.errors import ArenaError


@dataclass(frozen=True)
class Contest:
    """What is the same for all units: the environment, all of its options, the agents' names, the seed of deal 0, and who sits at a
    table.

    ``load`` makes an agent of a name, the environment and a seed, as :func:`~dig_envs.agents.loading.load_agent` does; a function
    of a module, so that workers find it.
    """

    environment: str
    options: Mapping[str, Any]
    agents: tuple[str, ...]
    seed: int
    form: Form
    load: Callable[[str, str, int], Agent] = load_agent

    @property
    def num_seats(self) -> int:
        """How many seats a game has."""
        return int(self.options["num_players"])


def agent_seed(contest: Contest, unit: Unit, contestant: int) -> int:
    """The seed of an agent's own generator in a unit: it depends on nothing but the unit, so that it does not matter who plays
    the unit and when."""
    names = [contest.agents[k] for k in unit.contestants]
    text = f"{contest.seed}|{unit.start}|{names}|{contest.agents[contestant]}"
    return int.from_bytes(sha256(text.encode()).digest()[:6], "big")


def play_unit(contest: Contest, unit: Unit) -> Played:
    """Play a unit with freshly loaded agents."""
    agents = [contest.load(contest.agents[k], contest.environment, agent_seed(contest, unit, k)) for k in unit.contestants]
    seating = seatings(contest.num_seats, contest.form)
    seeds = [(contest.seed + deal) % WORDS for deal in unit.deals for _ in seating]
    try:
        results = play_seated(
            contest.environment, agents, np.tile(seating, (len(unit.deals), 1)), seeds, contest.options, num_threads=1
        )
    finally:
        close_agents(agents)
    return Played.of(results, contest.num_seats)


def play_units(contest: Contest, units: Sequence[Unit], workers: int = 1) -> Generator[tuple[Unit, Played], None, None]:
    """Play units, yielding each when it has ended; with several workers, in processes of their own.

    Raises:
        ArenaError: a worker died.
    """
    workers = min(workers, len(units))
    if workers <= 1:
        for unit in units:
            yield unit, play_unit(contest, unit)
        return
    spawn = multiprocessing.get_context("spawn")
    alive, end = spawn.Pipe(duplex=False)  # it closes when this process closes it or dies
    executor = ProcessPoolExecutor(workers, mp_context=spawn, initializer=_begin_worker, initargs=(alive,))
    try:
        futures = {executor.submit(play_unit, contest, unit): unit for unit in units}
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


def _begin_worker(alive: Connection) -> None:
    """Ctrl-C is for the process that a worker works for; a worker ends when that process says so or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()


def _end_with(alive: Connection) -> None:
    wait([alive])
    os._exit(1)
