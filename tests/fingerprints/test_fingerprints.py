"""Trained agents and saved games go on working: nothing that they rely on has changed since it was recorded.

If a change is meant, raise the environment's version and record anew: ``python -m tests.fingerprints.record NAME``.
"""

import json

import pytest

from tests.fingerprints.record import case_id, file_of, play_prints, static_prints
from tests.games import all_cases, every_game


@every_game
def test_actions_and_layout_are_as_recorded(name):
    recorded = json.loads(file_of(name).read_text())
    assert {key: recorded[key] for key in recorded if key != "games"} == static_prints(name)


@pytest.mark.parametrize(("name", "options"), all_cases())
def test_games_are_as_recorded(name, options):
    assert play_prints(name, options) == json.loads(file_of(name).read_text())["games"][case_id(options)]
