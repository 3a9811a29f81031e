"""Episodes that begin late: in the middle of games that somebody has won, a curriculum from the end backwards.

    python -m training.late_starts cretaceous_creek --agent cretaceous_creek/relations --games 4000 --out runs/won.jsonl \
        --option num_players=2 --option level=intermediate
    python -m training.train cretaceous_creek --set 'late_starts={"file": "runs/won.jsonl", "share": 0.5, "first": 10}'

The first command plays games, in which the agent has all seats, and writes down those that were won: options, seed and actions. In
the second, a share of the episodes begins in the middle of such a game, in a competitive game with the learner in a winner's seat:
at first a few decisions before its end, later anywhere (Florensa et al. 2017, *Reverse Curriculum Generation*, arXiv:1707.05300;
Salimans and Chen 2018, *Learning Montezuma's Revenge from a Single Demonstration*, arXiv:1812.03381).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import track

from dig_envs import BatchEnv
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import play_seated
from dig_envs.agents.protocol import Agent
from dig_envs.engine.core.checks import WORDS
from dig_envs.engine.core.errors import IllegalActionError, OptionError
from dig_envs.engine.core.options import parse_option
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game

from .command_options import GameName, console, plain_errors
from .files import write_atomically
from .settings import LateStartKeys

AT_ONCE = 256  # games side by side
PlayedGame = tuple[int, list[int]]  # from its deal: the seed, and all actions of all seats
app = typer.Typer(add_completion=False)


def play_and_keep_won(game: Game, agent: Agent, seeds: Sequence[int], options: Mapping[str, Any]) -> list[PlayedGame]:
    """Play a game with each seed, in which the agent has all seats; return those that somebody won and nobody gave up."""
    seating = np.zeros((len(seeds), game.complete_options(options)["num_players"]), np.int64)
    results = play_seated(game.env_name, [agent], seating, seeds, options, with_actions=True)
    given_up = {forfeit.game for forfeit in results.forfeits}
    kept = [k for k in np.flatnonzero(results.winners.any(axis=1)).tolist() if k not in given_up]
    return [(seeds[k], list(results.actions[k])) for k in kept]


# ---------------------------------------------------------------- the file


def as_text(game: Game, options: Mapping[str, Any], played: Sequence[PlayedGame]) -> str:
    """Return games as lines of JSON: the environment and its options, then seed and actions of each game."""
    lines: list[dict[str, Any]] = [{"environment": game.env_name, "options": game.complete_options(options)}]
    lines += [{"seed": seed, "actions": actions} for seed, actions in played]
    return "".join(json.dumps(line) + "\n" for line in lines)


def read_games(file: Path, game: Game) -> tuple[dict[str, Any], list[PlayedGame]]:
    """Return the options in a file, and seed and actions of its games, which :func:`replay` checks.

    Raises:
        ValueError: it is no such file, of another environment, or empty; names the line. OSError: it cannot be read.
    """
    try:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        header, *games = lines
        if header["environment"] != game.env_name:
            raise ValueError(f"its games are of {header['environment']!r}, not of {game.env_name}")
        options = game.complete_options(header["options"])
        found = [(one["seed"], one["actions"]) for one in games]
    except (KeyError, TypeError, ValueError, RecursionError, OptionError) as error:
        raise ValueError(f"{file} was not written by training.late_starts: {error}") from None
    for number, (seed, actions) in enumerate(found, 2):
        if type(seed) is not int or not 0 <= seed < WORDS:
            raise ValueError(f"{file}, line {number}: seed must be an integer from 0 to 2**64 - 1")
        if not isinstance(actions, list) or not actions or any(type(a) is not int or abs(a) >= 2**31 for a in actions):
            raise ValueError(f"{file}, line {number}: actions must be a list of integers, with one at least")
    if not found:
        raise ValueError(f"{file} has no games")
    return options, found


def replay(game: Game, options: Mapping[str, Any], games: Sequence[PlayedGame]) -> tuple[Array, Array, Array]:
    """Return the positions of games, each before one of its decisions, those of all games' ends first.

    Returns:
        Records (n,), int64 (n,) how many decisions are left, all seats counted, and bool (n, max_players) who won.

    Raises:
        ValueError: an action is illegal, a game is not over after its last action and only then, or nobody won it; with its line in
            the file.
    """
    batch = BatchEnv(game.env_name, len(games), [seed for seed, _ in games], **options)
    lengths = np.array([len(actions) for _, actions in games])
    won = np.zeros((len(games), game.max_players), np.bool_)
    states, left, numbers = [], [], []
    for count in range(int(lengths.max())):
        playing = lengths > count
        rows = np.flatnonzero(playing)
        states.append(batch.states[rows])
        left.append(lengths[rows] - count)
        numbers.append(rows)
        actions = np.array([games[k][1][min(count, lengths[k] - 1)] for k in range(len(games))])
        try:
            batch.step(actions, games=playing)
        except IllegalActionError as error:
            raise ValueError(f"action {count} of a game is not that of these rules: {error}") from None
        wrong = np.flatnonzero(playing & (batch.terminated != (lengths == count + 1)))
        if len(wrong):
            raise ValueError(f"the game in line {wrong[0] + 2} does not end with its last action")
        ended = np.flatnonzero(playing & batch.terminated)
        won[ended] = batch.final_states[ended]["winners"][:, : game.max_players] != 0
    batch.close()
    if not won.any(axis=1).all():
        raise ValueError(f"nobody won the game in line {np.argmin(won.any(axis=1)) + 2}")
    order = np.argsort(np.concatenate(left), kind="stable")
    return np.concatenate(states)[order], np.concatenate(left)[order], won[np.concatenate(numbers)[order]]


class LateStarts:
    """Positions in which episodes begin, from the end of games backwards.

    Args:
        game: what is played. keys: the setting ``late_starts``.

    Raises:
        ValueError: the file has no games of this environment, or games that go otherwise. OSError: it cannot be read.
    """

    def __init__(self, game: Game, keys: LateStartKeys) -> None:
        self.keys = keys
        self.options, games = read_games(Path(keys.file), game)
        try:
            self.states, self.left, self.won = replay(game, self.options, games)
        except ValueError as error:
            raise ValueError(f"{keys.file}: {error}") from None

    def most_left(self, share: float) -> int:
        """Return how many decisions may be left at most, when this share of the budget is used."""
        grown = min(1.0, share / self.keys.until) if self.keys.until else 1.0
        return round(self.keys.first + grown * (int(self.left[-1]) - self.keys.first))

    def draw(self, share: float, rng: np.random.Generator) -> tuple[Array, int]:
        """Return a position, a record (1,), and the seat of one who won from there on."""
        k = int(rng.integers(np.searchsorted(self.left, self.most_left(share), "right")))
        return self.states[k : k + 1], int(rng.choice(np.flatnonzero(self.won[k])))


# ---------------------------------------------------------------- the command


@app.command()
def main(
    game: GameName,
    agent: Annotated[str, typer.Option(help="who plays, in all seats")],
    out: Annotated[Path, typer.Option(help="file to be written")],
    games: Annotated[int, typer.Option(min=1, help="games to play; those that are won are written")] = 1000,
    seed: Annotated[int, typer.Option(help="of the first game; the others follow")] = 0,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="option of the environment, as name=value")] = None,
) -> None:
    """Play games and write those that were won, for episodes that begin late."""
    with plain_errors():
        rules = load_game(game)
        options = {name: values[0] for name, values in (parse_option(rules.options, words) for words in option or [])}
        player, won = load_agent(agent, rules.env_name, seed), list[PlayedGame]()
        for first in track(range(seed, seed + games, AT_ONCE), "playing", console=console):
            won += play_and_keep_won(rules, player, range(first, min(first + AT_ONCE, seed + games)), options)
        if not won:
            raise ValueError(f"{agent} won none of {games} games: play more, or with another agent")
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, as_text(rules, options, won))
        console.print(f"{out}: {len(won)} games that were won, of {games}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    app()
