"""How long a policy takes for one position in compiled code and by onnxruntime, and how far the two differ:

python -m dig_envs.agents.dense_speed [POLICY …]
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dig_envs.agents.dense import evaluate_dense
from dig_envs.agents.loading import policy_folder, zoo_policies
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.batch import BatchEnv
from dig_envs.engine.dense import evaluate_rows, new_scratch
from dig_envs.engine.game import Array

DECISIONS, REPEATS = 128, 15
STEPS_APART = 12  # random actions between the positions that are taken
LINE = "{:28} {:>14} {:>12} {:>12} {:>12}"


def decisions_of(agent: OnnxAgent) -> tuple[Array, Array]:
    """Observations and masks of positions from several stages of random games."""
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
    """Microseconds of processor time for a decision, the least of some tries."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append((time.process_time() - began) / DECISIONS * 1e6)
    return min(times)


def measure(name: str) -> str:
    """A line of the table."""
    agent = OnnxAgent(policy_folder(name, None))
    seen, masks = decisions_of(agent)
    asked = seen, masks, np.zeros((DECISIONS, max(1, agent.memory_size)), np.float32)

    def ask_one_by_one() -> None:
        for i in range(DECISIONS):
            agent.evaluate(asked[0][i : i + 1], asked[1][i : i + 1], asked[2][i : i + 1])

    reference = f"{shortest(ask_one_by_one):.1f}"
    if agent.dense is None:
        return LINE.format(name, "–", reference, "–", "–")
    policy, scratch = agent.dense, new_scratch(agent.dense)
    logits, values = np.zeros(masks.shape, np.float32), np.zeros(DECISIONS, np.float32)
    compiled = shortest(lambda: evaluate_rows(policy, scratch, seen, masks, logits, values))
    found, expected, legal = evaluate_dense(policy, seen, masks), agent.evaluate(seen, masks), masks != 0
    apart = [float(np.abs(found[0] - expected[0])[legal].max()), float(np.abs(found[1] - expected[1]).max())]
    return LINE.format(name, f"{compiled:.1f}", reference, *(f"{one:.1e}" for one in apart))


def main(names: list[str]) -> None:
    """Print the table of the policies, by default all of the zoo."""
    print(LINE.format("policy", "compiled, µs", "onnx, µs", "logits apart", "values apart"))
    for name in names or list(zoo_policies()):
        print(measure(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
