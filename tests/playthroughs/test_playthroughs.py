"""The recorded games still go the same way.

If a change is meant: ``python -m tests.playthroughs.record NAME``, and review the diff.
"""

import pytest

from tests.games import case_id
from tests.playthroughs.record import FOLDER, cases, file_of, playthrough


@pytest.mark.parametrize(("name", "options"), cases(), ids=[case_id(*case) for case in cases()])
def test_as_recorded(name, options):
    path = file_of(name, options)
    assert path.exists(), (
        f"there is no record of this game: python -m tests.playthroughs.record {name}"
    )
    assert playthrough(name, options).splitlines() == path.read_text().splitlines()


def test_no_stale_records():
    stale = sorted(
        path.name for path in set(FOLDER.glob("*.txt")) - {file_of(*case) for case in cases()}
    )
    assert stale == [], (
        "records of what is played no more: python -m tests.playthroughs.record NAME, or delete "
        "them"
    )
