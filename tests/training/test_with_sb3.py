"""A policy that Stable-Baselines3 trained plays here as it did there."""

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from dig_envs import BatchEnv, load_agent
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game
from training.network import ILLEGAL

pytest.importorskip("sb3_contrib")

from training import with_sb3
from training.with_sb3 import PaidVecEnv, main

SHIPPED = Path(__file__).parents[2] / "policies" / "fossil_canyon" / "policy"
LAYERS, NUM_ENVS, N_STEPS, STEPS = [24, 16], 8, 32, 300
TINY = f"--layers 24 16 --num-envs {NUM_ENVS} --n-steps {N_STEPS} --steps {STEPS} --games 6".split()
OPPONENTS = ["--opponent", "heuristic", "--opponent", "random", "--weight", "3", "--weight", "1"]
OPTIONS = {
    "fossil_canyon": {"num_players": 2},
    "cretaceous_creek": {"num_players": 2, "level": "intermediate"},
}


@pytest.fixture(scope="module", params=OPTIONS)
def trained(request, tmp_path_factory):
    """A game, the model in SB3, and its policy's folder."""
    folder, kept, real = tmp_path_factory.mktemp("sb3"), [], with_sb3.train
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # the logs
        patch.setattr(with_sb3, "train", lambda *words: kept.append(real(*words)) or kept[0])
        words = [] if load_game(request.param).cooperative else [*OPPONENTS]
        words += [
            word
            for name, value in OPTIONS[request.param].items()
            for word in ("--option", f"{name}={value}")
        ]
        main([request.param, *TINY, *words, "--out", str(folder / "zoo" / "tiny"), "--seed", "4"])
    return request.param, kept[0], folder / "zoo" / "tiny"


def some_positions(game):
    batch = BatchEnv(f"{game}_v0", 64, seed=3, **OPTIONS[game])
    for _ in range(30):
        batch.step(batch.heuristic_actions())
    return batch


def their_answer(model, batch):
    """SB3's answer for positions: the logits with and without its mask, log-probabilities up to a
    constant, and values."""
    seen = torch.from_numpy(batch.observation.copy())
    with torch.no_grad():
        raw = model.policy.action_net(model.policy.extract_features(seen))
        masked = model.policy.get_distribution(
            seen, action_masks=batch.action_mask.astype(bool)
        ).distribution.logits
        return raw.numpy(), masked.numpy(), model.policy.predict_values(seen)[:, 0].numpy()


def test_the_policy_is_the_model(trained):
    """The same masked logits and values, to the precision of float16, and so the same likeliest
    actions."""
    game, model, folder = trained
    batch = some_positions(game)
    legal = batch.action_mask.astype(bool)
    assert 0 < legal.sum() < legal.size
    raw, masked, values = their_answer(model, batch)
    logits, our_values = load_agent(str(folder)).evaluate(batch.observation, batch.action_mask)
    np.testing.assert_allclose(logits, np.where(legal, raw, ILLEGAL), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(
        torch.log_softmax(torch.from_numpy(logits), 1).numpy()[legal],
        masked[legal],
        rtol=1e-3,
        atol=1e-3,
    )
    assert (np.exp(masked[~legal]) == 0).all()
    np.testing.assert_allclose(our_values, values, rtol=1e-3, atol=1e-3)
    actions = load_agent(str(folder)).act_batch(batch.observation, batch.action_mask)
    theirs, _ = model.predict(batch.observation.copy(), deterministic=True, action_masks=legal)
    assert (actions == theirs).mean() > 0.98  # rounding may decide a tie


def test_it_plays(trained):
    """The policy loads from its folder and plays; its card says how it was made, and SB3 has logged
    what it did."""
    game, model, folder = trained
    agent = load_agent(str(folder))
    results = play_games(
        f"{game}_v0", [agent, load_agent("random", seed=0)], 4, 1, OPTIONS[game], rotate=True
    )
    assert len(results.lengths) == 4
    assert list((folder.parent.parent / "runs").rglob("events.*"))
    card, played = (
        json.loads((folder / "card.json").read_text()),
        -(-STEPS // (NUM_ENVS * N_STEPS)) * NUM_ENVS * N_STEPS,
    )
    assert (card["name"], card["steps"], card["seed"], card["pays"]) == (
        "zoo/tiny",
        played,
        4,
        "return",
    )
    assert card["training_command"].startswith(f"python -m training.with_sb3 {game} --layers 24 16")
    assert card["hyperparameters"]["opponents"] == (
        {} if load_game(game).cooperative else {"heuristic": 3.0, "random": 1.0}
    )
    made = card["hyperparameters"]
    assert made["layers"] == LAYERS
    assert card["settings"]["games"] == [load_game(game).complete_options(OPTIONS[game])]
    assert (made["gamma"], made["n_steps"]) == (model.gamma, model.n_steps)


def test_points_and_the_return_are_paid():
    """An episode pays, in all, its return and the points since the deal, and SB3 is told so."""
    env = PaidVecEnv("fossil_canyon_v0", 8, seed=3, reward="score", max_turns=2)
    env.win_weight, env.score_weight = 2.0, 0.25
    env.reset()
    total, paid = np.zeros(8), []
    for _ in range(60):
        _, reward, done, infos = env.step(env.action_masks().argmax(axis=1))
        total += reward
        for k in np.flatnonzero(done):
            assert infos[k]["episode"]["r"] == pytest.approx(total[k], abs=1e-5)
            paid.append(total[k] - 2.0 * infos[k]["outcome"])
            total[k] = 0
    assert len(paid) > 10
    assert np.abs(np.array(paid) * 4 - np.round(np.array(paid) * 4)).max() < 1e-4
    assert max(paid) > 0
    env.close()


@pytest.mark.parametrize(
    ("game", "more", "message"),
    [
        ("fossil_canyon", ["--opponent", "nobody"], "nobody"),
        (
            "fossil_canyon",
            ["--opponent", "random", "--weight", "1", "--weight", "2"],
            "as many weights",
        ),
        ("fossil_canyon", ["--option", "num_players=9"], "9 is not one of 2 … 6"),
        (
            "fossil_canyon",
            ["--out", str(SHIPPED)],
            f"{SHIPPED} is there already, the policy of another training: choose another folder",
        ),
        ("cretaceous_creek", ["--opponent", "random"], "is cooperative"),
    ],
)
def test_plain_errors(game, more, message, tmp_path, monkeypatch, capsys):
    """What is wrong is said before anything is trained or written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(SystemExit) as ended:
        main([game, *TINY, *more])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_ctrl_c_keeps_what_was_learned(tmp_path, monkeypatch):
    """Counted are the rollouts that were learned from; before the first update there is
    nothing."""
    settings = {"layers": [8], "n_steps": 4, **with_sb3.PPO, "batch_size": 8}
    updates, update = [], with_sb3.MaskablePPO.train

    def interrupted(model):
        updates.append(model.num_timesteps)
        if len(updates) in (2, 3):
            raise KeyboardInterrupt
        update(model)

    monkeypatch.chdir(tmp_path)  # the logs
    monkeypatch.setattr(with_sb3.MaskablePPO, "train", interrupted)
    with closing(PaidVecEnv("go_dig_v0", 2, seed=0, reward="score")) as env:
        assert with_sb3.train(env, settings, 100, 0, "x").num_timesteps == 8
        with pytest.raises(KeyboardInterrupt):
            with_sb3.train(env, settings, 100, 0, "x")
