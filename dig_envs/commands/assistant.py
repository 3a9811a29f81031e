"""The assistant for a real table: ``dig-envs advise``. It follows a game for one seat by what a
person types, and advises at the seat's decisions."""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.seat import Seat
from dig_envs.agents.protocol import Agent
from dig_envs.commands.output import say, write_json
from dig_envs.commands.terminal import Quit, action_meant, in_columns
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import DigEnvsError, IllegalActionError, SnapshotError
from dig_envs.engine.core.events import Event, Flag, Kind, Part, Seats, Thing, Things, Who
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Array, Game, Snapshot

HELP = """\
Type what happened: the number of an action or of an event in the list, or an event as a line:
  Player 2 asks Player 3 for a Triceratops.      as the log says it
  asked 2 3 TRI                                  kind, player, values
An empty line says that nothing else was told. Or type
  back         take the last action back
  show         the position again
  save FILE    write the game there; dig-envs advise --load FILE goes on with it
  ?            this text
  quit         stop"""
# of what the seat cannot know, on which is tried what may happen; and on how many of them all
# actions are tried
DEALS, LOOKS = 40, 8
MOST_SILENT = 24  # actions of others in a row of which the seat is told nothing
MOST_LISTED = 60  # events in a list
OPENINGS = 12  # deals that are compared, to find what differs between them
MOST_SEATS, MOST_NUMBER = 8, 200  # of which a typed sentence may tell
Told = dict[str, Any]  # an event in JSON, without its text


# ---------------------------------------------------------------- what may happen


@dataclass
class Outcomes:
    """What may be told next: events, most frequent first, and whether nothing more may be."""

    events: list[Event]
    ends: bool


def outcomes(seat: Seat, so_far: Sequence[Told], action: int | None = None) -> Outcomes:
    """Return what may be told to a seat after some events of one action, on some deals of what the
    seat cannot know.

    Args:
        seat: that is told. so_far: of the action, in order. action: its own; None: any of anybody.
    """
    courses = _courses(seat, so_far, action)
    fitting = [told for told in courses if _json(told[: len(so_far)]) == list(so_far)]
    if not fitting:  # nothing was dealt so: what is told of the same kinds of events
        fitting = [told for told in courses if len(told) >= len(so_far)]
    following = [told[len(so_far)] for told in fitting if len(told) > len(so_far)]
    texts = {str(event): event for event in following}
    ranked = Counter(map(str, following)).most_common(MOST_LISTED)
    return Outcomes([texts[text] for text, _ in ranked], len(following) < len(fitting))


def _courses(seat: Seat, so_far: Sequence[Told], action: int | None) -> list[list[Event]]:
    """Return what actions tell, with events of the same kinds and seats as those so far."""
    game, log, found = seat.game, EventLog(seat.game, seat.states), []
    draw, deal = np.random.default_rng(len(so_far)), seat.states.copy()
    start = log.mark()[1:]
    wanted = [(one["kind"], one["seat"]) for one in so_far]
    begin: set[tuple[int, int]] = set()  # actions that begin as was told
    for number in range(DEALS):
        game.kernels.determinize_one(deal, seat.seat, draw.integers(2**63, dtype=np.uint64))
        tried = [(seat.seat, action)] if action is not None else _actions(game, deal)
        if number >= LOOKS and wanted and begin:
            tried = [pair for pair in tried if pair in begin]
        for pair in tried:
            log.go_back((deal, *start))
            told = _told(log, pair, seat.seat, draw)
            if told and so_far and _json(told[:1]) == list(so_far[:1]):
                begin.add(pair)
            kinds = [(event.kind.name, event.seat) for event in told[: len(wanted)]]
            if told and all(one == two for one, two in zip(kinds, wanted, strict=False)):
                found.append(told)
    return found


def _actions(game: Game, states: Array) -> list[tuple[int, int]]:
    """Return who may play what now."""
    owing = [int(p) for p in np.flatnonzero(states["owes"][0])]
    return [(p, action) for p in owing for action in game.legal_actions(states, p)]


def _told(
    log: EventLog, pair: tuple[int, int], seat: int, draw: np.random.Generator
) -> list[Event]:
    """Play an action, and what others may do as long as the seat is told nothing; return what it is
    told then."""
    for _ in range(MOST_SILENT):
        log.play(*pair)
        if told := log.told(seat):
            return told
        others = [one for one in _actions(log.game, log.states) if one[0] != seat]
        if not others:
            return []
        pair = others[int(draw.integers(len(others)))]
    return []


def _json(events: Sequence[Event]) -> list[Told]:
    """Return events in JSON, without their texts."""
    return [
        {key: value for key, value in event.to_json().items() if key != "text"} for event in events
    ]


# ---------------------------------------------------------------- what was typed


def read_event(line: str, game: Game, likely: Sequence[Event]) -> Told:
    """Return the event that a line tells: a sentence as the log says it, in any case, or
    ``kind player value …``, or JSON.

    Args:
        line: that was typed. game: that is played.
        likely: events that may be meant. A sentence is one of them, or differs from one in a single
            value.

    Raises:
        ValueError: it tells none; the message says what would be right.
    """
    if line.startswith("{"):
        try:
            told = json.loads(line)
        except ValueError as error:
            raise ValueError(f"this is no JSON: {error}") from None
        if isinstance(told, dict):
            told.pop("text", None)
        return dict(told) if isinstance(told, dict) else {}
    words = _bare(line)
    for event in (*likely, *_others(likely)):
        if _bare(str(event)) == words:
            return _json([event])[0]
    name, *values = line.split()
    for kind in game.events.kinds:
        if kind.name == name:
            return _short(kind, values)
    some = "; ".join(str(event) for event in likely[:3])
    raise ValueError(
        f"{shown_in_message(line)} is no event" + (f"; it may be: {some}" if some else "")
    )


def _bare(line: str) -> str:
    return " ".join(line.split()).rstrip(".!").casefold()


def _others(likely: Sequence[Event]) -> Iterator[Event]:
    """Yield events that differ from likely ones in one value."""
    seen = set()
    for event in likely:
        for part in event.kind.parts:
            rest = {k: str(v) for k, v in event.values.items() if k != part.name}
            key = event.kind.name, event.seat, part.name, tuple(rest.items())
            if key not in seen and event.values[part.name] is not None:
                seen.add(key)
                for value in _values(part):
                    yield replace(event, values={**event.values, part.name: value})


def _values(part: Part) -> Sequence[Any]:
    """Return what a part of an event may be."""
    if isinstance(part, Things | Seats):
        return ()
    if isinstance(part, Thing):
        return part.names
    if isinstance(part, Flag):
        return (False, True)
    return range(MOST_SEATS) if isinstance(part, Who) else range(MOST_NUMBER)


def _short(kind: Kind, values: Sequence[str]) -> Told:
    """Return the event of a kind with these values, of which the last may be missing."""
    form = " ".join([kind.name, "PLAYER", *(part.name.upper() for part in kind.parts)])
    if len(values) > 1 + len(kind.parts):
        raise ValueError(f"{kind.name} is written {form}, with - for what is not known")
    told: Told = {"kind": kind.name, "seat": None}
    for part, text in zip([Who("seat"), *kind.parts], values, strict=False):
        if text == "-":
            continue
        several = isinstance(part, Things | Seats)
        found = [_value(part, one, form) for one in (text.split(",") if several else [text])]
        told[part.name] = found if several else found[0]
    return told


def _value(part: Part, text: str, form: str) -> Any:
    """Return the value that a word stands for; players are counted from 1."""
    if isinstance(part, Thing):
        for name in part.names:
            if str(name).casefold() == text.casefold():
                return name
    elif isinstance(part, Flag) and text in ("yes", "no"):
        return text == "yes"
    elif isinstance(part, Who | Seats) and text.isdecimal():
        return int(text) - 1
    elif not isinstance(part, Flag) and text.removeprefix("-").isdecimal():
        return int(text)
    raise ValueError(f"{part.name} cannot be {shown_in_message(text)}: {form}")


# ---------------------------------------------------------------- the dialogue


class TakenBack(Exception):
    """The person has taken something back."""


@dataclass
class Assistant:
    """Asks a person what happens at the table, and advises.

    Attributes:
        history: the views of the seat before each action.
        seat: that is advised. agent: who advises, and ``top``: how many actions.
        console: on which it asks. piped: whether nobody is there who could be asked, but a log is
            read: then only advice and errors are printed.
    """

    seat: Seat
    agent: Agent
    console: Console
    top: int = 3
    piped: bool = False
    wrong: int = 0  # lines that could not be used
    history: list[Snapshot] = field(default_factory=list)
    _ahead: deque[str] = field(default_factory=deque)  # lines that were read already
    _line: int = 0
    _begun: bool = False  # whether something of an action was typed

    def run(self) -> None:
        """Follow the game to its end; raises :class:`Quit`, EOFError or KeyboardInterrupt if the
        person stops."""
        while not self.seat.states["over"][0]:
            self.show()
            view = self.seat.view()
            while self.seat.view() == view:
                self._begun = False
                try:
                    self._step()
                except TakenBack:
                    break
                except (DigEnvsError, ValueError, TypeError, OSError) as error:
                    self._refuse(str(error))
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
                self._list(list(self._labels().values()))

    def _labels(self) -> dict[int, str]:
        view, number = self.seat.view(), self.seat.seat
        return {
            one["action"]: self.seat.game.label(view, one["action"], number, number)
            for one in self.seat.legal()
        }

    # ------------------------------------------------------------ one action

    def _step(self) -> None:
        """Ask for one action and all that was told of it, and follow it."""
        so_far, action = list[Told](), None
        if self.seat.action_mask.any():
            line = self._ask("What did you do?")
            try:
                action = action_meant(line, self._labels(), self.seat.game.actions)
            except IllegalActionError:
                if line.isdecimal():
                    raise
                so_far.append(self._event(line, outcomes(self.seat, []).events))
        while True:
            self._begun = bool(so_far) or action is not None
            may = outcomes(self.seat, so_far, action)
            if not may.events and (so_far or action is not None):
                break
            if len(may.events) == 1 and not may.ends and not self.piped:
                self._say(f"  {may.events[0]}")
                so_far += _json(may.events)
                continue
            event = self._next(may, bool(so_far))
            if event is None:
                break
            so_far.append(event)
        self._follow(so_far, action)

    def _next(self, may: Outcomes, begun: bool) -> Told | None:
        """Ask for the next event; None: nothing more was told."""
        if not self.piped:
            self._list([str(event) for event in may.events])
        nothing = " (Enter: nothing more)" if may.ends and begun else ""
        line = self._ask(f"What {'else ' * begun}was told?{nothing}", blank=begun)
        if not line:
            return None
        if line.isdecimal():
            if not 1 <= int(line) <= len(may.events):
                raise ValueError(f"{line}: the events have the numbers 1 to {len(may.events)}")
            return _json([may.events[int(line) - 1]])[0]
        if not may.ends:
            return self._event(line, may.events)
        try:
            event = self._event(line, may.events)
        except ValueError:
            event = {}
        if not any(event.get("kind") == one.kind.name for one in may.events):
            self._ahead.appendleft(line)  # it belongs to the next action
            return None
        return event

    def _event(self, line: str, likely: Sequence[Event]) -> Told:
        return read_event(line, self.seat.game, likely)

    def _follow(self, so_far: Sequence[Told], action: int | None) -> None:
        """Take what was told; raises EventError, and nothing has changed, if it cannot be."""
        seat, entries = self.seat, list(so_far)
        if action is not None:
            name = seat.game.actions[action]
            entries.insert(0, {"kind": "action", "seat": seat.seat, "action": name})
        before = seat.view()
        seat.told(entries)
        self.history.append(before)

    # ------------------------------------------------------------ talking

    def _ask(self, question: str, blank: bool = False) -> str:
        """Return the next line that is no command; an empty one only if it means something."""
        while True:
            line = self._ahead.popleft() if self._ahead else self._read(question)
            match line.split(maxsplit=1):
                case []:
                    if blank:
                        return ""
                case ["quit"]:
                    raise Quit
                case ["?"] | ["help"]:
                    self._say(HELP)
                case ["show"]:
                    self.show()
                case ["back"]:
                    self._back()
                case ["save", file]:
                    self.save(Path(file))
                    self._say(f"saved: {file}")
                case _:
                    return line.strip()

    def _read(self, question: str) -> str:
        self._line += 1
        return self.console.input("" if self.piped else f"{question} ")

    def _back(self) -> None:
        """Take back what was typed of an action, or else the last action."""
        if not self._begun:
            if not self.history:
                raise ValueError("there is nothing to take back")
            self.seat.saw(self.history.pop())
        raise TakenBack

    def _refuse(self, words: str) -> None:
        """Say what was wrong; it is asked again."""
        self.wrong += 1
        self._say(f"line {self._line}: {words}" if self.piped else words)

    def _list(self, texts: Sequence[str]) -> None:
        if texts:
            self._say("\n".join(in_columns(texts, self.console.width)))

    def _say(self, text: str) -> None:
        say(text, self.console)

    def save(self, path: Path) -> None:
        """Write the seat and its views."""
        views = [*self.history, self.seat.view()]
        write_json(path, {"seat": self.seat.seat, "views": views})


# ---------------------------------------------------------------- how it begins


def begin(
    game: Game, seat: int | None, options: Mapping[str, Any], ask: Callable[[str], str]
) -> Seat:
    """Return a seat at the beginning of a game. ``ask``: called with a question, for what only the
    people at the table know: the entries of the view that differ between deals.

    Raises:
        SnapshotError: no deal agrees with the answers.
    """
    env = RawAEC(game.env_name, **options)
    if seat is None:
        seat = _integer(ask(f"Which player are you, 1 to {env.num_seats}?"), env.num_seats)
    views = []
    for seed in range(OPENINGS):
        env.reset(seed=seed)
        views.append(env.view(env.possible_agents[seat]))
    view = views[0]
    for key in view:
        if any(other[key] != view[key] for other in views):
            view[key] = _answer(key, view[key], [other[key] for other in views], seat, ask)
    return Seat(view, seat)


def _integer(text: str, most: int) -> int:
    """Return the seat of a player's number, which begin with 1."""
    if not text.strip().isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"players have the numbers 1 to {most}, not {shown_in_message(text)}")
    return int(text) - 1


def _answer(key: str, entry: Any, others: list[Any], seat: int, ask: Callable[[str], str]) -> Any:
    """Return what a person says of an entry: words with blanks between them, or JSON."""
    hands = isinstance(entry, list) and any(isinstance(one, list) for one in entry)
    own = entry[seat] if hands else entry
    example = " ".join(map(str, own)) if _plain(own) else json.dumps(own)
    answer = ask(f"{key}{' (yours)' if hands else ''}, such as: {example}\n").strip()
    if answer[:1] in ("[", "{", '"') or not _plain(own):
        try:
            given = json.loads(answer)
        except ValueError:
            given = answer
    else:
        given = answer.replace(",", " ").split()
        if own and isinstance(own, list) and all(type(one) is int for one in own):
            given = [int(one) if one.isdecimal() else one for one in given]
    if not hands:
        return given
    return [given if one == seat else each for one, each in enumerate(entry)]


def _plain(entry: Any) -> bool:
    """Whether an entry can be typed as words."""
    return isinstance(entry, list) and all(isinstance(one, str | int) for one in entry)


def go_on(path: Path, game: Game) -> tuple[Seat, list[Snapshot]]:
    """Return the seat of a saved game, or of a saved view, and its earlier views; raises
    SnapshotError for a file that is neither."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SnapshotError(f"there is no file {path}") from None
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{path} is no saved game: {error}") from None
    if not isinstance(saved, dict):
        raise SnapshotError(f"{path} is no saved game: it must hold an object")
    views = saved.get("views", [saved])
    if not isinstance(views, list) or not views or not all(isinstance(one, dict) for one in views):
        raise SnapshotError(f"{path} is no saved game: its views must be a list of objects")
    seats = [Seat(view, saved.get("seat")) for view in views]
    if any(seat.game is not game or seat.options != seats[0].options for seat in seats):
        raise SnapshotError(f"{path} is not a saved game of {game.env_name}")
    return seats[-1], views[:-1]
