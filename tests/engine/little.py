"""A little package with compiled functions, used by processes of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent.parent

TABLES = """
import numpy as np

BONUS = np.array([10, 20, 30])
"""

RULES = """
from dig_envs.engine.compiler.jit import compiled
from little.tables import BONUS


@compiled
def bonus(index):
    return BONUS[index]


@compiled
def gain(values, index):
    values[index] += bonus(index % 3)
    return values[index]


@compiled
def complain(number):
    raise ValueError("no good", number)
"""

LOOPS = """
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.jit import kernel, linked
from little import rules

LITTLE = CacheKey("little", ("little.loops",), is_game=True)
gain = linked(rules.gain, LITTLE)


@kernel(LITTLE)
def one(values, index):
    return gain(values, index)


@kernel(LITTLE)
def all_of_them(values, count):
    total = 0
    for index in range(count):
        total += gain(values, index)
    return total


@kernel(LITTLE)
def strict(number):
    if number > 3:
        rules.complain(number)
    return number
"""

MAIN = """
import json, sys
import numpy as np
from numba.core import event
compiled = []

class Heard(event.Listener):
    def on_start(self, found):
        compiled.append(found.data["dispatcher"].py_func.__name__)
    def on_end(self, found):
        pass

event.register("numba:compile", Heard())
from little import loops, rules
values = np.arange(5)
found = {"one": int(loops.one(values, 1)), "all": int(loops.all_of_them(values, 5))}
found["values"] = values.tolist()
for number in (2, 7):
    try:
        found[f"strict {number}"] = int(loops.strict(number))
    except (ValueError, RuntimeError, IndexError):
        found[f"strict {number}"] = "failed"
found["bonus"] = int(rules.bonus(1)) if "bonus" in sys.argv else None
try:
    found["beyond"] = str(type(loops.one(values[:2], 2))) if "beyond" in sys.argv else None
except IndexError as error:
    found["beyond"] = str(error)
found["compiled"] = sorted(set(compiled))
print(json.dumps(found))
"""

RESULT = {
    "one": 21,
    "all": 10 + 41 + 32 + 13 + 24,
    "values": [10, 41, 32, 13, 24],
    "strict 2": 2,
    "strict 7": "failed",
    "bonus": None,
    "beyond": None,
}
KERNELS = {"one", "all_of_them", "strict"}
LINKED = {"gain"}
TRANSLATED = {"bonus", "complain"}


class Little:
    """The package in a folder, and processes that use it.

    Attributes: ``folder``, ``cache`` (the root of the cache), ``errors`` (what the last process
    wrote on stderr).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.errors = ""
        package = folder / "little"
        package.mkdir()
        for name, text in (
            ("__init__", ""),
            ("tables", TABLES),
            ("rules", RULES),
            ("loops", LOOPS),
            ("__main__", MAIN),
        ):
            (package / f"{name}.py").write_text(text)

    def start(self, *words: str, **variables: str) -> "subprocess.Popen[str]":
        """A process that calls everything once; ``variables`` of its environment."""
        path = os.pathsep.join([str(self.folder), str(CHECKOUT)])
        environment = {
            **os.environ,
            "PYTHONPATH": path,
            "DIG_ENVS_CACHE_DIR": str(self.cache),
            "XDG_CACHE_HOME": str(self.cache),
        }
        command = [sys.executable, "-m", "little", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            command, env={**environment, **variables}, text=True, cwd=self.folder, **pipes
        )

    def result(self, process: "subprocess.Popen[str]") -> dict[str, object]:
        """Return the results of a process; "compiled" names the functions that were really
        compiled."""
        output, self.errors = process.communicate()
        assert process.returncode == 0, self.errors
        found: dict[str, object] = json.loads(output)
        return found

    def run(self, *words: str, **variables: str) -> dict[str, object]:
        """Start a process and wait for what it finds."""
        return self.result(self.start(*words, **variables))

    def files(self) -> list[Path]:
        return sorted(path for path in self.cache.rglob("*") if path.is_file())
