"""Libraries that take environments of PettingZoo and Gymnasium, unmodified, with the settings that
the README names for them.

Left out unless asked for (``python -m pytest -m ecosystem``); those that are not installed are
skipped.
"""

import numpy as np
import pytest

import dig_envs
from dig_envs.adapters.parallel import Parallel
from dig_envs.registry import load_game

pytestmark = pytest.mark.ecosystem

GAMES = [
    ("fossil_canyon_v0", 3),
    ("the_big_dig_v0", 2),
    ("cretaceous_creek_v0", 2),
    ("go_dig_v0", 4),
]
every_kind_of_game = pytest.mark.parametrize(("name", "players"), GAMES)


@every_kind_of_game
def test_supersuit_makes_vectors_for_stable_baselines3(name, players):
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")
    pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    env = supersuit.pettingzoo_env_to_vec_env_v1(
        Parallel(name, num_players=players, mask="info", illegal="terminate")
    )
    vectors = supersuit.concat_vec_envs_v1(env, 2, num_cpus=0, base_class="stable_baselines3")
    observations = vectors.reset()
    assert observations.shape == (2 * players, load_game(name).observation_size)
    actions = np.zeros(2 * players, np.int64)
    for _ in range(60):
        observations, rewards, dones, infos = vectors.step(actions)
        masks = [info["action_mask"] for info in infos]
        actions = np.array([int(mask.argmax()) if mask.any() else 0 for mask in masks])
        assert rewards.shape == dones.shape == (2 * players,)
    assert observations.dtype == np.float32
    # without a mask: some of it is illegal, which ends a game
    vectors.step(np.full(2 * players, vectors.action_space.n - 1))


@every_kind_of_game
def test_torchrl_wraps_parallel_environments(name, players):
    libs = pytest.importorskip("torchrl.envs.libs.pettingzoo", reason="TorchRL is not installed")
    from torchrl.envs.utils import check_env_specs

    env = libs.PettingZooWrapper(
        Parallel(name, num_players=players, idle="one"), use_mask=False, done_on_any=False
    )
    check_env_specs(env)
    masks = env.reset()["player", "action_mask"]
    assert masks.any(dim=-1).all(), "nobody is without an action"
    logits = torch_logits(masks)
    assert not logits.isnan().any()


def torch_logits(masks):
    """Return the probabilities of a masked distribution, which is given masks."""
    import torch

    return torch.distributions.Categorical(logits=torch.where(masks, 0.0, -torch.inf)).probs


@every_kind_of_game
def test_torchrl_wraps_aec_environments(name, players):
    libs = pytest.importorskip("torchrl.envs.libs.pettingzoo", reason="TorchRL is not installed")
    from torchrl.envs.utils import check_env_specs

    env = libs.PettingZooWrapper(dig_envs.make(name, num_players=players), use_mask=True)
    check_env_specs(env)
    assert len(env.rollout(20)) > 0
