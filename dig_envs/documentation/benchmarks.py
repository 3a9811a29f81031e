"""Tables and charts of what the benchmark measured, made from the reports in ``dig_envs/documentation/results``.

* ``leaderboard``: submissions that ``dig-envs benchmark submit`` has checked
* ``exploiters``: ``dig-envs benchmark exploit … --json``
* ``cooperation.json``: ``dig-envs benchmark cooperation … --json``
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dig_envs.agents.onnx import read_card
from dig_envs.agents.zoo import zoo_policies
from dig_envs.arena.machine import made_on
from dig_envs.benchmark.cooperation import CrossPlay
from dig_envs.benchmark.exploiting import Answer, Exploited, ExploitReport
from dig_envs.benchmark.leaderboard import make_rows, read_submission, tables
from dig_envs.benchmark.report import Report
from dig_envs.benchmark.show import as_markdown, cross_play_lines, matrix
from dig_envs.benchmark.suite import SUITES
from dig_envs.documentation.charts import Bar, chart
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table

RESULTS = Path(__file__).parent / "results"
SUBMISSIONS = RESULTS / "leaderboard"
OWN = ("random", "heuristic", "best")  # players of this package, as the page about strength compares them


# ---------------------------------------------------------------- strength


@cache
def leaderboard_rows() -> list[dict[str, Any]]:
    """Return the rows of the leaderboard; raises BenchmarkError if a submission is not as it should be."""
    return make_rows(SUBMISSIONS)


def leaderboard_tables() -> str:
    """Return the leaderboard as Markdown."""
    return tables(leaderboard_rows())


@cache
def strength_reports() -> list[Report]:
    """Return the reports of this package's players: of the newest version and of the larger suite that the leaderboard has."""
    rows = [row for row in leaderboard_rows() if row["agent"] in OWN and row["held_out"] is None]
    newest = next((row["version"], row["suite"]) for row in rows if row["agent"] == "best")
    found = {row["agent"]: row for row in rows if (row["version"], row["suite"]) == newest}
    return [Report.from_json(read_submission(SUBMISSIONS / found[name]["report"]).report) for name in OWN if name in found]


def benchmark_table() -> str:
    """Return the tables of the benchmark as Markdown."""
    return as_markdown(strength_reports())


def best_report() -> Report:
    """Return the report of the best players."""
    return next(report for report in strength_reports() if report.agent["agent"] == "best")


def strength_chart() -> str:
    """Return how the best players do in the tasks of the benchmark that count, as SVG."""
    bars = []
    for task in best_report().tasks:
        if not task.definition.get("only_split"):
            _, _, which = task.definition["task"].partition("-")
            title, value = load_game(task.definition["environment"]).title, task.normalised
            bars.append(Bar(f"{title}, {which.replace('-', ' ')}", value.mean, value.low, value.high, f"{value.mean:.0f}"))
    title = "The best player by game and number of players (0: random player, 100: reference; 95 % intervals)"
    return chart(title, bars, mark=100)


def strength_words() -> str:
    """Return a sentence about strength for the README."""
    best = best_report()
    made = ", ".join(filter(None, [f"dig_envs {best.versions['dig_envs']}", best.machine.get("date", "")]))
    return (
        f"Over all nine games the best players without search have an interquartile mean of {best.aggregates['iqm'].rounded(1)}:\n"
        "100 is the reference, in most tasks the scripted player, and 0 a random player. "
        f"(Benchmark version {best.suite['version']}, suite `{best.suite['name']}`, {made}.)"
    )


# ---------------------------------------------------------------- exploiters


def exploit_reports() -> list[ExploitReport]:
    """Return the reports about exploiters."""
    paths = sorted((RESULTS / "exploiters").glob("*.json"))
    return [ExploitReport.from_json(json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def exploited_players(reports: Sequence[ExploitReport]) -> Iterator[tuple[str, Exploited]]:
    """Yield player and result, by task in the order of the suite; if a player has several in a task, that with more exploiters."""
    found: dict[tuple[str, str], Exploited] = {}
    for report in reports:
        for one in report.tasks:
            name = one.definition["task"]
            key = name, player_of(report, name)
            if key not in found or len(one.answers) > len(found[key].answers):
                found[key] = one
    order = [task.name for task in SUITES["full"].tasks]
    for (_, player), one in sorted(found.items(), key=lambda item: order.index(item[0][0])):
        yield player, one


def player_of(report: ExploitReport, task: str) -> str:
    """Return who played a task: for a policy the name that the zoo has for its weights now."""
    player = report.agent.get("plays", {}).get(task, report.agent["agent"])
    weights = report.agent.get("weights_sha256", {}).get(task)
    same = [name for name, folder in zoo_policies().items() if weights and read_card(folder)["weights_sha256"] == weights]
    return str(player) if player in same or not same else same[0]


def exploiters_table() -> str:
    """Return how much exploiters gained from players, as Markdown, with the commands."""
    reports, rows = exploit_reports(), []
    for player, one in exploited_players(reports):
        shares = {answer.kind: answer for answer in one.answers}
        cells = [_share(shares.get(kind)) for kind in ("search", "ppo")]
        rows.append([f"`{one.definition['task']}`", f"`{player}`", *cells, one.gain.percent(), one.best])
    head = ["task", "player", "share of the search", "share of PPO", "gain of the better exploiter", "which it is"]
    return f"{markdown_table(head, rows)}\n\n{_commands(reports)}"


def _share(answer: Answer | None) -> str:
    return "–" if answer is None else answer.share.percent()


def _commands(reports: Sequence[ExploitReport | CrossPlay]) -> str:
    lines = "\n".join(f"- `{command}`" for command in dict.fromkeys(report.command for report in reports))
    return f"{lines}\n\n{_machines(report.machine for report in reports)}"


def _machines(machines: Iterable[Mapping[str, Any]]) -> str:
    return f"Measured on: {'; '.join(dict.fromkeys(map(made_on, machines)))}."


# ---------------------------------------------------------------- cooperation


def cross_play_table() -> str:
    """Return the cross-play matrix, as Markdown, with its summary and command."""
    report = CrossPlay.from_json(json.loads((RESULTS / "cooperation.json").read_text(encoding="utf-8")))
    head, rows = matrix(report)
    head, rows = [head[0], *(f"`{name}`" for name in head[1:])], [[f"`{row[0]}`", *row[1:]] for row in rows]
    summary = "; ".join(cross_play_lines(report))
    return f"{markdown_table(head, rows)}\n\n{summary[0].upper()}{summary[1:]}.\n\n{_commands([report])}"
