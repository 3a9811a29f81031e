"""MAPPO and QMIX of BenchMARL, for the cooperative game (``pip install -e ".[train,benchmarl]"``, best in an environment of its
own):

    python -m training.baselines mappo cretaceous_creek --seed 0 --decisions 100000 --out results

All seats share one network (``DigTask``). In a step of the parallel environment one player acts and the others' actions are
ignored, so that a frame of BenchMARL is one decision. Rewards are those of the other baselines. BenchMARL's own evaluation is
left out: its policies are evaluated here, as all others.
"""

import copy
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from benchmarl.algorithms import algorithm_config_registry
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper
from tensordict import TensorDict
from torch import nn
from torchrl.envs import EnvBase, PettingZooWrapper
from torchrl.envs.utils import ExplorationType, set_exploration_type

from dig_envs.adapters.benchmarl import DigTask
from dig_envs.adapters.make import make_parallel
from dig_envs.agents.deciding import OneGame
from dig_envs.engine.game import Array

from ..seeds import seed_stream
from ..shaping import potential
from .common import Players, Study, Task, values_of

GROUP = "player"
METRICS = {
    "loss": "what the optimizer lowers, all terms together, in the last training step",
    "mean_return": "mean reward of the episodes that ended lately, shaping included",
}


class PaidGame(BaseParallelWrapper):
    """A parallel environment with the rewards of a task: return at the end, change of score, change of the potential."""

    def __init__(self, env: ParallelEnv, task: Task, gamma: float, first_seed: int) -> None:
        super().__init__(env)
        self.task, self.gamma, self.first_seed = task, gamma, first_seed
        self.dealt = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Deal a game: at first that of the run's seed, then those that follow, whatever seed is given."""
        found = self.env.reset(None if self.dealt else self.first_seed, options)
        self.dealt = True
        self.before = self._potential()
        return found[0], found[1]

    def step(self, actions: dict[str, Any]) -> tuple[Any, ...]:
        """Play an action, and pay as the task says."""
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        over = any(terminated.values())
        after = 0.0 if over else self._potential()
        extra = self.task.shaping_weight * (self.gamma * after - self.before)
        if over:
            extra += self.task.win_weight * float(self.task.game.returns_of(self.env.states)[0, 0])
        self.before = after
        paid = {agent: self.task.score_weight * reward + extra for agent, reward in rewards.items()}
        return seen, paid, terminated, truncated, infos

    def _potential(self) -> float:
        return float(potential(self.task.game, self.env.states, np.array([-1]))[0])


class PaidTask(DigTask):
    """A task of BenchMARL with the rewards of a task of the baselines."""

    def __init__(self, task: Task, gamma: float, seed: int) -> None:
        super().__init__(task.game.env_name, reward="score", **task.options)
        self.task, self.gamma, self.first_seed, self.made = task, gamma, seed, 0

    def get_env_fun(self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any) -> Callable[[], EnvBase]:
        """Return what makes an environment, each with games of its own."""

        def make() -> EnvBase:
            self.made += 1
            game = make_parallel(self.name, mask="info", idle="one", **self.config)
            paid = PaidGame(game, self.task, self.gamma, seed_stream("training", self.first_seed, self.made))
            return PettingZooWrapper(
                paid, return_state=True, use_mask=False, done_on_any=False, categorical_actions=True, device=device, seed=seed
            )

        return make


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
    study.settings = {"layers": values["layers"], **values["experiment"], **values[study.algorithm]}
    config = ExperimentConfig.get_from_yaml()
    for name, value in values["experiment"].items():
        setattr(config, name, value)
    config.max_n_frames, config.evaluation, config.render = study.decisions, False, False
    config.loggers, config.create_json = [], False
    algorithm = algorithm_config_registry[study.algorithm].get_from_yaml()
    for name, value in values[study.algorithm].items():
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
