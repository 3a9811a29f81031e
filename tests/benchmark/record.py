"""Measuring the anchors of the suite anew, for a new version of it:

python -m tests.benchmark.record
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

from dig_envs.benchmark.anchors import FILE, FORMAT, deals_print, opponents_print
from dig_envs.benchmark.measuring import play_task
from dig_envs.benchmark.suite import FULL, VERSION, Task


def record(tasks: Sequence[Task] = FULL) -> dict[str, Any]:
    """Measure the anchors of tasks, as ``anchors.json`` holds them."""
    found = {}
    for task in tasks:
        reference = 1 / task.num_seats  # among its likes; they share every victory
        if task.cooperative:
            reference = float(play_task(task.opponent, task).metric.mean())
        found[task.name] = {
            "random": round(float(play_task("random", task).metric.mean()), 6),
            "reference": round(reference, 6),
            "deals": deals_print(task),
            "opponents": opponents_print(task),
        }
        print(task.name, found[task.name], file=sys.stderr)
    return {"format": FORMAT, "version": VERSION, "tasks": found}


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
