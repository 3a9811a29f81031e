"""The terminal: nothing that comes from outside is read as markup there, or moves the cursor."""

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from dig_envs.engine.core.texts import escaped_text

LONGEST = 10_000  # characters of a text that is printed as a line


class PlainConsole(Console):
    """A console that reads no text as markup or emoji, and writes hidden characters as escapes."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """A text with its hidden characters as escapes."""
        return super().render_str(escaped_text(text), **settings)


def say(text: str, console: Console, style: str = "") -> None:
    """Print a text as it is, on any console; of a very long one the beginning."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}…"
    console.print(Text(escaped_text(text), style), soft_wrap=True)


def progress_bar(console: Console) -> Progress:
    """A progress bar, shown only on a terminal."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
