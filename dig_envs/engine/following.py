"""From a position that agrees with what a seat sees, and the events that the seat was told next, to
a position after them.

What the seat cannot know is dealt at random, so that the events seldom come out as they were told.
So a deal is mended: where an event tells of card B and the deal gives card A, one of each change
places among the entries that the seat's view hides; likewise the choices of others that the seat is
not told, and the generator. Actions are played by the rules only, and only what is told to the seat
is compared. What is hidden after them is dealt anew.
"""

import copy
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, groupby, takewhile
from typing import Any

import numpy as np

from dig_envs.engine.core.checks import check_integer, check_seed, is_sequence
from dig_envs.engine.core.declared import Array
from dig_envs.engine.core.errors import EventError, SnapshotError
from dig_envs.engine.core.events import Event, Flag, Number, Part, Thing, Things, Who
from dig_envs.engine.core.lines import event_line, read_line
from dig_envs.engine.core.said import ANY, Entry, Played, Said, read_said
from dig_envs.engine.core.tell import CHOSE
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Game, deciding
from dig_envs.engine.snapshots.codecs import own_or_null
from dig_envs.engine.snapshots.snapshot import COMMITTED, Candidate, Snapshot

STARTS, MANY = 6, 8  # times that the search begins anew; events for which it does so
DEALS = 30  # before the best of them is mended
MANY_DEALS = 300  # in which one action is tried
ENOUGH = 20  # deals in which all came as was told
PATIENCE = 120  # mendings in a row that make nothing better
VARIATIONS = 6  # of actions of others that the seat is not told, for each mending
FIRSTS, UNTRIED = 3, 24  # actions with which attempts begin in one deal
CERTAIN = 5  # times that a part of an event has come as was told
LOOKS = 4  # deals in which an action is sought that begins as was told
HELPLESS = 2  # deals that fail before the game is not asked for more of them
MOST_SILENT = 30  # actions in a row that tell the seat nothing
LONGEST = 200  # actions that are told together
ALTERNATIVES = 3  # named in a message

Place = tuple[Any, ...]  # the way to an entry of a snapshot
Leaf = tuple[Place, Any]
Check = Callable[[], None]  # raises an error to end a search


@dataclass(frozen=True)
class Step:
    """An action that was followed.

    ``before``: a position that agrees with what the seat saw before it, a record array of length 1.
    """

    before: Array
    seat: int
    action: int


def goes_on() -> None:
    """Let a search go on."""


def follow(
    game: Game, states: Array, seat: int, events: Any, seed: int, check: Check = goes_on
) -> tuple[Array, list[Step], list[Entry]]:
    """The position after some events, the steps of all seats, and the events as they were read.

    Args:
        game: which. states: a position that agrees with what the seat sees, a record array of
            length 1, which stays as it is. seat: whose knowledge it is.
        events: what the seat was told since, in order, all events of each action: objects
            (:mod:`dig_envs.engine.core.said`) or lines (:mod:`dig_envs.engine.core.lines`).
        seed: of what is dealt. check: called now and then; what it raises ends the search.

    Raises:
        TypeError, ValueError: malformed events. EventError: events that do not follow, or of which
            some are missing; the message names the first, and what could have come instead.
    """
    check_integer(seat, "seat", 0, int(states["num_players"][0]) - 1)
    draw = random.Random(check_seed(seed))
    told = _entries(game, states, seat, events)
    now, before = _undecided(game, states, seat, draw) if told else (states, [])
    left, steps = [*before, *told], list[Step]()
    while left:
        found = _Search(game, seat, now, left, draw, check).find(len(told) - len(left) + 1)
        steps += found.steps
        now, left = found.result, left[found.at :]
        _deal_anew(game, now, seat, draw)
    own = [step for step in steps if step.seat == seat]
    again = own[: sum(isinstance(one, Played) for one in before)]  # were chosen before
    return now.copy(), [step for step in steps if not any(step is one for one in again)], told


@dataclass(frozen=True)
class Possible:
    """What may be told next.

    Attributes:
        events: those that come in most deals first.
        actions: who may have done what, (seat, action), in order.
        ends: whether nothing more may be told of the action.
        sure: whether enough deals came as was told so far; else there may be others.
    """

    events: list[Event]
    actions: list[tuple[int, int]]
    ends: bool
    sure: bool


def possible(
    game: Game, states: Array, seat: int, so_far: Any = (), seed: int = 0, check: Check = goes_on
) -> Possible:
    """The events that the seat may be told next.

    What is rare may be missing: actions are tried in some deals.

    Args:
        game, states, seat, seed, check: as of :func:`follow`.
        so_far: the first events of an action that is not complete yet; before them perhaps an entry
            that names it.

    Raises:
        TypeError, ValueError: malformed events, or two that name an action.
    """
    check_integer(seat, "seat", 0, int(states["num_players"][0]) - 1)
    draw, entries = random.Random(check_seed(seed)), _entries(game, states, seat, so_far)
    named = [(entry.seat, entry.action) for entry in entries if isinstance(entry, Played)]
    said = [entry for entry in entries if isinstance(entry, Said)]
    if len(named) > 1:
        raise ValueError("these are events of one action: only one entry may name it")
    # what is told next, None for nothing more: where all came as was said, in so many deals, where
    # the kinds, seats and numbers did, and where only the kinds and seats did
    exact, alike, far = list[Event | None](), list[Event | None](), list[Event | None]()
    agreeing = 0
    actions, deal, log = set[tuple[int, int]](), states.copy(), EventLog(game, states)
    for _ in range(MANY_DEALS if named else DEALS):
        before = len(exact)
        check()
        for p in deciding(deal):
            for action in game.legal_actions(deal, p):
                if named and (p, action) not in named:
                    continue
                log.go_back((deal, 0, 0, {}))
                log.play(p, action)
                told = log.told(seat) if named else _told_next(log, seat, draw)
                told = _as_said(told, said)
                pairs = list(zip(said, told, strict=False))
                if len(pairs) < len(said) or any(one.is_other(event) for one, event in pairs):
                    continue
                is_exact = not any(one.differs(event) for one, event in pairs)
                is_alike = all(_numbers_agree(one, event) for one, event in pairs)
                where = exact if is_exact else alike if is_alike else far
                where += _together(told, len(said)) or [None]
                if is_exact:
                    actions.add((p, action))
        agreeing += len(exact) > before
        _deal_anew(game, deal, seat, draw)
    sure = agreeing >= ENOUGH
    # numbers say how many events follow
    following = exact if sure else exact + (alike if exact or alike else far)
    events = {_json(event): event for event in following if event is not None}
    ranked = Counter(_json(event) for event in following if event is not None).most_common()
    likely_first = [events[key] for key, _ in ranked]
    return Possible(likely_first, sorted(actions), None in following, sure)


def _numbers_agree(said: Said, event: Event) -> bool:
    """Whether an event has the numbers and flags that were said."""
    return all(
        said.values.get(part.name, event.values[part.name]) == event.values[part.name]
        for part in said.kind.parts
        if isinstance(part, Number | Flag) and (event.knows or not part.hidden)
    )


def _together(told: Sequence[Event], at: int) -> list[Event]:
    """The event at a place, with those after it that people see at the same time."""
    if at < len(told) and told[at].kind.together:
        return list(takewhile(lambda event: event.kind.together, told[at:]))
    return list(told[at : at + 1])


def _as_said(told: Sequence[Event], said: Sequence[Said]) -> list[Event]:
    """What was told in the order in which it was said, as far as that may be any."""
    ordered = list[Event]()
    for together, run in groupby(told, lambda event: event.kind.together):
        left = list(run)
        wanted = said[len(ordered) : len(ordered) + len(left)] if together else ()
        placed = dict[int, Event]()
        for most in (0, math.inf):  # what agrees has its place first
            for place, one in enumerate(wanted):
                nearest = min(left, key=one.differs, default=None)
                if place not in placed and nearest and one.differs(nearest) <= most:
                    placed[place] = nearest
                    left.remove(nearest)
        ordered += [placed[place] for place in range(len(placed))] + left
    return ordered


def _told_next(log: EventLog, seat: int, draw: random.Random) -> list[Event]:
    """The events that a seat is told of the last action. Others go on while there are none."""
    for _ in range(MOST_SILENT):
        told, owing = log.told(seat), deciding(log.states)
        if told or not owing or owing[0] == seat:
            return told
        log.play(owing[0], draw.choice(log.game.legal_actions(log.states, owing[0])))
    return []


def _entries(game: Game, states: Array, seat: int, events: Any) -> list[Entry]:
    """Events from outside, lines and objects, as they are read."""
    seats = int(states["num_players"][0])
    if is_sequence(events):
        events = [
            read_line(one, game.events, seat, seats) if isinstance(one, str) else one
            for one in events
        ]
    return read_said(game.events, game.action_index, seats, events)


def _deal_anew(game: Game, states: Array, seat: int, draw: random.Random) -> None:
    game.kernels.determinize_one(states, seat, np.uint64(draw.getrandbits(64)))


def _committed(game: Game, states: Array) -> list[int]:
    """The seats whose simultaneous choice is made and still secret."""
    if not game.is_simultaneous:
        return []
    asked, owes = game.facts(states[0])["asked"], states["owes"][0]
    return [p for p in range(int(states["num_players"][0])) if asked[p] and not owes[p]]


def _undecided(
    game: Game, states: Array, seat: int, draw: random.Random
) -> tuple[Array, list[Entry]]:
    """A position before the choices that are secret now, and the events since; to reveal the
    choices, they are made once more. Without such choices, the position itself."""
    done = _committed(game, states)
    if not any(p != seat for p in done):
        return states, []
    view = game.to_view(game.to_snapshot(states[0]), seat)
    earlier, own = dict(view), list[Any]()
    for key, codec in game.snapshot_table.items():
        if codec.view is own_or_null:
            made = view[key][seat]
            own += made if isinstance(made, list) else [] if made is None else [made]
            nothing: Any = [] if isinstance(made, list) else None
            earlier[key] = [nothing if p == seat else entry for p, entry in enumerate(view[key])]
    earlier["to_move"] = int(np.flatnonzero(game.facts(states[0])["asked"])[0])
    if earlier.get("player") == view["to_move"]:  # in a table that names whose choice it is
        earlier["player"] = earlier["to_move"]
    earlier.pop(COMMITTED, None)
    try:
        before = game.complete(earlier, seat, draw.getrandbits(64))
    except SnapshotError:
        return states, []
    trial, entries = EventLog(game, before), list[Entry]()
    for p in sorted({*done, seat}):
        if p != seat:
            entries.append(Said(game.events.kinds[CHOSE], p, {}))
            while trial.states["owes"][0][p]:
                trial.play(p, draw.choice(game.legal_actions(trial.states, p)))
            continue
        while own or (seat in done and trial.states["owes"][0][seat]):
            action = _action_of(game, trial.states, seat, own.pop(0) if own else None)
            if action is None:
                return states, []
            entries.append(Played(seat, action, game.actions[action], told=True))
            trial.play(seat, action)
    again = game.to_view(game.to_snapshot(trial.states[0]), seat)
    return (before, entries) if again == view else (states, [])


def _action_of(game: Game, states: Array, seat: int, chosen: Any) -> int | None:
    """The action that chooses something; for None, the action that ends the choice."""
    legal = game.legal_actions(states, seat)
    if chosen is not None:
        fit = (a for a in legal if f" {game.actions[a]}".endswith(f" {chosen}"))
        return next(fit, None)
    log = EventLog(game, states)
    for action in reversed(legal):  # `done` stands behind what it ends
        log.go_back((states, 0, 0, {}))
        log.play(seat, action)
        if not log.states["owes"][0][seat]:
            return action
    return None


@dataclass
class _Attempt:
    """What some actions have told in one deal.

    Attributes:
        deal: the position before them. steps: the actions. result: the position after them.
        told: what the last of them has told. first: of the entries, the one with which that should
            have begun. at: the first entry that did not come out. score: how good that is.
        matches: whether all of it was told.
    """

    deal: Array
    result: Array
    steps: list[Step] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)
    first: int = 0
    at: int = 0
    score: tuple[int, int] = (-1, 0)
    matches: bool = False


_Plan = Mapping[int, Sequence[int | None]]  # by seat: its actions, None for any


def _plan(steps: Sequence[Step]) -> _Plan:
    found: dict[int, list[int | None]] = {}
    for step in steps:
        found.setdefault(step.seat, []).append(step.action)
    return found


def _goodness(attempt: _Attempt) -> tuple[bool, tuple[int, int]]:
    return attempt.matches, attempt.score


class _Search:
    """Looks for a deal, and for actions in it, that tell the first of some entries."""

    def __init__(
        self,
        game: Game,
        seat: int,
        states: Array,
        entries: list[Entry],
        draw: random.Random,
        check: Check,
    ) -> None:
        self.game, self.seat, self.states, self.draw = game, seat, states, draw
        self.check = check
        self.entries = entries
        self.log, self.after = EventLog(game, states), EventLog(game, states)
        # by entry: the actions that were seen to begin as it says, and those that were not
        self.good: dict[int, set[tuple[int, int]]] = {}
        self.bad: dict[int, set[tuple[int, int]]] = {}
        # by first action: how many attempts began with it, and the sum of their scores
        self.mean: dict[tuple[int, int], tuple[int, float]] = {}
        # by first action and part of the first event: how often it came, and as was told
        self.parts: dict[tuple[tuple[int, int], str], list[int]] = {}
        # how often the game could not say what events are going to show
        self.no_help = 0
        self.certain = set[str]()  # parts that follow from the action

    def find(self, number: int) -> _Attempt:
        """An attempt that matches; raises EventError. ``number``: of the first entry, for
        people."""
        best = self._best(self.states.copy())
        if best.matches:
            return self._only(best, number)
        for number_of_start in range(STARTS):
            start = _Attempt(self.states, self.states)
            for _ in range(DEALS):
                deal, plan = self._deal()
                start = max(start, self._best(deal), key=_goodness)
                if plan and not start.matches:
                    start = max(start, self._attempt(deal, plan), key=_goodness)
                if start.matches:
                    return self._only(start, number)
            if start.steps and self._is_other((start.steps[0].seat, start.steps[0].action)):
                start = self._best(deal)
            best = max(best, self._mended(start), key=_goodness)
            if best.matches:
                return self._only(best, number)
            few = len(best.told) < MANY and len(best.steps) < 2
            if not best.steps or (few and number_of_start > 2):  # nobody could have begun so
                break
        raise self._error(best, number)

    def _only(self, found: _Attempt, number: int) -> _Attempt:
        """An attempt that matches. Raises EventError if another action tells the same and leads to
        another view."""
        first = found.steps[0]
        if len(found.steps) > 1 or isinstance(self.entries[0], Played):
            return found
        view = self._view(found.result)
        for p, action in self._beginnings(found.deal, 0):
            if (p, action) == (first.seat, first.action):
                continue
            other = self._attempt(found.deal, {p: [action]})
            if other.matches and len(other.steps) == 1 and self._view(other.result) != view:
                actions = self.game.actions
                raise EventError(
                    f"event {number} may tell of {actions[first.action]!r} or of "
                    f"{actions[action]!r}: say which by an entry before it, such as "
                    f"{event_line(Played(p, action, actions[action]).to_json(), self.game.events)}"
                )
        return found

    def _view(self, states: Array) -> Snapshot:
        return self.game.to_view(self.game.to_snapshot(states[0]), self.seat)

    def _deal(self) -> tuple[Array, _Plan]:
        """A deal that agrees with the view, and perhaps with the coming events; and the actions of
        others that it needs, as far as they are known."""
        fill_told = self.game.fill_told
        if fill_told is not None and self.no_help < HELPLESS and self.draw.random() < 0.7:
            position = self.game.to_snapshot(self.states[0])
            view = Candidate(self.game, self._view(self.states))
            said = (entry for entry in self.entries if isinstance(entry, Said))
            events = [{"seat": None, **one.to_json()} for one in said]
            try:
                filled, plan = fill_told(view, self.seat, events, self.draw)
                word = str(self.draw.getrandbits(64))
                deal = self.game.from_snapshot({**position, **filled, "rng": word}, in_order=False)
                index = self.game.action_index
                return deal, {p: [index.get(text) for text in own] for p, own in plan.items()}
            except SnapshotError:
                self.no_help += 1
        deal = self.states.copy()  # an attempt keeps its deal
        _deal_anew(self.game, deal, self.seat, self.draw)
        return deal, {}

    def _best(self, deal: Array) -> _Attempt:
        """The best of some attempts in a deal, each with another first action: those that came
        nearest so far."""
        best = _Attempt(deal, deal)
        firsts = [one for one in self._beginnings(deal, 0) if not self._is_other(one)]
        self.draw.shuffle(firsts)
        untried = [first for first in firsts if first not in self.mean]
        tried = sorted(
            (one for one in firsts if one in self.mean), key=lambda one: -self._mean(one)
        )
        others = self.draw.sample(tried[FIRSTS:], min(FIRSTS, len(tried[FIRSTS:])))
        for first in [*untried[:UNTRIED], *tried[:FIRSTS], *others]:
            found = self._attempt(deal, {first[0]: [first[1]]})
            self._note(first, found)
            count, total = self.mean.get(first, (0, 0.0))
            self.mean[first] = count + 1, total + found.score[0] + found.score[1] / 10
            best = max(best, found, key=_goodness)
            if best.matches:
                break
        return best

    def _note(self, first: tuple[int, int], found: _Attempt) -> None:
        """Count how often each part of the first event is as was told."""
        said = next((one for one in self.entries if isinstance(one, Said)), None)
        if said is None or len(found.steps) != 1 or not found.told:
            return
        event = found.told[0]
        for name, value in said.values.items():
            seen = self.parts.setdefault((first, name), [0, 0])
            seen[0] += 1
            seen[1] += event.kind is said.kind and event.values[name] == value
            if seen[0] == CERTAIN and seen[1] == CERTAIN:
                self.certain.add(name)

    def _is_other(self, first: tuple[int, int]) -> bool:
        """Whether an action never tells a part of the first event as it was told, which another
        one always does."""
        return any(
            seen[0] >= 2 and not seen[1]
            for name in self.certain
            if (seen := self.parts.get((first, name))) is not None
        )

    def _mean(self, first: tuple[int, int]) -> float:
        count, total = self.mean[first]
        return total / count

    def _mended(self, best: _Attempt) -> _Attempt:
        """The best attempt after changes to the deal, or to actions, of another one."""
        mender, idle = _Mender(self.game, self.seat, best.deal, self.draw), 0
        for changed in mender.simpler():
            found = self._again(mender.read(changed), best)
            if found is not None and found.score >= best.score:
                best, mender.position = found, changed
        while not best.matches and idle < PATIENCE:
            idle += 1
            for trial in self._trials(best, mender):
                if trial.score > best.score:
                    idle = 0
                if trial.score >= best.score:
                    if trial.deal is not best.deal and mender.changed is not None:
                        mender.position = mender.changed
                    best = trial
                if best.matches:
                    break
        return best

    def _trials(self, best: _Attempt, mender: "_Mender") -> Iterator[_Attempt]:
        """Other actions of others in the same deal; another generator; and another deal."""
        mender.changed = None
        plan, (said, event) = _plan(best.steps), self._difference(best)
        if len(best.steps) > 1 or len(self.good.get(0, ())) > 1:
            for _ in range(VARIATIONS):
                yield self._attempt(best.deal, self._varied(plan, said))
        other = best.deal.copy()
        other["rng"] = self.draw.getrandbits(64)
        mender.changed = {**mender.position, "rng": str(int(other["rng"][0]))}
        yield self._attempt(other, plan)
        mender.changed = mender.mended(said, event)
        if mender.changed is not None:
            found = self._again(mender.read(mender.changed), best)
            if found is not None:
                yield found

    def _varied(self, plan: _Plan, said: Said | None) -> _Plan:
        """A plan in which one action of a seat is another, left out or put in, or all are others;
        None: any that may be meant."""
        others = [p for p in plan if p != self.seat] or list(plan) or [self.seat]
        meant = said.seat if said is not None else None
        p = meant if meant in others and self.draw.random() < 0.7 else self.draw.choice(others)
        actions = list(plan.get(p, ()))
        way, at = self.draw.randrange(4), self.draw.randrange(len(actions) + 1)
        if way == 0:
            actions = []
        else:
            actions[at : at + (way < 3)] = [] if way == 1 else [None]
        return {**plan, p: actions}

    def _again(self, deal: Array | None, best: _Attempt) -> _Attempt | None:
        if deal is None:
            return None
        if len(best.steps) > 1:
            return self._attempt(deal, _plan(best.steps))
        return self._best(deal)

    # ------------------------------------------------------------ playing

    def _attempt(self, deal: Array, plan: _Plan) -> _Attempt:
        """Play the actions of a plan, and others where it has none, until something else is told
        than what was said."""
        self.check()
        log, entries = self.log, self.entries
        log.go_back((deal, 0, 0, {}))
        found, left = _Attempt(deal, deal), {p: list(actions) for p, actions in plan.items()}
        for _ in range(LONGEST):
            choice = self._choice(log.states, found.at, left)
            if choice is None:
                break
            found.steps.append(Step(log.states.copy(), *choice))
            known = isinstance(entries[found.at], Played)
            quiet = known and entries[found.at].told  # type: ignore[union-attr]
            found.at += known
            before = len(log)
            log.play(*choice)
            found.told = [] if quiet else log.told(self.seat, before)
            found.first = found.at
            if not self._agrees(found):
                break
            if found.at == len(entries):
                found.matches = True
                break
            secret = any(p != self.seat for p in _committed(self.game, log.states))
            if (found.told or known) and not secret:
                found.matches = self._goes_on(log.states, found.at)
                break
        found.result = log.states.copy()
        return found

    def _agrees(self, found: _Attempt) -> bool:
        """Compare what the last action has told with the entries; sets how far they agree, and the
        score."""
        wanted = self._events_from(found.first)
        found.told = _as_said(found.told, wanted)
        differs = 0
        for event, said in zip(found.told, wanted, strict=False):
            differs = said.differs(event)
            if differs:
                break
            found.at += 1
        agreed = found.at - found.first
        missing = wanted[: len(found.told)]
        alike = agreed
        for event in found.told[agreed:]:
            same = next((one for one in missing[agreed:] if not one.differs(event)), None)
            if same is not None:
                missing.remove(same)
                alike += 1
        found.score = (found.at + alike + found.first, -differs)
        return agreed == len(found.told)

    def _events_from(self, at: int) -> list[Said]:
        """The entries from one on, as far as they are events."""
        found = list[Said]()
        for entry in self.entries[at:]:
            if isinstance(entry, Played):
                break
            found.append(entry)
        return found

    def _choice(
        self, states: Array, at: int, left: dict[int, list[int | None]]
    ) -> tuple[int, int] | None:
        """The next action of a seat that may be meant: that of the plan, if it is legal; else any
        that may be meant."""
        for p in self._deciding(states, self.entries[at]):
            planned = left[p].pop(0) if left.get(p) else None
            if planned is not None and self.game.mask_of(states, p)[planned]:
                return p, planned
        some = list(self._beginnings(states, at))
        return self.draw.choice(some) if some else None

    def _deciding(self, states: Array, entry: Entry) -> list[int]:
        """The seats that may have acted."""
        owing = deciding(states)
        return [entry.seat] if entry.seat in owing else owing

    def _beginnings(self, states: Array, at: int) -> Iterator[tuple[int, int]]:
        """Actions that may be the one which an entry is told of."""
        entry = self.entries[at]
        legal = [
            (p, action)
            for p in self._deciding(states, entry)
            for action in self.game.legal_actions(states, p)
        ]
        if isinstance(entry, Played):
            yield from (pair for pair in legal if pair == (entry.seat, entry.action))
            return
        good, bad = self.good.setdefault(at, set()), self.bad.setdefault(at, set())
        for pair in legal:
            if pair not in good and pair not in bad:
                begins = self._begins(states, pair, entry)
                (good if begins else bad).add(pair)
        yield from (pair for pair in legal if pair in good)

    def _begins(self, states: Array, pair: tuple[int, int], entry: Said) -> bool:
        """Whether an action first tells what the entry says, or tells the seat nothing."""
        self.after.go_back((states, 0, 0, {}))
        self.after.play(*pair)
        told = self.after.told(self.seat)
        if not told:
            return pair[0] != self.seat
        first = [event for event in _together(told, 0) if not entry.is_other(event)]
        return any(not (entry.kind.private and entry.differs(event)) for event in first)

    def _goes_on(self, states: Array, at: int) -> bool:
        """Whether an action may begin with what an entry says, in some deals, perhaps after others
        that tell the seat nothing."""
        deal = states.copy()
        for _ in range(LOOKS):
            if self._comes(deal, at):
                return True
            _deal_anew(self.game, deal, self.seat, self.draw)
        return False

    def _comes(self, states: Array, at: int) -> bool:
        entry = self.entries[at]
        for _ in range(MOST_SILENT):
            silent = list[Array]()
            for pair in self._beginnings(states, at):
                if isinstance(entry, Played):
                    return True
                self.after.go_back((states, 0, 0, {}))
                self.after.play(*pair)
                if not self.after.told(self.seat):
                    silent.append(self.after.states.copy())
                elif self._begins(states, pair, entry):
                    return True
            if not silent:
                return False
            states = self.draw.choice(silent)
        return False

    # ------------------------------------------------------------ what is wrong

    def _difference(self, best: _Attempt) -> tuple[Said | None, Event | None]:
        """An event that was told and has not come out, and one that came out instead."""
        wanted = self._events_from(best.first)
        missing, extra = wanted[: len(best.told) + 1], list[Event]()
        agreed = best.at - best.first
        if self.draw.random() < 0.5:
            said = wanted[agreed] if agreed < len(wanted) else None
            return said, best.told[agreed] if agreed < len(best.told) else None
        for event in best.told:
            same = next((one for one in missing if not one.differs(event)), None)
            if same is None:
                extra.append(event)
            else:
                missing.remove(same)
        if not missing:
            return None, self.draw.choice(extra) if extra else None
        said = self.draw.choice(missing)
        alike = [one for one in extra if (one.kind, one.seat) == (said.kind, said.seat)]
        return said, self.draw.choice(alike or extra) if extra else None

    def _error(self, best: _Attempt, number: int) -> EventError:
        """What is said of events that nothing explains."""
        entries, at = self.entries, min(best.at, len(self.entries) - 1)
        come = best.told[best.at - best.first :][:1] if best.at >= best.first else []
        instead = f"; what can come is such as: {come[0].text().rstrip('.!')}" if come else ""
        if best.at >= len(entries):
            return EventError(
                f"event {number + len(entries) - 1} is not the last one of its action: more must "
                f"follow{instead}"
            )
        entry = entries[at]
        shown = event_line({"seat": None, **entry.to_json()}, self.game.events)
        if isinstance(entry, Said):
            with suppress(KeyError, TypeError, ValueError, IndexError):  # not all of it was said
                who = None if entry.seat == ANY else entry.seat
                shown = Event(entry.kind, who, entry.values, self.seat, True).text()
            shown = entry.sentence or shown
        if not best.steps:
            moves = [
                event_line(Played(p, a, self.game.actions[a]).to_json(), self.game.events)
                for p, a in self._legal(self.states)[:ALTERNATIVES]
            ]
            instead = f"; to decide now: {', '.join(moves)}" if moves else "; the game is over"
        number += at
        return EventError(f"event {number} cannot come now: {shown.rstrip('.!')}{instead}", number)

    def _legal(self, states: Array) -> list[tuple[int, int]]:
        return [
            (p, action) for p in deciding(states) for action in self.game.legal_actions(states, p)
        ]


def _json(event: Event) -> str:
    """An event as text; different events have different texts."""
    return json.dumps({"kind": event.kind.name, "seat": event.seat, **event.values})


class _Mender:
    """Changes entries of a position that the seat's view hides.

    Attributes: ``position``: a snapshot, which changes begin with. ``changed``: the last change.
    """

    def __init__(self, game: Game, seat: int, states: Array, draw: random.Random) -> None:
        self.game, self.seat, self.draw = game, seat, draw
        self.position = game.to_snapshot(states[0])
        self.view = game.to_view(self.position, seat)
        self.changed: Snapshot | None = None
        self.knowledge = set[str]()  # entries about what seats know of each other
        # by hand: cards that it has in all deals, since all know them
        self.fixed: dict[Place, Counter[Any]] = {}
        deal = states.copy()
        for _ in range(LOOKS):
            _deal_anew(game, deal, seat, draw)
            other = game.to_snapshot(deal[0])
            for at in _hidden(self.position, self.view):
                hand = _value(self.position, at)
                if len(at) > 1 and isinstance(hand, list) and all(type(one) is str for one in hand):
                    self.fixed[at] = self.fixed.get(at, Counter(hand)) & Counter(_value(other, at))

    def _free(self, at: Place) -> Iterator[Leaf]:
        """What lies at a hidden place, without cards that lie there in all deals."""
        value = _value(self.position, at)
        fixed = self.fixed.get(at, Counter()).copy()
        for leaf in _leaves(value, at):
            if fixed[leaf[1]] and len(value) > fixed.total():
                fixed[leaf[1]] -= 1
            else:
                yield leaf

    def read(self, position: Snapshot) -> Array | None:
        """The position of a snapshot; None if it is impossible."""
        try:
            return self.game.from_snapshot(position, in_order=False)
        except SnapshotError:
            return None

    def simpler(self) -> Iterator[Snapshot]:
        """The position with one entry as a completed view has it: others know no more than needed,
        so that more can change."""
        try:
            filled = self.game.fill(Candidate(self.game, self.view), self.seat, self.draw)
        except SnapshotError:
            return
        for key, entry in filled.items():
            if isinstance(entry, list) and all(isinstance(row, list) for row in entry):
                if any(isinstance(one, list) for row in entry for one in row):
                    self.knowledge.add(key)
            yield {**self.position, key: entry}

    def mended(self, said: Said | None, event: Event | None) -> Snapshot | None:
        """The position with a change that may put one event in place of another; None if there is
        nothing to change."""
        places = [at for at in _hidden(self.position, self.view) if at[0] not in self.knowledge]
        leaves = [leaf for at in places for leaf in self._free(at)]
        draw, changed = self.draw, copy.deepcopy(self.position)
        mine = _things(said.kind.parts, said.values) if said else []
        got = _things(event.kind.parts, event.values) if event else []
        if not any(type(leaf[1]) is int for leaf in leaves):
            mine, got = ([v for v in some if type(v) is not int] for some in (mine, got))
        missing, extra = [v for v in mine if v not in got], [v for v in got if v not in mine]
        chance = draw.random()
        lists = [at for at in places if isinstance(_value(changed, at), list)]
        choices = [at for at in lists if _value(self.view, at) is None]
        if choices and chance < 0.2:
            self._choose_otherwise(changed, draw.choice(choices), mine, leaves)
            return changed
        if not leaves:
            return None
        if chance < 0.6 and missing and extra:
            near = [leaf for leaf in leaves if event and leaf[0][1:2] == (event.seat,)]
            gone, wanted = draw.choice(extra), draw.choice(missing)
            a = self._pick(near, gone) or self._pick(leaves, gone)
            b = self._pick(leaves, wanted)
            if a is not None:
                if b is None:
                    _put(changed, a[0], wanted)
                else:
                    _exchange(changed, a[0], b[0])
                return changed
        if chance > 0.9 and missing and said is not None:
            self._gather(changed, draw.choice(missing), leaves, said)
            return changed
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            meant = missing + extra or mine
            some = self._pick(leaves, draw.choice(meant)) if meant and chance < 0.9 else None
            a = some or draw.choice(leaves)
            _exchange(changed, a[0], self._partner(leaves, said)[0])
        return changed

    def _gather(self, changed: Snapshot, value: Any, leaves: list[Leaf], said: Said) -> None:
        """Bring the parts of a thing to a seat, one of them perhaps to the end of a pile."""
        parts = {leaf[1]: leaf for leaf in self.draw.sample(leaves, len(leaves))}
        near = [leaf for leaf in leaves if len(leaf[0]) > 2 and leaf[0][1] == said.seat]
        self.draw.shuffle(near)
        ends = [leaf for leaf in leaves if self._is_end(leaf[0])]
        if ends and self.draw.random() < 0.5:
            near.append(self.draw.choice(ends))
        for part, leaf in parts.items():
            if str(part).startswith(str(value)) and near:
                _exchange(changed, leaf[0], near.pop()[0])

    def _choose_otherwise(
        self, changed: Snapshot, at: Place, mine: list[Any], leaves: list[Leaf]
    ) -> None:
        """Change a list that the view hides as a whole: what an event names, or an entry more or
        less."""
        entries, draw = list(_value(changed, at)), self.draw
        way = draw.randrange(3)
        if way == 0 and mine:
            entries = mine[: draw.randint(1, len(mine))]
        elif way == 1 and entries:
            entries.pop(draw.randrange(len(entries)))
        else:
            same = [leaf for leaf in leaves if leaf[0][1:2] == at[1:2]] or leaves
            if same:
                entries.insert(draw.randint(0, len(entries)), draw.choice(same)[1])
        _put(changed, at, entries)

    def _pick(self, leaves: list[Leaf], value: Any) -> Leaf | None:
        """A hidden entry with this value; or a part of the thing that it names."""
        fit = [leaf for leaf in leaves if leaf[1] == value and type(leaf[1]) is type(value)]
        if not fit and isinstance(value, str):
            fit = [leaf for leaf in leaves if str(leaf[1]).startswith(value)]
        return self.draw.choice(fit) if fit else None

    def _partner(self, leaves: list[Leaf], said: Said | None) -> Leaf:
        """A hidden entry to exchange with: of those whom an event is about, at an end of a pile, or
        any."""
        chance, near = self.draw.random(), list[Leaf]()
        if chance < 0.5 and said is not None:
            who = [said.values.get(part.name) for part in said.kind.parts if isinstance(part, Who)]
            near = [leaf for leaf in leaves if len(leaf[0]) > 2 and leaf[0][1] in [said.seat, *who]]
        elif chance < 0.8:
            near = [leaf for leaf in leaves if self._is_end(leaf[0])]
        return self.draw.choice(near or leaves)

    def _is_end(self, at: Place) -> bool:
        return at[-1] in (0, len(_value(self.position, at[:-1])) - 1)


def _things(parts: Sequence[Part], values: Mapping[str, Any]) -> list[Any]:
    named = [(part, values.get(part.name)) for part in parts]
    plain = [
        [value] for part, value in named if isinstance(part, Thing | Number) and value is not None
    ]
    several = [value for part, value in named if isinstance(part, Things) and value]
    return list(chain(*[one for one in plain if not isinstance(one[0], list)], *several))


def _hidden(position: Any, view: Any, at: Place = ()) -> Iterator[Place]:
    """Places of a position at which the view says less, as deep as both have the same form."""
    if isinstance(position, dict) and isinstance(view, dict):
        for key in view:
            yield from _hidden(position[key], view[key], (*at, key))
    elif isinstance(position, list) and isinstance(view, list) and len(position) == len(view):
        for index in range(len(view)):
            yield from _hidden(position[index], view[index], (*at, index))
    elif position != view:
        yield at


def _leaves(value: Any, at: Place) -> Iterator[Leaf]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, (*at, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _leaves(one, (*at, index))
    elif value is not None:
        yield at, value


def _value(position: Any, at: Place) -> Any:
    for key in at:
        position = position[key]
    return position


def _put(position: Any, at: Place, value: Any) -> None:
    _value(position, at[:-1])[at[-1]] = value


def _exchange(position: Any, a: Place, b: Place) -> None:
    first, second = _value(position, a), _value(position, b)
    _put(position, a, second)
    _put(position, b, first)
