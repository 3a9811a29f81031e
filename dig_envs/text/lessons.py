"""Guided first games: ``lesson.json`` in a game's folder has a deal, the first moves of both
players, and what a beginner is told before each of their own.

The beginner has seat 0 of two. ``seed`` and ``options`` say which deal; ``moves`` are the actions
as texts in the order in which they are played, the beginner's each with the words for it; ``end``
is said when all are played::

    {"seed": 7, "options": {}, "end": "Go on alone.",
     "moves": [["flip 1,2", "Touch this card."], ["flip 1,1"]]}
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import msgspec

from dig_envs.engine.core.options import defaults_for_people
from dig_envs.engine.game import Game, Snapshot
from dig_envs.engine.snapshots.positions import save_position

BEGINNER = 0
SEATS = 2


@dataclass(frozen=True)
class Lesson:
    """A guided first game.

    Attributes:
        game: which. seed, options: of the deal, all options with their values.
        moves: for each seat its actions in order. words: what is said before each of the
            beginner's. end: what is said afterwards.
    """

    game: Game
    seed: int
    options: Mapping[str, Any]
    moves: tuple[tuple[int, ...], ...]
    words: tuple[str, ...]
    end: str

    @cached_property
    def start(self) -> Snapshot:
        """The position that is dealt, which takes the compiled game."""
        return save_position(self.game, self.game.deal(self.options, self.seed))

    def next_move(self, seat: int, played: Iterable[tuple[int, int]]) -> int | None:
        """The action that comes next for a seat, after these moves (seat and action of each); None
        if somebody has played another one, or there are no more."""
        so_far: list[list[int]] = [[] for _ in self.moves]
        for mover, action in played:
            so_far[mover].append(action)
        for done, moves in zip(so_far, self.moves, strict=True):
            if tuple(done) != moves[: len(done)]:
                return None
        number = len(so_far[seat])
        return self.moves[seat][number] if number < len(self.moves[seat]) else None

    def coach(self, played: Iterable[tuple[int, int]]) -> dict[str, Any] | None:
        """What the beginner is told before the next decision, as JSON: ``action`` (null at the
        end), ``words``, ``step`` from 1 and ``of`` how many; None off the lesson's way."""
        moves = list(played)
        action = self.next_move(BEGINNER, moves)
        step = sum(seat == BEGINNER for seat, _ in moves)
        if action is not None:
            words = self.words[step]
        elif tuple(move for seat, move in moves if seat == BEGINNER) == self.moves[BEGINNER]:
            words = self.end
        else:
            return None
        return {"action": action, "words": words, "step": step + 1, "of": len(self.words)}


@cache
def lesson_of(game: Game) -> Lesson | None:
    """The guided first game of a game; None where it has none.

    Raises:
        KeyError: it has an action that the game does not have.
    """
    file = files(game.package) / "lesson.json"
    if not file.is_file():
        return None
    given = msgspec.json.decode(file.read_bytes())
    usual = {"num_players": SEATS, **defaults_for_people(game.options)}
    options = game.complete_options({**usual, **given["options"]})
    moves: tuple[list[int], list[int]] = ([], [])
    for text, *words in given["moves"]:
        moves[BEGINNER if words else 1].append(game.action_index[text])
    return Lesson(
        game=game,
        seed=given["seed"],
        options=options,
        moves=tuple(map(tuple, moves)),
        words=tuple(words[0] for _, *words in given["moves"] if words),
        end=given["end"],
    )
