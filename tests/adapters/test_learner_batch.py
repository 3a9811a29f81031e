"""Many games of one learner: who plays the other seats, and what happens when one of them fails."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from dig_envs.adapters.learner_batch import LearnerBatch
from dig_envs.agents.heuristic import HeuristicAgent
from dig_envs.agents.random import RandomAgent
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.registry import load_game

NAME = "go_dig_v0"  # a seat may take several decisions in a row


class Asked(HeuristicAgent):
    """The scripted player as an agent of another kind, which is asked for each decision."""

    left = 10**6  # decisions until it gives up

    def choose(self, decisions):
        self.left -= 1
        if self.left < 0:
            raise ForfeitError("it has crashed")
        return super().choose(decisions)


def trace(games, steps=25):
    """All that a learner that plays at random sees of its games."""
    games.reset(seed=3)
    rng, seen = np.random.default_rng(1), []
    for k in range(steps):
        mask = games.action_mask
        chosen = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
        step = games.step(chosen, None if k % 3 else rng.random(games.num_envs) < 0.7)
        seen += [games.observation, games.action_mask, games.batch.states]
        seen += [step.reward, step.done, step.won, step.scores, games.full_state()]
        for _, one in sorted(step.ended.items()):
            seen += [one.observation, one.full_state, np.array([one.reward, one.outcome])]
        seen = [np.frombuffer(b"".join(array.tobytes() for array in seen), np.uint8)]
    return seen[0].tobytes(), int(games.batch.final_lengths.sum())


def test_the_scripted_player_plays_inside_as_it_does_when_asked():
    """Alone, beside an agent that is asked, and where events are noted."""
    asked = Asked(load_game(NAME))
    options = {"learner": [0, 1, 2, 1, 2, 3], "num_players": [2, 3, 4] * 2, "reward": "score"}
    found = []
    for opponents in ("heuristic", asked, ["heuristic", asked], "with events"):
        notes = opponents == "with events"
        games = LearnerBatch(NAME, 6, opponents="heuristic" if notes else opponents, **options)
        if notes:
            games.batch.note_events()
        found.append(trace(games))
    assert found[0][1] > 0
    assert len(set(found)) == 1


def test_random_opponents_follow_from_the_seeds_of_the_games():
    """Two batches agree, whatever the seed of the agent is that stands for the random player."""
    first, second = (LearnerBatch(NAME, 6, 0, RandomAgent(seed)) for seed in (5, 6))
    assert trace(first) == trace(second) == trace(first)


def test_an_opponent_that_fails_during_a_step():
    """Its error comes through, and the learner cannot decide for it in the games that it left."""
    opponent = Asked(load_game(NAME))
    games = LearnerBatch(NAME, 4, 0, opponent, seed=3)
    opponent.left = 1
    with pytest.raises(ForfeitError, match="it has crashed"):
        trace(games)
    for call in (
        lambda: games.action_mask,
        lambda: games.step(np.zeros(4, np.int64)),
        lambda: games.reset(games=np.ones(4, np.bool_)),
    ):
        with pytest.raises(ResetNeeded, match=r"an opponent failed.* call reset\(\)"):
            call()
    opponent.left = 10**6
    assert trace(games) == trace(LearnerBatch(NAME, 4, 0, seed=3))
