"""What others have chosen to hide before the first turn, as the scripted player would have."""

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.lists import clear, insert_sorted
from dig_envs.games.fossil_canyon import questions
from dig_envs.games.fossil_canyon import state as s
from dig_envs.games.fossil_canyon.heuristic import heuristic


@compiled
def suppose(state, seat):
    """Choose for each other seat that has committed to its choice."""
    for p in range(state.num_players):
        if p != seat and state.phase == s.SETUP and not state.owes[p]:
            state.chosen_len[p] = clear(state.chosen[p], state.chosen_len[p])
            while not questions.is_choice_complete(state, p):
                action = heuristic(state, p)
                if action == s.A_DONE:
                    break
                state.chosen_len[p] = insert_sorted(
                    state.chosen[p], state.chosen_len[p], action - s.A_HIDE
                )
