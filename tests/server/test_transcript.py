"""PROTOCOL.md says what the server says."""

import io
import re
from pathlib import Path

import pytest

from dig_envs.server.protocol.dispatcher import ERRORS, Dispatcher
from dig_envs.server.protocol.documentation import ANSWERED, ASKED, PAGE, renewed
from dig_envs.server.protocol.engine import serve_lines
from dig_envs.server.protocol.service import METHODS, PROTOCOL
from dig_envs.text.markdown import part

PAGE_TEXT = PAGE.read_text(encoding="utf-8")


def test_the_transcript_is_what_the_engine_says():
    """The questions of the page, sent over a stream, get the answers of the page and no others."""
    lines = part(PAGE_TEXT, "transcript").splitlines()
    asked = [line.removeprefix(ASKED) for line in lines if line.startswith(ASKED)]
    answered = [line.removeprefix(ANSWERED) for line in lines if line.startswith(ANSWERED)]
    said = io.BytesIO()
    serve_lines(io.BytesIO("\n".join(asked).encode()), said, Dispatcher())
    assert said.getvalue().decode().splitlines() == answered, "run: python -m dig_envs.server.protocol.documentation"
    assert len(asked) > len(answered) > 8


def test_the_page_is_up_to_date():
    assert renewed(PAGE_TEXT) == PAGE_TEXT, "run: python -m dig_envs.server.protocol.documentation"
    assert f"Version {PROTOCOL}." in PAGE_TEXT
    assert f"* **{PROTOCOL}**:" in PAGE_TEXT


@pytest.mark.parametrize("old", [*(part(PAGE_TEXT, name) for name in ("methods", "errors", "limits")), '"turn":1,"owing":[0]'])
def test_what_is_wrong_is_renewed(old):
    wrong = PAGE_TEXT.replace(old, "\nold\n" if "\n" in old else '"turn":2,"owing":[0]')
    assert wrong != PAGE_TEXT
    assert renewed(wrong) == PAGE_TEXT


def test_tables_are_complete():
    methods = dict(re.findall(r"^\| `(\w+)` \|(.*)$", part(PAGE_TEXT, "methods"), re.MULTILINE))
    assert list(methods) == list(METHODS)
    for name, entry in METHODS.items():
        assert all(f"`{param}`" in methods[name] for param in entry.params.__struct_fields__)
    for kind, (code, _) in ERRORS.items():
        assert f"| `{code}` | `{kind.__name__}` |" in part(PAGE_TEXT, "errors")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)", PAGE_TEXT):
        assert (Path(PAGE).parent / target).exists(), target
