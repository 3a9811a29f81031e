"""Writes the fields that the observations of most games have (:mod:`dig_envs.engine.fields` declares them)."""

from collections.abc import Callable

from dig_envs.engine.fields import Fields
from dig_envs.engine.jit import compiled


def standard_filler(fields: Fields, turns: int = 0, most: int = 0, least_players: int = 1) -> Callable[..., None]:
    """A compiled function ``fill(state, seat, obs)`` that writes the standard fields among ``fields``.

    Standard are ``plays``, ``has_turn``, ``score``, ``phase``, ``turn`` and ``num_players``; those that a game does not have are
    left out. A phase beyond the field's length (such as ``over``) is shown as zeros.

    Args:
        fields: of the observation.
        turns: the unit of ``turn``, 0 if the game fills it by itself.
        most: the unit of ``score``, 0 if the game fills it by itself.
        least_players: the number of players that is first in ``num_players``.
    """
    there = set(fields.names) - ({"turn"} if turns == 0 else set()) - ({"score"} if most == 0 else set())
    fill_plays = _fill_plays if "plays" in there else _fill_nothing
    fill_has_turn = _fill_has_turn if "has_turn" in there else _fill_nothing
    fill_score = _fill_score if "score" in there else _fill_nothing
    fill_phase = _fill_phase if "phase" in there else _fill_nothing
    fill_turn = _fill_turn if "turn" in there else _fill_nothing
    fill_num_players = _fill_num_players if "num_players" in there else _fill_nothing

    @compiled
    def fill(state, seat, obs):
        """Write the standard fields."""
        fill_plays(state, seat, obs, 0)
        fill_has_turn(state, seat, obs, 0)
        fill_score(state, seat, obs, most)
        fill_phase(state, seat, obs, 0)
        fill_turn(state, seat, obs, turns)
        fill_num_players(state, seat, obs, least_players)

    return fill


@compiled
def _fill_nothing(state, seat, obs, unit):
    pass


@compiled
def _fill_plays(state, seat, obs, unit):
    for k in range(state.num_players):
        obs.plays[k] = 1


@compiled
def _fill_has_turn(state, seat, obs, unit):
    obs.has_turn[(state.player - seat) % state.num_players] = 1


@compiled
def _fill_score(state, seat, obs, most):
    for k in range(state.num_players):
        obs.score[k] = state.scores[(seat + k) % state.num_players] / most


@compiled
def _fill_phase(state, seat, obs, unit):
    if state.phase < len(obs.phase):
        obs.phase[state.phase] = 1


@compiled
def _fill_turn(state, seat, obs, turns):
    obs.turn = state.turn / turns


@compiled
def _fill_num_players(state, seat, obs, least):
    obs.num_players[state.num_players - least] = 1
