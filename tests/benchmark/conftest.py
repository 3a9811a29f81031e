from dataclasses import replace

import pytest

from dig_envs.benchmark import SUITES


@pytest.fixture
def no_populations(monkeypatch):
    """Tasks of few games: without those against their populations."""
    for name, suite in SUITES.items():
        alone = tuple(replace(task, population=()) for task in suite.tasks)
        monkeypatch.setitem(SUITES, name, replace(suite, tasks=alone))
