"""The results of the games that were played, and the file that they are appended to."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dig_envs.agents.matches import Results
from dig_envs.arena.schedule import Unit
from dig_envs.engine.core.errors import ArenaError
from dig_envs.engine.game import Array

FORMAT = 1
KIND = "dig_envs arena results"
KEYS = {"contestants", "deals", "winners", "scores", "lengths", "truncated"}  # of a line
FORFEITS, USAGE = "forfeits", "usage"  # two more, in lines that have any
LONGEST_REASON = 1000  # characters
LARGEST_USAGE = 1e15
LARGEST = 2**31 - 1  # score, number of actions or of deals


@dataclass(frozen=True)
class UnitResult:
    """The results of a unit's games, deal by deal and for each deal seating by seating.

    ``winners`` bool and ``scores`` float64 (games, num_seats); ``lengths`` (actions) int64 and ``truncated`` (ended by the turn
    limit) bool (games,). ``forfeits``: of games that somebody gave up the number, the seat that did, and why. ``usage``: of each
    contestant what it counted (a language model), name -> number; () where nobody counts.
    """

    winners: Array
    scores: Array
    lengths: Array
    truncated: Array
    forfeits: tuple[tuple[int, int, str], ...] = ()
    usage: tuple[Mapping[str, float], ...] = ()

    @classmethod
    def of(cls, results: Results, num_seats: int) -> "UnitResult":
        """Return the part of results that is kept."""
        forfeits = tuple((each.game, each.seat, each.reason[:LONGEST_REASON]) for each in results.forfeits)
        usage = tuple(results.usage) if any(results.usage) else ()
        winners, scores = results.winners[:, :num_seats], results.scores[:, :num_seats]
        return cls(winners, scores, results.lengths, results.truncated, forfeits, usage)

    def as_json(self) -> dict[str, Any]:
        """Return plain lists: the seats of the winners, the numbers of the games that the turn limit ended."""
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
        """Return the results that :meth:`as_json` gave; raises ValueError if they are not those of so many games and seats."""
        winners, truncated = np.zeros((games, num_seats), np.bool_), np.zeros(games, np.bool_)
        for row, seats in zip(winners, _entries(plain["winners"], "winners", games), strict=True):
            row[_numbers(seats, "winners", 0, num_seats - 1, ascending=True)] = True
        truncated[_numbers(plain["truncated"], "truncated", 0, games - 1, ascending=True)] = True
        rows = _entries(plain["scores"], "scores", games)
        scores = np.array([_numbers(row, "scores", -LARGEST, LARGEST, num_seats) for row in rows], np.float64)
        lengths = np.array(_numbers(plain["lengths"], "lengths", 1, LARGEST, games), np.int64)
        forfeits = _forfeits(plain.get(FORFEITS, []), games, num_seats)
        return cls(winners, scores, lengths, truncated, forfeits, _usage(plain.get(USAGE, [])))


def _usage(value: Any) -> tuple[dict[str, float], ...]:
    """Return what was counted; raises ValueError if it is not written as :meth:`UnitResult.as_json` does."""
    found = _entries(value, USAGE)
    for entry in found:
        numbers: list[Any] = list(entry.values()) if isinstance(entry, dict) else [None]
        if not all(type(number) in (int, float) and 0 <= number <= LARGEST_USAGE for number in numbers):
            raise ValueError(f"{USAGE} must have names and numbers from 0 to {LARGEST_USAGE:g}")
    return tuple(found)


def _forfeits(value: Any, games: int, num_seats: int) -> tuple[tuple[int, int, str], ...]:
    """Return the games that were given up; raises ValueError if they are not written as :meth:`UnitResult.as_json` does."""
    found = []
    for entry in _entries(value, FORFEITS):
        game, seat, reason = _entries(entry, FORFEITS, 3)
        _numbers([game], FORFEITS, 0, games - 1)
        _numbers([seat], FORFEITS, 0, num_seats - 1)
        if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
            raise ValueError(f"{FORFEITS} must say why in at most {LONGEST_REASON} characters")
        found.append((game, seat, reason))
    return tuple(found)


def _entries(value: Any, what: str, count: int | None = None) -> list[Any]:
    """Return a list, of ``count`` entries unless that is None; raises ValueError if it is none."""
    if not isinstance(value, list):
        raise ValueError(f"{what} must be a list")
    if count is not None and len(value) != count:
        raise ValueError(f"{what} has {len(value)} entries, not {count}")
    return value


def _numbers(value: Any, what: str, least: int, most: int, count: int | None = None, ascending: bool = False) -> list[int]:
    """Return a list of integers in a range, with ``ascending`` each larger than the one before; raises ValueError if it is none."""
    numbers = _entries(value, what, count)
    if not all(type(number) is int and least <= number <= most for number in numbers):
        raise ValueError(f"{what} must have integers from {least} to {most}")
    if ascending and any(after <= before for before, after in pairwise(numbers)):
        raise ValueError(f"{what} must ascend, each number once")
    return numbers


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return the differences key by key, as text for people."""
    missing = object()
    lines = []
    for key in dict.fromkeys([*wanted, *found]):
        there, here = found.get(key, missing), wanted.get(key, missing)
        if there == here:
            continue
        if isinstance(there, dict) and isinstance(here, dict):
            lines += [f"{key}.{line}" for line in differences(there, here)]
        else:
            texts = ["absent" if value is missing else json.dumps(value, ensure_ascii=False) for value in (there, here)]
            lines.append(f"{key} is {texts[0]} there, {texts[1]} here")
    return lines


class ResultsFile:
    """A file of JSON lines: the settings, then a line for each unit that was played, in whatever order they ended, and one for
    agents that joined later.

    A line that was cut off (the process was killed while it wrote) is dropped when the file is opened again. While it is open, no
    other process can open it (where the system has ``flock``).

    Args:
        path: made if it is not there.
        settings: of this arena, JSON-able, ``agents`` and ``block`` among them. The agents need not be those of the file, but those
            that are there must be in the file's order (:func:`agents_first`). New ones are added; games of others stay in the file.
        num_seats: of the games.
        games_per_deal: seatings on each deal.
        contestants: how many of the agents play a game.

    Attributes: ``done``, the units in the file that only these agents played.

    Raises:
        ArenaError: the file has other settings (it says which), is none of these, has a line that no arena with these settings
            writes (it says which line, and what is wrong), or is open elsewhere. The file stays as it is.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], num_seats: int, games_per_deal: int, contestants: int = 2) -> None:
        self.path = path
        self.done: dict[Unit, UnitResult] = {}
        self._num_seats, self._games_per_deal, self._contestants = num_seats, games_per_deal, contestants
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
                raise ArenaError(f"{self.path} is no file of arena results; it stays as it is")
            self._file.truncate(0)
            self._write(head)
            self._agents, self._place = settings["agents"], list(range(len(settings["agents"])))
            return
        self._check_head(lines[0], settings)
        for number, line in enumerate(lines[1:], 2):
            try:
                self._take(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise ArenaError(f"{self.path}, line {number}, is damaged ({error}); it stays as it is") from None
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

    def _find_places(self, agents: Sequence[Any]) -> list[Any]:
        """Find the agents of this arena among those of the file, add the new ones, and return these."""
        there = len(self._agents)
        for agent in agents:
            same = [k for k in range(there) if _name(self._agents[k]) == _name(agent) and k not in self._place]
            if same and self._agents[same[0]] != agent:
                texts = (json.dumps(each, ensure_ascii=False) for each in (self._agents[same[0]], agent))
                raise ArenaError(f"{self.path} has results of other agents: one of agents is {' there, '.join(texts)} here")
            if not same:
                self._agents.append(agent)
            self._place.append(same[0] if same else len(self._agents) - 1)
        if self._place != sorted(self._place):
            raise ArenaError(f"{self.path} has the agents in another order: {', '.join(map(_name, self._agents[:there]))}")
        return self._agents[there:]

    def _take(self, plain: Any) -> None:
        """Take the unit of a line; raises ValueError if an arena with these settings does not write such a line, or not twice."""
        if isinstance(plain, dict) and set(plain) == {"agents"}:
            self._agents += _entries(plain["agents"], "agents")
            return
        if not isinstance(plain, dict) or set(plain) - {FORFEITS, USAGE} != KEYS:
            raise ValueError(f"it must be an object with the keys {', '.join(sorted(KEYS))}")
        contestants = _numbers(plain["contestants"], "contestants", 0, len(self._agents) - 1, self._contestants, ascending=True)
        start, stop = _numbers(plain["deals"], "deals", 0, LARGEST, 2, ascending=True)
        if start % self._block or stop - start > self._block:
            raise ValueError(f"deals must be (the beginning of) a block of {self._block}")
        unit = Unit(start, tuple(contestants), stop)
        if unit in self.done:
            raise ValueError("the same games stand in an earlier line")
        result = UnitResult.from_json(plain, len(unit.deals) * self._games_per_deal, self._num_seats)
        if result.usage and len(result.usage) != len(contestants):
            raise ValueError(f"{USAGE} must have an entry for each contestant")
        self.done[unit] = result

    def _check_head(self, line: bytes, settings: Mapping[str, Any]) -> None:
        try:
            head = json.loads(line)
        except (ValueError, RecursionError):
            head = None
        there = head.get("settings") if isinstance(head, dict) and head.get("kind") == KIND else None
        if not isinstance(head, dict) or not isinstance(there, dict):
            raise ArenaError(f"{self.path} is no file of arena results; it stays as it is")
        if head.get("format") != FORMAT:
            raise ArenaError(f"{self.path} has format {head.get('format')!r}; this version reads format {FORMAT}")
        try:
            different = differences(_without_agents(there), _without_agents(settings))
        except RecursionError:
            different = ["they are nested too deeply"]
        if different:
            raise ArenaError(f"{self.path} has results of other settings: {'; '.join(different)}")
        if not isinstance(there.get("agents"), list):
            raise ArenaError(f"{self.path} is no file of arena results; it stays as it is")
        self._agents = there["agents"]

    def append(self, unit: Unit, result: UnitResult) -> None:
        """Append a unit; when this returns, it is on the disk."""
        contestants = [self._place[k] for k in unit.contestants]
        self._write(_as_line({"contestants": contestants, "deals": [unit.start, unit.stop], **result.as_json()}))
        self.done[unit] = result

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[self._file.write(rest) :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file, so that others can open it."""
        self._file.close()

    def __enter__(self) -> "ResultsFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def agents_first(path: Path | None, names: Sequence[str]) -> list[str]:
    """Return the names in the order of an arena that goes on with a file: those in the file first, as they stand there."""
    there = [name for name in _names_in(path) if name in names] if path is not None and path.is_file() else []
    return [*there, *(name for name in names if name not in there)]


def _names_in(path: Path) -> list[str]:
    """Return the agents of a file; what is wrong with it is told when it is opened."""
    found: list[str] = []
    for line in path.read_bytes().split(b"\n")[:-1]:
        if line.startswith((b'{"kind"', b'{"agents"')):
            try:
                plain = json.loads(line)
                found += [_name(agent) for agent in plain.get("agents") or plain["settings"]["agents"]]
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                return []
    return found


def _name(agent: Any) -> str:
    return str(agent.get("agent")) if isinstance(agent, dict) else str(agent)


def _without_agents(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key != "agents"}


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
