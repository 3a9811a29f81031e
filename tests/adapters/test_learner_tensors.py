"""Games of one learner as tensors: they are those of a LearnerBatch, and what is wrong is
refused."""

from collections import Counter

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from dig_envs.adapters.learner import WeightedOpponents
from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.adapters.learner_tensors import LearnerTensors
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.random import RandomAgent
from dig_envs.batch.common import new_learner
from dig_envs.engine.compiler.learner_data import STUCK
from dig_envs.engine.core.errors import IllegalActionError, OptionError
from dig_envs.registry import load_game
from tests.games import SHIPPED

torch = pytest.importorskip("torch")

NAME = "go_dig_v0"  # a seat may take several decisions in a row
GAMES = [pytest.param(name, marks=() if name == NAME else pytest.mark.slow) for name in SHIPPED]


class Player(HeuristicAgent):
    """It plays the last legal action, or in every third decision of its seat the first one, by
    tensors and by arrays."""

    memory_size = 1
    needs_positions = False

    def choose(self, decisions):
        raise AssertionError("it is asked with its memory")

    def act_batch(self, observation, action_mask, states, seats, memory):
        chosen = self.act_tensors(None, torch.from_numpy(action_mask), torch.from_numpy(memory))
        return chosen.numpy()

    def act_tensors(self, observation, action_mask, memory):
        memory += 1
        size = action_mask.shape[1]
        last = size - 1 - action_mask.flip(1).argmax(1)
        return torch.where(memory[:, 0] % 3 == 0, action_mask.argmax(1), last)


class Stubborn(Player):
    memory_size = 0

    def act_tensors(self, observation, action_mask, memory):
        return torch.full((len(action_mask),), action_mask.shape[1])


def chosen(mask, rng):
    return np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)


def trace(games):
    """Play until every opponent has been asked."""
    games.reset()
    for _ in range(9):
        games.step(games.action_mask.argmax(1))


def check_same(name, opponents, steps, **options):
    """A LearnerBatch and its tensors go the same way; returns how many episodes ended."""
    expected = LearnerBatch(name, 6, opponents=opponents, seed=4, **options)
    games, ended = LearnerTensors(LearnerBatch(name, 6, opponents=opponents, seed=4, **options)), 0
    expected.reset()
    games.reset()
    rng = np.random.default_rng(2)
    for _ in range(steps):
        assert games.observation.numpy().tobytes() == expected.observation.tobytes()
        assert games.action_mask.numpy().tobytes() == expected.action_mask.tobytes()
        assert games.batch.states.tobytes() == expected.batch.states.tobytes()
        assert games.learner_seats.tolist() == expected.learner_seats.tolist()
        actions = chosen(expected.action_mask, rng)
        seen, wanted = games.step(actions), expected.step(actions)
        assert seen.reward.numpy().tobytes() == wanted.reward.tobytes()
        assert seen.done.tolist() == wanted.done.tolist()
        for i, one in wanted.ended.items():
            ended += 1
            assert seen.won[i] == pytest.approx(one.won)
            assert seen.outcome[i] == pytest.approx(one.outcome)
            assert (seen.score[i], seen.seat[i]) == (one.scores[one.seat], one.seat)
            assert seen.decisions[i] == one.decisions
    return ended


@pytest.mark.parametrize("name", GAMES)
def test_the_games_are_those_of_a_learner_batch(name):
    """Against the scripted player, the random one and one that is asked, through ends."""
    game = load_game(name)
    counts = [game.player_counts[i % len(game.player_counts)] for i in range(6)]
    seats = {"learner": [i % n for i, n in enumerate(counts)], "num_players": counts}
    steps = 60 if name == NAME else 200
    assert check_same(name, "heuristic", steps, reward="score", **seats)
    assert check_same(name, "random", steps, **seats)
    check_same(name, Player(game), steps, **seats)
    if game.cooperative:
        assert check_same(name, "heuristic", steps, learner="all")


def test_seats_and_opponents_are_drawn_by_weight_for_each_episode():
    game = load_game(NAME)
    agents = [Player(game), HeuristicAgent(game), RandomAgent(0, game)]
    opponents = WeightedOpponents(agents, [2, 1, 0], 0.5)
    games = LearnerTensors(LearnerBatch(NAME, 600, opponents=opponents, num_players=4))
    games.reset()
    seats, players = games.learner_seats.numpy(), games.players.numpy()
    assert min(Counter(seats.tolist()).values()) > 100
    assert set(seats.tolist()) == {0, 1, 2, 3}
    assert (players[np.arange(600), seats] == 0).all()
    others = players[players > 0].reshape(600, 3)
    assert 0.6 < (others == 1).mean() < 0.73
    assert (others == 3).sum() == 0
    # half of the episodes have one opponent for all seats, of the others 1/3
    assert 0.6 < (others == others[:, :1]).all(axis=1).mean() < 0.74
    games.reset(seed=9)
    assert (games.learner_seats.numpy() != seats).any()
    again = LearnerTensors(LearnerBatch(NAME, 600, opponents=opponents, num_players=4, seed=9))
    again.reset()
    assert again.players.tolist() == games.players.tolist()


def test_an_illegal_action_is_refused_at_once_or_later():
    games = LearnerTensors(LearnerBatch(NAME, 4, 0, seed=1))
    games.reset()
    actions = games.action_mask.argmax(1)
    for wrong in (-1, games.action_mask.shape[1], int((games.action_mask[2] == 0).nonzero()[0])):
        bad, before = actions.clone(), games.batch.states.tobytes()
        bad[2] = wrong
        with pytest.raises(IllegalActionError, match="for seat 0 in game 2"):
            games.step(bad)
        assert games.batch.states.tobytes() == before
    last, lengths = games.batch.states[2].tobytes(), games.observation[2].clone()
    step = games.step(bad, check=False)
    assert (games.batch.states[2].tobytes(), step.reward[2], step.done[2]) == (last, 0, False)
    assert torch.equal(games.observation[2], lengths)
    assert games.batch.states.tobytes() != before
    games.step(games.action_mask.argmax(1), check=False)
    with pytest.raises(IllegalActionError, match="for seat 0 in game 2"):
        games.step(games.action_mask.argmax(1))
    games.check()  # told once


def test_to_write_to_what_is_shown_changes_no_game():
    games = LearnerTensors(LearnerBatch(NAME, 4, 0))
    games.reset()
    illegal = games.action_mask.argmin(1)
    games.action_mask.fill_(1)
    games.players.fill_(99)
    with pytest.raises(IllegalActionError, match="in game 0"):
        games.step(illegal)
    games.step(games.action_mask.argmax(1))


@pytest.mark.parametrize("answer", [None, [0.5]])
def test_after_an_opponent_failed_there_are_new_games(answer, monkeypatch):
    """Whether it raises an error, or its actions are refused."""
    opponent = Player(load_game(NAME))
    games = LearnerTensors(LearnerBatch(NAME, 4, 0, opponents=opponent))
    games.reset()
    before = games.batch.states["seed"].copy()
    with monkeypatch.context() as patched:
        patched.setattr(opponent, "act_tensors", lambda *seen: torch.tensor(answer))
        with pytest.raises((TypeError, RuntimeError)):
            trace(games)
    with pytest.raises(ResetNeeded):
        games.step([0] * 4)
    games.reset()
    assert (games.batch.states["seed"] != before).all()
    games.step(games.action_mask.argmax(1))


def test_there_may_be_thousands_of_opponents():
    opponents = [RandomAgent(0, load_game(NAME))] * 300
    games = LearnerTensors(LearnerBatch(NAME, 100, opponents=opponents))
    games.reset()
    assert games.players.min() == 0
    assert games.players.max() > 255
    with pytest.raises(OptionError, match="40000 opponents; there can be 32767 at most"):
        new_learner(np.zeros(1), 4, [1] * 40000, [1] * 40000, 1)


def test_what_does_not_fit_is_refused():
    games = LearnerTensors(LearnerBatch(NAME, 4, 0))
    with pytest.raises(ResetNeeded):
        games.step([0] * 4)
    games.reset()
    with pytest.raises(TypeError, match="actions must be integers"):
        games.step(np.zeros(4))
    with pytest.raises(ValueError, match=r"actions must have the shape \(4,\), not \(3,\)"):
        games.step([0] * 3)
    with pytest.raises(ValueError, match="the games need observation='float32', not 'sparse'"):
        LearnerTensors(LearnerBatch(NAME, 4, observation="sparse"))
    noting = LearnerBatch(NAME, 4)
    noting.batch.note_events()
    with pytest.raises(ValueError, match="a batch that notes events"):
        LearnerTensors(noting)
    changed = LearnerBatch(NAME, 4, 0)
    changed.learners[:2] = np.int64(1), 9
    with pytest.raises(OptionError, match="learner 9 is not a seat"):
        LearnerTensors(changed)
    with pytest.raises(ValueError, match="a device is one of cpu, cuda"):
        LearnerTensors(LearnerBatch(NAME, 4), "tpu")
    with pytest.raises(TypeError, match="have a method act_tensors"):
        games.set_opponents("search:sims=2")
    games.set_opponents(Stubborn(load_game(NAME)))
    with pytest.raises(IllegalActionError, match="is not legal for seat"):
        trace(games)


def test_a_learner_that_never_decides_is_an_error():
    games = LearnerTensors(LearnerBatch(NAME, 2, 1, num_players=2, max_turns=1))
    with pytest.raises(RuntimeError, match="seat 1 had nothing to decide in 1000 games"):
        games.reset()
    with pytest.raises(ResetNeeded):
        games.step([0, 0])
    games = LearnerTensors(LearnerBatch(NAME, 2, 1))
    games.reset()
    games._asked[1] = STUCK
    with pytest.raises(RuntimeError, match="seat 1 had nothing to decide in 1000 games"):
        games.step(games.action_mask.argmax(1))
