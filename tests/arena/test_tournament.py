"""Whole arenas with real games: same deals, all seats, workers, going on after a kill, and what is
refused."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dig_envs import OptionError, PolicyMismatchError
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_games
from dig_envs.arena import Report, run
from dig_envs.arena.show import command
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game
from tests.agents.test_loading import change_card
from tests.training.random_network import random_network
from training.export import write_policy

TWO, TEAM = "fossil_canyon_v0", "cretaceous_creek_v0"
OPTIONS = {"num_players": 2, "max_turns": 30}
ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(
    JIT_DISABLED, reason="whole games of scripted players are slow uncompiled"
)


def small(**changes):
    """A quick arena: random and scripted players, games cut off early."""
    arguments = {
        "agents": ["random", "heuristic"],
        "games": 12,
        "options": OPTIONS,
        "block": 2,
        "seed": 3,
    }
    return run(TWO, **{**arguments, **changes})


@pytest.fixture
def policy(tmp_path):
    facts = {"settings": {"games": [{"num_players": 2, "level": "beginner"}, {"num_players": 3}]}}
    return write_policy(
        tmp_path / "cretaceous_creek" / "small",
        load_game(TEAM),
        random_network(load_game(TEAM)),
        facts,
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_same_deals_and_every_seat(calls, seats):
    """Every agent has every seat equally often on every deal, and all pairs play the same deals."""
    small(options={"num_players": seats, "max_turns": 5}, games=9)
    counts = Counter()
    for names, seating, seeds, options in calls:
        assert options["num_players"] == seats
        for row, seed in zip(seating, seeds, strict=True):
            counts.update((names[contestant], seed, seat) for seat, contestant in enumerate(row))
    per_deal = 2 if seats == 2 else 2 * seats
    expected = product(("random", "heuristic"), range(3, 3 - (-9 // per_deal)), range(seats))
    assert counts == Counter(dict.fromkeys(expected, per_deal // 2))


def test_the_better_player_is_rated_higher():
    report = run(TWO, ["random", "heuristic"], 40, options={"num_players": 2})
    assert [entry.agent for entry in report.standings] == ["heuristic", "random"]
    best, random = report.standings
    assert best.elo.low > 300
    assert (random.elo.mean, random.elo.low, random.elo.high) == (0, 0, 0)
    assert best.wins.mean > 0.9
    assert best.games == random.games == 40
    assert report.settings["options"]["num_players"] == 2
    assert report.settings["options"]["max_turns"] == 200  # all of them, with the defaults


def test_team_results_are_those_of_the_games():
    """Scores and victories are those of the same games played without an arena."""
    heuristics = run(TEAM, ["heuristic", "random"], 20, seed=50)
    agent = load_agent("heuristic", TEAM)
    games = play_games(TEAM, [agent] * 2, 20, seed=50)
    standing = next(entry for entry in heuristics.standings if entry.agent == "heuristic")
    assert standing.score.mean == pytest.approx(games.scores[:, :2].mean())
    assert standing.wins.mean == pytest.approx(games.winners.any(axis=1).mean())
    assert standing.games == 20


class First:
    """Plays the first legal action; ``act`` of :class:`Slow` says the same."""

    name = "first"

    def act_batch(self, observation, action_mask, states=None, seats=None):
        return action_mask.argmax(axis=1)


class Slow:
    name = "first"

    def act(self, env, agent=None):
        seen = env.observe(agent or env.agent_selection)
        assert seen["action_mask"].any()
        return seen["action_mask"].argmax()


@pytest.mark.parametrize("game", [TWO, pytest.param("the_big_dig_v0", marks=pytest.mark.slow)])
def test_objects_play_as_they_are(game):
    """Whether they are asked about many positions or, with an environment, about one."""
    options = {"num_players": 2, "max_turns": 8} if game == TWO else {}
    first, slow = (run(game, [one, "random"], 4, options=options) for one in (First(), Slow()))
    assert first.standings == slow.standings
    assert first.settings["agents"][0] == {
        "agent": "first",
        "class": "tests.arena.test_tournament.First",
    }
    assert Report.from_json(first.as_json()).standings


def test_names_of_objects():
    """They are shown as one short line, and an object that is named as the player is not it."""
    own = First()
    own.name = "random"
    report = small(agents=[own, "heuristic"])
    assert report.anchor == "mean"
    assert small(agents=[First(), "random"]).anchor == "random"
    for given, shown in (
        ("a\nb\x1b[2J", "a b[2J"),
        ("\u200b", "First"),
        ("x" * 99, "x" * 59 + "…"),
    ):
        own.name = given
        assert small(agents=[own, "random"]).settings["agents"][0]["agent"] == shown


def test_objects_that_cannot_play_so(tmp_path):
    with pytest.raises(ArenaError, match="first is not known by its name to a later call"):
        small(agents=[First(), "random"], results=tmp_path / "kept.jsonl")
    with pytest.raises(ArenaError, match="is not known by its name on other machines"):
        small(agents=["python:nowhere:First", "random"], cluster="auto")
    with pytest.raises(ArenaError, match="agents named twice: first"):
        small(agents=[First(), Slow()])
    with pytest.raises(ArenaError, match=r"first plays in this process alone.*python:MODULE"):
        small(agents=[First(), "random"], workers=2)
    odd = First()
    for odd.act_batch in (lambda observation: 0, lambda *, observation, action_mask: 0):
        with pytest.raises(TypeError, match=r"agent first has act_batch\(.*is called with \(obs"):
            small(agents=[odd, "random"])
    for wrong in (First, 5, None):
        with pytest.raises(TypeError, match="an agent is what load_agent returns"):
            small(agents=[wrong, "random"])


@pytest.mark.slow
def test_code_of_a_user_is_named(tmp_path, monkeypatch):
    (tmp_path / "own_code.py").write_text(
        "class First:\n"
        "    def __init__(self, environment, seed): pass\n"
        "    def act_batch(self, observation, action_mask, states=None, seats=None):\n"
        "        return action_mask.argmax(axis=1)\n"
    )
    monkeypatch.chdir(tmp_path)
    report = small(agents=["python:own_code:First", "heuristic"], games=4)
    assert len(report.settings["agents"][0]["source_sha256"]) == 64
    wanted = small(agents=[First(), "heuristic"], games=4)
    assert [one.points for one in report.standings] == [one.points for one in wanted.standings]
    assert "own_code" not in sys.modules


def test_seeds_matter_and_workers_do_not(tmp_path):
    """Processes of their own, in whatever order they end, give the same report, and the same games
    in the file."""
    alone = small(results=tmp_path / "alone.jsonl")
    assert alone.standings != small(seed=4).standings
    assert alone.standings == small(anchor="random").standings
    assert small(workers=2, results=tmp_path / "two.jsonl") == alone
    one, two = ((tmp_path / name).read_text().splitlines() for name in ("alone.jsonl", "two.jsonl"))
    assert one[0] == two[0]
    assert sorted(one) == sorted(two)


def test_going_on(tmp_path, calls):
    """An interrupted tournament plays only the units that are not complete in its file, and its
    report is that of an uninterrupted run.
    """
    path = tmp_path / "results.jsonl"
    whole = small()
    calls.clear()
    assert small(results=path) == whole
    assert len(calls) == 3
    lines = path.read_bytes().splitlines(keepends=True)
    for complete, rest in [(1, b""), (2, lines[2][:-1]), (4, b"")]:
        path.write_bytes(b"".join(lines[:complete]) + rest)
        calls.clear()
        progress = []
        assert small(results=path, progress=lambda *done: progress.append(done)) == whole  # noqa: B023
        assert len(calls) == 4 - complete
        assert progress[0] == (4 * (complete - 1), 12)
        assert progress[-1] == (12, 12)
        assert path.read_bytes() == b"".join(lines)


def processes_of_session(session):
    """The processes that began in a session and are still running (empty where there is no
    /proc)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(of) == session and state != "Z":
            found.append(int(path.parent.name))
    return found


def test_agents_join_later(tmp_path, calls):
    """Only their games are played; the report is that of an arena that all were in from the
    beginning, in that order."""
    path = tmp_path / "results.jsonl"
    three = ["random", "heuristic", "search:sims=2"]
    small(results=path, games=4)
    calls.clear()
    assert small(results=path, games=4, agents=["search:sims=2", "heuristic", "random"]) == small(
        games=4, agents=three
    )
    assert [names for names, *_ in calls[:2]] == [
        ["random", "search:sims=2"],
        ["heuristic", "search:sims=2"],
    ]
    calls.clear()
    assert small(results=path, games=4, agents=three) == small(
        results=path, games=4, agents=three[::-1]
    )
    assert small(results=path, games=4) == small(
        results=path, games=4, agents=["heuristic", "random"]
    )
    assert calls == []


@pytest.mark.parametrize("seats", [3, 4])
def test_tables_of_different_agents(seats, calls):
    """Everybody against everybody at once, in every seat equally often on the same deals; each game
    counts once."""
    agents = ["random", "heuristic", "search:sims=2", "search:sims=3"][:seats]
    report = small(
        agents=agents, options={"num_players": seats, "max_turns": 8}, games=2 * seats, tables=True
    )
    ((names, seating, seeds, _),) = calls
    assert len(names) == seats
    assert (np.sort(seating, axis=1) == np.arange(seats)).all()
    assert seeds == [3] * (2 * seats)
    assert [entry.games for entry in report.standings] == [2 * seats] * seats
    assert sum(entry.wins.mean for entry in report.standings) == pytest.approx(1)
    assert sum(entry.points for entry in report.standings) == pytest.approx(seats / 2)
    assert report.settings["form"] == "tables"


def four_hundred_games(**settings):
    return run(
        TWO, ["random", "heuristic"], games=400, options={"num_players": 2}, block=2, **settings
    )


@cache
def without_a_break():
    return four_hundred_games()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_killed_while_it_ran(tmp_path, stop):
    """Killed or stopped while workers play: none of them stays, and the next run goes on and comes
    to the same report."""
    if signal.getsignal(stop) == signal.SIG_IGN:
        pytest.skip("these tests run where Ctrl-C is ignored, and so do processes that they start")
    path = tmp_path / "results.jsonl"
    words = [
        TWO,
        "--agents",
        "random,heuristic",
        "--games",
        "400",
        "--block",
        "2",
        "--workers",
        "2",
        "-o",
        "num_players=2",
    ]
    command = [
        sys.executable,
        "-m",
        "dig_envs.commands.main",
        "arena",
        *words,
        "--results",
        str(path),
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes)
    try:
        deadline = time.monotonic() + 200
        while not (path.exists() and path.read_bytes().count(b"\n") >= 3):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        os.kill(process.pid, stop)
        output, _ = process.communicate(timeout=60)
    assert "Traceback" not in output
    if stop == signal.SIGINT:
        assert process.returncode == 130
        assert "the same command goes on" in output
    deadline = time.monotonic() + 10
    while processes_of_session(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of_session(process.pid) == []
    kept = path.read_bytes().count(b"\n") - 1
    assert 2 <= kept < 100
    counts = []
    report = four_hundred_games(results=path, progress=lambda done, total: counts.append(done))
    assert counts[0] >= 4 * kept
    assert report == without_a_break()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_worker_that_dies_is_an_error(tmp_path):
    """A worker process that dies raises an error instead of blocking; complete games stay in the
    file, and the file can be used again.
    """
    path = tmp_path / "results.jsonl"

    def kill_one(done, total):
        if done:
            os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)

    with pytest.raises(ArenaError, match="a worker process died"):
        # so many that the workers are still at it
        small(games=20_000, workers=2, results=path, progress=kill_one)
    assert path.read_bytes().count(b"\n") >= 2
    assert multiprocessing.active_children() == []
    small(games=400, results=path)


def test_results_of_other_settings(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    small(results=path)
    before = path.read_bytes()
    with pytest.raises(ArenaError, match=r"options.max_turns is 30 there, 31 here"):
        small(results=path, options={**OPTIONS, "max_turns": 31})
    with pytest.raises(ArenaError, match="environment is"):
        run(TEAM, ["random", "heuristic"], 2, results=path)
    monkeypatch.setattr("dig_envs.arena.entrants.code_hash", lambda game: "0123")
    with pytest.raises(ArenaError, match=r'code is "[0-9a-f]{16}" there, "0123" here'):
        small(results=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"agents": ["random"]}, ArenaError, "at least two agents, not 1"),
        ({"agents": []}, ArenaError, "at least two agents, not 0"),
        ({"agents": ["random", "heuristic", "random"]}, ArenaError, "named twice: random"),
        ({"agents": ["random", "nobody"]}, ValueError, "no agent 'nobody'"),
        (
            {"agents": ["random", "cretaceous_creek/policy"]},
            PolicyMismatchError,
            "does not fit fossil_canyon_v0",
        ),
        ({"anchor": "nobody"}, ArenaError, "anchor 'nobody'"),
        ({"options": {"num_players": 9}}, OptionError, "num_players"),
        ({"options": {"num_players": 3}, "tables": True}, ArenaError, "needs 3 of them, not 2"),
        ({"games": 0}, ValueError, "games must be from 1 to 1000000000"),
        ({"workers": 0}, ValueError, "workers must be from 1 to 1024"),
        ({"block": 0}, ValueError, "block must be from 1 to 1000000000"),
    ],
)
def test_refused_before_anything_is_played(changes, error, message, calls, tmp_path):
    with pytest.raises(error, match=message):
        small(**changes, results=tmp_path / "results.jsonl")
    assert calls == []
    assert not (tmp_path / "results.jsonl").exists()


def test_policies_play_what_they_were_trained_for(policy):
    """Other options, number of players or version are refused, with what differs; the first on
    request only."""
    run(TEAM, ["random", str(policy)], 2, options={"level": "beginner"})
    run(TEAM, ["random", str(policy)], 2, options={"num_players": 3})
    for options, message in [
        (
            {"level": "expert"},
            "level=beginner \\(here expert\\) or num_players=3 \\(here 2\\), level=intermediate",
        ),
        (
            {"num_players": 4},
            (
                "num_players=2 \\(here 4\\), level=beginner \\(here intermediate\\) or "
                "num_players=3 \\(here 4\\)"
            ),
        ),
    ]:
        with pytest.raises(ArenaError, match=message):
            run(TEAM, ["random", str(policy)], 2, options=options)
        report = run(TEAM, ["random", str(policy)], 2, options=options, allow_unfamiliar=True)
        assert {entry.agent for entry in report.standings} == {"random", str(policy)}
        assert "--allow-unfamiliar" in command(report)
    assert "--allow-unfamiliar" not in command(
        run(TEAM, ["random", str(policy)], 2, options={"level": "beginner"})
    )
    change_card(policy, environment="cretaceous_creek_v9")
    with pytest.raises(PolicyMismatchError, match="made for 'cretaceous_creek_v9'"):
        run(TEAM, ["random", str(policy)], 2, allow_unfamiliar=True)
