"""What a view of Twenty Questions hides: the deck, and from all but the answerer the card."""

import random

from dig_envs.engine.snapshots.codecs import require
from dig_envs.engine.snapshots.completing import Unseen
from dig_envs.engine.snapshots.snapshot import Candidate, Snapshot
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions.snapshot import ALL_CARDS, PUT, cards_in_sight


def fill(view: Candidate, seat: int, draw: random.Random) -> Snapshot:
    """Draw a card that agrees with the answers; the others that are not in sight are the deck."""
    position = view.snapshot
    unseen = Unseen(ALL_CARDS, cards_in_sight(position), "deck", draw)
    card = position["card"]
    if card is None and position["phase"] == "question":
        card = next((genus for genus in unseen.cards if _agrees(genus, position["asked"])), None)
        require(card is not None, "asked", "no card that is left agrees with all answers")
        unseen.cards.remove(card)
    return {"card": card, "deck": unseen.take(position["deck"])}


def _agrees(genus: str, asked: list[tuple[str, bool]]) -> bool:
    place = box.GENERA.index(genus)
    return all(bool(int(box.YES[PUT.index(text)]) >> place & 1) == said for text, said in asked)
