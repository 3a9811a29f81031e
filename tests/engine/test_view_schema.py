"""The JSON Schema of views: every view fits it, and what is no view does not."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.game import Game
from dig_envs.engine.snapshots.codecs import Int, Items, view_form
from dig_envs.engine.snapshots.snapshot import ENVIRONMENT, PACKAGE
from dig_envs.registry import list_environments, load_game
from tests.games import SHIPPED, every_game, positions


def some_positions(name: str, options: dict[str, Any]) -> Iterator[RawAEC]:
    """Some positions of a game, the last one among them."""
    for env in positions(name, options, games=1, every=40):
        yield env
    yield env  # which is over now


@every_game
def test_an_entry_of_another_kind_is_refused(name):
    game = load_game(name)
    validator = jsonschema.Draft202012Validator(game.view_schema)
    env = next(some_positions(name, {}))
    view = env.view("player_0")
    for key in view:
        assert not validator.is_valid({**view, key: {"no": "such"}}), key
        without = {other: value for other, value in view.items() if other != key}
        assert validator.is_valid(without) == (
            key == PACKAGE or (key == ENVIRONMENT and game.version == 0)
        ), key
    assert not validator.is_valid({**view, "rng": "1"})
    assert not validator.is_valid({**view, "seed": "1"})


def hides(game: Game) -> list[str]:
    """The keys of which nobody sees all."""
    return [
        key
        for key, codec in game.snapshot_table.items()
        if game.view_schema["properties"][key] != codec.json_schema()
    ]


@pytest.mark.parametrize("name", [name for name in SHIPPED if hides(load_game(name))])
def test_what_lies_deeper_is_refused_too(name):
    """Each number, text and truth of a view, wherever it stands, is held against the schema."""
    validator = jsonschema.Draft202012Validator(load_game(name).view_schema)
    for env in some_positions(name, {}):
        view = env.view("player_0")
        for twin, where in with_one_wrong(view):
            assert not validator.is_valid(twin), where


def with_one_wrong(value: Any, where: str = "") -> Iterator[tuple[Any, str]]:
    """The value with one of its leaves replaced by what fits nowhere."""
    if isinstance(value, dict):
        for key, entry in value.items():
            for twin, place in with_one_wrong(entry, f"{where}.{key}"):
                yield {**value, key: twin}, place
    elif isinstance(value, list):
        for place in {0, len(value) - 1} if value else ():
            for twin, inner in with_one_wrong(value[place], f"{where}.{place}"):
                yield [*value[:place], twin, *value[place + 1 :]], inner
    else:
        yield {"neither": -1.5}, where


def piles(game: Game) -> list[str]:
    """The keys of lists of which nobody sees more than the length."""
    return [
        key for key in hides(game) if game.view_schema["properties"][key].get("type") == "integer"
    ]


@pytest.mark.parametrize("name", [name for name in list_environments() if piles(load_game(name))])
def test_hidden_lists_are_no_part_of_a_view(name):
    """A snapshot, without generator and seed, is no view where a pile is face down."""
    game = load_game(name)
    env = next(some_positions(name, {}))
    snapshot = {key: value for key, value in env.snapshot().items() if key not in ("rng", "seed")}
    for key in piles(game):
        assert not jsonschema.Draft202012Validator(game.view_schema).is_valid(
            {**env.view("player_0"), key: snapshot[key]}
        )


def test_a_view_has_to_say_its_form():
    def half(value: Any, snapshot: Any, seat: int) -> Any:
        return value[:1]

    with pytest.raises(RulesError, match=r"'half' does not say .* @form"):
        view_form(half, Int(0, 3).json_schema())


def test_sizes_are_bounded_where_lists_are():
    entry = Items(("a", "b"), bound="the letters", most=7).json_schema()
    game = load_game("cretaceous_creek_v0")
    assert entry["maxItems"] == 7
    assert game.view_schema["properties"]["deck"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 16,
    }
