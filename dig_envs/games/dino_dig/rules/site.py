"""The dig site of Dino Dig: where cards may be laid, bases be, pieces go."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig.rules.cards import bit, has, size_of

NOT_FIRST_COLUMN = 0
NOT_LAST_COLUMN = 0
for _square in range(1, box.NUM_SQUARES + 1):
    NOT_FIRST_COLUMN |= (1 << _square) if box.COLUMN_OF[_square] > 0 else 0
    NOT_LAST_COLUMN |= (1 << _square) if box.COLUMN_OF[_square] < box.COLUMNS - 1 else 0
TABLE = (1 << (box.NUM_SQUARES + 1)) - 2  # all squares


@compiled
def beside(squares):
    """The places within the table beside those of a set."""
    east = (squares & NOT_LAST_COLUMN) << 1
    west = (squares & NOT_FIRST_COLUMN) >> 1
    return ((squares >> box.COLUMNS) | (squares << box.COLUMNS) | east | west) & TABLE


@compiled
def allowed_bases(state):
    """The squares that can be base squares (DD-3 to DD-5), taken ones included."""
    if not state.new_horizons and not state.deregulation:
        return box.BASES_OF_TWO if state.num_players == 2 else box.CORNERS
    allowed = 0
    for square in range(1, box.NUM_SQUARES + 1):
        if has(state.squares, square) and has_room(state, square):
            allowed |= bit(square)
    return allowed


@compiled
def has_room(state, square):
    """DD-4: whether there is an empty place beside the square that is next to no other one."""
    for d in range(4):
        place = box.NEIGHBOUR[square, d]
        if box.OUTSIDE[square, d]:
            return True
        if not has(state.squares, place) and size_of(box.BESIDE[place] & state.squares) == 1:
            return True
    return False


@compiled
def free_bases(state):
    """The squares of which the next player chooses."""
    free = allowed_bases(state)
    for p in range(state.num_players):
        if state.bases[p] != box.NONE:
            free &= ~bit(state.bases[p])
    return free


@compiled
def opponents(state, seat):
    """The squares with pieces of the seat's opponents, and those with two or more; bases are among
    them as 0."""
    one, two = np.int64(0), np.int64(0)
    for p in range(state.num_players):
        if p != seat:
            for k in range(box.PIECES):
                here = bit(state.pieces[p, k])
                two |= one & here
                one |= here
    return one, two


@compiled
def blocked(state, seat):
    """DD-10: the squares with two or more pieces of the seat's opponents."""
    _, two = opponents(state, seat)
    return two


@compiled
def hangs_together(squares):
    """Whether one can walk from each square of a set to each other one."""
    reached = squares & -squares
    while True:
        further = (reached | beside(reached)) & squares
        if further == reached:
            return reached == squares
        reached = further


@compiled
def steps(a, b):
    """From a square to another, if nothing is in the way."""
    return abs(box.ROW_OF[a] - box.ROW_OF[b]) + abs(box.COLUMN_OF[a] - box.COLUMN_OF[b])


@compiled
def close_to(state, seat, place):
    """DD-18: the places that are the same or adjacent for the player's pieces, the base and the
    base square included."""
    base = np.int64(state.bases[seat])
    return (
        box.BESIDE[place]
        | bit(place)
        | (np.int64(place == base) << box.HOME)
        | (np.int64(place == box.HOME) << base)
    )


@compiled
def are_close(state, seat, a, b):
    """DD-18: whether two places of the player's pieces are the same or adjacent."""
    return has(close_to(state, seat, a), b) == 1


@compiled
def delivering(state, seat, k, used):
    """The places from which piece k can bring a card home or send it there by express; ``used``:
    pieces that had it, as a set."""
    ends = bit(box.HOME) | bit(state.bases[seat])
    found = ends
    for j in range(box.PIECES):
        if j != k:
            near, i = state.pieces[seat, j], box.PIECES - j - k
            around = close_to(state, seat, near)
            far = bit(state.pieces[seat, i]) & around & ends
            sends = has(ends, near) | (np.int64(far != 0) & (1 - has(used, i)))
            found |= around * (sends & (1 - has(used, j)))
    return found
