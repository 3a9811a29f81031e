"""A wheel with compiled kernels in it, so that a first use compiles nothing."""

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from dig_envs.engine.core.errors import DigEnvsError

COMPILED = "dig_envs/compiled"  # where ``engine/compiler/cache.py`` looks
ANY = "py3-none-any"


class WheelError(DigEnvsError):
    """A file that is no wheel of this package, or code that could not be compiled."""


def tag() -> str:
    """The tag of wheels for the Python and the machine at hand."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def with_kernels(wheel: Path, out: Path, envs: Sequence[str] = ()) -> Path:
    """Write a copy of a wheel that has the kernels of games in it, compiled from its own sources; returns its path.

    They are used with the same versions of Python, Numba, llvmlite and NumPy, on processors Numba takes for the same; elsewhere
    the wheel works as any other, and compiles. Pip takes it only for the same Python and kind of machine.

    Args:
        wheel: of this package, for all machines. out: the folder to write to. envs: of these environments; none: of all.

    Raises:
        WheelError: it is no such wheel, or compiling has failed.
    """
    if not wheel.name.startswith("dig_envs-") or not wheel.name.endswith(f"-{ANY}.whl") or not zipfile.is_zipfile(wheel):
        raise WheelError(f"{wheel} is no wheel of dig_envs for all machines (…-{ANY}.whl)")
    if platform.python_implementation() != "CPython":
        raise WheelError("kernels are compiled for CPython only")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        zipfile.ZipFile(wheel).extractall(place)
        environment = {**os.environ, "PYTHONPATH": folder, "DIG_ENVS_CACHE_DIR": str(place / COMPILED)}
        words = [sys.executable, "-m", "dig_envs.commands.main", "compile", *envs]
        if subprocess.run(words, cwd=folder, env=environment).returncode:
            raise WheelError("compiling has failed: see above")
        return _packed(place, out / wheel.name.replace(ANY, tag()))


def _packed(folder: Path, path: Path) -> Path:
    """Write a folder as a wheel for this machine."""
    (info,) = folder.glob("dig_envs-*.dist-info")
    said = (info / "WHEEL").read_text(encoding="utf-8").splitlines()
    kept = [line for line in said if line and not line.startswith(("Tag:", "Root-Is-Purelib:"))]
    (info / "WHEEL").write_text("\n".join([*kept, "Root-Is-Purelib: false", f"Tag: {tag()}", ""]), encoding="utf-8")
    record = info / "RECORD"
    rows = []
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if not file.is_file() or file == record or "__pycache__" in file.parts:
                continue
            name, content = file.relative_to(folder).as_posix(), file.read_bytes()
            digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}")
            archive.writestr(name, content)
        name = record.relative_to(folder).as_posix()
        archive.writestr(name, "\n".join([*rows, f"{name},,", ""]))
    return path
