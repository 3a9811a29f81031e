"""The passages of a mine in a snapshot or a view, for text and picture (DG-6 to DG-8, DG-12)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dig_envs.games.diggity import components as box


class Passage(NamedTuple):
    """A passage of a card of the mine: the card's place, the side of the table it points to, its
    exit, which cards fit there.

    ``fits``: bit 0, a card by one of its short sides; bit 1, by one of its long sides; None if the
    passage is connected.
    """

    card: int
    side: int
    x: int
    y: int
    fits: int | None


def sides_of(code: str, r: int = 0) -> list[int]:
    """The sides of the table that the passages of a card point to if it is turned by r."""
    bits = int(box.TURNED[box.PASSAGES[box.CODES.index(code)], r])
    return [side for side in range(box.NUM_SIDES) if bits >> side & 1]


def passages_of(mine: Sequence[Mapping[str, Any]]) -> list[Passage]:
    """The passages of all cards of a mine, oldest card first, each in the order N, E, S, W."""
    lying = [
        (card["x"], card["y"], int(box.HALF_X[card["r"]]), int(box.HALF_Y[card["r"]]))
        for card in mine
    ]

    def is_free(at_x: int, at_y: int, turn: int) -> bool:
        wide, tall = int(box.HALF_X[turn]), int(box.HALF_Y[turn])
        return all(
            abs(x - at_x) >= half_x + wide or abs(y - at_y) >= half_y + tall
            for x, y, half_x, half_y in lying
        )

    found = []
    for place, card in enumerate(mine):
        for side in sides_of(card["card"], card["r"]):
            x, y, half_x, half_y = lying[place]
            found.append(
                (place, side, x + int(box.DX[side]) * half_x, y + int(box.DY[side]) * half_y)
            )
    exits = {(x, y, side) for _, side, x, y in found}
    passages = []
    for place, side, at_x, at_y in found:
        fits = None
        if (at_x, at_y, (side + 2) % 4) not in exits:
            fits = 0
            for kind in range(2):
                turn = side ^ kind
                centre = (
                    at_x + int(box.DX[side] * box.HALF_X[turn]),
                    at_y + int(box.DY[side] * box.HALF_Y[turn]),
                )
                fits |= is_free(*centre, turn) << kind
        passages.append(Passage(place, side, at_x, at_y, fits))
    return passages


def open_passages(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that can be built on, in the order of their numbers."""
    return [passage for passage in passages if passage.fits][: box.MAX_OPEN]


def attached(
    mine: Sequence[Mapping[str, Any]], code: str, number: int, side: int
) -> dict[str, Any]:
    """A card that is attached by a passage of its own to an open one, as in a mine (DG-12)."""
    passage = open_passages(passages_of(mine))[number]
    r = (passage.side + 2 - side) % box.NUM_TURNS
    x = passage.x + int(box.DX[passage.side] * box.HALF_X[r])
    y = passage.y + int(box.DY[passage.side] * box.HALF_Y[r])
    return {"card": code, "x": x, "y": y, "r": r}


def neighbours(passages: Sequence[Passage]) -> dict[int, set[int]]:
    """The cards that each card of a mine is connected to (DG-7)."""
    exits = {(one.x, one.y, one.side): one.card for one in passages}
    found: dict[int, set[int]] = {one.card: set() for one in passages}
    for one in passages:
        if one.fits is None:
            found[one.card].add(exits[one.x, one.y, (one.side + 2) % box.NUM_SIDES])
    return found
