"""The assistant for a real table: a game typed from a log of events is followed, and the advice is
that with full views."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.seat import Seat
from dig_envs.agents.advice import advise
from dig_envs.commands.assistant import Assistant
from dig_envs.commands.beginning import begin
from dig_envs.commands.main import app
from dig_envs.registry import load_game
from tests.games import NEWEST, mostly_heuristic, needs_compiling, play

pytestmark = needs_compiling
AGENTS = ["heuristic", "fossil_canyon/policy", "search:sims=20:guide=none"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    for name, value in (("ACTIONS", 600), ("FIRST_ACTIONS", 300), ("DEALS_OF_REASONS", 3)):
        monkeypatch.setattr(f"dig_envs.agents.advice.{name}", value)


def run(*words, keys="", code=0, command="advise"):
    result = CliRunner().invoke(app, [command, *words], input=keys, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def log_of(name, seat, agent, most, **options):
    """The view that a game begins with for a seat, the sentences that the seat is told, and what an
    agent advises with full views."""
    env = RawAEC(name, **options)
    env.reset(seed=1)
    player = env.possible_agents[seat]
    Path("view.json").write_text(json.dumps(env.view(player)))
    first, advisor, advice = len(env.event_log), dig_envs.load_agent(agent, env=name, seed=0), []
    for _ in play(env, np.random.default_rng(1), mostly_heuristic, most):
        if env.agent_selection == player:
            advice.append([f"  {one}" for one in advise(env, advisor)])
    return [str(event) for event in env.event_log.told(seat, first)], advice


def check_log(name, seat, agent, most, **options):
    lines, advice = log_of(name, seat, agent, most, **options)
    words = ("--load", "view.json", "--seat", str(seat + 1), "--agent", agent)
    said = run(name, *words, keys="\n".join(lines) + "\n").splitlines()
    at = 0
    for entries in advice:
        for entry in entries:
            at = said.index(entry, at) + 1
    assert len(advice) > 3


@pytest.mark.parametrize(("name", "most"), [("go_dig_v0", 14), ("fossil_canyon_v0", 22)])
def test_a_log_of_events_gives_the_same_advice(name, most):
    check_log(name, 1, "heuristic", most)


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
def test_a_longer_log_gives_the_same_advice(agent):
    check_log("fossil_canyon_v0", 1, agent, 30)


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["go_dig_v0", "fossil_canyon_v0"])
def test_a_log_of_a_whole_game_gives_the_same_advice(name, seat):
    check_log(name, seat, "heuristic", 10**6)


def test_the_first_wrong_line_of_a_log_is_named_and_ends_it():
    lines, _ = log_of("go_dig_v0", 0, "heuristic", 4)
    words = ("go_dig_v0", "--load", "view.json", "--seat", "1")
    for wrong, part in (
        ("Player 2 sings.", "no event"),
        ("asked 9 9 TRI", "not a seat"),
        ("{", "JSON"),
        ("back", "nothing to take"),
        ("skipped 2", "event 1 cannot come now: Player 2"),
    ):
        said = run(*words, keys="\n".join([wrong, "999", *lines]) + "\n", code=1)
        assert re.search(rf"line 1: .*{part}", said), said[-500:]
        assert "line 2" not in said


def test_a_log_that_ends_inside_an_action_says_so():
    lines, _ = log_of("go_dig_v0", 0, "heuristic", 4)
    words = ("go_dig_v0", "--load", "view.json", "--seat", "1")
    asked = next(n for n, line in enumerate(lines) if line.startswith("You ask"))
    keys = "\n".join(lines[: asked + 1]) + "\n"
    assert "the last 1 lines are not a complete action" in run(*words, keys=keys, code=1)


def test_an_opening_in_a_pipe_names_its_wrong_line():
    hand = "ALL2 TRI1 COE1 ANK3 DIL1 QUE2 MOS1"
    assert "line 1: players are 1 to" in run("go_dig_v0", keys="9\n1\n", code=2)
    assert "line 1: hands, yours: 'XXX' is" in run("go_dig_v0", "--seat", "1", keys="XXX\n", code=2)
    answers = f"1\n{hand}\n\n\n\n"
    assert "line 6: no event 'sings'" in run("go_dig_v0", keys=f"{answers}sings\n", code=1)
    assert "--seat must be from 1 to 2, not 9" in run("go_dig_v0", "--seat", "9", code=2)


def test_taking_back_saving_and_going_on():
    lines, _ = log_of("go_dig_v0", 0, "heuristic", 4)
    words = ("go_dig_v0", "--load", "view.json", "--seat", "1")
    keys = "\n".join([*lines, "save one.json", "back", "save two.json", "quit"]) + "\n"
    assert "saved: one.json" in run(*words, keys=keys)
    one, two = (json.loads(Path(f"{name}.json").read_text()) for name in ("one", "two"))
    assert two == {**one, "told": one["told"][:-1]}
    run("go_dig_v0", "--load", "two.json", keys="back\nsave three.json\nquit\n")
    assert json.loads(Path("three.json").read_text()) == {**one, "told": one["told"][:-2]}
    for text in ("{", "[]", "3", '{"told": []}', '{"seat": 0}', json.dumps({**one, "seat": 9})):
        Path("bad.json").write_text(text)
        told = run("go_dig_v0", "--load", "bad.json", code=2)
        assert "bad.json is not a saved game" in told, text
    assert "not a saved game of diggity" in run("diggity_v0", "--load", "one.json", code=2)
    assert "the game of player 1" in run("go_dig_v0", "--load", "one.json", "--seat", "2", code=2)
    for seat in ("3", "9"):  # as without a file
        said = run("go_dig_v0", "--load", "view.json", "--seat", seat, code=2)
        assert f"--seat must be from 1 to 2, not {seat}" in said
    assert "there is no file" in run("go_dig_v0", "--load", "none.json", code=2)


def test_the_mistakes_of_a_saved_game(monkeypatch):
    """They are those of its seat, and none of what was taken back; views do not tell them."""
    every = {"LEAST": 101.0, "LEAST_SCORE": -1000.0, "stands_out": lambda gains, errors: True}
    for name, value in {"FIRST_ACTIONS": 3000, "ACTIONS": 3000, **every}.items():
        monkeypatch.setattr(f"dig_envs.agents.mistakes.{name}", value)
    lines, _ = log_of("go_dig_v0", 0, "heuristic", 8)
    keys = "\n".join([*lines, "save game.json"]) + "\n"
    run("go_dig_v0", "--load", "view.json", "--seat", "1", keys=keys)
    told = run("game.json", "--most", "2", command="review")
    seat = Seat.from_json(json.loads(Path("game.json").read_text()))
    assert told.startswith("Your largest mistakes")
    found = seat.mistakes(2)
    assert len(found) == 2
    assert all(str(one) in told for one in found)
    seat.back(len(seat.to_json()["told"]))
    assert seat.mistakes() == []
    seat.saw(seat.view())
    with pytest.raises(ValueError, match="its actions are not known"):
        seat.mistakes()
    Path("view.json").write_text(json.dumps(seat.to_json()))
    assert "its actions are not known" in run("view.json", command="review", code=2)
    assert "there is no file" in run("none.json", command="review", code=2)


def test_a_saved_game_keeps_what_an_agent_remembers():
    """The advice of an agent with a memory is the same in a game that goes on."""
    lines, _ = log_of("fossil_memory_v0", 0, "heuristic", 13)
    lines = lines[: len(lines) - lines[::-1].index("You have the turn.")]
    words = ("fossil_memory_v0", "--agent", "remembering")
    first = (*words, "--load", "view.json", "--seat", "1")
    said = run(*first, keys="\n".join([*lines, "save all.json", "show", "quit"]) + "\n")
    again = run(*words, "--load", "all.json", keys="quit\n")
    shown, before = (re.findall(r"  .* %.*", text) for text in (again, said))
    assert len(shown) == 3
    assert shown == before[-3:]


@pytest.mark.parametrize("name", NEWEST)
def test_an_opening_is_asked_for(name):
    """What differs between deals, and nothing else; the answers make the view."""
    env = RawAEC(name)
    env.reset(seed=7)
    view = env.view(env.possible_agents[0])
    asked = []

    def ask(question):
        asked.append(question)
        if question.startswith("Which player"):
            return "1"
        in_hand = r"cards in the hand of (?=Player)"
        question = re.sub(in_hand, f"{'hands' if 'hands' in view else 'hidden'}, ", question)
        key, place, whose = re.match(
            r"(\w+)(?: (\w+))?(?:, (yours|Player \d+))?, such as", question
        ).groups()
        if place:
            return view[key][place][-1]
        place = 0 if whose == "yours" else int((whose or "Player 0").split()[1]) - 1
        entry = view[key] if place < 0 else view[key][place]
        return " ".join(entry) if _words(entry) else json.dumps(entry)

    seat = begin(env.game, None, {}, ask)
    seen = seat.view()
    assert {key for key in view if seen.get(key) != view[key]} <= {"seed", "rng", "environment"}
    assert asked[0].startswith("Which player")


def type_into(seat, lines):
    """Let a person at a terminal type; returns what was said."""
    said, typed = StringIO(), iter(lines)
    console = Console(file=said, width=100)
    console.input = lambda question: next(typed)
    with suppress(StopIteration):
        Assistant(seat, dig_envs.load_agent("heuristic", env=seat.game.env_name), console).run()
    return said.getvalue()


@pytest.mark.slow
def test_a_wrong_event_is_corrected_and_the_others_are_kept():
    lines, _ = log_of("fossil_canyon_v0", 1, "heuristic", 16)
    view = json.loads(Path("view.json").read_text())
    wrong = lines.index("Player 1 turns Mosasaurus part 1 face up.")
    begins = lines.index("Player 4 has chosen.")
    end = lines.index("Player 1 exposes Parasaurolophus part 1.") + 1
    true, lines[wrong] = lines[wrong], "Player 1 turns Tyrannosaurus part 1 face up."
    seat, right = Seat(view, 1), Seat(view, 1)
    said = type_into(seat, [*lines[:end], "", true, ""])
    assert f"Type event {wrong - begins + 1} anew" in " ".join(said.split())
    type_into(right, [*lines[:wrong], true, *lines[wrong + 1 : end], ""])
    assert seat.view() == right.view() != view


def test_the_last_event_is_taken_back_before_an_action():
    lines, _ = log_of("go_dig_v0", 0, "heuristic", 6)
    view = json.loads(Path("view.json").read_text())
    seat = Seat(view, 0)
    asked = next(line for line in lines if line.startswith("You ask"))
    type_into(seat, [asked, "back", "back", "save first.json", "action 1 1", "action 1 1"])
    assert Seat.from_json(json.loads(Path("first.json").read_text())).view() == view


def test_an_answer_that_cannot_be_right_is_asked_for_again():
    answers, asked = iter(["9", "1", "", "", "TRI1 XXX", "TRI1 ALL2 ANK3 QUE2 COE1 DIL1 MOS1"]), []

    def ask(question):
        asked.append(question)
        return next(answers, "")

    assert begin(load_game("go_dig_v0"), None, {}, ask).view()["hands"][0][0] == "TRI1"
    assert any(question.startswith("players are 1 to") for question in asked)
    assert any("'XXX' is not one of" in question for question in asked)


def test_an_opening_is_typed_in_any_case_explained_and_gone_back_in():
    cards = "TRI1 ALL2 ANK3 QUE2 COE1 DIL1 MOS1"
    asked, answers = [], iter(["1", "?", "", "8", "back", "", "BACK", cards.lower()])

    def ask(question):
        asked.append(question)
        return next(answers, "")

    seat = begin(load_game("go_dig_v0"), None, {}, ask)
    assert seat.view()["hands"][0] == cards.split()
    assert any("the names are" in question and "MOS2" in question for question in asked)
    assert any("cards in the hand of Player 2" in question for question in asked)
    assert not any("snapshot key" in question for question in asked)


def test_an_opening_may_be_typed_in_any_order():
    answers = iter(["1", "", "", "ALL2 TRI1 COE1 ANK3 DIL1 QUE2 MOS1", *[""] * 9])
    seat = begin(load_game("go_dig_v0"), None, {}, lambda question: next(answers))
    assert seat.view()["hands"][0] == ["TRI1", "ALL2", "ANK3", "QUE2", "COE1", "DIL1", "MOS1"]


def _words(entry):
    return isinstance(entry, list) and bool(entry) and all(isinstance(one, str) for one in entry)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals")
def test_a_person_picks_from_lists():
    """In a terminal: the numbers of actions and of events, help, and the advice."""
    log_of("go_dig_v0", 0, "heuristic", 1)
    main, other = pty.openpty()
    command = [sys.executable, "-c", "from dig_envs.commands.main import app; app()"]
    words = ["advise", "go_dig_v0", "--load", "view.json", "--seat", "1"]
    with subprocess.Popen(
        [*command, *words], stdin=other, stdout=other, stderr=other, close_fds=True
    ) as process:
        os.close(other)
        os.write(main, b"?\n1\n1\nquit\n")
        said = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
        process.wait(60)
    os.close(main)
    text = said.decode()
    assert "What did you do?" in text
    assert "What was told?" in text or "What else was told?" in text
    assert "take back the last event" in text
    assert re.search(r": \d+ %\. ", text)
