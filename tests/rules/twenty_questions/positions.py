"""Positions for the rule tests: the worked examples' bases with changes."""

import copy
from typing import Any

from dig_envs.registry import load_game
from tests import positions
from tests.rules.twenty_questions.printed import CARDS, GENERA
from tests.worked_examples import set_path

GAME = load_game("twenty_questions")


class Position(positions.Position):
    """A position of Twenty Questions."""

    game = GAME


BASES = Position.bases
changed, base, deal, refused = Position.changed, Position.base, Position.deal, Position.refused


def in_play(card: str, deck: list[str] | None = None, **changes: Any) -> Position:
    """A card in play before seat 0, all others in the deck, or those of ``deck`` (top last) and the others discarded.

    Changes by key, ``__`` for the dots; the questions left are as few as the discards need, unless they are changed.
    """
    snapshot = copy.deepcopy(BASES["start"])
    rest = [genus for genus in GENERA for _ in range(CARDS[genus])]
    for genus in [card, *(deck or []), *(genus for cards in changes.get("taken", []) for genus in cards)]:
        rest.remove(genus)
    snapshot.update(card=card, deck=rest if deck is None else deck, discards=[] if deck is None else rest)
    if deck is not None:
        snapshot["options"].update(questions=40, passing="free")
        snapshot["left"] = [20, 20]
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    return Position(snapshot)
