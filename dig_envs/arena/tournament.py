"""An arena from beginning to end: checks, playing (or going on), and the report."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from dig_envs.agents.own import OwnAgent, name_of
from dig_envs.agents.protocol import Agent
from dig_envs.agents.sealed import PYTHON, ending_processes
from dig_envs.arena.entrants import describe, load_entrants
from dig_envs.arena.machine import machine_now
from dig_envs.arena.play import ArenaSetup, play_units
from dig_envs.arena.report import MEAN, Report, check_anchor, round_robin, teams
from dig_envs.arena.results import ResultsFile, UnitResult, agents_first
from dig_envs.arena.schedule import (
    BLOCK,
    MOST_GAMES,
    MOST_WORKERS,
    Form,
    Unit,
    number_of_deals,
    seatings,
    units,
)
from dig_envs.engine.core.checks import check_integer, check_seed
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game

Progress = Callable[[int, int], None]
Player = Callable[[Sequence[Unit]], Generator[tuple[Unit, UnitResult], None, None]]


def run(
    environment: str,
    agents: Sequence[str | Agent],
    games: int = 200,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    *,
    workers: int = 1,
    cluster: str | None = None,
    block: int = BLOCK,
    results: Path | None = None,
    anchor: str | None = None,
    tables: bool = False,
    allow_unfamiliar: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Let agents play each other and return a report with their ratings; the README of
    ``dig_envs.arena`` explains the method.

    With several workers, call it under ``if __name__ == "__main__":``, because each worker imports
    the main module.

    Args:
        environment: such as ``fossil_canyon_v0``.
        agents: two or more: names as :func:`dig_envs.load_agent` takes them, a user's own code as
            ``python:MODULE:NAME`` (:class:`dig_envs.agents.sealed.SealedAgent`), or objects with a
            method ``act_batch``, or ``act``, which is slow. Objects play as they are, under the
            name of their attribute ``name``; their games are played in this process (``workers=1``)
            and cannot be kept in ``results``.
        games: least number of games of each pair (rounded up: each deal, a seeded start of a game,
            is played in all seatings); in a cooperative game, of each agent; with ``tables``, of
            each table. It may be raised later, with the same file of results.
        seed: deal d is dealt from ``seed + d``.
        options: options of the game, by name.
        workers: number of processes; the report does not depend on it.
        cluster: address of a Ray cluster that plays instead
            (:func:`dig_envs.arena.cluster.connect`); same report.
        block: deals that a pair plays at a time. An interruption loses at most one block for each
            worker.
        results: file to which games are appended, and from which a later call resumes. Agents may
            be added later, or left out.
        anchor: the agent whose Elo is 0, or ``mean``; default: the player ``random`` if it takes
            part, else ``mean``.
        tables: if True, each game has a different agent in every seat, for all groups of agents;
            otherwise pairs play.
        allow_unfamiliar: let policies play with options that they were not trained for.
        progress: called with the number of finished games and of all games, at the beginning and
            after each block.

    Raises:
        ArenaError: fewer than two agents, or than a table needs, one named twice, tables in a
            cooperative game, a policy trained for other options, ``results`` has results of other
            settings, or objects are to play in workers.
        PlayerError, IllegalActionError: a user's code, or an object, chooses what is not legal, or
            cannot play.
        ValueError: an unknown environment, agent or number.
        TypeError: a number that is not an integer, or something that is no agent.
        PolicyMismatchError: a policy for another environment, version, observation or actions.
        OptionError: for bad options.
        OSError: ``results`` cannot be written, or (ConnectionError) there is no cluster.
    """
    game = load_game(environment)
    for name, number, most in (
        ("games", games, MOST_GAMES),
        ("workers", workers, MOST_WORKERS),
        ("block", block, MOST_GAMES),
    ):
        check_integer(number, name, 1, most)
    seed = check_seed(seed)
    complete = game.complete_options(options or {})
    _check_own(agents, cluster, results)
    entrants = load_entrants(game, agents, complete, allow_unfamiliar)
    objects = {
        name: entrants[name]
        for name, one in zip(entrants, agents, strict=True)
        if not isinstance(one, str)
    }
    if workers > 1 and objects:
        raise ArenaError(
            f"agent {next(iter(objects))} plays in this process alone, as copies would draw the "
            f"same random numbers in every process: use workers=1, or give its name, such as "
            f"{PYTHON}MODULE:NAME"
        )
    if anchor is None and isinstance(entrants.get("random"), OwnAgent):
        anchor = MEAN  # it is not the player of that name
    if game.cooperative and tables:
        raise ArenaError(f"{game.env_name} is cooperative: each agent plays all seats")
    if not game.cooperative:
        check_anchor(list(entrants), anchor)
    names = agents_first(results, list(entrants))
    form = Form.TABLES if tables else Form.TEAMS if game.cooperative else Form.PAIRS
    setup = ArenaSetup(game.env_name, complete, tuple(names), seed, form, objects=objects)
    settings = describe(game, {name: entrants[name] for name in names}, complete, seed, block)
    if tables:
        settings["form"] = str(form)
    needed = form.contestants(setup.num_seats)
    if len(names) < needed:
        raise ArenaError(f"a table of different agents needs {needed} of them, not {len(names)}")
    deals = number_of_deals(games, setup.num_seats, form)
    schedule = list(units(len(names), deals, block, setup.num_seats, form))
    with ending_processes():
        played = play_all(setup, schedule, settings, workers, results, progress, cluster)
    if game.cooperative:
        report = teams(settings, played, deals)
    else:
        report = round_robin(settings, played, setup.num_seats, deals, anchor, form)
    return replace(report, machine=machine_now())


def _check_own(agents: Sequence[Any], cluster: str | None, results: Path | None) -> None:
    """Raise ArenaError for agents that are not known by their names where these have to do."""
    for agent in agents:
        by_name = isinstance(agent, str)
        if cluster and (not by_name or agent.startswith(PYTHON)):
            where, instead = "on other machines", ""
        elif results and not by_name:
            where = "to a later call that goes on with these results"
            instead = f", or name its code, {PYTHON}MODULE:NAME"
        else:
            continue
        name = agent if by_name else name_of(agent)
        raise ArenaError(
            f"agent {name} is not known by its name {where}: save it as a policy "
            f"(dig_envs.save_policy){instead}"
        )


def play_all(
    setup: ArenaSetup,
    schedule: Sequence[Unit],
    settings: Mapping[str, Any],
    workers: int = 1,
    results: Path | None = None,
    progress: Progress | None = None,
    cluster: str | None = None,
) -> dict[Unit, UnitResult]:
    """Play the units of a schedule and return their results; with a file of results only units that
    are not in it are played.

    Raises:
        ArenaError: the file has results of other settings, or a worker died.
        OSError: the file cannot be written, or (ConnectionError) there is no cluster.
    """
    per_deal, contestants = (
        len(seatings(setup.num_seats, setup.form)),
        setup.form.contestants(setup.num_seats),
    )
    tell = progress or (lambda done, total: None)
    with (
        nullcontext()
        if results is None
        else ResultsFile(results, settings, setup.num_seats, per_deal, contestants) as file
    ):
        done = (
            {}
            if file is None
            else {unit: file.done[unit] for unit in schedule if unit in file.done}
        )
        total = sum(len(unit.deals) for unit in schedule) * per_deal
        count = sum(len(unit.deals) for unit in done) * per_deal
        tell(count, total)
        play = _player(setup, workers, cluster, settings)
        with closing(play([unit for unit in schedule if unit not in done])) as news:
            for unit, result in news:
                if file is not None:
                    file.append(unit, result)
                done[unit] = result
                count += len(unit.deals) * per_deal
                tell(count, total)
    return done


def _player(
    setup: ArenaSetup, workers: int, cluster: str | None, settings: Mapping[str, Any]
) -> Player:
    """A function that plays units, in processes here or on the cores of a cluster."""
    if cluster is None:
        return lambda units: play_units(setup, units, workers)
    from dig_envs.arena.cluster import play_units_on_cluster

    return lambda units: play_units_on_cluster(setup, units, cluster, settings)
