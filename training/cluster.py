"""Games on the cores of a Ray cluster, the learner in one place:

    dig-envs train fossil_canyon --minutes 60 --ray auto --ray-workers 8

Each worker has its share of the run's games and plays them as a run on one machine does
(``collect`` and ``take_lesson``), with the weights that come with each rollout; the rollouts are
put side by side, and the learner learns from them as from one. All workers are waited for, so that
the same seed gives the same run for the same number of workers.

A worker that dies is begun anew where there is room. It deals the games of the leg from its
beginning, and plays the rollout that was asked for: nothing else of the run is lost, but from there
on it is not the run that it would have been.

The machines need ``dig_envs`` with the same sources, which is checked, and no disk in common:
opponents from the run's pool are sent as files. They trust each other, as machines of a Ray cluster
do.

What limits it at 100 machines, on paper: the learner, which is one process on one machine. It takes
in every observation that the workers saw (float32,
``num_envs * rollout_steps * observation_size``), learns while the workers wait, and waits for the
slowest worker while it does not learn. So workers help up to the share of time that goes into
playing; beyond that more games at a time (``num_envs``) and with them larger batches have to be of
use. Weights go out once for each machine, and are small beside that.

Measured on one machine with two cores, which workers and learner share (Dino Dig for two, PPO with
``--threads 1 --set warm_start='""'``, the median of 15 to 22 rollouts): 6,500 decisions a second
without Ray, 5,000 with one worker, 6,000 with two. Ray gives workers a niceness of 15 unless
``RAY_worker_niceness`` says otherwise: where other programs run they hardly get on.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import torch

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import CARD, WEIGHTS, OnnxAgent
from dig_envs.agents.protocol import Agent
from dig_envs.arena.cluster import connect, num_cores, ray
from dig_envs.arena.entrants import code_hash
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .games import TrainingGames
from .imitation import Lesson, take_lesson
from .learner import new_learner
from .ppo import Rollout, collect
from .run import Run
from .seeds import seed_stream
from .settings import Settings

Weights = dict[str, torch.Tensor]
PlayedKind = TypeVar("PlayedKind", Rollout, Lesson)
PER_GAME = ("memory", "last_values")  # parts of what was played without a dimension for the steps


@dataclass(frozen=True)
class Leg:
    """The facts that a worker needs to begin a leg."""

    seeds: tuple[int, ...]  # one for each worker
    share: float  # of the budget that is used
    opponents: WeightedOpponents | None  # None: nobody else plays
    sources: str | None  # hash of the sources that the worker must have


class SentPolicy:
    """A policy with its files, for a machine that does not have them."""

    def __init__(self, agent: OnnxAgent) -> None:
        self.state = agent.__getstate__()
        self.files = {
            name: Path(self.state["folder"], name).read_bytes() for name in (CARD, WEIGHTS)
        }

    def unpack(self, folder: Path) -> OnnxAgent:
        """The policy, with its files in a new folder."""
        folder.mkdir()
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        agent = OnnxAgent.__new__(OnnxAgent)
        agent.__setstate__({**self.state, "folder": str(folder)})
        return agent


def packed(opponents: WeightedOpponents) -> WeightedOpponents:
    """Opponents to send: policies with their files."""
    agents: list[Any] = [
        SentPolicy(agent) if isinstance(agent, OnnxAgent) else agent for agent in opponents.agents
    ]
    return replace(opponents, agents=agents)


def unpacked(opponents: WeightedOpponents, folder: Path) -> WeightedOpponents:
    """Opponents that were sent; the folder with their files must stay while they play."""
    agents: list[Agent] = [
        agent.unpack(folder / str(k)) if isinstance(agent, SentPolicy) else agent
        for k, agent in enumerate(opponents.agents)
    ]
    return replace(opponents, agents=agents)


class Worker:
    """A share of a run's games, on a core of the cluster; the settings are those of the run with
    the worker's share of the games.

    What it plays depends on nothing that it played in other legs.
    """

    def __init__(self, name: str, settings: Settings, number: int) -> None:
        torch.set_num_threads(1)
        self.number, self.sources = number, code_hash(load_game(name))
        self.learner = new_learner(load_game(name), replace(settings, device="cpu", threads=1), 0)
        self.games = TrainingGames(name, settings, 0)
        self.leg: Leg | None = None

    def rollout(self, leg: Leg, weights: Weights) -> Rollout:
        """Play a rollout by the policy."""
        self._begin(leg, weights)
        return collect(self.learner, self.games)

    def process(self) -> str:
        """The address and the id of this process."""
        return f"{ray.util.get_node_ip_address()}, {os.getpid()}"

    def lesson(self, leg: Leg, weights: Weights) -> Lesson:
        """Play a lesson, with the scripted player of the settings as the teacher."""
        self._begin(leg, weights)
        return take_lesson(self.learner, self.games, self.teacher, self.rng)

    def _begin(self, leg: Leg, weights: Weights) -> None:
        """Take the weights of this rollout; deal new games if this is a new leg, or a worker in the
        place of one that died."""
        if leg.sources != self.sources:
            raise ValueError(
                f"{ray.util.get_node_ip_address()} has other sources: install the same dig_envs "
                "everywhere"
            )
        self.learner.network.load_state_dict(weights)
        if self.leg is not None and self.leg.seeds == leg.seeds:
            return
        self.leg, seed = leg, leg.seeds[self.number]
        self.learner.generator.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.teacher = load_agent(
            self.games.settings.warm_start or "random", self.games.game.env_name
        )
        if leg.opponents is not None:
            folder = TemporaryDirectory()
            self.games.set_opponents(unpacked(leg.opponents, Path(folder.name)))
            self.folder = folder  # that of the leg before is removed
        self.games.share = leg.share
        self.games.reset(seed)


def side_by_side(parts: Sequence[PlayedKind]) -> PlayedKind:
    """The joined games of several workers, as if one had played them all."""
    joined: dict[str, Any] = {}
    for name in (field.name for field in fields(parts[0])):
        column = [getattr(part, name) for part in parts]
        joined[name] = (
            list(chain(*column))
            if name == "ended"
            else torch.cat(column, dim=0 if name in PER_GAME else 1)
        )
    return type(parts[0])(**joined)


def choose_workers(settings: Settings, asked: int | None, cores: int) -> int:
    """The number of workers: as asked, or the most, up to the number of cores, that share the games
    equally.

    Raises:
        ValueError: the games cannot be shared equally among so many.
    """
    shares = settings.num_envs // len(settings.games)  # a worker has some of each of the games
    if asked is None:
        return max(count for count in range(1, cores + 1) if shares % count == 0)
    if asked < 1 or shares % asked:
        raise ValueError(
            f"{asked} workers cannot share {shares} games of each kind equally: choose a divisor, "
            "or another num_envs"
        )
    return asked


class ClusterGames:
    """So many workers, each of which takes a core, in the place of a run's games."""

    def __init__(self, name: str, settings: Settings, count: int) -> None:
        share = replace(settings, num_envs=settings.num_envs // count)
        remote = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(Worker)
        self.workers = [remote.remote(name, share, number) for number in range(count)]
        self.opponents: WeightedOpponents | None = None
        self.share = 0.0  # of the budget that is used, in the legs that follow
        self.processes: list[str] = []  # of the workers
        self.begun_anew = False  # whether a worker was, when it played last
        self.sources = code_hash(load_game(name))

    def set_opponents(self, opponents: WeightedOpponents) -> None:
        """Play against others in the legs that follow."""
        self.opponents = packed(opponents)

    def begin_leg(self, seeds: Sequence[int]) -> None:
        """Deal new games, from one seed for each worker."""
        self.leg = ray.put(Leg(tuple(seeds), self.share, self.opponents, self.sources))

    def play(self, what: str, network: torch.nn.Module) -> Any:
        """One ``rollout`` or ``lesson`` of all workers with these weights.

        Raises:
            ValueError: a worker has other sources. OSError: a worker could not begin, or the
                cluster is gone.
        """
        weights = ray.put({name: tensor.cpu() for name, tensor in network.state_dict().items()})
        try:
            parts = ray.get(
                [getattr(worker, what).remote(self.leg, weights) for worker in self.workers]
            )
            processes = ray.get([worker.process.remote() for worker in self.workers])
        except ray.exceptions.RayTaskError as error:
            # what went wrong there, without the cluster's words around it
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise OSError(
                f"games could not be played on the cluster: {str(error).splitlines()[0]}"
            ) from None
        self.begun_anew = self.processes not in ([], processes)
        self.processes = processes
        return side_by_side(parts)

    def close(self) -> None:
        """End the workers."""
        for worker in self.workers:
            ray.kill(worker)


class ClusterRun(Run):
    """A run whose games are played on a Ray cluster (:func:`dig_envs.arena.cluster.connect`).

    Args:
        args: those of :class:`Run`.
        address: of the cluster.
        workers: how many; None: :func:`choose_workers`.

    Raises:
        ConnectionError: there is no cluster. ValueError: the games cannot be shared equally among
            the workers.
    """

    def __init__(
        self,
        game: Game,
        folder: Path,
        settings: Settings,
        *args: Any,
        address: str,
        workers: int | None = None,
    ) -> None:
        connect(address)
        self.count = choose_workers(settings, workers, num_cores())
        super().__init__(game, folder, settings, *args)

    def _make_games(self) -> ClusterGames:
        return ClusterGames(self.game.env_name, self.settings, self.count)

    def _compile(self) -> None:
        """Do nothing: each worker compiles the game when it begins."""
        self.reporter.say(
            f"games on {self.count} workers of the cluster, which compile the game at its first use"
        )

    def _deal(self, seed: int) -> None:
        self.games.begin_leg(
            [
                seed_stream("training", self.seed, self.steps_done, number)
                for number in range(self.count)
            ]
        )

    def _take_lesson(self, teacher: Agent) -> Lesson:
        lesson: Lesson = self._play("lesson")
        return lesson

    def _collect(self) -> Rollout:
        rollout: Rollout = self._play("rollout")
        return rollout

    def _play(self, what: str) -> Any:
        played = self.games.play(what, self.learner.network)
        if self.games.begun_anew:
            self.reporter.say(
                "a worker died and was begun anew: from here on this is not the run that its seed "
                "gives"
            )
        return played
