"""What was measured of players, from files beside the policies: no code depends on what they say,
and all may be missing.

``policies/<game>/players.json`` says for each version of a game which policies guide its search and
who plays at the levels for people; ``python -m dig_envs.arena.levels`` writes the levels.
``policies/<game>/ratings*.json`` are reports of arenas.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from dig_envs.agents import zoo
from dig_envs.agents.names import LEVELS
from dig_envs.agents.plain_file import read_plain_file
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.game import Game

PLAYERS, PLAYERS_FORMAT = "players.json", 1
REPORTS = "ratings*.json"
SAME = 0.05  # of the games: a difference that nobody notices
KIND, FORMAT = "dig_envs arena", 1  # of a report
MOST_BYTES = 1 << 26  # of a file
DAMAGE = (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError)

Read = TypeVar("Read")


@dataclass(frozen=True)
class Players:
    """The players of an environment.

    Attributes:
        guides: names of the policies that guide its search where nothing else is said, in the order
            in which they are tried.
        levels: ``players``: for each level ``agent``, its name, and how strong it is; beside these,
            how that was measured. Empty where nothing was.
    """

    guides: tuple[str, ...] = ()
    levels: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """A report of an arena, as far as it matters here. (The arena's code reads all of it; players
    must not depend on that.)

    Attributes:
        options: that were played, all of them; those that the report does not have yet are the
            defaults.
        games: how many of each pair.
        agents: by name, as the report describes them.
        ranking: their names, best first.
    """

    options: Mapping[str, Any]
    games: int
    agents: Mapping[str, Mapping[str, Any]]
    ranking: tuple[str, ...]


def read_players(game: Game) -> Players | None:
    """The players of an environment; None if no file has any. Problems and damaged files are named
    on stderr."""
    paths = [path for folder in zoo.ZOOS if (path := folder / game.name / PLAYERS).exists()]
    files = _readable(paths, parse_players)
    found = next((players[game.env_name] for players in files if game.env_name in players), None)
    if found is None and zoo.is_shipped(game):
        zoo.tell(
            f"no policies/{game.name}/{PLAYERS} says who plays {game.env_name}: a search has no "
            f"guide, and {', '.join(LEVELS)} are {game.player_for_people}, more or less careless"
        )
    return found


def equal_levels(game: Game) -> list[tuple[str, str, int]]:
    """Neighbouring levels that were measured to play equally strong, each pair from the weaker on,
    with the number of players in these games.

    The interval of the share of games that the stronger one wins (in a cooperative game, of the
    difference of shares) includes the even one and stays within :data:`SAME` of it. ``best`` counts
    where it plays with people as it was measured, without a search.
    """
    players = read_players(game)
    if players is None or not players.levels:
        return []
    measured, even = players.levels["players"], 0.0 if game.cooperative else 0.5
    names = [level for level in (*LEVELS, game.partner) if level in measured]
    found = []
    try:
        count = int(players.levels["options"]["num_players"])
        for weaker, stronger in pairwise(names):
            _, low, high = measured[stronger]["over_the_one_below"]
            if even - SAME < low <= even <= high < even + SAME:
                found.append((weaker, stronger, count))
    except DAMAGE as error:
        zoo.tell(f"the levels of {game.env_name} do not say how strong they are: {error!r}")
        return []
    return found


def read_reports(game: Game) -> list[Measured]:
    """The reports of an environment that lie beside its policies. Damaged files are named on
    stderr."""
    paths: dict[str, Path] = {}
    for folder in zoo.ZOOS:
        for path in sorted((folder / game.name).glob(REPORTS)):
            paths.setdefault(path.name, path)
    return [
        report for report in _readable(paths.values(), partial(_report, game)) if report is not None
    ]


def read_file(path: Path, parse: Callable[[Any], Read]) -> Read:
    """The parsed JSON of a file. Raises ArenaError, naming the file, if it is damaged or outside of
    its folder."""
    try:
        return parse(json.loads(read_plain_file(path, MOST_BYTES, path.parent)))
    except DAMAGE as error:
        words = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ArenaError(f"{path} is damaged: {words}") from None


def _readable(paths: Iterable[Path], parse: Callable[[Any], Read]) -> Iterator[Read]:
    for path in paths:
        try:
            yield read_file(path, parse)
        except ArenaError as error:
            zoo.tell(f"{error}; it is left out")


def parse_players(plain: Any) -> dict[str, Players]:
    """The players of each environment in a file; raises one of :data:`DAMAGE` if it is damaged."""
    if plain["format"] != PLAYERS_FORMAT:
        raise ValueError(f"this is not a file of players of format {PLAYERS_FORMAT}")
    return {str(name): _players(entry) for name, entry in plain["environments"].items()}


def _players(entry: Mapping[str, Any]) -> Players:
    guides, levels = entry.get("guides", []), entry.get("levels", {})
    if not isinstance(guides, list) or not all(isinstance(name, str) for name in guides):
        raise ValueError("guides must be a list of names")
    if levels and not all(isinstance(levels["players"][level]["agent"], str) for level in LEVELS):
        raise ValueError("the agent of a level must be a name")
    return Players(tuple(guides), levels)


def _report(game: Game, plain: Any) -> Measured | None:
    """A parsed report; None if it is about another environment."""
    if plain["kind"] != KIND or plain["format"] != FORMAT:
        raise ValueError(f"this is not a report of an arena of format {FORMAT}")
    settings = plain["settings"]
    if settings["environment"] != game.env_name:
        return None
    return Measured(
        options=game.complete_options(settings["options"]),
        games=int(plain["deals"]) * int(plain["games_per_deal"]),
        agents={str(agent["agent"]): dict(agent) for agent in settings["agents"]},
        ranking=tuple(str(entry["agent"]) for entry in plain["standings"]),
    )
