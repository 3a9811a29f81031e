"""Options that the commands of trainings have in common."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .settings import Settings, load_settings

Minutes = Annotated[float | None, typer.Option(help="how long, the final evaluation included; default: the settings' minutes")]
Steps = Annotated[
    int | None, typer.Option(help="train for so many decisions of the learner, rounded up to complete legs (repeatable)")
]
Seed = Annotated[int, typer.Option(help="of everything random")]
RunFolder = Annotated[Path | None, typer.Option(help="folder of the run; one that was interrupted goes on")]
Name = Annotated[str, typer.Option(help="of the policy")]
Out = Annotated[Path | None, typer.Option(help="folder of the policy; default policies/<game>/<name>")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="TOML file; default training/settings/<game>.toml")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="change a setting: name=value")]
Games = Annotated[int, typer.Option(min=1, help="in each line of the final evaluation, if the minutes are enough")]
ProcessorTime = Annotated[
    bool,
    typer.Option(help="count minutes of this process's processor time, not of the clock: to compare trainings on a busy machine"),
]
Device = Annotated[str | None, typer.Option(help="of PyTorch: cpu, cuda, …; default: the setting")]
Threads = Annotated[
    int | None, typer.Option(min=0, help="of PyTorch, and games that are searched side by side; 0: all; default: the setting")
]
BFloat16 = Annotated[
    bool, typer.Option("--bfloat16", help="compute in bfloat16: faster on processors with AVX512-BF16 or AMX, slower on others")
]


def read_settings(
    game: str, file: Path | None, changes: list[str] | None, device: str | None, threads: int | None, bfloat16: bool
) -> Settings:
    """Return the settings of a game as the command line changes them.

    Raises:
        ValueError: as :func:`training.settings.load_settings`.
    """
    on_command: dict[str, Any] = {"device": device, "threads": threads, "bfloat16": bfloat16 or None}
    return replace(load_settings(game, file, changes), **{name: value for name, value in on_command.items() if value is not None})
