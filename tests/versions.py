"""A few tests with the lowest and the newest versions of what the package depends on, in
environments of their own.

    python tests/versions.py                # both
    python tests/versions.py lowest

``lowest``: the lowest versions that ``pyproject.toml`` names, on the Python that runs this.
``newest``: the newest that it allows, on the newest Python on this machine for which there are
wheels of all of them (Numba is the last to have them). Nothing else is installed, so this is also
what there is after ``pip install -e .`` alone. Needs uv (``pip install uv``).

The recorded games of Go Dig and Twenty Questions are played by the code that people get: compiled
without bounds checks, which ``.ci/run`` has in all other tests.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = [
    "tests/test_package.py",
    *(
        f"tests/adapters/test_{part}.py"
        for part in ("vector", "gymnasium", "aec", "parallel", "registration")
    ),
    "tests/batch/test_batch_env.py",
    "tests/fingerprints",
]
CHOSEN = "go_dig_v0 or test_package or check_of_rendering or (fingerprints and twenty_questions)"


def pythons() -> list[Path]:
    """The Pythons from 3.11 on that are on this machine, the newest first: on the path, in pyenv,
    and the one that runs this."""
    found = {sys.version_info[:2]: Path(sys.executable)}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [
        *map(Path, os.environ["PATH"].split(os.pathsep)),
        *(version / "bin" for version in sorted(pyenv.glob("3.*"))),
    ]
    for path in (
        path for folder in folders if folder.name != "shims" for path in folder.glob("python3.*")
    ):
        if (match := re.fullmatch(r"python3\.(\d+)", path.name)) and (3, int(match[1])) >= (3, 11):
            found.setdefault((3, int(match[1])), path)
    return [found[version] for version in sorted(found, reverse=True)]


def install(uv: str, folder: Path, python: Path, resolution: str) -> Path | None:
    """Make an environment with the dependencies; its Python, or None (and uv's words on stderr)
    where they cannot be had."""
    inside = folder / "bin" / "python"
    tests = ["pytest>=8"]
    for command in (
        ["venv", "--quiet", "--clear", "--python", str(python), str(folder)],
        ["pip", "install", "--quiet", "--python", str(inside), "--only-binary", ":all:"]
        + ["--resolution", resolution, "-r", "pyproject.toml", *tests],
    ):
        done = subprocess.run([uv, *command], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            print(f"{python}: {done.stderr.strip()}", file=sys.stderr)
            return None
    return inside


def check(uv: str, folder: Path, which: str) -> bool:
    """Whether the tests pass with these versions, which are printed."""
    if which == "lowest":
        python = install(uv, folder, Path(sys.executable), "lowest-direct")
    else:
        python = next(
            filter(None, (install(uv, folder, one, "highest") for one in pythons())), None
        )
    if python is None:
        return False
    listing = (
        "import gymnasium, numba, numpy, platform, importlib.metadata as m; print('Python ' + "
        "platform.python_version(), "
    ) + (
        "*(f'{n} {m.version(n)}' for n in ('numpy', 'numba', 'gymnasium', 'pettingzoo')), sep=', ')"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DIG_ENVS_CACHE_DIR": str(folder / "cache"),
        "DIG_ENVS_QUIET": "1",
    }
    subprocess.run([python, "-c", listing], env=environment, check=True)
    options = [
        "-o",
        "addopts=-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "error::pytest.PytestUnraisableExceptionWarning",
    ]
    tests = [
        python,
        "-m",
        "pytest",
        *options,
        "--disable-warnings",
        *FILES,
        "-k",
        CHOSEN,
        "-m",
        "not slow and not ecosystem",
    ]
    return subprocess.run(tests, cwd=ROOT, env=environment).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", nargs="?", choices=["lowest", "newest"], help="default: both")
    asked = parser.parse_args().which
    uv = shutil.which(
        "uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    if uv is None:
        print("uv is not there: pip install uv", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        passed = {
            which: check(uv, Path(folder) / which, which)
            for which in ([asked] if asked else ["lowest", "newest"])
        }
    print(
        *(f"{which}: {'passed' if fine else 'FAILED'}" for which, fine in passed.items()), sep="\n"
    )
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
