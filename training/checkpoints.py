"""Checkpoints that a kill at any moment cannot damage.

A checkpoint is a folder ``checkpoint-<steps>`` in the run's folder with ``model.zip`` (Stable-Baselines3's own format: weights
and optimizer) and ``progress.json``. It is written under another name and renamed when it is complete, and a rename is
atomic: there is either the whole checkpoint or none.

Stable-Baselines3's zip holds pickles, so load only runs of your own; policies that are passed on are ONNX (``training.export``).
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO

PREFIX = "checkpoint-"
BEST = "best"
KEPT = 2  # the newest ones


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old or the new one, never half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def save_checkpoint(run: Path, model: MaskablePPO, progress: dict[str, Any], name: str | None = None) -> Path:
    """Save model and progress; returns the folder. Older checkpoints go, the newest two stay."""
    folder = run / (name or f"{PREFIX}{progress['steps']:012d}")
    draft = run / f".{folder.name}.{os.getpid()}.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    model.save(draft / "model.zip")
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
