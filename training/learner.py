"""The learner of a run: that of ``ppo.py`` for every kind of network, also for those that remember, on several cores.

On a processor a minibatch is learned in ``SHARES`` parts, and so are the decisions of many games made. Threads compute the parts
side by side. What comes out does not depend on the number of threads: the parts are always the same, and they are put together in
order. (PyTorch's own threads divide a multiplication among them. Then the last digits depend on their number, and where another
program is at work on one of the cores, all of them wait for it.)
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
Part = TypeVar("Part")
Result = TypeVar("Result")
SHARES = 2  # of a minibatch, which so many cores can compute at the same time


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
        self.shares = SHARES if device.type == "cpu" else 1
        threads = min(settings.threads or usable_cores(), self.shares)
        self._workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def side_by_side(self, work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """Return what the work makes of each part, in their order."""
        return list(map(work, parts) if self._workers is None else self._workers.map(work, parts))

    def parts_of(self, rows: Tensor) -> list[Tensor]:
        """Return a minibatch in parts; where the network remembers, each has all steps of some games."""
        if self.network.memory_size:
            return [part.flatten() for part in rows.view(self.settings.rollout_steps, -1).chunk(self.shares, dim=1)]
        return list(rows.chunk(self.shares))

    def measure(self, rows: Tensor, loss_of: ppo.LossOf) -> dict[str, float]:
        """Compute the loss of a minibatch and its gradients, which are sums over its parts; return the metrics."""
        weights = list(self.network.parameters())

        def one(part: Tensor) -> tuple[Sequence[Tensor | None], dict[str, float]]:
            loss, metrics = loss_of(part)
            share = len(part) / len(rows)
            gradients = torch.autograd.grad(share * loss, weights, allow_unused=True)
            return gradients, {name: share * metric for name, metric in metrics.items()}

        (gradients, metrics), *others = self.side_by_side(one, self.parts_of(rows))
        for more, measured in others:
            gradients = [a if b is None else b if a is None else a + b for a, b in zip(gradients, more, strict=True)]
            metrics = {name: metric + measured[name] for name, metric in metrics.items()}
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient
        return metrics

    @torch.no_grad()
    def decide(self, observation: Tensor, action_mask: Tensor, memory: Tensor) -> tuple[Tensor, ...]:
        """Return what :meth:`Network.step` does, of many games."""
        tensors = [tensor.to(self.device).chunk(self.shares) for tensor in (observation, action_mask, memory)]
        found = self.side_by_side(self._step, list(zip(*tensors, strict=True)))
        return tuple(torch.cat(parts) for parts in zip(*found, strict=True))

    @torch.no_grad()  # which holds in its own thread only
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
            order = torch.randperm(games, generator=self.generator, device=self.device).cpu()
            for some in torch.split(order, max(1, self.settings.batch_size // steps)):
                yield (games * torch.arange(steps)[:, None] + some).flatten()

    def judge(self, rollout: Rollout, rows: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """Return logits and values of a minibatch by the network as it is now."""
        seen, masks = (tensor.flatten(0, 1)[rows].to(self.device) for tensor in (rollout.observations, rollout.masks))
        if not isinstance(self.network, RecurrentNetwork):
            logits, values = self.network(seen, masks)
            return logits, values
        t = len(rollout.dones)
        games = rows[: len(rows) // t]
        sequences = (seen.view(t, len(games), -1), masks.view(t, len(games), -1))
        return self.network.replay(*sequences, rollout.dones[:, games].to(self.device), rollout.memory[games].to(self.device))


class Remembering:
    """The network of a learner as a policy that remembers from decision to decision.

    ``memory``, float32 (n, memory_size), is rewritten at each decision; whoever runs the games sets it to zero where one begins.
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


def collect(learner: Learner, games: LearnerBatch) -> Rollout:
    """Play ``rollout_steps`` decisions in every game, with actions drawn from the policy."""
    policy = Remembering(learner, torch.from_numpy(games.memory_of(learner.network)))
    memory = policy.memory.clone()
    rollout = ppo.collect(policy, games, learner.settings.rollout_steps, learner.generator, learner.network.seen_as)
    return Rollout(**vars(rollout), memory=memory)


def computes_bfloat16(device: torch.device) -> bool:
    """Return whether a device has instructions for bfloat16: a processor with AVX512-BF16 or AMX, a GPU from CUDA's 8.0 on."""
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
