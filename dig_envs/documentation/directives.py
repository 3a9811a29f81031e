"""The directive ``{modules}``, which documents all public modules of some packages."""

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.ext.autodoc.mock import mock  # type: ignore[attr-defined]  # it is documented there
from sphinx.util.docutils import SphinxDirective

import dig_envs

# not part of the public API: what stands behind commands, agents and compiled code
INTERNAL = tuple(
    f"dig_envs.{package}.{module}"
    for package, modules in {
        "adapters": "modules rendering text_game warmup wrappers",
        "agents": "deciding halving llm_chat measured names onnx_file plain_file program secret "
        "steps supervisor",
        "arena": "entrants json_form machine play plots results schedule show",
        "batch": "common",
        "benchmark": "anchors deals sealed_process secrecy show",
        "engine": "compiler search",
        "export": "entries javascript tables translating words",
        "text": "console telling",
    }.items()
    for module in modules.split()
)


def exported(module: str) -> list[str]:
    """Return what a module defines and ``dig_envs`` itself offers: it is documented there."""
    things = {name: getattr(dig_envs, name) for name in dig_envs.__all__}
    return [name for name, thing in things.items() if thing.__module__ == module]


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
            blocks = [
                f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n"
                f"   :exclude-members: {', '.join(exported(name))}\n```\n"
                for name in names
            ]
        return self.parse_text_to_nodes("\n".join(blocks), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("modules", Modules)
    return {"parallel_read_safe": True}
