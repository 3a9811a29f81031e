"""Training runs small enough for a test."""

import subprocess
import sys
from pathlib import Path

SETTINGS = {
    "layers": "[16]",
    "num_envs": 8,
    "rollout_steps": 32,
    "batch_size": 64,
    "epochs": 1,
    "checkpoint_rollouts": 1,
    "evaluation_games": 4,
    "evaluation_sweep": "[]",
    "warm_start_steps": 256,
}
LEG = 8 * 32


def words(run: Path, out: Path, *more: str, env: str = "cretaceous_creek_v0") -> list[str]:
    """What follows ``python -m training.train`` with tiny settings."""
    changes = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
    return ["--env", env, "--run", str(run), "--out", str(out), "--games", "4", "--threads", "1", *changes, *more]


def command(run: Path, out: Path, *more: str, env: str = "cretaceous_creek_v0") -> list[str]:
    """``python -m training.train`` with tiny settings."""
    return [sys.executable, "-m", "training.train", *words(run, out, *more, env=env)]


def train(run: Path, out: Path, *more: str, env: str = "cretaceous_creek_v0") -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(command(run, out, *more, env=env), capture_output=True, text=True, check=False)
