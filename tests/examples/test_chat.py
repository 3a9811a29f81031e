"""The bot for a chat: games in rooms, and what each person is told."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DIG_ENVS = Path(sys.executable).parent / "dig-envs"
pytestmark = pytest.mark.skipif(not DIG_ENVS.exists(), reason="the package is not installed")


class Chat:
    """People who write lines to the bot, and read its lines."""

    def __init__(self, process):
        self.process = process
        self.lines = []

    def write(self, *lines):
        for line in lines:
            print(line, file=self.process.stdin, flush=True)

    def read_until(self, *starts):
        """The lines up to one that begins in one of these ways."""
        read = []
        while not read or not read[-1].startswith(starts):
            line = self.process.stdout.readline()
            assert line, read[-3:]
            read.append(line.rstrip("\n"))
        self.lines += read
        return read


@contextmanager
def chatting():
    words = [sys.executable, str(HERE / "chat" / "bot.py")]
    own = {**os.environ, "PATH": f"{DIG_ENVS.parent}{os.pathsep}{os.environ['PATH']}"}
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=own) as process:
        try:
            yield Chat(process)
        finally:
            process.stdin.close()
            assert process.wait(60) == 0


def test_a_room_plays_a_game_to_its_end():
    """Each person is told in private; nobody is told what another one draws or holds."""
    with chatting() as chat:
        chat.write("fun Ann: new go_dig_v0 Ann Bob =heuristic")
        headline = chat.read_until("fun: ")[-1]
        while headline.split()[1] in ("Ann:", "Bob:"):  # at the end it tells who has won
            name = headline.split()[1].removesuffix(":")
            before = list(chat.lines)
            chat.write(f"fun {name}: hint")
            label = chat.read_until(f"fun @{name}: ")[-1].partition(": ")[2]
            choice = next(line for line in reversed(before) if line.endswith(f") {label}"))
            assert choice.startswith(f"fun @{name}: ")
            chat.write(f"fun {name}: {choice.split()[2].removesuffix(')')}")
            headline = chat.read_until("fun: ")[-1]
    assert "won" in headline
    private = {
        name: [x for x in chat.lines if x.startswith(f"fun @{name}: ")] for name in ("Ann", "Bob")
    }
    for name, other in (("Ann", "Bob"), ("Bob", "Ann")):
        told = "\n".join(private[name])
        assert "You draw " in told
        assert f"{other} draws a card." in told
        assert f"\nfun @{name}: {other} draws " not in told.replace(f"{other} draws a card.", "")
    shown = [x for x in chat.lines if not x.startswith("fun @")]
    assert all(x.startswith("fun: ") for x in shown)
    assert not any("You " in x for x in shown)


def test_what_is_refused_is_told_to_the_one_who_said_it_and_the_game_goes_on():
    """Talk is not answered; rooms do not know of each other."""
    with chatting() as chat:
        chat.write("a Ann: new nothing_v0 Ann")
        assert "no environment 'nothing_v0'" in chat.read_until("a @Ann: ")[-1]
        chat.write("a Ann: new go_dig_v0 Ann Ann")
        assert "Ann" in chat.read_until("a @Ann: ")[-1]
        chat.write("a Ann: new go_dig_v0 Ann Bob", "b Eve: new go_dig_v0 Eve =random")
        first = chat.read_until("b: ")
        assert not any("Eve" in line for line in first if line.startswith("a "))
        chat.write(
            "a Bob: 0", "a Ann: 99", "a Eve: 0", "a Ann: hello, Bob", "nonsense", "a Ann: look"
        )
        refused = chat.read_until("a @Ann: Turn 1")
        assert refused == ["a @Bob: wait, please", refused[1], "a @Ann: Turn 1: Ann asks"]
        assert refused[1].startswith("a @Ann: a number below ")
