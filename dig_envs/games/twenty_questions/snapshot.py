"""Snapshots of Twenty Questions: the table of their keys, and what must hold between them."""

from collections.abc import Mapping
from typing import Any

from dig_envs.engine.core.turns import NOBODY
from dig_envs.engine.snapshots import codecs as c
from dig_envs.engine.snapshots.snapshot import Candidate, check_winners
from dig_envs.games.twenty_questions import components as box
from dig_envs.games.twenty_questions import state as s

PUT = s.ACTIONS.names[: s.A_PASS]  # questions and guesses


class Asked(c.Codec):
    """Pairs of a question or guess and its answer. The state holds the questions only: the answers
    follow from the card in play.

    Their number is bounded by `questions`, of which the questioner spends one for each.
    """

    def write(self, state: c.State, name: str, at: c.Place) -> list[list[Any]]:
        """Each question with its answer."""
        return [
            [PUT[action], _is_yes(state, action)]
            for action in state[name][: int(state["asked_len"])]
        ]

    def read(self, state: c.State, name: str, at: c.Place, value: Any, key: str) -> None:
        """The answers must be true for the card in play, which is read before."""
        entries = c.require_list(
            value, key, most=len(state[name]) if state["card"] != s.NO_CARD else 0
        )
        for i, entry in enumerate(entries):
            text, said = c.require_list(entry, f"{key}.{i}", length=2)
            action = c.require_choice(text, f"{key}.{i}.0", PUT)
            true = _is_yes(state, action)
            c.require(
                said is true,
                f"{key}.{i}.1",
                f"must be {str(true).lower()}, the true answer for `card`",
            )
            state[name][i] = action
        c.put(state, "asked_len", at, len(entries))

    def json_schema(self) -> c.JsonSchema:
        """Pairs of a text and a boolean."""
        pair = {
            "type": "array",
            "prefixItems": [{"enum": list(PUT)}, {"type": "boolean"}],
            "minItems": 2,
            "maxItems": 2,
        }
        return {"type": "array", "items": pair, "maxItems": box.MAX_QUESTIONS}


def _is_yes(state: c.State, action: int) -> bool:
    return bool(int(box.YES[action]) >> int(state["card"]) - 1 & 1)


@c.form(c.or_null)
def for_the_answerer(card: str | None, snapshot: Mapping[str, Any], seat: int) -> str | None:
    return card if snapshot["answerer"] == seat else None


SNAPSHOT = {
    "turn": c.Int(1, box.NUM_CARDS),
    "scores": c.PerSeat(c.Int(0, box.NUM_CARDS)),
    "answerer": c.Int(NOBODY, box.MAX_PLAYERS - 1),
    "deck": c.Items(box.GENERA, bound="the 64 cards: they only leave", view=c.size),
    "card": c.InPhases(s.PHASES, (s.QUESTION,), c.Name(box.GENERA, first=1), view=for_the_answerer),
    "asked": Asked(),
    "left": c.PerSeat(c.Int(0, box.MAX_QUESTIONS)),
    "taken": c.PerSeat(c.Items(box.GENERA, length="scores", bound="the 64 cards")),
    "discards": c.Items(box.GENERA, bound="the 64 cards"),
}


def check(candidate: Candidate) -> None:
    """Refuse a position that no game can reach; the message names the key."""
    _check_cards(candidate)
    questions = int(candidate.state["questions"])
    for p in candidate.seats:
        c.require(
            candidate.snapshot["left"][p] <= questions,
            f"left.{p}",
            f"is at most `questions`, {questions}",
        )
    if candidate.is_over:
        _check_over(candidate)
    else:
        _check_turn(candidate)
    _check_spent(candidate)
    snapshot = candidate.snapshot
    gone = sum(snapshot["scores"]) + len(snapshot["discards"])
    most = gone if candidate.is_over else gone + 1
    c.require(
        snapshot["turn"] <= most, "turn", f"is at most {most} after {gone} cards taken or discarded"
    )


ALL_CARDS = [
    genus for genus, count in zip(box.GENERA, box.CARDS, strict=True) for _ in range(count)
]


def cards_in_sight(position: Mapping[str, Any]) -> list[str]:
    return c.in_sight(*(position[key] for key in ("deck", "discards", "taken", "card")))


def _check_cards(candidate: Candidate) -> None:
    found = cards_in_sight(candidate.snapshot)
    c.require_multiset(found, ALL_CARDS, "deck", "the cards of deck, card, taken and discards")


def _check_turn(candidate: Candidate) -> None:
    """While the game is on: the questioner, the answerer and what has been asked."""
    snapshot, mover = candidate.snapshot, int(candidate.state["to_move"])
    questions, left = int(candidate.state["questions"]), snapshot["left"][mover]
    texts = [text for text, _ in snapshot["asked"]]
    c.require(
        snapshot["answerer"] in candidate.seats, "answerer", "must be a seat while the game is on"
    )
    c.require(snapshot["answerer"] != mover, "answerer", "is another seat than the questioner")
    c.require(left > 0, f"left.{mover}", "the questioner has a question left")
    c.require(len(texts) == len(set(texts)), "asked", "nothing is put twice about a card")
    c.require(f"guess {snapshot['card']}" not in texts, "asked", "a right guess has ended the turn")
    c.require(
        len(texts) + left <= questions,
        "asked",
        f"with the questions left of seat {mover} they are at most {questions}",
    )


def _check_over(candidate: Candidate) -> None:
    snapshot = candidate.snapshot
    c.require(snapshot["answerer"] == NOBODY, "answerer", "is -1 when the game is over")
    c.require(
        not any(snapshot["left"]) or not snapshot["deck"],
        "left",
        "the game is over: no questions, or no cards in the deck",
    )
    check_winners(candidate, [p for p in candidate.seats if candidate.facts["winners"][p]])


def _check_spent(candidate: Candidate) -> None:
    """Refuse fewer questions spent than cards taken and questions put need."""
    snapshot, questions = candidate.snapshot, int(candidate.state["questions"])
    spent = sum(questions - left for left in snapshot["left"])
    needed = sum(snapshot["scores"]) + len(snapshot["asked"])
    c.require(needed <= spent, "left", f"{needed} questions have been spent at least, not {spent}")
    if int(candidate.state["passing"]) == s.ASKED:
        needed += len(snapshot["discards"])
        c.require(
            needed <= spent,
            "left",
            f"{needed} questions have been spent at least, not {spent}: no pass without one",
        )
