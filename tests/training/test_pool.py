"""The pool of opponents and the gate of a run of self-play."""

import json

import numpy as np
import pytest

from dig_envs import BatchEnv, load_agent
from dig_envs.adapters import learner
from dig_envs.agents.matches import Results
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.engine.errors import OptionError
from dig_envs.registry import load_game
from training.games import TrainingGames
from training.network import Network
from training.pool import CompiledRandom, GateResult, Measurement, Pool, share_won, strength
from training.settings import Settings
from training.shaping import lead

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
ALL = {"heuristic": 2.0, "random": 1.0, "best": 3.0, "snapshots": 4.0}


def random_network(seed=0):
    rng = np.random.default_rng(seed)
    shapes = {"layer0": (8, GAME.observation_size), "policy": (len(GAME.actions), 8), "value": (1, 8)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    return Network(weights, None)


def make_pool(folder, **changes):
    return Pool(GAME, Settings.read({"opponents": ALL, "games": [{"num_players": 3}], **changes}, "test"), folder)


# ---------------------------------------------------------------- members


def test_empty_groups_leave_their_weight_to_the_others(tmp_path):
    """At first only agents by name can be drawn; nothing is loaded from disk."""
    drawn = make_pool(tmp_path).opponents(0)
    assert [agent.name for agent in drawn.agents] == ["heuristic", "random"]
    assert list(drawn.weights) == [2.0, 1.0]
    assert not (tmp_path / "pool").exists()


def test_snapshots_join_and_the_oldest_leave(tmp_path):
    pool = make_pool(tmp_path, pool_size=2)
    names = [pool.write(random_network(k), k) for k in range(3)]
    for name in names:
        pool.add(name)
    assert pool.snapshots == names[1:]
    pool.promote(names[0])
    assert (pool.best, pool.promotions) == (names[0], 1)
    assert all((pool.path(name) / "policy.onnx").exists() for name in names)
    assert not list(tmp_path.rglob("*.zip")), "opponents are ONNX, nothing is pickled"


def test_weights_are_shared_among_the_snapshots_drawn(tmp_path):
    """``active_snapshots`` different ones share the group's weight, the same ones for the same seed, others for another."""
    pool = make_pool(tmp_path, active_snapshots=2)
    for k in range(6):
        pool.add(pool.write(random_network(k), k))
    pool.promote(pool.snapshots[0])
    drawn = pool.opponents(5)
    assert list(drawn.weights) == [2.0, 1.0, 3.0, 2.0, 2.0]
    assert all(agent.sample for agent in drawn.agents[2:])
    chosen = [agent.name for agent in drawn.agents[3:]]
    assert len(set(chosen)) == 2
    assert [agent.name for agent in pool.opponents(5).agents[3:]] == chosen
    assert len({tuple(agent.name for agent in pool.opponents(seed).agents[3:]) for seed in range(20)}) > 3


def test_state_is_restored(tmp_path):
    """What a checkpoint keeps is JSON, and brings back the same opponents."""
    pool = make_pool(tmp_path)
    for k in range(3):
        pool.add(pool.write(random_network(k), k))
    pool.promote(pool.snapshots[1])
    again = make_pool(tmp_path)
    again.restore(json.loads(json.dumps(pool.state())))
    assert again.state() == pool.state()
    batch = BatchEnv(NAME, 16, num_players=3)
    for ours, theirs in zip(pool.opponents(3).agents, again.opponents(3).agents, strict=True):
        choices = [agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover) for agent in (ours, theirs)]
        np.testing.assert_array_equal(*choices)


def test_a_missing_snapshot_is_named(tmp_path):
    pool = make_pool(tmp_path)
    with pytest.raises(FileNotFoundError, match="lacks snapshot-000000000007"):
        pool.restore({"snapshots": ["snapshot-000000000007"], "best": None, "promotions": 0})


def test_only_what_no_checkpoint_needs_is_forgotten(tmp_path):
    """The best stays also when it has left the snapshots."""
    pool = make_pool(tmp_path)
    names = [pool.write(random_network(k), k) for k in range(4)]
    states = [{"snapshots": names[2:3], "best": names[0]}, {"snapshots": [], "best": names[2]}]
    pool.forget_others(states)
    assert sorted(path.name for path in (tmp_path / "pool").iterdir()) == [names[0], names[2]]


def test_compiled_random_plays_every_legal_action():
    """Legal actions only, all of them about equally often, and the same ones for the same seed."""
    batch = BatchEnv(NAME, 1, seed=2)
    masks = np.repeat(batch.action_mask, 4000, axis=0)
    chosen = CompiledRandom(GAME, 7).act_batch(masks, masks)
    legal = np.flatnonzero(batch.action_mask[0])
    counts = np.bincount(chosen, minlength=masks.shape[1])
    assert set(np.flatnonzero(counts)) == set(legal)
    assert np.abs(counts[legal] - 4000 / len(legal)).max() < 5 * np.sqrt(4000 / len(legal))
    np.testing.assert_array_equal(chosen, CompiledRandom(GAME, 7).act_batch(masks, masks))
    assert (chosen != CompiledRandom(GAME, 8).act_batch(masks, masks)).any()


# ---------------------------------------------------------------- the gate


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_strength_does_not_depend_on_the_number_of_players(players):
    """An equal player has 0.5; who always wins 1, who never does 0; three times as likely as each other 0.75."""
    assert strength(1 / players, players) == pytest.approx(0.5)
    assert strength(1.0, players) == 1.0
    assert strength(0.0, players) == 0.0
    assert strength(3 / (3 + players - 1), players) == pytest.approx(0.75)


def test_shared_wins_are_divided():
    """So that two equal players have half of the games each, however often they tie."""
    winners = np.array([[True, True, False], [True, False, False], [False, True, False], [True, True, True], [False, False, False]])
    agents = np.array([[0, 1, 1]] * 5)
    nothing = np.zeros(5)
    results = Results(("a", "b"), agents, winners, nothing, nothing, nothing, nothing)
    assert share_won(results, 0) == pytest.approx((1 / 2 + 1 + 0 + 1 / 3 + 0) / 5)
    results = Results(("a", "b"), agents[:, ::-1], winners, nothing, nothing, nothing, nothing)
    assert share_won(results, 0) == pytest.approx((1 / 3) / 5)


def test_gate_measures_every_group_and_game(tmp_path):
    """The scripted player among random ones passes, a random one among scripted ones does not."""
    games = [{"num_players": 2}, {"num_players": 3}, {"num_players": 3}]
    easy = make_pool(tmp_path, opponents={"random": 1.0}, gate_games=12, games=games, num_envs=3)
    result = easy.gate(load_agent("heuristic", NAME), 0)
    assert set(result.groups) == {"random"}
    assert result.games == 24, "a game that has two shares is judged once"
    assert result.strengths()["random"] > 0.9
    assert result.passed
    hard = make_pool(tmp_path, opponents={"heuristic": 1.0}, gate_games=12)
    result = hard.gate(CompiledRandom(GAME, 0), 0)
    assert result.strengths()["heuristic"] < 0.2
    assert not result.passed


def test_gate_is_passed_only_against_every_group():
    good, bad, equal = (Measurement(value + 0.1, value, value, 0.0) for value in (0.6, 0.4, 0.5))
    assert GateResult({"a": good, "b": good}, 10, 0.5).passed
    assert not GateResult({"a": good, "b": bad}, 10, 0.5).passed
    assert not GateResult({"a": good, "b": equal}, 10, 0.5).passed, "it is the lower end that must exceed it"
    assert GateResult({"a": good, "b": equal}, 10, 0.45).passed


def test_gate_always_asks_for_the_best(tmp_path):
    """Also where the settings give it no weight; the snapshots are those that are not the best; all play their likeliest action."""
    pool = make_pool(tmp_path, opponents={"random": 1.0, "snapshots": 1.0})
    assert set(pool.groups(0)) == {"random"}
    for k in range(3):
        pool.add(pool.write(random_network(k), k))
    pool.promote(pool.snapshots[0])
    groups = pool.groups(0)
    assert list(groups) == ["random", "snapshots", "best"]
    assert {agent.name for agent in groups["snapshots"]} == {f"pool/{name}" for name in pool.snapshots[1:]}
    assert [agent.name for agent in groups["best"]] == [f"pool/{pool.best}"]
    policies = [agent for agents in groups.values() for agent in agents if isinstance(agent, OnnxAgent)]
    assert len(policies) == 3
    assert not any(agent.sample for agent in policies)


# ---------------------------------------------------------------- drawing opponents


def test_drawn_by_weight():
    """Seat by seat with ``mixed`` 1, one for all seats with 0; weight 0 is never drawn."""
    rng = np.random.default_rng(0)
    agents = [load_agent("random", seed=k) for k in range(3)]
    mixed = np.array([learner.WeightedOpponents(agents, [1.0, 3.0, 0.0], 1.0).draw(4, rng) for _ in range(2000)])
    assert mixed.shape == (2000, 4)
    shares = np.bincount(mixed.ravel(), minlength=3) / mixed.size
    assert shares[0] == pytest.approx(0.25, abs=0.03)
    assert shares[2] == 0
    assert len({tuple(row) for row in mixed}) == 16
    alike = np.array([learner.WeightedOpponents(agents, [1.0, 3.0, 0.0], 0.0).draw(4, rng) for _ in range(2000)])
    assert (alike == alike[:, :1]).all()
    assert (alike[:, 0] == 0).mean() == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize(("agents", "weights"), [([], []), (["x"], [1.0, 2.0]), (["x"], [0.0]), (["x", "y"], [2.0, -1.0])])
def test_impossible_weights(agents, weights):
    with pytest.raises(OptionError, match="opponents"):
        learner.WeightedOpponents(agents, weights)


# ---------------------------------------------------------------- the games that are learned


class Recorder:
    """A random player that notes how many decisions it is asked for at once."""

    def __init__(self, seed):
        self.name = f"recorder{seed}"
        self.random = CompiledRandom(GAME, seed)
        self.asked = []

    def act_batch(self, observation, action_mask, states=None, seats=None):
        self.asked.append(len(observation))
        return self.random.act_batch(observation, action_mask)


def play(env, steps, rng):
    """Random actions of the learner; yields each step."""
    for _ in range(steps):
        masks = env.action_mask
        yield env.step(np.where(masks, rng.random(masks.shape), -1).argmax(axis=1))


def test_one_call_per_opponent_and_step():
    """Each opponent decides once in a step of the batch, for all games together in which one of its seats is to move."""
    games = [{"num_players": n} for n in (2, 3, 4, 6)]
    opponents = [Recorder(k) for k in range(3)]
    env = TrainingGames(NAME, Settings.of(num_envs=24, games=games), 0, learner.WeightedOpponents(opponents, [1.0, 1.0, 1.0]))
    env.reset()
    step, inner = env.batch.step, []

    def counted(actions, games=None):
        if games is not None:
            calls = [list(one.asked) for one in opponents]
            assert all(len(asked) <= 1 for asked in calls)
            assert sum(sum(asked) for asked in calls) == games.sum()
            inner.append(int(games.sum()))
        for one in opponents:
            one.asked.clear()
        return step(actions, games)

    env.batch.step = counted
    for one in opponents:
        one.asked.clear()
    for _ in play(env, 60, np.random.default_rng(0)):
        pass
    assert len(inner) > 60
    assert max(inner) > 6, "games with different numbers of players are played together"
    env.close()


def test_seats_are_drawn_anew_every_episode():
    """Every seat of every number of players is the learner's about as often."""
    games = [{"num_players": n} for n in (2, 5)]
    env = TrainingGames(NAME, Settings.of(num_envs=16, games=games), 0, "heuristic")
    env.reset()
    seats = {2: [], 5: []}
    for step in play(env, 1500, np.random.default_rng(0)):
        for i, ended in step.ended.items():
            seats[2 if i < 8 else 5].append(ended.seat)
    for players, drawn in seats.items():
        counts = np.bincount(drawn, minlength=players)
        assert len(counts) == players
        assert counts.min() > 0.5 * len(drawn) / players, counts
    env.close()


def test_the_reward_is_the_learners_own():
    """What an episode pays is the return of the learner's seat, not of who ended the game; shaping adds up to nothing."""
    games = [{"num_players": n} for n in (2, 4)]
    settings = Settings.of(num_envs=8, games=games, win_weight=2.0)
    shaped = Settings.of(num_envs=8, games=games, win_weight=2.0, shaping_weight=0.01, gamma=1.0)
    rewards = {}
    for kind, used in (("plain", settings), ("shaped", shaped)):
        env = TrainingGames(NAME, used, 3, "random")
        env.reset()
        # what was lead before the learner's first decision is taken back at the end
        total, rewards[kind] = used.shaping_weight * lead(env.batch.states, env.learner_seats), []
        for step in play(env, 400, np.random.default_rng(0)):
            total += step.reward
            for i, ended in step.ended.items():
                own = env.batch.final_returns[i, ended.seat]
                assert total[i] == pytest.approx(2.0 * own, abs=1e-4)
                assert (own > 0) == ended.won
                rewards[kind].append(round(float(total[i]), 3))
                total[i] = used.shaping_weight * lead(env.batch.states, env.learner_seats)[i]
        env.close()
    assert rewards["plain"] == rewards["shaped"]
    assert len(set(rewards["plain"])) >= 3, "wins and losses with two and with four players"


def test_opponents_change_between_legs():
    """After ``set_opponents`` and ``reset`` the new ones play, and the old ones do not."""
    old, new = Recorder(0), Recorder(1)
    env = TrainingGames(NAME, Settings.of(num_envs=4), 0, learner.WeightedOpponents([load_agent("random"), old], [0.0, 1.0]))
    env.reset()
    env.set_opponents(learner.WeightedOpponents([new], [1.0]))
    env.reset(5)
    old.asked.clear()
    for _ in play(env, 40, np.random.default_rng(0)):
        pass
    assert new.asked
    assert not old.asked
    env.close()
