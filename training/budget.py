"""The length of a run: so many decisions of the learner, or so many minutes, or decisions with
minutes as the limit."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MOST_MINUTES = 60 * 24 * 366
FINAL_SHARE = 0.1  # of the minutes are for the final evaluation
LEG_SHARE = 0.1  # of them is the longest that a leg plays and learns …
JUDGING_SHARE = 0.05  # … and that it is judged


@dataclass
class Budget:
    """The budget of a run, and a clock that measures what its parts take, so that the next one is
    begun only if there is time."""

    steps: int | None  # decisions of the learner; a run rounds them up to whole legs …
    # … or minutes in all, the final evaluation included; with both what is used up first
    minutes: float | None
    clock: Callable[[], float] = time.monotonic  # in seconds
    used: float = 0.0  # seconds of earlier starts of a run that goes on
    _started: float | None = None
    _taken: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that are NaN or out of range."""
        if self.steps is not None and self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")
        # this refuses NaN, too
        if self.minutes is not None and not 0 <= self.minutes <= MOST_MINUTES:
            raise ValueError(
                f"minutes must be from 0 to {MOST_MINUTES:,} (a year), not {self.minutes}"
            )

    def start(self, used: float) -> None:
        """Begin to count; ``used`` seconds are gone already."""
        self.used, self._started = used, self.clock()

    @property
    def words(self) -> str:
        """How long the run is, in words."""
        limits = [f"{self.steps:,} decisions"] if self.steps is not None else []
        limits += [f"{self.minutes:g} minutes"] if self.minutes is not None else []
        return " or ".join(limits)

    @property
    def seconds(self) -> float:
        """Seconds used so far."""
        return self.used + (self.clock() - self._started if self._started is not None else 0.0)

    @property
    def seconds_left(self) -> float:
        """Seconds left in all; infinite where steps alone count."""
        return float("inf") if self.minutes is None else max(0.0, 60 * self.minutes - self.seconds)

    @property
    def training_seconds_left(self) -> float:
        """Seconds left before the final evaluation; infinite where steps alone count."""
        return (
            float("inf")
            if self.minutes is None
            else 60 * self.minutes * (1 - FINAL_SHARE) - self.seconds
        )

    def share(self, steps: int) -> float:
        """The share of the training that is done after this number of steps, 0 to 1."""
        by_steps = steps / self.steps if self.steps is not None else 0.0
        by_time = (
            self.seconds / (60 * self.minutes * (1 - FINAL_SHARE))
            if self.minutes is not None
            else 0.0
        )
        return min(1.0, max(by_steps, by_time))

    @contextmanager
    def measuring(self, part: str) -> Iterator[None]:
        """Note the seconds that a part of the training takes: what is done in the body of the
        ``with`` statement."""
        started = self.clock()
        yield
        self._taken[part] = self.clock() - started

    def taken(self, part: str) -> float:
        """The seconds that a part of the training took the last time; 0 if it was never
        measured."""
        return self._taken.get(part, 0.0)

    def has_room(self, *parts: str) -> bool:
        """Whether there is time for parts that take as long as last time; parts that were never
        measured count 0."""
        return self.training_seconds_left > sum(map(self.taken, parts))

    def is_over(self, steps: int) -> bool:
        """Whether no further leg begins after this number of steps."""
        return (self.steps is not None and steps >= self.steps) or not self.has_room(
            "rollout", "judging"
        )

    def leg_is_over(self, started: float) -> bool:
        """Whether a leg that began at ``started`` should end: a rollout takes longer than the time
        left, or the leg is long enough.

        Where steps count, too, legs are not cut for their length, so that the run hardly depends on
        how busy the machine is.
        """
        if self.minutes is None:
            return False
        too_long = self.steps is None and self.clock() - started > LEG_SHARE * 60 * self.minutes
        return too_long or not self.has_room("rollout", "judging")

    def judged_enough(self, started: float) -> bool:
        """Whether the games that judge a leg, begun at ``started``, should end early."""
        if self.minutes is None:
            return False
        return (
            self.clock() - started > JUDGING_SHARE * 60 * self.minutes
            or self.training_seconds_left <= 0
        )
