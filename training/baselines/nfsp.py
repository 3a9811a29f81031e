"""Neural fictitious self-play (Heinrich and Silver 2016, arXiv:1603.01121), with action masks, for competitive games:

    python -m training.baselines nfsp go_dig --seed 0 --decisions 300000 --out results

All seats are played by the same two networks. In each episode a seat plays, with probability ``anticipatory``, the *best
response*: action values that are learned by double DQN (``dqn.py``) from a buffer of what happened to every seat. Otherwise it
plays the *average policy*, which learns by classification what the best response has done, from a reservoir in which every such
decision has the same chance to be. The average policy is what is evaluated: in fictitious play it is the average that comes to
an equilibrium.
"""
# ruff: noqa: RUF009 (`option` makes fields of dataclasses)

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.game import Array

from ..seeds import seed_stream
from .common import Choosing, Layers, Players, Study, Task, hyperparameters, option, plain
from .dqn import ValueLearner


@dataclass
class Hyperparameters:
    """The settings of NFSP."""

    num_envs: int = option(64, "games side by side", 1)
    anticipatory: float = option(0.1, "share of the episodes in which a seat plays the best response", 0, 1)
    buffer: int = option(50_000, "decisions from which the best response learns, the last ones", 1)
    reservoir: int = option(100_000, "decisions of the best response from which the average policy learns", 1)
    batch_size: int = option(256, "decisions in a minibatch", 1)
    learning_rate: float = option(0.0003, "of Adam, for the best response", 0)
    average_learning_rate: float = option(0.001, "of Adam, for the average policy", 0)
    gamma: float = option(0.998, "discount per decision", 0, 1)
    learn_from: int = option(4096, "decisions before the first update", 1)
    updates_per_step: float = option(1.0, "updates of each network after a decision in every game", 0)
    target_every: int = option(200, "updates until the target network is renewed", 1)
    epsilon_start: float = option(0.2, "share of random actions of the best response at the start", 0, 1)
    epsilon_end: float = option(0.02, "... changing linearly to this at the end", 0, 1)
    layers: list[int] = option([256, 256], "sizes of the hidden layers of each network", 1)


METRICS = {
    "epsilon": "share of random actions of the best response",
    "td_loss": "Huber loss between the value of an action and what followed it",
    "value": "mean value of the actions in the last minibatch",
    "average_loss": "cross-entropy in nats of what the best response did, by the average policy",
    "reservoir": "decisions of the best response that the average policy learns from",
}


class Table:
    """Rows with the same columns; a row takes the place of an older one when it is full.

    Args:
        size: rows. columns: an empty array for one row of each, with its dtype.
        reservoir: keep a fair sample of all rows that were ever added (Vitter's algorithm R), instead of the last ones.
    """

    def __init__(self, size: int, columns: list[Array], reservoir: bool = False) -> None:
        self.columns = [np.zeros((size, *one.shape), one.dtype) for one in columns]
        self.added, self.reservoir = 0, reservoir

    def __len__(self) -> int:
        return min(self.added, len(self.columns[0]))

    def add(self, rows: list[Array], rng: np.random.Generator) -> None:
        """Add n rows, (n, …) for each column."""
        size = len(self.columns[0])
        order = self.added + np.arange(len(rows[0]))
        places = order % size
        if self.reservoir:
            places = np.where(order < size, order, rng.integers(0, order + 1))
        kept = places < size
        for column, new in zip(self.columns, rows, strict=True):
            column[places[kept]] = new[kept]
        self.added += len(order)

    def draw(self, count: int, rng: np.random.Generator) -> list[Array]:
        """Return rows drawn at random."""
        rows = rng.integers(len(self), size=count)
        return [column[rows] for column in self.columns]


class SelfPlay:
    """Games in which every seat is a learner's: what a seat did waits until its next decision, or the end, says what followed.

    ``step`` plays an action in every game and returns the decisions that are complete now: observations, actions, what was paid,
    the factor of the value of the position after them (0 at the end of a game), and that position's observations and masks.
    """

    def __init__(self, task: Task, num_envs: int, gamma: float, seed: int) -> None:
        self.task, self.gamma = task, gamma
        self.batch = BatchEnv(task.game.env_name, num_envs, seed_stream("training", seed), 1, "score", **task.options)
        self.batch.reset()
        self.seats = int(task.options["num_players"])
        self.games = np.arange(num_envs)
        size, actions = task.game.observation_size, len(task.game.actions)
        self.waiting = np.zeros((num_envs, self.seats), np.bool_)
        self.seen = np.zeros((num_envs, self.seats, size), np.float16)
        self.action = np.zeros((num_envs, self.seats), np.int64)
        self.paid = np.zeros((num_envs, self.seats), np.float32)
        self.nothing = (np.zeros(size, np.float16), np.zeros(actions, np.bool_))

    def step(self, actions: Array) -> tuple[list[Array], Array]:
        """Return the rows that are complete now, and bool (n,), in which games an episode ended."""
        movers = self.batch.mover.copy()
        self.seen[self.games, movers] = self.batch.observation
        self.action[self.games, movers] = actions
        self.paid[self.games, movers] = 0.0
        self.waiting[self.games, movers] = True
        _, rewards, ended, _ = self.batch.step(actions)
        self.paid += self.task.score_weight * rewards[:, : self.seats]
        over = np.flatnonzero(ended)
        if len(over):
            self.paid[over] += self.task.win_weight * self.task.game.returns_of(self.batch.final_states[over])[:, : self.seats]
        goes_on = self.waiting[self.games, self.batch.mover] & ~ended
        there, seats = np.flatnonzero(goes_on), self.batch.mover[goes_on]
        gone, lost = np.nonzero(self.waiting & ended[:, None])
        no_view, no_mask = (np.broadcast_to(one, (len(gone), *one.shape)) for one in self.nothing)
        views = [
            np.concatenate([self.batch.observation[there], no_view]),
            np.concatenate([self.batch.action_mask[there] != 0, no_mask]),
        ]
        rows = (np.concatenate([there, gone]), np.concatenate([seats, lost]))
        factor = np.concatenate([np.full(len(there), self.gamma), np.zeros(len(gone))]).astype(np.float32)
        complete = [self.seen[rows], self.action[rows], self.paid[rows], factor, *views]
        self.waiting[rows] = False
        return complete, np.asarray(ended).copy()


def players_of(average: Layers, values: ValueLearner, seed: int) -> Players:
    """Return the average policy as players, and the best response to it."""
    policy, response = copy.deepcopy(average), copy.deepcopy(values.network)
    return {
        "sampled": Choosing("NFSP, average policy, sampled", policy, seed),
        "greedy": Choosing("NFSP, average policy, greedy", policy),
        "best response": Choosing("NFSP, best response", response),
    }


def train(study: Study) -> None:
    """Play and learn in turn."""
    task = study.task
    if task.game.cooperative:
        raise ValueError(f"nfsp is for competitive games, and {task.name} is cooperative")
    h = hyperparameters(Hyperparameters, "nfsp", task.name, study.changes)
    study.settings = plain(h)
    torch.manual_seed(study.seed)  # of the first weights
    rng = np.random.default_rng(study.seed)
    inputs, actions = task.game.observation_size, len(task.game.actions)
    values = ValueLearner(inputs, actions, h.layers, h.learning_rate, h.target_every)
    average = Layers(inputs, h.layers, actions)
    optimizer = torch.optim.Adam(average.parameters(), h.average_learning_rate)
    view, mask_of_one = np.zeros(inputs, np.float16), np.zeros(actions, np.bool_)
    number, choice = np.zeros((), np.float32), np.zeros((), np.int64)
    buffer = Table(h.buffer, [view, choice, number, number, view, mask_of_one])
    reservoir = Table(h.reservoir, [view, mask_of_one, choice], reservoir=True)
    games = SelfPlay(task, h.num_envs, h.gamma, study.seed)
    responds = rng.random((h.num_envs, games.seats)) < h.anticipatory
    metrics: dict[str, float] = {}
    due = 0.0
    study.explain(METRICS)
    study.report(0, lambda: players_of(average, values, study.seed), metrics)
    while study.done < study.decisions:
        epsilon = h.epsilon_start + study.share * (h.epsilon_end - h.epsilon_start)
        seen, mask = games.batch.observation.copy(), games.batch.action_mask.copy()
        best = responds[games.games, games.batch.mover]
        drawn = Choosing("average", average)
        drawn.rng = rng
        chosen = np.where(best, values.choose(seen, mask, epsilon, rng), drawn.act_batch(seen, mask))
        reservoir.add([seen[best].astype(np.float16), mask[best] != 0, chosen[best]], rng)
        rows, ended = games.step(chosen)
        buffer.add(rows, rng)
        responds[ended] = rng.random((int(ended.sum()), games.seats)) < h.anticipatory
        if study.done >= h.learn_from and len(reservoir):
            due += h.updates_per_step
            while due >= 1.0:
                metrics |= values.learn(*buffer.draw(h.batch_size, rng))
                metrics["average_loss"] = imitate(average, optimizer, *reservoir.draw(h.batch_size, rng))
                due -= 1.0
        metrics |= {"epsilon": epsilon, "reservoir": len(reservoir)}
        study.report(study.done + h.num_envs, lambda: players_of(average, values, study.seed), metrics)
    games.batch.close()


def imitate(policy: Layers, optimizer: torch.optim.Optimizer, seen: Array, mask: Array, chosen: Array) -> float:
    """Take one step towards what was chosen, and return the cross-entropy."""
    logits = policy(torch.from_numpy(seen.astype(np.float32)), torch.from_numpy(mask))
    loss = functional.cross_entropy(logits, torch.from_numpy(chosen))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return float(loss.item())
