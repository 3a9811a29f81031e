"""The promise of a position of Dino Dig: the score that a search expects where it stops before the
end of the game."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.games.dino_dig import components as box
from dig_envs.games.dino_dig.rules import cards, skeletons

ON_THE_WAY = 0.6  # of what the cards in backpacks would add to the run
PER_CARD = 0.1  # for each card up to the five without which the game cannot be ended
PER_VALUE = 0.15  # for each value of which there is a usable card at home, in the run or not


@compiled
def estimate(state, seat):
    """The length of the seat's run as things stand, and something for what may lengthen it."""
    museum = state.museum[seat]
    others = cards.held_by_others(state, seat)
    best, suit = skeletons.best_of_suits(state, seat, museum, others)
    if suit < 0:
        return 0.0
    now = best // 16
    with_packs = museum | cards.in_backpacks(state, seat)
    soon = skeletons.best_run(state.contract, suit, with_packs, others) // 16
    usable = cards.size_of(skeletons.usable_values(state.contract, suit, museum, others))
    counted = min(box.ENOUGH_CARDS, state.museum_size[seat])
    return now + ON_THE_WAY * (soon - now) + PER_CARD * counted + PER_VALUE * usable
