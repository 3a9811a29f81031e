"""Snapshots and views of any game, from its table of codecs
(:mod:`dig_envs.engine.snapshots.codecs`).

A snapshot from outside is read in this order: form, kind and range of every entry; derived fields,
by the game's ``derive``; order and repetition, by writing it once more; who is to decide; then the
game's own invariants (``check`` in its ``snapshot.py``). Compiled code sees the position only when
each list fits its array and each number its range.
"""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dig_envs.engine.compiler.compiled import CompiledGame
from dig_envs.engine.core.checks import check_integer, shown_in_message
from dig_envs.engine.core.declared import Array
from dig_envs.engine.core.errors import OptionError, SnapshotError
from dig_envs.engine.core.fields import TURN_LIMITS
from dig_envs.engine.core.turns import NOBODY
from dig_envs.engine.snapshots.codecs import (
    Codec,
    Flag,
    JsonSchema,
    PerSeat,
    Seats,
    object_of,
    require,
    require_choice,
    require_integer,
    require_list,
    view_form,
)
from dig_envs.version import __version__

Snapshot = dict[str, Any]

COMMITTED = "committed"
SEED = "seed"  # of the episode: environments save it, too
MAX_WORD = 2**64 - 1
TURN, SCORES = "turn", "scores"  # entries of the game's table that stand in the head of a snapshot
HEAD = ("game", "options", "to_move", "phase", TURN, SCORES, "winners", "truncated")
# Who wrote it: the environment with its version, and the version of this package. Snapshots of
# 0.1.0 and version 0 may lack them.
ENVIRONMENT, PACKAGE = "environment", "dig_envs"
ORIGIN = (ENVIRONMENT, PACKAGE)
LONGEST_VERSION = 40  # characters
_WINNERS, _TRUNCATED = Seats(), Flag()


@dataclass(frozen=True, eq=False, kw_only=True)
class SnapshotGame(CompiledGame):
    """A compiled game whose positions are written as JSON and read back.

    Attributes:
        snapshot_table: key -> codec. check_position: raises SnapshotError for a position that play
            cannot reach.
        adjust_view: what a view needs beyond the codecs', or None.
    """

    snapshot_table: Mapping[str, Codec]
    check_position: "Callable[[Candidate], None]"
    adjust_view: Callable[[Snapshot, Mapping[str, Any], int], Snapshot] | None

    def to_snapshot(self, state: Any) -> Snapshot:
        """The complete position of a state record as a JSON-able dict.

        In a simultaneous decision the seats before ``to_move`` have decided and the others have
        not, if they decide one after the other. If they do not (parallel play), the key
        ``committed`` lists the seats that have decided.
        """
        return self._with_committed(self._written(state), state)

    def snapshot_of_unchecked(self, record: Any) -> Snapshot:
        """The snapshot of a record from outside, for :meth:`from_snapshot` to check.

        The record may be anything, and compiled code must not see it. So the key ``committed``
        comes from a new state: that of the snapshot without this key, with the record's flags of
        who has decided.

        Raises:
            LookupError, ValueError, OverflowError: the record cannot be written.
        """
        snapshot = self._written(record)
        if not self.is_simultaneous:
            return snapshot
        candidate = read_entries(self, snapshot)
        for field in ("owes", "apart"):
            if field in record.dtype.names:
                candidate.state[field] = record[field] != 0
        return self._with_committed(snapshot, candidate.state)

    def _with_committed(self, snapshot: Snapshot, state: Any) -> Snapshot:
        committed = self.committed_apart(state)
        return snapshot if committed is None else {**snapshot, COMMITTED: committed}

    def check_version(self, state: Any) -> None:
        """Raise ValueError for a record of another version of the environment."""
        if int(state["version"]) != self.version:
            raise ValueError(
                f"it is of version {int(state['version'])} of the environment, not of "
                f"{self.env_name}"
            )

    def _written(self, state: Any) -> Snapshot:
        """The snapshot of a state without the key ``committed``; raises ValueError for one of
        another version."""
        self.check_version(state)
        own = {
            key: codec.write(state, codec.field or key, ())
            for key, codec in self.snapshot_table.items()
        }
        for key in self.optional_keys:
            if own[key] is None:
                del own[key]
        return {
            "game": self.name,
            ENVIRONMENT: self.plain_name,
            PACKAGE: __version__,
            "options": {option.name: option.decode(state[option.name]) for option in self.options},
            "to_move": int(state["to_move"]),
            "phase": self.phases[state["phase"]],
            TURN: own.pop(TURN),
            SCORES: own.pop(SCORES),
            "winners": _WINNERS.write(state, "winners", ()),
            "truncated": _TRUNCATED.write(state, "truncated", ()),
            **own,
            "rng": str(int(state["rng"])),
        }

    @property
    def optional_keys(self) -> list[str]:
        """The keys that a snapshot may lack."""
        return [key for key, codec in self.snapshot_table.items() if codec.optional]

    def with_defaults(self, position: Mapping[str, Any]) -> Snapshot:
        """A snapshot or a view, completed by the defaults of options that were added after it was
        written."""
        defaults = {
            option.name: option.decode(option.encode(option.default)) for option in self.options
        }
        return {**position, "options": {**defaults, **position["options"]}}

    def committed_apart(self, state: Any) -> list[int] | None:
        """The seats whose simultaneous decision is made; None if there is no such decision, or
        seats decide one after the other."""
        if not self.is_simultaneous:
            return None
        facts, seats = self.facts(state), range(int(state["num_players"]))
        done = [p for p in seats if facts["asked"][p] and not state["owes"][p]]
        if "apart" in facts.dtype.names:
            apart = bool(facts["apart"])
        else:
            apart = any(p > state["to_move"] for p in done)
        return done if apart else None

    def from_snapshot(self, snapshot: Any, in_order: bool = True) -> Array:
        """The state (record array of length 1) of a snapshot; raises SnapshotError for a malformed
        or impossible one.

        ``in_order``: whether lists that have an order must be in it.
        """
        candidate = read_entries(self, snapshot, in_order)
        _read_movers(candidate)
        _check_end(candidate)
        self.check_position(candidate)
        _check_truncation(candidate)
        _check_committed(candidate)
        return candidate.states

    def to_view(self, snapshot: Mapping[str, Any], seat: int) -> Snapshot:
        """A seat's view of a snapshot, in the same form: hidden lists as lengths, hidden values as
        null, no generator.

        Raises:
            TypeError, ValueError: there is no such seat.
        """
        check_integer(seat, "a seat", NOBODY, self.max_players - 1)
        view = {key: value for key, value in snapshot.items() if key not in ("rng", SEED)}
        for key, codec in self.snapshot_table.items():
            if key in snapshot:
                view[key] = codec.view(snapshot[key], snapshot, seat)
        return self.adjust_view(view, snapshot, seat) if self.adjust_view is not None else view

    def to_public(self, snapshot: Mapping[str, Any]) -> Snapshot:
        """The public view of a snapshot, in the same form: what a spectator may know."""
        return self.to_view(snapshot, NOBODY)

    @cached_property
    def json_schema(self) -> JsonSchema:
        """The JSON Schema (draft 2020-12) of the game's snapshots, for other programs.

        It says the form, kind and range of every entry. What must hold between entries is checked
        by :meth:`from_snapshot` only.
        """
        word = {
            "type": "string",
            "pattern": "^[0-9]{1,20}$",
            "description": f"an integer up to {MAX_WORD}",
        }
        entries = {key: codec.json_schema() for key, codec in self.snapshot_table.items()}
        return _object_schema(
            self, f"a snapshot of {self.env_name}", entries, {"rng": word, SEED: word}
        )

    @cached_property
    def view_schema(self) -> JsonSchema:
        """The JSON Schema of what :meth:`to_view` gives: sizes or null where a snapshot has what is
        hidden."""
        entries = {
            key: view_form(codec.view, codec.json_schema())
            for key, codec in self.snapshot_table.items()
        }
        return _object_schema(self, f"what a seat sees of {self.env_name}", entries, {})


# ---------------------------------------------------------------- snapshot -> state


class Candidate:
    """A position from outside that is being read.

    Attributes:
        game: the game. snapshot: as it was given. states: record array of length 1. state: the
            record in it.
        seats: the seats in the game.
    """

    def __init__(self, game: SnapshotGame, snapshot: Any) -> None:
        if not isinstance(snapshot, Mapping):
            raise SnapshotError(f"a snapshot is a JSON object, not {type(snapshot).__name__}")
        self.game = game
        self.snapshot: Mapping[str, Any] = snapshot
        self._check_origin()
        self._check_keys()
        self.snapshot = game.with_defaults(snapshot)
        self.states = game.template(self._options())
        self.state = self.states[0]
        self.seats = range(int(self.state["num_players"]))
        self._check_seats()

    def _check_origin(self) -> None:
        """Check that the position is of this game and version, and was not written by a newer
        version of this package."""
        snapshot, game = self.snapshot, self.game
        require("game" in snapshot, "game", "is missing")
        require(
            snapshot.get("game") == game.name,
            "game",
            f"must be {game.name!r}, not {shown_in_message(snapshot.get('game'))}",
        )
        package = snapshot.get(PACKAGE, __version__)
        good = (
            isinstance(package, str)
            and 0 < len(package) <= LONGEST_VERSION
            and package[0].isdigit()
        )
        require(
            good,
            PACKAGE,
            f"must be a version such as {__version__!r}, not {shown_in_message(package)}",
        )
        newer = release(package) > release(__version__)
        require(
            not newer,
            PACKAGE,
            f"it was written by dig_envs {package}, and this is {__version__}: update dig_envs to "
            "read it",
        )
        environment = snapshot.get(ENVIRONMENT, f"{game.name}_v0")
        require(
            environment == game.plain_name,
            ENVIRONMENT,
            f"must be {game.plain_name!r}, not {shown_in_message(environment)}",
        )

    def _check_keys(self) -> None:
        table, snapshot = self.game.snapshot_table, self.snapshot
        for key in (*HEAD, *table):
            require(key in snapshot or key in self.game.optional_keys, key, "is missing")
        for key in self.game.optional_keys:
            require(snapshot.get(key, "") is not None, key, "is left out instead of null")
        optional = (*ORIGIN, "rng", SEED, *([COMMITTED] if self.game.is_simultaneous else []))
        for key in snapshot:
            require(
                key in HEAD or key in table or key in optional,
                shown_in_message(key).strip("'"),
                "is unknown",
            )
        require(isinstance(snapshot["options"], Mapping), "options", "must be an object")
        require("num_players" in snapshot["options"], "options.num_players", "is missing")

    def _check_seats(self) -> None:
        """Check the number of players, where all lists with an entry for each seat have another."""
        table, snapshot, seats = self.game.snapshot_table, self.snapshot, len(self.seats)
        keys = [key for key, codec in table.items() if isinstance(codec, PerSeat)]
        lengths = [len(snapshot[key]) for key in keys if isinstance(snapshot.get(key), list)]
        if len(lengths) > 1 and min(lengths) == max(lengths):
            words = f"is {seats}, and the lists of all players have {lengths[0]} entries"
            require(lengths[0] == seats, "options.num_players", words)

    def _options(self) -> dict[str, Any]:
        try:
            return self.game.complete_options(self.snapshot["options"])
        except OptionError as error:
            raise SnapshotError(f"snapshot key 'options': {error}") from None

    @cached_property
    def facts(self) -> Any:
        """The rules' facts about the position (the game's ``inspect``): a record, or None for a
        game without facts."""
        return self.game.facts(self.state)

    @property
    def turn_limits(self) -> list[tuple[str, str, int]]:
        """The turn limits of the game: the option, the key of what it limits, and its value."""
        options = self.snapshot["options"]
        return [
            (option, key, options[option])
            for option, key in TURN_LIMITS.items()
            if option in options
        ]

    @property
    def phase(self) -> str:
        """The name of the phase."""
        return self.game.phases[int(self.state["phase"])]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.state["over"])


def release(version: str) -> tuple[int, ...]:
    """The numbers of a version of this package, such as (0, 1, 0)."""
    return tuple(int(number) for number in re.findall("[0-9]+", version)[:3])


def read_entries(game: SnapshotGame, snapshot: Any, in_order: bool = True) -> Candidate:
    """Read all entries, each as its codec wants it, with the derived fields; who is to decide comes
    later. ``in_order``: as of :meth:`SnapshotGame.from_snapshot`."""
    candidate = Candidate(game, snapshot)
    _read_head(candidate)
    for key, codec in game.snapshot_table.items():
        codec.read(candidate.state, codec.field or key, (), snapshot.get(key), key)
    if game.rules.derive is not None:
        game.kernels.derive_one(candidate.states)
    if in_order:
        _check_order(candidate)
    else:
        written = {
            key: codec.write(candidate.state, codec.field or key, ())
            for key, codec in game.snapshot_table.items()
        }
        candidate.snapshot = {**candidate.snapshot, **written}
    return candidate


def _read_head(candidate: Candidate) -> None:
    state, snapshot, game = candidate.state, candidate.snapshot, candidate.game
    state["rng"] = read_word(snapshot, "rng")
    state["seed"] = read_word(snapshot, SEED) if SEED in snapshot else state["rng"]
    state["phase"] = require_choice(snapshot["phase"], "phase", game.phases)
    state["over"] = state["phase"] == game.phases.index("over")
    state["to_move"] = require_integer(
        snapshot["to_move"], "to_move", NOBODY, len(candidate.seats) - 1
    )
    _TRUNCATED.read(state, "truncated", (), snapshot["truncated"], "truncated")
    _WINNERS.read(state, "winners", (), snapshot["winners"], "winners")


def read_word(snapshot: Mapping[str, Any], key: str) -> int:
    """A 64-bit number that is written as a string of digits; a fresh one if the snapshot has
    none."""
    if key not in snapshot:
        return secrets.randbits(64)
    text = snapshot[key]
    good = (
        isinstance(text, str)
        and text.isascii()
        and text.isdigit()
        and len(text) <= 20
        and int(text) <= MAX_WORD
    )
    require(good, key, f"must be a string of digits up to {MAX_WORD}, not {shown_in_message(text)}")
    return int(text)


def _check_order(candidate: Candidate) -> None:
    """Check order and repetition, once for every game: what is read must be what would be
    written."""
    state, snapshot = candidate.state, candidate.snapshot
    for key, codec in (("winners", _WINNERS), *candidate.game.snapshot_table.items()):
        again = codec.write(state, codec.field or key, ())
        require(
            snapshot.get(key) == again,
            key,
            f"must be {shown_in_message(again)}, in order and without repetition",
        )


def _read_movers(candidate: Candidate) -> None:
    """Find out who is to decide: the seat to move; in a simultaneous phase also the others who are
    asked and have not committed."""
    state, snapshot, game = candidate.state, candidate.snapshot, candidate.game
    mover, seats = int(state["to_move"]), candidate.seats
    require(
        (mover == NOBODY) == candidate.is_over, "to_move", "is -1 exactly when the game is over"
    )
    if not game.is_simultaneous:
        if mover != NOBODY:
            state["owes"][mover] = 1
        return
    # not `candidate.facts`: it is what the rules say with `owes` as read here
    facts = game.facts(state)
    asked = [p for p in seats if facts["asked"][p]]
    require(bool(asked) or candidate.is_over, "phase", "nobody would be asked in this phase")
    require(
        mover in asked or (candidate.is_over and not asked),
        "to_move",
        f"must be one of {asked or [NOBODY]}",
    )
    if COMMITTED in snapshot:
        done = [
            require_integer(p, COMMITTED, 0, len(seats) - 1)
            for p in require_list(snapshot[COMMITTED], COMMITTED, most=len(seats))
        ]
        require(
            done == [p for p in asked if p in done],
            COMMITTED,
            f"are seats that are asked, in order: {asked}",
        )
        require(
            mover == next((p for p in asked if p not in done), NOBODY),
            COMMITTED,
            "does not fit `to_move`",
        )
    else:
        done = [p for p in asked if p < mover]
    for p in asked:
        state["owes"][p] = p not in done
    if "apart" in (state.dtype.names or ()):
        state["apart"] = COMMITTED in snapshot


def _check_committed(candidate: Candidate) -> None:
    """Check that the key is there exactly where seats have not committed one after the other."""
    there, needed = (
        COMMITTED in candidate.snapshot,
        candidate.game.committed_apart(candidate.state) is not None,
    )
    require(
        there or not needed,
        COMMITTED,
        "is missing: not only the seats before `to_move` have made their choice",
    )
    require(needed or not there, COMMITTED, "is left out when the seats commit one after the other")


def _check_end(candidate: Candidate) -> None:
    """Check that nobody has won before the end, that a turn limit is kept to, and that without one
    nothing is truncated."""
    snapshot, limits = candidate.snapshot, candidate.turn_limits
    if not candidate.is_over:
        require(not snapshot["winners"], "winners", "is empty until the game is over")
        require(not snapshot["truncated"], "truncated", "is false until the game is over")
    require(bool(limits) or not snapshot["truncated"], "truncated", "is always false")
    for option, key, limit in limits:
        require(snapshot[key] <= limit, key, f"is at most {option}, {limit}")


def _check_truncation(candidate: Candidate) -> None:
    """Check that a truncated game has reached its turn limit."""
    for option, key, limit in candidate.turn_limits if candidate.snapshot["truncated"] else ():
        require(
            candidate.snapshot[key] == limit,
            key,
            f"must be {option}, {limit}, when the game is truncated",
        )


def check_end_by_score(candidate: Candidate, is_complete: bool, when: str) -> None:
    """Check the end of a game that is over when it is complete (``when``: in words) or truncated,
    and won by the highest score."""
    truncated = candidate.snapshot["truncated"]
    require(not truncated or not is_complete, "truncated", f"is false when {when}")
    _check_truncation(candidate)
    over = is_complete or truncated
    require(
        candidate.is_over == over,
        "phase",
        f"is `over` exactly when {when} or the game is truncated",
    )
    check_winners_by_score(candidate)


def check_winners_by_score(candidate: Candidate) -> None:
    """Check that the winners of a finished game are those with the highest score, ties shared."""
    if candidate.is_over:
        scores = candidate.snapshot[SCORES]
        check_winners(candidate, [p for p in candidate.seats if scores[p] == max(scores)])


def check_winners(candidate: Candidate, winners: list[int]) -> None:
    """Check that the winners are these."""
    require(candidate.snapshot["winners"] == winners, "winners", f"must be {winners}")


# ---------------------------------------------------------------- for other programs


def _object_schema(
    game: SnapshotGame,
    title: str,
    entries: dict[str, JsonSchema],
    optional: Mapping[str, JsonSchema],
) -> JsonSchema:
    """The JSON Schema of an object with the head of a snapshot and these entries of the game's
    table."""
    head: dict[str, JsonSchema] = {
        "game": {"const": game.name},
        "options": object_of(
            {option.name: option.json_schema() for option in game.options}, required=["num_players"]
        ),
        "to_move": {"type": "integer", "minimum": NOBODY, "maximum": game.max_players - 1},
        "phase": {"enum": list(game.phases)},
        TURN: entries.pop(TURN),
        SCORES: entries.pop(SCORES),
        "winners": _WINNERS.json_schema(),
        "truncated": _TRUNCATED.json_schema(),
    }
    origin: dict[str, JsonSchema] = {
        ENVIRONMENT: {"const": game.plain_name},
        PACKAGE: {
            "type": "string",
            "pattern": "^[0-9]",
            "description": "the version of dig_envs that wrote it",
        },
    }
    entries_needed = [key for key in entries if key not in game.optional_keys]
    must = [*head, *entries_needed, *([ENVIRONMENT] if game.version else [])]
    committed = {COMMITTED: Seats().json_schema()} if game.is_simultaneous else {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{game.title}: {title}",
        **object_of({**head, **origin, **entries, **optional, **committed}, required=must),
    }
