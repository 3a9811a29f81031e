"""The batch as a Gymnasium vector environment: the same games as Gymnasium's own vector of single
ones."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from dig_envs import IllegalActionError, OptionError
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.registry import load_game
from tests.adapters.test_ends import shortest
from tests.adapters.whimsical import Whimsical
from tests.games import every_case, every_game, last_seat_asked

# Before 1.4 Gymnasium's statistics leave out the first step of every episode but the first, as if
# there were no SAME_STEP.
COUNTS_FIRST_STEPS = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)


def registered_name(name):
    game = load_game(name)
    return f"dig/{game.name}-v{game.version}"


def sample(masks, rng):
    """Legal actions; -1 where none is legal."""
    return np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else -1 for mask in masks])


def assert_same_infos(ours, theirs):
    """The same keys and values; ``final_obs`` is an array of arrays or None."""
    assert ours.keys() == theirs.keys()
    for key in theirs:
        if key == "final_info":
            assert_same_infos(ours[key], theirs[key])
        elif key == "final_obs":
            for one, other in zip(ours[key], theirs[key], strict=True):
                assert (one is None) == (other is None)
                assert one is None or np.array_equal(one, other)
        else:
            np.testing.assert_array_equal(ours[key], theirs[key], err_msg=key)
            assert ours[key].dtype == theirs[key].dtype, key


def pair(registered, num_envs, mode, **settings):
    """The batch, and Gymnasium's vector of single environments."""
    ours = gymnasium.make_vec(registered, num_envs, autoreset_mode=mode, **settings)
    theirs = gymnasium.make_vec(
        registered,
        num_envs,
        "sync",
        vector_kwargs={"autoreset_mode": mode},
        illegal="raise",
        **settings,
    )
    return ours, theirs


@every_case
def test_equals_gymnasiums_vector_of_single_environments(name, options):
    """Observations, rewards, ends and infos, over several episodes; the turn limit terminates as
    any other end does."""
    cooperative, defaults = load_game(name).cooperative, set(options) <= {"num_players"}
    seats = (0, last_seat_asked(name, options)) if defaults else (last_seat_asked(name, options),)
    for learner in (*seats, *(["all"] if cooperative else [])):
        reward = "win" if defaults and learner == 0 else "score"
        settings = {**options, "learner": learner, "opponents": Whimsical(), "reward": reward}
        ours, theirs = pair(registered_name(name), 3, AutoresetMode.SAME_STEP, **settings)
        assert isinstance(ours, DigVectorEnv)
        assert (ours.observation_space, ours.action_space) == (
            theirs.observation_space,
            theirs.action_space,
        )
        assert ours.single_observation_space == theirs.single_observation_space
        assert ours.single_action_space == theirs.single_action_space
        compare(ours, theirs, enough=4)


@every_game
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("limit", [None, 3])
def test_every_way_to_begin_the_next_episode(name, mode, limit):
    """In all modes, with and without a limit of steps, which truncates."""
    settings = {
        "learner": 0,
        "opponents": Whimsical(),
        "reward": "score",
        "max_episode_steps": limit,
        "num_players": max(2, load_game(name).min_players),
        **((shortest(name) or {}) if limit is None else {}),
    }
    ended = compare(*pair(registered_name(name), 4, mode, **settings), enough=12)
    assert ended["terminated" if limit is None else "truncated"] > 0


def compare(ours, theirs, enough):
    """Play until so many episodes have ended: everything is the same. Returns how many were
    terminated and truncated."""
    ended = {"terminated": 0, "truncated": 0}
    (seen, infos), (their_seen, their_infos) = ours.reset(seed=50), theirs.reset(seed=50)
    rng, mode = np.random.default_rng(0), ours.metadata["autoreset_mode"]
    for count in range(250):
        np.testing.assert_array_equal(seen, their_seen)
        assert_same_infos(infos, their_infos)
        assert ours.observation_space.contains(seen)
        masks = ours.unwrapped.action_masks()
        told = infos["_action_mask"]
        np.testing.assert_array_equal(masks[told], infos["action_mask"][told])
        actions = sample(masks, rng)
        seen, rewards, terminated, truncated, infos = ours.step(actions)
        their_seen, their_rewards, *their_ends, their_infos = theirs.step(actions)
        np.testing.assert_array_equal(rewards, their_rewards.astype(np.float32))
        np.testing.assert_array_equal([terminated, truncated], their_ends)
        ended["terminated"] += int(terminated.sum())
        ended["truncated"] += int(truncated.sum())
        if sum(ended.values()) >= enough:
            break
        over = terminated | truncated
        if mode == AutoresetMode.DISABLED and over.any():
            np.testing.assert_array_equal(seen, their_seen)
            assert_same_infos(infos, their_infos)
            with pytest.raises(ResetNeeded, match="are over"):
                ours.step(actions)
            over[rng.integers(ours.num_envs)] = True  # perhaps one that is not over
            seed = [None, 7, [None, *range(1, ours.num_envs)]][count % 3]
            again = [{"seed": seed, "options": {"reset_mask": over.copy()}} for _ in range(2)]
            seen, infos = ours.reset(**again[0])
            their_seen, their_infos = theirs.reset(**again[1])
        elif over.any() and count % 5 == 0:  # also in the middle of everything
            seen, infos = ours.reset()
            their_seen, their_infos = theirs.reset()
    ours.close()
    theirs.close()
    return ended


WRAPPERS = {  # of Gymnasium
    "statistics": RecordEpisodeStatistics,
    "list": wrappers.DictInfoToList,
    "normal observation": wrappers.NormalizeObservation,
    "normal reward": wrappers.NormalizeReward,
    "observation": lambda env: wrappers.TransformObservation(env, lambda seen: seen * 2),
    "flat observation": wrappers.FlattenObservation,
    "type of observation": lambda env: wrappers.DtypeObservation(env, np.float64),
    "action": lambda env: wrappers.TransformAction(env, lambda actions: actions + 0),
    "reward": lambda env: wrappers.TransformReward(env, lambda reward: reward * 2),
    "clipped reward": lambda env: wrappers.ClipReward(env, -1, 1),
}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_gymnasiums_wrappers(mode, wrapper):
    """Each gives the same around the batch as around Gymnasium's vector of single environments; all
    take ``NEXT_STEP``."""
    wrap = WRAPPERS[wrapper]
    settings = {"learner": 0, "opponents": Whimsical(), "reward": "score"}
    ours, theirs = pair("dig/bone_bids-v0", 3, mode, **settings)
    try:
        around_theirs = wrap(theirs)
    except (ValueError, AssertionError) as error:
        assert mode != AutoresetMode.NEXT_STEP
        with pytest.raises(type(error), match="autoreset_mode"):
            wrap(ours)
        return
    envs = [wrap(ours), around_theirs]
    results = [env.reset(seed=50) for env in envs]
    rng = np.random.default_rng(0)
    for _ in range(30):
        np.testing.assert_array_equal(*(result[0] for result in results))
        actions = sample(ours.action_masks(), rng)
        results = [env.step(actions) for env in envs]
        for part in (0, 2, 3):
            np.testing.assert_array_equal(*(result[part] for result in results))
        np.testing.assert_allclose(*(result[1] for result in results), rtol=1e-5)
        ours_told, theirs_told = (result[4] for result in results)
        if wrapper == "statistics" and "episode" in theirs_told:
            for key in ("r", "l"):
                np.testing.assert_allclose(ours_told["episode"][key], theirs_told["episode"][key])
        over = results[0][2] | results[0][3]
        if mode == AutoresetMode.DISABLED and over.any():
            results = [env.reset(options={"reset_mask": over.copy()}) for env in envs]
    assert ours.batch.states["seed"].tolist() != [50, 51, 52], "episodes have ended"


@every_game
def test_what_gymnasium_asks_for(name, recwarn):
    """Types and shapes, Gymnasium's statistics of episodes, and no warning."""
    env = RecordEpisodeStatistics(
        gymnasium.make_vec(registered_name(name), num_envs=4, opponents="random")
    )
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert env.spec.id == registered_name(name)
    assert env.num_envs == 4
    seen, infos = env.reset(seed=3)
    assert set(infos) == {"action_mask", "seat", "_action_mask", "_seat"}
    rng, handed, decisions, finished = np.random.default_rng(0), np.zeros(4), np.zeros(4, int), 0
    first, uncounted = seen.copy(), np.zeros(4, int)
    kept = seen
    while finished < 8:
        actions = sample(infos["action_mask"], rng)
        assert env.action_space.contains(actions)
        seen, rewards, terminated, truncated, infos = env.step(actions)
        assert env.observation_space.contains(seen)
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float32, bool, bool)
        np.testing.assert_array_equal(infos["action_mask"], env.unwrapped.action_masks())
        assert ("final_obs" in infos) == bool(terminated.any())
        handed += rewards
        decisions += 1
        for index in np.flatnonzero(terminated):
            assert infos["_final_info"][index]
            assert env.single_observation_space.contains(infos["final_obs"][index])
            final = infos["final_info"]
            assert not final["action_mask"][index].any()
            last, seat = env.unwrapped.batch.final_states[index], final["seat"][index]
            shares = shares_of_victory(last["winners"], env.unwrapped.game.cooperative)
            assert final["won"][index] == shares[seat]
            assert np.array_equal(final["scores"][index], last["scores"])
            assert infos["episode"]["r"][index] == pytest.approx(handed[index])
            assert infos["episode"]["l"][index] == decisions[index] - uncounted[index]
            handed[index] = decisions[index] = 0
            uncounted[index] = not COUNTS_FIRST_STEPS
            finished += 1
    np.testing.assert_array_equal(kept, first)  # what was handed out stays as it is
    env.close()
    assert not [
        warning
        for warning in recwarn
        if "dig_envs" in str(warning.filename) or "AutoresetMode" in str(warning.message)
    ]


def deals(env, **seed):
    env.reset(**seed)
    return env.batch.states["seed"].tolist()


@every_game
def test_seeds(name):
    """An integer, one per game, or None: fresh ones first, those that follow later."""
    env = DigVectorEnv(name, 3, learner=0)
    assert deals(env, seed=7) == [7, 8, 9]
    following = deals(env)
    assert following != [7, 8, 9]
    assert deals(env, seed=[7, 8, 9]) == [7, 8, 9]
    assert deals(env) == following
    assert deals(env, seed=[7, None, 9])[::2] == [7, 9]
    assert deals(DigVectorEnv(name, 3, learner=0)) != deals(DigVectorEnv(name, 3, learner=0)), (
        "drawn from entropy"
    )
    assert deals(env, seed=-2) == [2**64 - 2, 2**64 - 1, 0]
    assert deals(env, seed=[-2, -1, 0]) == deals(env, seed=-2), "one check for both ways"
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        env.reset(seed=[1, 2])
    before = env.batch.states.tobytes()
    for wrong in ([True, True, False], np.ones(3), 1):
        with pytest.raises(TypeError, match="reset_mask must be a bool array"):
            env.reset(options={"reset_mask": wrong})
    for wrong in (np.ones(2, bool), np.zeros(3, bool)):
        with pytest.raises(ValueError, match="at least one True"):
            env.reset(options={"reset_mask": wrong})
    assert env.batch.states.tobytes() == before
    mask = np.array([True, False, True])
    for call in (
        lambda env: env.reset(options={"reset_mask": mask}),
        lambda env: env.step(np.zeros(3, int)),
    ):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call(DigVectorEnv(name, 3))


def test_errors():
    env = DigVectorEnv("fossil_canyon_v0", 2)
    env.reset(seed=1)
    before = env.batch.states.tobytes()
    bad = np.array([np.flatnonzero(mask == 0)[0] for mask in env.action_masks()])
    with pytest.raises(IllegalActionError, match="game 0"):
        env.step(bad)
    assert env.batch.states.tobytes() == before
    with pytest.raises(OptionError, match="no option 'nonsense'"):
        gymnasium.make_vec("dig/fossil_canyon-v0", num_envs=2, nonsense=1)
    with pytest.raises(OptionError, match="render_mode must be None"):
        DigVectorEnv("fossil_canyon_v0", 2, render_mode="human")
    with pytest.raises(OptionError, match="'NextStep', 'SameStep', 'Disabled'"):
        DigVectorEnv("fossil_canyon_v0", 2, autoreset_mode="never")
    with pytest.raises(ValueError, match="max_episode_steps must be at least 1, not 0"):
        DigVectorEnv("fossil_canyon_v0", 2, max_episode_steps=0)
    with pytest.raises(TypeError, match="max_episode_steps must be an integer"):
        DigVectorEnv("fossil_canyon_v0", 2, max_episode_steps=2.5)
    with pytest.raises(OptionError, match="cooperative"):
        DigVectorEnv("fossil_canyon_v0", 2, learner="all")


def test_needs_no_other_library():
    code = (
        "import sys, gymnasium, dig_envs\n"
        "gymnasium.make_vec('dig/fossil_canyon-v0', num_envs=2).reset(seed=1)\n"
        "print(sorted({'jax', 'torch', 'stable_baselines3', 'sb3_contrib'} & set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
