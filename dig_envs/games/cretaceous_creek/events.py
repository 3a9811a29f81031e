"""What happens in Cretaceous Creek: the kinds of events and how they are said. Everybody is told
all of them.

The *event cards* of the game (CC-2, CC-20) are something else: drawing them is an event of the kind
``drew``.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dig_envs.engine.core.events import Events, Flag, Number, Thing, Who
from dig_envs.engine.core.words import enumeration
from dig_envs.games.cretaceous_creek import components as box

EVENTS = Events(storage="storage", museum="museum", out="out", deck="deck", flooded="flooded")

OTHER = Who("other")
FOSSIL = Thing("fossil", names=box.TYPES, called=box.TYPE_NAMES)
SPACE = Thing("space", names=box.SPACES, called=box.SPACE_NAMES)

# ---------------------------------------------------------------- set-up and turns

BEGAN = EVENTS.add(
    "began",
    "A player chooses the camp to begin at (CC-5).",
    "{seat} {begin|begins} at {space}.",
    [SPACE],
)
TOOK_NOTHING = EVENTS.add(
    "took_nothing",
    "A beginner does without the initial dig (CC-6).",
    "{seat} {do|does} not dig at the camp to begin with.",
)


def _ended_turn(values: Mapping[str, Any]) -> str:
    if values["forced"]:
        return "{seat} {have|has} nothing left to do: the turn ends."
    return "{seat} {end|ends} the turn" + (
        " with {left:action point} left." if values["left"] else "."
    )


ENDED_TURN = EVENTS.add(
    "ended_turn",
    "The actions of a turn end: the player says so, or nothing else is legal (`forced`). `left`: "
    "action points that are lost (CC-7, CC-19).",
    _ended_turn,
    [Number("left"), Flag("forced")],
)

# ---------------------------------------------------------------- actions

MOVED = EVENTS.add(
    "moved",
    "A player goes to an adjacent space (CC-10).",
    "{seat} {move|moves} to {space}.",
    [SPACE],
)
PROTECTED = EVENTS.add(
    "protected",
    "An endangered fossil becomes exposed (CC-11).",
    "{seat} {protect|protects} {fossil} on {space}.",
    [SPACE, FOSSIL],
)
EXPOSED = EVENTS.add(
    "exposed",
    "A buried fossil becomes exposed, and everybody sees what it is (CC-12).",
    "{seat} {expose|exposes} {fossil} on {space}.",
    [SPACE, FOSSIL],
)
EXCAVATED = EVENTS.add(
    "excavated",
    "A top fossil goes into the storage of a player (CC-6, CC-13).",
    "{seat} {excavate|excavates} {fossil} from {space}.",
    [SPACE, FOSSIL],
    changes=[("storage", "seat", 1)],
)
CLEARED = EVENTS.add(
    "cleared",
    "A player with full storage takes a top fossil off its space, and it goes out of the game "
    "(CC-14).",
    "{seat} {clear|clears} {fossil} away from {space}: it is out of the game.",
    [SPACE, FOSSIL],
    changes=[("out", "", 1)],
)
DISCARDED = EVENTS.add(
    "discarded",
    "A stored fossil goes out of the game: by choice, by evacuation, or for want of a dry space "
    "to escape to (CC-9, CC-18, CC-25).",
    "{seat} {discard|discards} {fossil}.",
    [FOSSIL],
    changes=[("storage", "seat", -1), ("out", "", 1)],
)
GAVE = EVENTS.add(
    "gave",
    "The player whose turn it is gives another one a fossil (CC-15).",
    "{seat} {give|gives} {other} {fossil}.",
    [OTHER, FOSSIL],
    changes=[("storage", "seat", -1), ("storage", "other", 1)],
)
GOT = EVENTS.add(
    "got",
    "The player whose turn it is gets a fossil from another one (CC-15).",
    "{seat} {get|gets} {fossil} from {other}.",
    [OTHER, FOSSIL],
    changes=[("storage", "seat", 1), ("storage", "other", -1)],
)
OFFERED = EVENTS.add(
    "offered",
    "A player begins an exchange and names the fossil to be given; it is not given yet (CC-16).",
    "{seat} {offer|offers} {other} {fossil} in exchange for another fossil.",
    [OTHER, FOSSIL],
)
SWAPPED = EVENTS.add(
    "swapped",
    "Two fossils change hands together (CC-16).",
    "{seat} {swap|swaps} {given} for {other's} {taken}.",
    [OTHER, replace(FOSSIL, name="given"), replace(FOSSIL, name="taken")],
)
EVACUATED = EVENTS.add(
    "evacuated",
    "A player leaves for good, from a camp (CC-18).",
    "{seat} {leave|leaves} the dig site for good, from {space}.",
    [SPACE],
)
COMPLETED = EVENTS.add(
    "completed",
    "A skeleton is complete: its fossils leave the game, its piece goes to the museum; `pieces`: "
    "how many are there now (CC-17).",
    "{seat} {complete|completes} {a genus}: the museum has {pieces} of 6 skeletons.",
    [Thing("genus", names=box.GENERA, called=box.GENUS_NAMES), Number("fossils"), Number("pieces")],
    scored="skeletons completed",
    changes=[("scores", "all", 1), ("storage", "seat", "-fossils"), ("museum", "", 1)],
)

# ---------------------------------------------------------------- erosion

# The cards of an event, in their order; null where there are fewer than four.
CARDS = tuple(
    Thing(name, names=box.EVENT_NAMES, called=box.EVENT_CALLED)
    for name in ("first", "second", "third", "fourth")
)


def _cards(before: str) -> Callable[[Mapping[str, Any]], str]:
    """A function that gives a sentence ending with the cards in question."""
    return lambda values: (
        f"{before} "
        f"{enumeration([f'{{{card.name}}}' for card in CARDS if values[card.name] is not None])}."
    )


DREW = EVENTS.add(
    "drew",
    "Period 1: event cards are drawn from the erosion deck and shown, before any is carried out; "
    "`cards`: how many (CC-20).",
    _cards("Event cards from the erosion deck:"),
    [Number("cards"), *CARDS],
    changes=[("deck", "", "-cards")],
)
TOOK_STACK = EVENTS.add(
    "took_stack",
    "Period 2: the event cards of the leftmost stack are to be carried out; `cards`: how many "
    "(CC-20).",
    _cards("Event cards of the leftmost stack:"),
    [Number("cards"), *CARDS],
)
SANDBAGGED = EVENTS.add(
    "sandbagged",
    "The player who stores the Edmontosaurus puts it and the revealed cards out of the game: "
    "there is no erosion (CC-24).",
    "{seat} {use|uses} the Edmontosaurus skin impression for sandbags: these cards do nothing and "
    "are out of the game.",
    changes=[("storage", "seat", -1), ("out", "", 1)],
)
NO_SANDBAGS = EVENTS.add(
    "no_sandbags",
    "The player who stores the Edmontosaurus lets the revealed cards be carried out (CC-24).",
    "{seat} {use|uses} no sandbags.",
)


ENDANGERED = EVENTS.add(
    "endangered",
    "Erosion endangers a top fossil; one that was buried is turned face up (CC-21).",
    lambda values: (
        "{fossil} on {space} is "
        + ("turned face up and endangered." if values["was_buried"] else "endangered.")
    ),
    [SPACE, FOSSIL, Flag("was_buried")],
)
DESTROYED = EVENTS.add(
    "destroyed",
    "Erosion destroys an endangered fossil: it is out of the game (CC-21).",
    "{fossil} on {space} is destroyed.",
    [SPACE, FOSSIL],
    changes=[("out", "", 1)],
)
FLOODED = EVENTS.add(
    "flooded",
    "A space without fossils is flooded for the rest of the game, in Storm Phase 4 (CC-22).",
    "The water rises: {space} is flooded.",
    [SPACE],
    changes=[("flooded", "", 1)],
)
STRANDED = EVENTS.add(
    "stranded",
    "A carrier on a flooded space has no dry one to escape to and must discard everything (CC-25).",
    "{seat} {stand|stands} in the water and {have|has} no dry space to escape to.",
)
ESCAPED = EVENTS.add(
    "escaped",
    "A carrier leaves a flooded space (CC-25).",
    "{seat} {escape|escapes} from the water to {space}.",
    [SPACE],
)
PERIOD_2 = EVENTS.add(
    "period_2",
    "The erosion deck is used up: from now on the stacks are carried out once more (CC-26).",
    "The erosion deck is used up: period 2 begins.",
)
STORM = EVENTS.add(
    "storm",
    "The next Storm Phase begins: all event cards are shuffled, `cards` of them form the erosion "
    "deck (CC-4, CC-26).",
    "Storm Phase {phase} begins: the event cards are shuffled, and {cards} of them form the new "
    "erosion deck.",
    [Number("phase"), Number("cards")],
    changes=[("deck", "", "cards")],
)

# ---------------------------------------------------------------- questions, and the end


HEADLINES = {
    "camp": "choose a camp to begin at",
    "dig": "dig at the camp to begin with, or do not",
    "act": lambda view: (
        "act ({ap:action point} left)"
        if view["ap"]
        else "no action points left: discard a fossil, or end the turn"
    ),
    "swap": lambda view: (
        "choose what to take in exchange for "
        f"{box.TYPE_NAMES[box.TYPES.index(view['swap']['gives'])]}"
    ),
    "sandbag": "use the Edmontosaurus skin impression for sandbags, or do not",
    "escape": "escape from the water",
}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended (CC-28, CC-29)."""
    return {
        "won": "All six skeletons are in the museum, and everybody who has not left is at a camp.",
        "part": f"A missing skeleton cannot be completed any more: there is {_lost(view)} left.",
        "evacuated": "Nobody is left on the dig site.",
        "corners": "All camps are flooded, and a skeleton is missing.",
        "flooded": "The storm has flooded the dig site.",
    }[view["ended"]]


def _lost(view: Mapping[str, Any]) -> str:
    """The parts of a missing skeleton whose copies are all out of the game (CC-29 `part`)."""
    return enumeration([
        f"no {box.TYPE_NAMES[t]}" for t in range(box.EDM)
        if view["out"].count(box.TYPES[t]) == box.fossils_of(view).count(box.TYPES[t])
            and box.GENERA[box.GENUS_OF[t]] not in view["museum"]
    ])  # fmt: skip
