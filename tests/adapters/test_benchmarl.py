"""Tasks of BenchMARL: what they tell it of our environments, and what they refuse. An experiment is
in test_libraries.py."""

import pytest

from dig_envs import OptionError
from dig_envs.registry import load_game

pytest.importorskip(
    "benchmarl", reason="BenchMARL is not installed: pip install 'dig_envs[benchmarl]'"
)
from torchrl.envs.utils import check_env_specs

from dig_envs.adapters.benchmarl import DigTask

pytestmark = pytest.mark.ecosystem
GAMES = [("cretaceous_creek_v0", 3), ("fossil_canyon_v0", 2), ("the_big_dig_v0", 2)]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_a_task_tells_benchmarl_what_its_environments_give(name, players):
    game, games = load_game(name), 3
    task = DigTask(name, num_players=players)
    assert task.name == name
    env = task.get_env_fun(num_envs=games, continuous_actions=False, seed=7, device="cpu")()
    check_env_specs(env)
    assert env.batch_size == (games,), "BenchMARL then takes it as it is"
    assert task.group_map(env) == {"player": [f"player_{seat}" for seat in range(players)]}
    sizes = {"observation": game.observation_size, "action_mask": len(game.actions)}
    for key, spec in (
        ("observation", task.observation_spec(env)),
        ("action_mask", task.action_mask_spec(env)),
    ):
        assert set(spec.keys(include_nested=True, leaves_only=True)) == {("player", key)}
        assert spec["player", key].shape == (players, sizes[key])
    assert task.action_spec(env)["player", "action"].shape == (players,)
    start = env.reset(seed=7)
    assert start["state"].shape == (games, *task.state_spec(env)["state"].shape)
    assert start["player", "action_mask"].any(dim=-1).all(), "nobody is without an action"
    other = task.get_env_fun(num_envs=games, continuous_actions=False, seed=7, device="cpu")()
    assert (other.reset()["state"] == start["state"]).all()
    assert env.rollout(20, break_when_any_done=False).batch_size == (games, 20)
    assert task.max_steps(env) == min(1000, game.max_actions)
    assert DigTask(name, max_steps=30, num_players=players).max_steps(env) == 30
    assert task.supports_discrete_actions()
    assert not task.supports_continuous_actions()


def test_what_is_wrong_is_refused_when_a_task_is_made():
    with pytest.raises(OptionError, match="reward"):
        DigTask("go_dig_v0", reward="points")
    with pytest.raises(TypeError, match="multiple values for argument 'num_envs'"):
        DigTask("go_dig_v0", num_envs=4)
    with pytest.raises(ValueError, match="max_steps must be at least 1, not 0"):
        DigTask("go_dig_v0", max_steps=0)
    assert DigTask("go_dig_v0", num_players=3) != DigTask("go_dig_v0", num_players=4), (
        "experiments are told apart"
    )
    assert DigTask("go_dig_v0", num_players=3) == DigTask("go_dig_v0", num_players=3)
