"""The optimum of Fossil Memory for two players with perfect recall, computed exactly.

Everybody sees every card that is turned up, so that nothing is hidden from one player alone: the
game is one of perfect information with chance, as the pairs game that Zwick and Paterson (The
memory game, Theoretical Computer Science 110, 1993) solved. All unknown cards are alike. So what
matters of a position is, for each genus, how many of its parts are known or that it is taken:
960,000 positions, and the cards that are up. Each player maximises the expected lead in points over
all that is still to come. (What has been scored does not matter to that; to maximise the chance to
win is another aim.)

A turn that shows nothing new can be played where cards of two genera are known: one of each. If
both prefer that, nobody scores any more: such positions are worth 0, as they are without a turn
limit.

The positions are numbered so that every card that is turned up and every skeleton that is taken
leads to a larger number.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.compiler.jit import compiled, kernel
from dig_envs.engine.compiler.notice import say
from dig_envs.engine.core.lists import contains
from dig_envs.engine.core.state import new_records
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_memory import components as box
from dig_envs.games.fossil_memory import state as s
from dig_envs.games.fossil_memory.heuristic import heuristic
from dig_envs.games.fossil_memory.knowledge import knows

Array = np.ndarray[Any, Any]

MINUS_INFINITY = -1e9
UNKNOWN = -1  # what a player flips: an unknown card,
OF_THE_GENUS = 0  # a known one of the genus being flipped,
# or a known one of another genus, which ends the turn; at a turn's beginning: a genus
OF_ANOTHER = 1
# choices of genera whose positions, 8 MB each, are kept in memory: all that are played
KEPT = box.NUM_CHOICES
EPSILON = 1e-9  # what is better by less is as good
OWN = "dig_envs.games.fossil_memory.optimum"


class Table(NamedTuple):
    """The genera in play, arrays int64 (9,): ``genera`` (indices in the deck), ``parts``,
    ``values``; ``strides`` of their known parts in a position's number; ``first`` place of each
    when the cards lie in order; ``slots``: first column of each in a policy. ``lies``, int64 (24,):
    which of the nine lies at each place then.
    """

    genera: Array
    parts: Array
    values: Array
    strides: Array
    first: Array
    slots: Array
    lies: Array


def table_of(choice: int) -> Table:
    genera = np.flatnonzero(box.IN_PLAY[choice])
    parts = deck.PARTS[genera].astype(np.int64)
    strides = np.cumprod([1, *(parts + 2)])[:-1]  # known parts from 0 to all of them, or taken
    first = np.concatenate([[0], np.cumsum(parts)[:-1]])
    slots = 1 + np.concatenate([[0], np.cumsum(parts - 1)[:-1]])
    lies = np.repeat(np.arange(len(genera)), parts)
    return Table(genera, parts, deck.VALUE[genera].astype(np.int64), strides, first, slots, lies)


def number_of_positions(table: Table) -> int:
    """The number of positions; the last one is the end, when all is taken."""
    return int(np.prod(table.parts + 2))


# ---------------------------------------------------------------- positions


@compiled
def read(table, position, known):
    """Write the known parts of every genus on the grid, parts + 1 where it is taken; returns how
    many cards are unknown."""
    unknown = 0
    for g in range(len(known)):
        known[g] = position // table.strides[g] % (table.parts[g] + 2)
        unknown += hidden_parts(table, known, g)
    return unknown


@compiled
def hidden_parts(table, known, g):
    """The number of unknown parts of the genus on the grid."""
    return max(0, table.parts[g] - known[g])


@compiled
def after_taking(table, position, known, g):
    return position + (table.parts[g] + 1 - known[g]) * table.strides[g]


@compiled
def any_known(table, known, besides):
    """The first genus, other than ``besides``, with a known card; UNKNOWN if there is none."""
    for g in range(len(known)):
        if g != besides and 0 < known[g] <= table.parts[g]:
            return g
    return UNKNOWN


# ---------------------------------------------------------------- a turn


@compiled
def in_a_turn(table, position, known, unknown, g, up, ended, idle, policy, sign, values):
    """The worth of a turn for the one who counts, after ``up`` flipped cards of genus g.

    Known parts of g may become more in the rest of the turn, other genera stay as they are or end
    it, so that a small table of known parts and flipped cards is all there is to go through, from
    its end.

    Args:
        table: the genera. position, known, unknown: as :func:`read` gives them; known[g] is at
            least ``up``.
        g: the genus. up: how many of its cards have been flipped.
        ended: per position, what it is worth when the turn has ended there.
        idle: the same for this very position, if the turn ends without anything new.
        policy: int8 (positions, slots), what is flipped (:func:`scripted_policy`); empty: whatever
            is best.
        sign: 1 if the mover's points count, -1 if they are the other's.
        values: scratch, float64 (6, 6).
    """
    parts = table.parts[g]
    free = len(policy) == 0
    taken = sign * table.values[g] + ended[after_taking(table, position, known, g)]
    can_end = any_known(table, known, g) != UNKNOWN
    for k in range(parts, known[g] - 1, -1):
        there = position + (k - known[g]) * table.strides[g]
        left = unknown - (k - known[g])
        others = 0.0  # of the cards that an unknown one can be, those of other genera
        for h in range(len(known)):
            if h != g and hidden_parts(table, known, h) > 0:
                others += hidden_parts(table, known, h) * ended[there + table.strides[h]]
        for f in range(min(k, parts - 1), up - 1, -1):
            going_on = taken if f + 1 == parts else values[k, f + 1]
            looking = MINUS_INFINITY
            if left > 0:
                found = 0.0
                if k < parts:
                    found = (parts - k) * (taken if f + 1 == parts else values[k + 1, f + 1])
                looking = (found + others) / left
            ending = idle if k == known[g] else ended[there]
            if free:
                best = looking
                if k > f:
                    best = max(best, going_on)
                if can_end:
                    best = max(best, ending)
            else:
                move = policy[there, table.slots[g] + f - 1]
                best = (
                    going_on if move == OF_THE_GENUS else ending if move == OF_ANOTHER else looking
                )
            values[k, f] = best
    return values[known[g], up]


@compiled
def first_unknown(table, position, known, unknown, ended, policy, sign, values, later):
    """The worth of a turn that begins with an unknown card; ``later`` is scratch for the known
    parts, int64 (9,)."""
    total = 0.0
    for h in range(len(known)):
        hidden = hidden_parts(table, known, h)
        if hidden > 0:
            # not as a slice, for whose error Numba compiles seconds longer
            for g in range(len(known)):
                later[g] = known[g]
            later[h] += 1
            there = position + table.strides[h]
            total += hidden * in_a_turn(
                table, there, later, unknown - 1, h, 1, ended, ended[there], policy, sign, values
            )
    return total / unknown


@compiled
def best_turn(table, position, known, unknown, ended, none, values, later, margin):
    """The best way to begin a turn that shows something new or takes a skeleton, and its worth.

    The way is ``UNKNOWN``, or which of the nine genera to flip a known card of, if that is better
    by more than ``margin``. ``none`` is an empty policy.
    """
    move, best = UNKNOWN, MINUS_INFINITY
    if unknown > 0:
        best = first_unknown(table, position, known, unknown, ended, none, 1, values, later)
    for g in range(len(known)):
        if 0 < known[g] <= table.parts[g]:
            value = in_a_turn(
                table, position, known, unknown, g, 1, ended, MINUS_INFINITY, none, 1, values
            )
            if value > best + margin:
                move, best = g, value
    return move, best


@compiled
def can_idle(table, known):
    """Whether cards of two genera are known."""
    first = any_known(table, known, UNKNOWN)
    return first != UNKNOWN and any_known(table, known, first) != UNKNOWN


@kernel(OWN)
def solve_positions(table, policy, none, mine, theirs):
    """The best play against a player with a policy, or, if that is empty, against one who plays
    best, too.

    Fills ``mine``, float64 (positions,): its lead over the rest when it is about to begin a turn,
    and ``theirs``: the same when the other is. ``none`` is an empty policy. Returns whether the
    other never idles; if it does, nothing is to be made of what was filled.
    """
    known, later = np.zeros(len(table.parts), np.int64), np.zeros(len(table.parts), np.int64)
    values = np.zeros((6, 6))
    for position in range(len(mine) - 2, -1, -1):
        unknown = read(table, position, known)
        idle = 0.0
        if len(policy) > 0:
            begin = policy[position, 0]
            if begin == UNKNOWN:
                idle = first_unknown(
                    table, position, known, unknown, mine, policy, -1, values, later
                )
            else:
                idle = in_a_turn(
                    table,
                    position,
                    known,
                    unknown,
                    begin,
                    1,
                    mine,
                    MINUS_INFINITY,
                    policy,
                    -1,
                    values,
                )
            if idle < MINUS_INFINITY / 2:
                return False
            theirs[position] = idle
        _, best = best_turn(table, position, known, unknown, theirs, none, values, later, 0.0)
        if can_idle(table, known):
            best = max(best, idle)
        mine[position] = best
        if len(policy) == 0:
            theirs[position] = -best
    return True


# ---------------------------------------------------------------- a given player


@compiled
def lay_out(table, known, state):
    """A position as a state, its cards in order."""
    state.cards = 0
    for g in range(len(known)):
        taken = known[g] > table.parts[g]
        state.owner[table.genera[g]] = taken
        for part in range(table.parts[g]):
            place = table.first[g] + part
            state.grid[place] = box.TAKEN if taken else 1 + deck.FIRST_TYPE[table.genera[g]] + part
            state.seen[place] = part < known[g] and not taken
            state.cards += not taken


@kernel(OWN)
def scripted_policy(table, states, policy):
    """Write what the scripted player flips in every position, int8 (positions, slots).

    In the first column at a turn's beginning: ``UNKNOWN``, or a genus. In the column
    ``slots[g] + f - 1`` after f cards of genus g: ``UNKNOWN``, ``OF_THE_GENUS`` or ``OF_ANOTHER``.
    ``states`` is a record array of one, dealt for two players with perfect recall.
    """
    state = states[0]
    known = np.zeros(len(table.parts), np.int64)
    for position in range(len(policy) - 1):
        read(table, position, known)
        lay_out(table, known, state)
        state.up_len = 0
        place = heuristic(state, 0) - s.A_FLIP
        policy[position, 0] = table.lies[place] if state.seen[place] else UNKNOWN
        for g in range(len(known)):
            if known[g] <= table.parts[g]:
                for f in range(1, min(known[g], table.parts[g] - 1) + 1):
                    state.up[f - 1] = table.first[g] + f - 1
                    state.up_len = f
                    place = heuristic(state, 0) - s.A_FLIP
                    move = OF_THE_GENUS if table.lies[place] == g else OF_ANOTHER
                    policy[position, table.slots[g] + f - 1] = (
                        move if state.seen[place] else UNKNOWN
                    )
                for f in range(len(state.up)):
                    state.up[f] = 0


# ---------------------------------------------------------------- to play so


@kernel(OWN)
def choose_places(table, ended, idling, none, states, seats, places):
    """Write the best place to flip in each position, with the genera of the table; ``ended`` as in
    :func:`in_a_turn`.

    ``idling``: to show nothing new in a turn is worth so many times ``ended``.
    """
    known = np.zeros(len(table.parts), np.int64)
    up = np.zeros(len(table.parts), np.int64)
    later, values = np.zeros(len(table.parts), np.int64), np.zeros((6, 6))
    for i in range(len(states)):
        state, seat = states[i], seats[i]
        position, unknown = 0, 0
        for g in range(len(known)):
            genus = table.genera[g]
            known[g] = 0 if state.owner[genus] == 0 else table.parts[g] + 1
            up[g] = 0
            for place in range(box.NUM_PLACES):
                if state.grid[place] != box.TAKEN and box.GENUS_OF[state.grid[place]] == genus:
                    known[g] += knows(state, seat, place)
                    up[g] += contains(state.up, state.up_len, place)
            position += known[g] * table.strides[g]
            unknown += hidden_parts(table, known, g)
        move = best_move(
            table,
            ended,
            idling * ended[position],
            none,
            position,
            known,
            unknown,
            up,
            values,
            later,
        )
        places[i] = place_to_flip(table, state, seat, move)


@compiled
def best_move(table, ended, idle, none, position, known, unknown, up, values, later):
    """``UNKNOWN``, or which of the nine genera to flip a known card of."""
    for g in range(len(known)):
        if up[g] > 0:
            return best_way_on(table, ended, none, position, known, unknown, g, up[g], values)
    move, best = best_turn(table, position, known, unknown, ended, none, values, later, EPSILON)
    if can_idle(table, known) and idle > best + EPSILON:
        move = any_known(table, known, UNKNOWN)
    return move


@compiled
def best_way_on(table, ended, none, position, known, unknown, g, up, values):
    """The same in a turn in which ``up`` cards of genus g have been flipped: g, another genus to
    end the turn, or ``UNKNOWN``."""
    idle = ended[position]
    best = in_a_turn(table, position, known, unknown, g, up, ended, idle, none, 1, values)
    if known[g] > up:
        going_on = table.values[g] + ended[after_taking(table, position, known, g)]
        if up + 1 < table.parts[g]:
            going_on = in_a_turn(
                table, position, known, unknown, g, up + 1, ended, idle, none, 1, values
            )
        if going_on > best - EPSILON:
            return g
    if idle > best - EPSILON or unknown == 0:
        return any_known(table, known, g)
    return UNKNOWN


@compiled
def place_to_flip(table, state, seat, move):
    """The first place with such a card that is not up: not known, or known and of the genus that
    ``move`` says."""
    for place in range(box.NUM_PLACES):
        if state.grid[place] != box.TAKEN and not contains(state.up, state.up_len, place):
            there = knows(state, seat, place)
            if (move == UNKNOWN and not there) or (
                move != UNKNOWN and there and box.GENUS_OF[state.grid[place]] == table.genera[move]
            ):
                return place
    return UNKNOWN


# ---------------------------------------------------------------- results


@dataclass(frozen=True)
class Solution:
    """The best play with one choice of genera, against a player who plays so, too, or against the
    scripted player.

    ``ended`` float64 (positions,): the lead over the rest that it may expect when it has just ended
    a turn. ``idling``: to show nothing new in a turn is worth so many times as much: 0 where the
    other would do the same. ``first``: the lead, in points, that it may expect of the whole game as
    the first player.
    """

    table: Table
    ended: Array
    idling: float
    first: float

    @property
    def second(self) -> float:
        """The lead that it may expect of the whole game as the second player."""
        return float(self.ended[0])

    @property
    def exploitability(self) -> float:
        """The mean of both: what the other loses a game, in points; between two who play best it
        is 0."""
        return (self.first + self.second) / 2

    def places(self, states: Array, seats: Array) -> Array:
        """The best place to flip in each of n positions, int64 (n,), with these genera, for two
        players with perfect recall.

        Args:
            states: record array (n,). seats: int64 (n,), whose decisions they are.
        """
        places = np.zeros(len(states), np.int64)
        choose_places(self.table, self.ended, self.idling, NO_POLICY, states, seats, places)
        return places


NO_POLICY = np.zeros((0, 1), np.int8)


@cache
def say_how_long() -> None:
    """Say it once: in a training of many games the best responses for all choices are computed,
    little by little."""
    say(
        f"computing best responses in Fossil Memory: some 3 seconds for each of {box.NUM_CHOICES} "
        "choices of genera"
    )


@lru_cache(KEPT)
def optimum(choice: int) -> Solution:
    """The optimum for a choice of genera, an index into ``components.CHOICES``; it is computed in
    about a second, and kept."""
    table = table_of(choice)
    mine, theirs = leads(table, NO_POLICY)
    return Solution(table, theirs, 0.0, float(mine[0]))


@lru_cache(KEPT)
def answer_to_scripted(choice: int) -> Solution:
    """The best response to the scripted player for a choice of genera; computed in some seconds,
    and kept."""
    say_how_long()
    table, mine, theirs = answers(choice)
    return Solution(table, theirs, 1.0, float(mine[0]))


def answers(choice: int) -> tuple[Table, Array, Array]:
    """The expected lead of the best response to the scripted player over the rest of the game.

    Returns:
        The table; float64 (positions,) when it is about to begin a turn; the same when the scripted
        player is.
    """
    table = table_of(choice)
    states = new_records(1, s.State)
    states["num_players"], states["recall"] = 2, s.PERFECT
    states["in_play"][0] = box.IN_PLAY[choice]
    policy = np.zeros(
        (number_of_positions(table), int(table.slots[-1] + table.parts[-1] - 1)), np.int8
    )
    scripted_policy(table, states, policy)
    return table, *leads(table, policy)


def leads(table: Table, policy: Array) -> tuple[Array, Array]:
    """The arrays that :func:`solve_positions` fills, for a policy of the other player."""
    mine, theirs = np.zeros(number_of_positions(table)), np.zeros(number_of_positions(table))
    if not solve_positions(table, policy, NO_POLICY, mine, theirs):
        raise ValueError("the other player idles")
    return mine, theirs
