"""Output and errors that the commands of trainings have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from dig_envs.text.console import PlainConsole, say


def wide_console() -> Console:
    """Return the terminal; where the output goes to a file, one with lines long enough for the
    tables."""
    console = PlainConsole()
    return console if console.is_terminal else PlainConsole(width=120)


console = wide_console()


@contextmanager
def plain_errors(advice: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Say in one line what is wrong, instead of a traceback, or that the user has interrupted; then
    what can be done."""
    try:
        yield
    except (ValueError, ImportError, OSError) as error:
        say(f"error: {error}{advice()}", console, "red")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        say(f"interrupted{advice()}", console)
        raise typer.Exit(130) from None
