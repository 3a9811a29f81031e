"""Tables and charts of the pages, made from the reports that commands have written to ``dig_envs/documentation/results``.

* ``speed.json``: ``dig-envs bench --json``
* ``jax.json``: ``dig-envs bench --jax --json``
* ``benchmark.json``: ``dig-envs benchmark … --json``
* ``baselines.json``: ``python -m training.baselines table`` (:mod:`dig_envs.documentation.baselines`)
* ``leaderboard``: submissions that ``dig-envs benchmark submit`` has checked, from which ``leaderboard.json`` is made

The tables of ``policies/README.md`` are made from the files beside the policies (:mod:`dig_envs.documentation.cards`).
"""

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from dig_envs.arena.machine import made_on
from dig_envs.benchmark.leaderboard import leaderboard_text, make_rows, tables
from dig_envs.benchmark.report import Report
from dig_envs.benchmark.show import as_markdown
from dig_envs.documentation.baselines import baselines_chart, baselines_table, failures_table, machine_words, missing_words
from dig_envs.documentation.cards import ladders_table, policies_table
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table, with_part

RESULTS = Path(__file__).parent / "results"
SUBMISSIONS = RESULTS / "leaderboard"
PEER = "PettingZoo connect_four_v3"
NOTHING = "an environment that does nothing, raw"
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


def rows_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what a report of speed has measured, by name without sizes: AEC and batches."""
    return {row["what"]: row for row in (*report["aec"], *report["batch"])}


def speed_table() -> str:
    """Return the speed of all games as Markdown."""
    reports = read("speed.json")
    rows = rows_of(reports[0])
    heads = [what.removeprefix(f"{reports[0]['environment']}, ") for what in rows if what != NOTHING and not what.startswith(PEER)]
    table = []
    for report in reports:
        found = {what.removeprefix(f"{report['environment']}, "): row for what, row in rows_of(report).items()}
        speeds = [thousands(found[head]["median"]) for head in heads]
        first = [f"{report['start_up']['first_use'][0]:.1f}"] if report["start_up"] else []
        table.append([f"`{report['environment']}`", *speeds, str(report["observation_size"]), str(report["state_bytes"]), *first])
    compiling = ["first use, s"] if reports[0]["start_up"] else []
    head = ["", *heads, "numbers observed", "state, bytes", *compiling]
    return f"{markdown_table(head, table)}\n\nTurns or actions per second, medians. {made_on(reports[0]['machine'])}."


def jax_table() -> str:
    """Return the speed of random play inside JAX as Markdown, games of Pgx in the last rows."""
    reports = read("jax.json")
    own: list[list[str]] = []
    peers: dict[str, list[str]] = {}
    for report in reports:
        rows = [row for row in report["jax"] if not row["what"].endswith("a core's time")]
        batch, inside, *others = map(with_ends, rows)
        own.append([f"`{report['environment']}`", batch, inside])
        peers |= {row["what"]: ["", value] for row, value in zip(rows[2:], others, strict=True)}
    table = markdown_table(["", "BatchEnv", "inside `lax.scan`"], [*own, *([name, *values] for name, values in peers.items())])
    how = f"{reports[0]['repeats']} measurements of {reports[0]['seconds']:g} s"
    return f"{table}\n\nMedian, least and greatest of {how}. {made_on(reports[0]['machine'])}."


def with_ends(row: dict[str, Any]) -> str:
    """Return a speed with the least and the greatest one that were measured."""
    return f"{thousands(row['median'])} [{thousands(row['low'])}, {thousands(row['high'])}]"


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
        f"{thousands(max(many))}\nactions per second. ({made_on(reports[0]['machine'])}.)"
    )


def peers_words() -> str:
    """Return sentences about the environments that were measured beside the games."""
    reports = read("speed.json")

    def span(what: str) -> str:
        rows = [row for report in reports for name, row in rows_of(report).items() if name == what]
        return f"{thousands(min(row['low'] for row in rows))} to {thousands(max(row['high'] for row in rows))}" if rows else ""

    raw, wrapped = span(f"{PEER}, raw"), span(f"{PEER}, env()")
    words = f"PettingZoo's `connect_four_v3` made {raw} turns per second, raw, and {wrapped} as `env()`."
    return " ".join([words, *([f"An AEC environment that does nothing made {span(NOTHING)}, raw."] if span(NOTHING) else [])])


def strength_words() -> str:
    """Return a sentence about strength for the README."""
    reports = {one.agent["agent"]: one for one in map(Report.from_json, read("benchmark.json"))}
    best = reports["best"]
    made = ", ".join(filter(None, [f"dig_envs {best.versions['dig_envs']}", best.machine.get("date", "")]))
    return (
        f"Over all nine games the best players without search have an interquartile mean of {best.aggregates['iqm'].rounded(1)}:\n"
        f"100 is the scripted player, 0 a random one. (Benchmark version {best.suite['version']}, suite `{best.suite['name']}`, "
        f"{made}.)"
    )


ROOT = Path(__file__).parent.parent.parent
PAGES = Path(__file__).parent / "pages"
BASELINES = ("twenty_questions", "go_dig", "fossil_memory", "cretaceous_creek")  # the games
CHARTS: dict[Path, Callable[[], str]] = {
    PAGES / "speed.svg": speed_chart,
    PAGES / "strength.svg": strength_chart,
    **{PAGES / f"baselines_{name}.svg": partial(baselines_chart, name) for name in BASELINES},
}
PARTS: dict[Path, dict[str, Callable[[], str]]] = {
    ROOT / "README.md": {"speed": speed_words, "strength": strength_words},
    ROOT / "policies" / "README.md": {"cards": policies_table, "ladders": ladders_table},
    PAGES / "results" / "10_speed.md": {"speed": speed_table, "peers": peers_words},
    PAGES / "results" / "20_strength.md": {"benchmark": benchmark_table},
    PAGES / "results" / "30_baselines.md": {
        **{name: partial(baselines_table, name) for name in BASELINES},
        "failures": failures_table,
        "missing": missing_words,
        "machine": machine_words,
    },
    PAGES / "results" / "40_leaderboard.md": {"leaderboard": leaderboard_tables},
    ROOT / "dig_envs" / "adapters" / "LIBRARIES.md": {"jax": jax_table},
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
