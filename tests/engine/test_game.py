"""The Game object: complete, consistent, and one for each game."""

import copy
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest

from dig_envs.engine.compiler import loading
from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.compiler.loading import load_kernels
from dig_envs.engine.core.state import ANSWERS, header
from dig_envs.engine.game import Rules
from dig_envs.registry import environments_of, list_environments, load_game
from tests.games import every_game


@every_game
def test_names_and_versions(name):
    game = load_game(name)
    assert game.env_name == name
    assert environments_of(game.name)[game.version] == name
    assert game.title
    assert name in list_environments()


@every_game
def test_there_is_one_object_for_each_game(name):
    game = load_game(name)
    _ = game.kernels  # compiled code cannot be copied
    assert (
        copy.copy(game)
        is copy.deepcopy(game)
        is pickle.loads(pickle.dumps(game))
        is load_game(name)
        is game
    )
    assert [other for other in list_environments() if {game: 1}.get(load_game(other))] == [name], (
        "it can be a key"
    )


@every_game
def test_state_begins_with_the_header(name):
    game = load_game(name)
    fields = [field[:-1] for field in header(game.max_players)]  # without what they say
    assert game.state.names[: len(fields)] == tuple(field[0] for field in fields)
    assert [game.state.fields[name][0] for name, *_ in fields] == [
        np.dtype((kind, *(shape or [()]))) for _, kind, *shape in fields
    ]


@every_game
def test_seats_and_actions_that_there_are_not(name):
    """None is taken for another, as 1.5 for 1 and "0" for 0."""
    game = load_game(name)
    states = game.template(game.complete_options({}))
    for wrong, error in (
        *((one, TypeError) for one in (1.5, "0", None, True, [0])),
        *((one, ValueError) for one in (-2, game.max_players, 2**40)),
    ):
        for look in (game.mask_of, game.legal_actions):
            with pytest.raises(error, match="a seat must be"):
                look(states, wrong)
        with pytest.raises(error, match="a seat must be"):
            game.to_view({}, wrong)
    for wrong, error in (
        (1.5, TypeError),
        (None, TypeError),
        (-1, ValueError),
        (2**40, ValueError),
    ):
        with pytest.raises(error, match="an action must be"):
            game.action_list.label(wrong, 0, game.max_players)


@every_game
def test_copies_of_states_are_equal_as_bytes(name):
    """Copies of states are equal byte for byte: fields cover the record without gaps, which NumPy
    would not copy."""
    game = load_game(name)
    covered = sum(dtype.itemsize for dtype, *_ in game.state.fields.values())
    assert covered == game.state.itemsize
    states = np.frombuffer(bytes(range(256)) * game.state.itemsize, game.state).copy()
    assert states.tobytes() == bytes(range(256)) * game.state.itemsize
    assert states[[1, 0]].tobytes() == states[1].tobytes() + states[0].tobytes()
    other = np.zeros_like(states)
    other[:] = states
    assert other.tobytes() == states.tobytes()
    assert np.where(np.ones(len(states), bool), states, other).tobytes() == states.tobytes()


@every_game
def test_actions_have_plain_texts(name):
    game = load_game(name)
    assert all(text == text.strip() != "" for text in game.actions)
    assert [game.action_index[text] for text in game.actions] == [*range(len(game.actions))]


@every_game
def test_observation_is_float32_without_gaps_and_explained(name):
    game = load_game(name)
    assert game.observation.itemsize == 4 * game.observation_size
    assert game.observation.names == tuple(game.layout)
    assert all(entry.meaning and entry.low < entry.high for entry in game.layout.values())
    records, flat = game.new_observations(2)
    assert (flat.shape, flat.dtype) == ((2, game.observation_size), np.float32)
    for field, entry in game.layout.items():
        records[field][1] = 1
        assert (flat[1, entry.slice] == 1).all()
        assert flat[1].sum() == np.prod(entry.shape, dtype=int)
        assert not flat[0].any()
        records[field][1] = 0


@every_game
def test_options_and_phases(name):
    game = load_game(name)
    assert [*game.options[0].values] == [*range(game.min_players, game.max_players + 1)]
    assert all(option.default in option.values and option.meaning for option in game.options)
    assert len(set(game.phases)) == len(game.phases)


@compiled
def two_for_one(state, seat, action):
    """Not a rule of any game: scores change in opposite directions."""
    state.scores[0] += 2
    state.scores[1] -= 1


def test_every_change_of_scores_is_noticed():
    """Also when gains and losses balance in some weighted sum: by the kernels, which are the same
    for all games."""
    game = load_game("bone_bids")
    rules = Rules(**{**vars(game.rules), "apply_action": two_for_one})
    kernels = load_kernels(replace(game, package=f"{game.package}_two_for_one", rules=rules))
    states = game.template(game.complete_options({"num_players": max(2, game.min_players)}))
    kernels.start(states, 0, 1, np.zeros(1, np.uint64), states.copy(), np.zeros(1, np.int64))
    seen = (np.ones((1, len(game.actions)), np.int8), *game.new_observations(1))
    rewards = np.zeros((1, game.max_players))
    action = np.zeros(1, np.int64)
    assert kernels.advance(states, action, kernels.REWARD_SCORE, rewards, *seen) > ANSWERS
    assert not states["over"][0]
    assert rewards[0, :2].tolist() == [2, -1]


def test_compiled_loops_are_loaded_with_all_names_that_they_declare(monkeypatch):
    """A name that is missing is an error at once, and the module is not kept."""
    game = load_game("bone_bids")
    monkeypatch.setattr(loading, "TAKEN_OVER", ())
    with pytest.raises(LookupError, match=r"playouts is not given .*redeal"):
        loading.load_part(game, game.kernels, loading.PLAYOUTS, form="nothing")
    assert loading._name("bone_bids_v0nothing", loading.PLAYOUTS) not in sys.modules


def test_a_copy_of_a_game_has_its_compiled_code():
    """And no other game has."""
    game = load_game("bone_bids")
    kernels = game.kernels
    assert replace(game).kernels is kernels
    with pytest.raises(ValueError, match="two games are called bone_bids"):
        _ = replace(game, cooperative=not game.cooperative).kernels
