"""Tables and learning curves of the baselines, made from ``dig_envs/documentation/results/baselines.json``."""

import json
from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import Any, NamedTuple

from dig_envs.agents.matches import Interval
from dig_envs.arena.machine import processor_in_words
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table

SUMMARY = Path(__file__).parent / "results" / "baselines.json"
NAMES = {  # of the algorithms, in the order of the tables
    "random": "random player",
    "scripted": "scripted player",
    "ismcts": "IS-MCTS with the scripted player",
    "ismcts_plain": "IS-MCTS, plain",
    "ppo": "masked PPO",
    "ppo_long": "masked PPO, ten million",
    "sb3": "MaskablePPO (sb3-contrib)",
    "recurrent": "masked PPO with a GRU",
    "dqn": "double DQN with masks",
    "nfsp": "NFSP",
    "nfsp_openspiel": "NFSP (OpenSpiel)",
    "psro": "PSRO",
    "expert": "expert iteration",
    "mappo": "MAPPO (BenchMARL)",
    "qmix": "QMIX (BenchMARL)",
}
COLOURS = {
    "ppo": "#1f6fb2",
    "ppo_long": "#123f66",
    "sb3": "#63a9dd",
    "recurrent": "#7b3fa0",
    "dqn": "#c0392b",
    "nfsp": "#e08a1e",
    "nfsp_openspiel": "#f0c05a",
    "psro": "#2e8b57",
    "expert": "#111111",
    "mappo": "#a0522d",
    "qmix": "#d06ba5",
}
WIDTH, HEIGHT = 836, 340  # of a plot, in pixels …
LEFT, RIGHT, TOP, BOTTOM = 60, 560, 36, 292  # … and where its axes are
NAME = 17  # height of a name beside the plot
TICKS = 4
Run = dict[str, Any]


class Point(NamedTuple):
    """A point of a learning curve with its interval."""

    decisions: float
    value: Interval


def read_summary() -> dict[str, Any]:
    """Return the summary of all runs."""
    summary: dict[str, Any] = json.loads(SUMMARY.read_text(encoding="utf-8"))
    return summary


def runs_of(game: str) -> list[Run]:
    """Return the runs of a game in the order of the tables."""
    order = list(NAMES)
    return sorted((run for run in read_summary()["runs"] if run["game"] == game), key=lambda run: order.index(run["algorithm"]))


def interval(value: dict[str, float]) -> Interval:
    """Return a mean with its interval."""
    return Interval(value["mean"], value["low"], value["high"])


def baselines_table(game: str) -> str:
    """Return how all algorithms do in a game at the end of their budgets, as Markdown."""
    cooperative, rows = load_game(game).cooperative, []
    for run in runs_of(game):
        for mode, found in run["final"].items():
            budget = f"{run['decisions']:,}" if run["decisions"] else "–"
            row = [NAMES[run["algorithm"]], mode, str(len(run["seeds"])), budget]
            against = found["team" if cooperative else "scripted"]
            row += [interval(against["victories"]).percent()]
            row += [] if cooperative else [interval(found["random"]["victories"]).percent()]
            row += [interval(against["score"]).rounded(2), f"{run['processor_seconds']:.0f}" if run["decisions"] else "–"]
            rows.append(row)
    wins = ["games won"] if cooperative else ["victories against the scripted player", "against the random player"]
    head = [
        "",
        "chooses",
        "seeds",
        "decisions",
        *wins,
        "score" if cooperative else "score against the scripted player",
        "CPU s",
    ]
    return markdown_table(head, rows)


def failures_table() -> str:
    """Return what failed, as Markdown."""
    failures = read_summary()["failures"]
    if not failures:
        return "No run of the plan failed."
    rows = [
        [
            NAMES[one["algorithm"]],
            f"`{one['game']}`",
            str(one["seed"]),
            one["reason"],
            f"`{(one['said'] or ['nothing'])[-1].strip()}`",
        ]
        for one in failures
    ]
    return markdown_table(["", "game", "seed", "how it ended", "what it said last"], rows)


def missing_words() -> str:
    """Return a sentence about the runs of the plan that have not been made."""
    missing: dict[str, list[str]] = {}
    for run in read_summary()["missing"]:
        seeds = missing.setdefault(f"{NAMES[run['algorithm']]} in {load_game(run['game']).title}", [])
        seeds.append(str(run["seed"]))
    if not missing:
        return "All runs of the plan have been made."
    return "Runs of the plan that have not been made: " + "; ".join(f"{k} (seed {', '.join(v)})" for k, v in missing.items()) + "."


def machine_words() -> str:
    """Return a sentence about machine and versions."""
    runs = read_summary()["runs"]
    machine, versions = runs[0]["machine"], {name: number for run in runs for name, number in run["versions"].items()}
    loads = [run["machine"]["load"] for run in runs if run["machine"]["load"] is not None]
    load = f"; {min(loads):.0f} to {max(loads):.0f} other processes were running" if loads else ""
    words = ", ".join(f"{name} {number}" for name, number in versions.items())
    python = f"Python {machine['python']}, NumPy {machine['numpy']}"
    return f"{processor_in_words(machine)}{load}. {python}, {words}, {machine['date']}."


# ---------------------------------------------------------------- learning curves


def curve_of(run: Run, reference: str) -> list[Point]:
    """Return the scores of a run's learning curve, without that of the untrained network: the axis is logarithmic."""
    return [Point(point["decisions"], interval(point[reference]["score"])) for point in run["curve"] if point["decisions"]]


def baselines_chart(game: str) -> str:
    """Return the learning curves of a game, as SVG: the mean score over the decisions, with intervals over seeds."""
    runs, reference = runs_of(game), "team" if load_game(game).cooperative else "scripted"
    curves = {run["algorithm"]: curve_of(run, reference) for run in runs if run["decisions"]}
    levels = {
        run["algorithm"]: next(iter(run["final"].values()))[reference]["score"]["mean"] for run in runs if not run["decisions"]
    }
    decided = [point.decisions for points in curves.values() for point in points] or [1.0, 10.0]
    least, most = min(decided), max(decided)
    ends = [point.value.mean for points in curves.values() for point in points]
    beyond = far_levels(levels, ends)
    values = [*ends, *(level for name, level in levels.items() if name not in beyond)]
    low, high = min(values), max(values)
    room = 0.08 * (high - low or 1.0)
    low, high = low - room, high + room

    def at(decisions: float, value: float) -> tuple[float, float]:
        x = LEFT + (RIGHT - LEFT) * _share(decisions, least, most)
        return x, BOTTOM - (BOTTOM - TOP) * (min(max(value, low), high) - low) / (high - low)

    against = "of the team" if reference == "team" else "against the scripted player"
    title = f"{load_game(game).title}: mean score {against}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="10" y="22" font-size="13" font-weight="bold">{escape(title)}</text>',
        *_axes(low, high, least, most),
    ]
    for name, points in curves.items():
        parts += _curve([at(p.decisions, p.value.mean) for p in points], _band(points, at), COLOURS[name])
    labels = [(NAMES[name], at(most, points[-1].value.mean)[1], COLOURS[name], "") for name, points in curves.items()]
    for name, level in levels.items():
        y = at(most, level)[1]
        if name in beyond:
            labels.append((f"{'↑' if level > high else '↓'} {NAMES[name]}: {level:.2f}", y, "none", ""))
        else:
            labels.append((NAMES[name], y, "#666", "4 3"))
            parts.append(
                f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#666" stroke-dasharray="4 3"><title>{NAMES[name]}</title></path>'
            )
    return "\n".join([*parts, *_legend(labels), "</svg>", ""])


def far_levels(levels: dict[str, float], learned: Sequence[float]) -> list[str]:
    """Return the names of the levels so far from the points of the curves that the curves would look flat beside them."""
    if not learned:
        return []
    low, high = min(learned), max(learned)
    return [name for name, level in levels.items() if not low - (high - low) <= level <= high + (high - low)]


def _band(points: Sequence[Point], at: Any) -> list[tuple[float, float]]:
    above = [at(point.decisions, point.value.high) for point in points]
    return above + [at(point.decisions, point.value.low) for point in reversed(points)]


def _curve(line: Sequence[tuple[float, float]], band: Sequence[tuple[float, float]], colour: str) -> list[str]:
    return [
        f'<path d="M{_path(band)}Z" fill="{colour}" opacity="0.1"/>',
        f'<path d="M{_path(line)}" fill="none" stroke="{colour}" stroke-width="2"/>',
    ]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _share(decisions: float, least: float, most: float) -> float:
    """Return where so many decisions are on the logarithmic axis, 0 to 1."""
    return log10(decisions / least) / log10(most / least)


def _axes(low: float, high: float, least: float, most: float) -> list[str]:
    """Return the axes with their numbers."""
    parts = [f'<path d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}" fill="none" stroke="#222"/>']
    for decisions in _decades(least, most):
        x = LEFT + (RIGHT - LEFT) * _share(decisions, least, most)
        parts.append(f'<text x="{x:.0f}" y="{BOTTOM + 16}" text-anchor="middle">{decisions:,.0f}</text>')
    for value in _round_numbers(low, high):
        y = BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)
        parts += [
            f'<path d="M{LEFT - 4} {y:.1f}H{LEFT}" stroke="#222"/>',
            f'<text x="{LEFT - 7}" y="{y + 4:.0f}" text-anchor="end">{value:,.4g}</text>',
        ]
    return [*parts, f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{BOTTOM + 36}" text-anchor="middle">decisions of the learner</text>']


def _decades(least: float, most: float) -> list[float]:
    """Return the numbers 1, 2 and 5 times a power of ten between two numbers, which may lie 2 % outside."""
    powers = range(floor(log10(least)), ceil(log10(most)) + 1)
    numbers = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    return [number for number in numbers if least / 1.02 <= number <= most * 1.02]


def _round_numbers(low: float, high: float) -> list[float]:
    """Return about ``TICKS`` multiples of 1, 2 or 5 times a power of ten between two numbers."""
    power = 10.0 ** floor(log10((high - low) / TICKS))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * (TICKS + 1) >= high - low)
    return [step * k for k in range(ceil(low / step), floor(high / step) + 1)]


def _legend(labels: Sequence[tuple[str, float, str, str]]) -> list[str]:
    """Return the names of the curves, in the order in which they end, apart from each other."""
    ordered = sorted(labels, key=lambda label: label[1])
    parts = []
    for (name, _, colour, dashes), place in zip(ordered, _places([label[1] for label in ordered]), strict=True):
        parts += [
            f'<path d="M{RIGHT + 8} {place:.1f}h16" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes or "none"}"/>',
            f'<text x="{RIGHT + 30}" y="{place + 4:.1f}">{escape(name)}</text>',
        ]
    return parts


def _places(wanted: Sequence[float]) -> list[float]:
    """Return heights near those that are wanted, which ascend, so that names do not overlap and stay inside the plot."""
    places, free = [], float(TOP)
    for y in wanted:
        places.append(max(y, free))
        free = places[-1] + NAME
    free = HEIGHT - NAME / 2
    for k in reversed(range(len(places))):
        places[k] = min(places[k], free)
        free = places[k] - NAME
    return places
