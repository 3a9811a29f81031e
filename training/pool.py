"""The opponents of the learner in a competitive game, and the gate that a snapshot of it has to
pass to become the best.

The pool has *groups*, each with a weight in the setting ``[opponents]``: agents by their names
(``heuristic``, ``random``, a policy of the zoo), ``snapshots`` (what the learner was after earlier
legs, the newest ``pool_size`` of them) and ``best`` (the snapshot that passed the gate last).
Snapshots are policies in ONNX in the run's folder ``pool``; which of them belong to the pool is
part of a checkpoint's progress, so that a run that is resumed meets the same opponents as one that
was never interrupted.

The gate: the candidate plays ``gate_games`` games against every group, for each different one of
the settings' games, its seat changing from game to game. It passes if its strength against every
one of them is surely above ``gate_threshold``: the lower end of the 95 % interval is. (By its mean
alone, every second candidate that has learned nothing would pass.) The strength is the share of
the victory (1/k for each of k winners), translated to a game for two: an equal player has
0.5 whatever the number of players.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Interval, play_games, wilson
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.protocol import Agent
from dig_envs.agents.zoo import holds_policy
from dig_envs.engine.core.files import remove
from dig_envs.engine.game import Game

from .export import write_policy
from .network import Network
from .settings import BEST, SNAPSHOTS, Settings

FOLDER = "pool"
# games of the gate before it looks at the clock: every seat comes up equally often among 2 to 6
# players
ROUND = 120


def strength(won: float, num_players: int) -> float:
    """The probability to beat one of ``num_players - 1`` equal players, from the share of the
    victory against all; an equal player has 0.5.

    (As if everybody won in proportion to a number of their own: Luce's choice axiom, for two
    players Bradley and Terry's model.)
    """
    other = (1.0 - won) / (num_players - 1)
    return won / (won + other)


def is_state(value: Any) -> bool:
    """Whether a value has the form of :meth:`Pool.state`."""
    match value:
        case {"snapshots": [*names], "best": str() | None, "promotions": int()}:
            return all(isinstance(name, str) for name in names)
    return False


@dataclass
class Pool:
    """The opponents of a run."""

    game: Game
    settings: Settings
    folder: Path
    snapshots: list[str] = field(default_factory=list)  # names of those in the pool, oldest first
    best: str | None = None  # name of the snapshot that passed the gate last; None before the first
    promotions: int = 0  # how often the gate was passed

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """The part of the pool that a checkpoint keeps, JSON-able."""
        return {"snapshots": list(self.snapshots), "best": self.best, "promotions": self.promotions}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what :meth:`state` gave; raises FileNotFoundError if a snapshot's folder is
        missing."""
        self.snapshots, self.best, self.promotions = (
            list(state["snapshots"]),
            state["best"],
            state["promotions"],
        )
        members = sorted({*self.snapshots, *([self.best] if self.best else [])})
        missing = [name for name in members if not holds_policy(self.path(name))]
        if missing:
            raise FileNotFoundError(f"the pool of {self.folder} lacks {', '.join(missing)}")

    def path(self, name: str) -> Path:
        """The folder of a snapshot."""
        return self.folder / FOLDER / name

    def forget_others(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Remove the folders of snapshots that none of the given :meth:`state` needs."""
        needed = {name for state in states for name in (*state["snapshots"], state["best"])}
        for path in (self.folder / FOLDER).glob("*"):
            if path.name not in needed:
                remove(path)

    # ------------------------------------------------------------ snapshots

    def write(self, network: Network, steps: int) -> str:
        """Write a snapshot of the learner after so many steps; returns its name. It is not in the
        pool yet."""
        name = f"snapshot-{steps:012d}"
        if not holds_policy(self.path(name)):
            write_policy(self.path(name), self.game, network, {"name": name, "steps": steps})
        return name

    def add(self, name: str) -> None:
        """Let a snapshot join the pool; if there are too many, the oldest leaves."""
        self.snapshots = [*self.snapshots, name][-self.settings.pool_size :]

    def promote(self, name: str) -> None:
        """Make a snapshot the best."""
        self.best = name
        self.promotions += 1

    # ------------------------------------------------------------ playing

    def _load(self, names: Sequence[str], rng: np.random.Generator, sample: bool) -> list[Agent]:
        return [
            OnnxAgent(
                self.path(name),
                env=self.game.env_name,
                sample=sample,
                seed=int(rng.integers(2**32)),
            )
            for name in names
        ]

    def _fixed(self, name: str, rng: np.random.Generator) -> list[Agent]:
        return [load_agent(name, self.game.env_name, int(rng.integers(2**32)))]

    def opponents(self, seed: int) -> WeightedOpponents:
        """The opponents of the next leg: the groups by their weights, with ``active_snapshots``
        snapshots drawn.

        Groups that are still empty leave their weight to the others. Policies draw their actions.
        """
        rng = np.random.default_rng(seed)
        agents: list[Agent] = []
        weights: list[float] = []
        for group, weight in self.settings.opponents.items():
            if group == SNAPSHOTS:
                count = min(self.settings.active_snapshots, len(self.snapshots))
                drawn = (
                    sorted(rng.choice(len(self.snapshots), count, replace=False)) if count else []
                )
                members = self._load([self.snapshots[k] for k in drawn], rng, sample=True)
            elif group == BEST:
                members = self._load([self.best] if self.best else [], rng, sample=True)
            else:
                members = self._fixed(group, rng)
            agents += members
            weights += [weight / len(members)] * len(members) if members else []
        return WeightedOpponents(agents, weights, self.settings.mixed_seats)

    def groups(self, seed: int) -> dict[str, list[Agent]]:
        """The players that a candidate has to beat, by group; players of one group take the other
        seats in turn.

        Policies play their likeliest action. The best is always among them.
        """
        rng = np.random.default_rng(seed)
        found: dict[str, list[Agent]] = {}
        for group in dict.fromkeys((*self.settings.opponents, BEST)):
            if group == SNAPSHOTS:
                order = [name for name in self.snapshots if name != self.best]
                found[group] = self._load(
                    [order[k] for k in rng.permutation(len(order))], rng, sample=False
                )
            elif group == BEST:
                found[group] = self._load([self.best] if self.best else [], rng, sample=False)
            else:
                found[group] = self._fixed(group, rng)
        return {group: agents for group, agents in found.items() if agents}

    def gate(
        self, candidate: Agent, seed: int, is_late: Callable[[], bool] = lambda: False
    ) -> "GateResult":
        """Play the gate's games, from so many seeds on; see the module's text.

        ``is_late`` is asked after each round of games and may end the gate early: fewer games make
        the intervals wider.
        """
        options = self.settings.distinct_games
        contests = {
            group: [self._contest(agents, one) for one in options]
            for group, agents in self.groups(seed).items()
        }
        played = 0
        while played < self.settings.gate_games and not (played and is_late()):
            games = min(ROUND, self.settings.gate_games - played)
            for contest in (contest for some in contests.values() for contest in some):
                contest.play(candidate, games, seed + played)
            played += games
        measured = {group: Measurement.of(some) for group, some in contests.items()}
        return GateResult(measured, played * len(options), self.settings.gate_threshold)

    def _contest(self, agents: Sequence[Agent], options: Mapping[str, Any]) -> "Contest":
        seats = int(self.game.complete_options(options)["num_players"])
        return Contest(
            self.game.env_name, [agents[k % len(agents)] for k in range(seats - 1)], options
        )


@dataclass
class Contest:
    """The games of a candidate against the others, with one set of options; ``won``: shares
    of the victory, ``points``: scores."""

    env_name: str
    others: list[Agent]
    options: Mapping[str, Any]
    games: int = 0
    won: float = 0.0
    points: float = 0.0

    def play(self, candidate: Agent, games: int, seed: int) -> None:
        """Play more games, the candidate's seat changing from game to game."""
        results = play_games(
            self.env_name, [candidate, *self.others], games, seed, self.options, rotate=True
        )
        self.games += games
        self.won += results.won_by(0).mean * games
        self.points += results.score(0).mean * games

    def strength(self) -> Interval:
        """The candidate's strength with its 95 % interval."""
        rate = wilson(self.won, self.games)
        return Interval(
            *(strength(value, len(self.others) + 1) for value in (rate.mean, rate.low, rate.high))
        )


@dataclass(frozen=True)
class Measurement:
    """Results of a candidate against one group: means over the settings' games."""

    strength: float
    low: float  # the lower end of its 95 % interval
    won: float  # share of the victory
    score: float

    @classmethod
    def of(cls, contests: Sequence[Contest]) -> "Measurement":
        """The means over equally weighted contests; their errors are independent."""
        strengths = [contest.strength() for contest in contests]
        mean = float(np.mean([one.mean for one in strengths]))
        error = float(np.sqrt(np.sum([(one.mean - one.low) ** 2 for one in strengths]))) / len(
            strengths
        )
        won = float(np.mean([contest.won / contest.games for contest in contests]))
        return cls(
            mean,
            mean - error,
            won,
            float(np.mean([contest.points / contest.games for contest in contests])),
        )


@dataclass(frozen=True)
class GateResult:
    """Measurements of the gate by group, in ``games`` games each."""

    groups: dict[str, Measurement]
    games: int
    threshold: float

    @property
    def passed(self) -> bool:
        """True if the candidate is surely above the threshold against every group, or if the
        threshold is 0."""
        return not self.threshold or all(one.low > self.threshold for one in self.groups.values())
