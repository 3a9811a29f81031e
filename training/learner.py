"""The learner of a run: that of ``ppo.py`` for every kind of network, also for those that remember, on one core or two.

On a CPU each minibatch, and each batch of decisions, is cut into ``SLICES`` slices, which threads compute side by side. The result
does not depend on the number of threads: the slices are always the same, and what they give is put together in order. (PyTorch's
own threads divide each multiplication. Then the last digits depend on their number, and where another program is at work on one of
the cores, all threads wait for that one. So ``train.py`` sets their number to 1.)
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import torch

from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.agents.search_settings import usable_cores
from dig_envs.engine.game import Game

from . import ppo
from .network import Network
from .parts import make_part, new_network
from .remembering import RecurrentNetwork
from .settings import Settings

Tensor = torch.Tensor
Slice = TypeVar("Slice")
Result = TypeVar("Result")
SLICES = 2  # of a minibatch; no more cores than that are used


@dataclass
class Rollout(ppo.Rollout):
    """A rollout, and what the network remembered before it, float32 (n, memory_size)."""

    memory: Tensor


class Learner(ppo.Learner):
    """A network as the settings say, with its optimizer and the generator of what is drawn; the seed is of its first weights."""

    network: Network
    settings: Settings

    def __init__(self, game: Game, settings: Settings, seed: int) -> None:
        network = new_network(game, settings.layers, make_part(game, settings), seed)
        device = choose_device(settings.device)
        network.fast = settings.bfloat16 and computes_bfloat16(device)
        super().__init__(network, settings, device)
        self.slices = SLICES if device.type == "cpu" else 1
        threads = min(settings.threads or usable_cores(), self.slices)
        self._workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def side_by_side(self, work: Callable[[Slice], Result], slices: Sequence[Slice]) -> list[Result]:
        """Return what the work makes of each slice, in their order."""
        return list(map(work, slices) if self._workers is None else self._workers.map(work, slices))

    def slices_of(self, rows: Tensor) -> list[Tensor]:
        """Return a minibatch in slices; where the network remembers, each has all steps of some games."""
        if self.network.memory_size:
            return [some.flatten() for some in rows.view(self.settings.rollout_steps, -1).chunk(self.slices, dim=1)]
        return list(rows.chunk(self.slices))

    def measure(self, rows: Tensor, loss_of: ppo.LossOf) -> dict[str, float]:
        """Compute the loss of a minibatch and its gradients: those of its slices, weighted by their sizes; return the metrics."""
        weights = list(self.network.parameters())

        def one(some: Tensor) -> tuple[Sequence[Tensor | None], dict[str, float]]:
            loss, metrics = loss_of(some)
            size = len(some) / len(rows)
            gradients = torch.autograd.grad(size * loss, weights, allow_unused=True)  # `backward` would add to what others add to
            return gradients, {name: size * metric for name, metric in metrics.items()}

        (gradients, metrics), *others = self.side_by_side(one, self.slices_of(rows))
        for more, measured in others:
            gradients = list(map(add, gradients, more))
            metrics = {name: metric + measured[name] for name, metric in metrics.items()}
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient
        return metrics

    @torch.no_grad()
    def decide(self, observation: Tensor, action_mask: Tensor, memory: Tensor) -> tuple[Tensor, ...]:
        """Return logits, values, and what is remembered after the decision, of many games (:meth:`Network.step`)."""
        tensors = [tensor.to(self.device).chunk(self.slices) for tensor in (observation, action_mask, memory)]
        found = self.side_by_side(self._step, list(zip(*tensors, strict=True)))
        return tuple(torch.cat(results) for results in zip(*found, strict=True))

    @torch.no_grad()  # each thread has its own mode: that of `decide` does not hold here
    def _step(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return self.network.step(*tensors)

    def minibatches(self, steps: int, games: int) -> Iterator[Tensor]:
        """Yield row numbers as :class:`training.ppo.Learner` does.

        A network that remembers needs sequences: then a minibatch has all steps of some games, one step after the other.
        """
        if not self.network.memory_size:
            yield from super().minibatches(steps, games)
            return
        for _ in range(self.settings.epochs):
            order = torch.randperm(games, generator=self.generator, device=self.device)
            for some in torch.split(order, max(1, self.settings.batch_size // steps)):
                yield (games * torch.arange(steps, device=self.device)[:, None] + some).flatten()

    def judge(self, rollout: Rollout, rows: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return logits and values of a minibatch by the network as it is now."""
        seen, masks = rollout.observations.flatten(0, 1)[rows], rollout.masks.flatten(0, 1)[rows]
        if not isinstance(self.network, RecurrentNetwork):
            logits, values = self.network(seen, masks)
            return logits, values
        t = len(rollout.dones)
        games = rows[: len(rows) // t]
        sequences = (seen.view(t, len(games), -1), masks.view(t, len(games), -1))
        return self.network.replay(*sequences, rollout.dones[:, games], rollout.memory[games])


class Remembering:
    """The network of a learner as a policy that remembers from decision to decision.

    ``memory``, float32 (n, memory_size), is rewritten at each decision. The games share it, and set it to zero where one begins.
    """

    def __init__(self, learner: Learner, memory: Tensor) -> None:
        self.learner, self.memory = learner, memory

    def __call__(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and values of a decision in every game."""
        logits, values, after = self.learner.decide(observation, action_mask, self.memory)
        self.memory.copy_(after)
        return logits, values

    def expect(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Return the values alone, and remember nothing."""
        return self.learner.decide(observation, action_mask, self.memory)[1]


def add(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    """Return the sum of two gradients; those of weights that were not used are None."""
    return other if one is None else one if other is None else one + other


def collect(learner: Learner, games: LearnerBatch) -> Rollout:
    """Play ``rollout_steps`` decisions in every game, with actions drawn from the policy."""
    policy = Remembering(learner, torch.from_numpy(games.memory_of(learner.network)))
    memory = policy.memory.clone()
    rollout = ppo.collect(policy, games, learner.settings.rollout_steps, learner.generator, learner.network.seen_as)
    return Rollout(**vars(rollout), memory=memory)


def computes_bfloat16(device: torch.device) -> bool:
    """Return whether a device computes in bfloat16: a CPU with AVX512-BF16 or AMX, a GPU of compute capability 8.0 or more."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    checks = [getattr(torch.cpu, f"_is_{name}_supported", None) for name in ("avx512_bf16", "amx_tile")]  # not in every PyTorch
    return device.type == "cpu" and any(check is not None and check() for check in checks)


def choose_device(name: str) -> torch.device:
    """Return the device of the setting ``device``; ValueError if there is no such."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} cannot be used here: {str(error).splitlines()[0]}") from None
