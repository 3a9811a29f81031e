"""The assistant for a real table: ``dig-envs advise``. It follows a game for one seat by what a
person types, and advises at the seat's decisions."""

import json
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from dig_envs.adapters.seat import Seat, first_views
from dig_envs.agents.protocol import Agent
from dig_envs.commands.output import say, write_json
from dig_envs.commands.terminal import Quit, action_meant, in_columns
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import DigEnvsError, EventError, IllegalActionError, SnapshotError
from dig_envs.engine.core.events import Thing
from dig_envs.engine.core.lines import read_line, sentence_of
from dig_envs.engine.core.said import ACTION, Played, Said, read_said
from dig_envs.engine.core.words import NO_NAMES
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Game

HELP = """\
Type what happened: the number of an action or of an event in the list, or an event as a line:
  Player 2 asks Player 3 for a Triceratops.      as the log says it
  asked 2 3 TRI                                  kind, player, values; ? for what is not known
An empty line says that nothing else was told. Or type
  back         take back what you typed of an action, or the last action
  show         the position again
  save FILE    write the game there; dig-envs advise GAME --load FILE goes on with it
  ?            this text
  quit         stop"""
DEALS = 12  # of what the seat cannot know, in which an action may end
MOST_LISTED = 60  # events in a list
MORE = "more must follow"  # what an EventError says of an action that is not complete
KIND_AND_SEAT = ("kind", "seat", "action")
Told = dict[str, Any]  # an event in JSON, without its text


class TakenBack(Exception):
    """The person has taken something back."""


@dataclass
class Assistant:
    """Asks a person what happens at the table, and advises.

    Attributes:
        seat: that is advised. agent: who advises, and ``top``: how many actions.
        console: on which it asks. piped: whether nobody is there who could be asked, but a log is
            read: then only advice and errors are printed.
        wrong: how many lines could not be used.
    """

    seat: Seat
    agent: Agent
    console: Console
    top: int = 3
    piped: bool = False
    wrong: int = 0
    _ahead: deque[str] = field(default_factory=deque)  # lines that belong to the next action
    _said: list[Told] = field(default_factory=list)  # what was told of the action so far
    _tried: list[Told] = field(default_factory=list)  # what was found to be incomplete
    _unasked: list[Told] = field(default_factory=list)  # what went without saying, lately
    _asks_all: bool = False  # whether nothing goes without saying, after something was taken back
    _line: int = 0

    def run(self) -> None:
        """Follow the game to its end; raises :class:`Quit`, EOFError or KeyboardInterrupt if the
        person stops."""
        while not self.seat.states["over"][0]:
            self.show()
            self._said, self._tried, self._unasked = [], [], self._unasked[-MOST_LISTED:]
            try:
                while not self._step():
                    pass
                self._asks_all = False
            except TakenBack:
                self._unasked, self._asks_all = [], True
        self._say(f"{self.seat.text()}\n{self.seat.headline()}")

    def show(self) -> None:
        """Show what the seat sees, who is to decide, and at its own decision the advice."""
        own = self.seat.action_mask.any()
        if own or not self.piped:
            self._say(f"\n{self.seat.text()}\n\n{self.seat.headline()}")
        if own:
            for one in self.seat.advise(self.agent, self.top):
                self._say(f"  {one}")
            if not self.piped:
                self._list([one["label"] for one in self.seat.legal()])

    # ------------------------------------------------------------ one action

    def _step(self) -> bool:
        """Ask for an event, or for the own action; return whether the action is complete."""
        own = not self._said and bool(self.seat.action_mask.any())
        may, ends = self._outlook(self._said)
        try:
            if self._said and not may and self._tried != self._said:
                if self._is_told(self._said, quiet=self.piped or not ends):
                    return True
            if len(may) == 1 and self._said and not (ends or self._asks_all or self.piped):
                self._say(f"  {self._sentence(may[0])}")
                self._said += may
                self._unasked += may
                return False
            if not (own or self.piped):
                self._list([self._sentence(event) for event in may])
            question = "What did you do?" if own else "What was told?"
            if self._said:
                nothing = " (Enter: nothing more)" if ends or not may else ""
                question = f"What else was told?{nothing}"
            line = self._ask(question)
            if not line:
                return self._is_told(self._said)
            event = (self._own_action(line) if own else None) or self._event(line, may)
            return self._take(event, may, ends, line)
        except (DigEnvsError, ValueError, TypeError, OSError) as error:
            self.wrong += 1
            self._say(f"line {self._line}: {error}" if self.piped else str(error))
            # unless it is the line itself, or more must follow
            early = not str(error).startswith(f"event {len(self._said) + 1} ")
            if isinstance(error, EventError) and self._said and early and MORE not in str(error):
                self._said, self._asks_all = [], True
                self._say("What was typed of this action is dropped: type it anew.")
            return False

    def _own_action(self, line: str) -> Told | None:
        """Return the entry that names an action; None if the line may be an event."""
        labels = {one["action"]: one["label"] for one in self.seat.legal()}
        try:
            action = action_meant(line, labels, self.seat.game.actions)
        except IllegalActionError:
            if line.isdecimal():
                raise
            return None
        return {"kind": ACTION, "seat": self.seat.seat, "action": self.seat.game.actions[action]}

    def _event(self, line: str, may: Sequence[Told]) -> Told:
        """Return the event of a line, or of a number in the list."""
        if line.isdecimal():
            if not 1 <= int(line) <= len(may):
                raise ValueError(f"{line}: the events have the numbers 1 to {len(may)}")
            return may[int(line) - 1]
        game, seats = self.seat.game, self.seat.num_seats
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except ValueError as error:
                raise ValueError(f"this is no JSON: {error}") from None
        else:
            event = read_line(line, game.events, self.seat.seat, seats)
        return read_said(game.events, game.action_index, seats, [event])[0].to_json()

    def _take(self, event: Told, may: Sequence[Told], ends: bool, line: str) -> bool:
        """Take an event; return whether the action is complete, with it or before it. Raises
        EventError if it can have come neither in this action nor in the next one."""
        if event["kind"] == ACTION:
            self._said.insert(0, event)
            return False
        if not _is_one_of(event, may):
            if same := [one for one in self._unasked if _is_one_of(event, [one])]:
                self._unasked.remove(same[0])  # it was typed nevertheless
                return False
            if ends and self._tried != self._said and self._is_told(self._said, quiet=True):
                self._ahead.appendleft(line)
                return True
            if not any(self._outlook([*self._said, event])):
                return self._take_rare(event, line)
        self._said.append(event)
        return False

    def _take_rare(self, event: Told, line: str) -> bool:
        """Take an event that came in no deal so far; as :meth:`_take`."""
        seat, told = self.seat, self.seat.to_json()["told"]
        try:
            seat.told([*self._said, event])
            return True
        except EventError as error:
            if MORE in str(error):
                self._said.append(event)
                return False
            if self._said not in ([], self._tried) and self._is_told(self._said, quiet=True):
                self._ahead.appendleft(line)
                return True
            if self._said or not told or "events" not in told[-1]:
                raise
            last = told[-1]["events"]  # which was not all that its action told
            seat.back()
            if any(self._outlook([*last, event])):
                self._said = [*last, event]
                return False
            try:
                seat.told([*last, event])
            except EventError:
                seat.told(last)
                raise error from None
            return True

    def _outlook(self, said: Sequence[Told]) -> tuple[list[Told], bool]:
        """Return what may be told next, in some deals, and whether nothing more may be told of the
        action. If none tells what was said: after events of the same kinds and seats."""
        alike = [{key: one[key] for key in KIND_AND_SEAT if key in one} for one in said]
        for told in (said, alike):
            may, ends = self.seat.possible(told), self._may_end(told)
            if may or ends:
                break
        return may[:MOST_LISTED], ends

    def _may_end(self, told: Sequence[Told]) -> bool:
        """Whether this may be all that an action tells, in some deals."""
        seat, game = self.seat, self.seat.game
        entries = read_said(game.events, game.action_index, seat.num_seats, told)
        named = [(one.seat, one.action) for one in entries if isinstance(one, Played)]
        said = [one for one in entries if isinstance(one, Said)]
        log, deal = EventLog(game, seat.states), seat.states.copy()
        for number in range(DEALS if told else 0):
            owing = np.flatnonzero(deal["owes"][0]).tolist()
            for pair in named or [(p, a) for p in owing for a in game.legal_actions(deal, p)]:
                log.go_back((deal, 0, 0, {}))
                log.play(*pair)
                came = log.told(seat.seat)
                if len(came) == len(said) and not any(map(Said.differs, said, came)):
                    return True
            game.kernels.determinize_one(deal, seat.seat, np.uint64(number))
        return False

    def _is_told(self, told: Sequence[Told], quiet: bool = False) -> bool:
        """Tell the seat all events of an action; return whether they follow. ``quiet``: or raise
        no EventError."""
        self._tried = list(told)
        try:
            self.seat.told(told)
        except EventError:
            if not quiet:
                raise
            return False
        return True

    # ------------------------------------------------------------ talking

    def _ask(self, question: str) -> str:
        """Return the next line that is no command; an empty one only if it means something."""
        while True:
            if self._ahead:
                line = self._ahead.popleft()
            else:
                self._line += 1
                line = self.console.input("" if self.piped else f"{question} ")
            match line.split(maxsplit=1):
                case []:
                    if self._said:
                        return ""
                case ["quit"]:
                    raise Quit
                case ["?"] | ["help"]:
                    self._say(HELP)
                case ["show"]:
                    self.show()
                case ["back"]:
                    if not self._said:
                        if not self.seat.to_json()["told"]:
                            raise ValueError("there is nothing to take back")
                        self.seat.back()
                    raise TakenBack
                case ["save", file]:
                    write_json(Path(file), self.seat.to_json())
                    self._say(f"saved: {file}")
                case _:
                    return line.strip()

    def _sentence(self, event: Told) -> str:
        return sentence_of(event, self.seat.game.events, self.seat.seat)

    def _list(self, texts: Sequence[str]) -> None:
        if texts:
            self._say("\n".join(in_columns(texts, self.console.width)))

    def _say(self, text: str) -> None:
        say(text, self.console)


def _is_one_of(event: Told, some: Sequence[Told]) -> bool:
    """Whether an event, of which parts may be missing, is one of some."""
    return any(all(one.get(key, ...) == value for key, value in event.items()) for one in some)


# ---------------------------------------------------------------- how it begins


def begin(
    game: Game, seat: int | None, options: Mapping[str, Any], ask: Callable[[str], str]
) -> Seat:
    """Return a seat at the beginning of a game. ``ask``: called with a question, for what only the
    people at the table know: the entries of the view that differ between deals.

    Raises:
        SnapshotError: no deal agrees with the answers, or one is malformed. ValueError: there is no
            such seat.
    """
    options = game.complete_options(options)
    seats = int(game.template(options)["num_players"][0])
    if seat is None:
        answer = ask(f"Which player are you, 1 to {seats}?\n").strip()
        if not answer.isdecimal() or not 1 <= int(answer) <= seats:
            raise SnapshotError(f"players are 1 to {seats}, not {shown_in_message(answer)}")
        seat = int(answer) - 1
    views, opening = first_views(game.env_name, seat, options), dict[str, Any]()
    derived = game.derived(views[0])
    for key, entry in views[0].items():
        entries = [view[key] for view in views]
        if key in derived or all(other == entry for other in entries):
            continue
        if not isinstance(entry, list) or len(entry) != seats:
            opening[key] = _answer(key, entries, ask)
            continue
        opening[key] = list(entry)
        for place in range(seats):
            parts = [other[place] for other in entries]
            if any(part != parts[0] for part in parts):
                whose = "yours" if place == seat else NO_NAMES.of(place)
                opening[key][place] = _answer(f"{key}, {whose}", parts, ask)
    try:
        return Seat.begin(game.env_name, seat, opening, options)
    except SnapshotError:  # perhaps since cards were typed in another order than that of views
        ordered = {key: _in_order(entry, game) for key, entry in opening.items()}
        if ordered == opening:
            raise
        return Seat.begin(game.env_name, seat, ordered, options)


def _in_order(entry: Any, game: Game) -> Any:
    """Return an entry with its lists of things in the order in which the game names them."""
    if not isinstance(entry, list):
        return entry
    things = (p.names for kind in game.events.kinds for p in kind.parts if isinstance(p, Thing))
    if entry and all(isinstance(one, str) for one in entry):
        names = next((list(names) for names in things if set(entry) <= set(names)), entry)
        return sorted(entry, key=names.index)
    return [_in_order(one, game) for one in entry]


def _answer(what: str, entries: list[Any], ask: Callable[[str], str]) -> Any:
    """Return what a person says of an entry that differs between deals: words with blanks between
    them, a number, or JSON; nothing stands for the usual, if there is one."""
    usual, often = Counter(map(json.dumps, entries)).most_common(1)[0]
    by_default = f"; Enter: {_written(json.loads(usual)) or 'nothing'}" if often > 2 else ""
    answer = ""
    while not (answer or by_default):
        answer = ask(f"{what}, such as: {_written(entries[0])}\n").strip()
    answer = answer or ask(f"{what}, such as: {_written(entries[0])}{by_default}\n").strip()
    if not answer:
        return json.loads(usual)
    if answer[:1] not in ("[", "{", '"') and isinstance(entries[0], list):
        return answer.replace(",", " ").split()
    try:
        return json.loads(answer)
    except ValueError as error:
        if answer[:1] in ("[", "{", '"'):
            raise SnapshotError(f"{what}: this is no JSON: {error}") from None
        return answer


def _written(entry: Any) -> str:
    """Return an entry as it can be typed."""
    if isinstance(entry, list) and all(isinstance(one, str) for one in entry):
        return " ".join(entry)
    return json.dumps(entry)


def go_on(path: Path, game: Game, seat: int | None) -> Seat:
    """Return the seat of a saved game, or of a saved view; raises SnapshotError for a file that is
    neither. ``seat``: of a view; None: who is to move in it."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        place = Seat.from_json(saved) if "told" in saved else Seat(saved, seat)
    except FileNotFoundError:
        raise SnapshotError(f"there is no file {path}") from None
    except (DigEnvsError, ValueError, TypeError, RecursionError) as error:
        raise SnapshotError(f"{path} is no saved game: {error}") from None
    if place.game is not game:
        raise SnapshotError(f"{path} is not a saved game of {game.env_name}")
    if seat not in (None, place.seat):
        raise SnapshotError(f"{path} is the game of player {place.seat + 1}")
    return place
