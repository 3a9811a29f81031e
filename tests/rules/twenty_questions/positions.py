"""Positions for the rule tests: the worked examples' bases with changes."""

import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dig_envs.engine.compiler.jit import JIT_DISABLED
from dig_envs.registry import load_game
from tests import positions
from tests.rules.twenty_questions.printed import CARDS, GENERA, QUESTIONS
from tests.worked_examples import set_path

GAME = load_game("twenty_questions")


class Position(positions.Position):
    """A position of Twenty Questions."""

    game = GAME


BASES = Position.bases
changed, base, deal, refused = Position.changed, Position.base, Position.deal, Position.refused


def in_play(card: str, deck: list[str] | None = None, **changes: Any) -> Position:
    """A card in play before seat 0, all others in the deck, or those of ``deck`` (top last) and the
    others discarded.

    Changes by key, ``__`` for the dots; the questions left are as few as the discards need, unless
    they are changed.
    """
    snapshot = copy.deepcopy(BASES["start"])
    rest = [genus for genus in GENERA for _ in range(CARDS[genus])]
    for genus in [
        card,
        *(deck or []),
        *(genus for cards in changes.get("taken", []) for genus in cards),
    ]:
        rest.remove(genus)
    snapshot.update(
        card=card, deck=rest if deck is None else deck, discards=[] if deck is None else rest
    )
    if deck is not None:
        snapshot["options"].update(questions=40, passing="free")
        snapshot["left"] = [20, 20]
    for path, value in changes.items():
        set_path(snapshot, path.replace("__", "."), value)
    return Position(snapshot)


def consistent(card: str, asked: list[list[Any]]) -> bool:
    """Whether all that has been answered is true for a genus."""
    return all(
        yes == (card in QUESTIONS[text] if text in QUESTIONS else text == f"guess {card}")
        for text, yes in asked
    )


def some_positions(every: int = 3) -> Iterator[Position]:
    """Positions of random games with many passes and guesses, of all numbers of players and both
    kinds of passing."""
    for seed in range(6 if JIT_DISABLED else 30):
        position = deal(
            seed,
            num_players=2 + seed % 3,
            questions=5 + 7 * (seed % 6),
            passing=("asked", "free")[seed // 3 % 2],
        )
        chance = np.random.default_rng(seed)
        yield from position.on_the_way(lambda now, chance=chance: now.play_randomly(chance), every)


def chi_square(found: Counter[str], weights: Mapping[str, float]) -> float:
    """Return the distance of the counts from those that the weights let expect; nothing else may
    have been found."""
    assert set(found) <= set(weights)
    games, total = sum(found.values()), sum(weights.values())
    expected = {genus: games * weight / total for genus, weight in weights.items()}
    return sum((found[genus] - count) ** 2 / count for genus, count in expected.items())
