"""Machine code of single functions in the cache: object files, which LLVM loads into this process.

A file is named after a function and the kinds of its arguments, in the folder of its sources
(``cache.py``). It begins with a line of JSON: what the function returns, the files of the functions
that it calls, and the other symbols that it needs. Whatever is wrong with it, it counts as absent,
and the function is compiled again.
"""

import json
import os
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from threading import RLock
from typing import Any

import llvmlite.binding as llvm

from dig_envs.engine.compiler import cache as disk
from dig_envs.engine.compiler.machine_code import object_code

Place = tuple[str, str]  # folder and name


@dataclass(frozen=True)
class Object:
    """An object file.

    Attributes: ``symbol``: the function in it; ``returns``: what that returns; ``callees``: the
    places of other object files whose functions it calls; ``needs``: its other undefined symbols.
    """

    symbol: str
    returns: str
    code: bytes
    callees: tuple[Place, ...] = ()
    needs: tuple[str, ...] = ()


LOADED: dict[Place, tuple[int, Object]] = {}  # with the address of each function
# whether code is kept on disk: not where functions are no longer what their sources say
KEEPS = [True]
_LOADING = RLock()
_ONLY_HERE = count()


@cache
def processor() -> tuple[str, str]:
    """The name and the features of the processor at hand, as LLVM knows them, or as the variables
    NUMBA_CPU_NAME and NUMBA_CPU_FEATURES say."""
    name, features = map(os.environ.get, ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"))
    if name is None and features is None:
        return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return name or "generic", features or ""


@cache
def here() -> Any:
    """The machine that code is made for which this process loads, wherever in its memory."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = processor()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=name,
        features=features,
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def _processor_here() -> str:
    made_for = (llvm.get_process_triple(), processor())
    return sha256(repr(made_for).encode()).hexdigest()[:8]


def place_of(function: Any, text: str) -> Place:
    """Where the code of a linked function or a kernel is kept, for arguments of the kinds that a
    text names; in this process alone where other processes could not know what it is made from."""
    name = f"{disk.file_name(function.py_func, text)}-{_processor_here()}"
    if function.py_func.__closure__ is not None or function.key.sources is None:
        return "", f"{name}-{next(_ONLY_HERE)}"
    return function.key.folder, f"{name}.object"


def is_lasting(place: Place) -> bool:
    """Whether other processes can use what is kept there."""
    return bool(place[0])


def symbol_of(place: Place) -> str:
    """The name of the function in it, for all processes."""
    return f"dig_{sha256(repr(place).encode()).hexdigest()[:24]}"


@cache
def _engine() -> Any:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), here())


def find(place: Place) -> tuple[int, Object] | None:
    """The function of a file: its address and what is known of it; None if there is none that can
    be used."""
    with _LOADING:
        if place not in LOADED:
            body = disk.read(*place) if is_lasting(place) else None
            try:
                found = None if body is None else _unpacked(body)
            except (ValueError, TypeError, KeyError):
                found = None
            if found is None or not _load(place, found):
                return None
        return LOADED[place]


def keep(place: Place, made: Object) -> tuple[int, Object]:
    """Load a function that was compiled, and keep it on disk if other processes can use it."""
    with _LOADING:
        if not _load(place, made):
            raise RuntimeError(f"{made.symbol} needs functions that are not there")
        if KEEPS[0] and all(map(is_lasting, (place, *made.callees))):
            disk.write(*place, _packed(made))
        return LOADED[place]


def address_of(symbol: str) -> int:
    """The address of a function in an object file that was loaded."""
    with _LOADING:
        return int(_engine().get_function_address(symbol))


def _load(place: Place, made: Object) -> bool:
    """Load an object file, after those that it calls; whether that was possible."""
    if not all(find(callee) is not None for callee in made.callees):
        return False
    _engine()  # with it, LLVM knows the symbols of this process
    if not all(llvm.address_of_symbol(name) is not None for name in made.needs):
        return False
    address = _put_in(made.code, made.symbol)
    if not address:
        return False
    llvm.add_symbol(made.symbol, address)
    LOADED[place] = address, made
    return True


def with_arguments(function: int, *more: int) -> int:
    """The address of a function of one word that calls a kernel with it and further words.

    Args:
        function: the address of a kernel that takes no arrays (``calling.py``).
        more: what it gets after the word.
    """
    symbol = f"dig_with_{next(_ONLY_HERE)}"
    words = ", ".join(f"i64 {word}" for word in (0, "%word", *more))
    module = f"""
define i64 @{symbol}(i64 %word) {{
  %function = inttoptr i64 {function} to ptr
  %result = call i64 %function({words})
  ret i64 %result
}}
"""
    with _LOADING:
        return _put_in(object_code(module, here())[0], symbol)


def _put_in(code: bytes, symbol: str) -> int:
    """Put an object file into memory; returns the address of a function in it, 0 if there is
    none."""
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(symbol))


def _packed(made: Object) -> bytes:
    head = asdict(made)
    code: bytes = head.pop("code")
    return json.dumps(head).encode() + b"\n" + code


def _unpacked(body: bytes) -> Object:
    head, _, code = body.partition(b"\n")
    known = json.loads(head)
    known["callees"] = tuple((str(folder), str(name)) for folder, name in known["callees"])
    return Object(code=code, **known)
