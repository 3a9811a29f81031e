"""Folders of policies."""

import pytest

from dig_envs.registry import load_game
from tests.training.random_network import random_network as random_network_of
from training.export import check_free, copy_policy, write_policy

GAME = load_game("cretaceous_creek")


def random_network(window, seed=0, game=GAME):
    """Two hidden layers, for tests everywhere."""
    return random_network_of(game, seed, (24, 12), window)


def test_only_policies_are_replaced(tmp_path):
    """A policy takes the place of another one, or of nothing; a folder with anything else in it stays as it is."""
    first = write_policy(tmp_path / "zoo" / "x", GAME, random_network(None), {"name": "first"})
    second = write_policy(tmp_path / "zoo" / "y", GAME, random_network(None, seed=1), {"name": "second"})
    (second / "curve.png").write_bytes(b"picture")
    copy_policy(second, first)
    assert sorted(path.name for path in (tmp_path / "zoo").iterdir()) == ["x", "y"]
    for path in second.iterdir():
        assert (first / path.name).read_bytes() == path.read_bytes()
    other = tmp_path / "documents"
    other.mkdir()
    write_policy(other, GAME, random_network(None), {})  # empty
    (other / "card.json").rename(other / "letter.txt")
    for write in (lambda: write_policy(other, GAME, random_network(None), {}), lambda: copy_policy(first, other)):
        with pytest.raises(ValueError, match="holds no policy"):
            write()
    assert sorted(path.name for path in other.iterdir()) == ["letter.txt", "policy.onnx"]
    with pytest.raises(ValueError, match="holds no policy"):
        check_free(other / "letter.txt")
