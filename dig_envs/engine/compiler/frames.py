"""XLA's call frames, read by compiled code: how a computation of XLA calls functions of this
package.

XLA hands a function one address, that of a call frame (``xla/ffi/api/c_api.h``, a C interface that
XLA keeps stable): the addresses of arguments, results and attributes, and of functions that it
offers itself, all of them words of 64 bits. :func:`serve` reads it, checks the sizes of all buffers
and calls a loop over rows, in several threads of XLA where that is worth it.

A call has arguments and results of n rows each, n being the number of rows of the first argument,
and two attributes that are arrays (XLA sorts them by name): ``rows`` int64, the bytes in a row of
each argument and result, and ``settings``, bytes for the loop.

The loop gets ``(work, lo, hi)``: ``work`` is the address of words: n, the addresses of the
settings, and of arguments and results in their order. It returns 0, or the address of a text of C
that says what is wrong.
"""

from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]

from dig_envs.engine.compiler import objects
from dig_envs.engine.compiler.cache import CacheKey
from dig_envs.engine.compiler.calling import FAILED, INT, PACKED
from dig_envs.engine.compiler.jit import address_of, compiled, kernel
from dig_envs.engine.compiler.memory import array_at, instruction, pointer_to, words_at

KEY = CacheKey("frames", ("dig_envs.engine.compiler.frames",))

# Places of words in the structures of c_api.h, all of which begin with their size and the address
# of their first extension.
EXTENSION, API, CONTEXT, STAGE = 1, 2, 3, 4  # XLA_FFI_CallFrame
NUM_ARGUMENTS, ARGUMENTS, NUM_RESULTS, RESULTS = 7, 9, 12, 14
NUM_ATTRIBUTES, ATTRIBUTES, FUTURE, FRAME_WORDS = 17, 20, 21, 22
KIND, METADATA = 1, 3  # XLA_FFI_Metadata_Extension
METADATA_VERSION, METADATA_TRAITS, METADATA_WORDS = 3, 4, 6  # XLA_FFI_Metadata
API_VERSION, ERROR_CREATE, ERROR_DESTROY, SCHEDULE, NUM_THREADS = 4, 6, 8, 17, 18  # XLA_FFI_Api
FUTURE_CREATE, FUTURE_AVAILABLE, FUTURE_ERROR, API_WORDS = 19, 20, 21, 22
DATA, RANK, DIMENSIONS, BUFFER_WORDS = 3, 4, 5, 6  # XLA_FFI_Buffer
ARRAY_SIZE, ARRAY_DATA, ARRAY_WORDS = 1, 2, 3  # XLA_FFI_Array
EXECUTE = 3  # XLA_FFI_ExecutionStage
IS_METADATA = 1  # XLA_FFI_Extension_Type
MINOR_VERSION = 3  # of the interface described here; its major version is 0
INVALID_ARGUMENT = 3  # XLA_FFI_Error_Code
LOW_HALF = 0xFFFFFFFF  # of a word in which two numbers of 32 bits lie

MOST_BUFFERS = 18
WORK_WORDS = 2 + MOST_BUFFERS
SMALLEST_SHARE = 256  # rows per thread below which a thread costs more than it saves
MOST_SHARES = 64
# words of what the threads of a call share
LEFT, WRONG, SHARED_API, SHARED_FUTURE, LOOP, SHARED_WORK = 0, 1, 2, 3, 4, 5
SHARED_WORDS = SHARED_WORK + WORK_WORDS
TASK_WORDS = 3  # of one thread: the address of what is shared, lo, hi

FAILED_LOOP = np.frombuffer(b"dig_envs: a compiled loop has failed\0", np.uint8).copy()
WRONG_CALL = np.frombuffer(
    b"dig_envs: a call of another form than this version of the package takes\0", np.uint8
).copy()


_allocate = types.ExternalFunction("malloc", types.voidptr(types.int64))
_free = types.ExternalFunction("free", types.void(types.voidptr))


@instruction
def _decrease(typing_context, address):
    """Decrease the word at an address by one and return what it was, as one operation for all
    threads."""

    def generate(context, builder, signature, arguments):
        word = ir.IntType(64)
        place = builder.inttoptr(arguments[0], word.as_pointer())
        return builder.atomic_rmw("sub", place, word(1), "seq_cst")

    return types.int64(types.int64), generate


@instruction
def _call(typing_context, function, words):
    """Call the function at an address with the address of words, which returns one."""

    def generate(context, builder, signature, arguments):
        given = context.make_array(words)(context, builder, arguments[1]).data
        kind = ir.FunctionType(ir.IntType(64), [given.type])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [given])

    return types.int64(types.int64, words), generate


# ---------------------------------------------------------------- calls


@compiled
def _ask(api: Any, function: Any, size: Any, first: Any, second: Any, third: Any) -> Any:
    """Call a function of XLA with a structure of so many bytes: its size, no extension, and up to
    three words."""
    given = np.empty(5, np.int64)
    given[0], given[1], given[2], given[3], given[4] = size, 0, first, second, third
    return _call(words_at(api, API_WORDS)[function], given)


@compiled
def _error(api: Any, message: Any) -> Any:
    """An error of XLA with the text at an address."""
    return _ask(api, ERROR_CREATE, 28, message, INVALID_ARGUMENT, 0)


@compiled
def _has_failed(api: Any, error: Any) -> Any:
    """Whether a function of XLA gave an error, which is let go."""
    if error == 0:
        return False
    _ask(api, ERROR_DESTROY, 24, error, 0, 0)
    return True


@compiled
def _asks_for_version(frame: Any) -> Any:
    """Whether XLA asks for the version of the interface (:func:`_describe`)."""
    extension = frame[EXTENSION]
    return extension != 0 and words_at(extension, METADATA + 1)[KIND] & LOW_HALF == IS_METADATA


@compiled
def _describe(frame: Any) -> Any:
    """Answer XLA's question for the version of the interface."""
    extension = words_at(frame[EXTENSION], METADATA + 1)
    metadata = words_at(extension[METADATA], METADATA_WORDS)
    minor = words_at(frame[API], API_WORDS)[API_VERSION] >> 32
    metadata[METADATA_VERSION] = min(minor, MINOR_VERSION) << 32
    metadata[METADATA_TRAITS] = metadata[METADATA_TRAITS] & ~LOW_HALF
    return 0


@compiled
def _count_rows(buffer: Any) -> Any:
    """The number of rows of an array: the product of all its dimensions but the last one."""
    dimensions = words_at(buffer[DIMENSIONS], buffer[RANK])
    count = 1
    for k in range(buffer[RANK] - 1):
        count *= dimensions[k]
    return count


@compiled
def _read(frame: Any, work: Any) -> Any:
    """Write what the loop gets; false if the call has another form or the buffers other sizes."""
    arguments, results = frame[NUM_ARGUMENTS], frame[NUM_RESULTS]
    if frame[NUM_ATTRIBUTES] != 2 or arguments < 1 or arguments + results > MOST_BUFFERS:
        return False
    attributes = words_at(frame[ATTRIBUTES], 2)
    sizes = words_at(attributes[0], ARRAY_WORDS)
    if sizes[ARRAY_SIZE] != arguments + results:
        return False
    rows = words_at(sizes[ARRAY_DATA], arguments + results)
    work[1] = words_at(attributes[1], ARRAY_WORDS)[ARRAY_DATA]
    return _read_buffers(frame, work, rows)


@compiled
def _read_buffers(frame: Any, work: Any, rows: Any) -> Any:
    arguments, results = frame[NUM_ARGUMENTS], frame[NUM_RESULTS]
    for k in range(arguments + results):
        address = (
            words_at(frame[ARGUMENTS], arguments)[k]
            if k < arguments
            else words_at(frame[RESULTS], results)[k - arguments]
        )
        buffer = words_at(address, BUFFER_WORDS)
        dimensions = words_at(buffer[DIMENSIONS], buffer[RANK])
        if k == 0:
            if buffer[RANK] < 1:
                return False
            work[0] = _count_rows(buffer)
        size = _size_of(buffer[2] & LOW_HALF)
        for d in range(buffer[RANK]):
            size *= dimensions[d]
        if size != work[0] * rows[k] or (size > 0 and buffer[DATA] % 8 != 0):
            return False
        work[2 + k] = buffer[DATA]
    return True


@compiled
def _size_of(kind: Any) -> Any:
    """The bytes of one number, of the kinds that are used here (XLA_FFI_DataType)."""
    if kind == 1 or kind == 2 or kind == 6:  # bool, int8, uint8
        return 1
    if kind == 4 or kind == 8 or kind == 11:  # int32, uint32, float32
        return 4
    return -1


@compiled
def _play(loop: Any, work: Any, lo: Any, hi: Any) -> Any:
    """Call the loop at an address; returns what it does, with a text in the place of a failure."""
    given = np.empty(4, np.int64)
    given[0], given[1], given[2], given[3] = 0, work.ctypes.data, lo, hi
    wrong = _call(loop, given)
    return FAILED_LOOP.ctypes.data if wrong == FAILED else wrong


@kernel(KEY)
def serve(frame_address, loop, task):
    """Do what a call of XLA asks for.

    Args:
        frame_address: of the call frame.
        loop: address of the loop over rows, for arguments in memory (``calling.py``); 0 to refuse.
        task: address of :func:`work_on` as a function of C, or of the text of the refusal.

    Returns:
        0, or the address of an error of XLA.
    """
    frame = words_at(frame_address, FRAME_WORDS)
    if _asks_for_version(frame):
        return _describe(frame)
    if frame[STAGE] & LOW_HALF != EXECUTE:
        return 0
    if loop == 0:
        return _error(frame[API], task)
    work = np.empty(WORK_WORDS, np.int64)
    if not _read(frame, work):
        return _error(frame[API], WRONG_CALL.ctypes.data)
    shares = min(work[0] // SMALLEST_SHARE, MOST_SHARES)
    if shares > 1:
        shares = min(shares, _threads(frame))
    if shares > 1:
        return _share_out(frame, work, shares, loop, task)
    wrong = _play(loop, work, 0, work[0])
    return _error(frame[API], wrong) if wrong != 0 else 0


@compiled
def _threads(frame: Any) -> Any:
    """The number of threads that XLA has; 1 if it is unknown."""
    api, number = frame[API], np.ones(1, np.int64)
    failed = _ask(api, NUM_THREADS, 32, frame[CONTEXT], number.ctypes.data, 0)
    return 1 if _has_failed(api, failed) else number[0]


@compiled
def _share_out(frame: Any, work: Any, shares: Any, loop: Any, task: Any) -> Any:
    """Have threads of XLA do shares of the rows, this one the first; XLA goes on when the last of
    them is ready."""
    api, created = frame[API], np.zeros(3, np.int64)  # its last word becomes the future
    created[0] = 24
    failed = _call(words_at(api, API_WORDS)[FUTURE_CREATE], created)
    if failed != 0:
        return failed
    frame[FUTURE] = created[2]
    size = SHARED_WORDS + shares * TASK_WORDS
    block = carray(_allocate(8 * size), size, np.int64)
    block[LEFT], block[WRONG], block[LOOP] = shares, 0, loop
    block[SHARED_API], block[SHARED_FUTURE] = api, frame[FUTURE]
    for k in range(WORK_WORDS):
        block[SHARED_WORK + k] = work[k]
    tasks = array_at(block.ctypes.data + 8 * SHARED_WORDS, (shares, TASK_WORDS), np.int64)
    for share in range(shares):
        tasks[share, 0] = block.ctypes.data
        tasks[share, 1] = work[0] * share // shares
        tasks[share, 2] = work[0] * (share + 1) // shares
    for share in range(1, shares):
        one = tasks[share]
        if _has_failed(api, _ask(api, SCHEDULE, 40, frame[CONTEXT], task, one.ctypes.data)):
            _call(task, one)
    _call(task, tasks[0])
    return 0


@kernel(KEY)
def work_on(task_address):
    """Do one share of a call; the last one tells XLA that all is done."""
    task = words_at(task_address, TASK_WORDS)
    block = task[0]
    shared = words_at(block, SHARED_WORDS)
    wrong = _play(shared[LOOP], shared[SHARED_WORK:], task[1], task[2])
    if wrong != 0:
        shared[WRONG] = wrong
    if _decrease(block + 8 * LEFT) == 1:
        api, future, wrong = shared[SHARED_API], shared[SHARED_FUTURE], shared[WRONG]
        _free(pointer_to(block))
        if wrong != 0:
            _has_failed(api, _ask(api, FUTURE_ERROR, 32, future, _error(api, wrong), 0))
        else:
            _has_failed(api, _ask(api, FUTURE_AVAILABLE, 24, future, 0, 0))
    return 0


# ---------------------------------------------------------------- functions of C


def _address_of(function: Any, arguments: int, form: str = "") -> int:
    """The address of a kernel that takes so many integers; ``form`` ends its symbol."""
    found = function.machine_code((INT,) * arguments)
    if found is None:
        raise RuntimeError("XLA calls linked code only: unset DIG_ENVS_LINKING")
    return address_of(function.key, found[1] + form)


@cache
def _task() -> int:
    """The address of :func:`work_on` as a function of one word."""
    return objects.with_arguments(_address_of(work_on, 1))


@cache
def handler_of(loop: Any) -> int:
    """The address of a function that XLA can call.

    Args:
        loop: a kernel ``(work, lo, hi)``.
    """
    return objects.with_arguments(_address_of(serve, 3), _address_of(loop, 3, PACKED), _task())


_texts: list[Any] = []  # XLA keeps their addresses


@cache
def refusal_of(text: str) -> int:
    """The address of a function, as that of :func:`handler_of`, that gives XLA an error with this
    text at every call."""
    _texts.append(np.frombuffer(text.encode() + b"\0", np.uint8).copy())
    return objects.with_arguments(_address_of(serve, 3), 0, _texts[-1].ctypes.data)
