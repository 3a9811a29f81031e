"""The live session of a table: who is connected, who is told what and when, what they ask for, and
the agents' moves."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from dig_envs.agents.best import adviser
from dig_envs.agents.names import searches
from dig_envs.agents.standing_in import FAILURES, STAND_IN, Attempt, Replacements
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ForfeitError
from dig_envs.engine.core.texts import message_text
from dig_envs.engine.core.words import Viewer
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.protocol.choosing import without_game
from dig_envs.server.protocol.methods import params_of
from dig_envs.server.protocol.positions import choice
from dig_envs.server.table.connection import Connection, check_layout, check_theme, checked
from dig_envs.server.table.messages import (
    Message,
    advice_message,
    analysis_message,
    log_messages,
    mistakes_message,
    replay_message,
    sight_message,
    standing_message,
)
from dig_envs.server.table.players import seconds_of
from dig_envs.server.table.store import Store
from dig_envs.server.table.table import HUMAN, NOT_BACK, Line, Table
from dig_envs.server.thinking import (
    Advise,
    Decision,
    Draw,
    Drawing,
    Look,
    LookBack,
    Prepare,
    Think,
    draw,
)
from dig_envs.server.workers import Workers

SEARCH_MS = 1000  # of a search that looks back, unless asked otherwise
MOVES_OF_HINT = 3
NOTHING = -1  # of the log is what a connection has that is to be told all of it
PAUSE = 1.0  # seconds for which who sends too much is not listened to
ADVICE, REPLAY = "advice", "replay"  # kinds of what takes time
DELAY = 1.0  # seconds between moves of agents, unless asked otherwise
BREATH = 0.1  # seconds between the replays of a table, however fast they are asked for
# what people can say to each other, at most once in so many seconds
PHRASES = ("Hello!", "Good luck!", "Well played!", "Oops!", "One moment, please.", "Thank you!")
SAY_SECONDS = 2.0
log = logging.getLogger(__name__)


class TableSession:
    """A table with its connections and its agents.

    Args:
        game_id: of the game in the store. table: the game. store: where it is kept. workers:
            processes that think for agents.
        artists: processes that draw. bounds: limits. open_again: opens a table for a rematch of a
            table; returns its game in the store and the secrets of its seats. waiting: whether the
            game begins only when somebody says so.
    """

    def __init__(
        self,
        game_id: str,
        table: Table,
        store: Store,
        workers: Workers,
        artists: Workers,
        bounds: Bounds,
        open_again: Callable[[Table], Awaitable[tuple[str, Mapping[Viewer, str]]]] | None = None,
        waiting: bool = False,
    ) -> None:
        self.game_id, self.table = game_id, table
        self._store, self._workers, self._artists, self.bounds = store, workers, artists, bounds
        self.waiting = waiting
        self.connections: set[Connection] = set()
        self.delay = DELAY
        self.paused = not table.people  # a game that is only watched begins when asked
        self._steps = 0  # moves of agents that were asked for one by one
        self._go = asyncio.Event()
        self._agents: asyncio.Task[None] | None = None
        self._epoch = 0  # changes when moves are taken back: what was thought before counts no more
        self._thinking: Message | None = None
        # what failed last of each seat's agent, and whether nobody could move
        self._trouble: dict[int, str] = {}
        self._stuck = False
        self._replaced = Replacements()  # of agents that failed
        self._hurry = False  # agents move without pauses until a person is to decide
        self._open_again = open_again
        # the next game, and the secrets of its seats
        self._rematch: tuple[str, Mapping[Viewer, str]] | None = None
        # when the last connection of a seat has ended, and when it has said something
        self._left: dict[int, float] = {}
        self._said: dict[int, float] = {}
        self._replaying = asyncio.Lock()  # one replay at a time, whoever asks
        self._once = asyncio.Lock()  # for what is found once for all connections

    # ------------------------------------------------------------ coming and going

    def join(self, connection: Connection) -> None:
        """Add a connection; raises TableError if there are too many at this table."""
        if len(self.connections) >= self.bounds.per_table:
            raise TableError(
                "full", f"{self.bounds.per_table} connections to this table are open; close some"
            )
        self.connections.add(connection)
        connection.wake.set()
        self._tell_rematch(connection)
        self._tell_people()
        self._let_agents_play()

    def leave(self, connection: Connection) -> None:
        self.connections.discard(connection)
        connection.end()
        if connection.seat is not None:
            self._left[connection.seat] = time.monotonic()
        self._tell_people()

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing goes on."""
        return not self.connections and (self._agents is None or self._agents.done())

    async def close(self) -> None:
        if self._agents is not None:
            self._agents.cancel()
            await asyncio.gather(self._agents, return_exceptions=True)

    # ------------------------------------------------------------ what connections are told

    async def due(self, connection: Connection) -> list[Message]:
        due: list[Message] = []
        lines = self.table.count_told(connection.viewer)
        if connection.told != lines:  # before the position, which so shows all that is told
            due += log_messages(self.table, connection.viewer, max(0, min(connection.told, lines)))
            connection.told = lines
        if connection.stale:
            asked = connection.asked
            connection.stale = connection.asked = False
            due.append(await self._position(connection, asked))
        while connection.messages:
            due.append(connection.messages.popleft())
        return due

    async def _position(self, connection: Connection, asked: bool = False) -> Message:
        """Everything that a connection may see now; by the time that it is drawn there may be a
        newer position. ``asked``: as in :meth:`Connection.tell_position`."""
        table, seat = self.table, connection.seat
        back = False if seat is None else await self._may_take_back(seat)
        async with self._once:
            if table.over and not table.is_scored:
                await asyncio.to_thread(table.scoring)
        deciding = [] if self.waiting else table.deciding
        legal = [] if seat is None or self.waiting else table.legal(seat)
        message = standing_message(table, seat, back) | {
            "game": self.game_id,
            "waiting": self.waiting,
            "pace": {"delay": self.delay, "paused": self.paused}
            if self._may_pace(connection)
            else None,
            "paused": self.paused and self._agent_is_asked(),
            "may_open": seat is None and not table.people,
            "open": connection.open,
            "thinking": self._thinking,
            "trouble": ". ".join(self._trouble.values()),
            "stuck": self._stuck,
        }
        state = table.sight(connection.viewer).tobytes()
        task = Draw(
            table.game,
            state,
            seat,
            connection.theme,
            tuple(legal),
            table.names,
            connection.open,
            connection.layout,
        )
        drawing = await self._drawn(task, connection.address if asked else self.game_id, asked)
        found = zip(legal, drawing.labels, drawing.things, drawing.warnings, strict=True)
        choices = [
            choice(
                table.game, seat or 0, table.num_seats, action, label, things, table.names, warning
            )
            for action, label, things, warning in found
        ]
        # of a seat without pictures, such as a program's
        view = {} if seat is None or connection.theme else {"view": drawing.view}
        return message | sight_message(table, seat, deciding, drawing) | {"legal": choices} | view

    async def _drawn(self, task: Draw, client: Hashable, again: bool = False) -> Drawing:
        """The drawing of a position. If no picture can be drawn, the game goes on without it, and
        nothing can be clicked."""
        try:
            return await self._artists.draw(task, client, again)
        except FAILURES:
            return await asyncio.to_thread(draw, replace(task, theme=""))

    async def _may_take_back(self, seat: int) -> bool:
        """Whether a seat may take back its last action; whether that has shown it something is
        found out elsewhere."""
        while not isinstance(question := self.table.asked_of_last(seat), bool):
            before, _, action = question
            with contextlib.suppress(*FAILURES):
                shows = await self._artists.look(
                    Look(self.table.game, before.tobytes(), seat, action), self.game_id
                )
                self.table.answer_of_last(question, shows)
                continue
            return False
        return question

    def _changed(self, seat: int | None = None, asked: bool = False) -> None:
        """Tell the position, which has changed: to all, or to one seat. ``asked``: as in
        :meth:`Connection.tell_position`."""
        for connection in self.connections:
            if seat is None or connection.seat == seat:
                connection.tell_position(asked)

    def _tell_thinking(self, thinking: Message | None) -> None:
        """Tell everybody which agent is thinking; None: none any more."""
        self._thinking = thinking
        for connection in self.connections:
            connection.tell({"type": "thinking", "thinking": thinking})

    # ------------------------------------------------------------ what connections ask for

    async def handle(self, connection: Connection, message: Any) -> None:
        """Do what a connection asks, or tell it why not; what takes time goes on afterwards.

        Who sends too much is not listened to for a while. ``message``: instead of one, what was
        wrong with it.
        """
        if not connection.rate.allows():
            most = self.bounds.messages_per_second
            connection.refuse(TableError("too-many", f"at most {most:g} messages per second"))
            await asyncio.sleep(PAUSE)
            return
        await self._attempt(connection, self._answer(connection, message))

    async def _attempt(self, connection: Connection, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except FAILURES as error:
            connection.refuse(error)

    async def _answer(self, connection: Connection, message: Any) -> None:
        if isinstance(message, TableError):
            raise message
        kind = message.pop("type", None) if isinstance(message, dict) else None
        if not isinstance(kind, str) or kind not in KINDS:
            raise TableError("bad-request", f"a message has a type, one of {', '.join(KINDS)}")
        given = checked(message, PARAMS[kind], kind)
        result = KINDS[kind](self, connection, **msgspec.structs.asdict(given))
        if result is not None:
            await result

    def _own_seat(self, connection: Connection) -> int:
        if connection.seat is None:
            raise TableError("no-seat", "you watch: this link has no seat in the game")
        return connection.seat

    def _act(self, connection: Connection, action: int, at: str) -> None:
        seat = self._own_seat(connection)
        self._require_begun()
        if at != self.table.version(seat):
            connection.tell_position(asked=True)
            raise TableError("changed", "the position has changed meanwhile; look again")
        self._hurry = False
        self._played(seat, self.table.act(seat, action))

    def _require_begun(self) -> None:
        if self.waiting:
            raise TableError("waiting", "the game has not begun: anybody here can start it")

    def _begin(self, connection: Connection) -> None:
        """Let the game begin, which anybody at the table decides."""
        if self.waiting:
            self._store.begin(self.game_id)
            self.waiting = False
            self._changed()
            self._let_agents_play()

    def _played(self, seat: int, added: list[Line]) -> None:
        """Keep the move of a seat, tell it, and go on. A choice that others do not see yet adds no
        line to the log."""
        try:
            self._store.append(self.game_id, self.table, added)
        except TableError:
            self.table.drop_last()  # nobody has heard of it
            self._start_over()
            raise
        self._changed(None if added else seat)
        self._let_agents_play()

    def _start_over(self) -> None:
        """Tell everybody all of the log and the position: moves were taken back, and what was
        thought before counts no more."""
        self._epoch += 1
        self._replaced.clear()
        if not self._stuck:
            self._trouble.clear()
        for connection in self.connections:
            connection.told = NOTHING
        self._changed()

    async def _back(self, connection: Connection) -> None:
        seat = self._own_seat(connection)
        if not await self._may_take_back(seat):
            raise TableError("not-back", NOT_BACK)
        before = self.table.taken_back
        dropped = self.table.take_back(seat)
        try:
            self._store.rewrite(self.game_id, self.table, dropped.place, dropped.line)
        except TableError:
            self.table.restore(dropped)
            self._start_over()
            raise
        if self.table.taken_back == before:  # a choice that nobody else knows of
            self._changed(seat)
        else:
            self._start_over()
        self._let_agents_play()

    def _hint(self, connection: Connection) -> None:
        """Begin to find the best actions of the own decision, once at a time."""
        self._require_decision(connection)
        if connection.works_on(ADVICE):
            raise TableError("busy", "one thing at a time: the last answer is not there yet")
        connection.begin(ADVICE, self._attempt(connection, self._find(connection)))

    def _check_ms(self, ms: int) -> None:
        if not 1 <= ms <= self.bounds.think_ms:
            raise TableError(
                "bad-request", f"ms is from 1 to {self.bounds.think_ms}, not {shown_in_message(ms)}"
            )

    def _require_decision(self, connection: Connection) -> int:
        seat = self._own_seat(connection)
        self._require_begun()
        if not self.table.is_to_act(seat):
            raise TableError("not-your-turn", "you have nothing to decide now")
        return seat

    async def _find(self, connection: Connection) -> None:
        seat, (first, _) = self._require_decision(connection), self.table.course()
        others = [player for number, player in enumerate(self.table.players) if number != seat]
        agent = adviser(self.table.game, self.table.game.options_of(first), others)
        prepare = Prepare(self.table.game, self.table.num_seats, (), searches(agent), advice=True)
        await self._workers.prepare(prepare)
        seat = self._require_decision(connection)
        version = self.table.version(seat)
        think = Think(self.table.game, agent, self.table.world(seat).tobytes(), seat)
        first, moves = self.table.course()
        task = Advise(think, MOVES_OF_HINT, self.table.names, first=first.tobytes(), moves=moves)
        found = await self._workers.advise(task, self.game_id, seconds_of(agent))
        listed = without_game(agent, self.table.game)
        connection.tell(advice_message(version, listed, found))

    def _may_pace(self, connection: Connection) -> bool:
        """Whether a connection may say how fast agents move: who opened the table, and who plays
        alone."""
        agents = any(player != HUMAN for player in self.table.players)
        return agents and (connection.seat is None or self.table.people == (connection.seat,))

    def _require_pace(self, connection: Connection) -> None:
        if not self._may_pace(connection):
            raise TableError(
                "not-yours", "only the person who opened the table sets how fast agents move"
            )

    def _pace(
        self, connection: Connection, delay: float | None = None, paused: bool | None = None
    ) -> None:
        self._require_pace(connection)
        delay = self.delay if delay is None else delay
        if not 0 <= delay <= self.bounds.delay_seconds:
            raise TableError(
                "bad-request",
                f"delay is from 0 to {self.bounds.delay_seconds:g} seconds, not {delay:g}",
            )
        self.delay, self.paused = delay, self.paused if paused is None else paused
        self._steps, self._hurry = 0, False
        self._go.set()
        self._changed(asked=True)
        self._let_agents_play()

    def _step(self, connection: Connection) -> None:
        """One move of an agent while they are paused."""
        self._require_pace(connection)
        self._steps = 1
        self._go.set()
        self._let_agents_play()

    def _skip(self, connection: Connection) -> None:
        """Let agents move without pauses until a person is to decide."""
        self._require_pace(connection)
        self._hurry = True
        self._go.set()
        self._let_agents_play()

    def _again(self, connection: Connection) -> None:
        """Try once more what an agent failed to do."""
        if self._stuck:
            self._stuck = False
            self._trouble.clear()
            self._replaced.clear()
            self._changed()
            self._let_agents_play()

    def _save(self, connection: Connection, tokens: Sequence[str] = ()) -> None:
        """Send the complete position to who has all seats, or once the game is over; otherwise what
        the connection sees."""
        complete = self.table.over or self._has_all_seats(connection, tokens)
        position = self.table.snapshot() if complete else self.table.view(connection.seat)
        connection.tell(
            {
                "type": "saved",
                "complete": complete,
                "name": self.table.game.env_name,
                "position": position,
            }
        )

    def _has_all_seats(self, connection: Connection, tokens: Sequence[str]) -> bool:
        """Whether a connection can show the secrets of all seats that people have."""
        if len(tokens) > self.table.num_seats:
            raise TableError(
                "bad-request", f"tokens is a list of at most {self.table.num_seats} secrets"
            )
        places = [self._store.find(token) for token in tokens]
        return set(self.table.people) <= {
            connection.seat,
            *(place.seat for place in places if place.game == self.game_id),
        }

    def _replay(
        self, connection: Connection, moves: int, seat: int | None = None, open: bool = False
    ) -> None:
        if seat is not None and not 0 <= seat < self.table.num_seats:
            raise TableError(
                "bad-request",
                f"seat is from 0 to {self.table.num_seats - 1} or null, not "
                f"{shown_in_message(seat)}",
            )
        self.table.replay(moves, seat)
        connection.wanted = moves, None if open else seat, open
        if not connection.works_on(REPLAY):
            connection.begin(REPLAY, self._attempt(connection, self._show_again(connection)))

    async def _show_again(self, connection: Connection) -> None:
        """Send what was asked for last; what was asked for before it, while another picture was
        drawn or was not sent yet, nobody waits for."""
        while connection.wanted is not None:
            async with self._replaying:
                (moves, seat, is_open), connection.wanted = connection.wanted, None
                again = await self._artists.replay(
                    self.table.replay(moves, seat), connection.address
                )
                task = Draw(
                    self.table.game,
                    again.state,
                    seat,
                    connection.theme,
                    names=self.table.names,
                    open=is_open,
                    layout=connection.layout,
                )
                drawing = await self._drawn(task, connection.address, again=True)
                number = len(self.table.moves)
                connection.tell(replay_message(seat, drawing, moves, number, again.done))
                await asyncio.sleep(BREATH)
            await connection.until_sent()

    def _analyse(self, connection: Connection, moves: int, ms: int = SEARCH_MS) -> None:
        """Tell what a search would have done in the place of who moved after so many moves of a
        finished game."""
        self._check_ms(ms)
        self.table.replay(moves, None)
        if moves == len(self.table.moves):
            raise TableError("bad-request", f"the game had {moves} moves")
        if connection.works_on(ADVICE):
            raise TableError("busy", "one thing at a time: the last answer is not there yet")
        connection.begin(ADVICE, self._attempt(connection, self._look_back(connection, moves, ms)))

    async def _look_back(self, connection: Connection, moves: int, ms: int) -> None:
        game, move = self.table.game, self.table.moves[moves]
        await self._workers.prepare(Prepare(game, self.table.num_seats, (), True, advice=True))
        again = await self._artists.replay(self.table.replay(moves, move.seat), connection.address)
        think = Think(game, f"search:{ms}ms", again.state, move.seat)
        found = await self._workers.advise(
            Advise(think, 1, self.table.names, also=move.action), connection.address, ms / 1000
        )
        connection.tell(analysis_message(moves, move, found))

    def _mistakes(self, connection: Connection) -> None:
        """Tell the own largest mistakes in a finished game."""
        seat = self._own_seat(connection)
        task = self.table.look_back(seat)
        if connection.works_on(ADVICE):
            raise TableError("busy", "one thing at a time: the last answer is not there yet")
        connection.begin(ADVICE, self._attempt(connection, self._find_mistakes(connection, task)))

    async def _find_mistakes(self, connection: Connection, task: LookBack) -> None:
        found = await self._workers.look_back(task, connection.address)
        connection.tell(mistakes_message(self.table, task.seat, found))

    # ------------------------------------------------------------ people

    def _name(self, connection: Connection, name: str) -> None:
        """Give the own seat a name, which all see."""
        seat = self._own_seat(connection)
        try:
            self.table.rename(seat, name)
        except (TypeError, ValueError) as error:
            raise TableError("bad-request", str(error)) from None
        self._store.rename(self.game_id, self.table)
        self._changed(asked=True)

    def _tell_people(self) -> None:
        """Tell all which people are away, for how many seconds where that is known, and what can be
        said."""
        if len(self.table.people) < 2:
            return
        here, now = {connection.seat for connection in self.connections}, time.monotonic()
        away = [
            {"seat": seat, "seconds": now - self._left[seat] if seat in self._left else None}
            for seat in self.table.people
            if seat not in here
        ]
        for connection in self.connections:
            connection.tell({"type": "people", "away": away, "phrases": PHRASES})

    def _say(self, connection: Connection, phrase: int) -> None:
        """Say one of :data:`PHRASES` to all."""
        seat, now = self._own_seat(connection), time.monotonic()
        if not 0 <= phrase < len(PHRASES):
            raise TableError(
                "bad-request",
                f"phrase is from 0 to {len(PHRASES) - 1}, not {shown_in_message(phrase)}",
            )
        if now < self._said.get(seat, -SAY_SECONDS) + SAY_SECONDS:
            raise TableError("too-many", f"a seat says something every {SAY_SECONDS:g} seconds")
        self._said[seat] = now
        for one in self.connections:
            one.tell({"type": "said", "seat": seat, "words": PHRASES[phrase]})

    def _open(self, connection: Connection, open: bool) -> None:
        """Show all hands to who watches, or no more, where no person plays."""
        if connection.seat is not None or self.table.people:
            raise TableError(
                "not-yours",
                "all hands can be seen where agents play alone, and when the game is over",
            )
        connection.open = open
        connection.told = NOTHING
        connection.tell_position(asked=True)

    async def _play_again(self, connection: Connection) -> None:
        """Open a table for a rematch, seats changed by one, and tell all where they sit; the second
        request finds the same one."""
        if not self.table.over or self._open_again is None:
            raise TableError("not-over", "there is a rematch when the game is over")
        if connection.seat is None and self.table.people:
            raise TableError(
                "no-seat", "you watch: only people who have played can ask for a rematch"
            )
        async with self._once:
            if self._rematch is None:
                self._rematch = await self._open_again(self.table)
        for one in self.connections:
            self._tell_rematch(one, asked=one is connection)

    def _tell_rematch(self, connection: Connection, asked: bool = False) -> None:
        """Tell a connection the secret of its seat in the rematch, if there is one."""
        if self._rematch is None:
            return
        game_id, tokens = self._rematch
        seat = None if connection.seat is None else (connection.seat + 1) % self.table.num_seats
        links = [{"seat": seat, "token": tokens[seat]}]
        if self.table.people == (connection.seat,):
            links.append({"seat": None, "token": tokens[None]})
        connection.tell(
            {
                "type": "rematch",
                "game": game_id,
                "title": self.table.game.title,
                "asked": asked,
                "links": links,
            }
        )

    def _theme(self, connection: Connection, theme: str, layout: str | None = None) -> None:
        look = check_theme(theme), check_layout(connection.layout if layout is None else layout)
        connection.theme, connection.layout = look
        connection.tell_position(asked=True)

    # ------------------------------------------------------------ agents

    def _let_agents_play(self) -> None:
        """See that agents who are to act think about it."""
        if (self._agents is None or self._agents.done()) and self._agent_to_move() is not None:
            self._agents = asyncio.create_task(self._play_agents())

    def _agent_is_asked(self) -> bool:
        """Whether an agent is to decide: nobody may know of decisions that are made together
        whether it has."""
        return any(self.table.players[seat] != HUMAN for seat in self.table.deciding)

    def _agent_to_move(self) -> int | None:
        """The next seat of an agent that is to act, unless agents are to wait."""
        if self.waiting or self._stuck or (not self.table.people and not self.connections):
            return None
        if self.paused and not self._steps:
            return None
        return next(
            (seat for seat in self.table.to_act() if self.table.players[seat] != HUMAN), None
        )

    async def _play_agents(self) -> None:
        """Let agents move one after the other, until none is to act or nobody can move for one.

        Where an agent fails (:mod:`dig_envs.agents.standing_in`), all are told.
        """
        while (seat := self._agent_to_move()) is not None:
            epoch, agent = self._epoch, self.table.players[seat]
            for attempt in self._replaced.attempts(seat):
                try:
                    await self._play_agent(seat, STAND_IN if attempt.stands_in else agent)
                except FAILURES as error:
                    if epoch != self._epoch:
                        break
                    if attempt.is_told:
                        self._tell_failure(seat, error, attempt)
                else:
                    if epoch != self._epoch:
                        break
                    self._replaced.moved(seat, attempt)
                    if not attempt.stands_in:
                        self._trouble.pop(seat, None)
                    break

    def _tell_failure(self, seat: int, error: Exception, attempt: Attempt) -> None:
        """Tell all that the agent of a seat has failed, and what is done about it."""
        who = f"{self.table.names.of(seat)} ({self.table.players[seat]})"
        why = message_text(str(error))
        if not isinstance(error, TableError | ForfeitError):  # it may name what it tried
            log.error("%s could not move", who, exc_info=error)
            why = "it failed, and the server's log says why"
        self._trouble[seat] = self._replaced.words(seat, attempt, who, why)
        self._stuck = attempt.stands_in
        self._changed()

    async def _play_agent(self, seat: int, agent: str) -> None:
        """Let an agent decide, and play that after as long a time as it is to take, whether there
        is much to choose or nothing."""
        epoch, started = self._epoch, time.monotonic()
        outcome: Decision | Exception
        try:
            outcome = await self._decide(seat, agent)
        except FAILURES as error:
            outcome = error
        await self._wait(
            started + max(0.0 if self._steps or self._hurry else self.delay, seconds_of(agent))
        )
        if self._thinking is not None:
            self._tell_thinking(None)
        if epoch != self._epoch:
            return
        if isinstance(outcome, Exception):
            raise outcome
        self._steps = max(0, self._steps - 1)
        # who stands in leaves alone what the agent remembers
        own = agent == self.table.players[seat]
        memory = outcome.memory if own else self.table.memory(seat)
        self._played(seat, self.table.act(seat, outcome.action, memory))

    async def _decide(self, seat: int, agent: str) -> Decision:
        taught = self.table.lesson_move(seat)
        if taught is not None:
            return Decision(taught)
        # nobody sees whether others have made a choice that all make together
        if not self.table.together:
            self._tell_thinking({"seat": seat, "seconds": seconds_of(agent)})
        own = agent == self.table.players[seat]
        memory = self.table.memory(seat) if own else b""
        task = Think(self.table.game, agent, self.table.world(seat).tobytes(), seat, memory)
        if agent in self.bounds.models:  # language models take events
            before, played = self.table.since(seat)
            task = replace(task, before=before.tobytes(), played=played)
        return await self._workers.think(task, self.game_id, seconds_of(agent))

    async def _wait(self, until: float) -> None:
        """Wait until then, or until somebody changes the pace."""
        self._go.clear()
        left = until - time.monotonic()
        if left > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._go.wait(), left)


# what a connection can ask for, and with which parameters
KINDS: Mapping[str, Callable[..., Any]] = {
    "act": TableSession._act,
    "begin": TableSession._begin,
    "back": TableSession._back,
    "hint": TableSession._hint,
    "pace": TableSession._pace,
    "step": TableSession._step,
    "again": TableSession._again,
    "save": TableSession._save,
    "replay": TableSession._replay,
    "theme": TableSession._theme,
    "skip": TableSession._skip,
    "name": TableSession._name,
    "say": TableSession._say,
    "open": TableSession._open,
    "rematch": TableSession._play_again,
    "analyse": TableSession._analyse,
    "mistakes": TableSession._mistakes,
}
PARAMS = {kind: params_of(handler, 2) for kind, handler in KINDS.items()}
