"""Why to use a space as an input, to act or to pass, to argue about a state, or to put a token."""

from collections.abc import Sequence

from dig_envs.engine.core.reasons import Sight
from dig_envs.engine.core.words import counted
from dig_envs.games.the_big_dig import board
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s


def use(sight: Sight, space: str) -> str:
    """Whether arguments can use the input, and what they score with it."""
    if space in sight.view["discovered"]:
        return "It is discovered: claims can follow from it at once"
    if space in sight.view["conjectured"]:
        return "It is claimed: what follows from it scores 1 point more"
    return ""


def single(sight: Sight) -> str:
    """What the model needs."""
    first = sight.view["pending"][sight.seat][0].split()[1]
    why = use(sight, first)
    return f"One input is enough. {why}" if why else "One input is enough"


def done(sight: Sight) -> str:
    """How many were lifted."""
    lifted = sum(text.startswith("lift") for text in sight.view["pending"][sight.seat])
    return f"{counted(lifted, 'bet')} lifted; the others stay".capitalize()


def put(sight: Sight, space: str) -> str:
    """What a token brings there, and what is said of the space."""
    points = box.DISCOVERED_NEGATION if space.endswith("N") else box.DISCOVERED_ASSERTION
    words = f"{points} points if it is discovered to be true, -{box.DISPROVED} if it is false"
    return f"It is claimed: {words}" if space in sight.view["conjectured"] else words


def lift(sight: Sight, space: str) -> str:
    """What the token risks."""
    del sight, space
    return f"A bet that turns out to be false costs {box.DISPROVED} points"


def _points(sight: Sight, inputs: Sequence[str]) -> int:
    """What an argument scores without a request for its region (BD-18)."""
    return 1 + sum(space in sight.view["conjectured"] for space in inputs)


def output(sight: Sight, state: str) -> str:
    """What it scores, and whether it is new."""
    view = sight.view
    points = _points(sight, s.chosen(view, sight.seat))
    attribute = board.ATTRIBUTE_OF[board.STATES.index(state)]
    asked = view["request"] == board.REGIONS[board.REGION_OF[attribute]]
    words = f"It scores {counted(points * (1 + asked), 'point')}"
    if asked:
        words += f", twice {points}, by the request for the region {view['request']}"
    marked = {space.rpartition("-")[0] for space in view["conjectured"]}
    return words if state in marked else f"{words}. Nobody has claimed it yet"


def act(sight: Sight) -> str:
    """What can be argued with, or what a model in the research costs."""
    view = sight.view
    if view["phase"] == "research":
        return "You make one more model instead of drawing a card"
    marked = {*view["discovered"], *view["conjectured"]}
    own = view["models"][sight.seat]
    ready = [model for model in own if marked.issuperset(model)]
    if not ready:
        return ""
    words = f"You can argue from {len(ready)} of your {counted(len(own), 'model')}"
    most = max(_points(sight, model) for model in ready)
    request = f", twice that about the region {view['request']}" if view["request"] else ""
    scores = f"; a claim scores at most {counted(most, 'point')}{request}"
    return words + scores


def pass_turn(sight: Sight) -> str:
    """What the other two cards of the turn bring (BD-11)."""
    if sight.view["phase"] == "research":
        return "You draw a card in the exploration instead of making a model"
    return "You pass once in a turn: so you make one more model in the research, and draw a card"


def evaluate(sight: Sight) -> str:
    """Which tokens cost points at the end (BD-29)."""
    view, tokens = sight.view, sight.view["tokens"][sight.seat]
    if s.EVALUATIONS[sight.action - s.A_ADD] == "add":
        return f"You have {counted(box.NUM_TOKENS - sum(tokens.values()), 'token')} left to bet"
    marked = {*view["discovered"], *view["conjectured"]}
    loose = sum(number for space, number in tokens.items() if space not in marked)
    own = counted(loose, "such bet")
    words = f"A bet on what nobody claims costs 1 point at the end, and you have {own}"
    return words if loose else ""


REASONS = {
    s.A_INPUT: use,
    s.A_SINGLE: single,
    s.A_ACT: act,
    s.A_PASS: pass_turn,
    s.A_OUTPUT: output,
    s.A_ADD: evaluate,
    s.A_MOVE: evaluate,
    s.A_REMOVE: evaluate,
    s.A_PUT: put,
    s.A_LIFT: lift,
    s.A_DONE: done,
}
