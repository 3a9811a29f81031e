"""Many games between given players, each game played exactly once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import Any

import numpy as np

from dig_envs.agents.loading import check_num_players
from dig_envs.agents.memory import Memories
from dig_envs.agents.own import check_agent
from dig_envs.agents.protocol import Agent, traits
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.checks import WORDS, check_integer, check_seed
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.winners import shares_of_victory
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game

# 95 % of a normal distribution lies within this many standard deviations of its mean
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def percent(self) -> str:
        """A share as text, such as ``12.5 % [10.2, 15.3]``."""
        return f"{100 * self.mean:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"

    def rounded(self, digits: int) -> str:
        """The mean and its interval as text with ``digits`` decimals, such as ``2.64 [2.57,
        2.71]``; what rounds to 0 has no minus."""
        mean, low, high = (round(value, digits) + 0.0 for value in (self.mean, self.low, self.high))
        return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def wilson(successes: float, trials: int) -> Interval:
    """A proportion with its 95 % Wilson score interval, which is also right near 0 and 1."""
    if trials == 0:
        return Interval(0.0, 0.0, 1.0)
    p, z2 = successes / trials, NORMAL_95**2
    centre = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = NORMAL_95 * sqrt(p * (1 - p) / trials + z2 / (4 * trials**2)) / (1 + z2 / trials)
    return Interval(p, min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half)))


def mean_interval(values: Array) -> Interval:
    """The mean of a sample with its 95 % interval (normal approximation)."""
    if len(values) == 0:
        return Interval(0.0, 0.0, 0.0)
    mean = float(np.mean(values))
    half = NORMAL_95 * float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0
    return Interval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Forfeit:
    """A game that an agent gave up (:class:`~dig_envs.engine.core.errors.ForfeitError`).

    ``game``: its number among those played. ``seat``: that gave up. ``agent``: who sat there.
    ``reason``: what happened.
    """

    game: int
    seat: int
    agent: int
    reason: str


@dataclass(frozen=True)
class Results:
    """The results of n games. Seats that a game does not have are zero (``agents``: -1).

    ``agents`` int64 (n, max_players): which agent, an index into ``names``, sat in each seat.
    ``winners`` bool, ``won`` float64 (shares of the victory), ``scores`` float64, ``returns``
    float32, all (n, max_players). ``lengths``
    int64 (n,): actions. ``truncated`` bool (n,): whether the turn limit ended the game, which
    counts as any other. ``forfeits``: the games that somebody gave up. ``usage``: of each agent
    that counts what it does (a language model), name of what is counted -> number in these games.

    A game that is given up ends there, with the scores as they are. All seats of the agent that
    gave it up lose, the others win; in a cooperative game all lose. The failed action counts in
    ``lengths``.
    """

    names: tuple[str, ...]
    agents: Array
    winners: Array
    won: Array
    scores: Array
    returns: Array
    lengths: Array
    truncated: Array
    forfeits: tuple[Forfeit, ...] = ()
    usage: tuple[Mapping[str, float], ...] = ()

    def num_forfeits(self, agent: int) -> int:
        """The number of games that the agent gave up."""
        return sum(forfeit.agent == agent for forfeit in self.forfeits)

    def won_by(self, agent: int) -> Interval:
        """The agent's mean share of the victory in its games. Several seats of one game count
        together; a victory in a cooperative game counts 1."""
        seats = self.agents == agent
        won = np.minimum(np.where(seats, self.won, 0.0).sum(axis=1), 1.0)
        return wilson(float(won.sum()), int(seats.any(axis=1).sum()))

    def score(self, agent: int) -> Interval:
        """The agent's mean score; over several seats of one game the mean of them counts once."""
        seats = self.agents == agent
        count = seats.sum(axis=1)
        total = np.where(seats, self.scores, 0.0).sum(axis=1)
        return mean_interval(total[count > 0] / count[count > 0])


def play_games(
    name: str,
    agents: Sequence[Agent],
    num_games: int,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    rotate: bool = False,
    batch_size: int = 1024,
) -> Results:
    """Play ``num_games`` games, with the seeds ``seed``, ``seed + 1`` …, each to its end and each
    exactly once.

    (Taking the first games that *finish* among running ones would prefer short games.)

    Args:
        name: the environment.
        agents: one per seat, from ``load_agent`` or objects with a method ``act_batch``; the same
            object may have several seats.
        num_games: how many.
        seed: of the first game.
        options: of the game, ``num_players`` included; the number of players must be that of the
            agents.
        rotate: in game i agent k has seat ``(k + i) % n``, so that no one keeps the advantage of a
            seat. ``num_games`` is best a multiple of n then.
        batch_size: how many games run side by side; it does not change the results of deterministic
            agents.

    Raises:
        ValueError: if agents and seats differ in number, or the seed is out of range.
        TypeError: if a number is not an integer, or an agent is a name.
        OptionError: for bad options.
        PolicyMismatchError: if an agent plays another game, or a policy was not trained for so many
            players.
        IllegalActionError: if an object of one's own chooses what is not legal.
    """
    first, num_seats = check_seed(seed), len(agents)
    check_integer(num_games, "num_games", 1)
    check_integer(batch_size, "batch_size", 1)
    game = load_game(name)
    distinct = {id(agent): check_agent(agent, game) for agent in agents}
    check_num_players(list(distinct.values()), num_seats)
    which = np.array([list(distinct).index(id(agent)) for agent in agents])
    turns = np.arange(num_games) if rotate else np.zeros(num_games, np.int64)
    seating = which[(np.arange(num_seats) - turns[:, None]) % num_seats]
    batches = []
    for start in range(0, num_games, batch_size):
        rows = seating[start : start + batch_size]
        seeds = [(first + start + i) % WORDS for i in range(len(rows))]
        batches.append(play_seated(name, list(distinct.values()), rows, seeds, options))
    arrays = [
        field.name for field in fields(Results) if field.name not in ("names", "forfeits", "usage")
    ]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(batch, name) for batch in batches]) for name in arrays
    }
    forfeits = [
        replace(each, game=each.game + k * batch_size)
        for k, batch in enumerate(batches)
        for each in batch.forfeits
    ]
    usage = tuple(sum_usage(each) for each in zip(*(batch.usage for batch in batches), strict=True))
    return Results(batches[0].names, **joined, forfeits=tuple(forfeits), usage=usage)


def sum_usage(counted: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sums of several counters, name by name."""
    total: dict[str, float] = {}
    for each in counted:
        for name, number in each.items():
            total[name] = total.get(name, 0) + number
    return total


def play_seated(
    name: str,
    agents: Sequence[Agent],
    seating: Array,
    seeds: Sequence[int],
    options: Mapping[str, Any] | None = None,
    num_threads: int | None = None,
) -> Results:
    """Play n games side by side, each to its end, with a seating and a seed for each.

    Args:
        name: the environment.
        agents: those who play.
        seating: integers (n, num_players): which of the agents has each seat of each game.
        seeds: n integers; games with the same seed have the same deal.
        options: of the game, ``num_players`` included; the number of players must be that of the
            seating.
        num_threads: that step the games; default: all cores. The results do not depend on it.

    Raises:
        ValueError: if the seating does not fit the number of players.
        OptionError: for bad options.
    """
    n, width = seating.shape
    listening = any(traits(agent).takes_events for agent in agents)
    batch = BatchEnv(name, n, seeds, num_threads, with_events=listening, **(options or {}))
    num_seats, most = int(batch.states["num_players"][0]), batch.game.max_players
    if width != num_seats:
        raise ValueError(f"{width} agents for {num_seats} seats: a game needs one for each seat")
    seats = np.full((n, most), -1)
    seats[:, :num_seats] = seating
    results = Results(
        names=tuple(agent.name for agent in agents),
        agents=seats,
        winners=np.zeros((n, most), np.bool_),
        won=np.zeros((n, most)),
        scores=np.zeros((n, most)),
        returns=np.zeros((n, most), np.float32),
        lengths=np.zeros(n, np.int64),
        truncated=np.zeros(n, np.bool_),
    )
    before = [dict(traits(agent).usage) for agent in agents]
    memories = Memories(agents, n, most)
    playing = np.ones(n, np.bool_)
    actions = np.zeros(n, np.int64)
    forfeits: list[Forfeit] = []
    while playing.any():
        for forfeit in _choose_all(agents, memories, batch, seats, playing, actions):
            _give_up(results, batch, forfeit)
            playing[forfeit.game] = False
            forfeits.append(forfeit)
        results.lengths[playing] += 1
        batch.step(actions, games=playing)
        ended = np.flatnonzero(batch.terminated)
        final = batch.final_states[ended]
        results.winners[ended, :num_seats] = final["winners"][:, :num_seats] != 0
        results.won[ended] = batch.won[ended]
        results.scores[ended, :num_seats] = final["scores"][:, :num_seats]
        results.returns[ended] = batch.final_returns[ended]
        results.truncated[ended] = batch.turn_limit[ended]
        playing[ended] = False
    batch.close()
    usage = tuple(
        {name: number - old.get(name, 0) for name, number in traits(agent).usage.items()}
        for agent, old in zip(agents, before, strict=True)
    )
    return replace(results, forfeits=tuple(forfeits), usage=usage)


def _choose_all(
    agents: Sequence[Agent],
    memories: Memories,
    batch: BatchEnv,
    seats: Array,
    playing: Array,
    actions: Array,
) -> list[Forfeit]:
    """Write the actions of all games that go on; returns those that are given up.

    An agent is asked about all its games in one call, but game by game if it may give one up, which
    is not to cost it others.
    """
    forfeits = []
    turn_of = seats[np.arange(len(seats)), batch.mover]
    for number, agent in enumerate(agents):
        games = np.flatnonzero(playing & (turn_of == number))
        if not len(games):
            continue
        for rows in games[:, None] if traits(agent).may_forfeit else [games]:
            seen, masks, movers = (
                batch.observation[rows],
                batch.action_mask[rows],
                batch.mover[rows],
            )
            more: dict[str, Any] = {}
            if traits(agent).takes_events:
                more["events"] = [
                    batch.events(int(i), int(mover)) for i, mover in zip(rows, movers, strict=True)
                ]
            try:
                actions[rows] = memories.act(
                    number, rows, seen, masks, batch.states[rows], movers, **more
                )
            except ForfeitError as error:
                forfeits += [
                    Forfeit(int(game), int(batch.mover[game]), number, str(error)) for game in rows
                ]
    return forfeits


def given_up(game: Game, position: Array, losers: Array) -> tuple[Array, Array]:
    """The winners and the returns of a game that was given up.

    Args:
        position: record array of length 1; it stays as it is. losers: bool (seats of the game,):
            who gave it up.

    Returns:
        Winners bool (seats of the game,): all others, nobody in a cooperative game; returns float32
        (max_players,).
    """
    states, winners = position.copy(), ~losers & (not game.cooperative)
    states["winners"][0, : len(winners)] = winners
    return winners, game.returns_of(states)[0]


def _give_up(results: Results, batch: BatchEnv, forfeit: Forfeit) -> None:
    """Write the result of a game that an agent gave up (:class:`Results`)."""
    game, position = forfeit.game, batch.states[forfeit.game : forfeit.game + 1]
    num_seats = int(position["num_players"][0])
    losers = results.agents[game, :num_seats] == forfeit.agent
    results.winners[game, :num_seats], results.returns[game] = given_up(
        batch.game, position, losers
    )
    results.won[game] = shares_of_victory(results.winners[game], batch.game.cooperative)
    results.scores[game, :num_seats] = position["scores"][0, :num_seats]
    results.lengths[game] += 1
