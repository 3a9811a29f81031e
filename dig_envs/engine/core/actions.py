"""The action list of a game and the first index of each of its groups, from one place."""

from collections.abc import Iterable
from itertools import product
from typing import Any


class Actions:
    """Collects the actions of a game in order.

    ``A_GIVE = actions.add("give {} +{}", TYPES, range(1, 4))`` appends a group, the rightmost part varying fastest, and returns
    its first index: the action that gives type t to the player k places on is ``A_GIVE + 3 * t + k - 1``.
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._groups: list[tuple[int, int]] = []

    def add(self, text: str, *parts: Iterable[Any]) -> int:
        """Append a group: ``text`` with each combination of the parts; returns the index of the first.

        Raises:
            ValueError: for a group without actions, and for a text that is there already.
        """
        first = len(self._names)
        names = [text.format(*values) for values in product(*parts)]
        for name in names:
            if name in self._names or names.count(name) > 1:
                raise ValueError(f"the action {name!r} is there twice")
        if not names:
            raise ValueError(f"the group {text!r} has no actions")
        self._names += names
        self._groups.append((first, len(self._names) - 1))
        return first

    @property
    def names(self) -> tuple[str, ...]:
        """The texts of all actions; an action is its index in them."""
        return tuple(self._names)

    @property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """First and last index of each group."""
        return tuple(self._groups)
