"""The prompt of a seat: all that it needs to know to decide, as text in named sections.

========================  ==========================================================================
``rules``                 the guide of the game as far as these options go, and the options: the
                          same for the whole game
``how_to_answer``         how an answer is read (:mod:`dig_envs.language.answers`): the same for the
                          whole game
``position``              who the player is, who decides what, and the position as this seat knows
                          it
``news``                  what the seat was told since its last decision, that decision first
``actions``               what it may do now: the legal actions in words, each with its index
========================  ==========================================================================

A prompt is a function of what the seat may know, and the same text each time: players are called
*Player 1* and so on, whatever names they have chosen, since a name could be an instruction.
``VERSION`` goes up when the text changes for the same position.

**Actions.** Up to ``LINES`` legal actions stand on a line each,
``7: Ask Player 2 for a Triceratops``. More are in a grammar. Actions that differ in one word stand
on a line together, ``Ask Player 2 for a …: 0 = Tyrannosaurus; 2 = Triceratops``. Where these lines
are longer than ``ACTIONS_TOKENS``, they say the values in the notation of the game, and of
consecutive actions the first and the last only: ``put …: 243 = 1-1-A to 248 = 1-3-N; 260 = 3-2-N``.

**Length.** A prompt has fewer than ``MOST_TOKENS`` tokens (:mod:`dig_envs.language.tokens`). The
news give way first: the oldest are left out, and a line says how many. If the rest were too long by
itself, the end of the position would be left out, with a note; the tests look whether that ever
happens.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dig_envs.engine.core.actions import AFTER, SEAT, ActionGroup
from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.core.events import Event
from dig_envs.engine.core.words import NO_NAMES, capitalised, fill, named
from dig_envs.engine.game import Array, Game, deciding
from dig_envs.language.guides import guide_text, said
from dig_envs.language.tokens import count_tokens
from dig_envs.text.sentences import headline, result_text

VERSION = 1
PARTS = ("rules", "how_to_answer", "position", "news", "actions")
# the parts of the system message, once a game; the others make the user's messages
SYSTEM = ("rules", "how_to_answer")
MOST_TOKENS = 4000  # of a prompt
NEWS_TOKENS = 600  # of the news, at most
LINES = 16  # of a list of actions that has each on a line of its own
ACTIONS_TOKENS = 600  # of a list in words; a longer one is in the notation
SLOT = "…"  # stands for the word that differs

HOW_TO_ANSWER = """\
## How to answer
You may think first. End with your choice, one legal action, in this form: \
<answer>INDEX</answer>, where INDEX is the number of the action in the list of legal actions. The \
words of the action, or its notation, are understood, too. Name one action only.
Where one line of the list has several actions, "…" stands for the word that differs: "Ask Player \
2 for a …: 0 = Tyrannosaurus; 2 = Triceratops" means that 2 is "Ask Player 2 for a Triceratops". \
"put …: 243 = 1-1-A to 248 = 1-3-N" has all that come between them in order, too, and "put 1-2-A" \
is an answer, too."""


@dataclass(frozen=True)
class Prompt:
    """The parts of a prompt (above), each a text without a line break at its end.

    Attributes: ``version``: of the form of prompts; the parts, "" for one that was not asked for.
    """

    version: int
    rules: str
    how_to_answer: str
    position: str
    news: str
    actions: str

    def text(self, *parts: str) -> str:
        """Some of the parts, by default all, with an empty line between them.

        Raises:
            ValueError: there is no such part.
        """
        return "\n\n".join(
            filter(None, (getattr(self, part) for part in check_parts(parts or PARTS)))
        )

    def messages(self) -> list[dict[str, str]]:
        """The prompt as a chat: rules and how to answer as the system message, the rest as the
        user's."""
        user = self.text(*(part for part in PARTS if part not in SYSTEM))
        return [
            {"role": "system", "content": self.text(*SYSTEM)},
            {"role": "user", "content": user},
        ]

    def tokens(self, *parts: str) -> int:
        """The number of tokens of some of the parts, by default of all
        (:mod:`dig_envs.language.tokens`)."""
        return count_tokens(self.text(*parts))

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict: ``version`` and the parts."""
        return asdict(self)

    def __str__(self) -> str:
        return self.text()


def make_prompt(
    game: Game, states: Array, seat: int, events: Sequence[Event] = (), parts: Sequence[str] = PARTS
) -> Prompt:
    """The prompt of a seat in a position.

    Args:
        game: which. states: record array whose first entry is the position. seat: whose prompt.
        events: what the seat was told since its last decision (:meth:`EventLog.since`).
        parts: which are asked for; the others are "".

    Raises:
        ValueError: there is no such part.
    """
    check_parts(parts)
    made = dict.fromkeys(PARTS, "")
    if "rules" in parts:
        made["rules"] = rules_text(game, game.options_of(states))
    if "how_to_answer" in parts:
        made["how_to_answer"] = HOW_TO_ANSWER
    if "position" in parts:
        with named(NO_NAMES):
            made["position"] = position_text(game, states, seat)
    if "actions" in parts:
        made["actions"] = actions_text(game, states, seat)
    if "position" in parts:
        full = sum(count_tokens(text) + 1 for text in made.values())
        if full >= MOST_TOKENS:
            made["position"] = _cut(
                made["position"], count_tokens(made["position"]) - (full - MOST_TOKENS) - 40
            )
    if "news" in parts:
        room = MOST_TOKENS - 1 - sum(count_tokens(text) + 1 for text in made.values())
        made["news"] = news_text(events, min(NEWS_TOKENS, room))
    return Prompt(VERSION, **made)


def check_parts(parts: Sequence[str]) -> Sequence[str]:
    """The parts; raises ValueError for an unknown one."""
    for part in parts:
        if part not in PARTS:
            raise ValueError(
                f"no part {shown_in_message(part)} of a prompt; there are {', '.join(PARTS)}"
            )
    return parts


# ---------------------------------------------------------------- the parts


def rules_text(game: Game, options: Mapping[str, Any]) -> str:
    """The guide of a game under these options (all of them, with values), and the options."""
    values = "; ".join(f"`{option.name}` {said(options[option.name])}" for option in game.options)
    return f"{guide_text(game, options) or f'# {game.title}'}\nOptions of this game: {values}."


def position_text(game: Game, states: Array, seat: int) -> str:
    """The seat, who decides what, and the position as the seat knows it."""
    view = game.to_view(game.to_snapshot(states[0]), seat)
    asked = headline(game, view, seat, deciding=deciding(states))
    draw = game.brief or game.draw
    return f"## Position\nYou are {NO_NAMES.of(seat)}. {asked.rstrip('.')}.\n\n{draw(view)}"


def _cut(text: str, most: int) -> str:
    """The first lines of a text, within ``most`` tokens, and a note."""
    kept, left = [], most
    for line in text.splitlines():
        left -= count_tokens(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([*kept, "(The rest is left out: it would be too long.)"])


def news_text(events: Sequence[Event], most: int = NEWS_TOKENS) -> str:
    """A line for each event, within ``most`` tokens; the oldest events are left out first."""
    if not events:
        return ""
    head = "## Since your last decision"
    lines = [str(event) for event in events]
    sizes = [count_tokens(line) + 1 for line in lines]
    first, left = 0, sum(sizes) + count_tokens(head) + 1
    while left > most - (20 if first else 0) and first < len(lines):
        left -= sizes[first]
        first += 1
    note = [f"(The first {first} of {len(lines)} events are left out.)"] if first else []
    return "\n".join([head, *note, *lines[first:]]) if most > 40 else ""


def actions_text(game: Game, states: Array, seat: int) -> str:
    """The legal actions of a seat, in words."""
    view = game.to_public(game.to_snapshot(states[0])) if states["over"][0] else None
    if view is not None:
        return f"## Legal actions\nNone. {result_text(game, view, seat)}"
    legal = game.legal_actions(states, seat)
    if not legal:
        return "## Legal actions\nNone: you are not to decide now."
    head = f"## Legal actions ({len(legal)})\n"
    seats = int(states["num_players"][0])
    if len(legal) <= LINES:
        return head + "\n".join(
            f"{action}: {game.action_list.label(action, seat, seats, seat)}" for action in legal
        )
    text = head + "\n".join(_in_words(game, legal, seat, seats))
    return (
        text
        if count_tokens(text) <= ACTIONS_TOKENS
        else head + "\n".join(_in_notation(game, legal))
    )


# ---------------------------------------------------------------- the grammar of long lists

_ALONE = re.compile(r"(\d+): ")
_ENTRY = re.compile(r"(?:: |; )(\d+) = .*?(?: to (\d+) = .*?)?(?=; \d+ = |$)")


def offered_actions(text: str) -> list[int]:
    """The indices in a list of actions (the part ``actions`` of a prompt), ascending."""
    found: set[int] = set()
    for line in text.splitlines():
        if alone := _ALONE.match(line):
            found.add(int(alone[1]))
        else:
            for first, last in _ENTRY.findall(line):
                found.update(range(int(first), int(last or first) + 1))
    return sorted(found)


def _in_words(game: Game, legal: Sequence[int], seat: int, seats: int) -> list[str]:
    """The lines of a list; actions of a group that differ in one word share a line."""
    lines = []
    for group, actions in _by_group(game, legal):
        slot = _slot(group, actions)
        for same in [[action] for action in actions] if slot < 0 else _alike(group, actions, slot):
            if len(same) == 1:
                lines.append(f"{same[0]}: {game.action_list.label(same[0], seat, seats, seat)}")
                continue
            values = [
                f"{action} = {group.called[slot][group.places(action)[slot]]}" for action in same
            ]
            lines.append(f"{_template(group, same[0], slot, seat, seats)}: {'; '.join(values)}")
    return lines


def _by_group(game: Game, legal: Sequence[int]) -> list[tuple[ActionGroup, list[int]]]:
    found = []
    for group in game.action_list.declared:
        actions = [action for action in legal if group.first <= action <= group.last]
        if actions:
            found.append((group, actions))
    return found


def _slot(group: ActionGroup, actions: Sequence[int]) -> int:
    """The part with the most values among the actions, players left out; -1 if there is none."""
    counts = [
        0
        if group.label is None or said in (AFTER, SEAT)
        else len({group.places(action)[part] for action in actions})
        for part, said in enumerate(group.called)
    ]
    return counts.index(max(counts)) if counts and max(counts) > 1 else -1


def _alike(group: ActionGroup, actions: Sequence[int], slot: int) -> list[list[int]]:
    """The actions in lists; those of one list differ in one part only."""
    found: dict[tuple[int, ...], list[int]] = {}
    for action in actions:
        places = group.places(action)
        found.setdefault(tuple(places[:slot] + places[slot + 1 :]), []).append(action)
    return list(found.values())


def _template(group: ActionGroup, action: int, slot: int, seat: int, seats: int) -> str:
    """The label of an action with a gap in place of one part."""
    assert group.label is not None
    values, people = {}, {}
    for part, place in enumerate(group.places(action)):
        value, called = group.parts[part][place], group.called[part]
        if called in (AFTER, SEAT):
            people[str(part)] = (seat + value) % seats if called == AFTER else value
        else:
            values[str(part)] = SLOT if part == slot else called[place]
    return capitalised(fill(group.label, values, people, NO_NAMES, seat))


def _in_notation(game: Game, legal: Sequence[int]) -> list[str]:
    """The lines of a list in the notation, one line for each group, with the index of each run's
    first action."""
    lines = []
    for _, actions in _by_group(game, legal):
        texts = [game.actions[action] for action in actions]
        if len(actions) == 1:
            lines.append(f"{actions[0]}: {texts[0]}")
            continue
        before = texts[0].rpartition(" ")[0]
        while before and not all(text.startswith(f"{before} ") for text in texts):
            before = before.rpartition(" ")[0]
        words = [text.removeprefix(before).strip() for text in texts]
        runs: list[list[int]] = []
        for place, action in enumerate(actions):
            if runs and actions[runs[-1][-1]] == action - 1:
                runs[-1].append(place)
            else:
                runs.append([place])
        said = [
            f"{actions[run[0]]} = {words[run[0]]}"
            + (f" to {actions[run[-1]]} = {words[run[-1]]}" if len(run) > 1 else "")
            for run in runs
        ]
        lines.append(f"{before} {SLOT}: {'; '.join(said)}".strip())
    return lines
