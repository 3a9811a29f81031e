"""A sealed player that reads what other processes of its user hold, while games are measured on
held-out deals."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hides memory")

DROP_CAPABILITY, CAP_SYS_PTRACE = 24, 19  # of prctl(2)
# a player that opens the memory of every process that it sees, as soon as it can, and keeps it open
SPY = """
import json, os, threading, time

def look(opened):
    while True:
        for pid in filter(str.isdecimal, os.listdir("/proc")):
            if pid in opened:
                continue
            try:
                memory = open(f"/proc/{pid}/mem", "rb")
                with open(f"/proc/{pid}/cmdline") as file:
                    words = file.read().split("\\0")
                for name in ("maps", "environ"):
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        file.read()
                for number in os.listdir(f"/proc/{pid}/fd"):
                    os.readlink(f"/proc/{pid}/fd/{number}")
            except OSError:
                continue
            opened[pid] = memory
            with open("opened.jsonl", "a") as file:
                file.write(json.dumps([int(pid), words]) + "\\n")
        time.sleep(0.005)

def begin():
    with open("players.jsonl", "a") as file:
        file.write(f"{os.getpid()}\\n")
    threading.Thread(target=look, args=({},), daemon=True).start()

begin()

def leaving_a_child(environment, observation, action_mask):
    # a process in a session of its own, whose parent ends
    if not leaving_a_child.done and not os.fork():
        os.setsid()
        if not os.fork():
            os.closerange(0, 100)
            begin()
            time.sleep(600)
        os._exit(0)
    leaving_a_child.done = True
    return action_mask.argmax(axis=1)

leaving_a_child.done = False

def killing_its_supervisor(environment, observation, action_mask):
    if not leaving_a_child.done:
        leaving_a_child(environment, observation, action_mask)
        time.sleep(0.5)
        os.kill(os.getppid(), 9)
        time.sleep(600)
    return action_mask.argmax(axis=1)
"""
# what measures it: two tasks, each with two workers of its own
EVALUATOR = """
import sys
from dataclasses import replace
from dig_envs.benchmark import SUITES, measure
from dig_envs.benchmark.held_out import HeldOut
from dig_envs.engine.core.errors import BenchmarkError, PlayerError

if __name__ == "__main__":
    alone = [replace(task, population=()) for task in SUITES["small"].tasks]
    SUITES["small"] = replace(SUITES["small"], tasks=tuple(alone))
    for task in ("go_dig-2", "oak_island-2"):
        try:
            measure(f"python:spy:{sys.argv[1]}", tasks=task, workers=2, block=25,
                    seeds=HeldOut("a-test", "0123456789abcdef" * 4))
        except (BenchmarkError, PlayerError) as error:
            print(error)
"""


def without_looking_into_others() -> None:
    """Take from the superuser what an ordinary user does not have."""
    ctypes.CDLL(None).prctl(DROP_CAPABILITY, CAP_SYS_PTRACE, 0, 0, 0)


@pytest.mark.skipif(JIT_DISABLED, reason="whole games are slow uncompiled")
@pytest.mark.parametrize("name", ["leaving_a_child", "killing_its_supervisor"])
def test_a_player_opens_the_memory_of_no_process_that_measures_it(name, tmp_path):
    """Nor of one that begins: no code of a player runs before all of them are hidden."""
    (tmp_path / "spy.py").write_text(SPY)
    (tmp_path / "evaluate.py").write_text(EVALUATOR)
    others = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(others, preexec_fn=without_looking_into_others) as open_to_all:
        run = subprocess.run(
            [sys.executable, "evaluate.py", name],
            cwd=tmp_path,
            preexec_fn=without_looking_into_others,
            timeout=300,
            check=True,
            capture_output=True,
            text=True,
        )
        open_to_all.kill()
    players = [int(line) for line in (tmp_path / "players.jsonl").read_text().split()]
    opened = [json.loads(line) for line in (tmp_path / "opened.jsonl").read_text().splitlines()]
    if open_to_all.pid not in dict(opened):
        pytest.skip("this system lets no process read another's memory")
    evaluators = Counter(
        word for _, words in opened for word in ("evaluate.py", "spawn_main") if word in str(words)
    )
    assert not evaluators
    left = [player for player in players if os.path.exists(f"/proc/{player}")]
    if name == "killing_its_supervisor":
        assert "Player 1: ended with exit status -9" in run.stdout
        assert "started by a player that was measured before" in run.stdout
        assert re.search(r"process \d+ \('.+'\) is in another session", run.stdout)
        for player in left:
            os.kill(player, signal.SIGKILL)
    else:
        assert (run.stdout, left) == ("", [])
