"""Play the arenas again whose reports are kept beside the policies, with the agents as they are
now::

    dig-envs arena fossil_canyon_v0 --agents random,heuristic --games 1000 \\
        --json policies/fossil_canyon/ratings.json
    python -m training.ratings

Each ``policies/<game>/ratings*.json`` is replaced by the new report of the same games.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from dig_envs.agents.loading import load_agent
from dig_envs.arena import run
from dig_envs.arena.report import Report
from dig_envs.commands.output import plain_errors
from dig_envs.engine.core.errors import ArenaError, PolicyMismatchError
from dig_envs.engine.core.files import write_file
from dig_envs.registry import load_game

POLICIES = Path(__file__).parent.parent / "policies"
KEPT = "*/ratings*.json"

app = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)


def read_reports(policies: Path) -> dict[str, list[Report]]:
    """The kept reports of each game that has any; raises ArenaError, naming the file, if one is
    damaged or of another game."""
    found: dict[str, list[Report]] = {}
    for path in sorted(policies.glob(KEPT)):
        try:
            report = Report.from_json(json.loads(path.read_text(encoding="utf-8")))
            game = load_game(report.settings["environment"]).name
        except (ValueError, KeyError, TypeError) as error:
            raise ArenaError(f"{path}: {error}") from None
        if game != path.parent.name:
            raise ArenaError(f"{path} is a report of {game}")
        found.setdefault(game, []).append(report)
    return found


def is_here(agent: str, environment: str) -> bool:
    """Whether an agent of a report is here; a policy may have been removed since."""
    try:
        load_agent(agent, environment)
    except PolicyMismatchError:  # it is here, and damaged
        raise
    except ValueError:
        return False
    return True


def play_again(path: Path, workers: int) -> None:
    """Play the arena of a kept report again and keep the new report in its place."""
    old = Report.from_json(json.loads(path.read_text(encoding="utf-8")))
    settings = old.settings
    new = run(
        settings["environment"],
        [
            agent["agent"]
            for agent in settings["agents"]
            if is_here(agent["agent"], settings["environment"])
        ],
        old.deals * old.games_per_deal,
        settings["seed"],
        settings["options"],
        workers=workers,
        block=settings["block"],
        anchor=old.anchor,
        tables=settings.get("form") == "tables",
        allow_unfamiliar=True,
    )
    write_file(path, json.dumps(new.as_json(), indent=1, ensure_ascii=False) + "\n")


@app.command()
def main(
    policies: Annotated[Path, typer.Option(help="the folder with the games' folders")] = POLICIES,
    workers: Annotated[int, typer.Option(min=1, help="processes that play")] = 1,
) -> None:
    """Play the arenas of all kept reports again."""
    with plain_errors():
        read_reports(policies)  # all are right before the first is replaced
        for kept in sorted(policies.glob(KEPT)):
            typer.echo(f"playing {kept}")
            play_again(kept, workers)


if __name__ == "__main__":
    app()
