"""Why to pick a card, to make a thing, or to keep the tools."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import AN, enumeration
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import state as s


def _a(thing: str) -> str:
    return f"{'an' if AN.match(thing) else 'a'} {thing}"


def card(sight: Sight, number: int) -> str:
    """What the symbol of the card is a part of, without the tools that the seat has."""
    code = sight.view["hands"][sight.seat][number]
    own = sight.view["tools"][sight.seat]
    things = [_a(thing) for thing in box.THINGS if code[0] in box.PARTS[thing] and thing not in own]
    name = box.SYMBOL_NAMES[box.SYMBOLS.index(code[0])]
    return f"A {name} is a part of {enumeration(things)}, which you lack" if things else ""


def take(sight: Sight, thing: str) -> str:
    """What a miner brings, or which place a tool has in an auction."""
    if thing == "miner":
        return f"A miner turns up one of the {sight.view['gold']} gold cards"
    own = sight.view["tools"][sight.seat]
    earlier = box.TOOLS[: box.TOOLS.index(thing)]
    if not earlier:
        return "Only a shovel begins an auction"
    have = [_a(tool) for tool in earlier if tool in own]
    before = enumeration([_a(tool) for tool in earlier])
    return f"An auction needs {before} before it; you have {enumeration(have) or 'none'}"


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


REASONS = {s.A_CARD: card, s.A_TAKE: take, s.A_TOOL: play, s.A_STOP: stop}
