"""The levels for people: chooses their players, and measures how strong they are:
``python -m dig_envs.arena.levels go_dig_v0``.

``hard`` is the scripted player, or the one that the game names for people
(``Game.player_for_people``). ``medium`` is one that is as careless as it takes to have about a
quarter of the points against ``hard``; ``easy`` the same against ``medium``. ``medium`` makes
mistakes in half of its decisions at most. Where games may end without a winner, ``easy`` is so
careless at most that about one in 100 of its games against itself does, and ``medium`` half as
much. Then these and ``best`` meet in an arena on other deals, and what comes out is written to
``policies/<game>/players.json``, with who is the best. In a cooperative game ``medium`` and
``easy`` win two thirds and one third of the games that the scripted player wins. All games have the
options with which people play. No level does anything grave (:mod:`dig_envs.engine.core.grave`).
"""

import argparse
import json
import platform
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from dig_envs.agents.best import strongest
from dig_envs.agents.careless import careless_name
from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Interval, play_games
from dig_envs.agents.measured import PLAYERS, PLAYERS_FORMAT, parse_players, read_file
from dig_envs.agents.names import LEVELS
from dig_envs.arena.entrants import describe_agent
from dig_envs.arena.report import Report
from dig_envs.arena.report import points_of as points_in_arena
from dig_envs.arena.results import UnitResult
from dig_envs.arena.tournament import run
from dig_envs.engine.core.files import write_file
from dig_envs.engine.core.options import defaults_for_people
from dig_envs.engine.game import Game
from dig_envs.registry import list_environments, load_game

SHARE = 0.25  # the share of the points that a level is to win against the next one
STEPS = 6  # of the bisection for a level's share of mistakes
COARSE = 0.01  # to multiples of which the share is rounded
# of the deals on which players are chosen; they are measured on those from twice that on
SEED = 3_000_000
MOST_UNDECIDED = 0.01  # share of the games of ``easy`` among itself


def halve(too_strong: Callable[[float], bool], low: float, high: float) -> float:
    """The least carelessness, to :data:`COARSE`, with which a player is not too strong any
    more, at most ``high``."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        if too_strong(middle):
            low = middle
        else:
            high = middle
    return round(round(high / COARSE) * COARSE, 2)


def options_for_people(game: Game) -> dict[str, Any]:
    """All options of a game, as people play it."""
    return game.complete_options(defaults_for_people(game.options))


def best_of(game: Game) -> dict[str, str]:
    """The best player for people: ``agent``, its name, and ``weights_sha256`` if it is a policy."""
    name = strongest(game, options_for_people(game))
    return describe_agent(name, load_agent(name, game.env_name))


def points_of(game: Game, careless: float, against: float, games: int) -> float:
    """The share of the points that a player takes from a less careless one, as an arena counts
    them; for a team, the share of its games that it wins."""
    names = [careless_name(game, share) for share in (careless, against)]
    players = [load_agent(name, game.env_name, seed=1 + k) for k, name in enumerate(names)]
    options = options_for_people(game)
    seats = int(options["num_players"])
    line_up = [players[0]] * seats if game.cooperative else [players[0], *players[1:] * (seats - 1)]
    results = play_games(
        game.env_name, line_up, games - games % seats, seed=SEED, rotate=True, options=options
    )
    if game.cooperative:
        return results.won_by(0).mean
    seated = results.agents[:, :seats]
    return float(points_in_arena(UnitResult.of(results, seats), seated).mean())


def _decides(game: Game, games: int, careless: float) -> bool:
    """Whether games of such a player with itself have a winner."""
    player = load_agent(careless_name(game, careless), game.env_name, seed=1)
    options = options_for_people(game)
    results = play_games(
        game.env_name, [player] * int(options["num_players"]), games, seed=SEED, options=options
    )
    return float((~results.winners.any(axis=1)).mean()) < MOST_UNDECIDED


def _is_too_strong(game: Game, above: float, aim: float, games: int, careless: float) -> bool:
    return points_of(game, careless, above, games) > aim


def choose_levels(game: Game, games: int) -> dict[str, str]:
    """The name of the player of each level."""
    chosen, levels = {LEVELS[-1]: 0.0}, len(LEVELS) - 1
    most = 1.0
    if not game.cooperative and not game.zero_sum:
        most = halve(partial(_decides, game, games), 0.0, 1.0)
    best = points_of(game, 0.0, 0.0, games) if game.cooperative else 0.0
    for place in range(len(LEVELS) - 2, -1, -1):
        above = chosen[LEVELS[place + 1]]
        aim = best * (place + 1) / len(LEVELS) if game.cooperative else SHARE
        limit = most * (levels - place) / levels
        chosen[LEVELS[place]] = halve(
            partial(_is_too_strong, game, above, aim, games), above, limit
        )
    return {level: careless_name(game, chosen[level]) for level in LEVELS}


def measure(game: Game, players: dict[str, str], games: int) -> dict[str, Any]:
    """The players with their measured strength, from an arena of them and the best player."""
    names = [*players.values(), "best"]
    anchor = None if game.cooperative else players["hard"]
    report = run(
        game.env_name, names, games, seed=2 * SEED, options=options_for_people(game), anchor=anchor
    )
    standing = {entry.agent: entry for entry in report.standings}
    found: dict[str, Any] = {}
    below = ""
    for level, name in [*players.items(), ("best", "best")]:
        entry = standing[name]
        rated = {"won": _rounded(entry.wins)} if entry.elo is None else {"elo": _rounded(entry.elo)}
        found[level] = {"agent": name, **rated} | (
            {"over_the_one_below": _over(report, name, below)} if below else {}
        )
        below = name
    return found


def _rounded(value: Interval) -> list[float]:
    return [round(number, 3) for number in (value.mean, value.low, value.high)]


def _over(report: Report, above: str, below: str) -> list[float]:
    """A player's share of the points against another, with its interval; for teams, the difference
    of their shares of games won."""
    compared = next(entry for entry in report.comparisons if set(entry.agents) == {above, below})
    value = compared.wins if compared.points is None else compared.points
    if compared.agents == (above, below):
        return _rounded(value)
    rest = 0.0 if compared.points is None else 1.0
    return _rounded(Interval(rest - value.mean, rest - value.high, rest - value.low))


def keep_levels(path: Path, game: Game, levels: Mapping[str, Any]) -> None:
    """Write the levels of an environment to a file of players, whose other entries stay; raises
    ArenaError if it is damaged."""
    environments: dict[str, Any] = {}
    if path.exists():
        read_file(path, parse_players)
        environments = json.loads(path.read_text(encoding="utf-8"))["environments"]
    environments[game.env_name] = {**environments.get(game.env_name, {}), "levels": levels}
    plain = {"format": PLAYERS_FORMAT, "environments": dict(sorted(environments.items()))}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps(plain, indent=1) + "\n")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m dig_envs.arena.levels",
        description=" ".join((__doc__ or "").split("\n\n")[0].split()),
    )
    parser.add_argument(
        "games",
        nargs="*",
        default=list_environments(),
        metavar="GAME",
        help="environments; default: all",
    )
    parser.add_argument(
        "--trial", type=int, default=400, help="games of each trial while the players are chosen"
    )
    parser.add_argument("--measure", type=int, default=1000, help="games of each pair in the arena")
    parser.add_argument(
        "--policies",
        type=Path,
        default=Path("policies"),
        help="the folder with a folder for each game",
    )
    given = parser.parse_args()
    for name in given.games:
        game = load_game(name)
        players = choose_levels(game, given.trial)
        measured = measure(game, players, given.measure)
        levels = {
            "players": measured,
            "options": options_for_people(game),
            "best": best_of(game),
            "games_per_pair": given.measure,
            "command": (
                f"python -m dig_envs.arena.levels {name} --trial {given.trial} --measure "
                f"{given.measure}"
            ),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "date": datetime.now(UTC).date().isoformat(),
        }
        keep_levels(given.policies / game.name / PLAYERS, game, levels)
        print(name, json.dumps(measured), flush=True)


if __name__ == "__main__":
    main()
