"""Positions as pictures whose things can be clicked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dig_envs.pictures import picture, touched
from dig_envs.registry import load_game
from dig_envs.telling import Watcher


@dataclass(frozen=True)
class Sight:
    """What is to be drawn: a view of ``seat``, for who may do what is ``legal``."""

    env: str
    view: Mapping[str, Any]
    seat: Watcher
    theme: str
    legal: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pictured:
    """A picture as SVG, without its fonts, and for each legal action the names of the things that it belongs to."""

    svg: str
    things: tuple[tuple[str, ...], ...]


def pictured(sight: Sight) -> Pictured:
    """Draw it."""
    game = load_game(sight.env)
    svg = picture(game, sight.view, sight.seat, sight.theme, fonts=False)
    return Pictured(svg, tuple(touched(game, sight.view, sight.seat, action) for action in sight.legal))


def not_pictured(sight: Sight) -> Pictured:
    """For who wants no picture: nothing can be clicked."""
    return Pictured("", tuple(() for _ in sight.legal))
