"""The function of C by which Python calls a kernel (``calling.py``), in LLVM's language.

It takes the arrays out of NumPy's objects and calls the kernel as Numba has translated it.

Numba passes an array as these values: two addresses that say whose memory it is (none: the
caller's), the number of items, the size of one, the address of the data, shape and strides. The
first two arguments are addresses for the result and for an error; it returns 0 if there was none.
"""

from collections.abc import Sequence

from dig_envs.engine.compiler.calling import FAILED, FLOAT, PACKED, REFUSED, Kind

GOOD = 0x0001 | 0x0100 | 0x0400  # flags of an array: C-contiguous, aligned, can be written to
# What is in an array object behind its head, whose last word is the address of its class
# (PyArrayObject_fields: data, number of dimensions, shape, strides, base, dtype, flags); and a
# function that returns where that is, or null for an object that the kernel was not made for.
ARRAYS = f"""
%array = type {{ ptr, i32, ptr, ptr, ptr, ptr, i32 }}
define internal ptr @array_in(ptr %object, ptr %accepted, i64 %place, i32 %ndim) alwaysinline {{
start:
  %head = load i64, ptr %accepted
  %found = getelementptr i8, ptr %object, i64 %head
  %class_at = getelementptr ptr, ptr %found, i64 -1
  %class = load ptr, ptr %class_at
  %arrays_at = getelementptr ptr, ptr %accepted, i64 1
  %arrays = load ptr, ptr %arrays_at
  %is_array = icmp eq ptr %class, %arrays
  br i1 %is_array, label %look, label %refused
look:
  %fields = load %array, ptr %found
  %dimensions = extractvalue %array %fields, 1
  %has_ndim = icmp eq i32 %dimensions, %ndim
  %dtype = extractvalue %array %fields, 5
  %dtype_at = getelementptr ptr, ptr %accepted, i64 %place
  %expected = load ptr, ptr %dtype_at
  %has_dtype = icmp eq ptr %dtype, %expected
  %flags = extractvalue %array %fields, 6
  %needed = and i32 %flags, {GOOD}
  %has_flags = icmp eq i32 %needed, {GOOD}
  %fits = and i1 %has_ndim, %has_dtype
  %is_good = and i1 %fits, %has_flags
  br i1 %is_good, label %end, label %refused
end:
  ret ptr %found
refused:
  ret ptr null
}}
"""


def entry_text(symbol: str, inner: str, kinds: Sequence[Kind]) -> str:
    """The module with a function that calls ``@inner`` for arguments of these kinds, and with the
    same for arguments that lie in memory, a word each.

    Args:
        symbol: its name.
        inner: what it calls. The result is a word of 64 bits, of which that may write a part.
        kinds: of the numbers and arrays, in their order.
    """
    taken = ["ptr %accepted", *(f"{_word(kind)} %a{k}" for k, kind in enumerate(kinds))]
    given = ["ptr %value", "ptr %error"]
    lines = []
    for k, kind in enumerate(kinds):
        if kind.dtype is None:
            given.append(taken[k + 1])
        else:
            lines += _taken_out(k, kind)
            given += _values(k, kind)
    loads = [
        f"  %p{k} = getelementptr i64, ptr %words, i64 {k}\n  {one.partition(' ')[2]} = "
        f"load {one.partition(' ')[0]}, ptr %p{k}"
        for k, one in enumerate(taken)
    ]
    body, all_loads = "\n".join(lines), "\n".join(loads)
    types = ", ".join(one.partition(" ")[0] for one in given)
    return f"""{ARRAYS}
declare i32 @{inner}({types})
define i64 @{symbol}({", ".join(taken)}) {{
start:
  %value = alloca i64
  %error = alloca ptr
  store i64 0, ptr %value
{body}
  %status = call i32 @{inner}({", ".join(given)})
  %good = icmp eq i32 %status, 0
  br i1 %good, label %end, label %failed
refused:
  ret i64 {REFUSED}
failed:
  ret i64 {FAILED}
end:
  %word = load i64, ptr %value
  ret i64 %word
}}
define i64 @{symbol}{PACKED}(ptr %words) {{
{all_loads}
  %value = call i64 @{symbol}({", ".join(taken)})
  ret i64 %value
}}
"""


def _word(kind: Kind) -> str:
    if kind.dtype is not None:
        return "ptr"
    return "double" if kind is FLOAT else "i64"


def _taken_out(k: int, kind: Kind) -> list[str]:
    """The lines that check an argument that is an array, and take out what the kernel gets."""
    lines = f"""
  %o{k} = call ptr @array_in(ptr %a{k}, ptr %accepted, i64 {k + 2}, i32 {kind.ndim})
  %no{k} = icmp eq ptr %o{k}, null
  br i1 %no{k}, label %refused, label %next{k}
next{k}:
  %f{k} = load %array, ptr %o{k}
  %data{k} = extractvalue %array %f{k}, 0
  %shape{k} = extractvalue %array %f{k}, 2
  %strides{k} = extractvalue %array %f{k}, 3
  %items{k}.0 = add i64 0, 1""".splitlines()
    for d in range(kind.ndim):
        lines += f"""
  %shape{k}.{d} = getelementptr i64, ptr %shape{k}, i64 {d}
  %length{k}.{d} = load i64, ptr %shape{k}.{d}
  %strides{k}.{d} = getelementptr i64, ptr %strides{k}, i64 {d}
  %step{k}.{d} = load i64, ptr %strides{k}.{d}
  %items{k}.{d + 1} = mul i64 %items{k}.{d}, %length{k}.{d}""".splitlines()
    return lines


def _values(k: int, kind: Kind) -> list[str]:
    """The values that the kernel gets for an argument that is an array."""
    lengths = [f"i64 %length{k}.{d}" for d in range(kind.ndim)]
    steps = [f"i64 %step{k}.{d}" for d in range(kind.ndim)]
    items = [f"i64 %items{k}.{kind.ndim}", f"i64 {kind.dtype.itemsize}"]
    return ["ptr null", "ptr null", *items, f"ptr %data{k}", *lengths, *steps]
