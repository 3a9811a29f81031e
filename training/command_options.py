"""Options that the commands of trainings have in common."""

from pathlib import Path
from typing import Annotated

import typer

Minutes = Annotated[float | None, typer.Option(help="how long, the final evaluation included; default: the settings' minutes")]
Steps = Annotated[
    int | None, typer.Option(help="train for so many decisions of the learner, rounded up to whole legs (repeatable)")
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
