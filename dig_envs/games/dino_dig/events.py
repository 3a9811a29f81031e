"""What happens in Dino Dig: the kinds of events, who may know how much of them, and how they are
said.

Cards are told as they are known (DD-20): to the seats that have seen them, whoever handles them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.engine.core.events import Events, Flag, Number, Seats, Thing, Things, Who
from dig_envs.games.dino_dig import components as box

EVENTS = Events(museum="museums", supply="supply", squares="site")

THE_CARDS = tuple(name if name.startswith("joker") else f"the {name}" for name in box.CARD_NAMES)
RED = 2 * box.NUM_VALUES  # hearts and diamonds, the first cards of the table order

PIECE = Number("piece")  # 1 to 3
SQUARE_NAMES = tuple(f"square {text}" for text in box.SQUARES)
SQUARE = Thing("square", names=box.SQUARES, called=SQUARE_NAMES)
SUIT = Thing("suit", names=box.SUITS, called=box.SUIT_NAMES)
ONLY = Flag("only")  # one possibility was left, so that the seat was not asked (DD-8)
CARD = Thing("card", names=box.CARDS, called=THE_CARDS)
HIDDEN_CARD = Thing("card", hidden=True, names=box.CARDS, called=THE_CARDS)
KNOWN = Seats("known", knows=True)  # the seats that know the card
# the jokers are among the black ones
SOME_CARDS = (
    Things("red", names=box.CARDS[:RED], called=box.CARD_NAMES[:RED]),
    Things("black", names=box.CARDS[RED:], called=box.CARD_NAMES[RED:]),
)


def _chose_base(values: Mapping[str, Any]) -> str:
    if values["only"]:
        return "{seat} {get|gets} the home base beside {square}, the only one left."
    return "{seat} {choose|chooses} the home base beside {square}."


def _chose_contract(values: Mapping[str, Any]) -> str:
    if values["only"]:
        return "{seat} {collect|collects} {suit}, the only suit left (the contract)."
    return "{seat} {choose|chooses} to collect {suit} (the contract)."


def _moved(values: Mapping[str, Any]) -> str:
    if values["to"] == "home":
        return "{seat} {move|moves} piece {piece} home."
    out = "out of the base " if values["from"] == "home" else ""
    return f"{{seat}} {{move|moves}} piece {{piece}} {out}to {{to}}."


def _in_words(cards: Sequence[str]) -> str:
    return ", ".join(box.CARD_NAMES[box.CARDS.index(card)] for card in cards)


def _museum(values: Mapping[str, Any]) -> str:
    return (
        f"{{seat}} {{turn|turns}} up the museum: "
        f"{_in_words([*values['red'], *values['black']]) or 'no cards'}."
    )


def _skeleton(values: Mapping[str, Any]) -> str:
    if values["points"] == 0:
        return "{seat} {have|has} no skeleton."
    return (
        f"{{seat}} {{declare|declares}} a skeleton of {{points:card}}: {', '.join(_run(values))}."
    )


def _run(values: Mapping[str, Any]) -> list[str]:
    """The cards of a skeleton in words, lowest value first; jokers fill the gaps (DD-29)."""
    cards = {
        card[0]: _in_words([card]) for card in [*values["red"], *values["black"]] if card[0] != "X"
    }
    jokers = (_in_words([card]) for card in values["black"] if card[0] == "X")
    end = values["high"] - box.LOWEST_VALUE + 1
    ranks = [
        (box.RANKS[place], box.RANK_NAMES[place]) for place in range(end - values["points"], end)
    ]
    return [cards[rank] if rank in cards else f"{next(jokers)} as {name}" for rank, name in ranks]


# ---------------------------------------------------------------- set-up

LAID = EVENTS.add(
    "laid",
    "A player lays the top card of the supply, which nobody sees, face down on a square or a new "
    "one (DD-5).",
    lambda values: (
        "{seat} {lay|lays} the top card of the supply on {square}"
        + (", a new square." if values["new"] else ".")
    ),
    [SQUARE, Flag("new")],
    changes=[("supply", "", -1), ("squares", "", "new")],
)
CHOSE_BASE = EVENTS.add(
    "chose_base",
    "A player chooses a base square, or gets the only one left (DD-3 to DD-5, DD-8).",
    _chose_base,
    [SQUARE, ONLY],
)
CHOSE_CONTRACT = EVENTS.add(
    "chose_contract",
    "A player chooses a suit, or gets the only one left (DD-6, DD-8).",
    _chose_contract,
    [SUIT, ONLY],
)
WROTE_CONTRACT = EVENTS.add(
    "wrote_contract",
    "A player writes down a suit, secretly (DD-7).",
    "{seat} {write|writes} down {suit} in secret (the contract).",
    [Thing("suit", hidden=True, names=box.SUITS, called=box.SUIT_NAMES)],
    others="{seat} {write|writes} down a suit in secret (the contract).",
)

# ---------------------------------------------------------------- actions of pieces

MOVED = EVENTS.add(
    "moved",
    "A piece moves to an adjacent square, home, or out of the base (DD-10).",
    _moved,
    [
        PIECE,
        *(Thing(name, names=box.PLACES, called=("home", *SQUARE_NAMES)) for name in ("from", "to")),
    ],
)
DUG = EVENTS.add(
    "dug",
    "A piece digs: the top card of its square comes to the hand, and the player sees it (DD-11).",
    "{seat} {dig|digs} {card} with piece {piece} on {square}.",
    [PIECE, SQUARE, HIDDEN_CARD, KNOWN],
    others="{seat} {dig|digs} a card with piece {piece} on {square}.",
)
UNLOADED = EVENTS.add(
    "unloaded",
    "A piece unloads: the card in its backpack comes to the hand (DD-12).",
    "{seat} {unload|unloads} {card} from the backpack of piece {piece}.",
    [PIECE, HIDDEN_CARD, KNOWN],
    others="{seat} {unload|unloads} the card from the backpack of piece {piece}.",
)
ENDED_TURN = EVENTS.add(
    "ended_turn",
    "A player ends the turn before all three pieces have acted (DD-9).",
    "{seat} {end|ends} the turn.",
)

# ---------------------------------------------------------------- the card in hand

LAID_FACE_UP = EVENTS.add(
    "laid_face_up",
    "The card in hand is laid face up on a square, for all to see (DD-14).",
    "{seat} {lay|lays} {card} face up on {square}.",
    [SQUARE, CARD],
)
BROUGHT_HOME = EVENTS.add(
    "brought_home",
    "The card in hand goes into the museum, face down (DD-15).",
    "{seat} {put|puts} {card} into the museum.",
    [HIDDEN_CARD, KNOWN],
    others="{seat} {put|puts} the card into the museum.",
    changes=[("museum", "seat", 1)],
)
LAID_FACE_DOWN = EVENTS.add(
    "laid_face_down",
    "The card in hand is laid face down on the square of its handler (DD-16).",
    "{seat} {lay|lays} {card} face down on {square}.",
    [SQUARE, HIDDEN_CARD, KNOWN],
    others="{seat} {lay|lays} the card face down on {square}.",
)
STOWED = EVENTS.add(
    "stowed",
    "The card in hand goes into the backpack of its handler (DD-17).",
    "{seat} {put|puts} {card} into the backpack of piece {piece}.",
    [PIECE, HIDDEN_CARD, KNOWN],
    others="{seat} {put|puts} the card into the backpack of piece {piece}.",
)
SWAPPED = EVENTS.add(
    "swapped",
    "The card that was in the backpack before comes to the hand (DD-17).",
    "{seat} {take|takes} {card} out of that backpack.",
    [PIECE, HIDDEN_CARD, KNOWN],
    others="{seat} {take|takes} the old card out of that backpack.",
)
PASSED = EVENTS.add(
    "passed",
    "The card in hand goes by express to another piece of the player, its handler from now on "
    "(DD-18).",
    "{seat} {hand|hands} {card} on to piece {to}.",
    [Number("from"), Number("to"), HIDDEN_CARD, KNOWN],
    others="{seat} {hand|hands} the card on to piece {to}.",
)

# ---------------------------------------------------------------- the end

FINISHED = EVENTS.add(
    "finished",
    "All pieces of a player are at home, with enough cards in the museum: the game is over "
    "(DD-21).",
    "{seat} {have|has} all three pieces at home and {cards:card} in the museum: the dig is over.",
    [Number("cards")],
)
SHOWED_CONTRACT = EVENTS.add(
    "showed_contract",
    "The game is over, and a secret contract is shown (DD-7).",
    "{seat} {have|has} collected {suit}.",
    [SUIT],
)
LOST = EVENTS.add(
    "lost",
    "At the end a card in a backpack goes to the museum of another player, where it follows on a "
    "card of the contract (DD-22).",
    "{card}, in the backpack of {seat's} piece {piece}, goes to {taker's} museum.",
    [PIECE, CARD, Who("taker")],
    changes=[("museum", "taker", 1)],
)
TURNED_UP_MUSEUM = EVENTS.add(
    "turned_up_museum",
    "At the end a museum is turned up (DD-23).",
    _museum,
    SOME_CARDS,
    together=True,
)
TURNED_UP_BACKPACK = EVENTS.add(
    "turned_up_backpack",
    "At the end a card that has stayed in a backpack is turned up (DD-23).",
    "{seat's} piece {piece} has {card} in the backpack.",
    [PIECE, CARD],
    together=True,
)
DECLARED = EVENTS.add(
    "declared",
    "A player's best skeleton is declared: as many points as cards (DD-27 to DD-30).",
    _skeleton,
    [Number("points"), Number("high"), *SOME_CARDS],
    scored="best skeleton",
    changes=[("scores", "seat", "points")],
    together=True,
)


def _contract(view: Mapping[str, Any]) -> str:
    return (
        "write down a suit to collect in secret (your contract)"
        if view["options"]["contract"] == "freelance"
        else "choose a suit to collect (your contract)"
    )


def _card(view: Mapping[str, Any]) -> str:
    code = view["hand"]["card"]
    card = "the card in hand" if code is None else THE_CARDS[box.CARDS.index(code)]
    return f"find a place for {card}, which piece {view['chain'][-1]} holds"


HEADLINES = {
    "lay": "lay the top card of the supply on a square or beside one",
    "base": "choose a base square",
    "contract": _contract,
    "act": "move, dig or unload with a piece that has not acted, or end the turn",
    "card": _card,
}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended (DD-21; empty for the turn limit), and whether the high of
    skeletons decided (DD-30)."""
    how = (
        []
        if view["truncated"]
        else ["All pieces of a player are at home, with five or more cards in the museum."]
    )
    longest = [p for p, score in enumerate(view["scores"]) if score == max(view["scores"])]
    if len(view["winners"]) < len(longest):
        how.append("Of the longest skeletons, that with the greatest high has won.")
    elif len(longest) > 1 and max(view["scores"]) > 0:
        how.append("The longest skeletons have the same high.")
    return " ".join(how)
