"""The progress of a run: a bar on a terminal, plain lines now and then where the output goes
elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from dig_envs.text.console import say

SECONDS_BETWEEN_LINES = 10.0


def time_left(seconds: float) -> str:
    """How long something still takes, in words."""
    if seconds < 60:
        return "less than a minute left"
    if seconds < 90 * 60:
        minutes = round(seconds / 60)
        return f"about {minutes} minute{'s' * (minutes > 1)} left"
    return f"about {seconds / 3600:.1f} hours left"


class Reporter:
    """Shows the progress of a run on a console, as a context manager."""

    def __init__(self, console: Console) -> None:
        self.console = console
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:.0f}%"),
            TimeElapsedColumn(),
        )
        self._bar = Progress(*columns, console=console) if console.is_terminal else None
        self._task = self._bar.add_task("", total=1.0) if self._bar is not None else None
        self._last_line = float("-inf")
        self.begin(0.0)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, share: float) -> None:
        """Note that the run goes on now, from so far, 0 to 1."""
        self._began, self._first = time.monotonic(), share

    def progress(self, share: float, words: str) -> None:
        """Show how far the run is, 0 to 1, how long it will still take, and what it does."""
        now = time.monotonic()
        if share > self._first:
            left = (now - self._began) * (1 - share) / (share - self._first)
            words = f"{time_left(left)}  {words}"
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=share, description=words)
        elif now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            self.say(f"{share:4.0%}  {words}")

    def say(self, words: str, style: str | None = None) -> None:
        """Print a line that stays, at once, also into a pipe."""
        say(words, self.console, style or "")
        self.console.file.flush()
