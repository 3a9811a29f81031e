"""Keys: in no text, in whatever form they stand there."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from dig_envs.agents.secret import HIDDEN, WINDOW, Secret

KEY = 'sk-proj/AbC+dEfGh"IjKlMnOpQrStUvWxYz0123456789_end'
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": json.dumps,
    "JSON escapes": lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key),
    "JSON in JSON": lambda key: json.dumps(json.dumps(key)),
    "escaped slash": lambda key: key.replace("/", "\\/"),
    "Python": lambda key: "".join(f"\\x{ord(sign):02X}" for sign in key),
    "address": lambda key: quote(key, safe=""),
    "address twice": lambda key: quote(quote(key, safe="")),
    "all of it as in an address": lambda key: "".join(f"%{ord(sign):02x}" for sign in key),
    "HTML": html.escape,
    "HTML numbers": lambda key: "".join(f"&#{ord(sign)};" for sign in key),
    "HTML hexadecimal": lambda key: "".join(f"&#x{ord(sign):x};" for sign in key),
    "in parts": lambda key: f"{key[:20]} … {key[20:]}",
    "in lines": lambda key: "\n".join(key[k : k + 5] for k in range(0, len(key), 5)),
    "with invisible characters": "\u200b".join,
    "cut at the end": lambda key: key[:-3],
    "cut at the beginning": lambda key: key[3:],
}


@pytest.mark.parametrize("form", FORMS)
def test_the_key_is_hidden_in_every_form(form: str) -> None:
    text = f"before {FORMS[form](KEY)} after"
    shown = Secret(KEY).hide(text)
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert HIDDEN in shown
    assert len(shown) < 60
    assert Secret(KEY).hide(shown) == shown


@pytest.mark.parametrize("before", ["", "Bearer ", "user:", "xy"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_the_key_is_hidden_in_base64(before: str, encode: Callable[[bytes], bytes]) -> None:
    encoded = encode(f"{before}{KEY}".encode()).decode()
    shown = Secret(KEY).hide(encoded)
    left = shown.replace(HIDDEN, "")
    assert len(left) <= len(encode(before.encode())) + 4


def test_other_texts_stay_as_they_are() -> None:
    for text in ("", "sk-", KEY[: WINDOW - 1], "100 % of 1\\2, %zz &#; \\u12", "x" * 10_000):
        assert Secret(KEY).hide(text) == text


def test_nothing_shows_a_secret() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret!r} {secret} {[secret]}"
    assert secret.reveal() == KEY


@pytest.mark.parametrize("key", ["", "x", "7", "abc"])
def test_a_short_word_in_the_place_of_a_key_is_no_secret(key: str) -> None:
    """Servers of this machine are often given such ones, and texts stay readable."""
    text = 'hello next {"action": 7} abc ' + base64.b64encode(b"x7abc").decode()
    assert Secret(key).hide(text) == text


def test_a_short_key_is_hidden_as_it_is_only() -> None:
    assert Secret("abcd").hide("abcdabcd abc d YWJjZA") == f"{HIDDEN}{HIDDEN} abc d YWJjZA"
