"""The outputs of a batch in other libraries, by DLPack."""

import numpy as np
import pytest

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.batch.common import TENSORS as OUTPUTS

NAME = "oak_island_v1"


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0",
    reason="this NumPy gives no read-only array to others",
)
def test_outputs_are_given_to_other_libraries():
    """By DLPack, without a copy, and where the other library knows that, still not to be written
    to."""
    batch = BatchEnv(NAME, 3, seed=1)
    for name in OUTPUTS:
        taken = np.from_dlpack(getattr(batch, name))
        assert np.shares_memory(taken, getattr(batch, name))
        assert not taken.flags.writeable


@pytest.mark.ecosystem
def test_jax_takes_the_tensors():
    """JAX asks for arrays that can be written to, which the outputs are not; their tensors are."""
    pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    batch = BatchEnv(NAME, 3, seed=1)
    for name, tensor in batch.tensors().items():
        if tensor.element_size() < 8:  # JAX has 64 bits only where it is told to
            np.testing.assert_array_equal(
                np.asarray(jax.dlpack.from_dlpack(tensor)), getattr(batch, name)
            )
    copy = jax.numpy.array(batch.observation)
    before = batch.observation.copy()
    batch.step(batch.sample_actions())
    np.testing.assert_array_equal(np.asarray(copy), before)
