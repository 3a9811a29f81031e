"""The command that tries the libraries: what it reports, and that it does not call well what was never run."""

from types import SimpleNamespace

import pytest

from tests.adapters import environments
from tests.adapters.environments import Family, files_with_tests, last_words, outcomes, ran_nowhere

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="test_x"/>
<testcase classname="tests.a" name="test_y"><failure message="no">words</failure></testcase>
<testcase classname="tests.a" name="test_z"><skipped message="not installed"/></testcase>
<testcase classname="" name="tests.b"><skipped message="not installed"/></testcase>
</testsuite></testsuites>"""


def test_a_report_is_read(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    expected = {"tests.a::test_x": "passed", "tests.a::test_y": "failed", "tests.a::test_z": "skipped", "::tests.b": "skipped"}
    assert outcomes(report) == expected


def test_what_ran_in_no_family_is_told(tmp_path):
    one, two = Family("torchrl", tmp_path), Family("agilerl", tmp_path)
    one.outcomes = {"tests.a::x": "passed", "tests.a::y": "skipped", "::tests.b": "skipped", "::tests.c": "skipped"}
    two.outcomes = {"tests.a::x": "skipped", "tests.a::y": "skipped", "tests.b::z": "failed", "::tests.c": "skipped"}
    assert ran_nowhere([one, two]) == ["::tests.c", "tests.a::y"]


def test_a_library_that_cannot_be_installed_stops_no_other(tmp_path, monkeypatch):
    """A stand-in for pip: it refuses one library."""
    family, asked = Family("torchrl", tmp_path), []
    family.folder.mkdir()

    def run(command, **_):
        asked.append(command[command.index("-c") + 2 :] if "-c" in command else command)
        error = "WARNING: slow\nERROR: No matching distribution found for bad==1\n"
        return SimpleNamespace(returncode=int("bad==1" in command), stderr=error)

    monkeypatch.setattr(environments.subprocess, "run", run)
    monkeypatch.setitem(environments.FAMILIES, "torchrl", {"Bad": ["bad==1"], "Good": ["good==2"]})
    family.install()
    assert ["good==2"] in asked
    assert family.refused == {"Bad": "ERROR: No matching distribution found for bad==1"}
    assert "NOT INSTALLED: Bad: ERROR" in environments.table(family)


@pytest.mark.parametrize(("errors", "expected"), [("", "pip said nothing"), ("ERROR: a\nERROR: b\n\nc", "ERROR: b")])
def test_the_reason_is_the_last_error(errors, expected):
    assert last_words(errors) == expected


def test_the_files_are_those_with_such_tests():
    found = files_with_tests()
    assert {"tests/adapters/test_ecosystem.py", "tests/adapters/test_libraries.py", "tests/adapters/test_openspiel.py"} <= set(
        found
    )
    assert "tests/adapters/test_aec.py" not in found
