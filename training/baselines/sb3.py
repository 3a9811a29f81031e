"""MaskablePPO of sb3-contrib (``pip install -e ".[train,sb3]"``) on the same games, opponents and rewards as ``ppo.py``:

python -m training.baselines sb3 go_dig --seed 0 --decisions 300000 --out results
"""
# ruff: noqa: RUF009 (`option` makes fields of dataclasses)

from dataclasses import dataclass
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import set_random_seed

from dig_envs.adapters.sb3 import DigVecEnv

from ..with_sb3 import SharedLayers, to_network
from .common import Study, Task, hyperparameters, option, plain
from .ppo import players_of

METRICS = {
    "train/entropy_loss": "the policy's entropy in nats, negative",
    "train/approx_kl": "how far the last update moved the policy",
    "train/clip_fraction": "share of samples beyond the clip range",
    "train/explained_variance": "1: the value predicts the return perfectly; 0: no better than its mean",
    "train/policy_gradient_loss": "PPO's clipped objective, negative",
    "train/value_loss": "mean squared error of the value",
}


@dataclass
class MaskablePPOSettings:
    """The arguments of MaskablePPO."""

    num_envs: int = option(128, "games side by side", 1)
    n_steps: int = option(64, "decisions in each of them between two updates", 2)
    batch_size: int = option(1024, "decisions in a minibatch", 2)
    n_epochs: int = option(3, "passes over each rollout", 1)
    learning_rate: float = option(0.0004, "of Adam", 0)
    gamma: float = option(0.998, "discount per decision", 0, 1)
    gae_lambda: float = option(0.95, "0: advantages trust the value function; 1: only the rewards that followed", 0, 1)
    clip_range: float = option(0.2, "how far an update may change the probability of an action", 0)
    ent_coef: float = option(0.005, "weight of the entropy", 0)
    target_kl: float = option(0.03, "ends the passes early when the policy has moved this far", 0)
    layers: list[int] = option([256, 256], "sizes of the hidden layers (ReLU), shared by policy and value", 1)


class TaskVecEnv(DigVecEnv):
    """The games of a task, with its rewards and opponents."""

    def __init__(self, task: Task, num_envs: int, gamma: float, seed: int) -> None:
        super().__init__(task.game.env_name, num_envs, seed=seed, num_threads=1, **task.options)
        self.games.close()
        self.games = task.games(num_envs, gamma, seed)


def train(study: Study) -> None:
    """Call ``learn`` for one rollout after the other."""
    settings = hyperparameters(MaskablePPOSettings, "sb3", study.task.name, study.changes)
    study.settings = plain(settings)
    env = TaskVecEnv(study.task, settings.num_envs, settings.gamma, study.seed)
    set_random_seed(study.seed)  # MaskablePPO(seed=…) would deal the games from it, too: they have seeds of their own
    own: dict[str, Any] = {name: value for name, value in study.settings.items() if name not in ("num_envs", "layers")}
    shape = {"features_extractor_class": SharedLayers, "features_extractor_kwargs": {"layers": settings.layers}, "net_arch": []}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=shape, device="cpu", **own)
    study.explain(METRICS)
    study.report(0, lambda: players_of(to_network(model), study.seed), {})
    while study.done < study.decisions:
        model.learn(settings.num_envs * settings.n_steps, reset_num_timesteps=study.done == 0)
        logged = model.logger.name_to_value
        metrics = {name: float(logged[name]) for name in METRICS if name in logged}
        study.report(model.num_timesteps, lambda: players_of(to_network(model), study.seed), metrics)
    env.close()
