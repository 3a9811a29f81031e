"""The tutorials: every block of Python is run, and every command of the pages exists with its
options.

A line may name smaller numbers for the tests: ``GAMES = 2000  # in the tests: 20``, or
``… # in the tests: GAMES = 20`` for a whole line.
"""

import ast
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
import typer

from dig_envs.documentation.notebooks import notebook, pages
from tests.documentation.test_paths import PAGES, ROOT

NEEDS = {
    "sb3": "sb3_contrib",
    "your_network": "sb3_contrib",
    "jax": "jax",
    "language": "openai",
    "notebook": "matplotlib",
}  # word in the name of a tutorial -> library
SMALLER = re.compile(r"^(\w+) = .*  # in the tests: (?:\1 = )?(.+)$", re.MULTILINE)


def blocks(text: str, language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def smaller(program: str) -> str:
    """Return a program with the numbers that its lines name for the tests."""
    return SMALLER.sub(r"\1 = \2", program)


SHOW = """
def show(thing):
    if thing is not None:
        print(thing._repr_html_()[:100] if hasattr(thing, "_repr_html_") else repr(thing)[:100])
"""


def as_cell(block: str) -> str:
    """Return a block that shows its last line, if that is an expression, as a notebook does."""
    last = ast.parse(block).body[-1]
    if not isinstance(last, ast.Expr):
        return block
    return "\n".join([*block.splitlines()[: last.lineno - 1], f"show({ast.unparse(last)})"])


def test_the_last_line_of_a_cell_is_shown(capsys):
    exec(
        SHOW
        + as_cell("class A:\n    def _repr_html_(self): return '<b>'\nA()")
        + "\n"
        + as_cell("x = 1\nx")
        + "\n"
        + as_cell("x = 2")
    )
    assert capsys.readouterr().out == "<b>\n1\n"


def test_lines_are_made_smaller():
    assert smaller(
        "A = 5  # in the tests: 1\nmodel = f(5)  # in the tests: model = f(1)\nb = 2  # games\n"
    ) == ("A = 1\nmodel = f(1)\nb = 2  # games\n")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_the_programs_of_the_tutorials_run(page, tmp_path):
    program = "\n".join(
        [
            SHOW,
            *(
                as_cell(smaller(block))
                for block in blocks(page.read_text(encoding="utf-8"), "python")
            ),
        ]
    )
    assert program != SHOW
    for library in (name for word, name in NEEDS.items() if word in page.stem):
        pytest.importorskip(library)
    file = tmp_path / "tutorial.py"
    file.write_text(program, encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); exec(open({str(file)!r}).read())",
    ]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_a_notebook_has_the_text_and_the_programs_of_its_page(page):
    text = page.read_text(encoding="utf-8")
    made = notebook(text)
    assert [cell["source"] for cell in made["cells"] if cell["cell_type"] == "code"] == [
        re.sub("  # in the tests: .*", "", block).strip() for block in blocks(text, "python")
    ]
    words = "\n".join(cell["source"] for cell in made["cells"] if cell["cell_type"] == "markdown")
    headings = re.compile("^##* [A-Z].*$", re.MULTILINE)
    assert headings.findall(words) == headings.findall(
        re.sub(r"^```python.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    )
    assert "](../" not in words
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])


def programs() -> dict[str, Any]:
    """Return the command lines of the project by their first words."""
    from dig_envs.commands.main import app
    from training import evaluate, train

    apps = {"dig-envs train": train.app, "dig-envs evaluate": evaluate.app, "dig-envs": app}
    return {words: typer.main.get_command(app) for words, app in apps.items()}


def commands_of(text: str) -> list[str]:
    """Return the commands in the blocks for a shell, without comments."""
    lines = [
        line for block in blocks(text, "bash") for line in block.replace("\\\n", " ").splitlines()
    ]
    return [
        words
        for line in lines
        for words in re.split(r" && | > ", re.sub(r"\s+#.*$", "", line))
        if words.strip()
    ]


def mistakes(command: str) -> str:
    """Return what is wrong with a command of the project; nothing if it is none of its commands."""
    from training import with_jax, with_sb3

    for words, program in programs().items():
        if command == words or command.startswith(words + " "):
            try:
                parse(program, shlex.split(command.removeprefix(words)))
            except Exception as error:
                # what Typer raises about words typed wrongly
                if not hasattr(error, "format_message"):
                    raise
                return f"{command}: {error.format_message()}"
    for module in (with_jax, with_sb3):
        words = f"python -m {module.__name__} "
        if command.startswith(words):
            try:
                module.make_parser().parse_args(shlex.split(command.removeprefix(words)))
            except SystemExit:
                return command
    return ""


def parse(program: Any, words: list[str]) -> None:
    """Parse a command line, without running anything; raises what Typer does for what is not
    there."""
    context = program.make_context("program", words)
    if hasattr(program, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        _, command, arguments = program.resolve_command(context, rest)
        command.make_context("command", arguments, parent=context)


def test_commands_with_mistakes_are_noticed():
    assert "--gamse" in mistakes("dig-envs arena go_dig_v0 --agents random,heuristic --gamse 3")
    assert mistakes("dig-envs areno go_dig_v0")
    assert mistakes("python -m training.with_sb3 go_dig --stesp 3")
    assert mistakes("dig-envs arena go_dig_v0 --agents random,heuristic --games 3") == ""


def test_the_commands_of_the_pages_are_there():
    commands = [
        command for page in PAGES for command in commands_of(page.read_text(encoding="utf-8"))
    ]
    assert sum(command.startswith("dig-envs ") for command in commands) > 10
    assert [found for command in commands if (found := mistakes(command))] == []
