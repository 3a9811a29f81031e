"""The batch as a Stable-Baselines3 environment: the same games as Gymnasium's vector environment,
and nothing lost."""

import numpy as np
import pytest

from dig_envs import OptionError
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.registry import load_game
from tests.adapters.whimsical import Whimsical
from tests.games import every_game

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from dig_envs.adapters.sb3 import DigVecEnv

NAME = "bone_bids_v0"  # where no game can make a difference


def sample(env, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()])


# ---------------------------------------------------------------- the same games as elsewhere


@every_game
@pytest.mark.parametrize("reward", ["win", "score"])
def test_equals_the_vector_environment(name, reward):
    """Observations, masks, rewards, ends and results; a finished episode's reward is all that was
    paid in it."""
    size, settings = (
        6,
        {"opponents": Whimsical(), "reward": reward, "num_players": load_game(name).max_players},
    )
    for learner in ("random", *(["all"] if load_game(name).cooperative else [])):
        env, vector = (
            DigVecEnv(name, size, learner, seed=50, **settings),
            DigVectorEnv(name, size, learner, **settings),
        )
        seen, (seen_there, _) = env.reset(), vector.reset(seed=50)
        rng, handed, decisions, finished = (
            np.random.default_rng(0),
            np.zeros(size),
            np.zeros(size, int),
            0,
        )
        while finished < 10:
            seats = env.learner_seats
            np.testing.assert_array_equal(seen, seen_there)
            np.testing.assert_array_equal(seats, vector.learner_seats)
            np.testing.assert_array_equal(env.action_masks(), vector.action_masks())
            actions = sample(env, rng)
            seen, rewards, dones, infos = env.step(actions)
            seen_there, rewards_there, terminated, _, infos_there = vector.step(actions)
            np.testing.assert_array_equal(rewards, rewards_there)
            np.testing.assert_array_equal(dones, terminated)
            handed += rewards
            decisions += 1
            for index, info in enumerate(infos):
                if not dones[index]:
                    assert info == {}
                    continue
                final = infos_there["final_info"]
                assert np.array_equal(info["terminal_observation"], infos_there["final_obs"][index])
                assert all(info[key] == final[key][index] for key in ("won", "turn_limit"))
                assert np.array_equal(info["scores"], final["scores"][index])
                assert info["TimeLimit.truncated"] is False
                assert info["seat"] == max(seats[index], 0)
                assert info["episode"]["r"] == pytest.approx(handed[index])
                assert info["episode"]["l"] == decisions[index]
                handed[index] = decisions[index] = 0
                finished += 1
        env.close()
        vector.close()


class CallsItTruncated(DigVecEnv):
    """An environment with a fault: it says that something might have come after the turn limit."""

    def step_wait(self):
        observation, rewards, dones, infos = super().step_wait()
        for info in infos:
            info["TimeLimit.truncated"] = info.get("turn_limit", False)
        return observation, rewards, dones, infos


@pytest.mark.parametrize("reward", ["win", "score"])
def test_the_turn_limit_is_not_counted_twice(reward):
    """Stable-Baselines3's own rollout adds nothing to the result of a game that the turn limit
    ended."""
    contrib = pytest.importorskip("sb3_contrib")

    def rewards_of_a_rollout(kind):
        env = kind("fossil_canyon_v0", 4, seed=3, reward=reward, num_players=2, max_turns=2)
        settings = {"n_steps": 64, "policy_kwargs": {"net_arch": [4]}, "device": "cpu", "seed": 3}
        model = contrib.MaskablePPO("MlpPolicy", env, **settings)
        model.policy.value_net.bias.data[:] = 1000.0  # what it expects, wherever it is
        _, callback = model._setup_learn(256, None)
        model.collect_rollouts(env, callback, model.rollout_buffer, 64)
        assert sum(info["turn_limit"] for info in episode_infos(env, 10)) > 0
        return model.rollout_buffer.rewards

    assert np.abs(rewards_of_a_rollout(DigVecEnv)).max() < 100
    assert np.abs(rewards_of_a_rollout(CallsItTruncated)).max() > 900, "the test can fail"


def episode_infos(env, count):
    """The infos of the first finished episodes."""
    env.reset()
    rng, found = np.random.default_rng(0), []
    while len(found) < count:
        _, _, dones, infos = env.step(sample(env, rng))
        found += [infos[index] for index in np.flatnonzero(dones)]
    env.close()
    return found


# ---------------------------------------------------------------- seeds, seats, opponents


@every_game
def test_the_outcome_is_the_games_return(name):
    """A finished episode reports the game's return as its outcome, whatever the reward setting
    is."""
    outcomes = {}
    for reward in ("win", "score"):
        games = LearnerBatch(name, 8, reward=reward, seed=2)
        games.reset()
        rng, outcomes[reward] = np.random.default_rng(0), []
        while len(outcomes[reward]) < 20:
            masks = games.action_mask
            step = games.step(np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))
            for index, ended in step.ended.items():
                outcomes[reward].append(ended.outcome)
                if reward == "win":
                    assert ended.outcome == games.batch.final_returns[index, ended.seat]
        games.close()
    assert outcomes["win"] == outcomes["score"]


def history(env, steps=40):
    seen, rng = [env.reset().tobytes()], np.random.default_rng(4)
    for _ in range(steps):
        observation, rewards, dones, _ = env.step(sample(env, rng))
        seen.append(
            (observation.tobytes(), rewards.tobytes(), dones.tobytes(), env.learner_seats.tolist())
        )
    return seen


@pytest.mark.parametrize("opponents", ["random", ["random", "heuristic"]])
def test_seeds(opponents):
    name, options = NAME, {"opponents": opponents, "learner_seats": "random"}
    env = DigVecEnv(name, 4, seed=9, **options)
    first, second = history(env), history(env)
    assert first != second, "without a new seed the games go on with the seeds that follow"
    assert history(DigVecEnv(name, 4, seed=9, **options)) == first
    env.seed(9)
    assert history(env) == first
    env.seed(10)
    assert history(env) != first
    env.seed(9)
    assert history(env) == first
    assert history(DigVecEnv(name, 4, seed=[9, 10, 11, 12], **options)) == first


@every_game
def test_a_seat_and_a_number_of_players_for_each_game(name):
    game = load_game(name)
    players = [game.min_players, game.max_players, game.max_players]
    seats = [0, game.max_players - 1, 0]
    env = DigVecEnv(name, 3, learner_seats=seats, num_players=players)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        assert env.learner_seats.tolist() == seats
        assert env.batch.mover.tolist() == seats
        assert env.batch.states["num_players"].tolist() == players
        env.step(sample(env, rng))
    with pytest.raises(OptionError, match="is not a seat of a game"):
        DigVecEnv(
            name,
            2,
            learner_seats=[0, game.min_players],
            num_players=[game.max_players, game.min_players],
        )
    with pytest.raises(OptionError, match="2 entries for 3 games"):
        DigVecEnv(name, 3, learner_seats=[0, 0])
    with pytest.raises(OptionError, match="no option 'nonsense'"):
        DigVecEnv(name, 3, nonsense=1)
    if not game.cooperative:
        with pytest.raises(OptionError, match="cooperative"):
            DigVecEnv(name, 3, learner_seats="all")


# ---------------------------------------------------------------- what Stable-Baselines3 asks for


def test_masks_where_maskable_ppo_looks_for_them():
    env = DigVecEnv(NAME, 4)
    env.reset()
    masks = env.action_masks()
    assert masks.dtype == bool
    assert masks.shape == (4, env.action_space.n)
    assert masks.any(axis=1).all()
    assert np.array_equal(np.stack(env.env_method("action_masks")), masks)
    assert np.array_equal(np.stack(env.env_method("action_masks", indices=[2, 0])), masks[[2, 0]])
    assert [
        bool((f() == mask).all())
        for f, mask in zip(env.get_attr("action_masks"), masks, strict=True)
    ] == [True] * 4
    assert env.has_attr("action_masks")
    assert not env.has_attr("gravity")
    assert env.get_attr("render_mode") == [None] * 4
    assert env.env_is_wrapped(Monitor, indices=[1]) == [True]
    assert env.env_is_wrapped(VecMonitor) == [False] * 4
    with pytest.raises(AttributeError, match="'dance'"):
        env.env_method("dance")
    with pytest.raises(NotImplementedError, match="'colour'"):
        env.set_attr("colour", 1)


def test_what_is_handed_out_stays_as_it_is():
    """Learners keep observations, rewards and dones over many steps."""
    env = DigVecEnv(NAME, 4)
    rng = np.random.default_rng(0)
    first = env.reset()
    kept = first.copy()
    results = [env.step(sample(env, rng)) for _ in range(3)]
    assert np.array_equal(first, kept)
    for position in range(3):
        arrays = [result[position] for result in results]
        assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
        assert all(array.flags.writeable for array in arrays)
    assert results[0][1].dtype == np.float32
    assert results[0][2].dtype == bool
    assert all(env.observation_space.contains(row) for row in results[0][0])


@pytest.mark.parametrize("name", ["cretaceous_creek_v0", "go_dig_v0"])
@pytest.mark.parametrize("vectorised", ["DigVecEnv", "gymnasium"])
def test_maskable_ppo_learns_a_little(name, vectorised):
    """One update: the parameters move, and every action was legal (an illegal one would raise)."""
    contrib = pytest.importorskip("sb3_contrib")
    if vectorised == "DigVecEnv":
        env = DigVecEnv(name, 4, opponents="random", seed=3)
    else:
        env = SingleLearnerEnv(name, opponents="random", illegal="raise")
    settings = {
        "n_steps": 32,
        "batch_size": 32,
        "n_epochs": 1,
        "policy_kwargs": {"net_arch": [16]},
        "device": "cpu",
        "seed": 3,
    }
    model = contrib.MaskablePPO("MlpPolicy", env, **settings)
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(total_timesteps=32 * model.n_envs)
    assert model.num_timesteps == 32 * model.n_envs
    assert any(
        not (old == new).all() for old, new in zip(before, model.policy.parameters(), strict=True)
    )
