"""What happens in Bone Bids: the kinds of events, who may know how much of them, and how they are
said."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.events import Events, Number, Thing
from tests.model.bone_bids import components as box

EVENTS = Events(cards="hands", out="out")
CARD = Thing("card", names=box.CARDS)

FOUND = EVENTS.add(
    "found",
    "The die says what the next bone is worth (BB-2).",
    "A bone worth {points:point}.",
    [Number("points")],
)
BID = EVENTS.add(
    "bid",
    "A player sets a card aside, face down (BB-3).",
    "{seat} {bid|bids} {card}.",
    [CARD],
    private=True,
)
REVEALED = EVENTS.add(
    "revealed",
    "The bids are revealed, seat by seat, and the cards are out (BB-4).",
    "{seat} {have|has} bid {card}.",
    [CARD],
    changes=[("cards", "seat", -1), ("out", "", 1)],
    together=True,
)
WON = EVENTS.add(
    "won",
    "The highest card that only one player has bid wins the bone (BB-4).",
    "{seat} {win|wins} the bone: {points:point}.",
    [Number("points")],
    scored="bones won",
    changes=[("scores", "seat", "points")],
)
NOBODY_WON = EVENTS.add(
    "nobody_won", "No card was bid by one player alone (BB-4).", "Nobody wins the bone."
)

HEADLINES = {"bid": "bid a card for a bone worth {worth:point}"}


def reason(view: Mapping[str, Any]) -> str:
    """Return why the game has ended (BB-5)."""
    return "All cards are played."
