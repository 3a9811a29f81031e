"""Processes that think: limits of time, ends of processes, agents that fail."""

import asyncio
import os
import signal
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from dig_envs.engine.core.errors import ForfeitError, IllegalActionError
from dig_envs.registry import load_game
from dig_envs.server.bounds import TableError
from dig_envs.server.table.table import HUMAN
from dig_envs.server.thinking import Advise, Decision, Prepare, Think
from dig_envs.server.workers import Worker, Workers
from tests.policies import shipped
from tests.server.tables import (
    BOUNDS,
    connected,
    played,
    position_of,
    session_of,
    table_of,
    until_decides,
)

NAME = "go_dig_v0"
LONG = "search:60000ms"


def task_of(agent):
    """A decision in the middle of a game, and its legal actions."""
    table = played(table_of(NAME), 3)
    seat = table.to_act()[0]
    return Think(table.game, agent, table.world(seat).tobytes(), seat), table.legal(seat)


@asynccontextmanager
async def working(bounds=BOUNDS):
    """Workers, which are ended afterwards."""
    workers = Workers(bounds, bounds.workers, bounds.workers)
    try:
        yield workers
    finally:
        await asyncio.to_thread(workers.close)
    assert workers.pids() == []


def test_thinking():
    """Decisions are legal; a process that is ended or takes too long
    is replaced, and says so; what an agent cannot do is an error in words."""

    async def all_of_it():
        async with working(replace(BOUNDS, queue=2)) as workers:
            await workers.prepare(
                Prepare(load_game(NAME), 2, ("heuristic", "random"), True, advice=True)
            )
            for agent in ("heuristic", "random", "search:300ms"):
                task, legal = task_of(agent)
                assert (await workers.think(task)).action in legal
                found = await workers.advise(Advise(task, 3))
                assert {one.action for one in found} <= set(legal)

            with pytest.raises(ValueError, match="no agent"):
                await workers.think(task_of("nobody")[0])

            (pid,) = workers.pids()
            usual, workers._bounds = workers._bounds, replace(workers._bounds, think_seconds=0.5)
            with pytest.raises(TableError, match=r"no answer within 0.5 seconds"):
                await workers.think(task_of(LONG)[0])
            # a new process takes a while on a busy machine
            workers._bounds = replace(usual, think_seconds=60.0)
            task, legal = task_of("heuristic")
            assert (await workers.think(task)).action in legal
            (other,) = workers.pids()
            assert other != pid

            dying = asyncio.create_task(workers.advise(Advise(task_of(LONG)[0], 1)))
            waiting = [asyncio.create_task(workers.think(task)) for _ in range(2)]
            await asyncio.sleep(0.3)  # it searches, and they wait
            with pytest.raises(TableError, match="others wait"):
                await workers.think(task)
            os.kill(other, signal.SIGKILL)
            with pytest.raises(TableError, match="ended"):
                await dying
            assert all(decision.action in legal for decision in await asyncio.gather(*waiting))

    asyncio.run(all_of_it())


def test_an_agent_that_remembers():
    async def game():
        async with working() as workers:
            table = table_of("fossil_memory_v0", [HUMAN, "fossil_memory/memory"])
            for _ in range(12):
                (seat,) = table.to_act()
                if seat == 0:
                    table.act(0, table.legal(0)[0])
                    continue
                task = Think(
                    table.game, table.players[1], table.world(1).tobytes(), 1, table.memory(1)
                )
                decision = await workers.think(task)
                assert decision.memory != table.memory(1)
                table.act(1, decision.action, decision.memory)
                assert table.memory(1) == decision.memory

    shipped("fossil_memory/memory")
    asyncio.run(game())


class Scripted:
    """Workers whose answers are given one after the other: errors, or actions (None: a legal one)
    when they may."""

    def __init__(self, table, *answers):
        self.table, self.answers, self.asked, self.tasks = table, list(answers), 0, []
        self.go = asyncio.Event()

    async def think(self, task, client=None, seconds=0.0):
        self.asked += 1
        self.tasks.append(task)
        await self.go.wait()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Decision(self.table.legal(task.seat)[0] if answer is None else answer)


class Failing(Scripted):
    """Workers that find a legal action for all agents but one."""

    def __init__(self, table, agent, error):
        super().__init__(table)
        self.agent, self.error = agent, error

    async def think(self, task, client=None, seconds=0.0):
        self.answers.append(self.error if task.agent == self.agent else None)
        return await super().think(task, client, seconds)


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    "error",
    [
        TableError("too-slow", "no answer within 4 seconds"),
        ForfeitError("model, Player 1, gave no legal action", "ask +1 TRI"),
        IllegalActionError("'ask +1 TRI' is not legal"),
        RuntimeError("broken"),
    ],
)
def test_an_agent_that_fails_is_asked_again_and_then_replaced(error, caplog):
    """The scripted player stands in for an agent that fails twice, and the page says so; only where
    that fails, too, the game waits."""

    async def game():
        table = until_decides(table_of(NAME, ["random", HUMAN]), 0)
        workers = Scripted(table, *[error] * 2, None, *[error] * 3, None)
        workers.go.set()
        session = session_of(table, workers)
        session.delay = 0
        connection = connected(session, 1)
        moves = len(table.moves)
        session._let_agents_play()
        await until(lambda: len(table.moves) > moves)
        shown = position_of(session, connection)
        # what an agent has tried may be its hand
        public = isinstance(error, TableError | ForfeitError)
        assert (str(error) if public else "the server's log says why") in shown["trouble"]
        assert shown["trouble"].startswith("Player 1 (random) could not move")
        assert shown["trouble"].endswith("The scripted player moves in its place")
        assert not shown["stuck"]
        assert [task.agent for task in workers.tasks[:3]] == ["random", "random", "heuristic"]
        assert "TRI" not in shown["trouble"]
        assert public or str(error) in caplog.text
        while table.deciding != [0]:
            table.act(1, table.legal(1)[0])
        moves = len(table.moves)
        session._let_agents_play()
        await until(lambda: session._stuck)
        assert len(table.moves) == moves
        assert position_of(session, connection)["stuck"]
        await session.handle(connection, {"type": "again"})
        await until(lambda: len(table.moves) > moves)
        assert not position_of(session, connection)["trouble"]
        await session.close()

    asyncio.run(game())


def test_an_agent_that_fails_again_and_again_is_asked_no_more():
    """What others do does not hide that it failed; taking a move back has it asked again."""

    async def game():
        table = table_of("oak_island_v1", ["random", HUMAN, "greedy"])
        assert table.deciding == [0]
        workers = Failing(table, "random", TableError("too-slow", "no answer within 4 seconds"))
        workers.go.set()
        session = session_of(table, workers)
        session.delay = 0
        connection = connected(session, 1)

        async def notice_of_round():
            session._let_agents_play()
            await until(lambda: table.deciding == [1])
            told = position_of(session, connection)["trouble"]
            table.act(1, table.legal(1)[0])
            return told, [task.agent for task in workers.tasks].count("random")

        told, asked = zip(*[await notice_of_round() for _ in range(3)], strict=True)
        assert asked == (2, 4, 4)
        assert "greedy" in {task.agent for task in workers.tasks}
        assert all(one.startswith("Player 1 (random) could not move") for one in told)
        assert [one.endswith("in its place from now on") for one in told] == [False, True, True]
        session._start_over()
        assert not position_of(session, connection)["trouble"]
        assert (await notice_of_round())[1] == 6
        await session.close()

    asyncio.run(game())


def test_what_was_thought_before_a_move_was_taken_back_counts_no_more():
    async def game():
        table = until_decides(table_of(NAME, ["random", HUMAN]), 1)
        workers = Scripted(table, 10**6)  # which would be refused
        session = session_of(table, workers)
        session.delay = 0
        connection = connected(session, 1)
        while table.deciding == [1]:
            await session.handle(
                connection, {"type": "act", "action": table.legal(1)[0], "at": table.version(1)}
            )
        await until(lambda: workers.asked)
        await session.handle(connection, {"type": "back"})
        assert table.deciding == [1]
        workers.go.set()
        await until(session._agents.done)
        assert not session._trouble
        assert table.deciding == [1]

    asyncio.run(game())


def test_a_worker_of_a_server_that_ends_says_so():
    """Rather than that it took too long."""
    worker = Worker(0)
    ending = threading.Timer(0.1, setattr, (worker, "closed", True))
    ending.start()
    with pytest.raises(TableError, match="the server was told to end"):
        worker.ask(task_of(LONG)[0], 600.0)
    ending.join()
    assert worker.pid is None
