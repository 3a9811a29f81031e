"""How often an agent wins against scripted players, with the chance of the treasure counted instead
of drawn:

    python -m tests.rules.oak_island.compare --agent search:sims=400 --players 2 --games 200

Who pulls the yellow cube is luck that hides differences between players even in thousands of games.
Here each dig gives its player the exact chance to find it, and the game goes on without
(`foresight.put_off`) until the bag is empty or the rounds are over. The expected share of wins is
that of the game itself, since nobody's decisions depend on the order of the bag.
"""

import argparse
from typing import Any

import numpy as np

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import NORMAL_95, Interval
from dig_envs.agents.protocol import Agent
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import foresight

NAME = "oak_island_v1"
Array = np.ndarray[Any, Any]


@compiled
def put_off_each(states, games, seats, actions, chances):
    """``foresight.put_off`` in these games."""
    for i in games:
        chances[i] = foresight.put_off(states[i], seats[i], actions[i])


def chances_to_win(agent: Agent, players: int, games: int, seed: int, name: str = NAME) -> Array:
    """The agent's chance to win each of so many games against scripted players, float64 (games,).

    In game i it has seat i mod ``players``.
    """
    batch = BatchEnv(name, games, seed, num_threads=1, num_players=players)
    own = np.arange(games) % players
    won, goes_on = np.zeros(games), np.ones(games)
    running = np.ones(games, bool)
    while running.any():
        seats, actions, states = batch.mover.copy(), batch.heuristic_actions(), batch.states.copy()
        rows = np.flatnonzero(running & (seats == own))
        if len(rows):
            actions[rows] = agent.act_batch(
                batch.observation[rows], batch.action_mask[rows], states[rows], seats[rows]
            )
        chances = np.zeros(games)
        put_off_each(states, np.flatnonzero(running), seats, actions, chances)
        won += np.where(seats == own, goes_on * chances, 0.0)
        goes_on *= 1.0 - chances
        changed = np.flatnonzero(chances > 0.0)
        batch.set_states(changed, states[changed], check=False)
        batch.step(actions, running)
        for i in np.flatnonzero(batch.terminated & running):
            won[i] += goes_on[i] * batch.won[i, own[i]]
        running &= ~batch.terminated
    batch.close()
    return won


def mean(values: Array) -> Interval:
    """The mean with its 95 % interval by the normal distribution."""
    half = NORMAL_95 * values.std(ddof=1) / np.sqrt(len(values))
    return Interval(values.mean(), values.mean() - half, values.mean() + half)


def main() -> None:
    """Print an agent's expected share of wins against scripted players in all other seats."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.rules.oak_island.compare", description=main.__doc__
    )
    parser.add_argument("--env", default=NAME)
    parser.add_argument("--agent", default="search:sims=400")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    agent = load_agent(arguments.agent, env=arguments.env, seed=0)
    print(
        mean(
            chances_to_win(agent, arguments.players, arguments.games, arguments.seed, arguments.env)
        ).percent()
    )


if __name__ == "__main__":
    main()
