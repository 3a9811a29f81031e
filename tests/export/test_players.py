"""The players of an exported game are those of Python by the same names: with the same seed and
memory they make the same choices."""

import json
import shutil
import subprocess
from base64 import b64decode, b64encode
from itertools import islice

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.best import strongest
from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import trained_for
from dig_envs.agents.zoo import policies_of
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.export.machines import host
from dig_envs.export.players import needed_by, weights_of
from dig_envs.registry import list_environments, load_game
from dig_envs.server.protocol.choosing import AgentError, agents_of, choose
from dig_envs.server.protocol.limits import Limits
from tests.export.node import HERE, POLICY, SMALL, needs_node, node
from tests.export.programs import build
from tests.export.recurrent import REMEMBERING, recurrent_policies
from tests.export.serving import serving
from tests.games import positions
from tests.server.browsing import PATIENCE, browsing

pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")
BY_DEFAULT = {SMALL, "fossil_memory_v0"}
PEOPLE = {"fossil_memory_v0": {"recall": "none"}}  # options for which no policy was trained
SEARCH = "search:sims=20"


def asked_in_node(folder, game, questions):
    path = folder / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, questions)))
    return node("players.mjs", folder / f"{game.name}.js", path)


def asked_in_c(folder, game, questions):
    if not (folder / "players").exists():
        build(folder, game, host(), "players.c", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1")
    said = said_in_c(folder, questions, *folder.glob("*.weights"))
    return [json.loads(line) for line in said.splitlines()]


def said_in_c(folder, questions, *weights):
    lines = []
    for one in questions:
        memory = {None: "-", "=": "="}.get(one["memory"], f"+{one['memory']}")
        parts = (one["seat"], one["seed"], one["name"], memory, json.dumps(one["position"]))
        lines.append("\t".join(map(str, parts)) + "\n")
    words = [str(folder / "players"), *map(str, weights)]
    done = subprocess.run(words, input="".join(lines), capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


DOORS = {"wasm": asked_in_node, "c": asked_in_c}


def names_of(game):
    """All names that ``describe`` lists, with settings, and as guides of a search."""
    for name in agents_of(game):
        own = name in ("heuristic", *game.players)
        yield SEARCH if name == "search" else name
        yield from (f"{name}:careless=0.3" for _ in range(own))
        yield from (f"{game.name}/{name}:careless=1" for _ in range(own))
        if name.startswith("heuristic:"):
            yield f"{name}:careless=0.5"
        if "/" in name:
            yield f"{name}:sample"
            yield f"{name.partition('/')[2]}:sample"
        if "/" in name or name == "best":
            yield f"{name}+{SEARCH}"
            yield f"{name}+{SEARCH}:root=puct:c=0.70"
            yield f"{game.env_name}/{name.rpartition('/')[2]}+{SEARCH}"


def expected(game, states, seat, name, seed, memory=""):
    """Return what the protocol answers; None if it refuses the name."""
    try:
        found = choose(game, states, seat, name, None, seed, Limits(), memory=memory)
    except (AgentError, ValueError):
        return None
    said = {"action": found["action"], "memory": found["memory"] or ""}
    return {**said, "agent": found["agent"]} if "search" in name else said


def check_names(exported, game, options, count):
    """Each name in some positions."""
    questions, answers = [], []
    for env in islice(positions(game.env_name, options, games=2, every=5), count):
        seat = int(env.states["to_move"][0])
        position = game.to_snapshot(env.states[0])
        for k, name in enumerate(names_of(game)):
            question = {"position": position, "seat": seat, "name": name, "seed": k, "memory": ""}
            questions.append(json.loads(json.dumps(question)))
            answers.append(expected(game, env.states, seat, name, k))
    results = []
    for to, asked in DOORS.items():
        found = asked(exported(game.env_name, to), game, questions)
        played, drawn = set(), 0
        for question, here, there in zip(questions, answers, found, strict=True):
            name = question["name"]
            if "refused" not in there:
                offered = there.pop("offered")
                assert offered or name != name.partition(":")[0] or "+" in name or "/" in name
                assert there == {key: here[key] for key in there}, (to, question)
                played.add(name)
                drawn += there["action"] != expected_without_chance(game, question)
            else:
                check_refusal(game, question, there, here, to)
        results.append((played, drawn))
    assert results[0] == results[1]
    return results[0]


def expected_without_chance(game, question):
    """Return what the scripted player does where a careless one was asked."""
    if "careless" not in question["name"]:
        return None
    states = game.from_snapshot(question["position"])
    return expected(game, states, question["seat"], "heuristic", 0)["action"]


def check_refusal(game, question, there, here, to):
    """What is not in the export is refused in words that say what is missing."""
    name, words = question["name"], there["refused"]
    lacking = [policy for policy in policies_of(game) if policy in words]
    if "not in this export" in words:
        assert f"--to {to} --policy {lacking[0]}" in words or (
            "best" in name and "--policy best" in words
        )
    elif "trained for these options" in words:
        assert there["code"] == -17
    else:
        assert "plays in Python only" in words or here is None, (name, words)


@needs_node
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in BY_DEFAULT else pytest.mark.slow)
        for name in list_environments()
    ],
)
def test_all_names_choose_as_in_python(name, exported):
    game, options, policies = load_game(name), {}, set()
    if (policy := f"{game.name}/policy") in policies_of(game):
        policies = {policy, f"{policy}:sample", f"{policy}+{SEARCH}"}
        options = next(iter(trained_for(load_agent(policy, name).card, game)), {})
    played, drawn = check_names(exported, game, options, 6)
    least = {"random", "easy", "medium", "hard", SEARCH, *policies}
    assert played >= least | {f"heuristic:style={style}" for style in game.styles}
    assert drawn > 0
    if name in PEOPLE:
        played, _ = check_names(exported, game, PEOPLE[name], 6)
        assert played >= {"easy", "medium", "hard", "best", SEARCH}
        assert not played & policies


# by default in JavaScript alone, which a library in C has within it
every_door = pytest.mark.parametrize("to", ["wasm", pytest.param("c", marks=pytest.mark.slow)])


@needs_node
@every_door
@pytest.mark.parametrize("player", ["remembering", "medium", "hard"])
def test_players_with_a_memory_remember_as_in_python(exported, player, to):
    """Whole games, in each of which a seat goes on with the memory of its last answer."""
    name = "fossil_memory_v0"
    game, questions, answers = load_game(name), [], []
    for seed, recall in enumerate(["none", "recent"]):
        memories = {}
        for env in positions(name, {"recall": recall}, games=1, every=1, seed=seed):
            seat = int(env.states["to_move"][0])
            position = game.to_snapshot(env.states[0])
            question = {"seat": seat, "name": player, "seed": len(questions)}
            question |= {"position": position, "memory": memories.get(seat, "")}
            answer = expected(game, env.states, seat, player, len(questions), question["memory"])
            memories[seat] = answer["memory"]
            questions.append(json.loads(json.dumps(question)))
            answers.append(answer)
    assert len({one["memory"] for one in answers}) > 50
    wrong = [{**questions[-1], "memory": text} for text in ("x", "AAAA", "////" * 32, None)]
    found = DOORS[to](exported(name, to), game, questions + wrong)
    own, refused = found[: len(answers)], found[len(answers) :]
    assert [{key: one[key] for key in ("action", "memory")} for one in own] == answers
    for one in refused:
        assert one["code"] == -18
        assert "memory" in one["refused"]


def recurrent_games(tmp_path_factory, number, max_turns, least):
    """Return questions and answers of a recurrent policy that plays whole games in all seats
    without recall, and the last memory. There are at least so many."""
    folder = recurrent_policies(tmp_path_factory.getbasetemp())[number]
    agent, questions, answers = load_agent(str(folder), REMEMBERING), [], []
    env = RawAEC(REMEMBERING, recall="none", max_turns=max_turns)
    while len(questions) < least:
        env.reset(seed=len(questions))
        memories = {}
        while not env.states["over"][0]:
            seat, seed = int(env.states["to_move"][0]), len(questions)
            question = {"seat": seat, "name": agent.name, "seed": seed}
            question |= {"position": env.game.to_snapshot(env.states[0])}
            question |= {"memory": "=" if seat in memories else ""}
            questions.append(json.loads(json.dumps(question)))
            memory = memories.setdefault(seat, np.zeros((1, agent.memory_size), np.float32))
            vector, mask = env.game.look(env.states, seat)
            (action,) = agent.act_batch(vector[None], mask[None], env.states, [seat], memory)
            answers.append(int(action))
            env.step(int(action))
    return questions, answers, memory[0]


@needs_node
@every_door
@pytest.mark.parametrize("number", [0, 1], ids=["shipped", "cells"])
@pytest.mark.parametrize(
    ("max_turns", "least"), [(10, 20), pytest.param(200, 501, marks=pytest.mark.slow)]
)
def test_recurrent_policies_choose_as_in_python(
    exported, tmp_path_factory, number, max_turns, least, to
):
    """Whole games without recall, in which each program goes on with its own memory."""
    questions, answers, memory = recurrent_games(tmp_path_factory, number, max_turns, least)
    longer = b64encode(np.zeros(len(memory) + 1, np.float32).tobytes()).decode()
    not_finite = b64encode(np.full(memory.shape, np.inf, np.float32).tobytes()).decode()
    wrong = ("x", "AAAA", longer, not_finite, None)
    asked_wrong = [{**questions[0], "memory": text} for text in wrong]
    game = load_game(REMEMBERING)
    found = DOORS[to](exported(REMEMBERING, to), game, questions + asked_wrong)
    assert [one.get("action") for one in found[: len(answers)]] == answers
    after = np.frombuffer(b64decode(found[len(answers) - 1]["memory"]), np.float32)
    np.testing.assert_allclose(after, memory, rtol=1e-3, atol=1e-3)
    for one in found[len(answers) :]:
        assert one["code"] == -18
        assert "memory" in one["refused"]


def test_what_c_refuses(library):
    """Names, seats and times, and policies before they are loaded, each in words."""
    game = load_game(SMALL)
    asked_in_c(library, game, [])
    states = next(positions(SMALL, {}, games=1, every=1)).states
    seat, position = int(states["to_move"][0]), game.to_snapshot(states[0])
    cases = [
        ("nobody", seat, -18, "there are random, heuristic"),
        ("x" * 2000, seat, -18, "no player"),
        ("hard:sims=3", seat, -18, "hard has no settings"),
        ("heuristic:style=none", seat, -18, "style"),
        ("search:sims=0", seat, -9, "sims=0"),
        ("search:ms=0", seat, -9, "milliseconds"),
        ("search:ms=5:sims=5", seat, -9, "either"),
        ("search:nothing=1", seat, -8, "no such setting"),
        ("policy", seat, -10, "go_dig_load_policy"),
        (POLICY, seat, -10, f"{POLICY} has not been loaded: go_dig_load_policy"),
        (f"{POLICY}+search", seat, -10, "go_dig_load_policy"),
        *(("random", other, -2, "seat") for other in (-1, 99, -1000)),
        ("random", 1 - seat, -3, "not to decide"),
    ]
    common = {"position": position, "seed": 2**64 - 1, "memory": ""}
    questions = [{**common, "name": name, "seat": other} for name, other, *_ in cases]
    done = [*map(json.loads, said_in_c(library, questions).splitlines())]
    for (name, _, code, words), found in zip(cases, done, strict=True):
        assert (found["code"], words in found["refused"]) == (code, True), (name, found)
    (found,) = asked_in_c(library, game, [{**common, "name": "search:ms=30", "seat": seat}])
    assert found["action"] in game.legal_actions(states, seat)


@needs_node
def test_what_a_player_needs_is_loaded_or_refused_at_once(exported):
    folder = exported("fossil_memory_v0")
    other = "fossil_memory/memory"
    asked = [["best", {"numPlayers": 2}], ["heuristic", {}], [other, {"numPlayers": 2}], ["x", {}]]
    found = node("ready.mjs", folder / "fossil_memory.js", json.dumps(asked))
    assert found[:2] == [True, True]
    assert found[2].startswith(f"{other} is not in this export")
    assert found[2].endswith(f"dig-envs export fossil_memory_v0 --to wasm --policy {other}")
    assert found[3].startswith('no player "x"')


@pytest.mark.parametrize("name", list_environments())
def test_best_is_exported_with_all_that_it_needs(name):
    game = load_game(name)
    needed = needed_by(game, "best")
    assert needed == needed_by(game, f"{game.name}/best") == needed_by(game, f"{name}/best")
    assert [weights_of(game, one).name for one in needed] == needed
    for count in range(game.min_players, game.max_players + 1):
        best = strongest(game, game.complete_options({"num_players": count}))
        assert best in needed or best not in policies_of(game)
    assert needed_by(game, f"{game.name}/policy") == [f"{game.name}/policy"]


# ---------------------------------------------------------------- thinking


def check_thought(said):
    assert 250 < said["time"] < 30_000
    assert said["shares"] == sorted(said["shares"])
    assert len(said["shares"]) > 2
    assert all(0 <= share <= 1 for share in said["shares"])
    assert said["simulations"] > 10
    assert said["agent"] == "search:ms=300:guide=none"
    assert said["others"] == ["heuristic", "heuristic", "go_dig/policy:sample"]
    assert said["aborted"] == said["aborted_before"] == "AbortError"
    assert said["aborted_after"] < 30_000
    assert (said["refused"], said["thrown"]) == ("GameError", "mine")
    assert said["legal"]
    assert said["same"]
    assert said["unchanged"]


@needs_node
def test_players_think_in_a_worker_of_node(package):
    check_thought(node("thinking.mjs", package / "go_dig.js"))


@needs_node
def test_without_a_worker_they_think_a_little_at_a_time(package, tmp_path):
    shutil.copytree(package, tmp_path / "alone")
    (tmp_path / "alone" / "thinker.js").unlink()
    check_thought(node("thinking.mjs", tmp_path / "alone" / "go_dig.js"))


def test_players_think_in_a_worker_of_a_browser(package, tmp_path):
    shutil.copytree(package, tmp_path / "site")
    shutil.copy(HERE / "thinking.js", tmp_path / "site")
    (tmp_path / "site" / "think.html").write_text(
        '<!doctype html><script type="module">'
        'import { load } from "./go_dig.js"; import { thinking } from "./thinking.js";'
        "globalThis.said = await thinking(load).catch((error) => String(error.stack));</script>"
    )
    with serving(tmp_path / "site") as address, browsing() as browser:
        page = browser.new_page()
        page.goto(f"{address}think.html")
        page.wait_for_function("globalThis.said", timeout=PATIENCE)
        check_thought(page.evaluate("globalThis.said"))
        assert len(page.workers) > 0
