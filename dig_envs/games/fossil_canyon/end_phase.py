"""The end phase and the end of Fossil Canyon (FC-30 to FC-36)."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import turns
from dig_envs.engine.core.lists import clear
from dig_envs.engine.core.tell import NO_SEAT, tell
from dig_envs.engine.core.winners import winners_by
from dig_envs.games import fossil_deck as deck
from dig_envs.games.fossil_canyon import components as box
from dig_envs.games.fossil_canyon import events as e
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s


@compiled
def begin_end_phase(state):
    """Begin the end phase: all hidden fossils go face up, and nothing is kept as known (FC-30)."""
    state.ending = 1
    tell(state, e.END_PHASE, NO_SEAT)
    for p in range(state.num_players):
        for t in range(deck.NUM_TYPES):
            for _ in range(state.hidden[p, t]):
                tell(state, e.TURNED_UP, p, t)
            state.open[p, t] += state.hidden[p, t]
        state.num_open[p] += state.num_hidden[p]
        state.num_hidden[p] = clear(state.hidden[p], deck.NUM_TYPES)
        for x in range(state.num_players):
            state.known_len[x, p] = clear(state.known[x, p], state.known_len[x, p])


@compiled
def is_exhausted(state):
    """FC-33: all hands together, which lie face up, allow neither a skeleton nor an award."""
    for genus in range(deck.NUM_GENERA):
        complete = True
        for t in range(deck.FIRST_TYPE[genus], deck.FIRST_TYPE[genus + 1]):
            if not questions.anybody_shows(state, t):
                complete = False
                break
        if complete:
            return False
    value = 0
    for p in range(state.num_players):
        value += questions.research_value(state, p)
    for award in range(len(box.AWARDS)):
        if value >= box.AWARD_VALUE[award] and questions.pieces_left(state, award) > 0:
            return False
    return True


@compiled
def why_stalled(state):
    """FC-33: the reason to end in the turns that are counted."""
    if state.passes >= state.num_players:
        return s.PASSED
    if state.idle >= state.stalemate_rounds * state.num_players:
        return s.STALEMATE
    return s.NOT_ENDED


@compiled
def why_over(state):
    """FC-33: the first reason that applies when a turn of the end phase would begin or be
    skipped."""
    if is_exhausted(state):
        return s.EXHAUSTED
    return why_stalled(state)


@compiled
def reason_to_end(state):
    """FC-33, FC-36: why no turn begins here, NOT_ENDED if one does."""
    ended = s.NOT_ENDED
    if state.ending:
        ended = why_over(state)
    if ended == s.NOT_ENDED and turns.is_turn_limit_reached(state):
        ended = s.TURNS
    return ended


@compiled
def clear_turn(state):
    state.digs = 0
    state.returned = 0
    state.bonus = 0
    state.exchanges = 0
    state.scored = 0
    state.partner = 0
    state.left = 0


# ---------------------------------------------------------------- the end


@compiled
def finish(state, ended):
    """FC-34 to FC-36: the game is over."""
    clear_turn(state)
    state.ended = ended
    state.truncated = 1 if ended == s.TURNS else 0
    turns.finish(state, s.OVER)
    if ended != s.TURNS and state.endgame_bonuses:
        for bonus in range(len(box.BONUSES)):  # FC-34
            p = bonus_owner(state, bonus)
            if p >= 0:
                state.bonuses[p, bonus] = 1
                state.scores[p] += box.BONUS_POINTS[bonus]
                tell(state, e.BONUS, p, bonus, box.BONUS_POINTS[bonus], is_tied(state, bonus))
            else:
                tell(state, e.NO_BONUS, NO_SEAT, bonus, is_tied(state, bonus))
    decide_winners(state, state.winners)


@compiled
def bonus_owner(state, bonus):
    """FC-34: the seat that a bonus goes to, -1 for nobody."""
    if bonus == box.LARGE:
        for p in range(state.num_players):
            if has_all_herbivores(state, p):
                return p
        return turns.NOBODY
    owner = turns.NOBODY
    most = 0
    for p in range(state.num_players):
        if bonus == box.SMALL:
            strength = 1000 * int(state.carnivores[p]) + state.carnivore_sum[p]
        else:
            strength = 1000 * int(state.jurassic[p]) + state.jurassic_sum[p]
        if strength > most:
            most = strength
            owner = p
        elif strength == most:
            owner = turns.NOBODY
    return owner


@compiled
def is_tied(state, bonus):
    """FC-34: whether several players have the most skeletons that a bonus counts."""
    if bonus == box.LARGE:
        return False
    most = 0
    tied = False
    for p in range(state.num_players):
        skeletons = state.carnivores[p] if bonus == box.SMALL else state.jurassic[p]
        if skeletons > most:
            most = skeletons
            tied = False
        elif skeletons == most and most > 0:
            tied = True
    return tied


@compiled
def has_all_herbivores(state, p):
    """FC-34: a skeleton of each Cretaceous herbivore."""
    for i in range(len(box.HERBIVORES)):
        if state.museums[p, box.HERBIVORES[i]] == 0:
            return False
    return True


@compiled
def standing(state, p):
    """FC-35: points, then the most valuable skeleton."""
    return 100 * state.scores[p] + state.best[p]


decide_winners = winners_by(standing)
