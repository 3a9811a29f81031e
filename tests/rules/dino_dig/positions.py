"""Positions for the rule tests: the worked examples' bases with changes, and players that get
about."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from dig_envs.registry import load_game
from tests import positions

GAME = load_game("dino_dig")
OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 3},
    {"num_players": 4},
    {"num_players": 2, "jokers": False},
    {"num_players": 3, "contract": "freelance"},
    {"num_players": 2, "contract": "free_for_all"},
    {"num_players": 4, "contract": "free_for_all", "jokers": False},
    {"num_players": 3, "deregulation": True},
    {"num_players": 2, "new_horizons": True},
    {"num_players": 4, "new_horizons": True, "contract": "freelance"},
    {"num_players": 3, "new_horizons": True, "jokers": False},
]


class Position(positions.Position):
    """A position of Dino Dig."""

    game = GAME


BASES = Position.bases
changed, base, deal, random_step = (
    Position.changed,
    Position.base,
    Position.deal,
    Position.play_randomly,
)


def card(code: str, *known: int) -> dict[str, Any]:
    """A card that is not on the site, and who knows it."""
    return {"card": code, "known": list(known)}


def lying(code: str, *known: int, up: bool = False) -> dict[str, Any]:
    """A card on the site."""
    return {"card": code, "up": up, "known": list(known)}


def busy_step(position: Position, chance: np.random.Generator) -> str:
    """A random action of those that bring something about: turns are not ended early, cards are
    rather handled than moved past."""
    legal = [GAME.actions[action] for action in np.flatnonzero(position.mask(position.mover))]
    weights = np.array(
        [
            0.02
            if text == "end turn"
            else 5.0
            if text in ("home", "stow") or "dig" in text
            else 1.0
            for text in legal
        ]
    )
    text = legal[chance.choice(len(legal), p=weights / weights.sum())]
    GAME.kernels.apply_one(position.states, position.mover, GAME.action_index[text])
    return text


def mixed_step(position: Position, chance: np.random.Generator, scripted: float = 0.6) -> str:
    """The scripted player, or a random action that brings something about."""
    if chance.random() < scripted:
        text = position.scripted
        position.play(text)
        return text
    return busy_step(position, chance)


def whole_game(
    seed: int, every: int = 1, scripted: float = 0.6, **options: Any
) -> Iterator[Position]:
    """The positions of a game of mixed play, or some of them, the last one included."""
    chance = np.random.default_rng(seed)
    return deal(seed, **options).on_the_way(
        lambda position: mixed_step(position, chance, scripted), every
    )
