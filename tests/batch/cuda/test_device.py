"""Going to a GPU where there is none, and what the kernels are compiled to, which needs the
compiler only."""

import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.installing import how_to_install
from dig_envs.registry import load_game
from tests.games import SHIPPED

QUICK = "fossil_memory_v0"
MEASURED = Path(__file__).with_name("registers.json")
WITHOUT_NUMBA_CUDA = """
import sys
sys.modules["numba_cuda"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "numba_cuda" else find(name, *more)
from dig_envs.batch.batch_env import BatchEnv
try:
    BatchEnv("fossil_memory_v0", 2).to("cuda")
except ImportError as error:
    print(error)
"""


def compiler_is_missing():
    """Why nothing can be compiled to PTX; None if it can."""
    if find_spec("numba_cuda") is None:
        return "numba-cuda is not installed"
    if JIT_DISABLED:
        return "nothing is compiled"
    from cuda import pathfinder

    for library in ("nvvm", "nvrtc"):
        try:
            pathfinder.load_nvidia_dynamic_lib(library)
        except (pathfinder.DynamicLibNotFoundError, OSError) as error:
            return f"{library}: {error}"
    return None


def test_a_batch_on_the_cpu_is_there_already():
    batch = BatchEnv("fossil_memory_v0", 2)
    assert batch.to("cpu") is batch


@pytest.mark.parametrize("device", ["tpu", "cuda:1", 0, None])
def test_other_devices_are_refused(device):
    with pytest.raises(ValueError, match="a device is one of cpu, cuda, not"):
        BatchEnv("fossil_memory_v0", 2).to(device)


def test_the_error_without_numba_cuda_says_what_to_install():
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA_CUDA], capture_output=True, text=True, check=True
    )
    assert how_to_install("cuda") in found.stdout


def test_going_to_a_gpu_loads_nothing_before():
    code = (
        "import sys, dig_envs.batch.batch_env; print('numba.cuda' in sys.modules, "
        "'dig_envs.batch.cuda' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


@pytest.mark.skipif(find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
def test_without_a_device_there_is_an_error():
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a device")
    with pytest.raises(
        RuntimeError, match="NUMBA_DISABLE_JIT" if JIT_DISABLED else "no CUDA device was found"
    ):
        BatchEnv("fossil_memory_v0", 2).to("cuda")


# ---------------------------------------------------------------- PTX


def code_of(name, kernel="step", *target):
    reason = compiler_is_missing()
    if reason is not None:
        pytest.skip(reason)
    from dig_envs.batch.cuda import ptx

    return ptx(name, kernel, *target)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == QUICK else pytest.mark.ecosystem) for n in SHIPPED]
)
def test_a_step_compiles_to_ptx(name):
    code, game = code_of(name), load_game(name).name
    assert ".target sm_90" in code
    assert len(re.findall(r"\.visible \.entry", code)) == 1
    # nothing is called that is not there: no memory is allocated, no error raised
    assert ".extern" not in code
    assert re.search(f"games{len(game)}{game}5rules(6course)?12apply_action", code)


@pytest.mark.ecosystem
@pytest.mark.parametrize("kernel", ["find_illegal", "sample", "play"])
def test_the_other_kernels_compile_to_ptx(kernel):
    code = code_of("fossil_memory_v0", kernel)
    assert len(re.findall(r"\.visible \.entry", code)) == 1
    assert (".min." in code) == (kernel == "find_illegal")
    assert ".extern" not in code


@pytest.mark.ecosystem
def test_observations_are_written_as_whole_numbers_of_four_bytes():
    assert len(re.findall(r"st(\.global)?\.(f32|b32|u32)", code_of("fossil_memory_v0"))) > 50


@pytest.mark.ecosystem
def test_rows_are_set_to_zero_by_the_threads_of_a_block_together():
    assert len(re.findall(r"bar\.sync|barrier\.sync", code_of("fossil_memory_v0"))) == 2


@pytest.mark.ecosystem
@pytest.mark.parametrize("name", json.loads(MEASURED.read_text()))
def test_no_kernel_needs_more_local_memory_than_it_did(name):
    """What is measured by ``python -m tests.batch.cuda.registers``."""
    code_of(QUICK)
    from tests.batch.cuda.registers import TARGET, local_bytes

    measured = json.loads(MEASURED.read_text())[name]
    for kernel, found in measured.items():
        if kernel == "step" or name == QUICK:  # to compile the others takes minutes
            assert local_bytes(code_of(name, kernel, TARGET)) <= found["local_bytes"], kernel


@pytest.mark.ecosystem
@pytest.mark.skipif(
    JIT_DISABLED or find_spec("numba_cuda") is None, reason="numba-cuda is not installed"
)
def test_a_launch_is_repeated_as_it_was(monkeypatch):
    """What is handed to the driver the first time is handed over again, whatever other threads
    launch meanwhile, also for the first time."""
    from numba.cuda import dispatcher

    from dig_envs.batch import cuda

    launched, looked_at = [], []

    class Kernel:
        def __getitem__(self, shape):
            def configured(*arguments):
                looked_at.append(arguments)
                other = Thread(target=dispatcher.launch, args=("of another thread",))
                other.start()
                other.join()
                time.sleep(0.1)  # it is compiled
                dispatcher.launch("stream", shape, "kernel", *arguments)

            return configured

    driver = lambda *given: launched.append(given)  # noqa: E731
    monkeypatch.setattr(dispatcher, "launch", driver)
    monkeypatch.setattr(cuda.cuda, "current_context", lambda: None)
    launches = [cuda.Launch(Kernel(), 130, "batch", number) for number in (1, 2)]
    for _ in range(3):
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda launch: launch(), launches))
    for number in (1, 2):
        assert launched.count(("stream", (3, 64), "kernel", "batch", number)) == 3
    assert sorted(looked_at) == [("batch", 1), ("batch", 2)]
    assert dispatcher.launch is driver


@pytest.mark.ecosystem
def test_other_kernels_are_refused():
    if find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed")
    from dig_envs.batch.cuda import ptx

    with pytest.raises(
        ValueError, match="kernel must be one of step, play, find_illegal, sample, not 'heuristic'"
    ):
        ptx("fossil_memory_v0", "heuristic")
