"""The tasks: what is played, on which deals, against whom, and how it is counted.

A suite is data: ``suites.json`` says all that makes it, so that no later default of a game or a
player changes it. A changed task needs a new version. A game that joins later belongs to no suite.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from dig_envs.agents.names import searches
from dig_envs.arena.json_form import read_as
from dig_envs.arena.schedule import Form, seatings
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

FILE = Path(__file__).parent / "suites.json"
KIND, FORMAT = "dig_envs benchmark suites", 1
# The seeds of all tasks are in the last quarter of the 64-bit integers. In training/seeds.py these
# are for final evaluations, so no policy was trained on such deals.
SEEDS = 3 << 62
DEALS_APART = 2**24  # the first deals of two tasks are at least so many seeds apart


@dataclass(frozen=True)
class Member:
    """One player of a task's population.

    Attributes:
        agent: its name in definitions and reports.
        player: the name that :func:`dig_envs.load_agent` takes for it, with all settings of a
            search.
        deals: number of deals with it.
        elo, elo_interval: its rating and the 95 % interval (low, high); None for a partner.
        fingerprint: of how it plays (:mod:`dig_envs.benchmark.anchors`).
    """

    agent: str
    player: str
    deals: int
    elo: float | None
    elo_interval: tuple[float, ...] | None
    fingerprint: str

    @property
    def seeded_as(self) -> str:
        """The name from which the seeds of its games follow: a search's without all settings, a
        scripted player's as it was called."""
        return self.agent if searches(self.agent) or "style=" in self.player else self.player


@dataclass(frozen=True)
class Anchor:
    """What was recorded when a task was released.

    ``random``, ``reference``: the values of the metric that count as 0 and 100. ``deals``,
    ``opponents``: fingerprints (:mod:`dig_envs.benchmark.anchors`).
    """

    random: float
    reference: float
    deals: str
    opponents: str


@dataclass(frozen=True)
class Task:
    """One game with its options, against one kind of opponent.

    Attributes:
        version: of the suite.
        name: as results are listed, such as ``fossil_canyon-2``.
        environment: such as ``fossil_canyon_v0``.
        options: the options of the game that are not the default.
        opponent: plays all other seats; None in a cooperative game, in which the agent plays all
            seats as one team.
        reference: the player whose own result is 100, unless there is an ``optimum``.
        reference_player: the name that :func:`dig_envs.load_agent` takes for the reference, which
            is the opponent, too, if another player is called so today; empty: the same.
        metric: what counts: the agent's ``score``, or its share of the ``victories``.
        optimum: a value of the metric that was computed and counts as 100, or None.
        only_split: whether it is only played for the splits, and counts in no aggregate.
        seed: of deal 0 (a seeded start of the game); deal d has the seed ``seed + d``.
        deals: how many are played; the agent has each seat once on every deal.
        anchor: what was recorded.
        population: players against whom a rating is found (cooperative: partners).
        held_out: name and hash of the commitment, if the deals are held out.
    """

    version: int
    name: str
    environment: str
    options: dict[str, Any]
    opponent: str | None
    reference: str
    metric: str
    optimum: float | None
    only_split: bool
    seed: int
    deals: int
    anchor: Anchor
    population: tuple[Member, ...]
    reference_player: str = ""
    held_out: dict[str, str] | None = None

    @property
    def game(self) -> Game:
        """The game that is played."""
        return load_game(self.environment)

    @property
    def all_options(self) -> dict[str, Any]:
        """All options of the game, those that are the default, too."""
        return self.game.complete_options(self.options)

    @property
    def num_seats(self) -> int:
        """The number of seats of the game."""
        return int(self.options["num_players"])

    @property
    def cooperative(self) -> bool:
        """Whether the agent plays all seats as one team."""
        return self.opponent is None

    @property
    def form(self) -> Form:
        """The way in which agents are put into the seats."""
        return Form.TEAMS if self.cooperative else Form.ALONE

    @property
    def form_with_members(self) -> Form:
        """The way in which the agent and a member of the population are put into the seats."""
        return Form.ALONE if self.cooperative else Form.PAIRS

    @property
    def games(self) -> int:
        """The number of games that are played."""
        return self.deals * len(seatings(self.num_seats, self.form))

    def plays_already(self, member: Member) -> bool:
        """Whether the games with this member are the task's own: it is the opponent in a game of
        two."""
        return member.agent == self.opponent and self.num_seats == 2

    def games_with(self, member: Member) -> tuple[int, int]:
        """The number of deals with a member, and of games on each deal."""
        if self.plays_already(member):
            return self.deals, self.num_seats
        return member.deals, len(seatings(self.num_seats, self.form_with_members))

    def as_json(self) -> dict[str, Any]:
        """The definition as plain values; on held-out deals without the seed."""
        members = [{"agent": member.agent, "deals": member.deals} for member in self.population]
        found = {
            "task": self.name,
            "environment": self.environment,
            "options": dict(self.options),
            "opponent": self.opponent,
            "reference": self.reference,
            "metric": self.metric,
            "seed": self.seed,
            "deals": self.deals,
            "population": members,
            "optimum": self.optimum,
            "only_split": self.only_split,
        }
        return found if self.held_out is None else {**found, "seed": None}


@dataclass(frozen=True)
class Split:
    """A test of generalisation: a policy may train on the games of ``train``, never of ``test``.

    ``name``: as results are listed. ``varies``: what differs between the two, in words. ``train``,
    ``test``: names of tasks.
    """

    name: str
    varies: str
    train: tuple[str, ...]
    test: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """A named list of tasks.

    ``name``: ``small`` or ``full``. ``version``: of the benchmark. ``tasks``: all of them.
    ``splits``: of tasks into training and test. ``memory``: names of tasks that need a memory.
    """

    name: str
    version: int
    tasks: tuple[Task, ...]
    splits: tuple[Split, ...] = ()
    memory: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of the definition: version, all tasks and all splits."""
        plain = {
            "version": self.version,
            "tasks": [task.as_json() for task in self.tasks],
            "splits": [asdict(split) for split in self.splits],
            "memory": self.memory,
        }
        return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()

    def about(self) -> dict[str, Any]:
        """Name, version and hash, as reports have them."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256}


def read_suites(path: Path) -> dict[str, Suite]:
    """The suites of a file by name.

    Raises:
        BenchmarkError: the file is damaged: not JSON, another form, or a suite whose definition has
            another hash than the file says.
    """
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        if (plain["kind"], plain["format"]) != (KIND, FORMAT):
            raise ValueError(f"it must be of kind {KIND!r} and format {FORMAT}")
        suites = {name: read_suite(plain, name) for name in plain["suites"]}
        for name, suite in suites.items():
            if suite.sha256 != plain["suites"][name]["sha256"]:
                raise ValueError(f"the suite {name} has the hash {suite.sha256}")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise BenchmarkError(f"{path} is damaged: {error!r}") from None
    return suites


def read_suite(plain: Mapping[str, Any], name: str) -> Suite:
    """One suite of a file: the tasks that have a number of deals for it."""
    about, version = plain["suites"][name], plain["version"]
    tasks = []
    for task in plain["tasks"]:
        if name in task["deals"]:
            members = [{**one, "deals": one["deals"][name]} for one in task["population"]]
            here = {"version": version, "deals": task["deals"][name], "population": members}
            tasks.append({**task, **here})
    parts = {"splits": about["splits"], "memory": about["memory"]}
    return read_as(Suite, {"name": name, "version": version, "tasks": tasks, **parts})


SUITES = read_suites(FILE)
