"""Best responses in small games: against another way to compute them, and what they must not know."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.arena import best_response
from dig_envs.arena.best_response import SmallGames, exploit, respond
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game

runner = CliRunner()
slow_uncompiled = pytest.mark.skipif(JIT_DISABLED, reason="thousands of positions are slow uncompiled")
GAMES = ("go_dig", "fossil_memory", "twenty_questions")


def small_game(name, decisions=1, seed=3, points=True):
    """The games, one position of them, and its seat."""
    env = f"{name}_v0"
    games = SmallGames(load_game(name), load_agent("heuristic", env), {"num_players": 2}, points)
    [(state, seat)] = games.starts(1, decisions, seed)
    return games, state, seat


def worth(games, worlds, seat):
    """The sum over worlds of the best response, action by action and view by view, as one would write it down at first."""
    total, alike = 0.0, {}
    for world in worlds:
        while not world["over"][0] and world["to_move"][0] != seat:
            mover = int(world["to_move"][0])
            world = after(games.game, world, mover, by_the_agent(games, world, mover))
        if world["over"][0]:
            total += games._value(world, seat)[0]
        else:
            view = json.dumps(games.game.to_view(games.game.to_snapshot(world[0]), seat), sort_keys=True)
            alike.setdefault(view, []).append(world)
    for group in alike.values():
        legal = games.game.legal_actions(group[0], seat)
        total += max(worth(games, [after(games.game, world, seat, action) for world in group], seat) for action in legal)
    return total


def by_the_agent(games, world, seat):
    mask = np.zeros((1, len(games.game.actions)), np.int8)
    records, flat = games.game.new_observations(1)
    games.game.kernels.look_one(world, seat, mask, records, flat)
    return int(games.agent.act_batch(flat, mask, world, np.array([seat]))[0])


def after(game, world, seat, action):
    moved = world.copy()
    game.kernels.apply_one(moved, seat, action)
    return moved


@slow_uncompiled
@pytest.mark.parametrize("name", GAMES)
def test_same_as_written_down(name):
    """Information sets by hashes of observations, all worlds at once: the same value as by views, world by world."""
    games, state, seat = small_game(name)
    worlds = games._worlds(state, seat, 6, np.random.default_rng(0))
    depths, positions = games.tree(worlds, seat)
    assert respond(depths, 1)[0] == pytest.approx(worth(games, [worlds[k : k + 1] for k in range(6)], seat))
    assert positions > 6


@slow_uncompiled
def test_knows_no_more_than_its_seat():
    """A player who knew which world it is would win more: the response does not, and does the same where it sees the same."""
    games, state, seat = small_game("go_dig", 2)
    worlds = games._worlds(state, seat, 30, np.random.default_rng(0))
    together = respond(games.tree(worlds, seat)[0], 1)[0]
    apart = sum(respond(games.tree(worlds[k : k + 1], seat)[0], 1)[0] for k in range(30))
    assert together < apart - 1
    depths, _ = games.tree(worlds, seat)
    assert len(depths[0].keys) == 1
    assert depths[0].count[0] == 30


@slow_uncompiled
@pytest.mark.parametrize("name", GAMES)
def test_agent_is_a_response(name):
    """The fitted response takes at least what the agent does; where it may nowhere differ, exactly that."""
    games, state, seat = small_game(name)
    worlds = games._worlds(state, seat, 20, np.random.default_rng(1))
    depths, _ = games.tree(worlds, seat)
    own = games._played_on(worlds, seat)
    assert respond(depths, 1)[0] >= own.sum() - 1e-9
    as_agent, choice = respond(depths, 21)
    assert as_agent == pytest.approx(own.sum())
    assert games._answered(worlds, seat, depths, choice) == pytest.approx(own)


@slow_uncompiled
def test_fitted_response_takes_in_its_worlds_what_the_tree_says():
    games, state, seat = small_game("go_dig", 2)
    worlds = games._worlds(state, seat, 20, np.random.default_rng(1))
    depths, _ = games.tree(worlds, seat)
    best, choice = respond(depths, 1)
    assert games._answered(worlds, seat, depths, choice).sum() == pytest.approx(best)


@slow_uncompiled
@pytest.mark.parametrize("name", GAMES)
def test_the_bounds_do_not_cross(name):
    """However few the worlds: both bounds are about the same ones, game by game."""
    for seed in range(6):
        games, state, seat = small_game(name, seed=seed)
        lower, upper, own, positions = games.measure(state, seat, 9, np.random.default_rng(seed))
        assert lower <= upper + 1e-9
        assert own <= upper + 1e-9
        assert positions > 9


@slow_uncompiled
def test_exploit():
    """A random player has more to lose than the scripted one; the same call finds the same; returns are bounded."""
    words = {"games": 12, "worlds": 40, "decisions": 1, "options": {"num_players": 2}}
    scripted, again, random = (exploit("go_dig_v0", name, points=True, **words) for name in ("heuristic", "heuristic", "random"))
    assert scripted == again
    assert scripted.games == 12
    assert scripted.lower.mean <= scripted.upper.mean
    assert random.lower.mean > max(0.5, scripted.lower.mean)
    assert scripted.unit == "points"
    returns = exploit("go_dig_v0", "heuristic", **words)
    assert returns.unit == "return"
    assert 0 <= returns.upper.mean <= 2
    json.dumps(returns.as_json())


@slow_uncompiled
def test_three_players_and_cooperative():
    assert exploit("go_dig_v0", "heuristic", 3, 1, 10, options={"num_players": 3}, points=True).games == 3
    found = exploit("cretaceous_creek_v0", "random", 2, 1, 3, points=True)
    assert found.upper.mean >= 0


def test_bad_input(monkeypatch):
    with pytest.raises(ValueError, match="decisions must be"):
        exploit("go_dig_v0", "heuristic", decisions=0)
    with pytest.raises(ValueError, match="has a memory"):
        exploit("fossil_memory_v0", "fossil_memory/remembering", options={"recall": "recent"})
    monkeypatch.setattr(best_response, "MOST_POSITIONS", 3)
    with pytest.raises(ValueError, match="2 of 2 trees are too large"):
        exploit("go_dig_v0", "random", games=2, decisions=1, worlds=4)


@slow_uncompiled
def test_command(tmp_path):
    words = ["exploit", "go_dig_v0", "--agents", "random,heuristic", "--games", "3", "--worlds", "5", "--points"]
    file = tmp_path / "found.json"
    done = runner.invoke(app, [*words, "-o", "num_players=2", "--json", str(file)])
    assert done.exit_code == 0, done.output
    assert [one["agent"] for one in json.loads(file.read_text())] == ["random", "heuristic"]
    refused = runner.invoke(app, [*words, "-o", "num_players=9"])
    assert refused.exit_code == 2
    assert "num_players" in refused.output
