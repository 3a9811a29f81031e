"""The Big Dig, version 0: ``env``, ``raw_env`` and ``parallel_env``, as PettingZoo's modules have them."""

from dig_envs.adapters.modules import EnvironmentModule

_module = EnvironmentModule("the_big_dig_v0")
env = _module.env
raw_env = _module.raw_env
parallel_env = _module.parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
