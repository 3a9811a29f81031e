"""Matches: every game once, right intervals."""

import numpy as np
import pytest

from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import mean_interval, play_games, wilson
from dig_envs.engine.core.errors import IllegalActionError
from dig_envs.engine.core.winners import shares_of_victory

NAME = "cretaceous_creek_v0"


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson(successes, trials, low, high):
    """Values of Wilson's score interval; 81 of 263 is the example of Newcombe (1998)."""
    interval = wilson(successes, trials)
    assert interval.mean == successes / trials
    assert interval.low == pytest.approx(low, abs=1e-4)
    assert interval.high == pytest.approx(high, abs=1e-4)


def test_wilson_without_games():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_mean_interval():
    interval = mean_interval(np.array([1.0, 2.0, 3.0, 4.0]))
    half = 1.96 * np.std([1, 2, 3, 4], ddof=1) / 2
    assert interval.mean == 2.5
    assert interval.high - interval.low == pytest.approx(2 * half, rel=1e-3)


def test_batch_size_does_not_matter():
    """Each of the games is played exactly once, whichever run side by side."""
    agent = load_agent("heuristic", NAME)
    whole = play_games(NAME, [agent, agent], 30, seed=5)
    parts = play_games(NAME, [agent, agent], 30, seed=5, batch_size=7)
    for field in ("winners", "scores", "lengths", "returns"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(parts, field))
    assert (whole.lengths > 0).all()
    again = play_games(NAME, [agent, agent], 1, seed=5 + 12)
    assert again.lengths[0] == whole.lengths[12]


def test_seats_rotate():
    agents = [
        load_agent("heuristic", NAME),
        load_agent("random", NAME, 1),
        load_agent("random", NAME, 2),
    ]
    results = play_games(NAME, agents, 4, options={"num_players": 3}, rotate=True)
    assert results.agents[:, :3].tolist() == [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]]
    assert (results.agents[:, 3] == -1).all()


def test_wrong_number_of_agents():
    agent = load_agent("random", NAME)
    with pytest.raises(ValueError, match="3 agents for 2 seats"):
        play_games(NAME, [agent] * 3, 2)
    with pytest.raises(ValueError, match="at least 1"):
        play_games(NAME, [agent] * 2, 0)


class Chooses:
    """Gives back what it was made with, for each game."""

    name = "chooser"

    def __init__(self, action):
        self.action = action

    def act_batch(self, observation, action_mask, states=None, seats=None):
        return [self.action] * len(observation)

    def act(self, env):
        return self.action


def test_shares_of_the_victory():
    """A tie of k counts 1/k; several seats of one agent add up; teams win as one."""
    won = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]])
    assert shares_of_victory(won, cooperative=False).tolist() == [
        [0.5, 0, 0.5],
        [0, 0, 0],
        [1 / 3, 1 / 3, 1 / 3],
        [0, 1, 0],
    ]
    assert shares_of_victory(won[2], cooperative=True).tolist() == [1, 1, 1]
    # nobody takes a card, so that all tie
    agents = [load_agent("random", "fossil_memory_v0", seed) for seed in (0, 1)]
    options = {"num_players": 3, "max_turns": 1}
    results = play_games("fossil_memory_v0", [*agents, agents[1]], 30, options=options, rotate=True)
    shares = shares_of_victory(results.winners, cooperative=False)
    assert np.array_equal(results.won, shares)
    assert (results.winners.sum(axis=1) == 3).any()
    of_each = [results.won_by(agent).mean for agent in (0, 1)]
    assert of_each[0] == pytest.approx(np.where(results.agents == 0, shares, 0).sum() / 30)
    assert sum(of_each) == pytest.approx(results.winners.any(axis=1).mean())


class Listening:
    """Notes what it is told before each decision, and where it decides."""

    takes_events = True

    def __init__(self):
        self.told = []

    def act_batch(self, observation, action_mask, states, seats, *, events):
        assert len(events) == len(observation) == len(states)
        self.told += zip(states["turn"].tolist(), seats.tolist(), events, strict=True)
        return action_mask.argmax(axis=1)


def test_agents_in_training_are_told_what_happened():
    """As opponents always; in the learner's place if the games note it."""
    opponent, learner = Listening(), Listening()
    games = LearnerBatch("go_dig_v0", 2, 0, opponent, seed=1)
    games.reset()
    for _ in range(12):
        games.step(games.choices_of(learner))
    for who, seat in ((opponent, 1), (learner, 0)):
        assert {other for _, other, _ in who.told} == {seat}
        assert sum(bool(events) for _, _, events in who.told) > len(who.told) / 2
    games.close()
    games = LearnerBatch("go_dig_v0", 2, seed=1)
    games.reset()
    with pytest.raises(ValueError, match="make it with with_events=True"):
        games.choices_of(learner)
    games.set_opponents(opponent)
    games.reset()
    games.step(games.choices_of(learner))
    games.close()


def test_objects_in_the_learners_place():
    """They are checked as everywhere."""
    games = LearnerBatch(NAME, 3, seed=1)
    games.reset()
    two = Chooses(0)
    two.act_batch = lambda observation, action_mask: action_mask.argmax(axis=1)
    assert games.choices_of(two).tolist() == games.action_mask.argmax(axis=1).tolist()
    with pytest.raises(IllegalActionError, match="agent chooser"):
        games.choices_of(Chooses(999))
    with pytest.raises(TypeError, match="must be integers"):
        games.choices_of(Chooses(0.5))
    del two.act_batch
    with pytest.raises(TypeError, match=r"act\(env\) plays in dig_envs.arena.run"):
        games.choices_of(OnlyAct())
    games.close()


class OnlyAct:
    def act(self, env):
        return 0
