"""Whether players keep digging, as a Markdown table:

    python -m tests.rules.oak_island.alive --agent oak_island/many-v1 --others heuristic

In game i the agent has seat i mod the number of players, and ``others`` have all other seats.
"""

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import wilson
from dig_envs.agents.protocol import Agent
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.games.oak_island import state as s
from dig_envs.text.markdown import markdown_table

Array = np.ndarray[Any, Any]


def counts(
    name: str, players: int, agent: Agent, others: Agent, games: int, seed: int
) -> Mapping[str, int]:
    """Return what happened in so many games, counted: ``rounds`` that were played to their end,
    those that were ``dry`` (without a dig), ``turns`` of Episodes, ``skips``, ``decisions``, and
    games that ended at the ``limit`` or with the treasure in the hands of the ``agent``."""
    batch = BatchEnv(name, games, seed, num_threads=1, num_players=players)
    own = np.arange(games) % players
    running, dug = np.ones(games, bool), np.zeros(games, bool)
    found = dict.fromkeys(("rounds", "dry", "turns", "skips", "decisions", "limit", "agent"), 0)
    while running.any():
        seats, states = batch.mover.copy(), batch.states.copy()
        actions = np.zeros(games, np.int64)
        for player, rows in (
            (agent, np.flatnonzero(running & (seats == own))),
            (others, np.flatnonzero(running & (seats != own))),
        ):
            if len(rows):
                actions[rows] = player.act_batch(
                    batch.observation[rows], batch.action_mask[rows], states[rows], seats[rows]
                )
        dug |= running & (actions >= s.A_DIG) & (actions < s.A_TRADE)
        found["decisions"] += int(running.sum())
        found["turns"] += int((running & (states["phase"] == s.EPISODE)).sum())
        found["skips"] += int((running & (actions == s.A_SKIP)).sum())
        batch.step(actions, running)
        over = running & batch.terminated
        # a game that is over has begun anew in the batch, so its round is another one, too
        ended = running & (over | (batch.states["round_number"] != states["round_number"]))
        found["rounds"] += int(ended.sum())
        found["dry"] += int((ended & ~dug).sum())
        dug &= ~ended
        finder = batch.final_states["found"]
        found["limit"] += int((over & (finder < 0)).sum())
        found["agent"] += int((over & (finder == own)).sum())
        running &= ~over
    batch.close()
    return found


def row(players: int, games: int, found: Mapping[str, int]) -> dict[str, str]:
    """Return the counts of so many games as a row of the table."""
    elsewhere = (games - found["limit"] - found["agent"]) / (players - 1)
    return {
        "players": str(players),
        "rounds without a dig": f"{100 * found['dry'] / found['rounds']:.1f} %",
        "forced skips": f"{100 * found['skips'] / found['turns']:.1f} %",
        "games at the limit": f"{100 * found['limit'] / games:.1f} %",
        "decisions a game": f"{found['decisions'] / games:.0f}",
        "treasure found by the agent": wilson(found["agent"], games).percent(),
        "by each other seat": f"{100 * elsewhere / games:.1f} %",
    }


def main() -> None:
    """Print how the games of an agent against others go, for 2, 3 and 4 players."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.rules.oak_island.alive", description=main.__doc__
    )
    parser.add_argument("--env", default="oak_island_v1")
    parser.add_argument("--agent", default="heuristic")
    parser.add_argument("--others", default="heuristic")
    parser.add_argument("--players", default="2,3,4")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    agent, others = (
        load_agent(name, env=args.env, seed=args.seed + k)
        for k, name in enumerate((args.agent, args.others))
    )
    rows = []
    for players in map(int, args.players.split(",")):
        found = counts(args.env, players, agent, others, args.games, args.seed)
        rows.append(row(players, args.games, found))
    print(markdown_table(list(rows[0]), [list(one.values()) for one in rows]))


if __name__ == "__main__":
    main()
