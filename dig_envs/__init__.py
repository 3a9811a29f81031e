"""dig_envs: reinforcement-learning environments made from tabletop digging games.

Importing this package loads nothing heavy: each name below is imported when it is first used.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dig_envs.adapters.registration import add_game, register_environments
from dig_envs.engine.core.errors import (
    DigEnvsError,
    IllegalActionError,
    OptionError,
    PolicyMismatchError,
    SnapshotError,
)
from dig_envs.registry import list_environments
from dig_envs.version import __version__ as __version__

if TYPE_CHECKING:
    from dig_envs.adapters.learner_batch import LearnerBatch
    from dig_envs.adapters.learner_tensors import LearnerTensors
    from dig_envs.adapters.make import make, make_parallel
    from dig_envs.adapters.seat import Seat
    from dig_envs.agents.loading import load_agent
    from dig_envs.agents.saving import save_policy
    from dig_envs.batch.batch_env import BatchEnv, random_rollout
    from dig_envs.engine.core.words import Names

_LAZY = {
    "LearnerBatch": "dig_envs.adapters.learner_batch",
    "LearnerTensors": "dig_envs.adapters.learner_tensors",
    "make": "dig_envs.adapters.make",
    "make_parallel": "dig_envs.adapters.make",
    "Seat": "dig_envs.adapters.seat",
    "BatchEnv": "dig_envs.batch.batch_env",
    "random_rollout": "dig_envs.batch.batch_env",
    "load_agent": "dig_envs.agents.loading",
    "save_policy": "dig_envs.agents.saving",
    "Names": "dig_envs.engine.core.words",
}

__all__ = [
    "BatchEnv",
    "DigEnvsError",
    "IllegalActionError",
    "LearnerBatch",
    "LearnerTensors",
    "Names",
    "OptionError",
    "PolicyMismatchError",
    "Seat",
    "SnapshotError",
    "add_game",
    "list_environments",
    "load_agent",
    "make",
    "make_parallel",
    "random_rollout",
    "save_policy",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name in list_environments():
        if find_spec(f"dig_envs.{name}") is not None:
            return import_module(f"dig_envs.{name}")
        # a game of another package
        return import_module("dig_envs.adapters.modules").constructors(name)
    raise AttributeError(f"module 'dig_envs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *list_environments(), "__version__"])


register_environments(list_environments())
