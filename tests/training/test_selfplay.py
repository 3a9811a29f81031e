"""Self-play from the command line: from the warm start to the exported policy, interruption, what
is exported."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dig_envs import BatchEnv, PolicyMismatchError, load_agent
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game
from tests.training.tiny import LEG, assert_same_weights, changed, done, said, train
from training.card import NOT_PASSED
from training.checkpoints import list_checkpoints, read_progress
from training.export import read_network, write_policy
from training.metrics import MEANINGS, read
from training.pool import Pool

NAME = "fossil_canyon_v0"
GAME = load_game(NAME)
STEPS = 6 * LEG
SELF_PLAY = [
    *changed(
        opponents='{"random": 1, "best": 1, "snapshots": 1}',
        games='[{"num_players": 2}, {"num_players": 4}]',
    ),
    *changed(gate_games=4, pool_size=2, active_snapshots=1, gate_threshold=0.001),
    *("--steps", str(STEPS), "--seed", "5"),
]


def start(run: Path, out: Path, *more: str):
    given = {word.partition("=")[0] for word in more if "=" in word}
    usual = [word for word in SELF_PLAY if word != "--set" and word.partition("=")[0] not in given]
    settings = [word for each in usual if "=" in each for word in ("--set", each)]
    others = [word for word in usual if "=" not in word]
    if "--steps" in more:
        others = others[2:]
    return train(run, out, *settings, *others, *more, env=NAME)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that went through without interruption, its policy, and what it printed."""
    folder = tmp_path_factory.mktemp("finished")
    result = done(start(folder / "run", folder / "zoo" / "tiny"))
    return folder / "run", folder / "zoo" / "tiny", result.output


def evaluations(run: Path):
    rows = [row for row in read(run) if row["phase"] == "evaluation"]
    return [
        {
            key: value
            for key, value in row.items()
            if key not in ("steps_per_second", "playing_share")
        }
        for row in rows
    ]


def test_whole_path(finished):
    """Warm start without a gate, then a gate after every leg, a snapshot after every leg, and the
    last that passed is exported."""
    run, policy, output = finished
    assert {name for row in read(run) for name in row} <= set(MEANINGS)
    rows = evaluations(run)
    assert [row["steps"] for row in rows] == [LEG * k for k in range(1, 7)]
    snapshots, best, promotions = [], LEG, 0
    for row in rows:
        groups = {"random"}
        if row["steps"] > LEG:  # after the warm start; the first best is what PPO began with
            groups |= {"best", *(["snapshots"] if set(snapshots) - {best} else [])}
        assert set(row["strength"]) == groups
        assert row["gate_games"] == 8
        assert row["promoted"] == (
            row["steps"] > LEG and all(value > 0.001 for value in row["strength_low"].values())
        )
        snapshots = [*snapshots, row["steps"]][-2:] if row["steps"] > LEG else []
        promotions += row["promoted"]
        best = row["steps"] if row["promoted"] else best
    assert promotions > 0
    pool = read_progress(list_checkpoints(run)[-1])["pool"]
    assert pool["snapshots"] == [f"snapshot-{steps:012d}" for steps in snapshots]
    assert (pool["best"], pool["promotions"]) == (f"snapshot-{best:012d}", promotions)
    card = json.loads((policy / "card.json").read_text())
    assert card["num_players"] == [2, 4]
    assert card["steps"] == best
    assert card["gate"]["promotions"] == pool["promotions"]
    assert (
        card["weights_sha256"]
        == json.loads((run / "pool" / pool["best"] / "card.json").read_text())["weights_sha256"]
    )
    assert [
        (row["options"]["num_players"], row["agent"], row["line_up"][1])
        for row in card["evaluation"]
    ] == [
        (players, agent, other)
        for players in (2, 4)
        for ours, other in (
            ("zoo/tiny", "random"),
            ("zoo/tiny:sample", "random"),
            ("zoo/tiny", "heuristic"),
        )
        for agent in (ours, other)
    ]
    assert output.count("; not promoted") == len(rows) - 1 - promotions, "of all that PPO made"
    assert (policy / "curve.png").stat().st_size > 5000


def test_only_the_pool_of_the_checkpoints_is_kept(finished):
    """The folder of the pool has exactly the snapshots that the kept checkpoints need."""
    run = finished[0]
    pools = [read_progress(checkpoint)["pool"] for checkpoint in list_checkpoints(run)]
    needed = {name for pool in pools for name in (*pool["snapshots"], pool["best"])}
    assert {path.name for path in (run / "pool").iterdir()} == needed


def test_interrupted_run_goes_on_with_the_same_pool(finished, tmp_path, monkeypatch):
    """Cut off in the middle of PPO, the same command comes to the same weights, pool and
    measurements as without."""
    run, gates, gate = tmp_path / "run", [], Pool.gate

    def cut_off(*arguments):
        gates.append(gate(*arguments))
        assert len(gates) < 4, "cut off"
        return gates[-1]

    with monkeypatch.context() as patch:
        patch.setattr(Pool, "gate", cut_off)
        assert "cut off" in str(start(run, tmp_path / "zoo" / "tiny").exception)
    assert not (tmp_path / "zoo").exists(), "before the end"
    progress = read_progress(list_checkpoints(run)[-1])
    assert progress["steps"] == 3 * LEG
    assert progress["pool"]["snapshots"]
    later = run / "pool" / f"snapshot-{STEPS:012d}"
    # of a leg that was lost
    write_policy(later, GAME, read_network(next((run / "pool").iterdir()), GAME), {"steps": STEPS})
    assert "going on from" in done(start(run, tmp_path / "zoo" / "tiny")).output
    assert_same_weights(finished[0], run)
    assert evaluations(run) == evaluations(finished[0])
    assert (
        read_progress(list_checkpoints(run)[-1])["pool"]
        == read_progress(list_checkpoints(finished[0])[-1])["pool"]
    )
    assert (tmp_path / "zoo" / "tiny" / "policy.onnx").read_bytes() == (
        finished[1] / "policy.onnx"
    ).read_bytes()


def test_a_pool_that_lacks_a_snapshot(finished, tmp_path):
    """A run whose pool was damaged says so."""
    run = tmp_path / "run"
    shutil.copytree(finished[0], run)
    gone = read_progress(list_checkpoints(run)[-1])["pool"]["snapshots"][0]
    shutil.rmtree(run / "pool" / gone)
    result = start(run, tmp_path / "zoo" / "tiny")
    assert result.exit_code == 2
    assert f"lacks {gone}" in said(result)


@pytest.mark.parametrize("content", ["{", '{"steps": 5}', '{"steps": 5, "pool": {}}'])
def test_an_older_checkpoint_that_is_damaged(content, finished, tmp_path):
    """The run goes on from the newest one, and puts the damaged one aside."""
    run = tmp_path / "run"
    shutil.copytree(finished[0], run, ignore=shutil.ignore_patterns("finished", "policy"))
    before, last = list_checkpoints(run)
    (before / "progress.json").write_text(content)
    told = said(done(start(run, tmp_path / "zoo" / "tiny")))
    assert f"passed over: {before / 'progress.json'} is damaged" in told
    assert f"going on from {last} " in told
    assert list_checkpoints(run) == [last]
    assert (run / f"unusable-{before.name}").is_dir()


def test_start_from_a_policy(finished, tmp_path):
    """The learner begins with its weights, and without a promotion these are exported, which is
    said on the screen and on the card.

    Other layers are refused before anything is written.
    """
    words = changed(start_from=finished[1], warm_start='""', gate_threshold=1.0)
    result = done(
        start(tmp_path / "run", tmp_path / "zoo" / "next", *words, "--steps", str(2 * LEG))
    )
    assert "; not promoted" in said(result)
    assert "not passed: no snapshot passed the gate" in said(result)
    card = json.loads((tmp_path / "zoo" / "next" / "card.json").read_text())
    assert card["steps"] == 0
    assert card["gate"] == {
        "passed": False,
        "promotions": 0,
        "last_passed": None,
        "note": NOT_PASSED,
    }
    ours = read_network(tmp_path / "zoo" / "next", GAME).weights
    for name, weights in read_network(finished[1], GAME).weights.items():
        np.testing.assert_array_equal(ours[name], weights, err_msg=name)
    result = start(
        tmp_path / "other", tmp_path / "zoo" / "other", *words, *changed(layers="[8, 8]")
    )
    assert result.exit_code == 2
    assert "other layers" in said(result)
    assert not (tmp_path / "other").exists()


# ---------------------------------------------------------------- numbers of players


def test_refuses_other_numbers_of_players(finished):
    """A policy refuses numbers of players that it was not trained for, however it is called, and
    says which it plays."""
    agent, batch = load_agent(str(finished[1])), BatchEnv(NAME, 4, num_players=[2, 3, 4, 4])
    for decide in (
        lambda: agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover),
        lambda: agent.act_batch(batch.observation, batch.action_mask),  # read from the observation
        lambda: play_games(NAME, [agent] * 3, 1, options={"num_players": 3}),
    ):
        with pytest.raises(
            PolicyMismatchError, match=r"policy zoo/tiny was trained for 2, 4 players, not for 3"
        ):
            decide()
    fitting = np.array([0, 2, 3])
    assert len(agent.act_batch(batch.observation[fitting], batch.action_mask[fitting])) == 3
