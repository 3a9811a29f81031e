"""What happens in Go Dig: the kinds of events, who may know how much of them, and how they are
said."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dig_envs.engine.core.events import Events, Number, Thing, Who
from dig_envs.games import fossil_deck as deck

EVENTS = Events(cards="hands", pile="pile")


GENUS = Thing("genus", names=deck.GENERA, called=deck.GENUS_NAMES)
CARD = Thing("card", names=deck.TYPES, called=deck.TYPE_NAMES)
UNSEEN_CARD = replace(CARD, hidden=True)

ASKED = EVENTS.add(
    "asked",
    "A player asks another one for a genus (GD-4).",
    "{seat} {ask|asks} {other} for {a genus}.",
    [Who("other"), GENUS],
    shown=True,
)
GAVE = EVENTS.add(
    "gave",
    "The player who was asked hands a card over, open for everybody to see (GD-5).",
    "{seat} {give|gives} {other} {card}.",
    [Who("other"), CARD],
    changes=[("cards", "seat", -1), ("cards", "other", 1)],
    shown=True,
    together=True,
)
HAS_NONE = EVENTS.add(
    "has_none",
    "The player who was asked has no card of the genus (GD-6).",
    "{seat} {have|has} no {genus}: go dig!",
    [GENUS],
    shown=True,
)
DREW = EVENTS.add(
    "drew",
    "A player takes the top card of the pile, unseen by the others (GD-7, GD-9, GD-10).",
    "{seat} {draw|draws} {card}.",
    [UNSEEN_CARD],
    others="{seat} {draw|draws} a card.",
    changes=[("cards", "seat", 1), ("pile", "", -1)],
)
SHOWED = EVENTS.add(
    "showed",
    "The card just drawn is of the genus requested; everybody sees it (GD-7).",
    "{seat} {show|shows} it: {card}, as requested.",
    [CARD],
    shown=True,
)
PILE_EMPTY = EVENTS.add(
    "pile_empty",
    "A player would take a card, but the pile is empty (GD-8 to GD-10).",
    "The pile is empty: {seat} {draw|draws} nothing.",
)
BUILT = EVENTS.add(
    "built",
    "A complete skeleton goes into the museum (GD-11).",
    "{seat} {build|builds} {a genus} for {points:point}.",
    [GENUS, Number("points"), Number("parts")],
    scored="skeletons built",
    changes=[("scores", "seat", "points"), ("cards", "seat", "-parts")],
)
SKIPPED = EVENTS.add(
    "skipped",
    "A player without cards has no turn (GD-9).",
    "{seat} {have|has} no cards and {are|is} skipped.",
)


def _ask(view: Mapping[str, Any]) -> str:
    """The question; before the first one, that complete skeletons were dealt (GD-2)."""
    dealt = any(view["museums"]) and not any(view["asked"])
    words = "ask another player for a genus of which you hold a fossil"
    return words + "; what was dealt complete is built already" * dealt


HEADLINES = {"ask": _ask}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended (GD-12, GD-14)."""
    return "" if view["truncated"] else "All 23 skeletons are built."
