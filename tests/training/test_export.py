"""A policy in ONNX does exactly what the network did."""

import numpy as np
import pytest
import torch

from dig_envs import BatchEnv, load_agent
from dig_envs.registry import load_game
from training.export import check_free, copy_policy, write_policy
from training.network import Network, NetworkAgent
from training.window import make_window

GAME = load_game("cretaceous_creek")
WINDOW = {"position": "position", "fields": ["top_type", "wanted"], "rows": 3, "columns": 5, "radius": 2}


def random_network(window, seed=0, game=GAME):
    rng = np.random.default_rng(seed)
    inputs = game.observation_size + (window.size if window else 0)
    shapes = {"layer0": (24, inputs), "layer1": (12, 24), "policy": (len(game.actions), 12), "value": (1, 12)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32) / 5
        weights[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32) / 5
    return Network(weights, window)


def some_positions():
    batch = BatchEnv("cretaceous_creek_v0", 64, seed=3)
    for _ in range(40):
        batch.step(batch.heuristic_actions())
    return batch


@pytest.mark.parametrize("settings", [{}, WINDOW])
def test_same_as_the_network(settings, tmp_path):
    network = random_network(make_window(GAME, settings))
    agent = load_agent(str(write_policy(tmp_path / "zoo" / "x", GAME, network, {})))
    batch = some_positions()
    logits, values = network.evaluate(batch.observation, batch.action_mask)
    their_logits, their_values = agent.evaluate(batch.observation, batch.action_mask)
    np.testing.assert_allclose(their_logits, logits, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(their_values, values, rtol=1e-4, atol=1e-4)
    ours = NetworkAgent(network).act_batch(batch.observation, batch.action_mask)
    theirs = agent.act_batch(batch.observation, batch.action_mask)
    assert (batch.action_mask[np.arange(64), theirs] == 1).all()
    assert (ours == theirs).mean() > 0.98  # rounding may decide a tie


def test_window_copies_what_lies_around():
    """At each offset from the player, the cell's numbers; zeros beyond the edge."""
    window = make_window(GAME, WINDOW)
    batch = some_positions()
    extended = window.extend(torch.tensor(batch.observation), torch.from_numpy(window.lookup)).numpy()
    assert extended.shape == (64, GAME.observation_size + window.size)
    np.testing.assert_array_equal(extended[:, : GAME.observation_size], batch.observation)
    around = extended[:, GAME.observation_size :].reshape(64, len(window.offsets), 20)
    layout = GAME.layout
    seen_beyond = 0
    for row in range(64):
        cell = int(batch.states["pos"][row][batch.mover[row]])
        if cell < 0:  # no camp chosen yet
            assert not around[row].any()
            continue
        for k, (south, east) in enumerate(window.offsets):
            r, c = cell // 5 + south, cell % 5 + east
            if 0 <= r < 3 and 0 <= c < 5:
                types = batch.observation[row, layout["top_type"].slice].reshape(15, 19)[5 * r + c]
                wanted = batch.observation[row, layout["wanted"].slice][5 * r + c]
                np.testing.assert_array_equal(around[row, k], [*types, wanted])
            else:
                seen_beyond += 1
                assert not around[row, k].any()
    assert seen_beyond > 0


def test_unknown_fields_are_refused():
    with pytest.raises(ValueError, match="observes no sky"):
        make_window(GAME, {**WINDOW, "fields": ["sky"]})


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
