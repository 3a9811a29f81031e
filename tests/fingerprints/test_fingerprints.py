"""Trained agents and saved games go on working: nothing that they rely on has changed since it was
recorded.

If a change is meant, raise the environment's version and record anew:
``python -m tests.fingerprints.record NAME``.
"""

import json

import pytest

from tests.fingerprints.record import file_of, play_prints, static_prints
from tests.games import all_cases, case_id, every_game, needs_compiling


@every_game
def test_actions_and_layout_are_as_recorded(name):
    assert file_of(name).exists(), (
        f"nothing is recorded: python -m tests.fingerprints.record {name}"
    )
    recorded = json.loads(file_of(name).read_text())
    assert {key: recorded[key] for key in recorded if key != "games"} == static_prints(name)


@needs_compiling
@pytest.mark.parametrize(("name", "options"), all_cases())
def test_games_are_as_recorded(name, options):
    assert file_of(name).exists(), (
        f"nothing is recorded: python -m tests.fingerprints.record {name}"
    )
    recorded = json.loads(file_of(name).read_text())["games"].get(case_id(name, options))
    assert recorded is not None, (
        f"these options are not recorded: python -m tests.fingerprints.record {name}"
    )
    assert play_prints(name, options) == recorded
