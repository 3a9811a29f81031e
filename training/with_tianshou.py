"""Train with Tianshou's DQN (``pip install -e ".[baselines]"``), in one file to be read from top to
bottom:

    python -m training.with_tianshou go_dig --steps 20000

Each seat has a DQN of its own, and all learn while they play each other: Tianshou's manager of
policies asks the one whose turn it is, and its wrapper of PettingZoo's AEC environments gives it
the action mask. Only legal actions are chosen, and the value of what follows is that of the best
legal one.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
import torch

from dig_envs import load_agent, make
from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.agents.matches import play_games
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Array
from dig_envs.registry import load_game

try:
    from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.env.pettingzoo_env import PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net
except ImportError as error:
    sys.exit(
        f"error: {error.name} is missing: "
        f"{how_to_install('baselines')} brings what this script needs"
    )

ENVS = 8  # games side by side
# In Tianshou the position after a decision is what the next seat sees, whose value says nothing to
# this one. So what is learned is the return to the end of the game: few games are longer than this.
HORIZON = 100
EVALUATION_SEED = 3 << 62  # of the first evaluation game; nothing is trained on these deals


class Seats(OneGame):
    """The networks of all seats as one player, which takes the action of the highest value."""

    name = "DQN of Tianshou"

    def __init__(self, networks: Sequence[torch.nn.Module]) -> None:
        self.networks = networks

    @torch.no_grad()
    def choose(self, asked: Decisions) -> Array:
        """One action for each decision, int64 (n,)."""
        seen = torch.tensor(asked.observation)
        values = np.stack([network(seen)[0].numpy() for network in self.networks])
        own = values[asked.seats, np.arange(len(seen))]
        return np.asarray(np.where(asked.action_mask, own, -np.inf).argmax(axis=1))


def main(words: Sequence[str] | None = None) -> None:
    """Train, and print the returns against the scripted and the random player."""
    parser = argparse.ArgumentParser(
        "python -m training.with_tianshou", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", help="a competitive game, such as go_dig")
    parser.add_argument("--steps", type=int, default=100_000, help="decisions of all seats")
    parser.add_argument(
        "--games", type=int, default=500, help="games against each other player at the end"
    )
    parser.add_argument("--players", type=int, default=2, help="number of players")
    parser.add_argument(
        "--hidden", type=int, default=256, help="units of each of two hidden layers"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    given = parser.parse_args(words)
    try:
        game = load_game(given.game)
        game.complete_options({"num_players": given.players})
    except ValueError as error:
        parser.error(str(error))
    if game.cooperative or min(given.steps, given.games, given.hidden) < 1 or given.seed < 0:
        parser.error(
            "the game must be competitive, steps, games and hidden units at least 1, the seed at "
            "least 0"
        )

    np.random.seed(given.seed)  # noqa: NPY002 (from which Tianshou draws)
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)

    def new_env() -> PettingZooEnv:
        return PettingZooEnv(make(game.env_name, num_players=given.players))

    env, networks, learners = new_env(), [], []
    for _ in range(given.players):
        shape = env.observation_space["observation"].shape
        networks.append(
            Net(state_shape=shape, action_shape=env.action_space.n, hidden_sizes=[given.hidden] * 2)
        )
        policy = DiscreteQLearningPolicy(
            model=networks[-1], action_space=env.action_space, eps_training=0.1, eps_inference=0.0
        )
        optimizer = AdamOptimizerFactory(lr=3e-4)
        learners.append(
            DQN(
                policy=policy,
                optim=optimizer,
                gamma=0.998,
                n_step_return_horizon=HORIZON,
                target_update_freq=200,
            )
        )
    together = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)

    envs = DummyVectorEnv([new_env] * ENVS)
    envs.seed([given.seed * ENVS + k for k in range(ENVS)])
    collector = Collector(together, envs, VectorReplayBuffer(100_000, ENVS), exploration_noise=True)
    collector.reset()
    collector.collect(n_step=min(given.steps, 2000), random=False)
    epochs = 10
    together.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=epochs,
            epoch_num_steps=max(1, given.steps // epochs),
            collection_step_num_env_steps=ENVS * 4,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=256,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
        )
    )

    player, options = Seats(networks), {"num_players": given.players}
    for opponent in ("heuristic", "random"):
        others = [load_agent(opponent, game.env_name, seed=1)] * (given.players - 1)
        results = play_games(
            game.env_name, [player, *others], given.games, EVALUATION_SEED, options, rotate=True
        )
        print(
            f"against {opponent}: won {results.won_by(0).percent()}, score "
            f"{results.score(0).rounded(2)}"
        )


if __name__ == "__main__":
    main()
