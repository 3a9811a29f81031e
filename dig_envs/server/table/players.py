"""The players that somebody from outside may seat: names of a list, never a path or a program."""

import re
from typing import Any

from dig_envs.agents.names import PLUS_SEARCH, searches
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.protocol.choosing import AgentError, agents_of, permitted_agent
from dig_envs.server.protocol.limits import LimitError, Limits
from dig_envs.server.table.table import HUMAN

TIMED = re.compile(rf"(?:search|.+{re.escape(PLUS_SEARCH)}):([1-9][0-9]{{0,5}})ms", re.ASCII)
SUGGESTED = (200, 1000)  # milliseconds of searches that the page offers


def offered_agents(game: Game, bounds: Bounds) -> list[str]:
    quick = [name for name in agents_of(game) if name != "search"]
    return [
        *quick,
        *(f"{kind}:{ms}ms" for kind in ("search", f"best{PLUS_SEARCH}") for ms in SUGGESTED),
        *bounds.models,
    ]


def check_player(name: Any, game: Game, bounds: Bounds) -> str:
    """The name of a player that may sit at a table: one that may be asked over the protocol, with a
    time if it searches.

    Raises:
        TableError: it is not such a name, or it wants to think too long.
    """
    if not isinstance(name, str):
        raise TableError(
            "bad-player",
            f"a player is a text such as 'human' or 'heuristic', not {shown_in_message(name)}",
        )
    if name == HUMAN:
        return name
    try:
        agent = permitted_agent(name, game, Limits(ms=bounds.think_ms, models=bounds.models))
    except (AgentError, LimitError) as error:
        raise TableError("bad-player", f"{error}; a person is {HUMAN!r}") from None
    if searches(agent) and not TIMED.fullmatch(agent):
        raise TableError(
            "bad-player",
            f"{agent}: say how long it thinks, and nothing else of the search, such as "
            "search:200ms",
        )
    return agent


def seconds_of(agent: str) -> float:
    """The seconds that an agent uses for a decision by its name; 0 where it does not say."""
    timed = TIMED.fullmatch(agent)
    return int(timed[1]) / 1000 if timed else 0.0
