"""Trainings by other libraries run from their commands to their results."""

import re
import runpy
import sys

import pytest

from dig_envs.engine.core.installing import how_to_install

TINY = ["twenty_questions", "--games=12", "--evaluation-games=4", "--iterations=2", "--algorithm"]


@pytest.mark.ecosystem
@pytest.mark.parametrize("algorithm", ["dqn", "nfsp", "psro"])
def test_it_trains_and_says_how_it_plays(algorithm, capsys):
    pytest.importorskip("cvxpy")
    from training.with_openspiel import main

    main([*TINY, algorithm])
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
