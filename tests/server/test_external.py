"""Programs that play: what they are told, and what happens when they fail."""

import copy
import gc
import io
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from rich.console import Console

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.text_game import TextGame
from dig_envs.agents.external import ENDING, ExternalAgent, end_all
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_games, play_seated
from dig_envs.agents.random import RandomAgent
from dig_envs.arena import run
from dig_envs.arena.report import Report
from dig_envs.arena.show import notes
from dig_envs.commands.terminal import Match, Narrator
from dig_envs.engine.core.errors import ArenaError, ForfeitError
from dig_envs.engine.core.texts import is_hidden
from dig_envs.registry import load_game
from dig_envs.server.mcp.tables import Tables
from dig_envs.server.mcp.tools import Tools
from dig_envs.server.protocol.allowance import Allowance
from dig_envs.server.protocol.limits import Limits
from tests.games import SHIPPED

GAME = "go_dig_v0"
ROOT = Path(__file__).parents[2]
BOTS = ROOT / "tests" / "server" / "bots"
PYTHON_BOT = f"exec:{sys.executable} {BOTS / 'bot.py'}"
LONG = "cretaceous_creek_v0"  # no option makes it short
NODE = shutil.which("node")
HEAD = """
import json, os, sys, time
asked = 0
def answer(result, **more):
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result, **more}), flush=True)
for line in sys.stdin:
    asked += 1
    message = json.loads(line)
    params = message["params"]
    first = params["legal"][0]
"""


def program(folder: Path, body: str, limit: str = "") -> str:
    """The name of an agent whose program runs ``body`` for each message."""
    path = folder / f"bot{len(list(folder.iterdir()))}.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    return f"exec:{limit}{sys.executable} {path}"


def external(name: str, env: str = GAME) -> ExternalAgent:
    agent = load_agent(name, env)
    assert isinstance(agent, ExternalAgent)
    return agent


def dealt(name: str = GAME, seed: int = 1) -> RawAEC:
    env = RawAEC(name)
    env.reset(seed=seed)
    return env


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        if Path("/proc").exists():
            return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return True


def ends_soon(pid: int) -> bool:
    for _ in range(100):
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


# ---------------------------------------------------------------- the example bots


@pytest.mark.parametrize(
    ("command", "name", "head", "page"),
    [
        pytest.param(
            *(sys.executable, "bot.py", '"""\n\n'),
            "documentation/pages/guides/40_other_programs.md",
            id="python",
        ),
        pytest.param(
            *(NODE, "bot.js", "\n\n", None),
            id="javascript",
            marks=pytest.mark.skipif(NODE is None, reason="no node"),
        ),
    ],
)
def test_the_bots_play_whole_games(command, name, head, page):
    """They are short, use no package, and stand in a page, if not with the lines at their head."""
    results = play_games(
        GAME, [external(f"exec:{command} {BOTS / name}"), RandomAgent(1)], 2, rotate=True
    )
    assert not results.forfeits
    assert (results.lengths > 4).all()
    assert results.winners.any(axis=1).all()
    bot = (BOTS / name).read_text().strip()
    program = bot.split(head, 1)[1]
    assert "dig_envs" not in program
    assert len([line for line in bot.splitlines() if line.strip()]) <= 30
    assert page is None or program in (ROOT / "dig_envs" / page).read_text(encoding="utf-8")


# ---------------------------------------------------------------- what a program is told


@pytest.mark.parametrize("name", SHIPPED)
def test_a_program_is_told_what_its_seat_may_know_and_nothing_else(name, tmp_path):
    log = tmp_path / "log"
    agent = external(
        program(tmp_path, f"open({str(log)!r}, 'a').write(line)\nanswer(first['action'])"), name
    )
    env, validator = dealt(name), jsonschema.Draft202012Validator(load_game(name).view_schema)
    expected = []
    for number in range(12):
        if env.states["over"][0]:
            break
        seat, mover = env.seat_of(env.agent_selection), env.agent_selection
        legal, events = (
            env.game.legal_texts(env.states, seat),
            [event.to_json() for event in env.events(mover)] if number else [],
        )
        expected.append(
            {
                "environment": name,
                "seat": seat,
                "view": env.view(mover),
                "events": events,
                "legal": legal,
            }
        )
        env.step(agent.act(env) if number else agent.act_view(env.view(mover)))
    agent.close()
    told = [json.loads(line) for line in log.read_text().splitlines()]
    numbers = [message["params"].pop("game") for message in told]
    assert [message["params"] for message in told] == json.loads(json.dumps(expected))
    assert len(
        {(number, each["seat"]) for number, each in zip(numbers, expected, strict=True)}
    ) == len(set(numbers))
    for message in told:
        assert set(message) == {"jsonrpc", "id", "method", "params"}
        validator.validate(message["params"]["view"])


def test_a_program_may_ask_for_what_a_network_takes(tmp_path):
    log = tmp_path / "log"
    body = f"open({str(log)!r}, 'a').write(line)\nanswer(params['action_mask'].index(1))"
    for order in ("observation:9000ms:", "9000ms:observation:"):
        agent, env = external(program(tmp_path, body, order)), dealt()
        assert agent.seconds == 9
    for player in (agent, pickle.loads(pickle.dumps(agent))):
        seen = env.look(env.agent_selection)
        assert player.act(env) == seen["action_mask"].argmax()
        player.close()
        params = json.loads(log.read_text().splitlines()[-1])["params"]
        np.testing.assert_array_equal(np.float32(params["observation"]), seen["observation"])
        np.testing.assert_array_equal(params["action_mask"], seen["action_mask"])


def test_in_a_match_a_program_is_told_the_events_since_its_last_decision(tmp_path):
    log = tmp_path / "log"
    agent = external(
        program(tmp_path, f"open({str(log)!r}, 'a').write(line)\nanswer(first['action'])")
    )
    play_games(GAME, [agent, load_agent("heuristic", GAME)], 2, seed=3)
    agent.close()
    told = [json.loads(line)["params"]["events"] for line in log.read_text().splitlines()]
    assert told[0] == []
    for events in told[1:]:
        # first what it asked itself, or how the game came to it
        assert events == [] or events[0]["kind"] in ("asked", "turn")
        assert all(
            event["card"] is None
            for event in events
            if event["kind"] == "drew" and event["seat"] == 1
        )
    assert sum(map(bool, told)) > len(told) / 2


def test_each_seat_has_a_process_of_its_own(tmp_path):
    log = tmp_path / "log"
    body = (
        f"open({str(log)!r}, 'a').write(f\"{{os.getpid()}} {{params['seat']}} "
        f"{{params['game']}}\\n\")\nanswer(first['text'])"
    )
    agent = external(program(tmp_path, body))
    play_games(GAME, [agent, agent], 3)
    agent.close()
    rows = [tuple(map(int, line.split())) for line in log.read_text().splitlines()]
    assert len({pid for pid, _, _ in rows}) == len({(pid, seat) for pid, seat, _ in rows}) == 2
    assert len({game for _, _, game in rows}) == len({(seat, game) for _, seat, game in rows}) == 6


# ---------------------------------------------------------------- failing


# body -> what everybody is told: what its owner is told
FAILURES = {
    "raise SystemExit(3)": "ended with exit status 3",
    ("sys.stderr.write('no idea'); sys.stderr.flush(); os._exit(4)"): (
        "ended with exit status 4: its last words: no idea"
    ),
    (
        "sys.stderr.write('\\x1b[2J\\x00\\x9b\\u202e!'); sys.stderr.flush(); os._exit(4)"
    ): r"ended with exit status 4: its last words: \x1b[2J\x00\x9b\u202e!",
    "1 / 0": "ended with exit status 1: its last words: Traceback",
    "os.kill(os.getpid(), 9)": "ended with exit status -9",
    "time.sleep(60)": "did not answer within",
    "answer(10**6)": "chose an illegal action: 1000000",
    "answer(-1)": "chose an illegal action: -1",
    "answer(0)": "chose an illegal action: 0",
    "answer(True)": "chose an illegal action: True",
    "answer(float(first['action']))": "chose an illegal action: ",
    "answer('ask nobody')": "chose an illegal action: 'ask nobody'",
    "answer(None)": "chose an illegal action: None",
    "answer([first])": "chose an illegal action: [",
    "message['id'] = 7777; answer(first['action'])": "did not answer the message with the id 1: {",
    "message['id'] = True; answer(first['action'])": "did not answer the message with the id 1: {",
    "print('thinking…', flush=True)": "gave an answer that is not JSON: b'thinking",
    "print('[' * 60000, flush=True)": "gave an answer that is not JSON: b'[[[",
    "print('[1]', flush=True)": "did not answer the message with the id 1: [1]",
    "print(flush=True)": "gave an answer that is not JSON: b'",
    "sys.stdout.write('x' * 10**6); sys.stdout.flush()": "answered with more than 65536 bytes",
    "print(json.dumps({'id': 1, 'error': 'I resign'}), flush=True)": "gave up: 'I resign'",
    (
        "sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()"
    ): "gave an answer that is not JSON: b'\\xff",
    "os.close(1); time.sleep(60)": "ended its output",
}


@pytest.mark.parametrize("body", FAILURES)
def test_a_failure_is_told_clearly_to_the_owner_alone(body, tmp_path, monkeypatch, caplog):
    """What was chosen, or said at the end, may be the hand of the player."""
    silent = body.startswith("time.sleep")
    if silent:
        monkeypatch.setattr("dig_envs.agents.external.STARTING", 0.2)
    agent = external(program(tmp_path, body, "100ms:" if silent else ""))
    with pytest.raises(ForfeitError) as forfeit:
        agent.act(dealt())
    public = str(forfeit.value)
    what, _, detail = FAILURES[body].partition(": ")
    assert public.startswith(f"{agent.name}, Player 1, {what}")
    assert len(public) < 1000
    assert detail in caplog.text
    assert not detail or detail not in public.removeprefix(agent.name)[len(", Player 1") :]
    assert all(sign == "\n" or not is_hidden(sign) for sign in caplog.text)
    assert not agent._programs


def test_a_program_gets_no_keys(tmp_path, monkeypatch):
    """Neither the program nor the shell that watches over it, which it could look at."""
    private = {
        "OPENAI_API_KEY": "k1",
        "MY_KEY_2": "k2",
        "HF_TOKEN": "k3",
        "AWS_SECRET_ACCESS_KEY": "k4",
        "PGPASSWORD": "k5",
        "DATABASE": "postgres://me:k6@host/db",
    }
    for name, value in {**private, "DIG_ENVS_TEST": "stays"}.items():
        monkeypatch.setenv(name, value)
    out = tmp_path / "environment"
    body = f"open({str(out)!r}, 'w').write(json.dumps(dict(os.environ)))"
    agent = external(program(tmp_path, f"{body}\nanswer(first['action'])"))
    agent.act(dealt())
    given = json.loads(out.read_text())
    (supervisor,) = [each._process for each in agent._programs.values()]
    environ = Path(f"/proc/{supervisor.pid}/environ")
    told = json.dumps(given) + (environ.read_text() if environ.exists() else "")
    agent.close()
    assert given["DIG_ENVS_TEST"] == "stays"
    assert given.keys() >= {"PATH"}
    assert not any(name in told for name in private)


def test_only_the_game_that_is_given_up_is_lost(tmp_path):
    """The program crashes once; the games beside that one, and those after it, are played to their
    end."""
    flag = tmp_path / "crashed"
    body = f"""if asked == 4 and not os.path.exists({str(flag)!r}):
    open({str(flag)!r}, 'w').close()
    os._exit(1)
answer(first['action'])"""
    agent = external(program(tmp_path, body))
    results = play_games(GAME, [agent, RandomAgent(1)], 6, batch_size=3)
    (forfeit,) = results.forfeits
    assert (forfeit.seat, forfeit.agent) == (0, 0)
    assert (results.num_forfeits(0), results.num_forfeits(1)) == (1, 0)
    assert results.winners[forfeit.game].tolist()[:2] == [False, True]
    assert results.returns[forfeit.game].tolist()[:2] == [-1.0, 1.0]
    assert results.lengths[forfeit.game] < results.lengths.max()
    assert results.winners.any(axis=1).all()
    assert (results.lengths >= 1).all()


@pytest.mark.parametrize(
    ("name", "seats", "winners", "returns"),
    [
        pytest.param(
            GAME,
            [0, 1, 0, 1],
            [False, True, False, True],
            [-0.5, 0.5, -0.5, 0.5],
            id="all others win",
        ),
        pytest.param(
            LONG, [1, 0], [False, False], [-1, -1], id="a cooperative game is lost by all"
        ),
        pytest.param(GAME, [0, 0], [False, False], [-1, -1], id="against itself nobody wins"),
    ],
)
def test_who_wins_a_game_that_is_given_up(tmp_path, name, seats, winners, returns):
    agents = [external(program(tmp_path, "os._exit(1)"), name), RandomAgent(1)]
    results = play_seated(
        name, agents[: max(seats) + 1], np.array([seats]), [1], {"num_players": len(seats)}
    )
    assert len(results.forfeits) == 1
    assert results.winners[0].tolist()[: len(seats)] == winners
    assert results.returns[0].tolist()[: len(seats)] == returns


# ---------------------------------------------------------------- tournaments


def test_a_tournament_goes_on(tmp_path):
    bad = program(tmp_path, "answer(first['action'] if params['view']['turn'] < 4 else 'nonsense')")
    file = tmp_path / "results.jsonl"
    setting = {"games": 4, "block": 1, "workers": 2, "results": file}
    report = run(GAME, ["random", PYTHON_BOT, bad], **setting)
    by_name = {entry.agent: entry for entry in report.standings}
    assert by_name[bad].forfeits == by_name[bad].games == 8
    assert by_name["random"].forfeits == by_name[PYTHON_BOT].forfeits == 0
    assert by_name[bad].points == 0
    assert {(each.agent, each.deal) for each in report.forfeits} == {(bad, 0), (bad, 1)}
    assert all(each.reason.endswith("chose an illegal action") for each in report.forfeits)
    assert any(
        "gave up 8 of 8 games, which count as lost; the first, deal 0: " in line
        for line in notes(report)
    )
    assert run(GAME, ["random", PYTHON_BOT, bad], **setting) == report  # from the file
    assert Report.from_json(json.loads(json.dumps(report.as_json()))).forfeits == report.forfeits


def test_forfeits_in_a_cooperative_tournament(tmp_path):
    bad = program(tmp_path, "os._exit(1)")
    report = run("cretaceous_creek_v0", ["random", bad], games=2, options={"num_players": 3})
    assert {entry.agent: entry.forfeits for entry in report.standings} == {"random": 0, bad: 2}


def test_a_file_with_wrong_forfeits_is_refused(tmp_path):
    bad, file = program(tmp_path, "os._exit(1)"), tmp_path / "results.jsonl"
    run(GAME, ["random", bad], games=2, block=1, results=file)
    head, line = file.read_text().splitlines()
    for wrong in (
        [[0, 0]],
        [[9, 0, "x"]],
        [[0, 2, "x"]],
        [[0, 0, 1]],
        [["0", 0, "x"]],
        7,
        [[0, 0, "x" * 2000]],
    ):
        file.write_text(f"{head}\n{json.dumps({**json.loads(line), 'forfeits': wrong})}\n")
        with pytest.raises(ArenaError, match="line 2, is damaged"):
            run(GAME, ["random", bad], games=2, block=1, results=file)


def test_watching_a_game_that_is_given_up(tmp_path, capsys):
    bad = program(tmp_path, "answer(first['action'] if params['view']['turn'] < 4 else 'nonsense')")
    Narrator(Match(load_game(GAME), f"random,{bad}", {}, seed=1), Console(), "never").tell()
    told = capsys.readouterr().out
    assert "The game is over: Player 2 gave it up" in told
    assert "chose an illegal action). Won by: Player 1." in told
    assert "nonsense" not in told


# ---------------------------------------------------------------- names, copies, ends


def test_names():
    game = load_game(GAME)
    agent = external("exec:250ms:python3 -c 'x y'")
    assert (agent.command, agent.seconds) == (["python3", "-c", "x y"], 0.25)
    assert external("exec:python3 x").name == "exec:python3 x"
    for name in ("exec:", "exec", "exec:no_such_program x", "exec:'python3", "exec:100ms:"):
        with pytest.raises(ValueError, match=r"no program|No closing quotation"):
            load_agent(name, GAME)
    with pytest.raises(ValueError, match="needs the environment"):
        load_agent("exec:python3 x")
    with pytest.raises(ValueError, match="there is no program ''"):
        ExternalAgent([], game)


def test_no_shell_reads_the_command(tmp_path):
    target = tmp_path / "made"
    agent = external(f"exec:{sys.executable} -c pass ; touch {target}")
    with pytest.raises(ForfeitError):
        agent.act(dealt())
    assert not target.exists()


def test_positions_are_needed():
    agent = external(PYTHON_BOT)
    env = dealt()
    seen = env.look("player_0")
    with pytest.raises(ValueError, match="pass states and seats"):
        agent.act_batch(seen["observation"][None], seen["action_mask"][None])
    with pytest.raises(ValueError, match="pass memory"):
        agent.act_batch(
            seen["observation"][None], seen["action_mask"][None], env.states, np.array([0])
        )


# a bot's processes: an own child; and, where the system can find them, one in a session of its own,
# with another environment, whose parent has ended, and which ignores signals that can be ignored
CHILDREN = """import signal, subprocess
signal.signal(signal.SIGHUP, signal.SIG_IGN)
away = dict.fromkeys(('stdin', 'stdout', 'stderr'), subprocess.DEVNULL)
pids = [os.getpid(), subprocess.Popen(['sleep', '1000'], **away).pid]
if sys.platform == 'linux':
    words = [sys.executable, '-c', 'import signal, subprocess, time; signal.signal(15, 1); '
             'print(subprocess.Popen(["sleep", "1000"], start_new_session=True, env={}, '
             'stdin=-3, stdout=-3, stderr=-3).pid)']
    pids.append(int(subprocess.run(words, capture_output=True, start_new_session=True).stdout))
open(sys.argv[0] + '.pids', 'w').write(' '.join(map(str, pids)))
"""


def with_children(folder: Path, then: str) -> tuple[str, Path]:
    """The name of an agent that starts processes at its first decision, and the file that has their
    numbers."""
    name = program(folder, CHILDREN + then)
    return name, Path(f"{name.split()[-1]}.pids")


def numbers_in(file: Path) -> list[int]:
    return [int(word) for word in file.read_text().split()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_fork_neither_ends_processes_nor_keeps_them(tmp_path):
    """It has all that is open, too, such as a worker of a vectorized environment."""
    name, file = with_children(tmp_path, "answer(first['action'])\ntime.sleep(1000)")
    agent = external(name)
    agent.act(dealt())
    if not (child := os.fork()):
        end_all(dict(agent._programs))  # as when it collects garbage
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.2)
    assert all(map(is_alive, numbers_in(file)))
    if not (child := os.fork()):
        time.sleep(1000)
    try:
        began = time.monotonic()
        agent.close()
        assert time.monotonic() - began < ENDING / 2
        assert not any(map(is_alive, numbers_in(file)))
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


@pytest.mark.parametrize("end", ["close", "forget", "copy"])
def test_processes_end_with_their_agent(tmp_path, end):
    """Processes of an agent, and all that they started, end with the agent; copies have no
    processes and end none."""
    name, file = with_children(tmp_path, "answer(first['action'])")
    agent = external(name)
    agent.act(dealt())
    if end == "copy":
        for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
            assert twin.command == agent.command
            assert not twin._programs
    assert all(map(is_alive, numbers_in(file)))
    if end == "forget":
        del agent
        gc.collect()
    else:
        agent.close()
    assert not any(map(is_alive, numbers_in(file)))


def test_what_a_program_has_started_ends_when_it_has_ended_itself(tmp_path):
    name, file = with_children(tmp_path, "raise SystemExit(3)")
    agent = external(name)
    with pytest.raises(ForfeitError, match="ended with exit status 3"):
        agent.act(dealt())
    assert all(map(ends_soon, numbers_in(file)))
    agent.close()


def test_processes_end_with_an_arena(tmp_path):
    """Also with one in several processes."""
    name, file = with_children(tmp_path, "answer(first['action'])")
    run(GAME, ["random", name], games=2, block=1, workers=2)
    assert not any(map(is_alive, numbers_in(file)))


def test_processes_end_with_a_python_that_is_killed(tmp_path):
    """Programs that ignore the end of their input, and what they started, end when Python is
    killed."""
    name, file = with_children(tmp_path, "answer(first['action'])\ntime.sleep(1000)")
    script = f"""
import time
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.text_game import TextGame
from dig_envs.agents.loading import load_agent
env = RawAEC({GAME!r}); env.reset(seed=1)
agent = load_agent({name!r}, {GAME!r})
print(agent.act(env), flush=True)
time.sleep(1000)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as python:
        assert python.stdout.readline()
        assert all(map(is_alive, numbers_in(file)))
        python.kill()
    assert all(map(ends_soon, numbers_in(file)))


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a process of its parent's end"
)
def test_a_program_that_kills_its_supervisor_ends_with_it(tmp_path):
    file = tmp_path / "pid"
    body = f"open({str(file)!r}, 'w').write(str(os.getpid()))\nos.kill(os.getppid(), 9)"
    agent = external(program(tmp_path, f"{body}\ntime.sleep(1000)"))
    with pytest.raises(ForfeitError, match="ended with exit status -9"):
        agent.act(dealt())
    assert ends_soon(*numbers_in(file))


def test_a_program_that_does_not_read_cannot_block(tmp_path, monkeypatch):
    monkeypatch.setattr("dig_envs.agents.external.STARTING", 0.5)
    agent = external(f"exec:300ms:{sys.executable} -c 'import time; time.sleep(60)'")
    began = time.monotonic()
    with pytest.raises(ForfeitError):
        agent._talk(0, {"x": "y" * 10**6})
    agent.close()
    assert time.monotonic() - began < 5


def test_a_program_that_talks_too_much_is_not_kept(tmp_path):
    agent = external(
        program(tmp_path, "sys.stderr.write('x' * 10**6 + '\\n'); answer(first['action'])")
    )
    env = dealt()
    for _ in range(3):
        assert agent.act(env) in env.game.legal_actions(env.states, 0)
    assert sum(map(len, agent._programs[0]._words)) < 10_000
    agent.close()


# ---------------------------------------------------------------- agents of this process


class Wrong:
    """Chooses the first action that is not legal."""

    name = "wrong"

    def act(self, env, agent=None):
        return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])

    def act_batch(self, observation, action_mask, states=None, seats=None):
        return (action_mask == 0).argmax(axis=1)


def in_words():
    game = TextGame(GAME, seats=[0])
    game.reset(1)
    game._agents[1] = Wrong()
    while game.seat is not None:
        game.answer(str(game.game.legal_actions(game.env.states, 0)[0]))
    return game.ending(0)


def at_the_terminal():
    match = Match(load_game(GAME), "random,random", {}, seed=1)
    match.players[1] = Wrong()
    file = io.StringIO()
    Narrator(match, Console(file=file, width=300), "never").tell()
    return file.getvalue().strip().rpartition("\n")[2]


def by_tools():
    """The game is there, with its keys, and ``look`` says the same again."""
    tools = Tools(Tables(Limits(), 5.0, True, False), Allowance(Limits()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dig_envs.server.mcp.tables.load_seats", lambda *_: {0: Wrong()})
        told = tools.start_game(GAME, seats=[1], seed=1).structured_content
    again = tools.look(told["keys"][0]["key"])
    assert told["waiting"] in again.content[0].text
    return told["waiting"]


@pytest.mark.parametrize("play", [in_words, at_the_terminal, by_tools])
def test_an_illegal_action_is_told_to_the_owner_alone(play, caplog):
    """The error names what would have been legal, which is a hand."""
    told = play()
    assert "wrong, chose an illegal action" in told
    assert "legal: " not in told
    assert "; legal: " in caplog.text
