"""What a seat observes and hears, against what it sees: positions one action apart, in the real deal and in one dealt anew.

Two views of a seat that differ have different observations or action masks. Two actions of another seat that leave the same view
are told in the same words. ``NOT_OBSERVED`` and ``SAID_ALOUD`` hold the exceptions that the rules make.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.game import Array, Game
from dig_envs.text.telling import after, redealt, words_told
from tests.games import every_player_count, needs_compiling, positions

pytestmark = needs_compiling

LOOKS, EVERY, ACTIONS = 12, 7, 5  # positions of two games, the actions between them, actions tried at each

# Keys of views that the section "Observation" of a game's RULES.md leaves out, in whole or in part.
NOT_OBSERVED = {
    "the_big_dig": {"pending"},  # the own choice to act or to pass, once it is made
    "diggity": {"mine", "to_move"},  # which of two equivalent turns a card has; which other seat has the chance in an auction
}
# First words of actions that are said aloud or seen by all, and may leave no trace in the view.
SAID_ALOUD = {"diggity": {"place"}, "go_dig": {"ask"}, "the_big_dig": {"put"}}

Branch = tuple[int, int | None, Array]  # a world (0: as it is, 1: dealt anew), an action, the position after it


def branches(env: RawAEC, seed: int) -> Iterator[Branch]:
    """The position itself and after some actions of the mover, as it is and dealt anew for the mover."""
    game, mover = env.game, int(env.states["to_move"][0])
    legal = np.random.default_rng(seed).permutation(game.legal_actions(env.states, mover))[:ACTIONS]
    for world, states in enumerate((env.states, redealt(game, env.states, mover, seed))):
        yield world, None, states
        for action in map(int, legal):
            yield world, action, after(game, states, mover, action)


def observed(game: Game, states: Array, seat: int) -> bytes:
    """The observation and the action mask of a seat."""
    records, flat = game.new_observations(1)
    game.kernels.observations_of(states, 0, 1, np.array([seat], np.int64), records, flat)
    return flat.tobytes() + game.mask_of(states, seat).tobytes()


def seen(game: Game, states: Array, seat: int) -> str:
    """The view of a seat without what its observation leaves out."""
    view = game.to_view(game.to_snapshot(states[0]), seat)
    return json.dumps({key: entry for key, entry in view.items() if key not in NOT_OBSERVED.get(game.name, ())})


def check_observed(game: Game, found: list[Branch], seats: int, known: dict[Any, str]) -> None:
    """Views that differ have different observations or masks."""
    for _, _, states in found:
        for seat in range(seats):
            view = seen(game, states, seat)
            other = known.setdefault((seat, observed(game, states, seat)), view)
            assert other == view, f"seat {seat} observes the same, but views differ (a key to put into the observation?)"


def check_told(game: Game, found: list[Branch], mover: int, seats: int) -> None:
    """Actions that leave another seat the same view are told to it in the same words."""
    told: dict[Any, str] = {}
    for world, action, states in found:
        if action is None or game.actions[action].split()[0] in SAID_ALOUD.get(game.name, ()):
            continue
        for seat in set(range(seats)) - {mover}:
            words = words_told(game, action)
            view = json.dumps(game.to_view(game.to_snapshot(states[0]), seat))
            other = told.setdefault((world, seat, view), words)
            assert other == words, f"seat {seat} sees the same after {other!r} and {words!r}: say in SECRETS what is secret"


@every_player_count
def test_differences_in_views_are_observed_and_secrets_are_not_told(name: str, options: dict[str, Any]) -> None:
    known: dict[Any, str] = {}
    for count, env in enumerate(islice(positions(name, options, 2, EVERY), LOOKS)):
        found = list(branches(env, count))
        check_observed(env.game, found, env.num_seats, known)
        if env.states["owes"][0].sum() == 1:
            check_told(env.game, found, int(env.states["to_move"][0]), env.num_seats)


def test_a_secret_that_is_told_is_noticed() -> None:
    """Which fossil is hidden leaves no trace in the views of others: without SECRETS the words would tell it."""
    noticed = 0
    for env in positions("fossil_canyon_v0", {"num_players": 3}, 2, 3):
        mover = int(env.states["to_move"][0])
        hides = [a for a in env.game.legal_actions(env.states, mover) if env.game.actions[a].startswith("hide ")]
        if len(hides) > 1:
            found = [(0, action, after(env.game, env.states, mover, action)) for action in hides]
            check_told(env.game, found, mover, env.num_seats)
            with pytest.raises(AssertionError, match="SECRETS"):
                check_told(replace(env.game, secrets=()), found, mover, env.num_seats)
            noticed += 1
            if noticed == 2:
                break
    assert noticed


def test_a_view_that_is_not_observed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What bones are worth is in views of Bone Bids: an observation that lacks it is refused."""
    env = next(positions("bone_bids_v0", {}, 1, 1))
    changed = env.states.copy()
    changed["worth"] = env.states["worth"] % 6 + 1
    found: list[Branch] = [(0, None, env.states), (0, None, changed)]
    check_observed(env.game, found, env.num_seats, {})
    monkeypatch.setattr("tests.engine.test_telling.observed", lambda game, states, seat: b"")
    with pytest.raises(AssertionError, match="views differ"):
        check_observed(env.game, found, env.num_seats, {})
