"""How often each kind of event occurs in a game, by who plays, as a Markdown table (for the README):

    python -m dig_envs.games.oak_island.scripts.events --games 1000

Random players hardly ever have a location that they can use, so that most of their turns in Episodes are skipped; the careless
ones are scripted players with a random action now and then, who come into positions that the scripted ones avoid.
"""

import argparse
from collections import Counter
from typing import Any

import numpy as np

from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.turns import NOBODY
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import DIGGING
from dig_envs.text.markdown import markdown_table

Array = np.ndarray[Any, Any]
PLAYERS = {"random": 1.0, "careless": 0.3, "scripted": 0.0}  # the chance of a random action


def events_of(before: Array, after: Array, seats: Array, actions: Array, masks: Array) -> dict[str, Array]:
    """The kinds of events that a step of many games had.

    Args:
        before, after: the positions. seats, actions, masks: who decided what, and what was legal.

    Returns:
        Kind -> how often in each game, bool or int (games,).
    """
    rows = np.arange(len(seats))
    moves = actions < s.A_DIG
    digs = (actions >= s.A_DIG) & (actions < s.A_TRADE)
    trades = (actions >= s.A_TRADE) & (actions < s.A_CONVERT)
    converts = actions == s.A_CONVERT
    from_compass = before["where"][rows, np.where(moves, actions // box.NUM_LOCATIONS, 0)] == box.COMPASS
    dig = np.where(digs, actions - s.A_DIG, 0)
    trade = np.where(trades, actions - s.A_TRADE, 0)
    had_laird = before["laird"] == seats
    laird_comes = digs & (after["laird"] == seats) & ~had_laird
    at_limit = before["ifso"][rows, seats] + before["clues"][rows, seats] >= box.LIMIT
    put_back = after["bag_len"].astype(int) - before["bag_len"] + box.CUBES[s.DIG_PLACE[dig]] + s.DIG_EXTRA[dig]
    could_dig = [
        (box.ACTIVE[place, before["here"][:, place + 1]] == 1) & (before["money"][rows, seats] >= box.COST[place])
        for place in (box.LOTS, box.SWAMP)
    ]
    limit, found = after["truncated"] == 1, after["found"] != NOBODY
    return {
        "a character leaves the compass (OI-4)": moves & from_compass,
        "relocation (OI-4)": moves & ~from_compass,
        **{f"dig at {name} (OI-9)": digs & (s.DIG_PLACE[dig] == place) for place, name in enumerate(DIGGING)},
        "dig with extra cubes (OI-10)": digs & (s.DIG_EXTRA[dig] > 0),
        "Bobby Dazzler pulled (OI-11)": np.where(digs, after["scores"][rows, seats] - before["scores"][rows, seats], 0),
        "Laird comes from the interpretive centre (OI-15)": laird_comes & (before["laird"] == NOBODY),
        "Laird comes from another player (OI-15)": laird_comes & (before["laird"] != NOBODY),
        "Laird keeps from digging (OI-15)": (before["phase"] == s.EPISODE) & had_laird & (could_dig[0] | could_dig[1]),
        "If so cubes go back, the bag is shuffled (OI-12)": digs & ~found & (put_back > 0),
        "trade for clues (OI-13)": trades & (s.TRADED_CLUES[trade] > 0),
        "trade for cash (OI-13)": trades & (s.TRADED_CASH[trade] > 0),
        "conversion with a clue token (OI-14)": converts & ~at_limit,
        "conversion at the limit (OI-14)": converts & at_limit,
        "a conversion is the only possible action (OI-8)": converts & (masks.sum(axis=1) == 1),
        "Laird brought back by a trade or conversion (OI-16)": (trades | converts) & had_laird & (after["laird"] == NOBODY),
        "visit (OI-16)": actions == s.A_VISIT,
        "skip (OI-8)": actions == s.A_SKIP,
        "treasure (OI-17)": found,
        "round limit (OI-18)": limit,
        "round limit, several winners (OI-18)": limit & (after["winners"].sum(axis=1) > 1),
    }


def count(chance: float, games: int, seed: int, **options: Any) -> Counter[str]:
    """Return how often each kind of event occurs in so many games, played side by side; ``chance``: of a random action."""
    batch = BatchEnv("oak_island_v0", games, seed, observations=False, **options)
    rng = np.random.default_rng(seed)
    running = np.ones(games, bool)
    counts: Counter[str] = Counter()
    while running.any():
        before, seats, masks = batch.states.copy(), batch.mover.copy(), batch.action_mask.copy()
        careless = rng.random(games) < chance
        actions = np.where(careless, batch.sample_actions(), batch.heuristic_actions())
        batch.step(actions, running)
        over = batch.terminated & running
        after = batch.states.copy()
        after[over] = batch.final_states[over]
        for kind, happened in events_of(*(some[running] for some in (before, after, seats, actions, masks))).items():
            counts[kind] += int(happened.sum())
        running &= ~over
    batch.close()
    return counts


def table(games: int, seed: int) -> str:
    """Events per game of two players, for each kind of player."""
    columns = {name: count(chance, games, seed) for name, chance in PLAYERS.items()}
    rows = [[kind, *(f"{counts[kind] / games:.3g}" for counts in columns.values())] for kind in columns["random"]]
    return markdown_table(["event", *columns], rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m dig_envs.games.oak_island.scripts.events", description=main.__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(table(arguments.games, arguments.seed))


if __name__ == "__main__":
    main()
