"""What a card makes at each place of the mine, and what the mine offers then, without laying it.

Where a card lies depends only on the open passage and on whether it is attached by a short or a
long side. So what it touches and blocks there is looked up once, for all cards and turns.
"""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.state import record_dtype
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity.rules import mine

SYMBOLS, THINGS = box.NUM_SYMBOLS, box.NUM_THINGS
# [symbol of a card of the mine][symbols of the cards connected to it]: what a card of each symbol
# makes through it, THINGS bits for each
OFFERED = sum(box.MADE_THROUGH[k].astype(np.int64) << THINGS * k for k in range(SYMBOLS))
MINERS = sum(box.MINER << THINGS * k for k in range(SYMBOLS))
NUM_KINDS = 2  # attached by a short side, or by a long one
# A card and another beyond one of its sides touch nothing whose centre is farther along an axis.
REACH = 28

Places = record_dtype(
    [
        # per open passage and kind: where the card lies
        ("x", np.int64, (box.MAX_OPEN, NUM_KINDS)),
        ("y", np.int64, (box.MAX_OPEN, NUM_KINDS)),
        ("turn", np.int64, (box.MAX_OPEN, NUM_KINDS)),
        ("offer", np.int64, (box.MAX_OPEN,)),  # what is offered through the open passage
        # the same of all those together that stay open when a card lies there
        ("offers", np.int64, (box.MAX_OPEN, NUM_KINDS)),
        # per side of the card there: the open passage that ends at it, or NONE; whether the card of
        # that one has another that stays open; whether a card fits beyond that side
        ("touched", np.int8, (box.MAX_OPEN, NUM_KINDS, box.NUM_SIDES)),
        ("stays", np.int8, (box.MAX_OPEN, NUM_KINDS, box.NUM_SIDES)),
        ("free", np.int8, (box.MAX_OPEN, NUM_KINDS, box.NUM_SIDES)),
    ]
)


@compiled
def survey(state, places, kinds):
    """Write what each place of the mine is like. ``kinds``: of passages that are needed, as
    bits."""
    for e in range(state.open_len):
        j = state.open_card[e]
        places.offer[e] = OFFERED[box.SYMBOL[state.mine_card[j]], state.near[j]]
        for kind in range(NUM_KINDS):
            turn = mine.turn_to_attach(state, e, kind)
            places.turn[e, kind] = turn
            places.x[e, kind] = mine.attached_x(state, e, turn)
            places.y[e, kind] = mine.attached_y(state, e, turn)
    for e in range(state.open_len):
        for kind in range(NUM_KINDS):
            if state.open_fits[e] & kinds & 1 << kind:
                look_at_passages(state, places, e, kind)
                look_at_cards(state, places, e, kind)


@compiled
def look_at_passages(state, places, e, kind):
    """Write which open passages a card touches, and what those offer that stay open."""
    x, y, turn = places.x[e, kind], places.y[e, kind], places.turn[e, kind]
    for side in range(box.NUM_SIDES):
        places.touched[e, kind, side] = mine.NONE
    offers, staying = 0, 0
    for f in range(state.open_len):
        if abs(x - state.open_x[f]) > REACH or abs(y - state.open_y[f]) > REACH:
            offers |= places.offer[f]
            staying |= 1 << int(state.open_card[f])
            continue
        back = mine.opposite(state.open_side[f])
        if (
            mine.exit_x(x, turn, back) == state.open_x[f]
            and mine.exit_y(y, turn, back) == state.open_y[f]
        ):
            places.touched[e, kind, back] = f
        elif still_fits(state, places, f, x, y, turn):
            offers |= places.offer[f]
            staying |= 1 << int(state.open_card[f])
    places.offers[e, kind] = offers
    for side in range(box.NUM_SIDES):
        f = places.touched[e, kind, side]
        places.stays[e, kind, side] = f != mine.NONE and staying >> int(state.open_card[f]) & 1


@compiled
def still_fits(state, places, f, x, y, turn):
    """Whether any card fits at open passage f beside a new one."""
    for kind in range(NUM_KINDS):
        if state.open_fits[f] >> kind & 1 and not mine.overlap(
            places.x[f, kind], places.y[f, kind], places.turn[f, kind], x, y, turn
        ):
            return True
    return False


@compiled
def look_at_cards(state, places, e, kind):
    """Write beyond which sides of a card another one fits."""
    x, y, turn = places.x[e, kind], places.y[e, kind], places.turn[e, kind]
    fits = (1 << NUM_KINDS * box.NUM_SIDES) - 1
    for j in range(state.mine_len):
        if abs(x - state.mine_x[j]) < REACH and abs(y - state.mine_y[j]) < REACH:
            for side in range(box.NUM_SIDES):
                for other in range(NUM_KINDS):
                    if mine.is_in_the_way(
                        mine.exit_x(x, turn, side),
                        mine.exit_y(y, turn, side),
                        side,
                        other,
                        state.mine_x[j],
                        state.mine_y[j],
                        state.mine_r[j],
                    ):
                        fits &= ~(1 << NUM_KINDS * side + other)
    for side in range(box.NUM_SIDES):
        places.free[e, kind, side] = fits >> NUM_KINDS * side & (1 << NUM_KINDS) - 1 > 0


@compiled
def laid(state, places, card, e, passage):
    """What a card makes that is attached to open passage e by one of its own, and what the mine
    offers then, both as bits."""
    kind, symbol = passage & 1, box.SYMBOL[card]
    passages = box.TURNED[box.PASSAGES[card], mine.turn_to_attach(state, e, passage)]
    offers = places.offers[e, kind]
    made, around, opens = 0, 0, False
    for side in range(box.NUM_SIDES):
        if passages >> side & 1:
            f = places.touched[e, kind, side]
            if f == mine.NONE:
                opens |= places.free[e, kind, side] > 0
                continue
            j = state.open_card[f]
            other = box.SYMBOL[state.mine_card[j]]
            made |= box.MADE_THROUGH[symbol, other, state.near[j]]
            around |= (
                box.TWO_CIRCLES if other == box.CIRCLE and around & 1 << box.CIRCLE else 1 << other
            )
            if places.stays[e, kind, side]:
                offers |= OFFERED[other, state.near[j] | 1 << symbol]
    if opens:
        offers |= OFFERED[symbol, around & 15]
    made |= box.MADE_AMONG[symbol, around]
    if state.mine_len < box.FEWEST_FOR_A_MINER:
        made &= ~box.MINER
    return made, without_early_miners(offers, state.mine_len + 1)


@compiled
def without_early_miners(offers, mine_len):
    """What a mine of so many cards offers (DG-16)."""
    return offers if mine_len >= box.FEWEST_FOR_A_MINER else offers & ~MINERS


@compiled
def offered(state):
    """What a card of each symbol makes that is connected by one open passage, THINGS bits for
    each."""
    offers = 0
    for e in range(state.open_len):
        card = state.open_card[e]
        offers |= OFFERED[box.SYMBOL[state.mine_card[card]], state.near[card]]
    return without_early_miners(offers, state.mine_len)
