"""Tables and charts of the pages, made from the reports that commands have written to ``dig_envs/documentation/results``.

* ``speed.json``: ``dig-envs bench --json``
* ``jax.json``: ``dig-envs bench --jax --json``
* ``cuda.json``: ``dig-envs bench --cuda --json``
* ``baselines.json``: ``python -m training.baselines table`` (:mod:`dig_envs.documentation.baselines`)
* what the benchmark measured (:mod:`dig_envs.documentation.benchmarks`); from ``leaderboard`` ``leaderboard.json`` is made

The tables of ``policies/README.md`` are made from the files beside the policies (:mod:`dig_envs.documentation.cards`).
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from dig_envs.arena.machine import made_on
from dig_envs.benchmark.leaderboard import leaderboard_text
from dig_envs.documentation import croissant
from dig_envs.documentation.baselines import baselines_chart, baselines_table, failures_table, machine_words, missing_words
from dig_envs.documentation.benchmarks import (
    RESULTS,
    benchmark_table,
    best_responses_table,
    cross_play_table,
    exploiters_table,
    leaderboard_rows,
    leaderboard_tables,
    strength_chart,
    strength_words,
)
from dig_envs.documentation.cards import ladders_table, policies_table, seeds_table
from dig_envs.documentation.charts import Bar, chart
from dig_envs.documentation.libraries import libraries_table
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table, with_part

PEER = "PettingZoo connect_four_v3"
NOTHING = "an environment that does nothing, raw"
SPACE = "\u00a0"  # no line breaks there


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


def cuda_table() -> str:
    """Return the speed of batches on a GPU as Markdown, beside that of a CPU."""
    reports = read("cuda.json")
    heads = [row["what"] for row in reports[0]["cuda"]]
    own = [[f"`{report['environment']}`", *(thousands(row["median"]) for row in report["cuda"])] for report in reports]
    machine = reports[0]["machine"]
    how = f"medians of {reports[0]['repeats']} measurements of {reports[0]['seconds']:g} s"
    return f"{markdown_table(['', *heads], own)}\n\nActions per second, {how}. {machine['gpu']}; {made_on(machine)}."


def with_ends(row: dict[str, Any]) -> str:
    """Return a speed with the least and the greatest one that were measured."""
    return f"{thousands(row['median'])} [{thousands(row['low'])}, {thousands(row['high'])}]"


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
    ROOT / "policies" / "README.md": {"cards": policies_table, "seeds": seeds_table, "ladders": ladders_table},
    PAGES / "guides" / "50_gpu.md": {"cuda": cuda_table},
    PAGES / "results" / "10_speed.md": {"speed": speed_table, "peers": peers_words},
    PAGES / "results" / "20_strength.md": {"benchmark": benchmark_table},
    PAGES / "results" / "30_baselines.md": {
        **{name: partial(baselines_table, name) for name in BASELINES},
        "failures": failures_table,
        "missing": missing_words,
        "machine": machine_words,
    },
    PAGES / "results" / "40_leaderboard.md": {"leaderboard": leaderboard_tables},
    ROOT / "dig_envs" / "adapters" / "LIBRARIES.md": {"libraries": libraries_table, "jax": jax_table},
    ROOT / "dig_envs" / "agents" / "README.md": {"best responses": best_responses_table},
    ROOT / "dig_envs" / "benchmark" / "README.md": {"exploiters": exploiters_table, "cross-play": cross_play_table},
}


def renewed() -> dict[Path, str]:
    """Return the files that are made from the results, as they should be."""
    files = {path: chart() for path, chart in CHARTS.items()}
    files[RESULTS / "leaderboard.json"] = leaderboard_text(leaderboard_rows())
    files[RESULTS / croissant.FILE] = croissant.croissant_text(RESULTS, files)
    for path, parts in PARTS.items():
        text = path.read_text(encoding="utf-8")
        for name, words in parts.items():
            text = with_part(text, name, f"\n\n{words()}\n\n")
        files[path] = text
    return files
