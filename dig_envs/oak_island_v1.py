"""The Treasure of Oak Island, version 1: ``env``, ``raw_env`` and ``parallel_env``, as PettingZoo's
modules have them."""

from dig_envs.adapters.modules import constructors

env, raw_env, parallel_env = constructors(__name__)
