"""Checkpoints that somebody or something has changed: each is named in one line, whatever is in
it."""

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from training.checkpoints import (
    list_checkpoints,
    load_checkpoint,
    put_aside,
    read_progress,
    save_checkpoint,
)
from training.ppo import Hyperparameters, Learner, PolicyAndValue

OTHER = (
    b"\x80\x02.",  # pickles of nothing, of a number, and of what is cut
    b"\x80\x02K\x01.",
    b"\x80\x04\x95",
    b"PK\x05\x06" + bytes(18),  # an archive with nothing in it
    b"half",
    bytes(100),
)


def learner(seed):
    torch.manual_seed(seed)
    network = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return SimpleNamespace(network=network, optimizer=optimizer, device=torch.device("cpu"))


@pytest.fixture
def checkpoint(tmp_path):
    return save_checkpoint(tmp_path, learner(0), {"steps": 5})


def test_what_is_saved_is_loaded(checkpoint):
    other = learner(1)
    load_checkpoint(checkpoint, other)
    assert torch.equal(other.network.weight, learner(0).network.weight)
    assert read_progress(checkpoint) == {"steps": 5}


def refused(checkpoint, path):
    with pytest.raises(ValueError, match=f"{re.escape(str(path))} is damaged") as error:
        load_checkpoint(checkpoint, learner(1))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_damaged_weights(checkpoint):
    path = checkpoint / "learner.pt"
    good, rng = path.read_bytes(), random.Random(0)
    path.write_bytes(b"")
    refused(checkpoint, path)
    for content in (
        *OTHER,
        bytes(len(good)),
        *(good[: rng.randrange(len(good))] for _ in range(20)),
    ):
        path.write_bytes(content)
        refused(checkpoint, path)
    for content in (
        3,
        None,
        [],
        {},
        {"network": 3, "optimizer": 3},
        {"network": {}, "optimizer": {}},
        torch.zeros(3),
    ):
        torch.save(content, path)
        refused(checkpoint, path)
    path.unlink()
    for make in (lambda: None, path.mkdir):
        make()
        with pytest.raises(ValueError, match=r"has no learner\.pt: it was made by another version"):
            load_checkpoint(checkpoint, learner(1))


def test_the_reason_is_short(checkpoint):
    path = checkpoint / "learner.pt"
    path.write_bytes(path.read_bytes()[:1000])
    assert refused(checkpoint, path).endswith(
        " of another run: PytorchStreamReader failed reading "
        "zip archive: failed finding central directory"
    )
    torch.save({"network": {}, "optimizer": {}}, path)
    assert refused(checkpoint, path).endswith("run: Error(s) in loading state_dict for Linear")


def test_what_is_no_damage_is_raised(checkpoint, monkeypatch):
    """Without permission, with a failing disk or a full GPU a good checkpoint is not taken for a
    damaged one."""

    def fail(error):
        def failing(*_, **__):
            raise error

        return failing

    for error in (PermissionError(13, "denied"), OSError(5, "Input/output error")):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_text", fail(error))
            patch.setattr(Path, "read_bytes", fail(error))
            with pytest.raises(type(error)):
                read_progress(checkpoint)
            with pytest.raises(type(error)):
                load_checkpoint(checkpoint, learner(1))
    full, other = torch.cuda.OutOfMemoryError("CUDA out of memory"), learner(1)
    monkeypatch.setattr(other.network, "load_state_dict", fail(full))
    with pytest.raises(torch.cuda.OutOfMemoryError):
        load_checkpoint(checkpoint, other)


def test_put_aside(checkpoint):
    """It is no checkpoint any more, but kept, in the place of an earlier one."""
    aside = checkpoint.with_name("unusable-checkpoint-000000000005")
    aside.mkdir()
    put_aside(checkpoint)
    assert list_checkpoints(checkpoint.parent) == []
    assert read_progress(aside) == {"steps": 5}


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "3", "{}", '{"steps": null}', '{"steps": "5"}', "[" * 100_000]
)
def test_damaged_progress(checkpoint, content):
    (checkpoint / "progress.json").write_text(content)
    with pytest.raises(ValueError, match=r"progress\.json is damaged"):
        read_progress(checkpoint)


@pytest.mark.parametrize("reads_rows", [False, True])
def test_it_goes_on_where_weights_lie_otherwise_in_memory(tmp_path, reads_rows):
    """As after a change of machine: Adam takes for granted that all lie in the same order."""

    def made(reads_rows):
        torch.manual_seed(0)
        network = PolicyAndValue(5, 4, 16, reads_rows)
        return Learner(network, Hyperparameters(), torch.device("cpu"))

    def improve(learner):
        learner.set_learning_rate(0.01, 0.01, 0.0)
        seen, mask = torch.tensor([[3.0, -1.0, 0.5, 2.0, -7.0]] * 2), torch.ones(2, 4)
        seen *= 1 + len(learner.optimizer.state)  # other gradients than before
        seen[0, 0] += len(learner.optimizer.state)
        learner.measure(
            torch.arange(2), lambda rows: (learner.network(seen[rows], mask[rows])[1].sum(), {})
        )
        learner.improve()

    first, other = made(not reads_rows), made(reads_rows)
    improve(first)
    load_checkpoint(save_checkpoint(tmp_path, first, {"steps": 1}), other)
    for one in (first, other):
        improve(one)
    for weight, same in zip(first.network.parameters(), other.network.parameters(), strict=True):
        torch.testing.assert_close(weight, same, rtol=0, atol=1e-6)
