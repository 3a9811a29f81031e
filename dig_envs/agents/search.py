"""A player that searches: information-set Monte Carlo tree search, explained in the README of this folder."""

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dig_envs.engine.game import Array, Game
from dig_envs.engine.state import new_records
from dig_envs.engine.tree import MAX_PATH, NOTHING, clear_tree, new_tree, read_root

FIRST_CHUNK = 8  # simulations before the clock is looked at for the first time
MOST_NODES = 1 << 17  # of the tree of a search that is limited by time


class Work(NamedTuple):
    """Scratch memory of a search."""

    states: Array
    masks: Array
    slots: Array
    observations: Array
    flat: Array
    words: Array
    paths: Array
    returns: Array
    leads: Array


def new_work(game: Game) -> Work:
    """Scratch memory for one simulation at a time."""
    observations, flat = game.new_observations(1)
    return Work(
        new_records(1, game.state),
        np.zeros((1, len(game.actions)), np.int8),
        np.full(len(game.actions), NOTHING, np.int32),
        observations,
        flat,
        flat.view(np.uint32),
        np.zeros((1, MAX_PATH, 2), np.int32),
        np.zeros((1, game.max_players)),
        np.zeros((1, game.max_players)),
    )


@dataclass(frozen=True)
class SearchSettings:
    """How a :class:`SearchAgent` searches.

    ``sims``: simulations for each decision. ``ms``: instead, milliseconds. ``playout``: ``"random"`` or ``"heuristic"``.
    ``c``: the constant of exploration. ``depth``: turns after which a simulation is cut off and judged by the scores, 0 for
    never. ``lead``: weight of the lead in a simulation's value, 0 to 1. ``trust``: prior of the scripted player's choice, 0 to 1; 0 for UCB without priors. ``seed``: of the search.
    """

    sims: int = 1000
    ms: int = 0
    playout: str = "random"
    c: float = 1.0
    depth: int = 0
    lead: float = 0.5
    trust: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Found:
    """What a search found: ``action``, and per action int64 ``visits`` and float64 ``values`` (0 where there are no visits)."""

    action: int
    visits: Array
    values: Array
    simulations: int
    nodes: int


class SearchAgent:
    """Searches every decision anew."""

    def __init__(self, game: Game, settings: SearchSettings, name: str = "search") -> None:
        self.game = game
        self.settings = settings
        self.name = name
        self._tree = new_tree(MOST_NODES if settings.ms else settings.sims + 1)
        self._work = new_work(game)
        search = self._tree.search
        search["exploration"] = settings.c
        search["lead_weight"] = settings.lead
        search["trust"] = settings.trust
        search["hints"] = settings.trust > 0
        search["depth"] = settings.depth
        search["scripted"] = settings.playout == "heuristic"
        search["playout"] = 1

    def act(self, env: Any) -> int:
        """The action for ``env.agent_selection``."""
        position = env.unwrapped
        return self.search(position.states, position.seat_of(env.agent_selection)).action

    def act_batch(self, observation: Array, action_mask: Array, states: Array | None = None, seats: Array | None = None) -> Array:
        """One action for each decision; needs ``states`` and ``seats``."""
        if states is None or seats is None:
            raise ValueError("search decides on positions: pass states and seats (BatchEnv.states, BatchEnv.mover)")
        return np.array([self.search(states[i : i + 1], int(seat)).action for i, seat in enumerate(seats)], np.int64)

    def search(self, states: Array, seat: int) -> Found:
        """Search the decision that ``seat`` owes in ``states[0]``."""
        clear_tree(self._tree, np.uint64(self.settings.seed))
        simulate = self.game.search_kernels.simulate
        if self.settings.ms:
            end = time.perf_counter() + self.settings.ms / 1000
            count, started = FIRST_CHUNK, time.perf_counter()
            while True:
                simulate(states, seat, self._tree, self._work, count)
                now = time.perf_counter()
                if now >= end:
                    break
                done = int(self._tree.search["simulations"][0])
                each = (now - started) / done
                count = max(1, int(min(end - now, 0.005) / each))
        else:
            simulate(states, seat, self._tree, self._work, self.settings.sims)
        visits = np.zeros(len(self.game.actions), np.int64)
        values = np.zeros(len(self.game.actions))
        read_root(self._tree, visits, values)
        done, nodes = (int(self._tree.search[name][0]) for name in ("simulations", "num_nodes"))
        return Found(int(np.lexsort((values, visits))[-1]), visits, values, done, nodes)
