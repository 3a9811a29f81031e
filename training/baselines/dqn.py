"""Double DQN with action masks and returns over several steps, all of it in this file:

    python -m training.baselines dqn go_dig --seed 0 --decisions 300000 --out results

1. Many games are played side by side. With probability epsilon an action is any legal one, else the one with the greatest value.
2. What happened goes into a buffer, a ring of steps of all games.
3. Minibatches are drawn from the buffer, and the network learns that the value of an action is what was paid in the next ``steps``
   decisions and what the best action was worth after them. The online network says which action is best there, a target network,
   a copy that is renewed now and then, what it is worth (van Hasselt et al. 2016). Illegal actions are never the best.
"""
# ruff: noqa: RUF009 (`option` makes fields of dataclasses)

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from dig_envs.engine.game import Array

from .common import Choosing, Layers, Players, Study, hyperparameters, option, plain

LARGEST_GRADIENT = 10.0  # gradients are scaled down to this norm


@dataclass
class Hyperparameters:
    """The settings of DQN."""

    num_envs: int = option(64, "games side by side", 1)
    buffer: int = option(65_536, "decisions that are remembered, the last ones", 1)
    batch_size: int = option(256, "decisions in a minibatch", 1)
    learning_rate: float = option(0.0003, "of Adam", 0)
    gamma: float = option(0.998, "discount per decision", 0, 1)
    steps: int = option(5, "decisions whose rewards are summed before the value of a later position is asked", 1)
    learn_from: int = option(8192, "decisions before the first update", 1)
    updates_per_step: float = option(1.0, "updates after a decision in every game", 0)
    target_every: int = option(200, "updates until the target network is renewed", 1)
    epsilon_start: float = option(1.0, "share of random actions at the start", 0, 1)
    epsilon_end: float = option(0.05, "... changing linearly to this", 0, 1)
    epsilon_share: float = option(0.3, "... over this share of the budget", 0, 1)
    layers: list[int] = option([256, 256], "sizes of the hidden layers", 1)


METRICS = {
    "epsilon": "share of random actions",
    "win_rate": "share of the games that ended lately that the learner won, with random actions among its own",
    "td_loss": "Huber loss between the value of an action and what followed it",
    "value": "mean value of the actions in the last minibatch; far above the possible return it overestimates",
    "updates": "steps of the optimizer so far",
}


class Ring:
    """The last steps of n games, of which every entry is a decision in each game; the step after it is the next entry.

    ``rewards`` are what followed a decision up to the next one, ``dones`` whether the game ended before that.
    """

    def __init__(self, length: int, games: int, inputs: int, actions: int) -> None:
        self.observations = np.zeros((length, games, inputs), np.float16)
        self.masks = np.zeros((length, games, actions), np.bool_)
        self.actions = np.zeros((length, games), np.int64)
        self.rewards = np.zeros((length, games), np.float32)
        self.dones = np.zeros((length, games), np.bool_)
        self.written = 0

    def __len__(self) -> int:
        return min(self.written, len(self.actions))

    def add(self, observation: Array, mask: Array, actions: Array, rewards: Array, dones: Array) -> None:
        """Append a decision of every game."""
        k = self.written % len(self.actions)
        self.observations[k], self.masks[k], self.actions[k] = observation, mask, actions
        self.rewards[k], self.dones[k] = rewards, dones
        self.written += 1

    def draw(self, count: int, steps: int, gamma: float, rng: np.random.Generator) -> tuple[Array, ...]:
        """Return decisions drawn at random, with what followed them.

        Returns:
            observations (n, inputs), actions (n,), what was paid in up to ``steps`` decisions, discounted (n,), the factor of the
            value of the position after them (n,): 0 where the game has ended, and that position's observations and masks.
        """
        age = rng.integers(steps, len(self), count)  # 0 would be the newest, after which nothing is known yet
        first, game = self.written - 1 - age, rng.integers(self.actions.shape[1], size=count)
        paid, factor = np.zeros(count, np.float32), np.ones(count, np.float32)
        for k in range(steps):
            entry = (first + k) % len(self.actions)
            paid += factor * self.rewards[entry, game]
            factor *= gamma * ~self.dones[entry, game]
        now, then = first % len(self.actions), (first + steps) % len(self.actions)
        seen = (self.observations[now, game], self.actions[now, game], paid, factor)
        return (*seen, self.observations[then, game], self.masks[then, game])


class ValueLearner:
    """A network of action values with its target and optimizer; NFSP learns its best responses by it, too."""

    def __init__(self, inputs: int, actions: int, layers: list[int], learning_rate: float, target_every: int) -> None:
        self.network = Layers(inputs, layers, actions)
        self.target = copy.deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), learning_rate)
        self.target_every, self.updates = target_every, 0

    @torch.no_grad()
    def choose(self, observation: Array, mask: Array, epsilon: float, rng: np.random.Generator) -> Array:
        """Return actions, int64 (n,): with probability epsilon any legal one, else the one with the greatest value."""
        values = self.network(torch.tensor(observation), torch.tensor(mask)).numpy()
        at_random = rng.random(mask.shape) * (mask != 0)
        return np.asarray(np.where(rng.random(len(mask)) < epsilon, at_random.argmax(axis=1), values.argmax(axis=1)))

    def learn(
        self, observation: Array, action: Array, paid: Array, factor: Array, later: Array, later_mask: Array
    ) -> dict[str, float]:
        """Take one step of the optimizer on a minibatch (:meth:`Ring.draw`); return the metrics."""
        seen, after = (torch.from_numpy(one.astype(np.float32)) for one in (observation, later))
        legal = torch.from_numpy(later_mask)
        with torch.no_grad():
            best = self.network(after, legal).argmax(dim=1, keepdim=True)
            worth = self.target(after, legal).gather(1, best)[:, 0]
            # Where the game has ended the factor is 0, and the position there is the next game's.
            wanted = torch.from_numpy(paid) + torch.from_numpy(factor) * worth
        value = self.network(seen, torch.ones(len(seen), legal.shape[1])).gather(1, torch.from_numpy(action)[:, None])[:, 0]
        loss: Tensor = functional.smooth_l1_loss(value, wanted)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.updates += 1
        if self.updates % self.target_every == 0:
            self.target.load_state_dict(self.network.state_dict())
        return {"td_loss": loss.item(), "value": value.mean().item(), "updates": self.updates}


def players_of(learner: ValueLearner) -> Players:
    """Return the network as a player that takes the action with the greatest value."""
    return {"greedy": Choosing("DQN, greedy", copy.deepcopy(learner.network))}


def train(study: Study) -> None:
    """Play and learn in turn."""
    h = hyperparameters(Hyperparameters, "dqn", study.task.name, study.changes)
    study.settings = plain(h)
    torch.manual_seed(study.seed)  # of the first weights
    rng = np.random.default_rng(study.seed)
    games = study.task.games(h.num_envs, h.gamma, study.seed)
    games.reset()
    inputs, actions = games.game.observation_size, len(games.game.actions)
    learner = ValueLearner(inputs, actions, h.layers, h.learning_rate, h.target_every)
    ring = Ring(max(h.buffer // h.num_envs, h.steps + 2), h.num_envs, inputs, actions)
    learn_from = max(h.learn_from // h.num_envs, h.steps + 2)
    metrics: dict[str, float] = {}
    won: list[bool] = []
    due = 0.0
    study.explain(METRICS)
    study.report(0, lambda: players_of(learner), metrics)
    while study.done < study.decisions:
        epsilon = h.epsilon_start + min(1.0, study.share / max(h.epsilon_share, 1e-9)) * (h.epsilon_end - h.epsilon_start)
        observation, mask = games.observation.copy(), games.action_mask.copy()
        chosen = learner.choose(observation, mask, epsilon, rng)
        step = games.step(chosen)
        ring.add(observation, mask, chosen, step.reward, step.done)
        won = (won + [one.won for one in step.ended.values()])[-200:]
        if len(ring) >= learn_from:
            due += h.updates_per_step
            while due >= 1.0:
                metrics |= learner.learn(*ring.draw(h.batch_size, h.steps, h.gamma, rng))
                due -= 1.0
        metrics |= {"epsilon": epsilon, "win_rate": float(np.mean(won)) if won else 0.0}
        study.report(study.done + h.num_envs, lambda: players_of(learner), metrics)
    games.close()
