"""The directive ``{api}``, which documents the names in it: modules, classes, functions."""

import inspect
from importlib import import_module
from typing import Any

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.ext.autodoc.mock import mock  # type: ignore[attr-defined]  # it is documented there
from sphinx.util.docutils import SphinxDirective


def kind_of(name: str) -> str:
    """The kind of object behind a name, in Sphinx's words.

    Raises:
        ValueError: nothing has that name.
    """
    place, _, last = name.rpartition(".")
    try:
        thing = getattr(import_module(place), last, None)
        if thing is None or inspect.ismodule(thing):
            thing = import_module(name)
    except ImportError as error:
        raise ValueError(f"the reference names {name}: {error}") from None
    if inspect.ismodule(thing):
        return "automodule"
    return "autoclass" if inspect.isclass(thing) else "autofunction"


class Api(SphinxDirective):
    """Names, one a line: a module becomes a section with all that it defines; a class or a
    function has the name by which it is listed here."""

    has_content = True

    def run(self) -> list[Node]:
        """Called by docutils."""
        blocks = []
        with mock(self.config.autodoc_mock_imports):
            for name in self.content:
                kind = kind_of(name)
                heading = f"## {name}\n\n" if kind == "automodule" else ""
                blocks.append(f"{heading}```{{eval-rst}}\n.. {kind}:: {name}\n```\n")
        return self.parse_text_to_nodes("\n".join(blocks), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("api", Api)
    return {"parallel_read_safe": True}
