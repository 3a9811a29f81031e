"""What happens in Twenty Questions: the kinds of events, who may know how much of them, and how
they are said."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dig_envs.engine.core.events import Events, Flag, Thing
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s

EVENTS = Events(questions="left", deck="deck", discards="discards")

CARD = Thing("card", names=box.GENERA, called=box.GENUS_NAMES)

DREW = EVENTS.add(
    "drew",
    "The answerer takes the top card of the deck and looks at it, unseen by the others (TQ-1, "
    "TQ-2, TQ-7, TQ-9).",
    "{seat} {draw|draws} {card} and {answer|answers} the questions.",
    [replace(CARD, hidden=True)],
    others="{seat} {draw|draws} a card and {answer|answers} the questions.",
    changes=[("deck", "", -1)],
)
ASKED = EVENTS.add(
    "asked",
    "The questioner asks one of the questions (TQ-4).",
    "{seat} {ask|asks}: {question}",
    [Thing("question", names=s.ACTIONS.names[: box.NUM_QUESTIONS], called=box.QUESTIONS_IN_WORDS)],
    changes=[("questions", "seat", -1)],
    shown=True,
)
GUESSED = EVENTS.add(
    "guessed",
    "The questioner guesses the genus of the card, which costs a question, too (TQ-5).",
    "{seat} {guess|guesses}: Is it {genus}?",
    [Thing("genus", names=box.GENERA, called=box.GENUS_NAMES)],
    changes=[("questions", "seat", -1)],
    shown=True,
)
ANSWERED = EVENTS.add(
    "answered",
    "The answerer says whether it is so, which is always true (TQ-2, TQ-4, TQ-5).",
    lambda values: f"{{seat}} {{say|says}} {'yes' if values['yes'] else 'no'}.",
    [Flag("yes")],
    shown=True,
)
TOOK = EVENTS.add(
    "took",
    "The guess was right: the questioner takes the card, face up (TQ-6).",
    "{seat} {take|takes} the card: {card}.",
    [CARD],
    scored="cards guessed",
    changes=[("scores", "seat", 1)],
)
PASSED = EVENTS.add("passed", "The questioner wants another card (TQ-7).", "{seat} {pass|passes}.")
RAN_OUT = EVENTS.add(
    "ran_out",
    "The questioner has put the last question, and has not found out the genus (TQ-8).",
    "{seat} {have|has} no question left.",
)
DISCARDED = EVENTS.add(
    "discarded",
    "The card in play is discarded face up (TQ-7, TQ-8).",
    "The card is discarded: {card}.",
    [CARD],
    changes=[("discards", "", 1)],
)
PASSED_OVER = EVENTS.add(
    "passed_over",
    "A player without questions is not the next questioner (TQ-9).",
    "{seat} {have|has} no question left and {are|is} passed over.",
)


def _question(view: Mapping[str, Any]) -> str:
    """The choices of the questioner, and their number (TQ-3, TQ-7)."""
    may_pass = bool(view["asked"]) or view["options"]["passing"] == s.PASSINGS[s.FREE]
    what = (
        "ask a question, guess the genus or pass"
        if may_pass
        else "ask a question or guess the genus"
    )
    left = view["left"][view["to_move"]]
    return f"{what}; {left} question{'s' * (left > 1)} left"


HEADLINES = {"question": _question}


def reason(view: Mapping[str, Any]) -> str:
    """The reason why the game has ended, and what decided between players with equally many cards
    (TQ-10 to TQ-12)."""
    why = "The deck is empty." if any(view["left"]) else "Nobody has a question left."
    standing, tie = [_standing(cards) for cards in view["taken"]], ""
    still = [one for one in standing if one[0] == max(standing)[0]]
    if len(still) > 1:
        tie = " Equally many cards and equally valuable fossils: the win is shared."
    for place, what in enumerate(("research", "skeletal"), 1):
        best = [one for one in still if one[place] == max(still)[place]]
        if len(best) < len(still):
            tie = f" Equally many cards: the most valuable {what} fossil decides."
        still = best
    return why + tie


def _standing(cards: list[str]) -> tuple[int, ...]:
    """The values compared at the end: cards, the best research value, the best value of a skeleton
    (TQ-12)."""
    places = [box.GENERA.index(genus) for genus in cards]
    return len(cards), *(
        max((int(worth[place]) for place in places), default=0)
        for worth in (box.RESEARCH, box.VALUE)
    )
