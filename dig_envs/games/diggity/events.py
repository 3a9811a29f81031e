"""What happens in Diggity: the kinds of events, who may know how much of them, and how they are
said.

The cards of the mine have numbers from 1 on, in the order laid; a passage is called by the side of
the table that it points to.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dig_envs.engine.core.events import Events, Number, Seats, Thing, Things, Who
from dig_envs.games.diggity import components as box

EVENTS = Events(cards="hands", pile="pile", discard="discard", tools="tools", gold="gold")

CARD = Thing("card", names=box.CODES, called=box.CARD_NAMES)
UNSEEN_CARD = replace(CARD, hidden=True)
SIDE = Thing("side", names=box.SIDES, called=box.SIDE_NAMES)
TOOL = Thing("tool", names=box.TOOLS)
LAID_CARD = Number("number")  # of a card of the mine, from 1 on

# why the cards of a mine are discarded, as in WHY
GOLD_WON, NO_OPEN_PASSAGE, ALL_PASSED, NO_OTHER_CARDS = range(4)
WHY = {
    "gold": "The mine is finished",
    "closed": "The mine has no open passage and is closed",
    "passes": "All have passed, and the mine is closed",
    "pile": "There is no card to draw or to shuffle, and the mine is closed",
}

# ---------------------------------------------------------------- the mine

BEGAN = EVENTS.add(
    "began",
    "A player lays the first card of a mine (DG-10).",
    "{seat} {begin|begins} a new mine: card 1 is {a card}.",
    [CARD],
    changes=[("cards", "seat", -1)],
)
PICKED = EVENTS.add(
    "picked",
    "A player picks a card of the hand to lay it; everybody sees it (DG-11).",
    "{seat} {pick|picks} {a card}.",
    [CARD],
    changes=[("cards", "seat", -1)],
)
LAID = EVENTS.add(
    "laid",
    "The card joins the mine as the one with this number, attached to a passage of another one; "
    "x, y and turn as in DG-5 (DG-12).",
    "{seat} {add|adds} it as card {number} {side} of card {onto}, {turn}.",
    [
        LAID_CARD,
        Number("onto"),
        SIDE,
        Thing("turn", names=range(box.NUM_TURNS), called=box.TURN_NAMES),
        Number("x"),
        Number("y"),
    ],
)
CONNECTED = EVENTS.add(
    "connected",
    "The card is connected to a further passage (DG-7).",
    "It is connected to the {side} passage of card {number}, too.",
    [LAID_CARD, SIDE],
)
BLOCKED = EVENTS.add(
    "blocked",
    "By the card that was laid, a passage that is not connected is blocked (DG-8).",
    "The {side} passage of card {number} is blocked.",
    [LAID_CARD, SIDE],
    together=True,
)
PASSED = EVENTS.add(
    "passed",
    "A player has no card that can be laid (DG-11).",
    "{seat} {have|has} no card that fits and {pass|passes}.",
)

# ---------------------------------------------------------------- what the card gives

MAY_CHOOSE = EVENTS.add(
    "may_choose",
    "The card gives several things, of which the player chooses one (DG-14 to DG-17).",
    lambda values: f"{{seat}} can make {' or '.join(f'a {thing}' for thing in values['choices'])}.",
    [Things("choices", names=box.THINGS)],
)
NOT_GAINED = EVENTS.add(
    "not_gained",
    "The card makes a tool that cannot be gained (DG-17).",
    "It would make {a tool}, but none is in the pile, and nobody else has one.",
    [TOOL],
)
TOOK = EVENTS.add(
    "took",
    "The player takes the tool that was made, or chosen, from its pile (DG-17, DG-18).",
    "{seat} {make|makes} {a tool} and {take|takes} it from the pile.",
    [TOOL],
    changes=[("tools", "seat", 1)],
)
PILE_EMPTY = EVENTS.add(
    "pile_empty",
    "The pile of the tool is empty: it must be stolen; hidden ones of this kind are laid open "
    "(DG-18, DG-33).",
    "{seat} {make|makes} {a tool}, but none is in the pile.",
    [TOOL],
)
SHOWED = EVENTS.add(
    "showed",
    "A player lays the tools of the kind open that would be stolen (DG-33).",
    lambda values: f"{{seat}} {{lay|lays}} {{count:{values['tool']}}} open.",
    [TOOL, Number("count")],
)
STOLE = EVENTS.add(
    "stole",
    "The player steals the tool (DG-18).",
    "{seat} {steal|steals} {a tool} from {other}.",
    [Who("other"), TOOL],
    changes=[("tools", "seat", 1), ("tools", "other", -1)],
)
FOUND_NONE = EVENTS.add(
    "found_none",
    "Nobody has a tool to be stolen (DG-33).",
    "Nobody else has one: {seat} {gain|gains} nothing.",
)
HIDDEN = EVENTS.add(
    "hidden",
    "Tools that lay open are hidden again (DG-33).",
    "Every {tool} is hidden again.",
    [TOOL],
)

# ---------------------------------------------------------------- gold

FOUND_GOLD = EVENTS.add(
    "found_gold",
    "The player makes a miner and turns up the top gold card; the auction starts (DG-16, DG-19).",
    "{seat} {make|makes} a miner, who finds {nuggets:nugget}.",
    [Number("nuggets")],
    changes=[("gold", "", -1)],
)
SKIPPED = EVENTS.add(
    "skipped",
    "Players have the chance to play, but not the next tool; with hidden tools, no tools at all "
    "(DG-20, DG-32).",
    lambda values: (
        "{seats} {have|has} no "
        + ("tools" if values["tool"] is None else "{tool}")
        + " and {are|is} skipped."
    ),
    [Seats("seats"), TOOL],
)
PLAYED = EVENTS.add(
    "played",
    "A player plays the next tool, which goes back to its pile, and is the leader (DG-20).",
    "{seat} {play|plays} {a tool} and {lead|leads}.",
    [TOOL],
    changes=[("tools", "seat", -1)],
)
STOPPED = EVENTS.add(
    "stopped", "A player plays no tool; the chance goes on (DG-20).", "{seat} {stop|stops}."
)
WON = EVENTS.add(
    "won",
    "The auction is over, and the leader gets the gold card (DG-21).",
    "{seat} {win|wins} {nuggets:nugget}.",
    [Number("nuggets")],
    scored="gold won",
    changes=[("scores", "seat", "nuggets")],
)

# ---------------------------------------------------------------- the end of a turn

DREW = EVENTS.add(
    "drew",
    "The player draws a card in place of the one laid (DG-27).",
    "{seat} {draw|draws} {a card}.",
    [UNSEEN_CARD],
    others="{seat} {draw|draws} a card.",
    changes=[("cards", "seat", 1), ("pile", "", -1)],
)
DISCARDED = EVENTS.add(
    "discarded",
    "The mine is finished by gold (DG-23) or closed (DG-24, DG-28), and its cards are discarded.",
    "{why}: its cards, {count} in all, are discarded.",
    [Thing("why", names=tuple(WHY), called=tuple(WHY.values())), Number("count")],
    changes=[("discard", "", "count")],
)
SHUFFLED = EVENTS.add(
    "shuffled",
    "The draw pile is empty: the discarded cards are shuffled and are the new one (DG-28).",
    "The draw pile is empty: the discarded cards, {count} in all, are shuffled and are the new "
    "one.",
    [Number("count")],
    changes=[("pile", "", "count"), ("discard", "", "-count")],
)


def _auction(view: Mapping[str, Any]) -> str:
    auction = view["auction"]
    return f"play a {box.TOOLS[auction['rank']]}, or stop; the gold is worth {auction['value']}"


HEADLINES = {
    "play": lambda view: (
        "pick a card of your hand " + ("for the mine" if view["mine"] else "to begin a new mine")
    ),
    "place": lambda view: (
        f"choose where to lay the {box.CARD_NAMES[box.CODES.index(view['chosen'])]}"
    ),
    "take": lambda view: (
        "choose what to make: " + " or ".join(f"a {thing}" for thing in view["choices"])
    ),
    "steal": lambda view: f"choose from whom to steal a {view['steal']['kind']}",
    "auction": _auction,
}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended (DG-29 to DG-31)."""
    return "" if view["truncated"] else "The last gold is won."
