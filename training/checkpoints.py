"""Checkpoints that a kill at any moment cannot damage.

A checkpoint is a folder ``checkpoint-<steps>`` in the run's folder with ``learner.pt`` (weights and optimizer; read as tensors
only, so that nothing is unpickled) and ``progress.json``. It is written under another name and renamed when it is complete, and a
rename is atomic: there is either the whole checkpoint or none.
"""

import json
import os
import shutil
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from .files import write_atomically
from .ppo import Learner

PREFIX = "checkpoint-"
BEST = "best"
WEIGHTS = "learner.pt"
KEPT = 2  # the newest ones


def save_checkpoint(run: Path, learner: Learner, progress: dict[str, Any], name: str | None = None) -> Path:
    """Save learner and progress; returns the folder. Older checkpoints go, the newest two stay."""
    folder = run / (name or f"{PREFIX}{progress['steps']:012d}")
    draft = run / f".{folder.name}.{os.getpid()}.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    parts = {"network": learner.network.state_dict(), "optimizer": learner.optimizer.state_dict()}
    torch.save(parts, draft / WEIGHTS)
    write_atomically(draft / "progress.json", json.dumps(progress, indent=1))
    if folder.exists():  # the same steps again, or a named one: rename() does not replace a folder that is not empty
        old = _set_aside(folder)
        os.rename(draft, folder)
        shutil.rmtree(old)
    else:
        os.rename(draft, folder)
    for stale in list_checkpoints(run)[:-KEPT]:
        shutil.rmtree(_set_aside(stale))
    return folder


def _set_aside(folder: Path) -> Path:
    """Rename a checkpoint that is to be removed, so that a kill leaves no half of it under its name."""
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    os.rename(folder, aside)
    return aside


def list_checkpoints(run: Path) -> list[Path]:
    """The complete checkpoints of a run, oldest first."""
    return sorted(run.glob(f"{PREFIX}*"))


def read_progress(checkpoint: Path) -> dict[str, Any]:
    """The progress that a checkpoint was saved with."""
    progress: dict[str, Any] = json.loads((checkpoint / "progress.json").read_text())
    return progress


def load_checkpoint(checkpoint: Path, learner: Learner) -> None:
    """Give the learner the weights and the optimizer of a checkpoint; raises ValueError if it holds others or is damaged."""
    path = checkpoint / WEIGHTS
    if not path.exists():
        raise ValueError(f"{checkpoint} has no {WEIGHTS}: it was made by another version; begin a new run with --run")
    try:
        parts = torch.load(path, map_location=learner.device, weights_only=True)
        learner.network.load_state_dict(parts["network"])
        learner.optimizer.load_state_dict(parts["optimizer"])
    except (RuntimeError, KeyError, TypeError, ValueError, EOFError, UnpicklingError) as error:
        raise ValueError(f"{path} is damaged or of another run: {str(error).splitlines()[0]}") from None
