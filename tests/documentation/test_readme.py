"""The README: short, with what a newcomer looks for; and no page is too long to be read."""

import re

from dig_envs.registry import list_environments, load_game
from tests.documentation.test_paths import PAGES, ROOT
from tests.games import needs_compiling

# the rules in full, on one page, and what was tried: read by those who need just that
LONG = ("RULES.md", "GUIDE.md", "HISTORY.md")
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_short():
    assert len(TEXT.split()) <= 1200


def test_pages_are_short():
    words = {
        page.relative_to(ROOT).as_posix(): len(page.read_text(encoding="utf-8").split())
        for page in PAGES
        if page.name not in LONG
    }
    assert [page for page, number in words.items() if number > 4000] == []
    assert sum(words.values()) < 60_000


def test_code_fits_on_a_page_of_the_site():
    """In the README, the guides, tutorials and results, and the pages of libraries."""
    pages = [ROOT / "README.md", *ROOT.glob("dig_envs/documentation/pages/**/*.md")]
    assert len(pages) > 30
    for page in pages:
        blocks = re.findall(r"^```\w+\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
        lines = [line for block in blocks for line in block.splitlines()]
        assert [line for line in lines if len(line) > 88] == [], page


def test_a_page_of_a_game_begins_with_what_the_game_is():
    """A description, a picture and the line that makes it, on less than a screen."""
    for page in ROOT.glob("dig_envs/games/*/README.md"):
        head = page.read_text(encoding="utf-8").partition("\n## ")[0]
        assert len(head.split()) <= 200, page
        assert "**What it measures:**" in head
        assert (
            head.index("](picture.svg)") < head.index("(GUIDE.md)") < head.index("dig_envs.make(")
        )


def test_it_has_the_two_commands_and_a_picture_of_each_game():
    assert 'pip install -e ".[train,play]" && dig-envs train' in TEXT
    assert 'pip install -e ".[dev]" && python -m pytest\n' in TEXT
    assert re.search(r"!\[.+\]\([\w/]+\.gif\)", TEXT)
    for name in (
        load_game(env).name for env in list_environments() if not env.startswith("bone_bids")
    ):
        assert f'<img src="dig_envs/games/{name}/picture.svg"' in TEXT


@needs_compiling
def test_its_first_program_runs(capsys):
    program = TEXT.partition("```python\n")[2].partition("```")[0]
    assert len(program.strip().splitlines()) <= 12
    exec(program, {})
    assert re.fullmatch(r"\[\d+, \d+, \d+\]\n", capsys.readouterr().out)
