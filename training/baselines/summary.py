"""The summary of all results: means over seeds with intervals, as one small JSON file from which the table and plots of the
docs are made.

    python -m training.baselines table results --out dig_envs/documentation/results/baselines.json
    python -m training.baselines table more-results --join

With ``--join`` the results of a folder join the summary that is there, whose own results need not be at hand any more: of each seed
it keeps the means, from which means and intervals over seeds follow.

Intervals over seeds are 95 % intervals of Student's t: with three seeds they are wide. All seeds are evaluated on the same
deals, so that they say how much training runs differ, and nothing of other deals. A single run, or a player that does not
learn, has the interval over games.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from ..files import write_atomically
from ..intervals import over_seeds
from .common import FORMAT
from .queue import PLAN, planned

Result = dict[str, Any]


def measured(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the results of some seeds against one reference: games of each, victories, score, and those of each seed.

    Raises:
        ValueError: the seeds were measured in different numbers of games.
    """
    if len({row["games"] for row in rows}) > 1:
        raise ValueError(f"seeds were measured in different numbers of games: {', '.join(str(row['games']) for row in rows)}")
    return {
        "games": rows[0]["games"],
        "victories": over_seeds([row["victories"] for row in rows], 0.0, 1.0),
        "score": over_seeds([row["score"] for row in rows]),
        "of_seeds": {name: [row[name]["mean"] for row in rows] for name in ("victories", "score")},
    }


def means(rows: Sequence[Mapping[str, Any]], *names: str, digits: int = 1) -> dict[str, Any]:
    """Return the means of some seeds' numbers by name, and the numbers of each seed."""
    found = {name: [row[name] for row in rows] for name in names}
    return {**{name: round(mean(values), digits or None) for name, values in found.items()}, "of_seeds": found}


def group(results: Sequence[Result]) -> dict[str, Any]:
    """Return what some seeds of one algorithm have in one game."""
    first = results[0]
    points = min(len(one["curve"]) for one in results)
    references = [name for name in first["curve"][0] if isinstance(first["curve"][0][name], dict) and name != "metrics"]
    curve = []
    for k in range(points):
        at = [one["curve"][k] for one in results]
        rows = {name: measured([point[name] for point in at]) for name in references}
        curve.append({**means(at, "decisions", digits=0), **rows})
    return {
        "algorithm": first["algorithm"],
        "game": first["game"],
        "environment": first["environment"],
        "task": first["task"],
        "seeds": [one["seed"] for one in results],
        "budget": first["decisions"],
        "decisions": first["decisions_done"],
        **means(results, "seconds", "processor_seconds"),
        "mode": first["curve"][0]["mode"],
        "final": {
            mode: {name: measured([one["final"][mode][name] for one in results]) for name in first["final"][mode]}
            for mode in first["final"]
        },
        "curve": curve,
        "settings": first["settings"],
        "extra": [one["extra"] for one in results if one["extra"]],
        "machine": first["machine"],
        "versions": first["versions"],
    }


def results_of(run: Mapping[str, Any]) -> list[Result]:
    """Return the results of the seeds that a group of a summary was made from; :func:`group` makes the same group of them."""
    return [_result_of(run, k) for k in range(len(run["seeds"]))]


def _result_of(run: Mapping[str, Any], k: int) -> Result:
    """Return the result of a group's k-th seed."""
    curve = [
        {**_numbers(point, k), "mode": run["mode"], **{name: _measured(value, k) for name, value in _references(point)}}
        for point in run["curve"]
    ]
    return {
        **{name: run[name] for name in ("algorithm", "game", "environment", "task", "settings", "machine", "versions")},
        **_numbers(run, k),
        "seed": run["seeds"][k],
        "decisions": run["budget"],
        "decisions_done": run["decisions"],
        "final": {mode: {name: _measured(found, k) for name, found in row.items()} for mode, row in run["final"].items()},
        "curve": curve,
        "extra": run["extra"][k] if run["extra"] else {},
    }


def _references(point: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in point.items() if isinstance(value, dict) and name != "of_seeds"]


def _numbers(found: Mapping[str, Any], k: int) -> dict[str, float]:
    return {name: values[k] for name, values in found["of_seeds"].items()}


def _measured(found: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return what a seed has against one reference: its means; with the intervals over games, which only a single seed has."""
    values = {}
    for name, means_of in found["of_seeds"].items():
        values[name] = {**(found[name] if len(means_of) == 1 else {}), "mean": means_of[k]}
    return {"games": found["games"], **values}


def summarize(folder: Path, plan: Path = PLAN, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the summary of a folder of results, and which runs of the plan are missing.

    Args:
        folder: of the results. plan: with the runs that there should be.
        before: a summary that the results join; a run that it has, too, is taken from the folder.

    Raises:
        ValueError: there are no results, one is damaged or of another format, or seeds of one algorithm and game do not go
            together.
    """
    found: dict[tuple[str, str], dict[int, Result]] = defaultdict(dict)
    failed: dict[tuple[str, str, int], dict[str, Any]] = {}
    if before is not None:
        for run in before["runs"]:
            found[run["algorithm"], run["game"]] = {one["seed"]: one for one in results_of(run)}
        failed = {_run_of(one): one for one in before["failures"]}
    paths = sorted(folder.glob("*-seed*.json"))
    for path in paths:
        if path.name.endswith(".failed.json"):
            failure = json.loads(path.read_text(encoding="utf-8"))
            failed[_run_of(failure)] = failure
        else:
            result = _read(path)
            found[result["algorithm"], result["game"]][result["seed"]] = result
    if not any(not path.name.endswith(".failed.json") for path in paths):
        raise ValueError(f"no results in {folder}")
    runs = []
    for (algorithm, game), by_seed in sorted(found.items()):
        results = [by_seed[seed] for seed in sorted(by_seed)]
        for key in ("decisions", "settings", "task"):
            _check_alike(f"{algorithm} {game}", key, results)
        runs.append(group(results))
    made = {(run["algorithm"], run["game"], seed) for run in runs for seed in run["seeds"]}
    failures = [failed[run] for run in sorted(failed.keys() - made)]
    missing = [run._asdict() for run in planned(plan) if run[:3] not in made | failed.keys()]
    return {"format": FORMAT, "runs": runs, "failures": failures, "missing": missing}


def _run_of(plain: Mapping[str, Any]) -> tuple[str, str, int]:
    return plain["algorithm"], plain["game"], plain["seed"]


def _check_alike(what: str, key: str, results: Sequence[Result]) -> None:
    first, *others = results
    for other in others:
        if json.dumps(first[key], sort_keys=True) != json.dumps(other[key], sort_keys=True):
            seeds = f"seeds {first['seed']} and {other['seed']}"
            raise ValueError(f"the {seeds} of {what} differ in their {key}: they are results of different commands")


def read_summary(path: Path) -> dict[str, Any]:
    """Return a summary that :func:`write_summary` wrote; raises ValueError if the file has none that results can join."""
    try:
        summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for run in summary["runs"]:
            group(results_of(run))
        damaged = summary["format"] != FORMAT or not isinstance(summary["failures"], list)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no summary that results can join: {type(error).__name__} {error}") from None
    if damaged:
        raise ValueError(f"{path} is no summary of format {FORMAT}")
    return summary


def _read(path: Path) -> Result:
    try:
        result: Result = json.loads(path.read_text(encoding="utf-8"))
        known = result["format"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no result of a baseline") from None
    if known != FORMAT:
        raise ValueError(f"{path} has format {known}; this version reads format {FORMAT}")
    return result


def write_summary(words: Sequence[str]) -> None:
    """Write the summary of a folder to a file."""
    parser = argparse.ArgumentParser("python -m training.baselines table", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the results")
    parser.add_argument("--out", type=Path, default=Path("dig_envs/documentation/results/baselines.json"), help="the summary")
    parser.add_argument("--join", action="store_true", help="add the runs of the folder to the summary that is there")
    values = parser.parse_args(words)
    try:
        summary = summarize(values.folder, before=read_summary(values.out) if values.join else None)
    except ValueError as error:
        parser.exit(2, f"error: {error}\n")
    write_atomically(values.out, json.dumps(summary, indent=1) + "\n")
    runs, failures, missing = (len(summary[name]) for name in ("runs", "failures", "missing"))
    print(f"{values.out}: {runs} algorithms in games, {failures} failures, {missing} runs of the plan missing")
