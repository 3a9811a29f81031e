"""Train a policy for the zoo by imitation and masked PPO, from the command line:

    dig-envs train cretaceous_creek --minutes 60 --name mine
    dig-envs train fossil_canyon

A run lives in a folder (``runs/<game>-<name>-seed<seed>`` unless --run says otherwise). The same
command again goes on with one that was interrupted, from its last checkpoint (``training/run.py``).
Several processes at once, for GPUs or cores: ``training/processes.py``.
At the end the best network becomes ``policies/<game>/<name>``, with a card (``training/card.py``);
then the run is finished, and the same command refuses to begin it again. The algorithm alone, in
one file: ``training/ppo.py``.
"""

import json
import shlex
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from dig_envs.agents.loading import load_agent
from dig_envs.agents.onnx import read_card
from dig_envs.agents.zoo import holds_policy, policy_folder
from dig_envs.commands.output import plain_errors
from dig_envs.engine.core.checks import check_seed, shown_in_message
from dig_envs.engine.core.files import check_file_name, write_file
from dig_envs.engine.game import Game
from dig_envs.registry import load_game

from .budget import Budget
from .card import FINISHED, command_line, export, history_of, kept_by, name_of
from .cells import make_cells
from .checkpoints import KEPT, list_checkpoints
from .console import console
from .evaluate import combinations
from .export import read_network
from .files import check_can_write, check_out, locked, remove_drafts, remove_drafts_of
from .interrupt import at_sigterm
from .learner import choose_device
from .processes import FirstPart, follow, heeding_others, joined
from .reporter import Reporter
from .run import Part, Run
from .settings import MAY_CHANGE, Settings, load_settings

app = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)


def check_settings(game: Game, settings: Settings) -> None:
    """Raise ValueError for settings that do not go with the game, before a run's folder is made."""
    for options in settings.games:
        game.complete_options(options)
    choose_device(settings.device)
    cells = make_cells(game, settings)
    combinations(game, [], settings.evaluation_sweep)
    if any(text.startswith("num_players") for text in settings.evaluation_sweep):
        raise ValueError(
            "evaluation_sweep cannot change num_players: a policy plays the numbers of players of "
            "[[games]]"
        )
    for name in (
        *settings.fixed_opponents,
        *([settings.warm_start] if settings.warm_start else []),
    ):
        load_agent(name, game.env_name)
    if settings.start_from:
        network = read_network(policy_folder(settings.start_from, game), game, cells)
        if network.layers != settings.layers:
            raise ValueError(
                f"start_from: {settings.start_from} has other layers: {network.layers}, not "
                f"{settings.layers}"
            )


def size_of_run(game: Game, settings: Settings) -> int:
    """The approximate size of a run's folder in bytes: checkpoints (weights and optimizer),
    snapshots, logs."""
    sizes = [game.observation_size, *settings.layers, len(game.actions)]
    network = 4 * sum(a * b for a, b in zip(sizes, sizes[1:], strict=False))
    return network * (3 * (KEPT + 2) + settings.pool_size + 2) + 10_000_000


def check_same_run(folder: Path, wanted: dict[str, Any]) -> None:
    """Raise ValueError if the folder holds another run."""
    path = folder / "run.json"
    if not path.exists():
        return
    try:
        there, now = _flat(json.loads(path.read_text())), _flat(wanted)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path} is damaged. Choose another folder with --run") from None
    if there["processes"] != now["processes"]:
        raise ValueError(
            f"{folder} was begun with processes: {there['processes']}; it goes on only with as "
            f"many, not with {now['processes']}. Start so many (training/processes.py), or choose "
            "another --name"
        )
    different = [
        f"{key} is {shown_in_message(there.get(key))}, asked for {shown_in_message(value)}"
        for key, value in now.items()
        if there.get(key) != value
    ]
    if different:
        another = (
            "another run, which is finished" if (folder / FINISHED).exists() else "another run"
        )
        advice = "Choose another --name. If you gave --run, choose another folder there, too"
        raise ValueError(f"{folder} holds {another}: {'; '.join(different)}. {advice}")


def check_unfinished(folder: Path, target: Path, start_from: Path | None) -> None:
    """Raise ValueError if there is a policy already: of this run, which is finished then, or of one
    that it does not start from."""
    if not holds_policy(target):
        return
    advice = "To train another one, choose another --name and --seed"
    own = kept_by(folder, target)
    if (folder / FINISHED).exists():
        if not holds_policy(own):
            raise ValueError(f"the run in {folder} is finished, and lacks its policy. {advice}")
        if _weights_of(own) == _weights_of(target):
            own = target
            advice += f"; to train this one anew, remove {shlex.join([str(folder), str(target)])}"
        raise ValueError(f"the run in {folder} is finished: its policy is {own}. {advice}")
    if start_from is None or start_from.resolve() != target.resolve():
        raise ValueError(f"{target} is there already, the policy of another run. {advice}")


def _weights_of(policy: Path) -> Any:
    return read_card(policy)["weights_sha256"]


def _flat(run: dict[str, Any]) -> dict[str, Any]:
    """The identity of a run, its settings one by one; later settings have their defaults."""
    identity = {key: run.get(key) for key in ("environment", "seed", "steps", "policy")}
    identity["processes"] = run.get("processes", 1)
    settings = {**Settings.of().as_dict(), **run["settings"]}
    return identity | {key: value for key, value in settings.items() if key not in MAY_CHANGE}


def open_run(folder: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    """The content of ``run.json``, written if the run is new; raises ValueError if the folder
    belongs to another run."""
    check_same_run(folder, wanted)
    path = folder / "run.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(wanted, indent=1))
    noted: dict[str, Any] = json.loads(path.read_text())
    return noted


def how_to_go_on(folder: Path) -> str:
    """Words about what an interrupted run has saved."""
    saved = list_checkpoints(folder)
    return (
        f"; the same command goes on from {saved[-1]}"
        if saved
        else "; nothing was saved yet: the same command begins anew"
    )


@app.command()
def main(
    game_name: Annotated[
        str, typer.Argument(metavar="GAME", help="the game, such as fossil_canyon")
    ],
    minutes: Annotated[
        float | None,
        typer.Option(
            help=(
                "how long at most, but for compiling at first use; without --minutes and --steps: "
                "as the settings say"
            )
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="train for so many decisions, rounded up to complete legs")
    ] = None,
    seed: Annotated[int, typer.Option(help="seed of all random numbers")] = 0,
    run: Annotated[
        Path | None, typer.Option(help="folder of the run; one that was interrupted goes on")
    ] = None,
    name: Annotated[str, typer.Option(help="name of the policy")] = "mine",
    out: Annotated[
        Path | None, typer.Option(help="folder of the policy; default policies/<game>/<name>")
    ] = None,
    settings_file: Annotated[
        Path | None,
        typer.Option(
            "--settings",
            help=(
                "TOML file, or WORD for training/settings/<game>_WORD.toml or WORD.toml; default: "
                "<game>.toml"
            ),
        ),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="change a setting: name=value")
    ] = None,
    games: Annotated[
        int,
        typer.Option(min=1, help="games in each line of the final evaluation, if there is time"),
    ] = 2000,
    device: Annotated[
        str | None, typer.Option(help="device of PyTorch: cpu, cuda, …; default: the setting")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=0, help="threads that learn, 0: one for each core; default: the setting"),
    ] = None,
    bfloat16: Annotated[
        bool | None,
        typer.Option(
            "--bfloat16/--float32",
            help="compute in bfloat16 where there is hardware for it; default: the setting",
        ),
    ] = None,
    processor_time: Annotated[
        bool,
        typer.Option(
            help=(
                "count minutes of this process's processor time: to compare trainings on a busy "
                "machine"
            )
        ),
    ] = False,
) -> None:
    """Train a policy by masked PPO, evaluate it, and save it as an opponent (or teammate)."""
    # the learner has threads of its own, and beside a GPU there is too little to divide
    torch.set_num_threads(1)
    with plain_errors(), at_sigterm(), joined() as team:
        if team and team.rank:
            with plain_errors():
                follow(team)
            return
        with plain_errors():
            game = load_game(game_name)
            settings = load_settings(game.name, settings_file, changes)
            given: dict[str, Any] = {"device": device, "threads": threads, "bfloat16": bfloat16}
            settings = replace(
                settings, **{key: value for key, value in given.items() if value is not None}
            )
            check_settings(game, settings)
            if team:
                team.check_shares(settings)
            budget = Budget(steps, minutes, time.process_time if processor_time else time.monotonic)
            if budget.minutes is None and budget.steps is None:
                budget.minutes, budget.steps = settings.minutes or None, settings.steps or None
            if budget.minutes is None and budget.steps is None:
                raise ValueError("say how long to train: --minutes, --steps, or both")
            if budget.minutes == 0:
                raise ValueError("the time to train must be more than 0")
            check_seed(seed)
            check_file_name(name, "the policy's name")
            target = out or Path("policies") / game.name / name
            folder = run or Path("runs") / f"{game.name}-{target.name}-seed{seed}"
            check_out(target)
            wanted = {
                "environment": game.env_name,
                "seed": seed,
                "settings": settings.as_dict(),
                "steps": budget.steps,
            }
            wanted |= {"policy": name_of(target), "history": history_of(settings, game.env_name)}
            wanted["processes"] = team.count if team else 1
            check_same_run(folder, wanted)
            check_unfinished(
                folder,
                target,
                policy_folder(settings.start_from, game) if settings.start_from else None,
            )
            check_can_write(folder, size_of_run(game, settings))
        with plain_errors(), locked(folder):
            noted = open_run(folder, wanted)
            remove_drafts(folder)
            remove_drafts_of(target.resolve())
            begun = False  # before, nothing else comes of the same command
            with plain_errors(lambda: how_to_go_on(folder) if begun else ""):
                with Reporter(console) as reporter, heeding_others() if team else nullcontext():
                    part = (
                        FirstPart(team, game, settings, seed)
                        if team
                        else Part(game, settings, seed)
                    )
                    training = Run(part, folder, settings, budget, reporter)
                    training.begin()
                    begun = True
                    training.train()
                command = f"{team.command} {command_line()}" if team else command_line()
                export(training, target, command, games, noted.get("history", []))


if __name__ == "__main__":
    sys.exit("the command is: dig-envs train")
