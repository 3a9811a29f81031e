"""Training in several processes, one for each GPU, or for each core of a CPU:

    torchrun --nproc-per-node 2 --no-python -- dig-envs train go_dig --minutes 20

Each process has an equal share of ``num_envs`` and of ``batch_size``, and games of its own. The
gradients of each minibatch are averaged (``averaged`` in ``training/ppo.py``), so that all have the
same weights after each update. The first process holds the run: it keeps time, judges, writes and
prints. It tells the others what to do; they need the same sources, of which the game's are checked,
and the same teacher. Policies among the opponents are sent as files. They trust each other.

A process that dies ends the training of all. The same command goes on from the last checkpoint,
with as many processes; ``torchrun --max-restarts`` gives that command itself.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn, Self

import torch
from torch import distributed

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.onnx import CARD, WEIGHTS, OnnxAgent, first_line
from dig_envs.agents.protocol import Agent
from dig_envs.agents.search_settings import usable_cores
from dig_envs.arena.entrants import code_hash
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .checkpoints import state_of, take_state
from .interrupt import at_sigterm
from .run import Opponents, Part
from .seeds import seed_stream
from .settings import Settings

LONGEST_SILENCE = timedelta(hours=6)  # of the first process, while it judges or saves
WEIGHTED = ("won", "score", "decisions")  # metrics that are means over the games that ended


# ---------------------------------------------------------------- the processes


class Team:
    """The processes that ``torchrun`` has started, of which this is number ``rank`` of ``count``.

    Attributes: ``local_rank``, ``local_count``: its number, and theirs, on this machine. ``gpu``:
    its GPU; None: there is none.
    """

    def __init__(self) -> None:
        """Meet the others."""
        self.local_rank, self.local_count = (
            int(os.environ[name]) for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE")
        )
        gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self.gpu = f"cuda:{self.local_rank % gpus}" if gpus else None
        if self.gpu:
            torch.cuda.set_device(self.gpu)  # the games' own kernels go there, too
        # NCCL needs a GPU for each process
        backend = "cpu:gloo,cuda:nccl" if 0 < self.local_count <= gpus else "gloo"
        distributed.init_process_group(backend, timeout=LONGEST_SILENCE)
        self.rank, self.count = distributed.get_rank(), distributed.get_world_size()

    @property
    def command(self) -> str:
        """The words that start as many processes, before those of the command."""
        machines = self.count // self.local_count
        meet = "--rdzv-backend c10d --rdzv-endpoint HOST:PORT"
        nodes = f"--nnodes {machines} {meet} " if machines > 1 else ""
        return f"torchrun {nodes}--nproc-per-node {self.local_count} --no-python --"

    def tell(self, what: Any) -> None:
        """Say something to all others, which have to :meth:`hear`."""
        distributed.broadcast_object_list([what])

    def hear(self) -> Any:
        """What the first process says."""
        said = [None]
        distributed.broadcast_object_list(said)
        return said[0]

    def gather(self, own: Any) -> list[Any]:
        """What each process has, in the first one; in others nothing."""
        every: list[Any] = [None] * self.count
        distributed.gather_object(own, every if self.rank == 0 else None)
        return every if self.rank == 0 else []

    def check_shares(self, settings: Settings) -> None:
        """Raise ValueError if the settings cannot be shared equally."""
        if self.local_count > 1 and settings.device.startswith("cuda:"):
            raise ValueError(f"device {settings.device}: each process has its own GPU: say cuda")
        games = settings.num_envs // len(settings.games)  # each has some of each of the games
        sizes = {
            "games of each kind (num_envs)": games,
            "decisions of a minibatch (batch_size)": settings.batch_size,
        }
        if any(group.get("memory") for group in settings.cells):
            whole = max(1, settings.batch_size // settings.rollout_steps)
            sizes["games of a minibatch (batch_size // rollout_steps)"] = whole
        for name, size in sizes.items():
            if size % self.count:
                raise ValueError(
                    f"{self.count} processes cannot share {size} {name} equally: start another "
                    "number of processes, or change the setting"
                )

    def share_of(self, settings: Settings) -> Settings:
        """The settings of this process."""
        device = settings.device
        if self.gpu and device in ("auto", "cuda"):
            device = self.gpu
        return replace(
            settings,
            num_envs=settings.num_envs // self.count,
            batch_size=settings.batch_size // self.count,
            device=device,
            threads=settings.threads or max(1, usable_cores() // self.local_count),
        )


class OtherEnded(OSError):
    """Another process of the training has ended or cannot be reached."""


@contextmanager
def heeding_others() -> Iterator[None]:
    """Raise OtherEnded if another process ends during the body: then it cannot be reached, and
    ``torchrun`` sends SIGTERM."""
    what = "another process of this training has ended"

    def end(*_: Any) -> NoReturn:
        raise OtherEnded(what)

    try:
        with at_sigterm(end):
            yield
    except RuntimeError as error:
        words = str(error)
        if not isinstance(error, distributed.DistError) and not (
            "gloo" in words or "NCCL" in words
        ):
            raise
        raise OtherEnded(f"{what} or cannot be reached: {first_line(error)}") from error


@contextmanager
def joined() -> Iterator[Team | None]:
    """The team of this process during the body; None if it was started alone."""
    launched = distributed.is_available() and distributed.is_torchelastic_launched()
    if not launched or int(os.environ["WORLD_SIZE"]) == 1:
        yield None
        return
    with heeding_others():
        team = Team()
    try:
        yield team
    finally:
        with suppress(RuntimeError):
            distributed.destroy_process_group()


# ---------------------------------------------------------------- what is told


@dataclass(frozen=True)
class Begin:
    """What is trained. ``sources``: hash of those of the game, which all must have."""

    game: str
    settings: Settings
    seed: int
    sources: str | None


@dataclass(frozen=True)
class Leg:
    """What every process needs to begin a leg; ``state``: of network and optimizer."""

    phase: str
    steps: int
    share: float
    opponents: WeightedOpponents | None
    state: dict[str, Any]


@dataclass(frozen=True)
class Learn:
    """Play and learn once, with this learning rate."""

    learning_rate: float


class SentPolicy:
    """A policy with its files, for a machine that does not have them."""

    def __init__(self, agent: OnnxAgent) -> None:
        self.state = agent.__getstate__()
        self.files = {name: (agent.folder / name).read_bytes() for name in (CARD, WEIGHTS)}

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


def together(metrics: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The metrics of a rollout whose games were shared: those of learning are the same in all."""
    games = sum(part["games"] for part in metrics)
    of_all = {**metrics[0], "games": games}
    for name in WEIGHTED if games else ():
        ended = [part for part in metrics if part["games"]]
        of_all[name] = round(sum(part["games"] * part[name] for part in ended) / games, 4)
    return of_all


# ---------------------------------------------------------------- the parts


class FirstPart(Part):
    """The part of the first process, which tells the others to do the same."""

    def __init__(self, team: Team, game: Game, settings: Settings, seed: int) -> None:
        self.team = team
        team.tell(Begin(game.env_name, settings, seed, code_hash(game)))
        super().__init__(game, team.share_of(settings), seed)

    def prepare(self) -> None:
        """Have everything compiled that plays, in all processes."""
        super().prepare()
        self.team.gather(None)  # others prepare themselves; on this machine nothing is left to do

    def deal(self, phase: str, steps: int, share: float, opponents: Opponents) -> None:
        """Begin a leg in all processes, with the weights and the optimizer of this one."""
        state = to_cpu(state_of(self.learner))
        self.team.tell(Leg(phase, steps, share, opponents and packed(opponents), state))
        super().deal(phase, steps, share, opponents)

    def learn(self, clock: AbstractContextManager[None]) -> tuple[int, dict[str, float]]:
        """Play and learn once, in all processes; the decisions and the metrics are those of all."""
        self.team.tell(Learn(self.learner.optimizer.param_groups[0]["lr"]))
        steps, metrics = super().learn(clock)
        return steps * self.team.count, together(self.team.gather(metrics))

    def close(self) -> None:
        """Let the others end."""
        self.team.tell(None)
        super().close()


class OtherPart(Part):
    """The part of a process that does what the first one says."""

    @classmethod
    def of(cls, team: Team) -> Self:
        """The part, as the first process says; raises ValueError if the game has other sources."""
        begin: Begin = team.hear()
        game = load_game(begin.game)
        if code_hash(game) != begin.sources:
            raise ValueError(
                f"{os.uname().nodename} has other sources: install the same dig_envs everywhere"
            )
        part = cls(game, team.share_of(begin.settings), begin.seed)
        part.team = team
        return part

    team: Team

    def follow(self) -> None:
        """Do what the first process says, up to its end."""
        self.prepare()
        self.team.gather(None)
        while (said := self.team.hear()) is not None:
            if isinstance(said, Leg):
                self._take_up(said)
            else:
                self.learner.set_learning_rate(said.learning_rate, said.learning_rate, 0.0)
                self.team.gather(self.learn(nullcontext())[1])
        self.close()

    def _take_up(self, leg: Leg) -> None:
        take_state(self.learner, leg.state)
        folder = TemporaryDirectory()
        opponents = leg.opponents and unpacked(leg.opponents, Path(folder.name))
        seed = seed_stream("training", self.seed, leg.steps, self.team.rank)
        self._begin(leg.phase, seed, leg.share, opponents)
        self._files = folder  # those of the leg before are removed


def to_cpu(state: Any) -> Any:
    """A state with its tensors on the CPU: other processes have other devices."""
    if isinstance(state, torch.Tensor):
        return state.cpu()
    if isinstance(state, Mapping):
        return {key: to_cpu(value) for key, value in state.items()}
    return [to_cpu(value) for value in state] if isinstance(state, list) else state


def follow(team: Team) -> None:
    """Be one of the other processes; that another one has ended is said by the first one."""
    try:
        with heeding_others():
            OtherPart.of(team).follow()
    except (OtherEnded, KeyboardInterrupt):
        sys.exit(1)
