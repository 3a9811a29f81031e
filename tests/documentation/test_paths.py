"""All that the pages of documentation name exists: files, folders, modules that are run, and what
links lead to."""

import re
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(
    [
        ROOT / "README.md",
        *ROOT.glob(".github/*.md"),
        *ROOT.glob("policies/**/*.md"),
        *ROOT.glob("dig_envs/**/*.md"),
        *ROOT.glob("tests/model/**/*.md"),
        *ROOT.glob("tests/examples/**/*.md"),
    ]
)
# below which paths are named, beside the folder of the page
FOLDERS = (".", "dig_envs", "tests", "dig_envs/engine")
# made by a command, or not of this project
ELSEWHERE = re.compile(r"^(agilerl|dig_envs/compiled)/|^my_|/mine$|/plank_run$")
FILE = re.compile(r"[\w./<>{}*-]+\.(py|md|toml|csv|svg|js|onnx)")
IN_A_FOLDER = re.compile(r"(dig_envs|tests|training|policies)/\w")
# of these there are only results
GONE = {"training.compare_seeds", "training.expert", "training.late_starts"}
PLACEHOLDER = re.compile(r"<\w+>|NAME|GAME|\{\w+\}")  # any name

every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def code_of(text: str) -> list[str]:
    """Return what stands in backticks, outside blocks of code."""
    return re.findall(
        r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    )


def paths_of(text: str) -> list[str]:
    """Return the words in backticks that are paths: they end as files of this project do, or begin
    with one of its folders."""
    words = [word.rstrip(",.") for code in code_of(text) for word in code.split()]
    return [word for word in words if FILE.fullmatch(word) or IN_A_FOLDER.match(word)]


def is_there(path: str, page: Path) -> bool:
    """Return whether a path is that of a file or folder; one without a folder may be in any."""
    pattern = PLACEHOLDER.sub("*", path).rstrip("/")
    if "/" not in pattern:
        tops = (ROOT / top for top in ("dig_envs", "tests", "training", "policies"))
        return any(next(top.rglob(pattern), None) for top in tops) or (ROOT / pattern).exists()
    return any(
        next(folder.glob(pattern), None)
        for folder in (page.parent, *(ROOT / name for name in FOLDERS))
    )


def anchors_of(text: str) -> set[str]:
    """Return the names under which the headings of a page are linked to."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@every_page
def test_paths_are_there(page):
    assert [
        path
        for path in paths_of(page.read_text(encoding="utf-8"))
        if not ELSEWHERE.search(path) and not is_there(path, page)
    ] == []


@every_page
def test_modules_that_are_run_are_there(page):
    modules = {
        name.rstrip(".")
        for name in re.findall(r"python3? -m ([\w.]+)", page.read_text(encoding="utf-8"))
    }
    assert [name for name in modules - GONE if find_spec(name) is None] == []


@every_page
def test_links_lead_somewhere(page):
    text, broken = page.read_text(encoding="utf-8"), []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (
            anchor and anchor not in anchors_of(target.read_text(encoding="utf-8"))
        ):
            broken.append(link)
    assert broken == []


# that pages link to; `python -m dig_envs.documentation links` asks whether the pages are there
HOSTS = {
    *(
        "docs.ray.io",
        "github.com",
        "gymnasium.farama.org",
        "modelcontextprotocol.io",
        "numba.pydata.org",
        "ollama.com",
    ),
    "opensource.org",
    *("pettingzoo.farama.org", "www.jsonrpc.org", "www.thorvg.org", "ziglang.org"),
}


@every_page
def test_links_to_other_sites_lead_to_known_hosts_over_https(page):
    links = re.findall(r"\]\((\w+://[^)\s]+)\)", page.read_text(encoding="utf-8"))
    assert [
        link
        for link in links
        if not link.startswith("https://") or urlsplit(link).hostname not in HOSTS
    ] == []


def test_what_is_not_there_is_noticed():
    page = ROOT / "dig_envs" / "engine" / "README.md"
    text = (
        "`core/lists.py`, `games/<name>/rules.py`, `rules.py` and `tests/rules/NAME`, not "
        "`core/list.py`, `no_such.py`, `a.b`"
    )
    assert [path for path in paths_of(text) if not is_there(path, page)] == [
        "core/list.py",
        "no_such.py",
    ]
    assert anchors_of("# How a game is made\n\n## Checklist\n") == {
        "how-a-game-is-made",
        "checklist",
    }
