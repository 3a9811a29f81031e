"""The Game object: all that the adapters, the agents and the command line need to know of a game, gathered from its modules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from dig_envs.engine import loading
from dig_envs.engine.actions import Actions
from dig_envs.engine.declared import check_declared
from dig_envs.engine.fields import Fields
from dig_envs.engine.options import Option, complete_options
from dig_envs.engine.schema import NOBODY, Codec, JsonSchema
from dig_envs.engine.snapshot import Candidate, from_snapshot, json_schema, to_snapshot, to_view, view_schema
from dig_envs.engine.state import as_records, new_records

Array = np.ndarray[Any, Any]
Snapshot = dict[str, Any]


@dataclass(frozen=True)
class Rules:
    """The compiled functions of a game (their contracts: the README of ``dig_envs.engine``).

    ``derive``: recomputes the state's derived fields. ``inspect``: writes what the rules say of a position into a record.
    ``estimate``: what a search takes for a seat's score where it stops before the end of the game. ``expected_returns``: what it
    takes for the returns there. ``put_off``: the chance that luck wins the game at once, and takes care that it does not.
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


@dataclass(frozen=True)
class LayoutEntry:
    """One field of the observation: its shape, where it lies in the flat vector, its bounds, and what it means."""

    shape: tuple[int, ...]
    slice: slice
    meaning: str
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Game:
    """A game: record types, an action list, compiled functions, and how to show and save a position.

    There is one object for each game (:func:`dig_envs.registry.load_game`), made from the modules of its folder by
    :func:`build_game`; the README of ``dig_envs.engine`` says which module gives what.

    Attributes:
        package: where its modules are, such as ``dig_envs.games.fossil_canyon``. version, title: of the environment.
        cooperative: whether all seats win or lose together.
        state: record type of a position. facts_type: of what ``inspect`` writes, or None.
        fields: of the observation. action_list: the actions in their groups.
        phases: their names, ``over`` among them. options: the variants, ``num_players`` among them.
        rules: the compiled functions.
        snapshot_table: key -> codec. check_position: raises SnapshotError for a position that play cannot reach.
        adjust_view: what a view needs beyond the codecs', or None.
        draw: the public part of a position as text, from a snapshot or a view.
        max_actions: an upper bound of an episode's length.
        check_options: raises OptionError for values that do not go together, or None.
        consult: what the game's companion app says to a question: the rows of a table, the first its head. None without an app.
        search: settings of the search agent that suit the game better than the general ones (:mod:`dig_envs.agents.search`).
        guided_search: the same for a search that a policy guides, before those of ``search``.
        data_hash: of a data table that owners of the box can replace (``DATA_HASH`` of the components); empty without one.
        secrets: how the texts of actions begin of which others are told no more than that; None: of all, only the first word.
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
    rules: Rules
    snapshot_table: Mapping[str, Codec]
    check_position: Callable[[Candidate], None]
    adjust_view: Callable[[Snapshot, Mapping[str, Any], int], Snapshot] | None
    draw: Callable[[Mapping[str, Any]], str]
    max_actions: int
    check_options: Callable[[Mapping[str, Any]], None] | None = None
    consult: Callable[[str], list[tuple[str, ...]]] | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    guided_search: Mapping[str, Any] = field(default_factory=dict)
    data_hash: str = ""
    secrets: tuple[str, ...] | None = None

    # ------------------------------------------------------------ names and numbers

    @property
    def name(self) -> str:
        """The game's name: that of its folder."""
        return self.package.rpartition(".")[2]

    @property
    def env_name(self) -> str:
        """The environment's name with its version, such as ``cretaceous_creek_v0``."""
        return f"{self.name}_v{self.version}"

    @cached_property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players, ascending."""
        return tuple(sorted(next(option.values for option in self.options if option.name == "num_players")))

    @property
    def min_players(self) -> int:
        """The least number of players."""
        return self.player_counts[0]

    @property
    def max_players(self) -> int:
        """The greatest number of players."""
        return self.player_counts[-1]

    @cached_property
    def players(self) -> Mapping[str, Callable[["Game"], Any]]:
        """Players of its own beside the scripted one: name -> what makes it (``PLAYERS`` in ``players.py``, loaded when asked)."""
        module = f"{self.package}.players"
        found: Mapping[str, Callable[[Game], Any]] = import_module(module).PLAYERS if find_spec(module) else {}
        return found

    @cached_property
    def painter(self) -> ModuleType | None:
        """The module ``picture`` of the game, which draws its views (:mod:`dig_envs.pictures`); None where it has none."""
        module = f"{self.package}.picture"
        return import_module(module) if find_spec(module) else None

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
            layout[entry.name] = LayoutEntry(dtype.shape, place, entry.meaning, entry.low, entry.high)
        return layout

    def named(self, vector: Array) -> dict[str, Array]:
        """A flat observation by the names of its fields.

        Args:
            vector: float32 (…, observation_size).

        Returns:
            Name -> view of the same memory with the shape (…, *shape of the field).

        Raises:
            ValueError: for a vector of another length.
        """
        if np.shape(vector)[-1:] != (self.observation_size,):
            raise ValueError(
                f"an observation of {self.env_name} has {self.observation_size} numbers, not the shape {np.shape(vector)}"
            )
        flat = np.asarray(vector)
        return {name: flat[..., entry.slice].reshape(flat.shape[:-1] + entry.shape) for name, entry in self.layout.items()}

    @cached_property
    def layout_hash(self) -> str:
        """Hash of the observation layout: field names, shapes and order; and of the data that its numbers are about."""
        text = ";".join(f"{name}{entry.shape}" for name, entry in self.layout.items())
        return sha256((text + self.data_hash).encode()).hexdigest()[:16]

    @cached_property
    def actions_hash(self) -> str:
        """Hash of the action list, and of the data that say what the actions do."""
        return sha256(("\n".join(self.actions) + self.data_hash).encode()).hexdigest()[:16]

    # ------------------------------------------------------------ compiled code

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
        return build_game, (self.package,)

    # ------------------------------------------------------------ options

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

    # ------------------------------------------------------------ positions

    def to_snapshot(self, state: Any) -> Snapshot:
        """The complete position of a state record as a JSON-able dict."""
        return to_snapshot(self, state)

    def from_snapshot(self, snapshot: Any) -> Array:
        """The position (record array of length 1) of a snapshot; raises SnapshotError for a malformed or impossible one."""
        return from_snapshot(self, snapshot)

    def to_view(self, snapshot: Mapping[str, Any], seat: int) -> Snapshot:
        """What a seat may know of the position of a snapshot, in the same form."""
        return to_view(self, snapshot, seat)

    def to_public(self, snapshot: Mapping[str, Any]) -> Snapshot:
        """What everybody at the table may know of the position of a snapshot, in the same form: a spectator's view."""
        return to_view(self, snapshot, NOBODY)

    @cached_property
    def json_schema(self) -> JsonSchema:
        """The JSON Schema of the game's snapshots, for other programs."""
        return json_schema(self)

    @cached_property
    def view_schema(self) -> JsonSchema:
        """The JSON Schema of what :meth:`to_view` gives, for other programs."""
        return view_schema(self)

    @property
    def is_simultaneous(self) -> bool:
        """Whether seats decide at the same time somewhere in the game."""
        return self.facts_type is not None and "asked" in (self.facts_type.names or ())

    def facts(self, state: Any) -> Any:
        """What the rules say of a state record: a record of ``facts_type``, or None where the game has none."""
        if self.facts_type is None:
            return None
        states, facts = as_records(np.array([state], self.state)), new_records(1, self.facts_type)
        self.kernels.inspect_one(states, facts)
        return facts[0]

    def new_observations(self, count: int) -> tuple[Array, Array]:
        """Zero observation records and the same memory as a float32 matrix (count, observation_size)."""
        flat = np.zeros((count, self.observation_size), np.float32)
        return as_records(flat.view(self.observation).reshape(count)), flat

    def returns_of(self, states: Array) -> Array:
        """The returns of finished games, float64 (n, max_players)."""
        returns = np.zeros((len(states), self.max_players))
        self.kernels.returns_of(states, returns)
        return returns

    def mask_of(self, states: Array, seat: int) -> Array:
        """The legal actions of a seat in the first state, a fresh int8 (num_actions,); all zero for one that owes nothing."""
        mask = np.zeros((1, len(self.actions)), np.int8)
        self.kernels.masks_of(states, 0, 1, np.array([seat], np.int64), mask)
        return np.asarray(mask[0])

    def legal_actions(self, states: Array, seat: int) -> list[int]:
        """The legal actions of a seat in the first state, ascending."""
        return [int(action) for action in np.flatnonzero(self.mask_of(states, seat))]


# ---------------------------------------------------------------- from modules


@cache
def build_game(package: str) -> Game:
    """The game of a package, such as ``dig_envs.games.fossil_canyon``, from what its modules define.

    ``setup``, ``legal_actions``, ``apply_action`` and ``determinize`` are taken from the module that bears the function's name, if
    there is one, else from ``rules``, and ``check`` from ``invariants``, if there is such a module, else from ``snapshot``.

    Raises:
        AttributeError: naming the module and what it lacks. RulesError: naming what does not fit together.
    """

    def module(part: str) -> Any:
        return import_module(f"{package}.{part}")

    def there_is(part: str) -> bool:
        return find_spec(f"{package}.{part}") is not None

    def rule(function: str) -> Any:
        return getattr(module(function if there_is(function) else "rules"), function)

    about, state, rules, snapshot = import_module(package), module("state"), module("rules"), module("snapshot")
    foresight = module("foresight") if there_is("foresight") else None
    game = Game(
        package=package,
        version=about.VERSION,
        title=about.TITLE,
        cooperative=about.COOPERATIVE,
        search=getattr(about, "SEARCH", {}),
        guided_search=getattr(about, "GUIDED_SEARCH", {}),
        secrets=getattr(about, "SECRETS", None),
        state=state.State,
        facts_type=getattr(state, "Facts", None),
        action_list=state.ACTIONS,
        phases=state.PHASES,
        options=state.OPTIONS,
        check_options=getattr(state, "check_options", None),
        max_actions=module("components").MAX_ACTIONS,
        fields=module("observation").FIELDS,
        rules=Rules(
            setup=rule("setup"),
            legal_actions=rule("legal_actions"),
            apply_action=rule("apply_action"),
            determinize=rule("determinize"),
            observe=module("observation").observe,
            heuristic=module("heuristic").heuristic,
            derive=getattr(rules, "derive", None),
            inspect=getattr(rules, "inspect", None),
            estimate=module("estimate").estimate if there_is("estimate") else None,
            expected_returns=getattr(foresight, "expected_returns", None),
            put_off=getattr(foresight, "put_off", None),
        ),
        snapshot_table=snapshot.SNAPSHOT,
        check_position=module("invariants" if there_is("invariants") else "snapshot").check,
        adjust_view=getattr(snapshot, "adjust_view", None),
        draw=module("drawing").draw,
        consult=module("app").consult if there_is("app") else None,
        data_hash=getattr(module("components"), "DATA_HASH", ""),
    )
    check_declared(game)
    return game
