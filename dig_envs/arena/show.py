"""Reports as tables and pictures."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.arena.entrants import OTHER_OPTIONS
from dig_envs.arena.machine import made_on
from dig_envs.arena.plots import axes_for_file, kinds_of_pictures, new_axes, save
from dig_envs.arena.ratings import PRIOR
from dig_envs.arena.report import MEAN, Report
from dig_envs.arena.schedule import BLOCK, Form
from dig_envs.engine.core.files import check_writable
from dig_envs.engine.core.texts import clean_text, escaped_text
from dig_envs.registry import is_environment, load_game
from dig_envs.text.html import html_lines, html_table, html_words

WIDE = 110  # characters that the tables need with intervals beside the means
BORDER = 3  # characters between two columns


def elo(value: Interval | None) -> str:
    """A rating as text, such as ``812 [700, 931]``."""
    assert value is not None
    return (
        "0"
        if value.low == value.high == 0
        else f"{value.mean:.0f} [{value.low:.0f}, {value.high:.0f}]"
    )


def number(value: Interval) -> str:
    """A number as text, such as ``2.64 [2.57, 2.71]``; with one decimal from 20 on."""
    return value.rounded(2 if max(abs(value.low), abs(value.high)) < 20 else 1)


def sure(value: float) -> str:
    """A probability as text that never says 100 %."""
    return "> 99.9 %" if value > 0.999 else f"{100 * value:.1f} %"


def tables(report: Report) -> Iterator["Table"]:
    """Yield title, headings and rows of each table."""
    zero = "mean" if report.anchor == MEAN else report.anchor
    standings, pairs = [], []
    for s in report.standings:
        if s.points is None:
            cells = {"score": number(s.score), "won": s.wins.percent()}
        else:
            cells = {f"Elo ({zero} = 0)": elo(s.elo), "points": f"{100 * s.points:.1f} %"}
            cells |= {"won": s.wins.percent(), "score": number(s.score)}
        standings.append({"": str(s.rank), "agent": s.agent, **cells, "games": str(s.games)})
    for c in report.comparisons:
        if c.points is None:
            cells = {"score, difference": number(c.score), "won, difference": c.wins.percent()}
        else:
            cells = {
                "points": c.points.percent(),
                "Elo, difference": elo(c.elo),
                "score, difference": number(c.score),
            }
        pairs.append(
            {"agent": c.agents[0], "against": c.agents[1], **cells, "better": sure(c.ahead)}
        )
    for title, rows in (("standings", standings), ("pairs", pairs)):
        yield title, list(rows[0]), [list(row.values()) for row in rows]
    if report.usage:
        yield (
            "language models",
            USAGE_COLUMNS,
            usage_rows(report.usage, {s.agent: s.games for s in report.standings}),
        )


USAGE_COLUMNS = (
    "agent",
    "decisions",
    "answers that were no legal action",
    "random instead",
    "tokens in a game",
    "cost of a game",
)


def usage_rows(
    usage: Mapping[str, Mapping[str, float]], games: Mapping[str, int]
) -> list[list[str]]:
    """The rows of the table of language models, under ``USAGE_COLUMNS``; ``games``: of each
    agent."""
    rows = []
    for agent, numbers in usage.items():
        decisions, requests = (numbers.get(name, 0) for name in ("decisions", "requests"))
        wrong = {name: numbers.get(name, 0) for name in ("ambiguous", "illegal", "unreadable")}
        share = f"{100 * sum(wrong.values()) / max(requests, 1):.1f} % of {requests:.0f} answers"
        kinds = ", ".join(f"{number:.0f} {name}" for name, number in wrong.items() if number)
        tokens = numbers.get("prompt_tokens", 0) + numbers.get("answer_tokens", 0)
        count = max(games[agent], 1)
        cost = f"{numbers['cost'] / count:.4f}" if numbers.get("cost") else "–"
        random = f"{numbers.get('random_actions', 0):.0f}"
        rows.append(
            [
                agent,
                f"{decisions:.0f}",
                f"{share} ({kinds})" if kinds else share,
                random,
                f"{tokens / count:,.0f}",
                cost,
            ]
        )
    return rows


def described_options(report: Report) -> dict[str, str]:
    """The number of players and the options that differ from the default, as typed in a command."""
    settings = report.settings
    if not is_environment(settings["environment"]):
        return {name: str(value) for name, value in settings["options"].items()}
    game = load_game(settings["environment"])
    defaults = game.complete_options({})
    shown = {}
    for option in game.options:
        value = settings["options"].get(option.name, defaults[option.name])
        if option.name == "num_players" or value != defaults[option.name]:
            plain = tuple(value) if isinstance(value, list) else value
            shown[option.name] = next(
                (text for text, known in option.by_text().items() if known == plain), str(value)
            )
    return shown


def title(report: Report) -> str:
    """The title of a report: the environment and its options."""
    options = ", ".join(f"{name}={value}" for name, value in described_options(report).items())
    first = report.settings["seed"]
    who = (
        "each agent"
        if report.cooperative
        else "each table of different agents"
        if of_tables(report)
        else "each pair"
    )
    games = report.deals * report.games_per_deal
    return (
        f"{report.settings['environment']}, {options}: {games} games of {who} on {report.deals} "
        f"deals (seeds {first} to {first + report.deals - 1})"
    )


def of_tables(report: Report) -> bool:
    """Whether as many different agents sat at a table as there are seats."""
    return report.settings.get("form") == Form.TABLES


def notes(report: Report) -> list[str]:
    """The notes that readers of the tables need."""
    if report.cooperative:
        lines = [
            (
                "Each agent plays all seats, on the same deals; differences are taken deal by "
                "deal. 95 % intervals."
            )
        ]
        return lines + forfeits(report)
    equal = 100 / int(report.settings["options"]["num_players"]) if of_tables(report) else 50
    lines = [
        "Points: 1 for each opponent that the agent is placed before, half for a tie, as a share "
        "of the most that is possible. Won: the share of the victory, 1/k for each of k winners; "
        f"{equal:.3g} % is an equal share. 95 % intervals."
    ]
    groups = {entry.group for entry in report.standings}
    if len(groups) > 1:
        names = [
            "{" + ", ".join(s.agent for s in report.standings if s.group == group) + "}"
            for group in sorted(groups)
        ]
        lines.append(
            f"Of {' > '.join(names)} each group took every point from the next one. The ratings "
            f"count {2 * PRIOR:g} tied game for each pair besides; without it the distance "
            "between the groups would be infinite, so that it is a lower bound."
        )
    return lines + forfeits(report)


def forfeits(report: Report) -> list[str]:
    """Lines that say which agents gave up how many games, and the first reason."""
    lines = []
    for entry in report.standings:
        if entry.forfeits:
            first = next((each for each in report.forfeits if each.agent == entry.agent), None)
            why = f"; the first, deal {first.deal}: {first.reason}" if first is not None else ""
            lines.append(
                f"{entry.agent} gave up {entry.forfeits} of {entry.games} games, which count as "
                f"lost{why}"
            )
    return lines


def command(report: Report) -> str:
    """The command that makes this report."""
    settings = report.settings
    words = [
        "dig-envs",
        "arena",
        settings["environment"],
        "--agents",
        ",".join(a["agent"] for a in settings["agents"]),
    ]
    words += ["--games", str(report.deals * report.games_per_deal), "--seed", str(settings["seed"])]
    for name, value in described_options(report).items():
        words += ["-o", f"{name}={value}"]
    if of_tables(report):
        words.append("--tables")
    if any(OTHER_OPTIONS in agent for agent in settings["agents"]):
        words.append("--allow-unfamiliar")
    if settings["block"] != BLOCK:
        words += ["--block", str(settings["block"])]
    usual = MEAN if "random" not in (a["agent"] for a in settings["agents"]) else "random"
    if report.anchor not in (None, usual):
        words += ["--anchor", str(report.anchor)]
    return shlex.join(words)


def version_and_machine(version: str, machine: Mapping[str, Any]) -> str:
    """The version of the package, and machine and date if they are known, in words."""
    return "; ".join(filter(None, [f"dig_envs {version}", made_on(machine)]))


def as_html(report: Report) -> str:
    """The tables and notes as HTML for a notebook."""
    made = f"{command(report)} ({version_and_machine(report.settings['dig_envs'], report.machine)})"
    return html_of(title(report), tables(report), [*notes(report), made])


def print_report(report: Report, console: Any) -> None:
    """Print title, tables and notes on a Rich console."""
    from dig_envs.text.console import say

    say(title(report), console)
    print_tables(tables(report), notes(report), console)


def draw(report: Report, path: Path) -> None:
    """Draw a picture of the standings: Elo, or in a cooperative game the score, with intervals.

    Raises:
        ImportError: matplotlib is not installed.
    """
    axes = axes_for_file((8, 1.2 + 0.4 * len(report.standings)))
    plot(report, axes)
    save(axes, path)


def plot(report: Report, axes: Any = None) -> Any:
    """Draw the standings on axes of matplotlib, and return these; None: new ones."""
    values = {entry.agent: entry.elo or entry.score for entry in report.standings}
    label = "mean score" if report.cooperative else drawn_name(f"Elo ({report.anchor} = 0)")
    return draw_intervals(axes, values, title(report), label)


# ---------------------------------------------------------------- any report

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # title, headings, rows


def html_of(title: str, tables: Iterable[Table], lines: Sequence[str]) -> str:
    """The tables of a report and the lines below them, as HTML for a notebook."""
    shown = [f"<b>{html_words(title)}</b>", *(html_table(head, rows) for _, head, rows in tables)]
    return "".join(shown) + html_lines(lines)


def print_tables(tables: Iterable[Table], lines: Iterable[str], console: Any) -> None:
    """Print tables and lines on a Rich console; words stay whole if those of all columns fit."""
    from rich.table import Table as RichTable
    from rich.text import Text

    from dig_envs.text.console import say

    for title, headings, rows in tables:
        shown = RichTable(title=Text(escaped_text(title)), title_justify="left", show_edge=False)
        columns = zip(headings, *rows, strict=True)
        words = [max([0, *map(len, " ".join(column).split())]) for column in columns]
        fit = sum(words) + BORDER * len(words) <= console.width
        for heading, least in zip(headings, words, strict=True):
            text = Text(escaped_text(heading))
            shown.add_column(text, overflow="fold", min_width=least if fit else None)
        for row in rows:
            before = "\n" if console.width < WIDE else " "
            shown.add_row(*(Text(escaped_text(cell.replace(" [", f"{before}["))) for cell in row))
        console.print(shown, "")
    for line in lines:
        say(line, console)


def draw_intervals(axes: Any, values: Mapping[str, Interval], title: str, label: str) -> Any:
    """Draw means with intervals on axes of matplotlib, the first one on top, and return the axes;
    None: new ones."""
    axes = new_axes((8, 1.2 + 0.4 * len(values))) if axes is None else axes
    names, drawn = [drawn_name(name) for name in values][::-1], list(values.values())[::-1]
    errors = [
        [value.mean - value.low for value in drawn],
        [value.high - value.mean for value in drawn],
    ]
    axes.errorbar(
        [value.mean for value in drawn],
        range(len(names)),
        xerr=errors,
        fmt="o",
        color="#2a6f97",
        capsize=3,
    )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel(label)
    axes.set_title(drawn_name(title, 200), fontsize="small")
    axes.grid(axis="x", alpha=0.3)
    return axes


def drawn_name(text: str, most: int = 60) -> str:
    """A text for matplotlib, which reads a text between dollar signs as a formula."""
    return clean_text(text, most).replace("$", r"\$")


def check_picture(path: Path) -> None:
    """Raise ImportError, ValueError or OSError if no picture can be drawn there."""
    kinds = kinds_of_pictures()
    if path.suffix.removeprefix(".") not in kinds:
        raise ValueError(f"{path} names no kind of picture: end it with .{', .'.join(kinds)}")
    check_writable(path)
