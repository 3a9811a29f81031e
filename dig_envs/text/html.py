"""Reports, tables and pictures as HTML, for notebooks."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from dig_envs.engine.core.texts import escaped_text


def html_words(text: str) -> str:
    """A text for HTML, with hidden characters as escapes."""
    return escape(escaped_text(text))


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is aligned to the left."""
    lines = ["".join(f"<th>{html_words(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{html_words(cell)}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def html_facts(facts: Mapping[str, str]) -> str:
    """A table of two columns, names and facts."""
    lines = (
        f"<tr><th style='text-align:left'>{html_words(name)}</th><td>{html_words(fact)}</td></tr>"
        for name, fact in facts.items()
    )
    return f"<table>{''.join(lines)}</table>"


def html_lines(lines: Iterable[str]) -> str:
    """Lines as small paragraphs."""
    return "".join(
        f"<p style='max-width:60em'><small>{html_words(line)}</small></p>" for line in lines if line
    )


def html_picture(svg: str, text: str) -> str:
    """A picture within the page, separate from other pictures on it; ``text`` is its alternative
    text."""
    content = b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{content}" alt="{html_words(text)}" '
        'style="max-width:100%;width:60em">'
    )


def html_text(text: str) -> str:
    """A text as it is, in lines."""
    return f"<pre>{html_words(text)}</pre>"
