"""Folders of policies."""

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import numpy_helper

from dig_envs.agents.saving import check_free
from dig_envs.registry import load_game
from tests.training.random_network import random_network as random_network_of
from training import export
from training.export import copy_policy, write_policy
from training.network import ILLEGAL

GAME = load_game("cretaceous_creek")


def random_network(cells, seed=0, game=GAME):
    """Two hidden layers, for tests everywhere."""
    return random_network_of(game, seed, (24, 12), cells)


def test_only_policies_are_replaced(tmp_path):
    """A policy takes the place of another one, or of nothing; a folder with anything else in it
    stays as it is."""
    first = write_policy(tmp_path / "zoo" / "x", GAME, random_network(None), {"name": "first"})
    second = write_policy(
        tmp_path / "zoo" / "y", GAME, random_network(None, seed=1), {"name": "second"}
    )
    (second / "curve.png").write_bytes(b"picture")
    copy_policy(second, first)
    assert sorted(path.name for path in (tmp_path / "zoo").iterdir()) == ["x", "y"]
    for path in second.iterdir():
        assert (first / path.name).read_bytes() == path.read_bytes()
    other = tmp_path / "documents"
    other.mkdir()
    write_policy(other, GAME, random_network(None), {})  # empty
    (other / "card.json").rename(other / "letter.txt")
    for write in (
        lambda: write_policy(other, GAME, random_network(None), {}),
        lambda: copy_policy(first, other),
    ):
        with pytest.raises(ValueError, match="holds no policy"):
            write()
    assert sorted(path.name for path in other.iterdir()) == ["letter.txt", "policy.onnx"]
    with pytest.raises(ValueError, match="holds no policy"):
        check_free(other / "letter.txt")


@pytest.mark.parametrize("odd", ["folder", "link", "large"])
def test_only_plain_files_are_copied(tmp_path, monkeypatch, odd):
    policy = write_policy(tmp_path / "x", GAME, random_network(None), {})
    if odd == "folder":
        (policy / odd).mkdir()
    elif odd == "link":
        (tmp_path / "mine").write_text("mine")
        (policy / odd).symlink_to(tmp_path / "mine")
    else:
        (policy / odd).write_bytes(b"x" * 2000)
        monkeypatch.setitem(export.MOST_BYTES, "policy.onnx", 1000)
        (policy / "policy.onnx").write_bytes(b"")
    with pytest.raises(ValueError, match=f"{odd} cannot be copied"):
        copy_policy(policy, tmp_path / "y")
    assert not (tmp_path / "y").exists()


# ---------------------------------------------------------------- half precision in the file


@pytest.fixture
def both_ways(monkeypatch):
    """A function that returns a network's file as it is written, and with all weights in
    float32."""

    def write(network):
        rounded = export.to_onnx(network)
        with monkeypatch.context() as patch:
            patch.setattr(export, "LEAST_ROUNDED", 1 << 40)
            return rounded, export.to_onnx(network)

    return write


def stored(model):
    return {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in onnx.load_model_from_string(model).graph.initializer
    }


def outputs_of(model, seen, masks):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(["logits", "value"], {"observation": seen, "action_mask": masks})


def test_large_tensors_are_stored_in_half(both_ways):
    """What is large takes half of the bytes; the rest, and all else that the file says, stays as it
    was."""
    rounded, exact = both_ways(random_network(None))
    small, large = (onnx.load_model_from_string(model) for model in (rounded, exact))
    assert (small.ir_version, small.opset_import, small.producer_name) == (
        large.ir_version,
        large.opset_import,
        large.producer_name,
    )
    assert len(rounded) < 0.6 * len(exact)
    found, before = stored(rounded), stored(exact)
    assert {array.dtype.name for array in before.values()} == {"float32", "int64"}
    halves = {name.removesuffix(".float16") for name in found if name.endswith(".float16")}
    assert halves == {
        name
        for name, array in before.items()
        if array.dtype == np.float32 and array.size >= export.LEAST_ROUNDED
    }
    for name, array in before.items():
        kept = array.astype(np.float16) if name in halves else array
        np.testing.assert_array_equal(
            found[f"{name}.float16" if name in halves else name], kept, strict=True
        )
    export.round_weights(small)
    assert small.SerializeToString() == rounded, "to round twice is to round once"


def test_rounding_changes_little(both_ways):
    """Outputs in 4000 positions differ by less than 0.1 % of the largest; the likeliest action in
    fewer than 0.1 % of them."""
    rng = np.random.default_rng(0)
    seen = (rng.random((4000, GAME.observation_size)) < 0.1).astype(np.float32)
    masks = (rng.random((4000, len(GAME.actions))) < 0.1).astype(np.float32)
    masks[:, 0] = 1
    found, expected = (
        outputs_of(model, seen, masks) for model in both_ways(random_network_of(GAME, 3, (64, 32)))
    )
    for some, right in zip(found, expected, strict=True):
        legal = np.abs(right[right > ILLEGAL])
        assert 0 < np.abs(some - right).max() < 1e-3 * legal.max()
    changed = found[0].argmax(axis=1) != expected[0].argmax(axis=1)
    assert changed.mean() < 1e-3


@pytest.mark.parametrize("weight", [1e5, -1e30, float("inf"), float("nan")])
def test_weights_beyond_half_stay_as_they_are(weight, both_ways):
    network = random_network(None)
    with torch.no_grad():
        network.get_parameter("layer0.weight")[0, 0] = weight
    found = stored(both_ways(network)[0])
    np.testing.assert_array_equal(
        found["layer0.weight"], network.weights["layer0.weight"], strict=True
    )
    assert "policy.weight.float16" in found
