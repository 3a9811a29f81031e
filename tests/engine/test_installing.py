"""The command that installs what is missing, in a checkout and beside other packages."""

import pytest

from dig_envs.engine.core import installing


@pytest.mark.parametrize("in_checkout", [True, False])
def test_the_command_is_that_of_the_place(in_checkout, tmp_path, monkeypatch):
    monkeypatch.setattr(installing, "ROOT", tmp_path)
    if in_checkout:
        (tmp_path / "pyproject.toml").touch()
    what = f'-e "{tmp_path}[train]"' if in_checkout else '"dig_envs[train]"'
    assert installing.how_to_install("train") == f"pip install {what}"


def test_this_is_a_checkout():
    assert (installing.ROOT / "pyproject.toml").is_file()
