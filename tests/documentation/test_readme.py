"""The README: short, with what a newcomer looks for."""

import re

from dig_envs.registry import list_environments, load_game
from tests.documentation.test_paths import ROOT
from tests.games import needs_compiling

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_short():
    assert len(TEXT.split()) <= 1200


def test_it_has_the_two_commands_and_a_picture_of_each_game():
    assert 'pip install -e ".[train,play]" && python -m training.train' in TEXT
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
