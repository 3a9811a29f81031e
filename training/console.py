"""Output and errors that the commands of trainings have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape


def wide_console() -> Console:
    """Return the terminal; where the output goes to a file, one with lines long enough for the
    tables."""
    console = Console()
    return console if console.is_terminal else Console(width=120)


console = wide_console()


@contextmanager
def plain_errors(advice: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Say in one line what is wrong, instead of a traceback, or that the user has interrupted; then
    what can be done."""
    try:
        yield
    except (ValueError, ImportError, OSError) as error:
        console.print(
            f"[red]error:[/red] {escape(str(error))}{escape(advice())}",
            highlight=False,
            soft_wrap=True,
        )
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        console.print(f"interrupted{escape(advice())}", highlight=False, soft_wrap=True)
        raise typer.Exit(130) from None
