"""Why to dig, to carry a card, or to put it into the museum: what the seat knows of cards."""

from typing import Any

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import counted
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s


def _name(card: str) -> str:
    return box.CARD_NAMES[box.CARDS.index(card)]


def _top(sight: Sight, square: str) -> dict[str, Any] | None:
    pile = sight.view["site"].get(square)
    return pile[-1] if pile else None


def _steps(sight: Sight, square: str) -> int:
    """From a square to the base of the seat."""
    if square == "home":
        return 0
    a, b = (map(int, one.split(",")) for one in (square, sight.view["bases"][sight.seat]))
    return 1 + sum(abs(one - other) for one, other in zip(a, b, strict=True))


def _worth(sight: Sight, card: str) -> str:
    """Which cards of the own museum have a value beside it, or the same."""
    own = [one["card"] for one in sight.view["museums"][sight.seat] if one["card"]]
    if card.startswith("X"):
        return "A joker stands for any card"
    place = box.RANKS.index(card[0])
    values = {box.RANKS.index(one[0]) for one in own if not one.startswith("X")}
    beside = sorted(value for value in (place - 1, place + 1) if value in values)
    if beside:
        names = " and the ".join(box.RANK_NAMES[value] for value in beside)
        return f"The {_name(card)} goes on a run: your museum has the {names}"
    if place in values:
        return f"Your museum has {'an' if card[0] in '8A' else 'a'} {box.RANK_NAMES[place]} already"
    return f"The {_name(card)} begins a run: your museum has nothing beside it"


def move(sight: Sight, piece: int, way: str) -> str:
    """How far a card in the backpack has to go, or what lies there."""
    view = sight.view
    here = view["pieces"][sight.seat][piece - 1]
    carries = view["backpacks"][sight.seat][piece - 1] is not None
    if way == "home":
        return "A card can be put into the museum there" if carries else ""
    if way == "out" or here == "home":
        target = view["bases"][sight.seat]
    else:
        south, east = box.STEPS[box.DIRECTIONS.index(way)]
        row, column = map(int, here.split(","))
        target = f"{row + south},{column + east}"
    if carries:
        steps, before = _steps(sight, target), _steps(sight, here)
        side = "nearer to" if steps < before else "farther from"
        return f"It carries a card, {side} your base: {counted(steps, 'step')} left"
    top = _top(sight, target)
    if top is None:
        return "No card lies there"
    if top["card"]:
        return f"The top card there is the {_name(top['card'])}. {_worth(sight, top['card'])}"
    height = len(view["site"][target])
    return f"{height} card{' lies' if height == 1 else 's lie'} there, the top one unknown to you"


def dig(sight: Sight, piece: int) -> str:
    """What the top card is, as far as the seat knows, and how far it has to go."""
    here = sight.view["pieces"][sight.seat][piece - 1]
    top, steps = _top(sight, here), _steps(sight, here)
    far = f"the base is {counted(steps, 'step')} away"
    if top is not None and top["card"]:
        return f"{_worth(sight, top['card'])}; {far}"
    return f"The top card is unknown to you; {far}"


def home(sight: Sight) -> str:
    """How the card fits."""
    return _worth(sight, sight.view["hand"]["card"])


def stow(sight: Sight) -> str:
    """How far it has to go."""
    view = sight.view
    piece = view["chain"][-1]
    steps = _steps(sight, view["pieces"][sight.seat][piece - 1])
    words = f"Piece {piece} carries it, {counted(steps, 'step')} from your base"
    return f"{_worth(sight, view['hand']['card'])}. {words}"


def pass_on(sight: Sight, piece: int) -> str:
    """Whether the other piece is nearer to the base."""
    pieces, holder = sight.view["pieces"][sight.seat], sight.view["chain"][-1]
    steps, now = (_steps(sight, pieces[one - 1]) for one in (piece, holder))
    if steps < now:
        return f"Piece {piece} is nearer to your base: {steps} instead of {now} steps"
    free = sight.view["backpacks"][sight.seat][piece - 1] is None
    return f"The backpack of piece {piece} is empty" if free else ""


REASONS = {s.A_MOVE: move, s.A_DIG: dig, s.A_HOME: home, s.A_STOW: stow, s.A_PASS: pass_on}
