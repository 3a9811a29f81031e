"""The Gymnasium environment for one learner."""

import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from dig_envs import OptionError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.gymnasium import ILLEGAL_REWARD, SingleLearnerEnv
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.agents.random import RandomAgent
from dig_envs.registry import load_game
from tests.games import every_game, every_player_count, expected_infos

NAME = "bone_bids_v0"  # where no game can make a difference


def random_action(env, rng):
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def play_episode(env, rng):
    """Play to the end, looking at what is returned: (observations, rewards, last step's result)."""
    observations, rewards = [], []
    while True:
        mask = env.action_masks()
        assert mask.dtype == bool
        assert mask.any()
        step = observation, reward, terminated, truncated, info = env.step(random_action(env, rng))
        observations.append(observation)
        rewards.append(reward)
        assert env.observation_space.contains(observation)
        assert isinstance(reward, float)
        assert not truncated, "the turn limit is a rule: it terminates"
        assert info["action_mask"].dtype == np.int8
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        assert isinstance(env.learner, str) or info["seat"] == env.learner
        if terminated:
            assert not info["action_mask"].any()
            assert {"seat", "won", "scores", "turn_limit"} <= set(info)
            assert info["turn_limit"] == bool(env.aec.states["truncated"][0])
            return observations, rewards, step


class Recorder(RandomAgent):
    """A random player that notes what it was asked."""

    def __init__(self):
        super().__init__(0)
        self.asked = []

    def act(self, env):
        self.asked.append((env.agent_selection, env.states["turn"][0]))
        return super().act(env)


# ------------------------------------------------------ what Gymnasium and Stable-Baselines3 expect


@every_game
def test_checks_of_gymnasium_and_stable_baselines(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(SingleLearnerEnv(name), skip_render_check=True)
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(SingleLearnerEnv(name), warn=False)


# ---------------------------------------------------------------- rewards


@every_player_count
@pytest.mark.parametrize("reward", ["win", "score"])
def test_the_learner_gets_all_that_its_seat_is_paid(name, options, reward):
    """Whoever ends the game, and also what is paid while others play: against the same game in the
    AEC environment."""
    ended_by_others, cooperative = 0, load_game(name).cooperative
    for seed in range(12):
        learner = "all" if cooperative and seed > 9 else seed % options["num_players"]
        paid_agent = "player_0" if learner == "all" else f"player_{learner}"
        env = SingleLearnerEnv(
            name, learner=learner, opponents=RandomAgent(seed), reward=reward, **options
        )
        twin, twin_agent = RawAEC(name, reward, **options), RandomAgent(seed)
        first, _ = env.reset(seed=seed)
        twin.reset(seed=seed)
        twin_rng, paid, seen, mover = np.random.default_rng(seed), 0.0, [], None
        while not twin.states["over"][0]:
            mover = twin.seat_of(twin.agent_selection)
            if learner in ("all", mover):
                look = twin.observe(twin.agent_selection)
                seen.append(look["observation"])
                twin.step(int(twin_rng.choice(np.flatnonzero(look["action_mask"]))))
            else:
                twin.step(twin_agent.act(twin))
            paid += twin.rewards[paid_agent]
        observations, rewards, step = play_episode(env, np.random.default_rng(seed))
        assert env.aec.states.tobytes() == twin.states.tobytes()
        assert np.array_equal([first, *observations[:-1]], seen)
        assert sum(rewards) == pytest.approx(paid)
        if reward == "win":
            assert not any(rewards[:-1])
        assert step[4]["scores"].tolist() == twin.states["scores"][0].tolist()
        assert step[4]["won"] == expected_infos(twin.snapshot())[paid_agent]["won"]
        ended_by_others += learner not in ("all", mover)
    assert ended_by_others > 0 or options["num_players"] == 1, "the case that matters occurs"


def test_a_learner_that_never_has_anything_to_decide_is_an_error():
    """Environments raise an error instead of searching without end for a game in which the learner
    decides: with one turn only seat 0 plays.
    """
    for make in (SingleLearnerEnv, DigVectorEnv):
        env = make("fossil_memory_v0", learner=1, opponents="random", max_turns=1)
        with pytest.raises(
            RuntimeError, match="seat 1 had nothing to decide in 1000 games in a row"
        ):
            env.reset(seed=0)


# ---------------------------------------------------------------- illegal actions


def illegal_action(env):
    """An illegal action, where there is one (in some games everything is legal at first), and the
    info of that step."""
    _, info = env.reset(seed=2)
    while info["action_mask"].all():
        *_, info = env.step(random_action(env, np.random.default_rng(0)))
    return int(info["action_mask"].argmin()), info


@every_game
@pytest.mark.parametrize("wrong", ["illegal", "too large", "negative"])
def test_an_illegal_action_ends_the_episode(name, wrong):
    env = SingleLearnerEnv(name)
    illegal, _ = illegal_action(env)
    action = {"illegal": illegal, "too large": int(env.action_space.n), "negative": -1}[wrong]
    before = env.aec.states.tobytes()
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (ILLEGAL_REWARD, True, False)
    assert env.observation_space.contains(observation)
    assert env.aec.states.tobytes() == before
    text = (
        repr(env.game.actions[illegal])
        if wrong == "illegal"
        else f"{action!r}, which is not an action,"
    )
    assert info["illegal_action"] == text
    assert not info["action_mask"].any()
    assert not info["turn_limit"]
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    assert env.action_masks().any()


# ---------------------------------------------------------------- opponents, seats, seeds


def rollout(env, seed, episodes=2):
    rng = np.random.default_rng(0)
    first, _ = env.reset(seed=seed)
    found = [first.tobytes()]
    for _ in range(episodes):
        observations, rewards, _ = play_episode(env, rng)
        found += [observation.tobytes() for observation in observations] + rewards
        found.append(env.reset()[0].tobytes())
    return found


def competitive_options(name):
    """A learner on one seat and others that play along."""
    game = load_game(name)
    return {"learner": 0, "num_players": max(2, game.min_players)}


@every_game
@pytest.mark.parametrize("opponents", ["random", "heuristic", ["random", "heuristic"]])
def test_the_same_seed_gives_the_same_episodes(name, opponents):
    options = {**competitive_options(name), "opponents": opponents}
    env = SingleLearnerEnv(name, **options)
    first = rollout(env, 5)
    assert rollout(env, 5) == first, "the same environment, reset with the same seed"
    assert rollout(SingleLearnerEnv(name, **options), 5) == first
    assert rollout(SingleLearnerEnv(name, **options), 6) != first


@every_game
def test_opponents_are_agents_or_names(name):
    options = competitive_options(name)
    recorder = Recorder()
    env = SingleLearnerEnv(name, opponents=recorder, **options)
    env.reset(seed=1)
    play_episode(env, np.random.default_rng(0))
    assert {agent for agent, _ in recorder.asked} == {"player_1"}
    by_name = rollout(SingleLearnerEnv(name, opponents="heuristic", **options), 3)
    assert by_name == rollout(SingleLearnerEnv(name, **options), 3), (
        "the scripted player is the default"
    )
    assert by_name != rollout(SingleLearnerEnv(name, opponents="random", **options), 3)
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        SingleLearnerEnv(name, opponents="nobody", **options).reset()
    with pytest.raises(OptionError, match="at least one"):
        SingleLearnerEnv(name, opponents=[], **options).reset()


def test_opponents_are_drawn_from_a_list_for_every_seat_and_episode():
    name, game = NAME, load_game(NAME)
    pool = [Recorder(), Recorder()]
    env = SingleLearnerEnv(name, learner=0, opponents=pool, num_players=game.max_players)
    env.reset(seed=1)
    for _ in range(6):
        play_episode(env, np.random.default_rng(0))
        env.reset()
    asked = [{agent for agent, _ in one.asked} for one in pool]
    assert all(asked)
    assert set.union(*asked) == {f"player_{seat}" for seat in range(1, game.max_players)}


def test_random_learners_take_every_seat():
    name, game = NAME, load_game(NAME)
    env = SingleLearnerEnv(name, learner="random", num_players=game.max_players)
    seats = set()
    for seed in range(40):
        _, info = env.reset(seed=seed)
        seats.add(info["seat"])
    assert seats == set(range(game.max_players))


def test_learners_that_do_not_exist():
    seats = load_game(NAME).complete_options({})["num_players"]
    for learner in (seats, -1, 0.5, 0.0, True, b"0", [0]):
        with pytest.raises(OptionError, match="is not a seat of a game"):
            SingleLearnerEnv(NAME, learner=learner)
        with pytest.raises(OptionError, match="is not a seat of a game"):
            LearnerBatch(NAME, 2, learner=[0, learner])
    with pytest.raises(OptionError, match="needs a cooperative game"):
        SingleLearnerEnv(NAME, learner="all")
    with pytest.raises(OptionError, match="'everyone' is not one of"):
        SingleLearnerEnv(NAME, learner="everyone")
    with pytest.raises(OptionError, match="'ignore' is not one of 'raise', 'terminate'"):
        SingleLearnerEnv(NAME, illegal="ignore")
    with pytest.raises(OptionError, match="no option 'nonsense'"):
        SingleLearnerEnv(NAME, nonsense=1)


# ---------------------------------------------------------------- rendering
