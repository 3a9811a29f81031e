"""The summary of all results: means over seeds with intervals, as one small JSON file from which the table and plots of the
docs are made.

    python -m training.baselines table results --out dig_envs/documentation/results/baselines.json

Intervals over seeds are 95 % intervals of Student's t: with three seeds they are wide. All seeds are evaluated on the same
deals, so that they say how much training runs differ, and nothing of other deals. A single run, or a player that does not
learn, has the interval over games.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from ..files import write_atomically
from .common import FORMAT
from .queue import PLAN, planned

Result = dict[str, Any]
T_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # quantiles of Student's t for 2 … 10 values
NORMAL = 1.96


def over_seeds(values: Sequence[Mapping[str, float]], low: float = -1e9, high: float = 1e9) -> dict[str, float]:
    """Return the mean of some seeds' means with its interval, cut at the least and the greatest possible value.

    Args:
        values: ``mean``, ``low``, ``high`` of each seed. low, high: the range.
    """
    means = [one["mean"] for one in values]
    if len(means) == 1:
        return {name: round(values[0][name], 5) for name in ("mean", "low", "high")}
    factor = T_95[len(means) - 2] if len(means) - 2 < len(T_95) else NORMAL
    half = factor * stdev(means) / sqrt(len(means))
    middle = mean(means)
    return {"mean": round(middle, 5), "low": round(max(low, middle - half), 5), "high": round(min(high, middle + half), 5)}


def measured(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the results of some seeds against one reference: games of each, victories, score, and those of each seed."""
    return {
        "games": rows[0]["games"],
        "victories": over_seeds([row["victories"] for row in rows], 0.0, 1.0),
        "score": over_seeds([row["score"] for row in rows]),
        "of_seeds": {name: [row[name]["mean"] for row in rows] for name in ("victories", "score")},
    }


def group(results: Sequence[Result]) -> dict[str, Any]:
    """Return what some seeds of one algorithm have in one game."""
    first = results[0]
    points = min(len(one["curve"]) for one in results)
    references = [name for name in first["curve"][0] if isinstance(first["curve"][0][name], dict) and name != "metrics"]
    curve = []
    for k in range(points):
        at = [one["curve"][k] for one in results]
        rows = {name: measured([point[name] for point in at]) for name in references}
        curve.append({"decisions": round(mean(point["decisions"] for point in at)), **rows})
    return {
        "algorithm": first["algorithm"],
        "game": first["game"],
        "environment": first["environment"],
        "options": first["task"]["options"],
        "opponent": first["task"]["scripted"],
        "seeds": [one["seed"] for one in results],
        "decisions": first["decisions_done"],
        "seconds": round(mean(one["seconds"] for one in results), 1),
        "processor_seconds": round(mean(one["processor_seconds"] for one in results), 1),
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


def summarize(folder: Path, plan: Path = PLAN) -> dict[str, Any]:
    """Return the summary of a folder of results, and which runs of the plan are missing.

    Raises:
        ValueError: there are none, one is damaged or of another format, or seeds of one algorithm and game do not go together.
    """
    found: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for path in sorted(folder.glob("*-seed*.json")):
        if not path.name.endswith(".failed.json"):
            result = _read(path)
            found[result["game"], result["algorithm"]].append(result)
    if not found:
        raise ValueError(f"no results in {folder}")
    for (game, algorithm), results in found.items():
        for key in ("decisions", "settings", "task"):
            _check_alike(f"{algorithm} {game}", key, (one[key] for one in results))
    failures = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.failed.json"))]
    made = {(one["algorithm"], one["game"], one["seed"]) for one in (*(r for some in found.values() for r in some), *failures)}
    missing = [run._asdict() for run in planned(plan) if run[:3] not in made]
    return {"format": FORMAT, "runs": [group(results) for results in found.values()], "failures": failures, "missing": missing}


def _check_alike(what: str, key: str, values: Iterable[Any]) -> None:
    first, *others = (json.dumps(value, sort_keys=True) for value in values)
    if any(one != first for one in others):
        raise ValueError(f"the seeds of {what} differ in their {key}: results of different commands are in one folder")


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
    values = parser.parse_args(words)
    try:
        summary = summarize(values.folder)
    except ValueError as error:
        parser.exit(2, f"error: {error}\n")
    write_atomically(values.out, json.dumps(summary, indent=1) + "\n")
    runs, failures, missing = (len(summary[name]) for name in ("runs", "failures", "missing"))
    print(f"{values.out}: {runs} algorithms in games, {failures} failures, {missing} runs of the plan missing")
