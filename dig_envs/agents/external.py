"""Players that are programs of their own, in any language:
``load_agent("exec:node my_bot.js", env="go_dig_v0")``.

A program is asked over its standard input and output, one line of JSON for each decision, in the
form of the protocol (``dig_envs/server/PROTOCOL.md``). It is told what its seat may know and
nothing else: the view, the events since its last decision, and the legal actions; of
``exec:observation:…`` also the observation and the action mask as lists of numbers.
"""

import json
import os
import queue
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dig_envs.agents import supervisor
from dig_envs.agents.deciding import Decisions, OneGame, forfeit
from dig_envs.agents.secret import without_keys
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.texts import escaped_text
from dig_envs.engine.core.words import usual_name
from dig_envs.engine.game import Array, Game

PREFIX = "exec"
SECONDS = 10.0  # for a decision, unless the name says otherwise …
STARTING = 10.0  # … and longer for the first one of a program, which has to start
ENDING = 10.0  # until all of its processes have ended
LONGEST_ANSWER = 1 << 16  # bytes of a line
MOST_FAILURES = 3  # one after the other; then the program is not started again
LAST_WORDS = 400  # characters of what a program wrote to its standard error, for the report


class ExternalAgent(OneGame):
    """A program that plays. Each seat that it plays has a process of its own, so that no process
    knows the hands of two seats.

    A process is started at its first decision, again after one that failed, and ended by
    :meth:`close`, when the agent is no more, or when Python ends, even by a kill. All processes
    that it has started end with it (:mod:`dig_envs.agents.supervisor`; elsewhere than on Linux,
    those in its process group). What it remembers of a game it finds by ``game`` in what it is
    asked.

    Args:
        command: the program and its arguments; no shell reads them.
        game: that it plays.
        seconds: for each decision.
        name: of the agent.
        observes: whether it is also sent the observation and the action mask.

    Raises:
        ValueError: there is no such program.
    """

    may_forfeit = True
    takes_events = True
    memory_size = 1
    numbers_games = True

    def __init__(
        self,
        command: Sequence[str],
        game: Game,
        seconds: float = SECONDS,
        name: str = "",
        observes: bool = False,
    ) -> None:
        self.command = list(command)
        if not self.command or shutil.which(self.command[0]) is None:
            raise ValueError(
                f"there is no program {shown_in_message(self.command[0] if self.command else '')} "
                "to play"
            )
        self.game: Game = game
        self.seconds, self._observes = seconds, observes
        self.name = name or f"{PREFIX}:{shlex.join(self.command)}"
        self._programs: dict[int, Program] = {}
        self._games = self._asked = 0
        self._failures = 0
        weakref.finalize(self, end_all, self._programs)

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision, asked for one after the other; needs ``states``, ``seats``
        and ``memory``. ``events`` are those that the seats were told since their last decisions;
        without them the program gets none.

        ``events``: what the seats were told since their last decisions; without them the program is
        told none.

        Raises:
            ForfeitError: the program crashed, kept silent, or did not answer with a legal action.
        """
        records, numbers = decisions.states, decisions.memory
        actions = np.zeros(len(records), np.int64)
        for i, seat in enumerate(decisions.seats):
            if numbers[i, 0] == 0:
                self._games += 1
                numbers[i, 0] = self._games
            more = {}
            if self._observes:
                more["observation"] = decisions.observation[i].tolist()
                more["action_mask"] = decisions.action_mask[i].astype(int).tolist()
            actions[i] = self._ask(
                records[i : i + 1], int(seat), int(numbers[i, 0]), decisions.events[i], more
            )
        return actions

    def _ask(
        self,
        states: Array,
        seat: int,
        number: int,
        events: Sequence[Event],
        more: Mapping[str, Any],
    ) -> int:
        """The action that the program chooses; a process that failed is ended."""
        if self._failures >= MOST_FAILURES:
            raise ForfeitError(
                f"{self.name} failed {MOST_FAILURES} times in a row and is not started again"
            )
        legal = self.game.legal_texts(states, seat)
        self._asked += 1
        params = {
            "environment": self.game.env_name,
            "game": number,
            "seat": seat,
            "view": self.game.to_view(self.game.to_snapshot(states[0]), seat),
            "events": [event.to_json() for event in events],
            "legal": legal,
            **more,
        }
        try:
            answer = self._talk(
                seat, {"jsonrpc": "2.0", "id": self._asked, "method": "choose", "params": params}
            )
            action = read_action(
                answer, self._asked, [entry["action"] for entry in legal], self.game
            )
        except ForfeitError as error:
            self._failures += 1
            end_all(self._programs, seat)
            raise forfeit(f"{self.name}, {usual_name(seat)}", error) from None
        self._failures = 0
        return action

    def _talk(self, seat: int, message: dict[str, Any]) -> bytes:
        seconds = self.seconds
        if seat not in self._programs:
            self._programs[seat] = Program(self.command)
            seconds += STARTING
        answer = self._programs[seat].ask(json.dumps(message).encode() + b"\n", seconds)
        if not answer.endswith(b"\n") and len(answer) >= LONGEST_ANSWER:
            raise ForfeitError(f"answered with more than {LONGEST_ANSWER} bytes")
        return answer

    def close(self) -> None:
        """End all processes; the next decision starts them anew."""
        end_all(self._programs)
        self._failures = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies have processes of their own."""
        return ExternalAgent, (self.command, self.game, self.seconds, self.name, self._observes)


def read_action(line: bytes, ident: int, legal: Sequence[int], game: Game) -> int:
    """The legal action of an answer, by index or text. Raises ForfeitError: its message, for
    everybody, says what was wrong, and its detail quotes the answer."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise ForfeitError("gave an answer that is not JSON", shown_in_message(line)) from None
    if not isinstance(said, dict) or said.get("id") != ident or isinstance(said.get("id"), bool):
        raise ForfeitError(
            f"did not answer the message with the id {ident}", shown_in_message(said)
        )
    if "result" not in said:
        raise ForfeitError("gave up", shown_in_message(said.get("error")))
    result = said["result"]
    action = game.action_index.get(result) if isinstance(result, str) else result
    if type(action) is not int or action not in legal:
        raise ForfeitError("chose an illegal action", shown_in_message(result))
    return action


def load_external(text: str, game: Game) -> ExternalAgent:
    """The agent of the text behind ``exec:`` in a name: a command, which a time for each
    decision may precede, ``500ms:``, and what else it is sent, ``observation:``.

    Raises:
        ValueError: there is no such program, or quotes are not closed.
    """
    either = r"(?:(\d{1,7})ms:)?(observation:)?(?(1)|(?:(\d{1,7})ms:)?)(.*)"  # in any order
    parts = re.fullmatch(either, text, re.DOTALL)
    assert parts is not None  # all of it may be missing
    time = parts[1] or parts[3]
    seconds = max(1, int(time)) / 1000 if time else SECONDS
    try:
        command = shlex.split(parts[4])
    except ValueError as error:
        raise ValueError(f"agent {shown_in_message(f'{PREFIX}:{text}')}: {error}") from None
    return ExternalAgent(command, game, seconds, f"{PREFIX}:{text}", bool(parts[2]))


# ---------------------------------------------------------------- processes


def read_line(stream: Any) -> bytes:
    """A line from a process; cut at :data:`LONGEST_ANSWER` bytes, empty if the process has
    ended."""
    line: bytes = stream.readline(LONGEST_ANSWER)
    return line


class Program:
    """A process that answers each message. Threads write and read, so that it can neither block us
    nor fill our memory. A supervisor is its parent (:mod:`dig_envs.agents.supervisor`), which ends
    it and all that it has started, also when this Python is no more; there is none on Windows. It
    gets the environment of this process without keys.

    Args:
        command: the program and its arguments; no shell reads them.
        read: reads one answer from its standard output, of a bounded length; empty bytes if the
            process has ended.

    Raises:
        ForfeitError: it cannot be started.
    """

    def __init__(self, command: Sequence[str], read: Callable[[Any], bytes] = read_line) -> None:
        reading, writing = os.pipe()
        self._owner = os.getpid()
        self._alive = os.fdopen(writing, "wb", buffering=0)  # the supervisor sees that it closes
        alone = os.name == "nt"
        supervise = [sys.executable, "-I", "-S", supervisor.__file__, str(reading)]
        try:
            self._process = subprocess.Popen(
                command if alone else [*supervise, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=without_keys(),
                pass_fds=() if alone else (reading,),
                start_new_session=True,  # Ctrl-C reaches only this process
            )
        except OSError as error:
            raise ForfeitError(f"could not be started: {error}") from None
        finally:
            os.close(reading)
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._words: deque[bytes] = deque(maxlen=20)
        talk = threading.Thread(
            target=_talk, args=(self._process, self._requests, self._answers, read), daemon=True
        )
        listen = threading.Thread(target=_listen, args=(self._process, self._words), daemon=True)
        self._threads = (talk, listen)
        for thread in self._threads:
            thread.start()

    def ask(self, message: bytes, seconds: float) -> bytes:
        """Send a message and return what the process answers; raises as :meth:`answer`."""
        self.send(message)
        return self.answer(seconds)

    def send(self, message: bytes) -> None:
        """Send a message without waiting for the answer."""
        self._requests.put(message)

    def answer(self, seconds: float) -> bytes:
        """The answer to the last message.

        Raises:
            ForfeitError: the process ended, or said nothing in time.
        """
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise ForfeitError(
                f"did not answer within {seconds:g} seconds", self._last_words()
            ) from None
        if not answer:
            raise ForfeitError(f"ended {self._how_it_ended()}", self._last_words())
        return answer

    def _how_it_ended(self) -> str:
        """The exit status of the process in words; waits for it for up to a second."""
        latest = time.monotonic() + 1.0
        while (status := self._process.poll()) is None:
            if time.monotonic() > latest:
                return "its output"
            time.sleep(0.01)
        return f"with exit status {status}"

    def _last_words(self) -> str:
        self._threads[1].join(0.2)
        said = b"".join(list(self._words)).decode(errors="replace").strip()[-LAST_WORDS:]
        return f"its last words: {escaped_text(said)}" if said else ""

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "a process cannot be copied or pickled: copy the agent, whose copies start their own"
        )

    def end(self) -> None:
        """End the process and all that it has started, and wait until they have ended."""
        self._requests.put(None)
        if os.getpid() == self._owner:  # forks have the pipe, too: it closes when they have ended
            with suppress(OSError):
                self._alive.write(b"\0")
        self._alive.close()
        if os.name == "nt":
            self._process.kill()
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:  # the program has stopped its supervisor
            self._process.kill()
            self._process.wait()


def end_all(programs: dict[int, Program], seat: int | None = None) -> None:
    """End the processes of all seats, or of one."""
    for each in list(programs) if seat is None else [seat]:
        program = programs.pop(each, None)
        if program is not None:
            program.end()


def _talk(process: Any, requests: Any, answers: Any, read: Callable[[Any], bytes]) -> None:
    """Write each request and read its answer; an empty answer if the process has ended."""
    while (message := requests.get()) is not None:
        try:
            process.stdin.write(message)
            process.stdin.flush()
            answer = read(process.stdout)
        except (OSError, ValueError):
            answer = b""
        answers.put(answer)
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # nobody reads any more what has not been written yet
            pipe.close()


def _listen(process: Any, words: Any) -> None:
    """Keep the last lines of standard error."""
    while line := process.stderr.readline(LAST_WORDS):
        words.append(line)
    process.stderr.close()
