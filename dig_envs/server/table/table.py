"""One game at a table: who sits where, what has been played, and who may see and do what. Nothing here knows of a network.

What is played is kept as moves in the order in which they came in, and everything else follows from them and the first position.
Where several seats decide at the same time, each of them sees the position in which it alone has chosen, until all have: the
choices are then carried out together, in seat order. So nothing shows before that who has chosen, or what.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import check_action
from dig_envs.engine.core.words import NO_NAMES, Names, Viewer
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.engine.game import Array, Game, Snapshot
from dig_envs.engine.snapshots.positions import save_position
from dig_envs.pictures import about
from dig_envs.server.bounds import TableError
from dig_envs.text.sentences import headline, result_text
from dig_envs.text.telling import after, copied, reveals, settled, view_of

HUMAN = "human"
UNTOLD = ("chose",)  # kinds of events that are no lines: of choices made at once all are told together
TURN = "turn"  # the kind of event that is a heading of the lines after it
SCORES = "scores"  # what events count in all games


@dataclass(frozen=True)
class Move:
    """An action of a seat. ``memory``: what the agent that played it remembers afterwards, float32 bytes; empty if nothing."""

    seat: int
    action: int
    memory: bytes = b""


@dataclass(frozen=True)
class Line:
    """A line of the log: something that has happened.

    ``moves``: how many moves had been carried out afterwards. ``seat``: which seat it is about, -1 for none. ``words``: for each
    person's seat that is told of it, and for None, those who see what is public. ``things``: for each of them the names of the
    things in the picture that it is about. ``turn``: of a heading, which turn begins; 0 for other lines.
    """

    moves: int
    seat: int
    words: Mapping[Viewer, str] = field(default_factory=dict)
    things: Mapping[Viewer, tuple[str, ...]] = field(default_factory=dict)
    turn: int = 0


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
        loaded: whether somebody brought the position at the beginning, and may know what is hidden in it.
        names: of the seats.

    Raises:
        SnapshotError: the start is no position of the game. IllegalActionError: the moves do not fit.
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
            raise ValueError(f"{len(self.players)} players for {self.num_seats} seats")
        self.people = tuple(seat for seat, player in enumerate(self.players) if player == HUMAN)
        self.viewers: tuple[Viewer, ...] = (*self.people, None, *(() if self.people else (ALL,)))
        self.moves: list[Move] = []
        self.lines: list[Line] = []
        self.taken_back = 0  # how often moves were taken back
        self._begin()
        for move in moves:
            self._play(move)
        self.lines = list(lines)

    def _begin(self) -> None:
        """As at the start, without moves."""
        self.moves.clear()
        self._scoring: list[dict[str, Any]] | None = None  # computed when it is asked for
        self._carried_out: list[tuple[int, int]] = []  # seats and actions, in the order in which they were carried out
        self._carried_out_last: list[tuple[int, int]] = []  # seats and actions
        self._base = copied(self._first)  # the last position that is common to all
        self._choices: dict[int, list[int]] = {}  # what seats have chosen since, where several decide at once
        self._before, self._was_together = self._base, False  # the position before the last move was carried out
        self.carried_out = 0  # moves that have led to the base …
        self._decisions = 0  # … and decisions, of one seat or of several together

    # ------------------------------------------------------------ who is to decide

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._base["over"][0])

    @property
    def deciding(self) -> list[int]:
        """The seats whose decision it is now, whether they have chosen already or not: everybody may know that."""
        return [int(seat) for seat in np.flatnonzero(self._base["owes"][0][: self.num_seats])]

    @property
    def together(self) -> bool:
        """Whether several seats decide at the same time now."""
        return len(self.deciding) > 1

    def world(self, seat: int) -> Array:
        """The position as it is for a seat, not to be changed: with its own choice, without those of others not carried out."""
        chosen = self._choices.get(seat)
        return after(self.game, self._base, seat, *chosen) if chosen else self._base

    def is_to_act(self, seat: int) -> bool:
        """Whether a seat has still to act in this decision. Only the seat itself may know that."""
        return bool(self.world(seat)["owes"][0][seat])

    def to_act(self) -> list[int]:
        """The seats that have still to act in this decision; not for the eyes of players."""
        return [seat for seat in self.deciding if self.is_to_act(seat)]

    def legal(self, seat: int) -> list[int]:
        """The legal actions of a seat; none if it is not to act."""
        return self.game.legal_actions(self.world(seat), seat)

    def label(self, seat: int | None, action: int) -> str:
        """An action of a seat in plain English, as it is told to that seat."""
        return self.game.action_list.label(action, seat or 0, self.num_seats, seat, self.names)

    def rename(self, seat: int, name: str) -> None:
        """Give a seat a name; raises ValueError for one that is not possible, or that another seat has."""
        given = [self.names.of(number) for number in range(self.num_seats)]
        given[seat] = name
        self.names = Names(tuple(given))

    # ------------------------------------------------------------ what is seen

    def view(self, viewer: Viewer) -> Mapping[str, Any]:
        """The part of the position that a seat, or the public, may see now; for ``ALL`` the position itself."""
        if viewer == ALL:
            return self.game.to_snapshot(self._base[0])
        return view_of(self.game, self._base if viewer is None else self.world(viewer), viewer)

    def snapshot(self) -> Snapshot:
        """The complete position, choices that are not carried out yet included."""
        return save_position(self.game, settled(self.game, self._base, self._choices))

    def version(self, viewer: Viewer) -> str:
        """Changes whenever the position changes for a viewer, and never otherwise."""
        own = 0 if viewer is None else len(self._choices.get(viewer, ()))
        return f"{self.taken_back}.{self._decisions}.{own}"

    def headline(self, viewer: Viewer, view: Mapping[str, Any]) -> str:
        """Who is to decide what, or how the game has ended, in words."""
        return headline(self.game, view, viewer, self.names, self.deciding)

    # ------------------------------------------------------------ playing

    def act(self, seat: int, action: Any, memory: bytes = b"") -> list[Line]:
        """Play an action of a seat; returns the lines that this adds to the log.

        Raises:
            TableError: the game is over, or it is not the seat's decision. IllegalActionError: the action is not legal.
        """
        self._require_turn(seat)
        index = check_action(action, self.game.mask_of(self.world(seat), seat), self.game.actions, f"player_{seat}")
        self._play(Move(seat, index, memory))
        if self._choices:
            return []
        added = self._new_lines()
        self.lines += added
        return added

    def _require_turn(self, seat: int) -> None:
        if self.over:
            raise TableError("over", "the game is over")
        if seat not in self.deciding:
            who = self.names.people(self.deciding, None)
            raise TableError("not-your-turn", f"it is not your turn; to decide: {who}")
        if not self.is_to_act(seat):
            raise TableError("not-your-turn", "you have chosen; the others are still choosing")

    def _play(self, move: Move) -> None:
        """A move, whose action may come from a file: IllegalActionError if it is not legal, and nothing has changed."""
        if move.seat not in self.deciding or move.action not in self.legal(move.seat):
            check_action(move.action, np.zeros(len(self.game.actions), np.int8), self.game.actions, f"player_{move.seat}")
        self._choices.setdefault(move.seat, []).append(move.action)
        self.moves.append(move)
        if not self.together or not self.to_act():
            self._before, self._was_together = self._base, self.together
            self._base = settled(self.game, self._base, self._choices)
            self._carried_out_last = [(seat, action) for seat in sorted(self._choices) for action in self._choices[seat]]
            self._carried_out += self._carried_out_last
            self._choices = {}
            self._decisions += 1
            self.carried_out = len(self.moves)

    def _new_lines(self) -> list[Line]:
        """The lines of the log about what was carried out last."""
        log = EventLog(self.game, self._before)
        for seat, action in self._carried_out_last:
            log.play(seat, action)
        turn, lines = int(self._before["turn"][0]), []
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
                    {viewer: event.text(self.names) for viewer, event in told.items()},
                    {viewer: about(self.game, event) for viewer, event in told.items()},
                    turn if first.kind.name == TURN else 0,
                )
            )
        return lines

    def memory(self, seat: int) -> bytes:
        """The memory of the agent in a seat, float32 bytes; empty before its first move."""
        return next((move.memory for move in reversed(self.moves) if move.seat == seat), b"")

    # ------------------------------------------------------------ taking back

    def may_take_back(self, seat: int) -> bool:
        """Whether a seat may take back its last action now.

        Who plays against agents alone may always go back, to the last own decision. With other people at the table it must be the
        last action of all, it must not have ended the game, and it must have shown nothing new to who takes it back.
        A choice that is not carried out yet can always be taken back.
        """
        if seat not in self.people or not any(move.seat == seat for move in self.moves):
            return False
        if self._choices.get(seat) or self.people == (seat,):
            return True
        last = self.moves[-1]
        if self.over or self._choices or last.seat != seat or self._was_together:
            return False
        return not reveals(self.game, self._before, seat, last.action)

    def take_back(self, seat: int) -> None:
        """Take back the last own action; raises TableError if that may not be."""
        if not self.may_take_back(seat):
            raise TableError("not-back", "you can take nothing back: others have moved, or you have seen something new")
        place = max(number for number, move in enumerate(self.moves) if move.seat == seat)
        own = bool(self._choices.get(seat))
        kept = self.moves[:place] + (self.moves[place + 1 :] if own else [])  # what others have chosen meanwhile stays
        taken_back = self.taken_back
        self._begin()
        for move in kept:
            self._play(move)
        self.lines = [line for line in self.lines if line.moves <= self.carried_out]
        self.taken_back = taken_back if own else taken_back + 1  # others do not see that a choice was changed

    # ------------------------------------------------------------ the end

    def result(self) -> str:
        """How the game ended, in words; empty while it is in play."""
        return result_text(self.game, self.view(None), names=self.names) if self.over else ""

    def scoring(self) -> list[dict[str, Any]]:
        """What has changed the scores in the game as it was played: for each kind of event the sums of all seats.

        What they had at the beginning comes first, if it was anything. The sums of all rows are the scores.
        """
        if self._scoring is None:
            log, events = EventLog(self.game, self._first), self.game.events
            for seat, action in self._carried_out:
                log.play(seat, action)
            before = [int(score) for score in self._first["scores"][0][: self.num_seats]]
            rows = {"at the start": before} if any(before) else {}
            for event in log.told(ALL):
                counted = {name: [0] * self.num_seats for name in events.counts}
                events.follow(counted, event)
                if any(counted[SCORES]):
                    what = event.kind.name.replace("_", " ")
                    row = rows.get(what, [0] * self.num_seats)
                    rows[what] = [one + more for one, more in zip(row, counted[SCORES], strict=True)]
            self._scoring = [{"what": what, "points": points} for what, points in rows.items()]
        return self._scoring

    def decisions(self, viewer: Viewer) -> list[int]:
        """After how many moves each decision was carried out of which a viewer was told something."""
        return sorted({line.moves for line in self.lines if viewer in line.words})

    def before(self, moves: int) -> "Table":
        """This table, over by now, as it was before a move; raises TableError as :meth:`replay`."""
        self._require_over(moves)
        if moves == len(self.moves):
            raise TableError("bad-request", f"the game had {moves} moves")
        return Table(self.game, self.start, self.players, self.moves[:moves], names=self.names)

    def _require_over(self, moves: int) -> None:
        if not self.over:
            raise TableError("not-over", "a game can be replayed when it is over")
        if not 0 <= moves <= len(self.moves):
            raise TableError("bad-request", f"the game had {len(self.moves)} moves")

    def replay(self, moves: int, viewer: Viewer) -> tuple[Mapping[str, Any], list[str]]:
        """Return what a seat could see of a finished game after so many moves, and all moves in words, hidden ones included.

        Raises:
            TableError: the game is not over, or had not so many moves.
        """
        self._require_over(moves)
        label = self.game.action_list.label
        names, seats = self.names, self.num_seats
        texts = [f"{names.of(move.seat)}: {label(move.action, move.seat, seats, names=names)}" for move in self.moves]
        return Table(self.game, self.start, self.players, self.moves[:moves]).view(viewer), texts
