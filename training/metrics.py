"""What is measured while training, written to ``metrics.jsonl`` and TensorBoard."""

import json
from pathlib import Path
from typing import Any

from .files import write_atomically

FILE = "metrics.jsonl"
MEANINGS = {
    "steps": "decisions of the learner so far",
    "phase": "'imitation' (warm start), 'ppo', 'expert' (expert iteration), or 'evaluation'",
    "games": "games that ended in the last rollout",
    "win_rate": "share of them that the learner won, playing with its full randomness",
    "score": "their mean final score",
    "decisions": "their mean number of decisions of the learner",
    "greedy_win_rate": "share won of the evaluation games, playing the likeliest action: always the same seeds in a cooperative "
    "game; in a competitive one the gate's games against the first opponent of the settings",
    "greedy_score": "mean final score of the same games",
    "strength": "competitive games: strength in the gate's games by opponent, 0 to 1; as strong as they: 0.5 (training/pool.py)",
    "strength_low": "the lower ends of the 95 % intervals of these strengths: what the gate looks at",
    "gate_games": "how many games were played against each of them",
    "promoted": "whether the snapshot passed the gate, and so became the pool's best and the policy to export",
    "agreement": "imitation: how often the likeliest action is the teacher's; expert iteration: the search's",
    "imitation_loss": "imitation: cross-entropy to the teacher's action; 0 is perfect",
    "policy_loss": "PPO's clipped objective, negative; its size says little. Expert iteration: cross-entropy to what the search "
    "would do",
    "value_loss": "mean squared error of the value's prediction of the return",
    "explained_variance": "1: the value predicts the return perfectly; 0: no better than its mean",
    "with_values": "expert iteration: 1 where the network's values took the place of playouts, 0 before they explained enough",
    "rows": "expert iteration: decisions in the window that was learned from",
    "entropy": "mean randomness of the policy in nats; a fast fall to 0 means that it stopped exploring",
    "kl": "how far one update moved the policy; above 0.05 learning is unstable, far below 0.005 it is slow",
    "clip_fraction": "share of samples beyond the clip range; about 0.05 to 0.2 is usual",
    "steps_per_second": "speed, updates included",
}


def append(run: Path, row: dict[str, Any]) -> None:
    """Add one line to the run's metrics."""
    with (run / FILE).open("a") as file:
        file.write(json.dumps(row) + "\n")


def to_tensorboard(writer: Any, row: dict[str, Any]) -> None:
    """The numbers of one line as scalars: ``ppo/kl``, ``strength/heuristic`` …"""
    for name, value in row.items():
        scalars = value if isinstance(value, dict) else {name: value}
        group = name if isinstance(value, dict) else row["phase"]
        for key, number in scalars.items():
            if isinstance(number, int | float) and name != "steps":
                writer.add_scalar(f"{group}/{key}", number, row["steps"])


def read(run: Path) -> list[dict[str, Any]]:
    """All rows; a line that a kill cut off is left out."""
    path = run / FILE
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return rows


def cut(run: Path, steps: int) -> None:
    """Forget what was measured after the checkpoint that a run goes on from."""
    kept = [row for row in read(run) if row["steps"] <= steps]
    write_atomically(run / FILE, "".join(json.dumps(row) + "\n" for row in kept))
