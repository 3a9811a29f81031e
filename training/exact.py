"""Exact answers in small games: the value of an equilibrium, and how much a best answer gains
against a player (``pip install -e ".[openspiel]"``):

    python -m training.exact go_dig --iterations 500 --agents heuristic,careless

Each game is the end of a whole one, for two players, in which few cards are left. All ways in which
these can lie are equally likely and make a tree of OpenSpiel
(:class:`dig_envs.adapters.openspiel_tree.GameTree`). CFR+ (Tammelin 2014) finds the equilibrium.

The exploitability of a player is what an opponent that knows its policy wins against it on average,
less what the equilibrium would let it win, as the mean of both seats: 0 for an equilibrium. A
victory counts 1, a defeat -1.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Any

from dig_envs import load_agent
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.game import Snapshot
from dig_envs.registry import load_game

try:
    import pyspiel

    from dig_envs.adapters.openspiel_tree import GameTree
except ImportError as error:
    sys.exit(
        f"error: {error.name} is missing: "
        f"{how_to_install('openspiel')} brings what this script needs"
    )

Positions = list[Snapshot]


def start_of(name: str, **options: Any) -> Snapshot:
    """A first position, of which the functions below change what they say."""
    game = load_game(name)
    return game.to_snapshot(game.deal(game.complete_options(options), 0)[0])


def go_dig() -> Positions:
    """Three skeletons are left: Triceratops, Allosaurus and Deinonychus. Each player has three
    cards, two are in the pile, and nothing is known of the hands."""
    parts = ["TRI1", "TRI2", "TRI3"], ["ALL1", "ALL2", "ALL3"], ["DEI1", "DEI2"]
    museums = "TYR BRA ANK ANK QUE QUE PAR", "ALL PAR STE PAC PAC COE COE DIL DIL MOS MOS MOS MOS"
    hand = 3
    start = start_of("go_dig_v0") | {
        "museums": [museum.split() for museum in museums],
        "scores": [126, 126],
        "known": [[], []],
        "asked": [[], []],
        "maybe": [[hand] * 13] * 2,
    }
    cards = [card for skeleton in parts for card in skeleton]
    positions = []
    for first in combinations(cards, hand):
        for second in combinations([card for card in cards if card not in first], hand):
            hands = [first, second]
            if not any({*own} >= {*skeleton} for own in hands for skeleton in parts):
                rest = [card for card in cards if card not in first + second]
                positions += [
                    start | {"hands": [[*first], [*second]], "pile": [*pile]}
                    for pile in permutations(rest)
                ]
    return positions


def fossil_memory() -> Positions:
    """The cards of Deinonychus and Coelophysis lie face down in the first four places. Three turns
    are left."""
    turn = 21
    genera = ["BRA", "TRI", "ALL", "ANK", "DEI", "STE", "PAC", "COE"]
    start = start_of("fossil_memory_v0", genera=genera, max_turns=turn + 2) | {
        "turn": turn,
        "museums": [["TYR", "ALL", "ANK"], ["BRA", "TRI", "STE", "PAC"]],
        "scores": [60, 60],
    }
    cards = ["DEI1", "DEI2", "COE1", "COE2"]
    taken = len(start["grid"]) - len(cards)
    start["seen"] = [False] * len(cards) + [True] * taken
    return [start | {"grid": [*lie, *[""] * taken]} for lie in permutations(cards)]


def oak_island() -> Positions:
    """Both Episodes of the last round: the bag has the treasure, a blue, a green and two brown
    cubes, and each player $200 and a clue token. One can dig at the lots, the swamp and the bore
    hole."""
    bag = {"blue": 1, "green": 1, "brown": 2}
    options = {f"bag_{colour}": number for colour, number in bag.items()}
    start = start_of("oak_island_v0", max_rounds=1, bag_red=0, **options)
    start |= {"phase": "episode", "episode": 1, "turn": 9, "money": [200, 200], "clues": [1, 1]}
    places = {
        "swamp": ["Billy", "Rick", "Jack"],
        "bore_hole": ["Terry", "Marty"],
        "lots": ["Gary", "Alex"],
        "interpretive_centre": ["Charles"],
    }
    start["where"] = {who: place for place, names in places.items() for who in names}
    cubes = ["yellow", *(colour for colour, number in bag.items() for _ in range(number))]
    return [start | {"bag": [*order]} for order in sorted({*permutations(cubes)})]


GAMES: dict[str, Callable[[], Positions]] = {
    "go_dig": go_dig,
    "fossil_memory": fossil_memory,
    "oak_island": oak_island,
}


def tree_of(name: str) -> GameTree:
    """The tree of one of :data:`GAMES`."""
    return GameTree(f"{name}_v0", GAMES[name]())


def solve(tree: GameTree, iterations: int) -> Any:
    """The average policy of CFR+."""
    solver = pyspiel.CFRPlusSolver(tree.game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def value_of(tree: GameTree, policy: Any) -> float:
    """What seat 0 wins on average if both play a policy."""
    both = [policy, policy]
    return float(pyspiel.expected_returns(tree.game.new_initial_state(), both, -1, True)[0])


def main(words: Sequence[str] | None = None) -> None:
    """Print the size of a tree, the value of its equilibrium and the exploitability of players."""
    parser = argparse.ArgumentParser(
        "python -m training.exact", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", choices=GAMES, help="the game whose end is solved")
    parser.add_argument("--iterations", type=int, default=500, help="of CFR+")
    parser.add_argument("--agents", default="heuristic", help="players, separated by commas")
    given = parser.parse_args(words)
    if given.iterations < 1:
        parser.error("--iterations must be at least 1")
    try:
        agents = [load_agent(name, env=f"{given.game}_v0") for name in given.agents.split(",")]
    except ValueError as error:
        parser.error(str(error))

    tree = tree_of(given.game)
    try:
        policies = {agent.name: tree.policy(agent) for agent in agents}
    except ValueError as error:
        parser.error(str(error))
    print(f"{tree.efg.count(chr(10)) - 1:,} nodes, {len(tree.seats):,} information states")
    best = solve(tree, given.iterations)
    print(f"value for the first player: {value_of(tree, best):.4f}")
    policies |= {"CFR+": best, "uniform": pyspiel.UniformRandomPolicy(tree.game)}
    for name, policy in policies.items():
        print(f"exploitability of {name}: {pyspiel.exploitability(tree.game, policy):.6f}")


if __name__ == "__main__":
    main()
