"""Options, output and errors that the commands of trainings have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from .settings import Settings, load_settings

GameName = Annotated[str, typer.Argument(metavar="GAME", help="the game, such as fossil_canyon")]
Minutes = Annotated[
    float | None,
    typer.Option(help="how long at most, but for compiling at first use; without --minutes and --steps: as the settings say"),
]
Steps = Annotated[int | None, typer.Option(help="train for so many decisions of the learner, rounded up to complete legs")]
Seed = Annotated[int, typer.Option(help="seed of all random numbers")]
RunFolder = Annotated[Path | None, typer.Option(help="folder of the run; one that was interrupted goes on")]
Name = Annotated[str, typer.Option(help="name of the policy")]
Out = Annotated[Path | None, typer.Option(help="folder of the policy; default policies/<game>/<name>")]
SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", help="TOML file; WORD: training/settings/<game>_WORD.toml; default: training/settings/<game>.toml"),
]
Changes = Annotated[list[str] | None, typer.Option("--set", help="change a setting: name=value")]
Games = Annotated[int, typer.Option(min=1, help="games in each line of the final evaluation, if the minutes are enough")]
ProcessorTime = Annotated[
    bool,
    typer.Option(help="count minutes of this process's processor time, not of the clock: to compare trainings on a busy machine"),
]
Device = Annotated[str | None, typer.Option(help="device of PyTorch: cpu, cuda, …; default: the setting")]
Threads = Annotated[
    int | None, typer.Option(min=0, help="threads that learn or search side by side, 0: one for each core; default: the setting")
]
BFloat16 = Annotated[
    bool | None,
    typer.Option(
        "--bfloat16/--float32", help="compute in bfloat16 where the processor or GPU has it, or never; default: the setting"
    ),
]


def wide_console() -> Console:
    """Return the terminal; where the output goes to a file, one with lines long enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=120)


console = wide_console()


@contextmanager
def plain_errors(advice: Callable[[], str] = lambda: "") -> Iterator[None]:
    """Say in one line what is wrong, instead of a traceback, or that the user has interrupted; then what can be done."""
    try:
        yield
    except (ValueError, ImportError, OSError) as error:
        console.print(f"[red]error:[/red] {escape(str(error))}{escape(advice())}", highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        console.print(f"interrupted{escape(advice())}", highlight=False, soft_wrap=True)
        raise typer.Exit(130) from None


def read_settings(
    game: str, file: Path | None, changes: list[str] | None, device: str | None, threads: int | None, bfloat16: bool | None
) -> Settings:
    """Return the settings of a game as the command line changes them.

    Raises:
        ValueError: as :func:`training.settings.load_settings`.
    """
    on_command: dict[str, Any] = {"device": device, "threads": threads, "bfloat16": bfloat16}
    return replace(load_settings(game, file, changes), **{name: value for name, value in on_command.items() if value is not None})
