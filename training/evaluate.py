"""Play many games between named agents and say how they did, with 95 % intervals:

    python -m training.evaluate --env cretaceous_creek_v0 --agents heuristic --games 2000 --sweep level=beginner,intermediate

Several ``--agents`` options give several line-ups; in each, the names stand for the seats, and one name plays all of them.
With ``--curve RUN --out curve.png`` it draws the learning curve of a training run.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from dig_envs.agents.loading import load_agent, load_agents
from dig_envs.agents.matches import Interval, play_games
from dig_envs.agents.protocol import Agent
from dig_envs.engine.game import Game
from dig_envs.registry import load_game
from training.checkpoints import write_atomically
from training.curve import draw_curve

console = Console()
app = typer.Typer(add_completion=False)


def as_json(interval: Interval) -> dict[str, float]:
    """A mean with its 95 % interval."""
    return {"mean": round(interval.mean, 5), "low": round(interval.low, 5), "high": round(interval.high, 5)}


def evaluate_policy(
    game: Game, agent: Agent, games: int, options: Mapping[str, Any], opponent: str = "random", seed: int = 0
) -> dict[str, Any]:
    """How an agent does: in every seat of a cooperative game, else in turn in each seat against copies of an opponent.

    Returns:
        ``games``, ``win_rate``, ``score`` and ``length`` (of an episode, in actions), the last three with ``mean``, ``low``
        and ``high`` of the 95 % interval.
    """
    seats = int(game.complete_options(options)["num_players"])
    if game.cooperative:
        players = [agent] * seats
    else:
        other = load_agent(opponent, game.env_name, seed)
        players = [agent] + [other] * (seats - 1)
    return line_up(game.env_name, players, games, seed, options)[agent.name]


def line_up(name: str, players: list[Agent], games: int, seed: int, options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Play games between the agents, which change seats from game to game; results by the agent's name."""
    results = play_games(name, players, games, seed, options, rotate=True)
    lengths = results.lengths.astype(float)
    half = 1.96 * float(lengths.std(ddof=1)) / len(lengths) ** 0.5 if len(lengths) > 1 else 0.0
    mean = float(lengths.mean())
    return {
        agent: {
            "games": games,
            "win_rate": as_json(results.win_rate(k)),
            "score": as_json(results.score(k)),
            "length": {"mean": round(mean, 2), "low": round(mean - half, 2), "high": round(mean + half, 2)},
        }
        for k, agent in enumerate(results.names)
    }


def parse_option(text: str, game: Game) -> tuple[str, list[Any]]:
    """``name=value,value…`` with the values as the game's option has them; raises ValueError."""
    name, sign, values = text.partition("=")
    known = {option.name: option for option in game.options}
    if not sign or name not in known:
        raise ValueError(f"option {text!r}: write name=value with one of {', '.join(known)}")
    by_text = {str(value): value for value in known[name].values}
    wrong = [value for value in values.split(",") if value not in by_text]
    if wrong:
        raise ValueError(f"{name} cannot be {', '.join(wrong)}: one of {', '.join(by_text)}")
    return name, [by_text[value] for value in values.split(",")]


def combinations(game: Game, options: list[str], sweeps: list[str]) -> list[dict[str, Any]]:
    """The sets of options to play: the fixed ones with every combination of the swept ones."""
    cases: list[dict[str, Any]] = [{}]
    for text in options:
        name, values = parse_option(text, game)
        if len(values) != 1:
            raise ValueError(f"--option {text}: one value; several go with --sweep")
        cases = [{**case, name: values[0]} for case in cases]
    for text in sweeps:
        name, values = parse_option(text, game)
        cases = [{**case, name: value} for case in cases for value in values]
    return cases


def print_table(rows: list[dict[str, Any]]) -> None:
    """One line per options and agent."""
    table = Table("options", "line-up", "agent", "games", "win rate", "score", "length")
    for row in rows:
        options = ", ".join(f"{k}={v}" for k, v in row["options"].items()) or "default"
        table.add_row(
            options,
            ",".join(row["line_up"]),
            row["agent"],
            str(row["games"]),
            *("{mean:.3f} [{low:.3f}, {high:.3f}]".format(**row[key]) for key in ("win_rate", "score")),
            f"{row['length']['mean']:.1f}",
        )
    console.print(table)


@app.command()
def main(
    env: Annotated[str, typer.Option(help="the environment, such as cretaceous_creek_v0")] = "cretaceous_creek_v0",
    agents: Annotated[list[str] | None, typer.Option(help="a line-up, such as heuristic,random; repeat for several")] = None,
    games: Annotated[int, typer.Option(min=1, help="number of games for each line of the table")] = 1000,
    seed: Annotated[int, typer.Option(help="of the first game; the others follow")] = 0,
    option: Annotated[list[str] | None, typer.Option(help="an option of the game: name=value")] = None,
    sweep: Annotated[list[str] | None, typer.Option(help="an option with several values: name=value,value")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="write the results there")] = None,
    curve: Annotated[Path | None, typer.Option(help="folder of a training run whose learning curve to draw")] = None,
    out: Annotated[Path, typer.Option(help="the picture of the learning curve")] = Path("curve.png"),
) -> None:
    """Win rates and scores of agents with 95 % intervals (Wilson), or the learning curve of a training run."""
    try:
        if curve is not None:
            if not (curve / "metrics.jsonl").exists():
                raise ValueError(f"{curve} is no training run: it has no metrics.jsonl")
            draw_curve(curve, out, curve.name)
            console.print(f"learning curve: {out}")
            if agents is None:
                return
        game = load_game(env)
        rows = []
        for options in combinations(game, option or [], sweep or []):
            seats = int(game.complete_options(options)["num_players"])
            for names in agents or ["random", "heuristic"]:
                players = load_agents(names, game.env_name, seats, seed)
                if len(names.split(",")) == 1:
                    players = [players[0]] * seats
                for agent, result in line_up(game.env_name, players, games, seed, options).items():
                    rows.append({"options": options, "line_up": names.split(","), "agent": agent, **result})
    except (ValueError, KeyError, ImportError) as error:
        console.print(f"[red]error:[/red] {error}")
        raise typer.Exit(2) from None
    print_table(rows)
    if json_file is not None:
        write_atomically(json_file, json.dumps({"environment": game.env_name, "seed": seed, "results": rows}, indent=1) + "\n")


if __name__ == "__main__":
    app()
