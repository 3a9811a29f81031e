"""The table of ratings in ``policies/README.md``, made from the reports of arenas that are kept beside the policies:

    dig-envs arena fossil_canyon_v0 --agents random,heuristic --games 1000 --json policies/fossil_canyon/ratings.json
    python -m training.ratings

A game's tables stand between ``<!-- ratings: fossil_canyon -->`` and ``<!-- end of ratings: fossil_canyon -->``, one for each
``policies/fossil_canyon/ratings*.json``, in the order of their names; a game that the README lacks is added at its end.
``python -m training.ratings --play`` plays the arenas of all kept reports again first, with the agents as they are now.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from dig_envs.arena import run
from dig_envs.arena.report import Report
from dig_envs.arena.show import as_markdown
from dig_envs.engine.core.errors import ArenaError
from dig_envs.registry import load_game
from dig_envs.text.markdown import with_part

from .console import plain_errors

POLICIES = Path(__file__).parent.parent / "policies"
KEPT = "*/ratings*.json"

app = typer.Typer(add_completion=False)


def read_reports(policies: Path) -> dict[str, list[Report]]:
    """Return the kept reports of each game that has any; ArenaError, naming the file, if one is damaged or of another game."""
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


def with_ratings(text: str, reports: dict[str, list[Report]]) -> str:
    """Return the text of a README with the tables of all games renewed."""
    for game, entries in reports.items():
        name = f"ratings: {game}"
        if f"<!-- {name} -->" not in text:
            text = f"{text.rstrip()}\n\n### {load_game(game).title}\n\n<!-- {name} --><!-- end of {name} -->\n"
        text = with_part(text, name, "\n\n".join(["", *(as_markdown(report) for report in entries), ""]))
    return text


def play_again(path: Path, workers: int) -> None:
    """Play the arena of a kept report again and keep the new report in its place."""
    old = Report.from_json(json.loads(path.read_text(encoding="utf-8")))
    settings = old.settings
    new = run(
        settings["environment"],
        [agent["agent"] for agent in settings["agents"]],
        old.deals * old.games_per_deal,
        settings["seed"],
        settings["options"],
        workers=workers,
        block=settings["block"],
        anchor=old.anchor,
        tables=settings.get("form") == "tables",
        allow_unfamiliar=True,
    )
    path.write_text(json.dumps(new.as_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@app.command()
def main(
    policies: Annotated[Path, typer.Option(help="the folder with README.md and the games' folders")] = POLICIES,
    play: Annotated[bool, typer.Option("--play", help="first play the arenas of all kept reports again")] = False,
    workers: Annotated[int, typer.Option(min=1, help="processes that play")] = 1,
) -> None:
    """Renew the tables of ratings in the README of the policies."""
    path = policies / "README.md"
    with plain_errors():
        if play:
            read_reports(policies)  # all are right before the first is replaced
            for kept in sorted(policies.glob(KEPT)):
                typer.echo(f"playing {kept}")
                play_again(kept, workers)
        before = path.read_text(encoding="utf-8")
        after = with_ratings(before, read_reports(policies))
    if after == before:
        typer.echo(f"{path} is up to date")
        return
    path.write_text(after, encoding="utf-8")
    typer.echo(f"renewed {path}")


if __name__ == "__main__":
    app()
