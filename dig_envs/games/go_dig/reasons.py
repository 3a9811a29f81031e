"""Why to ask a player for a genus."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.games import fossil_deck as deck
from dig_envs.games.go_dig import state as s


def ask(sight: Sight, step: int, genus: str) -> str:
    """Who has one for sure, and how much of the skeleton is in the own hand."""
    view, other = sight.view, sight.after(step)
    place, name = deck.GENERA.index(genus), sight.name(other)
    own = len({card for card in view["hands"][sight.seat] if card.startswith(genus)})
    parts = f"you hold {own} of its {deck.PARTS[place]} parts"
    if own == deck.PARTS[place] - 1:
        parts = f"you lack only one part of a skeleton worth {deck.VALUE[place]} points"
    if (
        any(card.startswith(genus) for card in view["known"][other])
        or genus in view["asked"][other]
    ):
        return f"{name} has one for sure; {parts}"
    if view["maybe"][other][place] == 0:
        told = [*view["asked"][sight.seat], *view["known"][sight.seat]]
        known = any(card.startswith(genus) for card in told)
        return f"You only draw a card, and {name} learns nothing of your hand" if known else ""
    return f"{parts.capitalize()}, and {name} may have one"


REASONS = {s.A_ASK: ask}
