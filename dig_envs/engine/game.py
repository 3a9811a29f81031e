"""The Game object: all that the adapters, the agents and the command line need to know of a game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from typing import Any

import numpy as np

from dig_envs.engine import loading
from dig_envs.engine.options import Option, complete_options
from dig_envs.engine.state import as_records, new_records
from dig_envs.registry import load_game

Array = np.ndarray[Any, Any]
Snapshot = dict[str, Any]


@dataclass(frozen=True)
class Rules:
    """The pure functions of a game (see the design of a game in the README of ``dig_envs.engine``)."""

    setup: Callable[[Any, int], None]
    legal_actions: Callable[[Any, int, Any], None]
    apply_action: Callable[[Any, int, int], None]
    observe: Callable[[Any, int, Any], None]
    determinize: Callable[[Any, int, int], None]
    heuristic: Callable[[Any, int], int]


@dataclass(frozen=True)
class LayoutEntry:
    """One field of the observation: its shape, where it lies in the flat vector, and what it means."""

    shape: tuple[int, ...]
    slice: slice
    meaning: str


@dataclass(frozen=True)
class Game:
    """A game: two record types, a list of action names, pure functions, and how to show and save a position.

    ``encode``: snapshot -> a state record array of length 1, raises :class:`SnapshotError`. ``decode``: the reverse.
    ``hide``: turns a snapshot into the view of a seat. ``draw``: the public part of a position as text.
    ``max_actions``: an upper bound of an episode's length. ``low``, ``high``: bounds of the observation's numbers.
    ``check_options``: raises :class:`OptionError` for values that do not go together. ``consult``: what the game's companion
    app says to a question: the rows of a table, the first its head.
    ``search``: settings of the search agent that suit the game better than the general ones (:mod:`dig_envs.agents.search`).
    """

    name: str
    version: int
    title: str
    min_players: int
    max_players: int
    cooperative: bool
    state: np.dtype[Any]
    observation: np.dtype[Any]
    actions: tuple[str, ...]
    phases: tuple[str, ...]
    options: tuple[Option, ...]
    rules: Rules
    decode: Callable[[Any], Snapshot]
    encode: Callable[[Snapshot], Array]
    hide: Callable[[Snapshot, int], Snapshot]
    draw: Callable[[Snapshot], str]
    meanings: Mapping[str, str]
    max_actions: int
    low: float = -1.0
    high: float = 1.0
    check_options: Callable[[Mapping[str, Any]], None] | None = None
    consult: Callable[[str], list[tuple[str, ...]]] | None = None
    search: Mapping[str, Any] = field(default_factory=dict)

    @property
    def env_name(self) -> str:
        """The environment's name with its version, such as ``cretaceous_creek_v0``."""
        return f"{self.name}_v{self.version}"

    @cached_property
    def action_index(self) -> dict[str, int]:
        """The index of each action by its text."""
        return {text: index for index, text in enumerate(self.actions)}

    @property
    def action_groups(self) -> list[tuple[int, int]]:
        """First and last index of each run of actions whose texts begin with the same word."""
        runs = [list(run) for _, run in groupby(range(len(self.actions)), lambda index: self.actions[index].split()[0])]
        return [(run[0], run[-1]) for run in runs]

    @property
    def observation_size(self) -> int:
        """Length of the flat observation vector."""
        return self.observation.itemsize // 4

    @cached_property
    def layout(self) -> dict[str, LayoutEntry]:
        """Name of each observation field -> shape, slice in the flat vector, meaning."""
        layout = {}
        for name in self.observation.names or ():
            dtype, offset = self.observation.fields[name][:2]  # type: ignore[index]
            place = slice(offset // 4, (offset + dtype.itemsize) // 4)
            layout[name] = LayoutEntry(dtype.shape, place, self.meanings[name])
        return layout

    @cached_property
    def layout_hash(self) -> str:
        """Hash of the observation layout: field names, shapes and order."""
        text = ";".join(f"{name}{entry.shape}" for name, entry in self.layout.items())
        return sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def actions_hash(self) -> str:
        """Hash of the action list."""
        return sha256("\n".join(self.actions).encode()).hexdigest()[:16]

    @cached_property
    def kernels(self) -> Any:
        """The compiled loops (:mod:`dig_envs.engine.kernels`) for this game."""
        return loading.load_kernels(self)

    @cached_property
    def search_kernels(self) -> Any:
        """The compiled tree search (:mod:`dig_envs.engine.search`) for this game."""
        return loading.load_search(self, self.kernels)

    @cached_property
    def source_hash(self) -> str | None:
        """Hash of all the sources that make the game's compiled code; None if they are in no files."""
        return loading.owner_of(self).sources

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles name the game: there is one object for each."""
        return load_game, (self.env_name,)

    def complete_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values; raises :class:`OptionError` for an unknown option or a bad value."""
        options = complete_options(self.options, given, self.name)
        if self.check_options is not None:
            self.check_options(options)
        return options

    def template(self, options: Mapping[str, Any]) -> Array:
        """A record array of length 1, zero but for the options; ``setup`` deals a game into a copy of it."""
        record = new_records(1, self.state)
        for option in self.options:
            record[option.name][0] = option.encode(options[option.name])
        return record

    def options_of(self, states: Array, index: int = 0) -> dict[str, Any]:
        """The options stored in a state."""
        return {option.name: option.decode(states[option.name][index]) for option in self.options}

    def new_observations(self, count: int) -> tuple[Array, Array]:
        """Zero observation records and the same memory as a float32 matrix (count, observation_size)."""
        flat = np.zeros((count, self.observation_size), np.float32)
        return as_records(flat.view(self.observation).reshape(count)), flat

    def legal_actions(self, states: Array, seat: int) -> list[int]:
        """The legal actions of a seat in the first state, ascending."""
        mask = np.zeros((1, len(self.actions)), np.int8)
        self.kernels.masks_of(states, 0, 1, np.array([seat]), mask)
        return [int(action) for action in np.flatnonzero(mask[0])]
