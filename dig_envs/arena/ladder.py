"""The ladder of a game: random, scripted player, strongest policy, search, and the search that the
policy guides."""

from collections.abc import Mapping
from typing import Any

from dig_envs.agents.best import SCRIPTED, strongest
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import PLUS_SEARCH
from dig_envs.agents.search_settings import NO_GUIDE, usual_guide
from dig_envs.engine.game import Game

BUDGET = "200ms"


def rungs(game: Game, options: Mapping[str, Any], search: str = BUDGET) -> list[str]:
    """The names of the agents, the weakest first; agents that need a policy are left out if there
    is none.

    Args:
        game: that is played.
        options: of the game; what is not given has its default.
        search: settings of both searches, such as ``200ms`` or ``sims=100``.
    """
    complete = game.complete_options(options)
    policy = strongest(game, complete, policies_only=True)
    names = ["random", SCRIPTED]
    if policy == SCRIPTED:
        return [*names, f"search:{search}"]
    names += [
        policy,
        f"search:{search}:guide={NO_GUIDE}"
        if usual_guide(game, complete["num_players"])
        else f"search:{search}",
    ]
    remembers = memory_size(load_agent(policy, game.env_name))
    return names if remembers else [*names, f"{policy}{PLUS_SEARCH}:{search}"]
