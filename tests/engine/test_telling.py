"""The observation of a seat against its view: positions one action or one change apart, as they are
and dealt anew.

Two views of a seat that differ have different observations or action masks. ``LEFT_OUT`` holds the
exceptions that the rules make.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game
from dig_envs.text.telling import after, redealt
from tests.engine.extremes import at_limits
from tests.games import every_game, is_older, needs_compiling, option_cases, positions

pytestmark = needs_compiling

# positions of two games, the actions between them, actions tried at each
LOOKS, EVERY, ACTIONS = 12, 7, 5
FEW_LOOKS = 2  # with other options than the number of players

View = dict[str, Any]
# a world (0: as it is, 1: dealt anew), an action, the position after it
Branch = tuple[int, int | None, Array]

# ---------------------------------------------------------------- what the rules leave out


def equal_turns(view: View, seat: int) -> None:
    """Which of two equivalent turns a card in the mine has, and which other seat has the chance in
    an auction."""
    for laid in view["mine"]:
        passages = laid["card"].partition("-")[2]
        if all((one in passages) == (other in passages) for one, other in ("NS", "EW")):
            laid["r"] %= 2
    if view["phase"] == "auction" and view["to_move"] != seat:
        view["to_move"] = None


def names_of_suits(view: View, seat: int) -> None:
    """Rename the suits in a view: the own suit comes first, the others in table order. Drop
    ``max_turns`` itself."""
    del view["options"]["max_turns"]
    own = view["suits"][seat] or "H"
    order = str.maketrans(own + "HDSC".replace(own, ""), "HDSC")
    view["suits"] = [suit and suit.translate(order) for suit in view["suits"]]
    for card in cards_in(view):
        if card["card"] is not None and not card["card"].startswith("X"):
            card["card"] = card["card"].translate(order)


def cards_in(thing: Any) -> Iterator[dict[str, Any]]:
    """Everything in a view that has a card."""
    if isinstance(thing, dict) and "card" in thing:
        yield thing
    elif isinstance(thing, dict | list):
        for entry in thing.values() if isinstance(thing, dict) else thing:
            yield from cards_in(entry)


def value_of_max_turns(view: View, seat: int) -> None:
    del view["options"]["max_turns"]


def settled_choices(view: View, seat: int) -> None:
    """Of the own commitment what is not chosen from any more: all but models, outputs and tokens,
    and the order of these."""
    kept = ("input", "argue", "output", "lift", "put")
    view["pending"][seat] = sorted(
        action for action in view["pending"][seat] if action.startswith(kept)
    )


def who_has_the_turn_in_war(view: View, seat: int) -> None:
    """Which other seat is to move in a War Room."""
    if view["phase"] == "war" and view["to_move"] != seat:
        view["to_move"] = None


def number_of_the_turn(view: View, seat: int) -> None:
    del view["turn"]


# What the section "Observation" of a game's RULES.md leaves out of a view, as far as the views here
# differ in it.
LEFT_OUT: dict[str, Callable[[View, int], None]] = {
    "diggity": equal_turns,
    "dino_dig": names_of_suits,
    "fossil_canyon": value_of_max_turns,
    "oak_island": who_has_the_turn_in_war,
    "the_big_dig": settled_choices,
    "twenty_questions": number_of_the_turn,
}

# ---------------------------------------------------------------- the checks


def branches(env: RawAEC, seed: int) -> Iterator[Branch]:
    """The position itself and after some actions of the mover, as it is and dealt anew for the
    mover."""
    game, mover = env.game, int(env.states["to_move"][0])
    legal = np.random.default_rng(seed).permutation(game.legal_actions(env.states, mover))[:ACTIONS]
    for world, states in enumerate((env.states, redealt(game, env.states, mover, seed))):
        yield world, None, states
        for action in map(int, legal):
            yield world, action, after(game, states, mover, action)


def observed(game: Game, states: Array, seat: int) -> bytes:
    """The observation and the action mask of a seat."""
    records, flat = game.new_observations(1)
    game.kernels.observations_of(states, 0, 1, np.array([seat], np.int64), records, flat)
    return flat.tobytes() + game.mask_of(states, seat).tobytes()


def seen(game: Game, states: Array, seat: int) -> str:
    """The view of a seat without what its observation leaves out."""
    view = json.loads(json.dumps(game.to_view(game.to_snapshot(states[0]), seat)))
    for option in game.options:  # an older version need not show what came later
        if is_older(game) or not option.shown:
            del view["options"][option.name]
    if game.name in LEFT_OUT:
        LEFT_OUT[game.name](view, seat)
    return json.dumps(view)


def check_observed(game: Game, found: Iterable[Array], seats: int, known: dict[Any, str]) -> None:
    """Views that differ have different observations or masks."""
    for states in found:
        for seat in range(seats):
            view = seen(game, states, seat)
            other = known.setdefault((seat, observed(game, states, seat)), view)
            assert other == view, (
                f"seat {seat} observes the same, but views differ (a key to put into the "
                "observation?)"
            )


def check_actions(game: Game) -> None:
    """Positions one action apart, of games with all options."""
    known: dict[Any, str] = {}
    for options in option_cases(game.env_name):
        looks = LOOKS if set(options) == {"num_players"} else FEW_LOOKS
        for count, env in enumerate(islice(positions(game.env_name, options, 2, EVERY), looks)):
            found = list(branches(env, count))
            check_observed(game, (states for _, _, states in found), env.num_seats, known)


def check_changes(game: Game) -> None:
    """Positions one change of a snapshot apart: fields that nothing else in the observation
    follows."""
    for chain in at_limits(game.env_name):
        for (_, one), (_, other) in pairwise(chain):
            check_observed(game, (one, other), int(one["num_players"][0]), {})


@every_game
def test_differences_in_views_are_observed(name: str) -> None:
    check_actions(load_game(name))


@every_game
def test_each_change_of_a_view_is_observed(name: str) -> None:
    check_changes(load_game(name))


def leave_out(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations lack a field from now on."""

    def without(game: Game, states: Array, seat: int) -> bytes:
        records, flat = game.new_observations(1)
        game.kernels.observations_of(states, 0, 1, np.array([seat], np.int64), records, flat)
        flat[0, game.layout[field].slice] = 0
        return flat.tobytes() + game.mask_of(states, seat).tobytes()

    monkeypatch.setattr("tests.engine.test_telling.observed", without)


@pytest.mark.parametrize(
    ("check", "name", "field"),  # of which nothing else in the observation tells
    [
        (check_actions, "fossil_canyon", "known_by"),
        (check_actions, "the_big_dig", "other_committed"),
        (check_changes, "diggity", "passes"),
        (check_changes, "go_dig", "turn"),
    ],
)
def test_a_field_that_is_left_out_is_noticed(
    check: Callable[[Game], None], name: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out(field, monkeypatch)
    with pytest.raises(AssertionError, match="views differ"):
        check(load_game(name))


def check_both(game: Game) -> None:
    check_changes(game)
    check_actions(game)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_each_exception_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(LEFT_OUT, name)
    with pytest.raises(AssertionError, match="views differ"):
        check_both(load_game(f"{name}_v0"))  # whose scripted players come to all of them
