"""Why to ask or guess: how many cards are possible, and how a question divides them."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s


def _possible(sight: Sight) -> dict[int, int]:
    """The genera that the card in play may be, and how many cards of each are left."""
    view = sight.view
    gone = [*view["discards"], *(card for taken in view["taken"] for card in taken)]
    left = {g: int(box.CARDS[g]) - gone.count(genus) for g, genus in enumerate(box.GENERA)}
    for text, yes in view["asked"]:
        said = int(box.YES[s.ACTIONS.names.index(text)])
        left = {g: n for g, n in left.items() if (said >> g & 1) == yes}
    return {g: n for g, n in left.items() if n > 0}


def ask(sight: Sight, *values: object) -> str | None:
    """How many of the possible cards have the answer yes; if all or none, it tells nothing."""
    del values
    left = _possible(sight)
    said = int(box.YES[sight.action])
    cards, yes = sum(left.values()), sum(n for g, n in left.items() if said >> g & 1)
    if yes in (0, cards):
        return None
    return f"The answer is yes for {yes} of the {cards} cards that are possible"


def guess(sight: Sight, genus: str) -> str | None:
    """How likely the guess is right."""
    left = _possible(sight)
    number, cards = left.get(box.GENERA.index(genus), 0), sum(left.values())
    return f"It is right for {number} of the {cards} cards that are possible" if number else None


def pass_on(sight: Sight) -> str | None:
    """How many animals are possible, so that a guess may be wrong."""
    animals = len(_possible(sight))
    return f"A guess may be wrong: {animals} animals are possible" if animals > 1 else None


REASONS = {
    **{group.first: ask for group in s.ACTIONS.declared if group.first < s.A_GUESS},
    s.A_GUESS: guess,
    s.A_PASS: pass_on,
}
