"""Metadata of the published reports: of all files as they are, valid, and its tables can be read."""

import json
from hashlib import sha256

import pytest

from dig_envs.documentation.benchmarks import RESULTS, leaderboard_rows
from dig_envs.documentation.croissant import FILE


def test_it_lists_every_file_with_its_hash():
    plain = json.loads((RESULTS / FILE).read_text(encoding="utf-8"))
    hashes = {entry["contentUrl"]: entry["sha256"] for entry in plain["distribution"]}
    files = {path.relative_to(RESULTS).as_posix(): path for path in RESULTS.rglob("*.json") if path.name != FILE}
    assert hashes == {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_it_is_valid_and_its_tables_can_be_read():
    library = pytest.importorskip("mlcroissant")
    dataset = library.Dataset(jsonld=RESULTS / FILE)
    assert not dataset.metadata.ctx.issues.errors
    names = [record["leaderboard/name"].decode() for record in dataset.records("leaderboard")]
    assert names == [row["name"] for row in leaderboard_rows()]
    assert {record["baselines/algorithm"] for record in dataset.records("baselines")} >= {b"ppo", b"dqn"}
