"""Libraries that take environments of PettingZoo and Gymnasium, unmodified, with the settings that
the README names for them.

Left out unless asked for (``python -m pytest -m ecosystem``); those that are not installed are
skipped.
"""

import pytest

import dig_envs

pytestmark = pytest.mark.ecosystem

GAMES = [
    ("fossil_canyon_v0", 3),
    ("the_big_dig_v0", 2),
    ("cretaceous_creek_v0", 2),
    ("go_dig_v0", 4),
]
every_kind_of_game = pytest.mark.parametrize(("name", "players"), GAMES)


@every_kind_of_game
def test_torchrl_wraps_aec_environments(name, players):
    libs = pytest.importorskip("torchrl.envs.libs.pettingzoo", reason="TorchRL is not installed")
    from torchrl.envs.utils import check_env_specs

    env = libs.PettingZooWrapper(dig_envs.make(name, num_players=players), use_mask=True)
    check_env_specs(env)
    assert len(env.rollout(20)) > 0
