"""How the cards of Dino Dig are written and read: stacks, museums, backpacks, the hand, the supply.

Cards are linked in stacks by their numbers, so that no card may be read twice; that also bounds
every stack.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.snapshots import codecs as c
from dig_envs.games.dino_dig import components as box

Record = Any
CARD_KEYS, SITE_KEYS = ("card", "known"), ("card", "up", "known")
CODE_SCHEMA: c.JsonSchema = {"enum": list(box.CARDS)}
KNOWN_SCHEMA: c.JsonSchema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "uniqueItems": True,
}
CARD_SCHEMA = c.object_of({"card": CODE_SCHEMA, "known": KNOWN_SCHEMA})
STACK_SCHEMA: c.JsonSchema = {
    "type": "array",
    "items": c.object_of({"card": CODE_SCHEMA, "up": {"type": "boolean"}, "known": KNOWN_SCHEMA}),
    "description": "bounded by the cards in the game",
}


# ---------------------------------------------------------------- a card


def knowers(state: Record, card: int) -> list[int]:
    return [p for p in range(int(state["num_players"])) if int(state["known"][p]) >> card & 1]


def write_card(state: Record, card: int) -> dict[str, Any]:
    """A card and the seats that know it, as JSON."""
    return {"card": box.CARD_TEXTS[card], "known": knowers(state, card)}


def read_code(state: Record, value: Any, key: str, place: int) -> int:
    """The number of a card, which must not have been read before; it is put down as being at the
    place."""
    card = 1 + c.require_choice(value, key, box.CARDS)
    c.require(int(state["place"][card]) == box.NOWHERE, key, f"the card {value!r} is in two places")
    state["place"][card] = place
    return card


def read_known(state: Record, card: int, value: Any, key: str) -> None:
    seats = int(state["num_players"])
    entries = [
        c.require_integer(seat, key, 0, seats - 1)
        for seat in c.require_list(value, key, most=seats)
    ]
    c.require(entries == sorted(set(entries)), key, "are seats in ascending order, each once")
    for seat in entries:
        state["known"][seat] |= 1 << card


def read_card(
    state: Record, value: Any, key: str, place: int, keys: Sequence[str] = CARD_KEYS
) -> int:
    """The number of a card; one on the site, with other ``keys``, may lie face up."""
    given = c.require_object(value, key, keys)
    card = read_code(state, given["card"], f"{key}.card", place)
    if "up" in keys:
        c.require(
            isinstance(given["up"], bool),
            f"{key}.up",
            f"must be true or false, not {shown_in_message(given['up'])}",
        )
        state["face_up"] |= int(given["up"]) << card
    read_known(state, card, given["known"], f"{key}.known")
    return card


def stack(state: Record, top: int) -> list[int]:
    """The cards of a stack, bottom first; raises ValueError if a record from outside has them lie
    on each other in a circle."""
    found: list[int] = []
    while top != box.NONE:
        if len(found) == box.NUM_CARDS:
            raise ValueError(
                f"the card {box.CARD_TEXTS[top]} lies on itself: the stacks go round in a circle"
            )
        found.append(top)
        top = int(state["below"][top])
    return found[::-1]


def link(state: Record, numbers: Sequence[int]) -> int:
    """Lay cards on each other, bottom first; returns the top one."""
    top = box.NONE
    for card in numbers:
        state["below"][card] = top
        top = card
    return top


# ---------------------------------------------------------------- codecs


@dataclass(frozen=True)
class Site(c.Codec):
    """The squares of the site, each with its cards, bottom first."""

    def write(self, state: Record, name: str, at: c.Place) -> dict[str, list[dict[str, Any]]]:
        squares = [n for n in range(1, box.NUM_SQUARES + 1) if int(state["squares"]) >> n & 1]
        return {
            box.PLACES[n]: [
                _write_on_site(state, card) for card in stack(state, int(state["top"][n]))
            ]
            for n in squares
        }

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        c.require(
            isinstance(value, Mapping), key, f"must be an object, not {shown_in_message(value)}"
        )
        for text, entries in value.items():
            square = 1 + c.require_choice(text, key, box.SQUARES)
            state["squares"] |= 1 << square
            numbers = [
                read_card(state, entry, f"{key}.{text}.{i}", square, SITE_KEYS)
                for i, entry in enumerate(
                    c.require_list(entries, f"{key}.{text}", most=box.NUM_CARDS)
                )
            ]
            state["top"][square] = link(state, numbers)
            state["level"][numbers] = range(len(numbers))
            state["height"][square] = len(numbers)

    def json_schema(self) -> c.JsonSchema:
        return c.object_of(dict.fromkeys(box.SQUARES, STACK_SCHEMA), required=())


def _write_on_site(state: Record, card: int) -> dict[str, Any]:
    up = bool(int(state["face_up"]) >> card & 1)
    return {"card": box.CARD_TEXTS[card], "up": up, "known": knowers(state, card)}


@dataclass(frozen=True)
class Supply(c.Codec):
    """The cards that are still to be laid, top last; nobody knows them."""

    def write(self, state: Record, name: str, at: c.Place) -> list[str | None]:
        return [box.CARD_TEXTS[card] for card in stack(state, int(state["supply_top"]))]

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        entries = c.require_list(value, key, most=box.MAX_SUPPLY)
        numbers = [read_code(state, code, key, box.IN_SUPPLY) for code in entries]
        state["supply_top"] = link(state, numbers)
        state["supply_size"] = len(numbers)

    def json_schema(self) -> c.JsonSchema:
        return {
            "type": "array",
            "items": CODE_SCHEMA,
            "maxItems": box.MAX_SUPPLY,
            "description": "bounded by the cards in the game",
        }


@dataclass(frozen=True)
class Museum(c.Codec):
    """The cards in the museum of one seat, in the order in which they came; for use in
    ``PerSeat``."""

    def write(self, state: Record, name: str, at: c.Place) -> list[dict[str, Any]]:
        return [
            write_card(state, card) for card in stack(state, int(c.get(state, "museum_top", at)))
        ]

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        entries = c.require_list(value, key, most=box.NUM_CARDS)
        numbers = [
            read_card(state, entry, f"{key}.{i}", box.IN_MUSEUM + at[0])
            for i, entry in enumerate(entries)
        ]
        c.put(state, "museum_top", at, link(state, numbers))
        c.put(state, "museum_size", at, len(numbers))
        c.put(state, "museum", at, sum(1 << card for card in numbers))

    def json_schema(self) -> c.JsonSchema:
        return {
            "type": "array",
            "items": CARD_SCHEMA,
            "description": "bounded by the cards in the game",
        }


@dataclass(frozen=True)
class Backpacks(c.Codec):
    """The cards in the backpacks of one seat, null where there is none; for use in ``PerSeat``."""

    def write(self, state: Record, name: str, at: c.Place) -> list[dict[str, Any] | None]:
        return [write_card(state, int(card)) if card else None for card in c.get(state, name, at)]

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        for k, entry in enumerate(c.require_list(value, key, length=box.PIECES)):
            if entry is not None:
                place = box.IN_BACKPACK + box.PIECES * at[0] + k
                c.put(state, name, (*at, k), read_card(state, entry, f"{key}.{k}", place))

    def json_schema(self) -> c.JsonSchema:
        return {
            "type": "array",
            "items": c.or_null(CARD_SCHEMA),
            "minItems": box.PIECES,
            "maxItems": box.PIECES,
        }


@dataclass(frozen=True)
class Hand(c.Codec):
    """The card in hand, or null."""

    def write(self, state: Record, name: str, at: c.Place) -> dict[str, Any] | None:
        card = int(state["hand"])
        return write_card(state, card) if card else None

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        if value is not None:
            state["hand"] = read_card(state, value, key, box.IN_HAND)

    def json_schema(self) -> c.JsonSchema:
        return c.or_null(CARD_SCHEMA)


@dataclass(frozen=True)
class Skeleton(c.Codec):
    """The skeleton of one seat when the game is over; for use in ``PerSeat``."""

    def write(self, state: Record, name: str, at: c.Place) -> dict[str, Any]:
        cards = c.get(state, "runs", at)[: int(c.get(state, "runs_len", at))]
        return {
            "cards": [box.CARD_TEXTS[int(card)] for card in cards],
            "high": int(c.get(state, "runs_high", at)),
        }

    def read(self, state: Record, name: str, at: c.Place, value: Any, key: str) -> None:
        given = c.require_object(value, key, ("cards", "high"))
        entries = c.require_list(given["cards"], f"{key}.cards", most=box.NUM_VALUES)
        numbers = [1 + c.require_choice(code, f"{key}.cards", box.CARDS) for code in entries]
        c.get(state, "runs", at)[: len(numbers)] = numbers
        c.put(state, "runs_len", at, len(numbers))
        highest = box.LOWEST_VALUE + box.NUM_VALUES - 1
        c.put(state, "runs_high", at, c.require_integer(given["high"], f"{key}.high", 0, highest))

    def json_schema(self) -> c.JsonSchema:
        high = {"type": "integer", "minimum": 0, "maximum": box.LOWEST_VALUE + box.NUM_VALUES - 1}
        cards = {
            "type": "array",
            "items": CODE_SCHEMA,
            "description": f"bounded by the {box.NUM_VALUES} values",
        }
        return c.object_of({"cards": cards, "high": high})
