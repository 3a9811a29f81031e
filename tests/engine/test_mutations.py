"""Snapshots from outside: whatever is changed in them, they are refused by key, or played to the
end without a wrong index.

Run as plain Python (``NUMBA_DISABLE_JIT=1``) or with Numba's bounds checks
(``NUMBA_BOUNDSCHECK=1``) an index out of range is an error; compiled as usual, the memory around
the position must stay as it is.
"""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from dig_envs import SnapshotError
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.state import as_records, new_records
from dig_envs.registry import load_game
from tests.engine.mutations import moves, mutations
from tests.games import case_id, every_case, every_game, option_cases, positions

PER_POSITION = 12 if JIT_DISABLED else 8
# of the accepted ones: as plain Python a game takes seconds
MOST_PLAYED = 3 if JIT_DISABLED else 15
ENOUGH = 150
MOST_ACTIONS = 400
GUARD = 0x5A


def reachable(name, options, games=2, every=23, seed=0):
    """Snapshots of positions in the middle of games."""
    return [
        env.game.to_snapshot(env.states[0])
        for env in positions(name, options, games=games, every=every, seed=seed)
    ]


def accepted(game, snapshot):
    """Whether a snapshot is taken; a refusal must be a SnapshotError that names something."""
    try:
        return game.from_snapshot(snapshot)
    except SnapshotError as error:
        if "snapshot key '" not in str(error):
            raise
        return None


def play_guarded(game, states, rng):
    """Play random actions from a position between two others, whose bytes must stay; the positions
    on the way must be sound."""
    memory = new_records(3, game.state)
    memory.view(np.uint8)[:] = GUARD
    memory[1] = states[0]
    position = as_records(memory[1:2])
    records, flat = game.new_observations(1)
    low, high = game.fields.bounds()
    for count in range(MOST_ACTIONS):
        if position["over"][0]:
            break
        seat = int(position["to_move"][0])
        legal = game.legal_actions(position, seat)
        assert legal
        for p in range(int(position["num_players"][0])):
            game.kernels.observations_of(position, 0, 1, np.array([p]), records, flat)
            assert (flat[0] >= low).all()
            assert (flat[0] <= high).all()
        if count % 20 == 0:
            twin = position.copy()
            game.kernels.determinize_one(twin, seat, np.uint64(count))
            assert accepted(game, game.to_snapshot(twin[0])) is not None
        game.kernels.apply_one(position, seat, int(rng.choice(legal)))
        around = memory[[0, 2]].tobytes()
        assert around == bytes([GUARD]) * len(around)
    assert accepted(game, game.to_snapshot(position[0])) is not None


@every_case
@pytest.mark.parametrize("times", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_what_is_accepted_can_be_played(name, options, times):
    """As a whole: mutated snapshots are refused with the key, or are sound to the end of the
    game."""
    game, seed = load_game(name), crc32(case_id(name, options).encode())
    rng, count, played = np.random.default_rng(seed), times * PER_POSITION, 0
    found = reachable(name, options, seed=seed)
    for snapshot in found[:: -(-len(found) // 6)]:
        assert accepted(game, snapshot) is not None
        for twin in (
            *mutations(snapshot, game.json_schema, rng, count),
            *moves(snapshot, game.json_schema, rng, count),
        ):
            states = accepted(game, twin)
            if states is not None and played < times * MOST_PLAYED:
                played += 1
                play_guarded(game, states, rng)


@every_game
def test_the_invariants_refuse_what_form_alone_would_let_through(name):
    """With the game's own checks emptied, many times as many changed positions would be taken."""
    game, rng = load_game(name), np.random.default_rng(6)
    careless = replace(game, check_position=lambda candidate: None)
    taken = would_be = 0
    found = reachable(name, option_cases(name)[-1], games=4, every=5)
    for k in range(40 * len(found)):
        for twin in mutations(found[k % len(found)], game.json_schema, rng, 10):
            if accepted(careless, twin) is not None:
                would_be += 1
                taken += accepted(game, twin) is not None
        if would_be >= ENOUGH:
            break
    assert would_be >= ENOUGH
    assert taken <= would_be / 3, f"{taken} of {would_be} impossible positions are accepted"


@every_game
def test_deep_and_huge_things_are_refused(name):
    """Values that would break the message itself are refused: numbers of thousands of digits, lists
    in lists in lists."""
    game, depth = load_game(name), 50_000
    snapshot = reachable(name, option_cases(name)[0], games=1, every=1000)[0]
    deep = []
    for _ in range(depth):
        deep = [deep]
    for key in snapshot:
        for thing in (deep, 10 ** (depth // 10), {"x": deep}, "9" * depth, [10 ** (depth // 10)]):
            assert accepted(game, {**snapshot, key: thing}) is None


@every_game
def test_a_snapshot_without_a_generator_gets_a_fresh_one_and_null_is_refused(name):
    game = load_game(name)
    snapshot = reachable(name, option_cases(name)[0], games=1, every=1000)[0]
    without = {key: value for key, value in snapshot.items() if key != "rng"}
    assert len({int(game.from_snapshot(without)["rng"][0]) for _ in range(4)}) == 4
    assert accepted(game, {**snapshot, "rng": None}) is None
