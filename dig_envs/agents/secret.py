"""Keys of servers: kept out of every text, every copy, and the environment of other programs."""

import base64
import os
import re
from collections.abc import Iterator

from dig_envs.engine.core.texts import is_hidden

HIDDEN = "***"  # in the place of a key
WINDOW = 8  # so many characters of a key in a row are hidden, wherever in the key they stand
SHORTEST = 4  # characters of a key; what is shorter stands in many a text, and is no secret
# one character, as it is written in JSON, Python, addresses and HTML
ESCAPE = re.compile(
    r"\\+u00(?P<json>[0-9a-fA-F]{2})|\\+x(?P<python>[0-9a-fA-F]{2})|\\+(?P<sign>[/\"'\\])"
    r"|%(?:25)*(?P<url>[0-9a-fA-F]{2})|&#[xX]0*(?P<html>[0-9a-fA-F]{2});|&#0*(?P<number>\d{2,3});"
)
# environment variables that no other program gets, by name, or by a password in their address
PRIVATE_NAME = re.compile(
    r"(?:^|_)(?:\w*(?:KEY|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)|AUTH)(?:_|\d|$)|_PWD$",
    re.IGNORECASE,
)
PRIVATE_VALUE = re.compile(r"://[^/@\s]*:[^/@\s]*@")


class Secret:
    """A key: nothing shows it but :meth:`reveal`, and it cannot be pickled."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled: each process reads it from its environment")

    def reveal(self) -> str:
        """The key."""
        return self._key

    def hide(self, text: str) -> str:
        """A text without the key and without longer parts of it. It finds them as they are, in
        escapes, in Base64, or with spaces between the characters. A key of 4 to 7 characters is
        hidden only as it is; a shorter one (``x``, for a server that needs none) not at all.

        Call it before a text is cut.
        """
        if len(self._key) < WINDOW:
            return text.replace(self._key, HIDDEN) if len(self._key) >= SHORTEST else text
        parts = {form[k : k + WINDOW] for form in _forms(self._key) for k in range(len(form))}
        parts = {part for part in parts if len(part) == WINDOW}
        signs = list(_signs(text))
        plain = "".join(sign for sign, _, _ in signs)
        shown, end = [], 0
        for k in range(len(plain) - WINDOW + 1):
            if plain[k : k + WINDOW] in parts:
                _, start, _ = signs[k]
                if start >= end:
                    shown += [text[end:start], HIDDEN]
                end = signs[k + WINDOW - 1][2]
        return "".join([*shown, text[end:]])


def _forms(key: str) -> Iterator[str]:
    """Yield a key as it is, and what is the same of it in Base64 wherever it stands there."""
    yield key
    for before, first in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(b"\0" * before + key.encode(errors="replace"))
        form = encoded.decode().rstrip("=")[first:-1]
        yield form
        yield form.translate(str.maketrans("+/", "-_"))


def _signs(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the characters that a text means, each with the place in it where it begins and ends;
    spaces and hidden characters are left out."""
    end = 0
    for found in ESCAPE.finditer(text):
        yield from _visible(text, end, found.start())
        end, kind, value = found.end(), str(found.lastgroup), found[str(found.lastgroup)]
        sign = value if kind == "sign" else chr(int(value, 10 if kind == "number" else 16))
        yield sign, found.start(), end
    yield from _visible(text, end, len(text))


def _visible(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for place in range(start, end):
        if not (text[place].isspace() or is_hidden(text[place])):
            yield text[place], place, place + 1


def without_keys() -> dict[str, str]:
    """The environment variables of this process without keys, for another program."""
    return {
        name: value
        for name, value in os.environ.items()
        if not (PRIVATE_NAME.search(name) or PRIVATE_VALUE.search(value))
    }
