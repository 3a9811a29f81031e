"""A user's own Python code as a player that learns nothing but what its seat may know:
``python:my_player:choose``.

It runs in a process of its own for each seat, a new interpreter that has no environment, no
position and no other player (:mod:`dig_envs.agents.sealed_process`). It is sent observations and
action masks and, if it says so, more of what its seat may know. What comes back is checked: one
legal action for each decision. Nothing that comes back is unpickled or run.
"""

import atexit
import json
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents import sealed_process as process
from dig_envs.agents.deciding import Decisions, OneGame
from dig_envs.agents.external import Program
from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import Agent
from dig_envs.engine.core.checks import WORDS, shown_in_message
from dig_envs.engine.core.errors import ForfeitError, PlayerError
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.texts import escaped_text
from dig_envs.engine.core.words import usual_name
from dig_envs.engine.game import Array, Game
from dig_envs.language.prompts import make_prompt
from dig_envs.registry import load_game

PYTHON = "python:"
SECONDS = 60.0  # for the choices of one call …
STARTING = 120.0  # … and for the start of a process, with all that the player's module imports
LONGEST_ANSWER = 1 << 26  # bytes
MAY_NEED = process.NEEDS


def load_player(spec: str, environment: str, seed: int | None = None) -> Agent:
    """A player by name, as :func:`dig_envs.load_agent` does, or of a user's own code,
    ``python:MODULE:NAME``.

    Only for names that the user has typed: ``load_agent``, which also takes those of messages and
    files, imports no code.

    Raises:
        PlayerError: the code cannot be run, or asks for what its seat may not know.
        TypeError, ValueError: as ``load_agent``.
    """
    if isinstance(spec, str) and spec.startswith(PYTHON):
        return SealedAgent(spec, load_game(environment), seed)
    return load_agent(spec, environment, seed)


class SealedAgent(OneGame):
    """A player made of a user's code, each of whose seats has a process of its own, so that no
    process knows two seats of a game.

    The code is a function ``choose(environment, observation, action_mask)``, or a class:
    ``Player(environment, seed)``, or ``Player()``, with a method ``choose(observation,
    action_mask)``, or ``act_batch`` as an agent has it, which is given these two. Observations are
    float32 (n, observation size), masks int8 (n, number of actions); n legal actions come back,
    integers (n,). A class whose attribute ``needs`` names more is given that by name:

    * ``seats``: of the decisions, int64 (n,). All of them are the same, since each seat has a
      process.
    * ``games``: int64 (n,), a number for each game, so that a player can remember what it saw in
      it.
    * ``views``: what the seat knows of the position, a list of n views
      (``dig_envs/engine/RULES.md``).
    * ``events``: what the seat was told since its last decision, n lists of events as the protocol
      has them.
    * ``legal``: n lists of the legal actions, each a dict with ``action``, ``text`` and ``label``.
    * ``prompts``: n texts, the prompt that a language model is asked with.

    The processes outlive the agent, so that the next one of the same name need not start them.
    :func:`end_processes` ends them, and with them what they have started: before other games, to
    which a player must not carry over what it saw, and before processes begin that must be hidden
    from it.

    Args:
        spec: ``python:MODULE:NAME``; the module is looked for in the working folder, too.
        game: that it plays.
        seed: of the player; that of seat i is made with ``seed + i``.

    Attributes: ``file``: of the player's module. ``needs``: as above.

    Raises:
        PlayerError: there is no such code, it cannot be started, or it asks for what its seat
            may not know.
    """

    numbers_games = True

    def __init__(self, spec: str, game: Game, seed: int | None = None) -> None:
        self.game: Game = game
        self.name, self._seed = spec, seed
        self._module, _, self._thing = spec.removeprefix(PYTHON).partition(":")
        if not self._module or not self._thing.isidentifier():
            raise PlayerError(
                f"{shown_in_message(spec)}: write python:MODULE:NAME, such as "
                "python:my_player:choose"
            )
        self._programs: dict[int, Program] = {}
        self._games = 0
        weakref.finalize(self, _keep_for_others, self._programs, self._key)
        about = (spec, os.getcwd(), game.env_name)
        if about not in _known:
            _known[about] = self._begin(0)
            self.close()
        facts = _known[about]
        self.file = facts["file"]
        self.needs = tuple(facts["needs"])
        self.takes_events = not {"events", "prompts"}.isdisjoint(self.needs)
        self.memory_size = int("games" in self.needs)

    @property
    def _key(self) -> tuple[str, str]:
        return self.name, os.getcwd()

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision; needs ``states`` and ``seats``, and ``memory`` if the
        player needs ``games``.

        Raises:
            PlayerError: the player crashed, kept silent, or returned what are no legal actions;
                its processes are ended.
        """
        records, seats, action_mask = decisions.states, decisions.seats, decisions.action_mask
        numbers = np.zeros((len(records), 1))
        if self.memory_size:
            numbers = decisions.memory
            fresh = numbers[:, 0] == 0
            numbers[fresh, 0] = np.arange(self._games + 1, self._games + 1 + fresh.sum())
            self._games += int(fresh.sum())
        rows_of = {int(seat): np.flatnonzero(seats == seat) for seat in np.unique(seats)}
        actions = np.zeros(len(records), np.int64)
        seat = -1
        try:
            for seat, rows in rows_of.items():
                if seat not in self._programs:
                    self._begin(seat)
                told = [decisions.events[i] for i in rows.tolist()]
                head = {"do": "choose", "n": len(rows), **self._lists(records, rows, seat, told)}
                arrays = (
                    (decisions.observation[rows], "<f4"),
                    (action_mask[rows], "<i1"),
                    (seats[rows], "<i8"),
                    (numbers[rows, 0], "<i8"),
                )
                self._programs[seat].send(
                    _packed(head, b"".join(np.asarray(one, kind).tobytes() for one, kind in arrays))
                )
            for seat, rows in rows_of.items():
                kind, said = _unpacked(self._programs[seat].answer(SECONDS))
                actions[rows] = _read_actions(kind, said, action_mask[rows])
        except ForfeitError as error:
            self._end()
            raise PlayerError(f"{self.name}, {usual_name(seat)}: {error.in_full}") from None
        except BaseException:  # such as Ctrl-C: there may be answers that nobody will read
            self._end()
            raise
        return actions

    def _lists(
        self, records: Array, rows: Array, seat: int, events: Sequence[Sequence[Event]]
    ) -> dict[str, Any]:
        """The other knowledge of the seat that the player needs: a list for each kind, with an
        entry for each decision."""
        game = self.game
        # of a position and what the seat was told
        makers: dict[str, Callable[[Array, Sequence[Event]], Any]] = {
            "views": lambda one, told: game.to_view(game.to_snapshot(one[0]), seat),
            "events": lambda one, told: [event.to_json() for event in told],
            "legal": lambda one, told: game.legal_texts(one, seat),
            "prompts": lambda one, told: make_prompt(game, one, seat, told).text(),
        }
        positions = [records[i : i + 1] for i in rows.tolist()]
        return {
            need: [make(one, told) for one, told in zip(positions, events, strict=True)]
            for need, make in makers.items()
            if need in self.needs
        }

    def _begin(self, seat: int) -> dict[str, Any]:
        """Have a process make the player for a seat, and return what it says of it."""
        head = {
            "do": "begin",
            "module": self._module,
            "name": self._thing,
            "environment": self.game.env_name,
            "seed": None if self._seed is None else (self._seed + seat) % WORDS,
            "observation_size": self.game.observation_size,
            "num_actions": len(self.game.actions),
        }
        try:
            program = _idle.pop((*self._key, seat), None) or Program(
                [sys.executable, process.__file__], _read_answer
            )
            self._programs[seat] = program
            kind, said = _unpacked(program.ask(_packed(head, b""), STARTING))
            if kind != process.FACTS:
                raise ForfeitError(_text(said))
            return _read_facts(said)
        except ForfeitError as error:
            self._end()
            raise PlayerError(f"{self.name}: {error.in_full}") from None

    def close(self) -> None:
        """Leave the processes to the next agent of the same name; the next decision begins anew."""
        _keep_for_others(self._programs, self._key)

    def _end(self) -> None:
        while self._programs:
            self._programs.popitem()[1].end()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies have processes of their own."""
        return SealedAgent, (self.name, self.game, self._seed)


# ------------------------------------------ processes that wait for the next agent of the same name

_idle: dict[tuple[str, str, int], Program] = {}  # by name, working folder and seat
# what the player of a name said of itself when it was made for a game
_known: dict[tuple[str, str, str], dict[str, Any]] = {}


def _keep_for_others(programs: dict[int, Program], key: tuple[str, str]) -> None:
    """Keep the processes of an agent that is no more; those of a seat go on with the same seat."""
    while programs:
        seat, program = programs.popitem()
        if (other := _idle.pop((*key, seat), None)) is not None:
            other.end()
        _idle[(*key, seat)] = program


def end_processes() -> None:
    """End the processes that no agent uses any more."""
    while _idle:
        _idle.popitem()[1].end()


atexit.register(end_processes)  # who waits for the end of a worker waits for that of its players


@contextmanager
def ending_processes() -> Iterator[None]:
    """End the processes that no agent uses any more when the block is left, and forget what players
    said: code may change."""
    try:
        yield
    finally:
        _known.clear()
        end_processes()


# ---------------------------------------------------------------- messages


def _packed(head: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(head).encode()
    return process.REQUEST.pack(len(text), len(body)) + text + body


def _read_answer(stream: Any) -> bytes:
    """A complete answer; empty if the process has ended or the answer is too long."""
    head = stream.read(process.ANSWER.size)
    if len(head) < process.ANSWER.size:
        return b""
    length = process.ANSWER.unpack(head)[1]
    rest = stream.read(length) if length <= LONGEST_ANSWER else b""
    return head + rest if len(rest) == length else b""


def _unpacked(answer: bytes) -> tuple[int, bytes]:
    return process.ANSWER.unpack_from(answer)[0], answer[process.ANSWER.size :]


def _text(said: bytes) -> str:
    return escaped_text(said[: 4 * process.LONGEST_TEXT].decode(errors="replace"))


def _read_actions(kind: int, said: bytes, action_mask: Array) -> Array:
    """The actions of an answer, int64 (n,); raises ForfeitError unless they are n legal actions."""
    if kind == process.WRONG:
        raise ForfeitError(_text(said))
    if kind != process.ACTIONS or len(said) != 8 * len(action_mask):
        raise ForfeitError(f"answered with something else than {len(action_mask)} actions")
    actions = np.frombuffer(said, "<i8").astype(np.int64)
    possible = (actions >= 0) & (actions < action_mask.shape[1])
    wrong = np.flatnonzero(
        ~possible | (action_mask[np.arange(len(actions)), np.where(possible, actions, 0)] == 0)
    )
    if len(wrong):
        raise ForfeitError(f"chose action {actions[wrong[0]]}, which is not legal")
    return actions


def _read_facts(said: bytes) -> dict[str, Any]:
    """The facts that a process gives about its player; raises ForfeitError if they have another
    form."""
    try:
        facts = json.loads(said)
    except (ValueError, RecursionError):
        facts = None
    if (
        not isinstance(facts, dict)
        or facts.keys() != {"file", "needs"}
        or not (facts["file"] is None or isinstance(facts["file"], str))
        or not isinstance(facts["needs"], list)
        or not all(need in MAY_NEED for need in facts["needs"])
    ):
        raise ForfeitError(f"said of itself {shown_in_message(facts)}")
    return facts


def source_hash(file: str | None) -> str | None:
    """The SHA-256 of a player's file, hexadecimal; None if no file can be read."""
    try:
        return sha256(Path(file).read_bytes()).hexdigest() if file else None
    except OSError:
        return None
