"""Seeds by commitment: deals that follow from a secret, whose hash is in the repository."""

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dig_envs.benchmark import held_out, measure
from dig_envs.benchmark.held_out import (
    HeldOut,
    committed_seeds,
    make_seeds,
    read_commitments,
    read_seeds,
)
from dig_envs.benchmark.suite import DEALS_APART, SUITES
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.engine.core.errors import BenchmarkError
from tests.training.tiny import purpose_of

runner = CliRunner()
SEEDS = HeldOut("a-test", "0123456789abcdef" * 4)
TASKS = SUITES["full"].tasks


def test_seeds_follow_from_the_secret_and_the_task_alone():
    """They are no training deals, no deal twice, none of the public ones; another secret gives
    others."""
    seeds = [SEEDS.seed(task) for task in TASKS]
    public = [task.seed for task in TASKS]
    assert seeds == [SEEDS.task(task).seed for task in TASKS]
    begin = sorted([*seeds, *public])
    assert all(
        after - before >= DEALS_APART for before, after in zip(begin, begin[1:], strict=False)
    )
    assert {purpose_of(seed + deal) for seed in seeds for deal in (0, 1000)} == {"final evaluation"}
    assert not set(seeds) & {HeldOut("a-test", "f" * 64).seed(task) for task in TASKS}
    assert SEEDS.seed(TASKS[0]) == 14253268092988506747, (
        "the derivation does not change, or commitments are worth nothing"
    )
    assert SEEDS.sha256 == "9c58249194048a0ba0cde1b5c8732ba6ea87c06da90435c37f41c46b95f5cc73"


def test_what_is_committed_to(tmp_path, monkeypatch):
    """A file with the secret of a commitment; the name and the secret are both in the hash."""
    path = tmp_path / "seeds.json"
    seeds = make_seeds(path, "spring-2027")
    assert path.stat().st_mode & 0o077 == 0, "for this user alone"
    assert read_seeds(path) == seeds
    known = {}
    monkeypatch.setattr(held_out, "read_commitments", lambda: known)
    with pytest.raises(BenchmarkError, match="no commitment 'spring-2027'; there are none yet"):
        committed_seeds(path)
    known["spring-2027"] = HeldOut("spring-2027", "0" * 64).sha256
    with pytest.raises(BenchmarkError, match="has not the secret of the commitment"):
        committed_seeds(path)
    known["spring-2027"] = seeds.sha256
    monkeypatch.setattr("sys.stdin", io.StringIO(path.read_text()))
    assert committed_seeds(path) == committed_seeds(Path("-")) == seeds
    with pytest.raises(FileExistsError):
        make_seeds(path, "spring-2027")
    assert HeldOut("other", seeds.secret).sha256 != seeds.sha256


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "not a file of held-out seeds"),
        ("{", "not a file of held-out seeds"),
        (json.dumps({"kind": held_out.KIND, "format": 2}), "of format 1"),
        (
            json.dumps({"kind": held_out.KIND, "format": 1, "name": "x", "secret": "12"}),
            "64 hexadecimal digits",
        ),
        (
            json.dumps({"kind": held_out.KIND, "format": 1, "name": "../x", "secret": "0" * 64}),
            "letters, digits and hyphens",
        ),
    ],
)
def test_files_that_are_none(tmp_path, content, words):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(BenchmarkError, match=words):
        read_seeds(tmp_path / "x.json")


def test_the_commitments_of_the_repository():
    assert all(len(one) == 64 for one in read_commitments().values())


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
def test_a_measurement_on_held_out_deals(tmp_path, monkeypatch, no_populations):
    """Other games than the public ones; the report names the commitment, and neither secret nor
    seed. Games are kept apart."""
    monkeypatch.chdir(tmp_path)
    public = measure("random", tasks="oak_island-2", results=Path("kept"))
    words = ["benchmark", "random", "--tasks", "oak_island-2", "--workers", "1"]
    words += ["--seeds", "seeds.json", "--results", "kept"]
    made = runner.invoke(app, ["benchmark", "commit", "--seeds", "seeds.json", "--name", "x"])
    assert made.exit_code == 0, made.output
    entry = json.loads(made.output[made.output.index("{") :])
    refused = runner.invoke(app, [*words, "--json", "report.json"])
    assert refused.exit_code == 2
    assert "no commitment 'x'" in " ".join(refused.output.split())
    commitments = tmp_path / "commitments.json"
    commitments.write_text(json.dumps({"format": 1, "commitments": [entry]}))
    monkeypatch.setattr(held_out, "read_commitments", lambda: read_commitments(commitments))
    done = runner.invoke(app, [*words, "--json", "report.json"])
    assert done.exit_code == 0, done.output
    (report,) = json.loads(Path("report.json").read_text())
    assert report["suite"]["held_out"] == {"name": "x", "sha256": entry["sha256"]}
    assert report["tasks"][0]["definition"]["seed"] is None
    assert report["deals"] != public.as_json()["deals"]
    seeds = read_seeds(Path("seeds.json"))
    task = next(task for task in TASKS if task.name == "oak_island-2")
    text = Path("report.json").read_text()
    assert seeds.secret not in text
    assert str(seeds.seed(task)) not in text
    assert Path("kept/held-out-x/random/oak_island-2.jsonl").exists()
    assert runner.invoke(app, ["benchmark", "commit", "--seeds", "none.json"]).exit_code == 2
