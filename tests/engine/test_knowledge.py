"""A seat still knows of hidden cards, after another's action, what it knew before, as far as that
still holds.

The worlds that a seat has to reckon with after an action are its re-deals from before, played on by
the same action, as far as it observes the same in them afterwards. What its view said before, and
what lies in the same hidden place in all these worlds, is certain, so it must be in the re-deals of
the position after, too. ``FORGOTTEN`` holds what the rules let a seat forget.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from dig_envs.engine.game import Array, Game
from dig_envs.text.telling import after, redealt
from tests.engine.test_leaks import hidden_leaves, value_at
from tests.engine.test_telling import observed
from tests.games import every_player_count, needs_compiling, positions

pytestmark = needs_compiling

# First words of actions whose rest others are not told: nothing follows from them for anybody else.
SECRET = {
    "diggity_v0": {"card"},
    "dino_dig_v0": {"suit"},
    "fossil_canyon_v0": {"hide"},
    "the_big_dig_v0": {"argue", "input", "single"},
}
LOOKS, EVERY = 15, 7  # positions of two games, the actions between them
DEALS, FEWEST = 8, 4  # re-deals; worlds among them, from fewer nothing is concluded
MORE = 400  # re-deals where something seems to be forgotten, to be sure that it was certain

Place = tuple[Any, ...]
Fact = tuple[Place, Any, int]  # a hidden place, a value there, and which of its copies
Step = Callable[[Game, Array, int, int], Array]  # what an action leads to
Snapshot = dict[str, Any]

# What the rules let a seat forget: whether a place is such a one, from the snapshots before and
# after the action.
FORGOTTEN: dict[str, Callable[[Snapshot, Snapshot, Place], bool]] = {
    # GD-20: of a hand from which a skeleton was built `known` keeps what it had besides, not what
    # follows from the skeleton.
    "go_dig": lambda before, end, at: (
        at[0] == "hands" and before["museums"][at[1]] != end["museums"][at[1]]
    )
}


def values(thing: Any) -> Iterator[Any]:
    """All single values in a view."""
    if isinstance(thing, dict | list):
        for entry in thing.values() if isinstance(thing, dict) else thing:
            yield from values(entry)
    else:
        yield thing


def facts(game: Game, states: Array, hidden: list[Place]) -> set[Fact]:
    """Return what lies at hidden places: of a list how often each value is in it, since its order
    is hidden, too."""
    snapshot = game.to_snapshot(states[0])
    found: Counter[tuple[Place, Any]] = Counter()
    for at in hidden:
        value = value_at(snapshot, at)
        for key, entry in value.items() if isinstance(value, dict) else [("", value)]:
            found.update(((*at, key), one) for one in values(entry))
    return {(at, one, copy) for (at, one), count in found.items() for copy in range(count)}


def worlds(
    game: Game, before: Array, mover: int, action: int, seat: int, step: Step
) -> Iterator[Array]:
    """Re-deals for a seat, played on by the mover's action, that the seat cannot tell from what has
    really come of it."""
    real = observed(game, step(game, before, mover, action), seat)
    for deal in range(MORE):
        world = redealt(game, before, seat, deal)
        if game.mask_of(world, mover)[action]:
            world = step(game, world, mover, action)
            if observed(game, world, seat) == real:
                yield world


def forgotten(
    game: Game, before: Array, mover: int, action: int, seat: int, step: Step = after
) -> set[Fact]:
    """Return what a seat knew before another's action and could still know, but half of its
    re-deals or more lack it."""
    result = step(game, before, mover, action)
    start, end = game.to_snapshot(before[0]), game.to_snapshot(result[0])
    may_forget = FORGOTTEN.get(game.name, lambda start, end, at: False)
    hidden = [
        at for at in hidden_leaves(end, game.to_view(end, seat)) if not may_forget(start, end, at)
    ]
    if not hidden:
        return set()
    kept = Counter(
        fact
        for deal in range(DEALS)
        for fact in facts(game, redealt(game, result, seat, deal), hidden)
    )
    said = set(values(game.to_view(start, seat)))
    lost = {
        fact for fact in facts(game, result, hidden) if fact[1] in said and kept[fact] <= DEALS / 2
    }
    found = 0
    for world in worlds(game, before, mover, action, seat, step) if lost else ():
        lost &= facts(game, world, hidden)
        found += 1
        if not lost:
            break
    return lost if found >= FEWEST else set()


def check_memory(name: str, options: dict[str, Any], step: Step = after) -> None:
    """In positions in which one seat decides no other has forgotten anything after an action that
    is told to all."""
    for count, env in enumerate(islice(positions(name, options, 2, EVERY), LOOKS)):
        game, mover = env.game, int(env.states["to_move"][0])
        action = int(np.random.default_rng(count).choice(game.legal_actions(env.states, mover)))
        if env.states["owes"][0].sum() > 1 or game.actions[action].split()[0] in SECRET.get(
            name, ()
        ):
            continue
        for seat in set(range(env.num_seats)) - {mover}:
            lost = forgotten(game, env.states, mover, action, seat, step)
            assert not lost, (
                f"after {game.actions[action]!r} of seat {mover}, seat {seat} has forgotten "
                f"{lost}: {env.snapshot()}"
            )


@every_player_count
def test_what_a_seat_knows_stays_known(name: str, options: dict[str, Any]) -> None:
    check_memory(name, options)


def forgetful(*fields: str) -> Step:
    """Rules that forget with every action: these fields of the state are cleared."""

    def step(game: Game, states: Array, seat: int, action: int) -> Array:
        result = after(game, states, seat, action)
        for field in fields:
            result[field] = 0
        return result

    return step


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("go_dig_v0", ("known", "num_known")),
        ("fossil_canyon_v0", ("known_len",)),
        ("dino_dig_v0", ("known",)),
    ],
)
def test_rules_that_forget_are_noticed(name: str, fields: tuple[str, ...]) -> None:
    """The check of memory fails for rules that forget what a seat learned: cards asked for, fossils
    exchanged, cards looked at."""
    with pytest.raises(AssertionError, match="has forgotten"):
        check_memory(name, {"num_players": 3}, forgetful(*fields))


@pytest.mark.parametrize("game", FORGOTTEN)
def test_each_exception_is_needed(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FORGOTTEN, game)
    with pytest.raises(AssertionError, match="has forgotten"):
        check_memory(f"{game}_v0", {"num_players": 3})
