"""One game at a table: who sits where, what has been played, and who may see and do what. Nothing
here knows of a network.

What is played is kept as moves in the order in which they came in, and everything else follows from
them and the first position. Where several seats decide at the same time, each of them sees the
position in which it alone has chosen, until all have: the choices are then carried out together, in
seat order. So nothing shows before that who has chosen, or what.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import check_action
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import NO_NAMES, Names, Viewer
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.pictures import about, joy
from dig_envs.server.bounds import TableError
from dig_envs.server.course import Course, Moment
from dig_envs.server.thinking import LookBack, Replay
from dig_envs.text.lessons import BEGINNER, SEATS, Lesson, lesson_of
from dig_envs.text.sentences import TURN, UNTOLD, ending_text, line_for_people, result_text
from dig_envs.text.telling import copied, reveals, settled, view_of

HUMAN = "human"
NOT_BACK = "you can take nothing back: others have moved, or you have seen something new"
SCORES = "scores"  # what events count in all games


@dataclass(frozen=True)
class Move:
    """An action of a seat. ``memory``: what the agent that played it remembers afterwards, float32
    bytes; empty if nothing."""

    seat: int
    action: int
    memory: bytes = b""


@dataclass(frozen=True)
class Line:
    """A line of the log: something that has happened.

    ``moves``: how many moves had been carried out afterwards. ``seat``: which seat it is about, -1
    for none. ``words``: for each person's seat that is told of it, and for None, those who see what
    is public. ``things``: for each of them the names of the things in the picture that it is about.
    ``turn``: of a heading, which turn begins; 0 for other lines. ``decision``: how many decisions,
    of one seat or of several together, had been made afterwards, as in :meth:`Table.version`.
    ``joy``: what people are to see and hear, as :func:`dig_envs.pictures.joy` says;
    not stored, as it is for those who are there.
    """

    moves: int
    seat: int
    words: Mapping[Viewer, str] = field(default_factory=dict)
    things: Mapping[Viewer, tuple[str, ...]] = field(default_factory=dict)
    turn: int = 0
    decision: int = 0
    joy: str = field(default="", compare=False)


@dataclass(frozen=True)
class TakenBack:
    """The moves from a place on and the lines of the log from one on that were taken back, and how
    often that happened before."""

    place: int
    moves: Sequence[Move]
    line: int
    lines: Sequence[Line]
    taken_back: int


def number_of(seat: int | None) -> int:
    """The seat of a line, -1 for none."""
    return -1 if seat is None else seat


class Table:
    """A game in play, or over.

    Args:
        game: which.
        start: the position at the beginning, complete.
        players: for each seat ``human`` or the name of an agent.
        moves: that were played since. lines: the log of them.
        loaded: whether somebody brought the position at the beginning, and may know what is hidden
            in it.
        names: of the seats.

    Raises:
        SnapshotError: the start is not a position of the game. IllegalActionError: the moves do not
            fit.
        ValueError: seats and players differ in number.
    """

    def __init__(
        self,
        game: Game,
        start: Snapshot,
        players: Sequence[str],
        moves: Iterable[Move] = (),
        lines: Iterable[Line] = (),
        loaded: bool = False,
        names: Names = NO_NAMES,
    ) -> None:
        self.game = game
        self.names = names
        self.loaded = loaded
        self.start = start
        self.players = tuple(players)
        self._first = game.from_snapshot(start)
        self.num_seats = int(self._first["num_players"][0])
        if len(self.players) != self.num_seats:
            raise ValueError(
                f"{len(self.players)} players for {self.num_seats} seats: name one for each seat"
            )
        self.people = tuple(seat for seat, player in enumerate(self.players) if player == HUMAN)
        self.viewers: tuple[Viewer, ...] = (*self.people, None, *(() if self.people else (ALL,)))
        self.moves: list[Move] = []
        self.lines: list[Line] = []
        # the lines that each is told of
        self._told: dict[Viewer, list[int]] = {viewer: [] for viewer in self.viewers}
        self._places: list[list[int]] = [[] for _ in self.players]  # of the moves of each seat
        self.taken_back = 0  # how often moves were taken back
        self._course = Course(game, copied(self._first))
        # the version that it is of, and the rows
        self._scoring: tuple[str, list[dict[str, Any]]] | None = None
        # what was saved last, and of which moment
        self._saved: tuple[Array | None, dict[int, list[int]], Snapshot] = None, {}, {}
        self._shown: tuple[str, bool] | None = (
            None  # the version after the last move, and whether that has shown its player anything
        )
        for move in moves:
            self._play(move)
        self._add(lines)

    # ------------------------------------------------------------ who is to decide

    @property
    def over(self) -> bool:
        return self._course.now.over

    @property
    def deciding(self) -> list[int]:
        """The seats whose decision it is now, whether they have chosen already or not: everybody
        may know that."""
        return self._course.now.deciding

    @property
    def together(self) -> bool:
        """Whether several seats decide at the same time now."""
        return self._course.now.together

    @property
    def carried_out(self) -> int:
        """The moves that all choices known to everybody have led to; those after them are choices
        that others do not know of."""
        return self._course.now.carried_out

    def world(self, seat: int) -> Array:
        """The position as it is for a seat, not to be changed: with its own choice, without those
        of others not carried out."""
        return self._course.now.world(self.game, seat)

    def is_to_act(self, seat: int) -> bool:
        """Whether a seat has still to act in this decision. Only the seat itself may know that."""
        return bool(self.world(seat)["owes"][0][seat])

    def to_act(self) -> list[int]:
        """The seats that have still to act in this decision; not for the eyes of players."""
        return self._course.now.to_act(self.game)

    def legal(self, seat: int) -> list[int]:
        """The legal actions of a seat; none if it is not to act."""
        return self.game.legal_actions(self.world(seat), seat)

    def label(self, seat: int, action: int, view: Mapping[str, Any] | None = None) -> str:
        """An action of a seat in plain English, as it is told to that seat, now or in another
        position (its view of it)."""
        return self.game.label(
            self.view(seat) if view is None else view, action, seat, seat, self.names
        )

    def rename(self, seat: int, name: Any) -> None:
        """Give a seat a name; raises TypeError or ValueError for one that is not possible, or that
        another seat has (:class:`Names`)."""
        given = [self.names.of(number) for number in range(self.num_seats)]
        given[seat] = name
        self.names = Names(tuple(given))

    # ------------------------------------------------------------ what is seen

    def sight(self, viewer: Viewer) -> Array:
        """The complete position of which a seat, or the public, may see its part now; not to be
        changed."""
        return self._course.now.base if viewer in (None, ALL) else self.world(viewer)

    def view(self, viewer: Viewer) -> Mapping[str, Any]:
        """The part of the position that a seat, or the public, may see now."""
        return view_of(self.game, self.sight(viewer), viewer)

    def snapshot(self) -> Snapshot:
        """The complete position, choices that are not carried out yet included; made once, not to
        be changed."""
        now = self._course.now
        base, choices, snapshot = self._saved
        if base is not now.base or choices != now.choices:
            snapshot = save_position(self.game, settled(self.game, now.base, now.choices))
            self._saved = now.base, now.copy().choices, snapshot
        return snapshot

    def version(self, viewer: Viewer) -> str:
        """Changes whenever the position changes for a viewer, and never otherwise."""
        own = 0 if viewer is None else len(self._course.now.choices.get(viewer, ()))
        return f"{self.taken_back}.{self._course.now.decisions}.{own}"

    # ------------------------------------------------------------ playing

    def act(self, seat: int, action: Any, memory: bytes = b"") -> list[Line]:
        """Play an action of a seat; returns the lines that this adds to the log.

        Raises:
            TableError: the game is over, it is not the seat's decision, or the action is no
                integer. IllegalActionError: the action is not legal.
        """
        self._require_turn(seat)
        try:
            index = check_action(
                action,
                self.game.mask_of(self.world(seat), seat),
                self.game.actions,
                f"player_{seat}",
            )
        except TypeError as error:
            raise TableError("bad-request", str(error)) from None
        self._play(Move(seat, index, memory))
        if self._course.now.choices:
            return []
        added = self._new_lines()
        self._add(added)
        return added

    def told(self, viewer: Viewer, first: int) -> list[Line]:
        """The lines of the log that a viewer is told of, from one of these on."""
        return [self.lines[number] for number in self._told[viewer][first:]]

    def count_told(self, viewer: Viewer) -> int:
        """The number of lines of the log that a viewer is told of."""
        return len(self._told[viewer])

    def _add(self, lines: Iterable[Line]) -> None:
        for line in lines:
            for viewer in line.words:
                self._told[viewer].append(len(self.lines))
            self.lines.append(line)

    def _require_turn(self, seat: int) -> None:
        if self.over:
            raise TableError("over", "the game is over")
        if seat not in self.deciding:
            who = self.names.people(self.deciding, None)
            raise TableError("not-your-turn", f"it is not your turn; to decide: {who}")
        if not self.is_to_act(seat):
            raise TableError("not-your-turn", "you have chosen; the others are still choosing")

    def _play(self, move: Move) -> None:
        """A move, whose action may come from a file: IllegalActionError if it is not legal, and
        nothing has changed."""
        world = self.world(move.seat) if move.seat in self.deciding else None
        mask = (
            np.zeros(len(self.game.actions), np.int8)
            if world is None
            else self.game.mask_of(world, move.seat)
        )
        check_action(move.action, mask, self.game.actions, f"player_{move.seat}")
        self._course.play(move.seat, move.action)
        self._places[move.seat].append(len(self.moves))
        self.moves.append(move)

    def _new_lines(self) -> list[Line]:
        """The lines of the log about what was carried out last."""
        log = EventLog(self.game, self._course.now.before)
        for seat, action in self._course.now.last:
            log.play(seat, action)
        turn, lines = int(self._course.now.before["turn"][0]), []
        for row in log.rows(self.viewers):
            told = {viewer: event for viewer, event in row.items() if event.kind.name not in UNTOLD}
            if not told:
                continue
            first = next(iter(told.values()))
            turn += first.kind.name == TURN
            lines.append(
                Line(
                    self.carried_out,
                    number_of(first.seat),
                    {viewer: self._words(event)[0] for viewer, event in told.items()},
                    {viewer: self._words(event)[1] for viewer, event in told.items()},
                    turn if first.kind.name == TURN else 0,
                    self._course.now.decisions,
                    joy(self.game, first),
                )
            )
        return lines

    def _words(self, event: Event) -> tuple[str, tuple[str, ...]]:
        """The log's words for an event, and the things in the picture that it is about."""
        line = line_for_people(self.game, event, self.names) if self.people else None
        if line is None:
            return event.text(self.names), about(self.game, event)
        return line, ()

    def memory(self, seat: int) -> bytes:
        """The memory of the agent in a seat, float32 bytes; empty before its first move."""
        return self.moves[self._places[seat][-1]].memory if self._places[seat] else b""

    def since(self, seat: int) -> tuple[Array, tuple[tuple[int, int], ...]]:
        """The position before the last decision of a seat, and the actions since that were carried
        out.

        Before its first decision these are the first position and all that was played.

        Returns:
            A record array of length 1, not to be changed; seats and actions in the order in which
            they were carried out, and last what the seat itself has chosen that is not carried out
            yet.
        """
        first = self._places[seat][-1] if self._places[seat] else 0
        moment = self._moment(first)
        before = moment.base
        played = self._go_on(moment)
        return before, (*played, *((seat, action) for action in moment.choices.get(seat, [])))

    def course(self) -> tuple[Array, tuple[tuple[int, int], ...]]:
        """The position at the beginning, not to be changed, and the seats and actions since, in the
        order in which they were carried out."""
        return self._first, tuple(self._in_order())

    # ------------------------------------------------------------ a guided first game

    @cached_property
    def lesson(self) -> Lesson | None:
        """The guided first game that this is, by its deal; None: another game."""
        if self.people != (BEGINNER,) or self.num_seats != SEATS:
            return None
        lesson = lesson_of(self.game)
        return lesson if lesson is not None and lesson.start == self.start else None

    def lesson_move(self, seat: int) -> int | None:
        """What an opponent in a guided game plays now; None: what it thinks best."""
        played = ((move.seat, move.action) for move in self.moves)
        return self.lesson.next_move(seat, played) if self.lesson else None

    def coach(self, seat: Viewer) -> dict[str, Any] | None:
        """What a beginner is told about the own decision in a guided game, as JSON
        (:meth:`Lesson.coach`)."""
        if self.lesson is None or seat != BEGINNER or not self.is_to_act(BEGINNER):
            return None
        return self.lesson.coach((move.seat, move.action) for move in self.moves)

    # ------------------------------------------------------------ taking back

    def may_take_back(self, seat: int) -> bool:
        """Whether a seat may take back its last action now.

        Who plays against agents alone may always go back, to the last own decision. With other
        people at the table it must be the last action of all, it must not have ended the game, and
        it must have shown nothing new to who takes it back. A choice that is not carried out yet
        can always be taken back.
        """
        question = self.asked_of_last(seat)
        if isinstance(question, bool):
            return question
        shows = reveals(self.game, *question)
        self.answer_of_last(question, shows)
        return not shows

    def asked_of_last(self, seat: int) -> bool | tuple[Array, int, int]:
        """Whether a seat may take back its last action, where that is known; otherwise what
        :func:`reveals` has to be asked first.

        That takes milliseconds, so it is asked once for each move, and can be asked elsewhere
        (:meth:`answer_of_last`).
        """
        now = self._course.now
        if seat not in self.people or not self._places[seat]:
            return False
        if now.choices.get(seat) or self.people == (seat,):
            return True
        last = self.moves[now.carried_out - 1]  # whether others have chosen since, nobody may see
        if self.over or last.seat != seat or now.was_together:
            return False
        if self._shown is not None and self._shown[0] == self.version(None):
            return not self._shown[1]
        return now.before, seat, last.action

    def answer_of_last(self, question: tuple[Array, int, int], shows: bool) -> None:
        """Note whether the last action has shown its player something new, unless the position is
        another one by now."""
        if question[0] is self._course.now.before:
            self._shown = self.version(None), shows

    def take_back(self, seat: int) -> "TakenBack":
        """Take back the last own action; raises TableError if that may not be."""
        if not self.may_take_back(seat):
            raise TableError("not-back", NOT_BACK)
        place = self._places[seat][-1]
        own = bool(self._course.now.choices.get(seat))
        kept = self.moves[place + 1 :] if own else []  # what others have chosen meanwhile stays
        # others do not see that a choice was changed
        taken_back = self.taken_back if own else self.taken_back + 1
        return self._go_back(place, kept, taken_back)

    def restore(self, before: "TakenBack") -> None:
        """Be again as it was before moves were taken back."""
        self._go_back(before.place, before.moves, before.taken_back)
        self._cut_lines(before.line)
        self._add(before.lines)

    def drop_last(self) -> None:
        """Be as it was before the last move, which nobody has heard of."""
        self._go_back(len(self.moves) - 1, [], self.taken_back)

    def _go_back(self, place: int, then: Sequence[Move], taken_back: int) -> "TakenBack":
        """Drop all moves from a place on, with their lines, and play others then; returns what was
        dropped."""
        moves = self.moves[place:]
        for seat in {move.seat for move in moves}:
            del self._places[seat][bisect_left(self._places[seat], place) :]
        self._course.go_back(place)
        for move in self.moves[self._course.now.moves : place]:
            self._course.play(move.seat, move.action)
        del self.moves[place:]
        for move in then:
            self._play(move)
        line = bisect_right(self.lines, self.carried_out, key=lambda line: line.moves)
        dropped = TakenBack(place, moves, line, self.lines[line:], self.taken_back)
        self._cut_lines(line)
        self.taken_back = taken_back
        self._shown = None
        return dropped

    def _cut_lines(self, first: int) -> None:
        for told in self._told.values():
            del told[bisect_left(told, first) :]
        del self.lines[first:]

    # ------------------------------------------------------------ the end

    def result(self) -> str:
        """The result of the game in words; empty while it is in play."""
        return result_text(self.game, self.view(None), names=self.names) if self.over else ""

    def ending(self) -> str:
        """Why the game ended, in words; empty while it is in play."""
        return ending_text(self.game, self.view(None)) if self.over else ""

    def by_score(self) -> bool:
        """Whether the game, which is over, was won by the score, and not by something else such as
        a treasure, or by nobody."""
        if not self.over or self.game.score_decides:
            return self.over
        view = self.view(None)
        return bool(view["truncated"] and view["winners"])

    def scoring(self) -> list[dict[str, Any]]:
        """The changes of the scores so far: the sums of all seats for each kind of event.

        What they had at the beginning comes first, if it was anything. The sums of all rows are the
        scores.
        """
        version = self.version(None)
        if not self.is_scored:
            log, events = EventLog(self.game, self._first), self.game.events
            for seat, action in self._in_order():
                log.play(seat, action)
            before = [int(score) for score in self._first["scores"][0][: self.num_seats]]
            rows = {"at the start": before} if any(before) else {}
            for event in log.told(ALL):
                counted = {name: [0] * self.num_seats for name in events.counts}
                events.follow(counted, event)
                if any(counted[SCORES]):
                    what = event.kind.scored or event.kind.name.replace("_", " ")
                    row = rows.get(what, [0] * self.num_seats)
                    rows[what] = [
                        one + more for one, more in zip(row, counted[SCORES], strict=True)
                    ]
            found = [{"what": what, "points": points} for what, points in rows.items()]
            self._scoring = version, found
        assert self._scoring is not None
        return self._scoring[1]

    @property
    def is_scored(self) -> bool:
        """Whether :meth:`scoring`, which takes as long as the game was, has its answer already."""
        return self._scoring is not None and self._scoring[0] == self.version(None)

    def _moment(self, moves: int) -> Moment:
        """The moment after so many moves, to go on from."""
        moment = self._course.kept_before(moves)
        for move in self.moves[moment.moves : moves]:
            moment.play(self.game, move.seat, move.action)
        return moment

    def _go_on(self, moment: Moment) -> list[tuple[int, int]]:
        """Go on from a moment to the last one; returns seats and actions, in the order in which
        they were carried out."""
        found: list[tuple[int, int]] = []
        for move in self.moves[moment.moves :]:
            moment.play(self.game, move.seat, move.action)
            if not moment.choices:
                found += moment.last
        return found

    def _in_order(self) -> list[tuple[int, int]]:
        """Seats and actions of all moves, in the order in which they were carried out."""
        return self._go_on(self._moment(0))

    def decisions(self) -> dict[int, int]:
        """After how many moves each decision was carried out of which the log tells something."""
        return {line.decision: line.moves for line in self.lines}

    def look_back(self, seat: int) -> LookBack:
        """The task to find the largest mistakes of a seat in a finished game; raises TableError if
        the game is not over."""
        if not self.over:
            raise TableError("not-over", "mistakes are told when the game is over")
        first, played = self.course()
        return LookBack(self.game, first.tobytes(), played, seat, self.names)

    def place(self, seat: int, decision: int) -> int:
        """The number of moves before move number ``decision`` of a seat, counted from 0."""
        return self._places[seat][decision]

    def replay(self, moves: int, viewer: Viewer) -> Replay:
        """The task to find the position after ``moves`` moves of a finished game, as a seat could
        see it; nothing is computed here.

        Raises:
            TableError: the game is not over, or had not so many moves.
        """
        if not self.over:
            raise TableError("not-over", "a game can be replayed when it is over")
        if not 0 <= moves <= len(self.moves):
            raise TableError("bad-request", f"the game had {len(self.moves)} moves")
        moment = self._course.kept_before(max(moves - 1, 0))
        played = tuple((move.seat, move.action) for move in self.moves[moment.moves : moves])
        return Replay(self.game, moment.base.tobytes(), played, viewer, self.names)
