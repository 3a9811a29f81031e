"""A policy that Stable-Baselines3 trained plays here as it did there."""

import json
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from dig_envs import BatchEnv, load_agent
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game
from tests.training.tiny import purpose_of
from training.network import ILLEGAL

pytest.importorskip("sb3_contrib")

from training import with_sb3
from training.with_sb3 import app, to_network

SHIPPED = Path(__file__).parents[2] / "policies" / "fossil_canyon" / "ppo"
LAYERS, NUM_ENVS, N_STEPS, STEPS = [24, 16], 8, 32, 300
TINY = f"--layer 24 --layer 16 --num-envs {NUM_ENVS} --n-steps {N_STEPS} --steps {STEPS} --games 6".split()
OPPONENTS = ["--opponent", "heuristic", "--opponent", "random", "--weight", "3", "--weight", "1"]
OPTIONS = {"fossil_canyon": {"num_players": 2}, "cretaceous_creek": {"num_players": 2, "level": "intermediate"}}


@pytest.fixture(scope="module", params=OPTIONS)
def trained(request, tmp_path_factory):
    """A game, the model in SB3, its policy's folder, and what was printed."""
    folder = tmp_path_factory.mktemp("sb3")
    kept = []

    def train_and_keep(*args):
        kept.append(with_sb3_train(*args))
        return kept[0]

    with_sb3_train = with_sb3.train
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # the logs
        patch.setattr(with_sb3, "train", train_and_keep)
        words = [] if load_game(request.param).cooperative else [*OPPONENTS]
        words += [word for name, value in OPTIONS[request.param].items() for word in ("--option", f"{name}={value}")]
        result = CliRunner().invoke(app, [request.param, *TINY, *words, "--out", str(folder / "zoo" / "tiny"), "--seed", "4"])
    assert result.exit_code == 0, result.output
    return request.param, kept[0], folder / "zoo" / "tiny", result.output


def some_positions(game):
    batch = BatchEnv(f"{game}_v0", 64, seed=3, **OPTIONS[game])
    for _ in range(30):
        batch.step(batch.heuristic_actions())
    return batch


def their_answer(model, batch):
    """SB3's answer for positions: the logits with and without its mask, log-probabilities up to a constant, and values."""
    seen = torch.from_numpy(batch.observation.copy())
    with torch.no_grad():
        raw = model.policy.action_net(model.policy.extract_features(seen))
        masked = model.policy.get_distribution(seen, action_masks=batch.action_mask.astype(bool)).distribution.logits
        return raw.numpy(), masked.numpy(), model.policy.predict_values(seen)[:, 0].numpy()


def test_the_policy_is_the_model(trained):
    """The same masked logits and values, to the precision of float16, and so the same likeliest actions."""
    game, model, folder, _ = trained
    batch = some_positions(game)
    legal = batch.action_mask.astype(bool)
    assert 0 < legal.sum() < legal.size
    raw, masked, values = their_answer(model, batch)
    logits, our_values = load_agent(str(folder)).evaluate(batch.observation, batch.action_mask)
    np.testing.assert_allclose(logits, np.where(legal, raw, ILLEGAL), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(torch.log_softmax(torch.from_numpy(logits), 1).numpy()[legal], masked[legal], rtol=1e-3, atol=1e-3)
    assert (np.exp(masked[~legal]) == 0).all()
    np.testing.assert_allclose(our_values, values, rtol=1e-3, atol=1e-3)
    actions = load_agent(str(folder)).act_batch(batch.observation, batch.action_mask)
    theirs, _ = model.predict(batch.observation.copy(), deterministic=True, action_masks=legal)
    assert (actions == theirs).mean() > 0.98  # rounding may decide a tie


def test_every_weight_is_there(trained):
    """The exported network has all weights of the Stable-Baselines3 model, after learning."""
    _, model, _, _ = trained
    network = to_network(model)
    assert network.layers == LAYERS
    in_all = sum(tensor.numel() for tensor in model.policy.parameters())
    assert sum(array.size for array in network.weights.values()) == in_all
    assert np.abs(network.weights["policy.bias"]).max() > 0, "biases begin at 0"
    assert np.abs(network.weights["layer0.bias"]).max() > 0


def test_it_plays(trained):
    """The policy trained with Stable-Baselines3 loads from its folder and plays; the printed table has intervals."""
    game, _, folder, output = trained
    agent = load_agent(str(folder))
    results = play_games(f"{game}_v0", [agent, load_agent("random", seed=0)], 4, 1, OPTIONS[game], rotate=True)
    assert len(results.lengths) == 4
    assert re.search(r"zoo/tiny.*heuristic.* \[0\.\d+, \d\.\d+\]", output)
    assert "total_timesteps" in output, "SB3's own logger"
    line = re.search(r"dig_envs\.(load_agent\(.*\))", output).group(1)
    assert Path(line.split("'")[1]) == folder
    assert list((folder.parent.parent / "runs").rglob("events.*"))


def test_its_card(trained):
    """The card of the policy says how it was made: algorithm, steps, opponents with weights, reward and evaluation."""
    game, model, folder, _ = trained
    card = json.loads((folder / "card.json").read_text())
    rollout = NUM_ENVS * N_STEPS
    played = -(-STEPS // rollout) * rollout
    assert (card["algorithm"], card["steps"], card["seed"], card["pays"]) == ("masked PPO (sb3-contrib)", played, 4, "return")
    assert [(stage["stage"], stage["steps"], stage["seed"]) for stage in card["history"]] == [(card["algorithm"], played, 4)]
    assert card["training_command"].startswith("python -m training.with_sb3")
    assert card["num_players"] == [2]
    cooperative = load_game(game).cooperative
    assert card["settings"]["opponents"] == ({} if cooperative else {"heuristic": 3.0, "random": 1.0})
    assert (card["settings"]["layers"], card["settings"]["games"]) == (LAYERS, [OPTIONS[game]])
    assert card["settings"]["gamma"] == model.gamma
    assert card["settings"]["n_steps"] == model.n_steps
    assert purpose_of(card["evaluation_seed"]) == "final evaluation"
    line_ups = {tuple(row["line_up"]) for row in card["evaluation"]}
    assert ("zoo/tiny", "heuristic") in line_ups
    assert (("random", "random") if cooperative else ("zoo/tiny", "random")) in line_ups
    assert all(row["games"] == 6 and row["win_rate"]["low"] <= row["win_rate"]["high"] for row in card["evaluation"])


@pytest.mark.parametrize(
    ("game", "more", "message"),
    [
        ("fossil_canyon", ["--opponent", "nobody"], "nobody"),
        ("fossil_canyon", ["--opponent", "random", "--weight", "1", "--weight", "2"], "as many weights"),
        ("fossil_canyon", ["--opponent", "random", "--weight", "-1"], "0 or more"),
        ("fossil_canyon", ["--option", "num_players=9"], "'9' is not one of 2 … 6"),
        ("fossil_canyon", ["--out", "."], "holds no policy"),
        ("fossil_canyon", ["--out", "letter.txt/x"], "letter.txt is a file"),
        (
            "fossil_canyon",
            ["--out", str(SHIPPED)],
            f"{SHIPPED} is there already, the policy of another training. Choose another --name",
        ),
        ("fossil_gorge", [], "fossil_gorge"),
        ("cretaceous_creek", ["--opponent", "random"], "is cooperative"),
    ],
)
def test_plain_errors(game, more, message, tmp_path, monkeypatch):
    """One line that says what is wrong, before anything is trained or written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_text("dear")
    result = CliRunner().invoke(app, [game, *TINY, *more])
    assert result.exit_code == 2, result.output
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("missing", ["sb3_contrib", "stable_baselines3"])
def test_without_the_extra(missing, monkeypatch):
    """Says in a line what to install."""
    monkeypatch.delitem(sys.modules, "training.with_sb3")
    for name in [missing, *(name for name in sys.modules if name.startswith(f"{missing}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit, match=r'^error: .*pip install -e "\.\[train,sb3\]" brings what this script needs$'):
        runpy.run_module("training.with_sb3", run_name="__main__")
