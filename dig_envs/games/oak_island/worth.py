"""What a seat's belongings are worth: the cubes that it can expect to pull in the rest of the game. An estimate.

Who pulls the yellow cube wins, and each cube left is as likely to be it as any other. So a seat's chance is its share of the cubes
that are still to be pulled. Money buys cubes, the more of them the more clue tokens one has; If so cubes become tokens or money.
"""

import numpy as np

from dig_envs.engine.jit import compiled
from dig_envs.games.oak_island import state as s

# The weights of the estimate, found by playing against itself with others.
NAMES = (
    "base",
    "free",
    "money",
    "income",
    "first_clue",
    "second_clue",
    "more_clues",
    "ifso",
    "ifso_early",
    "dazzler",
    "laird",
    "pace",
    "spite",
    "hope",
    "now",
)
(BASE, FREE, MONEY, INCOME, FIRST_CLUE, SECOND_CLUE, MORE_CLUES, IFSO, IFSO_EARLY, DAZZLER, LAIRD, PACE, SPITE, HOPE, NOW) = range(
    len(NAMES)
)
WEIGHTS = np.array([0.75, 1.1, 1.0, 1.1, 0.4, 0.45, 0.06, 0.6, 0.06, 4.0, 0.5, 0.18, 0.7, 0.6, 0.85])
ENOUGH_CLUES = 4
PULLED_PER_TURN = 2.0


@compiled
def worth(money, ifso, clues, dazzlers, laird, turns, w):
    """Cubes to be expected of dollars, If so cubes, clue tokens, Bobby Dazzlers, Laird (or his chance), and so many own turns."""
    per_hundred = 1.0 + w[FIRST_CLUE] * min(clues, 1.0) + w[SECOND_CLUE] * min(max(clues - 1.0, 0.0), 1.0)
    per_hundred += w[MORE_CLUES] * min(max(clues - 2.0, 0.0), 2.0)
    hundreds = w[MONEY] * money / 100.0 + w[INCOME] * turns
    early = w[IFSO_EARLY] * turns if clues < ENOUGH_CLUES else 0.0
    return w[BASE] + w[FREE] * turns + hundreds * per_hundred + (w[IFSO] + early) * ifso + w[DAZZLER] * dazzlers - w[LAIRD] * laird


@compiled
def worth_of(state, p, turns, w):
    """The same of what seat p has."""
    return worth(
        state.money[p] * 1.0,
        state.ifso[p] * 1.0,
        state.clues[p] * 1.0,
        state.scores[p] * 1.0,
        1.0 if state.laird == p else 0.0,
        turns,
        w,
    )


@compiled
def most_turns(state):
    """Own turns in Episodes that are left to a seat after this one, if nobody finds the treasure."""
    left = 2.0 * (state.max_rounds - state.round_number)
    if state.phase == s.WAR:
        return left + 2.0
    return left + 2.0 - state.episode


@compiled
def expected_turns(state, bag, w):
    """How many of them are likely to be played with so many cubes in the bag."""
    return min(most_turns(state), w[PACE] * bag / state.num_players)


@compiled
def chance_of_end(state, bag):
    """A guess of the chance that the treasure is found before the round limit."""
    return min(1.0, PULLED_PER_TURN * state.num_players * most_turns(state) / max(bag, 1.0))


@compiled
def lead(state, seat, dazzlers, money):
    """A guess of the chance to be first at the round limit, with so many Bobby Dazzlers and dollars (OI-18): surer near the end."""
    surer = 1.0 / (1.0 + most_turns(state))
    chance = 1.0
    for p in range(state.num_players):
        if p != seat:
            ahead = 0.5 + 0.4 * (dazzlers - state.scores[p]) + (0.05 + 0.4 * surer) * (money - state.money[p]) / 100.0
            chance = min(chance, max(0.0, min(1.0, ahead)))
    return chance
