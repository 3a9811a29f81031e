"""Tables and charts made from stored measurements, without playing a game: reports in ``results``
and beside policies."""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

from dig_envs.agents.matches import Interval
from dig_envs.arena.machine import made_on
from dig_envs.benchmark.leaderboard import tables
from dig_envs.documentation.games import readme_path, tables_of
from dig_envs.documentation.tables import (
    MARK,
    ROOT,
    STALE,
    Column,
    Row,
    attempt,
    cell,
    is_stale,
    read,
    rows_of,
    table,
    with_tables,
)
from dig_envs.engine.game import Game
from dig_envs.registry import load_game, packages

RESULTS = "dig_envs/documentation/results"
BOARD = ROOT / RESULTS / "leaderboard.json"
HOW_TO_READ = (
    "{what}, with 95 % intervals ([how](../../arena/README.md#how-results-become-ratings)). "
    "Compare only agents with the same options and number of players. "
    "[Names of agents](../../agents/README.md); the reports are `policies/{name}/ratings*.json`."
)
PEERS = ("an environment that does nothing", "PettingZoo", "Pgx")
SCRIPTED = "heuristic"
TIME_LIMIT = re.compile(r":[\d.]+m?s(:|$)")  # of a search
SPACE = "\u00a0"  # no line breaks there
WIDTH, LABEL, BAR, LINE = 480, 208, 216, 24  # of a chart, in pixels; readable on a phone
OWN, OTHER = "#c98a2b", "#b9b2a3"  # colours

Bar = tuple[str, float, float, float, str, str]  # label, value, its interval, text, colour


def _measured_on(rows: list[Row]) -> str:
    machines = dict.fromkeys(made_on(row["machine"]) for row in rows if row.get("machine"))
    return f"Measured on: {'; '.join(machines)}."


def _stored(name: str) -> str:  # with its columns
    rows = rows_of(f"{RESULTS}/{name}.json", "rows")
    return f"{table(rows[0]['columns'], rows, grouped=1)}\n\n{rows[0]['made']}"


def _thousands(value: float) -> str:
    return f"{value / 1e6:.2f}{SPACE}M" if value >= 1e6 else f"{value / 1e3:.0f}{SPACE}k"


def _speeds(name: str) -> list[Row]:  # "speed": by what was measured, without the game's name
    reports = rows_of(f"{RESULTS}/{name}.json")
    for report in reports:
        measured = [row for kind in ("aec", "batch", "jax", "cuda") for row in report.get(kind, ())]
        report["speed"] = {
            row["what"].removeprefix(f"{report['environment']}, "): row for row in measured
        }
    return reports


def _speed(name: str) -> str:
    reports = _speeds(name)
    first = reports[0]
    rows = [
        r | {what: _thousands(row["median"]) for what, row in r["speed"].items()} for r in reports
    ]
    whats = [what for what in first["speed"] if not what.endswith("a core's time")]
    columns = {what: what for what in whats if not what.startswith(PEERS)}
    peers = []  # measured again with each game
    for what in (what for what in whats if what.startswith(PEERS)):
        medians = [report["speed"][what]["median"] for report in reports]
        peers.append(f"{what} {_thousands(min(medians))} to {_thousands(max(medians))}")
    beside = f" In the same process: {'; '.join(peers)}." if peers else ""
    how = f"Per second, medians of {first['repeats']} measurements of {first['seconds']:g} s."
    gpu = f" {first['machine']['gpu']}." if "gpu" in first["machine"] else ""
    return (
        f"{table({'': 'environment:code', **columns}, rows)}\n\n"
        f"{how}{beside}{gpu} {_measured_on(reports[:1])}"
    )


def chart(title: str, bars: Sequence[Bar], mark: float | None = None) -> str:
    """Horizontal bars as SVG; a dashed line stands at ``mark``."""
    scale = BAR / max(bar[3] for bar in bars)
    lines = wrap(title, 60)
    top = 18 + 18 * len(lines)
    height = top + 8 + LINE * len(bars)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *(
            f'<text x="10" y="{22 + 18 * number}" font-weight="bold">{escape(line)}</text>'
            for number, line in enumerate(lines)
        ),
    ]
    for place, (label, value, low, high, text, colour) in enumerate(bars):
        y = top + LINE * place
        start, end = (LABEL + scale * max(x, 0) for x in (low, high))
        parts += [
            f'<text x="{LABEL - 8}" y="{y + 14}" text-anchor="end">{escape(label)}</text>',
            (
                f'<rect x="{LABEL}" y="{y + 2}" width="{scale * max(value, 0):.1f}" '
                f'height="{LINE - 7}" fill="{colour}"/>'
            ),
            f'<path d="M{start:.1f} {y + 10}H{end:.1f}" stroke="#222" stroke-width="1.5"/>',
            (
                f'<text x="{max(end, LABEL) + 6:.1f}" y="{y + 14}" '
                f'font-size="12">{escape(text)}</text>'
            ),
        ]
    if mark is not None:
        parts.append(
            f'<path d="M{LABEL + scale * mark:.1f} {top - 4}V{height - 6}" stroke="#222" '
            'stroke-dasharray="4 3"/>'
        )
    return "\n".join([*parts, "</svg>", ""])


def speed_chart() -> str:
    """Steps per second of the games beside PettingZoo's Connect Four, as SVG."""
    reports = _speeds("speed")
    peers = [report["speed"]["PettingZoo connect_four_v3, env()"]["median"] for report in reports]
    low, high = min(peers), max(peers)
    bars: list[Bar] = [
        (
            "PettingZoo connect_four_v3",
            high,
            high,
            high,
            f"{low / 1e3:.0f}–{high / 1e3:.0f}{SPACE}k",
            OTHER,
        )
    ]
    for report in reports:
        value = report["speed"]["env()"]["median"]
        bars.append(
            (load_game(report["environment"]).title, value, value, value, _thousands(value), OWN)
        )
    return chart(
        "Steps per second of one environment, in PettingZoo's loop with random actions", bars
    )


def _leaderboard() -> str:
    reports = rows_of(f"{RESULTS}/leaderboard/*.json", "tasks")
    stale = {row["path"].name: f" {MARK}" for row in reports if row["stale"]}
    rows = [
        row | {"name": row["name"] + stale.get(row["report"], "")} for row in read(BOARD)["rows"]
    ]
    return "\n\n".join([tables(rows), *([STALE] if stale else [])])


def _leaderboard_tasks() -> str:
    found: dict[str, dict[str, Any]] = {}
    players: dict[str, Column] = {}
    for entry in read(BOARD)["rows"]:
        if entry["suite"] == "small" and not entry["held_out"]:
            players[entry["name"]] = entry["name"]
            for row in rows_of(f"{RESULTS}/leaderboard/{entry['report']}", "tasks"):
                mean = f"{round(row['normalised']['mean'])}"
                found.setdefault(row["task"], row)[entry["name"]] = mean
    counts: Column = lambda row: "no" if row["only_split"] else ""  # noqa: E731
    return table({"counts": counts, "task": "task:code", **players}, found.values())


# heads of the columns of `training/questions.py`; gains in percentage points
QUESTIONS = {
    "legal actions": "choices",
    "decisions": "decisions",
    "hidden, %": "hidden",
    "first seat": "first_seat",
    "scripted over random": "scripted",
    "`best` over scripted": "best",
    "search of 20 over `best`": "search_20",
    "search of 100 over `best`": "search_100",
    "seeing all": "seeing",
}


def _questions() -> str:
    rows = rows_of(f"{RESULTS}/questions.json", "rows")

    def shown(row: Row, key: str) -> str:
        value = row.get(key)
        if isinstance(value, dict):
            half = (value["high"] - value["low"]) / 2
            return f"{round(100 * value['mean'])}{SPACE}±{SPACE}{round(100 * half)}"
        return "–" if value is None else f"{value:.0f}"

    columns: dict[str, Column] = {"": lambda row: load_game(row["environment"]).title}
    columns |= {head: partial(shown, key=key) for head, key in QUESTIONS.items()}
    made = "`python -m training.questions --out FILE`, intervals of 95 %."
    return f"{table(columns, rows)}\n\n{made} {_measured_on(rows)}"


def _best() -> list[Row]:  # the tasks of the larger suite
    full = {row["agent"]: row["report"] for row in read(BOARD)["rows"] if row["suite"] == "full"}
    rows = rows_of(f"{RESULTS}/leaderboard/{full['best']}", "tasks")
    return [row | {"player": row["agent"]["plays"][row["task"]]} for row in rows]


def _benchmark() -> str:
    columns = {
        "task": "task:code",
        "`best` is": "player:code",
        "value": "normalised:1",
        "Elo": "elo:0",
    }
    rows = [row for row in _best() if not row.get("only_split")]
    return f"{table(columns, rows)}\n\n`{rows[0]['command']}`. {_measured_on(rows)}"


def strength_chart() -> str:
    """Scores of the best players in the tasks of the benchmark, as SVG; tasks that serve a split
    only do not count."""
    bars: list[Bar] = []
    for row in _best():
        if not row.get("only_split"):
            value, which = Interval(**row["normalised"]), row["task"].partition("-")[2]
            label = f"{load_game(row['environment']).title}, {which.replace('-', ' ')}"
            bars.append((label, value.mean, value.low, value.high, f"{value.mean:.0f}", OWN))
    return chart(
        "The best player by game and number of players (0: random player, 100: scripted player; "
        "95 % intervals)",
        bars,
        100,
    )


def _words(options: Row, usual: Row) -> str:  # other options than the usual ones
    told = (key for key in options if json.dumps(options[key]) != json.dumps(usual.get(key)))
    return ", ".join(f"`{key}={options[key]}`" for key in told)


def strength(game: Game) -> str:
    """A table of agents and their strength, with a column for each number of players.

    In competitive games it is the strength against the scripted player, so that reports may be
    compared. Of several reports the one with most games counts. Those in which an agent has a time
    limit are left out, as its strength depends on the machine.
    """
    shown, form = ("wins", "%") if game.cooperative else ("elo", "0")
    lines: dict[tuple[str, str], Row] = {}
    heads: dict[int, str] = {}
    for row in sorted(_measured(game), key=lambda row: row["games"]):
        if TIME_LIMIT.search(row["agent"]):
            continue
        players = row["options"]["num_players"]
        head = heads[players] = "1 player" if players == 1 else f"{players} players"
        words = _words(row["options"], game.complete_options({"num_players": players}))
        line = lines.setdefault((words, row["agent"]), {"agent": row["agent"], "options": words})
        line[head], line["stale"] = row[shown], line.get("stale") or row["stale"]

    columns: dict[str, Column] = {"agent": "agent:code"}
    if any(words for words, _ in lines):
        columns = {"options": "options", **columns}
    columns |= {heads[players]: f"{heads[players]}:{form}" for players in sorted(heads)}

    def rank(line: Row) -> tuple[str, float]:
        return line["options"], -max(line[head]["mean"] for head in heads.values() if head in line)

    how = HOW_TO_READ.format(
        what="Games won" if game.cooperative else "Elo (`heuristic` = 0)", name=game.name
    )
    made = table(columns, sorted(lines.values(), key=rank), grouped=int("options" in columns))
    return f"{made}\n\n{how}"


def _measured(game: Game) -> list[Row]:  # with the agent whose strength it is
    reports = f"policies/{game.name}/ratings*.json"
    if game.cooperative:
        return rows_of(reports, "standings")
    pairs = [row for row in rows_of(reports, "comparisons") if SCRIPTED in row["agents"]]
    for row in pairs:
        one, other = row["agents"]
        row["agent"] = other if one == SCRIPTED else one
        if one == SCRIPTED:
            mean, low, high = (-row["elo"][key] for key in ("mean", "high", "low"))
            row["elo"] = {"mean": mean, "low": low, "high": high}
    return pairs


def levels(game: Game) -> str:
    """A table of the players behind the levels for people, and their strength."""
    path = ROOT / "policies" / game.name / "players.json"
    measured = read(path)["environments"]
    if game.env_name not in measured:
        raise LookupError(f"{path.name} has no levels of {game.env_name}: none were measured")
    found = measured[game.env_name]["levels"]
    stale = is_stale({"path": path, "environment": game.env_name, "options": found["options"]})
    rows = [{"name": name, "stale": stale, **level} for name, level in found["players"].items()]
    rated = {"games won": "won:%"} if game.cooperative else {"Elo (`hard` = 0)": "elo:0"}
    options = _words(found["options"], game.complete_options({})) or "the default options"
    made = (
        f"Rated with {options}, {found['games_per_pair']} games of each pair, {found['date']}. "
        f"`best` was `{found['best']['agent']}`."
    )
    return f"{table({'name': 'name:code', 'who plays': 'agent:code', **rated}, rows)}\n\n{made}"


# what policies won: key on their cards -> head; on older cards a tie counts 1 for each winner
WON = {"win_rate": "won or tied against `heuristic`", "won": "won against `heuristic`"}


def policies(game: Game) -> str:
    """A table of a game's policies: options, training time, size and strength."""
    columns: dict[str, Column] = {
        "policy": "name:code",
        "players": lambda row: ", ".join(map(str, row["num_players"])),
        "trained for": _trained_for,
        "decisions": lambda row: f"{row['steps'] / 1e6:.1f}{SPACE}million",
        "size": lambda row: (
            f"{row['path'].with_name('policy.onnx').stat().st_size / 1e6:.1f}{SPACE}MB"
        ),
        "options": lambda row: _words(row["options"], {}),
    }
    rows = list(filter(_is_shown, rows_of(f"policies/{game.name}/*/card.json", "evaluation")))
    if game.cooperative:
        columns["won as a team"] = lambda row: cell(row, f"{next(filter(row.get, WON))}:%")
    else:
        columns |= {WON[key]: f"{key}:%" for key in WON if any(key in row for row in rows)}
    # of the others all rows are shown
    usual = {row["name"] for row in rows if _is_usual(game, row)}
    return table(
        columns,
        [row for row in rows if row["name"] not in usual or _is_usual(game, row)],
        grouped=5,
    )


def _is_usual(game: Game, row: Row) -> bool:
    return game.other_options(row["options"]).keys() <= {"num_players"}


def _trained_for(row: Row) -> str:
    games = (
        _words(one, {"num_players": one.get("num_players")}) for one in row["settings"]["games"]
    )
    return "; ".join(dict.fromkeys(words or "the default options" for words in games))


def _is_shown(row: Row) -> bool:  # against the scripted player, or a team of copies
    if row["agent"] != row["name"] or row["path"].parent.name.startswith("mine"):  # a draft
        return False
    return set(row["line_up"]) == {row["name"]} if row["team"] else "heuristic" in row["line_up"]


CHARTS = {"speed.svg": speed_chart, "strength.svg": strength_chart}
TABLES: dict[str, Callable[[], str]] = {
    **{name: partial(_speed, name) for name in ("speed", "jax", "cuda")},
    **{name: partial(_stored, name) for name in ("exploiters", "cross-play")},
    "benchmark": _benchmark,
    "questions": _questions,
    "leaderboard": _leaderboard,
    "leaderboard tasks": _leaderboard_tasks,
}


def renewed() -> dict[Path, str]:
    """The expected content of the charts and of the pages with tables."""
    files = {}
    for path in (ROOT / "dig_envs" / "documentation" / "pages" / name for name in CHARTS):
        files[path] = attempt(path.name, CHARTS[path.name], path.read_text(encoding="utf-8"))
    for path in ROOT.glob("dig_envs/**/*.md"):
        files[path] = with_tables(path.read_text(encoding="utf-8"), TABLES)
    for game in map(load_game, packages()):  # a page shows the newest version
        made = {
            "strength": partial(strength, game),
            "levels": partial(levels, game),
            "policies": partial(policies, game),
        }
        for path in filter(
            Path.exists, (readme_path(game), ROOT / "policies" / game.name / "README.md")
        ):
            files[path] = with_tables(path.read_text(encoding="utf-8"), {**tables_of(game), **made})
    return files
