"""MAPPO and QMIX of BenchMARL, for the cooperative game (``pip install -e ".[train,benchmarl]"``, best in an environment of its
own):

    python -m training.baselines mappo cretaceous_creek --seed 0 --decisions 100000 --out results

All seats share one network (``DigTask``). In a step one player of each game acts and the others' actions are ignored, so that a
frame of BenchMARL is one decision. Rewards are those of the other baselines. BenchMARL's own evaluation is left out: its policies
are evaluated here, as all others.
"""

from __future__ import annotations  # the documentation is built without TorchRL, whose stand-ins know no "|"

import copy
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from benchmarl.algorithms import algorithm_config_registry
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict, TensorDictBase
from torch import nn
from torchrl.envs import EnvBase
from torchrl.envs.utils import ExplorationType, set_exploration_type

from dig_envs.adapters.benchmarl import DigTask
from dig_envs.adapters.learner_batch import EVERY_SEAT
from dig_envs.adapters.torchrl import GROUP, DigEnv
from dig_envs.agents.deciding import OneGame
from dig_envs.engine.game import Array

from ..seeds import seed_stream
from ..shaping import Shaping
from .common import Players, Study, Task, values_of

METRICS = {
    "loss": "what the optimizer lowers, all terms together, in the last training step",
    "mean_return": "mean reward of the episodes that ended lately, shaping included",
}


class PaidEnv(DigEnv):
    """Games with the rewards of a task: return at the end, change of score, change of the potential."""

    def __init__(self, task: Task, num_envs: int, gamma: float, seed: int, device: Any) -> None:
        super().__init__(task.game.env_name, num_envs, seed, "score", num_threads=1, device=device, **task.options)
        self.task, self.shaping = task, Shaping(task.game, gamma)
        self.everybody = np.full(num_envs, EVERY_SEAT)

    def _reset(self, tensordict: TensorDictBase | None, seed: int | None = None) -> TensorDict:
        """Deal games as ``DigEnv`` does."""
        found = super()._reset(tensordict, seed)
        self.shaping.begin(self.batch.states, self.everybody)
        return found

    def rewards(self) -> Array:
        """Return the rewards of the last step, float32 (num_envs, num_players)."""
        done = self.batch.terminated
        extra = self.task.shaping_weight * self.shaping.pay(self.batch.states, self.everybody, done)
        if done.any():
            extra[done] += self.task.win_weight * self.game.returns_of(self.batch.final_states[done])[:, 0]
        return (self.task.score_weight * super().rewards() + extra[:, None]).astype(np.float32)


class PaidTask(DigTask):
    """A task of BenchMARL with the rewards of a task of the baselines."""

    def __init__(self, task: Task, gamma: float, seed: int) -> None:
        super().__init__(task.game.env_name, **task.options)
        self.task, self.gamma, self.deals = task, gamma, seed_stream("training", seed)

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Callable[[], EnvBase]:
        """Return what makes an environment of so many games, with the deals of the run whatever seed is given."""
        return partial(PaidEnv, self.task, num_envs, self.gamma, self.deals, device)


class GroupPlayer(OneGame):
    """A policy of BenchMARL as a player: each decision is judged as that of a group in which all agents see it."""

    def __init__(self, name: str, policy: nn.Module, seats: int, kind: ExplorationType) -> None:
        self.name, self.policy, self.seats, self.kind = name, policy, seats, kind

    @torch.no_grad()
    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision, int64 (n,)."""
        n = len(observation)
        seen = torch.tensor(observation)[:, None].expand(n, self.seats, -1)
        legal = torch.tensor(action_mask, dtype=torch.bool)[:, None].expand(n, self.seats, -1)
        group = TensorDict({"observation": seen.contiguous(), "action_mask": legal.contiguous()}, [n, self.seats])
        with set_exploration_type(self.kind):
            decided = self.policy(TensorDict({GROUP: group}, [n]))
        return np.asarray(decided[GROUP, "action"][:, 0])


class Reporting(Callback):
    """Tells the study of each collected batch that was learned from."""

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study

    def players(self) -> Players:
        """Return the policy as players."""
        policy, seats = copy.deepcopy(self.experiment.policy), int(self.study.task.options["num_players"])
        greedy = GroupPlayer(f"{self.study.algorithm}, greedy", policy, seats, ExplorationType.DETERMINISTIC)
        if self.study.algorithm == "qmix":
            return {"greedy": greedy}
        return {"sampled": GroupPlayer(f"{self.study.algorithm}, sampled", policy, seats, ExplorationType.RANDOM), "greedy": greedy}

    def on_setup(self) -> None:
        """Called before the first batch."""
        self.study.report(0, self.players, {})

    def on_train_end(self, training_td: TensorDict, group: str) -> None:
        """Called after learning from a batch."""
        losses = [value.float().mean() for name, value in training_td.items() if str(name).startswith("loss")]
        metrics = {"loss": float(sum(losses)), "mean_return": float(self.experiment.mean_return)}
        self.study.report(self.experiment.total_frames, self.players, metrics)


def train(study: Study) -> None:
    """Run an experiment of BenchMARL."""
    task = study.task
    if not task.game.cooperative:
        raise ValueError(f"{study.algorithm} is for cooperative games, and {task.name} is competitive")
    values = values_of("benchmarl", task.name, study.changes)
    own = dict(values[study.algorithm])
    experiment = {**values["experiment"], **own.pop("experiment", {})}
    study.settings = {"layers": values["layers"], **experiment, **own}
    config = ExperimentConfig.get_from_yaml()
    for name, value in experiment.items():
        setattr(config, name, value)
    config.max_n_frames, config.evaluation, config.render = study.decisions, False, False
    config.loggers, config.create_json = [], False
    algorithm = algorithm_config_registry[study.algorithm].get_from_yaml()
    for name, value in own.items():
        setattr(algorithm, name, value)
    model = MlpConfig.get_from_yaml()
    model.num_cells, model.activation_class = values["layers"], nn.ReLU
    study.explain(METRICS)
    with tempfile.TemporaryDirectory() as folder:
        config.save_folder = folder
        Experiment(
            task=PaidTask(task, config.gamma, study.seed),
            algorithm_config=algorithm,
            model_config=model,
            seed=study.seed,
            config=config,
            callbacks=[Reporting(study)],
        ).run()
