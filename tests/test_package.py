"""The top level: light to import, complete, and honest about what it lacks."""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import dig_envs
from dig_envs.registry import load_game
from tests.games import SHIPPED


def test_the_version_is_said_once_and_has_an_entry_in_the_changelog():
    """pyproject.toml reads it from the package, so that both agree; the newest entry of the
    changelog is about it."""
    root = Path(dig_envs.__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert "version" not in project["project"]
    headings = re.findall(
        r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    forms = [
        re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (Unreleased|\d{4}-\d{2}-\d{2})", heading)
        for heading in headings
    ]
    assert all(forms), headings
    assert forms[0] is not None
    assert forms[0][1] == dig_envs.__version__
    assert f"\nversion: {dig_envs.__version__}\n" in (root / "CITATION.cff").read_text(
        encoding="utf-8"
    )


def test_everything_promised_is_there():
    for name in dig_envs.__all__:
        assert getattr(dig_envs, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        _ = dig_envs.no_such_thing


@pytest.mark.parametrize("name", SHIPPED)
def test_every_game_has_the_module_that_pettingzoo_expects(name):
    assert find_spec(f"dig_envs.{name}") is not None, (
        f"dig_envs/{name}.py is missing: three lines, as in dig_envs/go_dig_v0.py"
    )
    module = getattr(dig_envs, name)
    assert callable(module.env)
    assert callable(module.raw_env)
    assert callable(module.parallel_env)


@pytest.mark.parametrize("name", [5, None, True, [], {"a": 1}, b"go_dig_v0"])
def test_names_of_environments_are_texts(name):
    with pytest.raises(TypeError, match="an environment's name is a text such as"):
        load_game(name)
