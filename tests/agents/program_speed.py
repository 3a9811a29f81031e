"""How long a policy takes for one position in compiled code and by onnxruntime, and how far the two
differ:

python -m tests.agents.program_speed [POLICY …]
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.program import evaluate_program
from dig_envs.agents.zoo import policy_folder, zoo_policies
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.game import Array
from dig_envs.engine.search.program import evaluate_rows, new_scratch

DECISIONS, REPEATS = 128, 15
STEPS_APART = 12  # random actions between the positions that are taken
LINE = "{:28} {:>14} {:>12} {:>12} {:>12}"


def decisions_of(agent: OnnxAgent) -> tuple[Array, Array]:
    """Return observations and masks of positions from four stages of random games."""
    options: dict[str, Any] = {"num_players": agent.num_players[0]} if agent.num_players else {}
    batch = BatchEnv(agent.game.env_name, DECISIONS // 4, seed=1, num_threads=1, **options)
    seen, masks = [], []
    for _ in range(4):
        for _ in range(STEPS_APART):
            batch.step(batch.sample_actions())
        seen.append(batch.observation.copy())
        masks.append(batch.action_mask.copy())
    batch.close()
    return np.concatenate(seen), np.concatenate(masks)


def shortest(work: Callable[[], object]) -> float:
    """Return the microseconds of processor time for one of the decisions that ``work`` makes, the
    least of some tries."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append((time.process_time() - began) / DECISIONS * 1e6)
    return min(times)


def measure(name: str) -> str:
    """Return the line of a policy in the table."""
    agent = OnnxAgent(policy_folder(name, None))
    seen, masks = decisions_of(agent)
    memory = np.zeros((DECISIONS, max(1, agent.memory_size)), np.float32)
    one_by_one = [slice(i, i + 1) for i in range(DECISIONS)]
    reference = shortest(lambda: [agent.evaluate(seen[i], masks[i], memory[i]) for i in one_by_one])
    policy = agent.program
    if policy is None:
        return LINE.format(name, "–", f"{reference:.1f}", "–", "–")
    logits, values, scratch = (
        np.zeros(masks.shape, np.float32),
        np.zeros(DECISIONS, np.float32),
        new_scratch(policy),
    )
    inputs = np.concatenate([seen, memory[:, : agent.memory_size]], axis=1)
    compiled = shortest(lambda: evaluate_rows(policy, scratch, inputs, masks, logits, values))
    memory[:] = 0
    found, expected, legal = (
        evaluate_program(policy, seen, masks),
        agent.evaluate(seen, masks, memory),
        masks != 0,
    )
    apart = [
        float(np.abs(found[0] - expected[0])[legal].max()),
        float(np.abs(found[1] - expected[1]).max()),
    ]
    return LINE.format(
        name, f"{compiled:.1f}", f"{reference:.1f}", *(f"{one:.1e}" for one in apart)
    )


if __name__ == "__main__":
    print(LINE.format("policy", "compiled, µs", "onnx, µs", "logits apart", "values apart"))
    for policy_name in sys.argv[1:] or list(zoo_policies()):
        print(measure(policy_name), flush=True)
