"""Arenas on a Ray cluster of two machines (two nodes on this one): the same report, also when one
of them dies."""

# ruff: noqa: E402 (what is not installed is skipped before it is imported)

import json
import os
import signal
import sys
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'dig_envs[ray]'")
pytest.importorskip("typer", reason="typer is not installed: pip install 'dig_envs[play]'")

from ray.cluster_utils import Cluster
from typer.testing import CliRunner

from dig_envs.agents.loading import load_agent
from dig_envs.agents.protocol import for_options
from dig_envs.agents.supervisor import descendants
from dig_envs.arena import cluster as arena_cluster
from dig_envs.arena import run
from dig_envs.arena.entrants import describe
from dig_envs.arena.schedule import Form
from dig_envs.commands.main import app
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game

pytestmark = pytest.mark.ecosystem
NAME, OPTIONS = "fossil_canyon_v0", {"num_players": 2, "max_turns": 30}
MEMORY = {"object_store_memory": 80_000_000}  # bytes; the least that Ray takes is a little less


@pytest.fixture
def two_nodes(monkeypatch):
    """A head and another node with a core each; gone afterwards. Nobody has joined it."""
    # else tests take minutes where other programs run
    monkeypatch.setenv("RAY_worker_niceness", "0")
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **MEMORY}
    )
    cluster.add_node(num_cpus=1, **MEMORY)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def kill_a_worker(what: str) -> int:
    """Kill a process of a cluster of this process that does something now; returns its number, or 0
    if there is none."""
    for process in descendants(os.getpid()):
        if Path(f"/proc/{process}/cmdline").read_bytes().startswith(f"ray::{what}".encode()):
            os.kill(process, signal.SIGKILL)
            return process
    return 0


def small(**changes):
    """A quick arena."""
    return run(
        NAME,
        ["random", "heuristic"],
        **{"games": 40, "options": OPTIONS, "block": 2, "seed": 3, **changes},
    )


def test_the_same_report_and_the_same_games(two_nodes, tmp_path):
    there = small(cluster=two_nodes.address, results=tmp_path / "there.jsonl")
    assert there == small(results=tmp_path / "here.jsonl")
    lines = [
        sorted((tmp_path / name).read_text().splitlines()) for name in ("there.jsonl", "here.jsonl")
    ]
    assert lines[0] == lines[1]
    assert not ray.is_initialized(), "it leaves the cluster when it is done"


def test_a_machine_dies_in_the_middle(two_nodes, tmp_path):
    """While all cores play: its units are played again, nothing is lost and nothing played twice in
    the file."""
    ray.init(address=two_nodes.address, logging_level="ERROR")
    node = two_nodes.add_node(num_cpus=1, object_store_memory=80_000_000)
    killed = []

    def kill(done, total):
        if done and not killed:
            killed.append(arena_cluster.num_cores())
            two_nodes.remove_node(node, allow_graceful=False)

    report = small(
        games=48, cluster=two_nodes.address, results=tmp_path / "there.jsonl", progress=kill
    )
    assert killed == [3]
    assert ray.is_initialized(), "who had joined before is not thrown out"
    assert report == small(games=48, results=tmp_path / "here.jsonl")
    lines = [
        sorted((tmp_path / name).read_text().splitlines()) for name in ("there.jsonl", "here.jsonl")
    ]
    assert lines[0] == lines[1]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_worker_is_killed_in_the_middle(two_nodes, tmp_path):
    """Its units are played again."""
    killed = []

    def kill(done, total):
        if done and len(killed) < 3:
            killed.append(kill_a_worker("play_there"))

    report = small(
        games=48, cluster=two_nodes.address, results=tmp_path / "there.jsonl", progress=kill
    )
    assert any(killed)
    assert report == small(games=48, results=tmp_path / "here.jsonl")
    lines = [
        sorted((tmp_path / name).read_text().splitlines()) for name in ("there.jsonl", "here.jsonl")
    ]
    assert lines[0] == lines[1]


def test_the_command(two_nodes, tmp_path):
    words = [NAME, "--agents", "random,heuristic", "--games", "40", "--block", "2", "--seed", "3"]
    words += ["-o", "num_players=2", "-o", "max_turns=30", "--json", str(tmp_path / "report.json")]
    result = CliRunner().invoke(
        app, ["arena", *words, "--ray", two_nodes.address], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "report.json").read_text()) == json.loads(
        json.dumps(small().as_json())
    )


def test_errors_of_a_game_come_through(two_nodes, monkeypatch):
    """An error in a game on the cluster is raised to the caller, and the units still to be played
    are given up."""
    ray.init(address=two_nodes.address, logging_level="ERROR")
    setup = arena_cluster.ArenaSetup(NAME, OPTIONS, ("random", "nobody"), 0, Form.PAIRS)
    units = [arena_cluster.Unit(k, (0, 1), k + 1) for k in range(9)]
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        list(
            arena_cluster.play_units_on_cluster(
                setup, units, two_nodes.address, {"code": "0", "agents": []}
            )
        )


def test_a_machine_with_other_sources_is_refused(two_nodes, monkeypatch):
    monkeypatch.setattr("dig_envs.arena.entrants.code_hash", lambda game: "0123")
    with pytest.raises(ArenaError, match="has other code than the machine that holds the arena"):
        small(cluster=two_nodes.address)
    assert not ray.is_initialized()


@pytest.mark.parametrize("address", ["auto", "127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"])
def test_no_cluster(address):
    with pytest.raises(ConnectionError, match=f"no Ray cluster at '{address}'"):
        small(cluster=address)


def test_the_best_is_compared_as_the_one_that_plays():
    """Without a cluster: which policy is the best depends on the options."""
    setup = arena_cluster.ArenaSetup(
        "fossil_canyon_v0", {"num_players": 2}, ("best", "random"), 0, Form.PAIRS
    )
    game = load_game(NAME)
    agents = {name: for_options(load_agent(name, NAME), setup.options) for name in setup.agents}
    settings = describe(game, agents, setup.options, 0, 2)
    assert settings["agents"][0]["plays"] != "best"
    expected = {"code": settings["code"], "agents": settings["agents"]}
    arena_cluster.check_same(setup, json.dumps(expected))
    expected["agents"] = [
        {**settings["agents"][0], "plays": "fossil_canyon/another"},
        settings["agents"][1],
    ]
    with pytest.raises(ArenaError, match="has other agents than the machine that holds the arena"):
        arena_cluster.check_same(setup, json.dumps(expected))
