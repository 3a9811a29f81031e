"""Why an action is advised, in words: from what its seat sees and is told after it.

Nothing here needs compiled code, so that exported games have the same functions, translated.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dig_envs.engine.core.events import Event, Seats, Who
from dig_envs.engine.core.reasons import Reason, Sight
from dig_envs.engine.core.words import NO_NAMES, Names, capitalised
from dig_envs.engine.game import Game, Snapshot

STAGES = ("", "Then", "On your next turn")  # of the game that reasons look at, in words
RARE = 0.2  # what happens in a smaller share of the deals is no reason
MOST_SPANS, SPAN_WORDS = 3, 2  # of sentences that are told as one
OF_SEVERAL = 0.7  # how much they matter, where one alone matters 1
POINTS = 4.0  # how much points matter at least
SAID = 0.5  # how much it matters what others say
CLEAR = 0.3  # two standard errors of the difference of two shares of 25 deals
Courses = list[list[list[Event]]]  # the events of each deal in each stage


@dataclass(frozen=True)
class Grounds:
    """What a game declares that reasons are made of.

    Attributes:
        own: its own reasons by the first action of a group. cooperative: whether all win together.
        people: the parts of each kind of event that are seats. changes: what it changes of what all
            can count. scored: for what there are points. shown: the kinds that everybody sees.
    """

    own: Mapping[int, Reason]
    cooperative: bool
    people: Mapping[str, Sequence[str]]
    changes: Mapping[str, Sequence[tuple[str, str, int | str]]]
    scored: Mapping[str, str]
    shown: Sequence[str]


class _Fact(NamedTuple):
    """What may happen: events whose sentences differ in a few words at most.

    ``share``: of the deals. ``weight``: how much it matters. ``stage``: when it happens, as
    in :data:`STAGES`.
    """

    share: float
    weight: float
    words: str
    stage: int


def grounds(game: Game) -> Grounds:
    """The declarations of a game that reasons are made of."""
    kinds = game.events.kinds
    return Grounds(
        game.reasons,
        game.cooperative,
        {
            kind.name: [part.name for part in kind.parts if isinstance(part, Who | Seats)]
            for kind in kinds
        },
        {kind.name: kind.changes for kind in kinds if kind.changes},
        {kind.name: kind.scored for kind in kinds if kind.scored},
        [kind.name for kind in kinds if kind.shown],
    )


def _facts(of: Grounds, seat: int, courses: Courses, names: Names) -> list[_Fact]:
    found = []
    for stage in range(len(STAGES)):
        kinds: dict[Any, Counter[str]] = {}  # the sentences of a kind
        deals: Counter[Any] = Counter()
        weights: defaultdict[Any, float] = defaultdict(float)
        for course in courses:
            seen = {}
            for event in course[stage]:
                people = [str(event.values[name]) for name in of.people[event.kind.name]]
                key = event.kind.name, event.seat, *people
                seen[key] = event
            for key, event in seen.items():
                kinds.setdefault(key, Counter())[_text(of, event, names)] += 1
                weights[key] += _weight(of, event, seat, stage)
                deals[key] += 1
        for key, texts in kinds.items():
            weight, number = weights[key] / deals[key], len(courses)
            small = weight < POINTS and not of.cooperative  # matters if it is sure and at once
            if weight <= 0.0 or (small and stage):
                continue
            found += [
                _Fact(n / number, weight, text, stage)
                for text, n in texts.items()
                if n == number or not small
            ]
            words = _merged(list(texts), of.scored.get(key[0], ""))
            if len(texts) > 1 and words and weight > SAID and not small:
                found.append(_Fact(deals[key] / number, weight * OF_SEVERAL, words, stage))
    return found


def _text(of: Grounds, event: Event, names: Names) -> str:
    """An event as a sentence without its full stop."""
    if event.kind.name == "over":
        return "All win the game" if of.cooperative else "You win the game"
    return event.text(names).rstrip(".")


def _weight(of: Grounds, event: Event, seat: int, stage: int) -> float:
    """The weight of an event for a seat. A victory weighs most, then points, countable things, and
    what another seat says. Weights of at most 0 do not matter, or are bad."""
    if event.kind.name == "over":
        return 100.0 if seat in event.values["winners"] else 0.0
    points, gained = 0.0, 0.0
    changes = of.changes.get(event.kind.name, ())
    for key, part, amount in changes:
        number = amount if isinstance(amount, int) else event.values[amount.removeprefix("-")]
        whose = event.seat if part == "seat" else event.values.get(part)
        if number is None or not (whose == seat or (part == "all" and of.cooperative)):
            continue
        less = not isinstance(amount, int) and amount.startswith("-")
        signed = -float(number) if less else float(number)
        if key == "scores":
            points += signed
        else:
            gained += signed
    if points > 0:
        return POINTS + 0.1 * points
    says = stage == 0 and event.kind.name in of.shown and not changes and event.seat != seat
    return min(2.0, gained) + SAID * says


def _merged(texts: list[str], scored: str) -> str:
    """One sentence for several of a kind of event, with *or* where they differ in a few words;
    empty if they differ too much."""
    words = [text.split() for text in texts]
    least = min(map(len, words))
    start = next((k for k in range(least) if len({one[k] for one in words}) > 1), least)
    end = next(
        (k for k in range(least - start) if len({one[-1 - k] for one in words}) > 1), least - start
    )
    spans = sorted(" ".join(one[start : len(one) - end]) for one in words)
    if len(spans) <= MOST_SPANS and all(0 < len(span.split()) <= SPAN_WORDS for span in spans):
        middle = f"{', '.join(spans[:-1])} or {spans[-1]}"
        return " ".join([*words[0][:start], middle, *words[0][len(words[0]) - end :]])
    return f"You get points for {scored}" if scored else ""


def reasons_of(
    game: Game,
    of: Grounds,
    view: Snapshot,
    seat: int,
    actions: Sequence[int],
    courses: Sequence[Courses],
    names: Names,
) -> list[str]:
    """A reason for each action: sure points at once, the game's own reason, or the effect that sets
    it apart from the others; empty where there is none.

    ``courses``: what the seat is told after each action in each deal, in the :data:`STAGES`.
    """
    facts = [_facts(of, seat, one, names) for one in courses]
    reasons = []
    for number, action in enumerate(actions):
        label = game.label(view, action, seat, seat, names)
        reason = declared_reason(game, of.own, view, seat, action, names)
        others = facts[:number] + facts[number + 1 :]
        told = [
            (_worth(fact, others), fact)
            for fact in facts[number]
            if fact.share >= RARE and not (fact.share == 1.0 and _says(label, fact.words))
        ]
        worth, fact = max(told, default=(0.0, None))
        if fact is not None and worth > 0.0:
            tenths = max(1, min(9, round(10 * fact.share)))
            how = "in all cases tried" if fact.share == 1.0 else f"in about {tenths} of 10 cases"
            if fact.share == 1.0 and fact.stage == 0:
                how = "certain"
            sure = how == "certain" and fact.weight >= POINTS
            if not reason or (sure and not _says(fact.words, f"{label} {reason}")):
                reason = f"{_begun(STAGES[fact.stage], fact.words)} ({how})."
        reasons.append(reason)
    return reasons


def declared_reason(
    game: Game,
    own: Mapping[int, Reason],
    view: Snapshot,
    seat: int,
    action: int,
    names: Names = NO_NAMES,
) -> str:
    """The reason that the game itself gives for an action; empty if it gives none."""
    words = _own_words(game, own, view, seat, action, names)
    return f"{capitalised(words)}." if words else ""


def useful(
    game: Game, own: Mapping[int, Reason], view: Snapshot, seat: int, actions: Sequence[int]
) -> list[int]:
    """The actions without those of which the game itself says that they are of no use; all of them
    if none is left."""
    said = [_own_words(game, own, view, seat, action, NO_NAMES) for action in actions]
    some = [action for action, why in zip(actions, said, strict=True) if why is not None]
    return some or [*actions]


def _own_words(
    game: Game, own: Mapping[int, Reason], view: Snapshot, seat: int, action: int, names: Names
) -> str | None:
    group = game.action_list.group(action)
    why = own.get(group.first)
    return why(Sight(view, seat, action, names), *group.values(action)) if why else ""


def _worth(fact: _Fact, others: list[list[_Fact]]) -> float:
    """The quality of a fact as a reason: important, likely, and less likely after other actions."""
    elsewhere = [
        max((one.share for one in facts if one.words == fact.words), default=0.0)
        for facts in others
    ]
    more = fact.share - (sum(elsewhere) / len(elsewhere) if elsewhere else 0.0)
    sure = 0.1 * fact.share if fact.stage < 2 else 0.0
    return fact.weight * (sure + (more if more >= CLEAR else 0.0)) / float(2**fact.stage)


def _says(words: str, told: str) -> bool:
    """Whether a sentence has all that others say, as far as words tell."""
    return all(word in told.lower() for word in words.lower().split() if len(word) > 3)


def _begun(begin: str, words: str) -> str:
    if not begin:
        return words
    return f"{begin} {words[0].lower() + words[1:] if words.startswith('You') else words}"
