"""Texts from outside, before they are shown, logged or raised: names, what other programs and
servers say, cards of policies, reports of others."""

import re
import unicodedata

# Unicode's default-ignorable characters that Python calls printable, and the blank of Braille:
# fillers, joiners and selectors that show nothing.
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U000e0100-\U000e01ef]"
)
LONGEST_MESSAGE = 2000  # characters
CUT = "…"  # at the end of a text that was longer


def is_hidden(sign: str) -> bool:
    """Whether a character shows nothing or changes how others are shown: controls (ESC, newline),
    direction controls, surrogates, unassigned and invisible characters, but not spaces."""
    shows = sign.isprintable() or unicodedata.category(sign) == "Zs"
    return not shows or INVISIBLE.match(sign) is not None


def clean_text(text: str, most: int) -> str:
    """A text from outside as one line of at most ``most`` characters. Hidden characters
    (:func:`is_hidden`) are removed; each white space becomes a space."""
    if not text.isprintable():
        text = "".join(sign for sign in text if sign.isprintable() or sign.isspace())
    line = " ".join(INVISIBLE.sub("", text).split())
    return line if len(line) <= most else line[: most - 1] + CUT


def escaped_text(text: str) -> str:
    """A text from outside, perhaps of several lines, with hidden characters as escapes such as
    ``\\x1b``."""
    if all(line.isprintable() for line in text.split("\n")) and not INVISIBLE.search(text):
        return text
    return "".join(ascii(sign)[1:-1] if is_hidden(sign) and sign != "\n" else sign for sign in text)


def message_text(text: str) -> str:
    """An error message for another program or a page: one line of at most ``LONGEST_MESSAGE``
    characters, hidden ones as escapes."""
    return clean_text(escaped_text(text), LONGEST_MESSAGE)
