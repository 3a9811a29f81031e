"""Training runs small enough for a test."""

import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch
import typer
from click.testing import Result
from typer.testing import CliRunner

from training import train as ppo
from training.checkpoints import WEIGHTS, list_checkpoints
from training.seeds import PURPOSES

SETTINGS = {
    "layers": "[16]",
    "num_envs": 8,
    "rollout_steps": 32,
    "batch_size": 64,
    "epochs": 1,
    "checkpoint_rollouts": 1,
    "evaluation_games": 4,
    "evaluation_sweep": "[]",
    "warm_start": "heuristic",
    "warm_start_steps": 256,
    "start_from": '""',
    "games": "[{}]",
    "cells": "[]",
    "links": "[]",
    "grid": "{}",
    "rounds": 0,
}
LEG = 8 * 32


def purpose_of(seed: int) -> str:
    """Return the purpose of a seed of ``seed_stream``."""
    return PURPOSES[seed >> 62]


def changed(**changes: object) -> list[str]:
    """Options that change settings."""
    return [word for name, value in changes.items() for word in ("--set", f"{name}={value}")]


def words(run: Path | None, out: Path, *more: str, env: str = "cretaceous_creek_v0") -> list[str]:
    """The words after ``dig-envs train``, with tiny settings where ``more`` has none."""
    folder = ["--run", str(run)] if run else []
    given = {word.partition("=")[0] for word in more}
    settings = {name: value for name, value in SETTINGS.items() if name not in given}
    return [
        env,
        *folder,
        "--out",
        str(out),
        "--games",
        "4",
        "--threads",
        "1",
        *changed(**settings),
        *more,
    ]


def command(run: Path, out: Path, *more: str, env: str = "cretaceous_creek_v0") -> list[str]:
    """``dig-envs train`` with tiny settings, as a program of its own."""
    return [
        sys.executable,
        "-m",
        "dig_envs.commands.main",
        "train",
        *words(run, out, *more, env=env),
    ]


def invoke(app: typer.Typer, arguments: list[str]) -> Result:
    """A command in this process, which takes the arguments for its own command line."""
    with patch.object(sys, "argv", ["dig-envs", "train", *arguments]):
        return CliRunner().invoke(app, arguments)


def train(run: Path | None, out: Path, *more: str, env: str = "cretaceous_creek_v0") -> Result:
    """``training.train`` to its end."""
    return invoke(ppo.app, words(run, out, *more, env=env))


def said(result: Result) -> str:
    """All that was printed, on one line."""
    return " ".join(result.output.split())


def done(result: Result) -> Result:
    """The result of a command that came to its end."""
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result


def weights_of(run: Path) -> dict[str, np.ndarray]:
    """The weights of a run's last checkpoint."""
    parts = torch.load(list_checkpoints(run)[-1] / WEIGHTS, weights_only=True)
    return {name: tensor.numpy() for name, tensor in parts["network"].items()}


def assert_same_weights(run: Path, other: Path) -> None:
    """The last checkpoints of two runs agree to the bit."""
    ours, theirs = weights_of(run), weights_of(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
