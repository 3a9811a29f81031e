"""The report of an arena: standings and comparisons (their form as JSON is documented in the README
of this folder)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from dig_envs.agents.matches import Interval, mean_interval, sum_usage
from dig_envs.arena.json_form import JsonReport
from dig_envs.arena.ratings import Bootstrap, around, groups
from dig_envs.arena.results import UnitResult
from dig_envs.arena.schedule import Form, Unit, seatings
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.engine.game import Array

MEAN = "mean"  # the anchor if no agent is one
FORFEITS_TOLD = 20  # in a report; the standings count them all
NEITHER = -1  # in a seating of two agents: somebody else has the seat


@dataclass(frozen=True)
class Standing:
    """The results of one agent.

    ``elo``: None in a cooperative game. ``group``: agents of different groups are kept at a finite
    distance by the prior alone. ``points``: mean points (0 to 1) per game; None in a cooperative
    game. ``wins``: its mean share of the victory, 1/k for each of k winners (cooperative: the
    share of its games that were won). ``score``: mean score of its seats. ``forfeits``: games that
    it gave up.
    """

    agent: str
    rank: int
    games: int
    elo: Interval | None
    group: int
    points: float | None
    wins: Interval
    score: Interval
    forfeits: int = 0


@dataclass(frozen=True)
class Forfeited:
    """A game that an agent gave up. ``deal``: its number. ``seat``: the agent's. ``reason``: what
    happened."""

    agent: str
    deal: int
    seat: int
    reason: str


@dataclass(frozen=True)
class Comparison:
    """Two agents on the same deals.

    ``points``: of the first against the second, mean per game. ``elo``, ``score``, ``wins``: the
    first's minus the second's. ``points`` and ``elo`` are None in a cooperative game. ``ahead``:
    the probability that the first is the better, 0 to 1.
    """

    agents: tuple[str, str]
    games: int
    points: Interval | None
    elo: Interval | None
    score: Interval
    wins: Interval
    ahead: float


@dataclass(frozen=True)
class Report(JsonReport):
    """The report of an arena.

    ``settings``: as in the file of results. ``anchor``: the agent whose Elo is 0, or ``mean``; None
    in a cooperative game. ``standings``: best first. ``comparisons``: all pairs, the better one
    first. ``forfeits``: games that were given up, the first few of them. ``usage``: of the agents
    that count what they do (language models), name of what is counted -> number in all games.
    ``machine``: on which it was made, and when (:func:`~dig_envs.arena.machine.machine_now`); empty
    in older reports.
    """

    KIND, FORMAT, NAME, ERROR, SHOW = (
        "dig_envs arena",
        1,
        "an arena",
        ArenaError,
        "dig_envs.arena.show",
    )

    settings: dict[str, Any]
    cooperative: bool
    deals: int
    games_per_deal: int
    anchor: str | None
    standings: tuple[Standing, ...]
    comparisons: tuple[Comparison, ...]
    forfeits: tuple[Forfeited, ...] = ()
    usage: dict[str, dict[str, float]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict, compare=False)


# ---------------------------------------------------------------- round robins


@dataclass(frozen=True)
class Pair:
    """The games of agents i and j, by deal and seating.

    ``points`` (deals, seatings): of agent i. ``wins`` (2, deals, seatings): the share of the
    victory that went to each; ``scores`` (2, deals, seatings): mean score of the seats of each.
    """

    points: Array
    wins: Array
    scores: Array

    def mirrored(self) -> "Pair":
        """The same games with agents i and j exchanged."""
        return Pair(1 - self.points, self.wins[::-1], self.scores[::-1])


def points_of(result: UnitResult, seating: Array) -> Array:
    """The points (0 to 1) of contestant 0 in each game, float64 (deals, seatings).

    A winner is before the others, then the higher score is before the lower; where nobody has won,
    all are level. Every seat of contestant 0 is compared with every seat of contestant 1: 1 for
    before, ½ for level; the game's points are the mean.
    """
    rows = np.tile(seating, (len(result.scores) // len(seating), 1))
    span = np.ptp(result.scores) + 1 if result.scores.size else 1.0
    order = result.winners * span + result.scores  # winners first, then by score
    order *= result.winners.any(axis=1, keepdims=True)
    level = (order[:, :, None] == order[:, None, :]) * 0.5
    before = (order[:, :, None] > order[:, None, :]) + level
    meets = (rows == 0)[:, :, None] & (rows == 1)[:, None, :]
    points = (before * meets).sum(axis=(1, 2)) / meets.sum(axis=(1, 2))
    return np.asarray(points.reshape(-1, len(seating)))


def pair_of(blocks: Sequence[UnitResult], seating: Array) -> Pair:
    """The games of two agents, from the blocks in which they were played."""
    played = _joined(blocks)
    rows = np.tile(seating, (len(played.scores) // len(seating), 1))
    shape = (2, -1, len(seating))
    shares = shares_of_victory(played.winners, cooperative=False)
    seats = np.stack([rows == 0, rows == 1])
    wins = (shares * seats).sum(axis=2)
    scores = (played.scores * seats).sum(axis=2) / seats.sum(axis=2)
    return Pair(points_of(played, seating), wins.reshape(shape), scores.reshape(shape))


def pairs_of(
    played: Mapping[Unit, UnitResult], num_agents: int, seating: Array
) -> dict[tuple[int, int], Pair]:
    """The games of every two agents, both ways round. Tables on which they met on the same deal
    follow each other."""
    tables = sorted({unit.contestants for unit in played})
    found = {}
    for i, j in combinations(range(num_agents), 2):
        met = []
        for table in (table for table in tables if {i, j} <= set(table)):
            theirs = np.full(len(table), NEITHER)
            theirs[[table.index(i), table.index(j)]] = 0, 1
            met.append(
                pair_of(
                    [played[unit] for unit in sorted(played) if unit.contestants == table],
                    theirs[seating],
                )
            )
        found[i, j] = Pair(
            np.concatenate([games.points for games in met], axis=1),
            *(
                np.concatenate([getattr(games, name) for games in met], axis=2)
                for name in ("wins", "scores")
            ),
        )
        found[j, i] = found[i, j].mirrored()
    return found


def _joined(blocks: Sequence[UnitResult]) -> UnitResult:
    """The games of several units as one; games that were given up are left out."""
    names = ("winners", "scores", "lengths", "truncated")
    winners, scores, lengths, truncated = (
        np.concatenate([getattr(block, name) for block in blocks]) for name in names
    )
    return UnitResult(winners, scores, lengths, truncated)


def _with_forfeits(report: Report, played: Mapping[Unit, UnitResult], seating: Array) -> Report:
    """The report with the games that were given up, in the order of the schedule, and the usage of
    agents."""
    names = _names(report.settings)
    found = tuple(
        Forfeited(
            names[unit.contestants[seating[game % len(seating)][seat]]],
            unit.start + game // len(seating),
            seat,
            reason,
        )
        for unit in sorted(played)
        for game, seat, reason in played[unit].forfeits
    )
    counts = Counter(each.agent for each in found)
    standings = tuple(replace(entry, forfeits=counts[entry.agent]) for entry in report.standings)
    usage = {
        name: sum_usage(
            played[unit].usage[unit.contestants.index(k)]
            for unit in sorted(played)
            if played[unit].usage and k in unit.contestants
        )
        for k, name in enumerate(names)
    }
    counted = {name: numbers for name, numbers in usage.items() if numbers}
    return replace(report, standings=standings, forfeits=found[:FORFEITS_TOLD], usage=counted)


def round_robin(
    settings: dict[str, Any],
    played: Mapping[Unit, UnitResult],
    num_seats: int,
    deals: int,
    anchor: str | None = None,
    form: Form = Form.PAIRS,
) -> Report:
    """The report of a competitive game.

    Args:
        settings: of the arena; ``agents`` names them.
        played: every unit of the schedule.
        num_seats: of the game.
        deals: how many.
        anchor: the agent whose Elo is 0, ``mean``, or None: ``random`` if it takes part, else
            ``mean``.
        form: who sat at a table: pairs, or as many different agents as there are seats.

    Raises:
        ArenaError: the anchor is no agent that takes part.
    """
    names = _names(settings)
    zero = check_anchor(names, anchor)
    seating = seatings(num_seats, form)
    pairs = pairs_of(played, len(names), seating)
    points = np.zeros((deals, len(names), len(names)))
    for i, j in combinations(range(len(names)), 2):
        points[:, i, j] = pairs[i, j].points.mean(axis=1)
        points[:, j, i] = 1 - points[:, i, j]
    bootstrap = Bootstrap(deals, pairs[0, 1].points.shape[1], settings["seed"] % 2**63)
    ratings = bootstrap.rate(
        points, ~np.eye(len(names), dtype=np.bool_), None if zero == MEAN else names.index(zero)
    )
    order = [int(k) for k in np.argsort(-ratings.elo, kind="stable")]
    group_of = _group_numbers(points.sum(axis=0), order)
    standings, comparisons = [], []
    for rank, k in enumerate(order, 1):
        own = [pairs[k, other] for other in range(len(names)) if other != k]
        taken, wins, score = (
            np.mean([each.mean(axis=1) for each in arrays], axis=0)
            for arrays in zip(
                *((games.points, games.wins[0], games.scores[0]) for games in own), strict=True
            )
        )
        standings.append(
            Standing(
                agent=names[k],
                rank=rank,
                games=sum(games.points.size for games in own) // (form.contestants(num_seats) - 1),
                elo=Interval(float(ratings.elo[k]), float(ratings.low[k]), float(ratings.high[k])),
                group=group_of[k],
                points=float(taken.mean()),
                wins=bootstrap.share(wins),
                score=mean_interval(score),
            )
        )
    for i, j in combinations(order, 2):
        games, gap = pairs[i, j], ratings.samples[:, i] - ratings.samples[:, j]
        comparisons.append(
            Comparison(
                agents=(names[i], names[j]),
                games=games.points.size,
                points=bootstrap.share(games.points.mean(axis=1)),
                elo=around(float(ratings.elo[i] - ratings.elo[j]), gap),
                score=mean_interval((games.scores[0] - games.scores[1]).mean(axis=1)),
                wins=bootstrap.difference((games.wins[0] - games.wins[1]).mean(axis=1)),
                ahead=float((gap > 0).mean()),
            )
        )
    report = Report(
        settings, False, deals, len(seating), zero, tuple(standings), tuple(comparisons)
    )
    return _with_forfeits(report, played, seating)


def _names(settings: Mapping[str, Any]) -> list[str]:
    return [agent["agent"] for agent in settings["agents"]]


def check_anchor(names: Sequence[str], anchor: str | None) -> str:
    """The anchor, or the default for None; raises ArenaError if it does not take part."""
    if anchor is None:
        return "random" if "random" in names else MEAN
    if anchor not in (*names, MEAN):
        raise ArenaError(
            f"the anchor {shown_in_message(anchor)} is neither {shown_in_message(MEAN)} nor one of "
            f"{', '.join(names)}"
        )
    return anchor


def _group_numbers(points: Array, order: Sequence[int]) -> dict[int, int]:
    """The number of each agent's group; 1 is the best agent's."""
    found = sorted(groups(points), key=lambda group: min(order.index(k) for k in group))
    return {k: number for number, group in enumerate(found, 1) for k in group}


# ---------------------------------------------------------------- teams


def teams(settings: dict[str, Any], played: Mapping[Unit, UnitResult], deals: int) -> Report:
    """The report of a cooperative game. Each agent plays all seats on the same deals; the mean
    score decides the rank.

    Args:
        settings: of the arena; ``agents`` names them.
        played: every unit of the schedule.
        deals: how many.
    """
    names = _names(settings)
    games = [
        _joined([played[unit] for unit in sorted(played) if unit.contestants == (k,)])
        for k in range(len(names))
    ]
    won = [np.asarray(each.winners.any(axis=1), np.float64) for each in games]
    scores = [np.asarray(each.scores.mean(axis=1)) for each in games]
    bootstrap = Bootstrap(deals, 1, settings["seed"] % 2**63)
    order = sorted(range(len(names)), key=lambda k: -scores[k].mean())
    standings = tuple(
        Standing(
            names[k], rank, deals, None, 1, None, bootstrap.share(won[k]), mean_interval(scores[k])
        )
        for rank, k in enumerate(order, 1)
    )
    comparisons = tuple(
        Comparison(
            agents=(names[i], names[j]),
            games=deals,
            points=None,
            elo=None,
            score=mean_interval(scores[i] - scores[j]),
            wins=bootstrap.difference(won[i] - won[j]),
            ahead=bootstrap.positive(scores[i] - scores[j]),
        )
        for i, j in combinations(order, 2)
    )
    num_seats = next(iter(played.values())).winners.shape[1]
    report = Report(settings, True, deals, 1, None, standings, comparisons)
    return _with_forfeits(report, played, seatings(num_seats, Form.TEAMS))
