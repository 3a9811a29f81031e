"""Trainings by other libraries run from their commands to their results."""

import re
from importlib import import_module

import pytest

pytestmark = pytest.mark.ecosystem
OPENSPIEL = ["twenty_questions", "--games", "12", "--evaluation-games", "4", "--iterations", "2", "--algorithm"]
COMMANDS = {
    "dqn": ("open_spiel", "with_openspiel", [*OPENSPIEL, "dqn"]),
    "nfsp": ("open_spiel", "with_openspiel", [*OPENSPIEL, "nfsp"]),
    "psro": ("cvxpy", "with_openspiel", [*OPENSPIEL, "psro"]),
    "tianshou": ("tianshou", "with_tianshou", ["go_dig", "--steps", "600", "--games", "4", "--hidden", "8"]),
}


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
