"""What a view of Cretaceous Creek hides: fossils that lie face down, and event cards."""

import random

from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games.cretaceous_creek import components as box
from dig_envs.games.cretaceous_creek import invariants as cards


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal what is not in sight over the places that are face down."""
    position = view.snapshot
    fossils = Unseen(box.fossils_of(position), cards.fossils_in_sight(position), "grid", draw)
    events = Unseen(cards.ALL_EVENTS, cards.events_in_sight(position), "deck", draw)
    return {
        "grid": {
            space: [fossils.take(1)[0] if fossil is None else fossil for fossil in pile]
            for space, pile in position["grid"].items()
        },
        "deck": events.take(position["deck"]),
        "aside": events.take(position["aside"]),
    }


def derived(first: Snapshot) -> Snapshot:
    """What follows from the rest of a seat's first view."""
    piles = dict(first["grid"]).items()
    return {"top": {space: "exposed" if any([*pile][-1:]) else "buried" for space, pile in piles}}
