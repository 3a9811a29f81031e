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

import dig_envs
from tests.documentation.test_paths import PAGES, ROOT

pytest.importorskip("sphinx")

from dig_envs.documentation.directives import kind_of


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
    words = [line.split(" ") for line in lines if " py:" in line]
    return {name for name, _, priority, *_ in words if priority != "-1"}  # not the other names


def names_in_programs() -> set[str]:
    """Return the classes and functions of the package that programs in the pages import or call by
    their full name."""
    texts = [path.read_text(encoding="utf-8") for path in PAGES if path.name != "HISTORY.md"]
    programs = re.findall(r"^```python\n(.*?)^```$", "\n".join(texts), re.M | re.S)
    found = {f"dig_envs.{name}" for name in dig_envs.__all__}
    for program in programs:
        found |= set(re.findall(r"\bdig_envs(?:\.[a-z_]\w*)*\.[A-Za-z]\w*", program))
        for module, names in re.findall(
            r"^ *from (dig_envs(?!\.games)[.\w]*) import (.+)$", program, re.M
        ):
            found |= {f"{module}.{name.partition(' as ')[0].strip()}" for name in names.split(",")}
    return {name for name in found if inspect.isroutine(found_at(name)) or is_class(name)}


def is_class(name: str) -> bool:
    return inspect.isclass(found_at(name))


def found_at(name: str) -> object:
    """Return what has a name, None if nothing has."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last, None)
    except (ImportError, SystemExit):
        return None  # a library that is not installed


def test_the_reference_has_what_programs_use(site):
    names = names_in_programs()
    assert {"dig_envs.make", "dig_envs.BatchEnv", "dig_envs.arena.run"} <= names
    assert len(names) > 20
    assert sorted(names - documented(site)) == []


def test_a_wrong_name_in_the_reference_is_an_error():
    with pytest.raises(ValueError, match=r"names dig_envs\.batch\.BatchEnv"):
        kind_of("dig_envs.batch.BatchEnv")


def test_the_reference_names_each_thing_once(site):
    """By its public name: `dig_envs.BatchEnv`, and not by its module as well."""
    things: dict[object, str] = {}
    for name in sorted(documented(site)):
        if is_class(name):
            assert things.setdefault(found_at(name), name) == name


def test_the_search_works_from_disk(site):
    """Its index is a script, not a file that a browser would have to fetch, and knows words of all
    kinds of pages."""
    script = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("Search.setIndex(").rstrip().removesuffix(")"))
    assert {"bradley", "cuda", "triceratop", "reinforc"} <= set(index["terms"])
    assert 'src="searchindex.js"' in (site / "search.html").read_text(encoding="utf-8").replace(
        "_static/../", ""
    )


def test_nothing_is_loaded_from_elsewhere(site):
    pages = [Page(path) for path in site.rglob("*.html")]
    loaded = re.compile(r"^(https?:)?//.*\.(js|css|woff2?|png|svg|gif)$")
    assert len(pages) > 40
    assert [link for page in pages for link in page.links if loaded.match(link)] == []
    assert (site / "index.html").exists()
