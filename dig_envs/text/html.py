"""Reports, tables and pictures as HTML, for notebooks."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from dig_envs.engine.core.texts import escaped_text


def html_words(text: str) -> str:
    """Return a text within HTML, its hidden characters as escapes."""
    return escape(escaped_text(text))


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, its first column to the left."""
    lines = ["".join(f"<th>{html_words(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{html_words(cell)}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def html_facts(facts: Mapping[str, str]) -> str:
    """Return a table of two columns, a name and what it is."""
    lines = (
        f"<tr><th style='text-align:left'>{html_words(name)}</th><td>{html_words(fact)}</td></tr>"
        for name, fact in facts.items()
    )
    return f"<table>{''.join(lines)}</table>"


def html_lines(lines: Iterable[str]) -> str:
    """Return small paragraphs."""
    return "".join(
        f"<p style='max-width:60em'><small>{html_words(line)}</small></p>" for line in lines if line
    )


def html_picture(svg: str, text: str) -> str:
    """Return a picture within the page, apart from other pictures on it; ``text``: what is read
    where it cannot be seen."""
    content = b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{content}" alt="{html_words(text)}" '
        'style="max-width:100%;width:60em">'
    )


def html_text(text: str) -> str:
    """Return text in lines as they are."""
    return f"<pre>{html_words(text)}</pre>"
