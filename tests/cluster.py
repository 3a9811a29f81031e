"""A Ray cluster of two nodes, both on this machine, for tests."""

import os
import signal
from pathlib import Path

import pytest

from dig_envs.agents.supervisor import descendants

MEMORY = {"object_store_memory": 80_000_000}  # bytes; the least that Ray takes is a little less


@pytest.fixture
def two_nodes(monkeypatch):
    """A head and another node with a core each; gone afterwards. Nobody has joined it."""
    import ray
    from ray.cluster_utils import Cluster

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
