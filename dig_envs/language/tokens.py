"""How long a text is, in tokens, by a rule that needs no tokenizer.

Each model has a tokenizer of its own, so a number of tokens is that of one model. The rule here counts rather too many: in a text

- lower-case letters in a row, with a capital before them or not, are one token for each 5 of them begun;
- capitals in a row (``TYR``) one for each 2 begun;
- each digit is one;
- a sign is one; the same sign several times in a row is one for each 4 begun;
- a line break is one, several in a row, too; spaces count only where there are two or more in a row: one for each 16 begun.
"""

import re

_LETTERS, _CAPITALS, _SIGNS, _SPACES = 5, 2, 4, 16  # of each so many are one token
# A word or the capitals before it, a digit, a line break, spaces, a sign with its repetitions.
_PIECE = re.compile(r"([A-Z](?=[^\W\d_A-Z])[^\W\d_A-Z]*|[^\W\d_A-Z]+)|([A-Z]+)|(\d)|(\n\s*)|( {2,})|([^\S\n ]|_|[^\w\s])\6*")


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text by the rule above."""
    count = 0
    for found in _PIECE.finditer(text):
        size = found.end() - found.start()
        per = {1: _LETTERS, 2: _CAPITALS, 3: 1, 4: size, 5: _SPACES, 6: _SIGNS}[found.lastindex or 3]
        count += -(-size // per)
    return count
