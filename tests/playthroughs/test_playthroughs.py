"""The recorded games still go the same way; if a change is meant: ``python -m tests.playthroughs.record``, and review the diff."""

import pytest

from tests.playthroughs.record import FOLDER, cases, file_of, playthrough


@pytest.mark.parametrize(("name", "options"), cases())
def test_as_recorded(name, options):
    assert playthrough(name, options).splitlines() == file_of(name, options).read_text().splitlines()


def test_no_stale_records():
    assert {file_of(*case) for case in cases()} == set(FOLDER.glob("*.txt"))
