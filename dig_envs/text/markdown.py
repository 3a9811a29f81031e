"""Tables as Markdown, and parts of a page that are made from the code: ``<!-- NAME -->`` …
``<!-- end of NAME -->``."""

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, bars in its cells escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def part(page: str, name: str) -> str:
    """The text of a part of a page; empty if there is no such part."""
    return page.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]


def with_part(page: str, name: str, text: str) -> str:
    """The page with another text in a part of it."""
    before, head, rest = page.partition(f"<!-- {name} -->")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    return before + head + text + end + after
