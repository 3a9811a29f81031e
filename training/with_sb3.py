"""Train a policy with Stable-Baselines3 (``pip install -e ".[train,sb3]"``), in one file to be read
from top to bottom:

    python -m training.with_sb3 fossil_canyon --steps 200000 --name mine-sb3

1. `PaidVecEnv` is many games as one SB3 environment; in a competitive game a weighted pool of
   agents plays the other seats.
2. MaskablePPO of sb3-contrib trains on it, with SB3's own logger (on the screen, and for
   TensorBoard in `runs`).
3. It is written as a policy that everything here can play with (`dig_envs.save_policy`).
4. The policy is loaded as anybody would, and plays against random and scripted players.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dig_envs import load_agent, save_policy
from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.matches import play_games
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.core.options import parse_options
from dig_envs.registry import load_game

from .files import check_new
from .interrupt import as_program

try:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.utils import set_random_seed

    from dig_envs.adapters.sb3 import DigVecEnv
except ImportError as error:
    sys.exit(
        f"error: {error.name} is missing: "
        f"{how_to_install('train,sb3')} brings what this script needs"
    )

LOGS = Path("runs")
EVALUATION_SEED = 3 << 62  # of the first evaluation game; nothing is trained on these deals
PPO: dict[str, Any] = {
    "batch_size": 512, "n_epochs": 3, "learning_rate": 7e-4, "gamma": 0.998, "gae_lambda": 0.9,
    "ent_coef": 0.0005, "target_kl": 0.03,
}  # fmt: skip


class PaidVecEnv(DigVecEnv):
    """Games that pay the return at their end, -1 to 1, and so much for each point when it is
    scored."""

    win_weight, score_weight = 1.0, 0.0

    def step_wait(self) -> tuple[Any, ...]:
        """Play the learner's actions, then the others' up to its next decisions; with
        ``reward="score"``."""
        observation, points, done, infos = super().step_wait()
        reward = self.score_weight * points
        for k in np.flatnonzero(done):
            reward[k] += self.win_weight * infos[k]["outcome"]
            episode = infos[k]["episode"]  # what SB3's logger shows
            episode["r"] = self.score_weight * episode["r"] + self.win_weight * infos[k]["outcome"]
        return observation, reward, done, infos


class SharedLayers(BaseFeaturesExtractor):
    """The hidden layers (ReLU) that policy and value share.

    SB3 shares nothing but its features extractor between the two. So all hidden layers are in that,
    ``net_arch`` is empty, and what follows are SB3's two linear heads, ``action_net`` and
    ``value_net``.
    """

    def __init__(self, observation_space: Any, layers: list[int]) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        for k, (inputs, outputs) in enumerate(pairwise([observation_space.shape[0], *layers])):
            self.add_module(f"layer{k}", nn.Linear(inputs, outputs))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Features (n, layers[-1]) of observations (n, observation_size)."""
        for layer in self.children():
            features = torch.relu(layer(features))
        return features


def train(env: DigVecEnv, settings: dict[str, Any], steps: int, seed: int, log: str) -> MaskablePPO:
    """A model trained for at least ``steps`` decisions; SB3 plays complete rollouts."""
    # MaskablePPO(seed=…) would deal the games from it, too: they have seeds of their own
    set_random_seed(seed)
    shape = {
        "features_extractor_class": SharedLayers,
        "features_extractor_kwargs": {"layers": settings["layers"]},
        "net_arch": [],
    }
    own = {name: settings[name] for name in ("n_steps", *PPO)}
    model = MaskablePPO(
        "MlpPolicy", env, policy_kwargs=shape, tensorboard_log=str(LOGS), verbose=1, **own
    )
    try:
        model.learn(steps, tb_log_name=log)
    except KeyboardInterrupt:
        rollout = env.num_envs * settings["n_steps"]
        # the last one is unfinished, or its update is
        model.num_timesteps = (model.num_timesteps - 1) // rollout * rollout
        if model.num_timesteps <= 0:
            raise  # nothing was learned
        print(
            f"interrupted after {model.num_timesteps:,} decisions; going on with what was learned"
        )
    return model


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        "python -m training.with_sb3", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", help="such as fossil_canyon")
    parser.add_argument(
        "--steps",
        type=int,
        default=200_000,
        help="decisions of the learner, rounded up to complete rollouts",
    )
    parser.add_argument("--name", default="mine-sb3", help="name of the policy")
    parser.add_argument(
        "--out", type=Path, help="folder of the policy, if not policies/<game>/<name>"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game (repeatable)",
    )
    parser.add_argument(
        "--opponent",
        action="append",
        metavar="AGENT",
        help="of other seats (repeatable); else heuristic, random",
    )
    parser.add_argument(
        "--weight",
        action="append",
        type=float,
        help="how often each is drawn (repeatable); else equally",
    )
    parser.add_argument("--win-weight", type=float, default=1.0, help="times the return at the end")
    parser.add_argument("--score-weight", type=float, default=0.0, help="reward for each point")
    parser.add_argument(
        "--layers", type=int, nargs="+", default=[256, 256], help="sizes of the hidden layers"
    )
    parser.add_argument("--num-envs", type=int, default=128, help="games side by side")
    parser.add_argument(
        "--n-steps", type=int, default=64, help="decisions in each of them before an update"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument(
        "--games", type=int, default=500, help="games against each player at the end"
    )
    return parser


def main(words: Sequence[str] | None = None) -> None:
    """Train a policy by sb3-contrib's MaskablePPO, save it as an opponent (or teammate), and
    evaluate it."""
    parser = make_parser()
    given = parser.parse_args(words)
    try:
        if (
            min(given.steps, given.num_envs, given.games, *given.layers, given.n_steps - 1) < 1
            or not 0 <= given.seed < 2**32
        ):
            raise ValueError(
                "numbers must be at least 1, n_steps at least 2, the seed from 0 to 2**32 - 1"
            )
        game = load_game(given.game)
        options = {
            name: value for name, (value,) in parse_options(game.options, given.option).items()
        }
        seats = int(game.complete_options(options)["num_players"])
        if game.cooperative and (given.opponent or given.weight):
            raise ValueError(
                f"{game.name} is cooperative: the policy plays all seats and has no opponents"
            )
        names = given.opponent or ["heuristic", "random"]
        weights = given.weight or [1.0] * len(names)
        pool = WeightedOpponents(
            [load_agent(one, game.env_name, given.seed + k) for k, one in enumerate(names)], weights
        )
        out = given.out or Path("policies") / game.name / given.name
        check_new(out)
    except (ValueError, OSError) as error:
        parser.error(str(error))

    torch.set_num_threads(1)  # more of them wait for each other where other programs run
    env = PaidVecEnv(
        game.env_name, given.num_envs, opponents=pool, seed=given.seed, reward="score", **options
    )
    env.win_weight, env.score_weight = given.win_weight, given.score_weight
    drawn = {} if game.cooperative else dict(zip(names, weights, strict=True))
    settings = {
        "layers": given.layers,
        "opponents": drawn,
        "num_envs": given.num_envs,
        "n_steps": given.n_steps,
    }
    settings |= PPO
    model = train(env, settings, given.steps, given.seed, f"{game.name}-{out.name}")
    env.close()

    command = shlex.join(
        ["python", "-m", "training.with_sb3", *(sys.argv[1:] if words is None else words)]
    )
    facts: dict[str, Any] = {
        "name": f"{out.resolve().parent.name}/{out.name}",
        "algorithm": "masked PPO (sb3-contrib)",
        "training_command": command,
    }
    facts |= {
        "steps": model.num_timesteps,
        "seed": given.seed,
        "hyperparameters": settings,
        "pays": "return",
        "rewards": {"win_weight": given.win_weight, "score_weight": given.score_weight},
    }
    trained = {**options, "num_players": seats}
    save_policy(out, game.env_name, model, options=trained, about=facts)
    policy = load_agent(str(out), game.env_name)
    for other in [None] if game.cooperative else ["random", "heuristic"]:
        others = [policy if other is None else load_agent(other, game.env_name, seed=1)] * (
            seats - 1
        )
        results = play_games(
            game.env_name, [policy, *others], given.games, EVALUATION_SEED, options, rotate=True
        )
        who = "the team" if other is None else f"against {other}"
        print(f"{who}: won {results.won_by(0).percent()}, score {results.score(0).rounded(2)}")
    print(f"saved: {out}   play with it: dig_envs.load_agent({str(out)!r})")


if __name__ == "__main__":
    as_program(main)
