"""Machine code for other machines: which there are, and how it is made of a module in LLVM's
language."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from dig_envs.engine.compiler import machine_code
from dig_envs.engine.compiler.native import machine_name
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.engine.core.installing import how_to_install

HOW_TO_INSTALL = f"exporting needs the compiler of Zig: {how_to_install('export')}"
NATIVE = "native"  # the processor at hand
C_FLAGS = (
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffp-contract=off",
    "-fvisibility=hidden",
)  # no other rounding than in the compiled rules


@dataclass(frozen=True)
class Machine:
    """A kind of machine: the names that LLVM and Zig have for it, its oldest processor, and how
    files are called there.

    Zig has no headers of those without a name: they get the sources in C, for the maker's tools.
    """

    llvm: str
    zig: str
    processor: str
    features: str = ""
    shared: str = "lib{}.so"
    static: str = "lib{}.a"
    libraries: tuple[str, ...] = ()
    # of the linker: the name by which programs look for a shared library, and that no symbol may be
    # missing, where that is not the default
    options: tuple[str, ...] = ()


LINUX: dict[str, Any] = {
    "libraries": ("-lm", "-lpthread"),
    "options": ("-Wl,-z,defs", "-Wl,-soname,lib{}.so"),
}
WINDOWS: dict[str, Any] = {"shared": "{}.dll", "static": "{}_static.lib"}
MACOS: dict[str, Any] = {
    "shared": "lib{}.dylib",
    "options": ("-Wl,-install_name,@rpath/lib{}.dylib",),
}
MACHINES = {
    "x86_64-linux": Machine(
        "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "x86-64-v2", **LINUX
    ),
    "aarch64-linux": Machine(
        "aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", "generic", **LINUX
    ),
    "x86_64-windows": Machine(
        "x86_64-w64-windows-gnu", "x86_64-windows-gnu", "x86-64-v2", **WINDOWS
    ),
    "aarch64-windows": Machine(
        "aarch64-w64-windows-gnu", "aarch64-windows-gnu", "generic", **WINDOWS
    ),
    "x86_64-macos": Machine("x86_64-apple-macosx11.0.0", "x86_64-macos.11.0", "x86-64-v2", **MACOS),
    "aarch64-macos": Machine("arm64-apple-macosx11.0.0", "aarch64-macos.11.0", "apple-m1", **MACOS),
    "aarch64-android": Machine("aarch64-linux-android24", "", "generic"),
    "aarch64-ios": Machine("arm64-apple-ios13.0", "", "apple-a9"),
}
WASM = Machine(
    "wasm32-unknown-unknown",
    "wasm32-wasi",
    "generic",
    "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals,+multivalue",
)

# Where compiled code raises an error: what Python would be told, and the return.
RAISED = re.compile(
    r"^  store ptr @\.const\.picklebuf\.(\w+)\S* ptr %excinfo.*\n((?:.+\n)*?)  ret i32 1$",
    re.MULTILINE,
)


class ExportError(DigEnvsError):
    """Something cannot be exported, or a tool that it needs has failed."""


def host() -> str:
    """The name of the machine at hand, among those of ``MACHINES``; raises ExportError if it is
    none of them."""
    name = machine_name()
    if name not in MACHINES:
        raise ExportError(
            f"no target {shown_in_message(name)}; give one with --target: {', '.join(MACHINES)}"
        )
    return name


@cache
def _targets() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


# Lets LLVM print the processors that it knows of a kind of machine: it tells them on stderr only.
HELP = """
import sys, llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.Target.from_triple(sys.argv[1]).create_target_machine(cpu="help")
"""


@cache
def processors(machine: Machine) -> tuple[str, ...]:
    """The names of the processors of a kind of machine, as LLVM has them."""
    said = subprocess.run(
        [sys.executable, "-c", HELP, machine.llvm], capture_output=True, text=True, check=True
    ).stderr
    known = said.partition("Available CPUs")[2].partition("Available features")[0]
    return tuple(re.findall(r"^\s+(\S+)\s+- Select", known, re.MULTILINE))


def check_processor(machine: Machine, processor: str) -> None:
    """Raise ExportError for a processor that a machine cannot have; LLVM itself takes any name, and
    makes code for another one."""
    if processor == NATIVE:
        if machine is not MACHINES.get(host()):
            raise ExportError(
                f"--processor native is the one at hand, of the target {host()}; name one for "
                "other targets"
            )
    elif processor and processor not in (known := processors(machine)):
        near = get_close_matches(processor, known, 6, 0.4) or known[:6]
        raise ExportError(
            f"no processor {shown_in_message(processor)} of {machine.llvm}; such as "
            f"{', '.join(near)}, native, "
            f"and {len(known)} in all"
        )


def full_name(machine: Machine, processor: str) -> str:
    """LLVM's name of the processor that code is made for: see :func:`object_code`."""
    return llvm.get_host_cpu_name() if processor == NATIVE else processor or machine.processor


def _specialised(module: str, small: bool) -> str:
    """The module with the variables that say how events are told (``entries.py``): fast code has
    the rules twice, without and with events; small code has them once, and asks whether somebody
    listens. In small code an error stops the program, but for missing memory: no other one can
    occur, and nobody has to ask whether one has."""
    for name, kind, value in (
        ("is_small", "constant", "[i64 1]" if small else "zeroinitializer"),
        ("events", "global" if small else "constant", "zeroinitializer"),
    ):
        module = re.sub(
            rf"^@dig_{name} = external global (.*)$",
            rf"@dig_{name} = internal {kind} \1 {value}",
            module,
            flags=re.MULTILINE,
        )
    if not small:
        return module
    memory = re.findall(r"^@\.const\.pickledata\.(\w+)\S* = .*MemoryError", module, re.MULTILINE)
    return RAISED.sub(
        lambda found: (
            found[0] if found[1] in memory else f"{found[2]}  call void @llvm.trap()\n  unreachable"
        ),
        module,
    )


def object_code(
    module: str, machine: Machine, processor: str = "", small: bool = False, vectors: bool = True
) -> bytes:
    """An object file of a module of :func:`~dig_envs.engine.compiler.portable.link_entries`, or of
    a kernel, optimised for a machine.

    Args:
        module: in LLVM's language.
        machine: for which.
        processor: LLVM's name of one that the machine has at least; ``native``: the one at hand;
            empty: the oldest.
        small: whether it is to be small rather than fast.
        vectors: whether to look twice for loops that can be done with vectors.
    """
    _targets()
    name, features = full_name(machine, processor), machine.features
    if processor == NATIVE:
        features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_triple(machine.llvm).create_target_machine(
        cpu=name,
        features=features,
        opt=2 if small else 3,
        reloc="static" if machine is WASM else "pic",
        codemodel="default",
    )
    return machine_code.object_code(_specialised(module, small), target, small, vectors)[0]


def zig(command: str, *arguments: str | Path) -> None:
    """Run a tool of Zig (``cc``, ``ar``); raises ExportError with what it said."""
    if find_spec("ziglang") is None:
        raise ExportError(HOW_TO_INSTALL)
    words = [sys.executable, "-m", "ziglang", command, *map(str, arguments)]
    done = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, "ZIG_PROGRESS": "0"}
    )
    if done.returncode:
        raise ExportError(f"zig {command} failed:\n{done.stderr.strip()}")


def compile_c(
    source: Path, machine: Machine, *headers: Path, flags: Sequence[str] = C_FLAGS
) -> bytes:
    """An object file of a source in C, for a machine; ``headers`` are the folders of the files that
    it includes."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "game.o"
        extra = ("-mexec-model=reactor", "-msimd128") if machine is WASM else ("-fPIC",)
        within = [f"-I{header}" for header in headers]
        zig("cc", "-target", machine.zig, *flags, *extra, *within, "-c", source, "-o", result)
        return result.read_bytes()
