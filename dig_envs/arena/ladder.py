"""The ladder of a game: random, scripted player, strongest policy, search, and the search that the policy guides."""

from collections.abc import Mapping, Sequence
from typing import Any

from dig_envs.agents.best import SCRIPTED, strongest
from dig_envs.agents.loading import PLUS_SEARCH, load_agent
from dig_envs.agents.memory import memory_size
from dig_envs.arena.report import Report
from dig_envs.engine.game import Game

BUDGET = "200ms"


def rungs(game: Game, options: Mapping[str, Any], search: str = BUDGET) -> list[str]:
    """The names of the agents, from the bottom up; without a policy for these options there are none of it.

    Args:
        game: that is played.
        options: of the game; what is not given has its default.
        search: settings of both searches, such as ``200ms`` or ``sims=100``.
    """
    policy = strongest(game, game.complete_options(options), policies_only=True)
    names = ["random", SCRIPTED]
    if policy == SCRIPTED:
        return [*names, f"search:{search}"]
    names += [policy, f"search:{search}"]
    remembers = memory_size(load_agent(policy, game.env_name))
    return names if remembers else [*names, f"{policy}{PLUS_SEARCH}:{search}"]


def steps(report: Report, names: Sequence[str]) -> list[str]:
    """How much each rung is above the one below it, for people."""
    lines = []
    for below, above in zip(names, names[1:], strict=False):
        found = next(entry for entry in report.comparisons if set(entry.agents) == {below, above})
        sign = 1 if found.agents == (above, below) else -1
        ahead = found.ahead if sign > 0 else 1 - found.ahead
        if found.elo is not None:
            low, high = sorted((sign * found.elo.low, sign * found.elo.high))
            lines.append(
                f"{above} over {below}: {sign * found.elo.mean:+.0f} Elo [{low:+.0f}, {high:+.0f}], better with {ahead:.1%}"
            )
        else:
            low, high = sorted((sign * found.score.low, sign * found.score.high))
            lines.append(
                f"{above} over {below}: score {sign * found.score.mean:+.2f} [{low:+.2f}, {high:+.2f}], better with {ahead:.1%}"
            )
    return lines
