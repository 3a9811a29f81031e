"""The arguments that a computation of XLA hands to the loops of a game, and the functions that it
calls."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.compiler.frames import handler_of, refusal_of
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.checks import Array, action_text
from dig_envs.engine.core.declared import DeclaredGame
from dig_envs.engine.core.state import REWARD_KINDS

ELSEWHERE = (
    "the games of dig_envs run on the CPU, and this computation is on another device: put it on "
    "the CPU (with jax.default_device(jax.devices('cpu')[0]), arrays by jax.device_put) and move "
    "what is observed, or play with dig_envs.BatchEnv(...).to('cuda') and hand its arrays over by "
    "DLPack"
)


class Form(NamedTuple):
    """One game's part of an argument or a result: its dtype, and its shape (n,) or ()."""

    dtype: Any
    shape: tuple[int, ...]


class Calls:
    """The calls of one game.

    Args:
        game: the game.
        loops: :mod:`dig_envs.engine.compiler.xla` with its functions.

    Raises:
        RuntimeError: nothing is compiled (``NUMBA_DISABLE_JIT=1``).
    """

    def __init__(self, game: DeclaredGame, loops: ModuleType) -> None:
        if JIT_DISABLED:
            raise RuntimeError("XLA calls compiled code only: unset NUMBA_DISABLE_JIT")
        self.game = game
        self._loops = loops

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all loops."""
        return tuple(self._loops.CALLS)

    def handler(self, name: str) -> int:
        """The address of the function that XLA calls; compiled on first use."""
        return handler_of(getattr(self._loops, name))

    @property
    def refusal(self) -> int:
        """The address of the function that XLA is to call on other devices than a CPU: its error
        says what can be done."""
        return refusal_of(ELSEWHERE)

    def forms(self, name: str, num_players: int, seats: int) -> tuple[list[Form], list[Form]]:
        """The arguments and the results of a call.

        Args:
            name: of the loop.
            num_players: in the game.
            seats: how many seats of each game are looked at (in ``look``).
        """
        game = self.game
        shapes = {
            "state": (game.state.itemsize,),
            "observation": (game.observation_size,),
            "actions": (len(game.actions),),
            "players": (num_players,),
            "seats": (seats,),
            "seen": (seats, game.observation_size),
            "allowed": (seats, len(game.actions)),
            "key": (2,),
            "one": (),
        }
        given, results = self._loops.CALLS[name]
        return [Form(np.dtype(kind), shapes[of]) for kind, of in given], [
            Form(np.dtype(kind), shapes[of]) for kind, of in results
        ]

    @staticmethod
    def row_sizes(given: list[Form], results: list[Form]) -> Array:
        """The attribute ``rows`` of a call, int64: the bytes of one game in each of its arguments
        and results."""
        return np.array(
            [form.dtype.itemsize * int(np.prod(form.shape)) for form in given + results], np.int64
        )

    def settings(
        self, options: Mapping[str, Any], reward: str, auto_reset: bool, checked: bool, seats: int
    ) -> Array:
        """The attribute ``settings`` of a call, int64: numbers, the template, and the error texts
        of a checked step.

        Args:
            options: all of the game.
            reward: one of :data:`~dig_envs.engine.core.state.REWARD_KINDS`.
            auto_reset: whether a step that ends a game deals the next one.
            checked: whether an illegal action is an error.
            seats: how many seats of each game are looked at.
        """
        head = np.array(
            [auto_reset, REWARD_KINDS.index(reward), options["num_players"], seats, checked],
            np.int64,
        )
        content = head.tobytes() + self.game.template(options).tobytes()
        if checked:
            texts = [
                f"{action_text(action, self.game.actions)} is not legal".encode() + b"\0"
                for action in range(len(self.game.actions))
            ]
            texts.append(b"an action that is out of range is not legal\0")
            lengths = np.array([len(text) for text in texts], np.int64)
            offsets = 8 * len(texts) + np.cumsum(lengths) - lengths
            content += offsets.tobytes() + b"".join(texts)
        return np.frombuffer(content + bytes(-len(content) % 8), np.int64)
