"""Tables as Markdown, and parts of a page that are made from the code: ``<!-- NAME -->`` …
``<!-- end of NAME -->``."""

import re
from collections.abc import Iterable, Sequence

from dig_envs.engine.core.texts import escaped_text

# what means something in a line of Markdown; brackets do only where they make a link
MEANING = re.compile(r"([\\`*{}<>#]|(?<!\w)_|_(?!\w)|\](?=[\[(:]))")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, bars in its cells escaped; a cell is one line without hidden characters."""
    lines = [[_cell(cell) for cell in line] for line in (head, ["---"] * len(head), *rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return escaped_text(text).replace("\n", " ").replace("|", "\\|")


def markdown_words(text: str) -> str:
    """A text from outside on one line, with Markdown and HTML escaped."""
    line = escaped_text(text).replace("\n", " ")
    return MEANING.sub(r"\\\1", line).replace("\\<", "&lt;").replace("\\>", "&gt;")


def markdown_code(text: str) -> str:
    """A text from outside as code within a line."""
    line = escaped_text(text).replace("\n", " ").replace("`", "'")
    return f"`{line}`"


def part(page: str, name: str) -> str:
    """The text of a part of a page; empty if there is no such part."""
    return page.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]


def with_part(page: str, name: str, text: str) -> str:
    """The page with another text in a part of it."""
    before, head, rest = page.partition(f"<!-- {name} -->")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    return before + head + text + end + after
