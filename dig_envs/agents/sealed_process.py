"""The program of the process in which a sealed player runs (:mod:`dig_envs.agents.sealed`).

It is started by its path in a new interpreter and imports nothing of this package, so that the
process has no environment, no position and no other player. What it is sent over its standard input
is all that the player learns of the games.

**Messages.** Each begins with two lengths, unsigned 32-bit integers: of a head, JSON, and of a
body, arrays one after the other, of the types below. All numbers are in little-endian order.

=========== ==================================================== ===================================
head        keys                                                 body
=========== ==================================================== ===================================
``begin``   ``module``, ``name``, ``environment``, ``seed``,
            ``observation_size``, ``num_actions``
``choose``  ``n``; ``views``, ``events``, ``legal``, ``prompts`` observations float32 (n, size),
                                                                 masks int8 (n, actions), the seats
            where the player needs them: lists of n              int64 (n,), the numbers of the
                                                                 games int64 (n,)
=========== ==================================================== ===================================

An answer begins with a byte, its kind, and the length of the rest, an unsigned 32-bit integer. The
rest is actions, int64 (n,); or facts about the player, JSON; or what went wrong, a text.
"""

import importlib
import inspect
import json
import os
import struct
import sys
import traceback
from typing import Any, BinaryIO

import numpy as np

REQUEST, ANSWER = struct.Struct("<II"), struct.Struct("<BI")
ACTIONS, FACTS, WRONG = range(3)  # kinds of answers
# what a player may need beside observations and masks: in the body of a message …
ARRAYS = ("seats", "games")
LISTS = ("views", "events", "legal", "prompts")  # … and in its head
NEEDS = (*ARRAYS, *LISTS)
LONGEST_TEXT = 2000  # characters of what went wrong
GIVEN = {
    "function": ("environment", "observation", "action_mask"),
    "class": ("observation", "action_mask"),
}


class Refused(Exception):
    """A player that cannot be sealed; the message says why."""


class Player:
    """A user's player: what chooses, and what it needs to be told.

    Args:
        head: of the message ``begin``.

    Raises:
        Refused: there is no such module or thing in it, it is not a player, or it asks for
            knowledge that no seat may have.
    """

    def __init__(self, head: dict[str, Any]) -> None:
        self.sizes = head["observation_size"], head["num_actions"]
        self._environment = head["environment"]
        thing = _thing(head["module"], head["name"])
        self._is_class = isinstance(thing, type)
        # the method of an agent that is given as an object does as well
        method = next((one for one in ("choose", "act_batch") if hasattr(thing, one)), "")
        if not (method if self._is_class else callable(thing)):
            raise Refused("is no function and no class with a method choose or act_batch")
        self.needs = _needs(thing) if self._is_class else ()
        self._choose = thing
        if self._is_class:
            made = _made(thing, head["environment"], head["seed"])
            _refuse_traits(made)
            self._choose = getattr(made, method)
        _check_parameters(
            self._choose, GIVEN["class" if self._is_class else "function"], self.needs
        )

    def facts(self, module: str) -> dict[str, Any]:
        """The facts about the player: the file of its module, and what it needs."""
        return {"file": getattr(sys.modules[module], "__file__", None), "needs": list(self.needs)}

    def choose(self, head: dict[str, Any], body: bytes) -> bytes:
        """Actions as bytes; raises Refused unless the player returns one integer for each
        decision."""
        n, (size, actions) = head["n"], self.sizes
        ends = np.cumsum([0, 4 * n * size, n * actions, 8 * n, 8 * n]).tolist()
        # that can be written to
        parts = [
            bytearray(body[start:stop]) for start, stop in zip(ends[:-1], ends[1:], strict=True)
        ]
        observation, mask = (
            np.frombuffer(parts[0], "<f4").reshape(n, size),
            np.frombuffer(parts[1], np.int8).reshape(n, actions),
        )
        arrays = dict(zip(ARRAYS, (np.frombuffer(part, "<i8") for part in parts[2:]), strict=True))
        told = {need: arrays[need] if need in arrays else head[need] for need in self.needs}
        before = () if self._is_class else (self._environment,)
        chosen = np.asarray(self._choose(*before, observation, mask, **told))
        if chosen.dtype.kind not in "iu" or chosen.shape != (n,):
            raise Refused(f"must return {n} integers, not {chosen.dtype} {chosen.shape}")
        return chosen.astype("<i8").tobytes()


def _thing(module: str, name: str) -> Any:
    """The object of this name in a module of the working folder or of an installed package."""
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise Refused(
            f"there is no module {error.name!r}, neither installed nor in the working folder"
        ) from None
    except AttributeError:
        if module in sys.modules and not hasattr(sys.modules[module], name):
            raise Refused(f"the module {module} has no {name}") from None
        raise


def _made(thing: Any, *given: Any) -> Any:
    """An object of a class, which takes the environment and the seed or nothing."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):  # a class of compiled code
        return thing(*given)
    for arguments in (given, ()):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return thing(*arguments)
    raise Refused(f"is made with {signature}: write __init__(self, environment, seed), or none")


def _refuse_traits(thing: Any) -> None:
    """Refuse what only agents that are given as objects may have, instead of ignoring it."""
    for trait, instead in (("memory_size", "games"), ("takes_events", "events")):
        if getattr(thing, trait, None):
            raise Refused(
                f"has {trait}, which a sealed player is not asked for: write needs = "
                f"({instead!r},) and take {instead} by name, or give an object to the arena"
            )


def _needs(thing: Any) -> tuple[str, ...]:
    """The attribute ``needs`` of a class; empty if it is missing."""
    needs = getattr(thing, "needs", ())
    if isinstance(needs, str) or not all(isinstance(need, str) for need in needs):
        raise Refused(
            f"has needs={needs!r}, which should be a tuple of names, such as ('views', 'events')"
        )
    _refuse_others([need for need in needs if need not in NEEDS])
    return tuple(dict.fromkeys(needs))


def _check_parameters(choose: Any, given: tuple[str, ...], needs: tuple[str, ...]) -> None:
    """Refuse a function that demands more than it is given."""
    try:
        signature = inspect.signature(choose)
    except (TypeError, ValueError):  # a function of compiled code, which is called as it is
        return
    kinds = inspect.Parameter
    positional = [
        each
        for each in signature.parameters.values()
        if each.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    ]
    named = [each for each in signature.parameters.values() if each.kind is kinds.KEYWORD_ONLY]
    wanted = [
        each.name
        for each in (*positional[len(given) :], *named)
        if each.default is kinds.empty and each.name not in needs
    ]
    _refuse_others([name for name in wanted if name not in NEEDS])
    if wanted:
        raise Refused(
            f"takes {', '.join(wanted)}, which a class names in its attribute needs: needs = "
            f"{tuple(wanted)!r}"
        )


def _refuse_others(names: list[str]) -> None:
    if names:
        raise Refused(
            f"asks for {', '.join(map(repr, names))}, which a sealed player is not given: it has "
            f"observations and action masks, and what it needs of {', '.join(NEEDS)}"
        )


def _read(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The head and the body of the next message; None at the end."""
    lengths = stream.read(REQUEST.size)
    if len(lengths) < REQUEST.size:
        return None
    head_length, body_length = REQUEST.unpack(lengths)
    return json.loads(stream.read(head_length)), stream.read(body_length)


def _say_what_was_raised(error: BaseException) -> str:
    """The last lines of a traceback that are about the player's code."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__
    ]
    where = (
        f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    )
    return f"raised {type(error).__name__}: {error}{where}"


def main() -> None:
    """Answer messages until there are no more."""
    sys.path[0] = ""  # the working folder, not that of this file
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what the player prints is no answer
    player = None
    while (message := _read(requests)) is not None:
        head, body = message
        try:
            if head["do"] == "begin":
                player = Player(head)
                kind, said = FACTS, json.dumps(player.facts(head["module"])).encode()
            else:
                assert player is not None
                kind, said = ACTIONS, player.choose(head, body)
        except Refused as refused:
            kind, said = WRONG, str(refused)[:LONGEST_TEXT].encode()
        except Exception as error:
            kind, said = WRONG, _say_what_was_raised(error)[:LONGEST_TEXT].encode()
        answers.write(ANSWER.pack(kind, len(said)) + said)
        answers.flush()


if __name__ == "__main__":
    main()
