"""Printing for all commands: the console, progress bars, results in files, and errors in one
line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress

from dig_envs.arena.json_form import to_text
from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.engine.core.files import (
    FULL,
    CannotWrite,
    check_writable,
    is_special,
    own_output,
    write_file,
)
from dig_envs.text import console as terminal
from dig_envs.text.console import PlainConsole

console = PlainConsole()
LONGEST_ERROR = 4000  # characters


def say(text: str, to: Console = console, style: str = "") -> None:
    """Print a text as it is."""
    terminal.say(text, to, style)


@contextmanager
def plain_errors(advice: Callable[[], str] = lambda: "") -> Iterator[None]:
    """End a command with bad input by one line that says what was wrong, not by a traceback, or say
    that the user has interrupted it; then what can be done."""
    try:
        yield
    except (DigEnvsError, ValueError, ImportError, OSError) as error:
        if (
            isinstance(error, OSError)
            and error.errno in FULL
            and not isinstance(error, CannotWrite)
        ):
            error = CannotWrite(Path(str(error.filename or "a file")), error)
        text = str(error)
        text = text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]} …"
        say(f"error: {text}{advice()}", style="red")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        say(f"interrupted{advice()}")
        raise typer.Exit(130) from None


def progress_bar() -> Progress:
    """A bar that says how far something is, where there is somebody to see it."""
    return terminal.progress_bar(console)


def check_files(*paths: Path | None) -> None:
    """Raise OSError unless files can be written there; before a long run, not after it."""
    for path in filter(None, paths):
        check_writable(_followed(path))


def write_text(path: Path | None, text: str) -> None:
    """Write a result where that is asked for; where a link leads to, if it is one."""
    if path is not None:
        write_file(_followed(path), text)


def _followed(path: Path) -> Path:
    """The path behind links; links to pipes and devices are kept, which may have no other name.
    Raises OSError if a link leads nowhere."""
    try:
        written_to = own_output(path) is not None or is_special(path)
        return path.resolve() if path.is_symlink() and not written_to else path
    except (OSError, RuntimeError) as error:  # a link to itself
        raise OSError(f"{path} cannot be written: {error}") from None


def write_json(path: Path | None, value: Any) -> None:
    """Write a result as JSON where that is asked for."""
    write_text(path, to_text(value))
