"""What the module of each environment offers: PettingZoo's three constructors."""

from typing import Any, NamedTuple, Protocol

from pettingzoo import AECEnv

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.make import make, make_parallel
from dig_envs.adapters.parallel import Parallel


class Constructor(Protocol):
    """Makes an environment of one game."""

    def __call__(self, reward: str = "win", render_mode: str | None = None, **options: Any) -> Any:
        """An environment with these settings and the game's options."""


class Constructors(NamedTuple):
    """The three constructors of one environment. Each takes ``reward``, ``render_mode`` and the game's options.

    ``env``: the AEC environment with the protections of PettingZoo's usual wrappers, what most people want. ``raw_env``: the bare
    AEC environment, in which an illegal action raises IllegalActionError. ``parallel_env``: all who owe a decision act in the same
    step.
    """

    env: Constructor
    raw_env: Constructor
    parallel_env: Constructor


def constructors(module: str) -> Constructors:
    """The constructors of the environment after which a module is named, such as ``dig_envs.fossil_canyon_v0``."""
    name = module.rpartition(".")[2]

    def env(reward: str = "win", render_mode: str | None = None, **options: Any) -> AECEnv:
        """The AEC environment with the protections of PettingZoo's usual wrappers."""
        return make(name, reward=reward, render_mode=render_mode, **options)

    def raw_env(reward: str = "win", render_mode: str | None = None, **options: Any) -> RawAEC:
        """The bare AEC environment."""
        return RawAEC(name, reward, render_mode, **options)

    def parallel_env(reward: str = "win", render_mode: str | None = None, **options: Any) -> Parallel:
        """The parallel environment."""
        return make_parallel(name, reward=reward, render_mode=render_mode, **options)

    return Constructors(env, raw_env, parallel_env)
