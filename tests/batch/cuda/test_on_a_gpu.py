"""Batches on a GPU, where there is one: all games are the same as on the CPU, and tensors share the
memory of the batch."""

from importlib.util import find_spec

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.batch.cuda import script
from tests.batch.cuda.test_simulated import near_an_end
from tests.games import SHIPPED


def there_is_a_gpu():
    """Whether games can go there."""
    if JIT_DISABLED or find_spec("numba_cuda") is None:
        return False
    from numba import cuda

    return cuda.is_available()


pytestmark = pytest.mark.skipif(not there_is_a_gpu(), reason="there is no GPU, or no numba-cuda")


def check_same(seen, expected, keys):
    """Everything is the same bit by bit, but the numbers observed, which may differ in the last
    bit."""
    for key in keys:
        if key.endswith("observation"):
            np.testing.assert_allclose(seen[key], expected[key], rtol=2e-7, atol=1e-7, err_msg=key)
        else:
            assert np.array_equal(seen[key], expected[key]), key


@pytest.mark.parametrize("name", SHIPPED)
def test_a_gpu_plays_the_same_games(name):
    """The script of calls, through ends of episodes, pauses, refused actions and new deals, and the
    way back."""
    batch = near_an_end(name)
    on_gpu, before = batch.to("cuda"), batch.states.tobytes()
    seen, left_alone = script.play(on_gpu), batch.states.tobytes()
    expected = script.play(batch)
    back = on_gpu.to("cpu")
    script.record(seen, "back", script.outputs(back))
    script.record(expected, "back", script.outputs(batch))
    assert left_alone == before
    assert seen.keys() == expected.keys()
    check_same(seen, expected, expected)
    assert any(expected[f"step_{step}_terminated"].any() for step in range(script.STEPS))


@pytest.mark.parametrize("name", SHIPPED)
def test_many_games_play_on_through_ends_as_on_the_cpu(name):
    """Thousands of games in blocks of threads, 400 steps: the positions stay those of the CPU."""
    batch = BatchEnv(name, 3001, seed=5)
    on_gpu = batch.to("cuda")
    for _ in range(400):
        batch.step(batch.sample_actions())
        on_gpu.step(on_gpu.sample_actions())
    check_same(script.outputs(on_gpu), script.outputs(batch), script.OUTPUTS)


def test_tensors_share_the_memory_of_the_batch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch knows no GPU")
    batch = BatchEnv("oak_island_v0", 64, seed=0).to("cuda")
    tensors = batch.tensors()
    for _ in range(5):
        batch.step(torch.multinomial(tensors["action_mask"].float(), 1)[:, 0])
        for name, tensor in tensors.items():
            assert tensor.is_cuda
            assert np.array_equal(tensor.cpu().numpy(), script.on_host(getattr(batch, name))), name
    assert len(load_game("oak_island_v0").actions) == tensors["action_mask"].shape[1]
