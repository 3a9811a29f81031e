"""PROTOCOL.md says what the server says."""

import io
import re
from pathlib import Path

import dig_envs.server
from dig_envs.server.protocol.dispatcher import ERRORS, Dispatcher
from dig_envs.server.protocol.engine import serve_lines
from dig_envs.server.protocol.limits import MEANINGS, Limits
from dig_envs.server.protocol.service import METHODS, PROTOCOL
from dig_envs.text.markdown import part

PAGE = Path(dig_envs.server.__file__).with_name("PROTOCOL.md")
TEXT = PAGE.read_text(encoding="utf-8")
ASKED, ANSWERED = "→ ", "← "  # at the beginning of a line of the transcript


def rows(name):
    """The cells of a table's rows, without the head."""
    lines = [line for line in part(TEXT, name).splitlines() if line.startswith("| `")]
    return [line.strip("| ").split(" | ") for line in lines]


def test_the_transcript_is_what_the_engine_says():
    """The questions of the page, sent over a stream, get the answers of the page and no others."""
    lines = part(TEXT, "transcript").splitlines()
    asked = [line.removeprefix(ASKED) for line in lines if line.startswith(ASKED)]
    answered = [line.removeprefix(ANSWERED) for line in lines if line.startswith(ANSWERED)]
    said = io.BytesIO()
    serve_lines(io.BytesIO("\n".join(asked).encode()), said, Dispatcher())
    assert said.getvalue().decode().splitlines() == answered
    assert len(asked) > len(answered) > 8


def test_the_methods_of_the_page_are_those_of_the_server():
    """By name, with all parameters and what they mean, in the same order."""
    table = {name.strip("`"): (params, meaning) for name, params, meaning in rows("methods")}
    assert list(table) == list(METHODS)
    for name, (parameters, meaning) in table.items():
        properties = METHODS[name].json_schema().get("properties", {})
        assert meaning == METHODS[name].meaning
        assert re.findall(r"(?:^|<br>)`(\w+)`", parameters) == list(properties)
        for each, schema in zip(parameters.split("<br>"), properties.values(), strict=False):
            assert each.endswith(f": {schema['description']}" if "description" in schema else "")


def test_the_errors_and_limits_of_the_page_are_those_of_the_server():
    named = {(code, kind, meaning) for code, kind, meaning in rows("errors") if kind.strip()}
    there = [(f"`{code}`", f"`{kind.__name__}`", text) for kind, (code, text) in ERRORS.items()]
    assert named == set(there)
    usual = Limits()
    limits = [[f"`{name}`", str(getattr(usual, name)), text] for name, text in MEANINGS.items()]
    assert rows("limits") == limits
    assert f"Version {PROTOCOL}." in TEXT
    assert f"* **{PROTOCOL}**:" in TEXT
