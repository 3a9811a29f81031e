"""Why to dig, to carry or lay down a card, or to go home: what the seat knows of cards."""

from typing import Any

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import counted
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s


def _name(card: str) -> str:
    return box.CARD_NAMES[box.CARDS.index(card)]


def _the(card: str) -> str:
    return f"{'' if card.startswith('X') else 'the '}{_name(card)}"


def _top(sight: Sight, square: str) -> dict[str, Any] | None:
    pile = sight.view["site"].get(square)
    return pile[-1] if pile else None


def _steps(sight: Sight, square: str, seat: int | None = None) -> int:
    """From a square to the base of a seat, by default of the own one."""
    if square == "home":
        return 0
    base = sight.view["bases"][sight.seat if seat is None else seat]
    a, b = (map(int, one.split(",")) for one in (square, base))
    return 1 + sum(abs(one - other) for one, other in zip(a, b, strict=True))


def _beside(sight: Sight, here: str, way: str) -> str:
    """The square in a direction, or the base square."""
    if way == "out" or here == "home":
        return str(sight.view["bases"][sight.seat])
    south, east = box.STEPS[box.DIRECTIONS.index(way)]
    row, column = map(int, here.split(","))
    return f"{row + south},{column + east}"


def _distance(sight: Sight, square: str) -> str:
    return f"the base is {counted(_steps(sight, square), 'step')} away"


def _end(sight: Sight, home: int) -> str:
    """What is missing for the end of the game, if so many of the own pieces are at home (DD-21)."""
    cards = len(sight.view["museums"][sight.seat])
    if home == box.PIECES and cards >= box.ENOUGH_CARDS:
        return "The game ends: all your pieces are at home, and your museum has enough cards"
    return (
        f"Then {home} of your {box.PIECES} pieces {'is' if home == 1 else 'are'} at home; all of "
        f"them, and {box.ENOUGH_CARDS} cards in your museum, end the game"
    )


def _worth(sight: Sight, card: str) -> str:
    """Which cards of the own museum have a value beside it; "" if one has the same."""
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
        return ""
    return f"The {_name(card)} begins a run: your museum has nothing beside it"


def move(sight: Sight, piece: int, way: str) -> str:
    """How far a card in the backpack has to go, or what lies there."""
    view = sight.view
    here = view["pieces"][sight.seat][piece - 1]
    carries = view["backpacks"][sight.seat][piece - 1] is not None
    if way == "home":
        if carries:
            return "A card can be put into the museum there"
        return _end(sight, 1 + view["pieces"][sight.seat].count("home"))
    target = _beside(sight, here, way)
    if carries:
        steps, before = _steps(sight, target), _steps(sight, here)
        if steps >= before:
            return ""
        return f"It carries a card, nearer to your base: {counted(steps, 'step')} left"
    top = _top(sight, target)
    if top is None:
        return ""
    if top["card"]:
        worth = _worth(sight, top["card"])
        return f"The top card there is {_the(top['card'])}. {worth}" if worth else ""
    height = len(view["site"][target])
    lie = f"{height} card{' lies' if height == 1 else 's lie'} there, the top one unknown to you"
    return f"{lie}; {_distance(sight, target)}"


def dig(sight: Sight, piece: int) -> str:
    """What the top card is, as far as the seat knows, and how far it has to go."""
    here = sight.view["pieces"][sight.seat][piece - 1]
    top, far = _top(sight, here), _distance(sight, here)
    if top is not None and top["card"]:
        worth = _worth(sight, top["card"])
        return f"{worth}; {far}" if worth else ""
    return f"The top card is unknown to you; {far}"


def home(sight: Sight) -> str:
    """How the card fits."""
    return _worth(sight, sight.view["hand"]["card"])


def stow(sight: Sight) -> str:
    """How far it has to go."""
    view = sight.view
    piece = view["chain"][-1]
    steps = _steps(sight, view["pieces"][sight.seat][piece - 1])
    worth = _worth(sight, view["hand"]["card"])
    words = f"Piece {piece} carries it, {counted(steps, 'step')} from your base"
    return f"{worth}. {words}" if worth else ""


def pass_on(sight: Sight, piece: int) -> str:
    """Whether the other piece is nearer to the base."""
    pieces, holder = sight.view["pieces"][sight.seat], sight.view["chain"][-1]
    steps, now = (_steps(sight, pieces[one - 1]) for one in (piece, holder))
    if steps < now:
        return f"Piece {piece} is nearer to your base: {steps} instead of {now} steps"
    free = sight.view["backpacks"][sight.seat][piece - 1] is None
    return f"The backpack of piece {piece} is empty" if free else ""


def unload(sight: Sight, piece: int) -> str:
    """How the card in the backpack fits."""
    return _worth(sight, sight.view["backpacks"][sight.seat][piece - 1]["card"])


def face_up(sight: Sight, way: str) -> str:
    """Who sees the card, and who is nearest to it."""
    view = sight.view
    square = _beside(sight, view["pieces"][sight.seat][view["chain"][-1] - 1], way)
    steps = [_steps(sight, square, seat) for seat in range(len(view["bases"]))]
    others = [seat for seat in range(len(steps)) if seat != sight.seat]
    other = min(others, key=lambda seat: steps[seat])
    if steps[sight.seat] >= steps[other]:
        return ""
    return (
        f"All then see {_the(view['hand']['card'])}, {counted(steps[sight.seat], 'step')} "
        f"from your base and {steps[other]} from that of {sight.name(other)}"
    )


def face_down(sight: Sight) -> str:
    """Whether the others know the card."""
    view = sight.view
    here = view["pieces"][sight.seat][view["chain"][-1] - 1]
    if any(seat != sight.seat for seat in view["hand"]["known"]):
        return ""
    return f"Only you know that it is {_the(view['hand']['card'])}; {_distance(sight, here)}"


def end_turn(sight: Sight) -> str:
    """Which pieces are at home then, if the others have nothing to do."""
    if not all(sight.view["acted"]):
        return ""
    return _end(sight, sight.view["pieces"][sight.seat].count("home"))


REASONS = {
    s.A_MOVE: move,
    s.A_DIG: dig,
    s.A_UNLOAD: unload,
    s.A_FACE_UP: face_up,
    s.A_FACE_DOWN: face_down,
    s.A_HOME: home,
    s.A_STOW: stow,
    s.A_PASS: pass_on,
    s.A_END_TURN: end_turn,
}
