"""Printing for all commands: the console, progress bars, results in files, and errors in one
line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress

from dig_envs.arena.json_form import to_text
from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.text import console as terminal
from dig_envs.text.console import PlainConsole

console = PlainConsole()


def say(text: str, to: Console = console) -> None:
    """Print a text as it is."""
    terminal.say(text, to)


@contextmanager
def plain_errors() -> Iterator[None]:
    """End a command with bad input by one line that says what was wrong, not by a traceback."""
    try:
        yield
    except (DigEnvsError, ValueError, ImportError, OSError) as error:
        terminal.say(f"error: {error}", console, "red")
        raise typer.Exit(2) from None


def progress_bar() -> Progress:
    """A bar that says how far something is, where there is somebody to see it."""
    return terminal.progress_bar(console)


def write_json(path: Path | None, value: Any) -> None:
    """Write a result where that is asked for."""
    if path is not None:
        path.write_text(to_text(value), encoding="utf-8")
