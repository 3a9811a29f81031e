"""The results of the games that were played, and the file that they are appended to."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.matches import Results
from dig_envs.arena.entrants import with_defaults
from dig_envs.arena.schedule import Unit
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.core.files import CannotWrite
from dig_envs.engine.game import Array

FORMAT = 1
KIND = "dig_envs arena results"
KEYS = {"contestants", "deals", "winners", "scores", "lengths", "truncated"}  # of a line
FORFEITS, USAGE = "forfeits", "usage"  # two more, in lines that have any
LONGEST_REASON = 1000  # characters
LARGEST = 2**31 - 1  # score, number of actions or of deals
# a line that is no result
DAMAGED = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True)
class UnitResult:
    """The results of a unit's games, deal by deal and for each deal seating by seating.

    ``winners`` bool and ``scores`` float64 (games, num_seats); ``lengths`` (actions) int64 and
    ``truncated`` (ended by the turn limit) bool (games,). ``forfeits``: of games that somebody gave
    up the number, the seat that did, and why. ``usage``: of each contestant what it counted (a
    language model), name -> number; () where nobody counts.
    """

    winners: Array
    scores: Array
    lengths: Array
    truncated: Array
    forfeits: tuple[tuple[int, int, str], ...] = ()
    usage: tuple[Mapping[str, float], ...] = ()

    @classmethod
    def of(cls, results: Results, num_seats: int) -> "UnitResult":
        """The part of the results that is kept."""
        forfeits = tuple(
            (each.game, each.seat, each.reason[:LONGEST_REASON]) for each in results.forfeits
        )
        usage = tuple(results.usage) if any(results.usage) else ()
        winners, scores = results.winners[:, :num_seats], results.scores[:, :num_seats]
        return cls(winners, scores, results.lengths, results.truncated, forfeits, usage)

    def as_json(self) -> dict[str, Any]:
        """The results as plain lists; the winners as seats, and the numbers of the games that the
        turn limit ended."""
        return {
            "winners": [np.flatnonzero(row).tolist() for row in self.winners],
            "scores": self.scores.astype(np.int64).tolist(),
            "lengths": self.lengths.tolist(),
            "truncated": np.flatnonzero(self.truncated).tolist(),
            **({FORFEITS: [list(forfeit) for forfeit in self.forfeits]} if self.forfeits else {}),
            **({USAGE: [dict(each) for each in self.usage]} if self.usage else {}),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], games: int, num_seats: int) -> "UnitResult":
        """The results that :meth:`as_json` wrote; raises one of ``DAMAGED`` if they do not fit this
        number of games and seats."""
        winners, truncated = np.zeros((games, num_seats), np.bool_), np.zeros(games, np.bool_)
        for row, seats in zip(winners, plain["winners"], strict=True):
            row[_integers(seats, "winners", (len(seats),), 0, num_seats - 1)] = True
        ended = plain["truncated"]
        truncated[_integers(ended, "truncated", (len(ended),), 0, games - 1)] = True
        scores = _integers(plain["scores"], "scores", (games, num_seats), -LARGEST, LARGEST).astype(
            np.float64
        )
        lengths = _integers(plain["lengths"], "lengths", (games,), 1, LARGEST)
        forfeits = tuple((game, seat, reason) for game, seat, reason in plain.get(FORFEITS, ()))
        for game, seat, reason in forfeits:
            _integers([[game, seat]], FORFEITS, (1, 2), 0, max(games, num_seats) - 1)
            if (
                game >= games
                or seat >= num_seats
                or not isinstance(reason, str)
                or len(reason) > LONGEST_REASON
            ):
                raise ValueError(
                    f"{FORFEITS} must say which game, which seat, and why in at most "
                    f"{LONGEST_REASON} characters"
                )
        usage = plain.get(USAGE, [])
        numbers: list[Any] = [
            number
            for each in usage
            for number in (each.values() if isinstance(each, dict) else [None])
        ]
        if not isinstance(usage, list) or not all(
            type(number) in (int, float) and number >= 0 for number in numbers
        ):
            raise ValueError(f"{USAGE} must have names and numbers from 0 on")
        return cls(winners, scores, lengths, truncated, forfeits, tuple(usage))


def _integers(values: Any, what: str, shape: tuple[int, ...], least: int, most: int) -> Array:
    """Integers in a range as an array of a shape, int64; raises ValueError for other values."""
    found = np.array(values, np.int64 if values == [] else None)
    if (
        found.dtype != np.int64
        or found.shape != shape
        or not ((found >= least) & (found <= most)).all()
    ):
        raise ValueError(
            f"{what} must be {' × '.join(map(str, shape))} integers from {least} to {most}"
        )
    return found


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """One line of text for each key that differs."""
    missing = object()
    lines = []
    for key in dict.fromkeys([*wanted, *found]):
        there, here = found.get(key, missing), wanted.get(key, missing)
        if there == here:
            continue
        if isinstance(there, dict) and isinstance(here, dict):
            lines += [f"{key}.{line}" for line in differences(there, here)]
        else:
            texts = [
                "absent" if value is missing else json.dumps(value, ensure_ascii=False)
                for value in (there, here)
            ]
            lines.append(f"{key} is {texts[0]} there, {texts[1]} here")
    return lines


class ResultsFile:
    """A file of JSON lines: the settings, then a line for each unit that was played, in whatever
    order they ended, and one for agents that joined later.

    A line that was cut off (the process was killed while it wrote) is dropped when the file is
    opened again. While it is open, no other process can open it (where the system has ``flock``).

    Args:
        path: made if it is not there.
        settings: of this arena, JSON-able, ``agents`` and ``block`` among them. The agents need not
            be those of the file, but those that are there must be in the file's order
            (:func:`agents_first`). New ones are added; games of others stay in the file.
        num_seats: of the games.
        games_per_deal: seatings on each deal.
        contestants: how many of the agents play a game.

    Attributes: ``done``, the units in the file that only these agents played.

    Raises:
        ArenaError: the file has other settings (it says which), is none of these, has a line that
            no arena with these settings writes (it says which line, and what is wrong), or is open
            elsewhere. The file stays as it is.
        OSError: it cannot be written.
    """

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        num_seats: int,
        games_per_deal: int,
        contestants: int = 2,
    ) -> None:
        self.path = path
        self.done: dict[Unit, UnitResult] = {}
        self._num_seats, self._games_per_deal, self._contestants = (
            num_seats,
            games_per_deal,
            contestants,
        )
        self._block = int(settings["block"])
        self._agents: list[Any] = []  # of the file; the numbers in its lines are indices into these
        self._place: list[int] = []  # of each agent of this arena among them
        self._file = path.open("a+b", buffering=0)
        try:
            _lock(self._file, path)
            self._read(json.loads(json.dumps(settings)))
        except BaseException:
            self._file.close()
            raise

    def _read(self, settings: Mapping[str, Any]) -> None:
        self._file.seek(0)
        content = self._file.read()
        *lines, rest = content.split(b"\n")
        head = _as_line({"kind": KIND, "format": FORMAT, "settings": settings})
        if not lines:
            if not head.startswith(rest):
                raise ArenaError(f"{self.path} is not a file of arena results; it stays as it is")
            self._file.truncate(0)
            self._write(head)
            self._agents, self._place = settings["agents"], list(range(len(settings["agents"])))
            return
        self._check_head(lines[0], settings)
        for number, line in enumerate(lines[1:], 2):
            try:
                self._take(json.loads(line))
            except DAMAGED as error:
                raise ArenaError(
                    f"{self.path}, line {number}, is damaged ({error}); it stays as it is"
                ) from None
        new = self._find_places(settings["agents"])
        self._file.truncate(len(content) - len(rest))
        if new:
            self._write(_as_line({"agents": new}))
        here = {place: k for k, place in enumerate(self._place)}
        self.done = {
            Unit(unit.start, tuple(here[k] for k in unit.contestants), unit.stop): result
            for unit, result in self.done.items()
            if here.keys() >= set(unit.contestants)
        }

    def _check_head(self, line: bytes, settings: Mapping[str, Any]) -> None:
        """Take the agents of the file, if its first line has these settings; options are completed
        by their defaults."""
        try:
            head = json.loads(line)
            there = dict(head["settings"])
            self._agents = list(there.pop("agents"))
            if "options" in there:
                there["options"] = with_defaults(there["environment"], there["options"])
        except DAMAGED:
            head = {}
        if head.get("kind") != KIND:
            raise ArenaError(f"{self.path} is not a file of arena results; it stays as it is")
        if head.get("format") != FORMAT:
            raise ArenaError(
                f"{self.path} has format {shown_in_message(head.get('format'))}; this version "
                f"reads format {FORMAT}"
            )
        different = differences(
            there, {key: value for key, value in settings.items() if key != "agents"}
        )
        if different:
            raise ArenaError(f"{self.path} has results of other settings: {'; '.join(different)}")

    def _take(self, plain: Any) -> None:
        """Take the unit of a line; raises one of ``DAMAGED`` if an arena with these settings does
        not write such a line."""
        if plain.keys() == {"agents"}:
            self._agents += plain["agents"]
            return
        if plain.keys() - {FORFEITS, USAGE} != KEYS:
            raise ValueError(f"it must be an object with the keys {', '.join(sorted(KEYS))}")
        contestants = _integers(
            plain["contestants"], "contestants", (self._contestants,), 0, len(self._agents) - 1
        ).tolist()
        start, stop = _integers(plain["deals"], "deals", (2,), 0, LARGEST).tolist()
        if (
            contestants != sorted(set(contestants))
            or start % self._block
            or not 0 < stop - start <= self._block
        ):
            raise ValueError(
                f"contestants must ascend, and deals be (the beginning of) a block of {self._block}"
            )
        unit = Unit(start, tuple(contestants), stop)
        if unit in self.done:
            raise ValueError("the same games stand in an earlier line")
        result = UnitResult.from_json(
            plain, len(unit.deals) * self._games_per_deal, self._num_seats
        )
        if result.usage and len(result.usage) != len(contestants):
            raise ValueError(f"{USAGE} must have an entry for each contestant")
        self.done[unit] = result

    def _find_places(self, agents: Sequence[Any]) -> list[Any]:
        """Find the agents of this arena among those of the file, add the new ones, and return
        these."""
        there = len(self._agents)
        for agent in agents:
            same = [
                k
                for k in range(there)
                if _name(self._agents[k]) == _name(agent) and k not in self._place
            ]
            if same and self._agents[same[0]] != agent:
                texts = (
                    json.dumps(each, ensure_ascii=False) for each in (self._agents[same[0]], agent)
                )
                raise ArenaError(
                    f"{self.path} has results of other agents: one of agents is "
                    f"{' there, '.join(texts)} here"
                )
            if not same:
                self._agents.append(agent)
            self._place.append(same[0] if same else len(self._agents) - 1)
        if self._place != sorted(self._place):
            raise ArenaError(
                f"{self.path} has the agents in another order: "
                f"{', '.join(map(_name, self._agents[:there]))}"
            )
        return self._agents[there:]

    def append(self, unit: Unit, result: UnitResult) -> None:
        """Append a unit; when this returns, it is on the disk."""
        contestants = [self._place[k] for k in unit.contestants]
        self._write(
            _as_line(
                {"contestants": contestants, "deals": [unit.start, unit.stop], **result.as_json()}
            )
        )
        self.done[unit] = result

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise CannotWrite(self.path, error) from None

    def close(self) -> None:
        """Close the file, so that others can open it."""
        self._file.close()

    def __enter__(self) -> "ResultsFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def agents_first(path: Path | None, names: Sequence[str]) -> list[str]:
    """The names in the order of an arena that continues a file: first those of the file, in its
    order."""
    there: list[str] = []
    if path is not None and path.is_file():
        try:
            for line in path.read_bytes().split(b"\n")[:-1]:
                if line.startswith((b'{"kind"', b'{"agents"')):
                    plain = json.loads(line)
                    there += [
                        _name(agent) for agent in plain.get("agents") or plain["settings"]["agents"]
                    ]
        except DAMAGED:  # which is told when the file is opened
            there = []
    there = [name for name in there if name in names]
    return [*there, *(name for name in names if name not in there)]


def _name(agent: Any) -> str:
    return str(agent.get("agent")) if isinstance(agent, dict) else str(agent)


def _as_line(plain: Mapping[str, Any]) -> bytes:
    return json.dumps(plain, separators=(",", ":")).encode() + b"\n"


def _lock(file: Any, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ArenaError(f"{path} is in use: another arena is writing to it") from None
