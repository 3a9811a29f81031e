"""A player for tests that compare environments."""

import zlib

import numpy as np


class Whimsical:
    """Any legal action, but always the same for the same observation, one game at a time or many at
    once."""

    name = "whimsical"

    def choose(self, observation, mask):
        legal = np.flatnonzero(mask)
        return int(legal[zlib.crc32(observation.tobytes()) % len(legal)])

    def act(self, env):
        seen = env.observe(env.agent_selection)
        return self.choose(seen["observation"], seen["action_mask"])

    def act_batch(self, observation, action_mask, states=None, seats=None):
        assert len(observation) == len(action_mask) == len(states) == len(seats)
        return np.array(
            [self.choose(seen, mask) for seen, mask in zip(observation, action_mask, strict=True)]
        )
