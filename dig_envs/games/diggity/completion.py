"""What a view of Diggity hides: the piles, the hands of others, and tools."""

import random

from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import invariants as cards


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal the mine cards, gold cards and tools that are not in sight."""
    position = view.snapshot
    mine = Unseen(box.cards_of(position), cards.cards_in_sight(position), "pile", draw)
    gold = Unseen(cards.gold_in_play(view), cards.gold_won(position), "gold", draw)
    return {
        "hands": [
            hand if isinstance(hand, list) else mine.take(hand, order=box.CODES)
            for hand in position["hands"]
        ],
        "pile": mine.take(position["pile"]),
        "gold": gold.take(position["gold"]),
        "gold_aside": gold.take(position["gold_aside"]),
        "tools": _tools(view, draw),
    }


def _tools(view: Candidate, draw: random.Random) -> list[list[str]]:
    """DG-3: of each kind there are as many as players."""
    position = view.snapshot
    seen = [kind for kind, number in position["piles"].items() for _ in range(number)]
    seen += [kind for held in position["tools"] for kind in held if kind is not None]
    unseen = Unseen(list(box.TOOLS) * len(view.seats), seen, "tools", draw)
    return [
        sorted((unseen.take(1)[0] if kind is None else kind for kind in held), key=box.TOOLS.index)
        for held in position["tools"]
    ]
