"""The batch as a Gymnasium vector environment: the same games as Gymnasium's own vector of single
ones."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from dig_envs import IllegalActionError, OptionError
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.registry import load_game
from tests.adapters.whimsical import Whimsical
from tests.games import every_case, every_game, last_seat_asked

# Before 1.4 Gymnasium's statistics leave out the first step of every episode but the first, as if
# there were no SAME_STEP.
COUNTS_FIRST_STEPS = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)


def registered_name(name):
    game = load_game(name)
    return f"dig/{game.name}-v{game.version}"


def sample(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def assert_same_infos(ours, theirs):
    """All that the single environments say; ours may say more."""
    for key in theirs:
        if key == "final_info":
            assert_same_infos(ours[key], theirs[key])
        elif key == "final_obs":
            for one, other in zip(ours[key], theirs[key], strict=True):
                assert (one is None) == (other is None)
                assert one is None or np.array_equal(one, other)
        else:
            np.testing.assert_array_equal(ours[key], theirs[key], err_msg=key)


@every_case
def test_equals_gymnasiums_vector_of_single_environments(name, options):
    """Observations, rewards, ends and infos, over several episodes; the turn limit terminates as
    any other end does."""
    cooperative, defaults = load_game(name).cooperative, set(options) <= {"num_players"}
    seats = (0, last_seat_asked(name, options)) if defaults else (last_seat_asked(name, options),)
    for learner in (*seats, *(["all"] if cooperative else [])):
        reward = "win" if defaults and learner == 0 else "score"
        compare(
            {**options, "learner": learner, "opponents": Whimsical(), "reward": reward},
            registered_name(name),
        )


def compare(options, registered):
    ours = gymnasium.make_vec(registered, 3, **options)
    same_step = {"autoreset_mode": AutoresetMode.SAME_STEP}
    theirs = gymnasium.make_vec(
        registered, 3, "sync", vector_kwargs=same_step, illegal="raise", **options
    )
    assert isinstance(ours, DigVectorEnv)
    assert (ours.observation_space, ours.action_space) == (
        theirs.observation_space,
        theirs.action_space,
    )
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.single_action_space == theirs.single_action_space
    (seen, infos), (their_seen, their_infos) = ours.reset(seed=50), theirs.reset(seed=50)
    rng, finished = np.random.default_rng(0), 0
    for _ in range(250):
        np.testing.assert_array_equal(seen, their_seen)
        assert_same_infos(infos, their_infos)
        actions = sample(infos["action_mask"], rng)
        seen, rewards, terminated, truncated, infos = ours.step(actions)
        their_seen, their_rewards, their_terminated, their_truncated, their_infos = theirs.step(
            actions
        )
        np.testing.assert_array_equal(rewards, their_rewards.astype(np.float32))
        np.testing.assert_array_equal(terminated, their_terminated | their_truncated)
        assert not truncated.any()
        finished += int(terminated.sum())
        if finished > 3:
            break
    ours.close()
    theirs.close()


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
            assert (
                final["won"][index]
                == env.unwrapped.batch.final_states["winners"][index, final["seat"][index]]
            )
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
    for wrong in (True, 1.5, "7", [1.9, 2, 3], [1, "7", 3], [True, 1, 2]):
        with pytest.raises(TypeError, match="a seed must be an integer"):
            env.reset(seed=wrong)
    for wrong in (2**64, -(2**63) - 1, [1, 2, 2**64]):
        with pytest.raises(ValueError, match="a seed must be from"):
            env.reset(seed=wrong)
    assert env.batch.states.tobytes() == before
    with pytest.raises(ValueError, match="takes no options, not reset_mask"):
        env.reset(options={"reset_mask": np.ones(3, bool)})


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
    with pytest.raises(OptionError, match="cooperative"):
        DigVectorEnv("fossil_canyon_v0", 2, learner="all")


def test_needs_no_stable_baselines():
    code = (
        "import sys, gymnasium, dig_envs\n"
        "gymnasium.make_vec('dig/fossil_canyon-v0', num_envs=2).reset(seed=1)\n"
        "print(sorted({'torch', 'stable_baselines3', 'sb3_contrib'} & set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
