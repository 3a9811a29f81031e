"""How much a best response to an agent would gain in the last decisions of a game (README, "How exploitable").

A small game begins with a position in which a seat has so many decisions to go, and with what that seat cannot know dealt anew,
many times ("worlds"). The others play as the agent. The seat's best response is computed over all worlds at once: where it cannot
tell them apart it does the same, so that it knows no more than a player would. Fitted to these worlds it is too good (an upper
bound); in worlds of another sample, which it has never seen, not better than the best response to the agent (a lower bound).
There are two samples, and each is fitted once and tried on once. So both bounds are about the same worlds, and do not cross: in no
worlds does a response take more than the one that is fitted to them. (Of an agent that draws at random they may, by its luck.)
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from dig_envs.agents.loading import load_agent
from dig_envs.agents.matches import Interval, mean_interval
from dig_envs.agents.memory import memory_size
from dig_envs.agents.protocol import Agent
from dig_envs.arena.machine import machine_now
from dig_envs.arena.schedule import MOST_GAMES
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.checks import WORDS, check_integer, check_seed
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game

SIDE_BY_SIDE = 2048  # positions that are played on together
MOST_POSITIONS = 500_000  # of a tree; a larger one is given up
FEWEST_WORLDS = 8  # the lower bound's response does what the agent does where it has seen fewer
TIE = 1e-9  # the agent's own choice is preferred among equals by so much, in the value of one world


@dataclass(frozen=True)
class Exploitability:
    """The gain of the best response, mean over small games with 95 % intervals, in returns (-1 to 1) or points.

    ``lower``, ``upper``: bounds of the gain over the agent's own play. ``own``: the value of the agent's own play. ``games``: how
    many small games; ``too_large``: how many more were left out, their trees being too large; ``ended``: how many games gave none,
    since the seat never had so many decisions. ``positions``: in the trees, mean. ``machine``: on which it was made, and when.
    """

    env: str
    options: Mapping[str, Any]
    agent: str
    unit: str
    decisions: int
    worlds: int
    seed: int
    lower: Interval
    upper: Interval
    own: Interval
    games: int
    too_large: int
    ended: int
    positions: float
    machine: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


class TooLargeError(ValueError):
    """A tree has more positions than there may be."""


def exploit(
    env: str,
    agent: str,
    games: int = 100,
    decisions: int = 1,
    worlds: int = 500,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    points: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Exploitability:
    """Bound how much a best response to an agent gains in the last decisions of games that it plays with itself.

    Args:
        env: such as ``go_dig_v0``.
        agent: name of the agent, which may not remember.
        games: how many are played; the seat changes from game to game.
        decisions: how many the seat had to go, counting those with a choice, where the small game begins.
        worlds: deals of what it cannot know in each of two samples: a response is fitted to one and tried on the other.
        seed: of the first deal and of all that is drawn.
        options: of the game.
        points: count the lead in points (cooperative: the points), not the return.
        progress: called with how many small games are done, and how many there are.

    Raises:
        TypeError, ValueError: a number that is none or out of range.
        ValueError: an agent that remembers, or every tree is too large.
        OptionError, PolicyNotFoundError, PolicyMismatchError: for bad options, an unknown agent or one for another game.
    """
    games, decisions = check_integer(games, "games", 1, MOST_GAMES), check_integer(decisions, "decisions", 1, MOST_GAMES)
    worlds, first = check_integer(worlds, "worlds", 1, MOST_GAMES), check_seed(seed)
    player = load_agent(agent, env, first)
    if memory_size(player):
        raise ValueError(f"{agent} has a memory, on which a best response would depend: choose an agent without a memory")
    small_games = SmallGames(load_game(env), player, dict(options or {}), points)
    found, too_large = [], 0
    starts = small_games.starts(games, decisions, first)
    for number, (state, seat) in enumerate(starts):
        if progress is not None:
            progress(number, len(starts))
        try:
            found.append(small_games.measure(state, seat, worlds, np.random.default_rng([first, number])))
        except TooLargeError:
            too_large += 1
    if not found:
        raise ValueError(f"{too_large} of {games} trees are too large, other games have no {decisions} decisions: ask for fewer")
    table = np.array(found)
    bounds = {name: mean_interval(table[:, k] - table[:, 2]) for k, name in enumerate(("lower", "upper"))}
    return Exploitability(
        env=env,
        options=small_games.options,
        agent=agent,
        unit="points" if points else "return",
        decisions=decisions,
        worlds=worlds,
        seed=first,
        **bounds,
        own=mean_interval(table[:, 2]),
        games=len(found),
        too_large=too_large,
        ended=games - len(starts),
        positions=float(table[:, 3].mean()),
        machine=machine_now(),
    )


@dataclass(frozen=True)
class Settled:
    """Positions in which the seat has to decide, or that are over, n of them.

    ``states``: records (n,), the last ones where it is over. ``over`` bool (n,). Where it is over, ``values`` float64 (n,): the
    result of the seat. Elsewhere ``seen`` uint64 (n,): a hash of the seat's observation, ``masks`` int8 (n, num_actions): its legal
    actions, and ``own`` int64 (n,): the agent's action in its place.
    """

    states: Array
    over: Array
    values: Array
    seen: Array
    masks: Array
    own: Array


@dataclass
class Depth:
    """The seat's k-th decision in the small game, over all that it may have done and seen before.

    Its information sets are numbered; each has an edge for every legal action, those of set i from ``first[i]`` on. ``keys``
    uint64: by which a set is found, sorted. ``parents``: the edge of the depth before that leads to a set. ``actions``: of the
    edges. ``own``: the edge of the agent's own choice in each set. ``count``: worlds in each set. ``values``: of each edge, the sum
    over the worlds in which the game is over after it.
    """

    keys: Array
    first: Array
    parents: Array
    actions: Array
    own: Array
    count: Array
    values: Array

    @property
    def sizes(self) -> Array:
        """The number of edges of each information set."""
        return np.diff(np.append(self.first, len(self.actions)))


class SmallGames:
    """Small games of one game, in which all others play as one agent.

    Args:
        game: the game.
        agent: who plays the others.
        options: of the game.
        points: count points, not returns.
    """

    def __init__(self, game: Game, agent: Agent, options: Mapping[str, Any], points: bool) -> None:
        self.game, self.agent, self.points = game, agent, points
        self.options = game.complete_options(options)
        self._batch = BatchEnv(game.env_name, SIDE_BY_SIDE, **self.options)
        factors = np.random.default_rng(0).integers(2**63, size=game.observation_size, dtype=np.uint64)
        self._factors = factors * np.uint64(2) + np.uint64(1)

    # ------------------------------------------------------------ where they begin

    def starts(self, games: int, decisions: int, seed: int) -> list[tuple[Array, int]]:
        """Return a position of each game with the seat that has so many decisions to go in it, if it ever has in that game."""
        batch = BatchEnv(self.game.env_name, games, seed, **self.options)
        seats = np.arange(games) % int(batch.states["num_players"][0])
        kept: list[list[Array]] = [[] for _ in range(games)]
        playing = np.ones(games, np.bool_)
        while playing.any():
            choices = playing & (batch.mover == seats) & (batch.action_mask.sum(axis=1) > 1)
            for number in np.flatnonzero(choices):
                kept[number] = [*kept[number], batch.states[number : number + 1].copy()][-decisions:]
            actions = np.zeros(games, np.int64)
            actions[playing] = self._ask(batch, np.flatnonzero(playing))
            batch.step(actions, games=playing)
            playing &= ~batch.terminated
        batch.close()
        return [(states[0], int(seat)) for states, seat in zip(kept, seats, strict=True) if len(states) == decisions]

    def _ask(self, batch: BatchEnv, rows: Array) -> Array:
        """Return the agent's actions in some games of a batch."""
        return self.agent.act_batch(batch.observation[rows], batch.action_mask[rows], batch.states[rows], batch.mover[rows])

    def _worlds(self, state: Array, seat: int, count: int, rng: np.random.Generator) -> Array:
        """Return so many positions that look alike to the seat, dealt evenly."""
        dealt = np.repeat(state, count)
        for k, seed in enumerate(rng.integers(WORDS - 1, size=count, dtype=np.uint64)):
            self.game.kernels.determinize_one(dealt[k : k + 1], seat, seed)
        return dealt

    # ------------------------------------------------------------ one of them

    def measure(self, state: Array, seat: int, worlds: int, rng: np.random.Generator) -> tuple[float, float, float, int]:
        """Return means over worlds: of the response not fitted there, of the fitted one, of the agent; and the positions of a tree.

        Raises:
            TooLargeError: the tree has more than ``MOST_POSITIONS``.
        """
        samples = [self._worlds(state, seat, worlds, rng) for _ in range(2)]
        best, answered, positions = 0.0, 0.0, 0
        for fitted, others in (samples, samples[::-1]):
            depths, count = self.tree(fitted, seat)
            best += respond(depths, 1)[0]
            answered += float(self._answered(others, seat, depths, respond(depths, FEWEST_WORLDS)[1]).sum())
            positions += count
        # The agent in the same worlds: luck that all have does not blur their difference.
        own = float(self._played_on(np.concatenate(samples), seat).mean())
        return answered / (2 * worlds), best / (2 * worlds), own, positions // 2

    def tree(self, states: Array, seat: int) -> tuple[list[Depth], int]:
        """Return the tree of all that the seat can do and see from positions that look alike to it, and its number of positions.

        Raises:
            TooLargeError: there are more than ``MOST_POSITIONS``.
        """
        depths: list[Depth] = []
        settled, edges, positions = self._settled(states, seat, None), np.zeros(len(states), np.int64), len(states)
        while not settled.over.all():
            going = ~settled.over
            depth, members = self._depth(settled, edges, going)
            depths.append(depth)
            positions += int((depth.sizes * depth.count).sum())
            if positions > MOST_POSITIONS:
                raise TooLargeError(f"more than {MOST_POSITIONS} positions")
            rows, edges = _all_moves(depth, members)
            settled = self._settled(settled.states[going][rows], seat, depth.actions[edges])
            depth.values += np.bincount(edges, np.where(settled.over, settled.values, 0.0), len(depth.actions))
        return depths, positions

    def _depth(self, settled: Settled, edges: Array, going: Array) -> tuple[Depth, Array]:
        """Return the information sets of the positions that are not over, and to which of them each position belongs."""
        keys = _keys(edges[going], settled.seen[going])
        found, example, members = np.unique(keys, return_index=True, return_inverse=True)
        masks, own = settled.masks[going][example], settled.own[going][example]
        legal = masks.sum(axis=1, dtype=np.int64)
        count = np.bincount(members)
        sets, actions = np.nonzero(masks)
        first = np.concatenate([[0], np.cumsum(legal)[:-1]])
        chosen = np.flatnonzero(actions == own[sets])
        return Depth(found, first, edges[going][example], actions, chosen, count, np.zeros(len(actions))), members

    def _answered(self, states: Array, seat: int, depths: list[Depth], chosen: list[Array]) -> Array:
        """Return the results of the response in some worlds; where it has never been it goes on as the agent."""
        values = np.zeros(len(states))
        settled, edges, rows = self._settled(states, seat, None), np.zeros(len(states), np.int64), np.arange(len(states))
        for depth, choice in zip(depths, chosen, strict=True):
            values[rows[settled.over]] = settled.values[settled.over]
            going = ~settled.over
            keys, rows, here = _keys(edges[going], settled.seen[going]), rows[going], settled.states[going]
            if not len(rows):
                return values
            places = np.minimum(np.searchsorted(depth.keys, keys), len(depth.keys) - 1)
            known = depth.keys[places] == keys
            values[rows[~known]] = self._played_on(here[~known], seat)
            rows, edges = rows[known], choice[places[known]]
            settled = self._settled(here[known], seat, depth.actions[edges])
        values[rows[settled.over]] = settled.values[settled.over]
        values[rows[~settled.over]] = self._played_on(settled.states[~settled.over], seat)
        return values

    # ------------------------------------------------------------ playing

    def _played_on(self, states: Array, seat: int) -> Array:
        """Return the results of the seat if it plays as the agent, too, float64 (n,)."""
        return self._settled(states, seat, None, to_the_end=True).values

    def _settled(self, states: Array, seat: int, actions: Array | None, to_the_end: bool = False) -> Settled:
        """Return the positions in which the seat has to decide next, after an action of its own in each (None: none)."""
        pieces = []
        for k in range(0, max(1, len(states)), SIDE_BY_SIDE):
            some = slice(k, k + SIDE_BY_SIDE)
            pieces.append(self._settle(states[some], seat, None if actions is None else actions[some], to_the_end))
        return Settled(*(np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in fields(Settled)))

    def _settle(self, states: Array, seat: int, actions: Array | None, to_the_end: bool) -> Settled:
        """As :meth:`_settled`, for as many positions as the batch has places."""
        batch, n = self._batch, len(states)
        batch._put(np.arange(n), states)
        last, values, over = states.copy(), np.zeros(n), np.zeros(n, np.bool_)
        playing, chosen = np.zeros(SIDE_BY_SIDE, np.bool_), np.zeros(SIDE_BY_SIDE, np.int64)
        if actions is None:
            playing[:n] = to_the_end | (batch.mover[:n] != seat)
        else:
            playing[:n], chosen[:n] = True, actions
        while playing.any():
            rows = np.flatnonzero(playing)
            if actions is None:
                chosen[rows] = self._ask(batch, rows)
            actions = None
            batch.step(chosen, games=playing)
            ended = rows[batch.terminated[rows]]
            last[ended], over[ended] = batch.final_states[ended], True
            values[ended] = self._value(last[ended], seat)
            playing[:n] &= ~over & (to_the_end | (batch.mover[:n] != seat))
        going = np.flatnonzero(~over)
        last[going] = batch.states[going]
        own = np.full(n, -1)
        if len(going):
            own[going] = self._ask(batch, going)
        seen = (batch.observation[:n].view(np.uint32) * self._factors).sum(axis=1, dtype=np.uint64)
        return Settled(last, over, values, seen, batch.action_mask[:n].copy(), own)

    def _value(self, states: Array, seat: int) -> Array:
        """Return the results of a seat in games that are over."""
        if not self.points:
            return np.asarray(self.game.returns_of(states)[:, seat], np.float64)
        scores = states["scores"].astype(np.float64)
        if self.game.cooperative:
            return np.asarray(scores[:, seat])
        there = np.arange(scores.shape[1]) < states["num_players"][:, None]
        there[:, seat] = False
        return np.asarray(scores[:, seat] - np.where(there, scores, -np.inf).max(axis=1))


def respond(depths: list[Depth], fewest: int) -> tuple[float, list[Array]]:
    """Return the best response of a tree: its sum over worlds, and the edge that it chooses in every information set.

    Args:
        depths: of the tree, filled in by :meth:`SmallGames.tree`.
        fewest: in information sets of fewer worlds it does the same as the agent.
    """
    chosen: list[Array] = []
    values, total = None, 0.0
    for k in range(len(depths) - 1, -1, -1):
        depth = depths[k]
        values = depth.values.copy() if values is None else depth.values + values
        preferred = values.copy()
        preferred[depth.own] += TIE * depth.count
        most = np.repeat(np.maximum.reduceat(preferred, depth.first), depth.sizes)
        at_most = np.flatnonzero(preferred == most)
        choice = at_most[np.searchsorted(at_most, depth.first)]
        choice = np.where(depth.count < fewest, depth.own, choice)
        chosen.append(choice)
        worth = values[choice]
        if k:
            values = np.bincount(depth.parents, worth, len(depths[k - 1].values))
        else:
            total = float(worth.sum())
    return total, chosen[::-1]


def _all_moves(depth: Depth, members: Array) -> tuple[Array, Array]:
    """Return every action of every position: the number of the position, and the edge."""
    sizes = depth.sizes[members]
    rows = np.repeat(np.arange(len(members)), sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return rows, depth.first[members][rows] + np.arange(len(rows)) - starts[rows]


def _keys(edges: Array, seen: Array) -> Array:
    """Return one number for each position, of all that the seat has done and seen before and sees now."""
    mixed = (edges.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return seen ^ (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
