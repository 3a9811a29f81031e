"""What a view of Fossil Memory hides: the cards that the seat is not shown."""

import random

from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games.fossil_memory.invariants import cards_in_play, cards_in_sight


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Lay the cards that are not in sight on the places where one lies face down."""
    grid = view.snapshot["grid"]
    unseen = Unseen(cards_in_play(view.snapshot), cards_in_sight(view.snapshot), "grid", draw)
    down = iter(unseen.take(grid.count(None)))
    return {"grid": [next(down) if card is None else card for card in grid]}
