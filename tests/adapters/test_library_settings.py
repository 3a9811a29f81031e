"""The settings that libraries need: where masks are, what an illegal action does, what agents
without a decision to make may do."""

import copy
import pickle
from inspect import Parameter, signature

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from stable_baselines3.common.env_util import make_vec_env

import dig_envs
from dig_envs import OptionError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.parallel import Parallel
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.registry import load_game
from tests.games import every_game, every_player_count

PLACES = ("info", "both")


def legal(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def same_observation(seen, usual, place):
    """Whether an observation of an environment with its masks elsewhere is that of a usual one."""
    if place == "info":
        return isinstance(seen, np.ndarray) and np.array_equal(seen, usual["observation"])
    return seen.keys() == usual.keys() and all(
        np.array_equal(seen[key], usual[key]) for key in usual
    )


# ---------------------------------------------------------------- masks in infos


@every_game
@pytest.mark.parametrize("place", PLACES)
def test_pettingzoo_accepts_masks_elsewhere(name, place):
    api_test(dig_envs.make(name, mask=place), num_cycles=50)
    parallel_api_test(Parallel(name, mask=place, illegal="terminate"), num_cycles=50)


@every_player_count
@pytest.mark.parametrize("place", PLACES)
def test_masks_of_an_aec_game_in_its_infos(name, options, place):
    env, usual = dig_envs.make(name, mask=place, **options), dig_envs.make(name, **options)
    env.reset(seed=5)
    usual.reset(seed=5)
    rng = np.random.default_rng(0)
    for count in range(60):
        for agent in usual.agents:
            assert np.array_equal(
                env.infos[agent]["action_mask"], usual.observe(agent)["action_mask"]
            )
            assert same_observation(env.observe(agent), usual.observe(agent), place)
            assert env.observation_space(agent).contains(env.observe(agent))
        seen, _, over, _, info = env.last()
        if over:
            break
        assert same_observation(seen, usual.last()[0], place)
        assert "action_mask" not in usual.last()[-1]
        action = legal(info["action_mask"], rng)
        env.step(action)
        usual.step(action)
        if count == 20:
            env = pickle.loads(pickle.dumps(copy.deepcopy(env)))


@every_player_count
@pytest.mark.parametrize("place", PLACES)
def test_masks_of_a_parallel_game_in_its_infos(name, options, place):
    env, usual = Parallel(name, mask=place, **options), Parallel(name, **options)
    (observations, infos), (usually, _) = env.reset(seed=5), usual.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(60):
        for agent in usual.possible_agents:
            assert np.array_equal(infos[agent]["action_mask"], usually[agent]["action_mask"])
            assert same_observation(observations[agent], usually[agent], place)
            assert env.observation_space(agent).contains(observations[agent])
        if not env.agents:
            break
        actions = {agent: legal(infos[agent]["action_mask"], rng) for agent in env.agents_to_act()}
        observations, *_, infos = env.step(actions)
        usually, *_ = usual.step(actions)


@every_game
def test_masks_in_infos_after_restore_and_at_the_end(name):
    env = RawAEC(name, mask="info", num_players=2)
    env.reset(seed=1)
    start = env.snapshot()
    rng = np.random.default_rng(0)
    for _ in range(5):
        env.step(legal(env.infos[env.agent_selection]["action_mask"], rng))
    env.restore(start)
    assert np.array_equal(
        env.infos[env.agent_selection]["action_mask"], env.look(env.agent_selection)["action_mask"]
    )
    env.determinize(env.agent_selection, 3)
    assert np.array_equal(
        env.infos[env.agent_selection]["action_mask"], env.look(env.agent_selection)["action_mask"]
    )


@every_game
def test_agents_play_wherever_the_masks_are(name):
    chosen = []
    for place in ("observation", *PLACES):
        env = dig_envs.make(name, mask=place)
        env.reset(seed=2)
        chosen.append(dig_envs.load_agent("heuristic", name).act(env))
    assert chosen == [chosen[0]] * 3


@pytest.mark.parametrize(
    ("setting", "value"),
    [("mask", "nowhere"), ("illegal", "ignore"), ("idle", "all"), ("idle", ["one"])],
)
def test_other_words_are_refused(setting, value):
    with pytest.raises(OptionError, match=f"{setting} .* is not one of "):
        Parallel("go_dig_v0", **{setting: value})


# ---------------------------------------------------------------- agents without a decision to make


@every_player_count
def test_those_who_owe_nothing_may_have_an_action_that_is_ignored(name, options):
    env, usual = Parallel(name, idle="one", mask="both", **options), Parallel(name, **options)
    (observations, infos), (usually, _) = env.reset(seed=5), usual.reset(seed=5)
    rng = np.random.default_rng(0)
    while env.agents:
        for agent in env.possible_agents:
            mask = observations[agent]["action_mask"]
            assert np.array_equal(infos[agent]["action_mask"], mask)
            expected = (
                usually[agent]["action_mask"]
                if agent in env.agents_to_act()
                else np.eye(1, len(mask), dtype=np.int8)[0]
            )
            assert np.array_equal(mask, expected)
        actions = {agent: legal(observations[agent]["action_mask"], rng) for agent in env.agents}
        observations, *_, infos = env.step(actions)
        usually, *_ = usual.step(actions)
        assert env.states.tobytes() == usual.states.tobytes()
    assert all(seen["action_mask"].sum() == 1 for seen in observations.values())
    assert not any(seen["action_mask"].any() for seen in usually.values())


# ---------------------------------------------------------------- illegal actions


@every_game
def test_pettingzoo_draws_actions_without_masks(name):
    parallel_seed_test(lambda: Parallel(name, illegal="terminate"), num_cycles=20)


# ---------------------------------------------------------------- what callers catch and look for


def test_unknown_arguments_are_type_errors_in_the_usual_words():
    """TorchRL's GymEnv looks for these words, and Stable-Baselines3's make_vec_env tries a render
    mode."""
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'frameskip'"):
        gymnasium.make("dig/go_dig-v0", frameskip=4)
    with pytest.raises(ValueError, match="no option 'frameskip'; its options are num_players"):
        dig_envs.make("go_dig_v0", frameskip=4)
    envs = make_vec_env("dig/go_dig-v0", n_envs=2)
    assert envs.reset().shape == (2, load_game("go_dig_v0").observation_size)


@every_game
def test_no_option_of_a_game_is_called_as_a_setting(name):
    """No option of a game has the name of an environment's setting, since the setting would take
    the option's value."""
    for environment in (RawAEC, Parallel, SingleLearnerEnv, DigVectorEnv, dig_envs.make):
        settings = {
            key
            for key, setting in signature(environment).parameters.items()
            if setting.kind != Parameter.VAR_KEYWORD
        }
        assert settings & {option.name for option in load_game(name).options} == set()
