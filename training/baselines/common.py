"""What the baselines share: the tasks, the games that they train on, the evaluation, and the result of a run as JSON.

An algorithm is a function ``train(study)``. It plays and learns for ``study.decisions`` decisions and calls ``study.report``
after each update. The study evaluates the players at ten points of the budget, always on the same deals, and at the end on more
of them.

A *decision* is one action of a learning player while it trains. Games of evaluations and of tables of payoffs do not count;
simulations inside a search do not, either (they are in ``extra`` of the result).
"""

import json
import math
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

import dig_envs
from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.deciding import OneGame
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Interval, Results, mean_interval, play_games
from dig_envs.agents.protocol import Agent
from dig_envs.commands.speed import machine
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from ..evaluate import as_json
from ..files import write_atomically
from ..games import TrainingGames
from ..seeds import seed_stream
from ..settings import Settings, check_table

Array = np.ndarray[Any, Any]
Players = Mapping[str, Agent]  # the learner's players by how they choose: "greedy", "sampled"
Metrics = Mapping[str, float]
Values = TypeVar("Values")
FORMAT = 1
SETTINGS = Path(__file__).parent / "settings"
OF = "of"  # the table of a settings file with what is otherwise in single games
POINTS = 10  # of a learning curve
CURVE_GAMES, FINAL_GAMES = 200, 1000
LIBRARIES = ("torch", "stable-baselines3", "sb3-contrib", "benchmarl", "torchrl", "open_spiel")


# ---------------------------------------------------------------- what is played


@dataclass(frozen=True)
class Task:
    """A game with its options and the rewards in training; ``settings/tasks.toml`` says what the fields mean."""

    name: str
    options: dict[str, Any]
    scripted: str
    win_weight: float
    score_weight: float
    shaping_weight: float
    opponents: dict[str, float]

    @property
    def game(self) -> Game:
        """The game."""
        return load_game(self.name)

    @property
    def references(self) -> dict[str, str | None]:
        """The players that the learner is measured against: their names in results, and as agents; in a cooperative game none."""
        return {"team": None} if self.game.cooperative else {"scripted": self.scripted, "random": "random"}

    def rewards(self) -> dict[str, float]:
        """The weights of the rewards by name."""
        return {name: getattr(self, name) for name in ("win_weight", "score_weight", "shaping_weight")}

    def settings(self, **changes: Any) -> Settings:
        """Return settings of :mod:`training.settings` with this task's rewards, options and opponents."""
        opponents = self.opponents or {"heuristic": 1.0}  # a cooperative game has no other seats, and settings need a name
        return Settings.of(**{"games": [self.options], "opponents": opponents, **self.rewards(), **changes})

    def pool(self, seed: int) -> WeightedOpponents | str:
        """Return who plays the other seats in training."""
        if not self.opponents:
            return "random"
        agents = [load_agent(name, self.game.env_name, seed + k) for k, name in enumerate(self.opponents)]
        return WeightedOpponents(agents, list(self.opponents.values()), mixed=0.0)

    def games(self, num_envs: int, gamma: float, seed: int) -> TrainingGames:
        """Return so many games side by side, with this task's opponents and rewards, before their first ``reset``."""
        settings = self.settings(num_envs=num_envs, gamma=gamma)
        return TrainingGames(self.game.env_name, settings, seed_stream("training", seed), self.pool(seed))


def load_tasks() -> dict[str, Task]:
    """Return the tasks by the name of their game."""
    return {name: Task(name=name, **values) for name, values in _read("tasks").items()}


def load_task(name: str) -> Task:
    """Return the task of a game; ValueError for one that is not among them."""
    tasks = load_tasks()
    short = name.rpartition("_v")[0] if name.rpartition("_v")[2].isdigit() else name
    if short not in tasks:
        raise ValueError(f"no baselines for the game {name!r}; there are {', '.join(tasks)}")
    return tasks[short]


# ---------------------------------------------------------------- hyper-parameters


def option(default: Any, meaning: str, low: float = -math.inf, high: float = math.inf) -> Any:
    """Return a field of a dataclass of hyper-parameters: its default, what it means, and its range."""
    metadata = {"meaning": meaning, "low": low, "high": high}
    return field(metadata=metadata) if default is MISSING else field(default_factory=lambda: default, metadata=metadata)


def values_of(file: str, game: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a settings file for a game, with changes."""
    values = _read(file)
    own = values.pop(OF, {}).get(game, {})
    return {**values, **own, **changes}


def hyperparameters(kind: type[Values], file: str, game: str, changes: Mapping[str, Any]) -> Values:
    """Return a dataclass of hyper-parameters from its file; raises ValueError for what it does not know or allow."""
    values = values_of(file, game, changes)
    try:
        check_table(values, kind)
        return kind(**values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{SETTINGS / file}.toml: {error}") from None


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((SETTINGS / f"{name}.toml").read_text(encoding="utf-8"))


# ---------------------------------------------------------------- networks as players


class Choosing(OneGame):
    """A network as a player: its best action, or one drawn by the softmax of its outputs.

    Args:
        name: in results.
        logits: returns the outputs of the network for observations and masks; those of illegal actions are lowest.
        seed: of what is drawn; None for the best action.
    """

    def __init__(self, name: str, logits: Callable[[Tensor, Tensor], Tensor], seed: int | None = None) -> None:
        self.name, self.logits = name, logits
        self.rng = None if seed is None else np.random.default_rng(seed)

    @torch.no_grad()
    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision, int64 (n,)."""
        return self._choose(self.logits(torch.tensor(observation), torch.tensor(action_mask)).numpy(), action_mask)

    def _choose(self, logits: Array, mask: Array) -> Array:
        if self.rng is not None:
            logits = logits + self.rng.gumbel(size=logits.shape)  # the largest is then an action drawn by its probability
        return np.asarray(np.where(mask, logits, -np.inf).argmax(axis=1))


class Layers(nn.Module):
    """Hidden layers (ReLU) and a number for each action, at -1e8 for illegal ones: values of actions, or logits."""

    def __init__(self, inputs: int, layers: list[int], actions: int) -> None:
        super().__init__()
        sizes = [inputs, *layers]
        hidden = [part for a, b in zip(sizes, sizes[1:], strict=False) for part in (nn.Linear(a, b), nn.ReLU())]
        self.all = nn.Sequential(*hidden, nn.Linear(sizes[-1], actions))

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Return float32 (n, actions)."""
        numbers: Tensor = self.all(observation)
        return numbers.masked_fill(~action_mask.bool(), -1e8)


# ---------------------------------------------------------------- evaluation


def victories(results: Results) -> Array:
    """Return the share of each game's victory that the first agent has, (n,): 1, or 1/k where k seats have won, or 0."""
    won = (results.winners & (results.agents == 0)).any(axis=1)
    return np.asarray(won / np.maximum(results.winners.sum(axis=1), 1))


def evaluate(task: Task, player: Agent, games: int, final: bool) -> dict[str, dict[str, Any]]:
    """Return how a player does against each reference, on deals that are the same for every algorithm and seed.

    Each entry has ``games`` and, with 95 % intervals over games, ``victories`` (0 to 1; of a team, the share of games won) and
    ``score``. The player changes seats from game to game. Learning curves use other deals than the final evaluation.
    """
    seats = int(task.options["num_players"])
    deals = seed_stream("final evaluation" if final else "evaluation", 0)
    found = {}
    for called, name in task.references.items():
        if called == "random" and not final:
            continue
        others = [player if name is None else load_agent(name, task.game.env_name, seed=1)] * (seats - 1)
        results = play_games(task.game.env_name, [player, *others], games, deals, task.options, rotate=True)
        won = results.winners.any(axis=1).astype(float) if task.game.cooperative else victories(results)
        found[called] = {"games": games, "victories": as_json(_share(won)), "score": as_json(results.score(0))}
    return found


def _share(values: Array) -> Interval:
    """Return a mean of numbers from 0 to 1 with its interval, which stays in that range and is not empty at its ends."""
    normal = mean_interval(values)
    edge = 3.0 / len(values)  # at most so much may be missed if all are alike, with 95 % (the rule of three)
    low = 0.0 if normal.mean == 0 else 1 - edge if normal.mean == 1 else max(0.0, normal.low)
    high = 1.0 if normal.mean == 1 else edge if normal.mean == 0 else min(1.0, normal.high)
    return Interval(normal.mean, min(low, normal.mean), max(high, normal.mean))


# ---------------------------------------------------------------- a run


@dataclass
class Study:
    """A run of an algorithm on a task.

    Attributes:
        algorithm, task, seed, decisions: what is run, and for how long.
        changes: hyper-parameters in the place of those of the file.
        modes: how the player chooses in the final evaluation; the first of them in the learning curve.
        settings: the hyper-parameters, which the algorithm notes; extra: what else it has to say, such as simulations.
    """

    algorithm: str
    task: Task
    seed: int
    decisions: int
    changes: dict[str, Any] = field(default_factory=dict)
    curve_games: int = CURVE_GAMES
    final_games: int = FINAL_GAMES
    settings: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    curve: list[dict[str, Any]] = field(default_factory=list)
    done: int = 0
    evaluating: float = 0.0  # seconds
    _players: Callable[[], Players] | None = None
    _began: float = field(default_factory=time.monotonic)
    _processor: float = field(default_factory=time.process_time)

    @property
    def share(self) -> float:
        """The share of the budget that is used, 0 to 1."""
        return min(1.0, self.done / self.decisions) if self.decisions else 1.0

    def explain(self, metrics: Mapping[str, str]) -> None:
        """Print what the metrics mean."""
        for name, meaning in metrics.items():
            print(f"{name:>20}: {meaning}")

    def report(self, done: int, players: Callable[[], Players], metrics: Metrics) -> None:
        """Note that so many decisions were made; evaluate if a tenth of the budget has passed since the last time.

        Args:
            done: decisions so far. players: makes the players as they are now. metrics: of the last update.
        """
        first, before = not self.curve, len(self.curve)
        self.done, self._players = done, players
        if not (first or self.share * POINTS >= before or self.share == 1.0) or (self.curve and self.curve[-1]["share"] == 1.0):
            return
        began = time.monotonic()
        mode, player = next(iter(players().items()))
        found = evaluate(self.task, player, self.curve_games, final=False)
        self.evaluating += time.monotonic() - began
        rounded = {name: round(float(value), 5) for name, value in metrics.items()}
        seconds = round(time.monotonic() - self._began, 1)
        self.curve.append({"decisions": done, "share": self.share, "seconds": seconds, "mode": mode, **found, "metrics": rounded})
        words = "  ".join(f"{name} {value:,}" for name, value in rounded.items())
        rates = "  ".join(
            f"{name} {one['victories']['mean']:.3f} (score {one['score']['mean']:.2f})" for name, one in found.items()
        )
        print(f"{done:,} decisions, {seconds:.0f} s  {mode} against {rates}  {words}", flush=True)

    def result(self) -> dict[str, Any]:
        """Evaluate at the end, and return the result of the run, JSON-able; raises ValueError if nothing was reported."""
        if self._players is None:
            raise ValueError(f"{self.algorithm} has reported nothing")
        trained = time.monotonic() - self._began - self.evaluating
        processor = time.process_time() - self._processor
        final = {mode: evaluate(self.task, player, self.final_games, final=True) for mode, player in self._players().items()}
        return {
            "format": FORMAT,
            "algorithm": self.algorithm,
            "game": self.task.name,
            "environment": self.task.game.env_name,
            "seed": self.seed,
            "decisions": self.decisions,
            "decisions_done": self.done,
            "task": asdict(self.task),
            "settings": self.settings,
            "extra": self.extra,
            "seconds": round(trained, 1),
            "processor_seconds": round(processor, 1),
            "machine": machine(),
            "versions": {"dig_envs": dig_envs.__version__, **_versions()},
            "curve": self.curve,
            "final": final,
        }


def _versions() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def path_of(folder: Path, algorithm: str, game: str, seed: int) -> Path:
    """Return the file of a run's result."""
    return folder / f"{algorithm}-{game}-seed{seed}.json"


def write_result(folder: Path, result: Mapping[str, Any]) -> Path:
    """Write the result of a run, complete or not at all, and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_of(folder, result["algorithm"], result["game"], result["seed"])
    write_atomically(path, json.dumps(result, indent=1) + "\n")
    return path


def plain(values: Any) -> dict[str, Any]:
    """Return the fields of a dataclass of hyper-parameters that are not the default of nothing, by name."""
    return {one.name: getattr(values, one.name) for one in fields(values)}
