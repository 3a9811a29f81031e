"""Writes the fields that the observations of most games have, and that
:mod:`dig_envs.engine.core.fields` declares."""

from collections.abc import Callable
from typing import Any

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core.fields import TURN_LIMIT, Fields
from dig_envs.engine.core.seats import distance, seat_after


def standard_filler(fields: Fields) -> Callable[..., None]:
    """A compiled function ``fill(state, seat, obs)`` that writes the fields that have a unit.

    A phase beyond the field's length (such as ``over``) is shown as zeros.
    """
    units: dict[str, Any] = {
        field.name: field.unit for field in fields.fields if field.unit is not None
    }
    fill_plays = _fill_plays if "plays" in units else _fill_nothing
    fill_has_turn = _fill_has_turn if "has_turn" in units else _fill_nothing
    fill_score = _fill_score if "score" in units else _fill_nothing
    fill_phase = _fill_phase if "phase" in units else _fill_nothing
    fill_num_players = _fill_num_players if "num_players" in units else _fill_nothing
    limited = units.get("turn") == TURN_LIMIT
    fill_turn = _fill_turn_of_limit if limited else _fill_turn if "turn" in units else _fill_nothing
    per_turn, per_point = 1 / (1 if limited else units.get("turn", 1)), 1 / units.get("score", 1)
    least_players = units.get("num_players", 0)

    @compiled
    def fill(state, seat, obs):
        """Write the standard fields."""
        fill_plays(state, seat, obs, 0)
        fill_has_turn(state, seat, obs, 0)
        fill_score(state, seat, obs, per_point)
        fill_phase(state, seat, obs, 0)
        fill_turn(state, seat, obs, per_turn)
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
    obs.has_turn[distance(state, seat, state.player)] = 1


@compiled
def _fill_score(state, seat, obs, per_point):
    for k in range(state.num_players):
        obs.score[k] = state.scores[seat_after(state, seat, k)] * per_point


@compiled
def _fill_phase(state, seat, obs, unit):
    if state.phase < len(obs.phase):
        obs.phase[state.phase] = 1


@compiled
def _fill_turn(state, seat, obs, per_turn):
    obs.turn = state.turn * per_turn


@compiled
def _fill_turn_of_limit(state, seat, obs, unit):
    obs.turn = state.turn / state.max_turns


@compiled
def _fill_num_players(state, seat, obs, least):
    obs.num_players[state.num_players - least] = 1
