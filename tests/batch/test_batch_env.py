"""BatchEnv: the same games as in the AEC environment, whatever the threads, with nothing lost at an
episode's end."""

import copy
import json
import threading

import numpy as np
import pytest

from dig_envs import IllegalActionError, OptionError, SnapshotError
from dig_envs.adapters.aec import RawAEC
from dig_envs.batch.batch_env import SMALLEST_SHARE, BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.seeds import following_seed
from dig_envs.registry import list_environments, load_game
from tests.games import (
    every_game,
    every_player_count,
    is_allowed,
    mostly_heuristic,
    needs_compiling,
    play_out,
    slow_but,
)

OUTPUTS = (
    "observation",
    "action_mask",
    "mover",
    "reward",
    "terminated",
    "truncated",
    "turn_limit",
    "states",
)
FINALS = ("final_states", "final_returns", "final_lengths")
LARGE = 12 if JIT_DISABLED else 4 * SMALLEST_SHARE + 3
NAME = "oak_island_v1"  # of what does not depend on the game
PLAYED = [name for name in OUTPUTS + FINALS if name != "reward"]


def contents(batch):
    """All outputs, as bytes."""
    return {name: getattr(batch, name).tobytes() for name in (*OUTPUTS, *FINALS)}


def positions_of(batch, games):
    """Return the bytes of the positions of some games; taken one by one, as NumPy does not copy
    padding when it gathers records."""
    return [
        getattr(batch, name)[i].tobytes()
        for name in ("states", "observation", "action_mask", "mover")
        for i in games
    ]


def mixed_actions(batch, rng, scripted=0.5):
    """Random actions, and in a share of the games what the scripted player does, which leads
    further into the game."""
    drawn = batch.sample_actions().copy()
    if JIT_DISABLED:
        return drawn
    return np.where(rng.random(batch.batch_size) < scripted, batch.heuristic_actions(), drawn)


def play_on(batch, rng, steps):
    for _ in range(steps):
        batch.step(mixed_actions(batch, rng))


def same_view(batch, index, aec):
    """Compare what the mover sees in one game of the batch with an AEC environment."""
    assert aec.agent_selection == f"player_{batch.mover[index]}"
    seen = aec.observe(aec.agent_selection)
    assert np.array_equal(seen["observation"], batch.observation[index])
    assert np.array_equal(seen["action_mask"], batch.action_mask[index])
    assert seen["action_mask"].any()


# ---------------------------------------------------------------- the same games as AEC


@every_player_count
@pytest.mark.parametrize("reward", ["win", "score"])
def test_the_same_games_as_in_the_aec_environment(name, options, reward):
    """Bitwise, over several episodes: observations, masks, movers, rewards, ends, final states,
    returns and lengths."""
    size, episodes = 3, 2
    batch = BatchEnv(name, size, seed=40, reward=reward, **options)
    games = [RawAEC(name, reward, **options) for _ in range(size)]
    for index, aec in enumerate(games):
        aec.reset(seed=40 + index)
    ended, returns, lengths = [0] * size, np.zeros((size, batch.game.max_players)), [0] * size
    rng = np.random.default_rng(1)
    while min(ended) < episodes:
        for index, aec in enumerate(games):
            same_view(batch, index, aec)
            assert batch.states[index].tobytes() == aec.states[0].tobytes()
        actions = mixed_actions(batch, rng, scripted=0.7)
        movers = batch.mover.copy()
        batch.step(actions)
        for index, aec in enumerate(games):
            aec.step(int(actions[index]))
            seats = aec.num_seats
            paid = [aec.rewards[agent] for agent in aec.possible_agents]
            assert batch.reward[index][:seats].tolist() == np.float32(paid).tolist()
            assert not batch.reward[index][seats:].any()
            returns[index, :seats] += paid
            lengths[index] += 1
            mover = aec.possible_agents[movers[index]]
            assert bool(batch.terminated[index]) == aec.terminations[mover]
            assert not batch.truncated[index]
            assert not aec.truncations[mover]
            if batch.terminated[index]:
                assert (
                    bool(batch.turn_limit[index])
                    == aec.infos[mover]["turn_limit"]
                    == bool(aec.states["truncated"][0])
                )
                assert batch.final_states[index].tobytes() == aec.states[0].tobytes()
                assert batch.final_states["to_move"][index] == -1
                assert np.allclose(batch.final_returns[index], returns[index], atol=1e-6)
                assert batch.final_lengths[index] == lengths[index]
                for seat, agent in enumerate(aec.possible_agents):
                    assert np.array_equal(
                        batch.final_observation(index, seat), aec.observe(agent)["observation"]
                    )
                ended[index] += 1
                returns[index], lengths[index] = 0, 0
                aec.reset()


# ---------------------------------------------------------------- seeds and options per game


@every_game
def test_each_game_has_its_own_seed_and_number_of_players(name):
    game = load_game(name)
    players = [*range(game.min_players, game.max_players + 1)] * 2
    seeds = [2**64 - 1, *range(5, 4 + len(players))]
    batch = BatchEnv(name, len(players), seed=seeds, num_players=players)
    alone = [BatchEnv(name, 1, seed=s, num_players=n) for s, n in zip(seeds, players, strict=True)]
    rng = np.random.default_rng(3)
    for _ in range(80):
        for index, one in enumerate(alone):
            for output in OUTPUTS:
                assert getattr(batch, output)[index].tobytes() == getattr(one, output)[0].tobytes()
        actions = mixed_actions(batch, rng)
        batch.step(actions)
        for index, one in enumerate(alone):
            one.step(actions[index : index + 1])


@every_game
def test_reset_continues_the_seeds_or_takes_new_ones(name):
    batch = BatchEnv(name, 3, seed=5)
    play_on(batch, np.random.default_rng(0), 4)
    batch.reset()
    assert [int(s) for s in batch.states["seed"]] == [following_seed(5 + i) for i in range(3)]
    assert not any(output.any() for output in (batch.reward, batch.terminated, batch.truncated))
    batch.reset([9, 1, 9])
    assert batch.states[0].tobytes() == batch.states[2].tobytes() != batch.states[1].tobytes()
    again = BatchEnv(name, 3, seed=[9, 1, 9])
    assert contents(again)["states"] == contents(batch)["states"]
    assert contents(again)["observation"] == contents(batch)["observation"]
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        batch.reset([1, 2])


@every_game
def test_some_games_may_be_dealt_anew(name):
    """From the seeds that follow or from new ones; the others stay as they are, and all play on as
    elsewhere."""
    batch = BatchEnv(name, 4, seed=5)
    play_on(batch, np.random.default_rng(0), 4)
    rest, lengths = positions_of(batch, [1, 3]), batch._data.lengths
    batch.reset(games=[True, False, True, False])
    assert [int(s) for s in batch.states["seed"]] == [following_seed(5), 6, following_seed(7), 8]
    assert positions_of(batch, [1, 3]) == rest
    assert lengths.tolist() == [0, 4, 0, 4]
    assert positions_of(batch, [0]) == positions_of(BatchEnv(name, 1, seed=following_seed(5)), [0])
    before = contents(batch)
    batch.reset(90, np.zeros(4, np.bool_))
    assert contents(batch) == before
    batch.reset(90, [False, False, False, True])
    fresh = BatchEnv(name, 1, seed=93)
    assert positions_of(batch, [3]) == positions_of(fresh, [0])
    assert batch.sample_actions()[3] == fresh.sample_actions()[0]
    assert positions_of(batch, [1]) == rest[0::2]


def test_games_to_deal_that_are_refused():
    batch = BatchEnv(NAME, 3, seed=5)
    before = contents(batch)
    for games, error, text in (
        ([True], ValueError, r"games must have the shape \(3,\)"),
        ([0, 1, 2], TypeError, "games must be bool, not int64"),
    ):
        with pytest.raises(error, match=text):
            batch.reset(games=games)
    with pytest.raises(TypeError, match="a seed must be an integer"):
        batch.reset("7", [True, False, False])
    assert contents(batch) == before


# ---------------------------------------------------------------- threads


@every_game
def test_results_do_not_depend_on_the_number_of_threads(name):
    batches = [BatchEnv(name, LARGE, seed=3, num_threads=threads) for threads in (1, 2, 4)]
    rng = np.random.default_rng(0)
    for step in range(60):
        actions = [batch.sample_actions().copy() for batch in batches]
        assert (actions[0] == actions[1]).all()
        assert (actions[0] == actions[2]).all()
        games = None if step % 3 else rng.random(LARGE) < 0.5
        for batch, chosen in zip(batches, actions, strict=True):
            batch.step(chosen, games)
        if step % 10 == 9:
            assert contents(batches[0]) == contents(batches[1]) == contents(batches[2])
    scripted = (
        [batch.heuristic_actions().tolist() for batch in batches]
        if not JIT_DISABLED
        else [[], [], []]
    )
    assert scripted[0] == scripted[1] == scripted[2]
    for batch in batches:
        batch.close()
        batch.step(batch.sample_actions())  # threads come back when they are needed
        batch.close()
    assert contents(batches[0]) == contents(batches[1]) == contents(batches[2])


# ---------------------------------------------------------------- some of the games


@needs_compiling
@slow_but("go_dig_v0")
def test_seats_that_the_step_plays_play_as_if_each_were_asked(name):
    """One step is as many of a batch of this game alone, in which others decide for them."""
    batch = BatchEnv(name, 6, seed=4, reward="score")
    alone = [BatchEnv(name, 1, seed=4 + i, reward="score") for i in range(6)]
    players = np.random.default_rng(0).integers(3, size=(6, batch.game.max_players))
    ends = 0
    for step in range(80):
        actions = np.concatenate([one.action_mask.argmax(axis=1) for one in alone])
        batch.step(actions, players=players)
        for i, one in enumerate(alone):
            paid, first = np.zeros_like(one.reward), True
            while first or not (one.terminated[0] or players[i, one.mover[0]] == 0):
                kind, first = players[i, one.mover[0]], False
                drawn = one.sample_actions if kind == 2 else one.heuristic_actions
                one.step(drawn() if kind else actions[i : i + 1])
                paid += one.reward
            assert np.array_equal(batch.reward[i], paid[0])
            for output in PLAYED:
                ours, theirs = getattr(batch, output)[i], getattr(one, output)[0]
                assert ours.tobytes() == theirs.tobytes(), output
        ends += batch.terminated.sum()
        players = players[:, ::-1] if step == 40 else players
    assert ends > 2


def test_players_that_there_are_not():
    batch = BatchEnv(NAME, 2)
    before, seats = contents(batch), batch.game.max_players
    for players, error, words in (
        (np.zeros((2, 1), np.int8), ValueError, rf"the shape \(2, {seats}\), not \(2, 1\)"),
        (np.zeros((2, seats)), TypeError, "players must be integers"),
        (np.full((2, seats), 3), ValueError, "from 0 to 2: asked, heuristic, random"),
    ):
        with pytest.raises(error, match=words):
            batch.step(batch.sample_actions(), players=players)
    with pytest.raises(ValueError, match="notes events plays no seats itself"):
        BatchEnv(NAME, 2, with_events=True).step([0, 0], players=np.ones((2, seats), np.int8))
    assert contents(batch) == before


@every_game
def test_games_that_are_not_played_on_stay_as_they_are(name):
    batch, whole = BatchEnv(name, 10, seed=1), BatchEnv(name, 10, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(80):
        actions = mixed_actions(whole, rng)
        whole.step(actions)
        games = rng.random(10) < 0.5
        rest = np.flatnonzero(~games)
        before = positions_of(batch, rest)
        chosen = np.where(games, actions, -5)  # what is given for the others means nothing
        batch.step(chosen, games)
        assert positions_of(batch, rest) == before
        assert not any(
            output[rest].any() for output in (batch.reward, batch.terminated, batch.turn_limit)
        )
        batch.step(actions, ~games)
        for output in ("states", "observation", "action_mask", "mover", *FINALS):
            assert getattr(batch, output).tobytes() == getattr(whole, output).tobytes()


# ---------------------------------------------------------------- what is refused


@every_game
def test_an_illegal_action_is_named_and_changes_nothing(name):
    batch = BatchEnv(name, 6, seed=2)
    play_on(batch, np.random.default_rng(0), 5)
    while batch.action_mask[4].all():
        batch.step(batch.sample_actions())
    good, before = batch.sample_actions(), contents(batch)
    illegal, size = int(np.flatnonzero(batch.action_mask[4] == 0)[0]), len(batch.game.actions)
    for bad, text in (
        (illegal, repr(batch.game.actions[illegal])),
        (-1, "-1, which"),
        (size, f"{size}, which"),
        (2**40, "is no"),
    ):
        with pytest.raises(IllegalActionError) as error:
            batch.step([*good[:4], bad, good[5]])
        assert text in str(error.value)
        assert f"seat {batch.mover[4]} in game 4" in str(error.value)
        assert contents(batch) == before
    batch.step(good)
    assert contents(batch) != before


def test_arguments_of_the_wrong_kind():
    batch = BatchEnv(NAME, 4)
    good, before = batch.sample_actions(), contents(batch)
    for actions, games, error, text in (
        (good.astype(float), None, TypeError, "integers, not float64"),
        (good.astype(bool), None, TypeError, "integers, not bool"),
        (good.astype(str), None, TypeError, "integers, not <U"),
        (None, None, TypeError, "integers, not object"),
        ([2**70] * 4, None, TypeError, "integers, not object"),
        (good[:3], None, ValueError, r"shape \(4,\), not \(3,\)"),
        ([[0], [0, 0]], None, ValueError, "lists of different lengths"),
        (good, np.array([True, False]), ValueError, r"games must have the shape \(4,\), not \(2,"),
        (good, np.ones(4, np.int64), TypeError, "games must be bool, not int64"),
        (np.full(4, 2**40), None, IllegalActionError, "1099511627776, which is not an action"),
        (np.full(4, 2**64 - 1, np.uint64), None, IllegalActionError, "which is not an action"),
    ):
        with pytest.raises(error, match=text):
            batch.step(actions, games)
    assert contents(batch) == before
    for error, values in ((ValueError, (0, -1, 2**63, 10**30)), (TypeError, (2.0, "2", True))):
        for value in values:
            with pytest.raises(error, match="batch_size must be"):
                BatchEnv(NAME, value)
            with pytest.raises(error, match="num_threads must be"):
                BatchEnv(NAME, 2, num_threads=value)
    for counts, text in (
        ([2, 2, 2], "3 entries for 2 games"),
        ([2.0, 2.0], "integers, one per game"),
        ([2, 99], "99 is not one of"),
    ):
        with pytest.raises(OptionError, match=text):
            BatchEnv(NAME, 2, num_players=counts)


def test_tensors_are_filled_anew_and_give_no_warning(recwarn):
    pytest.importorskip("torch")
    batch = BatchEnv(NAME, 3, seed=1)
    seen = batch.tensors()
    assert set(seen) == {*OUTPUTS, *FINALS, "mover"} - {"states", "final_states"}
    for _ in range(40):
        batch.step(batch.sample_actions())
        for name, tensor in seen.items():
            np.testing.assert_array_equal(tensor.numpy(), getattr(batch, name))
    batch.reset(seed=5)
    np.testing.assert_array_equal(seen["action_mask"].numpy(), batch.action_mask)
    assert seen["observation"].data_ptr() == batch.observation.ctypes.data, "no copy"
    assert not recwarn.list
    assert "observation" not in BatchEnv(NAME, 2, observation=None).tensors()


def test_what_is_written_to_a_tensor_makes_nothing_legal():
    pytest.importorskip("torch")
    batch = BatchEnv(NAME, 3, seed=1)
    batch.tensors()["action_mask"].fill_(1)
    batch.tensors()["mover"].fill_(99)
    illegal = batch.action_mask.argmin(axis=1)
    with pytest.raises(IllegalActionError):
        batch.step(illegal)


def test_outputs_cannot_be_written_to():
    batch = BatchEnv(NAME, 2)
    for output in (*OUTPUTS, *FINALS):
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, output)[0] = getattr(batch, output)[1]
    for name in ("states", "num_threads"):
        with pytest.raises(AttributeError, match=name):
            setattr(batch, name, getattr(batch, name))


# ----------------------------------------------------------- sampling, copies, without observations


def test_sampled_actions_are_legal_and_uniform():
    batch = BatchEnv(NAME, 1, seed=4)
    legal = np.flatnonzero(batch.action_mask[0])
    counts = np.zeros(batch.action_mask.shape[1])
    for _ in range(300 * len(legal)):
        counts[batch.sample_actions()[0]] += 1
    assert counts.sum() == counts[legal].sum()
    deviation = ((counts[legal] - 300) ** 2 / 300).sum() - (len(legal) - 1)
    assert deviation < 5 * (2 * len(legal)) ** 0.5


# ---------------------------------------------------------------- other positions


def shown(batch, games):
    """Position, mover, observation and mask of some games."""
    outputs = ("mover", "observation", "action_mask")
    return [
        (batch.snapshot(i), *(getattr(batch, output)[i].tobytes() for output in outputs))
        for i in games
    ]


def a_position(name, seed, most=4):
    """An AEC environment in the middle of a game."""
    env = RawAEC(name)
    env.reset(seed=seed)
    play_out(env, np.random.default_rng(seed), mostly_heuristic, most)
    return env


@every_game
def test_a_restored_game_is_played_as_in_the_aec_environment(name):
    """Masks, movers and observations are those of the new position, the other games stay, and the
    next game is the same, too."""
    batch, env = BatchEnv(name, 5, seed=1), a_position(name, 77)
    play_on(batch, np.random.default_rng(0), 6)
    others = positions_of(batch, [0, 1, 3, 4])
    batch.restore(2, json.loads(json.dumps(env.snapshot())))
    assert positions_of(batch, [0, 1, 3, 4]) == others
    assert batch.snapshot(2) == env.snapshot()
    same_view(batch, 2, env)
    assert not batch.reward[2].any()
    assert not batch.terminated[2]
    rng, only = np.random.default_rng(3), np.arange(5) == 2
    count = 0
    while not batch.terminated[2]:
        action = int(rng.choice(np.flatnonzero(batch.action_mask[2])))
        batch.step(np.full(5, action), only)
        env.step(action)
        count += 1
    assert batch.game.to_snapshot(batch.final_states[2]) == batch.game.to_snapshot(env.states[0])
    assert batch.final_lengths[2] == count
    env.reset()
    assert batch.states[2].tobytes() == env.states[0].tobytes(), "the next game"


@every_game
def test_set_states(name):
    """``set_states`` replaces some or all games and leaves the others unchanged; actions that are
    no longer legal are refused."""
    batch = BatchEnv(name, 4, seed=1)
    fresh = shown(batch, range(4))
    records = batch.states.copy()
    stale = batch.sample_actions()
    play_on(batch, np.random.default_rng(0), 12)
    played, before, later = (
        batch.states.copy(),
        positions_of(batch, range(4)),
        shown(batch, range(4)),
    )
    batch.set_states([3, 1], records[[3, 1]])
    assert shown(batch, range(4)) == [later[0], fresh[1], later[2], fresh[3]]
    batch.set_states(None, records)
    assert shown(batch, range(4)) == fresh
    batch.step(stale)
    batch.set_states(np.arange(4), played, check=False)
    assert positions_of(batch, range(4)) == before
    illegal = np.full(4, -1)
    with pytest.raises(IllegalActionError):
        batch.step(illegal)
    assert positions_of(batch, range(4)) == before


@every_game
def test_positions_that_cannot_be_put_in_place(name):
    batch = BatchEnv(name, 3, seed=5)
    play_on(batch, np.random.default_rng(0), 5)
    env, before = a_position(name, 9), contents(batch)
    good = env.snapshot()
    for bad, text in (
        ({**good, "turn": -3}, "turn"),
        ({**good, "seed": 5}, "seed"),
        ({**good, "seed": str(2**64)}, "seed"),
        ({**good, "seed": "9" * 5000}, "seed"),
        ([], "object"),
        ({**good, "options": {}}, "options"),
    ):
        with pytest.raises(SnapshotError, match=text):
            batch.restore(0, bad)
    for index, error in (
        (3, ValueError),
        (-1, ValueError),
        ("0", TypeError),
        (True, TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="index of a game"):
            batch.restore(index, good)
        with pytest.raises(error, match="index of a game"):
            batch.snapshot(index)
        with pytest.raises(error, match="index of a game"):
            batch.set_states([index], env.states)
    over = a_position(name, 3, most=None)
    with pytest.raises(SnapshotError, match="is over"):
        batch.restore(1, over.snapshot())
    for check in (True, False):
        with pytest.raises(SnapshotError, match="is over"):
            batch.set_states([1], over.states, check)
    garbage = np.frombuffer(bytes(range(1, 256)) * batch.game.state.itemsize, batch.game.state)[:3]
    with pytest.raises(SnapshotError):
        batch.set_states(None, garbage)
    with pytest.raises(TypeError, match="array of records of"):
        batch.set_states([0], np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="1 records for 2 games"):
        batch.set_states([0, 1], env.states)
    with pytest.raises(ValueError, match="twice"):
        batch.set_states([1, 1], batch.states[[1, 1]])
    assert contents(batch) == before


@pytest.mark.parametrize(
    "name", [name for name in list_environments() if len(load_game(name).options) > 1]
)
def test_other_options_are_refused(name):
    game = load_game(name)
    option = next(option for option in game.options if option.name != "num_players")
    for value in (
        value
        for value in option.values
        if value != option.default and is_allowed(name, {option.name: value})
    ):
        other = BatchEnv(name, 1, **{option.name: value})
        batch = BatchEnv(name, 2)
        with pytest.raises(SnapshotError, match=option.name):
            batch.restore(0, other.snapshot(0))
        for check in (True, False):
            with pytest.raises(SnapshotError, match=option.name):
                batch.set_states([1], other.states, check)
        return


def test_final_observations_that_there_are_not():
    batch = BatchEnv(NAME, 3, seed=2)
    with pytest.raises(ValueError, match="no episode of game 1 has ended"):
        batch.final_observation(1, 0)
    while not batch.terminated[1]:
        batch.step(batch.sample_actions(), np.arange(3) == 1)
    seats = int(batch.final_states["num_players"][1])
    assert batch.final_observation(1, seats - 1).shape == (batch.game.observation_size,)
    for seat, error in (
        (seats, ValueError),
        (-1, ValueError),
        (10**9, ValueError),
        (0.0, TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="a seat must be"):
            batch.final_observation(1, seat)
    for index, error in ((3, ValueError), (-1, ValueError), (10**12, ValueError), ("1", TypeError)):
        with pytest.raises(error, match="index of a game"):
            batch.final_observation(index, 0)


@every_game
def test_all_seats_are_observed(name):
    """Also seats that do not decide, and where a game ended those of its last position; zero for
    seats that are not there."""
    counts = load_game(name).player_counts
    batch = BatchEnv(name, len(counts), seed=3, num_players=counts)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(3000):
        play_on(batch, rng, 1)
        if batch.terminated.any():
            ended += 1
        if not batch.terminated.any() and rng.random() < 0.95:
            continue
        now, last = batch.observe_all(), batch.observe_all(batch.terminated)
        assert now.shape == last.shape == (len(counts), max(counts), batch.game.observation_size)
        assert now.dtype == np.float32
        for index, players in enumerate(counts):
            assert np.array_equal(now[index, batch.mover[index]], batch.observation[index])
            assert not now[index, players:].any()
            if batch.terminated[index]:
                wanted = [batch.final_observation(index, seat) for seat in range(players)]
                assert np.array_equal(last[index, :players], wanted)
            else:
                assert np.array_equal(last[index], now[index])
        if ended == 3:
            break
    assert ended
    with_others = RawAEC(name, num_players=counts[0])
    with_others.restore(batch.snapshot(0))
    wanted = [with_others.observe(agent)["observation"] for agent in with_others.possible_agents]
    assert np.array_equal(batch.observe_all()[0, : counts[0]], wanted)


def test_the_end_of_an_episode_that_has_none_is_not_observed():
    batch = BatchEnv(NAME, 3, seed=2)
    for _ in range(2):
        with pytest.raises(ValueError, match="no episode of game 2 has ended yet"):
            batch.observe_all([False, False, True])
    for ended, error, text in (
        ([True], ValueError, r"ended must have the shape \(3,\)"),
        ([0, 0, 1], TypeError, "ended must be bool, not int64"),
    ):
        with pytest.raises(error, match=text):
            batch.observe_all(ended)
    assert batch.observe_all([False] * 3).tobytes() == batch.observe_all().tobytes()


def test_drawn_actions_are_fresh_arrays():
    batch = BatchEnv(NAME, 3, seed=2)
    first = batch.sample_actions()
    kept = first.copy()
    for draw in (
        (batch.sample_actions,) if JIT_DISABLED else (batch.sample_actions, batch.heuristic_actions)
    ):
        second = draw()
        second[:] = -1
        assert not np.shares_memory(first, second)
        assert (first == kept).all()


# ---------------------------------------------------------------- one thread at a time


def test_two_threads_at_once_are_refused():
    """While one call runs, another one changes nothing; afterwards everything goes on."""
    batch = BatchEnv(NAME, 8, seed=1)
    actions = batch.sample_actions()
    before, errors = contents(batch), []
    snapshot, record = batch.snapshot(0), batch.states[:1].copy()
    calls = (
        lambda: batch.step(actions),
        lambda: batch.reset(3),
        lambda: batch.reset(),
        lambda: batch.sample_actions(),
        lambda: batch.heuristic_actions(),
        lambda: batch.restore(0, snapshot),
        lambda: batch.set_states([0], record),
        lambda: copy.deepcopy(batch),
    )

    def others():
        for call in calls:
            with pytest.raises(RuntimeError, match="in use by another thread") as error:
                call()
            errors.append(error)

    real = batch._call

    def slow(shares):
        batch._call = real
        thread = threading.Thread(target=others)
        thread.start()
        thread.join()
        assert contents(batch) == before
        return real(shares)

    batch._call = slow
    batch.step(actions)
    assert len(errors) == len(calls)
    assert contents(batch) != before
    twin = BatchEnv(NAME, 8, seed=1)
    twin.step(actions)
    assert contents(twin) == contents(batch)


def test_a_notebook_shows_how_far_the_games_are():
    batch = BatchEnv("go_dig_v0", 3, seed=1, num_players=2)
    for _ in range(2):
        batch.step(batch.sample_actions())
    html = batch._repr_html_()
    assert "num_players=2" in html
    assert "<td>2 to 2, mean 2.0</td>" in html
    assert f"<td>float32 (3, {batch.observation.shape[1]})</td>" in html
    several = BatchEnv("go_dig_v0", 2, seed=1, num_players=[2, 3])._repr_html_()
    assert "<td>several</td>" in several
