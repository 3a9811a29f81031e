"""A table with those who sit at it now: who is told what and when, and the agents' moves."""

import asyncio
import contextlib
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dig_envs.engine.checks import shown_in_message
from dig_envs.engine.errors import DigEnvsError
from dig_envs.server.bounds import Bounds, Rate, TableError
from dig_envs.server.pictured import Pictured, Sight, not_pictured
from dig_envs.server.players import thinks
from dig_envs.server.store import Store
from dig_envs.server.table import HUMAN, Line, Table
from dig_envs.server.thinking import Decision, Preparation, Thought
from dig_envs.server.workers import Workers
from dig_envs.telling import Watcher

Message = dict[str, Any]
SCRIPTED = "heuristic"
MOST_NOTES = 100  # waiting for a slow connection
HINT_MS = 1000  # of the search that shows visits and values, unless asked otherwise
DELAY = 0.6  # seconds between moves of agents, unless asked otherwise


class Guest:
    """A connection: whose it is, and what it has still to be told.

    Args:
        seat: None: who opened the table, or watches.
        theme: of pictures; empty: none are wanted.
    """

    def __init__(self, seat: Watcher, theme: str, bounds: Bounds) -> None:
        self.seat, self.theme = seat, theme
        self.rate = Rate(bounds.messages_per_second)
        self.wake = asyncio.Event()
        self.stale = True  # the position has changed
        self.told = 0  # lines of the log
        self.notes: deque[Message] = deque(maxlen=MOST_NOTES)
        self.searching = False
        self.drawing = asyncio.Lock()  # of a replay: pictures come in the order in which they were asked for

    def note(self, message: Message) -> None:
        """Something to be told to this one alone."""
        self.notes.append(message)
        self.wake.set()


class Room:
    """A table, its guests and its agents.

    Args:
        number: of the game in the store. table: the game. store: where it is kept. workers: who thinks for agents.
        artists: who draws.
    """

    def __init__(self, number: str, table: Table, store: Store, workers: Workers, artists: Workers, bounds: Bounds) -> None:
        self.number, self.table = number, table
        self._store, self._workers, self._artists, self._bounds = store, workers, artists, bounds
        self.guests: set[Guest] = set()
        self.delay = DELAY
        self.paused = not table.people  # a game that is only watched begins when asked
        self._steps = 0  # moves of agents that were asked for one by one
        self._go = asyncio.Event()
        self._agents: asyncio.Task[None] | None = None
        self._epoch = 0  # changes when moves are taken back: what was thought before counts no more
        self._thinking: Message | None = None
        self._trouble = ""
        self._handlers: Mapping[str, Callable[[Guest, Message], Any]] = {
            "act": self._act,
            "back": self._back,
            "hint": self._hint,
            "search": self._search,
            "pace": self._pace,
            "step": self._step,
            "again": self._again,
            "save": self._save,
            "replay": self._replay,
            "theme": self._theme,
        }

    # ------------------------------------------------------------ coming and going

    def join(self, guest: Guest) -> None:
        """A connection comes; raises TableError if there are too many at this table."""
        if len(self.guests) >= self._bounds.per_table:
            raise TableError("full", f"{self._bounds.per_table} connections to this table are open; close some")
        self.guests.add(guest)
        guest.wake.set()
        self._let_agents_play()

    def leave(self, guest: Guest) -> None:
        """A connection is gone."""
        self.guests.discard(guest)

    @property
    def idle(self) -> bool:
        """Whether nobody is here and nothing goes on."""
        return not self.guests and (self._agents is None or self._agents.done())

    async def close(self) -> None:
        """Stop the agents."""
        if self._agents is not None:
            self._agents.cancel()
            await asyncio.gather(self._agents, return_exceptions=True)

    # ------------------------------------------------------------ what guests are told

    async def due(self, guest: Guest) -> list[Message]:
        """What a guest has to be told now."""
        messages = []
        if guest.stale:
            guest.stale = False
            messages.append(await self._position(guest))
        if guest.told != len(self.table.lines):
            messages.append(self._log(guest))
        while guest.notes:
            messages.append(guest.notes.popleft())
        return messages

    async def _position(self, guest: Guest) -> Message:
        """Everything that a guest may see now; by the time that it is drawn there may be a newer position."""
        table, seat = self.table, guest.seat
        view = table.view(seat)
        legal = [] if seat is None else table.legal(seat)
        message = self._in_words(guest, view)
        drawn = await self._drawn(Sight(table.game.env_name, view, seat, guest.theme, tuple(legal)))
        return message | {
            "picture": drawn.svg,
            "legal": [
                {"action": action, "text": table.game.actions[action], "things": list(things)}
                for action, things in zip(legal, drawn.things, strict=True)
            ],
        }

    async def _drawn(self, sight: Sight) -> Pictured:
        """The picture, if one is wanted and can be drawn: the game goes on without it."""
        if not sight.theme:
            return not_pictured(sight)
        try:
            return await self._artists.draw(sight)
        except (TableError, ValueError, RuntimeError):
            return not_pictured(sight)

    def _in_words(self, guest: Guest, view: Mapping[str, Any]) -> Message:
        table, seat = self.table, guest.seat
        return {
            "type": "position",
            "version": table.version(seat),
            "env": table.game.env_name,
            "title": table.game.title,
            "options": view["options"],
            "cooperative": table.game.cooperative,
            "seat": seat,
            "seats": [
                {"player": player, "score": score, "asked": number in table.asked}
                for number, (player, score) in enumerate(zip(table.players, view["scores"], strict=True))
            ],
            "turn": view["turn"],
            "phase": view["phase"],
            "together": table.together,
            "over": table.over,
            "won": list(view["winners"]),
            "result": table.result(),
            "moves": len(table.moves) if table.over else 0,
            "loaded": table.loaded,
            "text": table.game.draw(view),
            "back": seat is not None and table.may_take_back(seat),
            "pace": {"delay": self.delay, "paused": self.paused} if self._may_pace(guest) else None,
            "thinking": self._thinking,
            "trouble": self._trouble,
        }

    def _log(self, guest: Guest) -> Message:
        first = min(guest.told, len(self.table.lines))
        guest.told = len(self.table.lines)
        lines = [{"seat": line.seat, "words": self.table.told(guest.seat, line)} for line in self.table.lines[first:]]
        return {"type": "log", "from": first, "lines": lines}

    def _changed(self, guests: Collection[Guest] | None = None) -> None:
        """The position has changed for these guests, or for all."""
        for guest in self.guests if guests is None else guests:
            guest.stale = True
            guest.wake.set()

    def _of(self, seat: int) -> list[Guest]:
        """The connections of a seat."""
        return [guest for guest in self.guests if guest.seat == seat]

    # ------------------------------------------------------------ what guests ask for

    async def handle(self, guest: Guest, message: Any) -> None:
        """Do what a guest asks, or tell it why not."""
        try:
            if not guest.rate.allows():
                raise TableError("too-many", f"at most {self._bounds.messages_per_second:g} messages per second")
            kind = message.get("type") if isinstance(message, dict) else None
            if not isinstance(kind, str) or kind not in self._handlers:
                raise TableError("bad-request", f"a message has a type, one of {', '.join(self._handlers)}")
            result = self._handlers[kind](guest, message)
            if result is not None:
                await result
        except TableError as error:
            guest.note({"type": "error", "code": error.code, "message": str(error)})
        except (DigEnvsError, ValueError) as error:
            guest.note({"type": "error", "code": "refused", "message": str(error)})

    def _own_seat(self, guest: Guest) -> int:
        if guest.seat is None:
            raise TableError("no-seat", "you watch: this link has no seat in the game")
        return guest.seat

    def _act(self, guest: Guest, message: Message) -> None:
        seat = self._own_seat(guest)
        if message.get("at") != self.table.version(seat):
            guest.stale = True
            guest.wake.set()
            raise TableError("changed", "the position has changed meanwhile; look again")
        self._played(seat, self.table.act(seat, message.get("action")))

    def _played(self, seat: int, added: list[Line]) -> None:
        """A seat has moved: keep that, tell it, go on."""
        self._kept(lambda: self._store.append(self.number, self.table, added))
        carried_out = bool(added)
        self._changed(None if carried_out else self._of(seat))
        self._let_agents_play()

    def _kept(self, write: Callable[[], None]) -> None:
        """Write to the store; if that fails, the game is as it was there."""
        try:
            write()
        except sqlite3.Error as error:
            self.table = self._store.read(self.number).table()
            self._epoch += 1
            self._forget_lines()
            raise TableError("store", f"the move could not be kept: {error}") from None

    def _back(self, guest: Guest, message: Message) -> None:
        seat = self._own_seat(guest)
        before = self.table.takes_back
        self.table.take_back(seat)
        self._kept(lambda: self._store.rewrite(self.number, self.table))
        if self.table.takes_back == before:  # of a choice that nobody else knows of
            self._changed(self._of(seat))
        else:
            self._epoch += 1
            self._forget_lines()
        self._let_agents_play()

    def _forget_lines(self) -> None:
        """The log is not what it was: everybody is told all of it."""
        for guest in self.guests:
            guest.told = 0
            guest.note({"type": "log", "from": 0, "lines": []})
        self._changed()

    async def _hint(self, guest: Guest, message: Message) -> None:
        decision, version = await self._thought_for(guest, SCRIPTED)
        guest.note({"type": "hint", "at": version, "action": decision.action, "text": self.table.game.actions[decision.action]})

    async def _search(self, guest: Guest, message: Message) -> None:
        """What a search thinks of the own decision."""
        ms = message.get("ms", HINT_MS)
        if type(ms) is not int or not 1 <= ms <= self._bounds.think_ms:
            raise TableError("bad-request", f"ms is a whole number from 1 to {self._bounds.think_ms}")
        table = self.table
        await self._workers.prepare(Preparation(table.game.env_name, table.num_seats, (), True))
        decision, version = await self._thought_for(guest, f"search:{ms}ms")
        bars = [
            {"action": action, "text": table.game.actions[action], "visits": visits, "value": value}
            for action, visits, value in sorted(decision.visits, key=lambda found: -found[1])
        ]
        guest.note({"type": "search", "at": version, "action": decision.action, "simulations": decision.simulations, "bars": bars})

    async def _thought_for(self, guest: Guest, agent: str) -> tuple[Decision, str]:
        """What an agent would do in the own decision, and in which version of the position; one at a time for each guest."""
        seat = self._own_seat(guest)
        if not self.table.owes(seat):
            raise TableError("not-your-turn", "you have nothing to decide now")
        if guest.searching:
            raise TableError("busy", "one thing at a time: the last answer is not there yet")
        guest.searching = True
        try:
            version = self.table.version(seat)
            thought = Thought(self.table.game.env_name, agent, self.table.world(seat).tobytes(), seat)
            decision = await self._workers.think(thought, lambda share: guest.note({"type": "searching", "share": share}))
            return decision, version
        finally:
            guest.searching = False

    def _may_pace(self, guest: Guest) -> bool:
        """Whether a guest may say how fast agents move: who opened the table, and who plays alone."""
        agents = any(player != HUMAN for player in self.table.players)
        return agents and (guest.seat is None or self.table.people == (guest.seat,))

    def _require_pace(self, guest: Guest) -> None:
        if not self._may_pace(guest):
            raise TableError("not-yours", "who opened the table says how fast agents move")

    def _pace(self, guest: Guest, message: Message) -> None:
        self._require_pace(guest)
        delay, paused = message.get("delay", self.delay), message.get("paused", self.paused)
        if type(delay) not in (int, float) or not 0 <= delay <= self._bounds.delay_seconds or type(paused) is not bool:
            raise TableError("bad-request", f"delay is 0 to {self._bounds.delay_seconds:g} seconds, paused true or false")
        self.delay, self.paused = float(delay), paused
        self._steps = 0
        self._go.set()
        self._changed()
        self._let_agents_play()

    def _step(self, guest: Guest, message: Message) -> None:
        """One move of an agent while they are paused."""
        self._require_pace(guest)
        self._steps = 1
        self._go.set()
        self._let_agents_play()

    def _again(self, guest: Guest, message: Message) -> None:
        """Try once more what an agent failed to do."""
        if self._trouble:
            self._trouble = ""
            self._changed()
            self._let_agents_play()

    def _save(self, guest: Guest, message: Message) -> None:
        """The whole position for who has all seats, or once the game is over; otherwise what the guest sees."""
        complete = self.table.over or self._has_all_seats(guest, message.get("tokens", []))
        position = self.table.snapshot() if complete else self.table.view(guest.seat)
        guest.note({"type": "saved", "complete": complete, "name": self.table.game.env_name, "position": position})

    def _has_all_seats(self, guest: Guest, tokens: Any) -> bool:
        """Whether a guest can show the secrets of all seats that people have."""
        if not isinstance(tokens, list) or len(tokens) > self.table.num_seats:
            raise TableError("bad-request", f"tokens is a list of at most {self.table.num_seats} secrets")
        places = [self._store.find(token) for token in tokens]
        return set(self.table.people) <= {guest.seat, *(place.seat for place in places if place.game == self.number)}

    async def _replay(self, guest: Guest, message: Message) -> None:
        moves, seat = message.get("moves"), message.get("seat")
        if type(moves) is not int or not (seat is None or (type(seat) is int and 0 <= seat < self.table.num_seats)):
            raise TableError("bad-request", f"moves is a number, seat one from 0 to {self.table.num_seats - 1} or null")
        view, texts = self.table.replay(moves, seat)
        async with guest.drawing:
            drawn = await self._drawn(Sight(self.table.game.env_name, view, seat, guest.theme))
        guest.note(
            {
                "type": "replay",
                "moves": moves,
                "of": len(texts),
                "seat": seat,
                "done": texts[moves - 1] if moves else "",
                "scores": view["scores"],
                "turn": view["turn"],
                "phase": view["phase"],
                "text": self.table.game.draw(view),
                "picture": drawn.svg,
            }
        )

    def _theme(self, guest: Guest, message: Message) -> None:
        guest.theme = check_theme(message.get("theme"))
        self._changed([guest])

    # ------------------------------------------------------------ agents

    def _let_agents_play(self) -> None:
        """See that agents who owe something think about it."""
        if (self._agents is None or self._agents.done()) and self._agent_to_move() is not None:
            self._agents = asyncio.create_task(self._play_agents())

    def _agent_to_move(self) -> int | None:
        """The next seat of an agent that owes something, unless agents are to wait."""
        if self._trouble or (not self.table.people and not self.guests):
            return None
        if self.paused and not self._steps:
            return None
        return next((seat for seat in self.table.owing() if self.table.players[seat] != HUMAN), None)

    async def _play_agents(self) -> None:
        """Moves of agents, one after the other, until none owes anything."""
        while (seat := self._agent_to_move()) is not None:
            epoch, agent = self._epoch, self.table.players[seat]
            started = time.monotonic()
            failure = ""
            try:
                decision = await self._decide(seat, agent)
            except (TableError, ValueError, RuntimeError) as error:
                failure = str(error)
            pause = 0.0 if self._steps else self.delay
            await self._wait(started + max(pause, thinks(agent)))  # as long when there is nothing to choose
            if self._thinking is not None:
                self._thinking = None
                self._tell_thinking()
            if epoch != self._epoch:
                continue
            if failure:
                self._trouble = f"player_{seat} ({agent}) could not move: {failure}"
                self._changed()
                return
            self._steps = max(0, self._steps - 1)
            try:
                self._move_agent(seat, decision)
            except DigEnvsError as error:
                self._trouble = f"player_{seat} ({agent}) could not move: {error}"
                self._changed()
                return

    def _move_agent(self, seat: int, decision: Decision) -> None:
        added = self.table.act(seat, decision.action, decision.memory)
        self._kept(lambda: self._store.append(self.number, self.table, added))
        if added:
            self._changed()

    async def _decide(self, seat: int, agent: str) -> Decision:
        thought = Thought(self.table.game.env_name, agent, self.table.world(seat).tobytes(), seat, self.table.memory(seat))
        if not self.table.together:  # nobody sees whether others have made a choice that all make together
            self._thinking = {"seat": seat, "seconds": thinks(agent)}
            self._tell_thinking()
        return await self._workers.think(thought, lambda share: None)  # its progress would show when there is nothing to choose

    def _tell_thinking(self) -> None:
        for guest in self.guests:
            guest.note({"type": "thinking", "thinking": self._thinking})

    async def _wait(self, until: float) -> None:
        """Wait until then, or until somebody changes the pace."""
        self._go.clear()
        left = until - time.monotonic()
        if left > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._go.wait(), left)


def check_theme(theme: Any) -> str:
    """How pictures look; raises TableError."""
    if theme not in ("light", "dark", ""):
        raise TableError("bad-request", f"theme is light, dark or empty (no pictures), not {shown_in_message(theme)}")
    return str(theme)
