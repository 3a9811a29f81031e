"""The pool of opponents, the gate, and the games of a run of self-play."""

import json

import numpy as np
import pytest

from dig_envs import BatchEnv, load_agent
from dig_envs.adapters import learner
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.engine.core.errors import OptionError
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from training.games import TrainingGames
from training.pool import GateResult, Measurement, Pool, strength
from training.settings import Settings
from training.shaping import lead

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
ALL = {"heuristic": 2.0, "random": 1.0, "best": 3.0, "snapshots": 4.0}


def make_pool(folder, snapshots=0, **changes):
    """A pool with so many snapshots."""
    pool = Pool(
        GAME, Settings.of(**{"opponents": ALL, "games": [{"num_players": 3}], **changes}), folder
    )
    for k in range(snapshots):
        pool.add(pool.write(random_network(GAME, k), k))
    return pool


# ---------------------------------------------------------------- members


def test_snapshots_join_and_the_oldest_leave(tmp_path):
    """The files of those that no checkpoint needs go; the best stays, also when it has left the
    snapshots."""
    pool = make_pool(tmp_path, 4, pool_size=2)
    names = [f"snapshot-{k:012d}" for k in range(4)]
    assert pool.snapshots == names[2:]
    pool.promote(names[0])
    assert (pool.best, pool.promotions) == (names[0], 1)
    assert all((pool.path(name) / "policy.onnx").exists() for name in names)
    pool.forget_others(
        [{"snapshots": names[2:3], "best": names[0]}, {"snapshots": [], "best": names[2]}]
    )
    assert sorted(path.name for path in (tmp_path / "pool").iterdir()) == [names[0], names[2]]


def test_weights_are_shared_among_the_snapshots_drawn(tmp_path):
    """``active_snapshots`` different ones share the group's weight, the same ones for the same
    seed, others for another."""
    pool = make_pool(tmp_path, 6, active_snapshots=2)
    pool.promote(pool.snapshots[0])
    drawn = pool.opponents(5)
    assert list(drawn.weights) == [2.0, 1.0, 3.0, 2.0, 2.0]
    assert all(agent.sample for agent in drawn.agents[2:])
    chosen = [agent.name for agent in drawn.agents[3:]]
    assert len(set(chosen)) == 2
    assert [agent.name for agent in pool.opponents(5).agents[3:]] == chosen
    assert (
        len({tuple(agent.name for agent in pool.opponents(seed).agents[3:]) for seed in range(20)})
        > 3
    )


def test_state_is_restored(tmp_path):
    """The state in a checkpoint is JSON, and brings back the same opponents."""
    pool = make_pool(tmp_path, 3)
    pool.promote(pool.snapshots[1])
    again = make_pool(tmp_path)
    again.restore(json.loads(json.dumps(pool.state())))
    assert again.state() == pool.state()
    batch = BatchEnv(NAME, 16, num_players=3)
    for ours, theirs in zip(pool.opponents(3).agents, again.opponents(3).agents, strict=True):
        choices = [
            agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover)
            for agent in (ours, theirs)
        ]
        np.testing.assert_array_equal(*choices)


# ---------------------------------------------------------------- the gate


@pytest.mark.parametrize("players", [2, 3, 6])
def test_strength_does_not_depend_on_the_number_of_players(players):
    """An equal player has 0.5, one that always wins 1, one that never does 0; three times as likely
    as each other 0.75."""
    shares = {1 / players: 0.5, 1.0: 1.0, 0.0: 0.0, 3 / (3 + players - 1): 0.75}
    assert [strength(share, players) for share in shares] == pytest.approx(list(shares.values()))


def test_gate_measures_every_group_and_game(tmp_path):
    """The scripted player among random ones passes, a random one among scripted ones does not."""
    games = [{"num_players": 2}, {"num_players": 3}, {"num_players": 3}]
    result = make_pool(
        tmp_path, opponents={"random": 1.0}, gate_games=12, games=games, num_envs=3
    ).gate(load_agent("heuristic", NAME), 0)
    assert set(result.groups) == {"random"}
    assert result.games == 24, "a game that has two shares is judged once"
    assert result.groups["random"].strength > 0.9
    assert result.passed
    result = make_pool(tmp_path, opponents={"heuristic": 1.0}, gate_games=12).gate(
        load_agent("random", NAME, 0), 0
    )
    assert result.groups["heuristic"].strength < 0.2
    assert not result.passed


def test_gate_is_passed_only_against_every_group():
    good, bad, equal = (Measurement(value + 0.1, value, value, 0.0) for value in (0.6, 0.4, 0.5))
    assert GateResult({"a": good, "b": good}, 10, 0.5).passed
    assert not GateResult({"a": good, "b": bad}, 10, 0.5).passed
    assert not GateResult({"a": good, "b": equal}, 10, 0.5).passed, (
        "it is the lower end that must exceed it"
    )
    assert GateResult({"a": good, "b": equal}, 10, 0.45).passed
    assert GateResult({"a": Measurement(0.0, 0.0, 0.0, 0.0)}, 10, 0.0).passed, "0 is no gate"


def test_gate_always_asks_for_the_best(tmp_path):
    """The gate always includes the best policy, even without weight in the settings; all policies
    play their likeliest action."""
    opponents = {"random": 1.0, "snapshots": 1.0}
    assert set(make_pool(tmp_path, opponents=opponents).groups(0)) == {"random"}
    pool = make_pool(tmp_path, 3, opponents=opponents)
    pool.promote(pool.snapshots[0])
    groups = pool.groups(0)
    assert list(groups) == ["random", "snapshots", "best"]
    assert {agent.name for agent in groups["snapshots"]} == {
        f"pool/{name}" for name in pool.snapshots[1:]
    }
    assert [agent.name for agent in groups["best"]] == [f"pool/{pool.best}"]
    policies = [
        agent for agents in groups.values() for agent in agents if isinstance(agent, OnnxAgent)
    ]
    assert len(policies) == 3
    assert not any(agent.sample for agent in policies)


# ---------------------------------------------------------------- drawing opponents


@pytest.mark.parametrize(
    ("weights", "mixed", "words"),
    [
        ([np.nan, 1.0], 1.0, "the weights of opponents must be finite"),
        ([np.inf, 1.0], 1.0, "the weights of opponents must be finite"),
        ([1.0, 1.0], np.nan, "mixed must be from 0 to 1, not nan"),
        ([1.0, 1.0], 1.5, "mixed must be from 0 to 1, not 1.5"),
    ],
)
def test_weights_and_shares_that_are_none_are_refused(weights, mixed, words):
    with pytest.raises(OptionError, match=words):
        learner.WeightedOpponents([load_agent("random", seed=0)] * 2, weights, mixed)


def test_drawn_by_weight():
    """Seat by seat with ``mixed`` 1, one for all seats with 0; weight 0 is never drawn."""
    rng = np.random.default_rng(0)
    agents = [load_agent("random", seed=k) for k in range(3)]
    mixed, alike = (
        np.array(
            [
                learner.WeightedOpponents(agents, [1.0, 3.0, 0.0], share).draw(4, rng)
                for _ in range(2000)
            ]
        )
        for share in (1.0, 0.0)
    )
    assert mixed.shape == (2000, 4)
    shares = np.bincount(mixed.ravel(), minlength=3) / mixed.size
    assert shares[0] == pytest.approx(0.25, abs=0.03)
    assert shares[2] == 0
    assert len({tuple(row) for row in mixed}) == 16
    assert (alike == alike[:, :1]).all()
    assert (alike[:, 0] == 0).mean() == pytest.approx(0.25, abs=0.05)


# ---------------------------------------------------------------- the games that are learned


class Recorder:
    """A random player that notes how often it is asked."""

    name, asked = "recorder", 0

    def act_batch(self, observation, action_mask, states=None, seats=None):
        self.asked += 1
        return action_mask.argmax(axis=1)


def play(env, steps):
    """Random actions of the learner; yields each step."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        masks = env.action_mask
        yield env.step(np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))


def test_shaping_adds_up_to_nothing():
    """An episode pays the return of the learner's seat, whoever ended the game, with and without
    shaping."""
    rewards = {}
    for weight in (0.0, 0.01):
        games = [{"num_players": n, "max_turns": 20} for n in (2, 4)]
        settings = Settings.of(
            num_envs=8, games=games, win_weight=2.0, shaping_weight=weight, gamma=1.0
        )
        env = TrainingGames(NAME, settings, 3, "random")
        env.reset()
        total, rewards[weight] = weight * lead(env.batch.states, env.learner_seats), []
        for step in play(env, 120):
            total += step.reward
            for i, ended in step.ended.items():
                assert total[i] == pytest.approx(
                    2.0 * env.batch.final_returns[i, ended.seat], abs=1e-4
                )
                rewards[weight].append(round(float(total[i]), 3))
                # what was lead before is taken back at the end
                total[i] = weight * lead(env.batch.states, env.learner_seats)[i]
        env.close()
    assert rewards[0.0] == rewards[0.01]
    assert len(set(rewards[0.0])) >= 3, "wins and losses with two and with four players"


def test_games_that_are_not_played_are_paid_no_shaping():
    """Nor are they begun anew when others are dealt."""
    settings = Settings.of(
        num_envs=8, games=[{"num_players": 2}], shaping_weight=1.0, win_weight=0.0, gamma=0.5
    )
    env = TrainingGames(NAME, settings, 3, "random")
    env.reset()
    list(play(env, 10))
    some = np.arange(8) % 2 == 0
    before = lead(env.batch.states, env.learner_seats)
    assert before[~some].any()
    step = env.step(env.action_mask.argmax(axis=1), some)
    assert step.reward[some].any()
    assert not step.reward[~some].any()
    env.reset(games=some)
    dealt = lead(env.batch.states, env.learner_seats)
    assert np.array_equal(dealt[~some], before[~some])
    step = env.step(env.action_mask.argmax(axis=1))
    after = np.where(step.done, 0.0, lead(env.batch.states, env.learner_seats))
    assert step.reward == pytest.approx(0.5 * after - dealt)
    env.close()


def test_opponents_change_between_legs():
    """After ``set_opponents`` and ``reset`` the new ones play, and the old ones do not."""
    old, new = Recorder(), Recorder()
    env = TrainingGames(NAME, Settings.of(num_envs=4), 0, learner.WeightedOpponents([old], [1.0]))
    env.reset()
    before = old.asked
    env.set_opponents(learner.WeightedOpponents([new], [1.0]))
    env.reset(5)
    assert len(list(play(env, 40))) == 40
    assert before == old.asked > 0
    assert new.asked
    env.close()
