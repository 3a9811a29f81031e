"""A player that searches: information-set Monte Carlo tree search, explained in the README of this folder."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.deciding import OneGame, check_positions
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.engine.errors import PolicyMismatchError
from dig_envs.engine.game import Array, Game
from dig_envs.engine.state import new_records
from dig_envs.engine.tree import MAX_PATH, NOTHING, Work, clear_tree, new_tree, read_root, take_evaluations

MOST_NODES = 1 << 17  # of a tree; a search that needs more goes on with those
SIDE_BY_SIDE = 16  # simulations of a guided search whose leaves the policy judges in one call
FIRST_CHUNK = 1  # simulations before the clock is looked at for the first time …
CHUNK_SECONDS = 0.005  # … and then about how long they go on without
TELL_SECONDS = 0.1  # between reports of how far a search is
PLAYOUTS = ("heuristic", "random", "none")


@dataclass(frozen=True)
class SearchSettings:
    """How a :class:`SearchAgent` searches.

    ``sims``: simulations for each decision; ``ms``: instead, milliseconds (0: ``sims`` counts). ``playout``: ``heuristic``,
    ``random``, or ``none``, then the guide gives the values. ``guide``: name or folder of a policy that gives the priors; empty:
    none. ``c``: constant of exploration. ``trust``: prior of the scripted player's choice; 0: UCB without priors. ``depth``: turns
    after which a simulation is cut off and judged by the scores; 0: never. ``lead``: weight of the lead in a simulation's value,
    the return has the rest. ``seed``: of the search.
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
}


def parse_settings(text: str, game: Game, seed: int | None = 0, guide: str = "") -> SearchSettings:
    """Settings from ``key=value`` texts with colons between them, such as ``sims=2000:c=0.7``; ``200ms`` is ``ms=200``.

    What is not given has the game's own value (``Game.search``) or the general one; ``seed`` is that of the search unless it is
    given, None for entropy; ``guide``, if it is not empty, may not be given again.

    Raises:
        ValueError: an unknown setting or a bad value; the message says what would be right.
    """
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
    own = {"seed": secrets.randbits(64) if seed is None else seed, **game.search}
    settings = replace(SearchSettings(), **{**own, **given})
    if settings.playout == "none" and not settings.guide:
        raise ValueError("search: playout=none needs a guide, whose values take the place of the playouts: guide=<policy>")
    return settings


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
    usual = replace(SearchSettings(), **game.search)
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
    there are no visits). ``simulations``, ``nodes``: how many there were; none where only one action was legal.
    """

    action: int
    visits: Array
    values: Array
    simulations: int
    nodes: int


class SearchAgent(OneGame):
    """Searches every decision anew, in memory that it keeps.

    The choice depends on what the seat may know and on the settings only, not on earlier decisions; with ``ms`` it depends on
    the speed of the machine, too. One agent serves one thread.

    Args:
        game: that it plays.
        settings: how it searches.
        guide: the policy named in the settings, loaded.

    Raises:
        ValueError: if the guide's values are needed and were not trained for returns and scores alone.
    """

    def __init__(self, game: Game, settings: SearchSettings, guide: OnnxAgent | None = None) -> None:
        self.game = game
        self.settings = settings
        self.name = settings_name(settings, game)
        self.guide = guide
        self._tree = new_tree(MOST_NODES if settings.ms else min(MOST_NODES, settings.sims + 1))
        self._work = new_work(game, SIDE_BY_SIDE if guide else 1)
        search = self._tree.search
        search["exploration"] = settings.c
        search["lead_weight"] = settings.lead
        search["trust"] = 0.0 if guide else settings.trust
        search["depth"] = settings.depth
        search["scripted"] = settings.playout == "heuristic"
        search["guided"] = guide is not None
        search["valued"] = settings.playout == "none"
        if guide is not None and settings.playout == "none":
            search["win_weight"], search["score_weight"] = reward_weights(guide)
            search["win_or_lose"] = guide.card.get("pays") != "return"
            search["lead_weight"] = 1.0

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision, searched one after the other; needs ``states`` and ``seats``."""
        records, deciders = check_positions(self.game, states, seats, "search")
        return np.array([self._search(records[i : i + 1], int(seat)).action for i, seat in enumerate(deciders)], np.int64)

    def search(self, states: Array, seat: int, progress: Callable[[float], None] | None = None) -> Found:
        """Search the decision that the seat owes in ``states[0]``, a record array, which stays as it is.

        With a limit of time, ``progress`` is called now and then with the share of it that has passed, 0 to 1.

        Raises:
            ValueError: if the seat owes no decision.
        """
        records, deciders = check_positions(self.game, states[:1], [seat], "search")
        return self._search(records, int(deciders[0]), progress)

    def _search(self, states: Array, seat: int, progress: Callable[[float], None] | None = None) -> Found:
        visits, values = np.zeros(len(self.game.actions), np.int64), np.zeros(len(self.game.actions))
        legal = self.game.legal_actions(states, seat)
        if len(legal) == 1:
            return Found(legal[0], visits, values, 0, 0)
        clear_tree(self._tree, np.uint64(self.settings.seed))
        if self.settings.ms:
            self._search_for(states, seat, self.settings.ms / 1000, progress)
        else:
            self._simulate(states, seat, self.settings.sims)
        read_root(self._tree, visits, values)
        action = max(legal, key=lambda a: (visits[a], values[a], -a))
        done, nodes = (int(self._tree.search[name][0]) for name in ("simulations", "num_nodes"))
        return Found(action, visits, values, done, nodes)

    def _search_for(self, states: Array, seat: int, seconds: float, progress: Callable[[float], None] | None) -> None:
        """Simulations until the time is up."""
        started = time.perf_counter()
        count, done, passed, told = FIRST_CHUNK, 0, 0.0, 0.0
        while passed < seconds:
            self._simulate(states, seat, count)
            done += count
            passed = time.perf_counter() - started
            if progress is not None and passed - told >= TELL_SECONDS:
                progress(min(1.0, passed / seconds))
                told = passed
            count = max(1, int(min(seconds - passed, CHUNK_SECONDS) * done / max(passed, 1e-9)))

    def _simulate(self, states: Array, seat: int, count: int) -> None:
        simulate = self.game.search_kernels.simulate
        if self.guide is None:
            simulate(states, seat, self._tree, self._work, count)
            return
        left = count
        while left:
            batch = min(left, SIDE_BY_SIDE) if self._tree.search["num_nodes"][0] else 1  # the root first
            simulate(states, seat, self._tree, self._work, batch)
            self._ask_guide(int(states["num_players"][0]), seat, batch)
            left -= batch

    def _ask_guide(self, num_players: int, seat: int, count: int) -> None:
        assert self.guide is not None
        rows = count * (num_players if self.settings.playout == "none" else 1)
        logits, values = self.guide.evaluate(self._work.flats[:rows], self._work.masks[:rows])
        take_evaluations(self._tree, self._work, count, logits, values, seat, num_players)


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
    trained = guide.card.get("settings", {})
    weights = {"win_weight": 1.0, "score_weight": 0.0, "shaping_weight": 0.0}
    if isinstance(trained, dict):
        weights |= {name: trained[name] for name in weights if name in trained}
    if not isinstance(trained, dict) or not all(type(weight) in (int, float) for weight in weights.values()):
        raise PolicyMismatchError(f"the card of {guide.name} is damaged: its settings do not say what the values were trained for")
    if weights["shaping_weight"] != 0.0:
        raise ValueError(
            f"search: the values of {guide.name} were trained with shaped rewards and do not judge positions; "
            "use playout=heuristic or playout=random with this guide"
        )
    return float(weights["win_weight"]), float(weights["score_weight"])


def load_search(text: str, game: Game, seed: int | None, find_policy: Callable[[str], Path], guide: str = "") -> SearchAgent:
    """The agent of settings as text (:func:`parse_settings`); ``find_policy`` gives the folder of a guide's name."""
    settings = parse_settings(text, game, seed, guide)
    policy = OnnxAgent(find_policy(settings.guide), env=game.env_name) if settings.guide else None
    if policy is not None and policy.memory_size:
        raise ValueError(
            f"search: {settings.guide} has a memory, and a search judges positions that nobody has come to step by step"
        )
    return SearchAgent(game, settings, policy)
