"""What a view of Dino Dig hides: cards that the seat does not know, and secret suits."""

import copy
import random

from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig.invariants import all_cards, cards_in_play


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Deal the cards that are not in sight, and let others have any suits (DD-7)."""
    position = view.snapshot
    keys = ("site", "backpacks", "museums", "hand")
    filled = {key: copy.deepcopy(position[key]) for key in keys}
    cards = [card for _, card in all_cards(filled)]
    seen = [card["card"] for card in cards if card["card"] is not None]
    unseen = Unseen(cards_in_play(view), seen, "site", draw)
    for card in cards:
        if card["card"] is None:
            card["card"] = unseen.take(1)[0]
    return {**filled, "supply": unseen.take(position["supply"]), "suits": _suits(view, seat, draw)}


def _suits(view: Candidate, seat: int, draw: random.Random) -> list[str | None]:
    position, suits = view.snapshot, list(view.snapshot["suits"])
    secret = position["options"]["contract"] == "freelance" and position["phase"] != "over"
    for p in view.seats if secret else ():
        chosen = position["phase"] == "contract" and p < position["player"]
        if p != seat and (chosen or position["phase"] in ("act", "card")):
            suits[p] = draw.choice(tuple(box.SUITS))
    return suits
