"""Shared slots: who takes them, how many one address may have, and who makes room when
there are none left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dig_envs.server.bounds import TableError


@dataclass(eq=False)
class Guest:
    """One who has a place. ``address``: where it comes from. ``leave``: asks it to give the place
    back, which may take a moment."""

    address: str
    leave: Callable[[], object]


class Places:
    """So many places, half of them for one address at most.

    Args:
        count: so many. what: has them, for messages.
        waits: since when (seconds, in any clock) a guest could make room for another, or None if it
            could not now.
    """

    def __init__(self, count: int, what: str, waits: Callable[[Guest], float | None]) -> None:
        self._count, self._each, self._what, self._waits = count, max(1, count // 2), what, waits
        self._guests: dict[Guest, None] = {}
        self._of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._guests)

    def enter(self, guest: Guest) -> None:
        """Take a place; the one that could make room for the longest time does, from the same
        address if that has too many.

        Raises:
            TableError: there is no place.
        """
        if self._of.get(guest.address, 0) >= self._each:
            if not self._make_room(guest.address):
                raise TableError(
                    "full",
                    f"one address has at most {self._each} {self._what} here; try again later",
                )
        elif len(self._guests) >= self._count and not self._make_room(
            max(self._of, key=lambda address: self._of[address])
        ):
            raise TableError("full", f"{self._count} {self._what} are here; try again later")
        self._guests[guest] = None
        self._of[guest.address] = self._of.get(guest.address, 0) + 1

    @contextmanager
    def taken(self, guest: Guest) -> Iterator[None]:
        """A place meanwhile; raises TableError as :meth:`enter`."""
        self.enter(guest)
        try:
            yield
        finally:
            self.leave(guest)

    def _make_room(self, address: str) -> bool:
        waiting = [
            (since, guest)
            for guest in self._guests
            if guest.address == address and (since := self._waits(guest)) is not None
        ]
        if not waiting:
            return False
        _, first = min(waiting, key=lambda one: one[0])
        self.leave(first)
        first.leave()
        return True

    def leave(self, guest: Guest) -> None:
        """Give a place back; nothing happens if it was given back already."""
        if guest in self._guests:
            del self._guests[guest]
            self._of[guest.address] -= 1
            if not self._of[guest.address]:
                del self._of[guest.address]
