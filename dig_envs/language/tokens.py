"""How long a text is, in tokens, by a rule that needs no tokenizer.

Each model has a tokenizer of its own, so a number of tokens is that of one model. The rule here
counts rather too many (the README of this folder compares it with four tokenizers):

- lower-case letters in a row, with a capital before them or not, are one token for each 5 of them
  begun; in a name, which begins with a capital and has 8 letters or more, for each 3 begun;
- capitals in a row (``TYR``) are one for each 2 begun;
- each digit is one, and a space before it, too;
- a sign is one; the same sign several times in a row is one for each 4 begun;
- a line break is one, several in a row, too; other spaces count where there are two or more in a
  row: one for each 6 begun.
"""

import re

_LETTERS, _NAME, _LONG_NAME, _CAPITALS, _SIGNS, _SPACES = 5, 3, 8, 2, 4, 6
# A name or another word; capitals; a digit; a line break; spaces; a space before a digit; a sign
# with its repetitions.
_PIECE = re.compile(
    r"([A-Z](?=[^\W\d_A-Z])[^\W\d_A-Z]*|[^\W\d_A-Z]+)|([A-Z]+)|(\d)|(\n\s*)|( {2,})|( "
    r"(?=\d))|([^\S\n ]|_|[^\w\s])\7*"
)


def count_tokens(text: str) -> int:
    """The number of tokens of a text by the rule in the module's docstring."""
    count = 0
    for found in _PIECE.finditer(text):
        kind, size = found.lastindex, found.end() - found.start()
        if kind == 1:
            long_name = size >= _LONG_NAME and found[0][0].isupper()
            count += -(-size // (_NAME if long_name else _LETTERS))
        elif kind == 2:
            count += -(-size // _CAPITALS)
        elif kind == 5:
            count += -(-size // _SPACES)
        elif kind == 7:
            count += -(-size // _SIGNS)
        else:
            count += 1
    return count
