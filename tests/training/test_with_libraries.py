"""Trainings by other libraries run from their commands to their results."""

import re
import runpy
import sys
from importlib import import_module

import pytest

from dig_envs.engine.core.installing import how_to_install

OPENSPIEL = [
    "twenty_questions",
    "--games",
    "12",
    "--evaluation-games",
    "4",
    "--iterations",
    "2",
    "--algorithm",
]
COMMANDS = {
    "dqn": ("cvxpy", "with_openspiel", [*OPENSPIEL, "dqn"]),
    "nfsp": ("cvxpy", "with_openspiel", [*OPENSPIEL, "nfsp"]),
    "psro": ("cvxpy", "with_openspiel", [*OPENSPIEL, "psro"]),
    "tianshou": (
        "tianshou",
        "with_tianshou",
        ["go_dig", "--steps", "600", "--games", "4", "--hidden", "8"],
    ),
}


@pytest.mark.ecosystem
@pytest.mark.parametrize("name", COMMANDS)
def test_it_trains_and_says_how_it_plays(name, capsys):
    library, module, words = COMMANDS[name]
    pytest.importorskip(library)
    main = import_module(f"training.{module}").main
    main(words)
    said = capsys.readouterr().out
    for opponent in ("heuristic", "random"):
        assert re.search(rf"against {opponent}: .*-?\d+\.\d+.* \[-?\d", said)
    for wrong in (["cretaceous_creek"], ["fossil_gorge"], ["go_dig", "--players", "9"]):
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("exact", "pyspiel", "openspiel"),
        ("with_jax", "jax", "train,jax"),
        ("with_openspiel", "open_spiel", "baselines"),
        ("with_sb3", "sb3_contrib", "train,sb3"),
        ("with_tianshou", "tianshou", "baselines"),
    ],
)
def test_without_its_library_it_says_what_to_install(module, library, extra, monkeypatch):
    monkeypatch.delitem(sys.modules, f"training.{module}", raising=False)
    monkeypatch.delitem(sys.modules, "dig_envs.adapters.jax", raising=False)
    for name in [library, *(name for name in sys.modules if name.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        SystemExit,
        match=rf"^error: {library}.* is missing: {re.escape(how_to_install(extra))} brings what",
    ):
        runpy.run_module(f"training.{module}", run_name="__main__")
