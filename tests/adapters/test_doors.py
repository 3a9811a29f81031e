"""What comes in through the doors of the environments is checked alike: seeds, actions, and the
options of ``reset``. Whatever is refused changes nothing."""

import copy
from importlib.util import find_spec

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

import dig_envs
from dig_envs import IllegalActionError
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.adapters.text_game import TextGame
from dig_envs.agents.matches import play_games
from dig_envs.arena import run
from dig_envs.commands.main import app
from tests.games import every_game, play_to_an_illegal_action
from tests.server.asking import Client

NAME = "go_dig_v0"
GYM = "dig/go_dig-v0"

# ---------------------------------------------------------------- seeds

FIRST, LAST = -(2**63), 2**64 - 1
NO_SEEDS = [True, False, 1.0, 1.9, float("nan"), np.float64(3), "7", b"7", {}, {1: 2}, object()]
OUT_OF_RANGE = [FIRST - 1, LAST + 1, 10**400, -(10**400)]
GOOD = [0, 7, -1, FIRST, LAST, np.int8(-3), np.uint64(LAST)]


def seed_of(env):
    return int(env.unwrapped.snapshot()["seed"])


def reset_aec(seed):
    env = dig_envs.make(NAME)
    env.reset(seed=seed)
    return [seed_of(env)]


def reset_parallel(seed):
    env = dig_envs.make_parallel(NAME)
    env.reset(seed=seed)
    return [seed_of(env)]


def reset_gymnasium(seed):
    env = gymnasium.make(GYM, learner=0, opponents="random")
    env.reset(seed=seed)
    return [seed_of(env.unwrapped.aec)]


def reset_vector(seed):
    env = gymnasium.make_vec(GYM, 2, learner=0)
    env.reset(seed=seed)
    return env.batch.states["seed"].tolist()


def make_batch(seed):
    return dig_envs.BatchEnv(NAME, 2, seed=seed).states["seed"].tolist()


def reset_batch(seed):
    batch = dig_envs.BatchEnv(NAME, 2)
    batch.reset(seed)
    return batch.states["seed"].tolist()


def make_learner_batch(seed):
    return LearnerBatch(NAME, 2, 0, seed=seed).batch.states["seed"].tolist()


def reset_learner_batch(seed):
    games = LearnerBatch(NAME, 2, 0)
    games.reset(seed)
    return games.batch.states["seed"].tolist()


def reset_stable(seed):
    from dig_envs.adapters.sb3 import DigVecEnv

    env = DigVecEnv(NAME, 2, 0)
    env.seed(seed)
    env.reset()
    return env.batch.states["seed"].tolist()


def reset_text_game(seed):
    game = TextGame(NAME)
    game.reset(seed)
    return [seed_of(game.env)]


def redeal(seed):
    env = dig_envs.make(NAME)
    env.reset(seed=1)
    env.unwrapped.determinize("player_0", seed)


def search(seed):
    env = dig_envs.make(NAME).unwrapped
    env.reset(seed=1)
    dig_envs.load_agent("search:sims=2", NAME).search(env.states, 0, seed)


def new_game(seed):
    """The protocol: errors of its own."""
    client = Client()
    game = client.call("new", environment=NAME, seed=seed)["game"]
    return [int(client.call("save", game=game)["seed"])]


SEED_DOORS = {  # of one seed; -> the seeds of the games, where they can be seen
    "AEC": reset_aec,
    "parallel": reset_parallel,
    "Gymnasium": reset_gymnasium,
    "vector": reset_vector,
    "batch": make_batch,
    "batch, reset": reset_batch,
    "learner batch": make_learner_batch,
    "learner batch, reset": reset_learner_batch,
    "Stable-Baselines3": reset_stable,
    "text game": reset_text_game,
    "redeal": redeal,
    "search": search,
    "random agent": lambda seed: dig_envs.load_agent("random", seed=seed) and None,
    "heuristic agent": lambda seed: dig_envs.load_agent("heuristic", NAME, seed=seed) and None,
    "rollout": lambda seed: dig_envs.random_rollout(NAME, 2, seed) and None,
    "games": lambda seed: play_games(NAME, [dig_envs.load_agent("random")] * 2, 2, seed) and None,
    "arena": lambda seed: run(NAME, ["random", "heuristic"], games=2, seed=seed) and None,
}
if not find_spec("stable_baselines3"):
    del SEED_DOORS["Stable-Baselines3"]
SEVERAL = (
    "vector",
    "batch",
    "batch, reset",
    "learner batch",
    "learner batch, reset",
    "Stable-Baselines3",
)  # which take one seed for each game, too


@pytest.mark.parametrize("door", SEED_DOORS)
def test_seeds(door):
    """Integers from -2**63 to 2**64 - 1, a negative one for the one that is 2**64 larger."""
    enter, several = SEED_DOORS[door], door in SEVERAL
    for seed in GOOD:
        seeds = enter(seed)
        if seeds is not None:
            wanted = [(int(seed) + i) % 2**64 for i in range(len(seeds))]
            assert seeds == wanted
            if several:
                assert enter([seed, wanted[1]]) == enter(np.array(wanted, np.uint64)) == wanted
    in_a_list = [[1, seed] for seed in NO_SEEDS] if several else [[1], np.array([1])]
    for seed in [*NO_SEEDS, *in_a_list]:
        with pytest.raises(TypeError, match="a seed must be an integer, not"):
            enter(seed)
    for seed in [*OUT_OF_RANGE, *([1, seed] for seed in OUT_OF_RANGE if several)]:
        with pytest.raises(ValueError, match=f"a seed must be from {FIRST} to {LAST}, not"):
            enter(seed)
    for wrong in ([1], [1, 2, 3], []) if several else ():
        with pytest.raises(ValueError, match="seeds for 2 games"):
            enter(wrong)


def test_seeds_of_other_programs():
    """The protocol and the command line refuse the same integers."""
    for seed in GOOD:
        assert new_game(int(seed)) == [int(seed) % 2**64]
    for seed in [*OUT_OF_RANGE, True, 1.5, "7", [1], {}]:
        with pytest.raises(Exception, match="seed"):
            new_game(seed)
    runner, words = CliRunner(), ["watch", NAME, "--agents", "random", "--draw", "never", "--seed"]
    shown = [runner.invoke(app, [*words, seed]).output for seed in ("-1", str(LAST))]
    assert shown[0] == shown[1]
    for seed in ("1.5", "True", str(LAST + 1), str(FIRST - 1), "1" * 500):
        result = runner.invoke(app, [*words, seed])
        assert result.exit_code == 2
        assert "seed" in result.output
        assert "Traceback" not in result.output
