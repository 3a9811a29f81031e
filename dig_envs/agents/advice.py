"""Advice on a decision: the best actions with their chances of winning, and a reason in words.

All of it comes from what the deciding seat may know: what it cannot know is dealt anew.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dig_envs.agents.deciding import Decisions, decision_of, position_of
from dig_envs.agents.memory import in_mind, memory_size
from dig_envs.agents.onnx import OnnxAgent
from dig_envs.agents.own import check_agent
from dig_envs.agents.protocol import Agent, for_options, traits
from dig_envs.agents.reasons import Courses, grounds, reasons_of, useful
from dig_envs.agents.search import Progress, SearchAgent
from dig_envs.engine.core.checks import check_integer
from dig_envs.engine.core.state import new_records
from dig_envs.engine.core.words import NO_NAMES, Names
from dig_envs.engine.event_log import EventLog
from dig_envs.engine.game import Array, Game

MOST_ENTRIES = 20
CANDIDATES = 12  # actions that an agent without a ranking of its own has compared
# deals on which actions are played on, and about how many actions that may take in all: first to
# find the best candidates, then, on other deals, for the chances that are told
FIRST_DEALS, FIRST_ACTIONS = 16, 10_000
DEALS, ACTIONS = 100, 30_000
PARTS = 10  # in which these deals are played on, so that their differences show what is chance
DEALS_OF_REASONS = 25
LONGEST_TURN, MOST_BETWEEN = 12, 40  # actions of a turn, and of the others, that reasons look at


@dataclass(frozen=True)
class Advice:
    """An action that is advised.

    Attributes:
        action: its index. text: its notation. label: the same in plain English.
        chance: of winning in per cent, 0 to 100, if the scripted player plays on for everybody: the
            mean share of the victory, 1/k for one of k winners. In a cooperative game that all win.
        score: the seat's mean score at the end of these games.
        games: on how many deals of what the seat cannot know they were played.
        reason: a sentence or two that speak for it; empty if none is known.
        worth: what it is ordered by, in words: the chance; in a cooperative game, which the
            scripted player seldom wins, the score before it.
        choice: whether it is what the agent that advises plays.
    """

    action: int
    text: str
    label: str
    chance: float
    score: float
    games: int
    reason: str
    worth: str
    choice: bool

    def __str__(self) -> str:
        own = ", its choice" if self.choice else ""
        return f"{self.label}: {self.worth}{own}. {self.reason}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict of the attributes."""
        return asdict(self)


def advise(env: Any, agent: Agent, top: int = 3, who: str | None = None) -> list[Advice]:
    """The best actions for a decision, at most ``top`` of them, best first.

    They are what the agent plays, and the next ones by its own ranking, the visits of a search or
    the probabilities of a policy; of an agent without one by their chances. They are ordered by
    their chances, in a cooperative game by their scores, but what the agent plays comes first
    unless another one is better by more than chance (:func:`errors_for`) on the same deals.
    Left out are grave actions (:mod:`dig_envs.engine.core.grave`), as those of which people are
    warned, and those that the game itself says are of no use, even if the agent plays one.

    Args:
        env: an environment of this package, or a :class:`dig_envs.Seat`.
        agent: who advises.
        top: how many, 1 to 20.
        who: whose decision it is, such as ``"player_1"``; default: ``env.agent_selection``.

    Raises:
        TypeError, ValueError: as ``agent.act``, or a wrong ``top``.
    """
    position = position_of(env, "that advises", None)
    player = check_agent(agent, position.game)
    return advise_on(position.game, player, decision_of(position, player, who), top)


def advise_on(
    game: Game,
    agent: Agent,
    decisions: Decisions,
    top: int = 3,
    names: Names = NO_NAMES,
    progress: Progress | None = None,
    most_seconds: float | None = None,
    also: int | None = None,
) -> list[Advice]:
    """The same for one decision in the form that agents take, whose ``memory`` is rewritten.

    ``names``: of the seats; ``progress``, ``most_seconds``: of a search
    (:meth:`SearchAgent.search`); ``also``: a legal action that comes last if it is none of them.
    """
    check_integer(top, "top", 1, MOST_ENTRIES)
    states, seat = decisions.states, int(decisions.seats[0])
    agent = for_options(agent, game.options_of(states))
    first, liking = _preferences(agent, decisions, progress, most_seconds)
    states = in_mind(agent, states, decisions.seats, decisions.memory)
    others = advisable(game, states, seat)
    begin = [first] if first in others else []
    others = [action for action in others if action != first]
    if liking is not None:
        others.sort(key=lambda action: (-liking[action], action))
    elif len(begin) + len(others) > top or not begin:
        others = _most_promising(game, states, seat, others)
    chosen = [*begin, *others][:top]
    asked = [*chosen, also] if also is not None and also not in chosen else chosen
    parts = in_parts(game, states, seat, asked, DEALS, ACTIONS, 1)
    played = together(parts)
    worths = [worths_of(game, part).tolist() for part in parts]
    places = in_order(worths_of(game, played).tolist()[: len(chosen)], worths, bool(begin))
    places += range(len(chosen), len(asked))
    ordered = [asked[place] for place in places]
    played = PlayedOn(played.sums[places], played.games)
    return entries(game, states, seat, ordered, played, names, first)


def in_order(worths: Sequence[float], parts: Sequence[Sequence[float]], has_choice: bool) -> Any:
    """The places of actions, the best first; the first of them, if it is the agent's choice, before
    all others unless one of these is better by more than chance. ``parts``: their worths in each
    part of the deals."""
    places = sorted(range(len(worths)), key=lambda place: -worths[place])
    errors = errors_for(max(1, len(worths) - 1))
    beaten = [
        place for place in places if stands_out([part[place] - part[0] for part in parts], errors)
    ]
    if not has_choice or beaten:
        return places
    return [0, *[place for place in places if place != 0]]


def errors_for(comparisons: int) -> float:
    """Standard errors that a difference must exceed, so that of so many without any, 1 to 80, one
    does in at most 5 % of cases: 2 for one, 4 for 24; in :data:`PARTS` parts."""
    errors: float = 2.0 * comparisons**0.22
    return errors


def stands_out(gains: Sequence[float], errors: float) -> bool:
    """Whether the mean of some differences is more than so many standard errors above 0."""
    number, mean = len(gains), sum(gains) / len(gains)
    squares = sum([(gain - mean) ** 2 for gain in gains])
    return mean > 0 and mean**2 > errors**2 * squares / (number * (number - 1))


def worth_words(cooperative: bool, chance: float, score: float) -> str:
    """What an action is worth, in words; ``chance``: in per cent."""
    share = f"{chance:.0f} %"
    return f"score {score:.1f}, all win: {share}" if cooperative else share


def advisable(game: Game, states: Array, seat: int) -> list[int]:
    """The legal actions of a seat that are not grave, nor of no use as the game itself says (a
    reason of None), ascending; there is at least one."""
    mask, seats = game.mask_of(states, seat), np.array([seat], np.int64)
    grave = game.grave_of(states[:1], seats, mask[None])[0]
    good = [int(action) for action in np.flatnonzero((mask != 0) & (grave == 0))]
    return useful(game, game.reasons, game.to_view(game.to_snapshot(states[0]), seat), seat, good)


def entries(
    game: Game,
    states: Array,
    seat: int,
    actions: Sequence[int],
    played: "PlayedOn",
    names: Names,
    choice: int | None = None,
) -> list[Advice]:
    """The advice on each action, from the results of playing on. ``choice``: of the agent."""
    reasons = _reasons(game, states, seat, actions, names)
    view = game.to_view(game.to_snapshot(states[0]), seat)
    found = []
    for action, share, (mean, _), reason in zip(
        actions, played.chances, played.scores, reasons, strict=True
    ):
        chance, score = round(100 * float(share), 1), round(float(mean), 2)
        label = game.label(view, action, seat, seat, names)
        worth = worth_words(game.cooperative, chance, score)
        text, is_choice = game.actions[action], action == choice
        found.append(
            Advice(action, text, label, chance, score, played.games, reason, worth, is_choice)
        )
    return found


def _preferences(
    agent: Agent, decisions: Decisions, progress: Progress | None, most_seconds: float | None
) -> tuple[int, Array | None]:
    """The action that an agent plays, and its rating of each action, float64 (num_actions,), or
    None."""
    if isinstance(agent, SearchAgent):
        found = agent.search(
            decisions.states, int(decisions.seats[0]), progress=progress, most_seconds=most_seconds
        )
        return found.action, found.visits
    before = None if decisions.memory is None else decisions.memory[:, : memory_size(agent)].copy()
    more = {} if decisions.memory is None else {"memory": decisions.memory}
    if traits(agent).takes_events:
        more["events"] = decisions.events
    action = int(agent.act_batch(*decisions[:4], **more)[0])
    if not isinstance(agent, OnnxAgent):
        return action, None
    logits = agent.evaluate(decisions.observation, decisions.action_mask, before)[0][0]
    weights = np.where(decisions.action_mask[0], np.exp(logits - logits.max()), 0.0)
    return action, weights / weights.sum()


# ---------------------------------------------------------------- chances


class PlayedOn(NamedTuple):
    """What actions lead to. ``sums``: float64 (n, 3), of the shares of victory, of the seat's
    scores and of the best scores of another; ``games``: on how many deals they were played on."""

    sums: Array
    games: int

    @property
    def chances(self) -> Array:
        """The chances of winning, 0 to 1, float64 (n,)."""
        return self.sums[:, 0] / self.games

    @property
    def scores(self) -> Array:
        """The mean scores of the seat and of the best other one, float64 (n, 2)."""
        return self.sums[:, 1:] / self.games


def worths_of(game: Game, found: PlayedOn) -> Array:
    """What actions are ordered by, float64 (n,): chances, in a cooperative game scores."""
    return found.scores[:, 0] if game.cooperative else found.chances


def candidates(game: Game, states: Array, seat: int, others: list[int], most: int) -> list[int]:
    """At most ``most`` of the actions: the choices of the scripted player's styles, then random
    ones."""
    styles, chosen = [game.style(name).weights for name in game.styles], np.zeros(1, np.int64)
    found = []
    for weights in styles:
        game.kernels.styled_actions(states, 0, 1, np.array([seat]), weights, chosen)
        found.append(int(chosen[0]))
    keys = np.random.default_rng(seat).random(len(others))  # as exported games draw them
    drawn = [others[place] for place in np.argsort(keys)]
    return [action for action in dict.fromkeys([*found, *drawn]) if action in others][:most]


def _most_promising(game: Game, states: Array, seat: int, others: list[int]) -> list[int]:
    """Some of the actions, best first by their chances."""
    some = candidates(game, states, seat, others, CANDIDATES)
    found = play_on(game, states, seat, some, FIRST_DEALS, FIRST_ACTIONS, DEALS + 1)
    worths = worths_of(game, found)
    return sorted(some, key=lambda action: -worths[some.index(action)])


def play_on(
    game: Game, states: Array, seat: int, actions: Sequence[int], deals: int, most: int, first: int
) -> PlayedOn:
    """The results of actions if the scripted player then plays on for everybody.

    ``deals``: of what the seat cannot know, whose seeds begin with ``first``; none begins after
    ``most`` actions in all.
    """
    sums, work = np.zeros((len(actions), 3)), new_records(2, game.state)
    seeds = np.arange(first, first + deals, dtype=np.uint64)
    games = game.playouts.play_on(
        states, seat, np.array(actions, np.int64), seeds, most, work, sums
    )
    return PlayedOn(sums, int(games))


def in_parts(
    game: Game, states: Array, seat: int, actions: Sequence[int], deals: int, most: int, first: int
) -> list[PlayedOn]:
    """The same in :data:`PARTS` parts, each of which has its share of the deals and actions."""
    parts, deals, most = [], max(1, deals // PARTS), max(1, most // PARTS)
    for _ in range(PARTS):
        part = play_on(game, states, seat, actions, deals, most, first)
        parts.append(part)
        first += part.games
    return parts


def together(parts: Sequence[PlayedOn]) -> PlayedOn:
    """The results of all parts."""
    return PlayedOn(np.sum([part.sums for part in parts], 0), sum(part.games for part in parts))


# ---------------------------------------------------------------- reasons


def _courses(game: Game, states: Array, seat: int, action: int) -> Courses:
    """The events that a seat is told in each of the ``STAGES`` of reasons after an action, deal by
    deal. The scripted player then plays for everybody."""
    found, log = [], EventLog(game, states)
    start, dealt = log.mark(), states.copy()
    for seed in range(1, DEALS_OF_REASONS + 1):
        dealt[0] = states[0]
        game.playouts.imagine_one(dealt, seat, np.uint64(seed))
        log.go_back((dealt, *start[1:]))
        log.play(seat, action)
        ends = [0, len(log)]
        _go_on(log, seat, own=True)
        ends.append(len(log))
        _go_on(log, seat, own=False)
        before = len(log)
        _go_on(log, seat, own=True)
        told = [log.told(seat, first) for first in (*ends, before)]
        found.append([now[: len(now) - len(rest)] for now, rest in pairwise(told[:3])] + [told[3]])
    return found


def _go_on(log: EventLog, seat: int, own: bool) -> None:
    """Let the scripted player play for a seat to the end of its turn, or for the others until the
    seat is to move."""
    mover, chosen = np.zeros(1, np.int64), np.zeros(1, np.int64)
    turn = log.states["turn"][0]
    for _ in range(LONGEST_TURN if own else MOST_BETWEEN):
        now = log.states[0]
        mine = now["to_move"] == seat and (not own or now["turn"] == turn)
        if now["over"] or mine != own:
            return
        mover[0] = now["to_move"]
        log.game.kernels.heuristic_actions(log.states, 0, 1, mover, chosen)
        log.play(int(mover[0]), int(chosen[0]))


def _reasons(
    game: Game, states: Array, seat: int, actions: Sequence[int], names: Names
) -> list[str]:
    """A reason for each action."""
    view = game.to_view(game.to_snapshot(states[0]), seat)
    courses = [_courses(game, states, seat, action) for action in actions]
    return reasons_of(game, grounds(game), view, seat, actions, courses, names)
