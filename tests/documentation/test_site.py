"""The site: built without a warning, with the whole public API, links that lead somewhere, and a
search that works from disk."""

import importlib
import inspect
import json
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.documentation.test_paths import ROOT

pytest.importorskip("sphinx")

from dig_envs.documentation.directives import INTERNAL, exported, modules_of

# Programs and their parts, and what a game or a page is made of; the commands and the protocol have
# pages of their own.
NOT_THE_API = ("dig_envs.commands", "dig_envs.documentation", "dig_envs.games", "dig_envs.server")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built by the command that people use."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "dig_envs.documentation", "build", "--out", str(folder)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return folder


class Page(HTMLParser):
    """The names of a page's places, and what it links to and shows."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id" and value:
                self.names.add(value)
            elif key in ("href", "src") and value:
                self.links.append(value)


def broken(folder: Path) -> list[str]:
    """Return the links inside a site that lead nowhere."""
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists() or (
                anchor and target in pages and anchor not in pages[target].names
            ):
                found.append(f"{path.relative_to(folder)}: {link}")
    return found


def test_links_inside_the_site_lead_somewhere(site):
    assert broken(site) == []


def test_a_broken_link_is_noticed(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="x"><a href="b.html">b</a><a href="#x">x</a><a href="#y">y</a><img src="c.png"></p>'
    )
    assert broken(tmp_path) == ["a.html: b.html", "a.html: #y", "a.html: c.png"]


def documented(site: Path) -> set[str]:
    """Return the names of Python objects that the reference has, from the site's inventory."""
    content = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(content).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " py:" in line}


def public_names() -> set[str]:
    """Return the names of the public API: each module's ``__all__`` or else its own functions and
    classes, with their methods."""
    names = {f"dig_envs.{name}" for name in importlib.import_module("dig_envs").__all__}
    for name in {*modules_of("dig_envs"), "dig_envs.engine.compiler.jit"}:
        if name.startswith((*NOT_THE_API, *INTERNAL)) or re.fullmatch(r"dig_envs\.\w+_v\d+", name):
            continue
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue  # needs a library that is not installed; the site is built without it, too
        for key, thing in vars(module).items():
            own = getattr(thing, "__module__", "") == name and not key.startswith("_")
            if key not in getattr(module, "__all__", [key] if own else []) or not getattr(
                thing, "__doc__", None
            ):
                continue
            place = "dig_envs" if key in exported(name) else name
            if inspect.isclass(thing):
                names.add(f"{place}.{key}")
                methods = (
                    (word, value) for word, value in vars(thing).items() if not word.startswith("_")
                )
                names |= {
                    f"{place}.{key}.{word}"
                    for word, value in methods
                    if inspect.isfunction(value) and value.__doc__
                }
            elif inspect.isfunction(thing):
                names.add(f"{place}.{key}")
    return names


def test_the_reference_has_the_whole_public_api(site):
    names = public_names()
    assert {"dig_envs.make", "dig_envs.BatchEnv.step", "dig_envs.arena.tournament.run"} <= names
    assert sorted(names - documented(site)) == []


def test_the_search_works_from_disk(site):
    """Its index is a script, not a file that a browser would have to fetch, and knows words of all
    kinds of pages."""
    script = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("Search.setIndex(").rstrip().removesuffix(")"))
    assert {"bradley", "ptx", "triceratop", "reinforc"} <= set(index["terms"])
    assert 'src="searchindex.js"' in (site / "search.html").read_text(encoding="utf-8").replace(
        "_static/../", ""
    )


def test_nothing_is_loaded_from_elsewhere(site):
    pages = [Page(path) for path in site.rglob("*.html")]
    loaded = re.compile(r"^(https?:)?//.*\.(js|css|woff2?|png|svg|gif)$")
    assert len(pages) > 40
    assert [link for page in pages for link in page.links if loaded.match(link)] == []
    assert (site / "index.html").exists()
