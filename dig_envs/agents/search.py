"""A player that searches: information-set Monte Carlo tree search, explained in the README of this folder."""

import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.halving import Candidates, completed, improved, sigma
from dig_envs.agents.names import MOST_THREADS
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.engine.checks import WORDS
from dig_envs.engine.dense import NO_POLICY, new_scratch
from dig_envs.engine.errors import PolicyMismatchError
from dig_envs.engine.game import Array, Game
from dig_envs.engine.state import new_records
from dig_envs.engine.tree import (
    CHANCE_PLAYS,
    EDGES_PER_NODE,
    MAX_PATH,
    NOBODY_PLAYS,
    NOTHING,
    POLICY_PLAYS,
    SCRIPT_PLAYS,
    Tree,
    Work,
    clear_tree,
    new_tree,
    rank_root,
    read_root,
    take_evaluations,
)

MOST_NODES = 1 << 17  # of a tree; a search that needs more goes on with those
SIDE_BY_SIDE = 16  # simulations of a guided search whose leaves the policy judges in one call
FIRST_CHUNK = 1  # simulations before the clock is looked at for the first time …
CHUNK_SECONDS = 0.005  # … and then about how long they go on without
TELL_SECONDS = 0.1  # between reports of how far a search is
PLAYOUTS = {"heuristic": SCRIPT_PLAYS, "random": CHANCE_PLAYS, "guide": POLICY_PLAYS, "none": NOBODY_PLAYS}
OTHERS = {"search": NOBODY_PLAYS, "heuristic": SCRIPT_PLAYS, "guide": POLICY_PLAYS}
VALUES = ("scores", "guide")
ROOTS = ("puct", "gumbel")
NEXT_TREE = 0x9E3779B97F4A7C15  # between the seeds of the trees of one search
KEPT_SEARCHES = 6  # a tree that is used again has room for the simulations of as many decisions
KEPT_TREES = 8  # games and seats whose trees are kept, those that were searched last


@dataclass(frozen=True)
class SearchSettings:
    """How a :class:`SearchAgent` searches.

    ``sims``: simulations for each decision; ``ms``: instead, milliseconds (0: ``sims`` counts). ``playout``: ``heuristic``,
    ``random``, ``guide`` (actions drawn from the policy), or ``none``: the guide judges the position at once. ``guide``: name or
    folder of a policy that gives the priors; empty: none. ``c``: constant of exploration. ``trust``: prior of the scripted player's
    choice; 0: UCB without priors. ``depth``: turns after which a simulation is cut off; 0: never. ``lead``: weight of the lead in a
    simulation's value, the return has the rest. ``seed``: of the search. ``value``: who judges what is cut off, ``scores`` or
    ``guide``. ``root``: how the root's actions are chosen, ``puct`` or ``gumbel`` (sequential halving among ``considered`` of them,
    with Gumbel noise times ``noise``), and ``step``: how far from the priors what a policy learns of it goes. ``others``: who
    decides in the tree for the other seats, ``search`` (each for itself), ``heuristic`` or ``guide`` (its likeliest action): a
    search for the best answer to that player. ``threads``: trees that are searched side by side; simulations are shared among them.
    ``reuse``: 1 to go on with the tree of the last decision where this one is in it, 0 to begin anew.
    """

    sims: int = 1000
    ms: int = 0
    playout: str = "heuristic"
    guide: str = ""
    c: float = 1.0
    trust: float = 0.5
    depth: int = 0
    lead: float = 0.5
    seed: int = 0
    value: str = "scores"
    root: str = "puct"
    considered: int = 16
    noise: float = 0.0
    step: float = 1.0
    others: str = "search"
    threads: int = 1
    reuse: int = 0

    @property
    def valued(self) -> bool:
        """Whether the guide judges positions."""
        return self.playout == "none" or self.value == "guide"

    @property
    def plays_and_asks(self) -> bool:
        """Whether the guide is asked in the course of simulations, not only about where they leave the tree."""
        return "guide" in (self.playout, self.others) or (self.playout != "none" and self.value == "guide")


# Setting -> how its text becomes a value, what is right, and in words. `guide` is looked up when it is loaded.
Check = tuple[Callable[[str], Any], Callable[[Any], bool], str]
CHECKS: Mapping[str, Check] = {
    "sims": (int, lambda value: value >= 1, "a whole number, at least 1"),
    "ms": (int, lambda value: value >= 1, "a whole number of milliseconds, at least 1"),
    "playout": (str, lambda value: value in PLAYOUTS, f"one of {', '.join(PLAYOUTS)}"),
    "guide": (str, bool, "the name or the folder of a policy"),
    "c": (float, lambda value: 0 <= value < np.inf, "a number, at least 0"),
    "trust": (float, lambda value: 0 <= value <= 1, "a number from 0 to 1"),
    "depth": (int, lambda value: value >= 0, "a whole number of turns, 0 for no limit"),
    "lead": (float, lambda value: 0 <= value <= 1, "a number from 0 to 1"),
    "seed": (int, lambda value: 0 <= value < 2**64, "a whole number from 0 to 2**64 - 1"),
    "value": (str, lambda value: value in VALUES, f"one of {', '.join(VALUES)}"),
    "root": (str, lambda value: value in ROOTS, f"one of {', '.join(ROOTS)}"),
    "considered": (int, lambda value: value >= 2, "a whole number of actions, at least 2"),
    "noise": (float, lambda value: 0 <= value < np.inf, "a number, at least 0"),
    "step": (float, lambda value: 0 < value <= 1, "a number above 0, at most 1"),
    "others": (str, lambda value: value in OTHERS, f"one of {', '.join(OTHERS)}"),
    "reuse": (int, lambda value: value in (0, 1), "0 or 1"),
    "threads": (int, lambda value: 1 <= value <= MOST_THREADS, f"a whole number from 1 to {MOST_THREADS}"),
}


def parse_settings(text: str, game: Game, seed: int | None = 0, guide: str = "") -> SearchSettings:
    """Settings from ``key=value`` texts with colons between them, such as ``sims=2000:c=0.7``; ``200ms`` is ``ms=200``.

    What is not given has the game's own value (``Game.search``, with a guide ``Game.guided_search`` before it) or the general one;
    ``seed`` is that of the search unless it is given, None for entropy; ``guide``, if it is not empty, may not be given again.

    Raises:
        ValueError: an unknown setting or a bad value; the message says what would be right.
    """
    return complete_settings(given_settings(text, guide), game, seed)


def given_settings(text: str, guide: str = "") -> dict[str, Any]:
    """What a text of settings gives; raises ValueError as :func:`parse_settings`."""
    given: dict[str, Any] = {"guide": guide} if guide else {}
    for part in filter(None, text.split(":")):
        key, sign, value = part.partition("=")
        if not sign and part.endswith("ms") and part[:-2].isdecimal():
            key, sign, value = "ms", "=", part[:-2]
        if not sign or key not in CHECKS:
            raise ValueError(
                f"search: no setting {part!r}; write key=value with a colon between two of them (or a time such as 200ms), "
                f"the key one of {', '.join(CHECKS)}"
            )
        if key in given:
            raise ValueError(f"search: {key} is given twice")
        given[key] = _value(key, value)
    if "sims" in given and "ms" in given:
        raise ValueError("search: give either sims or ms")
    return given


def complete_settings(given: Mapping[str, Any], game: Game, seed: int | None) -> SearchSettings:
    """All settings, from those that are given; raises ValueError if they do not go together."""
    settings = replace(usual_settings(game, given), seed=secrets.randbits(64) if seed is None else seed)
    settings = replace(settings, **given)
    if settings.reuse and settings.root == "gumbel":
        raise ValueError("search: reuse=1 does not go with root=gumbel, which compares actions by equal numbers of new simulations")
    if not settings.guide:
        for key, value in (("playout", "none"), ("playout", "guide"), ("value", "guide"), ("others", "guide")):
            if getattr(settings, key) == value:
                raise ValueError(f"search: {key}={value} needs a guide, which plays or judges positions: guide=<policy>")
    return settings


def usual_settings(game: Game, given: Mapping[str, Any]) -> SearchSettings:
    """What a search of the game has unless it is given; by the clock, where a choice depends on the machine anyway, trees go on."""
    suits = {**game.search, **(game.guided_search if given.get("guide") else {})}
    by_the_clock = bool(given.get("ms")) and given.get("root", suits.get("root")) != "gumbel"
    return replace(SearchSettings(), **{"reuse": int(by_the_clock), **suits})


def _value(key: str, text: str) -> Any:
    kind, fits, words = CHECKS[key]
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not fits(value):
        raise ValueError(f"search: {key} must be {words}, not {text!r}")
    return value


def settings_name(settings: SearchSettings, game: Game) -> str:
    """A name that loads the agent again: the budget and what differs from the game's own settings, but not the seed."""
    usual = usual_settings(game, {"ms": settings.ms, "root": settings.root, "guide": settings.guide})
    parts = [f"ms={settings.ms}" if settings.ms else f"sims={settings.sims}"]
    for key in (f.name for f in fields(SearchSettings)):
        if key not in ("sims", "ms", "seed") and getattr(settings, key) != getattr(usual, key):
            value = getattr(settings, key)
            parts.append(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}")
    return ":".join(["search", *parts])


@dataclass(frozen=True)
class Found:
    """What a search found.

    ``action``: the choice. ``visits`` int64 (num_actions,) and ``values`` float64 (num_actions,): at the root, per action (0 where
    there are no visits), with ``reuse`` of earlier searches, too. ``simulations``: how many there were, ``nodes``: how many there
    are; none where only one action was legal. ``policy`` float64 (num_actions,): what the search would have a policy do, the
    shares of the visits or, with ``root=gumbel``, the improved policy of Danihelka et al. ``expected``: the lead to expect then;
    where a guide judges, in the terms of its training.
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
    """What the trees have of the root's actions together, arrays (num_actions,): :func:`~dig_envs.engine.tree.read_root`."""

    visits: Array
    values: Array
    leads: Array
    priors: Array


class SearchAgent(OneGame):
    """Searches decisions, in memory that it keeps.

    The choice depends on what the seat may know and on the settings only, not on earlier decisions; with ``ms`` it depends on
    the speed of the machine, too, and with ``reuse`` on what this agent has searched before. One agent serves one thread.

    Args:
        game: that it plays.
        settings: how it searches.
        guide: the policy named in the settings, loaded. A plain dense network is asked in compiled code, others by onnxruntime.

    Raises:
        ValueError: if the guide's values are needed and were not trained for returns and scores alone, or what is asked for
            takes a policy that compiled code can ask, and the guide is none.
    """

    def __init__(self, game: Game, settings: SearchSettings, guide: OnnxAgent | None = None) -> None:
        self.game = game
        self.settings = settings
        self.name = settings_name(settings, game)
        self.guide = guide
        inside = guide.dense if guide is not None else None
        if guide is not None and inside is None and settings.plays_and_asks:
            raise ValueError(
                f"search: {guide.name} is no plain dense network, which playout=guide, value=guide and others=guide need"
            )
        self._policy = inside if inside is not None else NO_POLICY
        self._scratches = [new_scratch(self._policy) for _ in range(settings.threads)]
        self._works = [new_work(game, SIDE_BY_SIDE if guide is not None and inside is None else 1) for _ in range(settings.threads)]
        self._trees = self._new_trees()  # of the present search
        self._earlier: list[list[Tree]] = []  # with ``reuse``, of other games and seats, the last ones first
        self._simulations_before = 0  # this search

    def _new_trees(self) -> list[Tree]:
        return [self._new_tree() for _ in range(self.settings.threads)]

    def _new_tree(self) -> Tree:
        settings, guide = self.settings, self.guide
        own = -(-settings.sims // settings.threads) + 1
        decisions = KEPT_SEARCHES if settings.reuse else 1
        tree = new_tree(MOST_NODES if settings.ms else min(MOST_NODES, decisions * own))
        search = tree.search
        search["exploration"] = settings.c
        search["lead_weight"] = settings.lead
        search["trust"] = 0.0 if guide else settings.trust
        search["depth"] = settings.depth
        search["playout"] = PLAYOUTS[settings.playout]
        search["others"] = OTHERS[settings.others]
        search["guided"] = guide is not None
        search["inside"] = guide is not None and guide.dense is not None
        search["valued"] = settings.valued
        if guide is not None and settings.valued:
            search["win_weight"], search["score_weight"] = reward_weights(guide)
            search["win_or_lose"] = guide.card.get("pays") != "return"
            search["lead_weight"] = 1.0
        return tree

    @property
    def _tree(self) -> Tree:
        """The first of the trees."""
        return self._trees[0]

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision, searched one after the other; needs ``states`` and ``seats``."""
        records, deciders = check_positions(self.game, states, seats, "search")
        return np.array([self._search(records[i : i + 1], int(seat)).action for i, seat in enumerate(deciders)], np.int64)

    def search(self, states: Array, seat: int, seed: int | None = None, progress: Callable[[float], None] | None = None) -> Found:
        """Search the decision that the seat owes in ``states[0]``, a record array, which stays as it is.

        ``seed``: instead of that of the settings. With a limit of time, ``progress`` is called now and then with the share of it
        that has passed, 0 to 1.

        Raises:
            ValueError: if the seat owes no decision.
        """
        records, deciders = check_positions(self.game, states[:1], [seat], "search")
        return self._search(records, int(deciders[0]), seed, progress)

    def _search(self, states: Array, seat: int, seed: int | None = None, progress: Callable[[float], None] | None = None) -> Found:
        legal = np.array(self.game.legal_actions(states, seat))
        if len(legal) == 1:
            return self._forced(int(legal[0]))
        self._begin(states, seat, self.settings.seed if seed is None else seed)
        if self.settings.root == "gumbel":
            return self._search_by_halving(states, seat, legal, progress)
        if self.settings.ms:
            self._search_for(states, seat, self.settings.ms / 1000, progress)
        else:
            self._simulate(states, seat, self.settings.sims)
        root = self._read_root()
        action = max(legal.tolist(), key=lambda a: (root.visits[a], root.values[a], -a))
        return self._found(action, root, root.visits / max(1, root.visits.sum()))

    def _begin(self, states: Array, seat: int, seed: int) -> None:
        """Clear the trees, or with ``reuse`` go on with those that have the decision in them."""
        words = [np.uint64((seed + k * NEXT_TREE) % WORDS) for k in range(self.settings.threads)]
        found = self._find_trees(states, seat, words) if self.settings.reuse else [False] * len(words)
        for tree, word, goes_on in zip(self._trees, words, found, strict=True):
            if not goes_on:
                clear_tree(tree, word)
            tree.search["halving"] = 0
        self._simulations_before = self._count("simulations")

    def _find_trees(self, states: Array, seat: int, words: list[np.uint64]) -> list[bool]:
        """Make present the trees that have the decision in them, else new ones or the oldest; says which of them have it."""
        kept = [self._trees, *self._earlier]
        for trees in kept:
            found = [self._goes_on(*one, states, seat) for one in zip(trees, self._works, words, strict=True)]
            if any(found):
                break
        else:
            trees = self._new_trees() if len(kept) < KEPT_TREES else kept[-1]
        self._trees, self._earlier = trees, [one for one in kept if one is not trees]
        return found

    def _goes_on(self, tree: Tree, work: Work, word: np.uint64, states: Array, seat: int) -> bool:
        """Whether the decision is in a tree, which has room for another search; it then is its root."""
        return self._has_room(tree) and bool(self.game.search_kernels.go_on(states, seat, tree, work, word))

    def _has_room(self, tree: Tree) -> bool:
        num_nodes, num_edges = (int(tree.search[name][0]) for name in ("num_nodes", "num_edges"))
        needed = len(tree.nodes) // KEPT_SEARCHES
        return num_nodes > 0 and num_nodes + needed <= len(tree.nodes) and num_edges + EDGES_PER_NODE * needed <= len(tree.edges)

    def _count(self, name: str) -> int:
        return sum(int(tree.search[name][0]) for tree in self._trees)

    def _forced(self, action: int) -> Found:
        """Only one action is legal."""
        nothing = np.zeros(len(self.game.actions))
        policy = nothing.copy()
        policy[action] = 1.0
        return Found(action, nothing.astype(np.int64), nothing, 0, 0, policy, 0.0)

    def _found(self, action: int, root: Root, policy: Array) -> Found:
        done, nodes = self._count("simulations") - self._simulations_before, self._count("num_nodes")
        seen = policy * (root.visits > 0)
        expected = float((seen * root.leads).sum() / seen.sum()) if seen.sum() > 0 else 0.0
        return Found(action, root.visits, root.values, done, nodes, policy, expected)

    # ------------------------------------------------------------ the root

    def _read_root(self) -> Root:
        """What all trees together know of the root's actions; values and leads are means over the visits."""
        count = len(self.game.actions)
        visits, values, leads, priors = np.zeros(count, np.int64), np.zeros(count), np.zeros(count), np.zeros(count)
        own = np.zeros(count, np.int64), np.zeros(count), np.zeros(count), np.zeros(count)
        for tree in self._trees:
            read_root(tree, *own)
            visits += own[0]
            values += own[0] * own[1]
            leads += own[0] * own[2]
            priors = own[3].copy()  # the policy says the same in every tree
        often = np.maximum(visits, 1)
        return Root(visits, values / often, leads / often, priors)

    def _search_by_halving(self, states: Array, seat: int, legal: Array, progress: Callable[[float], None] | None = None) -> Found:
        """Gumbel root selection (:mod:`dig_envs.agents.halving`)."""
        settings = self.settings
        self._simulate(states, seat, len(self._trees))  # each makes its root
        rng = np.random.default_rng(int(self._tree.search["rng"][0]))  # it comes from the seed and what the seat sees
        budget = settings.sims - len(self._trees)
        log_priors = np.log(np.maximum(self._root_priors(states, seat, legal), 1e-9))
        scores = log_priors + settings.noise * rng.gumbel(size=len(legal))
        most = settings.considered if settings.ms else min(settings.considered, max(2, budget))
        candidates, done = Candidates(scores, most), 0
        while candidates.goes_on:
            self._rank(legal, candidates)
            if settings.ms:
                self._search_for(states, seat, settings.ms / 1000 / candidates.rounds, part_of(progress, done, candidates.rounds))
                done += 1
            else:
                self._simulate(states, seat, candidates.share_of(budget))
            root = self._read_root()
            candidates.halve(sigma(completed(root.values[legal], root.visits[legal], log_priors), root.visits[legal]))
        policy = np.zeros(len(self.game.actions))
        policy[legal] = improved(log_priors, root.values[legal], root.visits[legal], settings.step)
        return self._found(int(legal[candidates.best]), root, policy)

    def _rank(self, legal: Array, candidates: Candidates) -> None:
        ranks = np.zeros(len(self.game.actions), np.int16)
        ranks[legal[candidates.order]] = np.arange(1, len(candidates.order) + 1)
        for tree, work in zip(self._trees, self._works, strict=True):
            rank_root(tree, ranks, work.slots)
            tree.search["halving"] = 1

    def _root_priors(self, states: Array, seat: int, legal: Array) -> Array:
        """Of the legal actions: the guide's, or those that the scripted player's choice gives."""
        if self._tree.search["guided"][0]:
            return self._read_root().priors[legal]
        hint = np.zeros(1, np.int64)
        self.game.kernels.heuristic_actions(states, 0, 1, np.array([seat]), hint)
        trust = self.settings.trust
        return np.asarray((1.0 - trust) / len(legal) + trust * (legal == hint[0]))

    # ------------------------------------------------------------ simulations

    def _search_for(self, states: Array, seat: int, seconds: float, progress: Callable[[float], None] | None) -> None:
        """Simulations until the time is up."""
        self._in_every_tree(lambda k: self._search_tree_for(k, states, seat, seconds, None if k else progress))

    def _search_tree_for(self, k: int, states: Array, seat: int, seconds: float, progress: Callable[[float], None] | None) -> None:
        started = time.perf_counter()
        count, done, passed, told = FIRST_CHUNK, 0, 0.0, 0.0
        while passed < seconds:
            self._simulate_in(k, states, seat, count)
            done += count
            passed = time.perf_counter() - started
            if progress is not None and passed - told >= TELL_SECONDS:
                progress(min(1.0, passed / seconds))
                told = passed
            count = max(1, int(min(seconds - passed, CHUNK_SECONDS) * done / max(passed, 1e-9)))

    def _simulate(self, states: Array, seat: int, count: int) -> None:
        """So many simulations, shared among the trees."""
        trees = len(self._trees)
        self._in_every_tree(lambda k: self._simulate_in(k, states, seat, count // trees + (k < count % trees)))

    def _in_every_tree(self, work: Callable[[int], None]) -> None:
        if len(self._trees) == 1:
            work(0)
        else:
            list(_threads(len(self._trees)).map(work, range(len(self._trees))))

    def _simulate_in(self, k: int, states: Array, seat: int, count: int) -> None:
        """``count`` simulations in one of the trees."""
        simulate, tree, work = self.game.search_kernels.simulate, self._trees[k], self._works[k]
        if not tree.search["guided"][0] or tree.search["inside"][0]:
            simulate(states, seat, tree, work, self._policy, self._scratches[k], count)
            return
        left = count
        while left:
            batch = min(left, SIDE_BY_SIDE) if tree.search["num_nodes"][0] else 1  # the root first
            simulate(states, seat, tree, work, self._policy, self._scratches[k], batch)
            self._ask_guide(k, int(states["num_players"][0]), seat, batch)
            left -= batch

    def _ask_guide(self, k: int, num_players: int, seat: int, count: int) -> None:
        assert self.guide is not None
        work = self._works[k]
        rows = count * (num_players if self.settings.valued else 1)
        logits, values = self.guide.evaluate(work.flats[:rows], work.masks[:rows])
        take_evaluations(self._trees[k], work, count, logits, values, seat, num_players)


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count)


def part_of(progress: Callable[[float], None] | None, part: int, parts: int) -> Callable[[float], None] | None:
    """Progress in one of several parts of equal length, told as progress of the whole."""
    return None if progress is None else lambda share: progress((part + share) / parts)


def new_work(game: Game, count: int) -> Work:
    """Scratch memory for ``count`` simulations side by side."""
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
    )


def reward_weights(guide: OnnxAgent) -> tuple[float, float]:
    """What a return of 1 and a point were worth in the guide's training; raises ValueError if its values mean something else."""
    trained = guide.card.get("rewards", guide.card.get("settings", {}))  # older cards do not tell late rewards from the settings
    weights = {"win_weight": 1.0, "score_weight": 0.0, "shaping_weight": 0.0}
    if isinstance(trained, dict):
        weights |= {name: trained[name] for name in weights if name in trained}
    if not isinstance(trained, dict) or not all(type(weight) in (int, float) for weight in weights.values()):
        raise PolicyMismatchError(
            f"the card of {guide.name} is damaged: its rewards or settings do not say what the values were trained for"
        )
    if weights["shaping_weight"] != 0.0:
        raise ValueError(
            f"search: the values of {guide.name} were trained with shaped rewards and do not judge positions; "
            "use playout=heuristic or playout=random with this guide"
        )
    return float(weights["win_weight"]), float(weights["score_weight"])


def load_search(text: str, game: Game, seed: int | None, find_policy: Callable[[str], Path], guide: str = "") -> SearchAgent:
    """The agent of settings as text (:func:`parse_settings`); ``find_policy`` gives the folder of a guide's name."""
    given = given_settings(text, guide)
    settings = complete_settings(given, game, seed)
    policy = OnnxAgent(find_policy(settings.guide), env=game.env_name) if settings.guide else None
    if policy is not None and policy.memory_size:
        raise ValueError(
            f"search: {settings.guide} has a memory, and a search judges positions that nobody has come to step by step"
        )
    if policy is not None and policy.dense is None and "playout" not in given and settings.playout == "guide":
        settings = replace(settings, playout=usual_settings(game, {}).playout)  # compiled code cannot ask this guide
    return SearchAgent(game, settings, policy)
