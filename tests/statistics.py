"""Statistics of random and scripted play for each number of players, as a Markdown table, from
which the section *Statistics* of a game's README is made:

    python -m tests.statistics cretaceous_creek_v0 --games 2000

All seats are played alike, and nobody changes seats, so that what the seats win says what a seat is
worth.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import typer

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Results, mean_interval, play_games, wilson
from dig_envs.commands.output import plain_errors
from dig_envs.engine.game import Game
from dig_envs.registry import load_game
from dig_envs.text.markdown import markdown_table
from training.evaluate import combinations

AGENTS = ("random", "heuristic")

app = typer.Typer(add_completion=False)


def spread(values: np.ndarray[Any, Any], digits: int) -> str:
    """Return a mean with the range in which the middle 90 % lie, such as ``142 (98–201)``."""
    low, high = np.quantile(values, [0.05, 0.95], method="nearest")
    return f"{np.mean(values):.{digits}f} ({low:.0f}–{high:.0f})"


def table_row(results: Results, seats: int, player: str, cooperative: bool) -> dict[str, str]:
    """Return a row of the table for games without changes of seats: one cell for each column."""
    games = len(results.lengths)
    scores, winners = results.scores[:, :seats], results.winners[:, :seats]
    row = {
        "players": str(seats),
        "played by": player,
        "games": str(games),
        "actions per game": spread(results.lengths, 0),
        "score": spread(scores.mean(axis=1) if cooperative else scores.ravel(), 2),
    }
    if cooperative:
        return {**row, "won": wilson(int(winners.any(axis=1).sum()), games).percent()}
    won = winners.any(axis=1)
    best = mean_interval(np.where(winners, scores, 0.0).sum(axis=1)[won] / winners.sum(axis=1)[won])
    return {
        **row,
        "winning score": f"{best.mean:.2f}" if won.any() else "–",
        "won by seat": ", ".join(
            f"{100 * share:.1f} %" for share in results.won[:, :seats].mean(axis=0)
        ),
        "several winners": wilson(int((winners.sum(axis=1) > 1).sum()), games).percent(),
        "turn limit": wilson(int(results.truncated.sum()), games).percent(),
    }


def play(
    game: Game,
    agents: Sequence[str],
    games: int,
    seed: int,
    options: Mapping[str, Any],
    players: Sequence[int],
) -> list[dict[str, str]]:
    """Return one row of the table for each number of players and each agent."""
    rows = []
    for seats in players:
        for name in agents:
            team = [load_agent(name, game.env_name, seed)] * seats
            results = play_games(
                game.env_name, team, games, seed, {**options, "num_players": seats}
            )
            rows.append(table_row(results, seats, team[0].name, game.cooperative))
    return rows


def as_markdown(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the rows as a Markdown table."""
    columns = list(rows[0])
    return markdown_table(columns, [[row[column] for column in columns] for row in rows])


def player_counts(game: Game, options: Mapping[str, Any]) -> list[int]:
    """Return the numbers of players that go with the options."""
    counts = []
    for seats in range(game.min_players, game.max_players + 1):
        try:
            game.complete_options({**options, "num_players": seats})
        except ValueError:
            continue
        counts.append(seats)
    return counts


@app.command()
def main(
    env: Annotated[str, typer.Argument(help="the environment, such as cretaceous_creek_v0")],
    games: Annotated[
        int, typer.Option(min=1, help="number of games for each line of the table")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="seed of the first game; the others follow")] = 0,
    agents: Annotated[str, typer.Option(help="names of agents, separated by commas")] = ",".join(
        AGENTS
    ),
    option: Annotated[
        list[str] | None, typer.Option(help="an option of the game: name=value")
    ] = None,
) -> None:
    """Print how long games are, how they are scored and won, for each number of players, as
    Markdown."""
    with plain_errors():
        game = load_game(env)
        options = combinations(game, option or [], [])[0]
        players = (
            [options.pop("num_players")]
            if "num_players" in options
            else player_counts(game, options)
        )
        rows = play(game, agents.split(","), games, seed, options, players)
    print(as_markdown(rows))


if __name__ == "__main__":
    app()
