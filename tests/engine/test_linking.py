"""Compiled functions in processes of their own: what is compiled when, what is loaded, and what cannot go wrong."""

import re

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python as memory
from numba.core.runtime import rtsys

from dig_envs.engine import jit
from dig_envs.engine.jit import JIT_DISABLED, compiled, kernel
from tests.engine.little import KERNELS, PARTS, RESULT, SHARED, Little

pytestmark = pytest.mark.skipif(JIT_DISABLED or jit.linking is None, reason="nothing is compiled in the way that is tested here")
ALL = sorted(KERNELS | SHARED | PARTS)


@pytest.fixture
def little(tmp_path):
    return Little(tmp_path)


def test_code_is_compiled_once_and_then_loaded(little):
    """Of parts nothing is kept: they are in the kernels, or in what these share."""
    assert little.run() == {**RESULT, "compiled": ALL}
    names = {path.name.partition("-")[0] for path in little.files()}
    assert names == KERNELS | SHARED
    assert little.run() == {**RESULT, "compiled": []}


def test_the_three_ways_to_run_agree(little):
    """As plain Python, compiled in Numba's own way, and put together here; none takes the files of another."""
    assert little.run(NUMBA_DISABLE_JIT="1") == {**RESULT, "compiled": []}
    assert little.files() == []
    assert little.run(DIG_ENVS_LINKING="0")["compiled"] == ALL
    assert {path.name.partition("-")[0] for path in little.files()} == KERNELS
    assert little.run() == {**RESULT, "compiled": ALL}
    assert little.run(DIG_ENVS_LINKING="0") == {**RESULT, "compiled": []}
    assert little.run() == {**RESULT, "compiled": []}


@pytest.mark.parametrize("damage", ["empty", "cut", "altered", "other code"])
def test_damaged_files_are_made_anew(little, damage):
    little.run()
    for path in little.files():
        content = path.read_bytes()
        broken = {
            "empty": b"",
            "cut": content[: len(content) // 2],
            "altered": content[:-1] + b"?",
            "other code": b"\x80\x04K\x01.",
        }
        path.write_bytes(broken[damage])
    assert little.run() == {**RESULT, "compiled": ALL}
    assert little.run() == {**RESULT, "compiled": []}


def test_a_whole_file_that_makes_no_function_is_replaced(little):
    """Such as one that another version of this package has written."""
    from dig_envs.engine import cache

    little.run()
    for path in little.files():
        path.write_bytes(cache.MARK + cache.sha256(b"nothing").digest() + b"nothing")
    assert little.run() == {**RESULT, "compiled": ALL}
    assert little.run() == {**RESULT, "compiled": []}


@pytest.mark.parametrize("lost", ["gain", "one", "all_of_them"])
def test_files_may_be_lost_one_by_one(little, lost):
    """Kernels on the disk refer to what they share by symbols; these are the same when it is compiled again."""
    little.run()
    (path,) = (path for path in little.files() if path.name.startswith(f"{lost}-"))
    path.unlink()
    again = little.run()
    assert again == {**RESULT, "compiled": sorted({lost, *(("bonus",) if lost == "gain" else ())})}
    assert little.run() == {**RESULT, "compiled": []}


def test_processes_may_compile_at_the_same_time(little):
    """Each may load what the others have kept."""
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
def test_changed_sources_are_compiled_again(little, file):
    """A change in a table of a third file reaches the kernel."""
    little.run()
    path = little.folder / "little" / f"{file}.py"
    old, new = {"tables": ("[10, 20, 30]", "[11, 20, 30]"), "rules": ("bonus(index % 3)", "bonus(index % 1)")}[file]
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    changed = little.run()
    assert changed["compiled"] == ALL
    assert changed["values"] == {"tables": [11, 41, 32, 14, 24], "rules": [10, 21, 12, 13, 14]}[file]
    path.write_text(path.read_text().replace(new, old))
    assert little.run() == {**RESULT, "compiled": []}


def test_python_may_call_what_is_compiled_into_kernels(little):
    assert little.run("bonus")["bonus"] == 20
    assert little.run("bonus") == {**RESULT, "bonus": 20, "compiled": ["bonus"]}


def test_an_index_out_of_range_deep_below_is_an_error_when_numba_checks_bounds(little):
    """The checks are compiled in, so this code has a folder of its own."""
    checked = {"NUMBA_BOUNDSCHECK": "1"}
    for _ in range(2):
        assert little.run("beyond", **checked)["beyond"] == "index is out of bounds"
    folders = {path.parent for path in little.files()}
    assert little.run() == {**RESULT, "compiled": ALL}
    assert len({path.parent for path in little.files()} - folders) == 1


# ---------------------------------------------------------------- what it says


def test_a_long_compilation_says_so_once(little):
    main = little.folder / "little" / "__main__.py"
    main.write_text("from dig_envs.engine import notice\nnotice.PATIENCE = 0.0\n" + main.read_text())
    little.run(DIG_ENVS_QUIET="1")
    assert little.errors == ""
    little.run(DIG_ENVS_QUIET="0")
    assert little.errors == "", "from a warm cache there is nothing to say"
    for path in little.files():
        path.unlink()
    little.run(DIG_ENVS_QUIET="0")
    assert re.fullmatch(r"dig_envs: compiling little for this computer, .* seconds in all, .*\n", little.errors)


def test_a_short_compilation_says_nothing(little):
    main = little.folder / "little" / "__main__.py"
    main.write_text("from dig_envs.engine import notice\nnotice.PATIENCE = 3600.0\n" + main.read_text())
    assert little.run(DIG_ENVS_QUIET="0")["compiled"] == ALL
    assert little.errors == ""


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


def test_a_part_is_compiled_once_for_all_signed_integers():
    before = len(increased.signatures)
    use_of_scalars = kernel("test_linking")(_sum_of_three)
    assert use_of_scalars(np.int8(3), np.int32(4), 5) == 15
    assert [str(kinds) for kinds in increased.signatures[before:]] in ([], ["(int64,)"])


def _sum_of_three(a, b, c):
    return increased(a) + increased(b) + increased(c)


def test_numba_functions_of_others_may_call_parts():
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


@pytest.mark.parametrize("where", ["in it", "in a part", "nowhere"])
def test_what_makes_arrays_after_all_counts_references(where):
    """Said to make none it is compiled once more, so that nothing is lost; what makes none counts nothing."""
    from dig_envs.engine.linking import WholeDispatcher

    def itself(given):
        made = np.zeros(3)
        return given[0] + made[1]

    def by_a_part(given):
        made = three_zeros()
        return given[0] + made[1]

    def nothing(given):
        return given[0]

    function = {"in it": itself, "in a part": by_a_part, "nowhere": nothing}[where]
    whole = WholeDispatcher(function, allocates=False)
    memory.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    assert [whole(np.full(2, 7.0)) for _ in range(100)] == [7.0] * 100
    after = rtsys.get_allocation_stats()
    memory.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free, "all that was made is gone"
    assert whole.targetoptions["_nrt"] == (where != "nowhere")


def test_a_mistake_is_told_of_as_ever():
    """Compiled a second time, perhaps because of an array, it is the same mistake."""
    from dig_envs.engine.linking import HOW_TO_FIND_IT, WholeDispatcher

    def mistaken(given):
        return given.no_such_thing

    with pytest.raises(numba.core.errors.TypingError, match="no_such_thing") as caught:
        WholeDispatcher(mistaken, allocates=False)(np.zeros(1))
    assert caught.value.__notes__ == [HOW_TO_FIND_IT]


def test_kernels_of_the_same_name_do_not_meet():
    """As when one is defined in a function, again and again."""

    def make(step):
        @kernel("test_linking")
        def add(value):
            return value + step

        return add

    first, second = make(1), make(10)
    assert (first(1), second(1), first(2)) == (2, 11, 3)


# ---------------------------------------------------------------- with another Numba


def test_an_older_numba_compiles_in_its_own_way(monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.60.2")
    assert not jit.linking.works_here()


def test_a_newer_numba_is_tried(monkeypatch):
    monkeypatch.setattr(numba, "__version__", "9.0.0")
    assert jit.linking.works_here()
    monkeypatch.setattr(jit.linking.Whole, "finalize", lambda self: self.gone)
    assert not jit.linking.works_here()


def test_a_numba_without_what_is_needed_compiles_in_its_own_way(monkeypatch):
    monkeypatch.delattr(jit.linking.CompileResult, "_reduce")
    assert not jit.linking.works_here()


def test_the_variable_that_turns_it_off(monkeypatch):
    monkeypatch.setenv("DIG_ENVS_LINKING", "0")
    assert jit._load_linking() is None
