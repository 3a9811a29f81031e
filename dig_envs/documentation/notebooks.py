"""Pages with programs as Jupyter notebooks: blocks of Python become cells, all else is text."""

import json
import re
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "pages"
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK_TO_A_PAGE = re.compile(r"(?<!!)\[([^]]+)\]\((?!\w+:)[^)]+\)")  # leads nowhere from a notebook
SMALLER = re.compile(r"  # in the tests: .*$", re.MULTILINE)


def pages() -> list[Path]:
    """The pages that are offered as notebooks: the tutorials, and the guide about notebooks."""
    return [*sorted((PAGES / "tutorials").glob("*.md")), PAGES / "guides" / "07_notebook.md"]


def notebook(text: str) -> dict[str, Any]:
    """A Markdown page as a notebook, JSON of nbformat 4."""
    cells: list[dict[str, Any]] = []
    for number, piece in enumerate(PYTHON.split(text)):
        if not piece.strip():
            continue
        code = number % 2 == 1
        source = without_small_numbers(piece) if code else LINK_TO_A_PAGE.sub(r"\1", piece)
        cell: dict[str, Any] = {
            "cell_type": "code" if code else "markdown",
            "id": f"cell-{number}",
            "metadata": {},
        }
        cells.append(
            cell
            | {"source": source.strip()}
            | ({"execution_count": None, "outputs": []} if code else {})
        )
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def without_small_numbers(program: str) -> str:
    """A program or page without the comments that give the tests smaller numbers."""
    return SMALLER.sub("", program)


def link(page: Path) -> str:
    """The Markdown line that offers a page as a notebook; its file lies beside the page in the
    site."""
    return f'<a href="{page.stem}.ipynb" download>This page as a Jupyter notebook</a>'


def write_notebooks(root: Path, out: Path) -> None:
    """Write the notebooks beside their pages in the site."""
    for page in pages():
        file = (out / page.relative_to(root)).with_suffix(".ipynb")
        file.write_text(
            json.dumps(notebook(page.read_text(encoding="utf-8")), indent=1) + "\n",
            encoding="utf-8",
        )
