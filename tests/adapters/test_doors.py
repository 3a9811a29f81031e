"""What comes in through the doors of the environments is checked alike: seeds, actions, and the
options of ``reset``. Whatever is refused changes nothing."""

import copy

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
from tests.server.asking import Client, RpcError

NAME = "go_dig_v0"
GYM = "dig/go_dig-v0"

# ---------------------------------------------------------------- seeds

FIRST, LAST = -(2**63), 2**64 - 1
NO_SEEDS = [True, False, 1.0, 1.9, float("nan"), np.float64(3), "7", b"7", {}, {1: 2}, object()]
OUT_OF_RANGE = [FIRST - 1, LAST + 1, 10**400, -(10**400)]
RANGE = f"a seed must be from {FIRST} to {LAST}, not"
GOOD = [0, 7, -1, FIRST, LAST, np.int8(-3), np.uint64(LAST)]


def stable(seed=None):
    sb3 = pytest.importorskip("dig_envs.adapters.sb3")
    return sb3.DigVecEnv(NAME, 2, 0, **({} if seed is None else {"seed": seed}))


def reset_stable(env, seed):
    env.seed(seed)
    env.reset()


ENVIRONMENTS = {  # -> how one is made, and how it gets a seed
    "AEC": (lambda: dig_envs.make(NAME), lambda env, seed: env.reset(seed=seed)),
    "parallel": (lambda: dig_envs.make_parallel(NAME), lambda env, seed: env.reset(seed=seed)),
    "Gymnasium": (
        lambda: gymnasium.make(GYM, learner=0, opponents="random"),
        lambda env, seed: env.reset(seed=seed),
    ),
    "text game": (lambda: TextGame(NAME), lambda game, seed: game.reset(seed)),
}
OF_TWO_GAMES = {  # which take one seed for each game, too
    "vector": (
        lambda: gymnasium.make_vec(GYM, 2, learner=0),
        lambda env, seed: env.reset(seed=seed),
    ),
    "batch": (lambda: dig_envs.BatchEnv(NAME, 2), lambda batch, seed: batch.reset(seed)),
    "learner batch": (lambda: LearnerBatch(NAME, 2, 0), lambda games, seed: games.reset(seed)),
    "Stable-Baselines3": (stable, reset_stable),
}


def positions_of(env):
    """The states of the games of any environment."""
    for name in ("unwrapped", "aec", "env", "batch"):
        env = getattr(env, name, env)
    return env.states


@pytest.mark.parametrize("kind", [*ENVIRONMENTS, *OF_TWO_GAMES])
def test_seeds_of_environments(kind):
    """Integers from -2**63 to 2**64 - 1, a negative one for the one that is 2**64 larger; others
    are refused, and nothing has changed."""
    make, enter = (ENVIRONMENTS | OF_TWO_GAMES)[kind]
    several = kind in OF_TWO_GAMES
    env = make()
    for seed in GOOD:
        wanted = [int(seed) % 2**64, (int(seed) + 1) % 2**64]
        ways = [seed, [seed, wanted[1]], np.array(wanted, np.uint64)]
        for way in ways if several else ways[:1]:
            enter(env, way)
            found = positions_of(env)["seed"].tolist()
            assert found == wanted[: len(found)]
    before = positions_of(env).tobytes()
    in_a_list = [[1, seed] for seed in NO_SEEDS] if several else [[1], np.array([1])]
    for seed in [*NO_SEEDS, *in_a_list]:
        with pytest.raises(TypeError, match="a seed must be an integer, not"):
            enter(env, seed)
    for seed in [*OUT_OF_RANGE, *([1, seed] for seed in OUT_OF_RANGE if several)]:
        with pytest.raises(ValueError, match=RANGE):
            enter(env, seed)
    for wrong in ([1], [1, 2, 3], []) if several else ():
        with pytest.raises(ValueError, match="seeds for 2 games"):
            enter(env, wrong)
    assert positions_of(env).tobytes() == before


def redeal(seed):
    env = dig_envs.make(NAME)
    env.reset(seed=1)
    env.unwrapped.determinize("player_0", seed)


def search(seed):
    env = dig_envs.make(NAME).unwrapped
    env.reset(seed=1)
    dig_envs.load_agent("search:sims=2", NAME).search(env.states, 0, seed)


FUNCTIONS = {
    "batch": lambda seed: dig_envs.BatchEnv(NAME, 2, seed=seed),
    "learner batch": lambda seed: LearnerBatch(NAME, 2, 0, seed=seed),
    "Stable-Baselines3": stable,
    "redeal": redeal,
    "search": search,
    "random agent": lambda seed: dig_envs.load_agent("random", seed=seed),
    "heuristic agent": lambda seed: dig_envs.load_agent("heuristic", NAME, seed=seed),
    "rollout": lambda seed: dig_envs.random_rollout(NAME, 2, seed),
    "games": lambda seed: play_games(NAME, [dig_envs.load_agent("random")] * 2, 2, seed),
    "arena": lambda seed: run(NAME, ["random", "heuristic"], games=2, seed=seed),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_seeds_of_functions(name):
    for seed in GOOD:
        FUNCTIONS[name](seed)
    for seed in NO_SEEDS:
        with pytest.raises(TypeError, match="a seed must be an integer, not"):
            FUNCTIONS[name](seed)
    for seed in OUT_OF_RANGE:
        with pytest.raises(ValueError, match=RANGE):
            FUNCTIONS[name](seed)


def new_game(seed):
    """The protocol, which has errors of its own."""
    client = Client()
    game = client.call("new", environment=NAME, seed=seed)["game"]
    return int(client.call("save", game=game)["seed"])


def test_seeds_of_other_programs():
    """The protocol and the command line refuse the same integers."""
    for seed in GOOD:
        assert new_game(int(seed)) == int(seed) % 2**64
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


# ---------------------------------------------------------------- actions

NO_ACTIONS = [
    None, True, np.True_, 0.0, 1.5, float("nan"), np.float32(1), "0", "pass", b"0", {}, {"a": 0},
    (0,), [0], np.array([0.0]), np.array([True]), np.array([0, 1]), np.array([]), object(),
]  # fmt: skip
OTHER_INTEGERS = [-1, 10**6, 2**63, 10**400]  # that are never legal


def through_aec(raw=False):
    env = dig_envs.make(NAME)
    env = env.unwrapped if raw else env
    env.reset(seed=1)
    legal = int(env.last()[0]["action_mask"].argmax())
    return legal, env.step, env.unwrapped.snapshot


def through_parallel(illegal):
    env = dig_envs.make_parallel(NAME, illegal=illegal)
    env.reset(seed=1)
    (agent,) = env.agents_to_act()
    legal = int(env.observe(agent)["action_mask"].argmax())
    return legal, lambda action: env.step({agent: action}), env.snapshot


def through_gymnasium(illegal):
    env = gymnasium.make(GYM, learner=0, illegal=illegal)
    env.reset(seed=1)
    return int(env.unwrapped.action_masks().argmax()), env.step, env.unwrapped.aec.snapshot


def through_protocol():
    client = Client()
    game = client.call("new", environment=NAME, seed=1)["game"]
    legal = client.call("view", game=game, seat=0)["legal"][0]["action"]
    return (
        legal,
        lambda action: client.call("act", game=game, action=action),
        lambda: client.call("save", game=game),
    )


ACTION_DOORS = {
    "AEC": through_aec,
    "AEC, raw": lambda: through_aec(raw=True),
    "parallel": lambda: through_parallel("raise"),
    "parallel that ends": lambda: through_parallel("terminate"),
    "Gymnasium": lambda: through_gymnasium("raise"),
    "Gymnasium that ends": lambda: through_gymnasium("terminate"),
}


@pytest.mark.parametrize("door", ACTION_DOORS)
def test_what_is_no_integer_is_no_action(door):
    """It is a mistake of the program, and costs no game; an array of one integer is one."""
    _, play, position = ACTION_DOORS[door]()
    before = position()
    for wrong in NO_ACTIONS:
        with pytest.raises(TypeError, match="an action must be an integer"):
            play(wrong)
        assert position() == before
    for kind in (int, np.int8, lambda action: np.array([action]), lambda action: np.array(action)):
        again, play, position = ACTION_DOORS[door]()
        play(kind(again))
        assert position() != before


def test_only_integers_are_legal():
    env = dig_envs.make(NAME).unwrapped
    env.reset(seed=1)
    legal = int(env.last()[0]["action_mask"].argmax())
    assert not any(env.is_legal(wrong) for wrong in [*NO_ACTIONS, *OTHER_INTEGERS, float(legal)])
    assert all(env.is_legal(one) for one in (legal, np.int16(legal), np.array([legal])))


@pytest.mark.parametrize("door", [door for door in ACTION_DOORS if "ends" not in door])
def test_integers_that_are_never_legal(door):
    _, play, position = ACTION_DOORS[door]()
    before = position()
    for wrong in OTHER_INTEGERS:
        with pytest.raises((IllegalActionError, AssertionError)):
            play(wrong)
        assert position() == before


@pytest.mark.parametrize("kind", OF_TWO_GAMES)
def test_actions_of_several_games(kind):
    make, enter = OF_TWO_GAMES[kind]
    env = make()
    enter(env, 1)
    batch, step = getattr(env, "batch", env), env.step
    legal, before = int(batch.action_mask[0].argmax()), batch.states.tobytes()
    for wrong in (None, 1.5, "0", {}, b"0", object()):
        for actions in ([legal, wrong], wrong, np.array([legal, wrong], object)):
            with pytest.raises(TypeError, match="actions must be integers, not"):
                step(actions)
    for actions in ([legal], legal, np.array([[legal, legal]]), []):
        with pytest.raises((TypeError, ValueError), match="actions must"):
            step(actions)
    for wrong in OTHER_INTEGERS[:2]:
        with pytest.raises(IllegalActionError, match="game 1"):
            step([legal, wrong])
    assert batch.states.tobytes() == before
    step(batch.action_mask.argmax(axis=1).astype(np.uint8))
    assert batch.states.tobytes() != before


def test_actions_of_other_programs():
    """Words are an action's text in the protocol, and all that there is in words."""
    legal, play, position = through_protocol()
    before = position()
    for wrong in (None, True, 1.5, [0], {}, "nonsense", *OTHER_INTEGERS):
        with pytest.raises(RpcError):
            play(wrong)
        assert position() == before
    play(legal)
    assert position() != before
    game = TextGame(NAME)
    game.reset(seed=1)
    for wrong in (None, 0, b"0", ["0"], {}):
        with pytest.raises(TypeError):
            game.answer(wrong)
    assert game.made == [0] * game.num_seats


# ---------------------------------------------------------------- the end after an illegal action


@every_game
@pytest.mark.parametrize("mask", ["observation", "info", "both"])
def test_the_end_after_an_illegal_action(name, mask):
    """The same in both APIs, and of the same form as every other end: all are terminated, with
    results, and nobody has a legal action."""
    usual = dig_envs.make(name).unwrapped
    usual.reset(seed=1)
    action = play_to_an_illegal_action(usual)
    before, loser = usual.snapshot(), usual.agent_selection
    aec = dig_envs.make(name, mask=mask)
    parallel = dig_envs.make_parallel(name, mask=mask, illegal="terminate")
    for env in (aec, parallel):
        env.unwrapped.restore(before)
    legal = {a: int(parallel.look(a)["action_mask"].argmax()) for a in parallel.agents_to_act()}
    observations, *outcome = parallel.step({**legal, loser: action})
    aec.step(action)
    assert outcome[:3] == [aec.rewards, aec.terminations, aec.truncations]
    assert aec.rewards == {agent: -1.0 * (agent == loser) for agent in aec.possible_agents}
    assert set(aec.terminations.values()) == {True}
    assert set(aec.truncations.values()) == {False}
    for agent in aec.possible_agents:
        told = {"won": 0.0, "scores": before["scores"], "turn_limit": False}
        if agent == loser:
            told["illegal_action"] = repr(usual.action_names[action])
        ends = ((aec.infos[agent], aec.observe(agent)), (outcome[3][agent], observations[agent]))
        for info, seen in ends:
            assert ("action_mask" in info, isinstance(seen, dict)) == (
                mask != "observation",
                mask != "info",
            )
            masks = [part["action_mask"] for part in (info, seen) if "action_mask" in part]
            assert not any(one.any() for one in masks)
            assert {key: value for key, value in info.items() if key != "action_mask"} == told
    assert not aec.unwrapped.is_legal(legal[loser])
    assert parallel.agents == parallel.agents_to_act() == []
    for env in (aec.unwrapped, copy.deepcopy(aec.unwrapped), parallel, copy.deepcopy(parallel)):
        assert env.snapshot() == before
        assert not any(env.look(agent)["action_mask"].any() for agent in env.possible_agents)


@every_game
def test_a_missing_action_may_end_a_parallel_game(name):
    env = dig_envs.make_parallel(name, illegal="terminate")
    env.reset(seed=3)
    late = env.agents_to_act()
    _, rewards, _, _, infos = env.step({})
    assert rewards == {agent: -1.0 * (agent in late) for agent in env.possible_agents}
    assert {a for a in infos if "illegal_action" in infos[a]} == set(late)
    assert env.step({}) == ({}, {}, {}, {}, {})
    env.reset(seed=3)
    assert env.agents_to_act() == late


# ---------------------------------------------------------------- options of a reset


@pytest.mark.parametrize("kind", ["AEC", "parallel", "Gymnasium", "vector", "Stable-Baselines3"])
def test_a_reset_changes_no_options_of_the_game(kind):
    """What else libraries pass there is not used."""
    env = (ENVIRONMENTS | OF_TWO_GAMES)[kind][0]()

    def reset(options):
        if kind == "Stable-Baselines3":
            env.set_options(options)
            env.reset()
        else:
            env.reset(seed=2, options=options)

    reset(None)
    before = positions_of(env).tobytes()
    for wrong in ({"num_players": 4}, {"num_players": 2}, {"max_turns": 5, "other": 1}):
        with pytest.raises(ValueError, match=r"reset cannot change (num_players|max_turns)"):
            reset(wrong)
    for wrong in (4, "num_players", ["num_players"], True):
        with pytest.raises(TypeError, match="options of reset must be a mapping"):
            reset(wrong)
    assert positions_of(env).tobytes() == before
    for given in ({"something": 1}, {}, None):
        reset(given)
