"""Reasons for actions in words, which games declare as ``REASONS`` in their module ``reasons``: the
first action of a group -> a function of what its seat may know."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dig_envs.engine.core.words import NO_NAMES, Names


@dataclass(frozen=True)
class Sight:
    """What the reason of an action is made from.

    Attributes:
        view: of the seat: it holds nothing that the seat may not know.
        seat: whose action it is. action: its index. names: of the seats.
    """

    view: Mapping[str, Any]
    seat: int
    action: int
    names: Names = NO_NAMES

    def after(self, step: int) -> int:
        """The seat ``step`` places clockwise."""
        return (self.seat + step) % len(self.view["scores"])

    def name(self, seat: int) -> str:
        """The name of a seat."""
        return self.names.of(seat)


# gets the values of the action's parts, too; returns a sentence without its full stop that speaks
# for the action; "" if it knows none, None if it knows that the action is of no use
Reason = Callable[..., str | None]
