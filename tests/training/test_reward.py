"""The rewards of training are what the environments and the search say a game is worth."""

import numpy as np
import pytest

from dig_envs import BatchEnv, load_agent
from dig_envs.agents.search import reward_weights
from dig_envs.registry import load_game
from tests.training.random_network import random_network
from tests.training.test_pool import play
from training.export import write_policy
from training.games import TrainingGames
from training.settings import Settings

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
WIN, POINT = 0.5, 0.25


def make_games(name=NAME, **changes):
    games = TrainingGames(name, Settings.of(**changes), 4, "random")
    games.reset()
    return games


def by_hand(winners, seat):
    """k winners of n share +1, the others -1; 0 for all if everybody or nobody has won."""
    n, k = len(winners), sum(winners)
    if k in (0, n):
        return 0.0
    return 1 / k if winners[seat] else -1 / (n - k)


@pytest.fixture(scope="module")
def episodes():
    """Episodes of three random players: (sum of rewards, the learner's seat, its points at the
    deal, last position)."""
    games = make_games(
        num_envs=16, win_weight=WIN, score_weight=POINT, games=[{"num_players": 3, "max_turns": 2}]
    )
    total, found = np.zeros(16), []
    for step in play(games, 150):
        total += step.reward
        for i, ended in step.ended.items():
            final = games.batch.final_states[[i]]
            deal = BatchEnv(NAME, 1, seed=int(final["seed"][0]), num_players=3, max_turns=2)
            found.append((total[i], ended.seat, deal.states["scores"][0, ended.seat], final))
            total[i] = 0
    games.close()
    return found


def test_the_return_is_paid(episodes):
    """Wins, losses and ties among three."""
    outcomes = set()
    for total, seat, at_deal, final in episodes:
        outcome = by_hand(final["winners"][0, :3].tolist(), seat)
        assert total == pytest.approx(
            WIN * outcome + POINT * (final["scores"][0, seat] - at_deal), abs=1e-5
        )
        outcomes.add(outcome)
    assert {1.0, 0.5, -0.5, -1.0} <= outcomes, (
        "among them a win shared by two, and the third seat's loss"
    )
    assert any(at_deal for _, _, at_deal, _ in episodes), "what is complete at the deal is not paid"


def test_late_rewards():
    """Points at first; from half of the budget on the return alone, twice as much."""
    late = {"from": 0.5, "win_weight": 2.0, "score_weight": 0.0}
    games = make_games(
        num_envs=64, win_weight=0.0, score_weight=POINT, games=[{"max_turns": 2}], late_rewards=late
    )
    assert games.settings.rewards_at(0.49) == (0.0, POINT, 0.0)
    assert games.settings.rewards_at(0.5) == games.settings.rewards_at(1.0) == (2.0, 0.0, 0.0)
    paid = {}
    for share in (0.0, 1.0):
        games.share = share
        games.reset()
        paid[share] = {abs(reward) for step in play(games, 60) for reward in step.reward.tolist()}
    games.close()
    assert all(amount % POINT == 0 for amount in paid[0.0])
    assert paid[1.0] <= {0.0, 2.0, *(np.float32(2 / k).item() for k in (2, 3))}
    assert max(paid[0.0]) > 2.0
    assert 2.0 in paid[1.0]


def searched(tmp_path, **facts):
    """A guided search, and what it says that a position is worth for each seat."""
    folder = write_policy(tmp_path / "zoo" / "x", GAME, random_network(GAME), facts)
    agent = load_agent(f"search:sims=5:playout=none:guide={folder}", NAME)

    def values_of(state):
        returns, values = np.zeros(GAME.max_players), np.zeros(GAME.max_players)
        GAME.search_kernels.evaluate(state, agent._tree.search[0], returns, values)
        return values

    return agent, values_of


def test_guided_search_adds_the_same(episodes, tmp_path):
    """The value of the last position in a search is all that training paid for it, in ties and
    among three as well."""
    _, values_of = searched(
        tmp_path, settings={"win_weight": WIN, "score_weight": POINT}, pays="return"
    )
    for total, seat, at_deal, final in episodes[:100]:
        assert values_of(final[0])[seat] == pytest.approx(total + POINT * at_deal, abs=1e-5)


def test_values_are_about_the_last_rewards(tmp_path):
    """The weights of rewards are read from the card's last rewards, which may differ from its
    settings."""
    facts = {
        "settings": {"win_weight": 0.5, "shaping_weight": 1.0},
        "rewards": {"win_weight": 2.0, "shaping_weight": 0.0},
    }
    folder = write_policy(
        tmp_path / "zoo" / "x", GAME, random_network(GAME), {**facts, "pays": "return"}
    )
    assert reward_weights(load_agent(str(folder), NAME)) == (2.0, 0.0)


def test_guides_of_before_were_paid_1_and_minus_1(episodes, tmp_path):
    """Their cards do not say what they were paid; the search adds what it was, and nothing before
    the end."""
    agent, values_of = searched(tmp_path, settings={"win_weight": 2.0})
    assert reward_weights(agent.guide) == (2.0, 0.0)
    for _, seat, _, final in episodes[:100]:
        assert values_of(final[0])[seat] == (2.0 if final["winners"][0, seat] else -2.0)
        running = final.copy()
        running["over"] = 0
        assert not values_of(running[0]).any()


def test_the_turn_limit_is_an_end():
    """It is paid like any other end, and the next game begins with nothing to be paid."""
    games, limits = make_games(num_envs=8, games=[{"num_players": 2, "max_turns": 2}]), 0
    for step in play(games, 60):
        assert set(np.flatnonzero(step.done)) == set(step.ended)
        for i, ended in step.ended.items():
            limits += ended.turn_limit
            assert step.reward[i] == np.float32(ended.outcome)
        assert not step.reward[~step.done].any()
    assert limits > 10
    games.close()


def test_a_cooperative_team_is_paid_once():
    games = make_games(
        "cretaceous_creek_v0", num_envs=16, win_weight=3.0, games=[{"num_players": 4}]
    )
    paid = [reward for step in play(games, 120) for reward in step.reward[step.done].tolist()]
    assert len(paid) > 10
    assert set(paid) == {-3.0}
    games.close()
