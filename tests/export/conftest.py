"""Games that are exported once for all tests."""

import pytest

from dig_envs.agents.zoo import policies_of
from dig_envs.export.build import export_game
from dig_envs.registry import load_game
from tests.export.node import OTHER_POLICY, SMALL


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Return the function that gives the folder of a game as WebAssembly, with policies."""
    pytest.importorskip("ziglang", reason='needs pip install "dig_envs[export]"')
    folders = {}

    def export(name):
        if name not in folders:
            game = load_game(name)
            folders[name] = tmp_path_factory.mktemp(game.name)
            some = (f"{game.name}/ppo", OTHER_POLICY)
            policies = [policy for policy in policies_of(game) if policy in some]
            export_game(game, "wasm", folders[name], policies=policies)
        return folders[name]

    return export


@pytest.fixture(scope="session")
def package(exported):
    """Return the folder of a small game as WebAssembly."""
    return exported(SMALL)
