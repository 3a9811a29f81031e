"""Who was measured."""

from collections.abc import Mapping
from typing import Any

from dig_envs.agents.external import ExternalAgent
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.protocol import Agent
from dig_envs.agents.sealed import SealedAgent, source_hash
from dig_envs.arena.entrants import describe_agent


def identity(spec: str, agents: Mapping[str, Agent]) -> dict[str, Any]:
    """The identity of the measured player: the name, and hashes of files that do not come with this
    package.

    ``sealed`` is said of programs and of a user's code: that they ran in processes of their own,
    which were told what their seats may know; ``needs``: what more than observations and masks.
    ``choice``: of policies, whether they sampled or took the likeliest action.

    Args:
        spec: the name.
        agents: by task, as they were loaded.
    """
    found: dict[str, Any] = {"agent": spec}
    first = next(iter(agents.values()), None)
    if isinstance(first, SealedAgent):
        found |= {
            "source_sha256": source_hash(first.file),
            "sealed": True,
            "needs": list(first.needs),
        }
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
