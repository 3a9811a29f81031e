"""Why to turn up a card: what you are shown of it."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s


def flip(sight: Sight, row: int, column: int) -> str:
    """What the card is, or how many of the unknown ones fit those of this turn."""
    grid, up = sight.view["grid"], sight.view["up"]
    card = grid[(row - 1) * box.COLUMNS + column - 1]
    begun = grid[box.PLACES.index(up[0])][:3] if up else ""
    genus = begun if card is None else card[:3]
    shown = sum(one is not None and one.startswith(genus) for one in grid)
    parts = int(deck.PARTS[deck.GENERA.index(genus)]) if genus else 0
    if card is None:
        fit = parts - shown
        words = f"Of the {grid.count(None)} cards that you do not know {fit or 'none'} fit"
        return f"{words}{'' if fit > 1 else 's'}" if begun else ""
    name = deck.TYPE_NAMES[deck.TYPES.index(card)]
    if begun and genus != begun:
        return f"It is {name}, which does not fit: the turn ends"
    return f"It is {name}; you know the places of {shown} of its {parts} parts"


REASONS = {s.A_FLIP: flip}
