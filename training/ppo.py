"""Masked PPO with self-play, all of it in this file, but for the layer that reads sparse
observations (`rows.py`). Read it from top to bottom:

    python -m training.ppo fossil_canyon --steps 200000
    python -m training.ppo go_dig --learning-rate 0.0005 --out policies/go_dig/plain

`train` repeats three steps:

1. `collect` plays many games side by side for some decisions, with actions drawn from the policy.
2. `compute_advantages` says of each action how much better it turned out than the value function
   had expected.
3. `update` makes actions with a positive advantage likelier, and those with a negative one less
   likely.

In a competitive game the other seats are played by the scripted player, by a random one and by
earlier copies of the policy; in a cooperative game the policy plays all seats. At the end
`evaluate` plays games with the policy's likeliest actions and with sampled ones: a policy that has
learned little may play worse than at random if it always takes the likeliest one.

The shipped policies are trained by `training/train.py`. It uses the functions of this file, and has
more around them: imitation at the start, checkpoints, a pool of opponents on disk, a gate, settings
for each game.
"""

import argparse
import copy
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, distributed, nn
from torch.nn import functional

from dig_envs import load_agent, save_policy
from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.adapters.learner_batch import Ended, LearnerBatch, Step
from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.agents.matches import Interval, play_games
from dig_envs.batch.batch_env import DENSE, SPARSE
from dig_envs.batch.sparse import entries_of
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.options import parse_options
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .rows import Rows, Seen, as_seen, as_tensor, joined, lay_out_for_rows, outputs_of, reads_rows

Array = np.ndarray[Any, Any]
# the mean loss of some rows of a rollout, and its metrics
LossOf = Callable[[Tensor], tuple[Tensor, dict[str, float]]]
Decide = Callable[[Any, Tensor, Tensor], tuple[Tensor, ...]]  # as :meth:`Learner.decide`
Slice = TypeVar("Slice")
Result = TypeVar("Result")
SLICES = 2  # of a minibatch on a CPU, computed side by side; no more cores than that are used
LARGEST_GRADIENT = 0.5  # gradients are scaled down to this norm
KL_MARGIN = 1.5  # the passes over a rollout end at this many times `target_kl`
PARTS = 2.0**22  # of a probability; their sums, and those of some more by rounding, are exact
CPU = torch.device("cpu")
MANY = 16  # decisions from which on it is worth the trouble to make lists of dense observations
EVALUATION_SEED = 3 << 62  # of the first evaluation game; nothing is trained on these deals


# ---------------------------------------------------------------- settings and metrics


def option(default: Any, meaning: str, low: float = -math.inf, high: float = math.inf) -> Any:
    """A dataclass field for a setting: its default, meaning and range."""
    return field(default=default, metadata={"meaning": meaning, "low": low, "high": high})


def check_range(name: str, value: float, low: float, high: float = math.inf) -> None:
    """Raise ValueError, naming the setting, unless a number is finite and in its range."""
    if not (low <= value <= high and abs(value) < math.inf):
        allowed = f"at least {low}" if abs(value) < math.inf else "a finite number"
        allowed = f"from {low} to {high}" if high < math.inf else allowed
        raise ValueError(f"{name} must be {allowed}, not {shown_in_message(value)}")


@dataclass(frozen=True)
class Hyperparameters:
    """The settings of PPO. On the command line `learning_rate` is `--learning-rate`, and so on."""

    num_envs: int = option(256, "games side by side; more of them give steadier gradients", 1)
    rollout_steps: int = option(64, "decisions in every game between two updates", 1)
    batch_size: int = option(1024, "decisions in a minibatch", 1)
    epochs: int = option(3, "passes over each rollout", 1)
    learning_rate: float = option(0.0003, "of Adam at the start of PPO", 0)
    learning_rate_end: float = option(0.0001, "... changing linearly to this at the end", 0)
    gamma: float = option(0.998, "discount per decision; a game takes about 50 to 150", 0, 1)
    gae_lambda: float = option(
        0.95, "0: advantages trust the value function; 1: only the rewards that followed", 0, 1
    )
    clip_range: float = option(
        0.2, "how far an update may change the probability of an action, as a share of it", 0
    )
    entropy_weight: float = option(
        0.005, "weight of the policy's entropy, against giving up exploration too early"
    )
    value_weight: float = option(0.5, "weight of the value's squared error")
    target_kl: float = option(
        0.02,
        "stops the passes over a rollout early when the policy has moved this far; 0: never",
        0,
    )


METRICS = {
    "steps": "decisions of the learner so far",
    "games": "games that ended in the last rollout",
    "won": "the learner's mean share of the victory in them, playing with its full randomness",
    "score": "their mean final score",
    "decisions": "their mean number of decisions of the learner",
    "policy_loss": "PPO's clipped objective, negative; its size says little",
    "value_loss": "mean squared error of the value's prediction of the return",
    "entropy": (
        "mean randomness of the policy in nats; a fast fall to 0 means that it stopped exploring"
    ),
    "kl": (
        "how far one update moved the policy; above 0.05 learning is unstable, far below 0.005 it "
        "is slow"
    ),
    "clip_fraction": "share of samples beyond the clip range; about 0.05 to 0.2 is usual",
    "explained_variance": "1: the value predicts the return perfectly; 0: no better than its mean",
    "steps_per_second": "speed, updates included",
}


# ---------------------------------------------------------------- processes that learn together


def processes() -> int:
    """How many learn together, each from games of its own (`training/processes.py`); mostly 1."""
    together = distributed.is_available() and distributed.is_initialized()
    return distributed.get_world_size() if together else 1


def of_all(numbers: Tensor) -> Tensor:
    """The numbers (n, ...) of all processes, (processes * n, ...), in each of them."""
    if processes() == 1:
        return numbers
    every = numbers.new_zeros(processes(), *numbers.shape)
    every[distributed.get_rank()] = numbers
    distributed.all_reduce(every)
    return every.flatten(0, 1)


def averaged(
    gradients: Sequence[Tensor | None], metrics: dict[str, float], weights: Sequence[Tensor]
) -> tuple[Sequence[Tensor | None], dict[str, float]]:
    """The means over all processes, to the bit the same in each of them."""
    if processes() == 1:
        return gradients, metrics
    parts = [
        (torch.zeros_like(weight) if gradient is None else gradient).flatten()
        for gradient, weight in zip(gradients, weights, strict=True)
    ]
    parts.append(torch.tensor(list(metrics.values()), device=weights[0].device))
    numbers = torch.cat(parts)
    distributed.all_reduce(numbers)
    numbers /= processes()
    *means, measured = numbers.split_with_sizes([len(part) for part in parts])
    shaped = [mean.view(weight.shape) for mean, weight in zip(means, weights, strict=True)]
    return shaped, dict(zip(metrics, measured.tolist(), strict=True))


# ---------------------------------------------------------------- the policy, and what learns it


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A layer with orthogonal weights."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class PolicyAndValue(nn.Module):
    """Two hidden layers that policy and value share, and a linear head for each.

    Args:
        inputs, actions, hidden: sizes. reads_rows: whether most observations are sparse: then the
            weights of the first layer lie in memory as these need them.
    """

    # numbers that the network remembers of a game: one in `training/network.py` may
    memory_size = 0
    seen_as = torch.float32  # dtype of the observations that a rollout keeps

    def __init__(self, inputs: int, actions: int, hidden: int, reads_rows: bool = False) -> None:
        super().__init__()
        self.layer0 = linear(inputs, hidden, gain=2**0.5)
        self.reads_rows = reads_rows
        if reads_rows:
            lay_out_for_rows(self.layer0)
        self.layer1 = linear(hidden, hidden, gain=2**0.5)
        self.policy = linear(hidden, actions, gain=0.01)  # so that it begins nearly uniform
        self.value = linear(hidden, 1, gain=1.0)

    def forward(self, observation: Seen, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (n, actions), those of illegal actions at -1e8, and values (n,)."""
        features = torch.relu(self.layer1(torch.relu(outputs_of(self.layer0, observation))))
        logits: Tensor = self.policy(features)
        value: Tensor = self.value(features)
        return logits.masked_fill(~action_mask.bool(), -1e8), value[:, 0]  # probability 0

    def step(
        self, observation: Seen, action_mask: Tensor, memory: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, values, and the unchanged memory."""
        return *self(observation, action_mask), memory


class Learner:
    """A network with its optimizer, and the generator of all that is drawn while learning.

    On a CPU each minibatch, and each batch of decisions, is cut into slices, which threads compute
    side by side. The result does not depend on the number of threads: the slices are always the
    same, and so is their order.

    Args:
        network: :class:`PolicyAndValue`, or a :class:`training.network.Network`.
        settings: of PPO.
        device: where it is computed.
        threads: that compute; more than two are not used.
    """

    def __init__(
        self, network: Any, settings: Hyperparameters, device: torch.device, threads: int = 1
    ) -> None:
        self.settings, self.device = settings, device
        self.network = network.to(device)
        self.optimizer = torch.optim.Adam(network.parameters(), eps=1e-5, fused=True)
        self.generator = torch.Generator(device)
        self.slices = SLICES if device.type == "cpu" else 1
        threads = min(threads, self.slices)
        self._workers = ThreadPoolExecutor(threads) if threads > 1 else None

    def set_learning_rate(self, first: float, last: float, done: float) -> None:
        """Set the learning rate of the updates that follow, between the first and the last one;
        ``done``: 0 to 1."""
        for group in self.optimizer.param_groups:
            group["lr"] = first + done * (last - first)

    def side_by_side(
        self, work: Callable[[Slice], Result], slices: Sequence[Slice]
    ) -> list[Result]:
        """The results of the work on each slice, in their order."""
        return list(map(work, slices) if self._workers is None else self._workers.map(work, slices))

    @torch.no_grad()
    def decide(self, observation: Seen, action_mask: Tensor, memory: Tensor) -> tuple[Tensor, ...]:
        """Logits (n, actions), values (n,), and the new memory (n, memory_size), on the device."""
        tensors = [
            tensor.to(self.device).chunk(self.slices)
            for tensor in (observation, action_mask, memory)
        ]
        found = self.side_by_side(self._step, list(zip(*tensors, strict=True)))
        return tuple(torch.cat(results) for results in zip(*found, strict=True))

    @torch.no_grad()  # each thread has its own mode: that of `decide` does not hold here
    def _step(self, tensors: Sequence[Any]) -> tuple[Tensor, ...]:
        found: tuple[Tensor, ...] = self.network.step(*tensors)
        return found

    def minibatches(self, steps: int, games: int) -> Iterator[Tensor]:
        """Yield row numbers of a rollout, step * games + game: in each pass all rows once, in
        random order.

        A network that remembers needs sequences: then a minibatch has all steps of some games, one
        step after the other.
        """
        generator, device = self.generator, self.device
        for _ in range(self.settings.epochs):
            if self.network.memory_size:
                order = torch.randperm(games, generator=generator, device=device)
                for some in torch.split(order, max(1, self.settings.batch_size // steps)):
                    yield (games * torch.arange(steps, device=device)[:, None] + some).flatten()
            else:
                rows = torch.randperm(steps * games, generator=generator, device=device)
                yield from torch.split(rows, self.settings.batch_size)

    def slices_of(self, rows: Tensor) -> list[Tensor]:
        """A minibatch in slices; if the network has a memory, each slice has all steps of some
        games."""
        if self.network.memory_size:
            steps = self.settings.rollout_steps
            return [some.flatten() for some in rows.view(steps, -1).chunk(self.slices, dim=1)]
        return list(rows.chunk(self.slices))

    def judge(self, rollout: "Rollout", rows: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values of a minibatch from the present network."""
        masks = rollout.masks.flatten(0, 1)[rows]
        if isinstance(rollout.observations, Rows):
            logits, values = self.network(rollout.observations.at(rows), masks)
            return logits, values
        seen = rollout.observations.flatten(0, 1)[rows]
        if not self.network.memory_size:
            logits, values = self.network(seen, masks)
            return logits, values
        games = rows[: len(rows) // len(rollout.dones)]
        sequences = [column.view(len(rollout.dones), len(games), -1) for column in (seen, masks)]
        logits, values = self.network.replay(
            *sequences, rollout.dones[:, games], rollout.memory[games]
        )
        return logits, values

    def measure(self, rows: Tensor, loss_of: LossOf) -> dict[str, float]:
        """Compute the loss of a minibatch and its gradients: those of its slices, weighted by their
        sizes; return the metrics."""
        weights = list(self.network.parameters())

        def one(some: Tensor) -> tuple[Sequence[Tensor | None], dict[str, float]]:
            loss, metrics = loss_of(some)
            size = len(some) / len(rows)
            # `backward` would add to what others add to
            gradients = torch.autograd.grad(size * loss, weights, allow_unused=True)
            return gradients, {name: size * metric for name, metric in metrics.items()}

        (gradients, metrics), *others = self.side_by_side(one, self.slices_of(rows))
        for more, measured in others:
            gradients = list(map(add, gradients, more))
            metrics = {name: metric + measured[name] for name, metric in metrics.items()}
        gradients, metrics = averaged(gradients, metrics, weights)
        for weight, gradient in zip(weights, gradients, strict=True):
            # in the weight's order in memory: the optimizer takes it for granted
            weight.grad = (
                gradient
                if gradient is None or gradient.stride() == weight.stride()
                else torch.empty_like(weight).copy_(gradient)
            )
        return metrics

    def improve(self) -> None:
        """Take one step of the optimizer, against the gradients that were measured."""
        nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()


def add(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    """The sum of two gradients; gradients of unused weights are None."""
    return other if one is None else one if other is None else one + other


class EarlierCopy(OneGame):
    """A policy as a player that stays as it is while the policy learns on.

    With a seed it draws its actions, else it plays the likeliest ones. ``device``: where it
    decides.
    """

    needs_positions = False

    def __init__(
        self, network: Any, name: str, seed: int | None = None, device: torch.device = CPU
    ) -> None:
        self.name, self.network = name, copy.deepcopy(network).to(device)
        self.memory_size = network.memory_size
        self.generator = None if seed is None else torch.Generator(device).manual_seed(seed)

    def choose(self, asked: Decisions) -> Array:
        """One action for each decision, int64 (n,)."""
        seen: Seen = torch.tensor(asked.observation)
        if self.network.reads_rows and len(seen) >= MANY:
            seen = Rows.of(*entries_of(asked.observation))
        memory = torch.from_numpy(asked.memory) if self.memory_size else None
        return np.asarray(self.act_tensors(seen, torch.tensor(asked.action_mask), memory))

    @torch.no_grad()
    def act_tensors(
        self, observation: Seen, action_mask: Tensor, memory: Tensor | None = None
    ) -> Tensor:
        """One action for each decision, int64 (n,); a memory is rewritten in place."""
        before = action_mask.new_zeros(len(action_mask), 0) if memory is None else memory
        logits, _, after = self.network.step(observation, action_mask, before)
        if memory is not None:
            memory.copy_(after)
        if self.generator is None:
            return logits.argmax(dim=1)  # type: ignore[no-any-return]
        chances = torch.rand(len(logits), generator=self.generator, device=logits.device)
        return draw(logits, chances)[0]


def draw(logits: Tensor, chances: Tensor) -> tuple[Tensor, Tensor]:
    """Actions drawn by their probabilities, int64 (n,), and the logarithms of these, float32 (n,).

    The first action is taken up to which the probabilities sum to more than the chance. They are
    rounded to parts of `PARTS`, whose sums are exact in whatever order a device adds: so one with
    probability 0 is never taken.

    Args:
        logits: float32 (n, actions), else the logarithms are not finite.
        chances: float32 (n,), uniform from 0 to below 1.
    """
    log_probs = functional.log_softmax(logits, dim=1)
    # `exp` would be slow where it is 0
    sums = (functional.softmax(logits, dim=1) * PARTS).round_().cumsum(dim=1)
    last = sums[:, -1:]
    actions = torch.searchsorted(sums, (chances[:, None] * last).clamp(max=last - 1), right=True)
    actions.clamp_(max=logits.shape[1] - 1)  # where nothing is a number
    return actions[:, 0], log_probs.gather(1, actions)[:, 0]


def require_finite(log_probs: Tensor) -> None:
    """Raise ValueError if the logarithm of a drawn action's probability is not finite: a logit was
    not a number, or infinite."""
    if not log_probs.isfinite().all():
        raise ValueError("the network's logits are not finite: the training has diverged")


# ---------------------------------------------------------------- 1. play


Results = dict[str, Tensor]  # of k episodes that ended, by the names of `RESULTS`, float64 (k,)
RESULTS = ("won", "score", "decisions")


class Games(Protocol):
    """What :func:`collect` plays: `PaidGames`, or games on a GPU (`training/device.py`).

    ``device``: where observations are, and what ``play`` takes and gives.
    """

    num_envs: int
    game: Game
    device: torch.device

    @property
    def kind(self) -> str | None:
        """What kind of observations there are, `DENSE` or another one."""

    @property
    def observation(self) -> Any:
        """Of the deciding seats, (num_envs, observation size); a step may overwrite them."""

    @property
    def action_mask(self) -> Any:
        """Their legal actions, (num_envs, actions); a step may overwrite them."""

    def memory_of(self, agent: Any, /) -> Any:
        """What the network remembers, (num_envs, memory_size), zero where a game begins; to be
        rewritten in place."""

    def play(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Play the learner's actions and then the other seats; give the rewards (num_envs,) and
        where a game ended (num_envs,)."""

    def take_results(self) -> Results:
        """The results of the episodes that ended since this was called last."""


class PaidGames(LearnerBatch):
    """Games that pay the return at their end, -1 to 1, and so much for each point when it is
    scored."""

    device = CPU
    win_weight, score_weight = 1.0, 0.0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._over: list[Ended] = []  # episodes that ended

    @property
    def kind(self) -> str | None:
        """What kind of observations there are."""
        return self.batch.observation_kind

    def play(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """As :class:`Games`."""
        step = self.step(actions.numpy())
        self._over += step.ended.values()
        return torch.from_numpy(step.reward), torch.from_numpy(step.done)

    def take_results(self) -> Results:
        """As :class:`Games`."""
        over, self._over = self._over, []
        return results_of(over)

    def step(self, actions: Array, games: Array | None = None) -> Step:
        """Play one decision of the learner in every game, and the other seats up to its next
        decision."""
        step = super().step(actions, games)  # with `reward="score"`: changes of the score
        step.reward *= self.score_weight
        for game, ended in step.ended.items():
            step.reward[game] += self.win_weight * ended.outcome
        return step


def results_of(ended: Sequence[Ended]) -> Results:
    """The results of episodes that ended."""
    rows = [(one.won, one.scores[one.seat], one.decisions) for one in ended]
    columns = torch.tensor(rows, dtype=torch.float64).view(-1, len(RESULTS)).unbind(1)
    return dict(zip(RESULTS, columns, strict=True))


@dataclass
class Rollout:
    """Everything that was seen and done in t steps of n games."""

    observations: Seen  # float32 or bfloat16 (t, n, observation size), or t * n sparse rows
    masks: Tensor  # bool (t, n, actions), the legal actions
    actions: Tensor  # int64 (t, n)
    log_probs: Tensor  # float32 (t, n), the logarithm of how likely these were when they were drawn
    values: Tensor  # float32 (t, n), what the value function expected
    rewards: Tensor  # float32 (t, n), up to the learner's next decision
    dones: Tensor  # float32 (t, n), 1 where the game ended before that decision
    last_values: Tensor  # float32 (n,), what the value function expects after the last step
    ended: Results  # of the episodes that ended
    memory: Tensor  # float32 (n, memory_size), what the network remembered before the first step

    def to(self, device: torch.device) -> Self:
        """A copy with all tensors on a device."""
        tensors: dict[str, Any] = {
            name: value.to(device)
            for name, value in vars(self).items()
            if isinstance(value, Tensor | Rows)
        }
        return replace(self, **tensors)


@torch.no_grad()
def collect(learner: Learner, games: Games, decide: Decide | None = None) -> Rollout:
    """Play ``rollout_steps`` decisions in every game, with actions drawn from the policy. What is
    played stays on the device of the games.

    Args:
        learner: whose policy plays. games: that are played on. decide: who decides in the place of
            ``learner.decide``.

    Raises:
        TypeError: the games show another kind of observation than the policy reads.
        ValueError: the network's logits are not finite.
    """
    decide, network = decide or learner.decide, learner.network
    kind, device = games.kind, games.device
    if kind != DENSE and not (kind == SPARSE and network.reads_rows):
        raise TypeError(
            f"this network does not read observations of the kind {kind!r}: make the games with "
            f"observation={DENSE!r}"
        )
    shape = (learner.settings.rollout_steps, games.num_envs)
    rows: list[Rows] = []  # of sparse observations; dense ones go to their place at once
    size = 0 if kind == SPARSE else games.observation.shape[1]
    observations = torch.empty(*shape, size, dtype=network.seen_as, device=device)
    masks = torch.empty(*shape, len(games.game.actions), dtype=torch.bool, device=device)
    actions = torch.empty(shape, dtype=torch.int64, device=device)
    log_probs, values, rewards, dones = (torch.empty(shape, device=device) for _ in range(4))
    # shared with the games, which set it to zero where one begins
    memory = torch.as_tensor(games.memory_of(network))
    before = memory.clone()
    for t in range(len(actions)):
        seen, masks[t] = as_seen(games.observation), as_tensor(games.action_mask)
        if isinstance(seen, Rows):
            rows.append(seen)
        else:
            observations[t] = seen
            seen = observations[t]
        logits, values[t], after = decide(seen, masks[t], memory)
        memory.copy_(after)
        chances = torch.rand(len(logits), generator=learner.generator, device=learner.device)
        actions[t], log_probs[t] = draw(logits, chances)
        if device == CPU:
            require_finite(log_probs[t])
        rewards[t], dones[t] = games.play(actions[t])
    require_finite(log_probs)  # a GPU is waited for once
    last = as_seen(games.observation), as_tensor(games.action_mask), memory
    last_values, kept = learner.decide(*last)[1].to(device), joined(rows) if rows else observations
    ended = games.take_results()
    return Rollout(
        kept, masks, actions, log_probs, values, rewards, dones, last_values, ended, before
    )


def summarize(ended: Results) -> dict[str, float]:
    """The metrics of episodes that ended: their number, the learner's share of the victory, its
    score and its number of decisions."""
    games = len(ended["won"])
    means = {name: round(float(ended[name].mean()), 4) for name in RESULTS} if games else {}
    return {"games": games, **means}


# ---------------------------------------------------------------- 2. judge what was done


def compute_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> Tensor:
    """The advantages (t, n), by generalised advantage estimation (Schulman et al. 2016).

    From the end backwards: what a step earned beyond the value that was expected, and a share of
    what came after it. At the end of a game nothing comes after: the turn limit, too, is an end
    whose result was paid.
    """
    advantages = torch.zeros_like(rollout.rewards)
    advantage, next_value = torch.zeros_like(rollout.last_values), rollout.last_values
    for t in reversed(range(len(advantages))):
        goes_on = 1.0 - rollout.dones[t]
        surprise = rollout.rewards[t] + gamma * goes_on * next_value - rollout.values[t]
        advantage = surprise + gamma * gae_lambda * goes_on * advantage
        advantages[t], next_value = advantage, rollout.values[t]
    return advantages


# ---------------------------------------------------------------- 3. learn from it


def ppo_loss(
    logits: Tensor,
    values: Tensor,
    actions: Tensor,
    old_log_probs: Tensor,
    advantages: Tensor,
    returns: Tensor,
    h: Hyperparameters,
) -> tuple[Tensor, dict[str, float]]:
    """The loss of a minibatch of m decisions (Schulman et al. 2017, arXiv:1707.06347) and its
    metrics.

    Args:
        logits, values: float32 (m, actions) and (m,), by the network as it is now.
        actions, old_log_probs: int64 and float32 (m,), what was done, and how likely it was then.
        advantages, returns: float32 (m,), how much better than expected it was, as
            :func:`normalize` gives it, and what the value should have been.
        h: the clip range and the weights.
    """
    distribution = functional.log_softmax(logits, dim=1)
    log_ratio = distribution.gather(1, actions[:, None])[:, 0] - old_log_probs
    ratio = log_ratio.exp()  # how much likelier the action is now than when it was drawn

    # The objective gains nothing beyond the clip range: the policy stays where the rollout still
    # says something about it.
    clipped = ratio.clamp(1 - h.clip_range, 1 + h.clip_range)
    policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
    value_loss = functional.mse_loss(values, returns)
    # `exp` would be slow where it is 0
    entropy = -(functional.softmax(logits, dim=1) * distribution).sum(dim=1).mean()

    kl = (ratio - 1 - log_ratio).mean()
    beyond = ((ratio - 1).abs() > h.clip_range).float().mean()
    metrics = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "kl": kl,
        "clip_fraction": beyond,
    }
    loss = policy_loss + h.value_weight * value_loss - h.entropy_weight * entropy
    return loss, as_numbers(metrics)


def as_numbers(metrics: dict[str, Tensor]) -> dict[str, float]:
    """Metrics as numbers; it waits for a GPU once, not for each metric."""
    return dict(zip(metrics, torch.stack(list(metrics.values())).tolist(), strict=True))


def normalize(advantages: Tensor, rows: Tensor) -> Tensor:
    """All advantages, shifted and scaled to mean 0 and standard deviation 1 in a minibatch,
    ``rows``.

    So slices of a minibatch, whose losses may be computed one by one, share its mean and deviation.
    """
    some = of_all(advantages[rows])
    return (advantages - some.mean()) / (some.std() + 1e-8) if len(some) > 1 else advantages


def loss_of_rows(
    learner: Learner, rollout: Rollout, columns: Sequence[Tensor], rows: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """The loss of a minibatch, or of a slice of it, and its metrics.

    The columns are actions, log_probs, advantages and returns of all rows of the rollout.
    """
    logits, values = learner.judge(rollout, rows)
    actions, log_probs, advantages, returns = (column[rows] for column in columns)
    return ppo_loss(logits, values, actions, log_probs, advantages, returns, learner.settings)


def update(learner: Learner, rollout: Rollout) -> dict[str, float]:
    """Learn from a rollout in several passes.

    Returns the metrics: means over the minibatches, and the share of the returns' variance that the
    rollout's values explained.
    """
    settings, rollout = learner.settings, rollout.to(learner.device)
    advantages = compute_advantages(rollout, settings.gamma, settings.gae_lambda)
    returns = advantages + rollout.values
    actions, log_probs = rollout.actions.flatten(), rollout.log_probs.flatten()
    flat_advantages, flat_returns = advantages.flatten(), returns.flatten()
    measured: list[dict[str, float]] = []
    for rows in learner.minibatches(*rollout.dones.shape):
        columns = (actions, log_probs, normalize(flat_advantages, rows), flat_returns)
        metrics = learner.measure(rows, partial(loss_of_rows, learner, rollout, columns))
        measured.append(metrics)
        if settings.target_kl and metrics["kl"] > KL_MARGIN * settings.target_kl:
            break  # without this step, which would go farther still
        learner.improve()
    means = {name: float(np.mean([metrics[name] for metrics in measured])) for name in measured[0]}
    errors, variance = of_all(returns - rollout.values), of_all(returns).var()
    unexplained = errors.var() / variance if variance > 0 else torch.nan
    return {
        name: round(mean, 5)
        for name, mean in {**means, "explained_variance": float(1 - unexplained)}.items()
    }


# ---------------------------------------------------------------- the loop, evaluation, the command


def opponents(game: str, copies: Sequence[EarlierCopy], seed: int) -> WeightedOpponents:
    """The players of the other seats: in half of the games an earlier copy, else the scripted
    player or a random one."""
    agents = [load_agent("heuristic", game), load_agent("random", game, seed), *copies]
    return WeightedOpponents(agents, [0.4, 0.1, *[0.5 / len(copies)] * len(copies)], mixed=0.3)


def train(
    games: PaidGames, learner: Learner, steps: int, seed: int, leg: int = 10
) -> Iterator[int]:
    """Learn for so many decisions; after each leg of so many updates an earlier copy of the policy
    joins the opponents. Yields the decisions so far after each update."""
    settings, copies = learner.settings, deque[EarlierCopy](maxlen=8)
    per_update = settings.num_envs * settings.rollout_steps
    learner.generator.manual_seed(seed)
    for k in range(-(-steps // per_update)):
        if k % leg == 0:
            if not games.game.cooperative:
                copies.append(EarlierCopy(learner.network, f"after {k} updates", seed + k))
                games.set_opponents(opponents(games.game.env_name, copies, seed + k))
            games.reset()
        began = time.perf_counter()
        learner.set_learning_rate(
            settings.learning_rate, settings.learning_rate_end, k * per_update / steps
        )
        rollout = collect(learner, games)
        metrics = {
            "steps": (k + 1) * per_update,
            **summarize(rollout.ended),
            **update(learner, rollout),
        }
        metrics["steps_per_second"] = round(per_update / (time.perf_counter() - began))
        yield (k + 1) * per_update
        print("  ".join(f"{name} {value:,}" for name, value in metrics.items()), flush=True)


def to_its_end(training: Iterator[int]) -> int:
    """The decisions of a training, which Ctrl-C ends early, and with it the program if nothing was
    learned."""
    steps = 0
    try:
        for steps in training:  # noqa: B007
            pass
    except KeyboardInterrupt:
        if not steps:
            raise
        print(f"interrupted after {steps:,} decisions; going on with what was learned", flush=True)
    return steps


def evaluate(
    games: LearnerBatch,
    network: nn.Module,
    count: int,
    sample: bool = False,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Interval]:
    """The policy's share of the victory by opponent, with its likeliest or sampled actions, in
    games with these options; in a cooperative game the team's share."""
    name, seats = games.game.env_name, games.game.complete_options(options or {})["num_players"]
    policy = EarlierCopy(network, "policy", 0 if sample else None)
    line_ups = (
        {"random": "random", "heuristic": "heuristic"}
        if not games.game.cooperative
        else {"nobody": None}
    )
    rates = {}
    for against, other in line_ups.items():
        agents = [policy] + [load_agent(other, name, seed=0) if other else policy] * (seats - 1)
        results = play_games(name, agents, count, EVALUATION_SEED, options, rotate=True)
        rates[against] = results.won_by(0)
    return rates


def parse_command(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line's values by name, checked; each setting is an option. ``game`` is the game,
    ``option`` its options, and ``test_option`` those of the second evaluation."""
    parser = argparse.ArgumentParser(
        "python -m training.ppo", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", help="such as fossil_canyon")
    parser.add_argument("--steps", type=int, default=2_000_000, help="decisions of the learner")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument("--hidden", type=int, default=256, help="units of each hidden layer")
    parser.add_argument("--score-weight", type=float, default=0.03, help="reward for each point")
    parser.add_argument(
        "--games", type=int, default=500, help="games of the evaluation against each opponent"
    )
    game_option: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME=VALUE"}
    parser.add_argument("--option", **game_option, help="an option of the game")
    parser.add_argument("--test-option", **game_option, help="another value in a second evaluation")
    parser.add_argument(
        "--out", type=Path, help="folder for the policy, such as policies/fossil_canyon/plain"
    )
    settings = fields(Hyperparameters)
    for one in settings:
        flag, meaning = f"--{one.name.replace('_', '-')}", one.metadata["meaning"]
        parser.add_argument(flag, type=type(one.default), default=one.default, help=meaning)
    values = parser.parse_args(words)
    ranges = {one.name: (one.metadata["low"], one.metadata["high"]) for one in settings}
    ranges |= dict.fromkeys(("steps", "hidden", "games"), (1, math.inf))
    ranges |= {"seed": (0, 2**63 - 1), "score_weight": (-math.inf, math.inf)}
    try:
        for name, (low, high) in ranges.items():
            check_range(f"--{name.replace('_', '-')}", getattr(values, name), low, high)
        values.game = game = load_game(values.game)
        values.option = options_of(game, values.option)
        values.test_option = options_of(game, values.test_option)
        for options in (values.option, values.option | values.test_option):
            game.complete_options(options)
        if values.out is not None:
            from .files import check_new

            check_new(values.out)
    except ValueError as error:
        parser.error(str(error))
    return values


def options_of(game: Game, texts: Sequence[str]) -> dict[str, Any]:
    """The options of a game as typed: ``name=value`` each."""
    return {name: found[0] for name, found in parse_options(game.options, texts).items()}


def main(words: Sequence[str] | None = None) -> None:
    """Train, save the policy if a folder is given, and evaluate it. Ctrl-C ends the training
    early."""
    values = parse_command(words)
    game, options = values.game, values.option
    settings = Hyperparameters(
        **{one.name: getattr(values, one.name) for one in fields(Hyperparameters)}
    )
    torch.set_num_threads(1)  # more of them wait for each other where other programs run
    torch.manual_seed(values.seed)  # of the first weights
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sparse = reads_rows(game, device)
    kind = SPARSE if sparse else DENSE
    games = PaidGames(
        game.env_name,
        settings.num_envs,
        seed=values.seed,
        reward="score",
        observation=kind,
        **options,
    )
    games.score_weight = values.score_weight
    network = PolicyAndValue(game.observation_size, len(game.actions), values.hidden, sparse)
    learner = Learner(network, settings, device)
    for name, meaning in METRICS.items():
        print(f"{name:>18}: {meaning}")
    steps = to_its_end(train(games, learner, values.steps, values.seed))
    # as an ONNX file with its card, which everything in dig_envs can play with
    if values.out is not None:
        facts = {
            "name": values.out.name,
            "algorithm": "masked PPO by self-play (training/ppo.py)",
            "seed": values.seed,
        }
        facts |= {
            "steps": steps,
            "hyperparameters": asdict(settings) | {"layers": [values.hidden] * 2},
            "pays": "return",
        }
        facts |= {
            "rewards": {
                "win_weight": 1.0,
                "score_weight": values.score_weight,
                "shaping_weight": 0.0,
            }
        }
        weights = {name: array.cpu().numpy() for name, array in network.state_dict().items()}
        save_policy(values.out, game.env_name, weights, options=options, about=facts)
        print(f"saved: {values.out}")
    cases = [(options, "")]
    if values.test_option:
        cases.append((options | values.test_option, " with the test options"))
    for played, where in cases:
        for sample, how in ((False, "the likeliest"), (True, "sampled")):
            rates = evaluate(games, network, values.games, sample, played)
            for opponent, rate in rates.items():
                print(f"won with {how} actions against {opponent}{where}: {rate.percent()}")
    games.close()


if __name__ == "__main__":
    from .interrupt import as_program  # Ctrl-C and SIGTERM end it without a traceback

    as_program(main)
