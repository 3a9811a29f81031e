"""Games on the disk: a small SQLite file that survives a kill of the server at any moment.

A game is kept as its first position and its moves; each move is written before anybody is told of
it. Seats are found by a hash of their secret, so that the file does not contain the secrets.
"""

import hashlib
import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from dig_envs.engine.core.errors import DigEnvsError
from dig_envs.engine.core.files import CannotWrite, is_special
from dig_envs.engine.core.words import NO_NAMES, Names, Viewer
from dig_envs.registry import load_game
from dig_envs.server.bounds import Bounds, TableError
from dig_envs.server.table.table import Line, Move, Table

FORM = 1  # of the file; another one is refused
# in the file's header, SQLite's application_id: files of other programs are left alone
MARK = int.from_bytes(b"dige")
TOKEN_BYTES = 16
BUSY_SECONDS = 2.0
MOST_RESULTS = 100  # that are kept under a name, the newest; as MOST_SHARED in page/results.js
DAY = 86400.0
# in the file, in a line: the viewers without a seat; numbers of the line
PUBLIC, TURN, DECISION = "public", "turn", "decision"
SCHEMA = """
create table if not exists game (
    id text primary key, env text not null, start text not null, players text not null,
    loaded integer not null, touched real not null
);
create table if not exists place (
    hash text primary key, game text not null references game on delete cascade, seat integer
);
create index if not exists place_of_game on place (game);
create table if not exists move (
    game text not null references game on delete cascade, number integer not null,
    seat integer not null, action integer not null, memory blob not null, primary key (game, number)
) without rowid;
create table if not exists line (
    game text not null references game on delete cascade, number integer not null,
    moves integer not null, seat integer not null, words text not null, primary key (game, number)
) without rowid;
create table if not exists result (
    who text not null, game text not null, env text not null, level text not null,
    won integer not null, at integer not null, touched real not null,
    primary key (who, game)
) without rowid;
create table if not exists waiting (
    game text primary key references game on delete cascade
) without rowid;
"""


@dataclass(frozen=True)
class Place:
    """A place that a secret opens: a seat of a game, or (``seat`` None) that of who opened the
    table and watches."""

    game: str
    seat: Viewer


class Result(msgspec.Struct, forbid_unknown_fields=True):
    """How a game has ended for somebody: the game's id, its environment, against whom, whether it
    was won, and when (milliseconds since 1970)."""

    game: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}\Z")]
    env: str
    level: Annotated[str, msgspec.Meta(pattern=r"^[ -~]{1,80}\Z")]
    won: bool
    when: Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


@dataclass(frozen=True)
class StoredGame:
    """A game as it is in the file: its environment, first position, players, moves and log."""

    env: str
    start: Mapping[str, Any]
    players: tuple[str, ...]
    loaded: bool
    moves: Sequence[Move]
    lines: Sequence[Line]
    names: Names = NO_NAMES

    def table(self) -> Table:
        """The game as a table; raises TableError if it does not fit the games of this version any
        more."""
        try:
            return Table(
                load_game(self.env),
                dict(self.start),
                self.players,
                self.moves,
                self.lines,
                self.loaded,
                self.names,
            )
        except (DigEnvsError, ValueError, TypeError, KeyError) as error:
            raise TableError(
                "store", f"this game was begun with another version and cannot go on: {error}"
            ) from None


def hashed(token: str) -> str:
    """The hash of a secret, which alone is kept of it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Store:
    """The games of a server.

    Args:
        path: of the file, made if it is not there; None: in memory only.
        bounds: how many games are kept, and for how long.

    Raises:
        TableError: another server uses the file, it is of another form, or of another program.
            OSError: it cannot be made.
    """

    def __init__(self, path: Path | None, bounds: Bounds) -> None:
        self._bounds = bounds
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)  # hidden cards of others
                if is_special(path):
                    raise OSError("it is not a file")
            except OSError as error:
                raise CannotWrite(path, error) from None
        self._base = sqlite3.connect(
            path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._base.execute("pragma locking_mode = exclusive")  # one server for one file
            self._check_form(path)
            self._base.execute("pragma journal_mode = wal")
            self._base.execute("pragma synchronous = normal")
            self._base.execute("pragma foreign_keys = on")
            marks = f"pragma application_id = {MARK}; pragma user_version = {FORM};"
            self._base.executescript(f"begin immediate; {SCHEMA} {marks} commit;")
        except sqlite3.OperationalError as error:
            self._base.close()
            raise TableError(
                "store", f"{path} cannot be used, perhaps another server does: {error}"
            ) from None
        except sqlite3.DatabaseError as error:
            self._base.close()
            raise TableError("store", f"{path} is not a file of games: {error}") from None
        except TableError:
            self._base.close()
            raise

    def _check_form(self, path: Path | None) -> None:
        """Raise TableError for the file of another program, or of another form, before anything in
        it is changed."""
        mark, form = (
            self._base.execute(f"pragma {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        empty = not self._base.execute("select count(*) from sqlite_master").fetchone()[0]
        if mark in (0, MARK) and form not in (0, FORM):
            raise TableError(
                "store", f"{path} has games in the form {form}, this version reads {FORM}"
            )
        new = mark == form == 0 and empty
        if mark != MARK and not new:
            raise TableError("store", f"{path} is not a file of games: another program has made it")

    def close(self) -> None:
        self._base.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it is written or nothing; raises TableError if it cannot be."""
        try:
            self._base.execute("begin immediate")
            with self._base:
                yield
        except sqlite3.Error as error:
            raise TableError("store", f"the game could not be kept: {error}") from None

    # ------------------------------------------------------------ new games

    def add(self, table: Table, waits: bool = False) -> tuple[str, dict[Viewer, str]]:
        """Keep a new game; returns its id and the secrets of its people's seats and (None) of who
        opened it. ``waits``: it begins only when somebody says so.

        Raises:
            TableError: there are too many games, all of them in use lately, or there is no room on
                the disk.
        """
        game_id = secrets.token_hex(8)
        tokens: dict[Viewer, str] = {
            seat: secrets.token_hex(TOKEN_BYTES) for seat in (*table.people, None)
        }
        with self._transaction():
            self._delete_old()
            self._base.execute(
                "insert into game values (?, ?, ?, ?, ?, ?)",
                (
                    game_id,
                    table.game.env_name,
                    json.dumps(table.start),
                    write_players(table),
                    table.loaded,
                    time.time(),
                ),
            )
            self._base.executemany(
                "insert into place values (?, ?, ?)",
                [(hashed(token), game_id, seat) for seat, token in tokens.items()],
            )
            if waits:
                self._base.execute("insert into waiting values (?)", (game_id,))
        return game_id, tokens

    def _delete_old(self) -> None:
        """Delete the games that were touched last long ago, when there are too many; raises
        TableError if there still are."""
        if self.count() < self._bounds.tables:
            return
        self._base.execute(
            "delete from game where touched < ?", (time.time() - self._bounds.days * DAY,)
        )
        if self.count() >= self._bounds.tables:
            raise TableError(
                "full",
                f"this server keeps {self._bounds.tables} games, and all of them are in use; try "
                "again later",
            )

    def count(self) -> int:
        return int(self._base.execute("select count(*) from game").fetchone()[0])

    # ------------------------------------------------------------ finding games

    def find(self, token: Any) -> Place:
        """The place that a secret opens; raises TableError if there is none."""
        row = None
        if isinstance(token, str) and len(token) == 2 * TOKEN_BYTES:
            with _readable("the list of seats"):
                row = self._base.execute(
                    "select game, seat from place where hash = ?", (hashed(token),)
                ).fetchone()
        if row is None:
            raise TableError(
                "no-seat", "this link opens no game here: it is mistyped, or the game is gone"
            )
        return Place(*row)

    def read(self, game_id: str) -> StoredGame:
        """A game as it was kept; raises TableError if it is gone, or damaged, which the others need
        not be.

        It takes as long as the game is; from any thread.
        """
        with _readable(f"game {game_id}"):
            row = self._base.execute(
                "select env, start, players, loaded from game where id = ?", (game_id,)
            ).fetchone()
            if row is None:
                raise TableError("no-seat", "this game is gone")
            env, start, players, loaded = row
            seated, names = read_players(players)
            moves = self._rows(
                "select seat, action, memory from move where game = ? order by number", game_id
            )
            lines = self._rows(
                "select moves, seat, words from line where game = ? order by number", game_id
            )
            return StoredGame(
                env,
                json.loads(start),
                seated,
                bool(loaded),
                [Move(*move) for move in moves],
                [read_line(*line) for line in lines],
                names,
            )

    def _rows(self, query: str, game_id: str) -> list[tuple[Any, ...]]:
        return self._base.execute(query, (game_id,)).fetchall()

    def new_place(self, game_id: str, seat: int) -> str:
        """Make one more secret that opens a seat of a game; returns it."""
        token = secrets.token_hex(TOKEN_BYTES)
        with self._transaction():
            self._base.execute("insert into place values (?, ?, ?)", (hashed(token), game_id, seat))
        return token

    # ------------------------------------------------------------ results under a name

    def add_results(self, name: str, results: Sequence[Result], anew: bool = False) -> list[Result]:
        """Keep results under a name, beside those that it has, or ``anew`` in place of them;
        returns all that are kept, the oldest first. Where there are too many names, those that were
        used last the longest time ago are forgotten."""
        with self._transaction():
            if anew:
                self._base.execute("delete from result where who = ?", (name,))
            self._base.executemany(
                "insert or replace into result values (?, ?, ?, ?, ?, ?, 0)",
                [(name, *msgspec.structs.astuple(result)) for result in results],
            )
            self._base.execute("update result set touched = ? where who = ?", (time.time(), name))
            self._base.execute(
                "delete from result where who not in "
                "(select who from result group by who order by max(touched) desc limit ?)",
                (self._bounds.names,),
            )
            rows = self._base.execute(
                "select game, env, level, won, at from result where who = ? order by at desc",
                (name,),
            ).fetchall()
            self._base.executemany(
                "delete from result where who = ? and game = ?",
                [(name, row[0]) for row in rows[MOST_RESULTS:]],
            )
        return [
            Result(game, env, level, bool(won), when)
            for game, env, level, won, when in reversed(rows[:MOST_RESULTS])
        ]

    # ------------------------------------------------------------ what is played

    def waits(self, game_id: str) -> bool:
        """Whether a game begins only when somebody says so."""
        with _readable(f"game {game_id}"):
            return bool(self._rows("select game from waiting where game = ?", game_id))

    def begin(self, game_id: str) -> None:
        with self._transaction():
            self._base.execute("delete from waiting where game = ?", (game_id,))

    def rename(self, game_id: str, table: Table) -> None:
        with self._transaction():
            self._base.execute(
                "update game set players = ? where id = ?", (write_players(table), game_id)
            )

    def append(self, game_id: str, table: Table, added: Sequence[Line]) -> None:
        """Keep the last move of a table, and the lines that it added."""
        with self._transaction():
            self._write(game_id, table, len(table.moves) - 1, len(table.lines) - len(added))

    def rewrite(self, game_id: str, table: Table, move: int = 0, line: int = 0) -> None:
        """Keep a table whose moves and lines are others from these on."""
        with self._transaction():
            self._base.execute("delete from move where game = ? and number >= ?", (game_id, move))
            self._base.execute("delete from line where game = ? and number >= ?", (game_id, line))
            self._write(game_id, table, move, line)

    def _write(self, game_id: str, table: Table, first_move: int, first_line: int) -> None:
        """Write the moves and lines of a table from these on."""
        moves = enumerate(table.moves[first_move:], first_move)
        lines = enumerate(table.lines[first_line:], first_line)
        self._base.executemany(
            "insert into move values (?, ?, ?, ?, ?)",
            [(game_id, number, move.seat, move.action, move.memory) for number, move in moves],
        )
        self._base.executemany(
            "insert into line values (?, ?, ?, ?, ?)",
            [(game_id, number, line.moves, line.seat, write_line(line)) for number, line in lines],
        )
        self._base.execute("update game set touched = ? where id = ?", (time.time(), game_id))


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Say in a TableError what is damaged in the file."""
    try:
        yield
    except (sqlite3.Error, ValueError, TypeError, AttributeError, KeyError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            "store", f"{what} is damaged in the file of games and cannot be opened: {error}"
        ) from None


def write_players(table: Table) -> str:
    return json.dumps({"players": table.players, "names": table.names.given}, ensure_ascii=False)


def read_players(text: str) -> tuple[tuple[str, ...], Names]:
    """The value that :func:`write_players` wrote."""
    kept = json.loads(text)
    return tuple(kept["players"]), Names(tuple(kept["names"]))


def write_line(line: Line) -> str:
    """The texts of a line for each viewer, as JSON."""
    kept: dict[str, Any] = {DECISION: line.decision}
    if line.turn:
        kept[TURN] = line.turn
    for viewer, words in line.words.items():
        kept[PUBLIC if viewer is None else str(viewer)] = [words, *line.things.get(viewer, ())]
    return json.dumps(kept, ensure_ascii=False)


def read_line(moves: int, seat: int, text: str) -> Line:
    """The line of which :func:`write_line` wrote what it says."""
    kept = json.loads(text)
    decision, turn = kept.pop(DECISION), kept.pop(TURN, 0)
    words, things = {}, {}
    for key, told in kept.items():
        viewer = None if key == PUBLIC else int(key)
        words[viewer], *names = told
        things[viewer] = tuple(names)
    return Line(moves, seat, words, things, turn, decision)
