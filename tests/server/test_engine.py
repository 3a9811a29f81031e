"""``dig-envs engine``: lines in, lines out, and nothing else."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import dig_envs
from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.engine import serve_lines
from dig_envs.server.protocol.limits import Limits
from dig_envs.server.side_by_side import serve_side_by_side
from tests.games import needs_compiling
from tests.server.load import main, speed

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"hello"}'
COMMAND = [sys.executable, "-m", "dig_envs.commands.main", "engine"]


def talk(sent: bytes, limits: Limits | None = None) -> list[Any]:
    said = io.BytesIO()
    serve_lines(io.BytesIO(sent), said, Dispatcher(limits))
    assert said.getvalue().endswith(b"\n") or not said.getvalue()
    return [json.loads(line) for line in said.getvalue().splitlines()]


def test_a_line_for_a_line():
    assert [entry["id"] for entry in talk(HELLO + b"\n\n  \r\n" + HELLO + b"\r\n" + HELLO)] == [
        1,
        1,
        1,
    ]
    assert talk(b"") == []
    assert talk(b'{"jsonrpc":"2.0","method":"hello"}\n') == []


def test_a_line_that_is_too_long_is_thrown_away():
    said = talk(b"x" * 1_000_000 + b"\n" + HELLO + b"\n", Limits(message_bytes=100))
    assert said[0]["error"]["code"] == -32600
    assert "result" in said[1]
    assert len(said) == 2
    longest = HELLO + b" " * (100 - len(HELLO))
    assert "result" in talk(longest + b"\n" + longest, Limits(message_bytes=100))[1]
    assert len(talk(b"x" * 1_000_000, Limits(message_bytes=100))) == 1


def test_a_line_is_never_kept_as_a_whole():
    class Endless(io.RawIOBase):
        """A line of a gigabyte."""

        left = 1 << 30
        most = 0

        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert size > 0
            self.most = max(self.most, size)
            self.left -= size
            return b"x" * size if self.left > 0 else b""

    source, said = Endless(), io.BytesIO()
    serve_lines(source, said, Dispatcher())  # type: ignore[arg-type]
    assert source.most <= (1 << 20) + 2
    assert json.loads(said.getvalue())["error"]["code"] == -32600


def test_garbage_never_stops_it():
    rng = random.Random(1)
    lines = [
        bytes(rng.randrange(256) for _ in range(rng.randrange(1, 60))).replace(b"\n", b"")
        for _ in range(300)
    ]
    for k in range(300):
        broken = bytearray(HELLO)
        broken[rng.randrange(len(broken))] = rng.randrange(11, 256)
        lines.append(bytes(broken) if k % 2 else HELLO[: rng.randrange(1, len(HELLO))])
    said = talk(b"\n".join(lines) + b"\n" + HELLO)
    assert said[-1]["result"]["protocol"] == 1
    assert all(entry["jsonrpc"] == "2.0" for entry in said)


def test_the_command(tmp_path):
    """Only answers on standard output, whatever else is said; it ends with its input, and without a
    trace in the folder."""
    new = b'{"jsonrpc":"2.0","id":2,"method":"new","params":{"environment":"go_dig_v0","seed":1}}'
    sent = b"\n".join([HELLO, b"\xff garbage", new])
    environment = {**os.environ, "NUMBA_DEBUG_CACHE": "1"}
    command = [*COMMAND, "--sims", "7"]
    done = subprocess.run(
        command, input=sent, capture_output=True, cwd=tmp_path, timeout=300, env=environment
    )
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [entry["id"] for entry in lines] == [1, None, 2]
    assert lines[0]["result"]["limits"]["sims"] == 7
    assert not list(tmp_path.iterdir())
    assert (
        subprocess.run(
            [*COMMAND, "--sims", "0"], input=HELLO, capture_output=True, timeout=300
        ).returncode
        == 2
    )


@pytest.mark.parametrize("workers", ["0", "2"])
def test_who_is_gone_is_not_mourned(workers):
    """The program exits with status 0 and without a traceback when its client closes both pipes."""
    process = subprocess.Popen(
        [*COMMAND, "--workers", workers],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(HELLO + b"\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.stdout.close()
    process.stdin.write((HELLO + b"\n") * 10)
    process.stdin.close()
    assert process.wait(60) == 0
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


# ---------------------------------------------------------------- several games at a time


def line(ident: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode()


def beside(sent: list[bytes], workers: int = 2) -> list[Any]:
    """What is answered to these lines by agents that think beside other games."""
    said = io.BytesIO()
    serve_side_by_side(io.BytesIO(b"\n".join(sent)), said, Dispatcher(), workers)
    return [json.loads(each) for each in said.getvalue().splitlines()]


def test_a_search_holds_up_its_own_game_only():
    """Answers about another game come before that of a search; those about its own game, and
    lists, in order. At the end of the input all is answered."""
    first, second = "game-1", "game-2"
    new = {"environment": "go_dig_v0", "options": {"num_players": 2}, "seed": 7}
    search = {"seat": 0, "agent": "search:guide=none", "budget": {"ms": 1500}}
    listed = b"[" + line(30, "act", game=second) + b"," + line(31, "view", game=first) + b"]"
    sent = [
        line(1, "new", **new),
        line(2, "new", **new),
        line(3, "play", game=first, **search),
        line(4, "play", game=second, seat=0, agent="heuristic"),
        line(5, "act", game=first),
        line(6, "view", game=first),
        line(7, "undo", game=first),
        *(line(10 + k, "view", game=second, seat=0) for k in range(5)),
        line(20, "act", game=second),
        b"no JSON",
        line(21, "undo", game=second),
        listed,
        line(40, "view", game=second),
    ]
    said = beside(sent)
    told = [each["id"] for each in said if isinstance(each, dict)]
    assert set(told) == {*range(1, 8), *range(10, 15), 20, 21, None, 40}
    assert len(told) == len(sent) - 1
    place = told.index
    assert place(3) < place(5) < place(6) < place(7)
    assert max(map(place, range(10, 15))) < place(5)
    assert place(20) < place(21) < place(40)
    results = {each["id"]: each["result"] for each in said if isinstance(each, dict) and each["id"]}
    assert results[6]["next"] == len(results[5]["events"]) > 0
    (answers,) = (each for each in said if isinstance(each, list))
    assert [each["id"] for each in answers] == [30, 31]
    assert answers[1]["result"]["next"] == 0
    assert results[40]["next"] == len(answers[0]["result"]["events"]) > 0


def test_what_is_answered_is_the_same():
    """Each message gets the answer that it gets where all are answered in order."""
    rng = random.Random(1)
    sent, games = [], []
    for k in range(200):
        if k % 20 == 0:
            games.append(f"game-{len(games) + 1}")
            sent.append(line(k, "new", environment="go_dig_v0", seed=k))
            continue
        method = rng.choice(["view", "legal", "act", "undo", "nothing", "choices", "play"])
        more = {"seat": k % 3, "agent": "heuristic"} if method == "play" else {}
        sent.append(line(k, method, game=rng.choice([*games, "game-99"]), **more))
    rng.shuffle(notes := [b"x", b"[]", b"{}", HELLO])
    sent += notes
    assert sorted(map(json.dumps, beside(sent))) == sorted(map(json.dumps, talk(b"\n".join(sent))))


def test_a_client_that_is_gone_is_not_thought_for():
    """The first answer that cannot be written ends everything, a search that goes on included."""

    class Gone(io.BytesIO):
        def write(self, said: Any) -> int:
            raise BrokenPipeError

    search = {"environment": "go_dig_v0", "agent": "search", "budget": {"ms": 9000}}
    env = dig_envs.make("go_dig_v0").unwrapped
    env.reset(seed=1)
    sent = [line(1, "choose", snapshot=env.snapshot(), **search), HELLO]
    began = time.monotonic()
    with pytest.raises(BrokenPipeError):
        serve_side_by_side(io.BytesIO(b"\n".join(sent)), Gone(), Dispatcher(), 2)
    for thread in threading.enumerate():
        if thread.name.startswith("dig-envs-engine"):
            thread.join(60)
    assert time.monotonic() - began < 8


def test_interrupted_it_ends_at_once():
    process = subprocess.Popen(
        [*COMMAND, "--workers", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # shells start background programs with SIGINT ignored, and children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(HELLO + b"\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def test_what_is_printed_goes_to_standard_error():
    script = """
import sys, os
from dig_envs.server.protocol import engine
from dig_envs.server.protocol.dispatcher import Dispatcher
class Talkative(Dispatcher):
    def answer(self, text):
        print("chatter of a library", flush=True)
        os.write(1, b"more of it\\n")
        return super().answer(text)
engine.run(Talkative())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], input=HELLO, capture_output=True, timeout=300
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert b"chatter of a library" in done.stderr
    assert b"more of it" in done.stderr


@needs_compiling
def test_the_measurement_runs():
    found = speed(0.05)
    assert set(found) == {"standard input and output", "WebSocket", "POST"}
    for rates in found.values():
        assert set(rates) == {
            "`hello`",
            "`legal`",
            "`view`",
            "`act`, `undo`",
            "`choose` by `heuristic`",
        }
        assert min(rates.values()) > 5


@needs_compiling
@pytest.mark.slow
def test_the_load_runs(capsys):
    main(["games", "--games", "2", "--minutes", "0.1"])
    assert "from an action to the next own decision: median" in capsys.readouterr().out
