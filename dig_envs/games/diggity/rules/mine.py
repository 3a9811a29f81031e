"""The mine of Diggity: cards on a plane, the passages between them, and where the next one can go
(DG-5 to DG-9, DG-12, DG-14).

The open passages are a list that each card changes a little: those that it is connected to and
those that it blocks go, its own ones come at the end. That keeps the order of DG-12, oldest card
first, and it is exact: cards are never moved, so what is blocked stays blocked, and a card can only
be connected to passages that were open. Each open passage holds which cards fit there: turned such
that they are attached by a passage on a short side, or by one on a long side.
"""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.games.diggity import components as box
from dig_envs.games.diggity import events as happens
from dig_envs.games.diggity import state as s

NONE = -1  # no open passage


@compiled
def opposite(side):
    return (side + 2) & 3


@compiled
def exit_x(x, r, side):
    """The x at which a card's passage towards a side ends (DG-6)."""
    return x + box.DX[side] * box.HALF_X[r]


@compiled
def exit_y(y, r, side):
    """The y at which a card's passage towards a side ends (DG-6)."""
    return y + box.DY[side] * box.HALF_Y[r]


@compiled
def turn_to_attach(state, e, passage):
    """The turn of a card whose passage is attached to open passage e (DG-12)."""
    return (state.open_side[e] + 2 - passage) & 3


@compiled
def attached_x(state, e, r):
    """The x of the centre of a card turned by r that is attached to open passage e (DG-8)."""
    return exit_x(state.open_x[e], r, state.open_side[e])


@compiled
def attached_y(state, e, r):
    """The y of the centre of a card turned by r that is attached to open passage e (DG-8)."""
    return exit_y(state.open_y[e], r, state.open_side[e])


@compiled
def overlap(x1, y1, r1, x2, y2, r2):
    """Whether two cards overlap (DG-8); touching is allowed."""
    return (
        abs(x1 - x2) < box.HALF_X[r1] + box.HALF_X[r2]
        and abs(y1 - y2) < box.HALF_Y[r1] + box.HALF_Y[r2]
    )


@compiled
def can_be_laid(state, card):
    """Whether a card has a legal play on the mine, which is not empty (DG-9)."""
    return (box.KINDS[box.PASSAGES[card]] & state.fits) != 0


# ---------------------------------------------------------------- laying a card


@compiled
def lay(state, card, x, y, r, attached):
    """A card joins the mine; what it makes is kept in `made` (DG-14, DG-16). Nothing happens if
    there is no room.

    ``attached``: the open passage that it was to be attached to, or NONE. It changes only what is
    told.
    """
    i = state.mine_len
    if i < 0 or i >= box.MAX_MINE:
        return
    state.mine_card[i] = card
    state.mine_x[i] = x
    state.mine_y[i] = y
    state.mine_r[i] = r
    state.mine_len = i + 1
    connect(state, i, attached)
    open_passages(state, i)
    state.fits = 0
    for e in range(state.open_len):
        state.fits |= state.open_fits[e]
    if i < box.FEWEST_FOR_A_MINER:
        state.made &= ~box.MINER


@compiled
def connect(state, i, attached):
    """The newest card is connected to open passages and blocks others (DG-7, DG-8). ``attached``:
    as in `lay`."""
    x, y, r = state.mine_x[i], state.mine_y[i], state.mine_r[i]
    passages = box.TURNED[box.PASSAGES[state.mine_card[i]], r]
    symbol = box.SYMBOL[state.mine_card[i]]
    made = 0
    around = 0
    kept = 0
    for e in range(state.open_len):
        j, side = state.open_card[e], state.open_side[e]
        if meets(state, e, x, y, r, passages):
            if e != attached:
                tell(state, happens.CONNECTED, state.player, j + 1, side)
            other = box.SYMBOL[state.mine_card[j]]
            made |= box.MADE_THROUGH[symbol, other, state.near[j]]
            around |= (
                box.TWO_CIRCLES if other == box.CIRCLE and around & 1 << box.CIRCLE else 1 << other
            )
            state.near[j] |= 1 << symbol
            state.sides[j, side] = s.CONNECTED
            state.sides[i, opposite(side)] = s.CONNECTED
        else:
            fits = still_fits(state, e, x, y, r)
            if fits == 0:
                state.sides[j, side] = s.BLOCKED
                tell(state, happens.BLOCKED, NO_SEAT, j + 1, side)
            else:
                keep_open(state, e, kept, fits)
                kept += 1
    forget_open(state, kept)
    state.near[i] = around & 15
    state.made = made | box.MADE_AMONG[symbol, around]


@compiled
def meets(state, e, x, y, r, passages):
    """Whether a card with passages to these sides is connected to open passage e (DG-7)."""
    back = opposite(state.open_side[e])
    if passages & 1 << back == 0:
        return False
    return exit_x(x, r, back) == state.open_x[e] and exit_y(y, r, back) == state.open_y[e]


@compiled
def still_fits(state, e, x, y, r):
    """Which cards fit at open passage e beside a new one (bits as in `open_fits`)."""
    fits = int(state.open_fits[e])
    for kind in range(2):
        if fits & 1 << kind and is_in_the_way(
            state.open_x[e], state.open_y[e], state.open_side[e], kind, x, y, r
        ):
            fits ^= 1 << kind
    return fits


@compiled
def is_in_the_way(exit_at_x, exit_at_y, side, kind, x, y, r):
    """Whether a card lies where one would lie that is attached to an exit, by a short side (kind 0)
    or a long one (kind 1)."""
    turn = side ^ kind  # upright or lying is all that matters
    return overlap(exit_x(exit_at_x, turn, side), exit_y(exit_at_y, turn, side), turn, x, y, r)


@compiled
def keep_open(state, e, kept, fits):
    """Open passage e stays open, as one with a lower number."""
    state.open_fits[kept] = fits
    if kept != e:
        state.open_x[kept] = state.open_x[e]
        state.open_y[kept] = state.open_y[e]
        state.open_card[kept] = state.open_card[e]
        state.open_side[kept] = state.open_side[e]


@compiled
def forget_open(state, kept):
    """Only the first open passages are left."""
    for e in range(kept, state.open_len):
        state.open_x[e] = 0
        state.open_y[e] = 0
        state.open_card[e] = 0
        state.open_side[e] = 0
        state.open_fits[e] = 0
    state.open_len = kept


@compiled
def open_passages(state, i):
    """The passages of the newest card that are not connected are open or blocked (DG-8)."""
    r = state.mine_r[i]
    passages = box.TURNED[box.PASSAGES[state.mine_card[i]], r]
    for side in range(box.NUM_SIDES):
        if passages & 1 << side and state.sides[i, side] != s.CONNECTED:
            x, y = exit_x(state.mine_x[i], r, side), exit_y(state.mine_y[i], r, side)
            fits = what_fits(state, i, x, y, side)
            state.sides[i, side] = s.OPEN if fits else s.BLOCKED
            if not fits:
                tell(state, happens.BLOCKED, NO_SEAT, i + 1, side)
            e = state.open_len
            if fits and e < box.MAX_OPEN:
                state.open_x[e] = x
                state.open_y[e] = y
                state.open_card[e] = i
                state.open_side[e] = side
                state.open_fits[e] = fits
                state.open_len = e + 1


@compiled
def what_fits(state, i, x, y, side):
    """Which cards could be attached to a passage of card i that ends here: the bits of
    `open_fits`."""
    fits = 3
    for j in range(i):
        for kind in range(2):
            if is_in_the_way(x, y, side, kind, state.mine_x[j], state.mine_y[j], state.mine_r[j]):
                fits &= ~(1 << kind)
    return fits


# ---------------------------------------------------------------- the complete mine


@compiled
def discard(state, why):
    """All cards of the mine are discarded. ``why``: as in `events`."""
    tell(state, happens.DISCARDED, NO_SEAT, why, state.mine_len)
    for i in range(state.mine_len):
        state.discard[state.mine_card[i]] += 1
        state.mine_x[i] = 0
        state.mine_y[i] = 0
        state.mine_card[i] = 0
        state.mine_r[i] = 0
    state.num_discard += state.mine_len
    forget(state, state.mine_len)


@compiled
def forget(state, count):
    """All that is derived from the mine, which had so many cards; and their number."""
    for i in range(count):
        state.near[i] = 0
        for side in range(box.NUM_SIDES):
            state.sides[i, side] = s.NO_PASSAGE
    forget_open(state, 0)
    state.mine_len = 0
    state.fits = 0
    state.made = 0


@compiled
def derive(state):
    """All that is derived from the mine: its cards are laid once more."""
    count = state.mine_len
    forget(state, count)
    for i in range(count):
        lay(state, state.mine_card[i], state.mine_x[i], state.mine_y[i], state.mine_r[i], NONE)


@compiled
def is_connected_to_earlier(state, i):
    """Whether a card of the mine is connected to one that was laid before; asks for nothing but
    where the cards lie."""
    passages = box.TURNED[box.PASSAGES[state.mine_card[i]], state.mine_r[i]]
    for j in range(i):
        others = box.TURNED[box.PASSAGES[state.mine_card[j]], state.mine_r[j]]
        for side in range(box.NUM_SIDES):
            back = opposite(side)
            if passages & 1 << side and others & 1 << back:
                same_x = exit_x(state.mine_x[i], state.mine_r[i], side) == exit_x(
                    state.mine_x[j], state.mine_r[j], back
                )
                if same_x and exit_y(state.mine_y[i], state.mine_r[i], side) == exit_y(
                    state.mine_y[j], state.mine_r[j], back
                ):
                    return True
    return False
