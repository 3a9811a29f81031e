"""The assistant for a real table: ``dig-envs advise``. It follows a game for one seat by what a
person types, and advises at the seat's decisions."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from dig_envs.adapters.seat import Seat
from dig_envs.agents.protocol import Agent
from dig_envs.commands.output import say, write_json
from dig_envs.commands.terminal import Quit, action_meant, in_columns
from dig_envs.engine.core.errors import DigEnvsError, EventError, IllegalActionError
from dig_envs.engine.core.events import Event, Events, Part, Thing
from dig_envs.engine.core.lines import event_line, form_of, read_line
from dig_envs.engine.core.said import Entry, Played, Said, read_said
from dig_envs.engine.following import Possible

HELP = """\
Type what happened: the number of an action or of an event in the list, or an event as a line:
{examples}
  action 2 ...   the action itself as "dig-envs describe" lists it, if several tell the same
Players count from 1; ? is a value that is not known, - is nothing, commas join several values, and
yes or no is a flag. An empty line says that nothing else was told, or takes the only event of the
list. Or type
  back         take back the last event of an action that is not complete, or the last action
  show         the position again
  save FILE    write the game there; dig-envs advise GAME --load FILE goes on with it
  ?            this text
  quit         stop"""
EXAMPLES = 3  # of events that may come, in the help
MOST_LISTED = 60  # events in a list
Told = dict[str, Any]  # an event in JSON


def _listed(may: Possible, events: Events) -> list[Event]:
    """The likely events to list, in the order of kinds, seats and names."""
    return sorted(
        may.events[:MOST_LISTED],
        key=lambda event: (
            events.kinds.index(event.kind),
            -1 if event.seat is None else event.seat,
            [_rank(part, event.values[part.name]) for part in event.kind.parts],
        ),
    )


def _rank(part: Part, value: Any) -> list[Any]:
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [list(part.names).index(one) if isinstance(part, Thing) else one for one in values]


@dataclass
class Assistant:
    """Asks a person what happens at the table, and advises.

    Attributes:
        seat: that is advised. agent: who advises, and ``top``: how many actions.
        console: on which it asks. piped: whether nobody is there who could be asked, but a log is
            read: then only advice is printed, and the first line that cannot be used ends it.
        line: how many lines were read.
        wrong: whether a log could not be used to its end.
    """

    seat: Seat
    agent: Agent
    console: Console
    top: int = 3
    piped: bool = False
    line: int = 0
    wrong: bool = False
    _said: list[Entry] = field(default_factory=list)  # what was told of the action so far
    _incomplete: list[Entry] = field(default_factory=list)  # what was found not to be all of it
    _tried: list[Entry] = field(default_factory=list)  # what an error was raised for
    _unasked: list[Event] = field(default_factory=list)  # what went without saying, lately
    _asks_all: bool = False  # whether nothing goes without saying, after something was wrong
    _ahead: deque[str] = field(default_factory=deque)  # lines that come next
    _corrects: bool = False  # whether another line comes before them
    _lines: list[int] = field(default_factory=list)  # which lines told an event

    def run(self) -> None:
        """Follow the game to its end; raises :class:`Quit`, EOFError or KeyboardInterrupt if the
        person stops."""
        while not self.seat.states["over"][0]:
            self.show()
            self._said, self._incomplete = [], []
            try:
                while not self._step():
                    pass
            except EOFError:
                if not self._said or not self.piped:
                    raise
                if not self._is_told(quiet=True):
                    self._stop(f"the last {len(self._said)} lines are not a complete action")
        self._say(f"{self.seat.text()}\n{self.seat.headline()}")

    def show(self) -> None:
        """Show what the seat sees, who is to decide, and at its own decision the advice."""
        own = self.seat.action_mask.any()
        if own or not self.piped:
            self._say(f"\n{self.seat.text()}\n\n{self.seat.headline()}")
        if own:
            self._say(f"{self.agent.name} advises:")
            for one in self.seat.advise(self.agent, self.top):
                self._say(f"  {one}")
            if not self.piped:
                self._list([one["label"] for one in self.seat.legal()])

    # ------------------------------------------------------------ one action

    def _step(self) -> bool:
        """Ask for an event, or for the own action; return whether the position is another."""
        own = not self._said and bool(self.seat.action_mask.any())
        may = self._outlook(self._said)
        only = may.events[0] if self._said and len(may.events) == 1 and not may.ends else None
        try:
            if self._said and may.ends and not may.events and self._is_told(quiet=not may.sure):
                return True
            if only and may.sure and not (self._asks_all or self.piped):
                self._say(f"  {only.text()}")
                self._unasked.append(only)
                self._said.append(self._read(only.to_json()))
                return False
            if not (own or self.piped or (self._ahead and not self._corrects)):
                self._list([event.text() for event in _listed(may, self.seat.game.events)])
            line = self._ask("What did you do?" if own else self._question(may))
            if line == "back":
                return self._back()
            if not line and not only:
                return self._is_told()
            if own and (action := self._own_action(line)) is not None:
                self._said.append(action)
                return False
            return self._take(self._event(line or "1", may), may, line)
        except (DigEnvsError, ValueError, TypeError, OSError) as error:
            number = error.number if isinstance(error, EventError) else None
            if self.piped:
                # an event before the last one that was read may be the wrong one
                later = max(0, len(self._tried) - number) if number else 0
                where = self._lines[-1 - later] if 0 < later < len(self._lines) else self.line
                self._stop(f"line {where}: {error}")
            self._say(str(error))
            if number is not None and number <= len(self._said):
                self._correct(number)
            return False

    def _stop(self, why: str) -> NoReturn:
        """End a log that cannot be used further."""
        self.wrong = True
        self._say(why)
        raise Quit

    def _question(self, may: Possible) -> str:
        if may.ends:
            hints = ["Enter: nothing more"]
        else:
            hints = ["Enter: 1"] if self._said and len(may.events) == 1 else []
        if not may.sure or len(may.events) > MOST_LISTED:
            hints.append("others: type them")
        question = "What else was told?" if self._said else "What was told?"
        return f"{question} ({'; '.join(hints)})" if hints else question

    def _own_action(self, line: str) -> Entry | None:
        """The entry of an own action; None if the line may be an event."""
        labels = {one["action"]: one["label"] for one in self.seat.legal()}
        try:
            action = action_meant(line, labels, self.seat.game.actions)
        except IllegalActionError:
            if line.isdecimal():
                raise
            return None
        return Played(self.seat.seat, action, self.seat.game.actions[action])

    def _event(self, line: str, may: Possible) -> Entry:
        """The event of a line, or of a number in the list."""
        game = self.seat.game
        listed = _listed(may, game.events)
        if line.isdecimal():
            if not 1 <= int(line) <= len(listed):
                raise ValueError(f"{line}: the events have the numbers 1 to {len(listed)}")
            return self._read(listed[int(line) - 1].to_json())
        if not line.startswith("{"):
            return self._read(read_line(line, game.events, self.seat.seat, self.seat.num_seats))
        try:
            return self._read(json.loads(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"this is not JSON: {error}") from None

    def _read(self, event: Told) -> Entry:
        game = self.seat.game
        return read_said(game.events, game.action_index, self.seat.num_seats, [event])[0]

    def _take(self, entry: Entry, may: Possible, line: str) -> bool:
        """Take an event; return whether the action is complete, with it or before it. Raises
        EventError if it can have come neither in this action nor in the next one."""
        if isinstance(entry, Played):
            self._said = [entry, *(one for one in self._said if isinstance(one, Said))]
            return False
        if all(entry.differs(event) for event in may.events):
            if same := [event for event in self._unasked if not entry.differs(event)]:
                self._unasked.remove(same[0])  # it was typed nevertheless
                return False
            if not self._may_come([*self._said, entry]):
                ends = may.ends or (self.piped and not may.sure)
                if ends and self._is_told(quiet=True):
                    if self._may_come([entry]):
                        self._ahead.appendleft(line)
                        return True
                    self.seat.back()
                return self._take_rare(entry, line)
        self._said.append(entry)
        return False

    def _take_rare(self, entry: Entry, line: str) -> bool:
        """Take an event that came in no deal so far; as :meth:`_take`."""
        before = self._said
        self._said = [*before, entry]
        try:
            return self._is_told()
        except EventError as error:
            number = error.number
            if number is None:  # more must follow
                return False
            self._said = before
            if self._is_told(quiet=True):
                self._ahead.appendleft(line)
                return True
            if number <= len(before) and not self.piped:
                self._ahead.appendleft(line)
            told = self.seat.to_json()["told"]
            if before or not told or "events" not in told[-1]:
                raise
            self.seat.back()
            last = [self._read(event) for event in told[-1]["events"]]
            self._said = [*last, entry]  # if that was not all that the last action told
            if self._may_come(self._said):
                return False
            if self._is_told(quiet=True):
                return True
            self.seat.told(told[-1]["events"])
            self._said = []
            raise

    def _may_come(self, said: Sequence[Entry]) -> bool:
        """Whether all that comes in some deals, at least by kinds and seats."""
        may = self._outlook(said)
        return may.ends or bool(may.events)

    def _outlook(self, said: Sequence[Entry]) -> Possible:
        return self.seat.possible([entry.to_json() for entry in said])

    def _is_told(self, quiet: bool = False) -> bool:
        """Tell the seat all events of an action; return whether they follow. ``quiet``: or raise
        no EventError."""
        if quiet and self._said in ([], self._incomplete):
            return False
        self._incomplete = list(self._said)
        try:
            self.seat.told([entry.to_json() for entry in self._said])
        except EventError:
            if not quiet:
                self._tried = self._incomplete
                raise
            return False
        self._asks_all = False
        return True

    def _back(self) -> bool:
        """Take back the last event, or the last action; as :meth:`_step`."""
        if not self._said and not self.seat.to_json()["told"]:
            raise ValueError("there is nothing to take back")
        self._unasked, self._asks_all = [], True
        if self._said:
            self._said.pop()
            return False
        self.seat.back()
        return True

    def _correct(self, number: int) -> None:
        """Ask for an event anew, and keep those that were told after it."""
        later, self._asks_all = self._said[number:], True
        self._said = self._said[: number - 1]
        self._ahead.extendleft(json.dumps(one.to_json()) for one in reversed(later))
        self._corrects = True
        self._say(f"Type event {number} anew; what you typed after it is kept.")

    # ------------------------------------------------------------ talking

    def _ask(self, question: str) -> str:
        """The next line that is not a command other than ``back``; an empty one only if it means
        something."""
        while True:
            if self._ahead and not self._corrects:
                return self._ahead.popleft()
            self.line += 1
            line = self.console.input("" if self.piped else f"{question} ").strip()
            match line.split(maxsplit=1):
                case []:
                    if self._said:
                        return ""
                case ["quit"]:
                    raise Quit
                case ["?"] | ["help"]:
                    self._help()
                case ["show"]:
                    self.show()
                case ["save", file]:
                    write_json(Path(file), self.seat.to_json())
                    self._say(f"saved: {file}")
                case _:
                    self._corrects = False
                    self._lines.append(self.line)
                    return line

    def _help(self) -> None:
        events = self.seat.game.events
        one_each = {event.kind: event for event in _listed(self._outlook(self._said), events)}
        examples = [
            f"  {text}"
            for event in list(one_each.values())[:EXAMPLES]
            for text in (event.text(), event_line(event.to_json(), events))
        ]
        kinds = [f"  {form_of(kind)}" for kind in events.kinds[-EXAMPLES:]]
        self._say(HELP.format(examples="\n".join(examples or kinds)))

    def _list(self, texts: Sequence[str]) -> None:
        if texts:
            self._say("\n".join(in_columns(texts, self.console.width)))

    def _say(self, text: str) -> None:
        say(text, self.console)
