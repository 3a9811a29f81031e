"""What those at a table are told of another's action: as many of its words as they can know.

Somebody cannot tell actions apart that begin alike and lead to the same view, in the position or with what is hidden from that one
dealt otherwise. Then only the words that these actions have in common are told.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dig_envs.engine.game import Array, Game
from dig_envs.engine.state import as_records
from dig_envs.engine.turns import NOBODY

REDEALS = 6  # of what a watcher cannot know, to find out which actions look alike
LONGEST_CHOICE = 100  # actions of one seat in one simultaneous decision, when others are tried

Watcher = int | None  # a seat, or None: somebody who sees what is public


def copied(states: Array) -> Array:
    """A copy of a record array that rules code can work on."""
    return as_records(np.array(states))


def after(game: Game, states: Array, seat: int, *actions: int) -> Array:
    """The position after legal actions of a seat, as a new array."""
    result = copied(states)
    for action in actions:
        game.kernels.apply_one(result, seat, action)
    return result


def redealt(game: Game, states: Array, seat: int, seed: int) -> Array:
    """The position with what the seat cannot know dealt anew, chance to come included, as a new array."""
    result = copied(states)
    game.kernels.determinize_one(result, seat, np.uint64(seed))
    return result


def view_of(game: Game, states: Array, watcher: Watcher) -> Mapping[str, Any]:
    """What a watcher may see of a position."""
    snapshot = game.to_snapshot(states[0])
    return game.to_view(snapshot, NOBODY if watcher is None else watcher)


class Sight:
    """How a position looks to a watcher; to compare others with it."""

    def __init__(self, game: Game, states: Array, watcher: Watcher) -> None:
        self._game, self._watcher = game, watcher
        self._observation = self._observed(states)
        self._view = view_of(game, states, watcher)

    def _observed(self, states: Array) -> bytes:
        """The observation: quick to make, and nobody sees less than it."""
        if self._watcher is None:
            return b""
        records, flat = self._game.new_observations(1)
        self._game.kernels.observations_of(states, 0, 1, np.array([self._watcher], np.int64), records, flat)
        return flat.tobytes()

    def same(self, states: Array) -> bool:
        """Whether the watcher cannot tell another position from this one."""
        return self._observed(states) == self._observation and view_of(self._game, states, self._watcher) == self._view


def words_told(game: Game, before: Array, seat: int, action: int, watcher: Watcher) -> str:
    """The text of an action that a seat played in ``before``, cut where the watcher cannot know how it goes on."""
    words = game.actions[action].split()
    if watcher == seat or len(words) == 1:
        return " ".join(words)
    sight = Sight(game, after(game, before, seat, action), watcher)
    told = len(words)
    for world in _worlds(game, before, watcher):
        for other in game.legal_actions(world, seat):
            common = _common(words, game.actions[other].split())
            if 0 < common < told and sight.same(after(game, world, seat, other)):
                told = common
        if told == 1:
            break
    return " ".join(words) if told == len(words) else " ".join([*words[:told], "…"])


def _worlds(game: Game, before: Array, watcher: Watcher) -> Iterator[Array]:
    """The position, and others that the watcher takes for possible."""
    yield before
    seats = range(int(before["num_players"][0])) if watcher is None else [watcher]
    for seed in range(REDEALS):
        for eyes in seats:
            yield redealt(game, before, eyes, seed)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two texts have in common at the beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


# ---------------------------------------------------------------- decisions that are made together


def settled(game: Game, base: Array, choices: Mapping[int, Sequence[int]]) -> Array:
    """The position after a simultaneous decision: what each seat has chosen since ``base``, carried out in seat order."""
    result = copied(base)
    for seat in sorted(choices):
        for action in choices[seat]:
            game.kernels.apply_one(result, seat, action)
    return result


def choice_is_open(game: Game, base: Array, choices: Mapping[int, Sequence[int]], seat: int, watcher: Watcher) -> bool:
    """Whether the watcher sees, once all have chosen, everything that the seat has chosen.

    It does if whatever else the seat might have done looks otherwise, and there was something of the same kind to do.
    """
    sight = Sight(game, settled(game, base, choices), watcher)
    chosen = list(choices[seat])
    world = copied(base)
    for place, action in enumerate(chosen):
        kind = game.actions[action].split()[0]
        others = [other for other in game.legal_actions(world, seat) if other != action]
        if " " in game.actions[action] and not any(game.actions[other].split()[0] == kind for other in others):
            return False
        for other in others:
            instead = _carried_on(game, world, seat, other, chosen[place + 1 :])
            if sight.same(settled(game, base, {**choices, seat: [*chosen[:place], *instead]})):
                return False
        world = after(game, world, seat, action)
    return True


def _carried_on(game: Game, world: Array, seat: int, action: int, rest: Sequence[int]) -> list[int]:
    """Another action of a seat, and how its decision goes on from there: as it did if that is possible."""
    done, world, rest = [action], after(game, world, seat, action), list(rest)
    while world["owes"][0][seat] and len(done) < LONGEST_CHOICE:
        legal = game.legal_actions(world, seat)
        done.append(rest.pop(0) if rest and rest[0] in legal else legal[-1])
        world = after(game, world, seat, done[-1])
    return done


# ---------------------------------------------------------------- taking back


def reveals(game: Game, before: Array, seat: int, action: int) -> bool:
    """Whether an action shows its own player something new: by chance, or that was hidden.

    It does not if it leads to the same view however that is dealt which the player cannot know.
    """
    sight = Sight(game, after(game, before, seat, action), seat)
    for seed in range(REDEALS):
        if not sight.same(after(game, redealt(game, before, seat, seed), seat, action)):
            return True
    return False


# ---------------------------------------------------------------- the end


def result_text(snapshot: Mapping[str, Any]) -> str:
    """How a finished game ended, in words."""
    winners = ", ".join(f"player_{seat}" for seat in snapshot["winners"]) or "nobody"
    ended = f" ({snapshot['ended']})" if snapshot.get("ended") else ""
    limit = ", by the turn limit" if snapshot["truncated"] else ""
    return f"The game is over{ended}{limit}. Won by: {winners}. Scores: {', '.join(map(str, snapshot['scores']))}."
