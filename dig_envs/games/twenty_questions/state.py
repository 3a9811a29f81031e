"""State, facts, actions and options of Twenty Questions."""

import numpy as np

from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.options import Option
from dig_envs.engine.core.state import Fields, record_dtype, state_dtype
from dig_envs.games.twenty_questions import components as box

PHASES = ("question", "over")
QUESTION, OVER = range(len(PHASES))

PASSINGS = ("asked", "free")
ASKED, FREE = range(len(PASSINGS))

OPTIONS = (
    Option("num_players", range(2, box.MAX_PLAYERS + 1), 2, "players"),
    Option("questions", range(1, box.MAX_QUESTIONS + 1), box.QUESTIONS, "questions of each player"),
    Option(
        "passing",
        PASSINGS,
        "asked",
        "`asked`: `pass` only after a question about this card; `free`: always (TQ-7)",
    ),
)

NO_CARD = 0

FIELDS: Fields = [
    ("questions", np.int8),
    ("passing", np.int8),
    ("answerer", np.int8, "seat, -1 when over"),
    ("card", np.int8, "card in play: genus + 1, 0 when over"),
    ("deck", np.int8, (box.NUM_CARDS,), "genera, top last"),
    ("deck_len", np.int8),
    ("asked", np.int8, (box.MAX_QUESTIONS,), "actions put about the card in play"),
    ("asked_len", np.int8),
    ("left", np.int8, (box.MAX_PLAYERS,), "per seat: questions"),
    (
        "taken",
        np.int8,
        (box.MAX_PLAYERS, box.NUM_CARDS),
        "per seat: genera of the cards taken; the score says how many",
    ),
    ("discards", np.int8, (box.NUM_CARDS,), "genera"),
    ("discards_len", np.int8),
    ("unseen", np.int8, (box.NUM_GENERA,), "1 per genus whose card is in the deck or in play"),
]
State = state_dtype(box.MAX_PLAYERS, FIELDS)

# 1 for each if the game ended here
Facts = record_dtype([("winners", np.int8, (box.MAX_PLAYERS,))])

ACTIONS = Actions()
for _group in box.QUESTION_GROUPS:
    _values, _called = ([_group.values], [_group.called]) if _group.values else ([], [])
    ACTIONS.add(
        f"ask {_group.text}",
        *_values,
        label=f"Ask: {_group.words.replace('{}', '{0}')}",
        called=_called,
    )
A_GUESS = ACTIONS.add("guess {}", box.GENERA, label="Guess {0}", called=[box.GENUS_NAMES])
A_PASS = ACTIONS.add("pass", label="Pass")
