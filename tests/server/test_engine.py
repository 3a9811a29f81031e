"""``dig-envs engine``: lines in, lines out, and nothing else."""

import io
import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest

from dig_envs.server.protocol.dispatcher import Dispatcher
from dig_envs.server.protocol.engine import serve_lines
from dig_envs.server.protocol.limits import Limits
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


def test_who_is_gone_is_not_mourned():
    """The program exits with status 0 and without a traceback when its client closes both pipes."""
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
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
    main(["--attack", "replays", "--minutes", "0.05"])
    assert "attack: replays, 31 connections" in capsys.readouterr().out
