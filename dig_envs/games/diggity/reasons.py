"""Why to pick a card, to place it, to make a thing, or to keep the tools."""

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import AN, enumeration
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s
from dig_envs.games.diggity.passages import attached, neighbours, open_passages, passages_of


def _a(thing: str) -> str:
    return f"{'an' if AN.match(thing) else 'a'} {thing}"


def _symbol(card: Mapping[str, Any]) -> int:
    return box.SYMBOLS.index(card["card"][0])


def _bits(mine: Sequence[Mapping[str, Any]], cards: Iterable[int]) -> int:
    """The symbols of cards of the mine."""
    return functools.reduce(operator.or_, (1 << _symbol(mine[card]) for card in cards), 0)


def _things(sight: Sight, bits: int, cards: int) -> list[str]:
    """What is made, as far as it can be gained, on a mine of so many cards (DG-16, DG-17)."""
    view = sight.view
    found: list[str] = []
    others = [tools for seat, tools in enumerate(view["tools"]) if seat != sight.seat]
    for place, thing in enumerate(box.THINGS):
        if thing == "miner":
            there = cards >= box.FEWEST_FOR_A_MINER
        else:
            there = view["piles"][thing] > 0 or any(thing in tools for tools in others)
        if bits >> place & 1 and (there or view["options"]["hidden_tools"]):
            found.append(_a(thing))
    return found


def card(sight: Sight, number: int) -> str:
    """What the card makes at an open passage, or else what its symbol is a part of."""
    code, mine = sight.view["hands"][sight.seat][number], sight.view["mine"]
    symbol, bits = box.SYMBOLS.index(code[0]), 0
    passages = passages_of(mine)
    near = neighbours(passages)
    kinds = box.KINDS[box.PASSAGES[box.CODES.index(code)]]
    for one in open_passages(passages):
        if (one.fits or 0) & kinds:
            other = _symbol(mine[one.card])
            bits |= int(box.MADE_THROUGH[symbol, other, _bits(mine, near[one.card])])
    if made := _things(sight, bits, len(mine)):
        return f"It can make {' or '.join(made)} at once"
    own = sight.view["tools"][sight.seat]
    things = [_a(thing) for thing in box.THINGS if code[0] in box.PARTS[thing] and thing not in own]
    name = box.SYMBOL_NAMES[symbol]
    return f"A {name} is a part of {enumeration(things)}, which you lack" if things else ""


def place(sight: Sight, number: int, side: str) -> str:
    """What the card makes there; else whether it closes the mine there."""
    view, mine = sight.view, sight.view["mine"]
    new = attached(mine, view["chosen"], number, box.SIDES.index(side))
    mine, symbol, last = [*mine, new], _symbol(new), len(mine)
    passages = passages_of(mine)
    near = neighbours(passages)
    joined = sorted(_symbol(mine[other]) for other in near[last])
    around = _bits(mine, near[last])
    two = box.TWO_CIRCLES if joined.count(box.CIRCLE) > 1 else 0
    bits = int(box.MADE_AMONG[symbol, around | two])
    for other in near[last]:
        behind = _bits(mine, near[other] - {last})
        bits |= int(box.MADE_THROUGH[symbol, _symbol(mine[other]), behind])
    made = _things(sight, bits, last)
    beside = enumeration([_a(box.SYMBOL_NAMES[one]) for one in joined])
    if made:
        return f"Beside {beside} it makes {' or '.join(made)}"
    fits = any(one.fits for one in passages if one.card == last)
    return "" if fits else "No card can be attached to it"


def take(sight: Sight, thing: str) -> str:
    """What a miner brings, or which place a tool has in an auction."""
    if thing == "miner":
        return f"A miner turns up one of the {sight.view['gold']} gold cards"
    own = sight.view["tools"][sight.seat]
    earlier = box.TOOLS[: box.TOOLS.index(thing)]
    if not earlier:
        return "Only a shovel begins an auction"
    if any(tool not in own for tool in earlier):
        return ""
    return f"You have {enumeration([_a(tool) for tool in earlier])}: it is one more bid"


def play(sight: Sight, tool: str) -> str:
    """For how many nuggets, and whether that is the last bid."""
    value = sight.view["auction"]["value"]
    last = "; nobody can outbid a shed" if tool == box.TOOLS[-1] else ""
    return f"You lead for {value} nugget{'' if value == 1 else 's'}{last}"


def stop(sight: Sight) -> str:
    """What is left to win."""
    view, auction = sight.view, sight.view["auction"]
    if auction["leader"] == sight.seat:
        return f"You lead for {auction['value']} already"
    left = view["gold"]
    return f"You keep your tools for the {left} gold cards to come; this has {auction['value']}"


REASONS = {s.A_CARD: card, s.A_PLACE: place, s.A_TAKE: take, s.A_TOOL: play, s.A_STOP: stop}
