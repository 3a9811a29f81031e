"""The settings of a training run, declared once: names, types, defaults, ranges and meanings are
fields of :class:`Settings`.

``defaults.toml`` is written from them (``python -m training.settings``), for reading. A game's own
file in this folder says only what it does otherwise.
"""
# ruff: noqa: RUF009 (`setting` makes fields of dataclasses)

import copy
import json
import math
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args, get_origin

from dig_envs.engine.core.checks import shown_in_message

from ..ppo import Hyperparameters, check_range

FOLDER = Path(__file__).parent
DEFAULTS = FOLDER / "defaults.toml"
INHERITS = "inherits"
SNAPSHOTS, BEST = "snapshots", "best"  # opponents that are the run's own
FROM = "from"
# they begin so
GROUPS = ("minutes", "layers", "win_weight", "warm_start", "checkpoint_rollouts", "opponents")
# in a run that goes on: how it computes, not what it learns
MAY_CHANGE = ("minutes", "steps", "device", "threads", "bfloat16")
TYPES = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "a text",
    list: "a list",
    dict: "a table",
}


class Rewards(NamedTuple):
    """Weights of the return at the end of a game, of the change of score, and of the change of the
    potential."""

    win_weight: float
    score_weight: float
    shaping_weight: float


# ---------------------------------------------------------------- what there is to set


def setting(
    default: Any,
    meaning: str,
    low: float = -math.inf,
    high: float = math.inf,
    table: type | None = None,
) -> Any:
    """A field of a dataclass of settings.

    Args:
        default: ``MISSING`` for a key that a table has to have. A list whose default has entries
            has to have some, too.
        meaning: for ``defaults.toml``.
        low, high: range of a number, or of each number in a list or table.
        table: dataclass with the keys of a table, or of each table in a list.
    """
    metadata = {"meaning": meaning, "low": low, "high": high, "table": table}
    if default is MISSING:
        return field(metadata=metadata)
    return field(default_factory=lambda: copy.deepcopy(default), metadata=metadata)


@dataclass
class CellKeys:
    """Keys of each of ``cells``."""

    units: int = setting(MISSING, "features that are made of a cell", 0)
    name: str = setting("", "for links and the grid; default: the first field")
    fields: list[str] = setting(
        [], 'fields with a row for each cell; ["*"]: one cell that shows all'
    )
    columns: list[str] = setting([], "fields with a column for each cell")
    actions: list[str] = setting(
        [],
        "the groups of actions that begin so belong to the cells, in equal shares, the first "
        "cell's first",
    )
    leave_out: bool = setting(
        False,
        "the layers see only mean and maximum of the features; with 0 units nobody sees the fields",
    )
    fixed: bool = setting(
        False,
        "each cell is one of its own, such as a space; else they are places of a list, such as a "
        "hand, and those that show nothing count for nothing",
    )
    memory: int = setting(
        0, "numbers that each cell remembers of a game (a GRU); in one group at most", 0
    )


@dataclass
class LinkKeys:
    """Keys of each of ``links``."""

    cells: list[str] = setting(MISSING, "the names of two groups, or twice the same")
    field: str = setting(
        "", "a field with a row for each of the first and a column for each of the second group"
    )
    shares: list[int] = setting(
        [],
        "so many of the first group belong to each of the second (of one group: belong together)",
        1,
    )
    neighbours: bool = setting(False, "spaces of the grid that lie side by side")


@dataclass
class GridKeys:
    """Keys of ``grid``."""

    cells: str = setting(MISSING, "the group whose cells are the spaces")
    position: str = setting(
        MISSING, "the field that says for each seat where it is, the player's own first"
    )
    rows: int = setting(MISSING, "of the grid", 1)
    columns: int = setting(MISSING, "of the grid", 1)
    actions: list[str] = setting(
        MISSING,
        "the groups of actions that begin so name a direction: N, E, S, W, or here and these",
    )


@dataclass
class LateRewardKeys:
    """Keys of ``late_rewards``; ``from_`` is written ``from``."""

    from_: float = setting(MISSING, "share of the budget after which these weights count", 0, 1)
    win_weight: float = setting(0.0, "in the place of win_weight")
    score_weight: float = setting(0.0, "in the place of score_weight")
    shaping_weight: float = setting(0.0, "in the place of shaping_weight")


@dataclass(frozen=True)
class Settings(Hyperparameters):
    """Everything that shapes a run. Raises ValueError if a value has the wrong type, is out of
    range or does not go with others."""

    minutes: float = setting(
        60, "of the run, the final evaluation included, unless --minutes or --steps say how long", 0
    )
    steps: int = setting(
        0,
        "decisions of the run, which ends before its minutes then; 0: as many as there is time for",
        0,
    )
    device: str = setting("auto", 'of PyTorch: "cpu", "cuda", ...; auto: a GPU if there is one')
    threads: int = setting(
        0, "that learn side by side, at most two; 0: one for each core; the result is the same", 0
    )
    bfloat16: bool = setting(
        True,
        "compute the hidden layers in bfloat16 where the processor or GPU has instructions for it",
    )

    layers: list[int] = setting(
        [256, 256], "sizes of the hidden layers (ReLU), shared by the policy and the value", 1
    )
    cells: list[dict[str, Any]] = setting(
        [], "groups of like things that share weights (training/network.py)", table=CellKeys
    )
    links: list[dict[str, Any]] = setting(
        [], "which cells tell each other of themselves", table=LinkKeys
    )
    grid: dict[str, Any] = setting(
        {}, "where the seats stand, if one of the groups is a grid", table=GridKeys
    )
    rounds: int = setting(0, "how often linked cells tell each other", 0)
    start_from: str = setting(
        "", 'a policy of the zoo or a folder to begin with; "": a network that has learned nothing'
    )

    win_weight: float = setting(
        1.0,
        "times the return at the end: +1 divided among the winners, -1 among the others, else 0",
    )
    score_weight: float = setting(
        0.0, "times the learner's change of score; what it has at the deal is not paid"
    )
    shaping_weight: float = setting(0.0, "times the change of the potential (training/shaping.py)")
    late_rewards: dict[str, float] = setting(
        {}, "other weights for the last part of the budget", table=LateRewardKeys
    )
    games: list[dict[str, Any]] = setting(
        [{}], "options of the environment; each entry gets an equal share of the games"
    )

    warm_start: str = setting(
        "heuristic",
        'agent to imitate before PPO, such as the scripted player or a policy; "": none',
    )
    warm_start_steps: int = setting(1_000_000, "decisions of the warm start", 0)
    warm_start_share: float = setting(
        0.3, "... but no more than this share of the budget (--minutes or --steps)", 0, 1
    )
    warm_start_student_share: float = setting(
        0.5, "in this share of the games the student's own choices are played", 0, 1
    )
    warm_start_learning_rate: float = setting(0.001, "at the start of the warm start", 0)
    warm_start_learning_rate_end: float = setting(
        0.001, "... changing linearly to this at its end", 0
    )
    warm_start_sharpening: float = setting(
        1.0,
        "times the logits when PPO takes over: above 1 it begins less random than the imitator "
        "is, whose doubts cost games",
        0,
    )

    checkpoint_rollouts: int = setting(
        16, "updates in a leg, fewer where --minutes end; then a checkpoint and games that judge", 1
    )
    evaluation_games: int = setting(
        512, "after a leg in a cooperative game, for each of the games, always on the same deals", 1
    )
    evaluation_sweep: list[str] = setting(
        [], 'options whose combinations are on the card, such as ["level=beginner,expert"]'
    )

    opponents: dict[str, float] = setting(
        {"heuristic": 0.6, "random": 0.05, "best": 0.2, "snapshots": 0.15},
        "competitive games: who plays the other seats, drawn for each episode by these weights. "
        'Agents by name; "snapshots": what the learner was after earlier legs; "best": the one '
        "that passed the gate last",
        0,
    )
    mixed_seats: float = setting(
        0.3,
        "share of the episodes in which every seat is drawn by itself; else one plays all",
        0,
        1,
    )
    pool_size: int = setting(
        8, "snapshots kept, the newest ones; after every leg of PPO one joins", 1
    )
    active_snapshots: int = setting(
        1, "of them drawn for each leg: fewer opponents decide in larger batches", 1
    )
    gate_games: int = setting(
        400, "games of a leg in a competitive game, against every opponent for each of the games", 1
    )
    gate_threshold: float = setting(
        0.5,
        "strength to be exceeded surely against each of them; 0.5: as strong; 0: every snapshot "
        "passes",
        0,
        1,
    )

    def __post_init__(self) -> None:
        check_table({one.name: getattr(self, one.name) for one in fields(self)}, type(self))
        self._check_together()

    @classmethod
    def of(cls, **changes: Any) -> Self:
        """The defaults with changes; raises ValueError for an unknown name, too."""
        check_table(changes, cls)
        return cls(**changes)

    def _check_together(self) -> None:
        """Raise ValueError for values that do not go together."""
        if self.num_envs * self.rollout_steps < 2:
            raise ValueError("num_envs times rollout_steps must be at least 2")
        if self.num_envs % len(self.games):
            raise ValueError(
                f"num_envs ({self.num_envs}) must be a multiple of the number of [[games]] "
                f"({len(self.games)})"
            )
        if set(self.late_rewards) == {FROM}:
            raise ValueError(f"late_rewards needs some of {', '.join(Rewards._fields)}")
        if any(
            not one["units"] and ("actions" in one or not one.get("leave_out", False))
            for one in self.cells
        ):
            raise ValueError(
                "cells.units must be at least 1, or 0 without actions and with leave_out, for "
                "fields to be hidden"
            )
        if sum(one.get("memory", 0) > 0 for one in self.cells) > 1:
            raise ValueError("cells.memory: only one group can remember")
        if not any(weight > 0 for weight in self.fixed_opponents.values()):
            words = "needs a weight above 0 for an agent such as heuristic, to begin with"
            raise ValueError(f"[opponents] {words}: {SNAPSHOTS} and {BEST} are empty at first")

    @property
    def fixed_opponents(self) -> dict[str, float]:
        """The opponents that are not the run's own, with their weights."""
        return {
            name: weight for name, weight in self.opponents.items() if name not in (SNAPSHOTS, BEST)
        }

    @property
    def distinct_games(self) -> list[dict[str, Any]]:
        """The games, each once: one that is there twice gets two shares of the training, not two
        evaluations."""
        return distinct(self.games)

    def rewards_at(self, share: float) -> Rewards:
        """The weights of the rewards at this share of the budget, 0 to 1."""
        late = self.late_rewards if self.late_rewards and share >= self.late_rewards[FROM] else {}
        return Rewards(*(float(late.get(name, getattr(self, name))) for name in Rewards._fields))

    def as_dict(self) -> dict[str, Any]:
        """All settings by name, JSON-able."""
        return asdict(self)


# ---------------------------------------------------------------- checking


def distinct(games: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The options of ``[[games]]``, each once, in their order."""
    return [options for k, options in enumerate(games) if options not in games[:k]]


def keys_of(schema: type) -> dict[str, Field[Any]]:
    """The fields of a dataclass of settings by the names that users write."""
    return {one.name.rstrip("_"): one for one in fields(schema)}


def check_table(values: Mapping[str, Any], schema: type, path: str = "") -> None:
    """Raise ValueError, naming the setting, unless names, types and ranges are those of a dataclass
    of settings."""
    known = keys_of(schema)
    for name, value in values.items():
        if name not in known:
            nearest = get_close_matches(str(name), known, 1, 0.0)[0]
            raise ValueError(
                f"no setting {shown_in_message(path + str(name))}; the nearest is "
                f"{shown_in_message(path + nearest)}"
            )
        check_value(value, known[name].type, known[name], path + name)
    for name, one in known.items():
        if path and name not in values and one.default_factory is MISSING:
            raise ValueError(f"{path.rstrip('.')} needs {name}: {one.metadata['meaning']}")


def check_value(value: Any, kind: Any, declared: Field[Any], path: str) -> None:
    """Raise ValueError unless a value and all that is in it has its type and is in its range."""
    outer, inner = get_origin(kind) or kind, get_args(kind)
    if type(value) is not outer and not (outer is float and type(value) is int):
        raise ValueError(f"{path} must be {TYPES[outer]}, not {shown_in_message(value)}")
    low, high, table = (
        declared.metadata["low"],
        declared.metadata["high"],
        declared.metadata.get("table"),
    )
    if outer in (int, float):
        check_range(path, value, low, high)
    if outer is list:
        if not value and (declared.default_factory is MISSING or declared.default_factory()):
            raise ValueError(f"{path} must have at least one entry")
        for k, entry in enumerate(value):
            check_value(entry, inner[0], declared, f"{path}[{k}]")
    # an empty table stands for none, but not in a list
    if outer is dict and table and (value or path.endswith("]")):
        check_table(value, table, f"{path}.")
    elif outer is dict and inner[1] is not Any and not table:
        for name, entry in value.items():
            check_value(entry, inner[1], declared, f"{path}.{name}")


# ---------------------------------------------------------------- files

HEADER = """\
# What every training run begins with. Written by `python -m training.settings`: change
# training/settings/__init__.py instead. The file of a game says only what it does otherwise, and
# `inherits = "<file>"` takes over another file of this folder first; its tables and lists take the
# place of those here. A "decision" is one of the learner in one game, {} means none.
"""


def defaults_as_toml() -> str:
    """The text of ``defaults.toml``: every setting with its meaning and its default."""
    lines = [HEADER]
    for name, one in keys_of(Settings).items():
        line, meaning, table = (
            f"{name} = {as_toml(getattr(Settings(), name))}",
            one.metadata["meaning"],
            one.metadata.get("table"),
        )
        lines += [""] if name in GROUPS else []
        if table is None and len(line) + len(meaning) <= 96:
            lines.append(f"{line}  # {meaning}")
            continue
        lines += textwrap.wrap(meaning, 100, initial_indent="# ", subsequent_indent="# ")
        lines += _keys_explained(table, "#   ") if table else []
        lines.append(line)
    return "\n".join(lines) + "\n"


def _keys_explained(table: type, indent: str) -> Iterator[str]:
    for key, one in keys_of(table).items():
        line = f"{indent}{key}: {one.metadata['meaning']}"
        yield from textwrap.wrap(line, 100, subsequent_indent=f"{indent}  ")
        if one.metadata.get("table"):
            yield from _keys_explained(one.metadata["table"], f"{indent}  ")


def as_toml(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, dict) and value:
        return f"{{ {', '.join(f'{key} = {as_toml(entry)}' for key, entry in value.items())} }}"
    return f"{value:_}" if type(value) is int else json.dumps(value)


def _read_toml(path: Path, heirs: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The values of a TOML file over those of the file that it inherits from; ``heirs`` inherit
    from this file."""
    if path.resolve() in heirs:
        raise ValueError(f"{path} inherits from itself")
    try:
        values = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from None
    if INHERITS not in values:
        return values
    name = values.pop(INHERITS)
    if not isinstance(name, str) or not (path.parent / name).is_file():
        raise ValueError(
            f"{path}: inherits must name a settings file beside it, not {shown_in_message(name)}"
        )
    return {**_read_toml(path.parent / name, (*heirs, path.resolve())), **values}


def load_settings(
    game: str, file: Path | None = None, changes: list[str] | None = None
) -> Settings:
    """The settings of a game: the defaults, its TOML file (or another one), ``name=value`` changes
    (as in TOML or JSON).

    A game without a file has the defaults. ``file`` may also be a word: that which follows the
    game's name in the name of a file of this folder (``quick`` for ``fossil_canyon_quick.toml``),
    or the name of a file for all games (``baseline``).

    Raises:
        ValueError: for settings that are wrong, naming the file; for a file that does not exist,
            naming those that do.
    """
    path = file or FOLDER / f"{game}.toml"
    if file is not None and not file.is_file():
        of_all = FOLDER / f"{file}.toml"
        path = FOLDER / f"{game}_{file}.toml"
        path = of_all if of_all.is_file() and not path.is_file() else path
        if not path.is_file():
            words = [
                other.stem.removeprefix(f"{game}_")
                for other in sorted(FOLDER.glob(f"{game}_*.toml"))
            ]
            raise ValueError(
                f"no settings file {file}"
                + (f", nor is it one of {', '.join(words)}" if words else "")
            )
    values = _read_toml(path) if path.is_file() else {}
    changed: dict[str, Any] = {}
    for change in changes or []:
        name, sign, text = change.partition("=")
        if not sign:
            raise ValueError(
                f"a change of a setting is written name=value, not {shown_in_message(change)}"
            )
        if name in changed:
            raise ValueError(f"--set {name} is given twice: change each setting once")
        changed[name] = _as_typed(text)
    try:
        check_table(changed, Settings)
    except ValueError as error:
        raise ValueError(f"--set: {error}") from None
    source = f"{path if path.is_file() else DEFAULTS}{' with --set' if changed else ''}"
    try:
        return Settings.of(**values | changed)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None


def _as_typed(text: str) -> Any:
    """A value as typed: TOML, else JSON, else a text without quotation marks."""
    with suppress(ValueError, RecursionError):
        found = tomllib.loads(f"value = {text}")
        if found.keys() == {"value"} and isinstance(found["value"], tuple(TYPES)):  # no dates
            return found["value"]
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text
