"""The action list of a game and the first index of each of its groups, from one place."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.core.words import NO_NAMES, Names, Viewer, capitalised, fill

# how a number in an action is said: the player so many places on; the player of the seat
AFTER, SEAT = "after", "seat"


@dataclass(frozen=True)
class ActionGroup:
    """Actions of one form.

    Attributes:
        first: the index of the first. parts: the values of each part, the last varying fastest.
        label: a template (:mod:`dig_envs.engine.core.words`) with the fields ``{0}``, ``{1}`` … for
            the parts; None: no label.
        called: for each part, its values in plain English, or ``AFTER`` or ``SEAT``.
        steps: of the values of the only part, what is chosen one after the other by who chooses
            such an action in small steps.
        cost: what such an action costs, in words. warning: what is to be asked before it is done
            where the game's function ``grave`` marks it; empty: nothing.
        seen: the label (a template, too) for who sees what the action is about, such as a card of
            the own hand, from a view, a seat and the values of the parts
            (:meth:`dig_envs.engine.game.Game.label`); None: it is always the same.
        since: the first version of the environment that has them.
    """

    first: int
    parts: tuple[tuple[Any, ...], ...]
    label: str | None
    called: tuple[Sequence[str] | str, ...]
    steps: Sequence[tuple[str, ...]] = ()
    cost: str = ""
    warning: str = ""
    seen: Callable[..., str] | None = None
    since: int = 0

    @property
    def last(self) -> int:
        """The index of the last action."""
        size = 1
        for values in self.parts:
            size *= len(values)
        return self.first + size - 1

    def places(self, action: int) -> list[int]:
        """The place of each part of an action among the values of that part."""
        found, rest = [], action - self.first
        for values in reversed(self.parts):
            rest, place = divmod(rest, len(values))
            found.append(place)
        return found[::-1]

    def values(self, action: int) -> list[Any]:
        """The values of the parts of an action."""
        return [
            values[place] for values, place in zip(self.parts, self.places(action), strict=True)
        ]


class Actions:
    """Collects the actions of a game in order.

    ``A_GIVE = actions.add("give {} +{}", TYPES, range(1, 4), label="give {0} to {1}",
    called=(TYPE_NAMES, AFTER))`` appends a group, the rightmost part varying fastest, and returns
    its first index: the action that gives type t to the player k places on is
    ``A_GIVE + 3 * t + k - 1``.
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._groups: list[ActionGroup] = []

    def add(
        self,
        text: str,
        *parts: Iterable[Any],
        label: str | None = None,
        called: Sequence[Sequence[str] | str] = (),
        steps: Sequence[tuple[str, ...]] = (),
        cost: str = "",
        warning: str = "",
        seen: Callable[..., str] | None = None,
        since: int = 0,
    ) -> int:
        """Append a group: ``text`` with each combination of the parts; returns the index of the
        first.

        Args:
            text: the notation, for programs. parts: the values of its fields.
            label, called: the same in plain English (:class:`ActionGroup`); where ``called`` is
                shorter than the parts, these are said as they are written.
            steps, cost, warning, seen: for people who choose (:class:`ActionGroup`).
            since: the first version of the environment that has them. Actions of a later version
                come after those of earlier ones, whose indices stay.

        Raises:
            ValueError: for a group without actions, for a text that is there already, for a part
                that is called by more or fewer words, or chosen in more or fewer ways, than it has
                values, and for a group of an earlier version than the one before it.
        """
        first = len(self._names)
        if self._groups and since < self._groups[-1].since:
            raise ValueError(
                f"the group {text!r}: actions of version {since} go before those of version "
                f"{self._groups[-1].since}"
            )
        values = tuple(tuple(part) for part in parts)
        names = [text.format(*one) for one in product(*values)]
        for name in names:
            if name in self._names or names.count(name) > 1:
                raise ValueError(f"the action {name!r} is there twice")
        if not names:
            raise ValueError(f"the group {text!r} has no actions")
        words = (*called, *([str(value) for value in part] for part in values[len(called) :]))
        for part, said in zip(values, words, strict=True):
            if said not in (AFTER, SEAT) and len(said) != len(part):
                raise ValueError(
                    f"the group {text!r}: {len(said)} words in 'called' for {len(part)} values"
                )
        if steps and (len(values) != 1 or len(steps) != len(values[0])):
            raise ValueError(
                f"the group {text!r}: {len(steps)} ways in 'steps', which are for the values of "
                "one part"
            )
        self._names += names
        self._groups.append(
            ActionGroup(first, values, label, words, steps, cost, warning, seen, since)
        )
        return first

    def in_version(self, version: int) -> "Actions":
        """The actions that a version of the environment has; their indices are the same."""
        found = Actions()
        found._groups = [group for group in self._groups if group.since <= version]
        found._names = self._names[: found._groups[-1].last + 1] if found._groups else []
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The texts of all actions; an action is its index in them."""
        return tuple(self._names)

    @property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """First and last index of each group."""
        return tuple((group.first, group.last) for group in self._groups)

    @property
    def declared(self) -> tuple[ActionGroup, ...]:
        """The groups, with the values of their parts and their words."""
        return tuple(self._groups)

    def group(self, action: int) -> ActionGroup:
        """The group of an action; raises TypeError or ValueError if there is no such action."""
        check_integer(action, "an action", 0, len(self._names) - 1)
        return next(group for group in reversed(self._groups) if group.first <= action)

    def steps(self, action: int, seat: int, num_players: int, names: Names = NO_NAMES) -> list[str]:
        """The parts of an action in words, for people who choose it in small steps.

        Args: as for :meth:`label`.
        """
        group = self.group(action)
        places = group.places(action)
        if group.steps:
            return list(group.steps[places[0]])
        found = []
        for values, said, place in zip(group.parts, group.called, places, strict=True):
            person = (seat + values[place]) % num_players if said == AFTER else values[place]
            found.append(names.of(person) if said in (AFTER, SEAT) else said[place])
        return found

    def label(
        self,
        action: int,
        seat: int,
        num_players: int,
        viewer: Viewer = None,
        names: Names = NO_NAMES,
        template: str | None = None,
    ) -> str:
        """An action in plain English, such as *Ask Bob for a Tyrannosaurus*; its text if it has no
        label.

        Args:
            action: its index. seat: whose action it is. num_players: at the table.
            viewer: who is called *you*. names: of the seats. template: in place of its own.
        """
        group = self.group(action)
        template = template or group.label
        if template is None:
            return self._names[action]
        values, people = {}, {}
        for part, place in enumerate(group.places(action)):
            value, said = group.parts[part][place], group.called[part]
            if said in (AFTER, SEAT):
                people[str(part)] = (seat + value) % num_players if said == AFTER else value
            else:
                values[str(part)] = said[place]
        return capitalised(fill(template, values, people, names, viewer))
