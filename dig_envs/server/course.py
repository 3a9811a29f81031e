"""The course of a game: where it stands, with choices that several seats make together, and earlier
moments of it."""

from bisect import bisect_right
from dataclasses import dataclass, field

from dig_envs.engine.game import Array, Game, deciding
from dig_envs.text.telling import after, settled

# decisions between two moments that are kept: at most so many are played again to reach any other
EVERY = 32


@dataclass
class Moment:
    """A moment of a game.

    Attributes:
        base: the last position that is common to all, not to be changed. choices: what seats have
            chosen since, where several decide at once. before, was_together: the position before
            the last decision was carried out, and whether several made it; last: their seats and
            actions. carried_out: moves that have led to ``base``; decisions: of one seat, or of
            several together. moves: all, choices included.
    """

    base: Array
    before: Array
    was_together: bool = False
    last: tuple[tuple[int, int], ...] = ()
    choices: dict[int, list[int]] = field(default_factory=dict)
    carried_out: int = 0
    decisions: int = 0
    moves: int = 0

    def copy(self) -> "Moment":
        """The same moment, from which another course can go on; positions are shared, since nobody
        changes them."""
        choices = {seat: list(actions) for seat, actions in self.choices.items()}
        return Moment(
            self.base,
            self.before,
            self.was_together,
            self.last,
            choices,
            self.carried_out,
            self.decisions,
            self.moves,
        )

    @property
    def over(self) -> bool:
        return bool(self.base["over"][0])

    @property
    def deciding(self) -> list[int]:
        """The seats whose decision it is, whether they have chosen already or not."""
        return deciding(self.base)

    @property
    def together(self) -> bool:
        """Whether several seats decide at the same time."""
        return len(self.deciding) > 1

    def world(self, game: Game, seat: int) -> Array:
        """The position as it is for a seat, not to be changed: with its own choice, without those
        of others not carried out."""
        chosen = self.choices.get(seat)
        return after(game, self.base, seat, *chosen) if chosen else self.base

    def to_act(self, game: Game) -> list[int]:
        """The seats that have still to act in this decision."""
        return [seat for seat in self.deciding if bool(self.world(game, seat)["owes"][0][seat])]

    def play(self, game: Game, seat: int, action: int) -> None:
        self.choices.setdefault(seat, []).append(action)
        self.moves += 1
        if not self.together or not self.to_act(game):
            self.before, self.was_together = self.base, self.together
            self.last = tuple(
                (chooser, chosen)
                for chooser in sorted(self.choices)
                for chosen in self.choices[chooser]
            )
            self.base = settled(game, self.base, self.choices)
            self.choices = {}
            self.decisions += 1
            self.carried_out = self.moves


class Course:
    """The moments of a game: the last one, and one every so many decisions.

    Args:
        game: which. first: the position at the beginning, a record array of length 1, not to be
            changed.
    """

    def __init__(self, game: Game, first: Array) -> None:
        self._game = game
        self._kept = [Moment(first, first)]
        self.now = self._kept[0].copy()

    def play(self, seat: int, action: int) -> None:
        self.now.play(self._game, seat, action)
        if not self.now.choices and self.now.decisions - self._kept[-1].decisions >= EVERY:
            self._kept.append(self.now.copy())

    def kept_before(self, moves: int) -> Moment:
        """The last moment that is kept with so many moves at most, to go on from."""
        return self._kept[
            bisect_right(self._kept, moves, key=lambda moment: moment.moves) - 1
        ].copy()

    def go_back(self, moves: int) -> None:
        """Make a moment that is kept, with so many moves at most, the last one; those after it are
        forgotten."""
        self.now = self.kept_before(moves)
        while self._kept[-1].moves > self.now.moves:
            self._kept.pop()
