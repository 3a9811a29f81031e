"""Masked PPO, and PPO with a memory: the functions that the shipped policies are trained with (training/ppo.py,
training/learner.py), but without imitation, gate and pool, against the same opponents as the other baselines.

    python -m training.baselines ppo go_dig --seed 0 --decisions 300000 --out results
    python -m training.baselines recurrent fossil_memory --seed 0 --decisions 300000 --out results

`recurrent` has a GRU in the network, which learns from sequences of decisions (training/remembering.py). `ppo_long` is `ppo` with
another budget in the plan, so that the tables tell them apart.
"""

import copy

import torch

from dig_envs.engine.game import Array

from ..learner import Learner, collect
from ..network import Network
from ..ppo import METRICS as OF_PPO
from ..ppo import summarize, update
from ..settings import Settings
from .common import Choosing, Players, Study, Task, values_of

SETTINGS_FILE = {"ppo": "ppo", "ppo_long": "ppo", "recurrent": "recurrent"}
METRICS = {name: OF_PPO[name] for name in ("win_rate", "policy_loss", "value_loss", "entropy", "kl", "explained_variance")}


class NetworkPlayer(Choosing):
    """A copy of a network as a player, with the memory that it has in a game."""

    def __init__(self, name: str, network: Network, seed: int | None = None) -> None:
        self.network = copy.deepcopy(network)
        self.memory_size = network.memory_size
        super().__init__(name, lambda seen, mask: self.network(seen, mask)[0], seed)

    @torch.no_grad()
    def act_batch(
        self,
        observation: Array,
        action_mask: Array,
        states: Array | None = None,
        seats: Array | None = None,
        memory: Array | None = None,
    ) -> Array:
        """Return one action for each decision, int64 (n,); ``memory`` is rewritten."""
        if memory is None:
            return super().act_batch(observation, action_mask)
        tensors = (torch.tensor(one) for one in (observation, action_mask, memory))
        logits, _, memory[:] = (tensor.numpy() for tensor in self.network.step(*tensors))
        return self._choose(logits, action_mask)


def players_of(network: Network, seed: int) -> Players:
    """Return the policy as players: its actions drawn by their probability, and its likeliest ones."""
    return {"sampled": NetworkPlayer("policy, sampled", network, seed), "greedy": NetworkPlayer("policy, greedy", network)}


def settings_of(study: Study) -> Settings:
    """Return the settings of a run, from ``ppo.toml`` or ``recurrent.toml`` and the task."""
    task: Task = study.task
    return task.settings(threads=1, device="cpu", **values_of(SETTINGS_FILE[study.algorithm], task.name, study.changes))


def train(study: Study) -> None:
    """Collect rollouts and learn from each, with a learning rate that changes linearly over the budget."""
    settings = settings_of(study)
    study.settings = settings.as_dict()
    learner = Learner(study.task.game, settings, study.seed)
    learner.generator.manual_seed(study.seed)
    games = study.task.games(settings.num_envs, settings.gamma, study.seed)
    games.reset()
    study.explain(METRICS)
    study.report(0, lambda: players_of(learner.network, study.seed), {})
    while study.done < study.decisions:
        learner.set_learning_rate(settings.learning_rate, settings.learning_rate_end, study.share)
        rollout = collect(learner, games)
        metrics = {**summarize(rollout.ended), **update(learner, rollout)}
        shown = {name: metrics[name] for name in METRICS if name in metrics}
        study.report(study.done + rollout.dones.numel(), lambda: players_of(learner.network, study.seed), shown)
    games.close()
