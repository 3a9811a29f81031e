"""What happens in Fossil Memory: the kinds of events, and how they are said. Everybody sees all of
it."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.events import Events, Number, Thing
from dig_envs.engine.core.words import enumeration
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box

EVENTS = Events(skeletons="museums")

GENUS = Thing("genus", names=deck.GENERA, called=deck.GENUS_NAMES)
CARD = Thing("card", names=box.CARDS[1:], called=deck.TYPE_NAMES[: deck.FIRST_TRACE])
PLACE = Thing("place", names=box.PLACES, called=box.PLACE_NAMES)

TURNED_DOWN = EVENTS.add(
    "turned_down",
    "The next flip turns down the cards that were left in sight (FM-4).",
    "{seat} {turn|turns} the {count:card} in sight face down.",
    [Number("count")],
)
TURNED_UP = EVENTS.add(
    "turned_up",
    "A player turns a card face up (FM-3).",
    "{seat} {turn|turns} up {card} in {place}.",
    [CARD, PLACE],
)
# where a card is, people remember by themselves
LOG_WORDS = {"turned_up": "{seat} {turn|turns} up {card}."}
MISSED = EVENTS.add(
    "missed",
    "The card just turned up is of another genus than those before it: nothing is taken, and the "
    "cards stay in sight (FM-4, FM-5).",
    "It is no part of {a genus}: {seat} {take|takes} nothing.",
    [GENUS],
)
TOOK = EVENTS.add(
    "took",
    "All parts of a genus are face up: the player takes them (FM-7).",
    "{seat} {take|takes} {a genus} for {points:point}.",
    [GENUS, Number("points")],
    scored="skeletons taken",
    changes=[("scores", "seat", "points"), ("skeletons", "seat", 1)],
)


def _flip(view: Mapping[str, Any]) -> str:
    """The cards to turn up (FM-3, FM-6)."""
    up = [view["grid"][box.PLACES.index(place)] for place in view["up"]]
    if not up:
        return "turn up a card"
    genus = up[0][:3]
    missing = [card[3] for card in deck.parts_of(genus) if card not in up]
    parts = f"part{'s' * (len(missing) > 1)} {enumeration(missing)}"
    return f"turn up another card; {deck.GENUS_NAMES[deck.GENERA.index(genus)]} lacks {parts}"


HEADLINES = {"flip": _flip}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended (FM-8, FM-10)."""
    return "" if view["truncated"] else "All 24 cards are taken."
