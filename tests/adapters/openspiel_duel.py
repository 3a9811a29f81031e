"""Our search against OpenSpiel's search over information sets, for two players, with the same time
for each decision:

    python -m tests.adapters.openspiel_duel go_dig_v0 --deals 10 --seconds 0.2

Each deal is played twice, with the seats changed. Both run in this process, one after the other, in
one thread; the time is what the clock on the wall says. OpenSpiel's bot has its usual evaluator,
one random game to the end for each simulation.
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from dig_envs.adapters import openspiel
from dig_envs.adapters.openspiel import DigState
from dig_envs.agents.loading import load_agent
from dig_envs.arena.ratings import Bootstrap
from dig_envs.registry import load_game

UCT = 2.0  # as in OpenSpiel's own tests and examples


class Theirs(ismcts.ISMCTSBot):
    """OpenSpiel's bot as it is, but with a time for a decision instead of a number of
    simulations."""

    def __init__(self, game: pyspiel.Game, seconds: float, seed: int) -> None:
        rng = np.random.RandomState(seed)
        super().__init__(game, mcts.RandomRolloutEvaluator(1, rng), UCT, 0, random_state=rng)
        sampler = pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0)
        self.set_resampler(lambda state, player: state.resample_from_infostate(player, sampler))
        self.seconds = seconds
        self.simulations: list[int] = []  # of each decision

    def run_search(self, state: DigState) -> list[tuple[int, float]]:
        """As `ISMCTSBot.run_search`, until the time is up."""
        self.reset()
        legal = state.legal_actions()
        if len(legal) == 1:
            return [(legal[0], 1.0)]
        until, count = time.perf_counter() + self.seconds, 0
        self._root_node = self.create_new_node(state)
        while time.perf_counter() < until or not self._root_node.child_info:
            self.run_simulation(self.sample_root_state(state))
            count += 1
        self.simulations.append(count)
        policy: list[tuple[int, float]] = self.get_final_policy(state, self._root_node)
        return policy


class Ours(pyspiel.Bot):
    """Our search as a bot that counts."""

    def __init__(self, name: str, seconds: float, settings: str) -> None:
        pyspiel.Bot.__init__(self)
        self.agent = load_agent(f"search:{seconds * 1000:.0f}ms{settings}", env=name, seed=0)
        self.simulations: list[int] = []

    def step(self, state: DigState) -> int:
        found = self.agent.search(state.dealt().states, state.current_player())
        if found.simulations:
            self.simulations.append(found.simulations)
        return int(found.action)


def play(game: pyspiel.Game, seed: int, bots: list[pyspiel.Bot]) -> float:
    """The share of the win that goes to seat 0, from 0 to 1."""
    state = game.new_initial_state()
    for byte in seed.to_bytes(8):
        state.apply_action(byte)
    while not state.is_terminal():
        state.apply_action(int(bots[state.current_player()].step(state)))
    return float(state.returns()[0] + 1) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("name")
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each decision")
    parser.add_argument("--seed", type=int, default=1_000_000)
    parser.add_argument(
        "--settings",
        default="",
        help="of our search, such as :playout=random:trust=0:lead=0:depth=0",
    )
    given = parser.parse_args()
    game = pyspiel.load_game(openspiel.short_name(load_game(given.name)), {"num_players": 2})
    ours, theirs = Ours(given.name, given.seconds, given.settings), Theirs(game, given.seconds, 0)
    points = []
    for deal in range(given.deals):
        seed = given.seed + deal
        points.append((play(game, seed, [ours, theirs]) + 1 - play(game, seed, [theirs, ours])) / 2)
        won = Bootstrap(len(points), 2).share(np.array(points))
        print(
            f"{2 * len(points)} games: {ours.agent.name} takes {100 * won.mean:.1f} % "
            f"[{100 * won.low:.1f}, {100 * won.high:.1f}]; "
            f"simulations per decision {np.mean(ours.simulations):.0f}, OpenSpiel's "
            f"{np.mean(theirs.simulations):.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
