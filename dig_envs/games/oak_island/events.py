"""What happens in The Treasure of Oak Island: the kinds of events and how they are said. Nothing of
it is hidden."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.events import Events, Number, Thing, Things, Who
from dig_envs.engine.core.words import counted, enumeration
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island.data import DIGGING, LOCATIONS
from dig_envs.games.oak_island.state import PLACE_NAMES, extra_in

EVENTS = Events(limit="round", money="money", ifso="ifso", clues="clues", bag="bag")

CHARACTER_NAMES = tuple(name.replace("_", " ") for name in box.CHARACTERS)
CHARACTER = Thing("character", names=box.CHARACTERS, called=CHARACTER_NAMES)
PLACE = Thing("place", names=LOCATIONS, called=PLACE_NAMES)
COST = Number("cost")
CUBES = {
    "brown": "cube of dirt/cubes of dirt",
    "green": "green cube",
    "blue": 'blue "If so" cube',
    "red": "Bobby Dazzler",
}
# cubes that are pulled: how many of each colour, and what changes with them
PULLED = (*(Number(colour) for colour in box.CUBE_NAMES), Number("earned"))
GAINED = (
    ("money", "seat", "earned"),
    ("ifso", "seat", "blue"),
    ("scores", "seat", "red"),
    *(("bag", "", f"-{colour}") for colour in box.CUBE_NAMES),
)


def for_money(cost: int) -> str:
    """The end of a sentence with the price; "" if it was free."""
    return " for ${cost}" if cost else ""


def pulled(values: Mapping[str, Any]) -> str:
    return (
        f"{{seat}} {{dig|digs}} at {{place}}{for_money(values['cost'])} and {{pull|pulls}} "
        f"{cubes_of(values)}."
    )


def cubes_of(values: Mapping[str, Any]) -> str:
    """The end of a sentence about pulled cubes and what they earn."""
    found = [counted(values[colour], name) for colour, name in CUBES.items() if values[colour]]
    found += ["the yellow cube"] * values["yellow"]
    return enumeration(found) + ("; {seat} {earn|earns} ${earned}" if values["earned"] else "")


def extra_cube(values: Mapping[str, Any]) -> str:
    return f"{{seat}} {{pull|pulls}} an extra cube: {cubes_of(values)}."


def traded(values: Mapping[str, Any]) -> str:
    got = ["{clues:clue token}"] * (values["clues"] > 0) + ["${cash}"] * (values["cash"] > 0)
    return (
        f'{{seat}} {{trade|trades}} {{ifso:"If so" cube}} for {enumeration(got)} at the '
        "interpretive centre."
    )


def converted(values: Mapping[str, Any]) -> str:
    """A Bobby Dazzler is given away."""
    clue = " and a clue token" if values["clues"] else ""
    return (
        f"{{seat}} {{give|gives}} a Bobby Dazzler for ${{cash}}{clue} at the interpretive centre."
    )


def begun(values: Mapping[str, Any]) -> str:
    """A part of the round begins."""
    part = f"Episode {values['episode']}" if values["episode"] else "The War Room"
    return f"{part} begins with {{first}}."


ROUND = EVENTS.add(
    "round",
    "A round begins; everybody gets money (OI-1, OI-2), and all characters return to the compass "
    "(OI-3).",
    "Round {round} begins: everybody gets ${money}, and all characters are on the compass.",
    [Number("round"), Number("money")],
    changes=[("money", "all", "money")],
)
BEGUN = EVENTS.add(
    "begun",
    "A War Room (episode 0) or an Episode begins with its first player (OI-6).",
    begun,
    [Number("episode"), Who("first")],
)
PLACED = EVENTS.add(
    "placed",
    "A character goes from the compass to a location (OI-4).",
    "{seat} {send|sends} {character} to {place}.",
    [CHARACTER, PLACE],
)
RELOCATED = EVENTS.add(
    "relocated",
    "A character goes from one location to another, for money (OI-4).",
    "{seat} {pay|pays} ${cost} and {move|moves} {character} to {place}.",
    [CHARACTER, PLACE, COST],
    changes=[("money", "seat", "-cost")],
)
ACTIVE = EVENTS.add(
    "active", "The compass is empty; these locations are active in the Episodes (OI-5, OI-7).",
    "Active now: {places}.", [Things("places", names=LOCATIONS, called=PLACE_NAMES)],
)  # fmt: skip
DUG = EVENTS.add(
    "dug",
    "A player digs: the price, and the cubes pulled of each colour; green ones pay at once (OI-9 "
    "to OI-11).",
    pulled,
    [PLACE, COST, *PULLED],
    scored="Bobby Dazzlers found",
    changes=[("money", "seat", "-cost"), *GAINED],
)
FOUND = EVENTS.add(
    "found", "The yellow cube wins the game (OI-17).", "{seat} {have|has} found the treasure!"
)
LAIRD_CAME = EVENTS.add(
    "laird_came",
    "A red cube of the lots or the swamp brings Laird (OI-15).",
    "Laird comes to {seat}.",
)
LAIRD_LEFT = EVENTS.add(
    "laird_left",
    "Laird goes to the interpretive centre with its user (OI-16).",
    "Laird leaves {seat} for the interpretive centre.",
)
PUT_BACK = EVENTS.add(
    "put_back",
    "If so cubes beyond the limit go back into the bag, which is shuffled (OI-12).",
    '{seat} {put|puts} {ifso:"If so" cube} back into the bag, which is shuffled.',
    [Number("ifso")],
    changes=[("ifso", "seat", "-ifso"), ("bag", "", "ifso")],
)
TRADED = EVENTS.add(
    "traded",
    "If so cubes are traded for clue tokens and cash (OI-13).",
    traded,
    [Number("ifso"), Number("clues"), Number("cash")],
    changes=[("ifso", "seat", "-ifso"), ("clues", "seat", "clues"), ("money", "seat", "cash")],
)
CONVERTED = EVENTS.add(
    "converted",
    "A Bobby Dazzler is given for money and, below the limit, a clue token (OI-14).",
    converted,
    [Number("cash"), Number("clues")],
    scored="Bobby Dazzlers given away",
    changes=[("scores", "seat", -1), ("money", "seat", "cash"), ("clues", "seat", "clues")],
)
VISITED = EVENTS.add(
    "visited",
    "The player who has Laird uses the interpretive centre without a trade (OI-16).",
    "{seat} {visit|visits} the interpretive centre.",
)
PAID = EVENTS.add(
    "paid",
    "The interpretive centre has a price (OI-13, OI-14; none in the rulebook's box).",
    "{seat} {pay|pays} ${cost} at the interpretive centre.",
    [COST],
    changes=[("money", "seat", "-cost")],
)
SKIPPED = EVENTS.add(
    "skipped",
    "The player can do nothing (OI-8).",
    "{seat} can do nothing and {skip|skips} the turn.",
)
EXTRA = EVENTS.add(
    "extra",
    "A player pulls an extra cube after the others of a dig are seen; a green one pays at once "
    "(OI-19).",
    extra_cube,
    PULLED,
    scored="Bobby Dazzlers found",
    changes=GAINED,
)
STOPPED = EVENTS.add(
    "stopped",
    "A player who may pull an extra cube pulls no more (OI-19).",
    "{seat} {pull|pulls} no more cubes.",
)


def more_or_stop(view: Mapping[str, Any]) -> str:
    place = PLACE_NAMES[DIGGING.index(view["dig"]["place"])]
    extra = counted(extra_in(view), "extra cube") if extra_in(view) else "no extra cube"
    return f"dig at {place} with one more cube, or stop with {extra}"


HEADLINES = {
    "war": "send a character to a location",
    "episode": "dig at an active location, or use the interpretive centre",
    "extra": more_or_stop,
}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended, and what decided it (OI-17, OI-18)."""
    if not view["truncated"]:
        return "The treasure is found."
    if not view["winners"]:
        return "Nobody has found the treasure."
    leaders = [
        money
        for score, money in zip(view["scores"], view["money"], strict=True)
        if score == max(view["scores"])
    ]
    if len(leaders) == 1:
        return "Nobody has found the treasure: the most Bobby Dazzlers win."
    if leaders.count(max(leaders)) > 1:
        return "Nobody has found the treasure: equally many Bobby Dazzlers, and as much money."
    return (
        "Nobody has found the treasure: of those with the most Bobby Dazzlers the most money wins."
    )
