"""Processes that think: limits of time, ends of processes, agents that fail."""

import asyncio
import os
import signal
from dataclasses import replace

import pytest

from dig_envs.server.bounds import TableError
from dig_envs.server.table import HUMAN
from dig_envs.server.thinking import Decision, Preparation, Thought
from dig_envs.server.workers import Workers
from tests.server.tables import BOUNDS, guest_of, played, position_of, room_of, table_of

NAME = "go_dig_v0"


def thought_of(agent, name=NAME, moves=3):
    table = played(table_of(name), moves)
    seat = table.owing()[0]
    return Thought(name, agent, table.world(seat).tobytes(), seat), table.legal(seat)


def ignore(share):
    """Progress that nobody looks at."""


def test_thinking():
    """Decisions are legal; a search tells how far it is; a process that is ended or takes too long is replaced, and says so; what
    an agent cannot do is an error in words."""

    async def all_of_it():
        workers = Workers(replace(BOUNDS, think_seconds=4.0, queue=2))
        try:
            await workers.prepare(Preparation(NAME, 2, ("heuristic", "random"), True))
            for agent in ("heuristic", "random", "search:300ms"):
                thought, legal = thought_of(agent)
                shares = []
                decision = await workers.think(thought, shares.append)
                assert decision.action in legal
                assert bool(shares) == agent.startswith("search")
                assert shares == sorted(shares)
                assert all(0 <= share <= 1 for share in shares)
            assert decision.simulations > 0
            assert sum(visits for _, visits, _ in decision.visits) > 0

            with pytest.raises(ValueError, match="no agent"):
                await workers.think(thought_of("nobody")[0], ignore)

            (pid,) = workers.pids()
            slow = asyncio.create_task(workers.think(thought_of("search:60000ms")[0], ignore))
            with pytest.raises(TableError, match="no answer within 4 seconds"):
                await slow
            thought, legal = thought_of("heuristic")
            workers._bounds = replace(BOUNDS, think_seconds=60.0, queue=2)  # a new process takes a while on a busy machine
            assert (await workers.think(thought, ignore)).action in legal
            (other,) = workers.pids()
            assert other != pid

            began = asyncio.Event()
            dying = asyncio.create_task(workers.think(thought_of("search:60000ms")[0], lambda share: began.set()))
            waiting = [asyncio.create_task(workers.think(thought, ignore)) for _ in range(2)]
            await began.wait()
            with pytest.raises(TableError, match="others wait"):
                await workers.think(thought, ignore)
            os.kill(other, signal.SIGKILL)
            with pytest.raises(TableError, match="ended"):
                await dying
            assert all(decision.action in legal for decision in await asyncio.gather(*waiting))
        finally:
            await asyncio.to_thread(workers.close)
        assert workers.pids() == []

    asyncio.run(all_of_it())


def test_an_agent_that_remembers():
    async def game():
        workers = Workers(BOUNDS)
        try:
            table = table_of("fossil_memory_v0", [HUMAN, "fossil_memory/memory"])
            for _ in range(12):
                (seat,) = table.owing()
                if seat == 0:
                    table.act(0, table.legal(0)[0])
                    continue
                thought = Thought("fossil_memory_v0", table.players[1], table.world(1).tobytes(), 1, table.memory(1))
                decision = await workers.think(thought, ignore)
                assert decision.memory != table.memory(1)
                table.act(1, decision.action, decision.memory)
                assert table.memory(1) == decision.memory
        finally:
            await asyncio.to_thread(workers.close)

    pytest.importorskip("onnxruntime")
    asyncio.run(game())


class Failing:
    """Workers whose agents fail so many times, and then play what is legal."""

    def __init__(self, failures, error, table):
        self.failures, self.error, self.table = failures, error, table

    async def think(self, thought, progress):
        if self.failures:
            self.failures -= 1
            raise self.error
        return Decision(self.table.legal(thought.seat)[0])


@pytest.mark.parametrize(
    "error", [TableError("too-slow", "no answer within 4 seconds"), ValueError("cannot"), RuntimeError("broken")]
)
def test_an_agent_that_fails_is_reported_and_asked_again(error):
    async def game():
        table = table_of(NAME, ["random", HUMAN])
        while table.asked != [0]:
            table.act(1, table.legal(1)[0])
        room = room_of(table, workers=Failing(1, error, table))
        room.delay = 0
        guest = guest_of(room, 1)
        room._let_agents_play()
        moves = len(table.moves)
        while not room._trouble:
            await asyncio.sleep(0)
        assert str(error) in position_of(room, guest)["trouble"]
        assert "player_0 (random)" in room._trouble
        assert len(table.moves) == moves
        await room.handle(guest, {"type": "again"})
        while len(table.moves) == moves:
            await asyncio.sleep(0)
        assert not position_of(room, guest)["trouble"]
        await room.close()

    asyncio.run(game())


def test_what_was_thought_before_a_move_was_taken_back_counts_no_more():
    class Slow:
        """Workers that answer when told to."""

        def __init__(self):
            self.go, self.asked = asyncio.Event(), 0

        async def think(self, thought, progress):
            self.asked += 1
            await self.go.wait()
            return Decision(10**6)  # would be refused

    async def game():
        table = table_of(NAME, ["random", HUMAN])
        while table.asked != [1]:
            table.act(0, table.legal(0)[0])
        workers = Slow()
        room = room_of(table, workers=workers)
        room.delay = 0
        guest = guest_of(room, 1)
        while table.asked == [1]:
            await room.handle(guest, {"type": "act", "action": table.legal(1)[0], "at": table.version(1)})
        while not workers.asked:
            await asyncio.sleep(0)
        await room.handle(guest, {"type": "back"})
        assert table.asked == [1]
        workers.go.set()
        while room._agents is not None and not room._agents.done():
            await asyncio.sleep(0)
        assert not room._trouble
        assert table.asked == [1]

    asyncio.run(game())
