"""The progress of a run: lines into a pipe, a bar on a terminal."""

from io import StringIO

from rich.console import Console

from training import reporter
from training.reporter import SECONDS_BETWEEN_LINES, Reporter


def test_lines_into_a_pipe(monkeypatch):
    """Into a pipe the reporter prints the first progress line at once and then one in ten seconds,
    and messages unabridged. The time that is left follows from how far it came since it began."""
    now = 100.0
    monkeypatch.setattr(reporter.time, "monotonic", lambda: now)
    file = StringIO()
    with Reporter(Console(file=file, width=40)) as talk:
        talk.begin(0.25)  # a run that goes on
        talk.progress(0.25, "ppo  10 steps")
        talk.progress(0.26, "ppo  11 steps")
        now += SECONDS_BETWEEN_LINES
        talk.progress(0.5, "ppo  20 steps")
        now += 50 * SECONDS_BETWEEN_LINES
        talk.progress(0.55, "ppo  22 steps")
        talk.say("from [red]runs/x[/red] " + "word " * 20)
    lines = [line.strip() for line in file.getvalue().splitlines()]
    assert lines == [
        "25%  ppo  10 steps",
        "50%  less than a minute left  ppo  20 steps",
        "55%  about 13 minutes left  ppo  22 steps",
        ("from [red]runs/x[/red] " + "word " * 20).strip(),
    ]


def test_bar_on_a_terminal():
    file = StringIO()
    with Reporter(Console(file=file, force_terminal=True, width=80)) as talk:
        talk.progress(0.5, "ppo  20 steps")
        talk.say("a line")
    assert "━" in file.getvalue()
    assert "50%" in file.getvalue()
    assert "a line" in file.getvalue()
