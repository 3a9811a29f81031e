"""The command line: what it prints, what a person can do, and bad input."""

import dataclasses
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from dig_envs import session as session_module
from dig_envs.adapters.aec import RawAEC
from dig_envs.cli import app
from dig_envs.engine.jit import JIT_DISABLED
from dig_envs.registry import list_environments, load_game
from dig_envs.session import Session
from tests.games import every_game

NAME = "cretaceous_creek_v0"
runner = CliRunner()
CHECKOUT = Path(__file__).parent.parent


def run(*words: str, keys: str = "", code: int = 0) -> str:
    """Run a command with typed input; returns what it printed, line breaks as blanks."""
    result = runner.invoke(app, list(words), input=keys, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_list():
    output = run("list")
    for name in list_environments():
        assert name in output


@every_game
def test_describe(name):
    """All fields, options and actions, also for programs."""
    game = load_game(name)
    output = run("describe", name)
    for field in (*game.layout, *(option.name for option in game.options)):
        assert field in output
    found = json.loads(runner.invoke(app, ["describe", name, "--json"]).output)
    assert found["actions"] == list(game.actions)
    assert sum(field["stop"] - field["start"] for field in found["observation"]) == game.observation_size
    assert {option["name"] for option in found["options"]} == {option.name for option in game.options}


@every_game
def test_action_groups_are_complete(name):
    game = load_game(name)
    covered = [index for first, last in game.action_groups for index in range(first, last + 1)]
    assert covered == list(range(len(game.actions)))


@every_game
@pytest.mark.parametrize("agents", ["heuristic", "random"])
def test_watch_tells_the_whole_game(name, agents):
    """Every action in order, the same game for the same seed, and its result."""
    output = run("watch", name, "--agents", agents, "--seed", "3", "--draw", "never", "--save", "end.json")
    assert output == run("watch", name, "--agents", agents, "--seed", "3", "--draw", "never")
    assert "The game is over" in output
    end = json.loads(Path("end.json").read_text())
    assert f"Scores: {', '.join(map(str, end['scores']))}" in output
    session = Session(name, agents, {}, 3)
    position = 0
    while not session.over:
        position = output.find(session.env.game.actions[session._let_play()], position)
        assert position >= 0
    assert json.loads(json.dumps(session.env.snapshot())) == end


def test_watch_says_the_seed():
    """The one that it drew, with which the same game is told again; another one each time."""
    words = ("watch", NAME, "--draw", "never")
    first, second = run(*words), run(*words)
    assert first != second
    seed = re.match(r"seed (\d+) ", first)[1]
    assert run(*words, "--seed", seed) == first
    assert run(*words, "--seed", "7").startswith("seed 7 ")


def test_watch_waits(monkeypatch):
    """After what a seat does, not at all without the option."""
    waits = []
    monkeypatch.setattr(session_module.time, "sleep", waits.append)
    output = run("watch", NAME, "--seed", "3", "--draw", "never", "--delay", "0.25")
    assert set(waits) == {0.25}
    assert len(waits) == output.count("(heuristic): ")
    waits.clear()
    assert run("watch", NAME, "--seed", "3", "--draw", "never") == output
    assert not any(waits)
    run("watch", NAME, "--delay", "-1", code=2)


def test_watch_draws():
    assert run("watch", NAME, "--seed", "1").count("Storm Phase") > 10
    assert run("watch", NAME, "--seed", "1", "--draw", "end").count("Storm Phase") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["watch", "no_game_v0"], NAME),
        (["describe", "no_game_v0"], NAME),
        (["watch", NAME, "--agents", "nobody"], "no agent 'nobody'"),
        (["watch", NAME, "--agents", "random,random,random"], "3 agents for 2 seats"),
        (["watch", NAME, "--agents", "human"], "dig-envs play"),
        (["watch", NAME, "--draw", "often"], "not one of turn, end, never"),
        (["watch", NAME, "-o", "level=easy"], "'easy' is not one of 'beginner'"),
        (["watch", NAME, "-o", "colour=red"], "the name one of num_players"),
        (["watch", NAME, "-o", "level"], "write name=value"),
        (["play", NAME, "--load", "nowhere.json"], "no file nowhere.json"),
        (["bench", "no_game_v0"], NAME),
    ],
)
def test_bad_input(words, message):
    """One line that says what is wrong, no traceback."""
    output = run(*words, code=2)
    assert message in output
    assert "Traceback" not in output


def test_options_reach_the_game():
    run("watch", NAME, "-o", "num_players=3", "-o", "level=expert", "--seed", "2", "--save", "end.json", "--draw", "never")
    assert json.loads(Path("end.json").read_text())["options"] == {"num_players": 3, "level": "expert", "evacuation": "any"}


def test_play_by_number_and_text():
    """Numbers, texts and their beginnings choose actions; wrong entries change nothing and say what is wrong."""
    keys = "99\nfly\ncamp\ncamp Z9\nmove N\ncamp a5\n3\nend\nquit\n"
    output = run("play", NAME, "--agents", "human,heuristic", "--seed", "1", keys=keys)
    assert "99: the legal actions have the numbers 1 to 4" in output
    assert "'fly' is neither an action nor a command" in output
    assert "'camp' may be camp a1, camp a5" in output
    assert "'camp Z9' is neither" in output
    assert "'move N' is not legal now" in output
    assert "The position is kept" in output
    kept = json.loads(Path(f"{NAME}-position-1.json").read_text())
    assert kept["player"] == 0
    assert kept["turn"] == 3
    again = run("play", NAME, "--agents", "human,heuristic", "--load", f"{NAME}-position-1.json", keys="quit\n")
    assert "Turn 3" in again


def test_play_undo():
    """Undo goes back to the previous own decision and takes back what the others did in between."""
    keys = "1\nundo\nundo\nsave before.json\n1\nend\nundo\nsave after.json\nquit\n"
    output = run("play", NAME, "--agents", "human,heuristic", "--seed", "1", keys=keys)
    assert "there is nothing to undo" in output
    before, after = (json.loads(Path(f"{name}.json").read_text()) for name in ("before", "after"))
    assert (before["phase"], before["pos"]) == ("camp", [None, None])
    assert (after["turn"], after["player"], after["ap"]) == (1, 0, 4)


def test_play_undo_of_two_people():
    """Undo goes back to the decision of the person who asks for it, and the other's is taken back with it."""
    session = Session(NAME, "human", {}, 1)
    console = Console(file=io.StringIO())
    assert session.seat == 0
    session._command(console, "1")
    assert session.seat == 1
    assert not session._command(console, "undo")  # player_1 has decided nothing yet
    assert session.seat == 1
    session._command(console, "1")
    assert session.seat == 0
    before = session.env.snapshot()
    session._command(console, "end turn")
    session._command(console, "end turn")
    assert session.seat == 0
    assert session._command(console, "undo")
    assert session.env.snapshot() == before


def test_play_keeps_the_others_secrets():
    """What another seat hides is not named, neither while it plays nor by elimination; what everybody sees is."""
    name = "fossil_canyon_v0"
    output = run("play", name, "-o", "num_players=2", "--agents", "human,random", "--seed", "5", keys="1\n" * 12)
    others = [part.split(" player_")[0] for part in output.split("player_1 (random): ")[1:]]
    assert others[0].startswith("hide …")
    assert not any(part.startswith("hide") and not part.startswith("hide …") for part in others[:2])
    output = run("play", NAME, "--agents", "human,heuristic", "--seed", "1", keys="1\n")
    assert "player_1 (heuristic): camp " in output
    assert "camp …" not in output


def test_play_save_and_load():
    keys = "camp A1\nsave here.json\nend\nload here.json\nload nowhere.json\nload broken.json\nhint\nhelp\nshow\n"
    Path("broken.json").write_text("{")
    output = run("play", NAME, "--agents", "human,heuristic", "--seed", "1", keys=keys)
    assert "saved: here.json" in output
    assert "there is no file nowhere.json" in output
    assert "broken.json is no saved position" in output
    assert "the scripted player would: " in output
    assert "undo back to your previous decision" in output
    kept = json.loads(Path(f"{NAME}-position-1.json").read_text())  # the end of the input is like quit
    assert kept == json.loads(Path("here.json").read_text())


def test_play_other_number_of_players():
    env = RawAEC(NAME, num_players=3)
    env.reset(seed=0)
    Path("three.json").write_text(json.dumps(env.snapshot()))
    output = run("play", NAME, "--agents", "human,heuristic", "--seed", "1", keys="load three.json\nquit\n")
    assert "three.json is a position for 3 players; here are 2" in output
    tampered = {**env.snapshot(), "storm": 9}
    Path("tampered.json").write_text(json.dumps(tampered))
    assert "'storm'" in run("play", NAME, "--load", "tampered.json", code=2)


@every_game
def test_a_person_sees_only_their_view(name):
    """What is shown is drawn from the deciding seat's view, not from the position."""
    shown = []
    session = Session(name, "human", {}, 5)
    session.env.game = dataclasses.replace(session.env.game, draw=lambda snapshot: shown.append(snapshot) or "")
    session._show(Console(file=io.StringIO()))
    assert shown == [session.env.view(session.env.agent_selection)]


@every_game
def test_play_to_the_end(name):
    """A person who always takes the first legal action gets to the end of the game."""
    seats = Session(name, "random", {}, 2).env.num_seats
    agents = ",".join(["human"] + ["random"] * (seats - 1))
    assert "The game is over" in run("play", name, "--agents", agents, "--seed", "2", keys="1\n" * 3000)


def test_without_the_extra():
    """Without Typer the command says what to install."""
    code = "import sys; sys.modules['typer'] = None; import dig_envs.cli"
    root = Path(__file__).parent.parent
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=root)
    assert result.returncode == 1
    assert 'pip install "dig_envs[play]"' in result.stderr


def test_bench(tmp_path):
    """The report has a line for each measurement; this is about its form, not about speed."""
    output = run("bench", NAME, "--seconds", "0.02", "--repeats", "2", "--no-start", "--json", "bench.json")
    (report,) = json.loads(Path("bench.json").read_text())
    assert report["environment"] == NAME
    names = [row["what"] for row in report["aec"]]
    assert "PettingZoo connect_four_v3, raw" in names
    assert f"{NAME}, env()" in names
    assert len(report["batch"]) >= 3
    for row in report["aec"] + report["batch"]:
        assert 0 < row["low"] <= row["median"] <= row["high"]
    assert set(report["ratios"]) == {"raw", "env()"}
    assert f"state {load_game(NAME).state.itemsize} bytes" in output


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_compile(tmp_path):
    """In a new process: where the code lies then; a game that does not exist is an error."""
    command = [sys.executable, "-m", "dig_envs.cli", "compile", NAME]
    output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=CHECKOUT).stdout
    (folder,) = re.findall(r"Cretaceous Creek: (\S+)", output)
    assert Path(folder).name.startswith("cretaceous_creek-")
    assert {path.name.partition("-")[0] for path in Path(folder).iterdir()} >= {"advance", "step_batch", "simulate", "apply_action"}
    assert "no environment 'chess'" in run("compile", "chess", code=2)
