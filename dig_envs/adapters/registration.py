"""Registration with PettingZoo's and Gymnasium's registries, by strings, so that nothing heavy is
imported."""

from collections.abc import Iterable

import gymnasium
import pettingzoo

from dig_envs.registry import add_package, environments_of


def register_environments(environments: Iterable[str]) -> None:
    """Register ``dig/<game>-v<version>``: AEC and parallel with PettingZoo, for one learner (alone,
    in vectors) with Gymnasium."""
    for environment in environments:
        name = "dig/{0}-v{2}".format(*environment.rpartition("_v"))
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                "dig_envs.adapters.gymnasium:SingleLearnerEnv",
                vector_entry_point="dig_envs.adapters.vector:DigVectorEnv",
                kwargs={"name": environment},
                # the environment does that itself; unwrapped, its `action_masks` can be reached
                order_enforce=False,
                disable_env_checker=True,
            )
        # there is a registry since 1.26
        if hasattr(pettingzoo, "register") and name not in pettingzoo.aec_registry:
            pettingzoo.register(
                "aec", name, "dig_envs.adapters.make:make", kwargs={"name": environment}
            )
            pettingzoo.register(
                "parallel",
                name,
                "dig_envs.adapters.make:make_parallel",
                kwargs={"name": environment},
            )


def add_game(package: str) -> str:
    """Make a game of another package known, register it with PettingZoo and Gymnasium, and return
    its newest environment's name.

    Example::

        name = dig_envs.add_game("my_project.my_game")  # "my_game_v0"
        env = dig_envs.make(name)

    Args:
        package: such as ``my_project.my_game``, with the same modules as the games here (the README
            of ``dig_envs.engine``).

    Raises:
        ValueError: there is another game of that name already, or it is not a game package.
        ImportError: there is no such package.
    """
    name = add_package(package)
    register_environments(environments_of(name))
    return environments_of(name)[-1]
