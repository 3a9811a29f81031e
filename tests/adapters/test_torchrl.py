"""Batches of games as environments of TorchRL: the same games as elsewhere, their ends, their
seeds, and what they refuse."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from dig_envs import IllegalActionError, OptionError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.parallel import IGNORED, Parallel
from dig_envs.engine.core.seeds import following_seed

pytest.importorskip("torchrl", reason="TorchRL is not installed: pip install 'dig_envs[torchrl]'")
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import PettingZooWrapper, RewardSum, TransformedEnv
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical

from dig_envs.adapters.torchrl import DigEnv

pytestmark = pytest.mark.ecosystem
GAMES = [
    ("fossil_canyon_v0", 3),
    ("the_big_dig_v0", 2),
    ("cretaceous_creek_v0", 3),
    ("go_dig_v0", 2),
]
every_kind_of_game = pytest.mark.parametrize(("name", "players"), GAMES)
NAME, SIZE = "cretaceous_creek_v0", 4


def make(name=NAME, num_envs=SIZE, **settings):
    return DigEnv(name, num_envs, **settings)


def seeds_of(env):
    return [int(seed) for seed in env.batch.states["seed"]]


def play_until(env, frame, condition):
    """Step with random legal actions until the step's result fulfils a condition; returns that
    result."""
    while True:
        after = env.step(env.rand_action(frame))["next"]
        if condition(after):
            return after
        frame = env.maybe_reset(after.exclude(("player", "reward")))


# ---------------------------------------------------------------- the games


@every_kind_of_game
def test_torchrl_finds_what_the_specs_say(name, players):
    """TorchRL's own check, and the same entries as of its wrapper of one game, with the batch in
    front."""
    env = make(name, num_players=players)
    check_env_specs(env, break_when_any_done="both")
    one = Parallel(name, num_players=players, mask="info", idle="one")
    wrapped = PettingZooWrapper(
        one, return_state=True, use_mask=False, done_on_any=False, categorical_actions=True
    ).rollout(2)
    frames = env.rollout(2)
    assert frames.batch_size == (SIZE, 2)
    assert set(frames.keys(True, True)) == set(wrapped.keys(True, True))
    for key, value in wrapped.items(True, True):
        assert frames[key].shape == (SIZE, *value.shape)
        assert frames[key].dtype == value.dtype


@every_kind_of_game
@pytest.mark.parametrize("reward", ["win", "score"])
def test_the_same_games_as_in_the_aec_environment(name, players, reward):
    """Step by step with the same actions: what all seats see, masks, rewards and ends, and the
    games that follow."""
    env = make(name, num_players=players, reward=reward, seed=40)
    games = [RawAEC(name, reward, num_players=players) for _ in range(SIZE)]
    for index, aec in enumerate(games):
        aec.reset(seed=40 + index)
    frame, ended = env.reset(), 0
    idle = np.arange(len(env.game.actions)) == IGNORED
    while ended < 2 * SIZE:
        before = env.rand_action(frame)
        movers = [aec.seat_of(aec.agent_selection) for aec in games]
        compare(frame, games, idle, over=[False] * SIZE)
        after, frame = env.step_and_maybe_reset(before)
        actions = after["player", "action"]
        for index, aec in enumerate(games):
            aec.step(int(actions[index, movers[index]]))
        over = [bool(aec.states["over"][0]) for aec in games]
        compare(after["next"], games, idle, over)
        paid = [[aec.rewards[agent] for agent in aec.possible_agents] for aec in games]
        assert after["next", "player", "reward"][..., 0].tolist() == np.float32(paid).tolist()
        for index in np.flatnonzero(over):
            games[index].reset()
            ended += 1


def compare(frame, games, idle, over):
    """Compare a frame of all games with AEC environments in the same positions."""
    assert frame["done"][:, 0].tolist() == frame["terminated"][:, 0].tolist() == over
    assert (frame["player", "done"] == frame["done"][:, None]).all()
    assert not frame["truncated"].any()
    assert not frame["player", "truncated"].any()
    for index, aec in enumerate(games):
        for seat, agent in enumerate(aec.possible_agents):
            seen = aec.observe(agent)
            decides = not over[index] and agent == aec.agent_selection
            assert np.array_equal(frame["player", "observation"][index, seat], seen["observation"])
            assert np.array_equal(
                frame["player", "action_mask"][index, seat],
                seen["action_mask"] if decides else idle,
            )
        assert np.array_equal(frame["state"][index], aec.state())


def test_a_rollout_goes_through_many_ends():
    """Every action is legal, and after each end another game begins."""
    frames = make(num_envs=8, num_players=2).rollout(200, break_when_any_done=False)
    assert frames["player", "action_mask"].gather(-1, frames["player", "action"][..., None]).all()
    ended = frames["next", "done"][:, :-1, 0]
    assert (ended.sum(dim=1) > 3).all()
    assert not frames["done"].any()
    last, first = frames["next", "state"][:, :-1], frames["state"][:, 1:]
    same = (last == first).all(dim=-1)
    assert same[~ended].all()
    assert not same[ended].any()


def test_games_that_are_not_stepped_stay_as_they_are():
    """TorchRL may name the games to step in ``_step``; one that is over need not be among them, and
    stays over."""
    env = make(num_players=2)
    before = play_until(env, env.reset(), lambda after: after["done"].any()).exclude(
        ("player", "reward")
    )
    over = before["done"][:, 0]
    stepped = ~over & (torch.arange(SIZE) != (~over).nonzero()[0])
    after = env.step(env.rand_action(before.clone()).set("_step", stepped[:, None]))["next"]
    assert (after["state"] == before["state"]).all(dim=1).tolist() == (~stepped).tolist()
    assert (after["done"] == before["done"])[~stepped].all()
    assert not after["player", "reward"][~stepped].any()


def test_collectors_play_on_from_batch_to_batch():
    def draw(mask):
        return MaskedCategorical(logits=mask * 0.0, mask=mask).sample()

    policy = TensorDictModule(draw, [("player", "action_mask")], [("player", "action")])
    env = make(num_envs=8, num_players=2, reward="score")
    summed = TransformedEnv(env, RewardSum(in_keys=[("player", "reward")], reset_keys=["_reset"]))
    batches = list(Collector(summed, policy, frames_per_batch=80, total_frames=400))
    assert [batch.batch_size for batch in batches] == [(8, 10)] * 5
    for batch, following in zip(batches, batches[1:], strict=False):
        going = ~batch["next", "done"][:, -1, 0]
        assert (batch["next", "state"][going, -1] == following["state"][going, 0]).all()


# ---------------------------------------------------------------- what is refused


def test_an_illegal_action_changes_nothing_and_those_of_idle_seats_are_ignored():
    env = make(num_players=3)
    frame = env.rand_action(env.reset())
    mover = int(env.batch.mover[2])
    illegal = int((~frame["player", "action_mask"][2, mover]).nonzero()[0])
    before = env.batch.states.tobytes()
    for bad in (illegal, -1, len(env.game.actions)):
        wrong = frame.clone()
        wrong["player", "action"][2, mover] = bad
        with pytest.raises(IllegalActionError, match=f"seat {mover} in game 2"):
            env.step(wrong)
        assert env.batch.states.tobytes() == before
    ignored = frame.clone()
    ignored["player", "action"][2, np.arange(3) != mover] = -5
    env.step(ignored)
    assert env.batch.states.tobytes() != before


def test_what_is_wrong_is_refused():
    env = make(num_players=2)
    frame = env.reset()
    with pytest.raises(ValueError, match=r"actions must have the shape \(4, 2\), not \(4, 2, 3\)"):
        env.step(
            frame.clone().set(("player", "action"), torch.zeros(SIZE, 2, 3, dtype=torch.int64))
        )
    with pytest.raises(TypeError, match="integers, not float32"):
        env.step(frame.clone().set(("player", "action"), torch.zeros(SIZE, 2)))
    with pytest.raises(OptionError, match="num_players"):
        make(num_players=[2, 3, 2, 3])
    for seed in ("1", 1.5, None):
        with pytest.raises(TypeError, match="a seed must be an integer"):
            make(seed=seed)


def test_a_game_must_be_dealt_before_it_is_played():
    env = make(num_players=2)
    actions = TensorDict(
        {"player": TensorDict({"action": torch.zeros(SIZE, 2, dtype=torch.int64)}, [SIZE, 2])},
        [SIZE],
    )
    with pytest.raises(ResetNeeded, match="game 0 is over, or was never dealt"):
        env.step(actions)
    with pytest.raises(ResetNeeded, match=r"call reset\(\) for all of them first"):
        env.reset(TensorDict({"_reset": torch.tensor([[True], [False], [False], [True]])}, [SIZE]))
    after = play_until(env, env.reset(), lambda after: after["done"].any())
    over = int(after["done"][:, 0].nonzero()[0])
    before = env.batch.states.tobytes()
    with pytest.raises(ResetNeeded, match=f"game {over} is over"):
        env.step(env.rand_action(after.exclude(("player", "reward"))))
    assert env.batch.states.tobytes() == before


# ---------------------------------------------------------------- resets and seeds


def test_seeds_are_counted_up_from_game_to_game():
    env = make(num_players=2, seed=5)
    first = env.reset()
    assert seeds_of(env) == [5, 6, 7, 8]
    env.reset()
    assert seeds_of(env) == [following_seed(seed) for seed in (5, 6, 7, 8)]
    assert (env.reset(seed=5)["state"] == first["state"]).all()
    env.set_seed(5)
    assert (env.reset()["state"] == first["state"]).all()
    env.set_seed(None)
    env.reset()
    assert seeds_of(env) == [following_seed(seed) for seed in (5, 6, 7, 8)]
    for give in (env.set_seed, lambda seed: env.reset(seed=seed)):
        with pytest.raises(TypeError, match="a seed must be an integer"):
            give("5")
    with pytest.raises(TypeError, match="unexpected keyword argument 'options'"):
        env.reset(options={})
    assert seeds_of(env) == [following_seed(seed) for seed in (5, 6, 7, 8)]


def test_a_new_seed_waits_for_the_next_deal():
    """Collectors may set a seed while games are in play."""
    env = make(num_players=2, seed=5)
    frame = env.reset()
    before = env.batch.states.tobytes()
    env.set_seed(90)
    assert env.batch.states.tobytes() == before
    after = play_until(env, frame, lambda after: after["done"].any())
    over = after["done"][:, 0]
    env.maybe_reset(after.exclude(("player", "reward")))
    assert seeds_of(env) == [90 + i if over[i] else 5 + i for i in range(SIZE)]


def test_games_in_play_may_be_dealt_anew():
    """A partial reset leaves the others as they are, and gives the deals that follow."""
    env = make(num_players=2, seed=5)
    frame = env.step_and_maybe_reset(env.rand_action(env.reset()))[1]
    before = [env.batch.states[i].tobytes() for i in range(SIZE)]
    again = env.reset(frame.clone().set("_reset", torch.tensor([[True], [False], [False], [True]])))
    assert seeds_of(env) == [following_seed(5), 6, 7, following_seed(8)]
    assert [env.batch.states[i].tobytes() == before[i] for i in range(SIZE)] == [
        False,
        True,
        True,
        False,
    ]
    assert (again["state"] == frame["state"]).all(dim=1).tolist() == [False, True, True, False]
    env.reset(
        frame.clone().set("_reset", torch.tensor([[True], [True], [False], [False]])), seed=70
    )
    assert seeds_of(env) == [70, 71, 7, following_seed(8)]
    env.reset()
    assert seeds_of(env) == [following_seed(seed) for seed in (70, 71, 7, following_seed(8))]
    env.reset(seed=5)
    again = env.reset(
        frame.clone().set("_reset", torch.tensor([[True], [False], [False], [False]]))
    )
    whole = make(num_players=2, seed=following_seed(5)).reset()
    assert (again["state"][0] == whole["state"][0]).all()
    env.step(env.rand_action(again))
