"""Games in which seats answer in words: what holds for TextGame, and for the adapters for TextArena
and OpenEnv, alike."""

import sys
from pathlib import Path

import pytest

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.text_game import TextGame
from dig_envs.engine.core.errors import OptionError, PolicyMismatchError
from tests.adapters.answering import scripted
from tests.games import needs_compiling

BOT = f"exec:{sys.executable} {Path(__file__).parents[1] / 'server' / 'bots' / 'bot.py'}"
ALL = ("random",)


class InWords:
    """A game in words, as a library has it; this is ``TextGame`` itself. ``game``: the ``TextGame``
    in it."""

    def __init__(self, name, players, seats=None, opponents=ALL, mistakes=2):
        self.game = TextGame(name, {"num_players": players}, seats, opponents, mistakes)

    def reset(self, seed):
        self.game.reset(seed)

    def asked(self):
        """The seat that is to decide and what it is told; None: the game is over."""
        return (
            None if self.game.seat is None else (self.game.seat, self.game.message(self.game.seat))
        )

    def say(self, answer):
        """Answer; returns how the answer was understood."""
        return self.game.answer(answer).outcome

    def returns(self):
        return self.game.returns


class InTextArena(InWords):
    def __init__(self, name, players, seats=None, opponents=ALL, mistakes=2):
        pytest.importorskip("textarena", reason="TextArena is not installed")
        from dig_envs.adapters.textarena import DigTextEnv

        self.env, self.players = DigTextEnv(name, mistakes, seats, opponents), players

    def reset(self, seed):
        self.env.reset(num_players=self.players, seed=seed)
        self.game, self.done = self.env.text_game, False

    def asked(self):
        if self.done:
            return None
        seat, messages = self.env.get_observation()
        return seat, messages[-1][1]

    def say(self, answer):
        self.done, info = self.env.step(answer)
        return info["outcome"]

    def returns(self):
        rewards, _ = self.env.close()
        return [rewards[seat] for seat in range(self.players)]


class InOpenEnv(InWords):
    def __init__(self, name, players, seats=None, opponents=ALL, mistakes=2):
        pytest.importorskip("openenv", reason="OpenEnv is not installed")
        from dig_envs.adapters.openenv import DigAction, DigEnvironment

        seats = range(players) if seats is None else seats
        self.env, self.action = (
            DigEnvironment(name, seats, opponents, mistakes, num_players=players),
            DigAction,
        )

    def reset(self, seed):
        self.told = self.env.reset(seed=seed)
        self.game = self.env._game

    def asked(self):
        return None if self.told.done else (self.told.seat, self.told.prompt)

    def say(self, answer):
        self.told = self.env.step(self.action(answer=answer))
        return self.told.outcome

    def returns(self):
        assert self.told.reward == self.told.returns[self.game.seats[0]]
        return self.told.returns


every_library = pytest.mark.parametrize(
    "library",
    [
        InWords,
        *(pytest.param(one, marks=pytest.mark.ecosystem) for one in (InTextArena, InOpenEnv)),
    ],
)
GAMES = [
    ("go_dig_v0", 3),
    ("fossil_canyon_v0", 2),
    ("the_big_dig_v0", 2),
    ("cretaceous_creek_v0", 2),
    ("oak_island_v0", 4),
]


def play_out(game):
    """Play as the scripted player; return the seats that were asked."""
    seats = []
    while (asked := game.asked()) is not None:
        seats.append(asked[0])
        assert (
            game.say(f"Let me see. <answer>{scripted(game.game.env, asked[0])}</answer>") == "legal"
        )
    return seats


# ---------------------------------------------------------------- what holds in every library


@needs_compiling
@every_library
@pytest.mark.parametrize(("name", "players"), GAMES)
def test_the_course_and_the_returns_are_those_of_the_environment(library, name, players):
    game, env = library(name, players), RawAEC(name, num_players=players)
    game.reset(4)
    env.reset(seed=4)
    while (asked := game.asked()) is not None:
        seat, text = asked
        agent = env.agent_selection
        assert seat == env.seat_of(agent)
        assert game.game.env.states.tobytes() == env.states.tobytes()
        assert all(env.prompt(agent).text(part) in text for part in ("position", "actions"))
        action = scripted(env, seat)
        game.say(action)
        env.step(env.parse(agent, action).action)
    assert game.returns() == pytest.approx(list(env.rewards.values()))
    assert game.game.won == [info["won"] for info in env.infos.values()]
    assert game.game.scores == env.snapshot()["scores"]
    assert all(
        game.game.ending(seat).startswith("The game is over") for seat in (None, *range(players))
    )


@needs_compiling
@every_library
def test_agents_play_the_other_seats_by_the_seed(library):
    def course(seed, *opponents):
        game = library("go_dig_v0", 3, seats=[1], opponents=opponents)
        game.reset(seed)
        assert set(play_out(game)) == {1}
        return game.game.env.states.tobytes(), game.returns()

    assert course(1, "random") == course(1, "random")
    assert course(1, "random") == course(1, "random", "random")
    assert course(1, "random") != course(2, "random")
    assert course(1, "heuristic", "random") != course(1, "random", "heuristic")


@every_library
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("Hm.", "unreadable"),
        ("99999", "illegal"),
        ("<answer>{0}</answer><answer>{1}</answer>", "ambiguous"),
    ],
)
@pytest.mark.parametrize("mistakes", [0, 2])
def test_too_many_mistakes_in_a_row_lose_the_game(library, mistakes, answer, outcome):
    game = library("diggity_v0", 3, mistakes=mistakes)
    game.reset(1)
    for _ in range(2):  # a legal action forgives what was before
        for _ in range(mistakes):
            assert game.say("What?") == "unreadable"
        assert game.say(scripted(game.game.env, game.asked()[0])) == "legal"
    seat, _ = game.asked()
    before = game.game.env.states.tobytes()
    answer = answer.format(*game.game.game.legal_actions(game.game.env.states, seat))
    for _ in range(mistakes):
        assert game.say(answer) == outcome
        assert game.asked()[0] == seat
    assert game.say(answer) == outcome
    assert game.asked() is None
    assert game.game.forfeited == seat
    assert game.returns() == [-1.0 if other == seat else 0.5 for other in range(3)]
    assert game.game.won == [0.5 * (other != seat) for other in range(3)]
    assert game.game.made[seat] >= mistakes + 1
    assert game.game.env.states.tobytes() == before
    assert "you have forfeited. You gave " in game.game.ending(seat)
    assert (" in a row" in game.game.reason) == (mistakes > 0)
    assert f"Player {seat + 1} has forfeited. It gave " in game.game.ending(None)
    # what it tried is for it alone
    tried = game.game.detail
    assert tried
    assert tried in game.game.ending(seat)
    assert all(tried not in game.game.ending(other) for other in (None, *range(3)) if other != seat)
    with pytest.raises(RuntimeError, match="over"):
        game.say("0")
    game.reset(1)
    assert (game.asked()[0], game.game.made) == (0, [0, 0, 0])


@every_library
def test_a_team_loses_together(library):
    game = library("cretaceous_creek_v0", 2, mistakes=0)
    game.reset(1)
    game.say("?")
    assert game.returns() == [-1.0, -1.0]
    assert game.game.won == [0.0, 0.0]


@every_library
def test_wrong_arguments(library):
    for wrong in ({"seats": [2]}, {"seats": []}, {"seats": [-1]}, {"mistakes": -1}):
        with pytest.raises(ValueError, match=r"seat|mistakes"):
            library("go_dig_v0", 2, **wrong).reset(1)
    with pytest.raises(OptionError):
        library("go_dig_v0", 9).reset(1)
    with pytest.raises(ValueError, match="2 agents for 1 seats"):
        library("go_dig_v0", 2, seats=[0], opponents=["random", "random"]).reset(1)
    with pytest.raises(PolicyMismatchError):
        library("go_dig_v0", 2, seats=[0], opponents=["oak_island/heuristic"]).reset(1)


# ---------------------------------------------------------------- TextGame


def test_answers_are_texts():
    game = TextGame("go_dig_v0")
    game.reset(1)
    with pytest.raises(TypeError):
        game.answer(5)  # type: ignore[arg-type]


def test_the_next_game_follows_the_last_one_as_in_the_environment():
    game, env = TextGame("go_dig_v0"), dig_envs.make("go_dig_v0")
    game.reset(9)
    env.reset(seed=9)
    game.reset()
    env.reset()
    assert game.env.states.tobytes() == env.unwrapped.states.tobytes()


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
