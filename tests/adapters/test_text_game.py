"""Games in which seats answer in words: what the adapters for TextArena, verifiers and OpenEnv have in common."""

import sys
from pathlib import Path

import pytest

import dig_envs
from dig_envs.adapters.text_game import TextGame
from dig_envs.agents.loading import load_agent
from dig_envs.engine.core.errors import OptionError, PolicyMismatchError
from tests.adapters.answering import scripted
from tests.games import needs_compiling

BOT = f"exec:{sys.executable} {Path(__file__).parents[1] / 'server' / 'bots' / 'bot.py'}"


def play_out(game: TextGame) -> list[int]:
    """Play as the scripted player; return the agents that were asked."""
    asked = []
    while (seat := game.seat) is not None:
        asked.append(seat)
        answer = game.answer(f"Let me see. <answer>{scripted(game.env, seat)}</answer>")
        assert answer.legal, answer.message
    return asked


@needs_compiling
@pytest.mark.parametrize(("name", "players"), [("go_dig_v0", 3), ("fossil_canyon_v0", 2), ("cretaceous_creek_v0", 2)])
def test_the_course_and_the_returns_are_those_of_the_environment(name, players):
    game, env = TextGame(name, {"num_players": players}), dig_envs.make(name, num_players=players)
    game.reset(4)
    env.reset(seed=4)
    scripted_player = load_agent("heuristic", name)
    while (seat := game.seat) is not None:
        assert env.agent_selection == f"player_{seat}"
        assert game.returns == [0.0] * players
        assert game.message(seat) == env.unwrapped.prompt(env.agent_selection).text("position", "news", "actions")
        game.answer(scripted(game.env, seat))
        env.step(scripted_player.act(env))
    assert game.returns == [env.rewards[f"player_{seat}"] for seat in range(players)]
    assert game.scores == [env.infos[f"player_{seat}"]["score"] for seat in range(players)]
    assert all(game.ending(seat).startswith("The game is over") for seat in (None, *range(players)))


@needs_compiling
def test_agents_play_the_other_seats_by_the_seed():
    def course(seed: int, *opponents: str) -> tuple[bytes, list[float]]:
        game = TextGame("go_dig_v0", {"num_players": 3}, seats=[1], opponents=opponents)
        game.reset(seed)
        assert set(play_out(game)) == {1}
        return game.env.states.tobytes(), game.returns

    assert course(1, "random") == course(1, "random")
    assert course(1, "random") == course(1, "random", "random")
    assert course(1, "random") != course(2, "random")
    assert course(1, "heuristic", "random") != course(1, "random", "heuristic")


def test_the_next_game_follows_the_last_one_as_in_the_environment():
    game, env = TextGame("go_dig_v0"), dig_envs.make("go_dig_v0")
    game.reset(9)
    env.reset(seed=9)
    game.reset()
    env.reset()
    assert game.env.states.tobytes() == env.unwrapped.states.tobytes()


@pytest.mark.parametrize("mistakes", [0, 2])
def test_too_many_mistakes_in_a_row_lose_the_game(mistakes):
    game = TextGame("diggity_v0", {"num_players": 3}, mistakes=mistakes)
    game.reset(1)
    for _ in range(2):  # a legal action forgives what was before
        for _ in range(mistakes):
            assert not game.answer("What?").legal
        assert game.answer(scripted(game.env, game.seat or 0)).legal
    seat, before = game.seat, game.env.states.tobytes()
    assert seat is not None
    for _ in range(mistakes):
        assert game.answer("4000000").outcome == "illegal"
        assert game.seat == seat
    assert game.answer("4000000").outcome == "illegal"
    assert game.over
    assert game.seat is None
    assert game.forfeited == seat
    assert game.returns == [-1.0 if other == seat else 0.5 for other in range(3)]
    assert game.made[seat] >= mistakes + 1
    assert game.env.states.tobytes() == before
    assert "you have forfeited" in game.ending(seat)
    assert f"Player {seat + 1} has forfeited" in game.ending(None)
    with pytest.raises(RuntimeError, match="over"):
        game.answer("0")
    game.reset(1)
    assert (game.over, game.forfeited, game.made) == (False, None, [0, 0, 0])


def test_a_team_loses_together():
    game = TextGame("cretaceous_creek_v0", mistakes=0)
    game.reset(1)
    game.answer("?")
    assert game.returns == [-1.0, -1.0]


@needs_compiling
def test_an_agent_that_gives_up_has_lost():
    game = TextGame("go_dig_v0", seats=[0], opponents=[f"exec:{sys.executable} -c pass"])
    game.reset(1)
    while (seat := game.seat) is not None:
        game.answer(scripted(game.env, seat))
    assert game.forfeited == 1
    assert game.returns == [1.0, -1.0]
    assert "Player 2 has forfeited" in game.ending(0)
    game.close()


@needs_compiling
def test_programs_that_play_are_ended_with_the_game():
    game = TextGame("go_dig_v0", seats=[1], opponents=[BOT])
    game.reset(1)
    assert game.seat == 1
    game.close()
    game.reset(1)
    assert game.seat == 1, "another program plays the next game"
    game.close()


def test_wrong_arguments():
    for wrong in ({"seats": [2]}, {"seats": []}, {"seats": [-1]}, {"mistakes": -1}):
        with pytest.raises(ValueError, match=r"seat|mistakes"):
            TextGame("go_dig_v0", **wrong)
    with pytest.raises(OptionError):
        TextGame("go_dig_v0", {"num_players": 9})
    with pytest.raises(ValueError, match="2 agents for 1 seats"):
        TextGame("go_dig_v0", seats=[0], opponents=["random", "random"]).reset(1)
    with pytest.raises(PolicyMismatchError):
        TextGame("go_dig_v0", seats=[0], opponents=["oak_island/heuristic"]).reset(1)
    game = TextGame("go_dig_v0")
    game.reset(1)
    with pytest.raises(TypeError):
        game.answer(5)  # type: ignore[arg-type]
