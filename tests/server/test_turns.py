"""The order in which clients are served where many wait for few places, and who makes room."""

import asyncio
from dataclasses import dataclass

import pytest

from dig_envs.server.bounds import TableError
from dig_envs.server.places import Guest, Places
from dig_envs.server.turns import Turns


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def run(places, long, story, waiting=1000):
    asyncio.run(story(Turns(places, long, waiting)))


class Asked:
    """A record of what clients ask for, in the order in which it is begun."""

    def __init__(self, turns):
        self.turns, self.begun, self.tasks = turns, [], []

    async def ask(self, client, cost, long):
        await self.turns.wait(client, cost, long)
        self.begun.append(client)

    def many(self, client, count, cost=1.0, long=True):
        self.tasks += [asyncio.create_task(self.ask(client, cost, long)) for _ in range(count)]


def test_who_asks_for_much_does_not_keep_others_waiting():
    """One client asks a hundred times before another asks three times: they take turns."""

    async def story(turns):
        asked = Asked(turns)
        asked.many("greedy", 100)
        await settle()
        asked.many("modest", 3)
        await settle()
        for _ in range(6):
            turns.leave(long=True)
            await settle()
        assert asked.begun.count("modest") == 3

    run(1, 1, story)


def test_who_asks_for_long_thoughts_gets_fewer_of_them():
    """Sixty tables whose agents think for five seconds, and one whose agents think for a fifth of
    one."""

    async def story(turns):
        asked = Asked(turns)
        for number in range(60):
            asked.many(number, 3, 5.0)
        await settle()
        asked.many("short", 20, 0.2)
        for _ in range(80):
            turns.leave(long=True)
            await settle()
        assert asked.begun.count("short") >= 18
        assert all(asked.begun.count(number) >= 1 for number in range(60))

    run(1, 1, story)


def test_what_is_short_never_waits_for_what_is_long():
    async def story(turns):
        asked = Asked(turns)
        asked.many("searching", 50)
        await settle()
        assert len(asked.begun) == 2
        asked.many("scripted", 1, long=False)
        await settle()
        assert asked.begun[-1] == "scripted"
        turns.leave(long=False)
        await settle()
        assert len(asked.begun) == 3  # the place is kept for what is short

    run(3, 2, story)


def test_who_is_gone_takes_no_place():
    """A client that leaves gives up its place, both while it waits and in the moment in which it is
    called."""

    async def story(turns):
        asked = Asked(turns)
        asked.many("first", 1)
        asked.many("gone", 2)
        await settle()
        asked.tasks[1].cancel()
        await settle()
        turns.leave(long=True)
        asked.tasks[2].cancel()  # it was called, and does not know yet
        await settle()
        asked.many("last", 1)
        await settle()
        assert asked.begun == ["first", "last"]

    run(1, 1, story)


def test_too_many_are_refused_in_words():
    async def story(turns):
        asked = Asked(turns)
        asked.many("one", 3)
        await settle()
        with pytest.raises(TableError, match="2 others wait already"):
            await turns.wait("other", 1.0, True)

    run(1, 1, story, waiting=2)


# ---------------------------------------------------------------- places


@dataclass(eq=False)
class Visitor(Guest):
    since: float | None


def test_nobody_is_locked_out_by_those_who_do_nothing():
    """Half of the places are for one address at most, and the client that has waited for the
    longest time makes room."""
    left = []
    places = Places(4, "visitors", lambda guest: guest.since)

    def visitor(address, since):
        guest = Visitor(address, lambda: left.append(guest), since)
        places.enter(guest)
        return guest

    idle = [visitor("attacker", number) for number in (2.0, 1.0)]
    visitor("attacker", 3.0)
    assert left == [idle[1]]
    busy = [visitor("friend", None), visitor("friend", None)]
    with pytest.raises(TableError, match="one address has at most 2 visitors"):
        visitor("friend", None)
    visitor("third", None)
    assert left == [idle[1], idle[0]]
    assert len(places) == 4
    for guest in busy:
        places.leave(guest)
        places.leave(guest)  # twice is once
    assert len(places) == 2
    visitor("friend", None)


def test_who_is_busy_makes_no_room():
    places = Places(2, "visitors", lambda guest: None)
    for address in ("one", "two"):
        places.enter(Guest(address, pytest.fail))
    with pytest.raises(TableError, match="2 visitors are here"):
        places.enter(Guest("three", pytest.fail))
