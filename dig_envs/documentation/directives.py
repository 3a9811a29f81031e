"""The directive ``{modules}``, which documents all public modules of some packages."""

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.ext.autodoc.mock import mock  # type: ignore[attr-defined]  # it is documented there
from sphinx.util.docutils import SphinxDirective

INTERNAL = (  # not part of the public API: what stands behind commands and compiled code
    "dig_envs.engine.compiler",
    "dig_envs.engine.search",
)


def modules_of(package: str) -> list[str]:
    """Return a module's name and those of all public modules below it."""
    module = import_module(package)
    found = [entry.name for entry in walk_packages(getattr(module, "__path__", []), f"{package}.")]
    return [
        package,
        *(name for name in found if "._" not in name and not name.startswith(INTERNAL)),
    ]


class Modules(SphinxDirective):
    """Each module of the packages named as a section: its docstring, classes, functions and
    constants with theirs."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Node]:
        """Called by docutils."""
        with mock(self.config.autodoc_mock_imports):
            names = [name for package in self.arguments[0].split() for name in modules_of(package)]
        blocks = [f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n" for name in names]
        return self.parse_text_to_nodes("\n".join(blocks), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("modules", Modules)
    return {"parallel_read_safe": True}
