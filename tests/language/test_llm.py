"""Language models as players: what they are asked, what their answers do, and what happens when a
server does not behave."""

import json
import logging
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dig_envs
from dig_envs.agents import llm_stand_in
from dig_envs.agents.llm import MOST_FAILURES, LlmAgent, check_public_name
from dig_envs.agents.llm_chat import LONGEST_REASON, Chat, LlmSettings
from dig_envs.agents.llm_stand_in import StandIn, at_random
from dig_envs.agents.loading import load_agent, parse_spec
from dig_envs.agents.matches import play_games
from dig_envs.arena import Report, run
from dig_envs.arena.show import tables
from dig_envs.benchmark import measure
from dig_envs.benchmark.report import Report as BenchmarkReport
from dig_envs.benchmark.show import tables as benchmark_tables
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.texts import is_hidden
from dig_envs.language.prompts import HOW_TO_ANSWER, offered_actions
from dig_envs.server.thinking import Think, think
from tests.language import faults

pytest.importorskip("openai")

GAME = "go_dig_v0"
KEY = "sk-a-key-that-nobody-must-see"
SHORT = {"max_turns": 4}
Message = dict[str, str]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr("dig_envs.agents.llm_chat.WAIT", 0.01)


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with StandIn(at_random(1)) as server:
        yield server


def player(url: str, spec: str = "llm:model", game: str = GAME, **settings: Any) -> LlmAgent:
    agent = load_agent(
        spec,
        game,
        seed=1,
        **{"base_url": url, "key_env": "TEST_KEY", "seconds": 20, "retries": 0, **settings},
    )
    assert isinstance(agent, LlmAgent)
    return agent


def answering(*texts: str) -> Callable[[Sequence[Message]], str]:
    """Answers one after the other, the last for ever; ``FIRST`` is the first legal action."""
    left = list(texts)

    def answer(messages: Sequence[Message]) -> str:
        text = left.pop(0) if len(left) > 1 else left[0]
        first = offered_actions(
            next(m["content"] for m in reversed(messages) if "## Legal actions" in m["content"])
        )[0]
        return text.replace("FIRST", str(first))

    return answer


def started(**options: Any) -> Any:
    env = dig_envs.make(GAME, **options)
    env.reset(seed=1)
    return env


# --------------------------------------------------------------- what is asked, and what answers do


def test_the_model_is_asked_with_the_prompt_of_its_seat(stand_in: StandIn) -> None:
    asked: list[Sequence[Message]] = []
    usual = stand_in.answering
    stand_in.answering = lambda messages: asked.append(messages) or usual(messages)  # type: ignore[func-returns-value]
    env = started()
    prompt = env.unwrapped.prompt("player_0")
    action = player(stand_in.url).act(env)
    assert player(stand_in.url).act_view(env.unwrapped.view("player_0")) == action
    assert asked == [prompt.messages()] * 2
    assert HOW_TO_ANSWER in asked[0][0]["content"]
    assert action in env.unwrapped.game.legal_actions(env.unwrapped.states, 0)


def test_whole_games_are_the_same_each_time(stand_in: StandIn) -> None:
    results = [
        play_games(GAME, [player(stand_in.url), load_agent("heuristic", GAME)], 2, options=SHORT)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(results[0].scores, results[1].scores)
    np.testing.assert_array_equal(results[0].lengths, results[1].lengths)
    assert results[0].forfeits == ()
    assert {**results[0].usage[0], "seconds": 0} == {**results[1].usage[0], "seconds": 0}
    usage = results[0].usage[0]
    assert usage["decisions"] == usage["requests"] > 0
    assert usage["prompt_tokens"] > 500 * usage["requests"]
    assert results[0].usage[1] == {}


def test_wrong_answers_are_told_back() -> None:
    asked: list[Sequence[Message]] = []
    answer = answering("I do not know.", "99999", "<answer>FIRST</answer>")
    with StandIn(lambda messages: asked.append(messages) or answer(messages)) as server:  # type: ignore[func-returns-value]
        agent = player(server.url, price_in=2.0, price_out=10.0)
        env = started()
        action = agent.act(env)
    assert action == env.unwrapped.game.legal_actions(env.unwrapped.states, 0)[0]
    assert [len(messages) for messages in asked] == [2, 4, 6]
    assert asked[1][2] == {"role": "assistant", "content": "I do not know."}
    assert asked[1][3]["content"].startswith("Your answer names no action; answer with one action")
    assert asked[2][5]["content"].startswith("The action 99999 is not legal now; ")
    usage = agent.usage
    assert (usage["requests"], usage["unreadable"], usage["illegal"], usage["random_actions"]) == (
        3,
        1,
        1,
        0,
    )
    assert usage["cost"] == pytest.approx(
        (usage["prompt_tokens"] * 2 + usage["answer_tokens"] * 10) / 1e6
    )


def test_after_the_last_repeat_the_game_is_given_up_or_a_legal_action_drawn() -> None:
    with StandIn(answering("Hm.")) as server:
        with pytest.raises(ForfeitError, match=r"gave no legal action in 2 answers$"):
            player(server.url, repeats=1).act(started())
        agent = player(server.url, repeats=1, fail="random")
        env = started()
        assert agent.act(env) in env.unwrapped.game.legal_actions(env.unwrapped.states, 0)
        assert agent.usage["random_actions"] == 1
        assert agent.usage["unreadable"] == agent.usage["requests"] == 2


def test_the_tokens_of_a_game_are_limited(stand_in: StandIn) -> None:
    results = play_games(
        GAME,
        [player(stand_in.url, game_tokens=3000), load_agent("random", GAME)],
        2,
        options={"max_turns": 40},
    )
    assert [forfeit.agent for forfeit in results.forfeits] == [0, 0]
    assert "has used the 3000 tokens of the game" in results.forfeits[0].reason
    assert results.usage[0]["requests"] <= 2 * 3


def test_earlier_turns_go_along_if_that_is_asked_for(stand_in: StandIn) -> None:
    asked: list[Sequence[Message]] = []
    usual = stand_in.answering
    stand_in.answering = lambda messages: asked.append(messages) or usual(messages)  # type: ignore[func-returns-value]
    agent, env = player(stand_in.url, turns=1), started()
    for _ in range(3):
        while env.agent_selection != "player_0":
            env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        env.step(agent.act(env))
    assert [len(messages) for messages in asked] == [2, 4, 4]
    assert [message["role"] for message in asked[2]] == ["system", "user", "assistant", "user"]
    assert asked[2][1] == asked[1][3]
    env.reset(seed=2)
    while env.agent_selection != "player_0":
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    agent.act(env)
    assert len(asked[3]) == 2  # nothing of the game before


def test_a_transcript_for_each_game(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.answering = at_random(1, bad=0.3)
    agent = player(
        stand_in.url, "llm:some/model:8b", transcript=str(tmp_path / "new"), fail="random"
    )
    play_games(GAME, [agent, load_agent("random", GAME)], 2, options=SHORT)
    files = sorted((tmp_path / "new").iterdir())
    assert len(files) == 2
    assert files[0].name.startswith("go_dig_v0-some_model_8b-")
    head, *lines = [json.loads(line) for line in files[0].read_text().splitlines()]
    assert (head["seat"], head["model"], head["prompt_version"], head["options"]["max_turns"]) == (
        0,
        "some/model:8b",
        1,
        4,
    )
    assert head["system"].startswith("# Go Dig\n")
    for line in lines:
        assert line.keys() in (
            {"decision", "attempt", "prompt", "answer", "parse", "usage"},
            {"decision", "random_action", "reason"},
        )
    legal = [line for line in lines if line.get("parse", {}).get("outcome") == "legal"]
    assert {line["decision"] for line in lines} == set(
        range(1, max(line["decision"] for line in lines) + 1)
    )
    assert sum(line["usage"]["answer_tokens"] > 0 for line in legal) == len(legal) > 0
    assert KEY not in files[0].read_text()


# ---------------------------------------------------------------- servers that do not behave


def gives_up(url: str, message: str, **settings: Any) -> str:
    """The game is given up, within a few seconds, and nothing of the key is told."""
    start = time.monotonic()
    with pytest.raises(ForfeitError, match=message) as caught:
        player(url, **{"seconds": 5, **settings}).act(started())
    assert time.monotonic() - start < 10
    text = f"{caught.value!r} {caught.value.__cause__!r}"
    assert KEY not in text
    return text


@pytest.mark.parametrize("body", faults.GARBAGE.values(), ids=faults.GARBAGE)
def test_garbage(body: bytes) -> None:
    with StandIn(answering(""), handler=faults.said(body)) as server:
        gives_up(server.url, "the server (gave .* not a chat completion|answered without a text)")


@pytest.mark.parametrize(
    ("handler", "message", "settings"),
    [
        (faults.slow, "did not answer within 0.3 seconds", {"seconds": 0.3}),
        (faults.dripping, "did not (answer|end its answer) within 0.3 seconds", {"seconds": 0.3}),
        (faults.dripping_head, "did not answer within 0.3 seconds", {"seconds": 0.3}),
        (faults.endless, "answered with more than 1048576 bytes", {}),
        (faults.endless_error, "answered with status 500", {}),
        (faults.bomb, "answered with more than 1048576 bytes", {}),
        (faults.closing, "could not be asked", {}),
        (faults.half, "could not be asked", {}),
        (faults.redirecting, "answered with status 307", {}),
        (faults.echoing_error, "answered with status 401$", {}),
        (faults.echoing, "gave no legal action in 3 answers$", {}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_servers_that_do_not_answer_well(
    handler: type[faults.Faulty], message: str, settings: dict[str, Any]
) -> None:
    with StandIn(answering(""), handler=handler) as server:
        gives_up(server.url, message, **settings)


def test_a_server_that_is_down() -> None:
    with StandIn(answering("")) as server:
        url = server.url
    gives_up(url, "could not be asked")


def test_failed_requests_are_made_again() -> None:
    class Busy(llm_stand_in.Handler):
        times = 0

        def respond(self, messages: Sequence[Message], model: str) -> None:
            Busy.times += 1
            if Busy.times < 3:
                self.send(429 if Busy.times == 1 else 503, {"error": "busy"})
            else:
                super().respond(messages, model)

    with StandIn(at_random(), handler=Busy) as server:
        agent = player(server.url, retries=2)
        agent.act(started())
        assert (agent.usage["requests"], agent.usage["failed_requests"], Busy.times) == (1, 0, 3)


def test_usage_that_a_server_does_not_tell_or_invents_is_estimated() -> None:
    for usage in (
        {},
        {"usage": None},
        {"usage": {"prompt_tokens": -1, "completion_tokens": 2}},
        {"usage": {"prompt_tokens": "9"}},
    ):
        body = json.dumps(faults.completion("pass", **usage)).encode()
        with StandIn(answering(""), handler=faults.said(body)) as server:
            reply = Chat("model", LlmSettings(server.url, "TEST_KEY")).ask(
                [{"role": "user", "content": "You pass."}]
            )
        assert (reply.estimated, reply.prompt_tokens, reply.answer_tokens) == (True, 3, 1)


def test_the_key_goes_to_the_server_and_nowhere_else(
    stand_in: StandIn,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    seen = []

    class Noting(llm_stand_in.Handler):
        def respond(self, messages: Sequence[Message], model: str) -> None:
            seen.append(self.headers["Authorization"])
            super().respond(messages, model)

    with caplog.at_level(logging.DEBUG), StandIn(at_random(), handler=Noting) as server:
        agent = player(server.url, transcript=str(tmp_path))
        agent.act(started())
    assert seen == [f"Bearer {KEY}"]
    kept = pickle.dumps(agent) + repr(vars(agent)).encode() + repr(agent.settings).encode()
    captured = capfd.readouterr()
    told = [
        caplog.text,
        captured.out,
        captured.err,
        *(path.read_text() for path in tmp_path.iterdir()),
    ]
    assert all(KEY not in text for text in told)
    kept += pickle.dumps(agent._chat) + repr(vars(agent._chat)).encode()
    assert KEY.encode() not in kept
    with pytest.raises(TypeError, match="a key is not pickled"):
        pickle.dumps(agent._chat._key)
    with StandIn(at_random(), handler=faults.echoing) as server, pytest.raises(ForfeitError):
        player(server.url, transcript=str(tmp_path / "echo")).act(started())
    assert [
        KEY in path.read_text() or "***" not in path.read_text()
        for path in (tmp_path / "echo").iterdir()
    ] == [False]


def test_a_failing_model_tells_only_its_owner_which_actions_it_tried(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In hidden decisions that is its hand."""
    env = started()
    legal = env.unwrapped.game.legal_actions(env.unwrapped.states, 0)[:2]
    tried = ", ".join(map(str, legal))
    said = "".join(f"<answer>{action}</answer>" for action in legal)
    with StandIn(answering(said)) as server:
        agent = player(server.url, transcript=str(tmp_path))
        with pytest.raises(ForfeitError) as failed:
            agent.act(env)
        assert str(failed.value) == "llm:model, Player 1, gave no legal action in 3 answers"
        named = f"names several actions ({tried})"
        assert named in caplog.text
        assert named in next(tmp_path.iterdir()).read_text()
        spec = f"llm:model:base_url={server.url}:key_env=TEST_KEY:repeats=0"
        report = run(GAME, [spec, "random"], games=2, options=SHORT)
    assert report.forfeits
    assert named not in json.dumps(report.as_json())


@pytest.mark.parametrize("long", [False, True], ids=["short", "cut"])
def test_what_a_server_says_is_clean_before_it_is_cut(
    long: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """No sequences for the terminal, no lines, and no part of the key at the cut."""

    class Hostile(llm_stand_in.Handler):
        def respond(self, messages: Sequence[Message], model: str) -> None:
            start = "x" * (LONGEST_REASON - len(KEY) + 3) if long else "\x1b[2J\u202e[bold]:m:\n"
            self.send(400, {"error": {"message": f"{start}{KEY} is wrong {'y' * 100_000}"}})

    with StandIn(answering(""), handler=Hostile) as server:
        gives_up(server.url, "the server answered with status 400$")
    (record,) = caplog.records
    said = record.getMessage()
    assert not any(map(is_hidden, said))
    assert len(said) < LONGEST_REASON + 100
    assert not any(KEY[k : k + 8] in said for k in range(len(KEY) - 7))


def test_the_arena_goes_on_and_a_server_that_is_down_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with StandIn(answering("")) as server:
        url = server.url
    agent = player(url)
    results = play_games(GAME, [agent, load_agent("random", GAME)], 6)
    assert len(results.forfeits) == 6
    assert agent.usage["failed_requests"] == MOST_FAILURES
    assert (
        "failed 3 times in a row and is not asked again within 60 seconds"
        in results.forfeits[-1].reason
    )
    assert results.winners[:, 1].all()
    monkeypatch.setattr("dig_envs.agents.llm.PAUSE", 0.0)
    play_games(GAME, [agent, load_agent("random", GAME)], 1)
    assert agent.usage["failed_requests"] == MOST_FAILURES + 1


# ---------------------------------------------------------------- names, settings, reports


def test_names_and_settings() -> None:
    url = "http://127.0.0.1:9/v1"
    agent = load_agent(f"llm:qwen3:8b:base_url={url}:tokens=50:fail=random:temperature=0.5", GAME)
    assert isinstance(agent, LlmAgent)
    assert agent.model == "qwen3:8b"
    assert agent.settings == LlmSettings(base_url=url, tokens=50, fail="random", temperature=0.5)
    assert parse_spec("llm:org/model:8b").kind == "llm"
    again = pickle.loads(pickle.dumps(agent))
    assert (again.model, again.settings, again.name) == (agent.model, agent.settings, agent.name)
    for wrong, message in [
        ("llm:", "needs the name of the model"),
        ("llm:m:tokens=0", "tokens must be from 1"),
        ("llm:m:tokens=many", "tokens must be a number"),
        ("llm:m:seconds=nan", "seconds must be a number"),
        ("llm:m:fail=guess", "fail must be one of forfeit, random"),
        ("llm:m:base_url=file:///etc/passwd", "base_url must be an address"),
        ("llm:m:base_url=http://me:secret@host/v1", "base_url must have no name, password"),
        ("llm:m:key_env=A B", "key_env is the name of an environment variable"),
        ("llm:m:tokens=5:tokens=6", "each setting once"),
        ("llm:m", "set OPENAI_API_KEY to the key"),
    ]:
        with pytest.raises(ValueError, match=message) as refused:
            load_agent(wrong, GAME)
        assert "secret" not in str(refused.value)
    with pytest.raises(ValueError, match="no setting 'key'"):
        load_agent("llm:m", GAME, key="sk-1")
    with pytest.raises(ValueError, match="each setting once"):
        load_agent("llm:m:tokens=5", GAME, tokens=6)
    with pytest.raises(TypeError, match="tokens must be a number"):
        load_agent("llm:m", GAME, tokens=None)
    with pytest.raises(ValueError, match="takes no settings by name"):
        load_agent("random", GAME, base_url=url)
    with pytest.raises(ValueError, match="needs the environment"):
        load_agent(f"llm:m:base_url={url}")


def test_the_names_of_models_that_everybody_may_ask(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", stand_in.url)
    assert check_public_name("llm:model:8b:fail=random") == "llm:model:8b:fail=random"
    for wrong in (
        "model",
        "llm:",
        f"llm:m:base_url={stand_in.url}",
        "llm:m:key_env=PATH",
        "llm:m:transcript=/tmp",
        "llm:m:tokens=x",
    ):
        with pytest.raises(
            ValueError, match=r"named llm:MODEL|name of the model|everybody sees|must be a number"
        ):
            check_public_name(wrong)
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(ValueError, match="set OPENAI_API_KEY"):
        check_public_name("llm:m")


def test_a_model_at_a_table_decides_without_its_events(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a server asks it: in a process that knows the position alone."""
    monkeypatch.setenv("OPENAI_BASE_URL", stand_in.url)
    env = started().unwrapped
    agents: Any = OrderedDict()
    found = think(Think(env.game, "llm:model", env.states.tobytes(), 0), agents)
    assert found.action in env.game.legal_actions(env.states, 0)
    again = think(Think(env.game, "llm:model", env.states.tobytes(), 0, found.memory), agents)
    assert again == found


def test_the_report_of_an_arena_counts_what_models_took(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.answering = at_random(3, bad=0.2)
    spec = (
        "llm:model:base_url="
        f"{stand_in.url}:key_env=TEST_KEY:fail=random:price_in=1:price_out=2:retries=0"
    )
    settings: dict[str, Any] = {
        "games": 4,
        "options": SHORT,
        "block": 1,
        "results": tmp_path / "results.jsonl",
    }
    report = run(GAME, [spec, "heuristic", "random"], **settings)
    usage = report.usage[spec]
    assert report.usage.keys() == {spec}
    assert usage["requests"] - usage["decisions"] <= sum(
        usage.get(name, 0) for name in ("ambiguous", "illegal", "unreadable")
    )
    assert usage["cost"] > 0
    asked = stand_in.asked
    assert asked == usage["requests"]
    again = run(GAME, [spec, "heuristic", "random"], **settings)
    assert stand_in.asked == asked  # all games are kept, and what was counted with them
    assert again == report == Report.from_json(
        json.loads(json.dumps(report.as_json()))
    ) or again.usage[spec] == pytest.approx(usage)
    title, headings, (row,) = list(tables(report))[2]
    assert (title, headings[0], row[0], row[1]) == (
        "language models",
        "agent",
        spec,
        f"{usage['decisions']:.0f}",
    )
    assert "answers that were no legal action" in headings
    assert KEY not in (tmp_path / "results.jsonl").read_text() + json.dumps(report.as_json())


def test_damaged_usage_in_a_file_of_results_is_refused(stand_in: StandIn, tmp_path: Path) -> None:
    spec = f"llm:model:base_url={stand_in.url}:key_env=TEST_KEY"
    path = tmp_path / "results.jsonl"
    settings: dict[str, Any] = {"games": 2, "options": {"max_turns": 1}, "results": path}
    run(GAME, [spec, "random"], **settings)
    head, line = path.read_text().splitlines()
    for usage in (
        [{}],
        {},
        [{"requests": -1}, {}],
        [{"requests": "1"}, {}],
        [[], {}],
        [{"requests": float("nan")}, {}],
    ):
        path.write_text(f"{head}\n{json.dumps({**json.loads(line), 'usage': usage})}\n")
        with pytest.raises(ValueError, match=r"damaged .*usage"):
            run(GAME, [spec, "random"], **settings)


def test_the_benchmark_has_a_table_of_models(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dig_envs.benchmark import measuring

    # gives up each game after its first answer
    spec = f"llm:model:base_url={stand_in.url}:key_env=TEST_KEY:game_tokens=1"
    about, tasks = measuring.check_suite("small", "go_dig*")
    few = (about, [replace(task, deals=2, population=()) for task in tasks[:1]])
    monkeypatch.setattr(measuring, "check_suite", lambda suite, tasks: few)
    monkeypatch.setattr(measuring, "changes", lambda task: [])  # of the number of games
    report = measure(spec)
    (result,) = report.tasks
    assert result.usage["requests"] > 0
    _, headings, ((agent, name, strength, *_),) = benchmark_tables([report])[-1]
    assert headings[:3] == ["agent", "task", "strength"]
    assert (agent, name) == (report.agent["agent"], result.definition["task"])
    assert strength == result.normalised.rounded(1)
    assert BenchmarkReport.from_json(json.loads(json.dumps(report.as_json()))).tasks[
        0
    ].usage == pytest.approx(result.usage, rel=1e-3)


# ---------------------------------------------------------------- baselines


def test_the_stand_in_refuses_what_is_no_chat(stand_in: StandIn) -> None:
    import http.client

    host = stand_in.url.removeprefix("http://").removesuffix("/v1")
    for path, body, status in [
        ("/v1/chat/completions", b"{}", 400),
        ("/v1/other", b'{"messages": []}', 404),
        ("/v1", b"[[", 400),
    ]:
        connection = http.client.HTTPConnection(host, timeout=5)
        connection.request("POST", path, body)
        assert connection.getresponse().status == status
        connection.close()
    assert stand_in.asked == 0
