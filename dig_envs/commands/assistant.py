"""The assistant for a real table: ``dig-envs advise``. It follows a game for one seat by what a
person types, and advises at the seat's decisions."""

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, product
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
from dig_envs.engine.core.errors import DigEnvsError, EventError, IllegalActionError, SnapshotError
from dig_envs.engine.core.events import Event, Flag, Kind, Part, Seats, Text, Thing, Things, Who
from dig_envs.engine.core.words import NO_NAMES
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
DEALS, LOOKS = 24, 6
MOST_SILENT = 24  # actions of others in a row of which the seat is told nothing
MOST_LISTED = 60  # events in a list
MOST_UNFORESEEN = 6  # events of an action that are asked for when no deal has come so far
OPENINGS = 12  # deals that are compared, to find what differs between them
OVER = "the game is over"  # begins a sentence
MOST_NUMBER = 1000  # of which a sentence may tell
MOST_READINGS = 20_000  # of a sentence that are tried
Told = dict[str, Any]  # an event in JSON, without its text


# ---------------------------------------------------------------- what may happen


@dataclass
class Outcomes:
    """What may be told next.

    Attributes:
        events: most frequent first. ends: whether nothing more may be told of the action.
        action: who may have done what; None where that is unknown, or several may be meant.
    """

    events: list[Event]
    ends: bool
    action: tuple[int, int] | None


def outcomes(seat: Seat, so_far: Sequence[Told], action: int | None = None) -> Outcomes:
    """Return what may be told to a seat after some events of one action, on some deals of what the
    seat cannot know.

    Args:
        seat: that is told. so_far: of the action, in order. action: its own; None: any of anybody.
    """
    courses = list(_courses(seat, so_far, action))
    far = {pair: _distance(told, so_far) for pair, told in courses}
    for pair, told in courses:
        far[pair] = min(far[pair], _distance(told, so_far))
    nearest = [pair for pair, distance in far.items() if distance == min(far.values())]
    fitting = [told for _, told in courses if _agree(told, so_far)]
    if not fitting:  # nothing was dealt so: what is told of the same kinds of events
        fitting = [told for _, told in courses if len(told) >= len(so_far)]
    following = [told[len(so_far)] for told in fitting if len(told) > len(so_far)]
    texts = {str(event): event for event in following}
    ranked = Counter(map(str, following)).most_common(MOST_LISTED)
    return Outcomes(
        [texts[text] for text, _ in ranked],
        len(following) < len(fitting),
        nearest[0] if len(nearest) == 1 else None,
    )


def _distance(told: Sequence[Event], so_far: Sequence[Told]) -> int:
    """Return in how many values what an action first tells differs from what was told."""
    if not so_far:
        return 0
    first = _json(told[:1])[0]
    return sum(first.get(name) != value for name, value in so_far[0].items())


def _agree(told: Sequence[Event], so_far: Sequence[Told]) -> bool:
    """Whether an action tells what was told so far, or more."""
    return len(told) >= len(so_far) and all(
        event.items() >= said.items()
        for event, said in zip(_json(told[: len(so_far)]), so_far, strict=True)
    )


def _courses(
    seat: Seat, so_far: Sequence[Told], action: int | None
) -> Iterator[tuple[tuple[int, int], list[Event]]]:
    """Yield actions, and what they tell, that begin with events of the same kinds and seats as
    those so far."""
    game, log = seat.game, EventLog(seat.game, seat.states)
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
            if told and so_far and _distance(told, so_far) == 0:
                begin.add(pair)
            kinds = [(event.kind.name, event.seat) for event in told[: len(wanted)]]
            if told and all(one == two for one, two in zip(kinds, wanted, strict=False)):
                yield pair, told


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
    return [{"kind": one.kind.name, "seat": one.seat, **one.values} for one in events]


def _action(game: Game, seat: int, action: int) -> Told:
    """Return the entry that names an action."""
    return {"kind": "action", "seat": seat, "action": game.actions[action]}


# ---------------------------------------------------------------- what was typed


def read_event(line: str, game: Game, seats: int, viewer: int, likely: Sequence[Event]) -> Told:
    """Return the event that a line tells: a sentence as the log says it, in any case, or
    ``kind player value …``, or JSON. Values that it does not say are left out.

    Args:
        line: that was typed. game: that is played. seats: at the table. viewer: who is *you*.
        likely: events that may be meant, where several kinds have the same sentence.

    Raises:
        ValueError: it tells none; the message says what may be meant.
    """
    if line.startswith("{"):
        try:
            told = json.loads(line)
        except ValueError as error:
            raise ValueError(f"this is no JSON: {error}") from None
        return {key: value for key, value in told.items() if key != "text"}
    name, *values = line.split()
    if any(kind.name == name for kind in game.events.kinds):
        return _short(game.events.kind(name), values)
    if _bare(line).startswith(OVER):
        return {"kind": "over", "seat": None}  # why is clear from what was before
    kinds = [event.kind for event in likely]
    for kind in [*dict.fromkeys(kinds), *(k for k in game.events.kinds if k not in kinds)]:
        if found := list(_readings(line, kind, seats, viewer)):
            same = [key for key in found[0] if all(one[key] == found[0][key] for one in found)]
            told = {key: found[0][key] for key in same if key in _said(kind)}
            if "seat" not in told:  # the sentence does not say it
                told["seat"] = next((one.seat for one in likely if one.kind is kind), None)
            return told
    some = "; ".join(str(event) for event in likely[:3])
    raise ValueError(
        f"{shown_in_message(line)} is no event" + (f"; it may be: {some}" if some else "")
    )


def _readings(line: str, kind: Kind, seats: int, viewer: int) -> Iterator[Told]:
    """Yield the events of a kind whose sentence this is: they differ in what it does not say."""
    words = _bare(line)
    spelled = {int(number) for number in re.findall(r"\d+", words)}
    numbers = sorted({0, 1} | {number for number in spelled if number < MOST_NUMBER})
    people = [p for p in range(seats) if p == viewer or f"player {p + 1}" in words]
    choices: list[list[Any]] = [[*people, None]]
    for part in kind.parts:
        if isinstance(part, Things):
            choices.append([[name for name in part.names if _is_in(part, [name], words)], []])
        elif isinstance(part, Thing):
            some = [name for name in part.names if _is_in(part, name, words)]
            # the first name is sometimes implied
            choices.append(list(dict.fromkeys([*some, part.names[0], None])))
        elif isinstance(part, Seats):
            choices.append([people, [p for p in people if p != viewer]])
        elif isinstance(part, Who):
            choices.append([*people, None])
        elif isinstance(part, Text):
            return
        else:
            choices.append([False, True] if isinstance(part, Flag) else [*numbers])
    for one, part in zip(choices[1:], kind.parts, strict=True):
        if part.name not in _said(kind):
            one[1:] = []
    names = ["seat", *(part.name for part in kind.parts)]
    for combination in islice(product(*choices), MOST_READINGS):
        values = dict(zip(names, combination, strict=True))
        rest = {name: value for name, value in values.items() if name != "seat"}
        for knows in (True, False) if kind.hides else (True,):
            with suppress(KeyError, TypeError, IndexError, ValueError, StopIteration):
                if _bare(Event(kind, values["seat"], rest, viewer, knows).text()) == words:
                    hidden = [part.name for part in kind.parts if part.hidden and not knows]
                    yield {"kind": kind.name, **values, **dict.fromkeys(hidden)}


def _said(kind: Kind) -> set[str]:
    """Return the names of what a sentence of a kind may say."""
    names = {"kind", "seat", *(part.name for part in kind.parts)}
    if not isinstance(kind.words, str) or not isinstance(kind.others, str | None):
        return names
    template = kind.words + (kind.others or "")
    return {"kind", "seat"} | {
        name for name in names if re.search(rf"{{(?:an? )?{name}\W", template)
    }


def _is_in(part: Part, value: Any, words: str) -> bool:
    return str(part.words(value)).casefold() in words


def _bare(line: str) -> str:
    return " ".join(line.split()).rstrip(".!").casefold()


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
        known = may.ends or bool(may.events)
        for _ in range(0 if known else MOST_UNFORESEEN):
            try:
                return self._follow(so_far, action, may.action)
            except EventError:
                line = self._ask("What else was told? (Enter: nothing more)", blank=True)
                if not line:
                    break
                so_far.append(self._event(line, []))
        return self._follow(so_far, action, may.action)

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
        return read_event(line, self.seat.game, self.seat.num_seats, self.seat.seat, likely)

    def _follow(
        self, so_far: Sequence[Told], action: int | None, likely: tuple[int, int] | None
    ) -> None:
        """Take what was told; raises EventError, and nothing has changed, if it cannot be."""
        seat, before = self.seat, self.seat.view()
        who = likely if action is None else (seat.seat, action)
        entry = [] if who is None else [_action(seat.game, *who)]
        try:
            seat.told([*entry, *so_far])
        except EventError:
            if action is not None or who is None:
                raise
            seat.told(so_far)  # another action was meant
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
    for key, entry in view.items():
        entries = [other[key] for other in views]
        if all(other == entry for other in entries):
            continue
        if not isinstance(entry, list) or len(entry) != env.num_seats:
            view[key] = _answer(key, entries, ask)
            continue
        for place in range(env.num_seats):
            parts = [other[place] for other in entries]
            if any(part != parts[0] for part in parts):
                whose = "yours" if place == seat else NO_NAMES.of(place)
                entry[place] = _answer(f"{key}, {whose}", parts, ask)
    return Seat(view, seat)


def _integer(text: str, most: int) -> int:
    """Return the seat of a player's number, which begin with 1."""
    if not text.strip().isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"players have the numbers 1 to {most}, not {shown_in_message(text)}")
    return int(text) - 1


def _answer(what: str, entries: list[Any], ask: Callable[[str], str]) -> Any:
    """Return what a person says of an entry that differs between deals: words with blanks between
    them, a number, or JSON; nothing stands for the usual, if there is one."""
    usual, often = Counter(map(json.dumps, entries)).most_common(1)[0]
    shown = _written(entries[0])
    by_default = f"; Enter: {_written(json.loads(usual)) or 'nothing'}" if often > 2 else ""
    answer = ask(f"{what}, such as: {shown}{by_default}\n").strip()
    if not answer and by_default:
        return json.loads(usual)
    if answer[:1] in ("[", "{", '"'):
        try:
            return json.loads(answer)
        except ValueError as error:
            raise ValueError(f"{what}: this is no JSON: {error}") from None
    words = answer.replace(",", " ").split()
    if isinstance(entries[0], list):
        return words
    try:
        return json.loads(answer)
    except ValueError:
        return answer


def _written(entry: Any) -> str:
    """Return an entry as it can be typed."""
    if isinstance(entry, list) and all(isinstance(one, str) for one in entry):
        return " ".join(entry)
    return json.dumps(entry)


def go_on(path: Path, game: Game, seat: int | None) -> tuple[Seat, list[Snapshot]]:
    """Return the seat of a saved game, or of a saved view, and its earlier views; raises
    SnapshotError for a file that is neither. ``seat``: of a view; None: who is to move in it."""
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
    seats = [Seat(view, saved.get("seat", seat)) for view in views]
    if any(seat.game is not game or seat.options != seats[0].options for seat in seats):
        raise SnapshotError(f"{path} is not a saved game of {game.env_name}")
    return seats[-1], views[:-1]
