"""The scripted player with a card in hand: home with it, on its way home, into a backpack, or
away."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig import state as s
from dig_envs.games.dino_dig.heuristic import judge
from dig_envs.games.dino_dig.heuristic.planning import (
    empty_carrier,
    nearness,
    nearness_to_rivals,
    top_worth,
    worth,
)
from dig_envs.games.dino_dig.rules import course, site
from dig_envs.games.dino_dig.rules.cards import has

WORTH_CARRYING = 0.25


@compiled
def treat(state, seat, plan, weights):
    """The place for the card in hand."""
    at = state.pieces[seat, course.handler(state)]
    value = worth(plan, state.hand)
    if at == box.HOME or at == state.bases[seat]:
        ends_game = course.all_home(state, seat) and state.museum_size[seat] + 1 >= box.ENOUGH_CARDS
        if not ends_game or judge.wants_end(state, seat, plan, weights):
            return s.A_HOME
    used = course.handlers(state)
    nearest = next_on_the_way(state, seat, at, used)
    if nearest >= 0:
        return s.A_PASS + nearest
    packed = state.backpacks[seat, course.handler(state)]
    if not state.stowed:
        if packed == box.NONE and (value >= WORTH_CARRYING or at == box.HOME):
            return s.A_STOW
        if packed != box.NONE and value > worth(plan, packed) + 0.15:
            return s.A_STOW
    if value >= WORTH_CARRYING:
        carrier = empty_carrier(state, seat, at, used)
        if carrier >= 0:
            return s.A_PASS + carrier
    return put_away(state, seat, plan, at, value, weights)


@compiled
def next_on_the_way(state, seat, at, used):
    """The piece that gets the card next on its way home, -1 if it does not get there."""
    found = -1
    for j in range(box.PIECES):
        near = state.pieces[seat, j]
        if not has(used, j) and site.are_close(state, seat, at, near):
            if near == box.HOME or near == state.bases[seat]:
                return j
            if has(site.delivering(state, seat, j, used), near):
                found = j
    return found


@compiled
def put_away(state, seat, plan, at, value, weights):
    """Onto an adjacent square, where it is in the way of others rather than in the own, or back."""
    if at == box.HOME:
        return s.A_FACE_UP + len(box.DIRECTIONS)
    best, action = -0.1 - 0.5 * top_worth(state, seat, plan, at), s.A_FACE_DOWN
    wanted = weights.withheld if has(plan.wanted_by_rivals, state.hand) else 0.0
    for d in range(4):
        square = box.NEIGHBOUR[at, d]
        if has(state.squares, square):
            covered = top_worth(state, seat, plan, square)
            own = (value - covered) * nearness(square, state.bases[seat])
            result = own + (
                weights.cover * min(covered, plan.unseen_worth) - wanted
            ) * nearness_to_rivals(state, seat, square)
            if result > best:
                best, action = result, s.A_FACE_UP + d
    return action
