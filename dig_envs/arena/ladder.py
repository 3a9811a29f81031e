"""The ladder of a game: random, scripted player, strongest policy, search, and the search that the
policy guides."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.agents.best import SCRIPTED, strongest
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import PLUS_SEARCH
from dig_envs.agents.search_settings import NO_GUIDE, usual_guide
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Game

BUDGET = "200ms"


def swept(search: str, sweep: str) -> list[str]:
    """Settings of searches that differ in one of them: ``c=1`` and ``sims=2,8`` make ``c=1:sims=2``
    and ``c=1:sims=8``. Raises ValueError for a sweep that is none."""
    key, _, values = sweep.partition("=")
    each = values.split(",")
    if not key or not all(each) or len({*each}) < len(each):
        raise ValueError(
            f"a sweep is a setting of the search with different values, such as sims=2,8,32, not "
            f"{shown_in_message(sweep)}"
        )
    return [":".join(filter(None, [search, f"{key}={value}"])) for value in each]


def rungs(game: Game, options: Mapping[str, Any], searches: Sequence[str] = (BUDGET,)) -> list[str]:
    """The names of the agents, the weakest first; agents that need a policy are left out if there
    is none.

    Args:
        game: that is played.
        options: of the game; what is not given has its default.
        searches: settings, such as ``200ms`` or ``sims=100``; for each there are both searches.
    """
    complete = game.complete_options(options)
    policy = strongest(game, complete, policies_only=True)
    names = ["random", SCRIPTED]
    if policy == SCRIPTED:
        return [*names, *(f"search:{search}" for search in searches)]
    plain = f":guide={NO_GUIDE}" if usual_guide(game, complete["num_players"]) else ""
    names += [policy, *(f"search:{search}{plain}" for search in searches)]
    if not memory_size(load_agent(policy, game.env_name)):
        names += [f"{policy}{PLUS_SEARCH}:{search}" for search in searches]
    return names
