"""The meaning of an answer in words: one legal action, or else what is wrong with it. Nothing is
ever guessed.

An action may be given as

- its **index**: ``12``, ``action 12``, ``#12``, ``12: Ask Player 2 for a Triceratops``;
- its **notation**: ``ask +1 TRI``;
- its **words**: ``Ask Player 2 for a Triceratops``.

Capitals, spaces, quotes, marks of emphasis and full stops around it do not matter. It is looked for

1. in ``<answer>…</answer>``; a last ``<answer>`` without an end goes to the end of the text;
2. else in ``\\boxed{…}``, or on a line that begins with *Answer:*, *Final answer:* or *Action:*;
3. else in all of the text, where a notation or words of one word only (*pass*), or a number, count
   only if they are all of it or a line of it, are in quotes, or follow a word such as *choose* at
   the end of a sentence.

What stands in ``<think>…</think>`` is left out. A sentence with a *not*, *if*, *or*, *maybe* before
the action names it without choosing it. Where several actions are named, the answer is ambiguous.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from dig_envs.engine.core.checks import shown_in_message
from dig_envs.engine.game import Array, Game

LONGEST = 16_384  # characters of an answer that are looked at; a longer one is unreadable
LONGEST_SENTENCE = 2_000  # characters of a sentence; a longer one names nothing
Outcome = Literal["legal", "ambiguous", "illegal", "unreadable"]
EXPECTED = (
    "answer with one action of the list of legal actions, its index or its words, as "
    "<answer>INDEX</answer>"
)


@dataclass(frozen=True)
class Answer:
    """The meaning of an answer in words.

    Attributes:
        outcome: ``legal``; ``ambiguous``: several actions are named; ``illegal``: an action, or a
            number, that is not legal now; ``unreadable``: no action is named.
        action: the index of the legal action; None otherwise.
        message: one sentence that says what was wrong and what is expected, for the one who
            answered; "" if the action is legal.
        named: the indices that were found, legal or not.
    """

    outcome: Outcome
    action: int | None = None
    message: str = ""
    named: tuple[int, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether the answer is a legal action."""
        return self.outcome == "legal"

    def to_json(self) -> dict[str, Any]:
        """A JSON-able dict of the attributes."""
        return {
            "outcome": self.outcome,
            "action": self.action,
            "message": self.message,
            "named": list(self.named),
        }


def parse_answer(game: Game, states: Array, seat: int, text: str) -> Answer:
    """The meaning of a seat's answer in a position.

    Args:
        game: which. states: record array whose first entry is the position. seat: who answers.
            text: the answer.

    Raises:
        TypeError: the answer is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"an answer is a text, not {type(text).__name__}")
    legal = game.legal_actions(states, seat)
    if not legal:
        return Answer("illegal", message="You are not to decide now; wait until you are asked.")
    # one sign may stand for many
    if len(text) > LONGEST or len(unicodedata.normalize("NFKC", text)) > LONGEST:
        return Answer(
            "unreadable", message=f"Your answer is longer than {LONGEST} characters; {EXPECTED}."
        )
    forms = _forms(game, seat, int(states["num_players"][0]))
    if any(group.seen for group in game.action_list.declared):
        seen = {plain(one["label"]): (one["action"],) for one in game.legal_texts(states, seat)}
        forms = {**forms, **seen}
    reader = _Reader(forms, set(legal))
    found = reader.read(text)
    return _answer(game, found, set(legal))


def _answer(game: Game, found: set[int], legal: set[int]) -> Answer:
    named = tuple(sorted(found))
    if not found:
        return Answer("unreadable", message=f"Your answer names no action; {EXPECTED}.")
    if len(found) > 1:
        shown = ", ".join(map(str, named[:6])) + (", …" if len(named) > 6 else "")
        return Answer(
            "ambiguous",
            message=f"Your answer names several actions ({shown}); {EXPECTED}.",
            named=named,
        )
    action = named[0]
    if action in legal:
        return Answer("legal", action, named=named)
    what = (
        f'"{game.actions[action]}" ({action})'
        if 0 <= action < len(game.actions)
        else f"{shown_in_message(action)}"
    )
    return Answer(
        "illegal", message=f"The action {what} is not legal now; {EXPECTED}.", named=named
    )


# ---------------------------------------------------------------- forms of an action

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"}
    | dict.fromkeys('*`"“”„«»', "")
)
_AROUND = " \t.,;:!?'()[]{}<>"


def plain(text: str) -> str:
    """A text without details that do not matter: capitals, kinds of quotes and hyphens, emphasis,
    spaces, signs around it."""
    text = unicodedata.normalize("NFKC", html.unescape(text)).translate(_QUOTES).casefold()
    return " ".join(text.split()).strip(_AROUND)


@lru_cache(maxsize=64)
def _forms(game: Game, seat: int, seats: int) -> dict[str, tuple[int, ...]]:
    """The actions that each plain notation, or plain words of an action, may mean."""
    found: dict[str, tuple[int, ...]] = {}
    for action, notation in enumerate(game.actions):
        for text in {plain(notation), plain(game.action_list.label(action, seat, seats, seat))}:
            found[text] = (*found.get(text, ()), action)
    return found


# ---------------------------------------------------------------- reading

_INDEX = re.compile(r"#?(-?[0-9]{1,9})")
_INDEX_AND_MORE = re.compile(r"#?(-?[0-9]{1,9}) ?[:.)=-] ?(\D.*)")
_NAMED_INDEX = re.compile(
    r"(?:\b(?:action|index|option|number|no\.|choose|pick|select|answer(?: is)?)(?: is)?[ "
    r":]*#?|#)(-?[0-9]{1,9})(?![\w]|[.,:/-]\w)(?=\s*(?:$|[^\w\s]|because\b|since\b|as\b))"
)
_LINE = re.compile(
    r"^\W{0,9}(?:my |the )?(?:final )?(?:answer|action|choice|move)(?: "
    r"is)?\W{0,9}[:=]\W{0,9}(?=\S)(.+)",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = re.compile(r"\\boxed\{([^{}\n]{1,300})\}")
_QUOTED = re.compile(r"[\"“„«`*]+([^\"“”„«»`*\n]{1,300})[\"”“»`*]+|(?<!\w)'([^'\n]{1,300})'(?!\w)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_DENIES = re.compile(
    r"\b(?:not|never|no|cannot|without|instead|rather|unless|if|or|could|might|may|maybe|perhaps|"
    r"should|consider|considering|either|neither|nor|against|avoid|than|whether|illegal)\b|n't\b"
)
_TAIL = re.compile(r"\b(?:because|since|as|so|for|to)\b|[,(:]")  # after it a reason follows
_CHOOSES = re.compile(
    r"(?:^|\b)(?:choose|play|pick|select|i|i'll|i will|i shall|action is|answer is|choice is|is) "
    r"*:?$"
)


class _Reader:
    """Reads answers in one position."""

    def __init__(self, forms: dict[str, tuple[int, ...]], legal: set[int]) -> None:
        self.forms = forms
        self.legal = legal

    def read(self, text: str) -> set[int]:
        """The indices that an answer names."""
        text = _without_thoughts(text)
        marked = _tagged(text) or [*_BOXED.findall(text), *_LINE.findall(text)]
        if marked:
            return self._together(self._segment(segment) for segment in marked)
        return (
            self._whole(text)
            or self._together(map(self._whole, text.splitlines()))
            or self._sentences(text, False)
        )

    def _together(self, found: Iterable[set[int]]) -> set[int]:
        return set().union(*found)

    def _meant(self, form: str) -> set[int]:
        """The legal actions that a form means; if there are none, the illegal ones."""
        actions = self.forms.get(form, ())
        return set(actions) & self.legal or set(actions[:1])

    def _whole(self, text: str) -> set[int]:
        """The indices that a text names if it is nothing but an action."""
        said = plain(text)
        if index := _INDEX.fullmatch(said):
            return {int(index[1])}
        if exact := self._meant(said):
            return exact
        both = _INDEX_AND_MORE.fullmatch(said)
        named = self._meant(plain(both[2])) if both else set()
        return {int(both[1]), *named} if both and named else set()

    def _segment(self, text: str) -> set[int]:
        """The indices that a text marked as the answer names."""
        if whole := self._whole(text):
            return whole
        both = _INDEX_AND_MORE.fullmatch(plain(text))
        first = {int(both[1])} if both else set()
        return first | self._sentences(text, True)

    def _sentences(self, text: str, marked: bool) -> set[int]:
        """The indices that the sentences of a text name and choose."""
        everything = plain(text)
        forms = [form for form in self.forms if form in everything]
        sentences = (
            sentence for sentence in _SENTENCE.split(text) if len(sentence) <= LONGEST_SENTENCE
        )
        return self._together(self._sentence(sentence, forms, marked) for sentence in sentences)

    def _sentence(self, sentence: str, forms: Sequence[str], marked: bool) -> set[int]:
        """The indices that a sentence names and chooses, from the forms in the text.

        A form of one word counts where the sentence is marked as the answer, in quotes, or at the
        end of a choice; elsewhere it only makes another choice ambiguous.
        """
        said = plain(sentence)
        quoted = {plain(one or other) for one, other in _QUOTED.findall(sentence)}
        strong: set[int] = set()
        weak: set[int] = set()
        for start, end, form in _spans(said, forms):
            if _is_denied(said, start, end, sentence):
                continue
            chosen = (
                marked
                or " " in form
                or form in quoted
                or (_CHOOSES.search(said[:start].rstrip()) and end == len(said))
            )
            (strong if chosen else weak).update(self._meant(form))
        for index in _NAMED_INDEX.finditer(said):
            if not _is_denied(said, index.start(), index.end(), sentence):
                strong.add(int(index[1]))
        for form in quoted:
            if (index_only := _INDEX.fullmatch(form)) and not _is_denied(
                said, len(said), len(said), sentence
            ):
                strong.add(int(index_only[1]))
        return strong | (weak & self.legal) if strong else strong


def _spans(said: str, forms: Iterable[str]) -> list[tuple[int, int, str]]:
    """The places of forms in a plain text, without those inside a longer form."""
    found = []
    for form in forms:
        start = said.find(form)
        while start >= 0:
            end = start + len(form)
            if _stands_alone(said, start, end):
                found.append((start, end, form))
            start = said.find(form, start + 1)
    return [
        one
        for one in found
        if not any(
            other[0] <= one[0] and one[1] <= other[1] and other[:2] != one[:2] for other in found
        )
    ]


def _stands_alone(said: str, start: int, end: int) -> bool:
    """Whether a form is not inside a longer word, number or notation."""
    if start and (said[start - 1].isalnum() or said[start - 1] in "_+-$"):
        return False
    if end == len(said):
        return True
    goes_on = said[end] in ".,-+:/=<>'" and said[end + 1 : end + 2].isalnum()
    return not (said[end].isalnum() or said[end] == "_" or goes_on)


def _is_denied(said: str, start: int, end: int, sentence: str) -> bool:
    """Whether a sentence names the form without choosing it."""
    after = said[end:]
    tail = _TAIL.search(after)
    asks = sentence.rstrip().endswith("?") and end < len(said)
    return bool(
        asks
        or _DENIES.search(said[:start])
        or _DENIES.search(after[: tail.start()] if tail else after)
    )


def _without_thoughts(text: str) -> str:
    for name in ("think", "thinking"):
        if (end := text.rfind(f"</{name}>")) >= 0:
            text = text[end + len(name) + 3 :]
        elif (start := text.find(f"<{name}>")) >= 0:
            text = text[:start]
    return text


def _tagged(text: str) -> Sequence[str]:
    lower = text.lower()  # as long as the text, or else no tags are found in it
    if len(lower) != len(text):
        lower = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    found, place = [], 0
    while (end := lower.find("</answer>", place)) >= 0:
        start = lower.rfind("<answer>", place, end)
        if start >= 0:
            found.append(text[start + 8 : end])
        place = end + 9
    if (start := lower.rfind("<answer>", place)) >= 0:
        found.append(text[start + 8 :])
    return found
