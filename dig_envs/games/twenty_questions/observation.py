"""The observation of Twenty Questions: what a seat may know, as numbers."""

import numpy as np

from dig_envs.engine.compiler.jit import compiled
from dig_envs.engine.core import fields
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.core.raw import News
from dig_envs.engine.core.seats import seat_after
from dig_envs.engine.core.standard import standard_filler
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import events as e
from dig_envs.games.twenty_questions import questions
from dig_envs.games.twenty_questions import state as s

MANY_CARDS = 20  # taken by one seat; more are shown as so many

FIELDS = Fields(
    Field(
        "unseen",
        (box.NUM_GENERA,),
        "per genus: cards that not all have seen, in the deck or in play / 8",
        derived=True,
    ),
    Field(
        "possible",
        (box.NUM_GENERA,),
        "per genus: 1 if by the answers it may be the card in play",
        derived=True,
    ),
    Field(
        "chance",
        (box.NUM_GENERA,),
        "per genus: the probability that it is, by the answers",
        derived=True,
    ),
    Field("card", (box.NUM_GENERA,), "one-hot: the card in play, for the answerer"),
    Field(
        "guessed",
        (box.NUM_GENERA,),
        "per genus: 1 if it has been guessed for the card in play",
        derived=True,
    ),
    Field("discarded", (box.NUM_GENERA,), "per genus: discarded cards / 8"),
    Field(
        "taken",
        (box.MAX_PLAYERS, box.NUM_GENERA),
        "per seat (self, +1, +2, +3) and genus: cards taken / 8",
    ),
    Field(
        "asked",
        (box.NUM_QUESTIONS,),
        "per question: 1 if it has been put about the card in play",
        derived=True,
    ),
    Field(
        "yes",
        (box.NUM_QUESTIONS,),
        "per question: 1 if it has been, and the answer was yes",
        derived=True,
    ),
    fields.plays(box.MAX_PLAYERS),
    Field("questioner", (box.MAX_PLAYERS,), "per seat: 1 if it is the questioner"),
    Field("answerer", (box.MAX_PLAYERS,), "per seat: 1 if it is the answerer"),
    Field("left", (box.MAX_PLAYERS,), "per seat: questions left / `questions`"),
    Field("cards", (box.MAX_PLAYERS,), "per seat: cards taken / 20, at most 1", derived=True),
    Field(
        "best_research",
        (box.MAX_PLAYERS,),
        "per seat: highest research value among the cards taken / 3",
        derived=True,
    ),
    Field(
        "best_value",
        (box.MAX_PLAYERS,),
        "per seat: highest value of a skeleton among the cards taken / 25",
        derived=True,
    ),
    Field("deck", (), "cards in the deck / 64"),
    Field(
        "num_asked",
        (),
        "questions and guesses put about the card in play / `questions`",
        derived=True,
    ),
    fields.phase(s.PHASES),
    fields.num_players(2, box.MAX_PLAYERS),
    Field("questions", (), "questions of each player / 40"),
    Field("passing", (), "1 if passing is free"),
)
NEWS = News(
    64,
    kinds=(e.DREW, e.ASKED, e.GUESSED, e.ANSWERED, e.TOOK, e.DISCARDED),
    parts=("question", "genus", "card", "yes"),
    split={"card": {"genus": np.arange(box.NUM_GENERA)}},
)
standard = standard_filler(FIELDS)
PER_CARD = 1 / box.MOST_CARDS


@compiled
def observe(state, seat, obs):
    """Write the observation of a seat; the record comes in zero."""
    standard(state, seat, obs)
    show_genera(state, obs)
    show_asked(state, obs)
    show_seats(state, seat, obs)
    if state.answerer == seat:
        obs.card[state.card - 1] = 1
    for i in range(state.discards_len):
        obs.discarded[state.discards[i]] += PER_CARD
    obs.deck = state.deck_len / box.NUM_CARDS
    obs.num_asked = state.asked_len / state.questions
    obs.questions = state.questions / box.MAX_QUESTIONS
    obs.passing = state.passing == s.FREE


@compiled
def show_genera(state, obs):
    """Write what the card in play may be."""
    possible = questions.possible_genera(state)
    count = questions.count_cards(state, possible)
    for genus in range(box.NUM_GENERA):
        obs.unseen[genus] = state.unseen[genus] * PER_CARD
        if (possible >> genus) & 1:
            obs.possible[genus] = 1
            obs.chance[genus] = state.unseen[genus] / count


@compiled
def show_asked(state, obs):
    """Write what has been put about it."""
    for i in range(state.asked_len):
        action = state.asked[i]
        if action >= s.A_GUESS:
            obs.guessed[action - s.A_GUESS] = 1
        else:
            obs.asked[action] = 1
            obs.yes[action] = questions.answer(state, action)


@compiled
def show_seats(state, seat, obs):
    """Write what each player is, has and may still ask."""
    for k in range(state.num_players):
        p = seat_after(state, seat, k)
        obs.questioner[k] = state.to_move == p
        obs.answerer[k] = state.answerer == p
        obs.left[k] = state.left[p] / state.questions
        obs.cards[k] = min(1.0, state.scores[p] / MANY_CARDS)
        obs.best_research[k] = questions.best_of(state, p, box.RESEARCH) / box.BEST_RESEARCH
        obs.best_value[k] = questions.best_of(state, p, box.VALUE) / box.BEST_VALUE
        for i in range(state.scores[p]):
            obs.taken[k, state.taken[p, i]] += PER_CARD
