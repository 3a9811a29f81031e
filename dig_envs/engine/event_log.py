"""The events of one game, as each seat may know them."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.core.events import Event, Kind, Seats, Who
from dig_envs.engine.core.tell import MAX_EVENTS, NO_SEAT, OVER, new_listening
from dig_envs.engine.core.words import Viewer
from dig_envs.engine.game import Array, Game

ALL = -2  # the viewer who knows everything: a referee, a film after the game

# the position, how many events and actions, and since when each seat is told
Mark = tuple[Array, int, int, dict[Viewer, int]]


class EventLog:
    """The events of one game, from a position on.

    It plays on a copy of the position: whoever has the game plays each action here, too.

    Args:
        game: which.
        states: record array of length 1: the position to begin with; it stays as it is.

    Attributes:
        first, states: the position at the beginning and now, record arrays of length 1.
        played: seats and actions since.
    """

    def __init__(self, game: Game, states: Array) -> None:
        self.game = game
        self._listening, self.states = new_listening(game.state)
        self.states[0] = states[0]
        self.first, self.played = self.states.copy(), list[tuple[int, int]]()
        self._rows: list[list[Any]] = []
        # seat -> the events before its last action; None: before the last of all
        self._since: dict[Viewer, int] = {}
        # for each viewer, of how many of the first 0, 1, 2 … events it was told, as far as asked
        self._counts: dict[Viewer, list[int]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Copies have memory of their own: what is listened to lies in that of ``states``."""
        return {
            "game": self.game,
            "rows": self._rows[:],
            "first": self.first,
            "played": self.played[:],
            "mark": self.mark(),
        }

    def __setstate__(self, plain: dict[str, Any]) -> None:
        self.__init__(plain["game"], plain["first"])  # type: ignore[misc]
        self._rows, self.played = plain["rows"], plain["played"]
        self.go_back(plain["mark"])

    def __len__(self) -> int:
        return len(self._rows)

    def play(self, seat: int, action: int) -> None:
        """Play a legal action of a seat, and note what happens.

        Raises:
            RulesError: the action has caused more events than there is room for.
        """
        self._since[seat] = self._since[None] = len(self._rows)
        self.played.append((seat, action))
        self.game.kernels.apply_and_tell(self._listening, seat, action)
        count = int(self._listening["told_len"][0])
        if count > MAX_EVENTS:
            raise RulesError(
                f"{self.game.name}: the action {self.game.actions[action]!r} has caused {count} "
                f"events, more than {MAX_EVENTS}"
            )
        self._add(self._listening["told"][0][:count].tolist())

    def _add(self, rows: list[list[Any]]) -> None:
        """Note what an action has caused, and the end of the game."""
        self._rows += rows
        if self.states["over"][0]:
            winners = sum(1 << int(seat) for seat in np.flatnonzero(self.states["winners"][0]))
            self._rows.append(
                [OVER, NO_SEAT, winners, int(self.states["truncated"][0]), self._reason()]
            )

    def _reason(self) -> str:
        """The reason why the game has ended, in words."""
        if self.game.reason is None:
            return ""
        return self.game.reason(self.game.to_public(self.game.to_snapshot(self.states[0])))

    def mark(self) -> Mark:
        """The present moment, for :meth:`go_back`."""
        return self.states.copy(), len(self._rows), len(self.played), dict(self._since)

    def go_back(self, mark: Mark) -> None:
        """Go back to a moment of this log: what happened since was never told."""
        states, events, actions, since = mark
        self.states[0] = states[0]
        self._since = dict(since)
        del self._rows[events:], self.played[actions:]
        self._counts.clear()

    def told(self, viewer: Viewer, first: int = 0) -> list[Event]:
        """The events from number ``first`` on that a viewer is told of, with what it may know
        (None: the public, ``ALL``: everything)."""
        found = (self._event(row, viewer) for row in self._rows[first:])
        return [event for event in found if event is not None]

    def rows(self, viewers: Iterable[Viewer]) -> list[dict[Viewer, Event]]:
        """Each event by viewer, for the viewers who are told of it."""
        viewers = list(viewers)
        return [
            {viewer: event for viewer in viewers if (event := self._event(row, viewer))}
            for row in self._rows
        ]

    def since(self, viewer: Viewer) -> list[Event]:
        """The events that a seat was told since its last decision, that decision first; for the
        public, since anybody's last decision."""
        return self.told(viewer, self._since.get(viewer, 0))

    def numbered(self, viewer: Viewer, first: int | None = None) -> tuple[int, list[Event]]:
        """The events from number ``first`` on that a viewer is told of, and the number of the first
        of them; by default those of :meth:`since`.

        Each viewer's events are numbered from 0 without gaps, so that numbers tell nothing of what
        others are told.
        """
        counts, kinds = self._counts.setdefault(viewer, [0]), self.game.events.kinds
        for row in self._rows[len(counts) - 1 :]:
            is_told = not kinds[row[0]].private or self._knows(row, viewer)
            counts.append(counts[-1] + is_told)
        begin = self._since.get(viewer, 0) if first is None else bisect_left(counts, first)
        begin = min(begin, len(self._rows))
        return counts[begin], self.told(viewer, begin)

    def _knows(self, row: Sequence[Any], viewer: Viewer) -> bool:
        kind, seat = self.game.events.kinds[row[0]], None if row[1] == NO_SEAT else row[1]
        numbers = row[2 : 2 + len(kind.parts)]
        return (
            viewer == ALL
            or not kind.hides
            or viewer in _meant(kind, seat, numbers, self.states["num_players"][0])
        )

    def _event(self, row: Sequence[Any], viewer: Viewer) -> Event | None:
        """The event of a row for a viewer; None if the viewer is not told of it."""
        kind, seat = self.game.events.kinds[row[0]], None if row[1] == NO_SEAT else row[1]
        numbers = row[2 : 2 + len(kind.parts)]
        knows = self._knows(row, viewer)
        if kind.private and not knows:
            return None
        values = {
            part.name: None if part.hidden and not knows else part.value(number)
            for part, number in zip(kind.parts, numbers, strict=True)
        }
        return Event(kind, seat, values, viewer, knows)


def _meant(kind: Kind, seat: int | None, numbers: Sequence[Any], seats: int) -> set[Viewer]:
    """The viewers who know the hidden parts of an event. None, the public, is among them if a part
    ``Seats`` names all seats."""
    meant: set[Viewer] = set() if seat is None else {seat}
    for part, number in zip(kind.parts, numbers, strict=True):
        if isinstance(part, Who) and part.knows and number >= 0:
            meant.add(number)
        elif isinstance(part, Seats) and part.knows:
            known = part.value(number)
            meant.update(known if len(known) < seats else [*known, None])
    return meant
