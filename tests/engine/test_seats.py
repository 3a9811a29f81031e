"""An observation tells of a seat in the row of that seat, counted clockwise from the observer.

In pairs of positions, one action or one change of a snapshot apart, in which only one seat's own
entries differ, nothing may change for any observer in the rows of the others.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dig_envs.engine.core.fields import Field
from dig_envs.engine.game import Array, Game
from dig_envs.engine.snapshots.codecs import PerSeat
from dig_envs.registry import load_game
from dig_envs.text.telling import after
from tests.engine.extremes import at_limits
from tests.games import every_game, needs_compiling, option_cases, positions

pytestmark = needs_compiling

EVERY = 3  # actions between positions
# meanings of marks of one seat, such as who has the turn, which go from one row to another
MARK = re.compile(r": 1 |the leader")
# Fields of a seat that depend on what others have, and what says so.
FOLLOWS_OTHERS = {
    ("cretaceous_creek", "offset"): "from the own space",
    ("dino_dig", "length"): "DD-25: which cards of another suit can be used",
    ("dino_dig", "high"): "DD-25",
    ("fossil_canyon", "lead"): "minus the own score",
}
Observe = Callable[[Game, Array, int], Array]


def observation(game: Game, states: Array, seat: int) -> Array:
    records, flat = game.new_observations(1)
    game.kernels.observations_of(states, 0, 1, np.array([seat], np.int64), records, flat)
    return np.array(flat[0])


def fields_per_seat(game: Game) -> list[Field]:
    """The fields that have a row for each seat or for each other one, by their meaning (… goes on
    with what was said before)."""
    found, told = [], False
    for field in game.fields.fields:
        told = (
            "per seat" in field.meaning
            or "per other seat" in field.meaning
            or (told and field.meaning.startswith("…"))
        )
        has_rows = field.shape and field.shape[0] in (game.max_players, game.max_players - 1)
        if (
            told
            and has_rows
            and not MARK.search(field.meaning)
            and (game.name, field.name) not in FOLLOWS_OTHERS
        ):
            found.append(field)
    return found


def pairs(game: Game) -> Iterator[tuple[Array, Array]]:
    """Positions and what has become of them."""
    for chain in at_limits(game.env_name):
        for (_, one), (_, other) in pairwise(chain):
            yield one, other
    for options in option_cases(game.env_name):
        if set(options) == {"num_players"}:
            for count, env in enumerate(positions(game.env_name, options, 2, EVERY)):
                mover = int(env.states["to_move"][0])
                legal = game.legal_actions(env.states, mover)
                yield (
                    env.states,
                    after(game, env.states, mover, int(np.random.default_rng(count).choice(legal))),
                )


def seat_that_differs(game: Game, one: dict[str, Any], other: dict[str, Any]) -> int | None:
    """The seat whose own entries alone differ between two snapshots; None if it is not so, or if
    others have the turn."""
    found = set()
    for key, codec in game.snapshot_table.items():
        if isinstance(codec, PerSeat):
            found |= {
                seat
                for seat, (old, new) in enumerate(zip(one[key], other[key], strict=True))
                if old != new
            }
    same_turn = all(one.get(key) == other.get(key) for key in ("to_move", "player"))
    return found.pop() if len(found) == 1 and same_turn else None


def check_rows(game: Game, observe: Observe = observation) -> None:
    """Only the row of the seat that differs has changed in what the seats observe."""
    fields = fields_per_seat(game)
    for one, other in pairs(game):
        seat = seat_that_differs(game, game.to_snapshot(one[0]), game.to_snapshot(other[0]))
        seats = int(one["num_players"][0])
        for watcher in range(seats) if seat is not None else ():
            differs = observe(game, one, watcher) != observe(game, other, watcher)
            for field in fields:
                rows = (
                    differs[game.layout[field.name].slice].reshape(field.shape[0], -1).any(axis=1)
                )
                first = game.max_players - field.shape[0]  # a field of the others begins with +1
                places = {int(row) + first for row in np.flatnonzero(rows)}
                assert places <= {(seat - watcher) % seats}, (
                    f"{field.name}: of seat {seat}, seat {watcher} of {seats} sees {places}"
                )


@every_game
def test_each_seat_is_observed_in_its_own_row(name: str) -> None:
    check_rows(load_game(name))


def counter_clockwise(field: str) -> Observe:
    """Observations in which a field has the rows of the others in the opposite order."""

    def observe(game: Game, states: Array, seat: int) -> Array:
        flat = observation(game, states, seat)
        rows = flat[game.layout[field].slice].reshape(game.layout[field].shape[0], -1)
        first = 1 - (game.max_players - len(rows))
        others = slice(first, first + int(states["num_players"][0]) - 1)
        rows[others] = rows[others][::-1].copy()
        return flat

    return observe


def by_number(field: str) -> Observe:
    """Observations in which a field has the seats in the order of their numbers."""

    def observe(game: Game, states: Array, seat: int) -> Array:
        flat, seats = observation(game, states, seat), int(states["num_players"][0])
        rows = flat[game.layout[field].slice].reshape(game.layout[field].shape[0], -1)
        rows[:seats] = np.roll(rows[:seats], seat, axis=0)
        return flat

    return observe


@pytest.mark.parametrize(
    ("name", "observe"),
    [
        ("bone_bids", by_number("score")),
        ("diggity", counter_clockwise("hand_sizes")),
        ("fossil_canyon", counter_clockwise("open")),
        ("go_dig", by_number("num_cards")),
        ("twenty_questions", counter_clockwise("best_value")),
    ],
)
def test_rows_in_a_wrong_order_are_noticed(name: str, observe: Observe) -> None:
    with pytest.raises(AssertionError, match="sees"):
        check_rows(load_game(name), observe)


@pytest.mark.parametrize(("game", "field"), FOLLOWS_OTHERS)
def test_each_exception_is_needed(game: str, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FOLLOWS_OTHERS, (game, field))
    with pytest.raises(AssertionError, match=f"{field}: of seat"):
        check_rows(load_game(game))
