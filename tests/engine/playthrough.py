"""Plays a few short games and prints a hash of everything that happens; run with and without
compilation by ``test_jit``."""

import hashlib
import json
import sys

from dig_envs.batch.batch_env import BatchEnv
from tests.games import SHIPPED

STEPS = 18
SCRIPTED_EVERY = 12  # as plain Python the scripted players are slow


def digest(name: str) -> str:
    """Hash of all outputs of a batch with one game for each number of players."""
    game = BatchEnv(name, 1).game
    players = [*range(game.min_players, game.max_players + 1)]
    batch = BatchEnv(name, len(players), seed=31, num_players=players)
    found = hashlib.sha256()
    for step in range(STEPS):
        for output in (
            batch.states,
            batch.observation,
            batch.action_mask,
            batch.mover,
            batch.reward,
            batch.final_returns,
        ):
            found.update(output.tobytes())
        batch.step(
            batch.heuristic_actions() if step % SCRIPTED_EVERY == 5 else batch.sample_actions()
        )
    return found.hexdigest()


def digests() -> dict[str, str]:
    """The hash of each game."""
    return {name: digest(name) for name in [*SHIPPED, "bone_bids_v0"]}


if __name__ == "__main__":
    json.dump(digests(), sys.stdout)
