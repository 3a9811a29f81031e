"""Texts from outside: nothing in them is hidden, moves the cursor or turns the line around."""

import numpy as np
import pytest

from dig_envs.engine.compiler import notice
from dig_envs.engine.core.checks import LONGEST, shown_in_message
from dig_envs.engine.core.texts import clean_text, escaped_text, is_hidden

ESCAPE, TURNED, FILLER, BLANK = "\x1b[2J\x9b0m", "\u202e", "\u3164", "\u2800"
HIDDEN = [*ESCAPE[:1], "\x9b", TURNED, FILLER, BLANK, "\u200b", "\ufe0f", "\U000e0041", "\ud800"]


@pytest.mark.parametrize("sign", HIDDEN, ids=ascii)
def test_hidden_characters_are_taken_out_or_escaped(sign: str) -> None:
    assert is_hidden(sign)
    assert clean_text(f"a{sign}b{sign}", 10) == "ab"
    assert clean_text(sign * 3, 10) == ""
    assert sign not in shown_in_message({"key": [f"a{sign}"]})
    shown = escaped_text(f"a{sign}\nb")
    assert sign not in shown
    assert shown.startswith("a\\")
    assert shown.endswith("\nb")


@pytest.mark.parametrize("text", ["Ask Player 2", "Zoë Ødegård", "ゆき", "👩 🦕", "a [b] :m:"])
def test_what_can_be_read_stays(text: str) -> None:
    assert clean_text(text, 40) == escaped_text(text) == text
    assert not any(map(is_hidden, text))


def test_a_clean_text_is_one_line_that_is_cut() -> None:
    assert clean_text(" a\r\n\t b\u2028c\u00a0d ", 40) == "a b c d"
    assert clean_text("x" * 100_000, 40) == "x" * 39 + "…"
    assert clean_text(TURNED * 100_000 + "end", 40) == "end"
    again = clean_text(f"{ESCAPE} a\u00a0{FILLER} {BLANK}b", 40)
    assert clean_text(again, 40) == again


def test_values_in_messages_are_one_short_line() -> None:
    class Odd:
        def __repr__(self) -> str:
            return "one\ntwo\x1b[2J"

    deep = [[["x" * 1000] * 20] * 20] * 20
    for value in (Odd(), np.zeros((50, 50)), deep, "\n" * 1000, 10**5000):
        shown = shown_in_message(value)
        assert len(shown) <= LONGEST
        assert not any(map(is_hidden, shown))


def test_notices_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name policies, and what their cards say."""
    monkeypatch.setattr(notice, "is_quiet", lambda: False)
    notice.say(f"a{ESCAPE}{TURNED}\nb{'x' * 100_000}")
    said = capsys.readouterr().err
    assert said.startswith("dig_envs: a\\x1b")
    assert len(said) < 3000
    assert not any(map(is_hidden, said.rstrip("\n")))
