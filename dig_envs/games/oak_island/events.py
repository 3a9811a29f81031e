"""How often each kind of event occurs in a game, by who plays, as a Markdown table (for the README):

    python -m dig_envs.games.oak_island.events --games 1000

Random players hardly ever have a location that they can use, so that most of their turns in Episodes are skipped; the careless
ones are scripted players with a random action now and then, who come into positions that the scripted ones avoid.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from dig_envs.batch import BatchEnv
from dig_envs.engine.turns import NOBODY
from dig_envs.games.oak_island import components as box
from dig_envs.games.oak_island import state as s
from dig_envs.games.oak_island.data import DIGGING
from dig_envs.tables import markdown_table

Array = np.ndarray[Any, Any]
PLAYERS = {"random": 1.0, "careless": 0.3, "scripted": 0.0}  # the chance of a random action
EVENTS = (
    "a character leaves the compass (OI-4)",
    "relocation (OI-4)",
    *(f"dig at {place} (OI-9)" for place in DIGGING),
    "dig with extra cubes (OI-10)",
    "Bobby Dazzler pulled (OI-11)",
    "Laird comes from the interpretive centre (OI-15)",
    "Laird comes from another player (OI-15)",
    "Laird keeps from digging (OI-15)",
    "If so cubes go back, the bag is shuffled (OI-12)",
    "trade for clues (OI-13)",
    "trade for cash (OI-13)",
    "conversion with a clue token (OI-14)",
    "conversion at the limit (OI-14)",
    "a conversion is the only possible action (OI-8)",
    "Laird brought back by a trade or conversion (OI-16)",
    "visit (OI-16)",
    "skip (OI-8)",
    "treasure (OI-17)",
    "round limit (OI-18)",
    "round limit, several winners (OI-18)",
)


def events_of(before: Array, after: Array, seats: Array, actions: Array, masks: Array) -> dict[str, Array]:
    """Which kinds of events a step of many games had.

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
    character = np.where(moves, actions // box.NUM_LOCATIONS, 0)
    from_compass = before["where"][rows, character] == box.COMPASS
    dig = np.where(digs, actions - s.A_DIG, 0)
    trade = np.where(trades, actions - s.A_TRADE, 0)
    pulled = after["scores"][rows, seats] - before["scores"][rows, seats]
    laird, new_laird = before["laird"], after["laird"]
    comes = digs & (new_laird == seats) & (laird != seats)
    at_limit = before["ifso"][rows, seats] + before["clues"][rows, seats] >= box.LIMIT
    taken = after["bag_len"].astype(int) - before["bag_len"] + box.CUBES[s.DIG_PLACE[dig]] + s.DIG_EXTRA[dig]
    active = [box.ACTIVE[place, before["here"][:, place + 1]] == 1 for place in (box.LOTS, box.SWAMP)]
    can_pay = [before["money"][rows, seats] >= box.COST[place] for place in (box.LOTS, box.SWAMP)]
    wants = (active[0] & can_pay[0]) | (active[1] & can_pay[1])
    limit = after["truncated"] == 1
    found = after["found"] != NOBODY
    kinds = [
        moves & from_compass,
        moves & ~from_compass,
        *(digs & (s.DIG_PLACE[dig] == place) for place in range(box.NUM_DIGGING)),
        digs & (s.DIG_EXTRA[dig] > 0),
        np.where(digs, pulled, 0),
        comes & (laird == NOBODY),
        comes & (laird != NOBODY),
        (before["phase"] == s.EPISODE) & (laird == seats) & wants,
        digs & ~found & (taken > 0),
        trades & (s.TRADED_CLUES[trade] > 0),
        trades & (s.TRADED_CASH[trade] > 0),
        converts & ~at_limit,
        converts & at_limit,
        converts & (masks.sum(axis=1) == 1),
        (trades | converts) & (laird == seats) & (new_laird == NOBODY),
        actions == s.A_VISIT,
        actions == s.A_SKIP,
        found,
        limit,
        limit & (after["winners"].sum(axis=1) > 1),
    ]
    return dict(zip(EVENTS, kinds, strict=True))


def play(chance: float, games: int, seed: int, **options: Any) -> Iterator[tuple[int, dict[str, Array]]]:
    """Whole games, side by side; for each step how many have ended by it, and its events."""
    batch = BatchEnv("oak_island_v0", games, seed, observations=False, **options)
    rng = np.random.default_rng(seed)
    running = np.ones(games, bool)
    while running.any():
        before, seats, masks = batch.states.copy(), batch.mover.copy(), batch.action_mask.copy()
        careless = rng.random(games) < chance
        actions = np.where(careless, batch.sample_actions(), batch.heuristic_actions())
        batch.step(actions, running)
        over = batch.terminated & running
        after = batch.states.copy()
        after[over] = batch.final_states[over]
        events = events_of(before[running], after[running], seats[running], actions[running], masks[running])
        running &= ~over
        yield int(over.sum()), events
    batch.close()


def count(chance: float, games: int, seed: int, **options: Any) -> Counter[str]:
    """How often each kind of event occurs in so many games."""
    counts: Counter[str] = Counter()
    for _, events in play(chance, games, seed, **options):
        for kind, happened in events.items():
            counts[kind] += int(happened.sum())
    return counts


def table(games: int, seed: int) -> str:
    """Events per game of two players, for each kind of player."""
    columns = {name: count(chance, games, seed) for name, chance in PLAYERS.items()}
    rows = [[kind, *(f"{counts[kind] / games:.3g}" for counts in columns.values())] for kind in EVENTS]
    return markdown_table(["event", *columns], rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m dig_envs.games.oak_island.events", description=main.__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(table(arguments.games, arguments.seed))


if __name__ == "__main__":
    main()
