"""Games that the server holds for a program on the other side."""

import secrets
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from dig_envs.agents.memory import memory_size
from dig_envs.engine.checks import check_action, check_integer
from dig_envs.engine.errors import DigEnvsError, IllegalActionError
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.positions import save_position
from dig_envs.server.limits import LimitError, Limits

_preparing = threading.Lock()


class NoGameError(DigEnvsError, ValueError):
    """There is no game of that name (any more)."""


class UndoError(DigEnvsError, ValueError):
    """There are not so many actions to take back."""


def prepare(game: Game) -> Game:
    """Load a game's compiled code, in one thread at a time."""
    with _preparing:
        _ = game.kernels
    return game


# ---------------------------------------------------------------- positions


def check_seat(states: Array, seat: Any) -> int:
    """A seat of the game; raises ValueError."""
    return check_integer(seat, "seat", 0, int(states["num_players"][0]) - 1)


def owing(states: Array) -> list[int]:
    """The seats that owe a decision."""
    return [int(seat) for seat in np.flatnonzero(states["owes"][0])]


def look(game: Game, states: Array, seat: int) -> tuple[Array, Array]:
    """Observation float32 (observation_size,) and mask int8 (num_actions,) of a seat."""
    records, flat = game.new_observations(1)
    mask = np.zeros((1, len(game.actions)), np.int8)
    game.kernels.look_one(states, seat, mask, records, flat)
    return flat[0], mask[0]


def decide(game: Game, agent: Any, states: Array, seat: int, memory: bytes = b"") -> tuple[int, bytes]:
    """An agent's action in a position, and what it then remembers of the game; with no ``memory`` it has seen nothing of it yet."""
    vector, mask = look(game, states, seat)
    decision = (vector[None], mask[None], states, np.array([seat], np.int64))
    size = memory_size(agent)
    if not size:
        return int(agent.act_batch(*decision)[0]), b""
    remembered = np.frombuffer(memory, np.float32).copy() if memory else np.zeros(size, np.float32)
    action = int(agent.act_batch(*decision, remembered.reshape(1, size))[0])
    return action, remembered.tobytes()


def named_action(game: Game, action: Any) -> Any:
    """The index of an action that is given by its text; anything else as it is."""
    return game.action_index.get(action, action) if isinstance(action, str) else action


def legal_texts(game: Game, states: Array, seat: int) -> list[dict[str, Any]]:
    """The legal actions of a seat as index and text."""
    return [{"action": action, "text": game.actions[action]} for action in game.legal_actions(states, seat)]


def result(game: Game, states: Array) -> dict[str, Any]:
    """Scores, and at the end who won, and the returns."""
    state, seats = states[0], int(states["num_players"][0])
    over = bool(state["over"])
    scores = {"over": over, "scores": [int(score) for score in state["scores"][:seats]]}
    if not over:
        return scores
    return {
        **scores,
        "winners": [int(seat) for seat in np.flatnonzero(state["winners"])],
        "returns": [float(value) for value in game.returns_of(states)[0][:seats]],
        "turn_limit": bool(state["truncated"]),
    }


# ---------------------------------------------------------------- held games


class HeldGame:
    """A game in play: the position, and those before it; in a ``with`` statement for one thread at a time."""

    def __init__(self, ident: str, game: Game, states: Array, undo: int) -> None:
        self.ident = ident
        self.game = game
        self.states = states
        self.used = time.monotonic()
        self._before: deque[Array] = deque(maxlen=undo)
        self._lock = threading.Lock()

    def __enter__(self) -> "HeldGame":
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def mover(self) -> int | None:
        """The first seat that owes a decision."""
        return next(iter(owing(self.states)), None)

    def act(self, seat: int | None, action: Any) -> int:
        """Play an action of a seat that owes one, by default the first of them; its index.

        Raises:
            IllegalActionError: the action is not legal, the seat owes none, or the game is over; nothing has changed.
        """
        asked = owing(self.states)
        if not asked:
            raise IllegalActionError("the game is over")
        who = asked[0] if seat is None else check_seat(self.states, seat)
        index = check_action(named_action(self.game, action), self.game.mask_of(self.states, who), self.game.actions, f"seat {who}")
        self._before.append(self.states.copy())
        self.game.kernels.apply_one(self.states, who, index)
        return index

    def undo(self, actions: int) -> None:
        """Take back the last actions; raises UndoError where not so many are kept."""
        if actions > len(self._before):
            raise UndoError(f"there are {len(self._before)} actions to take back, not {actions}")
        for _ in range(actions):
            before = self._before.pop()
        self.states[:] = before

    def situation(self) -> dict[str, Any]:
        """Where the game stands: what everybody sees of it."""
        state = self.states[0]
        return {
            "game": self.ident,
            "environment": self.game.env_name,
            "phase": self.game.phases[int(state["phase"])],
            "turn": int(state["turn"]),
            "owing": owing(self.states),
            **result(self.game, self.states),
        }

    def snapshot(self) -> Snapshot:
        """The complete position."""
        return save_position(self.game, self.states)


@dataclass
class HeldGames:
    """The games of a dispatcher, from any thread.

    ``guessable``: games are called ``game-1``, ``game-2`` …, as befits a connection of its own; otherwise by 128 random bits,
    which only those know who were told.
    """

    limits: Limits
    guessable: bool
    _games: dict[str, HeldGame] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _numbers: Any = field(default_factory=lambda: count(1))

    def add(self, game: Game, states: Array) -> HeldGame:
        """Hold a game; raises LimitError if there are too many and none was left alone for long."""
        with self._lock:
            if len(self._games) >= self.limits.games:
                self._drop_idle()
            ident = f"game-{next(self._numbers)}" if self.guessable else secrets.token_urlsafe(16)
            held = HeldGame(ident, game, states, self.limits.undo)
            self._games[ident] = held
        return held

    def _drop_idle(self) -> None:
        """Close the game that was not asked for the longest time; raises LimitError if that is not long."""
        oldest = min(self._games.values(), key=lambda held: held.used, default=None)
        if oldest is None or time.monotonic() - oldest.used < self.limits.idle_seconds:
            raise LimitError(f"{self.limits.games} games are held already; close one of them")
        del self._games[oldest.ident]

    def get(self, ident: str) -> HeldGame:
        """A game by its name; raises NoGameError."""
        with self._lock:
            held = self._games.get(ident)
            if held is None:
                raise NoGameError("there is no such game; it may have been closed")
            held.used = time.monotonic()
            return held

    def close(self, ident: str) -> None:
        """Forget a game; raises NoGameError."""
        self.get(ident)
        with self._lock:
            self._games.pop(ident, None)

    def __len__(self) -> int:
        return len(self._games)


def deal(game: Game, options: Mapping[str, Any], seed: int) -> Array:
    """A new game, a record array of length 1; raises OptionError."""
    template = game.template(game.complete_options(options))
    states = template.copy()
    records, flat = game.new_observations(1)
    mask = np.zeros((1, len(game.actions)), np.int8)
    prepare(game).kernels.deal_one(states, np.uint64(seed), template, mask, records, flat)
    return states
