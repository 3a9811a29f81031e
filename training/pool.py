"""Whom the learner of a competitive game plays against, and the gate that a snapshot of it has to pass to become the best.

The pool has *groups*, each with a weight in the setting ``[opponents]``: agents by their names (``heuristic``, ``random``, a
policy of the zoo), ``snapshots`` (what the learner was after earlier legs, the newest ``pool_size`` of them) and ``best`` (the
snapshot that passed the gate last). Snapshots are policies in ONNX in the run's folder ``pool``; which of them belong to the pool
is part of a checkpoint's progress, so that a run that is resumed meets the same opponents as one that was never interrupted.

The gate: the candidate plays ``gate_games`` games against every group, for each different one of the settings' games, its seat
changing from game to game, and passes if its strength is surely above ``gate_threshold`` against every one of them: the lower end
of the 95 % interval is. (By its mean alone, every second candidate that has learned nothing would pass.) The strength is the
share of games won (a win that k players share counts 1/k), translated to a game for two: an equal player has 0.5 whatever the
number of players.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.adapters import learner
from dig_envs.agents.deciding import OneGame
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Interval, Results, play_games, wilson
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.protocol import Agent
from dig_envs.engine.checks import canonical
from dig_envs.engine.game import Array, Game
from dig_envs.engine.state import new_records

from .export import write_policy
from .network import Network
from .settings import BEST, SNAPSHOTS, Settings

FOLDER = "pool"
GENERATOR = np.dtype([("rng", np.uint64)])
EQUAL = 0.5  # the strength of an equal player
ROUND = 120  # games of the gate before it looks at the clock: every seat comes up equally often among 2 to 6 players


class CompiledRandom(OneGame):
    """The uniformly random player, drawing in the game's compiled loops.

    Args:
        game: that it plays.
        seed: of its draws.
    """

    name = "random"

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self._rng = np.random.default_rng(seed)

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """A random legal action for each decision; only ``action_mask`` is used."""
        count = len(action_mask)
        generators = new_records(count, GENERATOR)
        generators["rng"] = self._rng.integers(2**64, size=count, dtype=np.uint64)
        actions = np.zeros(count, np.int64)
        self.game.kernels.sample_legal(0, count, canonical(action_mask, np.int8), generators, actions)
        return actions


def strength(win_rate: float, num_players: int) -> float:
    """A win rate against ``num_players - 1`` alike as the chance to win against one of them, 0 to 1; an equal player has 0.5.

    (As if everybody won in proportion to a number of their own: Luce's choice axiom, for two players Bradley and Terry's model.)
    """
    other = (1.0 - win_rate) / (num_players - 1)
    return win_rate / (win_rate + other)


def share_won(results: Results, agent: int) -> float:
    """The share of games that an agent with one seat won, 0 to 1; a win that k players share counts 1/k."""
    won = (results.winners & (results.agents == agent)).any(axis=1)
    return float(np.mean(won / np.maximum(results.winners.sum(axis=1), 1)))


@dataclass
class Pool:
    """The opponents of a run.

    Attributes:
        game, settings, folder: of the run.
        snapshots: names of the learner's snapshots in the pool, oldest first.
        best: name of the snapshot that passed the gate last; None before the first.
        promotions: how often the gate was passed.
    """

    game: Game
    settings: Settings
    folder: Path
    snapshots: list[str] = field(default_factory=list)
    best: str | None = None
    promotions: int = 0

    # ------------------------------------------------------------ saving

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, JSON-able."""
        return {"snapshots": list(self.snapshots), "best": self.best, "promotions": self.promotions}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what :meth:`state` gave.

        Raises:
            FileNotFoundError: if a snapshot's folder is missing.
        """
        self.snapshots, self.best, self.promotions = list(state["snapshots"]), state["best"], state["promotions"]
        missing = [name for name in self._members() if not (self.path(name) / "card.json").exists()]
        if missing:
            raise FileNotFoundError(f"the pool of {self.folder} lacks {', '.join(missing)}")

    def path(self, name: str) -> Path:
        """The folder of a snapshot."""
        return self.folder / FOLDER / name

    def _members(self) -> list[str]:
        return sorted({*self.snapshots, *([self.best] if self.best else [])})

    def forget_others(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Remove the folders of snapshots that none of the given :meth:`state` needs."""
        needed = {name for state in states for name in (*state["snapshots"], state["best"])}
        for path in (self.folder / FOLDER).glob("*"):
            if path.name not in needed:
                shutil.rmtree(path)

    # ------------------------------------------------------------ snapshots

    def write(self, network: Network, steps: int) -> str:
        """Write a snapshot of the learner after so many steps; returns its name. It is not in the pool yet."""
        name = f"snapshot-{steps:012d}"
        if not (self.path(name) / "card.json").exists():
            write_policy(self.path(name), self.game, network, {"name": name, "steps": steps})
        return name

    def add(self, name: str) -> None:
        """A snapshot joins the pool; if there are too many, the oldest leaves."""
        self.snapshots = [*self.snapshots, name][-self.settings.pool_size :]

    def promote(self, name: str) -> None:
        """A snapshot becomes the best."""
        self.best = name
        self.promotions += 1

    # ------------------------------------------------------------ playing

    def _load(self, name: str, seed: int, sample: bool) -> Agent:
        return OnnxAgent(self.path(name), env=self.game.env_name, sample=sample, seed=seed)

    def _fixed(self, name: str, seed: int) -> Agent:
        return CompiledRandom(self.game, seed) if name == "random" else load_agent(name, self.game.env_name, seed)

    def opponents(self, seed: int) -> learner.WeightedOpponents:
        """Whom the learner plays against in the next leg: the groups by their weights, ``active_snapshots`` of the snapshots drawn.

        Groups that are still empty leave their weight to the others. Policies draw their actions.
        """
        rng = np.random.default_rng(seed)
        agents: list[Agent] = []
        weights: list[float] = []
        for group, weight in self.settings.opponents.items():
            if group == SNAPSHOTS:
                count = min(self.settings.active_snapshots, len(self.snapshots))
                names = [self.snapshots[k] for k in sorted(rng.choice(len(self.snapshots), count, replace=False))] if count else []
                members = [self._load(name, int(rng.integers(2**32)), sample=True) for name in names]
            elif group == BEST:
                members = [self._load(self.best, int(rng.integers(2**32)), sample=True)] if self.best else []
            else:
                members = [self._fixed(group, int(rng.integers(2**32)))]
            agents += members
            weights += [weight / len(members)] * len(members) if members else []
        return learner.WeightedOpponents(agents, weights, self.settings.mixed_seats)

    def groups(self, seed: int) -> dict[str, list[Agent]]:
        """Whom a candidate has to beat: by group those that take the other seats in turn. Policies play their likeliest action."""
        rng = np.random.default_rng(seed)
        found: dict[str, list[Agent]] = {}
        for group in dict.fromkeys((*self.settings.opponents, BEST)):
            if group == SNAPSHOTS:
                order = [name for name in self.snapshots if name != self.best]
                names = [order[k] for k in rng.permutation(len(order))]
            elif group == BEST:
                names = [self.best] if self.best else []
            else:
                found[group] = [self._fixed(group, int(rng.integers(2**32)))]
                continue
            if names:
                found[group] = [self._load(name, int(rng.integers(2**32)), sample=False) for name in names]
        return found

    def gate(self, candidate: Agent, seed: int, is_late: Callable[[], bool] = lambda: False) -> "GateResult":
        """Play the gate's games, from so many seeds on; see the module's text.

        ``is_late`` is asked after each round of games and may end the gate early: fewer games make the intervals wider.
        """
        options = self.settings.distinct_games
        contests = {group: [Contest(self.game, agents, one) for one in options] for group, agents in self.groups(seed).items()}
        played = 0
        while played < self.settings.gate_games and not (played and is_late()):
            games = min(ROUND, self.settings.gate_games - played)
            for contest in (contest for some in contests.values() for contest in some):
                contest.play(candidate, games, seed + played)
            played += games
        measured = {group: measure(some) for group, some in contests.items()}
        return GateResult(measured, played * len(options), self.settings.gate_threshold)


class Contest:
    """The games of a candidate against one group with one set of options.

    Args:
        game: that is played.
        agents: of the group; they take the other seats in turn.
        options: of the game.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], options: Mapping[str, Any]) -> None:
        self.game, self.options = game, options
        self.seats = int(game.complete_options(options)["num_players"])
        self.others = [agents[k % len(agents)] for k in range(self.seats - 1)]
        self.games = 0
        self.won = 0.0  # shares of wins
        self.points = 0.0

    def play(self, candidate: Agent, games: int, seed: int) -> None:
        """More games, the candidate's seat changing from game to game."""
        results = play_games(self.game.env_name, [candidate, *self.others], games, seed, self.options, rotate=True)
        self.games += games
        self.won += share_won(results, 0) * games
        self.points += results.score(0).mean * games

    def strength(self) -> Interval:
        """The candidate's, with its 95 % interval."""
        rate = wilson(self.won, self.games)
        return Interval(*(strength(value, self.seats) for value in (rate.mean, rate.low, rate.high)))


@dataclass(frozen=True)
class Measurement:
    """How a candidate did against one group: means over the settings' games.

    ``strength`` and ``low``, the lower end of its 95 % interval; ``win_rate`` as :func:`share_won`; ``score``.
    """

    strength: float
    low: float
    win_rate: float
    score: float


def measure(contests: Sequence[Contest]) -> Measurement:
    """The means over contests that count alike; their errors are independent."""
    strengths = [contest.strength() for contest in contests]
    mean = float(np.mean([one.mean for one in strengths]))
    error = float(np.sqrt(np.sum([(one.mean - one.low) ** 2 for one in strengths]))) / len(strengths)
    rates = [contest.won / contest.games for contest in contests]
    scores = [contest.points / contest.games for contest in contests]
    return Measurement(mean, mean - error, float(np.mean(rates)), float(np.mean(scores)))


@dataclass(frozen=True)
class GateResult:
    """What the gate measured: by group, in ``games`` games each."""

    groups: dict[str, Measurement]
    games: int
    threshold: float

    @property
    def passed(self) -> bool:
        """Whether the candidate is surely above the threshold against every group."""
        return all(one.low > self.threshold for one in self.groups.values())

    def strengths(self) -> dict[str, float]:
        """Strength by group, rounded for the logs."""
        return {group: round(one.strength, 4) for group, one in self.groups.items()}

    def lows(self) -> dict[str, float]:
        """The lower ends of the 95 % intervals by group, rounded for the logs."""
        return {group: round(one.low, 4) for group, one in self.groups.items()}
