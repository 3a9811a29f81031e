"""The numbers of the rules: what is cited exists, and every rule is cited by a test.

A citation is a number as in the rules (`GD-4`, `GD-15 to GD-21`) or, in the name of a test, without
hyphen (`test_bd7_…`, `test_gd_3_gd_15_…`, `test_oi_9_10_…`, `test_oi_1_to_3_…`).
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dig_envs.documentation.games import readme_path
from dig_envs.registry import load_game
from tests.games import NEWEST
from tests.worked_examples import load_examples, rules_text

ROOT = Path(__file__).parent.parent.parent
OURS = (
    "README.md",
    "CHANGELOG.md",
    "pyproject.toml",
    ".ci",
    "dig_envs",
    "policies",
    "tests",
    "training",
)
# of files that are text
KINDS = {".css", ".csv", ".html", ".js", ".json", ".md", ".py", ".svg", ".toml", ""}
GAMES = {name: load_game(name) for name in [*NEWEST, "bone_bids_v0"]}
every_game = pytest.mark.parametrize("name", list(GAMES))


def rules_in(text: str) -> list[str]:
    """Return the numbers of the rules that a RULES.md has, in its order."""
    found = re.findall(r"^- \*\*([A-Z]{2}-\d+)\*\*", text, re.MULTILINE)
    assert found, "a RULES.md has its rules in lines that begin as `- **BB-1** `"
    return found


def cited(text: str, prefix: str) -> list[int]:
    """Return the numbers with a prefix that a text cites, of ranges all."""
    found: list[int] = []
    # nearly all texts, in no time
    if f"{prefix}-" not in text and f"_{prefix.lower()}" not in text:
        return found
    for first, last in re.findall(rf"\b{prefix}-(\d+)(?:\s+to\s+{prefix}-(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    for name in re.findall(r"\btest_\w+", text):
        for numbers in re.findall(rf"_{prefix.lower()}_?(\d+(?:_(?:to_)?\d+)*)", name):
            for first, last in re.findall(r"(\d+)(?:_to_(\d+))?", numbers):
                found += range(int(first), int(last or first) + 1)
    return found


def test_functions(source: str) -> Iterator[str]:
    """Yield the source of each test function of a module, with its decorators and a comment beside
    its name."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            first = min(part.lineno for part in (node, *node.decorator_list))
            yield "\n".join(lines[first - 1 : node.end_lineno])


test_functions.__test__ = False  # type: ignore[attr-defined]


@cache
def our_files() -> dict[str, str]:
    """Return the text files of the repository by their paths, without what is made by running
    it."""
    tops = (ROOT / name for name in OURS)
    paths = (
        path
        for top in tops
        for path in ([top] if top.is_file() else sorted(top.rglob("*")))
        if "__pycache__" not in path.parts
    )
    files = (path for path in paths if path.is_file() and path.suffix in KINDS)
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


# ---------------------------------------------------------------- what reads the texts


def test_how_rules_are_found():
    assert rules_in("- **GD-1** The cards.\n- **GD-2** Of GD-1.\n**GD-3** no rule\n") == [
        "GD-1",
        "GD-2",
    ]


def test_how_citations_are_found():
    assert cited("as in GD-4, GD-7 to\n  GD-9 and (GD-12).", "GD") == [4, 7, 8, 9, 12]
    assert cited("FC-4, XGD-4 and GD-x", "GD") == []
    assert cited(
        "def test_gd4_x(): ...\ndef test_gd_6_8_x(): ...\ndef test_gd_1_to_3(): ...", "GD"
    ) == [4, 6, 8, 1, 2, 3]
    assert cited(
        "def test_gd_18_to_pieces(): ...\ndef test_gd_3_gd_5(): ...\ndef test_fc_18(): ...", "GD"
    ) == [18, 3, 5]


def test_how_tests_are_found():
    source = (
        "# GD-1\n\n@mark  # GD-2\ndef test_it():  # GD-3\n    pass  # GD-4\n\n\ndef helper():\n"
        "    '''GD-5'''\n"
    )
    assert [cited(function, "GD") for function in test_functions(source)] == [[2, 3, 4]]


# ---------------------------------------------------------------- the repository


@every_game
def test_rules_are_numbered_without_gaps(name):
    rules = rules_in(rules_text(GAMES[name]))
    prefix = rules[0][:2]
    assert rules == [f"{prefix}-{k + 1}" for k in range(len(rules))]


def test_games_have_different_prefixes():
    assert len({rules_in(rules_text(game))[0][:2] for game in GAMES.values()}) == len(GAMES)


@every_game
def test_what_is_cited_exists(name):
    rules = rules_in(rules_text(GAMES[name]))
    unknown = [
        (path, number)
        for path, text in our_files().items()
        if path != "tests/rules/test_numbers.py"
        for number in cited(text, rules[0][:2])
        if number not in range(1, len(rules) + 1)
    ]
    assert unknown == []


@every_game
def test_every_rule_is_cited_by_a_test(name):
    game = GAMES[name]
    rules = rules_in(rules_text(game))
    tests = [
        text
        for path in (ROOT / "tests" / "rules" / game.name).glob("test_*.py")
        for text in test_functions(path.read_text())
    ]
    tests += [example["name"] for _, example in load_examples(game)]
    left = set(range(1, len(rules) + 1)) - {
        number for text in tests for number in cited(text, rules[0][:2])
    }
    assert left == set(), (
        f"no test in tests/rules/{game.name} and no worked example has these numbers of "
        f"{rules[0][:2]}- in it"
    )


@every_game
def test_the_rules_name_what_the_game_has(name):
    """The tables of RULES.md: options, phases, actions, keys of the snapshot."""
    game = GAMES[name]
    sections = {part.partition("\n")[0]: part for part in rules_text(game).split("\n## ")}
    first_cells = {
        title: re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for title, part in sections.items()
    }
    named = {
        title: {word for cell in cells for word in re.findall(r"`(\w+)`", cell)}
        for title, cells in first_cells.items()
    }
    for title in ("Options", "Phases", "Snapshot", "Actions"):
        assert title in sections, (
            f"the RULES.md of {game.name} has no section {title!r} with a table of them"
        )
    assert named["Options"] == {option.name for option in game.options}
    assert named["Phases"] - {"phase"} == set(game.phases)
    assert named["Snapshot"] == {
        *game.snapshot_table,
        "game",
        "options",
        "to_move",
        "phase",
        "winners",
        "truncated",
    }
    rows = re.findall(r"^\| `([\w-]+).*\| (\d+) \| (\d+) \|$", sections["Actions"], re.MULTILINE)
    place = 0
    for word, count, first in rows:
        assert int(first) == place
        place += int(count)
        assert {text.partition(" ")[0] for text in game.actions[int(first) : place]} <= {
            word,
            *(f"{word}{k}" for k in "123"),
        }
    assert place == len(game.actions)


@every_game
def test_readmes_link_to_the_rules(name):
    game = GAMES[name]
    assert readme_path(game).exists(), (
        f"{game.name} has no README.md; run: python -m dig_envs.documentation"
    )
    head, _, _ = readme_path(game).read_text(encoding="utf-8").partition("\n## ")
    assert "(RULES.md)" in head, (
        f"the beginning of {readme_path(game)} links to its rules: [RULES.md](RULES.md)"
    )
    assert "engine/RULES.md)" in rules_text(game), (
        "RULES.md links to what all games have in common: engine/RULES.md"
    )
    if game.package.startswith("dig_envs."):
        for page, link in (
            ("README.md", f"(dig_envs/games/{game.name}/RULES.md)"),
            ("dig_envs/engine/RULES.md", f"(../games/{game.name}/RULES.md)"),
        ):
            assert link in (ROOT / page).read_text(encoding="utf-8"), (
                f"{page} lists the games: it lacks the link {link}"
            )


def test_nothing_leans_on_what_is_outside():
    outside = "../" + "shared"
    assert [path for path, text in our_files().items() if outside in text] == []
