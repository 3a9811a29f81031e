"""The games in RLlib: its own check, the same games as elsewhere, legal actions only, and a policy
that learns."""

import numpy as np
import pytest

from dig_envs.adapters.parallel import Parallel
from dig_envs.engine.core.errors import IllegalActionError
from tests.games import every_game, every_player_count

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'dig_envs[rllib]'")
rllib = pytest.importorskip(
    "dig_envs.adapters.rllib", reason="RLlib is not installed: pip install 'dig_envs[rllib]'"
)
import torch  # noqa: E402 (there where RLlib is)
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.core.rl_module.rl_module import RLModuleSpec  # noqa: E402
from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # noqa: E402

pytestmark = pytest.mark.ecosystem
DigMultiAgentEnv, MaskedPPOModule = rllib.DigMultiAgentEnv, rllib.MaskedPPOModule


@pytest.fixture(scope="module")
def cluster():
    """Ray with two cores, gone afterwards."""
    ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, logging_level="ERROR"
    )
    yield
    ray.shutdown()


def legal(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def random_actions(observations, rng):
    return {agent: legal(seen["action_mask"], rng) for agent, seen in observations.items()}


# ---------------------------------------------------------------- the environment


@every_player_count
def test_rllib_accepts_it(name, options):
    check_multiagent_environments(DigMultiAgentEnv({"name": name, **options}))


@every_player_count
@pytest.mark.parametrize("reward", ["win", "score"])
def test_the_same_games_as_the_parallel_environment(name, options, reward):
    """Only agents with a decision to make get an observation, until the end, where all do."""
    env, usual = (make(name, options, reward) for make in (make_rllib, make_usual))
    rng = np.random.default_rng(0)
    (observations, infos), (expected, _) = env.reset(seed=7), usual.reset(seed=7)
    while usual.agents:
        assert list(observations) == list(infos) == usual.agents_to_act()
        assert env.agents == usual.possible_agents
        for agent, seen in observations.items():
            assert env.get_observation_space(agent).contains(seen)
            assert np.array_equal(seen["observation"], expected[agent]["observation"])
            assert np.array_equal(seen["action_mask"], expected[agent]["action_mask"])
        actions = random_actions(observations, rng)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        expected, usual_rewards, usual_terminated, usual_truncated, usual_infos = usual.step(
            actions
        )
        assert rewards == usual_rewards
        assert terminated == {**usual_terminated, "__all__": not usual.agents}
        assert truncated == {**usual_truncated, "__all__": False}
    assert terminated["__all__"]
    assert list(observations) == usual.possible_agents
    assert infos == usual_infos
    assert not any(seen["action_mask"].any() for seen in observations.values())
    assert env.parallel.snapshot() == usual.snapshot()
    observations, _ = env.reset()
    usual.reset()
    assert list(observations) == usual.agents_to_act()
    assert env.parallel.snapshot() == usual.snapshot()  # games follow in the same order


def make_rllib(name, options, reward):
    return DigMultiAgentEnv({"name": name, "reward": reward, **options})


def make_usual(name, options, reward):
    return Parallel(name, reward=reward, **options)


@every_game
def test_illegal_actions_end_the_game_unless_they_shall_raise(name):
    for settings in ({}, {"illegal": "raise"}):
        env = DigMultiAgentEnv({"name": name, **settings})
        env.reset(seed=1)
        missing = dict.fromkeys(env.agents, -1)
        if settings:
            with pytest.raises(IllegalActionError):
                env.step(missing)
            assert env.parallel.agents
        else:
            _, rewards, terminated, _, _ = env.step(missing)
            assert terminated["__all__"]
            assert min(rewards.values()) == -1.0


def test_wrong_configurations():
    with pytest.raises(ValueError, match="env_config needs the name of an environment"):
        DigMultiAgentEnv({"num_players": 2})


# ---------------------------------------------------------------- the module


def make_module(env, **settings):
    agent = env.possible_agents[0]
    spaces = {
        "observation_space": env.get_observation_space(agent),
        "action_space": env.get_action_space(agent),
    }
    return MaskedPPOModule(**spaces, model_config={"fcnet_hiddens": [16], **settings})


def batch_of(observations):
    """Observations as RLlib hands them to a module."""
    seen = {
        key: torch.from_numpy(np.stack([one[key] for one in observations]))
        for key in ("observation", "action_mask")
    }
    return {Columns.OBS: seen}


@every_game
@pytest.mark.parametrize("forward", ["forward_inference", "forward_exploration", "forward_train"])
def test_no_illegal_action_can_be_drawn(name, forward):
    env = DigMultiAgentEnv({"name": name})
    module, rng = make_module(env), np.random.default_rng(0)
    observations, _ = env.reset(seed=3)
    shown = []
    while env.parallel.agents and len(shown) < 20:
        shown += observations.values()
        observations, *_ = env.step(random_actions(observations, rng))
    batch = batch_of(shown)
    before = {key: tensor.clone() for key, tensor in batch[Columns.OBS].items()}
    outputs = getattr(module, forward)(batch)
    distribution = module.get_train_action_dist_cls().from_logits(
        outputs[Columns.ACTION_DIST_INPUTS]
    )
    probabilities = distribution._dist.probs
    mask = before["action_mask"].bool()
    assert torch.equal(probabilities > 0, mask)
    assert torch.isfinite(distribution.entropy()).all()
    values = module.compute_values(batch)
    assert values.shape == (len(shown),)
    assert torch.equal(values, module.compute_values(batch, outputs.get(Columns.EMBEDDINGS)))
    for key, tensor in before.items():
        assert torch.equal(batch[Columns.OBS][key], tensor), "a batch is as it was"


def test_positions_without_a_legal_action_give_numbers():
    """As at the end of a game, where RLlib asks for values, and for logits beside them."""
    env = DigMultiAgentEnv({"name": "go_dig_v0"})
    observations, _ = env.reset(seed=3)
    seen = {**next(iter(observations.values()))}
    seen["action_mask"] = np.zeros_like(seen["action_mask"])
    module = make_module(env)
    logits = module.forward_train(batch_of([seen]))[Columns.ACTION_DIST_INPUTS]
    distribution = module.get_train_action_dist_cls().from_logits(logits)
    assert torch.isfinite(distribution.entropy()).all()
    assert torch.isfinite(module.compute_values(batch_of([seen]))).all()


def test_other_observations_are_refused():
    with pytest.raises(
        ValueError, match="the module needs observations with 'observation' and 'action_mask'"
    ):
        make_module(DigMultiAgentEnv({"name": "go_dig_v0", "mask": "info"}))


# ---------------------------------------------------------------- PPO

ROUNDS, GAMES = 12, 200
LEARNING = {"name": "twenty_questions_v0", "num_players": 2, "reward": "score"}


def ppo(**env_config):
    """PPO of the size of a test; one policy plays all seats."""
    return (
        PPOConfig()
        .environment(DigMultiAgentEnv, env_config=env_config)
        .multi_agent(
            policies={"learner"}, policy_mapping_fn=lambda agent, episode, **more: "learner"
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=MaskedPPOModule, model_config={"fcnet_hiddens": [64, 64]}
            )
        )
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8, batch_mode="complete_episodes")
        .training(
            gamma=0.97,
            lr=0.002,
            train_batch_size_per_learner=2000,
            minibatch_size=250,
            num_epochs=6,
            entropy_coeff=0.003,
        )
        .debugging(seed=1, log_level="ERROR")
    )


def test_ppo_plays_legal_actions_only_and_changes_its_weights(cluster):
    """Whole games of self-play, in which an illegal action would be an error."""
    algorithm = ppo(**LEARNING, illegal="raise").build_algo()
    try:
        before = {
            name: tensor.clone()
            for name, tensor in algorithm.get_module("learner").state_dict().items()
        }
        results = algorithm.train()
        assert results["env_runners"]["num_env_steps_sampled"] >= 1000
        assert results["env_runners"]["num_episodes"] > 10
        after = algorithm.get_module("learner").state_dict()
        assert before.keys() == after.keys()
        assert any(not torch.equal(before[name], after[name]) for name in before)
        assert all(torch.isfinite(tensor).all() for tensor in after.values())
    finally:
        algorithm.stop()
