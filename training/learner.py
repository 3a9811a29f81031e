"""The learner of a run: that of ``ppo.py`` for every kind of network, also for those that remember."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.engine.game import Game

from . import ppo
from .network import Network
from .parts import make_part, new_network
from .remembering import RecurrentNetwork
from .settings import Settings

Tensor = torch.Tensor


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
        logits, values, after = self._step(observation, action_mask)
        self.memory.copy_(after)
        return logits, values

    def expect(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Return the values alone, and remember nothing."""
        return self._step(observation, action_mask)[1]

    def _step(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        tensors = (tensor.to(self.learner.device) for tensor in (observation, action_mask, self.memory))
        return self.learner.network.step(*tensors)


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
