"""A view is completed to a position that agrees with it, in which everybody chooses as in the true
one."""

import json
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

from dig_envs import SnapshotError
from dig_envs.engine.snapshots.codecs import own_or_size
from dig_envs.engine.snapshots.snapshot import COMMITTED, ORIGIN
from dig_envs.registry import list_environments, load_game
from tests.engine.mutations import mutations
from tests.engine.test_leaks import hidden_leaves, value_at
from tests.games import every_case, every_game, option_cases, positions, some_positions

DEALS = 150
SIMULTANEOUS = [name for name in list_environments() if load_game(name).is_simultaneous]


def seen_of(game, states, seat):
    """Everything that a seat is shown: view, observation and mask."""
    records, flat = game.new_observations(1)
    mask = np.zeros((1, len(game.actions)), np.int8)
    game.kernels.look_one(states, seat, mask, records, flat)
    view = json.loads(json.dumps(game.to_view(game.to_snapshot(states[0]), seat)))
    return view, flat.tobytes(), mask.tobytes()


def scripted(game, states, seat):
    actions = np.zeros(1, np.int64)
    game.kernels.heuristic_actions(states.copy(), 0, 1, np.array([seat]), actions)
    return int(actions[0])


@every_case
def test_the_seat_sees_and_the_scripted_player_chooses_the_same(name, options):
    game, count = load_game(name), 0
    for env in some_positions(name, options, 5):
        for seat in range(env.num_seats):
            seen = seen_of(game, env.states, seat)
            states = game.complete(seen[0], seat, seed=count)
            assert seen_of(game, states, seat) == seen
            game.from_snapshot(game.to_snapshot(states[0]))  # every invariant holds
            if env.states["owes"][0][seat]:
                assert scripted(game, states, seat) == scripted(game, env.states, seat)
            count += 1
    assert count


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_views_in_the_middle_of_simultaneous_decisions(name):
    """Seats that have committed before others of lower number, too."""
    game, apart = load_game(name), 0
    for options in option_cases(name)[:2]:
        for env in positions(name, options, games=3, every=1):
            owing = np.flatnonzero(env.states["owes"][0])
            if len(owing) < 2 or apart > 30:
                continue
            states, last = env.states.copy(), int(owing[-1])
            for _ in range(3):  # actions of one decision
                if not states["owes"][0][last] or not states["owes"][0][owing[0]]:
                    break
                game.kernels.apply_one(states, last, game.legal_actions(states, last)[0])
                apart += COMMITTED in game.to_snapshot(states[0])
                for seat in range(env.num_seats):
                    seen = seen_of(game, states, seat)
                    assert seen_of(game, game.complete(seen[0], seat, 5), seat) == seen
    assert apart > 10


@every_game
def test_what_is_hidden_is_dealt_as_a_re_deal_deals_it(name):
    """For one hidden entry after the other: as often each value, by a chi-square test."""
    game = load_game(name)
    env = next(env for k, env in enumerate(positions(name, {}, games=1, every=7)) if k == 1)
    snapshot, seat = game.to_snapshot(env.states[0]), int(env.states["to_move"][0])
    view = game.to_view(snapshot, seat)
    redealt, completed = [], []
    for seed in range(DEALS):
        states = env.states.copy()
        game.kernels.determinize_one(states, seat, np.uint64(seed))
        redealt.append(game.to_snapshot(states[0]))
        states = game.complete(view, seat, DEALS + seed)
        completed.append(game.to_snapshot(states[0]))
    hidden = [*hidden_leaves(snapshot, view)]
    assert hidden
    for at in hidden:
        first, second = (
            Counter(json.dumps(value_at(one, at))[:12] for one in deals)
            for deals in (redealt, completed)
        )
        assert chi_square(first, second) < limit(len({*first, *second}) - 1), at


def chi_square(first, second):
    """The statistic of two samples of the same size."""
    return sum((first[k] - second[k]) ** 2 / (first[k] + second[k]) for k in {*first, *second})


def limit(freedom):
    """About 6 standard deviations above what is expected."""
    return freedom + 6 * np.sqrt(2 * freedom) + 20


@every_game
def test_a_view_of_something_else_is_refused_by_key(name):
    """Changed views agree with a position, or a SnapshotError names the key."""
    game, rng, count, refused = load_game(name), np.random.default_rng(1), 0, 0
    for env in some_positions(name, option_cases(name)[-1], 3):
        snapshot = game.to_snapshot(env.states[0])
        view = game.to_view(snapshot, 0)
        for twin in mutations(view, game.view_schema, rng, 12):
            count += 1
            try:
                states = game.complete(twin, 0, 1)
            except SnapshotError as error:
                refused += "snapshot key '" in str(error)
                continue
            again, given = game.to_view(game.to_snapshot(states[0]), 0), game.with_defaults(twin)
            assert all(again[key] == given[key] for key in given if key not in ORIGIN)
            count -= 1
        for p in range(1, env.num_seats):  # of another seat, as a whole and an entry at a time
            other = game.to_view(snapshot, p)
            for twin in (other, *({**view, key: other[key]} for key in view)):
                with suppress(SnapshotError):
                    game.complete(twin, 0, 1)
        if snapshot != {**snapshot, **view}:
            with pytest.raises(
                SnapshotError,
                match=r"^snapshot key 'rng': this is a complete position, not a view$",
            ):
                game.complete(snapshot, 0, 1)
    assert refused == count > 20


@every_game
def test_wrong_seats_seeds_and_things_are_refused(name):
    game = load_game(name)
    env = next(positions(name, {}, games=1, every=100))
    view = game.to_view(game.to_snapshot(env.states[0]), 0)
    for seat in (-1, env.num_seats, 10**9):
        with pytest.raises(ValueError, match="seat"):
            game.complete(view, seat, 0)
    for wrong in (None, 1.0, "0", True):
        with pytest.raises(TypeError):
            game.complete(view, wrong, 0)
        with pytest.raises(TypeError):
            game.complete(view, 0, wrong)
    sizes = [key for key, codec in game.snapshot_table.items() if codec.view is own_or_size]
    for key in sizes:  # all entries as lists, or as sizes
        for entry in (view[key][0], len(view[key][0])):
            with pytest.raises(SnapshotError, match=key):
                game.complete({**view, key: [entry] * len(view[key])}, 0, 0)
    for thing in (None, 3, "view", [], {}, {"game": game.name}):
        with pytest.raises(SnapshotError):
            game.complete(thing, 0, 0)


# of a view of seat 0, in each game: what is changed in it, and what is said
WRONG = [
    ("go_dig_v0", ("hands", 0, 0), "XXX1", "'hands.0.0': 'XXX1' is not one of 'TYR1', "),
    (
        "go_dig_v0",
        ("hands", 0),
        ["TRI1"] * 7,
        "'hands.0': 'TRI1' is seen 7 times, and the game has",
    ),
    ("go_dig_v0", ("hands", 1), -1, "'hands.1': must be an integer from 0 to 58, not -1"),
    ("go_dig_v0", ("hands", 1), {}, "'hands.1': must be array or integer, not {}"),
    ("go_dig_v0", ("hands", 0), 3, "'hands.0': must be a list in the view of seat 0, not 3"),
    ("go_dig_v0", ("hands", 1), ["TRI1"], "'hands.1': must be a number in the view of seat 0"),
    ("fossil_canyon_v0", ("hidden", 0), ["TRI3"] * 9, "'hidden.0': 'TRI3' is seen 9 times"),
    ("diggity_v0", ("hands", 0), ["T-NW"] * 9, "'hands.0': 'T-NW' is seen 9 times"),
    ("cretaceous_creek_v0", ("out",), ["TYR4"] * 9, "'out': 'TYR4' is seen "),
    ("cretaceous_creek_v0", ("grid", "A1", 0), "XXX1", "'grid.A1.0': 'XXX1' is not one of 'TYR1'"),
    ("fossil_memory_v0", ("grid", 0), "XXX1", "'grid.0': 'XXX1' is not one of '', 'TYR1'"),
    ("twenty_questions_v0", ("discards",), ["TRI"] * 9, "'discards': 'TRI' is seen 9 times"),
    ("dino_dig_v0", ("hand",), [{"card": "H3", "known": [0]}] * 3, "'hand"),
    ("oak_island_v1", ("dirt", "red"), 99, "'bag': 'red' is seen 99 times, and the game has 8"),
]


@pytest.mark.parametrize(("name", "at", "value", "words"), WRONG)
def test_the_entry_that_is_wrong_is_named(name, at, value, words):
    game = load_game(name)
    view = json.loads(json.dumps(game.to_view(game.to_snapshot(game.deal({}, 3)[0]), 0)))
    *path, last = at
    entry = view
    for step in path:
        entry = entry[step]
    entry[last] = value
    with pytest.raises(SnapshotError) as error:
        game.complete(view, 0, 1)
    assert str(error.value).startswith(f"snapshot key {words}")


@every_game
def test_another_number_of_players_and_another_seat_are_named(name):
    game = load_game(name)
    env = next(positions(name, {}, games=1, every=15))
    snapshot = json.loads(json.dumps(game.to_snapshot(env.states[0])))
    views = [game.to_view(snapshot, p) for p in range(env.num_seats)]
    other = game.max_players if env.num_seats < game.max_players else game.min_players
    if other != env.num_seats:
        options = {**snapshot["options"], "num_players": other}
        words = f"'options.num_players': is {other}, and the lists of all players have "
        with pytest.raises(SnapshotError, match=words):
            game.complete({**views[0], "options": options}, 0, 1)
        with pytest.raises(SnapshotError, match=words):
            game.from_snapshot({**snapshot, "options": options})
    if views[0] != views[1]:
        with pytest.raises(SnapshotError, match="this is the view of seat 0, not of seat 1"):
            game.complete(views[0], 1, 1)
