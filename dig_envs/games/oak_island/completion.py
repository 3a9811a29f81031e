"""What a view of The Treasure of Oak Island hides: the order of the bag."""

import random

from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games.oak_island.invariants import cubes_in_play, cubes_in_sight


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Put the cubes that are nowhere else into the bag."""
    unseen = Unseen(cubes_in_play(view), cubes_in_sight(view.snapshot), "bag", draw)
    return {"bag": unseen.take(view.snapshot["bag"])}
