"""``dig_envs.make``."""

from importlib import import_module
from typing import Any

from pettingzoo import AECEnv

from dig_envs.registry import VERSIONS, game_name


def make(name: str, *, reward: str = "win", render_mode: str | None = None, **options: Any) -> AECEnv:
    """An AEC environment by name, with the protections of PettingZoo's usual wrappers.

    Args:
        name: such as ``"cretaceous_creek_v0"`` (:func:`dig_envs.list_environments`).
        reward: ``"win"`` (returns on the last step) or ``"score"`` (each seat's change of score at every step,
            so not what it has at the deal).
        render_mode: None, ``"ansi"`` or ``"human"``.
        options: the game's options, ``num_players`` among them.

    Raises:
        ValueError: unknown environment. OptionError: unknown option or bad value.
    """
    game = game_name(name)
    module = import_module(f"dig_envs.{game}_v{VERSIONS[game]}")
    environment: AECEnv = module.env(reward=reward, render_mode=render_mode, **options)
    return environment
