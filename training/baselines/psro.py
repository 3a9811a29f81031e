"""Policy-space response oracles (Lanctot et al. 2017, arXiv:1711.00832) for two players, with the arena of this package:

    python -m training.baselines psro go_dig --seed 0 --decisions 300000 --out results

1. The population begins with the random player.
2. The arena lets all members play each other: a table of payoffs, -1 to 1 (``dig_envs.arena``, whose file of results grows from
   one iteration to the next, so that only games of the new member are played).
3. The mixture of members that no member beats is an equilibrium of that table (by regret matching).
4. PPO (``training/ppo.py``) learns to answer to players drawn from the mixture; it goes on from its last answer. The answer
   joins the population.

What is evaluated is the mixture: for each game one member is drawn.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import Agent
from dig_envs.arena import run as play_arena
from dig_envs.engine.game import Array

from ..export import write_policy
from ..learner import Learner, collect
from ..ppo import update
from ..seeds import seed_stream
from .common import Choosing, Players, Study, Task, option, values_of
from .ppo import NetworkPlayer


@dataclass
class Hyperparameters:
    """The settings of PSRO that are not PPO's."""

    iterations: int = option(6, "answers that are learned, each in an equal share of the budget", 1)
    games: int = option(100, "games of each pair of members in the table of payoffs", 1)
    solver_steps: int = option(20_000, "steps of regret matching", 1)


METRICS = {
    "population": "members, the random player included",
    "support": "members with at least 1 % of the mixture",
    "newest": "share of the newest member in the mixture",
    "gain": "payoff of the newest member against the mixture before it, -1 to 1; near 0 the answer found nothing to exploit",
}


class Mixture(Choosing):
    """Players of whom one is drawn at the start of each game; which one is the memory of the game."""

    memory_size = 1

    def __init__(self, members: Sequence[Agent], shares: Array, seed: int) -> None:
        self.name, self.members, self.shares = "PSRO, mixture", members, shares
        self.generator = np.random.default_rng(seed)

    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
    ) -> Array:
        """Return one action for each decision, int64 (n,); ``memory`` is 0 before the first one of a game."""
        if memory is None:
            raise ValueError(f"{self.name} remembers who plays: pass memory")
        new = memory[:, 0] == 0
        memory[new, 0] = 1 + self.generator.choice(len(self.members), int(new.sum()), p=self.shares)
        actions = np.zeros(len(observation), np.int64)
        for k, member in enumerate(self.members):
            mine = memory[:, 0] == k + 1
            if mine.any():
                actions[mine] = member.act_batch(observation[mine], action_mask[mine])
        return actions


def equilibrium(payoffs: Array, steps: int) -> Array:
    """Return the mixture, (n,), of an equilibrium of a symmetric zero-sum game: the average of regret matching against itself.

    Args:
        payoffs: (n, n), antisymmetric: of the row's player against the column's. steps: more of them come nearer.
    """
    regrets, total = np.zeros(len(payoffs)), np.zeros(len(payoffs))
    for _ in range(steps):
        positive = np.maximum(regrets, 0.0)
        mixture = positive / positive.sum() if positive.sum() > 0 else np.full(len(payoffs), 1 / len(payoffs))
        gained = payoffs @ mixture
        regrets = np.maximum(regrets + gained - mixture @ gained, 0.0)  # "regret matching plus" forgets negative regrets
        total += mixture
    return np.asarray(total / total.sum())


def play_table(task: Task, names: Sequence[str], games: int, seed: int, results: Path) -> Array:
    """Return the payoffs, (n, n), of all members against each other; the arena goes on from the games in the file."""
    payoffs = np.zeros((len(names), len(names)))
    if len(names) < 2:
        return payoffs
    deals = seed_stream("gate", seed)
    report = play_arena(task.game.env_name, list(names), games, deals, task.options, results=results)
    for pair in report.comparisons:
        a, b = (names.index(name) for name in pair.agents)
        if pair.points is not None:
            payoffs[a, b] = 2 * pair.points.mean - 1
            payoffs[b, a] = -payoffs[a, b]
    return payoffs


def train(study: Study) -> None:
    """Answer to the mixture of the population, and let the answer join, until the budget is used."""
    task = study.task
    if task.game.cooperative or task.options["num_players"] != 2:
        raise ValueError(f"psro is for competitive games of two players, not for {task.name}")
    values = values_of("psro", task.name, study.changes)
    own = Hyperparameters(**{name: values.pop(name) for name in ("iterations", "games", "solver_steps")})
    settings = task.settings(threads=1, device="cpu", **values)
    study.settings = {**settings.as_dict(), **vars(own)}
    learner = Learner(task.game, settings, study.seed)
    learner.generator.manual_seed(study.seed)
    games = task.games(settings.num_envs, settings.gamma, study.seed)
    members: list[Agent] = [load_agent("random", task.game.env_name, study.seed)]
    names, shares = ["random"], np.ones(1)
    study.explain(METRICS)
    study.report(0, lambda: mixture_of(members, shares, study.seed), {})
    with tempfile.TemporaryDirectory() as folder:
        for k in range(own.iterations):
            games.set_opponents(WeightedOpponents(members, list(shares), mixed=0.0))
            games.reset()
            target = study.decisions * (k + 1) / own.iterations
            while study.done < target:
                learner.set_learning_rate(settings.learning_rate, settings.learning_rate_end, study.share)
                rollout = collect(learner, games)
                update(learner, rollout)
                study.done += rollout.dones.numel()
            facts: dict[str, Any] = {"name": f"answer {k}", "settings": {"games": [task.options]}, "num_players": [2]}
            policy = write_policy(Path(folder) / f"answer{k}", task.game, learner.network, facts)
            members.append(NetworkPlayer(policy.name, learner.network, study.seed + k))
            names.append(f"{policy}:sample")
            payoffs = play_table(task, names, own.games, study.seed, Path(folder) / "arena.jsonl")
            metrics = {"population": len(names), "gain": float(payoffs[-1, :-1] @ shares)}
            shares = equilibrium(payoffs, own.solver_steps)
            metrics |= {"support": int((shares >= 0.01).sum()), "newest": float(shares[-1])}
            study.report(study.done, lambda shares=shares: mixture_of(members, shares, study.seed), metrics)  # type: ignore[misc]
            study.extra = {"payoffs": np.round(payoffs, 4).tolist(), "mixture": np.round(shares, 4).tolist()}
    games.close()


def mixture_of(members: Sequence[Agent], shares: Array, seed: int) -> Players:
    """Return the mixture as a player."""
    return {"sampled": Mixture(list(members), shares.copy(), seed)}
