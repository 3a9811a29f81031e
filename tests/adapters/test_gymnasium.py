"""The Gymnasium environment for one learner."""

import copy
import pickle
import re
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from dig_envs import IllegalActionError, OptionError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.gymnasium import ILLEGAL_REWARD, SingleLearnerEnv
from dig_envs.agents.random import RandomAgent
from dig_envs.registry import load_game
from tests.games import every_case, every_game, every_player_count, last_seat_asked


def learners(game, options):
    """Every kind of learner that makes sense."""
    return [None, "random", 0, last_seat_asked(game.env_name, options), *(["all"] if game.cooperative else [])]


def random_action(env, rng):
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def play_episode(env, rng):
    """Play to the end: (observations, rewards, last step's result)."""
    observations, rewards = [], []
    while True:
        step = env.step(random_action(env, rng))
        observations.append(step[0])
        rewards.append(step[1])
        if step[2] or step[3]:
            return observations, rewards, step


class Recorder(RandomAgent):
    """A random player that notes what it was asked."""

    def __init__(self):
        super().__init__(0)
        self.asked = []

    def act(self, env):
        self.asked.append((env.agent_selection, env.states["turn"][0]))
        return super().act(env)


# ---------------------------------------------------------------- what Gymnasium and Stable-Baselines3 expect


@every_player_count
def test_gymnasium_check(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(SingleLearnerEnv(name, **options), skip_render_check=True)
        check_env(gymnasium.make(gym_id(name), render_mode="ansi", **options).unwrapped)


def gym_id(name):
    game = load_game(name)
    return f"dig/{game.name}-v{game.version}"


@every_game
def test_stable_baselines_check(name):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(SingleLearnerEnv(name), warn=False)


@every_game
def test_made_by_gymnasium_with_its_wrappers(name):
    env = gymnasium.make(gym_id(name), opponents="heuristic", reward="score")
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.unwrapped.game.env_name == name
    assert env.unwrapped.aec.reward_kind == "score"
    assert env.get_wrapper_attr("action_masks")().tolist() == info["action_mask"].astype(bool).tolist()
    action = int(np.flatnonzero(info["action_mask"])[0])
    assert env.observation_space.contains(env.step(action)[0])


@every_case
def test_whole_games(name, options):
    game = load_game(name)
    for number, learner in enumerate(learners(game, options)):
        env = SingleLearnerEnv(name, learner=learner, **options)
        rng = np.random.default_rng(number)
        observation, info = env.reset(seed=number)
        for _ in range(2):
            while True:
                assert env.observation_space.contains(observation)
                assert info["action_mask"].dtype == np.int8
                assert env.action_masks().dtype == bool
                assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
                assert env.action_masks().any()
                assert isinstance(learner, str | None) or info["seat"] == learner
                observation, reward, terminated, truncated, info = env.step(random_action(env, rng))
                assert isinstance(reward, float)
                if terminated or truncated:
                    break
            assert terminated
            assert not truncated, "the turn limit is a rule: it terminates"
            assert env.observation_space.contains(observation)
            assert not info["action_mask"].any()
            assert not env.action_masks().any()
            assert {"seat", "score", "won", "turn_limit"} <= set(info)
            assert info["turn_limit"] == bool(env.aec.states["truncated"][0])
            observation, info = env.reset()


# ---------------------------------------------------------------- rewards


@every_player_count
@pytest.mark.parametrize("reward", ["win", "score"])
def test_the_learner_gets_all_that_its_seat_is_paid(name, options, reward):
    """Whoever ends the game, and also what is paid while others play: against the same game in the AEC environment."""
    ended_by_others = 0
    for seed in range(12):
        seat = seed % options["num_players"]
        env = SingleLearnerEnv(name, learner=seat, opponents=RandomAgent(seed), reward=reward, **options)
        twin, twin_agent = RawAEC(name, reward, **options), RandomAgent(seed)
        env.reset(seed=seed)
        twin.reset(seed=seed)
        rng, twin_rng, paid = np.random.default_rng(seed), np.random.default_rng(seed), 0.0
        mover = None
        while not twin.states["over"][0]:
            mover = twin.seat_of(twin.agent_selection)
            if mover == seat:
                mask = twin.observe(twin.agent_selection)["action_mask"]
                twin.step(int(twin_rng.choice(np.flatnonzero(mask))))
            else:
                twin.step(twin_agent.act(twin))
            paid += twin.rewards[f"player_{seat}"]
        _, rewards, step = play_episode(env, rng)
        assert env.aec.states.tobytes() == twin.states.tobytes()
        assert sum(rewards) == pytest.approx(paid)
        if reward == "win":
            assert rewards[-1] == pytest.approx(paid)
            assert not any(rewards[:-1])
        assert step[4]["score"] == twin.states["scores"][0][seat]
        assert step[4]["won"] == bool(twin.states["winners"][0][seat])
        assert (step[2], step[3]) == (twin.terminations["player_0"], twin.truncations["player_0"])
        ended_by_others += mover != seat
    assert ended_by_others > 0 or options["num_players"] == 1, "the case that matters occurs"


@every_game
def test_a_learner_for_all_seats_plays_the_aec_game(name):
    game = load_game(name)
    if not game.cooperative:
        with pytest.raises(OptionError, match="needs a cooperative game"):
            SingleLearnerEnv(name, learner="all")
        return
    env, twin = SingleLearnerEnv(name, learner="all", reward="score"), RawAEC(name, "score")
    observation, info = env.reset(seed=8)
    twin.reset(seed=8)
    rng, total = np.random.default_rng(0), 0.0
    while not twin.states["over"][0]:
        agent = twin.agent_selection
        assert agent == f"player_{info['seat']}"
        assert np.array_equal(observation, twin.observe(agent)["observation"])
        action = random_action(env, rng)
        twin.step(action)
        observation, reward, terminated, _, info = env.step(action)
        assert reward == twin.rewards["player_0"]
        total += reward
    assert terminated
    assert total == twin.states["scores"][0][0]


def test_a_learner_that_never_has_anything_to_decide_is_an_error():
    """Not an endless search for a game in which it has: with one turn only seat 0 plays."""
    env = SingleLearnerEnv("fossil_memory_v0", learner=1, opponents="random", max_turns=1)
    with pytest.raises(RuntimeError, match="seat 1 had nothing to decide in 1000 games in a row"):
        env.reset(seed=0)


# ---------------------------------------------------------------- illegal actions


@every_game
@pytest.mark.parametrize("wrong", ["illegal", "too large", "negative", "no integer"])
def test_an_illegal_action_ends_the_episode(name, wrong):
    env = SingleLearnerEnv(name)
    _, info = env.reset(seed=2)
    while info["action_mask"].all():  # in some games everything is legal at first
        *_, info = env.step(random_action(env, np.random.default_rng(0)))
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    action = {"illegal": illegal, "too large": int(env.action_space.n), "negative": -1, "no integer": 0.5}[wrong]
    before = env.aec.states.tobytes()
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (ILLEGAL_REWARD, True, False)
    assert env.observation_space.contains(observation)
    assert env.aec.states.tobytes() == before
    text = repr(env.game.actions[illegal]) if wrong == "illegal" else f"{action!r}, which is no action,"
    assert info["illegal_action"] == text
    assert not info["action_mask"].any()
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    assert env.action_masks().any()


@every_game
def test_an_illegal_action_may_raise_instead(name):
    env = SingleLearnerEnv(name, illegal="raise")
    _, info = env.reset(seed=2)
    while info["action_mask"].all():  # in some games everything is legal at first
        *_, info = env.step(random_action(env, np.random.default_rng(0)))
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    before = env.aec.states.tobytes()
    for action, text in ((illegal, env.game.actions[illegal]), (-1, "-1, which is no action,"), (None, "None, which")):
        with pytest.raises(IllegalActionError, match=re.escape(text)) as error:
            env.step(action)
        assert f"player_{info['seat']}" in str(error.value)
        assert env.aec.states.tobytes() == before
    assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
    env.step(random_action(env, np.random.default_rng(0)))
    assert env.aec.states.tobytes() != before


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
    assert by_name != rollout(SingleLearnerEnv(name, opponents="random", **options), 3)
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        SingleLearnerEnv(name, opponents="nobody", **options).reset()
    with pytest.raises(OptionError, match="at least one"):
        SingleLearnerEnv(name, opponents=[], **options).reset()


@every_game
def test_opponents_are_drawn_from_a_list_for_every_seat_and_episode(name):
    game = load_game(name)
    pool = [Recorder(), Recorder()]
    env = SingleLearnerEnv(name, learner=0, opponents=pool, num_players=game.max_players)
    env.reset(seed=1)
    for _ in range(6):
        play_episode(env, np.random.default_rng(0))
        env.reset()
    asked = [{agent for agent, _ in one.asked} for one in pool]
    assert all(asked)
    assert set.union(*asked) == {f"player_{seat}" for seat in range(1, game.max_players)}


@every_game
def test_random_learners_take_every_seat(name):
    game = load_game(name)
    env = SingleLearnerEnv(name, learner="random", num_players=game.max_players)
    seats = set()
    for seed in range(40):
        _, info = env.reset(seed=seed)
        seats.add(info["seat"])
    assert seats == set(range(game.max_players))


@every_game
def test_learners_that_do_not_exist(name):
    seats = load_game(name).complete_options({})["num_players"]
    for learner in (seats, -1):
        with pytest.raises(OptionError, match="is no seat of a game"):
            SingleLearnerEnv(name, learner=learner)
    with pytest.raises(OptionError, match="'everyone' is not one of"):
        SingleLearnerEnv(name, learner="everyone")
    with pytest.raises(OptionError, match="'ignore' is not one of 'raise', 'terminate'"):
        SingleLearnerEnv(name, illegal="ignore")
    with pytest.raises(OptionError, match="no option 'nonsense'"):
        SingleLearnerEnv(name, nonsense=1)


# ---------------------------------------------------------------- rendering, copies


@every_game
def test_rendering(name):
    env = SingleLearnerEnv(name, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.aec.game.draw(env.aec.game.to_public(env.aec.snapshot()))
    with pytest.warns(UserWarning, match="render mode"):
        assert SingleLearnerEnv(name).render() is None


@every_game
@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_copies_play_on_identically(name, how):
    env = SingleLearnerEnv(name, opponents="random")
    env.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(3):
        env.step(random_action(env, rng))
    twin = how(env)
    results = []
    for one in (env, twin):
        observations, rewards, _ = play_episode(one, np.random.default_rng(2))
        results.append(([observation.tobytes() for observation in observations], rewards, one.aec.states.tobytes()))
        results[-1] += (one.reset()[0].tobytes(),)
    assert results[0] == results[1]
