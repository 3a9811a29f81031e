"""The console of the commands of trainings."""

from rich.console import Console


def wide_console() -> Console:
    """Return the terminal; where the output goes to a file, one with lines long enough for the
    tables."""
    console = Console()
    return console if console.is_terminal else Console(width=120)


console = wide_console()
