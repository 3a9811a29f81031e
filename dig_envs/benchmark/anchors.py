"""The records of each task: what counts as 0 and as 100, ratings of the population, and fingerprints of deals and players.

They are in ``anchors.json`` (version 1) and ``anchors_2.json``, which ``python -m tests.benchmark.record`` writes. Fingerprints
tell whether results can be compared: the same seeds must deal the same games, and the opponents must play as they did.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_seated
from dig_envs.agents.onnx import weights_hashes
from dig_envs.arena.entrants import card_of
from dig_envs.benchmark.suite import VERSION, Task

FILES = {1: Path(__file__).parent / "anchors.json", 2: Path(__file__).parent / "anchors_2.json"}
FORMAT = 1
DEALS = 4  # of a task, in the fingerprints
SEARCHED = 3  # positions in the fingerprint of a player that searches


@dataclass(frozen=True)
class Rated:
    """A member of a population: its rating with a 95 % interval, and a fingerprint of how it plays (empty: there is none).

    Of a partner in a cooperative game the numbers are 0.
    """

    elo: float
    low: float
    high: float
    fingerprint: str


@dataclass(frozen=True)
class Anchor:
    """The record of a task.

    ``random``, ``reference``: the values of the task's metric that count as 0 and as 100. ``deals``, ``opponents``: fingerprints.
    ``population``: its members by name (version 2).
    """

    random: float
    reference: float
    deals: str
    opponents: str
    population: Mapping[str, Rated] = field(default_factory=dict)


def read_anchors(version: int = VERSION) -> dict[str, Anchor]:
    """Return the recorded anchors of a version by the names of the tasks."""
    recorded = json.loads(FILES[version].read_text(encoding="utf-8"))
    assert (recorded["format"], recorded["version"]) == (FORMAT, version), f"{FILES[version]} belongs to another version"
    found = {}
    for name, values in recorded["tasks"].items():
        members = {agent: Rated(**rated) for agent, rated in values.pop("population", {}).items()}
        found[name] = Anchor(**values, population=members)
    return found


def deals_print(task: Task) -> str:
    """Return a fingerprint of the first deals of a task: the complete positions, as snapshots say them."""
    env = RawAEC(task.environment, **task.options)
    found = sha256()
    for deal in range(DEALS):
        env.reset(seed=task.seed + deal)
        found.update(json.dumps({key: value for key, value in env.snapshot().items() if key != "seed"}).encode())
    return found.hexdigest()[:16]


def opponents_print(task: Task, player: str | None = None) -> str:
    """Return a fingerprint of a player, by default the opponents: how the first deals end when they play all seats."""
    agent = load_agent(player or task.others, task.environment, 0)
    seating = np.zeros((DEALS, task.num_seats), np.int64)
    results = play_seated(task.environment, [agent], seating, [task.seed + deal for deal in range(DEALS)], task.options, 1)
    ends = [results.scores.tolist(), results.winners.tolist(), results.lengths.tolist()]
    return sha256(json.dumps(ends).encode()).hexdigest()[:16]


def member_print(task: Task, player: str) -> str:
    """Return a fingerprint of a member of the population.

    That of a policy is the hash of its weights, for its choices may differ between processors where two are almost as likely; that
    of a search are its first choices, since complete games would take long; a uniformly random player has none.
    """
    if player == "random":
        return ""
    agent = load_agent(player, task.environment, 0)
    if card_of(agent):
        return weights_hashes(card_of(agent))[-1][:16]  # as they were before they were rounded
    if not player.startswith("search"):
        return opponents_print(task, player)
    env = RawAEC(task.environment, **task.options)
    env.reset(seed=task.seed)
    chosen: list[int] = []
    while len(chosen) < SEARCHED:
        chosen.append(int(agent.act(env)))
        env.step(chosen[-1])
    return sha256(json.dumps(chosen).encode()).hexdigest()[:16]


def changes(task: Task, anchor: Anchor) -> list[str]:
    """Return what is not as it was when the suite was recorded, for people; empty if results can be compared."""
    found = []
    if deals_print(task) != anchor.deals:
        found.append(f"{task.name}: the same seeds deal other games than in version {task.version} of the suite")
    elif opponents_print(task) != anchor.opponents:
        found.append(f"{task.name}: {task.others} plays otherwise than in version {task.version} of the suite, or by other rules")
    else:
        for member in task.population:
            if member_print(task, task.player(member)) != anchor.population[member.agent].fingerprint:
                found.append(f"{task.name}: {member.agent} plays otherwise than in version {task.version} of the suite")
    return found
