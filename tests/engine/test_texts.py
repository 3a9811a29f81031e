"""The text of a view shows all of it: whatever differs between two views of a seat makes another
text."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.game import Game
from dig_envs.text.sentences import headline
from dig_envs.text.telling import redealt
from tests.games import every_player_count, positions

LOOKS, EVERY = 18, 7  # positions of four games, the actions between them
HEAD = {"game", "options"}  # what does not change in a game: `dig-envs describe` tells it

# Game -> entries of its views (as below) that are not in its text, because the text says the same
# in another way.
SAID_OTHERWISE: dict[str, set[str]] = {
    # the pieces in the museum, which all have in common
    "cretaceous_creek": {"scores.own", "scores.other"},
    # the War Room or an Episode is named; scores are the Bobby Dazzlers
    "oak_island": {"phase", "scores.own", "scores.other"},
}


def entries(view: Any, seat: int, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    """The entries of a view that are looked at one by one: what a key holds, or, of a list over the
    seats or an object, each part.

    The own entry in a list over the seats is called ``own``, the others ``other``.
    """
    for key, value in view.items():
        if key in HEAD:
            continue
        if isinstance(value, dict):
            yield from ((f"{key}.{name}", [key, name]) for name in value)
        elif isinstance(value, list) and len(value) == len(view["scores"]):
            yield from (
                (f"{key}.{'own' if place == seat else 'other'}", [key, place])
                for place in range(len(value))
            )
        else:
            yield key, [key]


def get(view: Any, path: list[Any]) -> Any:
    """The entry at a path; None where there is none."""
    for key in path:
        try:
            view = view[key]
        except (LookupError, TypeError):
            return None
    return view


def put(view: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    """A copy of a view with another entry at a path."""
    first, *rest = path
    if not rest:
        return {**view, first: value}
    inner = view[first].copy()
    inner[rest[0]] = value
    return {**view, first: inner}


def hidden_in_text(game: Game, views: list[dict[str, Any]], seat: int) -> set[str]:
    """The entries that can be exchanged between two views without a change of the text."""
    found = set()
    for one, other in zip(views, views[1:], strict=False):
        for name, path in entries(one, seat):
            value = get(other, path)
            if value in (None, get(one, path)):
                continue
            try:
                same = game.draw(put(one, path, value)) == game.draw(one)
            except (LookupError, ValueError, TypeError, AssertionError):
                # a position that cannot be: the text looked at the entry
                same = False
            if same:
                found.add(name)
    return found


def views_of(envs: Iterator[RawAEC], seat: int) -> list[dict[str, Any]]:
    return [dict(env.view(f"player_{seat}")) for env in envs]


@every_player_count
def test_all_of_a_view_is_in_its_text(name: str, options: dict[str, Any]) -> None:
    envs = list(views_of(islice(positions(name, options, 4, EVERY), LOOKS), 0))
    game = next(positions(name, options, 1, 1)).game
    assert hidden_in_text(game, envs, 0) - SAID_OTHERWISE.get(game.name, set()) == set()


@every_player_count
def test_a_text_says_nothing_that_its_seat_cannot_know(name: str, options: dict[str, Any]) -> None:
    """Dealt anew for the seat, the position has the same text: of its view, and of which seat
    decides what."""
    for count, env in enumerate(islice(positions(name, options, 2, EVERY), LOOKS)):
        for seat in range(env.num_seats):
            game, twin = env.game, redealt(env.game, env.states, seat, count)
            views = [
                game.to_view(game.to_snapshot(states[0]), seat) for states in (env.states, twin)
            ]
            assert game.draw(views[0]) == game.draw(views[1])
            assert headline(game, views[0], seat) == headline(game, views[1], seat)


def test_what_is_not_in_the_text_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    env = next(positions("go_dig_v0", {}, 1, 1))
    views = views_of(islice(positions("go_dig_v0", {}, 2, EVERY), LOOKS), 0)
    draw = env.game.draw
    monkeypatch.setitem(env.game.__dict__, "draw", lambda view: draw({**view, "pile": 3}))
    assert hidden_in_text(env.game, views, 0) == {"pile"}
