"""The metrics of a run, in ``metrics.jsonl`` and TensorBoard, and what each of them means."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from dig_envs.engine.core.files import CannotWrite, write_file

from .ppo import METRICS

FILE, TENSORBOARD = "metrics.jsonl", "tensorboard"
MEANINGS = METRICS | {
    "phase": "'imitation' (warm start), 'ppo', or 'evaluation'",
    "greedy_won": (
        "mean share of the victory in the evaluation games, playing the likeliest action: always "
        "the same seeds in a cooperative game; in a competitive one the gate's games against the "
        "first opponent of the settings"
    ),
    "greedy_score": "mean final score of the same games",
    "strength": (
        "competitive games: strength in the gate's games, which choose the best snapshot, by "
        "opponent, 0 to 1; equally strong: 0.5 (training/pool.py)"
    ),
    "strength_low": (
        "the lower ends of the 95 % intervals of these strengths: what the gate looks at"
    ),
    "gate_games": "how many games were played against each of them",
    "promoted": (
        "whether the snapshot passed the gate, and so became the pool's best and the policy to "
        "export"
    ),
    "playing_share": (
        "share of an update's time in which games were played, by the learner, its teacher and its "
        "opponents; in the rest the network learned"
    ),
    "agreement": "imitation: how often the likeliest action is the teacher's",
    "imitation_loss": "imitation: cross-entropy to the teacher's action; 0 is perfect",
}


def append(run: Path, row: dict[str, Any]) -> None:
    """Add one line to the run's metrics."""
    try:
        with (run / FILE).open("a") as file:
            file.write(json.dumps(row) + "\n")
    except OSError as error:
        raise CannotWrite(run / FILE, error) from None


@contextmanager
def open_tensorboard(run: Path, steps: int) -> Iterator[SummaryWriter]:
    """Give the writer of a run's TensorBoard logs, in which nothing after so many steps is shown
    any more; it is closed at the end.

    Raises:
        OSError: they cannot be written; with their name.
    """
    earlier, others = threading.excepthook, set(threading.enumerate())
    own: set[threading.Thread] | None = None  # the writer's; not known until it is made

    def tell(failure: threading.ExceptHookArgs) -> None:
        is_own = failure.thread not in others if own is None else failure.thread in own
        # the next call of the writer raises it
        if not (is_own and isinstance(failure.exc_value, OSError)):
            earlier(failure)

    threading.excepthook = tell
    try:
        try:
            writer = SummaryWriter(str(run / TENSORBOARD), purge_step=steps + 1)
        except OSError as error:
            raise CannotWrite(run / TENSORBOARD, error) from None
        own = set(threading.enumerate()) - others
        try:
            yield writer
        except BaseException:
            with suppress(OSError):  # that would hide the first one
                writer.close()
            raise
        try:
            writer.close()
        except OSError as error:
            raise CannotWrite(run / TENSORBOARD, error) from None
    finally:
        threading.excepthook = earlier


def to_tensorboard(writer: SummaryWriter, row: dict[str, Any]) -> None:
    """Write the numbers of one line as scalars: ``ppo/kl``, ``strength/heuristic`` …"""
    for name, value in row.items():
        scalars = value if isinstance(value, dict) else {name: value}
        group = name if isinstance(value, dict) else row["phase"]
        for key, number in scalars.items():
            if isinstance(number, int | float) and name != "steps":
                writer.add_scalar(f"{group}/{key}", number, row["steps"])


def read(run: Path) -> list[dict[str, Any]]:
    """All rows; a line cut off by a kill or a full disk is left out."""
    path = run / FILE
    rows = []
    for line in path.read_bytes().splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and type(row.get("steps")) is int:
            rows.append(row)
    return rows


def cut(run: Path, steps: int) -> None:
    """Remove what was measured after the checkpoint that a run goes on from; steps 0: there is
    none."""
    if not os.path.lexists(run / FILE):
        return
    kept = [row for row in read(run) if row["steps"] <= steps]
    write_file(run / FILE, "".join(json.dumps(row) + "\n" for row in kept))
