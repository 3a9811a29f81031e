"""PROTOCOL.md says what the server says."""

import io
import re
from pathlib import Path

import pytest

from dig_envs.server.dispatcher import ERRORS, Dispatcher
from dig_envs.server.documentation import ANSWERED, ASKED, PAGE, part, renewed
from dig_envs.server.engine import serve_lines
from dig_envs.server.service import METHODS, PROTOCOL

PAGE_TEXT = PAGE.read_text(encoding="utf-8")


def test_the_transcript_is_what_the_engine_says():
    """The questions of the page, sent over a stream, get the answers of the page and no others."""
    lines = part(PAGE_TEXT, "transcript").splitlines()
    asked = [line.removeprefix(ASKED) for line in lines if line.startswith(ASKED)]
    answered = [line.removeprefix(ANSWERED) for line in lines if line.startswith(ANSWERED)]
    said = io.BytesIO()
    serve_lines(io.BytesIO("\n".join(asked).encode()), said, Dispatcher())
    assert said.getvalue().decode().splitlines() == answered, "run: python -m dig_envs.server.documentation"
    assert len(asked) > len(answered) > 8


def test_the_page_is_up_to_date():
    assert renewed(PAGE_TEXT) == PAGE_TEXT, "run: python -m dig_envs.server.documentation"
    assert f"Version {PROTOCOL}." in PAGE_TEXT
    assert f"* **{PROTOCOL}**:" in PAGE_TEXT


@pytest.mark.parametrize("name", ["methods", "errors", "limits"])
def test_tables_are_renewed(name):
    stale = PAGE_TEXT.replace(part(PAGE_TEXT, name), "\nold\n")
    assert stale != PAGE_TEXT
    assert renewed(stale) == PAGE_TEXT


def test_a_wrong_answer_is_noticed():
    wrong = PAGE_TEXT.replace('"turn":1,"owing":[0]', '"turn":2,"owing":[0]')
    assert wrong != PAGE_TEXT
    assert renewed(wrong) == PAGE_TEXT


def test_tables_are_complete():
    rows = re.findall(r"^\| `(\w+)` \|", part(PAGE_TEXT, "methods"), re.MULTILINE)
    assert rows == list(METHODS)
    for entry in METHODS.values():
        line = next(line for line in part(PAGE_TEXT, "methods").splitlines() if line.startswith(f"| `{entry.name}`"))
        assert all(f"`{name}`" in line for name in entry.params.__struct_fields__)
    for kind, (code, _) in ERRORS.items():
        assert f"| `{code}` | `{kind.__name__}` |" in part(PAGE_TEXT, "errors")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)", PAGE_TEXT):
        assert (Path(PAGE).parent / target).exists(), target
