"""Settings of the site, for Sphinx, as ``python -m dig_envs.documentation build`` calls it.

The sources are the Markdown files of the checkout, each beside what it documents, so that links between them lead somewhere
on a code host, too. The README is the start page.
"""

import os
import sys
from pathlib import Path

from sphinx.application import Sphinx

import dig_envs

os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}  # dig_envs.batch.cuda can be imported without its libraries

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))  # for the package `training`

project = "dig_envs"
author = "The dig_envs authors"
copyright = "2026, the dig_envs authors. MIT licence"
version = release = dig_envs.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "dig_envs.documentation.directives"]
root_doc = "README"
include_patterns = ["*.md", "policies/*.md", "dig_envs/**.md", "tests/model/**.md"]
exclude_patterns = ["dig_envs/documentation/contents.md"]

myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = [
    "misc.highlighting_failure",  # a conversation in JSON with "…" in it
    "ref.python",  # errors have two names: `dig_envs.OptionError` and that of the module where it is defined
]

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_mock_imports = [  # what only some users install
    "benchmarl", "open_spiel", "pyspiel", "ray", "tensordict", "torchrl",
]  # fmt: skip
napoleon_use_rtype = False
napoleon_use_ivar = True

toc_object_entries = False  # sections and modules only: thousands of names make the build slow and the menu long

html_theme = "furo"
html_title = f"dig_envs {release}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]


RULES = "\n```{toctree}\n:hidden:\n\nRULES\n```\n"


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put tables of contents, which a code host would show as they are, at the end of the start page and of a game's."""
    if docname == root_doc:
        source[0] += Path(__file__).with_name("contents.md").read_text(encoding="utf-8")
    elif docname.endswith("/README") and (ROOT / docname).with_name("RULES.md").exists() and "/engine/" not in docname:
        source[0] += RULES


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", add_contents)
