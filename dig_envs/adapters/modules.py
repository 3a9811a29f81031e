"""What the module of each environment offers."""

from typing import Any

from pettingzoo import AECEnv

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import Parallel
from dig_envs.adapters.wrappers import protect


class EnvironmentModule:
    """The three constructors of one environment. Each takes ``reward``, ``render_mode`` and the game's options."""

    def __init__(self, name: str) -> None:
        self.name = name

    def env(self, reward: str = "win", render_mode: str | None = None, **options: Any) -> AECEnv:
        """The AEC environment with the protections of PettingZoo's usual wrappers: what most people want."""
        return protect(self.raw_env(reward, render_mode, **options))

    def raw_env(self, reward: str = "win", render_mode: str | None = None, **options: Any) -> RawAEC:
        """The bare AEC environment: an illegal action raises IllegalActionError."""
        return RawAEC(self.name, reward, render_mode, **options)

    def parallel_env(self, reward: str = "win", render_mode: str | None = None, **options: Any) -> Parallel:
        """The parallel environment: all who owe a decision act in the same step."""
        return Parallel(self.name, reward, render_mode, **options)
