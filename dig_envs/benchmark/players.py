"""The players that are measured: those of :func:`dig_envs.load_agent`, and a user's own Python code."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dig_envs.agents.external import ExternalAgent
from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.protocol import Agent
from dig_envs.arena.entrants import describe_agent
from dig_envs.benchmark.sealed import PYTHON, OpenPlayerError, SealedAgent, source_hash
from dig_envs.benchmark.secrecy import hide_memory
from dig_envs.engine.core.errors import BenchmarkError
from dig_envs.registry import load_game


def load_player(spec: str, environment: str, seed: int | None = None, group: str = "") -> Agent:
    """Return a player by name; ``python:module:thing`` is a user's code, run in processes of its own.

    Args:
        spec: the name. environment: that it plays. seed: of its draws.
        group: of games in which a process of a user's code may go on (:class:`~dig_envs.benchmark.sealed.SealedAgent`).

    Raises:
        BenchmarkError: the code cannot be run, or asks for what its seat may not know
            (:class:`~dig_envs.benchmark.sealed.SealedAgent`).
        ValueError: as :func:`dig_envs.load_agent`.
    """
    if spec.startswith(PYTHON):
        return SealedAgent(spec, load_game(environment), seed, group)
    return load_agent(spec, environment, seed)


def load_player_of_version_1(spec: str, environment: str, seed: int | None = None, group: str = "") -> Agent:
    """Return a player as :func:`load_player` does; a class with ``act_batch`` is imported here and given complete positions.

    That is how version 1 of the suite measured such a class. It runs with all rights of the user in the process that holds the
    games, and its report says that it was not sealed.
    """
    try:
        return load_player(spec, environment, seed, group)
    except OpenPlayerError:
        agent: Agent = _import(spec)(environment, seed)
        if not isinstance(getattr(agent, "name", None), str):
            raise BenchmarkError(f"{spec}: a class with act_batch needs an attribute name, a text such as 'my player'") from None
        return agent


@dataclass(frozen=True)
class PlayerLoader:
    """What loads the players of a group of games; workers get a copy of it.

    ``version``: of the suite. ``group``: as of :func:`load_player`. ``hidden``: whether the deals are held out; then other
    processes cannot read the memory of this one (:func:`dig_envs.benchmark.secrecy.hide_memory`).
    """

    version: int
    group: str = ""
    hidden: bool = False

    def __call__(self, spec: str, environment: str, seed: int | None = None) -> Agent:
        """Return a player as :func:`load_player` does; raises as that."""
        if self.hidden:
            hide_memory()
        load = load_player_of_version_1 if self.version == 1 else load_player
        return load(spec, environment, seed, self.group)


def _import(spec: str) -> Any:
    module, _, name = spec.removeprefix(PYTHON).partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # a script's search path begins with the script's folder, not with the user's
    return getattr(import_module(module), name)


def identity(spec: str, agents: Mapping[str, Agent]) -> dict[str, Any]:
    """Return who was measured: the name, hashes of what does not come with this package, and what it was shown.

    ``sealed`` is said of players that are programs or code of a user: whether they ran in processes of their own, which were told
    what their seats may know. ``needs``: what more than observations and masks a sealed player was told. ``choice``: of trained
    policies, whether they sampled or took the likeliest action.

    Args:
        spec: the name.
        agents: by task, as they were loaded.
    """
    found: dict[str, Any] = {"agent": spec}
    first = next(iter(agents.values()), None)
    if isinstance(first, SealedAgent):
        found |= {"source_sha256": source_hash(first.file), "sealed": True, "needs": list(first.needs)}
    elif spec.startswith(PYTHON):
        module = sys.modules[spec.removeprefix(PYTHON).partition(":")[0]]
        found |= {"source_sha256": source_hash(module.__file__), "sealed": False}
    elif isinstance(first, ExternalAgent):
        found["sealed"] = True
    choices = sorted({agent.choice for agent in agents.values() if isinstance(agent, OnnxAgent)})
    if choices:
        found["choice"] = ", ".join(choices)
    described = {task: describe_agent(spec, agent) for task, agent in agents.items()}
    for key in ("plays", "weights_sha256"):
        by_task = {task: facts[key] for task, facts in described.items() if key in facts}
        if by_task:
            found[key] = by_task
    return found
