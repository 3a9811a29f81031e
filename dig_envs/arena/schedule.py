"""Who plays whom, in which seats and on which deals."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dig_envs.engine.game import Array

BLOCK = 16  # deals that a pair plays at a time, if nothing else is said


@dataclass(frozen=True, order=True)
class Unit:
    """What is played and kept at a time: all seatings of some contestants on the deals ``start`` … ``stop - 1``.

    ``contestants``: indices of the agents, ascending; two of them, or in a cooperative game one.
    """

    start: int
    contestants: tuple[int, ...]
    stop: int

    @property
    def deals(self) -> range:
        """The numbers of the deals; deal d is dealt from the seed ``seed + d``."""
        return range(self.start, self.stop)


def seatings(num_seats: int, cooperative: bool) -> Array:
    """The seatings that two contestants (0 and 1) play on every deal, int64 (seatings, num_seats).

    Two seats: each of them once in each seat. More: each of them alone against copies of the other, in every seat. So
    both have every seat equally often. In a cooperative game there is one contestant, who has all seats.

    Raises:
        ValueError: a competitive game with fewer than two seats.
    """
    if cooperative:
        return np.zeros((1, num_seats), np.int64)
    if num_seats < 2:
        raise ValueError(f"agents cannot play against each other in a game with {num_seats} seat")
    alone = np.eye(num_seats, dtype=np.int64)
    return alone[::-1] if num_seats == 2 else np.concatenate([1 - alone, alone])


def number_of_deals(games: int, num_seats: int, cooperative: bool) -> int:
    """How many deals give at least ``games`` games of each pair (in a cooperative game: of each agent)."""
    return -(-games // len(seatings(num_seats, cooperative)))


def pairings(num_agents: int, cooperative: bool) -> list[tuple[int, ...]]:
    """All pairs of agents; in a cooperative game all agents, one by one."""
    return list(combinations(range(num_agents), 1 if cooperative else 2))


def units(num_agents: int, deals: int, block: int, cooperative: bool) -> Iterator[Unit]:
    """The whole schedule: the pairings one after the other on the first ``block`` deals, then on the next ones, and so on."""
    for start in range(0, deals, block):
        for contestants in pairings(num_agents, cooperative):
            yield Unit(start, contestants, min(start + block, deals))
