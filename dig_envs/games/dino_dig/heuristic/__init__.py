"""A scripted player of Dino Dig, from what the seat may know.

It plans which run it builds, and so what each card is worth to it (``planning``). Its pieces form a
chain to the base, along which what they dig goes home by express in the same turn; those that
nothing is left for walk on to the best square in reach (``acting``). A card that is no use is put
where it covers what others want and nothing of its own (``handling``). It goes home when it expects
to win (``judge``).
"""

from typing import NamedTuple

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.state import scratch_records
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.heuristic import acting, handling, judge, planning
from dig_envs.games.dino_dig.rules import course, site
from dig_envs.games.dino_dig.rules.cards import has, lowest


class Weights(NamedTuple):
    """The weights in which styles differ."""

    margin: float = 2.2  # lead in expected length with which the seat goes home in the first turn
    per_rival: float = 1.0  # more of that lead for each rival beyond the first
    cover: float = 0.4  # worth of covering what others could use
    withheld: float = 0.5  # worth of putting what others want where they do not come


USUAL = Weights()


@compiled
def heuristic(state, seat):
    """The action that the scripted player takes."""
    return styled(state, seat, USUAL)


@compiled
def styled(state, seat, weights):
    if state.phase == s.LAY:
        return s.A_LAY + place_to_lay(state) - 1
    if state.phase == s.BASE:
        return s.A_BASE + best_base(state) - 1
    if state.phase == s.CONTRACT:
        return s.A_SUIT + suit_to_choose(state, seat)
    return by_plan(state, seat, scratch_records(1, planning.Plan), weights)


@compiled
def by_plan(state, seat, plans, weights):
    """The action that goes with a plan; ``plans`` is scratch."""
    plan = plans[0]
    planning.make_plan(state, seat, plan)
    if state.phase == s.CARD:
        return handling.treat(state, seat, plan, weights)
    if judge.wants_end(state, seat, plan, weights):
        return acting.go_home(state, seat, plan)
    return acting.best_act(state, seat, plan)


@compiled
def place_to_lay(state):
    """DD-5: the lowest stack of the centre, so that nobody has a long way."""
    best = box.CENTRE[0]
    for i in range(1, len(box.CENTRE)):
        if state.height[box.CENTRE[i]] < state.height[best]:
            best = box.CENTRE[i]
    return best


@compiled
def best_base(state):
    """The base square with the most cards near it, and rivals far away."""
    free = site.free_bases(state)
    best, found = -1000.0, lowest(free)
    for square in range(1, s.SQUARES):
        if has(free, square):
            value = 0.0
            for other in range(1, s.SQUARES):
                if state.height[other] > 0:
                    value += state.height[other] / (1.0 + site.steps(square, other))
            for p in range(state.num_players):
                if state.bases[p] != box.NONE:
                    value -= 4.0 / (1.0 + site.steps(square, state.bases[p]))
            if value > best:
                best, found = value, square
    return found


@compiled
def suit_to_choose(state, seat):
    """DD-6, DD-7: all are alike, but it is good to have one that others do not have."""
    free = course.free_suits(state)
    return seat if has(free, seat) else lowest(free)
