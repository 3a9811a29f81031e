"""Which players somebody from outside may seat: names of a list, never a path or a program."""

import re
from typing import Any

from dig_envs.agents.loading import players_of, zoo_policies
from dig_envs.engine.checks import shown_in_message
from dig_envs.engine.game import Game
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.table import HUMAN

SEARCH = re.compile(r"search:([1-9][0-9]{0,5})ms", re.ASCII)
SUGGESTED = (200, 1000)  # milliseconds of searches that the page offers
SAMPLE = ":sample"


def agents_of(game: Game) -> list[str]:
    """The agents that the page offers for a game."""
    policies = [name for name in zoo_policies() if name.partition("/")[0] == game.name]
    own = [f"{game.name}/{name}" for name in players_of(game.env_name)]
    return ["heuristic", "random", *own, *policies, *(f"search:{ms}ms" for ms in SUGGESTED)]


def check_player(name: Any, game: Game, bounds: Bounds) -> str:
    """A player that may sit at a table.

    Raises:
        TableError: it is no such name, or it wants to think too long.
    """
    if not isinstance(name, str):
        raise TableError("bad-player", f"a player is a text such as 'human' or 'heuristic', not {shown_in_message(name)}")
    offered = agents_of(game)
    if name == HUMAN or name in offered or (name.endswith(SAMPLE) and name.removesuffix(SAMPLE) in offered and "/" in name):
        return name
    search = SEARCH.fullmatch(name)
    if search is None:
        raise TableError("bad-player", f"no player {shown_in_message(name)}; there are {', '.join([HUMAN, *offered])}")
    if int(search[1]) > bounds.think_ms:
        raise TableError("bad-player", f"{name} thinks too long: here at most search:{bounds.think_ms}ms")
    return name


def thinks(name: str) -> float:
    """The seconds that an agent uses for a decision by its name; 0 where it does not say."""
    search = SEARCH.fullmatch(name)
    return int(search[1]) / 1000 if search else 0.0
