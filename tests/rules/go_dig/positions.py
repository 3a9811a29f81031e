"""Positions for the rule tests: the worked examples' bases with changes, and positions made from hands."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from dig_envs.games.fossil_deck import FIRST_TYPE, GENERA, SKELETONS, TYPES, VALUE
from dig_envs.games.fossil_deck import PARTS as NUM_PARTS
from dig_envs.registry import load_game
from tests import positions
from tests.worked_examples import set_path

GAME = load_game("go_dig")
CARDS = Counter(
    {f"{g}{part + 1}": int(n) for g, n, parts in zip(GENERA, SKELETONS, NUM_PARTS, strict=True) for part in range(parts)}
)
POINTS = dict(zip(GENERA, VALUE.tolist(), strict=True))


class Position(positions.Position):
    """A position of Go Dig."""

    game = GAME


BASES = Position.bases
changed, base, deal, random_step, refused = Position.changed, Position.base, Position.deal, Position.play_randomly, Position.refused


def in_order(cards: Any) -> list[str]:
    """Cards in type order."""
    return sorted(cards, key=TYPES.index)


def parts(genus: str) -> list[str]:
    """The types of a skeleton."""
    g = GENERA.index(genus)
    return list(TYPES[FIRST_TYPE[g] : FIRST_TYPE[g + 1]])


def genus_of(card: str) -> str:
    """The genus of a card."""
    return card[:3]


def cards_of(snapshot: dict[str, Any]) -> Counter:
    """All cards of a snapshot, wherever they are."""
    found = Counter([*snapshot["pile"], *(card for hand in snapshot["hands"] for card in hand)])
    for museum in snapshot["museums"]:
        for genus in museum:
            found.update(parts(genus))
    return found


def arrange(hands: list[list[str]], on_top: list[str] | None = None, rest_to: int | None = None, **changes: Any) -> Position:
    """A position in which seat 0 asks, made from hands; nothing is known but the number of cards.

    ``museums`` may be given. What is not named is the pile, ``on_top`` last, except that complete skeletons of it are in the museum
    of seat ``rest_to`` if that is given. Changes by key, ``__`` for the dots.
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
            while all(rest[part] for part in parts(genus)):
                museums[rest_to].append(genus)
                rest -= Counter(parts(genus))
    snapshot["pile"] = [*rest.elements(), *(on_top or [])]
    snapshot["scores"] = [sum(POINTS[genus] for genus in museum) for museum in museums]
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    return Position(snapshot)


def whole_game(seed: int, every: int = 1, **options: Any) -> Iterator[Position]:
    """The positions of a random game, or some of them, the last one included."""
    chance = np.random.default_rng(seed)
    return deal(seed, **options).on_the_way(lambda position: position.play_randomly(chance), every)
