"""A virtual environment for each family of libraries that get along, and all ``ecosystem`` tests in
each of them.

    python tests/adapters/environments.py                  # all families
    python tests/adapters/environments.py torchrl agilerl  # some of them

The libraries and their versions are those of ``dig_envs/documentation/libraries.py``.

What is installed stays, so that the same command again is quicker. A library that cannot be
installed does not stop the others; it is named at the end with pip's reason. The command fails if a
test has failed, if a library could not be installed, or if a test was skipped in all the families.
It needs some 10 GB in ``--folder``, which may be removed afterwards, and up to an hour.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # it is run by its path

from dig_envs.documentation.libraries import LIBRARIES  # noqa: E402

# as in the README: the newest builds bring several GB of CUDA with them
CONSTRAINTS = ["torch==2.13.0"]
BASE = {"dig_envs": [*CONSTRAINTS, "-e", str(ROOT), "pytest", "pytest-xdist", "setuptools<81"]}
ALSO = {  # beside the libraries of the table
    "benchmarl": {"what BenchMARL needs": ["hydra-core", "tqdm"]},
    "ray": {"arenas": ["-e", f"{ROOT}[play,agents]"]},
    "cuda": {"Numba for CUDA": ["numba-cuda[cu13]==0.30.4"]},  # compiles for a GPU; none is needed
}
FAMILIES: dict[str, dict[str, list[str]]] = {}  # name -> library -> what is installed for it
for library in LIBRARIES:
    for family, requirements in library.tried.items():
        FAMILIES.setdefault(family, {})[library.name] = list(requirements)
for name, libraries in ALSO.items():
    FAMILIES.setdefault(name, {}).update(libraries)
REASON = 300  # characters of pip's last words


class Family:
    """The virtual environment of a family, and what came of it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder / name
        self.python = self.folder / "bin" / "python"
        self.refused: dict[str, str] = {}  # library -> why it could not be installed
        self.outcomes: dict[str, str] = {}  # test -> passed, failed or skipped

    def install(self) -> None:
        """Install the libraries, one after the other."""
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
        constraints = self.folder / "constraints.txt"
        constraints.write_text("\n".join(CONSTRAINTS) + "\n", encoding="utf-8")
        for library, requirements in (BASE | FAMILIES[self.name]).items():
            print(f"{self.name}: installing {library}", flush=True)
            command = [
                str(self.python),
                "-m",
                "pip",
                "install",
                "--quiet",
                "-c",
                str(constraints),
                *requirements,
            ]
            run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if run.returncode:
                self.refused[library] = last_words(run.stderr)

    def test(self) -> None:
        """Run the tests and note what came of each."""
        print(f"{self.name}: testing", flush=True)
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        words = [
            "-m",
            "pytest",
            "-n",
            "0",
            "-m",
            "ecosystem",
            "-rs",
            f"--junitxml={report}",
            *files_with_tests(),
        ]
        subprocess.run([str(self.python), *words], cwd=ROOT, check=False)
        self.outcomes = outcomes(report) if report.exists() else {"pytest": "failed"}

    def failed(self) -> list[str]:
        return [test for test, outcome in self.outcomes.items() if outcome == "failed"]


def last_words(errors: str) -> str:
    """Why pip gave up: its last error."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    told = [line for line in lines if re.match(r"ERROR|error:", line)]
    return (told or lines or ["pip said nothing"])[-1][:REASON]


def files_with_tests() -> list[str]:
    """The files with tests of this kind: other tests need more than a family has."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [
        str(file.relative_to(ROOT))
        for file in files
        if "pytest.mark.ecosystem" in file.read_text(encoding="utf-8")
    ]


def outcomes(report: Path) -> dict[str, str]:
    """Return the outcome of each test, by name. A module that was skipped completely counts as one
    test."""
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = (
            "failed"
            if kinds & {"failure", "error"}
            else "skipped"
            if "skipped" in kinds
            else "passed"
        )
        found[f"{case.get('classname')}::{case.get('name')}"] = outcome
    return found


def ran_nowhere(families: list[Family]) -> list[str]:
    """The tests that were skipped in every family."""
    tests = {test for family in families for test in family.outcomes}
    ran = {
        test
        for family in families
        for test, outcome in family.outcomes.items()
        if outcome != "skipped"
    }
    # a skip of the complete module in another family means nothing
    modules = {test.partition("::")[0] for test in ran}
    return sorted(
        test for test in tests - ran if not (test.startswith("::") and test[2:] in modules)
    )


def table(family: Family) -> str:
    """Return, as text, what was installed and the outcomes of the tests."""
    counts = {
        kind: list(family.outcomes.values()).count(kind) for kind in ("passed", "failed", "skipped")
    }
    lines = [f"{family.name}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]
    for library, requirements in FAMILIES[family.name].items():
        lines.append(
            f"  {library}: "
            f"{' '.join(requirements) if library not in family.refused else 'NOT INSTALLED'}"
        )
    lines += [f"  NOT INSTALLED: {library}: {reason}" for library, reason in family.refused.items()]
    return "\n".join([*lines, *(f"  FAILED: {test}" for test in family.failed())])


def main() -> int:
    """Install, test, report; 0 if all is well."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "families",
        nargs="*",
        metavar="FAMILY",
        help=f"of {', '.join(FAMILIES)}; all of them without a name",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "ecosystem",
        help="of the environments (build/ecosystem)",
    )
    parser.add_argument("--install-only", action="store_true", help="run no tests")
    given = parser.parse_args()
    if unknown := sorted(set(given.families) - set(FAMILIES)):
        parser.error(f"no such family: {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    families = [
        Family(name, folder) for name in FAMILIES if name in given.families or not given.families
    ]
    for family in families:
        family.install()
        if not given.install_only:
            family.test()
    print("\n".join(map(table, families)))
    nowhere = (
        ran_nowhere(families) if len(families) == len(FAMILIES) and not given.install_only else []
    )
    for test in nowhere:
        print(f"RAN NOWHERE: {test}")
    return int(bool(nowhere) or any(family.failed() or family.refused for family in families))


if __name__ == "__main__":
    sys.exit(main())
