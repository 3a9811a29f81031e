"""The worth of a seat's belongings: the cubes that it can expect to pull in the rest of the game.
An estimate.

Who pulls the yellow cube wins, and each cube left is as likely to be it as any other. So a seat's
chance is its share of the cubes that are still to be pulled. Money buys cubes, the more of them the
more clue tokens one has; If so cubes become tokens or money. The numbers were found by games of
this player against itself with other numbers.
"""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.oak_island import state as s

BASE = 0.75  # cubes, whatever one has
FREE, INCOME = 1.1, 1.1  # per turn: cubes for nothing; hundreds of dollars to come
# cubes more per hundred dollars, for each clue token up to ENOUGH_CLUES
FIRST_CLUE, SECOND_CLUE, MORE_CLUES = 0.4, 0.45, 0.06
ENOUGH_CLUES = 4
# cubes per If so cube; more for each turn left, while clue tokens are wanted
IFSO, IFSO_EARLY = 0.6, 0.06
DAZZLER, LAIRD = 4.0, 0.5  # cubes per Bobby Dazzler; lost to Laird
PACE = 0.18  # turns of each seat, per cube in the bag and player
PULLED_PER_TURN = 2.0


@compiled
def worth(money, ifso, clues, dazzlers, laird, turns):
    """Cubes to be expected of dollars, If so cubes, clue tokens, Bobby Dazzlers, Laird (or his
    chance), and so many own turns."""
    per_hundred = 1.0 + FIRST_CLUE * min(clues, 1.0) + SECOND_CLUE * min(max(clues - 1.0, 0.0), 1.0)
    per_hundred += MORE_CLUES * min(max(clues - 2.0, 0.0), 2.0)
    hundreds = money / 100.0 + INCOME * turns
    early = IFSO_EARLY * turns if clues < ENOUGH_CLUES else 0.0
    return (
        BASE
        + FREE * turns
        + hundreds * per_hundred
        + (IFSO + early) * ifso
        + DAZZLER * dazzlers
        - LAIRD * laird
    )


@compiled
def worth_of(state, p, turns):
    """The same of what seat p has."""
    money, ifso, clues, dazzlers = (
        state.money[p] * 1.0,
        state.ifso[p] * 1.0,
        state.clues[p] * 1.0,
        state.scores[p] * 1.0,
    )
    return worth(money, ifso, clues, dazzlers, 1.0 if state.laird == p else 0.0, turns)


@compiled
def most_turns(state):
    """Own turns in Episodes that are left to a seat after this one, if nobody finds the
    treasure."""
    left = 2.0 * (state.max_rounds - state.round_number) + 2.0
    return left if state.phase == s.WAR else left - state.episode


@compiled
def expected_turns(state, bag):
    """The likely number of own turns in Episodes with this number of cubes in the bag."""
    return min(most_turns(state), PACE * bag / state.num_players)


@compiled
def share_of_wins(state, seat, share, bag, dazzlers, money):
    """The chance to win of a seat with such a share of the cubes to come, and so many Bobby
    Dazzlers and dollars.

    If the round limit is near, it may come first: then nobody wins; in version 0 who is ahead.
    """
    # A guess of the chance that the treasure is found before the round limit.
    end = min(1.0, PULLED_PER_TURN * state.num_players * most_turns(state) / max(bag, 1.0))
    if end < 1.0:
        share *= end
        if state.version == 0:
            share += (1.0 - end) * lead(state, seat, dazzlers, money)
    return share


@compiled
def lead(state, seat, dazzlers, money):
    """A guess of the chance to be first at the round limit of version 0 (OI-18), with so many Bobby
    Dazzlers and dollars: surer near the end."""
    surer = 1.0 / (1.0 + most_turns(state))
    chance = 1.0
    for p in range(state.num_players):
        if p != seat:
            ahead = (
                0.5
                + 0.4 * (dazzlers - state.scores[p])
                + (0.05 + 0.4 * surer) * (money - state.money[p]) / 100.0
            )
            chance = min(chance, max(0.0, min(1.0, ahead)))
    return chance
