"""Checkpoints that a kill at any moment cannot damage.

A checkpoint is a folder ``checkpoint-<steps>`` in the run's folder with ``learner.pt`` (weights and
optimizer; read as tensors only, so that nothing is unpickled) and ``progress.json``. It is written
under another name and renamed when it is complete; a rename is atomic.
"""

import json
from io import BytesIO
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from dig_envs.agents.onnx import first_line
from dig_envs.engine.core.files import discard, remove, replaced, write_file

from .ppo import Learner

PREFIX = "checkpoint-"
WEIGHTS, PROGRESS = "learner.pt", "progress.json"
NOT_THERE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
# What PyTorch raises for files that are empty, cut, overwritten or of another kind …
DAMAGES = (
    RuntimeError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    EOFError,
    UnpicklingError,
)
# … and what are RuntimeErrors, too, but of the GPU; older versions lack the second.
OF_GPU = (
    torch.cuda.OutOfMemoryError,
    getattr(torch, "AcceleratorError", torch.cuda.OutOfMemoryError),
)
KEPT = 2  # the newest ones


def state_of(learner: Learner) -> dict[str, Any]:
    """What the learner has learned: its weights, and what its optimizer knows."""
    return {"network": learner.network.state_dict(), "optimizer": learner.optimizer.state_dict()}


def take_state(learner: Learner, state: dict[str, Any]) -> None:
    """Give the learner what :func:`state_of` gave."""
    learner.network.load_state_dict(state["network"])
    learner.optimizer.load_state_dict(state["optimizer"])
    for weight, means in learner.optimizer.state.items():
        for name in ("exp_avg", "exp_avg_sq"):  # in the weight's order in memory
            means[name] = torch.empty_like(weight).copy_(means[name])


def save_checkpoint(run: Path, learner: Learner, progress: dict[str, Any]) -> Path:
    """Save learner and progress; return the folder. Older checkpoints are removed, the newest two
    stay."""
    folder = run / f"{PREFIX}{progress['steps']:012d}"
    weights = BytesIO()  # for a file that cannot be written, torch.save has words of its own
    torch.save(state_of(learner), weights)
    with replaced(folder) as draft:
        write_file(draft / WEIGHTS, weights.getvalue())
        write_file(draft / PROGRESS, json.dumps(progress, indent=1))
    for stale in list_checkpoints(run)[:-KEPT]:
        remove(discard(stale))
    return folder


def list_checkpoints(run: Path) -> list[Path]:
    """The complete checkpoints of a run, oldest first."""
    return sorted(run.glob(f"{PREFIX}*"))


def put_aside(checkpoint: Path) -> None:
    """Rename a checkpoint that cannot be used, so that it does not count as one. An earlier one of
    the same steps is removed."""
    aside = checkpoint.with_name(f"unusable-{checkpoint.name}")
    remove(aside)
    checkpoint.rename(aside)


def read_progress(checkpoint: Path) -> dict[str, Any]:
    """The progress saved with a checkpoint; raises ValueError if it is damaged or missing, OSError
    if it is there, but cannot be read."""
    path = checkpoint / PROGRESS
    try:
        progress: Any = json.loads(path.read_text())
    except (*NOT_THERE, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if not isinstance(progress, dict) or type(progress.get("steps")) is not int:
        raise ValueError(f"{path} is damaged: it does not say how many steps were done")
    return progress


def load_checkpoint(checkpoint: Path, learner: Learner) -> None:
    """Give the learner the weights and the optimizer of a checkpoint.

    Raises:
        ValueError: they are missing, damaged or do not fit.
        OSError: they are there, but cannot be read.
        RuntimeError: the GPU has no room for them, or fails.
    """
    path = checkpoint / WEIGHTS
    try:
        content = BytesIO(path.read_bytes())
    except NOT_THERE:
        raise ValueError(f"{checkpoint} has no {WEIGHTS}: it was made by another version") from None
    try:
        take_state(learner, torch.load(content, map_location="cpu", weights_only=True))
    except OF_GPU:
        raise
    except DAMAGES as error:  # PyTorch goes on with sentences of advice
        reason = first_line(error).split(". ")[0].rstrip(":")
        raise ValueError(f"{path} is damaged or of another run: {reason}") from None
