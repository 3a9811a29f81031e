"""The command line: what it prints, what a person can do, and bad input."""

import copy
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.seat import opening_of
from dig_envs.agents.loading import load_agent
from dig_envs.agents.sealed import ending_processes
from dig_envs.commands.main import app
from dig_envs.commands.terminal import Dialogue, Match
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.installing import how_to_install
from dig_envs.engine.event_log import ALL
from dig_envs.registry import list_environments, load_game
from tests.games import every_game

NAME = "cretaceous_creek_v0"
PLAY = ("play", NAME, "--agents", "human,heuristic", "--seed", "1")
KEPT = f"{NAME}-position-1.json"
CHECKOUT = Path(__file__).parent.parent.parent
runner = CliRunner()


def run(*words: str, keys: str = "", code: int = 0) -> str:
    """Run a command with typed input; returns what it printed, line breaks as blanks."""
    result = runner.invoke(app, list(words), input=keys, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def saved(name: str) -> dict:
    return json.loads(Path(name).read_text())


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_list():
    output = run("list")
    assert all(name in output for name in list_environments())


@every_game
def test_describe(name):
    """All fields, options and actions, also for programs."""
    game = load_game(name)
    output = run("describe", name)
    for field in (*game.layout, *(option.name for option in game.options)):
        assert field in output
    words = " ".join(output.split())
    opening = opening_of(name, 0)[0]
    assert all(f'"{key}":' in words for key in opening)
    assert all(kind.name in words for kind in game.events.kinds)
    found = json.loads(runner.invoke(app, ["describe", name, "--json"]).output)
    assert found["actions"] == list(game.actions)
    assert (
        sum(field["stop"] - field["start"] for field in found["observation"])
        == game.observation_size
    )
    assert {option["name"] for option in found["options"]} == {
        option.name for option in game.options
    }


# ---------------------------------------------------------------- watching


@every_game
def test_watch_tells_the_whole_game(name):
    """Every action in order, the same game for the same seed, and its result."""
    agents = ",".join(
        ["random"] + ["heuristic"] * (Match(load_game(name), "random", {}, 3).env.num_seats - 1)
    )
    words = ("watch", name, "--agents", agents, "--seed", "3", "--draw", "never")
    output = run(*words, "--save", "end.json")
    assert output == run(*words)
    assert "The game is over" in output
    scores = [f"Player {seat} {score}" for seat, score in enumerate(saved("end.json")["scores"], 1)]
    assert re.search(r"Scores: (.*)\.", output)[1].replace(" and ", ", ") == ", ".join(scores)
    match, position = Match(load_game(name), agents, {}, 3), 0
    while not match.over:
        match.play_agent()
    for event in match.env.event_log.told(ALL):
        position = output.find(" ".join(str(event).split()), position)
        assert position >= 0, event
    assert json.loads(json.dumps(match.env.snapshot())) == saved("end.json")


def test_watch_says_the_seed():
    """``watch`` prints the seed that it drew; this seed gives the same game again, and a call
    without a seed draws another."""
    words = ("watch", NAME, "--draw", "never")
    first, second = run(*words), run(*words)
    assert first != second
    assert run(*words, "--seed", re.search(r" seed (\d+) ", first)[1]) == first
    who = "Player 1: heuristic, Player 2: heuristic"
    assert run(*words, "--seed", "7").startswith(f"{who} seed 7 ")


def test_watch_draws_and_takes_options():
    assert run("watch", NAME, "--seed", "1").count("Museum: ") > 10
    options = ("-o", "num_players=3", "-o", "level=expert")
    assert (
        run("watch", NAME, *options, "--seed", "1", "--draw", "end", "--save", "end.json").count(
            "Museum: "
        )
        == 1
    )
    assert saved("end.json")["options"] == {
        "num_players": 3,
        "level": "expert",
        "variant": 0,
        "variants": 1,
        "evacuation": "any",
    }


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
        (["watch", NAME, "-o", "level=expert", "-o", "level=beginner"], "'level' is given twice"),
        (["watch", NAME, "--save", "nowhere/x.json"], "there is no folder nowhere"),
        (["watch", NAME, "--save", "."], "cannot be written: it is a folder"),
        (["watch", NAME, "--save", "itself"], "itself cannot be written"),
        (["watch", NAME, "--picture", "nowhere/x.gif"], "there is no folder nowhere"),
        (["watch", NAME, "--picture", "nowhere/x"], "nowhere/x cannot be written"),
        (["serve", "--games", "/proc/nowhere/x.sqlite"], "cannot be written"),
        (["benchmark", "random", "--results", "nowhere/x"], "nowhere/x cannot be written"),
        (["benchmark", "random", "--results", "."], "cannot be kept in the working folder"),
        (["benchmark", "cooperation", "random", "--results", ""], "kept in the working folder"),
        (["benchmark", "random", "--json", "nowhere/x"], "there is no folder nowhere"),
        (["arena", NAME, "--agents", "random,heuristic", "--results", "no/x"], "no/x"),
        (["evaluate", "--env", NAME, "--json", "nowhere/x"], "there is no folder nowhere"),
        (["train", "go_dig", "--steps", "9", "--out", "itself"], "a link that leads to no folder"),
        (["train", "go_dig", "--steps", "9", "--name", "x" * 300], "cannot be written to"),
        (["train", "go_dig", "--steps", "9", "--seed", str(10**23)], "a seed must be from"),
        (["train", "go_dig", "--name", "con"], "the policy's name 'con' cannot be"),
        (["train", "go_dig", "--set", "layers=[8]", "--set", "layers=[9]"], "layers is given twi"),
        (["play", NAME, "--load", "nowhere.json"], "no file nowhere.json"),
        (["bench", "no_game_v0"], NAME),
        (["serve", "--games", "."], ". is a folder: --games names the file"),
        (
            ["watch", NAME, "--agents", f"search:sims={10**23}"],
            "sims must be a whole number from 1 to 1000000000",
        ),
        (
            ["watch", NAME, "--agents", "search:sims=nan"],
            "sims must be a whole number from 1 to 1000000000",
        ),
        (
            ["watch", NAME, "--agents", f"search:{10**23}ms"],
            "ms must be a whole number of milliseconds from 1 to 86400000",
        ),
        (
            ["watch", NAME, "--agents", f"search:depth={2**63 - 1}"],
            "depth must be a whole number of turns, 0 for no limit, from 0",
        ),
        (["watch", NAME, "--agents", "search:c=nan"], "c must be a number from 0 to 1000000"),
        (["watch", NAME, "--delay", "inf"], "Invalid value for '--delay'"),
        (["watch", NAME, "--delay", "nan"], "Invalid value for '--delay'"),
        (["watch", NAME, "--seed", str(10**23)], "a seed must be from"),
        (["bench", NAME, "--seconds", "inf"], "Invalid value for '--seconds'"),
        (["bench", NAME, "--repeats", str(10**23)], "Invalid value for '--repeats'"),
        (["bench", NAME, "--batch-size", str(10**23)], "Invalid value for '--batch-size'"),
        (
            ["arena", NAME, "--agents", "random,heuristic", "--games", str(10**23)],
            "games must be from 1 to",
        ),
        (
            ["arena", NAME, "--agents", "random,heuristic", "--workers", "100000"],
            "workers must be from 1 to",
        ),
        (["benchmark", "random", "--block", "0"], "block must be from 1 to"),
        (
            ["benchmark", "random", "--tasks", "go_dig-2,chess-*"],
            "no task 'chess-*' in the suite small",
        ),
        (["benchmark", "random", "nobody", "--json", "x.json"], "no agent 'nobody'"),
        (["play", NAME, "--agents", "human,heuristic,random"], "3 agents for 2 seats"),
        (
            ["compile", "chess"],
            "no environment 'chess'" if not JIT_DISABLED else "NUMBA_DISABLE_JIT is set",
        ),
    ],
)
def test_bad_input(words, message):
    """One line that says what is wrong, before anything is done; no traceback."""
    Path("itself").symlink_to("itself")
    output = run(*words, code=2)
    assert message in output
    assert "Traceback" not in output
    assert not output.startswith("seed")
    assert [str(path) for path in Path().iterdir()] == ["itself"]


LONG = "\x1b[2J\u202e" + "x" * 100_000


@pytest.mark.parametrize(
    "words",
    [
        ["describe", LONG],
        ["watch", LONG],
        ["watch", NAME, "--agents", LONG],
        ["watch", NAME, "--agents", f"exec:{LONG}"],
        ["watch", NAME, "--agents", f"search:{LONG}"],
        ["watch", NAME, "--agents", f"heuristic:{LONG}"],
        ["watch", NAME, "--agents", f"easy:{LONG}"],
        ["watch", NAME, "--agents", f"best:{LONG}"],
        ["watch", NAME, "--agents", f"random,,{LONG}"],
        ["watch", NAME, "-o", LONG],
        ["watch", NAME, "-o", f"level={LONG}"],
        ["watch", NAME, "--draw", LONG],
        ["watch", NAME, "--save", LONG],
        ["watch", NAME, "--picture", LONG],
        ["play", NAME, "--load", LONG],
        ["picture", LONG],
        ["arena", "go_dig_v0", "--agents", "random,heuristic", "--anchor", LONG],
        ["arena", NAME, "--agents", "random,heuristic", "--results", LONG],
        ["benchmark", LONG],
        ["benchmark", f"python:{LONG}"],
        ["benchmark", "random", "--suite", LONG],
        ["benchmark", "random", "--tasks", LONG],
        ["benchmark", "cooperation", "random", "--task", LONG],
        ["evaluate", "--env", LONG],
        ["evaluate", "--env", NAME, "--sweep", LONG],
        ["train", LONG],
        ["train", "go_dig", "--settings", LONG],
        ["train", "go_dig", "--set", LONG],
        ["train", "go_dig", "--set", f"layers={LONG}"],
        ["train", "go_dig", "--set", f"{LONG}=1"],
        ["train", "go_dig", "--name", LONG],
        ["train", "go_dig", "--device", LONG],
    ],
)
def test_long_and_bad_texts_are_shown_short_and_harmless(words):
    output = run(*words, code=2)
    assert len(output) < 5000
    assert "Traceback" not in output
    assert not {"\x1b", "\u202e"} & set(output)
    assert not list(Path().iterdir())


# ---------------------------------------------------------------- playing


def test_play_by_number_and_text():
    """Numbers, texts and their beginnings choose actions; wrong entries change nothing and say what
    is wrong."""
    output = run(*PLAY, keys="99\nfly\ncamp\ncamp Z9\nmove N\ncamp a5\n3\nend\nquit\ny\n")
    assert "99: the legal actions have the numbers 1 to 4" in output
    assert "'fly' is neither an action nor a command" in output
    assert "'camp' may be " in output
    assert "'camp Z9' is neither" in output
    assert "'move N' is not legal now" in output
    assert re.search(r"Player 2 .* camp", output)  # which everybody sees
    assert "The position is kept" in output
    assert (saved(KEPT)["player"], saved(KEPT)["turn"]) == (0, 3)
    assert "Turn 3" in run(
        "play", NAME, "--agents", "human,heuristic", "--load", KEPT, keys="quit\n"
    )


@pytest.mark.parametrize("keys", ["quit\n", "quit\n\n", "quit\nn\n", ""])
def test_play_keeps_no_position_that_nobody_wants(keys):
    """Whoever quits is asked; where the input has ended there is nobody to ask."""
    said = run(*PLAY, keys=keys)
    assert said.startswith("Player 1: human, Player 2: heuristic ")
    assert "Keep the position" in said
    assert ("input ended; the game is not finished" in said) == (not keys)
    assert not list(Path().iterdir())


def test_play_gives_the_seats_that_are_left_to_the_last_agent():
    match = Match(load_game("fossil_canyon_v0"), "human,heuristic", {}, 1)
    assert [player.name for player in match.players] == [
        "human",
        "heuristic",
        "heuristic",
        "heuristic",
    ]


def test_people_have_to_remember():
    """Fossil Memory shows people no card that lies face down again, unless they ask for it; agents
    see them by default."""
    for options, recall in (([], "none"), (["--option", "recall=recent"], "recent")):
        run(
            "play",
            "fossil_memory_v0",
            "--agents",
            "human,random",
            *options,
            keys="save remembered.json\nquit\n",
        )
        assert saved("remembered.json")["options"]["recall"] == recall


def test_play_undo():
    """Undo goes back to the previous own decision and takes back what the others did in between."""
    output = run(
        *PLAY, keys="1\nundo\nundo\nsave before.json\n1\nend\nundo\nsave after.json\nquit\n"
    )
    assert "there is nothing to undo" in output
    before, after = saved("before.json"), saved("after.json")
    assert (before["phase"], before["pos"]) == ("camp", [None, None])
    assert (after["turn"], after["player"], after["ap"]) == (1, 0, 4)


def test_play_undo_of_two_people():
    """Undo goes back to the decision of the person who asks for it, and the other's is taken back
    with it."""
    match = Match(load_game(NAME), "human", {}, 1)
    dialogue = Dialogue(match, Console(file=io.StringIO()))
    assert match.seat == 0
    dialogue.carry_out("1")
    assert match.seat == 1
    assert not dialogue.carry_out("undo")  # player_1 has decided nothing yet
    assert match.seat == 1
    dialogue.carry_out("1")
    before = match.env.snapshot()
    dialogue.carry_out("end turn")
    dialogue.carry_out("end turn")
    assert match.seat == 0
    assert dialogue.carry_out("undo")
    assert match.env.snapshot() == before


def test_after_undo_players_remember_what_they_did():
    """As if nothing had been taken back: the same choice, from the same memory."""
    match = Match(
        load_game("fossil_memory"), "human,fossil_memory/remembering", {"recall": "none"}, 3
    )
    dialogue = Dialogue(match, Console(file=io.StringIO()))

    def play(turns):
        for _ in range(turns):
            while match.player is not match.players[1]:
                dialogue.carry_out("1")
            while not match.over and match.player is match.players[1]:
                match.play_agent()

    def remembered():
        ((_, _, memory),) = match.env._memories.values()
        return memory.copy()

    play(3)
    before, position = remembered(), match.env.snapshot()
    assert before.sum() > 2
    dialogue.carry_out("1")
    play(2)
    while match.player is match.players[1]:
        match.play_agent()
    while match.env.snapshot() != position:
        assert dialogue.carry_out("undo")
    np.testing.assert_array_equal(remembered(), before)


FAILING = """
def raises(environment, observation, action_mask): raise RuntimeError("my network is gone")
def illegal(environment, observation, action_mask): return action_mask.argmin(axis=1)
"""


class ChoosesWhatIsIllegal:
    name = "mine"

    def act(self, env, agent=None):
        return int(env.last()[0]["action_mask"].argmin())


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("exec:false", "exec:false, Player 2, ended with exit status 1"),
        ("random", "mine, chose an illegal action"),
        pytest.param(
            "python:failing:raises",
            "raised RuntimeError: my network is gone (failing.py, line 2)",
            marks=pytest.mark.slow,
        ),
        pytest.param("python:failing:illegal", "which is not legal", marks=pytest.mark.slow),
    ],
)
def test_play_goes_on_where_an_agent_fails(agent, why):
    """It is asked once more, then the scripted player moves, and the person is told; taken back, it
    is asked again."""
    Path("failing.py").write_text(FAILING)
    with ending_processes():
        match = Match(load_game("oak_island_v1"), f"human,{agent}", {}, 3)
        dialogue = Dialogue(match, Console(file=io.StringIO(), width=400))
        if agent == "random":
            match.players[1] = ChoosesWhatIsIllegal()
        scripted = load_agent("heuristic", "oak_island_v1")
        moves = 0
        while moves < 4:
            if match.seat == 0:
                dialogue.carry_out("1")
                continue
            before = copy.deepcopy(match.env)
            before.step(scripted.act(before))
            dialogue._let_agent_play()
            assert match.env.snapshot() == before.snapshot()
            moves += 1
        output = " ".join(dialogue.console.file.getvalue().split())
        assert output.count("Player 2 could not move: ") == 2, "later it is asked no more"
        assert why in output
        assert output.count("The scripted player moves in its place.") == 1
        assert output.count("The scripted player moves in its place from now on.") == 1
        while match.seat != 0:
            dialogue._let_agent_play()
        assert dialogue.carry_out("undo")
        while match.seat == 0:
            dialogue.carry_out("1")
        dialogue._let_agent_play()
        assert dialogue.console.file.getvalue().count("could not move") == 3


def test_play_ends_with_the_error_where_the_scripted_player_fails_too(monkeypatch):
    match = Match(load_game("oak_island_v1"), "random,human", {}, 3)

    def fails(instead=None):
        raise RuntimeError("broken")

    monkeypatch.setattr(match, "play_agent", fails)
    with pytest.raises(RuntimeError, match="broken"):
        Dialogue(match, Console(file=io.StringIO())).play()


def test_play_keeps_the_others_secrets():
    """A choice that another seat hides is not named while it plays, nor afterwards."""
    words = (
        "play",
        "fossil_canyon_v0",
        "-o",
        "num_players=2",
        "--agents",
        "human,random",
        "--seed",
        "5",
    )
    output = run(*words, keys="1\n" * 12)
    assert "You choose to hide" in output
    assert "Player 2 chooses to hide" not in output
    assert "Player 2 chooses to hide" in run("watch", *words[1:4], "--seed", "5", "--draw", "never")


def test_play_save_and_load():
    """Save and load work in a game at the terminal; files that are no position for these players
    are refused and change nothing."""
    env = RawAEC(NAME, num_players=3)
    env.reset(seed=0)
    Path("three.json").write_text(json.dumps(env.snapshot()))
    Path("broken.json").write_text("{")
    loads = "".join(f"load {name}.json\n" for name in ("here", "nowhere", "broken", "three"))
    output = run(
        *PLAY,
        keys=f"camp A1\nsave here.json\nend\n{loads}hint\nhelp\nsave no/x\nsave a\0b\nload a\0b\n"
        "show\nrules\nquit\ny\n",
    )
    assert "## Goal" in output, "the rules"
    assert "no/x cannot be written" in output
    assert "embedded null" in output
    assert "saved: here.json" in output
    assert "there is no file nowhere.json" in output
    assert "broken.json is not a saved position" in output
    assert "three.json is a position for 3 players; here are 2" in output
    assert re.search(r"heuristic advises: \d+ [^:]*: score \d+\.\d, all win: \d+ %", output)
    assert "undo back to your previous decision" in output
    assert saved(KEPT) == saved("here.json")
    Path("tampered.json").write_text(json.dumps({**env.snapshot(), "storm": 9}))
    assert "'storm'" in run("play", NAME, "--load", "tampered.json", code=2)
    Path("tampered.json").write_text(json.dumps({**env.snapshot(), "environment": [1]}))
    assert "its environment is [1]" in run("picture", "tampered.json", code=2)


@every_game
def test_a_person_sees_only_their_view(name):
    """The screen is drawn from the deciding seat's view, not from the position."""

    class Drawing:
        """The game, which notes what it draws."""

        drawn: ClassVar = []

        def __getattr__(self, attribute):
            return getattr(load_game(name), attribute)

        def draw(self, position):
            self.drawn.append(position)
            return ""

    match = Match(load_game(name), "human", {}, 5)
    match.game = Drawing()
    Dialogue(match, Console(file=io.StringIO())).show()
    assert match.game.drawn == [match.env.view(match.env.agent_selection)]


@every_game
def test_play_to_the_end(name, monkeypatch):
    """A person who always takes the first legal action gets to the end of the game, and is told the
    largest mistakes."""
    monkeypatch.setattr("dig_envs.agents.mistakes.CANDIDATES", 1)
    monkeypatch.setattr("dig_envs.agents.mistakes.FIRST_ACTIONS", 2000)
    monkeypatch.setattr("dig_envs.agents.mistakes.ACTIONS", 500)
    seats = Match(load_game(name), "random", {}, 2).env.num_seats
    agents = ",".join(["human"] + ["random"] * (seats - 1))
    output = run("play", name, "--agents", agents, "--seed", "2", keys="1\n" * 3000)
    _, _, after = output.partition("The game is over")
    assert re.search(r"Your (largest )?mistakes", after)


# ---------------------------------------------------------------- other commands


def test_without_the_extra():
    """Without Typer the command says what to install."""
    code = "import sys; sys.modules['typer'] = None; import dig_envs.commands.main"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=CHECKOUT
    )
    assert result.returncode == 1
    assert how_to_install("play") in result.stderr


def test_bench():
    """The report has a line for each measurement; this is about its form, not about speed."""
    output = run(
        "bench",
        NAME,
        "--seconds",
        "0.02",
        "--repeats",
        "2",
        "--no-start",
        "--batch-size",
        "64",
        "--json",
        "bench.json",
    )
    (report,) = json.loads(Path("bench.json").read_text())
    assert report["environment"] == NAME
    assert {"PettingZoo connect_four_v3, raw", f"{NAME}, env()"} <= {
        row["what"] for row in report["aec"]
    }
    assert len(report["batch"]) >= 3
    for row in report["aec"] + report["batch"]:
        assert 0 < row["low"] <= row["median"] <= row["high"]
    assert f"state {load_game(NAME).state.itemsize} bytes" in output


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_compile():
    """The command ``compile``, run in a new process, prints the folder of the compiled code, and
    the kernels are there."""
    command = [sys.executable, "-m", "dig_envs.commands.main", "compile", NAME]
    output = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=CHECKOUT
    ).stdout
    (folder,) = re.findall(r"Cretaceous Creek: (\S+)", output)
    assert Path(folder).name.startswith("cretaceous_creek_v0-")
    assert {path.name.partition("-")[0] for path in Path(folder).iterdir()} >= {
        "advance",
        "step_batch",
        "simulate",
        "apply_action",
    }
