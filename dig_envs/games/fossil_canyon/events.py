"""What happens in Fossil Canyon: the kinds of events, who may know how much of them, and how they
are said.

The *event cards* of the game (FC-3, FC-11) are something else: drawing one is an event of the kind
``event_card``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dig_envs.engine.core.events import Events, Flag, Number, Thing, Things, Who
from dig_envs.engine.core.words import counted
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box

EVENTS = Events(
    hidden="hidden", open="open", buried="buried", exposed="exposed", spent="spent",
    skeletons="museums", awards="awards", bonuses="bonuses",
)  # fmt: skip

FOSSIL = Thing("fossil", names=deck.TYPES, called=box.FOSSIL_NAMES)
UNSEEN_FOSSIL = replace(FOSSIL, hidden=True)
OTHER = Who("other")
POINTS = Number("points")
AWARD = Thing("award", names=box.AWARDS, called=box.AWARD_NAMES)
BONUS_PIECE = Thing("bonus", names=box.BONUSES, called=box.BONUS_NAMES)
# Of the fossils that an event is about, how many are from (or, of what is taken, for) the hidden
# hand, and how many face up.
HIDDEN, FACE_UP = Number("hidden"), Number("face_up")


def _from_hand(sentence: str) -> Any:
    """A sentence that adds whether a fossil comes from the hidden hand."""
    return lambda values: (
        f"{sentence} from the hidden hand." if values["hidden"] else f"{sentence}."
    )


# ---------------------------------------------------------------- what is hidden

PICKED = EVENTS.add(
    "picked",
    "A player chooses a fossil that stays hidden, before the choice is complete (FC-6 to FC-8, "
    "FC-23).",
    "{seat} {choose|chooses} to hide {fossil}.",
    [FOSSIL],
    private=True,
)
HIDES = EVENTS.add(
    "hides",
    "A choice of hidden fossils is revealed, by their number; what follows is what becomes "
    "visible by it (FC-7, FC-23, FC-24).",
    "{seat} {keep|keeps} {count:fossil} hidden.",
    [Number("count")],
    together=True,
)
TURNED_UP = EVENTS.add(
    "turned_up",
    "A hidden fossil is turned face up: all that is not chosen to be hidden, in the end phase "
    "everything (FC-7, FC-24, FC-30).",
    "{seat} {turn|turns} {fossil} face up.",
    [FOSSIL],
    changes=[("hidden", "seat", -1), ("open", "seat", 1)],
    together=True,
)
TURNED_DOWN = EVENTS.add(
    "turned_down",
    "A face-up fossil is hidden in step 5, in sight of all (FC-24).",
    "{seat} {turn|turns} {fossil} face down.",
    [FOSSIL],
    changes=[("hidden", "seat", 1), ("open", "seat", -1)],
    together=True,
)

# ---------------------------------------------------------------- the dig site


def _event_card(values: Mapping[str, Any]) -> str:
    too_few = (
        ", but only {exposed:fossil is/fossils are} buried"
        if values["exposed"]
        else ", but none is buried"
    )
    return (
        f"{{seat}} {{draw|draws}} an event card that exposes "
        f"{{card:fossil}}{too_few * (values['exposed'] < values['card'])}."
    )


EVENT_CARD = EVENTS.add(
    "event_card",
    "The top card of the event deck is drawn, shown and put at the bottom. `card`: how many "
    "fossils it exposes; `exposed`: how many are left to be (FC-11).",
    _event_card,
    [Number("card"), Number("exposed")],
)
EXPOSED = EVENTS.add(
    "exposed",
    "The top buried fossil is turned face up (FC-11).",
    "{seat} {expose|exposes} {fossil}.",
    [FOSSIL],
    changes=[("buried", "", -1), ("exposed", "", 1)],
    together=True,
)
DUG = EVENTS.add(
    "dug",
    "A player digs the top buried fossil, unseen by the others (FC-13, FC-22).",
    "{seat} {dig|digs} a buried fossil: {fossil}.",
    [UNSEEN_FOSSIL],
    others="{seat} {dig|digs} a buried fossil.",
    changes=[("buried", "", -1), ("hidden", "seat", 1)],
)
DUG_EXPOSED = EVENTS.add(
    "dug_exposed",
    "A player digs an exposed fossil (FC-13, FC-22).",
    "{seat} {dig|digs} the exposed {fossil}.",
    [replace(FOSSIL, called=deck.TYPE_NAMES)],
    changes=[("exposed", "", -1), ("hidden", "seat", 1)],
)
LOOKED_AT = EVENTS.add(
    "looked_at",
    "A player looks at the top buried fossil and may keep it or put it back (FC-15).",
    "{seat} {look|looks} at a buried fossil, which may be put back: {fossil}.",
    [UNSEEN_FOSSIL],
    others="{seat} {look|looks} at a buried fossil, which may be put back.",
    changes=[("buried", "", -1)],
)
KEPT = EVENTS.add(
    "kept",
    "The player keeps the fossil just dug (FC-15).",
    "{seat} {keep|keeps} {fossil}.",
    [UNSEEN_FOSSIL],
    others="{seat} {keep|keeps} it.",
    changes=[("hidden", "seat", 1)],
)
PUT_BACK = EVENTS.add(
    "put_back",
    "The player puts the fossil just dug back into the site, exposed (FC-15).",
    "{seat} {put|puts} {fossil} back, exposed.",
    [FOSSIL],
    changes=[("exposed", "", 1)],
)
BONUS_DIG = EVENTS.add(
    "bonus_dig",
    "A player who has built a skeleton in step 2 or 3 digs one more fossil (FC-22).",
    "{seat} {have|has} built in this turn and {dig|digs} one more fossil.",
)

# ---------------------------------------------------------------- skeletons


def _built(values: Mapping[str, Any]) -> str:
    return "{seat} {build|builds} {a genus} for {points:point}" + (
        ", with {revealed} from the hidden hand." if values["hidden"] else "."
    )


BUILT = EVENTS.add(
    "built",
    "A complete skeleton goes into the museum; its parts leave, of two copies the face-up one "
    "(FC-5, FC-12). `revealed`: the numbers of the parts from the hidden hand.",
    _built,
    [
        Thing("genus", names=deck.GENERA, called=deck.GENUS_NAMES),
        POINTS,
        HIDDEN,
        FACE_UP,
        Things("revealed", names=(1, 2, 3, 4), called=("part 1", "part 2", "part 3", "part 4")),
    ],
    scored="skeletons built",
    changes=[
        ("scores", "seat", "points"),
        ("skeletons", "seat", 1),
        ("hidden", "seat", "-hidden"),
        ("open", "seat", "-face_up"),
    ],
    shown=True,  # what was given by a hand and completes the skeleton leaves no trace
)

# ---------------------------------------------------------------- exchanges

EXCHANGE = EVENTS.add(
    "exchange",
    "A player begins an exchange with another one, who is not asked for consent (FC-16, FC-17).",
    "{seat} {begin|begins} an exchange with {other}: {price:fossil} for one.",
    [OTHER, Number("price")],
)
GAVE = EVENTS.add(
    "gave",
    "A fossil of the price is given and lies face up in front of the other player (FC-18).",
    _from_hand("{seat} {give|gives} {other} {fossil}"),
    [OTHER, FOSSIL, HIDDEN, FACE_UP],
    changes=[("hidden", "seat", "-hidden"), ("open", "seat", "-face_up"), ("open", "other", 1)],
    shown=True,
)
TOOK = EVENTS.add(
    "took",
    "The player takes a face-up fossil into the hidden hand, in the end phase face up (FC-10, "
    "FC-19, FC-30).",
    "{seat} {take|takes} {fossil} from {other}.",
    [OTHER, FOSSIL, HIDDEN, FACE_UP],
    changes=[("open", "other", -1), ("hidden", "seat", "hidden"), ("open", "seat", "face_up")],
)
TOOK_BLIND = EVENTS.add(
    "took_blind",
    "The player takes a random fossil of the other's hidden hand; only these two learn which "
    "(FC-20).",
    "{seat} {take|takes} {fossil} from {other's} hidden hand, blind.",
    [Who("other", knows=True), UNSEEN_FOSSIL],
    others="{seat} {take|takes} a fossil from {other's} hidden hand, blind.",
    changes=[("hidden", "other", -1), ("hidden", "seat", 1)],
)
NOTHING_LEFT = EVENTS.add(
    "nothing_left",
    "What could be taken went into a skeleton: the exchange ends without taking (FC-19).",
    "{other} {have|has} nothing left that {seat} may take.",
    [OTHER],
)


def _stopped(values: Mapping[str, Any]) -> str:
    exchanges = "no more exchanges" if values["made"] else "no exchange"
    return (
        f"{{seat}} can make {exchanges}."
        if values["forced"]
        else f"{{seat}} {{make|makes}} {exchanges}."
    )


STOPPED = EVENTS.add(
    "stopped",
    "The step of exchanges ends, because the player says so (FC-16) or because none is possible "
    "any more (FC-21).",
    _stopped,
    [Flag("forced"), Number("made")],
)

# ---------------------------------------------------------------- awards

CLAIMED = EVENTS.add(
    "claimed",
    "A player claims an award and is going to pay for it (FC-26, FC-27).",
    "{seat} {claim|claims} {award} for research of value {value}.",
    [AWARD, Number("value")],
)
PAID = EVENTS.add(
    "paid",
    "A trace fossil is paid for an award and leaves the game face up (FC-28).",
    _from_hand("{seat} {pay|pays} {fossil}"),
    [FOSSIL, HIDDEN, FACE_UP],
    changes=[("hidden", "seat", "-hidden"), ("open", "seat", "-face_up"), ("spent", "", 1)],
)
AWARDED = EVENTS.add(
    "awarded",
    "The award is paid and goes to the museum (FC-28).",
    "{seat} {get|gets} {award}: {points:point}.",
    [AWARD, POINTS],
    scored="awards",
    changes=[("scores", "seat", "points"), ("awards", "seat", 1)],
)

# ---------------------------------------------------------------- the end

END_PHASE = EVENTS.add(
    "end_phase",
    "A turn would begin with an empty site: the end phase begins, with all fossils face up "
    "(FC-30).",
    "The dig site is empty: the end phase begins, with all fossils face up.",
)
SKIPPED = EVENTS.add(
    "skipped",
    "In the end phase, a player who can neither begin an exchange nor claim an award has no turn "
    "(FC-32).",
    "{seat} can neither exchange nor claim an award and {are|is} skipped.",
)
BONUS = EVENTS.add(
    "bonus",
    "A bonus is awarded at the end. `tied`: several have the most skeletons, and the sum of their "
    "values decides (FC-34).",
    lambda values: (
        "{seat} {get|gets} {bonus}"
        + (", by their values after a tie" if values["tied"] else "")
        + ": {points:point}."
    ),
    [BONUS_PIECE, POINTS, Flag("tied")],
    scored="bonuses",
    changes=[("scores", "seat", "points"), ("bonuses", "seat", 1)],
    together=True,
)
NO_BONUS = EVENTS.add(
    "no_bonus",
    "A bonus goes to nobody. `tied`: because of a tie in number and values, not for want of "
    "skeletons (FC-34).",
    lambda values: (
        "Nobody gets {bonus}" + (": a tie in number and values." if values["tied"] else ".")
    ),
    [BONUS_PIECE, Flag("tied")],
    together=True,
)


def _exchange_headline(view: Mapping[str, Any]) -> str:
    """The question of the phase ``exchange``, with the price."""
    made = view["exchanges"]
    if made == box.MAX_EXCHANGES:
        return "claim an award, or finish"
    return f"exchange {counted(made + 1, 'fossil')} for one of another player, or finish"


HEADLINES = {
    "setup": "choose which fossils stay hidden",
    "dig": "dig a fossil ({digs} to go)",
    "keep": "keep the fossil just dug, or put it back",
    "exchange": _exchange_headline,
    "give": lambda view: f"give a fossil ({view['exchange']['left']} to go)",
    "take": "take a fossil",
    "bonus": "dig one more fossil",
    "adjust": "choose which fossils are hidden",
    "pay": lambda view: (
        f"pay trace fossils for the {view['claim']['award']} award ({view['claim']['paid']} paid)"
    ),
}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended (FC-33, FC-36), and how a tie was broken (FC-35)."""
    rounds = view["options"]["stalemate_rounds"]
    why = {
        "exhausted": "No skeleton can be completed any more, and no award be claimed.",
        "passed": "Nobody made an exchange or claimed an award for a whole round.",
        "stalemate": f"Nobody got a skeleton or an award for {counted(rounds, 'round')}.",
        "turns": "No bonuses are awarded." if view["options"]["endgame_bonuses"] else "",
    }[view["ended"]]
    return f"{why} {_tie_break(view)}".strip()


def _tie_break(view: Mapping[str, Any]) -> str:
    """FC-35: what decides between players with equal points; nothing without a tie."""
    tied = [seat for seat, score in enumerate(view["scores"]) if score == max(view["scores"])]
    if len(tied) == 1:
        return ""
    decides = "decides" if len(view["winners"]) < len(tied) else "does not decide either"
    return f"{len(tied)} players have the most points, and the most valuable skeleton {decides}."
