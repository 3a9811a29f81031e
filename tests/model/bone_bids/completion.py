"""What a view of Bone Bids hides: the pile, the hands of others, and their bids."""

import random

from dig_envs.engine.snapshots.codecs import in_sight
from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import COMMITTED, Candidate, Snapshot
from tests.model.bone_bids import components as box


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal the cards that are not in sight; who has bid has bid a card of the hand."""
    position = view.snapshot
    seen = in_sight(*(position[key] for key in ("pile", "out", "hands")))
    unseen = Unseen([card for card in box.CARDS for _ in range(4)], seen, "pile", draw)
    hands = [
        hand if isinstance(hand, list) else unseen.take(hand, order=box.CARDS)
        for hand in position["hands"]
    ]
    done = position.get(COMMITTED, range(position["to_move"]))
    pending = [
        draw.choice(hands[p]) if p in done and p != seat and hands[p] else bid
        for p, bid in enumerate(position["pending"])
    ]
    return {
        "pile": unseen.take(position["pile"], order=box.CARDS),
        "hands": hands,
        "pending": pending,
    }
