"""Node, and the game that is exported in tests."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")
SMALL = "go_dig_v0"  # with a policy
POLICY = "go_dig/policy"


def node(script: str, *arguments: object) -> object:
    """Return what a script prints as JSON."""
    words = [str(NODE), str(HERE / script), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
