"""Agents against each other, with a bar that says how far it is: ``arena``, ``ladder``,
``exploit``, ``benchmark``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from rich.progress import Progress, TaskID

from dig_envs.agents.loading import close_agents
from dig_envs.agents.sealed import PYTHON
from dig_envs.arena import Report, run
from dig_envs.arena.show import check_picture, draw, print_report
from dig_envs.benchmark import measure
from dig_envs.benchmark.cooperation import cross_play
from dig_envs.benchmark.exploiting import exploit
from dig_envs.benchmark.held_out import committed_seeds
from dig_envs.benchmark.measuring import check_suite, load_everywhere
from dig_envs.benchmark.secrecy import hide_memory
from dig_envs.benchmark.show import as_markdown, print_cross_play, print_exploitation, print_reports
from dig_envs.commands.output import check_files, console, progress_bar, say, write_json, write_text
from dig_envs.engine.core.texts import clean_text

LONGEST = 80  # characters beside a bar


def task_of(bar: Progress, name: str) -> Callable[[int, int], None]:
    """A function that shows how much of a new task is done, of how much."""
    task = bar.add_task(name)
    return lambda done, total: bar.update(task, completed=done, total=total)


def hold_arena(
    env: str,
    agents: list[str],
    json_file: Path | None,
    picture: Path | None = None,
    **settings: Any,
) -> Report:
    """Hold an arena (``settings``: of :func:`dig_envs.arena.run`), print its report and write what
    is asked for."""
    check_files(json_file)
    if picture is not None:
        check_picture(picture)
    try:
        with progress_bar() as bar:
            report = run(env, agents, progress=task_of(bar, "games"), **settings)
    except KeyboardInterrupt:
        results = settings["results"]
        kept = (
            f"the games are kept in {results}: the same command goes on with them"
            if results
            else "no game was kept"
        )
        say(f"\nstopped; {kept}")
        raise typer.Exit(130) from None
    print_report(report, console)
    write_json(json_file, report.as_json())
    if picture is not None:
        draw(report, picture)
    return report


def measure_agents(
    agents: list[str],
    json_file: Path | None,
    markdown: Path | None,
    seeds: Path | None = None,
    **settings: Any,
) -> None:
    """Measure agents by a suite (``settings``: of :func:`dig_envs.benchmark.measure`), print that
    and write what is asked for.

    ``seeds``: the file of held-out seeds, which must be those of a commitment.
    """
    check_files(json_file, markdown)
    if seeds is not None:
        hide_memory()
        settings |= {"seeds": committed_seeds(seeds)}
    tasks = check_suite(settings["suite"], settings["tasks"])[1]
    for agent in agents[1:]:  # wrong names are told before the first plays; no code is run for that
        if not agent.startswith(PYTHON):
            close_agents(list(load_everywhere(agent, tasks)[0].values()))
    reports = []
    with progress_bar() as bar:
        task = bar.add_task("")
        for agent in agents:
            reports.append(
                measure(agent, progress=named_tasks(bar, task, f"{agent}: "), **settings)
            )
    print_reports(reports, console)
    write_json(json_file, [report.as_json() for report in reports])
    write_text(markdown, as_markdown(reports) + "\n")


def named_tasks(bar: Progress, task: TaskID, before: str = "") -> Callable[[str, int, int], None]:
    """A function that shows which of several tasks is played, and how much of it is done."""
    return lambda name, done, total: bar.update(
        task, description=clean_text(f"{before}{name}", LONGEST), completed=done, total=total
    )


def exploit_agent(agent: str, json_file: Path | None, **settings: Any) -> None:
    """Measure how exploitable an agent is (``settings``: of
    :func:`dig_envs.benchmark.exploiting.exploit`), print and write it."""
    check_files(json_file)
    with progress_bar() as bar:
        report = exploit(agent, progress=named_tasks(bar, bar.add_task("")), **settings)
    print_exploitation(report, console)
    write_json(json_file, report.as_json())


def pair_up(agents: list[str], json_file: Path | None, **settings: Any) -> None:
    """Play the cross-play matrix (``settings``: of
    :func:`dig_envs.benchmark.cooperation.cross_play`), print and write it."""
    check_files(json_file)
    with progress_bar() as bar:
        report = cross_play(agents, progress=named_tasks(bar, bar.add_task("")), **settings)
    print_cross_play(report, console)
    write_json(json_file, report.as_json())
