"""Reports as tables."""

from collections.abc import Sequence
from html import escape
from typing import Any

from dig_envs.arena.plots import new_axes
from dig_envs.arena.show import USAGE_COLUMNS, print_lines, rich_table, usage_rows, version_and_machine
from dig_envs.benchmark.cooperation import CrossPlay
from dig_envs.benchmark.exploiting import ExploitReport
from dig_envs.benchmark.report import AGGREGATES, Report
from dig_envs.text.html import html_lines, html_table
from dig_envs.text.markdown import markdown_table

Table = tuple[list[str], list[list[str]]]  # headings, rows
HEADINGS = ("interquartile mean", "mean", "median", "gap to the reference")  # of the aggregates


def table(reports: Sequence[Report]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows: the aggregates first, then the tasks; a column for each agent."""
    rows = []
    for key, heading in zip(AGGREGATES, HEADINGS, strict=True):
        rows.append([heading, *(report.aggregates[key].rounded(1) + ("" if report.complete else " *") for report in reports)])
    played = [{result.definition["task"]: result for result in report.tasks} for report in reports]
    for name in dict.fromkeys(name for tasks in played for name in tasks):
        rows.append([name, *(tasks[name].normalised.rounded(1) if name in tasks else "–" for tasks in played)])
    if any(report.memory for report in reports):
        rows.append(["tasks that need a memory, mean", *(report.memory.rounded(1) if report.memory else "–" for report in reports)])
    return ["", *(report.agent["agent"] for report in reports)], rows


def ratings(reports: Sequence[Report]) -> Table:
    """Return headings and rows of the ratings against the populations: a row for each task, a column for each agent."""
    played = [{result.definition["task"]: result for result in report.tasks if result.elo} for report in reports]
    rows = []
    for name in dict.fromkeys(name for tasks in played for name in tasks):
        found = [tasks[name].elo if name in tasks else None for tasks in played]
        rows.append([name, *(elo.rounded(0) if elo else "–" for elo in found)])
    return ["Elo (the scripted player has 1000)", *(report.agent["agent"] for report in reports)], rows


def partners(reports: Sequence[Report]) -> Table:
    """Return headings and rows of the scores with partners in cooperative games."""
    rows = []
    for report in reports:
        for result in report.tasks:
            for member in result.population:
                if member.elo is None:
                    row = [report.agent["agent"], result.definition["task"], member.agent]
                    rows.append([*row, member.points.rounded(2), result.score.rounded(2)])
    return ["agent", "task", "partner", "score with it", "score with itself"], rows


def splits(reports: Sequence[Report]) -> Table:
    """Return headings and rows of the splits into training and test."""
    rows = []
    for report in reports:
        for split in report.splits:
            values = [one.rounded(1) for one in (split.train, split.test, split.gap)]
            seen = "–" if split.trained is None else ", ".join(split.trained) or "none of them"
            rows.append([report.agent["agent"], split.split, split.varies, *values, seen])
    return ["agent", "split", "differs in", "train", "test", "gap", "trained on, by its card"], rows


def language_models(reports: Sequence[Report]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of what language models took: a row for each task of each of them."""
    rows = []
    for report in reports:
        for result in report.tasks:
            if result.usage:
                name = result.definition["task"]
                strength, (row,) = result.normalised.rounded(1), usage_rows({name: result.usage}, {name: result.games})
                rows.append([report.agent["agent"], name, strength, *row[1:]])
    return ["agent", "task", "strength", *USAGE_COLUMNS[1:]], rows


def title(reports: Sequence[Report]) -> str:
    """Return the title: which suite it is."""
    suite = reports[0].suite
    which = f"suite {suite['name']} of version {suite['version']} ({suite['sha256'][:12]})"
    return f"dig_envs benchmark, {which}; random = 0, reference = 100"


def notes(reports: Sequence[Report]) -> list[str]:
    """Return the notes that are needed to read the table."""
    lines = ["95 % intervals over deals."]
    for report in reports:
        if not report.complete:
            lines.append(
                f"* {report.agent['agent']} played {len(report.tasks)} of {report.suite['tasks']} tasks: its aggregates are over "
                "these alone and cannot be compared with others'."
            )
        given_up = {result.definition["task"]: result.forfeits for result in report.tasks if result.forfeits}
        if given_up:
            games = ", ".join(f"{task} {count}" for task, count in given_up.items())
            lines.append(f"{report.agent['agent']} gave up games, which count as lost: {games}.")
    return lines


def as_markdown(reports: Sequence[Report]) -> str:
    """Return the table and how it was made, for a README."""
    head, rows = table(reports)
    more = [markdown_table(*found) for found in (ratings(reports), partners(reports), splits(reports)) if found[1]]
    commands = "\n".join(f"- `{report.command}` ({how_made(report)})" for report in reports)
    models = [markdown_table(*language_models(reports))] if language_models(reports)[1] else []
    return "\n\n".join([f"**{title(reports)}**", markdown_table(head, rows), *more, *models, " ".join(notes(reports)), commands])


def how_made(report: Report) -> str:
    """Return version, machine and date of a measurement."""
    return version_and_machine(report.versions["dig_envs"], report.machine)


def as_html(report: Report) -> str:
    """Return the tables and notes of one report, for a notebook."""
    shown = [f"<b>{escape(title([report]))}</b>", html_table(*table([report]))]
    if language_models([report])[1]:
        shown.append(html_table(*language_models([report])))
    return "".join(shown) + html_lines([*notes([report]), f"{report.command} ({how_made(report)})"])


def plot(report: Report, axes: Any = None) -> Any:
    """Draw how the agent does in each task on axes of matplotlib, and return these; None: new ones."""
    axes = new_axes((8, 1.2 + 0.3 * len(report.tasks))) if axes is None else axes
    tasks = report.tasks[::-1]
    values = [task.normalised for task in tasks]
    errors = [[value.mean - value.low for value in values], [value.high - value.mean for value in values]]
    axes.errorbar([value.mean for value in values], range(len(tasks)), xerr=errors, fmt="o", color="#2a6f97", capsize=3)
    axes.set_yticks(range(len(tasks)), [task.definition["task"] for task in tasks])
    for mark in (0, 100):
        axes.axvline(mark, color="0.5", linewidth=1, linestyle="--")
    axes.set_xlabel("0: random player, 100: reference; 95 % intervals")
    axes.set_title(report.agent["agent"], fontsize="small")
    axes.grid(axis="x", alpha=0.3)
    return axes


def print_reports(reports: Sequence[Report], console: Any) -> None:
    """Print title, table and notes on a Rich console."""
    console.print(rich_table(title(reports), *table(reports)))
    for heading, found in (("ratings", ratings(reports)), ("partners", partners(reports)), ("generalisation", splits(reports))):
        if found[1]:
            console.print(rich_table(heading, *found))
    if language_models(reports)[1]:
        console.print(rich_table("language models", *language_models(reports)))
    print_lines(notes(reports), console)


# ---------------------------------------------------------------- other reports


def exploitation(report: ExploitReport) -> Table:
    """Return headings and rows of an exploitation: a row for each exploiter, the better one of a task with its gain."""
    rows = []
    for task in report.tasks:
        for answer in task.answers:
            gain = task.gain.percent() if answer.kind == task.best else ""
            rows.append([task.definition["task"], answer.kind, answer.budget, answer.share.percent(), gain])
        rows += [[task.definition["task"], kind, "–", why, ""] for kind, why in task.left_out.items()]
    return ["task", "exploiter", "budget", "its share of the victory", "gain: at least so exploitable"], rows


def print_exploitation(report: ExploitReport, console: Any) -> None:
    """Print how much exploiters win against an agent on a Rich console."""
    console.print(rich_table(f"exploiters of {report.agent['agent']}", *exploitation(report)))
    print_lines([f"{name}: {why}" for name, why in report.refused.items()], console)


def matrix(report: CrossPlay) -> Table:
    """Return headings and rows of a cross-play matrix."""
    names = [agent["agent"] for agent in report.agents]
    return ["", *names], [[name, *(one.rounded(2) for one in row)] for name, row in zip(names, report.scores, strict=True)]


def cross_play_lines(report: CrossPlay) -> list[str]:
    """Return the summary of a cross-play matrix, for people."""
    lines = [f"self-play {report.self_play.rounded(2)}"]
    if report.cross_play is not None and report.gap is not None:
        lines += [f"cross-play {report.cross_play.rounded(2)}", f"self-play less cross-play {report.gap.rounded(2)}"]
    return [*lines, f"with the scripted player {report.with_scripted.rounded(2)}"]


def print_cross_play(report: CrossPlay, console: Any) -> None:
    """Print a cross-play matrix on a Rich console."""
    console.print(rich_table(f"{report.task['task']}: mean scores of partners, {report.deals} deals", *matrix(report)))
    print_lines(cross_play_lines(report), console)
