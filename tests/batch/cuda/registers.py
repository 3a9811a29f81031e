"""What the kernels of a GPU need: local memory as PTX declares it, registers and spilled bytes as
``ptxas`` finds them, in ``registers.json``.

``python -m tests.batch.cuda.registers`` measures it anew, without a GPU. ``ptxas`` is that
of the package nvidia-cuda-nvcc, or one in the path. Names of games and of kernels may follow;
default: all games, ``step`` and ``play``.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dig_envs.batch.cuda import KERNELS, ptx
from tests.games import SHIPPED

FILE = Path(__file__).with_name("registers.json")
TARGET, DEVICES = (8, 0), ("sm_80", "sm_90")
SECONDS = 900  # for ptxas


def local_bytes(code: str) -> int:
    """The local memory of a thread that PTX declares."""
    return sum(map(int, re.findall(r"\.local [^;]*__local_depot\d+\[(\d+)\]", code)))


def find_ptxas() -> str | None:
    """The path of ``ptxas``; None if there is none. One in the path may be too old."""
    spec = find_spec("nvidia")
    for folder in spec.submodule_search_locations or [] if spec is not None else []:
        for path in Path(folder).glob("**/bin/ptxas"):
            return str(path)
    return shutil.which("ptxas")


def assembled(ptxas: str, code: str, device: str) -> dict[str, int]:
    """Registers of a thread, bytes that it spills and its stack, on a device."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(code)
        said = subprocess.run(
            [ptxas, "-v", f"--gpu-name={device}", "-o", str(path.with_suffix(".o")), str(path)],
            check=True,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        ).stderr
    sizes = {
        "registers": r"Used (\d+) registers",
        "stack": r"(\d+) bytes stack frame",
        "spill_stores": r"(\d+) bytes spill stores",
        "spill_loads": r"(\d+) bytes spill loads",
    }
    return {
        name: max(map(int, re.findall(words, said)), default=0) for name, words in sizes.items()
    }


def measure(name: str, kernel: str, ptxas: str | None) -> dict[str, Any]:
    """What a kernel of a game needs."""
    code = ptx(name, kernel, TARGET)
    return {
        "local_bytes": local_bytes(code),
        **{device: assembled(ptxas, code, device) for device in (DEVICES if ptxas else ())},
    }


def one_line(found: re.Match[str]) -> str:
    """What stands in braces, on one line."""
    return "{" + " ".join(found[1].split()) + "}"


def main(words: list[str]) -> None:
    """Measure some kernels, and write them beside those in the file."""
    games = [word for word in words if word not in KERNELS] or SHIPPED
    kernels = [word for word in words if word in KERNELS] or ["step", "play"]
    ptxas = find_ptxas()
    for name in games:
        for kernel in kernels:
            measured = json.loads(FILE.read_text()) if FILE.exists() else {}
            found = measure(name, kernel, ptxas)
            print(name, kernel, found, flush=True)
            measured.setdefault(name, {})[kernel] = found
            text = json.dumps(measured, indent=1, sort_keys=True)
            # the numbers of one device on one line
            text = re.sub(r"\{\s*(\"registers[^}]*?)\s*\}", one_line, text)
            FILE.write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
