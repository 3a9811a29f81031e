"""Why to dig, give, take or hide a fossil: what of its skeleton the seat holds, and others show."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import state as s


def _genus(fossil: str) -> int:
    """The place of a fossil's genus; -1 for a trace fossil."""
    return deck.GENERA.index(fossil[:3]) if fossil[:3] in deck.GENERA else -1


def _own(sight: Sight) -> list[str]:
    return [*sight.view["hidden"][sight.seat], *sight.view["open"][sight.seat]]


def _shown(sight: Sight, seat: int) -> list[str]:
    """What the seat knows that another one holds."""
    known = sight.view["known"][seat][sight.seat] or []
    return [*known, *sight.view["open"][seat]]


def _parts(fossils: list[str], fossil: str) -> int:
    return len({one for one in fossils if one.startswith(fossil[:3])})


def _name(fossil: str) -> str:
    return deck.TYPE_NAMES[deck.TYPES.index(fossil)]


def get(sight: Sight, fossil: str) -> str:
    """How much of the skeleton the seat then holds."""
    if _genus(fossil) < 0:
        return f"Research value {deck.RESEARCH[deck.TRACES.index(fossil)]}"
    own, place = _own(sight), _genus(fossil)
    if fossil in own:
        return ""
    then = _parts([*own, fossil], fossil)
    name, parts = deck.GENUS_NAMES[place], deck.PARTS[place]
    points = f"all are worth {deck.VALUE[place]} points"
    return f"You then hold {then} of the {parts} parts of {name}; {points}"


def give(sight: Sight, fossil: str) -> str:
    """What makes it easy to spare: the seat can do nothing with it, or the other one cannot."""
    if _genus(fossil) < 0:
        value = deck.RESEARCH[deck.TRACES.index(fossil)]
        return f"It is part of no skeleton; its research value is {value}"
    left, other = _own(sight), sight.view["exchange"]["with"]
    left.remove(fossil)
    if fossil in left:
        return f"You have another {_name(fossil)}"
    name = deck.GENUS_NAMES[_genus(fossil)]
    spares = [f"you have no other part of {name}"] if not _parts(left, fossil) else []
    if not _parts(_shown(sight, other), fossil):
        spares.append(f"{sight.name(other)} shows no part of {'it' if spares else name}")
    return ", and ".join(spares)


def hide(sight: Sight, fossil: str) -> str:
    """How much of the skeleton the seat holds: others take what lies face up."""
    place = _genus(fossil)
    if place < 0:
        return "Others cannot choose to take it"
    own = _parts(_own(sight), fossil)
    return f"You hold {own} of its {deck.PARTS[place]} parts, and others cannot choose to take it"


def exchange(sight: Sight, step: int) -> str:
    """Which fossil of the other one helps the most."""
    own, other = _own(sight), sight.after(step)
    useful = [
        (
            int(deck.PARTS[_genus(one)]) - _parts([*own, one], one),
            -int(deck.VALUE[_genus(one)]),
            one,
        )
        for one in _shown(sight, other)
        if _genus(one) >= 0 and one not in own and _parts(own, one)
    ]
    if not useful:
        return ""
    lacking, _, best = min(useful)
    then = "completes your skeleton"
    if lacking:
        then = f"goes with your parts of it: {lacking} more to find"
    return f"{sight.name(other)} has {_name(best)}, which {then}"


def dig_buried(sight: Sight) -> str:
    """How many there are."""
    return f"One of the {sight.view['buried']} buried fossils; only you see which"


REASONS = {
    s.A_HIDE: hide,
    s.A_DIG_BURIED: dig_buried,
    s.A_DIG: get,
    s.A_EXCHANGE: exchange,
    s.A_GIVE_HIDDEN: give,
    s.A_GIVE_OPEN: give,
    s.A_TAKE: get,
}
