"""The records of each task: the results of a random player and of the reference, and fingerprints of deals and opponents.

They are in ``anchors.json``, which ``python -m tests.benchmark.record`` writes. Fingerprints tell whether results can be compared:
the same seeds must deal the same games, and the opponents must play as they did.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_seated
from dig_envs.benchmark.suite import VERSION, Task

FILE = Path(__file__).parent / "anchors.json"
FORMAT = 1
DEALS = 4  # of a task, in the fingerprints


@dataclass(frozen=True)
class Anchor:
    """The record of a task.

    ``random``, ``reference``: the values of the task's metric that count as 0 and as 100. ``deals``, ``opponents``: fingerprints.
    """

    random: float
    reference: float
    deals: str
    opponents: str


def read_anchors(version: int = VERSION) -> dict[str, Anchor]:
    """Return the recorded anchors of a version by the names of the tasks."""
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    assert (recorded["format"], recorded["version"]) == (FORMAT, version), f"{FILE} belongs to another version"
    return {name: Anchor(**values) for name, values in recorded["tasks"].items()}


def deals_print(task: Task) -> str:
    """Return a fingerprint of the first deals of a task: the complete positions, as snapshots say them."""
    env = RawAEC(task.environment, **task.options)
    found = sha256()
    for deal in range(DEALS):
        env.reset(seed=task.seed + deal)
        found.update(json.dumps({key: value for key, value in env.snapshot().items() if key != "seed"}).encode())
    return found.hexdigest()[:16]


def opponents_print(task: Task) -> str:
    """Return a fingerprint of the opponents: how the first deals end when they play all seats."""
    agent = load_agent(task.opponent, task.environment, 0)
    seating = np.zeros((DEALS, task.num_seats), np.int64)
    results = play_seated(task.environment, [agent], seating, [task.seed + deal for deal in range(DEALS)], task.options, 1)
    ends = [results.scores.tolist(), results.winners.tolist(), results.lengths.tolist()]
    return sha256(json.dumps(ends).encode()).hexdigest()[:16]


def changes(task: Task, anchor: Anchor) -> list[str]:
    """Return what is not as it was when the suite was recorded, for people; empty if results can be compared."""
    found = []
    if deals_print(task) != anchor.deals:
        found.append(f"{task.name}: the same seeds deal other games than in version {VERSION} of the suite")
    elif opponents_print(task) != anchor.opponents:
        found.append(f"{task.name}: {task.opponent} plays otherwise than in version {VERSION} of the suite, or by other rules")
    return found
