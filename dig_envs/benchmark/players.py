"""Who is measured: the players of :func:`dig_envs.load_agent`, and a user's own Python code."""

import sys
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.deciding import OneGame
from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import Agent
from dig_envs.arena.entrants import describe_agent
from dig_envs.engine.game import Array

PYTHON = "python:"

Choice = Callable[[str, Array, Array], Any]


class FunctionAgent(OneGame):
    """A player made of a function ``choose(environment, observation, action_mask)``.

    Args:
        name: of the player.
        environment: that it plays; it is passed on.
        choose: gets observations float32 (n, observation size) and masks int8 (n, number of actions), returns n legal actions.
    """

    def __init__(self, name: str, environment: str, choose: Choice) -> None:
        self.name = name
        self._environment, self._choose = environment, choose

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """Return one action for each decision; raises ValueError, which names the player, unless they are n legal integers."""
        actions = np.asarray(self._choose(self._environment, observation, action_mask))
        if actions.dtype.kind not in "iu" or actions.shape != (len(observation),):
            raise ValueError(f"{self.name} must return {len(observation)} integers, not {actions.dtype} {actions.shape}")
        possible = (actions >= 0) & (actions < action_mask.shape[1])
        wrong = np.flatnonzero(~possible | (action_mask[np.arange(len(actions)), np.where(possible, actions, 0)] == 0))
        if len(wrong):
            raise ValueError(f"{self.name} chose action {actions[wrong[0]]}, which is not legal")
        return actions.astype(np.int64)


def load_player(spec: str, environment: str, seed: int | None = None) -> Agent:
    """Return a player by name; ``python:module:thing`` imports code of the user's, from the working folder, too.

    The thing is a function as :class:`FunctionAgent` takes it, or a class: called with the environment's name and a seed (an
    integer or None) it makes an :class:`~dig_envs.agents.protocol.Agent`. It runs with all rights of the user, so only what a user
    names on a command line or in a program of their own may come here.

    Raises:
        ValueError: there is no such module or thing in it; and as :func:`dig_envs.load_agent`.
    """
    if not spec.startswith(PYTHON):
        return load_agent(spec, environment, seed)
    thing = _import(spec)
    if isinstance(thing, type):
        agent: Agent = thing(environment, seed)
        return agent
    return FunctionAgent(spec, environment, thing)


def _import(spec: str) -> Any:
    module, _, name = spec.removeprefix(PYTHON).partition(":")
    if not module or not name.isidentifier():
        raise ValueError(f"{spec!r}: write python:MODULE:NAME, such as python:my_player:choose")
    if "" not in sys.path:
        sys.path.insert(0, "")  # a script's search path begins with the script's folder, not with the user's
    try:
        thing = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{spec!r}: no module {error.name!r}, neither installed nor in the working folder") from None
    except AttributeError:
        raise ValueError(f"{spec!r}: the module {module} has no {name}") from None
    if not callable(thing):
        raise ValueError(f"{spec!r} is no function and no class")
    return thing


def identity(spec: str, agents: dict[str, Agent]) -> dict[str, Any]:
    """Return who was measured: the name, and hashes of what does not come with this package.

    Args:
        spec: the name.
        agents: by task, as they were loaded.
    """
    found: dict[str, Any] = {"agent": spec}
    if spec.startswith(PYTHON):
        file = sys.modules[spec.removeprefix(PYTHON).partition(":")[0]].__file__
        found["source_sha256"] = sha256(Path(file).read_bytes()).hexdigest() if file else None
    described = {task: describe_agent(spec, agent) for task, agent in agents.items()}
    for key in ("plays", "weights_sha256"):
        by_task = {task: facts[key] for task, facts in described.items() if key in facts}
        if by_task:
            found[key] = by_task
    return found
