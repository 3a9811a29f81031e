"""The README: short, with what a newcomer looks for; its numbers and those of the pages come from files of results."""

import re

from dig_envs.documentation import figures, readmes
from dig_envs.documentation.benchmarks import RESULTS
from dig_envs.documentation.charts import LABEL, Bar, chart
from dig_envs.documentation.croissant import FILE
from dig_envs.registry import list_environments, load_game
from dig_envs.text.markdown import with_part
from tests.documentation.test_paths import ROOT
from tests.games import needs_compiling

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_short():
    assert len(TEXT.split()) <= 1200


def test_it_has_the_two_commands_and_a_picture_of_each_game():
    assert 'pip install -e ".[train,play]" && python -m training.train' in TEXT
    assert 'pip install -e ".[dev]" && python -m pytest\n' in TEXT
    assert re.search(r"!\[.+\]\([\w/]+\.gif\)", TEXT)
    for name in (load_game(env).name for env in list_environments() if not env.startswith("bone_bids")):
        assert f'<img src="dig_envs/games/{name}/picture.svg"' in TEXT


@needs_compiling
def test_its_first_program_runs(capsys):
    program = TEXT.partition("```python\n")[2].partition("```")[0]
    assert len(program.strip().splitlines()) <= 12
    exec(program, {})
    assert re.fullmatch(r"\[\d+, \d+, \d+\]\n", capsys.readouterr().out)


def test_numbers_are_those_of_the_results():
    files = figures.renewed()
    assert files.keys() == {*figures.CHARTS, *figures.PARTS, *(RESULTS / name for name in ("leaderboard.json", FILE))}
    stale = [path.name for path, text in files.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run: python -m dig_envs.documentation"


def test_a_number_that_was_typed_is_noticed():
    words = figures.speed_words()
    typed = with_part(TEXT, "speed", "\n\n" + words.replace("k turns", "k more turns") + "\n\n")
    assert typed != TEXT
    assert with_part(typed, "speed", f"\n\n{words}\n\n") == TEXT


def test_a_page_of_a_game_is_renewed_where_it_is():
    assert {path.name for path in readmes.renewed()} == {"README.md"}


def test_bars_are_to_scale():
    svg = chart("A < B", [Bar("a", 100, 90, 200, "100"), Bar("b", 50, 50, 50, "50", other=True)], mark=100)
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="17"', svg)]
    assert widths == [215, 107.5]  # the longest interval ends at the end of the scale
    assert "A &lt; B" in svg
    assert f"M{LABEL + 215:.1f} 32V" in svg
