"""Words from outside on every way out: no sequence moves the cursor, no line is turned around or
made up, nothing is read as markup."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from dig_envs.arena import Report, run, show
from dig_envs.arena.report import Forfeited
from dig_envs.commands import output
from dig_envs.commands.contests import named_tasks
from dig_envs.commands.main import app
from dig_envs.engine.core.texts import is_hidden
from dig_envs.text.console import PlainConsole, progress_bar, say
from dig_envs.text.html import html_facts, html_lines, html_table, html_text
from dig_envs.text.markdown import markdown_code, markdown_table, markdown_words

HOSTILE = {
    "escape": "a\x1b[2Jb",
    "one byte escape": "a\x9b2Jb",
    "turned around": "a\u202eb",
    "invisible": "a\u3164\u200bb",
    "markup": "a[bold]b[/bold]",
    "broken markup": "a[/]b",
    "emoji markup": "a:m:b",
    "formula": r"a$\frac{b",
    "table": "a|b",
    "HTML": "a<script>b",
    "lines": "a\nb",
    "long": "a" * 100_000,
}
READ = ("[bold]", "[/]", ":m:", "$", "|", "<script>")  # of which nothing is lost


def printed(write: Callable[[Console], None], console: type[Console] = Console) -> str:
    """What a console shows of it."""
    file = io.StringIO()
    write(console(file=file, force_terminal=True, color_system=None, width=200))
    return file.getvalue()


@pytest.fixture(scope="module")
def report() -> Report:
    return run("go_dig_v0", ["random", "heuristic"], games=2, options={"max_turns": 2})


def named(report: Report, name: str) -> Report:
    """The report as that of an agent of this name, which gave up a game for this reason."""
    plain = json.dumps(report.as_json()).replace('"random"', json.dumps(name))
    found = Report.from_json(json.loads(plain))
    standings = tuple(replace(one, forfeits=1) for one in found.standings)
    return replace(found, standings=standings, forfeits=(Forfeited(name, 0, 0, name),))


def check(shown: str, words: str) -> None:
    """No hidden character is shown, and what could be read as markup stands there as it was."""
    assert not any(is_hidden(sign) for sign in shown if sign != "\n")
    flat = "".join(shown.split())
    for sign in READ:
        assert sign not in words or sign in flat


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_on_the_terminal(words: str, report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = named(report, words)
    check(printed(lambda console: say(words, console)), words)
    check(printed(lambda console: console.print(words), PlainConsole), words)
    check(printed(lambda console: show.print_report(hostile, console)), words)

    def fail(error: Exception) -> None:
        raise error

    with pytest.raises(typer.Exit), output.plain_errors():
        fail(ValueError(words))
    said = capsys.readouterr().out
    assert said.startswith("error: a")
    assert len(said) < 20_000
    check(said, words)


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_beside_a_bar(words: str) -> None:
    def write(console: Console) -> None:
        with progress_bar(console) as bar:
            named_tasks(bar, bar.add_task(""), words)("task", 1, 2)
            (task,) = bar.tasks
            assert not any(map(is_hidden, task.description))
            assert len(task.description) <= 80
            bar.refresh()

    for sign in (":m:", "[bold]", "[/]"):
        assert sign not in words or sign in printed(write)
    printed(write)


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_in_notebooks_and_pages(words: str, report: Report) -> None:
    html = [
        named(report, words)._repr_html_(),
        html_table([words], [[words]]),
        html_facts({words: words}),
        html_lines([words]),
        html_text(words),
    ]
    for shown in html:
        assert "<script>" not in shown
        assert not any(is_hidden(sign) for sign in shown if sign != "\n")
    table = markdown_table(["x", words], [[words, "y"]])
    assert len(table.splitlines()) == 3
    assert not any(is_hidden(sign) for sign in table if sign != "\n")
    for line in (markdown_words(words), markdown_code(words)):
        assert not any(map(is_hidden, line))
    assert "<" not in markdown_words(words)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("[a](http://x)", r"[a\](http://x)"),
        ("[a][b]: c", r"[a\][b\]: c"),
        ("`a` *b* _c_", r"\`a\` \*b\* \_c\_"),
        ("go_dig_v0 0.5 [0.4, 0.6]", "go_dig_v0 0.5 [0.4, 0.6]"),
    ],
)
def test_markdown_has_no_meaning(words: str, shown: str) -> None:
    assert markdown_words(words) == shown


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_in_pictures(words: str, report: Report, tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    show.draw(named(report, words), tmp_path / "report.svg")
    assert (tmp_path / "report.svg").stat().st_size > 1000


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_in_what_commands_refuse(words: str) -> None:
    for arguments in (
        ["describe", words],
        ["play", "go_dig_v0", "--agents", f"human,{words}"],
        ["play", "go_dig_v0", "-o", f"{words}={words}"],
        ["play", "go_dig_v0", "--load", f"/nowhere/{words}"],
        ["arena", "go_dig_v0", "--agents", f"random,{words}", "--games", "2"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 2
        assert not any(is_hidden(sign) for sign in result.output if sign != "\n")
