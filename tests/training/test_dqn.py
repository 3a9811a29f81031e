"""Double DQN, and the figures of the page *Which game for which question*."""

import numpy as np
import pytest
import torch

from dig_envs import load_agent
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game
from training import questions
from training.dqn import Network, Replay, choose, loss_of, main
from training.ppo import PaidGames


def replay_of(decisions):
    """Two games, each with so many decisions; the first number that is seen is their count."""
    replay = Replay(8, 2, 3, 2)
    for k in range(decisions):
        replay.look(torch.full((2, 3), float(k)), torch.ones(2, 2, dtype=torch.bool))
        replay.add(torch.zeros(2, dtype=torch.int64), torch.full((2,), 1.0 * k), torch.zeros(2))
    replay.look(torch.full((2, 3), float(decisions)), torch.ones(2, 2, dtype=torch.bool))
    return replay


@pytest.mark.parametrize("decisions", [1, 5, 8, 30])
def test_what_follows_a_decision_is_the_next_one(decisions):
    """Also where the memory is full and begins anew; nothing that is overwritten is drawn."""
    replay = replay_of(decisions)
    rows, after, games = replay.sample(500, torch.Generator().manual_seed(0))
    seen, follows = replay.seen[rows, games, 0], replay.seen[after, games, 0]
    assert (follows == seen + 1).all()
    assert (replay.rewards[rows, games] == seen).all()
    drawn = set(seen.tolist())
    assert drawn == set(range(max(0, decisions - 7), decisions))


def test_values_are_of_legal_actions_and_end_with_the_game():
    replay, network = replay_of(5), Network(3, 2, 4)
    picked = replay.sample(64, torch.Generator().manual_seed(0))
    before = loss_of(network, network, replay, picked, 0.9)
    replay.masks[..., 1] = False
    target = Network(3, 2, 4)
    target.load_state_dict({name: value + 1e6 for name, value in target.state_dict().items()})
    assert loss_of(network, target, replay, picked, 0.9) != before
    replay.dones[:] = 1.0
    ended = loss_of(network, target, replay, picked, 0.9)
    assert ended == loss_of(network, network, replay, picked, 0.9)
    mask = torch.tensor([[False, True]] * 50)
    for epsilon in (0.0, 1.0):
        chosen = choose(network, torch.zeros(50, 3), mask, epsilon, torch.Generator())
        assert (chosen == 1).all()


def test_the_program(tmp_path, capsys):
    """From the command line to a policy that plays the numbers of players of the settings."""
    out = tmp_path / "dqn"
    torch.set_num_threads(2)
    main(["go_dig", "--steps", "1380", "--out", str(out)])
    assert torch.get_num_threads() == 1
    assert "steps 1,280  epsilon" in capsys.readouterr().out
    agent = load_agent(str(out), "go_dig_v0")
    assert agent.card["steps"] == 1280
    for players in (2, 4):
        assert (
            play_games("go_dig_v0", [agent] * players, 2, 0, {"num_players": players}).lengths.min()
            > 0
        )
    for wrong in (
        ["chess"],
        ["go_dig", "--steps", "5"],
        ["go_dig", "--seed", str(2**64)],
        ["go_dig"],
    ):
        with pytest.raises(SystemExit) as ended:
            main([*wrong, "--out", str(out if wrong == ["go_dig"] else tmp_path / "x")])
        assert ended.value.code == 2


def test_questions_are_answered():
    """The scripted player is better than the random one, and equal to itself; what is hidden is
    between none and all."""
    game = load_game("go_dig")
    scripted, random = (questions.agent(game, name) for name in ("heuristic", "random"))
    assert questions.gain(game, scripted, random, 100).low > 0
    equal = questions.gain(game, scripted, questions.agent(game, "heuristic"), 400)
    assert equal.low < 0 < equal.high
    found = questions.of_positions(game, 64)
    assert 0 < found["hidden"] < 100
    assert found["choices"] >= 1


def test_one_that_sees_everything_sees_more():
    plain, seeing = (kind("go_dig_v0", 2, seed=0) for kind in (PaidGames, questions.Seeing))
    for games in (plain, seeing):
        games.reset()
    size = plain.observation.shape[1]
    assert np.array_equal(seeing.observation[:, :size], plain.observation)
    assert np.array_equal(seeing.observation[:, size:], plain.full_state())
