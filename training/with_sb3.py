"""Train a policy with Stable-Baselines3 (``pip install -e ".[train,sb3]"``), in one file to be read from top to bottom:

    python -m training.with_sb3 fossil_canyon --steps 200000 --name mine-sb3

1. `DigVecEnv` is many games as one SB3 environment; in a competitive game a weighted pool of agents plays the other seats.
2. MaskablePPO of sb3-contrib trains on it, with SB3's own logger (on the screen, and for TensorBoard in `runs`).
3. Its weights become a `Network` of the same shape, which is written as a policy that everything here can play with.
4. The policy is loaded as anybody would and judged against random and scripted players; its card says how it did.
"""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from torch import nn

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.agents.loading import load_agent
from dig_envs.registry import load_game

from .card import command_line, save_and_judge
from .command_options import GameName, plain_errors
from .evaluate import combinations
from .export import check_new, check_out
from .files import check_can_write
from .network import Network
from .seeds import seed_stream

try:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.utils import set_random_seed

    from dig_envs.adapters.sb3 import DigVecEnv
except ImportError as error:
    sys.exit(f'error: {error.name} is missing: pip install -e ".[train,sb3]" brings what this script needs')

LOGS = Path("runs")
PPO: dict[str, Any] = {"batch_size": 1024, "n_epochs": 4, "learning_rate": 3e-4, "gamma": 0.998, "ent_coef": 0.005}


class SharedLayers(BaseFeaturesExtractor):
    """The hidden layers (ReLU) that policy and value share, as in :class:`Network`, and under the same names.

    SB3 shares nothing but its features extractor between the two. So all hidden layers are in that, ``net_arch`` is empty, and
    what follows are SB3's two linear heads, ``action_net`` and ``value_net``.
    """

    def __init__(self, observation_space: Any, layers: list[int]) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        for k, (inputs, outputs) in enumerate(pairwise([observation_space.shape[0], *layers])):
            self.add_module(f"layer{k}", nn.Linear(inputs, outputs))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return (n, layers[-1]) of (n, observation_size)."""
        for layer in self.children():
            features = torch.relu(layer(features))
        return features


def to_network(model: MaskablePPO) -> Network:
    """Return the network of a model that has :class:`SharedLayers`: the same weights by the names that they have here."""
    state: dict[str, torch.Tensor] = model.policy.state_dict()
    weights: dict[str, torch.Tensor] = {}
    for theirs, ours in {"features_extractor.": "", "action_net.": "policy.", "value_net.": "value."}.items():
        weights |= {ours + key.removeprefix(theirs): state[key] for key in state if key.startswith(theirs)}
    return Network.of(weights)


def train(env: DigVecEnv, settings: dict[str, Any], steps: int, seed: int, log: str) -> MaskablePPO:
    """Return a model that has learned for at least so many decisions: SB3 plays complete rollouts."""
    set_random_seed(seed)  # MaskablePPO(seed=…) would deal the games from it, too: they have seeds of their own
    shape = {"features_extractor_class": SharedLayers, "features_extractor_kwargs": {"layers": settings["layers"]}, "net_arch": []}
    own = {name: settings[name] for name in ("n_steps", *PPO)}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=shape, tensorboard_log=str(LOGS), verbose=1, **own)
    return model.learn(steps, tb_log_name=log)


app = typer.Typer(add_completion=False)


@app.command()
def main(
    game_name: GameName,
    steps: Annotated[int, typer.Option(min=1, help="decisions of the learner, rounded up to complete rollouts")] = 200_000,
    name: Annotated[str, typer.Option(help="name of the policy")] = "mine-sb3",
    out: Annotated[Path | None, typer.Option(help="folder of the policy; default policies/<game>/<name>")] = None,
    option: Annotated[list[str] | None, typer.Option(help="an option of the game: name=value (repeatable)")] = None,
    opponent: Annotated[list[str] | None, typer.Option(help="agent of other seats (repeatable); default heuristic, random")] = None,
    weight: Annotated[list[float] | None, typer.Option(help="how often each is drawn (repeatable); default equally")] = None,
    layer: Annotated[list[int] | None, typer.Option(min=1, help="size of a hidden layer (repeatable); default 256 and 256")] = None,
    num_envs: Annotated[int, typer.Option(min=1, help="games side by side")] = 64,
    n_steps: Annotated[int, typer.Option(min=2, help="decisions in each of them before an update")] = 128,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="seed of all random numbers")] = 0,
    games: Annotated[int, typer.Option(min=1, help="games in each line of the evaluation")] = 400,
) -> None:
    """Train a policy by sb3-contrib's MaskablePPO, save it as an opponent (or teammate), and evaluate it."""
    with plain_errors():
        game = load_game(game_name)
        options = combinations(game, option or [], [])[0]
        game.complete_options(options)
        if game.cooperative and (opponent or weight):
            raise ValueError(f"{game.name} is cooperative: the policy plays all seats and has no opponents")
        names = opponent or ["heuristic", "random"]
        weights = weight or [1.0] * len(names)
        pool = WeightedOpponents([load_agent(one, game.env_name, seed + k) for k, one in enumerate(names)], weights)
        target = out or Path("policies") / game.name / name
        check_new(target)
        check_out(target)
        check_can_write(LOGS, 10_000_000)

        dealt = seed_stream("training", seed)  # never what the policy is judged on
        env = DigVecEnv(game.env_name, num_envs, opponents=pool, seed=dealt, **options)
        drawn = {} if game.cooperative else dict(zip(names, weights, strict=True))
        settings = {"layers": layer or [256, 256], "games": [options], "opponents": drawn, "win_weight": 1.0}
        settings |= {"num_envs": num_envs, "n_steps": n_steps, **PPO}
        model = train(env, settings, steps, seed, f"{game.name}-{target.name}")
        env.close()

        command = command_line(f"{__package__}.with_sb3")
        stage = {"stage": "masked PPO (sb3-contrib)", "steps": model.num_timesteps, "seed": seed, "command": command}
        save_and_judge(game, target, to_network(model), stage, settings, games)


if __name__ == "__main__":
    app()
