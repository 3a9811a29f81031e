"""The ladder's rungs, and the command."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dig_envs.arena import Report
from dig_envs.arena.ladder import rungs, swept
from dig_envs.commands.main import app
from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests.policies import shipped

runner = CliRunner()


def test_rungs():
    """The ladder has the strongest policy, even if it is weaker than the scripted player, and a
    search with it unless it has a memory.
    """
    for name in ("oak_island/policy", "diggity/policy", "fossil_memory/memory"):
        shipped(name)
    assert rungs(load_game("oak_island_v0"), {}, ["sims=5", "sims=9"]) == [
        "random",
        "heuristic",
        "oak_island/policy",
        "search:sims=5:guide=none",
        "search:sims=9:guide=none",
        "oak_island/policy+search:sims=5",
        "oak_island/policy+search:sims=9",
    ]
    weaker = [
        "random",
        "heuristic",
        "diggity/policy",
        "search:200ms:guide=none",
        "diggity/policy+search:200ms",
    ]
    assert rungs(load_game("diggity"), {"num_players": 4}) == weaker
    assert rungs(load_game("twenty_questions"), {"num_players": 3}) == [
        "random",
        "heuristic",
        "search:200ms",
    ]
    assert rungs(load_game("fossil_memory"), {"recall": "recent"})[2:] == [
        "fossil_memory/memory",
        "search:200ms",
    ]


def test_a_sweep_is_a_search_for_each_value():
    assert swept("", "sims=2,8") == ["sims=2", "sims=8"]
    assert swept("c=1", "sims=2,8") == ["c=1:sims=2", "c=1:sims=8"]
    for wrong in ("", "sims", "sims=", "sims=2,,8", "sims=2,2", "=2"):
        with pytest.raises(ValueError, match="such as sims=2,8,32, not"):
            swept("", wrong)


@pytest.mark.skipif(JIT_DISABLED, reason="whole games of scripted players are slow uncompiled")
def test_command(tmp_path):
    shipped("go_dig/policy")
    words = ["ladder", "go_dig_v0", "--players", "2", "--sweep", "sims=2", "--games", "4"]
    words += ["--picture", str(tmp_path / "ladder.svg"), "-o", "max_turns=3", "--workers", "1"]
    result = runner.invoke(
        app,
        [
            *words,
            "--json",
            str(tmp_path / "ladder.json"),
            "--results",
            str(tmp_path / "kept.jsonl"),
        ],
    )
    assert result.exit_code == 0, result.output
    report = Report.from_json(json.loads(Path(tmp_path / "ladder.json").read_text()))
    assert len(report.standings) == 5
    assert (tmp_path / "ladder.svg").read_bytes()
    assert report.settings["options"]["max_turns"] == 3
    bad = runner.invoke(app, ["ladder", "go_dig_v0", "--sweep", "speed=3"])
    assert bad.exit_code == 2
    assert "no setting 'speed'" in " ".join(bad.output.split())
