"""``dig_envs.make``."""

from typing import Any

from pettingzoo import AECEnv

from dig_envs.adapters.modules import constructors
from dig_envs.registry import load_game


def make(name: str, *, reward: str = "win", render_mode: str | None = None, **options: Any) -> AECEnv:
    """An AEC environment by name, with the protections of PettingZoo's usual wrappers.

    Args:
        name: such as ``"cretaceous_creek_v0"`` (:func:`dig_envs.list_environments`).
        reward: ``"win"`` (returns on the last step) or ``"score"`` (each seat's change of score at every step).
        render_mode: None, ``"ansi"`` or ``"human"``.
        options: the game's options, ``num_players`` among them.

    Raises:
        ValueError: unknown environment. OptionError: unknown option or bad value.
    """
    environment: AECEnv = constructors(load_game(name).env_name).env(reward=reward, render_mode=render_mode, **options)
    return environment
