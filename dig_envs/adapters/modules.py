"""PettingZoo's three constructors, for the module of each environment."""

from functools import partial
from typing import Any, NamedTuple, Protocol

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.make import make, make_parallel


class Constructor(Protocol):
    """Makes an environment of one game."""

    def __call__(
        self,
        *,
        reward: str = "win",
        render_mode: str | None = None,
        mask: str = "observation",
        **options: Any,
    ) -> Any:
        """Create an environment with these settings and the game's options."""


class Constructors(NamedTuple):
    """The three constructors of one environment. Each takes ``reward``, ``render_mode``, ``mask``
    and the game's options.

    ``env``: the AEC environment with the protections of PettingZoo's usual wrappers, what most
    people want. ``raw_env``: the bare AEC environment, in which an illegal action raises
    IllegalActionError. ``parallel_env``: all agents that are to act do so in the same step; it
    takes ``illegal`` and ``idle``, too (:func:`dig_envs.make_parallel`).
    """

    env: Constructor
    raw_env: Constructor
    parallel_env: Constructor


def constructors(module: str) -> Constructors:
    """The constructors behind a module of this package, such as ``dig_envs.fossil_canyon_v0``."""
    name = module.rpartition(".")[2]
    made = [partial(constructor, name) for constructor in (make, RawAEC, make_parallel)]
    for one in made:
        one.__doc__ = one.func.__doc__  # for help()
    return Constructors(*made)
