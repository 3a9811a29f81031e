"""Positions for the rule tests: the worked examples' bases with changes, and positions made from
hands."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from dig_envs.registry import load_game
from tests import positions
from tests.rules.go_dig.reference import BOX, GENERA, ORDER, in_order, parts_of
from tests.worked_examples import set_path

GAME = load_game("go_dig")
CARDS = Counter({card: BOX[card[:3]][1] for card in ORDER})
POINTS = {genus: value for genus, (_, _, value) in BOX.items()}


class Position(positions.Position):
    """A position of Go Dig."""

    game = GAME


BASES = Position.bases
changed, base, deal, refused = Position.changed, Position.base, Position.deal, Position.refused


def genus_of(card: str) -> str:
    return card[:3]


def is_complete(hand: list[str]) -> bool:
    """Whether it has a complete skeleton."""
    return any(set(parts_of(genus)) <= set(hand) for genus in GENERA)


def cards_of(snapshot: dict[str, Any]) -> Counter:
    found = Counter([*snapshot["pile"], *(card for hand in snapshot["hands"] for card in hand)])
    for museum in snapshot["museums"]:
        for genus in museum:
            found.update(parts_of(genus))
    return found


def arrange(
    hands: list[list[str]],
    on_top: list[str] | None = None,
    rest_to: int | None = None,
    **changes: Any,
) -> Position:
    """A position in which seat 0 asks, made from hands; nothing is known but the number of cards.

    ``museums`` may be given. What is not named is the pile, ``on_top`` last, except that complete
    skeletons of it are in the museum of seat ``rest_to`` if that is given. Changes by key, ``__``
    for the dots.
    """
    n = len(hands)
    museums = changes.pop("museums", [[] for _ in range(n)])
    snapshot = copy.deepcopy(BASES["start"])
    snapshot["options"]["num_players"] = n
    snapshot.update(
        hands=[in_order(hand) for hand in hands],
        museums=museums,
        pile=[],
        known=[[] for _ in range(n)],
        asked=[[] for _ in range(n)],
        maybe=[[len(hand)] * len(GENERA) for hand in hands],
    )
    rest = CARDS - cards_of(snapshot) - Counter(on_top or [])
    if rest_to is not None:
        for genus in GENERA:
            while all(rest[part] for part in parts_of(genus)):
                museums[rest_to].append(genus)
                rest -= Counter(parts_of(genus))
    snapshot["pile"] = [*rest.elements(), *(on_top or [])]
    snapshot["scores"] = [sum(POINTS[genus] for genus in museum) for museum in museums]
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    return Position(snapshot)


def whole_game(seed: int, every: int = 1, **options: Any) -> Iterator[Position]:
    """The positions of a random game, or some of them, the last one included."""
    chance = np.random.default_rng(seed)
    return deal(seed, **options).on_the_way(lambda position: position.play_randomly(chance), every)
