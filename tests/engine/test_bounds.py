"""Observations lie within their declared bounds late in long games, and in positions at the limits
of what snapshots may hold.

Batches are played by careful and by careless players; snapshots are changed as far as the
invariants accept it.
"""

from dataclasses import replace

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.fields import Fields
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game
from dig_envs.text.telling import copied
from tests.engine.extremes import at_limits
from tests.games import every_game, needs_compiling, option_cases, positions

pytestmark = needs_compiling

STEPS, LOOK_EVERY = 1000, 10


def beyond(game: Game, states: Array) -> str:
    """The fields that are outside their bounds in the observation of some seat of some of these
    positions."""
    low, high = game.fields.bounds()
    wrong = np.zeros(game.observation_size, bool)
    records, flat = game.new_observations(len(states))
    for seat in range(game.max_players):
        seats = np.where(states["num_players"] > seat, seat, -1)
        game.kernels.observations_of(states, 0, len(states), seats, records, flat)
        wrong |= ~((low <= flat) & (flat <= high)).all(axis=0)
    return ", ".join(name for name, entry in game.layout.items() if wrong[entry.slice].any())


def with_bound(game: Game, name: str, high: float) -> Game:
    """The game with another upper bound of a field."""
    fields = [
        replace(field, high=high) if field.name == name else field for field in game.fields.fields
    ]
    return replace(game, fields=Fields(*fields))


def check_long_games(game: Game) -> None:
    """Games of all options one after the other, of players between careful and careless."""
    cases, rng = option_cases(game.env_name), np.random.default_rng(0)
    batch = BatchEnv(game.env_name, len(cases), seed=5, observation=None, per_game=cases)
    # of a random action in place of the scripted player's
    chance = rng.choice([1.0, 0.5, 0.1, 0.0], batch.batch_size)
    for step in range(STEPS):
        batch.step(
            np.where(
                rng.random(batch.batch_size) < chance,
                batch.sample_actions(),
                batch.heuristic_actions(),
            )
        )
        if step % LOOK_EVERY == 0:
            for states in (batch.states, batch.final_states[batch.terminated]):
                outside = beyond(game, copied(states))
                assert not outside, f"after {step + 1} steps outside of their bounds: {outside}"
    batch.close()


def check_limits(game: Game) -> None:
    """Positions changed as far as is accepted."""
    chains = at_limits(game.env_name)
    assert sum(map(len, chains)) > len(chains), "all changes are refused: nothing is looked at"
    for chain in chains:
        for snapshot, states in chain:
            outside = beyond(game, states)
            assert not outside, f"outside of their bounds: {outside}, in the position {snapshot}"


@every_game
def test_observations_of_long_games_lie_within_their_bounds(name: str) -> None:
    check_long_games(load_game(name))


@every_game
def test_observations_at_the_limits_lie_within_their_bounds(name: str) -> None:
    check_limits(load_game(name))


def test_a_bound_that_only_long_games_break_is_noticed() -> None:
    """Museums of Fossil Memory: ordinary positions of two games never fill them by more than six
    tenths."""
    game = with_bound(load_game("fossil_memory"), "skeletons", 0.6)
    for env in positions(game.env_name, {}, 2, 5):
        assert not beyond(game, env.states)
    with pytest.raises(AssertionError, match="outside of their bounds: skeletons"):
        check_long_games(game)


@pytest.mark.parametrize(
    ("name", "field", "high"), [("twenty_questions", "cards", 0.7), ("diggity", "passes", 0.5)]
)
def test_a_bound_that_the_limits_break_is_noticed(name: str, field: str, high: float) -> None:
    """One player with most of the cards; as many passes in a row as there can be: no game gets
    there."""
    game = with_bound(load_game(name), field, high)
    with pytest.raises(AssertionError, match=f"outside of their bounds: {field},"):
        check_limits(game)
