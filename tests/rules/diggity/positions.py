"""Positions for the rule tests of Diggity: the worked examples' bases with changes, and positions made from hands and a mine."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

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
changed, base, deal, random_step = Position.changed, Position.base, Position.deal, Position.play_randomly


def cards_of(snapshot: dict[str, Any]) -> list[str]:
    """All mine cards of a snapshot that is seen as a whole."""
    found = [*snapshot["pile"], *snapshot["discard"], *(entry["card"] for entry in snapshot["mine"])]
    found += [card for hand in snapshot["hands"] for card in hand]
    return found if snapshot["chosen"] is None else [*found, snapshot["chosen"]]


def arrange(
    hands: list[list[str]],
    mine: list[tuple[str, int, int, int]] | None = None,
    tools: list[list[str]] | None = None,
    on_top: list[str] | None = None,
    **changes: Any,
) -> Position:
    """A position at the beginning of seat 0's turn, made from hands (which are filled up), the mine and tools.

    What is not named is the pile, in table order, ``on_top`` last; the tools that nobody has are in the piles. Changes by key,
    ``__`` for the dots.
    """
    n = len(hands)
    snapshot = copy.deepcopy(BASES["start"])
    snapshot["options"]["num_players"] = n
    snapshot["mine"] = [dict(zip(("card", "x", "y", "r"), entry, strict=True)) for entry in mine or []]
    held = tools or [[] for _ in range(n)]
    snapshot["tools"] = [sorted(kinds, key=TOOLS.index) for kinds in held]
    snapshot["piles"] = {kind: n - sum(kinds.count(kind) for kinds in held) for kind in TOOLS}
    snapshot["scores"], snapshot["nuggets"] = [0] * n, [[] for _ in range(n)]
    rest = Counter(reference.BOX) - Counter(on_top or [])
    rest -= Counter(entry["card"] for entry in snapshot["mine"]) + Counter(card for hand in hands for card in hand)
    pile = reference.in_order([*rest.elements()])
    full = [[*hand, *(pile.pop() for _ in range(reference.HAND[n] - len(hand)))] for hand in hands]
    snapshot["hands"] = [reference.in_order(hand) for hand in full]
    snapshot["pile"] = [*pile, *(on_top or [])]
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    return Position(snapshot)


def whole_game(seed: int, every: int = 1, careful: float = 0.0, **options: Any) -> Iterator[Position]:
    """The positions of a random game, or some of them, the last one included; a share of the actions is the scripted player's."""
    chance = np.random.default_rng(seed)

    def step(position: Position) -> None:
        if chance.random() < careful:
            position.play_scripted(1)
        else:
            position.play_randomly(chance)

    return deal(seed, **options).on_the_way(step, every)
