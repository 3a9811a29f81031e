"""The thin layer of protections behaves as PettingZoo's three wrappers do."""

import copy

import numpy as np
import pytest
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.position import ILLEGAL_REWARD
from dig_envs.adapters.wrappers import protect
from dig_envs.registry import load_game
from tests.games import every_game, play_to_an_illegal_action

NAME = "bone_bids_v0"  # where no game can make a difference


def originals(env):
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=ILLEGAL_REWARD)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)


def outcome(call):
    """Return the outcome of a call: its value or its error, and what it makes PettingZoo log."""
    EnvLogger.flush()
    try:
        value = call()
    except Exception as error:
        return type(error).__name__, str(error), list(EnvLogger.mqueue)
    return "value", value, list(EnvLogger.mqueue)


def plain(value):
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(one) for one in value)
    return value.tolist() if isinstance(value, np.ndarray) else value


def observable(env):
    """Everything that a user can see of an environment after reset."""
    names = (
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "_cumulative_rewards",
        "num_agents",
    )
    seen = {name: copy.deepcopy(getattr(env, name)) for name in names}
    last = outcome(env.last) if env.agents else None
    return (
        seen,
        plain(last),
        [plain(outcome(lambda a=agent: env.observe(a))) for agent in env.possible_agents],
    )


def pair(name, options):
    return originals(RawAEC(name, **options)), protect(RawAEC(name, **options))


@pytest.mark.parametrize(
    "access",
    [
        *(
            lambda e, n=n: getattr(e, n)
            for n in (
                "rewards",
                "terminations",
                "truncations",
                "infos",
                "agents",
                "agent_selection",
            )
        ),
        lambda e: e.num_agents,
        lambda e: e.step(0),
        lambda e: e.last(),
        lambda e: e.observe("player_0"),
        lambda e: e.render(),
        lambda e: e.state(),
        lambda e: e.agent_iter(),
        lambda e: e._private,
        lambda e: str(e.unwrapped),
        lambda e: e.possible_agents,
        lambda e: e.action_names,
        lambda e: e.metadata,
        lambda e: e.max_num_agents,
    ],
)
def test_before_reset(access):
    theirs, ours = pair(NAME, {})
    assert plain(outcome(lambda: access(ours))) == plain(outcome(lambda: access(theirs)))


@every_game
@pytest.mark.parametrize("ending", ["legal", "out of range"])
def test_whole_games(name, ending):
    theirs, ours = pair(name, {"num_players": load_game(name).max_players})
    for seed in range(1 if ending != "legal" else 2):
        theirs.reset(seed=seed)
        ours.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for count in range(10_000):
            assert observable(ours) == observable(theirs)
            if not ours.agents:
                break
            action = None
            if not (
                ours.terminations[ours.agent_selection] or ours.truncations[ours.agent_selection]
            ):
                mask = ours.observe(ours.agent_selection)["action_mask"]
                action = rng.choice(np.flatnonzero(mask))
                if count == 5 + seed and ending != "legal":
                    action = len(mask)
            assert outcome(lambda a=action: ours.step(a)) == outcome(
                lambda a=action: theirs.step(a)
            )
            if ending != "legal" and count == 5 + seed:
                break  # both have refused it
        assert outcome(lambda: ours.step(0)) == outcome(lambda: theirs.step(0)), "after the end"


@every_game
def test_an_illegal_action_ends_the_episode(name):
    """Rewards and warning are those of PettingZoo's wrapper."""
    theirs, ours = pair(name, {})
    for env in (theirs, ours):
        env.reset(seed=1)
        illegal = play_to_an_illegal_action(env)
    ours = protect(RawAEC(name))
    ours.restore(theirs.unwrapped.snapshot())
    loser = ours.agent_selection
    assert outcome(lambda: ours.step(illegal)) == outcome(lambda: theirs.step(illegal))
    assert ours.rewards == theirs.rewards
    assert outcome(lambda: ours.step(0)) == outcome(lambda: theirs.step(0)), (
        "dead agents take None only"
    )
    while ours.agents:
        assert ours.last(observe=False)[1] == ILLEGAL_REWARD * (ours.agent_selection == loser)
        ours.step(None)
    ours.reset(seed=1)
    assert ours.last()[0]["action_mask"].any()


def test_iterating_without_stepping_is_an_error():
    theirs, ours = pair(NAME, {})
    results = []
    for env in (theirs, ours):
        env.reset(seed=1)
        iterator = iter(env.agent_iter())
        next(iterator)
        results.append(outcome(lambda it=iterator: next(it)))
    assert results[0] == results[1]
    assert results[0][0] == "AssertionError"


def test_agent_iter_stops_after_max_iter():
    for env in pair(NAME, {}):
        env.reset(seed=1)
        count = 0
        for agent in env.agent_iter(max_iter=3):
            env.step(int(np.flatnonzero(env.observe(agent)["action_mask"])[0]))
            count += 1
        assert count == 3
