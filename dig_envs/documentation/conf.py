"""Settings of the site, for Sphinx, as ``python -m dig_envs.documentation build`` calls it.

The sources are the Markdown files of the checkout, each beside what it documents, so that links
between them lead somewhere on a code host, too. The README is the start page.
"""

import os
import sys
from collections.abc import Iterable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain

import dig_envs
from dig_envs.documentation import libraries, notebooks
from dig_envs.documentation.build import PLAYED

# dig_envs.batch.cuda can be imported without its libraries
os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))  # for the package `training`

project = "dig_envs"
author = "The dig_envs authors"
copyright = "2026, the dig_envs authors. MIT licence"
version = release = dig_envs.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "dig_envs.documentation.directives",
]
root_doc = "README"
include_patterns = [
    "*.md",
    "policies/**.md",
    "dig_envs/**.md",
    "tests/model/**.md",
    "tests/examples/**.md",
]
exclude_patterns = ["dig_envs/documentation/contents.md"]

myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # a conversation in JSON with "…" in it

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
OPTIONAL = (  # what only some users install: what is missing is imported as an empty stand-in
    *sorted(libraries.imports()),
    *("mcp", "mcp_types", "openai", "drawsvg", "thorvg_python", "pygame", "PIL", "imageio"),
    *("starlette", "websockets", "msgspec", "cvxpy", "tree"),
)
autodoc_mock_imports = [name for name in OPTIONAL if find_spec(name) is None]
napoleon_use_rtype = False
napoleon_use_ivar = True

toc_object_entries_show_parents = "hide"

linkcheck_timeout, linkcheck_retries, linkcheck_anchors = 20, 2, False
linkcheck_ignore = [r"https?://(localhost|127\.0\.0\.1)"]  # examples

html_theme = "furo"
html_title = f"dig_envs {release}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))


# where the site has the page of a code host
CONTRIBUTING = "dig_envs/documentation/pages/project/10_contributing.md"


def toctree(pages: Iterable[str]) -> str:
    """A hidden table of contents."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *pages, "```", ""])


def play_link(game: str) -> str:
    """A link from a game's page to the page where people play it."""
    link = f'<p><a href="../../../play/{game}/index.html">Play it here, in your browser</a></p>'
    return "\n".join(["", "```{raw} html", link, "```", ""])


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put at the end of pages what a code host would show as it is, or would not have.

    The start page and the pages of games get tables of contents: those of the start page are
    ``contents.md``, and the README of any other folder of the package; those of a game are the
    pages beside its README. Tutorials get a link to their notebook, and lose the comments for the
    tests.
    """
    folder = (ROOT / docname).parent
    if docname == root_doc:
        contents = Path(__file__).with_name("contents.md").read_text(encoding="utf-8")
        found = (
            path.relative_to(ROOT).with_suffix("").as_posix()
            for path in sorted(ROOT.glob("dig_envs/**/README.md"))
        )
        others = [
            page
            for page in found
            if not page.startswith("dig_envs/games/") and f"\n{page}\n" not in contents
        ]
        source[0] = source[0].replace(".github/CONTRIBUTING.md", CONTRIBUTING)
        source[0] += contents + (toctree(others) if others else "")
    elif ROOT / f"{docname}.md" in notebooks.pages():
        source[0] = (
            f"{notebooks.without_small_numbers(source[0])}\n{notebooks.link(ROOT / docname)}\n"
        )
    elif docname == "policies/README":
        source[0] += toctree(
            [
                *(f"{path.parent.name}/README" for path in sorted(folder.glob("*/README.md"))),
                "HISTORY",
            ]
        )
    elif docname.endswith("/README") and docname.startswith(("dig_envs/games/", "tests/model/")):
        if folder.name in os.environ.get(PLAYED, "").split():
            head, heading, rest = source[0].partition("\n")
            source[0] = f"{head}{heading}{play_link(folder.name)}{rest}"
        source[0] += toctree(
            [
                *(
                    f"{path.stem.capitalize()} <{path.stem}>"
                    for path in sorted(folder.glob("*.md"))
                    if path.stem != "README"
                ),
                *(  # in other languages
                    f"Guide ({path.parent.name}) <{path.parent.name}/{path.stem}>"
                    for path in sorted(folder.glob("*/GUIDE.md"))
                ),
            ]
        )


class QuickPythonDomain(PythonDomain):
    """Sees at once which names of a signature are not documented here, such as `int`; Sphinx
    compares each with all that are."""

    @cached_property
    def last_words(self) -> set[str]:
        """The last words of all names; asked for when all pages have been read."""
        return {name.rpartition(".")[2] for name in self.objects}

    def find_obj(self, env: Any, modname: str, classname: str, name: str, *rest: Any) -> list[Any]:
        known = name.removesuffix("()").rpartition(".")[2] in self.last_words
        return super().find_obj(env, modname, classname, name, *rest) if known else []


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", add_contents)
    app.add_domain(QuickPythonDomain, override=True)
