"""Why to use a space as an input, to argue about a state, or to put a token."""

from dig_envs.engine.core.reasons import Sight
from dig_envs.games.the_big_dig import components as box
from dig_envs.games.the_big_dig import state as s


def use(sight: Sight, space: str) -> str:
    """Whether arguments can use the input, and what they score with it."""
    if space in sight.view["discovered"]:
        return "It is discovered: arguments can use it at once"
    if space in sight.view["conjectured"]:
        return "It is conjectured: an argument with it scores 1 point more"
    return "It is not marked: no argument can use it before it is"


def put(sight: Sight, space: str) -> str:
    """What a token brings there, and what is said of the space."""
    points = box.DISCOVERED_NEGATION if space.endswith("N") else box.DISCOVERED_ASSERTION
    words = f"{points} points if it is discovered to be true, -{box.DISPROVED} if it is false"
    return f"It is conjectured: {words}" if space in sight.view["conjectured"] else words


def lift(sight: Sight, space: str) -> str:
    """What the token risks."""
    del sight, space
    return f"A token on a space that turns out to be false costs {box.DISPROVED} points"


def output(sight: Sight, state: str) -> str:
    """Whether the space has a marker already."""
    marked = {space.rpartition("-")[0] for space in sight.view["conjectured"]}
    return "The state is conjectured already" if state in marked else "Nobody has argued about it"


REASONS = {s.A_INPUT: use, s.A_OUTPUT: output, s.A_PUT: put, s.A_LIFT: lift}
