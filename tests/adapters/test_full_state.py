"""The full state: what the record of a position says, in all environments alike."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.adapters.parallel import Parallel
from dig_envs.adapters.sb3 import DigVecEnv
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.full_state import LEFT_OUT
from dig_envs.registry import load_game
from tests.games import every_game, every_player_count, mostly_heuristic, play

NAME = "go_dig_v0"


def by_hand(game, states):
    """The full states, field by field from the records."""
    found = []
    for name in game.state.names:
        values = np.asarray(states[name]).reshape(len(states), -1)
        if name.startswith("_gap_") or name in (*LEFT_OUT, *game.packed):
            continue
        if name in game.scratch:
            assert not values.any(), f"{name} is zero between actions"
        elif name in game.sets:
            assert not (values >> game.sets[name]).any(), f"{name} has no other members"
            members = (values[:, :, None] >> np.arange(game.sets[name])) & 1
            found.append(members.reshape(len(states), -1))
        else:
            found.append(values / (16 if values.itemsize == 1 else 128))
    return np.concatenate(found, axis=1).astype(np.float32)


@every_game
def test_says_what_the_record_says(name):
    """Also where numbers of players are mixed; the layout names every number once, and its bounds
    hold."""
    game = load_game(name)
    counts = [game.player_counts[i % len(game.player_counts)] for i in range(32)]
    batch, full = BatchEnv(name, 32, seed=3, num_players=counts, num_threads=1), game.full_state
    low, high = full.bounds()
    for step in range(120):
        if step % 10 == 0:
            seen = batch.full_state()
            assert (seen.dtype, seen.shape) == (np.float32, (32, full.size))
            assert np.array_equal(seen, by_hand(game, batch.states))
            assert (low <= seen).all()
            assert (seen <= high).all()
        batch.step(batch.heuristic_actions() if step % 3 else batch.sample_actions())
    places = [entry.slice for entry in full.layout.values()]
    assert [place.start for place in places] == [0, *(place.stop for place in places[:-1])]
    assert places[-1].stop == full.size
    for field, entry in full.layout.items():
        named = seen[:, entry.slice].reshape(32, *entry.shape)
        wanted = np.asarray(game.state.fields[field][0].shape)
        assert named.shape[1 : 1 + len(wanted)] == tuple(wanted)


@every_game
def test_layout_says_what_each_field_is(name):
    game = load_game(name)
    options = {option.name for option in (*game.options, *game.fixed_options)}
    for field, entry in game.full_state.layout.items():
        said = entry.meaning.rpartition(" (")[0]
        assert len(said.replace("per seat: ", "")) > 3, field
        if said.startswith("the option "):
            assert field in options
        if said.startswith("entries of "):
            assert field.removesuffix("_len") in game.full_state.layout


def test_a_set_is_a_set_and_packed_numbers_are_left_out():
    layout = load_game(NAME).full_state.layout
    assert "built" not in layout
    assert layout["asked"].shape == (4, 13)
    diggity = load_game("diggity_v0").full_state.layout
    assert [diggity[name].shape[-1] for name in ("near", "open_fits", "fits", "made")] == [
        4,
        2,
        2,
        5,
    ]


@every_player_count
def test_the_same_in_aec_and_parallel_and_after_a_snapshot(name, options):
    aec, parallel = RawAEC(name, **options), Parallel(name, **options)
    wrapped = dig_envs.make(name, **options)
    for env in (aec, parallel):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            env.full_state()
    for env in (aec, parallel, wrapped):
        env.reset(seed=8)
        assert env.state().tobytes() == aec.full_state().tobytes()
    for step, _ in enumerate(play(aec, np.random.default_rng(0), mostly_heuristic)):
        seen = aec.full_state()
        assert aec.state_space.contains(seen)
        if step % 20 == 0:
            parallel.restore(aec.snapshot())
            assert parallel.state().tobytes() == seen.tobytes()
        seen[:] = 7  # a fresh array
        assert not (aec.full_state() == 7).all()
    for twin in (copy.deepcopy(aec), pickle.loads(pickle.dumps(aec))):
        assert twin.state_space == aec.state_space == parallel.state_space
        assert twin.full_state().tobytes() == aec.full_state().tobytes()


@pytest.mark.parametrize("name", [NAME, "the_big_dig_v0"])
def test_has_what_nobody_sees(name):
    """Another deal of what a seat cannot know looks the same to the seat, but not here."""
    env = RawAEC(name)
    env.reset(seed=1)
    agent = env.agent_selection
    seen, full = env.look(agent)["observation"], env.full_state()
    env.determinize(agent, 5)
    assert np.array_equal(env.look(agent)["observation"], seen)
    pile = env.full_state_layout["pile" if name == NAME else "cards"].slice
    assert (env.full_state()[pile] != full[pile]).any()


def test_batches_of_a_learner_have_that_of_their_games():
    options = {"learner": 0, "num_players": 2}
    games = LearnerBatch(NAME, 3, seed=4, **options)
    vector = DigVectorEnv(NAME, 3, **options)
    sb3 = DigVecEnv(NAME, 3, learner_seats=0, seed=4, num_players=2)
    for ask in (
        lambda: games.observation,
        lambda: games.action_mask,
        lambda: games.learner_seats,
        games.full_state,
        lambda: games.choices_of(dig_envs.load_agent("random")),
        vector.full_state,
        sb3.full_state,
    ):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            ask()
    games.reset()
    vector.reset(seed=4)
    sb3.reset()
    for _ in range(5):
        actions = games.action_mask.argmax(axis=1)
        games.step(actions)
        vector.step(actions)
        sb3.step(actions)
        full = games.batch.full_state()
        assert full.tobytes() == vector.full_state().tobytes() == sb3.full_state().tobytes()
        assert np.array_equal(full, by_hand(games.game, games.batch.states))
    alone = gymnasium.make("dig/go_dig-v0", **options).unwrapped
    alone.reset(seed=1)
    assert alone.full_state().tobytes() == alone.aec.full_state().tobytes()
    for one in (games, games.batch, vector, sb3, alone, alone.aec):
        assert one.full_state_layout == games.game.full_state.layout


@pytest.mark.parametrize("most", [-1, 3])
def test_of_an_episode_that_has_ended_and_is_still_shown(most):
    """As the observation, it is that of the last position until the next game is shown."""
    env = DigVectorEnv(
        NAME,
        4,
        learner=0,
        max_episode_steps=most,
        autoreset_mode=AutoresetMode.NEXT_STEP,
        num_players=2,
        max_turns=4,
    )
    _, infos = env.reset(seed=1)
    layout, ended = env.game.full_state.layout, 0
    for _ in range(12):
        _, _, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        over, full = env.full_state()[:, layout["over"].slice], env.full_state()
        assert np.array_equal(over[:, 0] * 16, terminated)
        scores = full[:, layout["scores"].slice] * 128
        for i in np.flatnonzero(terminated):
            assert scores[i].tolist() == infos["scores"][i].tolist()
        cut = truncated & ~terminated
        turns = full[:, layout["turn"].slice][:, 0] * 128
        assert (turns[cut] > 1).all(), "not yet the game that is dealt next"
        ended += int(terminated.sum() + cut.sum())
    assert ended >= 4


def test_ends_of_a_batch():
    """``full_state(ended)`` is that of the last positions, as ``observe_all``; ``won`` and
    ``scores`` are of the games that have just ended."""
    batch = BatchEnv("fossil_memory_v0", 16, seed=2, num_players=3, max_turns=6)
    with pytest.raises(ValueError, match="no episode of game 0 has ended yet"):
        batch.full_state([True] * 16)
    with pytest.raises(TypeError, match="ended must be bool"):
        batch.full_state([1] * 16)
    seen = 0
    for _ in range(60):
        batch.step(batch.sample_actions())
        for i in range(16):
            if not batch.terminated[i]:
                assert not batch.won[i].any()
                assert not batch.scores[i].any()
                continue
            last = batch.final_states[i]
            winners = np.flatnonzero(last["winners"])
            wanted = [1 / len(winners) * (seat in winners) for seat in range(4)]
            assert batch.won[i].tolist() == wanted
            assert batch.scores[i].tolist() == last["scores"].tolist()
            seen += 1
        ended = batch.full_state(batch.terminated)
        states = np.where(batch.terminated, batch.final_states, batch.states)
        assert np.array_equal(ended, by_hand(batch.game, states))
    assert seen >= 16


def test_what_a_learner_gets_at_the_end_of_an_episode():
    games = LearnerBatch("fossil_memory_v0", 16, opponents="random", seed=5, max_turns=6)
    games.reset()
    ties = 0
    for _ in range(60):
        step = games.step(games.batch.sample_actions())
        for i in range(16):
            one = step.ended.get(i)
            assert (one is not None) == step.done[i]
            assert step.won[i] == (one.won if one else 0.0)
            assert step.scores[i].tolist() == (one.scores.tolist() if one else [0] * 4)
            if one:
                best = max(one.scores)
                level = [seat for seat in range(2) if one.scores[seat] == best]
                assert one.won == (one.seat in level) / len(level)
                ties += one.won == 0.5
                over = games.game.full_state.layout["over"].slice
                assert one.full_state[over] * 16 == 1
    assert ties, "a tie of two counts one half for each"
