"""A player that searches: information-set Monte Carlo tree search, explained in the README of this
folder."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from dig_envs.agents.deciding import Decisions, OneGame, check_positions
from dig_envs.agents.halving import Candidates, completed, improved, sigma
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.search_settings import (
    OTHERS,
    PLAYOUTS,
    SearchSettings,
    complete_settings,
    given_settings,
    parse_settings,
    settings_name,
    usual_guide,
    usual_settings,
)
from dig_envs.agents.zoo import policy_folder, zoo_name
from dig_envs.engine.core.checks import WORDS, check_seed
from dig_envs.engine.core.errors import PolicyMismatchError
from dig_envs.engine.core.state import new_records
from dig_envs.engine.game import Array, Game
from dig_envs.engine.search.program import NO_POLICY, new_scratch
from dig_envs.engine.search.tree import (
    EDGES_PER_NODE,
    MAX_PATH,
    NOTHING,
    SCRIPT_PLAYS,
    Tree,
    Work,
    clear_tree,
    new_tree,
    packed,
    rank_root,
    read_root,
    take_evaluations,
    unpacked,
)

__all__ = [
    "Found",
    "Progress",
    "SearchAgent",
    "SearchSettings",
    "load_search",
    "parse_settings",
    "reward_weights",
]

MOST_NODES = 1 << 20  # of a tree; a search that needs more goes on with those
FIRST_NODES = 1 << 14  # for which there is memory at first; then as it is needed
EDGES_IN_USE = EDGES_PER_NODE // 2  # of a node, on average, before there is memory for more
MOST_AT_ONCE = 1 << 12  # simulations before memory is looked at again
SIDE_BY_SIDE = 16  # simulations of a guided search whose leaves the policy judges in one call
FIRST_CHUNK = 1  # simulations before the clock is looked at for the first time …
CHUNK_SECONDS = 0.005  # … and then about how long they go on without
TELL_SECONDS = 0.1  # between reports of how far a search is
NEXT_TREE = 0x9E3779B97F4A7C15  # between the seeds of the trees of one search
KEPT_SEARCHES = 6  # a tree that is used again has room for the simulations of as many decisions
# attributes that copies make anew: arrays, some of which share memory
MEMORY = ("_policy", "_scratches", "_works", "_trees", "_earlier")
KEPT_TREES = 8  # games and seats whose trees are kept, those that were searched last

Progress = Callable[[float], None]  # called with the share of the time that has passed


@dataclass(frozen=True)
class Found:
    """The result of a search.

    ``action``: the choice. ``visits`` int64 (num_actions,) and ``values`` float64 (num_actions,):
    at the root, per action (0 where there are no visits), with ``reuse`` of earlier searches, too.
    ``simulations``: how many there were, ``nodes``: how many there are; none where only one action
    was legal. ``policy`` float64 (num_actions,): what the search would have a policy do, the shares
    of the visits or, with ``root=gumbel``, the improved policy of Danihelka et al. ``expected``:
    the lead to expect then; where a guide judges, in the terms of its training.
    """

    action: int
    visits: Array
    values: Array
    simulations: int
    nodes: int
    policy: Array
    expected: float


@dataclass(frozen=True)
class Root:
    """The root's actions over all trees, arrays (num_actions,), as
    :func:`~dig_envs.engine.search.tree.read_root` gives them."""

    visits: Array
    values: Array
    leads: Array
    priors: Array


class Clock:
    """Tells when the time of a search is up, and how much of it has passed.

    Args:
        seconds: that it has. progress: called now and then with the share that has passed; None:
            nobody is told.
    """

    def __init__(self, seconds: float, progress: Progress | None) -> None:
        self._seconds, self._progress = seconds, progress
        self.start()

    def start(self) -> None:
        """Begin anew: nothing has passed."""
        self._started, self._told = time.perf_counter(), 0.0

    def is_up(self, tell: bool) -> bool:
        """Whether the time has passed. ``tell``: whether this is a moment to say how much of it."""
        passed = time.perf_counter() - self._started
        if tell and self._progress is not None and passed - self._told >= TELL_SECONDS:
            self._told = passed
            self._progress(min(1.0, passed / self._seconds))
        return passed >= self._seconds


class SearchAgent(OneGame):
    """Searches decisions, in memory that it keeps.

    The choice depends on what the seat may know and on the settings only, not on earlier decisions;
    with ``ms`` it depends on the speed of the machine, too, and with ``reuse`` on what this agent
    has searched before. One agent serves one thread.

    Args:
        game: that it plays.
        settings: how it searches.
        guide: the policy named in the settings, loaded. It is asked in compiled code if that can
            evaluate it, else by onnxruntime.
        make_with: makes the same search with the guide of a name (empty: with none). Positions
            with a number of players that ``guide`` was not trained for go to such a search. None:
            the user has named the guide, and it guides all searches.

    Raises:
        ValueError: the guide's values are needed and were not trained for returns and scores alone,
            or the settings need a guide that compiled code can evaluate, unlike this one.
    """

    def __init__(
        self,
        game: Game,
        settings: SearchSettings,
        guide: OnnxAgent | None = None,
        make_with: "Callable[[str], SearchAgent] | None" = None,
    ) -> None:
        self.game: Game = game
        self.settings = settings
        self.name = settings_name(settings, game)
        self.guide = guide
        self._make_with = make_with
        self._guide_names: dict[int, str] = {}  # number of players -> name of the usual guide
        self._made_with: dict[str, SearchAgent] = {}  # name of a guide -> the search with it
        if guide is not None and guide.memory_size:
            raise ValueError(
                f"search: {guide.name} has a memory, and a search judges positions that nobody "
                "has come to step by step"
            )
        if guide is not None and guide.program is None and settings.plays_and_asks:
            raise ValueError(
                f"search: compiled code cannot evaluate {guide.name}, which playout=guide, "
                "value=guide and others=guide need"
            )
        self._make_memory()
        self._simulations_before = 0  # this search
        self._clock: Clock | None = None  # of a search with ``sims`` that has a limit of time
        self._compiled = False
        self._stopped = False  # in one tree, so that the others stop, too

    def _make_memory(self) -> None:
        """Make what searches write to, and what they read of the guide."""
        guide, settings = self.guide, self.settings
        inside = guide.program if guide is not None else None
        self._policy = inside if inside is not None else NO_POLICY
        self._scratches = [new_scratch(self._policy) for _ in range(settings.num_trees)]
        weights = self.game.style(settings.others).weights if settings.has_styled_opponents else ()
        side_by_side = SIDE_BY_SIDE if guide is not None and inside is None else 1
        self._works = [
            new_work(self.game, side_by_side, weights) for _ in range(settings.num_trees)
        ]
        self._trees = self._new_trees()  # of the present search
        # with ``reuse``, of other games and seats, the last ones first
        self._earlier: list[list[Tree]] = []

    def __getstate__(self) -> dict[str, Any]:
        """Copies have memory of their own, and the trees that a later search may go on with."""
        kept = [self._trees, *self._earlier] if self.settings.reuse else []
        plain = {name: value for name, value in self.__dict__.items() if name not in MEMORY}
        return {**plain, "trees": [[packed(tree) for tree in trees] for trees in kept]}

    def __setstate__(self, plain: dict[str, Any]) -> None:
        self.__dict__.update({name: plain[name] for name in plain.keys() - {"trees"}})
        self._make_memory()
        if plain["trees"]:
            self._trees, *self._earlier = [
                [unpacked(one, self._nodes_for(len(one[0]))) for one in trees]
                for trees in plain["trees"]
            ]

    @property
    def _kernels(self) -> Any:
        """The compiled simulations; a property, since modules cannot be copied, and agents are."""
        return (
            self.game.styled_search_kernels
            if self.settings.has_styled_opponents
            else self.game.search_kernels
        )

    def _new_trees(self) -> list[Tree]:
        return [self._new_tree() for _ in range(self.settings.num_trees)]

    @property
    def _most_nodes(self) -> int:
        """The number of nodes that a tree may come to have."""
        settings = self.settings
        if settings.ms:
            return MOST_NODES
        sims_of_tree = -(-settings.sims // settings.num_trees) + 1
        return min(MOST_NODES, (KEPT_SEARCHES if settings.reuse else 1) * sims_of_tree)

    def _nodes_for(self, used: int) -> int:
        """The number of nodes for which a tree has memory that uses so many."""
        nodes = FIRST_NODES
        while nodes < used + MOST_AT_ONCE:
            nodes *= 2
        return min(nodes, self._most_nodes)

    def _make_room(self, k: int) -> None:
        """Give a tree the memory that its next simulations need."""
        tree = self._trees[k]
        search, nodes = tree.search[0], len(tree.nodes)
        needed = self._nodes_for(int(max(search["num_nodes"], search["num_edges"] // EDGES_IN_USE)))
        if needed > nodes:
            self._trees[k] = unpacked(packed(tree), needed)

    def _new_tree(self) -> Tree:
        settings, guide = self.settings, self.guide
        tree = new_tree(self._nodes_for(0))
        values = {
            "exploration": settings.c,
            "lead_weight": settings.lead,
            "trust": 0.0 if guide else settings.trust,
            "depth": settings.depth,
            "widening": settings.widening,
            "playout": PLAYOUTS[settings.playout],
            "others": OTHERS.get(settings.others, SCRIPT_PLAYS),
            "guided": guide is not None,
            "inside": guide is not None and guide.program is not None,
            "valued": settings.valued,
        }
        if guide is not None and settings.valued:
            win_weight, score_weight = reward_weights(guide)
            win_or_lose = guide.card.get("pays") != "return"
            values |= {
                "win_weight": win_weight,
                "score_weight": score_weight,
                "win_or_lose": win_or_lose,
                "lead_weight": 1.0,
            }
        for name, value in values.items():
            tree.search[name] = value
        return tree

    @property
    def _tree(self) -> Tree:
        return self._trees[0]

    def choose(self, decisions: Decisions) -> Array:
        """One action for each decision, searched one after the other; needs ``states`` and
        ``seats``."""
        records, seats = decisions.states, decisions.seats
        positions = [records[i : i + 1] for i in range(len(records))]
        found = [
            self._who_searches(one)._search(one, int(seat))
            for one, seat in zip(positions, seats, strict=True)
        ]
        return np.array([each.action for each in found], np.int64)

    def for_options(self, options: Mapping[str, Any]) -> "SearchAgent":
        """This agent; or one with another guide or none, if the usual guide was not trained for so
        many players."""
        trained = self.guide.card.get("num_players") if self.guide is not None else None
        count = int(options["num_players"])
        if self._make_with is None or trained is None or count in trained:
            return self
        if count not in self._guide_names:
            self._guide_names[count] = usual_guide(self.game, count)
        name = self._guide_names[count]
        if name not in self._made_with:
            try:
                self._made_with[name] = self._make_with(name)
            except ValueError as error:  # settings that need a guide
                raise ValueError(
                    f"{error}; no policy was found that guides with {count} players"
                ) from None
        return self._made_with[name]

    @property
    def full_name(self) -> str:
        """The name with the guide, also where that is the usual one."""
        guide = zoo_name(self.settings.guide, self.game) or self.settings.guide
        return settings_name(replace(self.settings, guide=guide), self.game, with_guide=True)

    def _who_searches(self, states: Array) -> "SearchAgent":
        return self.for_options({"num_players": int(states["num_players"][0])})

    def search(
        self,
        states: Array,
        seat: int,
        seed: int | None = None,
        progress: Progress | None = None,
        most_seconds: float | None = None,
    ) -> Found:
        """Search the decision of a seat in ``states[0]``, a record array, which stays as it is.

        Args:
            states: the position.
            seat: that is to act.
            seed: instead of that of the settings.
            progress: with a limit of time, called now and then with the share of it that has
                passed, 0 to 1. What it raises ends the search.
            most_seconds: after which a search with ``sims`` decides by those that it has made.
                Compiling is not part of it.

        Raises:
            ValueError: the seat is not to act. TypeError, ValueError: a wrong seed.
        """
        records, _ = check_positions(self.game, states, None, self.name)
        if not len(records):
            raise ValueError("states must have a position to search, and have none")
        records, seats = check_positions(self.game, records[:1], [seat], self.name)
        player = self._who_searches(records)
        if player is not self:
            return player.search(states, seat, seed, progress, most_seconds)
        self._clock = None if most_seconds is None else Clock(most_seconds, progress)
        try:
            return self._search(records, int(seats[0]), seed, progress)
        finally:
            self._clock = None

    def _search(
        self, states: Array, seat: int, seed: int | None = None, progress: Progress | None = None
    ) -> Found:
        legal = np.array(self.game.legal_actions(states, seat))
        if len(legal) == 1:
            return self._forced(int(legal[0]))
        self._begin(states, seat, self.settings.seed if seed is None else check_seed(seed))
        self._compile(states, seat)
        if self._clock is not None:
            self._clock.start()
        if self.settings.root == "gumbel":
            return self._search_by_halving(states, seat, legal, progress)
        if self.settings.ms:
            self._search_for(states, seat, self.settings.ms / 1000, progress)
        else:
            self._simulate(states, seat, self.settings.sims)
        root = self._read_root()
        if not root.visits.any():  # there was no time for more than the root
            return self._found_at_once(states, seat, legal, root)
        action = max(legal.tolist(), key=lambda a: (root.visits[a], root.values[a], -a))
        return self._found(action, root, root.visits / root.visits.sum())

    def _begin(self, states: Array, seat: int, seed: int) -> None:
        """Clear the trees, or with ``reuse`` go on with those that have the decision in them."""
        seeds = [np.uint64((seed + k * NEXT_TREE) % WORDS) for k in range(self.settings.num_trees)]
        found = (
            self._find_trees(states, seat, seeds) if self.settings.reuse else [False] * len(seeds)
        )
        for tree, own_seed, goes_on in zip(self._trees, seeds, found, strict=True):
            if not goes_on:
                clear_tree(tree, own_seed)
            tree.search["halving"] = 0
        self._simulations_before = self._count("simulations")

    def _compile(self, states: Array, seat: int) -> None:
        """Have compiled what simulations need, before the time of the first search begins."""
        if self._compiled:
            return
        self._kernels.simulate(
            states, seat, self._tree, self._works[0], self._policy, self._scratches[0], 0
        )
        if self.guide is not None or self.settings.root == "gumbel":
            self.compile_what_guides()
        self._compiled = True

    def compile_what_guides(self) -> None:
        """Have compiled what only some searches need: taking in what a policy says, and Gumbel root
        selection."""
        actions, tree, work = len(self.game.actions), self._tree, self._works[0]
        take_evaluations(
            tree,
            work.without_records,
            0,
            np.zeros((1, actions), np.float32),
            np.zeros(1, np.float32),
            0,
            self.game.max_players,
        )
        # each search that looks at ranks gives its own first
        rank_root(tree, np.zeros(actions, np.int16), work.slots)
        self._read_root()

    def _find_trees(self, states: Array, seat: int, seeds: list[np.uint64]) -> list[bool]:
        """Make present the trees that have the decision in them, else new ones or the oldest;
        returns which of them have it."""
        kept = [self._trees, *self._earlier]
        for trees in kept:
            found = [
                self._goes_on(*one, states, seat)
                for one in zip(trees, self._works, seeds, strict=True)
            ]
            if any(found):
                break
        else:
            trees = self._new_trees() if len(kept) < KEPT_TREES else kept[-1]
        self._trees, self._earlier = trees, [one for one in kept if one is not trees]
        return found

    def _goes_on(self, tree: Tree, work: Work, seed: np.uint64, states: Array, seat: int) -> bool:
        """Whether a tree has the decision in it, and room for another search; the decision then is
        its root."""
        num_nodes, num_edges = int(tree.search["num_nodes"][0]), int(tree.search["num_edges"][0])
        most = self._most_nodes
        left = most - most // KEPT_SEARCHES  # for what there is already
        has_room = num_nodes <= left and num_edges <= EDGES_PER_NODE * left
        return (
            num_nodes > 0 and has_room and bool(self._kernels.go_on(states, seat, tree, work, seed))
        )

    def _count(self, name: str) -> int:
        return sum(int(tree.search[name][0]) for tree in self._trees)

    def _forced(self, action: int) -> Found:
        """The result if only one action is legal."""
        count = len(self.game.actions)
        policy = np.zeros(count)
        policy[action] = 1.0
        return Found(action, np.zeros(count, np.int64), np.zeros(count), 0, 0, policy, 0.0)

    def _found_at_once(self, states: Array, seat: int, legal: Array, root: Root) -> Found:
        """The result if no action was tried, from the priors."""
        policy = np.zeros(len(self.game.actions))
        policy[legal] = self._root_priors(states, seat, legal)
        return self._found(int(policy.argmax()), root, policy)

    def _found(self, action: int, root: Root, policy: Array) -> Found:
        done, nodes = (
            self._count("simulations") - self._simulations_before,
            self._count("num_nodes"),
        )
        seen = policy * (root.visits > 0)
        expected = float((seen * root.leads).sum() / seen.sum()) if seen.sum() > 0 else 0.0
        return Found(action, root.visits, root.values, done, nodes, policy, expected)

    # ------------------------------------------------------------ the root

    def _read_root(self) -> Root:
        """The statistics of the root's actions over all trees; values and leads are means over the
        visits."""
        count = len(self.game.actions)
        visits, values, leads = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
        own = Root(np.zeros(count, np.int64), np.zeros(count), np.zeros(count), np.zeros(count))
        for tree in self._trees:
            read_root(tree, own.visits, own.values, own.leads, own.priors)
            visits += own.visits
            values += own.visits * own.values
            leads += own.visits * own.leads
        often = np.maximum(visits, 1)
        # the policy says the same in every tree
        return Root(visits, values / often, leads / often, own.priors)

    def _search_by_halving(
        self, states: Array, seat: int, legal: Array, progress: Progress | None
    ) -> Found:
        """Gumbel root selection (:mod:`dig_envs.agents.halving`)."""
        settings = self.settings
        self._simulate(states, seat, len(self._trees))  # each makes its root
        # it comes from the seed and what the seat sees
        rng = np.random.default_rng(int(self._tree.search["rng"][0]))
        budget = settings.sims - len(self._trees)
        log_priors = np.log(np.maximum(self._root_priors(states, seat, legal), 1e-9))
        scores = log_priors + settings.noise * rng.gumbel(size=len(legal))
        most = settings.considered if settings.ms else min(settings.considered, max(2, budget))
        candidates, done = Candidates(scores, most), 0
        while candidates.goes_on:
            self._rank(legal, candidates)
            if settings.ms:
                in_round = _in_round(progress, done, candidates.rounds)
                self._search_for(states, seat, settings.ms / 1000 / candidates.rounds, in_round)
                done += 1
            else:
                self._simulate(states, seat, candidates.share_of(budget))
            root = self._read_root()
            candidates.halve(
                sigma(
                    completed(root.values[legal], root.visits[legal], log_priors),
                    root.visits[legal],
                )
            )
        policy = np.zeros(len(self.game.actions))
        policy[legal] = improved(log_priors, root.values[legal], root.visits[legal], settings.step)
        return self._found(int(legal[candidates.best]), root, policy)

    def _rank(self, legal: Array, candidates: Candidates) -> None:
        """Let the trees search the candidates only, in their order."""
        ranks = np.zeros(len(self.game.actions), np.int16)
        ranks[legal[candidates.order]] = np.arange(1, len(candidates.order) + 1)
        for tree, work in zip(self._trees, self._works, strict=True):
            rank_root(tree, ranks, work.slots)
            tree.search["halving"] = 1

    def _root_priors(self, states: Array, seat: int, legal: Array) -> Array:
        """The priors of the legal actions: from the guide, or from the scripted player's choice."""
        if self._tree.search["guided"][0]:
            return self._read_root().priors[legal]
        hint = np.zeros(1, np.int64)
        self.game.kernels.heuristic_actions(states, 0, 1, np.array([seat]), hint)
        trust = self.settings.trust
        return np.asarray((1.0 - trust) / len(legal) + trust * (legal == hint[0]))

    # ------------------------------------------------------------ simulations

    def _search_for(
        self, states: Array, seat: int, seconds: float, progress: Progress | None
    ) -> None:
        """Run simulations in every tree until the time is up."""
        self._in_every_tree(
            lambda k: self._search_tree_for(k, states, seat, seconds, None if k else progress)
        )

    def _search_tree_for(
        self, k: int, states: Array, seat: int, seconds: float, progress: Progress | None
    ) -> None:
        started = time.perf_counter()
        count, done, passed, told = FIRST_CHUNK, 0, 0.0, 0.0
        while passed < seconds and not self._stopped:
            self._simulate_in(k, states, seat, count)
            done += count
            passed = time.perf_counter() - started
            if progress is not None and passed - told >= TELL_SECONDS:
                progress(min(1.0, passed / seconds))
                told = passed
            count = max(1, int(min(seconds - passed, CHUNK_SECONDS) * done / max(passed, 1e-9)))

    def _simulate(self, states: Array, seat: int, count: int) -> None:
        """Run so many simulations, shared among the trees."""
        trees = len(self._trees)
        simulate = self._simulate_in if self._clock is None else self._simulate_while
        self._in_every_tree(
            lambda k: simulate(k, states, seat, count // trees + (k < count % trees))
        )

    def _simulate_while(self, k: int, states: Array, seat: int, count: int) -> None:
        """Run so many simulations in one of the trees, or as many as there is time for; the first
        in any case.

        Policies are asked about the same leaves together as without a limit.
        """
        assert self._clock is not None
        started, done = time.perf_counter(), 0
        some = SIDE_BY_SIDE if self._trees[k].search["num_nodes"][0] else 1
        while done < count and not self._stopped:
            self._simulate_in(k, states, seat, min(some, count - done))
            done += some
            if self._clock.is_up(tell=k == 0):
                return
            speed = done / max(time.perf_counter() - started, 1e-9)
            some = SIDE_BY_SIDE * max(1, int(CHUNK_SECONDS * speed) // SIDE_BY_SIDE)

    def _in_every_tree(self, work: Callable[[int], None]) -> None:
        threads = min(max(1, self.settings.threads), len(self._trees))
        if threads == 1:
            for k in range(len(self._trees)):
                work(k)
            return
        self._stopped = False
        working = [_threads(threads).submit(work, k) for k in range(len(self._trees))]
        try:
            for done in working:
                done.result()
        finally:
            self._stopped = True
            wait(working)  # nobody works on a tree any more when this ends
            self._stopped = False

    def _simulate_in(self, k: int, states: Array, seat: int, count: int) -> None:
        search, work, left = self._trees[k].search, self._works[k], count
        asks = search["guided"][0] and not search["inside"][0]
        while left:
            self._make_room(k)
            tree = self._trees[k]
            batch = min(left, SIDE_BY_SIDE if asks else MOST_AT_ONCE)
            if asks and not tree.search["num_nodes"][0]:
                batch = 1  # the root first
            self._kernels.simulate(
                states, seat, tree, work, self._policy, self._scratches[k], batch
            )
            if asks:
                self._ask_guide(k, int(states["num_players"][0]), seat, batch)
            left -= batch

    def _ask_guide(self, k: int, num_players: int, seat: int, count: int) -> None:
        assert self.guide is not None
        work = self._works[k]
        rows = count * (num_players if self.settings.valued else 1)
        logits, values = self.guide.evaluate(work.flats[:rows], work.masks[:rows])
        own = work.without_records
        take_evaluations(self._trees[k], own, count, logits, values, seat, num_players)


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count)


def _in_round(progress: Progress | None, number: int, rounds: int) -> Progress | None:
    """A progress function for one of several equally long rounds."""
    return None if progress is None else lambda share: progress((number + share) / rounds)


def new_work(game: Game, count: int, weights: tuple[float, ...] = ()) -> Work:
    """Scratch memory for ``count`` simulations side by side; ``weights``: of the style of the other
    seats."""
    seats, actions = game.max_players, len(game.actions)
    observation, flat = game.new_observations(1)
    observations, flats = game.new_observations(count * seats)
    return Work(
        states=new_records(count, game.state),
        paths=np.zeros((count, MAX_PATH, 2), np.int32),
        odds=np.zeros((count, MAX_PATH)),
        lengths=np.zeros(count, np.int64),
        leaves=np.full(count, NOTHING, np.int64),
        waiting=np.zeros(count, np.int8),
        deciders=np.zeros(count, np.int64),
        returns=np.zeros((count, seats)),
        leads=np.zeros((count, seats)),
        lucky=np.zeros((count, seats)),
        mask=np.zeros(actions, np.int8),
        slots=np.full(actions, NOTHING, np.int32),
        observation=observation,
        flat=flat,
        words=flat.view(np.uint32),
        masks=np.zeros((count * seats, actions), np.int8),
        observations=observations,
        flats=flats,
        weights=weights,
    )


def judges_positions(guide: OnnxAgent) -> bool:
    """Whether a policy's values were trained for returns and scores alone; raises
    PolicyMismatchError for a damaged card."""
    return trained_rewards(guide)["shaping_weight"] == 0.0


def reward_weights(guide: OnnxAgent) -> tuple[float, float]:
    """The weights of a return and of a point in the guide's training; raises ValueError if other
    rewards were paid, too."""
    if not judges_positions(guide):
        raise ValueError(
            f"search: the values of {guide.name} were trained with shaped rewards and do not "
            "judge positions; use playout=heuristic or playout=random with this guide"
        )
    weights = trained_rewards(guide)
    return weights["win_weight"], weights["score_weight"]


def trained_rewards(guide: OnnxAgent) -> dict[str, float]:
    """The weights of the rewards in a policy's training, by name; raises PolicyMismatchError for a
    damaged card."""
    # older cards do not tell late rewards from the settings
    trained = guide.card.get("rewards", guide.card.get("settings", {}))
    weights = {"win_weight": 1.0, "score_weight": 0.0, "shaping_weight": 0.0}
    if isinstance(trained, dict):
        weights |= {name: trained[name] for name in weights if name in trained}
    if not isinstance(trained, dict) or not all(
        type(weight) in (int, float) for weight in weights.values()
    ):
        raise PolicyMismatchError(
            f"the card of {guide.name} is damaged: its rewards or settings do not say what the "
            "values were trained for"
        )
    return {name: float(weight) for name, weight in weights.items()}


def _usual_playout(usual: str, guide: OnnxAgent, game: Game) -> str:
    """The default player beyond the tree: the game's own default, if this guide can do that.

    Its values judge positions if they were trained without shaping; it plays on only where compiled
    code can evaluate it.
    """
    if usual == "none" and not judges_positions(guide):
        usual = "guide"
    if usual == "guide" and guide.program is None:
        usual = usual_settings(game, {"guide": ""}).playout
    return usual


def load_search(text: str, game: Game, seed: int | None, guide: str = "") -> SearchAgent:
    """The agent of settings as text (:func:`parse_settings`); ``guide``: name or folder of a
    policy, if the text has none."""
    given = given_settings(text, guide)
    return _search_with(given, game, seed, given.get("guide"))


def _search_with(
    given: Mapping[str, Any], game: Game, seed: int | None, guide: str | None
) -> SearchAgent:
    """The agent of given settings with this policy as its guide; empty: without a guide, None: with
    the usual one."""
    settings = complete_settings(given if guide is None else {**given, "guide": guide}, game, seed)
    policy = (
        OnnxAgent(policy_folder(settings.guide, game), env=game.env_name)
        if settings.guide
        else None
    )
    if policy is not None and "playout" not in given:
        settings = replace(settings, playout=_usual_playout(settings.playout, policy, game))
    return SearchAgent(
        game,
        settings,
        policy,
        partial(_search_with, given, game, settings.seed) if guide is None else None,
    )
