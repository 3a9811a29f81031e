"""Exact answers in small games: the value of an equilibrium, and how much a best answer gains
against a player (``pip install -e ".[openspiel]"``):

    python -m training.exact go_dig --iterations 500 --agents heuristic,careless

Each game is the end of a whole one, for two players. Games from the deal on are too large, whatever
their options: a deal of the shortest Big Dig goes on in 10^22 ways, of Oak Island in 10^13, and the
others have too many deals (Twenty Questions with one question: a million nodes). All ways in which
the few cards left can lie are equally likely and make a tree of OpenSpiel
(:class:`dig_envs.adapters.openspiel_tree.GameTree`), of which CFR+ (Tammelin 2014) finds the
equilibrium.

The exploitability of a player is what an opponent that knows its policy wins against it on average,
less what the equilibrium would let it win, as the mean of both seats: 0 for an equilibrium. A
victory counts 1, a defeat -1.
"""

import argparse
import sys
from collections import Counter
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


def twenty_questions() -> Positions:
    """Tyrannosaurus, Coelophysis and Utahraptor are left, and each player has one question. Seat 0,
    which knows that the card in play has not three parts, guesses it or passes for another one.
    Both have four cards; those of seat 1 are more valuable."""
    cards, museums = ["TYR", "COE", "UTA"], [["MOS"] * 4, ["DIL"] * 4]
    start = start_of("twenty_questions_v0", questions=40)
    gone = Counter([start["card"], *start["deck"]]) - Counter([*cards, *museums[0], *museums[1]])
    start |= {
        "turn": 11,
        "left": [1, 1],
        "asked": [["ask fossils 3", False]],
        "taken": museums,
        "scores": [4, 4],
        "discards": [*gone.elements()],
    }
    return [start | {"card": card, "deck": deck} for card, *deck in permutations(cards)]


def fossil_canyon() -> Positions:
    """Seat 0 hides two of its fossils. Then seat 1, with a fossil that nobody else has seen, digs
    the last one of the site and exchanges; after that turn the game is over."""
    options = {"research": False, "endgame_bonuses": False, "blind_take": False, "hidden_limit": 2}
    museums = "TYR TRI ALL ANK QUE PAR COE MOS", "BRA ALL ANK QUE PAR DEI PAC PAC DIL"
    start = start_of("fossil_canyon_v0", num_players=2, max_turns=22, **options) | {
        "phase": "adjust",
        "turn": 21,
        "events_seen": 18,
        "events": [1] * 12 + [2] * 3 + [0] * 3,
        "museums": [museum.split() for museum in museums],
        "scores": [126, 126],
        "open": [["STE2", "COE2", "DIL2", "MOS2", "MOS2", "MOS2"], []],
    }
    unseen = ["STE1", "COE1", "DIL1", "MOS1", "MOS1", "MOS1"]
    return [
        start
        | {
            "hidden": [[], [hidden]],
            "buried": [buried],
            "discarded": [*(Counter(unseen) - Counter([hidden, buried])).elements()],
        }
        for hidden, buried in permutations(unseen, 2)
    ]


def diggity() -> Positions:
    """Three turns are left, of seats 0, 1 and 0, at the end of a mine with a Triangle, and the last
    gold card. Seat 0 has a shovel. Each hand has four cards that both know and one of four others;
    two of these are in the pile."""
    mine, others = ["S-N", "L-NS", "T-NS"], ["C-NE", "C-NW", "T-NE", "T-NW"]
    hands = ["S-NE", "S-NE", "L-NE", "L-NE"], ["S-NW", "S-NW", "L-NW", "L-NW"]
    shapes = ["NESW", "NES", "ESW", "NS", "EW", "NE", "NW", "N", "E"]
    start = start_of("diggity_v0", max_turns=33)
    gone = Counter([*start["pile"], *start["hands"][0], *start["hands"][1]])
    gone -= Counter([*mine, *others, *hands[0], *hands[1]])
    start |= {
        "turn": 31,
        "mine": [{"card": card, "x": 0, "y": -14 * k, "r": 0} for k, card in enumerate(mine)],
        "discard": sorted(
            gone.elements(), key=lambda card: ("CTSL".index(card[0]), shapes.index(card[2:]))
        ),
        "tools": [["shovel"], []],
        "piles": {"shovel": 1, "pulley": 2, "cart": 2, "shed": 2},
        "gold": [4],
        "nuggets": [[6, 5, 4, 4, 3, 2], [5, 4, 3, 3, 3, 2, 2, 1, 1]],
        "scores": [24, 24],
    }
    positions = []
    for *dealt, bottom, top in permutations(others):
        full = [[card, *hand] for card, hand in zip(dealt, hands, strict=True)]
        positions.append(start | {"hands": full, "pile": [bottom, top]})
    return positions


def dino_dig() -> Positions:
    """Seat 0 collects hearts and seat 1 diamonds. P3 of each stands on its base square with a card
    in the backpack that its owner alone knows, and acts once more. A third card, which nobody
    knows, lies under P3 of seat 0."""
    museums = ["2H", "3H", "4H", "5H"], ["2D", "3D", "4D", "5D", "7D"]
    unknown = ["6H", "6D", "X1"]
    start = start_of("dino_dig_v0", max_turns=12)
    cards = {card["card"] for stack in start["site"].values() for card in stack}
    others = sorted(cards - {*museums[0], *museums[1], *unknown})
    seen = {"up": False, "known": [0, 1]}
    site: dict[str, Any] = {square: [] for square in start["site"]}
    site["1,5"] = [{"card": card, **seen} for card in others]
    start |= {
        "phase": "act",
        "turn": 11,
        "bases": ["1,3", "4,3"],
        "suits": ["H", "D"],
        "pieces": [["4,2", "4,2", "1,3"], ["4,1", "4,1", "4,3"]],
        "acted": [True, True, False],
        "museums": [[{"card": card, "known": [0, 1]} for card in museum] for museum in museums],
    }
    return [
        start
        | {
            "site": site | {"1,3": [{"card": below, "up": False, "known": []}]},
            "backpacks": [
                [None, None, {"card": card, "known": [seat]}] for seat, card in enumerate(own)
            ],
        }
        for *own, below in permutations(unknown)
    ]


def the_big_dig() -> Positions:
    """The evaluation of the last turn. Nothing is hidden but what both players choose at the same
    time; seat 1 is ten points ahead."""
    arguments = [
        (0, 1, ["2-3-A"], "5-1-A", 13),
        (1, 1, ["3-3-A"], "5-1-N", 11),
        (0, 2, ["2-3-A"], "18-1-A", 56),
    ]
    keys = "by", "turn", "inputs", "output", "support"
    start = start_of("the_big_dig_v0", deck="starter", first_discovery="starter") | {
        "phase": "evaluation",
        "turn": 6,
        "scores": [10, 20],
        "request": None,
        "drawn": ["2-3", "3-3", *["rock"] * 5],
        "deck": ["1-2", "6-2", "8-3", "9-2", "10-2", "12-2"]
        + ["request diet", "request skull", *["rock"] * 10],
        "discovered": ["2-1-N", "2-2-N", "2-3-A", "3-1-N", "3-2-N", "3-3-A"],
        "conjectured": ["5-1-A", "5-1-N", "18-1-A"],
        "tokens": [{"5-1-A": 1}, {"5-1-N": 1, "18-1-A": 1}],
        "models": [[["2-3-A"]], [["3-3-A"]]],
        "spent": [["act", "act", "pass"]] * 2,
    }
    start["arguments"] = [
        dict(zip(keys, one, strict=True)) | {"target": None, "valid": True} for one in arguments
    ]
    return [start]


GAMES: dict[str, Callable[[], Positions]] = {
    "oak_island": oak_island,
    "twenty_questions": twenty_questions,
    "dino_dig": dino_dig,
    "fossil_canyon": fossil_canyon,
    "fossil_memory": fossil_memory,
    "diggity": diggity,
    "go_dig": go_dig,
    "the_big_dig": the_big_dig,
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


def learn(tree: GameTree, updates: int, games: int = 100, seed: int = 0) -> Any:
    """The policy of PPO (``training/ppo.py``), which plays all seats against itself: after each
    ``games`` games one update."""
    import torch

    from .ppo import Hyperparameters, Learner, PolicyAndValue, Rollout, update

    torch.manual_seed(seed)
    settings = Hyperparameters(gamma=1.0, entropy_weight=0.01)
    network = PolicyAndValue(tree.observations.shape[1], tree.masks.shape[1], hidden=64)
    learner = Learner(network, settings, torch.device("cpu"))
    learner.set_learning_rate(0.003, 0.003, 0.0)
    learner.generator.manual_seed(seed)
    observations, masks = torch.from_numpy(tree.observations), torch.from_numpy(tree.masks).bool()
    nothing = torch.zeros(len(masks), 0)  # is remembered
    for k in range(updates):
        logits, values, _ = learner.decide(observations, masks, nothing)
        log_probs = torch.log_softmax(logits, dim=1)
        columns = tree.play(log_probs.exp().numpy(), games, seed + k)
        # as if of one game that goes on: ``last`` says where a seat's decisions in a game end
        at, actions, rewards, last = (torch.from_numpy(column)[:, None] for column in columns)
        decided = observations[at], masks[at], actions, log_probs[at, actions], values[at], rewards
        update(learner, Rollout(*decided, last.float(), torch.zeros(1), {}, nothing[:1]))
    logits = learner.decide(observations, masks, nothing)[0]
    return tree.policy(torch.softmax(logits, dim=1).numpy())


def main(words: Sequence[str] | None = None) -> None:
    """Print the size of a tree, the value of its equilibrium and the exploitability of players."""
    parser = argparse.ArgumentParser(
        "python -m training.exact", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("game", choices=GAMES, help="the game whose end is solved")
    parser.add_argument("--iterations", type=int, default=500, help="of CFR+")
    parser.add_argument("--agents", default="heuristic", help="players, separated by commas")
    parser.add_argument("--ppo", type=int, default=0, help="updates of PPO, a further player")
    given = parser.parse_args(words)
    if given.iterations < 1 or given.ppo < 0:
        parser.error("--iterations must be at least 1, and --ppo at least 0")
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
    if given.ppo:
        try:
            import torch

            torch.set_num_threads(1)  # more of them wait for each other where other programs run
            policies["PPO"] = learn(tree, given.ppo)
        except ModuleNotFoundError as error:
            sys.exit(f"error: {error.name} is missing: {how_to_install('train')} brings it")
    for name, policy in policies.items():
        print(f"exploitability of {name}: {pyspiel.exploitability(tree.game, policy):.6f}")


if __name__ == "__main__":
    main()
