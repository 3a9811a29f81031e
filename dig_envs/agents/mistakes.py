"""The largest mistakes of a seat in a game, by the same chances as :mod:`dig_envs.agents.advice`.

A decision is judged by what the seat could know then: the rest is dealt anew.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from dig_envs.agents.advice import Advice, PlayedOn, candidates, entries, not_grave, play_on
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
LOOKED_AGAIN = 2  # decisions for each mistake that is asked for
DEALS, ACTIONS, PARTS = 200, 20_000, 10
LEAST = 1.0  # per cent; what costs less is no mistake
POINT = 10.0  # per cent that a point of a cooperative game counts: most of these games are lost
ERRORS = 2.0  # standard errors by which a loss must differ from nothing


@dataclass(frozen=True)
class Mistake:
    """A decision that has cost chances of winning.

    Attributes:
        decision: how many actions of the seat came before it. turn: in which it was.
        played, better: what was done, and what would have been better.
    """

    decision: int
    turn: int
    played: Advice
    better: Advice

    def __str__(self) -> str:
        done, better = self.played, self.better
        return (
            f"Turn {self.turn}, decision {self.decision + 1}: {done.label} ({self._worth(done)}). "
            f"Better: {better.label} ({self._worth(better)}). {better.reason}".rstrip()
        )

    def _worth(self, one: Advice) -> str:
        """The chance, and the score if the chances are alike."""
        alike = self.better.chance - self.played.chance < LEAST
        return f"{one.chance:.0f} %" + (f", score {one.score:.1f}" if alike else "")

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
    head = (
        f"{whose} largest mistakes (chances of winning by what was known then, on "
        f"{found[0].played.games} deals, if the scripted player goes on for everybody):"
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

    Chances are those if the scripted player plays on for everybody. Only losses are told that are
    too large for chance. In a cooperative game a point of the score counts like ten per cent.

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
    return mistakes_in(log.game, seat, _decisions(log, seat), most, names, progress)


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
    remembering = _memory_of(game, seat)
    decisions = [
        one._replace(states=remembering(one.states))
        for one in made
        if int(game.mask_of(one.states, seat).sum()) > 1
    ]
    steps, taken = len(decisions) + LOOKED_AGAIN * most, 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if progress is not None:
            progress(taken / steps)

    suspects, found = [], []
    for decision in decisions:
        loss, better = _first_look(game, seat, decision, FIRST_ACTIONS // len(decisions))
        suspects.append((loss, better, decision))
        step()
    suspects.sort(key=lambda one: -one[0])
    for loss, better, decision in suspects[: LOOKED_AGAIN * most]:
        if loss > 0.0:
            again, played = _second_look(game, seat, decision, better)
            found.append((again, decision, [better, decision.action], played))
        step()
    worst = sorted((one for one in found if one[0] >= LEAST), key=lambda one: -one[0])[:most]
    return [
        Mistake(decision.number, int(decision.states["turn"][0]), done, better)
        for _, decision, actions, played in worst
        for better, done in [entries(game, decision.states, seat, actions, played, names)]
    ]


def _memory_of(game: Game, seat: int) -> Callable[[Array], Array]:
    """A function that is given positions of a game in order, and returns each with all in sight
    that a person in the seat can remember."""
    agent, seats = load_agent(game.player_for_people, game.env_name), np.array([seat], np.int64)
    memory = np.zeros((1, memory_size(agent)), np.float32)
    return lambda states: in_mind(agent, states, seats, memory)


def _decisions(log: EventLog, seat: int) -> Iterator[Decision]:
    game, states, number = log.game, log.first.copy(), 0
    remembering = _memory_of(game, seat)
    for who, action in log.played:
        shown = remembering(states)
        if who == seat:
            yield Decision(number, shown.copy(), action)
            number += 1
        game.kernels.apply_one(states, who, action)


def _values(game: Game, found: PlayedOn) -> Array:
    """The worth of actions to a seat, in per cent, float64 (n,)."""
    values: Array = 100.0 * found.chances
    return values + POINT * found.scores[:, 0] if game.cooperative else values


def _first_look(game: Game, seat: int, decision: Decision, most: int) -> tuple[float, int]:
    """The cost of an action compared with the best of some others, and that other action; -1 if
    there is none."""
    states, action = decision.states, decision.action
    others = [other for other in not_grave(game, states, seat) if other != action]
    some = candidates(game, states, seat, others, CANDIDATES)
    if not some:
        return 0.0, -1
    found = play_on(game, states, seat, [action, *some], FIRST_DEALS, most)
    values = _values(game, found)
    best = int(values[1:].argmax())
    return float(values[1 + best] - values[0]), some[best]


def _second_look(game: Game, seat: int, decision: Decision, better: int) -> tuple[float, PlayedOn]:
    """The cost of an action compared with a better one, and the results of both, the better one
    first. The cost is 0 if it may be chance. Both are played on fresh deals, in parts whose
    differences show what may be chance."""
    actions, each = [better, decision.action], DEALS // PARTS
    parts = [
        play_on(game, decision.states, seat, actions, each, ACTIONS // PARTS, first)
        for first in range(1 + FIRST_DEALS, 1 + FIRST_DEALS + each * PARTS, each)
    ]
    games = np.array([part.games for part in parts])
    played = PlayedOn(
        np.average([part.chances for part in parts], 0, games),
        np.average([part.scores for part in parts], 0, games),
        int(games.sum()),
    )
    losses = [values[0] - values[1] for values in (_values(game, part) for part in parts)]
    loss = float(np.subtract(*_values(game, played)))
    error = float(np.std(losses, ddof=1)) / PARTS**0.5
    return (loss if loss > ERRORS * error else 0.0), played
