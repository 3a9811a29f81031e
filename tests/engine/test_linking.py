"""Compiled functions in processes of their own: what is compiled when, what is loaded, and what
cannot go wrong."""

import copy
import gc
import pickle
import re
import resource
import shutil
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

from dig_envs.engine.compiler import cache, jit, objects
from dig_envs.engine.compiler.jit import JIT_DISABLED, compiled, kernel
from tests.engine.little import KERNELS, LINKED, RESULT, TRANSLATED, Little

pytestmark = pytest.mark.skipif(
    JIT_DISABLED or jit.linker() is None,
    reason="nothing is compiled in the way that is tested here",
)
ALL = sorted(KERNELS | LINKED | TRANSLATED)


@pytest.fixture
def little(tmp_path):
    return Little(tmp_path)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The cache after everything was compiled once."""
    first = Little(tmp_path_factory.mktemp("filled"))
    assert first.run() == {**RESULT, "compiled": ALL}
    return first.cache


@pytest.fixture
def used(little, filled):
    """The package with a filled cache: nothing is compiled any more."""
    shutil.copytree(filled, little.cache)
    return little


def test_the_three_ways_to_run_agree(little):
    """Plain Python, plain njit and linked kernels give the same results; only of linked code
    something is kept."""
    assert little.run(NUMBA_DISABLE_JIT="1") == {**RESULT, "compiled": []}
    assert little.files() == []
    assert little.run(DIG_ENVS_LINKING="0")["compiled"] == ALL
    assert little.files() == []
    assert little.run() == {**RESULT, "compiled": ALL}
    kept = {path.name.partition("-")[0] for path in little.files()}
    assert kept == KERNELS | LINKED, "of translated functions nothing: they are in the linked ones"
    assert little.run() == {**RESULT, "compiled": []}


@pytest.mark.parametrize("keeps", [True, False])
def test_code_of_changed_functions_is_not_kept(keeps, monkeypatch):
    place, made, kept = ("folder", "name"), objects.Object("symbol", "none", b""), []
    monkeypatch.setitem(objects.LOADED, place, (1, made))
    monkeypatch.setattr(objects, "_load", lambda *given: True)
    monkeypatch.setattr(objects.disk, "write", lambda *given: kept.append(given))
    monkeypatch.setattr(objects, "KEEPS", [keeps])
    assert objects.keep(place, made) == (1, made)
    assert len(kept) == keeps


def test_damaged_files_are_made_anew(used):
    """Damaged files, and intact ones that hold no function, are compiled anew and replaced."""
    for content in (
        b"",
        b"\x80\x04K\x01.",
        cache.MARK + cache.sha256(b"nothing").digest() + b"nothing",
    ):
        for path in used.files():
            path.write_bytes(content)
        assert used.run() == {**RESULT, "compiled": ALL}
        assert content not in [path.read_bytes() for path in used.files()]
    assert used.run() == {**RESULT, "compiled": []}


@pytest.mark.parametrize(
    ("lost", "compiled_again"), [("gain", ["bonus", "gain", "one"]), ("one", ["one"])]
)
def test_files_may_be_lost_one_by_one(lost, compiled_again, used):
    """Kernels on the disk refer to linked functions by symbols; these are the same when they are
    compiled again."""
    (path,) = (path for path in used.files() if path.name.startswith(f"{lost}-"))
    path.unlink()
    assert used.run() == {**RESULT, "compiled": compiled_again}
    assert used.run() == {**RESULT, "compiled": []}


def test_processes_may_compile_at_the_same_time(little):
    """Several processes may compile at the same time; all get the right results and leave a
    complete cache."""
    processes = [little.start() for _ in range(3)]
    for process in processes:
        found = little.result(process)
        assert {**found, "compiled": []} == {**RESULT, "compiled": []}
    assert little.run() == {**RESULT, "compiled": []}
    assert not [path for path in little.files() if path.suffix == ".draft"]


def test_without_a_folder_everything_works_and_one_warning_says_so(little):
    little.cache.write_text("not a folder")
    assert little.run() == {**RESULT, "compiled": ALL}
    assert little.errors.count("CacheWarning") == 1
    assert "DIG_ENVS_CACHE_DIR" in little.errors


@pytest.mark.parametrize("file", ["tables", "rules"])
def test_changed_sources_are_compiled_again(used, file):
    """A change in a table of a third file reaches the kernel."""
    path = used.folder / "little" / f"{file}.py"
    old, new = {
        "tables": ("[10, 20, 30]", "[11, 20, 30]"),
        "rules": ("bonus(index % 3)", "bonus(index % 1)"),
    }[file]
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    changed = used.run()
    assert changed["compiled"] == ALL
    assert (
        changed["values"] == {"tables": [11, 41, 32, 14, 24], "rules": [10, 21, 12, 13, 14]}[file]
    )
    path.write_text(path.read_text().replace(new, old))
    assert used.run() == {**RESULT, "compiled": []}


def test_python_may_call_what_is_compiled_into_kernels(little):
    assert little.run("bonus")["bonus"] == 20
    assert little.run("bonus") == {**RESULT, "bonus": 20, "compiled": ["bonus"]}


def test_an_index_out_of_range_deep_below_is_an_error_when_numba_checks_bounds(little):
    """The checks are compiled in, so this code has a folder of its own."""
    checked = {"NUMBA_BOUNDSCHECK": "1"}
    for _ in range(2):
        assert "index is out of bounds in one" in little.run("beyond", **checked)["beyond"]
    folders = {path.parent for path in little.files()}
    assert little.run(NUMBA_BOUNDSCHECK="0") == {**RESULT, "compiled": ALL}
    assert len({path.parent for path in little.files()} - folders) == 1


# ---------------------------------------------------------------- what it says


def test_a_long_compilation_says_so_once(little):
    main = little.folder / "little" / "__main__.py"
    plain = main.read_text()
    main.write_text(
        "from dig_envs.engine.compiler import notice\nnotice.PATIENCE = 3600.0\n" + plain
    )
    assert little.run(DIG_ENVS_QUIET="0")["compiled"] == ALL
    assert little.errors == "", "it was short"
    main.write_text("from dig_envs.engine.compiler import notice\nnotice.PATIENCE = 0.0\n" + plain)
    little.run(DIG_ENVS_QUIET="0")
    assert little.errors == "", "from a warm cache there is nothing to say"
    for quiet, said in (
        ("1", ""),
        ("0", r"dig_envs: compiling little for this computer, .* seconds in all, .*\n"),
    ):
        for path in little.files():
            path.unlink()
        little.run(DIG_ENVS_QUIET=quiet)
        assert re.fullmatch(said, little.errors)


# ---------------------------------------------------------------- functions in this process


@compiled
def increased(value):
    return value + 1


@compiled
def even(number):
    return number == 0 or odd(number - 1)


@compiled
def odd(number):
    return number != 0 and even(number - 1)


@compiled
def factorial(number):
    return 1 if number < 2 else number * factorial(number - 1)


def test_a_function_is_translated_once_for_all_signed_integers():
    before = len(increased.translated.signatures)
    use_of_scalars = kernel("test_linking")(_sum_of_three)
    assert use_of_scalars(np.int8(3), np.int32(4), 5) == 15
    assert [str(kinds) for kinds in increased.translated.signatures[before:]] in ([], ["(int64,)"])


def _sum_of_three(a, b, c):
    return increased(a) + increased(b) + increased(c)


def test_numba_functions_of_others_may_call_compiled_ones():
    @numba.njit
    def theirs(value):
        return increased(value) * 10

    assert theirs(4) == 50


def test_a_function_may_call_itself_but_not_in_a_circle():
    @kernel("test_linking")
    def of(number):
        return factorial(number)

    @kernel("test_linking")
    def is_even(number):
        return even(number)

    assert of(5) == 120
    with pytest.raises(NotImplementedError, match="call each other in a circle"):
        is_even(4)


@compiled
def three_zeros():
    return np.zeros(3)


def test_arrays_that_are_made_are_given_back(tmp_path):
    """A hundred thousand arrays of 8 KB do not stay in memory."""

    @kernel("test_linking")
    def make(times):
        total = 0.0
        for _ in range(times):
            total += np.ones(1000)[0] + three_zeros()[1]
        return int(total)

    assert make(1) == 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert make(100_000) == 100_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_a_mistake_is_told_of_as_ever():
    def mistaken(given):
        return given.no_such_thing

    with pytest.raises(numba.core.errors.TypingError, match="no_such_thing") as caught:
        kernel("test_linking")(mistaken)(np.zeros(1))
    assert caught.value.__notes__ == [jit.linker().HOW_TO_FIND_IT]


# ---------------------------------------------------------------- arguments


@kernel("test_linking")
def total_of(values, scale, more):
    total = 0
    for value in values:
        total += value * scale
    return int(total + more[0] + len(more[1]))


def test_arguments_of_each_kind_reach_the_kernel():
    """Numbers of NumPy, tuples, other dtypes and empty arrays; each kind has its own code."""
    more = (5, np.zeros(3, np.int8))
    assert total_of(np.arange(4), 2, more) == 12 + 5 + 3
    assert total_of(np.arange(4, dtype=np.int16), np.int32(2), (True, more[1])) == 12 + 1 + 3
    assert total_of(np.zeros(0), 1.5, more) == 8
    assert total_of(np.full(4, 0.5, np.float32), 1.5, more) == 3 + 8
    with pytest.raises(TypeError, match="compiled code takes numbers, arrays and tuples"):
        total_of([1, 2], 2, more)
    frozen = np.arange(4)
    frozen.flags.writeable = False
    for given in (np.arange(8)[::2], frozen):
        assert total_of(given, 2, more) == 2 * given.sum() + 8, "it is read from a copy"
        with pytest.raises(TypeError, match=r"counts writes to an array of shape"):
            counts(given)
        assert given[0] == 0


@kernel("test_linking")
def first_of(values):
    return np.int64(values[0])


def test_machine_code_refuses_what_it_was_not_made_for():
    """After a call with one kind of array another kind is told apart, and gets its own code."""
    words = np.array([2**62 + 1], np.uint64)
    for given, first in (
        (np.array([-3]), -3),
        (np.array([2.5]), 2),
        (words, 2**62 + 1),
        (np.array([-3], np.int8), -3),
        (np.array([True]), 1),
    ):
        assert first_of(given) == first
    with pytest.raises(TypeError, match="first_of takes 1 arguments, not 2"):
        first_of(words, 1)
    records = np.zeros(2, [("a", np.int64), ("b", np.float64)])
    assert column_of(records) == 0
    records["b"] = 7.0
    same = np.dtype([("a", np.int64), ("b", np.float64)])
    assert column_of(np.array(records.tolist(), same)) == 7, "another object of an equal dtype"


@kernel("test_linking")
def counts(values):
    values[0] += 1
    return 1 // (values[1] - values[0])


def test_a_kernel_that_fails_has_run_once():
    values = np.array([0, 3])
    assert [counts(values), counts(values)] == [0, 1]
    with pytest.raises((RuntimeError, IndexError), match="counts"):
        counts(values)
    assert values[0] == 3


@kernel("test_linking")
def pick(values, places, added):
    if places[0] < 0:
        raise ValueError
    values[0] += 1
    return values[places[0]] + added


@pytest.mark.parametrize("keeps_gil", [True, False])
def test_a_bound_kernel_sees_what_its_arrays_hold_now(keeps_gil):
    values, places = np.arange(5), np.zeros(1, np.int64)
    call = jit.bound(pick, (values, places, 100), keeps_gil)
    del values
    gc.collect()
    assert [call(), call()] == [101, 102]
    places[0] = 4
    assert call() == 104
    if JIT_DISABLED:
        return
    places[0] = -1
    with pytest.raises((RuntimeError, IndexError), match="pick"):
        jit.check_result(call(), "pick")
    places[0] = 3
    places.flags.writeable = False
    with pytest.raises(TypeError, match="pick writes to cannot be written to"):
        jit.check_result(call(), "pick")
    with pytest.raises(TypeError, match="cannot be written to"):
        jit.bound(pick, (np.arange(5), places, 100), keeps_gil)
    jit.check_result(jit.bound(pick, (np.arange(5), np.zeros(1, np.int64), 1))(), "pick")


@kernel("test_linking")
def half(value):
    return value / 2


@kernel("test_linking")
def short(values):
    return values[0]


@kernel("test_linking")
def printed(values):
    print(values[0])


def test_kernels_with_other_results_and_those_that_print_are_refused():
    with pytest.raises(NotImplementedError, match="half returns float64: a kernel returns nothing"):
        half(3)
    with pytest.raises(NotImplementedError, match="short returns int8: a kernel returns nothing"):
        short(np.array([1], np.int8))
    assert short(np.array([-1])) == -1
    with pytest.raises(NotImplementedError, match="do not print"):
        printed(np.array([1]))


def test_a_kernel_is_compiled_once_whoever_asks_first():
    """Threads that call it at the same time for the first time all get the linked code."""

    @kernel("test_linking")
    def twice(value):
        return 2 * value

    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(twice, range(8))] == [*range(0, 16, 2)]
    assert len(twice.signatures) == 1
    assert copy.deepcopy(total_of) is total_of
    assert pickle.loads(pickle.dumps(total_of)) is total_of


@kernel("test_linking")
def column_of(records):
    return int(records[1].b)


def test_kernels_of_the_same_name_do_not_meet():
    """Kernels of the same name stay apart, for example those that a function defines on each
    call."""

    def make(step):
        @kernel("test_linking")
        def add(value):
            return value + step

        return add

    first, second = make(1), make(10)
    assert (first(1), second(1), first(2)) == (2, 11, 3)
