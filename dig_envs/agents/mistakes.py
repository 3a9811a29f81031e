"""The largest mistakes of a seat in a game, by the same chances as :mod:`dig_envs.agents.advice`.

A decision is judged by what the seat could know then: the rest is dealt anew.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dig_envs.agents.advice import (
    Advice,
    PlayedOn,
    advisable,
    candidates,
    entries,
    errors_for,
    in_parts,
    play_on,
    stands_out,
    together,
)
from dig_envs.agents.loading import load_agent
from dig_envs.agents.memory import in_mind, memory_size
from dig_envs.agents.search import Progress
from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.core.words import NO_NAMES, Names
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Array, Game

MOST_MISTAKES = 10
# First each decision is looked at briefly, with about so many actions played on in all; then those
# that may be the largest mistakes again, on other deals.
CANDIDATES, FIRST_DEALS, FIRST_ACTIONS = 6, 16, 120_000
LOOKED_AGAIN = 2  # decisions for each mistake that is asked for, by each measure
DEALS, ACTIONS = 200, 20_000
# What costs less is no mistake: per cent of the chance, and of the score, which counts where the
# chances are alike, as in games that are lost, and in cooperative games, most of which are.
LEAST, LEAST_SCORE = 1.0, 0.1
DOUBTFUL = 1.0  # standard errors by which a loss differs that is told with a caveat


@dataclass(frozen=True)
class Mistake:
    """A decision that has cost chances of winning.

    Attributes:
        decision: how many actions of the seat came before it. turn: in which it was.
        played, better: what was done, and what would have been better; their ``worth`` names the
            score, too, if that is what was lost.
        sure: whether the loss is too large for chance.
    """

    decision: int
    turn: int
    played: Advice
    better: Advice
    sure: bool

    def __str__(self) -> str:
        done, better = self.played, self.better
        return (
            f"Turn {self.turn}, decision {self.decision + 1}: {done.label} ({done.worth}). "
            f"Better: {better.label} ({better.worth}). {better.reason}".rstrip()
        )

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict of the attributes."""
        return asdict(self)


class Decision(NamedTuple):
    """What a seat has chosen. ``number``: how many actions of the seat came before it. ``states``:
    a position that agrees with what it saw then, a record array of length 1."""

    number: int
    states: Array
    action: int


def mistakes_text(found: Sequence[Mistake], whose: str) -> str:
    """The mistakes in words, a line each. ``whose``: such as ``"Your"``."""
    if not found:
        return f"{whose} mistakes: none that stands out from chance."
    doubt = "" if found[0].sure else "; none stands out from chance, these may have cost most"
    head = (
        f"{whose} largest mistakes (chances of winning by what was known then, on "
        f"{found[0].played.games} deals, if the scripted player goes on for everybody{doubt}):"
    )
    return "\n".join([head, *(f"{number:>3} {one}" for number, one in enumerate(found, 1))])


def mistakes(
    log: EventLog,
    seat: int,
    most: int = 3,
    names: Names = NO_NAMES,
    progress: Progress | None = None,
) -> list[Mistake]:
    """The largest mistakes of a seat, at most ``most`` of them, the largest first.

    Chances are those if the scripted player plays on for everybody. Losses of chances that are too
    large for chance come first, then such losses of the score; in a game without any, one is found
    in at most 5 % of cases (:func:`dig_envs.agents.advice.errors_for`). If there are none, those
    are told that may have cost most, as not ``sure``. In a cooperative game the score alone counts.

    Args:
        log: of the game, such as ``env.unwrapped.event_log``. seat: whose mistakes.
        most: how many, 1 to 10.
        names: of the seats.
        progress: called now and then with the share that is done, 0 to 1; what it raises ends the
            work.

    Raises:
        TypeError, ValueError: a wrong ``seat`` or ``most``.
    """
    check_integer(seat, "seat", 0, int(log.states["num_players"][0]) - 1)
    made = decisions_of(log.game, seat, _steps(log))
    return mistakes_in(log.game, seat, made, most, names, progress)


def mistakes_in(
    game: Game,
    seat: int,
    made: Iterable[Decision],
    most: int = 3,
    names: Names = NO_NAMES,
    progress: Progress | None = None,
) -> list[Mistake]:
    """The same for the decisions of a seat, in order."""
    check_integer(most, "most", 1, MOST_MISTAKES)
    decisions = [one for one in made if int(game.mask_of(one.states, seat).sum()) > 1]
    measures = 1 if game.cooperative else 2
    steps, taken = len(decisions) + measures * LOOKED_AGAIN * most, 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if progress is not None:
            progress(taken / steps)

    looks = []
    for decision in decisions:
        looks.append(_first_look(game, seat, decision, FIRST_ACTIONS // len(decisions)))
        step()
    found, suspects = [], _suspects(looks, LOOKED_AGAIN * most)
    for number, better in suspects:
        decision = decisions[number]
        actions, first = [better, decision.action], 1 + FIRST_DEALS
        parts = in_parts(game, decision.states, seat, actions, DEALS, ACTIONS, first)
        judged = judge(game, parts, len(suspects) * measures)
        if judged is not None:
            found.append((judged, decision, better))
        step()
    found.sort(key=lambda one: one[0].rank)
    sure = [one for one in found if one[0].sure]
    return [
        _mistake(game, seat, judged, decision, better, names)
        for judged, decision, better in (sure or found)[:most]
    ]


def decisions_of(
    game: Game, seat: int, steps: Iterable[tuple[Array, int, int]]
) -> Iterator[Decision]:
    """The decisions of a seat, with all in sight that a person in it can remember.

    ``steps``: of all seats, in order: a position that agrees with what the seat saw before, who
    acted, and the action.
    """
    agent, seats = load_agent(game.player_for_people, game.env_name), np.array([seat], np.int64)
    memory, number = np.zeros((1, memory_size(agent)), np.float32), 0
    for states, who, action in steps:
        shown = in_mind(agent, states, seats, memory)
        if who == seat:
            yield Decision(number, shown.copy(), action)
            number += 1


def _steps(log: EventLog) -> Iterator[tuple[Array, int, int]]:
    states = log.first.copy()
    for who, action in log.played:
        yield states, who, action
        log.game.kernels.apply_one(states, who, action)


def _values(game: Game, found: PlayedOn) -> Array:
    """The worths of actions to a seat by each measure, float64 (measures, n): the chance in per
    cent, not in a cooperative game, and the score."""
    scores = found.scores[:, 0]
    return np.stack([scores] if game.cooperative else [100.0 * found.chances, scores])


def _first_look(game: Game, seat: int, decision: Decision, most: int) -> list[tuple[float, int]]:
    """By each measure the cost of an action compared with the best of some others, and that other
    action; empty if there is none."""
    states, action = decision.states, decision.action
    others = [other for other in advisable(game, states, seat) if other != action]
    some = candidates(game, states, seat, others, CANDIDATES)
    if not some:
        return []
    found = play_on(game, states, seat, [action, *some], FIRST_DEALS, most, first=1)
    return [
        (float(values[1:].max() - values[0]), some[int(values[1:].argmax())])
        for values in _values(game, found)
    ]


def _suspects(looks: Sequence[Sequence[tuple[float, int]]], most: int) -> list[tuple[int, int]]:
    """The numbers of the decisions that cost most, so many by each measure, and what was better."""
    found: dict[int, int] = {}
    for measure in range(max(map(len, looks), default=0)):
        losses = [
            (-look[measure][0], number, look[measure][1])
            for number, look in enumerate(looks)
            if look and look[measure][0] > 0.0 and number not in found
        ]
        found.update((number, better) for _, number, better in sorted(losses)[:most])
    return list(found.items())


class _Judged(NamedTuple):
    """How much an action has cost. ``rank``: of larger losses lower; ``played``: the results of the
    better action and of it."""

    rank: tuple[int, float]
    sure: bool
    played: PlayedOn


def judge(game: Game, parts: Sequence[PlayedOn], comparisons: int) -> _Judged | None:
    """The cost of an action compared with a better one, None if it cost nothing. ``parts``: what
    the better one and it led to; ``comparisons``: how many are made in this game."""
    played, limit = together(parts), errors_for(comparisons)
    least = [LEAST_SCORE] if game.cooperative else [LEAST, LEAST_SCORE]
    each = np.array([_values(game, part) for part in parts])
    gains, losses = each[:, :, 0] - each[:, :, 1], -np.diff(_values(game, played))[:, 0]
    if losses[0] <= -least[0]:
        return None  # more points, but fewer chances
    for errors in (limit, DOUBTFUL):
        for measure, loss in enumerate(losses.tolist()):
            if loss >= least[measure] and stands_out(gains[:, measure].tolist(), errors):
                return _Judged((measure, -loss), errors == limit, played)
    return None


def _mistake(
    game: Game, seat: int, judged: _Judged, decision: Decision, better: int, names: Names
) -> Mistake:
    actions = [better, decision.action]
    told = entries(game, decision.states, seat, actions, judged.played, names)
    if judged.rank[0] == 1:  # the score alone was lost
        told = [replace(one, worth=f"{one.worth}, score {one.score:.1f}") for one in told]
    instead, done = told
    return Mistake(decision.number, int(decision.states["turn"][0]), done, instead, judged.sure)
