"""The imports in the server: a module uses its own line of LAYERS and those above it."""

import ast
from pathlib import Path

import dig_envs.server

SERVER = Path(dig_envs.server.__file__).parent
LAYERS = [
    ["protocol"],
    ["bounds", "places"],
    ["turns", "course", "side_by_side"],
    ["thinking", "workers"],
    ["table"],
    ["guard", "listening", "programs", "invitations", "app"],
    ["mcp"],
]
WEB = {"starlette", "uvicorn"}


def imported(path):
    """The names of the modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_modules_import_from_the_layers_below_only():
    layer_of = {name: number for number, names in enumerate(LAYERS) for name in names}
    for path in SERVER.rglob("*.py"):
        part = path.relative_to(SERVER).with_suffix("").parts[0]
        if part == "__init__":
            continue
        for module in imported(path):
            words = module.split(".")
            if words[:2] == ["dig_envs", "server"]:
                assert layer_of[words[2]] <= layer_of[part], f"{path} imports {module}"
            assert words[:2] != ["dig_envs", "commands"], f"{path} imports {module}"
            assert not (words[0] in WEB and layer_of[part] < layer_of["guard"]), (
                f"{path} imports {module}"
            )
