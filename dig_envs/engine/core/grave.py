"""Grave actions: those that nobody takes by mistake. People are warned of them, and players
for people leave them out (:mod:`dig_envs.engine.search.grave` finds them)."""

from dig_envs.engine.compiler.jit import compiled

# why an action is grave, 0 for one that is not
ENDS_IN_DEFEAT = 1  # the game is over with it, and the seat has not won
THROWS_AWAY = 2  # another action wins the game at once
POINTLESS = 8  # nothing helps any more, and another action ends the turn; nobody is warned of it
OWN = 4  # by the game's own function `grave`, which sets this bit
ENDS_WITHOUT_VICTORY = "This most likely ends the game, and you do not win it. Do it nevertheless?"


@compiled
def nothing_grave(state, seat, found):  # type: ignore[no-untyped-def]
    """Find nothing, for a game without a function of its own."""


def warning_of(kind: int, own: str) -> str:
    """The question to ask a person before a grave action, empty for none; ``own``: the action's own
    question.

    Of an action that throws a victory away nobody is warned: that there is a better one is for the
    person to find.
    """
    return ENDS_WITHOUT_VICTORY if kind == ENDS_IN_DEFEAT else own if kind == OWN else ""
