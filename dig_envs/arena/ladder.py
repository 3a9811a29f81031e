"""The ladder of a game: random, scripted player, strongest policy, search, and the search that the policy guides."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.agents.best import SCRIPTED, strongest
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import memory_size
from dig_envs.agents.names import PLUS_SEARCH
from dig_envs.agents.search_settings import NO_GUIDE, usual_guide
from dig_envs.arena.report import Report
from dig_envs.engine.game import Game

BUDGET = "200ms"


def rungs(game: Game, options: Mapping[str, Any], search: str = BUDGET) -> list[str]:
    """Return the names of the agents, from the bottom up; those that need a policy are left out where there is none.

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
    names += [policy, f"search:{search}:guide={NO_GUIDE}" if usual_guide(game, complete["num_players"]) else f"search:{search}"]
    remembers = memory_size(load_agent(policy, game.env_name))
    return names if remembers else [*names, f"{policy}{PLUS_SEARCH}:{search}"]


def steps(report: Report, names: Sequence[str]) -> list[str]:
    """Return lines for people that say how much each rung is above the one below it."""
    lines = []
    for below, above in zip(names, names[1:], strict=False):
        found = next(entry for entry in report.comparisons if set(entry.agents) == {below, above})
        sign = 1 if found.agents == (above, below) else -1
        probability = found.ahead if sign > 0 else 1 - found.ahead
        value, digits = (found.score, 2) if found.elo is None else (found.elo, 0)
        bounds = sorted((sign * value.low, sign * value.high))
        mean, low, high = (f"{number:+.{digits}f}" for number in (sign * value.mean, *bounds))
        gain = f"score {mean}" if found.elo is None else f"{mean} Elo"
        lines.append(f"{above} over {below}: {gain} [{low}, {high}], better with {probability:.1%}")
    return lines
