"""The command that tries the libraries: what it keeps, what it reports, and that it does not call well what was never run."""

import json

import pytest

from tests.adapters import environments
from tests.adapters.environments import Family, files_with_tests, last_words, outcomes, ran_nowhere

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="test_x"/>
<testcase classname="tests.a" name="test_y"><failure message="no">words</failure></testcase>
<testcase classname="tests.a" name="test_z"><skipped message="not installed"/></testcase>
<testcase classname="" name="tests.b"><skipped message="not installed"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def family(tmp_path):
    return Family("torchrl", tmp_path)


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


def test_what_is_known_is_kept_and_new_sources_are_tried(family, tmp_path, monkeypatch):
    assert not family.is_settled()
    family.outcomes, family.sources = {"tests.a::x": "passed"}, environments.hash_of_sources()
    family.save()
    again = Family("torchrl", tmp_path)
    assert again.is_settled()
    monkeypatch.setattr(environments, "hash_of_sources", lambda: "others")
    assert not again.is_settled()
    again.sources = "others"
    assert again.is_settled()
    again.outcomes["tests.a::y"] = "failed"
    assert not again.is_settled()


def test_a_library_that_cannot_be_installed_stops_no_other(family, monkeypatch):
    """A stand-in for pip: it refuses one library."""
    asked = []

    class Run:
        def __init__(self, command):
            asked.append(command[command.index("-c") + 2 :] if "-c" in command else command)
            self.returncode = int("bad==1" in command)
            self.stderr = "WARNING: slow\nERROR: No matching distribution found for bad==1\n"

    monkeypatch.setattr(environments.subprocess, "run", lambda command, **_: Run(command))
    monkeypatch.setitem(environments.FAMILIES, "torchrl", {"Bad": ["bad==1"], "Good": ["good==2"]})
    family.install()
    assert family.refused == {"Bad": "ERROR: No matching distribution found for bad==1"}
    assert family.installed["Good"] == ["good==2"]
    assert family.constraints.read_text() == "torch==2.13.0\n"
    assert "Bad" not in json.loads(family.notes.read_text())["installed"]
    asked.clear()
    family.install()
    assert ["bad==1"] in asked, "tried again"
    assert ["good==2"] not in asked, "installed already"


@pytest.mark.parametrize(("errors", "expected"), [("", "pip said nothing"), ("ERROR: a\nERROR: b\n\nc", "ERROR: b")])
def test_the_reason_is_the_last_error(errors, expected):
    assert last_words(errors) == expected


def test_the_files_are_those_with_such_tests():
    found = files_with_tests()
    assert {"tests/adapters/test_ecosystem.py", "tests/adapters/test_libraries.py", "tests/adapters/test_openspiel.py"} <= set(
        found
    )
    assert "tests/adapters/test_aec.py" not in found
