"""Train with OpenSpiel's algorithms in PyTorch (``pip install -e ".[baselines]"``), in one file to
be read from top to bottom:

    python -m training.with_openspiel twenty_questions --algorithm nfsp --games 5000

* ``dqn``: each seat has a DQN of its own, and all learn while they play each other.
* ``nfsp``: neural fictitious self-play (Heinrich and Silver 2016); a seat plays its average policy.
* ``psro``: policy-space response oracles (Lanctot et al. 2017); DQN answers to the equilibrium of
  the population.

OpenSpiel pays a game's return at its end, -1 to 1. One game is played after the other.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from dig_envs import load_agent
from dig_envs.agents.matches import mean_interval
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import load_game

from .interrupt import as_program

try:
    from open_spiel.python import policy, rl_environment
    from open_spiel.python.algorithms.psro_v2 import psro_v2, rl_oracle
    from open_spiel.python.pytorch.dqn import DQN
    from open_spiel.python.pytorch.nfsp import MODE, NFSP

    from dig_envs.adapters.openspiel import AgentBot, short_name
except ImportError as error:
    sys.exit(
        f"error: {error.name} is missing: "
        f"{how_to_install('baselines')} brings what this script needs"
    )

Choose = Callable[[Any], int]  # an action for a time step of the environment
COMMON = {
    "hidden_layers_sizes": [256, 256],
    "batch_size": 256,
    "optimizer_str": "adam",
    "epsilon_end": 0.02,
}
COMMON |= {"replay_buffer_capacity": 25_000}
OF_DQN = COMMON | {"learn_every": 16, "learning_rate": 3e-4, "epsilon_start": 1.0}
OF_NFSP = COMMON | {
    "learn_every": 64,
    "rl_learning_rate": 3e-4,
    "sl_learning_rate": 1e-3,
    "epsilon_start": 0.2,
}
OF_NFSP |= {"reservoir_buffer_capacity": 50_000, "anticipatory_param": 0.1}
MOVES = 20  # exploration falls over so many decisions of a seat for each game of training


def seat_of(step: Any) -> int:
    """The seat to move."""
    return int(step.observations["current_player"])


def play(env: Any, choose: Choose) -> Any:
    """Play a game and return its last time step."""
    step = env.reset()
    while not step.last():
        step = env.step([choose(step)])
    return step


def train_agents(env: Any, agents: Sequence[Any], games: int) -> Choose:
    """Let agents, one for each seat, learn from games that they play with each other; return how
    they choose then."""
    for _ in range(games):
        last = play(env, lambda step: int(agents[seat_of(step)].step(step).action))
        for agent in agents:
            agent.step(last)

    def choose(step: Any) -> int:
        agent = agents[seat_of(step)]
        if isinstance(agent, NFSP):
            with agent.temp_mode_as(MODE.AVERAGE_POLICY):
                return int(agent.step(step, is_evaluation=True).action)
        return int(agent.step(step, is_evaluation=True).action)

    return choose


class Response(policy.Policy):
    """A DQN as PSRO's oracle takes it (OpenSpiel's own wrapper is for its agents in JAX)."""

    def __init__(self, env: Any, player_id: int, **settings: Any) -> None:
        super().__init__(env.game, [player_id])
        self.made_from = (env, player_id, settings)
        self.agent, self.frozen = DQN(player_id, **settings), False

    def step(self, step: Any, is_evaluation: bool = False) -> Any:
        """The action; learns from the step unless frozen."""
        return self.agent.step(step, is_evaluation or self.frozen)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The best action, with probability 1."""
        seen = state.information_state_tensor(state.current_player())
        return {int(self.agent.act_epsilon_greedy(seen, state.legal_actions(), 0.0)[0]): 1.0}

    def freeze(self) -> None:  # noqa: D102
        self.frozen = True

    def unfreeze(self) -> None:  # noqa: D102
        self.frozen = False

    def is_frozen(self) -> bool:  # noqa: D102
        return self.frozen

    def copy_with_noise(self, sigma: float = 0.0) -> "Response":
        """A new untrained response."""
        env, player_id, settings = self.made_from
        return Response(env, player_id, **settings)


def train_psro(env: Any, settings: dict[str, Any], games: int, iterations: int) -> Choose:
    """Each seat's way to choose: it draws a member of its population, by the equilibrium, for each
    game."""
    seats = env.num_players
    oracle = rl_oracle.RLOracle(
        env, Response, settings, number_training_episodes=games // (iterations * seats)
    )
    first = [Response(env, seat, **settings) for seat in range(seats)]
    for one in first:
        one.freeze()
    how = {
        "training_strategy_selector": "probabilistic",
        "meta_strategy_method": "prd",
        "sample_from_marginals": True,
    }
    solver = psro_v2.PSROSolver(env.game, oracle, sims_per_entry=20, initial_policies=first, **how)
    for _ in range(iterations):
        solver.iteration()
        print(
            "equilibrium:",
            *(np.round(one, 2).tolist() for one in solver.get_meta_strategies()),
            flush=True,
        )
    drawn: dict[int, Response] = {}

    def choose(step: Any) -> int:
        seat = seat_of(step)
        if step.first() or seat not in drawn:
            weights = np.maximum(solver.get_meta_strategies()[seat], 0.0)
            number = np.random.choice(len(weights), p=weights / weights.sum())  # noqa: NPY002
            drawn[seat] = solver.get_policies()[seat][number]
        return int(drawn[seat].step(step, is_evaluation=True).action)

    return choose


def evaluate(env: Any, choose: Choose, name: str, opponent: str, games: int) -> str:
    """The mean return against another player, with its 95 % interval; the seat changes from game to
    game."""
    bot, returns = AgentBot(load_agent(opponent, env=name, seed=1)), []

    def play_as(own: int) -> Any:
        return play(
            env, lambda step: choose(step) if seat_of(step) == own else bot.step(env.get_state)
        )

    for k in range(games):
        own = k % env.num_players
        returns.append(play_as(own).rewards[own])
    return str(mean_interval(np.array(returns)))


def main(words: Sequence[str] | None = None) -> None:
    """Train, and print the returns against the scripted and the random player."""
    parser = argparse.ArgumentParser(
        "python -m training.with_openspiel", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", help="a competitive game, such as twenty_questions")
    parser.add_argument(
        "--algorithm", choices=["dqn", "nfsp", "psro"], default="nfsp", help="OpenSpiel's algorithm"
    )
    parser.add_argument("--games", type=int, default=5000, help="games of training")
    parser.add_argument(
        "--evaluation-games", type=int, default=200, help="games against each other player"
    )
    parser.add_argument("--iterations", type=int, default=5, help="of PSRO")
    parser.add_argument("--players", type=int, default=2, help="number of players")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    given = parser.parse_args(words)
    try:
        game = load_game(given.game)
        game.complete_options({"num_players": given.players})
    except ValueError as error:
        parser.error(str(error))
    if (
        game.cooperative
        or min(given.games, given.evaluation_games, given.iterations) < 1
        or not 0 <= given.seed < 2**32
    ):
        parser.error(
            "the game must be competitive, the numbers of games and iterations at least 1, the "
            "seed from 0 to 2**32 - 1"
        )

    torch.set_num_threads(1)  # more of them wait for each other where other programs run
    np.random.seed(given.seed)  # noqa: NPY002 (OpenSpiel draws from it)
    # PSRO's table of payoffs is played by a function that calls itself
    sys.setrecursionlimit(10_000 + game.max_actions)
    env = rl_environment.Environment(f"{short_name(game)}(num_players={given.players})")
    env.seed(given.seed)
    shape = {
        "state_representation_size": env.observation_spec()["info_state"][0],
        "num_actions": env.action_spec()["num_actions"],
    }
    shape |= {"epsilon_decay_duration": MOVES * given.games, "seed": given.seed}
    if given.algorithm == "psro":
        choose = train_psro(env, OF_DQN | shape, given.games, given.iterations)
    else:
        kind, settings = (DQN, OF_DQN) if given.algorithm == "dqn" else (NFSP, OF_NFSP)
        choose = train_agents(
            env, [kind(seat, **settings | shape) for seat in range(given.players)], given.games
        )
    for opponent in ("heuristic", "random"):
        print(
            f"return against {opponent}: "
            f"{evaluate(env, choose, game.env_name, opponent, given.evaluation_games)}"
        )


if __name__ == "__main__":
    as_program(main)
