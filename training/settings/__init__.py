"""The settings of a training run: ``defaults.toml`` and one TOML file per game in this folder, read and checked here."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

FOLDER = Path(__file__).parent
DEFAULTS = FOLDER / "defaults.toml"
INHERITS = "inherits"
SNAPSHOTS, BEST = "snapshots", "best"  # opponents that are the run's own
HISTORY, GRU, GRID = "history", "gru", "grid"
MEMORIES = {HISTORY: ("frames",), GRU: ("units",), GRID: ("units", "fields")}  # the kinds of memory, and what each needs
CELLS = {"fields", "units", "actions", "leave_out"}
FROM = "from"
HOW_NOT_WHAT = ("minutes", "device", "threads", "bfloat16")  # may change when a run goes on


class Rewards(NamedTuple):
    """What is paid: weights of the return at the end, of the change of score, and of the change of the potential."""

    win_weight: float
    score_weight: float
    shaping_weight: float


@dataclass(frozen=True)
class Settings:
    """Everything that shapes a run, explained in ``defaults.toml``, which has the values where nothing else is said."""

    minutes: float
    device: str
    threads: int
    bfloat16: bool
    layers: list[int]
    window: dict[str, Any]
    memory: dict[str, Any]
    cells: list[dict[str, Any]]
    start_from: str
    win_weight: float
    score_weight: float
    shaping_weight: float
    late_rewards: dict[str, float]
    num_envs: int
    games: list[dict[str, Any]]
    rollout_steps: int
    warm_start: str
    warm_start_steps: int
    warm_start_share: float
    warm_start_student_share: float
    warm_start_learning_rate: float
    warm_start_learning_rate_end: float
    batch_size: int
    epochs: int
    learning_rate: float
    learning_rate_end: float
    gamma: float
    gae_lambda: float
    clip_range: float
    entropy_weight: float
    value_weight: float
    target_kl: float
    checkpoint_rollouts: int
    evaluation_games: int
    evaluation_sweep: list[str]
    opponents: dict[str, Any]
    mixed_seats: float
    pool_size: int
    active_snapshots: int
    gate_games: int
    gate_threshold: float
    expert_search: str
    expert_playouts: str
    expert_value_from: float
    expert_games: int
    expert_self_play: float
    expert_window: int
    expert_passes: float
    expert_result_share: float

    @classmethod
    def of(cls, **changes: Any) -> Self:
        """The defaults with changes; raises ValueError as :meth:`read`."""
        return cls.read(changes, "settings")

    @classmethod
    def read(cls, values: Mapping[str, Any], source: str) -> Self:
        """The defaults with the values of a mapping; raises ValueError that names an unknown setting or one of the wrong type."""
        known = {f.name: f for f in fields(cls)}
        defaults = _defaults()
        unknown = [name for name in values if name not in known]
        if unknown:
            raise ValueError(f"{source}: no setting {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
        for name, value in values.items():
            expected = float if known[name].type is float else type(defaults[name])
            fits = isinstance(value, expected) and not (isinstance(value, bool) and expected is not bool)
            if not fits and not (expected is float and isinstance(value, int) and not isinstance(value, bool)):
                raise ValueError(f"{source}: {name} must be of type {expected.__name__}, not {value!r}")
        settings = cls(**{**defaults, **values})
        settings._check(source)
        return settings

    def _check(self, source: str) -> None:
        for name in (
            *("num_envs", "rollout_steps", "batch_size", "epochs", "checkpoint_rollouts", "evaluation_games"),
            *("pool_size", "active_snapshots", "gate_games", "expert_games", "expert_window"),
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{source}: {name} must be at least 1, not {getattr(self, name)}")
        for name in (
            "warm_start_steps",
            "warm_start_learning_rate",
            "warm_start_learning_rate_end",
            "learning_rate",
            "learning_rate_end",
            "clip_range",
            "target_kl",
            "minutes",
            "threads",
            "expert_passes",
        ):
            if getattr(self, name) < 0:
                raise ValueError(f"{source}: {name} must not be negative: {getattr(self, name)}")
        for name in (
            *("warm_start_share", "warm_start_student_share", "gamma", "gae_lambda", "mixed_seats", "gate_threshold"),
            *("expert_value_from", "expert_self_play", "expert_result_share"),
        ):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{source}: {name} must be from 0 to 1, not {getattr(self, name)}")
        for name, kind in (("layers", int), ("games", dict)):
            entries = getattr(self, name)
            if not entries or not all(type(entry) is kind for entry in entries):
                raise ValueError(f"{source}: {name} must be a list of at least one {kind.__name__}, not {entries!r}")
        if min(self.layers) < 1:
            raise ValueError(f"{source}: layers must be at least 1 wide, not {self.layers}")
        if self.num_envs * self.rollout_steps < 2:
            raise ValueError(f"{source}: num_envs times rollout_steps must be at least 2")
        if self.num_envs % len(self.games):
            raise ValueError(
                f"{source}: num_envs ({self.num_envs}) must be a multiple of the number of [[games]] ({len(self.games)})"
            )

        if bool(self.window) + bool(self.memory) + bool(self.cells) > 1:
            raise ValueError(f"{source}: a network has either a [window] or a [memory] or [[cells]]")
        self._check_late_rewards(source)
        self._check_memory(source)
        for group in self.cells:
            _check_cells(group, source)
        self._check_opponents(source)

    def _check_late_rewards(self, source: str) -> None:
        late = self.late_rewards
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in late.values())
        if late and not (numbers and {FROM} < set(late) <= {FROM, *Rewards._fields} and 0 <= late[FROM] <= 1):
            words = f"{FROM}, a share of the budget from 0 to 1, and numbers for some of {', '.join(Rewards._fields)}"
            raise ValueError(f"{source}: late_rewards needs {words}, not {late!r}")

    def _check_memory(self, source: str) -> None:
        if not self.memory:
            return
        kind = self.memory.get("kind")
        if kind not in MEMORIES:
            raise ValueError(f"{source}: [memory] needs a kind, {' or '.join(map(repr, MEMORIES))}, not {kind!r}")
        needs = MEMORIES[kind]
        size = self.memory.get(needs[0])
        named = "fields" not in needs or _are_names(self.memory.get("fields"))
        if set(self.memory) != {"kind", *needs} or type(size) is not int or size < 1 or not named:
            words = f"{needs[0]}, at least 1," + (" a list of fields," if "fields" in needs else "")
            raise ValueError(f"{source}: [memory] of kind {kind!r} needs {words} and nothing else, not {self.memory!r}")

    def _check_opponents(self, source: str) -> None:
        wrong = [f"{name} = {weight!r}" for name, weight in self.opponents.items() if not _is_weight(weight)]
        if wrong:
            raise ValueError(f"{source}: [opponents] needs weights, numbers of 0 or more, not {', '.join(wrong)}")
        if not any(weight > 0 for weight in self.fixed_opponents.values()):
            raise ValueError(
                f"{source}: [opponents] needs a weight above 0 for an agent such as heuristic, to begin with: "
                f"{SNAPSHOTS} and {BEST} are empty at first"
            )

    @property
    def fixed_opponents(self) -> dict[str, float]:
        """The opponents that are not the run's own, with their weights."""
        return {name: weight for name, weight in self.opponents.items() if name not in (SNAPSHOTS, BEST)}

    @property
    def distinct_games(self) -> list[dict[str, Any]]:
        """The games, each once: one that is there twice gets two shares of the training, not two evaluations."""
        return [options for k, options in enumerate(self.games) if options not in self.games[:k]]

    def rewards_at(self, share: float) -> Rewards:
        """What is paid when so much of the budget is used, 0 to 1."""
        late = self.late_rewards if self.late_rewards and share >= self.late_rewards[FROM] else {}
        return Rewards(*(float(late.get(name, getattr(self, name))) for name in Rewards._fields))

    @property
    def steps_per_leg(self) -> int:
        """Decisions between two checkpoints."""
        return self.num_envs * self.rollout_steps * self.checkpoint_rollouts

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def _check_cells(group: Any, source: str) -> None:
    """One of ``[[cells]]``."""
    if not isinstance(group, dict) or not {"fields", "units"} <= set(group) <= CELLS:
        raise ValueError(f"{source}: [[cells]] needs fields and units, and may have actions, leave_out, not {group!r}")
    wrong = None
    if not _are_names(group["fields"]):
        wrong = "fields, a list of fields"
    elif not isinstance(group.get("actions", ""), str):
        wrong = "the name of an action as actions"
    elif type(group["units"]) is not int or group["units"] < ("actions" in group or not group.get("leave_out", False)):
        wrong = "units of at least 1 (or 0 without actions and with leave_out, for fields that nobody is to see)"
    elif not isinstance(group.get("leave_out", False), bool):
        wrong = "true or false as leave_out"
    if wrong:
        raise ValueError(f"{source}: [[cells]] needs {wrong}, not {group!r}")


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


@cache
def _defaults() -> dict[str, Any]:
    return _read_toml(DEFAULTS)


def _read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file; ValueError if it is none, OSError if it cannot be read."""
    try:
        return tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None


def _read_with_inherited(path: Path, heirs: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The values of a file over those of the file that it inherits from."""
    if path.resolve() in heirs:
        raise ValueError(f"{path} inherits from itself")
    values = _read_toml(path)
    if INHERITS not in values:
        return values
    name = values.pop(INHERITS)
    if not isinstance(name, str) or not (path.parent / name).is_file():
        raise ValueError(f"{path}: inherits must name a settings file beside it, not {name!r}")
    return {**_read_with_inherited(path.parent / name, (*heirs, path.resolve())), **values}


def load_settings(game: str, file: Path | None = None, changes: list[str] | None = None) -> Settings:
    """The settings of a game: the defaults, then its TOML file (or another one), then ``name=value`` changes (as in TOML/JSON).

    A game without a file has the defaults.
    """
    path = file or FOLDER / f"{game}.toml"
    values: dict[str, Any] = {}
    if path.is_file():
        values = _read_with_inherited(path)
    elif file is not None:
        raise ValueError(f"no settings file {file}")
    for change in changes or []:
        name, sign, text = change.partition("=")
        if not sign:
            raise ValueError(f"a change of a setting is written name=value, not {change!r}")
        try:
            values[name] = json.loads(text)
        except (ValueError, RecursionError):
            values[name] = text
    return Settings.read(values, str(path if path.is_file() else DEFAULTS))
