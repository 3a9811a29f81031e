"""The arguments that a computation of XLA hands to the loops of a game, and the functions that it
calls."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

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

    def handler(self, name: str) -> int:
        """The address of the function that XLA calls; compiled on first use."""
        return handler_of(getattr(self._loops, name))

    @property
    def refusal(self) -> int:
        """The address of the function that XLA is to call on other devices than a CPU: its error
        says what can be done."""
        return refusal_of(ELSEWHERE)

    def forms(self, name: str, num_players: int, seats: int) -> tuple[list[Any], list[Any]]:
        """The arguments and the results of a call: of each one game's part, as a dtype with a shape
        (n,) or ().

        Args:
            name: of the loop.
            num_players: in the game.
            seats: how many seats of each game are looked at, or have an action.
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
        given, results = (
            [np.dtype((kind, shapes[of])) for kind, of in forms]
            for forms in self._loops.CALLS[name]
        )
        return given, results

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
            seats: how many seats of each game are looked at, or have an action.
        """
        head = np.array(
            [auto_reset, REWARD_KINDS.index(reward), options["num_players"], seats, checked],
            np.int64,
        )
        content = head.tobytes() + self.game.template(options).tobytes()
        if checked:
            actions = self.game.actions
            named = [
                *(action_text(k, actions) for k in range(len(actions))),
                "an action that is out of range",
            ]
            texts = [f"{action} is not legal\0".encode() for action in named]
            lengths = np.array([len(text) for text in texts], np.int64)
            offsets = 8 * len(texts) + np.cumsum(lengths) - lengths
            content += offsets.tobytes() + b"".join(texts)
        return np.frombuffer(content + bytes(-len(content) % 8), np.int64)
