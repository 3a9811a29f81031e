"""Declarations of a game's modules: record types, actions, observation, options, and the compiled
functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.fields import RAW, Fields
from dig_envs.engine.core.options import Option, complete_options, other_than_default
from dig_envs.engine.core.state import new_records
from dig_envs.engine.core.styles import Style, style_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Rules:
    """The compiled functions of a game (their contracts: the README of ``dig_envs.engine``).

    ``derive``: recomputes the state's derived fields. ``inspect``: writes what the rules say of a
    position into a record. ``estimate``: what a search takes for a seat's score where it stops
    before the end of the game. ``expected_returns``: what it takes for the returns there.
    ``put_off``: the chance that luck wins the game at once, and takes care that it does not.
    ``styled``: the scripted player with other weights (:mod:`dig_envs.engine.core.styles`).
    ``playout``: a faster scripted player, for the playouts of a search; None: the usual one.
    ``grave``: marks which actions nobody takes by mistake, beside those that end the game in defeat
    (:mod:`dig_envs.engine.core.grave`).
    ``suppose``: in a re-deal for a seat, lets the scripted player make the choices of others that
    the seat cannot see, where even odds would make the others weak.
    """

    setup: Callable[[Any, int], None]
    legal_actions: Callable[[Any, int, Any], None]
    apply_action: Callable[[Any, int, int], None]
    observe: Callable[[Any, int, Any], None]
    determinize: Callable[[Any, int], None]
    heuristic: Callable[[Any, int], int]
    derive: Callable[[Any], None] | None = None
    inspect: Callable[[Any, Any], None] | None = None
    estimate: Callable[[Any, int], float] | None = None
    expected_returns: Callable[[Any, Any], None] | None = None
    put_off: Callable[[Any, int, int], float] | None = None
    styled: Callable[[Any, int, Any], int] | None = None
    playout: Callable[[Any, int], int] | None = None
    grave: Callable[[Any, int, Any], None] | None = None
    suppose: Callable[[Any, int], None] | None = None


@dataclass(frozen=True)
class LayoutEntry:
    """One field of the observation: its shape, where it lies in the flat vector, its bounds, and
    what it means."""

    shape: tuple[int, ...]
    slice: slice
    meaning: str
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class DeclaredGame:
    """The declarations of a game, and what follows from them without compiled code.

    Attributes:
        package: where its modules are, such as ``dig_envs.games.fossil_canyon``. title: of the
            environment.
        version: of the environment, of which one game may have several. All that is declared for
            another version is left out.
        cooperative: whether all seats win or lose together.
        state: record type of a position. facts_type: of what ``inspect`` writes, or None.
        fields: of the observation. action_list: the actions in their groups.
        phases: their names, ``over`` among them. options: the variants, ``num_players`` among them.
        fixed_options: those of later versions, which have their default here.
        check_options: raises OptionError for values that do not go together, or None.
        rules: the compiled functions. max_actions: an upper bound of an episode's length.
        data_hash: of a data table that owners of the box can replace (``DATA_HASH`` of the
            components); empty without one.
        styles: ways to play that the scripted player has beside the usual one (``STYLES`` in
            ``styles.py``).
        usual: of a game with raw observations (:mod:`dig_envs.engine.core.raw`) the same game with
            the usual ones; else None.
        news_kinds: the kinds of events that a position keeps as news, a bit each.
    """

    package: str
    version: int
    title: str
    cooperative: bool
    state: np.dtype[Any]
    facts_type: np.dtype[Any] | None
    fields: Fields
    action_list: Actions
    phases: tuple[str, ...]
    options: tuple[Option, ...]
    fixed_options: tuple[Option, ...] = ()
    check_options: Callable[[Mapping[str, Any]], None] | None = None
    rules: Rules
    max_actions: int
    data_hash: str = ""
    styles: Mapping[str, Style] = field(default_factory=dict)
    usual: "DeclaredGame | None" = None
    news_kinds: int = 0

    # ------------------------------------------------------------ names and numbers

    @property
    def name(self) -> str:
        """The game's name: that of its folder."""
        return self.package.rpartition(".")[2]

    @property
    def env_name(self) -> str:
        """The environment's name with its version, such as ``cretaceous_creek_v0``, or
        ``cretaceous_creek_v0_raw`` with raw observations."""
        return f"{self.plain_name}{RAW if self.usual is not None else ''}"

    @property
    def plain_name(self) -> str:
        """The same without the kind of observations, as in snapshots."""
        return f"{self.name}_v{self.version}"

    @cached_property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players, ascending."""
        return tuple(
            sorted(next(option.values for option in self.options if option.name == "num_players"))
        )

    def style(self, name: str) -> Style:
        """A style of the scripted player; raises ValueError that lists the styles there are."""
        return style_of(self.styles, name, self.env_name)

    @property
    def min_players(self) -> int:
        """The least number of players."""
        return self.player_counts[0]

    @property
    def max_players(self) -> int:
        """The greatest number of players."""
        return self.player_counts[-1]

    @property
    def is_simultaneous(self) -> bool:
        """Whether seats decide at the same time somewhere in the game."""
        return self.facts_type is not None and "asked" in (self.facts_type.names or ())

    # ------------------------------------------------------------ actions and observation

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The texts of the actions; an action is its index."""
        return self.action_list.names

    @cached_property
    def action_index(self) -> dict[str, int]:
        """The index of each action by its text."""
        return {text: index for index, text in enumerate(self.actions)}

    @property
    def action_groups(self) -> tuple[tuple[int, int], ...]:
        """First and last index of each group of actions."""
        return self.action_list.groups

    @property
    def observation(self) -> np.dtype[Any]:
        """Record type of an observation."""
        return self.fields.dtype

    @property
    def observation_size(self) -> int:
        """Length of the flat observation vector."""
        return self.fields.size

    @cached_property
    def layout(self) -> dict[str, LayoutEntry]:
        """Name of each observation field -> shape, slice in the flat vector, meaning, bounds."""
        layout = {}
        for entry in self.fields.fields:
            dtype, offset = self.observation.fields[entry.name][:2]  # type: ignore[index]
            place = slice(offset // 4, (offset + dtype.itemsize) // 4)
            layout[entry.name] = LayoutEntry(
                dtype.shape, place, entry.meaning, entry.low, entry.high
            )
        return layout

    def named(self, vector: Array) -> dict[str, Array]:
        """A flat observation by the names of its fields.

        Args:
            vector: float32 (…, observation_size).

        Returns:
            Name -> view of the same memory with the shape (…, and that of the field).

        Raises:
            ValueError: for a vector of another length.
        """
        if np.shape(vector)[-1:] != (self.observation_size,):
            raise ValueError(
                f"an observation of {self.env_name} has {self.observation_size} numbers, not the "
                f"shape {np.shape(vector)}"
            )
        flat = np.asarray(vector)
        return {
            name: flat[..., entry.slice].reshape(flat.shape[:-1] + entry.shape)
            for name, entry in self.layout.items()
        }

    @cached_property
    def layout_hash(self) -> str:
        """Hash of the observation layout: field names, shapes and order; and of the data that its
        numbers are about."""
        text = ";".join(f"{name}{entry.shape}" for name, entry in self.layout.items())
        return sha256((text + self.data_hash).encode()).hexdigest()[:16]

    @cached_property
    def actions_hash(self) -> str:
        """Hash of the action list, and of the data that say what the actions do."""
        return sha256(("\n".join(self.actions) + self.data_hash).encode()).hexdigest()[:16]

    # ------------------------------------------------------------ options

    def complete_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values; raises :class:`OptionError` for an unknown option or a bad
        value."""
        options = complete_options(self.options, given, self.name)
        if self.check_options is not None:
            self.check_options(options)
        return options

    def template(self, options: Mapping[str, Any]) -> Array:
        """A record array of length 1, zero but for the options; ``setup`` deals a game into a copy
        of it."""
        record = new_records(1, self.state)
        record["version"] = self.version
        if self.news_kinds:
            record["news_kinds"] = self.news_kinds
        for option in self.options:
            record[option.name][0] = option.encode(options[option.name])
        for option in self.fixed_options:
            record[option.name][0] = option.encode(option.default)
        return record

    def other_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options that differ from their defaults
        (:func:`~dig_envs.engine.core.options.other_than_default`)."""
        return other_than_default(self.options, given)

    def options_of(self, states: Array, index: int = 0) -> dict[str, Any]:
        """The options stored in a state."""
        return {option.name: option.decode(states[option.name][index]) for option in self.options}
