"""The schedule of a tournament: who plays whom, in which seats, and from which deals (seeded starts
of a game)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from dig_envs.engine.game import Array

MOST_GAMES, MOST_WORKERS = 10**9, 1024  # that may be asked for
BLOCK = 16  # deals that a pair plays at a time, if nothing else is said


class Form(StrEnum):
    """The ways to put agents into the seats of a game.

    ``PAIRS``: two agents, with more than two seats one of them against copies of the other, and the
    other way round. ``TABLES``: as many different agents as there are seats. ``TEAMS``: one agent
    in all seats, for cooperative games. ``ALONE``: the first of two agents against copies of the
    second only.
    """

    PAIRS = "pairs"
    TABLES = "tables"
    TEAMS = "teams"
    ALONE = "alone"

    def contestants(self, num_seats: int) -> int:
        """The number of different agents at a table."""
        return {Form.TEAMS: 1, Form.TABLES: num_seats}.get(self, 2)


@dataclass(frozen=True, order=True)
class Unit:
    """The games that are played and kept together: all seatings of some contestants on the deals
    ``start`` … ``stop - 1``.

    ``contestants``: indices of the agents, ascending; so many as :meth:`Form.contestants` says.
    """

    start: int
    contestants: tuple[int, ...]
    stop: int

    @property
    def deals(self) -> range:
        """The numbers of the deals; deal d is dealt from the seed ``seed + d``."""
        return range(self.start, self.stop)


def seatings(num_seats: int, form: Form) -> Array:
    """The seatings of a table's contestants (0, 1 …) that are played on every deal, int64
    (seatings, num_seats).

    ``PAIRS``, two seats: each of them once in each seat. More: each of them alone against copies of
    the other, in every seat. ``TABLES``: the agents in their order and in the reverse order, each
    moved on seat by seat; so each has every seat equally often, and neighbours on both sides.
    ``TEAMS``: one contestant has all seats. ``ALONE``: contestant 0 once in each seat.

    Raises:
        ValueError: a competitive game with fewer than two seats.
    """
    if form is Form.TEAMS:
        return np.zeros((1, num_seats), np.int64)
    if num_seats < 2:
        raise ValueError(f"agents cannot play against each other in a game with {num_seats} seat")
    alone = 1 - np.eye(num_seats, dtype=np.int64)
    if form is Form.ALONE:
        return alone
    if form is Form.TABLES:
        order = np.arange(num_seats)
        moved = (order[None, :] - order[:, None]) % num_seats
        return moved if num_seats == 2 else np.concatenate([moved, moved[:, ::-1]])
    return alone if num_seats == 2 else np.concatenate([alone, 1 - alone])


def number_of_deals(games: int, num_seats: int, form: Form) -> int:
    """The number of deals that gives at least ``games`` games of each table (each pair, or each
    agent of a cooperative game)."""
    return -(-games // len(seatings(num_seats, form)))


def pairings(num_agents: int, num_seats: int, form: Form) -> list[tuple[int, ...]]:
    """The agents that meet at each table: all pairs, all groups of the size of a table, or single
    agents.

    Raises:
        ValueError: there are fewer agents than a table needs.
    """
    needed = form.contestants(num_seats)
    if num_agents < needed:
        raise ValueError(f"a table of {needed} different agents needs as many, not {num_agents}")
    return list(combinations(range(num_agents), needed))


def units(num_agents: int, deals: int, block: int, num_seats: int, form: Form) -> Iterator[Unit]:
    """Yield the schedule: the pairings one after the other on the first ``block`` deals, then on
    the next ones, and so on."""
    for start in range(0, deals, block):
        for contestants in pairings(num_agents, num_seats, form):
            yield Unit(start, contestants, min(start + block, deals))
