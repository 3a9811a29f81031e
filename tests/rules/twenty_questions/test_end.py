"""The end of Twenty Questions: TQ-12 and TQ-13."""

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.games.twenty_questions import components as box
from tests.rules.twenty_questions.positions import deal, in_play


@pytest.mark.parametrize(
    ("taken", "winners"),
    [
        ([["MOS", "MOS"], ["CAM"]], [0]),  # most cards
        ([["TYR"], ["ORN"]], [1]),  # any research fossil before none
        ([["ORN", "TYR"], ["EDM", "MOS"]], [1]),  # the higher research value
        ([["ORN", "SAU", "TYR"], ["EDM", "MOS", "MOS"]], [1]),  # one fossil, not their sum
        ([["ORN", "TYR"], ["SAU", "BRA"]], [0]),  # then the higher skeletal value
        ([["MOS", "MOS"], ["DIL", "MOS"]], [1]),  # one skeletal fossil
        ([["TYR", "MOS"], ["BRA", "BRA"]], [0]),  # the best one, not the sum
        ([["ALA", "EDM"], ["CAM", "MOS"]], [1]),
        ([["ORN"], ["SAU"]], [0, 1]),  # shared
        ([["COE"], ["COE"]], [0, 1]),
        ([["COE"], ["COE"], []], [0, 1]),
        ([["COE"], ["DIL"], ["COE"]], [0, 2]),
        ([["ORN"], ["UTA"], ["CAM"], ["ALA"]], [1, 2]),
        ([[], [], [], []], [0, 1, 2, 3]),
    ],
)
def test_winners(taken, winners):
    """TQ-12: cards, then the best research fossil, then the best skeletal fossil, then shared."""
    n = len(taken)
    position = in_play(
        "STE",
        [],
        taken=taken,
        scores=[len(cards) for cards in taken],
        options__num_players=n,
        answerer=1,
        left=[1] + [5] * (n - 1),
    )
    position.play("ask trace")
    assert position["phase"] == "over"
    assert position["winners"] == winners


def test_returns_and_infos():
    """TQ-12: one of two wins +1, the other −1; nothing else is paid; the reward by score pays each card."""
    for reward, expected in (("win", [1, -1]), ("score", [1, 0])):
        env = RawAEC("twenty_questions_v0", reward=reward, questions=1)
        env.reset(seed=3)
        right = env.game.action_index[f"guess {env.snapshot()['card']}"]
        env.step(right)
        wrong = next(a for a in range(33, 52) if env.game.actions[a] != f"guess {env.snapshot()['card']}")
        env.step(wrong)
        assert all(env.terminations.values())
        assert [env._cumulative_rewards[agent] for agent in env.possible_agents] == expected
        assert [env.infos[agent]["won"] for agent in env.possible_agents] == [True, False]
        assert not any(env.infos[agent]["turn_limit"] for agent in env.possible_agents)


@pytest.mark.parametrize("passing", ["asked", "free"])
def test_lengths(passing):
    """TQ-13: not even who asks and passes all the time comes to more actions."""
    assert box.MAX_ACTIONS == 4 * 40 + 64
    for seed in range(3):
        position = deal(seed, num_players=4, questions=40, passing=passing)
        chance = np.random.default_rng(seed)
        asked = passed = 0
        while position.mover >= 0:
            legal = sorted(position.legal)
            text = "pass" if "pass" in legal and chance.random() < 0.2 else str(chance.choice(legal))
            asked, passed = asked + (text != "pass"), passed + (text == "pass")
            position.play(text)
        assert asked <= 4 * 40
        assert passed <= 64
        assert asked + passed <= box.MAX_ACTIONS
