"""On which machine and when something was measured."""

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dig_envs.batch.batch_env import num_cores


def machine_now() -> dict[str, Any]:
    """The processor, its cores, the date, and the versions of Python, NumPy and Numba, as JSON."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": num_cores(),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "numba")},
    }


def made_on(machine: Mapping[str, Any]) -> str:
    """Machine, versions and date in words; empty if the report does not have them."""
    if not machine:
        return ""
    cores = machine["cores"]
    load = f", {machine['load']} processes running" if machine.get("load") is not None else ""
    return (
        f"{machine['cpu']}, {cores} core{'s' if cores != 1 else ''}{load}, Python "
        f"{machine['python']}, NumPy {machine['numpy']}, "
        f"Numba {machine['numba']}, {machine['date']}"
    )
