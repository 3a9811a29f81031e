"""What the games of an arena say: standings and comparisons, and their form as JSON (documented in the README of this folder)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from dig_envs.agents.matches import Interval, mean_interval
from dig_envs.arena.ratings import Bootstrap, Ratings, around, groups
from dig_envs.arena.results import Played
from dig_envs.arena.schedule import Form, Unit, seatings
from dig_envs.engine.errors import ArenaError
from dig_envs.engine.game import Array

FORMAT = 1
KIND = "dig_envs arena"
MEAN = "mean"  # the anchor if no agent is one
FORFEITS_TOLD = 20  # in a report; the standings count them all
NEITHER = -1  # in a seating of two agents: somebody else has the seat


@dataclass(frozen=True)
class Standing:
    """How one agent did.

    ``elo``: None in a cooperative game. ``group``: agents of different groups are kept at a finite distance by the prior
    alone. ``points``: mean points (0 to 1) per game; None in a cooperative game. ``wins``: its share of all victories in its games
    (cooperative: the share of its games that were won). ``score``: mean score of its seats. ``forfeits``: games that it gave up.
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
    """A game that an agent gave up. ``deal``: its number. ``seat``: the agent's. ``reason``: what happened."""

    agent: str
    deal: int
    seat: int
    reason: str


@dataclass(frozen=True)
class Comparison:
    """Two agents on the same deals.

    ``points``: of the first against the second, mean per game. ``elo``, ``score``, ``wins``: the first's minus the second's.
    ``points`` and ``elo`` are None in a cooperative game. ``ahead``: how sure it is that the first is the better, 0 to 1.
    """

    agents: tuple[str, str]
    games: int
    points: Interval | None
    elo: Interval | None
    score: Interval
    wins: Interval
    ahead: float


@dataclass(frozen=True)
class Report:
    """All that an arena says.

    ``settings``: as in the file of results. ``anchor``: the agent whose Elo is 0, or ``mean``; None in a cooperative game.
    ``standings``: best first. ``comparisons``: all pairs, the better one first. ``forfeits``: games that were given up, the first
    few of them.
    """

    settings: dict[str, Any]
    cooperative: bool
    deals: int
    games_per_deal: int
    anchor: str | None
    standings: tuple[Standing, ...]
    comparisons: tuple[Comparison, ...]
    forfeits: tuple[Forfeited, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As plain dicts and lists."""
        plain: dict[str, Any] = rounded({"kind": KIND, "format": FORMAT, **asdict(self)})
        return plain

    @classmethod
    def from_json(cls, plain: Any) -> "Report":
        """The reverse; raises ArenaError if it is none."""
        fields = fields_of(plain, KIND, FORMAT, "an arena", ArenaError)
        try:
            fields["standings"] = tuple(Standing(**_intervals(row)) for row in plain["standings"])
            fields["comparisons"] = tuple(
                Comparison(**{**_intervals(row), "agents": tuple(row["agents"])}) for row in plain["comparisons"]
            )
            fields["forfeits"] = tuple(Forfeited(**row) for row in plain.get("forfeits", []))
            return cls(**fields)
        except (KeyError, TypeError) as error:
            raise ArenaError(f"the report is damaged: {error}") from None


def fields_of(plain: Any, kind: str, version: int, of: str, error: type[Exception]) -> dict[str, Any]:
    """What a report in JSON has beside its kind and its format; raises the error if it is of another kind or format."""
    if not isinstance(plain, dict) or plain.get("kind") != kind:
        raise error(f"this is no report of {of}")
    if plain.get("format") != version:
        raise error(f"the report has format {plain.get('format')!r}; this version reads format {version}")
    return {key: value for key, value in plain.items() if key not in ("kind", "format")}


def rounded(value: Any) -> Any:
    """Floats to five decimals, tuples as lists."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, Mapping):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    return value


def _intervals(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: Interval(**value) if isinstance(value, dict) else value for key, value in row.items()}


# ---------------------------------------------------------------- round robins


@dataclass(frozen=True)
class Pair:
    """The games of agents i and j, by deal and seating.

    ``points`` (deals, seatings): of agent i. ``wins`` (2, deals, seatings): the share of the victory that went to each;
    ``scores`` (2, deals, seatings): mean score of the seats of each.
    """

    points: Array
    wins: Array
    scores: Array


def points_of(played: Played, seating: Array) -> Array:
    """The points (0 to 1) of contestant 0 in each game, float64 (deals, seatings).

    A winner is before the others, then the higher score is before the lower. Every seat of contestant 0 is compared with every
    seat of contestant 1: 1 for before, ½ for level; the game's points are the mean.
    """
    games = len(played.scores)
    rows = np.tile(seating, (games // len(seating), 1))
    order = _key(played)
    level = (order[:, :, None] == order[:, None, :]) * 0.5
    before = (order[:, :, None] > order[:, None, :]) + level
    meets = (rows == 0)[:, :, None] & (rows == 1)[:, None, :]
    points = (before * meets).sum(axis=(1, 2)) / meets.sum(axis=(1, 2))
    return np.asarray(points.reshape(-1, len(seating)))


def _key(played: Played) -> Array:
    """A number per seat that orders winners first, then by score."""
    span = np.ptp(played.scores) + 1 if played.scores.size else 1.0
    return np.asarray(played.winners * span + played.scores)


def pair_of(parts: Sequence[Played], seating: Array) -> Pair:
    """The games of two agents from the blocks in which they were played."""
    played = _joined(parts)
    rows = np.tile(seating, (len(played.scores) // len(seating), 1))
    shape = (2, -1, len(seating))
    shares = played.winners / np.maximum(played.winners.sum(axis=1, keepdims=True), 1)
    seats = np.stack([rows == 0, rows == 1])
    wins = (shares * seats).sum(axis=2)
    scores = (played.scores * seats).sum(axis=2) / seats.sum(axis=2)
    points = np.concatenate([points_of(part, seating) for part in parts])
    return Pair(points, wins.reshape(shape), scores.reshape(shape))


def pairs_of(played: Mapping[Unit, Played], num_agents: int, seating: Array) -> dict[tuple[int, int], Pair]:
    """The games of every two agents; where they have met at several tables on each deal, the tables follow each other."""
    tables = sorted({unit.contestants for unit in played})
    found = {}
    for pair in combinations(range(num_agents), 2):
        met = []
        for table in (table for table in tables if set(pair) <= set(table)):
            theirs = np.full(len(table), NEITHER)
            theirs[[table.index(k) for k in pair]] = 0, 1
            parts = [played[unit] for unit in sorted(played) if unit.contestants == table]
            met.append(pair_of(parts, theirs[seating]))
        found[pair] = Pair(
            np.concatenate([games.points for games in met], axis=1),
            *(np.concatenate([getattr(games, name) for games in met], axis=2) for name in ("wins", "scores")),
        )
    return found


Pairs = Mapping[tuple[int, int], Pair]


def _joined(parts: Sequence[Played]) -> Played:
    """The games of several units as one; of games that were given up only the results."""
    names = ("winners", "scores", "lengths", "truncated")
    winners, scores, lengths, truncated = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Played(winners, scores, lengths, truncated)


def forfeited(names: Sequence[str], played: Mapping[Unit, Played], seating: Array) -> tuple[Forfeited, ...]:
    """All games that were given up, in the order of the schedule."""
    return tuple(
        Forfeited(names[unit.contestants[seating[game % len(seating)][seat]]], unit.start + game // len(seating), seat, reason)
        for unit in sorted(played)
        for game, seat, reason in played[unit].forfeits
    )


def _with_forfeits(report: Report, found: tuple[Forfeited, ...]) -> Report:
    """The report with the games that were given up, counted for each agent."""
    counts = Counter(each.agent for each in found)
    standings = tuple(replace(entry, forfeits=counts[entry.agent]) for entry in report.standings)
    return replace(report, standings=standings, forfeits=found[:FORFEITS_TOLD])


def round_robin(
    settings: dict[str, Any],
    played: Mapping[Unit, Played],
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
        anchor: the agent whose Elo is 0, ``mean``, or None: ``random`` if it takes part, else ``mean``.
        form: who sat at a table: pairs, or as many different agents as there are seats.

    Raises:
        ArenaError: the anchor takes no part.
    """
    names = _names(settings)
    zero = check_anchor(names, anchor)
    seating = seatings(num_seats, form)
    pairs = pairs_of(played, len(names), seating)
    points = np.zeros((deals, len(names), len(names)))
    for (i, j), games in pairs.items():
        points[:, i, j] = games.points.mean(axis=1)
        points[:, j, i] = 1 - points[:, i, j]
    bootstrap = Bootstrap(deals, next(iter(pairs.values())).points.shape[1], settings["seed"] % 2**63)
    ratings = bootstrap.rate(points, ~np.eye(len(names), dtype=np.bool_), None if zero == MEAN else names.index(zero))
    order = [int(k) for k in np.argsort(-ratings.elo, kind="stable")]
    group_of = _group_numbers(points.sum(axis=0), order)
    standings = tuple(
        _standing(names, k, rank, group_of[k], ratings, pairs, bootstrap, form.contestants(num_seats) - 1)
        for rank, k in enumerate(order, 1)
    )
    comparisons = tuple(_comparison(names, i, j, ratings, pairs, bootstrap) for i, j in combinations(order, 2))
    report = Report(settings, False, deals, len(seating), zero, standings, comparisons)
    return _with_forfeits(report, forfeited(names, played, seating))


def _names(settings: Mapping[str, Any]) -> list[str]:
    return [agent["agent"] for agent in settings["agents"]]


def check_anchor(names: Sequence[str], anchor: str | None) -> str:
    """The anchor that is meant; raises ArenaError if it takes no part."""
    if anchor is None:
        return "random" if "random" in names else MEAN
    if anchor not in (*names, MEAN):
        raise ArenaError(f"the anchor {anchor!r} is neither {MEAN!r} nor one of {', '.join(names)}")
    return anchor


def _group_numbers(points: Array, order: Sequence[int]) -> dict[int, int]:
    """The number of each agent's group, 1 for the best agent's."""
    found = sorted(groups(points), key=lambda group: min(order.index(k) for k in group))
    return {k: number for number, group in enumerate(found, 1) for k in group}


def _seen_from(games: Pair, mirrored: bool) -> Pair:
    """The same games from the second agent's side."""
    return Pair(1 - games.points, games.wins[::-1], games.scores[::-1]) if mirrored else games


def _standing(
    names: Sequence[str],
    k: int,
    rank: int,
    group: int,
    ratings: Ratings,
    pairs: Pairs,
    bootstrap: Bootstrap,
    met_at_once: int,
) -> Standing:
    own = [_seen_from(games, pair[1] == k) for pair, games in pairs.items() if k in pair]
    by_deal = [
        np.mean([each.mean(axis=1) for each in arrays], axis=0)
        for arrays in zip(*((games.points, games.wins[0], games.scores[0]) for games in own), strict=True)
    ]
    return Standing(
        agent=names[k],
        rank=rank,
        games=sum(games.points.size for games in own) // met_at_once,
        elo=Interval(float(ratings.elo[k]), float(ratings.low[k]), float(ratings.high[k])),
        group=group,
        points=float(by_deal[0].mean()),
        wins=bootstrap.share(by_deal[1]),
        score=mean_interval(by_deal[2]),
    )


def _comparison(names: Sequence[str], i: int, j: int, ratings: Ratings, pairs: Pairs, bootstrap: Bootstrap) -> Comparison:
    games = _seen_from(pairs[min(i, j), max(i, j)], i > j)
    gap = ratings.samples[:, i] - ratings.samples[:, j]
    return Comparison(
        agents=(names[i], names[j]),
        games=games.points.size,
        points=bootstrap.share(games.points.mean(axis=1)),
        elo=around(float(ratings.elo[i] - ratings.elo[j]), gap),
        score=mean_interval((games.scores[0] - games.scores[1]).mean(axis=1)),
        wins=bootstrap.difference((games.wins[0] - games.wins[1]).mean(axis=1)),
        ahead=float((gap > 0).mean()),
    )


# ---------------------------------------------------------------- teams


def teams(settings: dict[str, Any], played: Mapping[Unit, Played], deals: int) -> Report:
    """The report of a cooperative game: each agent has had all seats, on the same deals; the mean score decides the rank.

    Args:
        settings: of the arena; ``agents`` names them.
        played: every unit of the schedule.
        deals: how many.
    """
    names = _names(settings)
    games = [_joined([played[unit] for unit in sorted(played) if unit.contestants == (k,)]) for k in range(len(names))]
    won = [np.asarray(each.winners.any(axis=1), np.float64) for each in games]
    scores = [np.asarray(each.scores.mean(axis=1)) for each in games]
    bootstrap = Bootstrap(deals, 1, settings["seed"] % 2**63)
    order = sorted(range(len(names)), key=lambda k: -scores[k].mean())
    standings = tuple(
        Standing(names[k], rank, deals, None, 1, None, bootstrap.share(won[k]), mean_interval(scores[k]))
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
    return _with_forfeits(report, forfeited(names, played, seatings(num_seats, Form.TEAMS)))
