"""Holding an arena: checks, playing (or going on), and the report."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import dig_envs
from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import Agent
from dig_envs.arena.play import Contest, play_units
from dig_envs.arena.report import Report, check_anchor, round_robin, teams
from dig_envs.arena.results import Played, ResultsFile, agents_first
from dig_envs.arena.schedule import BLOCK, Form, Unit, number_of_deals, seatings, units
from dig_envs.engine.checks import check_integer, check_seed
from dig_envs.engine.errors import ArenaError, OptionError
from dig_envs.engine.game import Game
from dig_envs.engine.loading import owner_of
from dig_envs.registry import load_game

CHOOSING_CODE = ("dig_envs.agents.loading", "dig_envs.agents.matches")  # with all that they import

Progress = Callable[[int, int], None]
Player = Callable[[Sequence[Unit]], Generator[tuple[Unit, Played], None, None]]


def run(
    environment: str,
    agents: Sequence[str],
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
    """Let agents play each other and rate them. The README of ``dig_envs.arena`` says how.

    With several workers, call it under ``if __name__ == "__main__":``, for the workers import the main module anew.

    Args:
        environment: such as ``fossil_canyon_v0``.
        agents: two or more, as :func:`dig_envs.load_agent` names them.
        games: of each pair at least (every deal is played in all seatings); in a cooperative game, of each agent; with ``tables``
            of each table. It may be raised later, with the same file of results.
        seed: deal d is dealt from ``seed + d``.
        options: of the game.
        workers: processes; the report does not depend on it.
        cluster: the address of a Ray cluster whose cores play instead (:func:`dig_envs.arena.cluster.connect`); nor on this.
        block: deals that a pair plays at a time. If it is interrupted, what is lost is at most one block for each worker.
        results: the file to which games are appended, and with whose games it goes on. Agents may be added later, and left out.
        anchor: the agent whose Elo is 0, or ``mean``; default: ``random`` if it takes part, else ``mean``.
        tables: as many different agents at each table as there are seats, all groups of them; otherwise pairs meet.
        allow_unfamiliar: let policies play with options that they were not trained for.
        progress: called with the number of games that are done and of all, at the beginning and after each unit.

    Raises:
        ArenaError: fewer than two agents, or than a table needs, one named twice, tables in a cooperative game, a policy trained
            for other options, or ``results`` has results of other settings.
        ValueError: an unknown environment, agent or number.
        TypeError: a number that is no integer.
        PolicyMismatchError: a policy for another environment, version, observation or actions.
        OptionError: for bad options.
        OSError: ``results`` cannot be written, or (ConnectionError) there is no cluster.
    """
    game = load_game(environment)
    for name, number in (("games", games), ("workers", workers), ("block", block)):
        check_integer(number, name, 1)
    check_seed(seed)
    complete = game.complete_options(options or {})
    loaded = check_agents(game, agents, complete, allow_unfamiliar)
    if not game.cooperative:
        check_anchor(agents, anchor)
    form = form_of(game, tables)
    agents = agents_first(results, agents)
    contest = Contest(game.env_name, complete, tuple(agents), seed, form)
    deals = number_of_deals(games, contest.num_seats, form)
    settings = describe(game, {name: loaded[name] for name in agents}, complete, seed, block)
    if form is Form.TABLES:
        settings["form"] = str(form)
    check_number(agents, contest.num_seats, form)
    schedule = list(units(len(agents), deals, block, contest.num_seats, form))
    played = play_all(contest, schedule, settings, workers, results, progress, cluster)
    if game.cooperative:
        return teams(settings, played, deals)
    return round_robin(settings, played, contest.num_seats, deals, anchor, form)


def form_of(game: Game, tables: bool) -> Form:
    """Who sits at a table; raises ArenaError for tables in a cooperative game."""
    if game.cooperative and tables:
        raise ArenaError(f"{game.env_name} is cooperative: each agent plays all seats")
    return Form.TABLES if tables else Form.TEAMS if game.cooperative else Form.PAIRS


def check_number(agents: Sequence[str], num_seats: int, form: Form) -> None:
    """Raise ArenaError if there are fewer agents than sit at a table."""
    needed = form.contestants(num_seats)
    if len(agents) < needed:
        raise ArenaError(f"a table of different agents needs {needed} of them, not {len(agents)}")


def play_all(
    contest: Contest,
    schedule: Sequence[Unit],
    settings: Mapping[str, Any],
    workers: int = 1,
    results: Path | None = None,
    progress: Progress | None = None,
    cluster: str | None = None,
) -> dict[Unit, Played]:
    """Play the units of a schedule; with a file of results those that are not in it yet.

    Raises:
        ArenaError: the file has results of other settings, or a worker died.
        OSError: the file cannot be written, or (ConnectionError) there is no cluster.
    """
    per_deal = len(seatings(contest.num_seats, contest.form))
    keeper = (
        nullcontext()
        if results is None
        else ResultsFile(results, settings, contest.num_seats, per_deal, contest.form.contestants(contest.num_seats))
    )
    with keeper as file:
        player = _player(contest, workers, cluster, settings)
        return _play(schedule, player, file, per_deal, progress or (lambda done, total: None))


def _player(contest: Contest, workers: int, cluster: str | None, settings: Mapping[str, Any]) -> Player:
    """What plays units: processes here, or the cores of a cluster."""
    if cluster is None:
        return lambda units: play_units(contest, units, workers)
    from dig_envs.arena.cluster import play_units_on_cluster

    return lambda units: play_units_on_cluster(contest, units, cluster, settings)


def _play(
    schedule: Sequence[Unit], play: Player, file: ResultsFile | None, per_deal: int, progress: Progress
) -> dict[Unit, Played]:
    """Play what is not in the file yet; returns all."""
    done = {unit: file.done[unit] for unit in schedule if unit in file.done} if file is not None else {}
    total = sum(len(unit.deals) for unit in schedule) * per_deal
    count = sum(len(unit.deals) for unit in done) * per_deal
    progress(count, total)
    with closing(play([unit for unit in schedule if unit not in done])) as news:
        for unit, played in news:
            if file is not None:
                file.append(unit, played)
            done[unit] = played
            count += len(unit.deals) * per_deal
            progress(count, total)
    return done


def describe(game: Game, agents: Mapping[str, Agent], options: Mapping[str, Any], seed: int, block: int) -> dict[str, Any]:
    """All that a game depends on; results are put together only if all of this is the same."""
    return {
        "environment": game.env_name,
        "options": dict(options),
        "agents": [describe_agent(name, agent) for name, agent in agents.items()],
        "seed": seed,
        "block": block,
        "dig_envs": dig_envs.__version__,
        "code": code_hash(game),
    }


def settled(agent: Agent, options: Mapping[str, Any]) -> Agent:
    """Who plays games with these options, where an agent stands for several (:class:`~dig_envs.agents.best.BestAgent`)."""
    chosen: Agent = agent.for_options(options) if hasattr(agent, "for_options") else agent
    return chosen


def describe_agent(name: str, agent: Agent) -> dict[str, str]:
    """An agent's name; of a policy also the hash of its weights, and of the best the name of the one that it is. (What else plays
    is part of the package's code.)"""
    found = {"agent": name}
    if name.rpartition("/")[2].startswith("best"):
        found["plays"] = agent.name
    card = card_of(agent)
    return {**found, "weights_sha256": card["weights_sha256"]} if card else found


def card_of(agent: Agent) -> dict[str, Any]:
    """The card of a policy, or of the policy that guides a search; empty for other agents."""
    card: dict[str, Any] = getattr(getattr(agent, "guide", None) or agent, "card", {})
    return card


def code_hash(game: Game) -> str | None:
    """Hash (16 hex digits) of the sources that decide how a game goes: its rules, and how agents choose; None without files."""
    owner = owner_of(game)
    own = (f"{game.package}.players",) if game.players else ()
    return replace(owner, modules=(*owner.modules, *CHOOSING_CODE, *own)).sources


def check_agents(game: Game, names: Sequence[str], options: Mapping[str, Any], allow_unfamiliar: bool) -> dict[str, Agent]:
    """Load the agents; raises as :func:`run` does."""
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ArenaError(f"named twice: {', '.join(twice)}")
    if len(names) < 2:
        raise ArenaError(f"an arena needs at least two agents, not {len(names)}")
    agents = {name: settled(load_agent(name, game.env_name), options) for name in names}
    for name, agent in agents.items():
        if hasattr(agent, "check_num_players"):
            agent.check_num_players([options["num_players"]])
        if not allow_unfamiliar:
            check_familiar(game, name, agent, options)
    return agents


def check_familiar(game: Game, name: str, agent: Agent, options: Mapping[str, Any]) -> None:
    """Raise ArenaError if a policy's card says that it was trained for other options (the number of players is one)."""
    different = []
    for case in trained_for(agent):
        try:
            complete = game.complete_options(case)
        except OptionError:
            continue
        if complete == options:
            return
        different.append(
            ", ".join(f"{key}={complete[key]} (here {options[key]})" for key in options if complete[key] != options[key])
        )
    if different:
        raise ArenaError(
            f"policy {name} was trained for other options: {' or '.join(dict.fromkeys(different))}; "
            "allow it with allow_unfamiliar (--allow-unfamiliar)"
        )


def trained_for(agent: Agent) -> list[dict[str, Any]]:
    """The options that a policy was trained for, as its card has them; empty if that is not known or the agent is no policy."""
    settings = card_of(agent).get("settings")
    games = settings.get("games") if isinstance(settings, dict) else None
    return [case for case in games if isinstance(case, dict)] if isinstance(games, list) else []
