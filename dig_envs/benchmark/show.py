"""Reports as tables."""

from collections.abc import Sequence
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.benchmark.report import AGGREGATES, Report
from dig_envs.tables import markdown_table

HEADINGS = ("interquartile mean", "mean", "median", "gap to the reference")  # of the aggregates


def shown(value: Interval) -> str:
    """Such as ``97.3 [94.1, 100.2]``."""
    mean, low, high = (round(part, 1) + 0.0 for part in (value.mean, value.low, value.high))  # no -0.0
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def table(reports: Sequence[Report]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: the aggregates first, then the tasks; a column for each agent."""
    rows = []
    for key, heading in zip(AGGREGATES, HEADINGS, strict=True):
        rows.append([heading, *(shown(report.aggregates[key]) + ("" if report.complete else " *") for report in reports)])
    played = [{result.definition["task"]: result for result in report.tasks} for report in reports]
    for name in dict.fromkeys(name for tasks in played for name in tasks):
        rows.append([name, *(shown(tasks[name].normalised) if name in tasks else "–" for tasks in played)])
    return ["", *(report.agent["agent"] for report in reports)], rows


def title(reports: Sequence[Report]) -> str:
    """Which suite it is."""
    suite = reports[0].suite
    which = f"suite {suite['name']} of version {suite['version']} ({suite['sha256'][:12]})"
    return f"dig_envs benchmark, {which}; random = 0, reference = 100"


def notes(reports: Sequence[Report]) -> list[str]:
    """What must be known to read the table."""
    lines = ["95 % intervals over deals."]
    for report in reports:
        if not report.complete:
            lines.append(
                f"* {report.agent['agent']} played {len(report.tasks)} of {report.suite['tasks']} tasks: its aggregates are over "
                "these alone and cannot be compared with others'."
            )
    return lines


def as_markdown(reports: Sequence[Report]) -> str:
    """The table and how it was made, for a README."""
    head, rows = table(reports)
    commands = "\n".join(f"- `{report.command}` (dig_envs {report.versions['dig_envs']})" for report in reports)
    return "\n\n".join([f"**{title(reports)}**", markdown_table(head, rows), " ".join(notes(reports)), commands])


def print_reports(reports: Sequence[Report], console: Any) -> None:
    """Title, table and notes on a Rich console."""
    from rich.table import Table

    head, rows = table(reports)
    shown_table = Table(title=title(reports), title_justify="left", show_edge=False)
    for heading in head:
        shown_table.add_column(heading, overflow="fold")
    for row in rows:
        shown_table.add_row(*(cell.replace("[", r"\[") for cell in row))
    console.print(shown_table)
    for line in notes(reports):
        console.print(line, highlight=False, markup=False)
