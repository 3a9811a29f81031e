"""Masks where libraries look for them in ways of their own: what their pages say of TorchRL,
RLlib and AgileRL."""

import numpy as np
import pytest

import dig_envs

pytestmark = pytest.mark.ecosystem
NAME = "dig/go_dig-v0"


def test_torchrl_gets_masks_of_a_gymnasium_environment_from_its_infos():
    """With a reader that knows what to read; an illegal action would raise."""
    torch = pytest.importorskip("torch")
    envs = pytest.importorskip("torchrl.envs")
    from torchrl.data import Unbounded
    from torchrl.envs.utils import check_env_specs

    env = envs.GymEnv(NAME, categorical_action_encoding=True, illegal="raise")
    specs = [Unbounded((env.action_spec.n,), dtype=torch.int8), Unbounded((), dtype=torch.int64)]
    env.set_info_dict_reader(envs.default_info_dict_reader(["action_mask", "seat"], specs))
    first = env.reset()
    assert first["action_mask"].shape == (env.action_spec.n,)
    assert first["action_mask"].any()
    assert first["seat"] in range(4)
    masked = envs.TransformedEnv(env, envs.ActionMask())
    check_env_specs(masked)
    played = masked.rollout(300, break_when_any_done=False)
    assert played["next", "terminated"].any()
    assert played["action_mask"].gather(1, played["action"][:, None]).all()


def test_rllibs_own_masking_module_learns():
    """It looks for the vector under ``observations``; an illegal action would raise."""
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib")
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    from dig_envs.adapters.rllib import DigMultiAgentEnv

    settings = {
        "name": "twenty_questions_v0",
        "reward": "score",
        "illegal": "raise",
        "vector_key": "observations",
    }
    config = (
        PPOConfig()
        .environment(DigMultiAgentEnv, env_config=settings)
        .multi_agent(
            policies={"learner"}, policy_mapping_fn=lambda agent, episode, **more: "learner"
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [32]}
            )
        )
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4, batch_mode="complete_episodes")
        .training(train_batch_size_per_learner=200, minibatch_size=64, num_epochs=1)
        .debugging(seed=0)
    )
    ray.init(
        num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, logging_level="ERROR"
    )
    try:
        algorithm = config.build_algo()
        results = [algorithm.train()["learners"]["learner"] for _ in range(2)]
        algorithm.stop()
    finally:
        ray.shutdown()
    assert all(
        np.isfinite(result["policy_loss"]) and result["num_module_steps_trained"] > 0
        for result in results
    )


def test_the_name_of_the_vector_is_one_of_two():
    pytest.importorskip("ray.rllib")
    from dig_envs.adapters.rllib import DigMultiAgentEnv

    env = DigMultiAgentEnv({"name": "go_dig_v0", "vector_key": "observations"})
    seen, _ = env.reset(seed=1)
    for agent, one in seen.items():
        assert set(one) == {"action_mask", "observations"}
        assert env.get_observation_space(agent).contains(one)
    with pytest.raises(dig_envs.OptionError, match="vector_key 'obs' is not one of"):
        DigMultiAgentEnv({"name": "go_dig_v0", "vector_key": "obs"})
    with pytest.raises(ValueError, match="mask='info' leaves no mask there"):
        DigMultiAgentEnv({"name": "go_dig_v0", "vector_key": "observations", "mask": "info"})
