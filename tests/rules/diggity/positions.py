"""Positions for the rule tests of Diggity: the worked examples' bases with changes, and positions
made from hands and a mine."""

import copy
import functools
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import networkx
import numpy as np

from dig_envs.registry import load_game
from tests import positions
from tests.rules.diggity import reference
from tests.worked_examples import set_path

GAME = load_game("diggity")
TOOLS = reference.TOOLS


class Position(positions.Position):
    """A position of Diggity."""

    game = GAME

    @property
    def mine(self) -> list[reference.Laid]:
        """The cards of the mine, for the plain implementation."""
        return [reference.laid(entry) for entry in self["mine"]]


BASES = Position.bases
changed, base, deal, random_step = (
    Position.changed,
    Position.base,
    Position.deal,
    Position.play_randomly,
)


STUCK = {"mine.0.card": "L-N", "hands.1": ["C-EW", "T-E", "S-EW", "S-E", "L-E"], "pile.50": "C-NW",
         "pile.24": "C-N", "pile.48": "S-N",
         "pile.47": "L-NE"}  # fmt: skip  # changes to `ring`: seat 1 must pass
ROW = [("S-NESW", 0, 0, 0), ("S-NESW", 0, -14, 0), ("T-NESW", 0, -28, 0)]


def arrange(
    hands: list[list[str]],
    mine: list[tuple[str, int, int, int]] | None = None,
    tools: list[list[str]] | None = None,
    on_top: list[str] | None = None,
    **changes: Any,
) -> Position:
    """A position at the beginning of seat 0's turn, made from hands (which are filled up), the mine
    and tools.

    What is not named is the pile, in table order, ``on_top`` last; the tools that nobody has are in
    the piles. Changes by key, ``__`` for the dots.
    """
    n = len(hands)
    snapshot = copy.deepcopy(BASES["start"])
    snapshot["options"]["num_players"] = n
    snapshot["mine"] = [
        dict(zip(("card", "x", "y", "r"), entry, strict=True)) for entry in mine or []
    ]
    held = tools or [[] for _ in range(n)]
    snapshot["tools"] = [sorted(kinds, key=TOOLS.index) for kinds in held]
    snapshot["piles"] = {kind: n - sum(kinds.count(kind) for kinds in held) for kind in TOOLS}
    snapshot["scores"], snapshot["nuggets"] = [0] * n, [[] for _ in range(n)]
    rest = Counter(reference.BOX) - Counter(on_top or [])
    rest -= Counter(entry["card"] for entry in snapshot["mine"]) + Counter(
        card for hand in hands for card in hand
    )
    pile = reference.in_order([*rest.elements()])
    full = [[*hand, *(pile.pop() for _ in range(reference.HAND[n] - len(hand)))] for hand in hands]
    snapshot["hands"] = [reference.in_order(hand) for hand in full]
    snapshot["pile"] = [*pile, *(on_top or [])]
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    return Position(snapshot)


def whole_game(
    seed: int, every: int = 1, careful: float = 0.0, **options: Any
) -> Iterator[Position]:
    """The positions of a random game, or some of them, the last one included; a share of the
    actions is the scripted player's."""
    chance = np.random.default_rng(seed)

    def step(position: Position) -> None:
        if chance.random() < careful:
            position.play_scripted(1)
        else:
            position.play_randomly(chance)

    return deal(seed, **options).on_the_way(step, every)


def auction(*tools: list[str], value: int = 3, **changes: Any) -> Position:
    """Seat 0 has just made a miner, and nobody has played yet; or all is over at once."""
    gold = [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6]
    gold.remove(value)
    hands: list[list[str]] = [["C-NS"], *([] for _ in tools[1:])]
    position = arrange(
        hands, mine=ROW, tools=[list(held) for held in tools], **{"gold": [*gold, value], **changes}
    )
    position.play(f"card {position['hands.0'].index('C-NS')}")
    state = position.states[0]
    e = next(e for e in range(48) if state["open_card"][e] == 2 and state["open_side"][e] == 0)
    return position.play(f"place {e} S")


def theft(
    tools: list[list[str]], others: list[list[str]] | None = None, **changes: Any
) -> Position:
    """Seat 0 makes a pulley, with hidden tools unless changed; nobody is asked what to take."""
    hands = [["L-NS"], *(others or [[] for _ in tools[1:]])]
    position = arrange(
        hands, mine=[("C-NESW", 0, 0, 0)], tools=tools, **{"options__hidden_tools": True, **changes}
    )
    return position.play(f"card {position['hands.0'].index('L-NS')}", "place 0 N")


# ---------------------------------------------------------------- mines


@functools.cache
def large_mines(seed: int) -> list[Position]:
    """Of a game in which nobody makes a miner who need not: mines of up to 50 cards."""
    found, position, chance = [], deal(seed), np.random.default_rng(seed)
    for step in range(130):
        position.play(quiet(position, chance))
        if step % 12 == 11 and position["mine"] and position["phase"] in ("play", "place"):
            found.append(position.copy())
    return found


def quiet(position: Position, chance: np.random.Generator) -> str:
    """A random action that neither finds gold at once nor closes the mine, if there is one."""
    texts = sorted(position.legal)
    chance.shuffle(texts)
    return next((text for text in texts if is_quiet(position, text)), texts[0])


def is_quiet(position: Position, text: str) -> bool:
    if not text.startswith("place"):
        return text != "take miner"
    after = position.copy().play(text)
    return after["phase"] != "auction" and bool(after["mine"])


def graph_of(mine: list[reference.Laid]) -> Any:
    """Cards as nodes, with an edge where passages meet."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(mine)))
    graph.add_edges_from(
        (i, j)
        for i, j in itertools.combinations(range(len(mine)), 2)
        if mine[i].is_connected(mine[j])
    )
    return graph
