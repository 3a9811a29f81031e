"""Tables and charts of the pages, made from the reports that commands have written to ``dig_envs/documentation/results``.

* ``speed.json``: ``dig-envs bench --json``
* ``benchmark.json``: ``dig-envs benchmark … --json``
* ``leaderboard``: submissions that ``dig-envs benchmark submit`` has checked, from which ``leaderboard.json`` is made
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from dig_envs.benchmark.leaderboard import leaderboard_text, make_rows, tables
from dig_envs.benchmark.report import Report
from dig_envs.benchmark.show import as_markdown
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table, with_part

RESULTS = Path(__file__).parent / "results"
SUBMISSIONS = RESULTS / "leaderboard"
PEER = "PettingZoo connect_four_v3"
SPACE = "\u00a0"  # no line breaks there
WIDTH, LABEL, BAR, LINE = 760, 230, 430, 24  # of a chart, in pixels


class Bar(NamedTuple):
    """A bar of a chart, from 0 to ``value``, with an interval."""

    label: str
    value: float
    low: float
    high: float
    text: str
    other: bool = False


def chart(title: str, bars: Sequence[Bar], mark: float | None = None) -> str:
    """Return horizontal bars as SVG; a dashed line stands at ``mark``."""
    scale = BAR / max(bar.high for bar in bars)
    height = 44 + LINE * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/><text x="10" y="22" font-weight="bold">{escape(title)}</text>',
    ]
    for place, bar in enumerate(bars):
        y = 36 + LINE * place
        low, high = (LABEL + scale * max(end, 0) for end in (bar.low, bar.high))
        parts += [
            f'<text x="{LABEL - 8}" y="{y + 14}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{LABEL}" y="{y + 2}" width="{scale * max(bar.value, 0):.1f}" height="{LINE - 7}" '
            f'fill="{"#b9b2a3" if bar.other else "#c98a2b"}"/>',
            f'<path d="M{low:.1f} {y + 10}H{high:.1f}" stroke="#222" stroke-width="1.5"/>',
            f'<text x="{max(high, LABEL) + 6:.1f}" y="{y + 14}" font-size="12">{escape(bar.text)}</text>',
        ]
    if mark is not None:
        parts.append(f'<path d="M{LABEL + scale * mark:.1f} 32V{height - 6}" stroke="#222" stroke-dasharray="4 3"/>')
    return "\n".join([*parts, "</svg>", ""])


def read(name: str) -> list[dict[str, Any]]:
    """Return the reports of a file of results."""
    reports: list[dict[str, Any]] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return reports


def thousands(number: float) -> str:
    """Return a speed as text, such as ``148 k`` or ``2.37 M``."""
    return f"{number / 1e6:.2f}{SPACE}M" if number >= 1e6 else f"{number / 1e3:.0f}{SPACE}k"


def made_on(report: dict[str, Any]) -> str:
    """Return machine, versions and date of a measurement of speed, in words."""
    machine = report["machine"]
    load = f", {machine['load']} processes running" if machine.get("load") is not None else ""
    return (
        f"{machine['cpu']}, {machine['cores']} cores{load}, Python {machine['python']}, NumPy {machine['numpy']}, "
        f"Numba {machine['numba']}, {machine['date']}"
    )


def rows_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what a report of speed has measured, by name without sizes: AEC and batches."""
    return {row["what"]: row for row in (*report["aec"], *report["batch"])}


def speed_table() -> str:
    """Return the speed of all games as Markdown."""
    reports = read("speed.json")
    heads = [what.removeprefix(f"{reports[0]['environment']}, ") for what, row in rows_of(reports[0]).items() if "median" in row]
    table = []
    for report in reports:
        found = {what.removeprefix(f"{report['environment']}, "): row for what, row in rows_of(report).items()}
        speeds = [thousands(found[head]["median"]) for head in heads]
        first = [f"{report['start_up']['first_use'][0]:.1f}"] if report["start_up"] else []
        table.append([f"`{report['environment']}`", *speeds, str(report["observation_size"]), str(report["state_bytes"]), *first])
    compiling = ["first use, s"] if reports[0]["start_up"] else []
    head = ["", *heads, "numbers observed", "state, bytes", *compiling]
    return f"{markdown_table(head, table)}\n\nTurns or actions per second, medians. {made_on(reports[0])}."


def benchmark_table() -> str:
    """Return the table of the benchmark as Markdown."""
    return as_markdown([Report.from_json(report) for report in read("benchmark.json")])


@cache
def leaderboard_rows() -> list[dict[str, Any]]:
    """Return the rows of the leaderboard; raises BenchmarkError if a submission is not as it should be."""
    return make_rows(SUBMISSIONS)


def leaderboard_tables() -> str:
    """Return the leaderboard as Markdown."""
    return tables(leaderboard_rows())


def speed_chart() -> str:
    """Return turns per second of the games beside PettingZoo's Connect Four, as SVG."""
    reports = read("speed.json")
    peers = [row for report in reports for what, row in rows_of(report).items() if what == f"{PEER}, env()"]
    low, high = min(row["low"] for row in peers), max(row["high"] for row in peers)
    between = f"{low / 1e3:.0f} to {high / 1e3:.0f} k"
    bars = [Bar(PEER, high, high, high, between, other=True)]
    for report in reports:
        speed = rows_of(report)[f"{report['environment']}, env()"]["median"]
        bars.append(Bar(load_game(report["environment"]).title, speed, speed, speed, thousands(speed)))
    return chart("Turns per second of one environment, in PettingZoo's loop with random actions", bars)


def strength_chart(agent: str = "best") -> str:
    """Return how an agent does in the tasks of the benchmark, as SVG."""
    report = next(one for one in map(Report.from_json, read("benchmark.json")) if one.agent["agent"] == agent)
    bars = []
    for task in report.tasks:
        value = task.normalised
        bars.append(Bar(load_game(task.definition["environment"]).title, value.mean, value.low, value.high, f"{value.mean:.0f}"))
    return chart("The best trained or scripted player (random player: 0, scripted player: 100; 95 % intervals)", bars, mark=100)


def speed_words() -> str:
    """Return a sentence about speed for the README."""
    reports = read("speed.json")
    rows = [(report["environment"], rows_of(report)) for report in reports]
    one = [found[f"{name}, env()"]["median"] for name, found in rows]
    many = [row["median"] for _, found in rows for what, row in found.items() if what.startswith("batch of 4096, mask and")]
    peers = [row for _, found in rows for what, row in found.items() if what == f"{PEER}, env()"]
    least, most = (thousands(end(row["low" if end is min else "high"] for row in peers)) for end in (min, max))
    return (
        f"One environment plays {thousands(min(one))} to {thousands(max(one))} turns per second in PettingZoo's loop; "
        "PettingZoo's own\n"
        f"`connect_four_v3` plays {least} to {most} in the same process. A batch of 4096 games plays {thousands(min(many))} to "
        f"{thousands(max(many))}\nactions per second. ({made_on(reports[0])}.)"
    )


def strength_words() -> str:
    """Return a sentence about strength for the README."""
    reports = {one.agent["agent"]: one for one in map(Report.from_json, read("benchmark.json"))}
    best = reports["best"]
    return (
        f"Over all nine games the best players without search have an interquartile mean of {best.aggregates['iqm'].rounded(1)}:\n"
        f"100 is the scripted player, 0 a random one. (Benchmark version {best.suite['version']}, suite `{best.suite['name']}`, "
        f"dig_envs {best.versions['dig_envs']}.)"
    )


ROOT = Path(__file__).parent.parent.parent
PAGES = Path(__file__).parent / "pages"
CHARTS = {PAGES / "speed.svg": speed_chart, PAGES / "strength.svg": strength_chart}
PARTS: dict[Path, dict[str, Callable[[], str]]] = {
    ROOT / "README.md": {"speed": speed_words, "strength": strength_words},
    PAGES / "results" / "10_speed.md": {"speed": speed_table},
    PAGES / "results" / "20_strength.md": {"benchmark": benchmark_table},
    PAGES / "results" / "40_leaderboard.md": {"leaderboard": leaderboard_tables},
}


def renewed() -> dict[Path, str]:
    """Return the files that are made from the results, as they should be."""
    files = {path: chart() for path, chart in CHARTS.items()}
    files[RESULTS / "leaderboard.json"] = leaderboard_text(leaderboard_rows())
    for path, parts in PARTS.items():
        text = path.read_text(encoding="utf-8")
        for name, words in parts.items():
            text = with_part(text, name, f"\n\n{words()}\n\n")
        files[path] = text
    return files
