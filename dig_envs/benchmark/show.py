"""Reports as tables."""

from collections.abc import Sequence
from html import escape
from typing import Any

from dig_envs.arena.plots import new_axes
from dig_envs.arena.show import USAGE_COLUMNS, print_lines, rich_table, usage_rows, version_and_machine
from dig_envs.benchmark.report import AGGREGATES, Report
from dig_envs.text.html import html_lines, html_table
from dig_envs.text.markdown import markdown_table

HEADINGS = ("interquartile mean", "mean", "median", "gap to the reference")  # of the aggregates


def table(reports: Sequence[Report]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows: the aggregates first, then the tasks; a column for each agent."""
    rows = []
    for key, heading in zip(AGGREGATES, HEADINGS, strict=True):
        rows.append([heading, *(report.aggregates[key].rounded(1) + ("" if report.complete else " *") for report in reports)])
    played = [{result.definition["task"]: result for result in report.tasks} for report in reports]
    for name in dict.fromkeys(name for tasks in played for name in tasks):
        rows.append([name, *(tasks[name].normalised.rounded(1) if name in tasks else "–" for tasks in played)])
    return ["", *(report.agent["agent"] for report in reports)], rows


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
    return lines


def as_markdown(reports: Sequence[Report]) -> str:
    """Return the table and how it was made, for a README."""
    head, rows = table(reports)
    commands = "\n".join(f"- `{report.command}` ({how_made(report)})" for report in reports)
    models = [markdown_table(*language_models(reports))] if language_models(reports)[1] else []
    return "\n\n".join([f"**{title(reports)}**", markdown_table(head, rows), *models, " ".join(notes(reports)), commands])


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
    if language_models(reports)[1]:
        console.print(rich_table("language models", *language_models(reports)))
    print_lines(notes(reports), console)
