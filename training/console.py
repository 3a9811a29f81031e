"""The console of the commands of trainings."""

from rich.console import Console

from dig_envs.text.console import PlainConsole


def wide_console() -> Console:
    """The terminal; for a file, a console with lines long enough for the tables."""
    console = PlainConsole()
    return console if console.is_terminal else PlainConsole(width=120)


console = wide_console()
