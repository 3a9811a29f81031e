"""Reports as tables."""

from collections.abc import Iterable, Sequence
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.arena.show import (
    USAGE_COLUMNS,
    Table,
    draw_intervals,
    html_of,
    print_tables,
    usage_rows,
    version_and_machine,
)
from dig_envs.benchmark.cooperation import CrossPlay
from dig_envs.benchmark.exploiting import ExploitReport
from dig_envs.benchmark.report import AGGREGATES, Report
from dig_envs.text.markdown import markdown_code, markdown_table, markdown_words

HEADINGS = ("interquartile mean", "mean", "median", "gap to the reference")  # of the aggregates


def tables(reports: Sequence[Report]) -> list[Table]:
    """Title, headings and rows of each table that has rows."""
    names = [report.agent["agent"] for report in reports]
    main = [*_aggregates(reports), *_by_task(reports, "normalised", 1)]
    if any(report.memory for report in reports):
        main.append(
            ["tasks that need a memory, mean", *(_cell(report.memory, 1) for report in reports)]
        )
    found: list[Table] = [
        (title(reports), ["", *names], main),
        ("ratings", ["Elo (the scripted player has 1000)", *names], _by_task(reports, "elo", 0)),
        (
            "partners",
            ["agent", "task", "partner", "score with it", "score with itself"],
            list(_partners(reports)),
        ),
        ("generalisation", SPLIT_HEADINGS, list(_splits(reports))),
        (
            "language models",
            ["agent", "task", "strength", *USAGE_COLUMNS[1:]],
            list(_language_models(reports)),
        ),
    ]
    return [table for table in found if table[2]]


SPLIT_HEADINGS = ["agent", "split", "differs in", "train", "test", "gap", "trained on, by its card"]


def _cell(value: Interval | None, digits: int) -> str:
    return "–" if value is None else value.rounded(digits)


def _aggregates(reports: Sequence[Report]) -> Iterable[list[str]]:
    """Yield a row for each aggregate, with a cell for each agent."""
    for key, heading in zip(AGGREGATES, HEADINGS, strict=True):
        yield [
            heading,
            *(
                report.aggregates[key].rounded(1) + ("" if report.complete else " *")
                for report in reports
            ),
        ]


def _by_task(reports: Sequence[Report], what: str, digits: int) -> list[list[str]]:
    """A row for each task in which an agent has this value, with a cell for each agent."""
    found = [
        {one.definition["task"]: getattr(one, what) for one in report.tasks} for report in reports
    ]
    names = dict.fromkeys(name for values in found for name, value in values.items() if value)
    return [[name, *(_cell(values.get(name), digits) for values in found)] for name in names]


def _partners(reports: Sequence[Report]) -> Iterable[list[str]]:
    """Yield the scores with partners in cooperative games."""
    for report in reports:
        for result in report.tasks:
            for member in result.population:
                if member.elo is None:
                    row = [report.agent["agent"], result.definition["task"], member.agent]
                    yield [*row, member.points.rounded(2), result.score.rounded(2)]


def _splits(reports: Sequence[Report]) -> Iterable[list[str]]:
    """Yield the splits into training and test."""
    for report in reports:
        for split in report.splits:
            values = [one.rounded(1) for one in (split.train, split.test, split.gap)]
            seen = "–" if split.trained is None else ", ".join(split.trained) or "none of them"
            yield [report.agent["agent"], split.split, split.varies, *values, seen]


def _language_models(reports: Sequence[Report]) -> Iterable[list[str]]:
    """Yield what language models took: a row for each task of each of them."""
    for report in reports:
        for result in report.tasks:
            if result.usage:
                name = result.definition["task"]
                (row,) = usage_rows({name: result.usage}, {name: result.games})
                yield [report.agent["agent"], name, result.normalised.rounded(1), *row[1:]]


def title(reports: Sequence[Report]) -> str:
    """The title, which names the suite."""
    suite = reports[0].suite
    which = f"suite {suite['name']} of version {suite['version']} ({suite['sha256'][:12]})"
    return f"dig_envs benchmark, {which}; random = 0, reference = 100"


def notes(reports: Sequence[Report]) -> list[str]:
    """The notes that readers of the table need."""
    lines = ["95 % intervals over deals."]
    for report in reports:
        if not report.complete:
            lines.append(
                f"* {report.agent['agent']} played {len(report.tasks)} of {report.suite['tasks']} "
                "tasks: its aggregates are over these alone and cannot be compared with others'."
            )
        given_up = {
            result.definition["task"]: result.forfeits for result in report.tasks if result.forfeits
        }
        if given_up:
            games = ", ".join(f"{task} {count}" for task, count in given_up.items())
            lines.append(f"{report.agent['agent']} gave up games, which count as lost: {games}.")
    return lines


def as_markdown(reports: Sequence[Report]) -> str:
    """The tables and how they were made, as Markdown."""
    shown = [
        markdown_table(
            [markdown_words(cell) for cell in head],
            ([markdown_words(cell) for cell in row] for row in rows),
        )
        for _, head, rows in tables(reports)
    ]
    said = [markdown_words(line) for line in notes(reports)]
    commands = "\n".join(
        f"- {markdown_code(report.command)} ({how_made(report)})" for report in reports
    )
    return "\n\n".join([f"**{title(reports)}**", *shown, " ".join(said), commands])


def how_made(report: Report) -> str:
    """Version, machine and date of a measurement."""
    return version_and_machine(report.versions["dig_envs"], report.machine)


def as_html(report: Report) -> str:
    """The tables and notes of one report, as HTML for a notebook."""
    lines = [*notes([report]), f"{report.command} ({how_made(report)})"]
    return html_of(title([report]), tables([report]), lines)


def plot(report: Report, axes: Any = None) -> Any:
    """Draw how the agent does in each task on axes of matplotlib, and return these; None: new
    ones."""
    values = {task.definition["task"]: task.normalised for task in report.tasks}
    axes = draw_intervals(
        axes, values, report.agent["agent"], "0: random player, 100: reference; 95 % intervals"
    )
    for mark in (0, 100):
        axes.axvline(mark, color="0.5", linewidth=1, linestyle="--")
    return axes


def print_reports(reports: Sequence[Report], console: Any) -> None:
    """Print tables and notes on a Rich console."""
    print_tables(tables(reports), notes(reports), console)


# ---------------------------------------------------------------- other reports


def exploitation(report: ExploitReport) -> Table:
    """The table of an exploitation, with a row for each exploiter; the better one of a task shows
    its gain."""
    rows = []
    for task in report.tasks:
        for answer in task.answers:
            gain = task.gain.percent() if answer.kind == task.best else ""
            rows.append(
                [task.definition["task"], answer.kind, answer.budget, answer.share.percent(), gain]
            )
        rows += [
            [task.definition["task"], kind, "–", why, ""] for kind, why in task.left_out.items()
        ]
    head = [
        "task",
        "exploiter",
        "budget",
        "its share of the victory",
        "gain: at least so exploitable",
    ]
    return f"exploiters of {report.agent['agent']}", head, rows


def print_exploitation(report: ExploitReport, console: Any) -> None:
    """Print how much exploiters win against an agent on a Rich console."""
    print_tables(
        [exploitation(report)], [f"{name}: {why}" for name, why in report.refused.items()], console
    )


def matrix(report: CrossPlay) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of a cross-play matrix."""
    names = [agent["agent"] for agent in report.agents]
    return ["", *names], [
        [name, *(one.rounded(2) for one in row)]
        for name, row in zip(names, report.scores, strict=True)
    ]


def cross_play_lines(report: CrossPlay) -> list[str]:
    """The summary of a cross-play matrix, in lines."""
    lines = [f"self-play {report.self_play.rounded(2)}"]
    if report.cross_play is not None and report.gap is not None:
        lines += [
            f"cross-play {report.cross_play.rounded(2)}",
            f"self-play less cross-play {report.gap.rounded(2)}",
        ]
    return [*lines, f"with the scripted player {report.with_scripted.rounded(2)}"]


def print_cross_play(report: CrossPlay, console: Any) -> None:
    """Print a cross-play matrix on a Rich console."""
    title = f"{report.task['task']}: mean scores of partners, {report.deals} deals"
    print_tables([(title, *matrix(report))], cross_play_lines(report), console)
