"""Why to turn up a card: what you have seen of it, or what the ones that you have not seen are."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import counted
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s


def _parts(genus: str) -> int:
    return int(deck.PARTS[deck.GENERA.index(genus)])


def _shown(sight: Sight, genus: str) -> int:
    """How many cards of a genus the seat knows the places of."""
    return sum(card is not None and card.startswith(genus) for card in sight.view["grid"])


def flip(sight: Sight, row: int, column: int) -> str | None:
    """What the card is, or how many of the unknown ones fit."""
    grid, up = sight.view["grid"], sight.view["up"]
    card = grid[(row - 1) * box.COLUMNS + column - 1]
    begun = grid[box.PLACES.index(up[0])][:3] if up else ""
    if card is None:
        return _first_unknown(sight) if not begun else _next_unknown(sight, begun)
    words = f"You saw {deck.TYPE_NAMES[deck.TYPES.index(card)]} here"
    genus = card[:3]
    lacking, unknown = _parts(genus) - len(up), _parts(genus) - _shown(sight, genus)
    if begun and genus != begun:
        return f"{words}: it does not fit, so you show nothing new"
    if begun and lacking == 1:
        return f"{words}: you take the whole skeleton, {_points(genus)}"
    if unknown == 0:
        return f"{words}, and the other parts elsewhere: {_points(genus)}"
    return f"{words}{': it fits' if begun else ''}, with {counted(unknown, 'part')} still to find"


def _points(genus: str) -> str:
    return counted(int(deck.VALUE[deck.GENERA.index(genus)]), "point")


def _remembers(sight: Sight) -> bool:
    """Whether the view has all that the seat has seen."""
    return bool(sight.view["options"]["recall"] == s.RECALLS[s.PERFECT])


def _unknown(sight: Sight) -> str:
    """The cards of which the seat is not shown what they are."""
    cards = counted(sight.view["grid"].count(None), "card")
    return f"{cards} that you {'do not know' if _remembers(sight) else 'cannot see now'}"


def _next_unknown(sight: Sight, begun: str) -> str | None:
    """How many of the unknown cards fit those of this turn: none, where all are known."""
    fit = _parts(begun) - _shown(sight, begun)
    return f"Of the {_unknown(sight)}, {fit} fit{'' if fit > 1 else 's'}" if fit else None


def _first_unknown(sight: Sight) -> str:
    """How many of the unknown cards go with one that the seat knows."""
    genera = {card[:3] for card in sight.view["grid"] if card}
    go = sum(_parts(genus) - _shown(sight, genus) for genus in genera)
    if go:
        return f"Of the {_unknown(sight)}, {go} go{'' if go > 1 else 'es'} with one that you know"
    if genera or not _remembers(sight):
        return ""
    return f"Any of the {_unknown(sight)} is as good as another"


REASONS = {s.A_FLIP: flip}
