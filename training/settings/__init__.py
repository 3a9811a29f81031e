"""The settings of a training run: one TOML file per game in this folder, read and checked here."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

FOLDER = Path(__file__).parent
SNAPSHOTS, BEST = "snapshots", "best"  # opponents that are the run's own


@dataclass(frozen=True)
class Settings:
    """Everything that shapes a run; ``cretaceous_creek.toml`` explains each, ``fossil_canyon.toml`` those of self-play."""

    layers: list[int] = field(default_factory=lambda: [256, 256])
    window: dict[str, Any] = field(default_factory=dict)
    games: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    num_envs: int = 256
    opponents: dict[str, Any] = field(default_factory=lambda: {"random": 1.0})
    mixed_seats: float = 0.5
    pool_size: int = 8
    active_snapshots: int = 3
    gate_games: int = 100
    gate_threshold: float = 0.5
    minutes: float = 0.0
    start_from: str = ""
    win_weight: float = 1.0
    score_weight: float = 0.0
    shaping_weight: float = 0.0
    warm_start: str = ""
    warm_start_steps: int = 0
    warm_start_share: float = 0.4
    warm_start_student_share: float = 0.5
    warm_start_learning_rate: float = 0.001
    rollout_steps: int = 128
    batch_size: int = 4096
    epochs: int = 3
    learning_rate: float = 3e-4
    learning_rate_end: float = 3e-4
    gamma: float = 0.995
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy_weight: float = 0.01
    value_weight: float = 0.5
    target_kl: float = 0.0
    checkpoint_rollouts: int = 10
    evaluation_games: int = 256
    evaluation_sweep: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, values: Mapping[str, Any], source: str) -> Self:
        """Settings from a mapping; raises ValueError that names an unknown setting or one of the wrong type."""
        known = {f.name: f for f in fields(cls)}
        default = cls()
        unknown = [name for name in values if name not in known]
        if unknown:
            raise ValueError(f"{source}: no setting {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
        for name, value in values.items():
            expected = type(getattr(default, name))
            fits = isinstance(value, expected) and not (isinstance(value, bool) and expected is not bool)
            if not fits and not (expected is float and isinstance(value, int) and not isinstance(value, bool)):
                raise ValueError(f"{source}: {name} must be of type {expected.__name__}, not {value!r}")
        settings = cls(**values)
        settings._check(source)
        return settings

    def _check(self, source: str) -> None:
        for name in (
            *("num_envs", "rollout_steps", "batch_size", "epochs", "checkpoint_rollouts", "evaluation_games"),
            *("pool_size", "active_snapshots", "gate_games"),
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{source}: {name} must be at least 1, not {getattr(self, name)}")
        for name in (
            "warm_start_steps",
            "warm_start_learning_rate",
            "learning_rate",
            "learning_rate_end",
            "clip_range",
            "target_kl",
            "minutes",
        ):
            if getattr(self, name) < 0:
                raise ValueError(f"{source}: {name} must not be negative: {getattr(self, name)}")
        for name in ("warm_start_share", "warm_start_student_share", "gamma", "gae_lambda", "mixed_seats", "gate_threshold"):
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

        self._check_opponents(source)

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

    @property
    def steps_per_leg(self) -> int:
        """Decisions between two checkpoints."""
        return self.num_envs * self.rollout_steps * self.checkpoint_rollouts

    def as_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def load_settings(game: str, file: Path | None = None, changes: list[str] | None = None) -> Settings:
    """The settings of a game from its TOML file (or another one), with ``name=value`` changes (values as in TOML/JSON)."""
    path = file or FOLDER / f"{game}.toml"
    values: dict[str, Any] = {}
    if path.is_file():
        try:
            values = tomllib.loads(path.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is no TOML file: {error}") from None
    elif file is not None:
        raise ValueError(f"no settings file {file}")
    for change in changes or []:
        name, sign, text = change.partition("=")
        if not sign:
            raise ValueError(f"a change of a setting is written name=value, not {change!r}")
        try:
            values[name] = json.loads(text)
        except json.JSONDecodeError:
            values[name] = text
    return Settings.read(values, str(path))
