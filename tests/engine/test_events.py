"""Events of all games: they tell enough to follow a game, and nothing that a seat cannot know."""

import ast
import json
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.core import tell as telling
from dig_envs.engine.core.events import Events, Kind, Thing
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.engine.game import Array, Game
from dig_envs.registry import load_game
from dig_envs.text.telling import redealt, view_of
from tests.games import (
    every_game,
    every_player_count,
    mostly_heuristic,
    needs_compiling,
    play,
    positions,
    random_choice,
)

GAMES, MOST = 2, 90  # games of each case, and actions of each
# positions of two games, the actions between them, deals of what a seat cannot know
LOOKS, EVERY, DEALS = 12, 9, 5
STANDARD = len(Events().kinds)


def followed_games(name: str, options: dict[str, Any]) -> Iterator[tuple[RawAEC, EventLog, str]]:
    """After each action of some games: the environment, its log, and the action."""
    for seed in range(GAMES):
        env = RawAEC(name, **options)
        env.reset(seed=seed)
        log, chance = EventLog(env.game, env.states), np.random.default_rng(seed)
        for action in play(env, chance, random_choice if seed % 2 else mostly_heuristic, MOST):
            log.play(int(log.states["to_move"][0]), action)
            yield env, log, env.game.actions[action]  # before the environment has played it


@every_player_count
def test_events_say_how_what_all_can_count_has_changed(name: str, options: dict[str, Any]) -> None:
    """Scores and numbers of cards follow from the first view and the events, for each seat and for
    a spectator.

    A viewer may be told nothing only if it sees no change, as in the middle of another's secret
    choice.
    """
    before, counted, done = None, {}, 0
    for env, log, action in followed_games(name, options):
        viewers = [None, *range(env.num_seats)]
        if before is not env:
            before, done = env, 0
            counted = {
                viewer: env.game.events.counted(view_of(env.game, env.states, viewer))
                for viewer in viewers
            }
        for viewer in viewers:
            events, view = log.told(viewer, done), view_of(env.game, log.states, viewer)
            assert events or view == view_of(env.game, env.states, viewer), (
                f"{viewer} is told nothing of {action!r}"
            )
            for event in events:
                env.game.events.follow(counted[viewer], event)
            told = [str(event) for event in events]
            assert counted[viewer] == env.game.events.counted(view), (viewer, action, told)
        done = len(log)


@every_player_count
def test_sentences_are_whole(name: str, options: dict[str, Any]) -> None:
    """Every event has a sentence for everybody who is told of it, and is JSON."""
    for env, log, _ in followed_games(name, options):
        if env.states["turn"][0] % 3 == 0 or log.states["over"][0]:
            for viewer in (None, ALL, *range(env.num_seats)):
                for event in log.told(viewer, max(0, len(log) - 12)):
                    text = str(event)
                    assert text[0].isupper() or text[0].isdigit(), text
                    assert text[-1] in ".!?:", text
                    assert "None" not in text and "{" not in text, text  # noqa: PT018
                    assert json.loads(json.dumps(event.to_json())) == event.to_json()


def worlds(game: Game, states: Array, seat: int, seed: int) -> Iterator[Array]:
    """The position, and some with what the seat cannot know dealt anew."""
    yield states
    for deal in range(DEALS):
        yield redealt(game, states, seat, seed * DEALS + deal)


def check_nothing_is_given_away(game: Game, states: Array, seat: int, seed: int) -> int:
    """Worlds that a seat cannot tell apart after an action tell it the same of that action; returns
    how many were compared."""
    mover, told, compared = int(states["to_move"][0]), {}, 0
    legal = np.random.default_rng(seed).permutation(game.legal_actions(states, mover))[:4]
    for world in worlds(game, states, seat, seed):
        for action in map(int, legal):
            if action not in game.legal_actions(world, mover):
                continue
            log = EventLog(game, world)
            log.play(mover, action)
            sight = json.dumps(view_of(game, log.states, seat)), action if mover == seat else None
            events = [event.to_json() for event in log.told(seat) if not event.kind.shown]
            compared += sight in told
            other, before = told.setdefault(sight, (action, events))
            assert before == events, (
                f"seat {seat} sees the same after {game.actions[other]!r} and "
                f"{game.actions[action]!r} of seat {mover}, "
                f"but is told {before} and {events}"
            )
    return compared


@every_player_count
def test_events_do_not_depend_on_what_a_seat_cannot_know(
    name: str, options: dict[str, Any]
) -> None:
    compared = 0
    for count, env in enumerate(islice(positions(name, options, 2, EVERY), LOOKS)):
        for seat in range(env.num_seats):
            compared += check_nothing_is_given_away(env.game, env.states, seat, count)
    assert compared > 0


# ---------------------------------------------------------------- what games declare


def calls_of_tell(game: Game) -> Iterator[ast.Call]:
    folder = Path(str(import_module(game.package).__file__)).parent
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "tell"
            ):
                yield node


@every_game
def test_kinds_are_declared_cited_and_told(name: str) -> None:
    """Each kind has a rule's number in its meaning, is told somewhere, with as many numbers as it
    has parts."""
    game = load_game(name)
    own = game.events.kinds[STANDARD:]
    assert own, "a game needs events (events.py)"
    constants = {
        value: key
        for key, value in vars(import_module(f"{game.package}.events")).items()
        if key.isupper() and type(value) is int
    }
    told = set()
    for call in calls_of_tell(game):
        kind = ast.unparse(call.args[1])
        for constant in [
            part for part in ast.walk(call.args[1]) if isinstance(part, ast.Attribute)
        ]:
            number = next(value for value, key in constants.items() if key == constant.attr)
            assert len(call.args) == 3 + len(game.events.kinds[number].parts), (
                f"tell(…, {kind}, …): numbers for its parts"
            )
            told.add(number)
    for number, kind in enumerate(game.events.kinds):
        if number >= STANDARD:
            assert number in told, f"nothing tells {kind.name!r}"
            assert any(char.isdigit() for char in kind.meaning) and "-" in kind.meaning, (  # noqa: PT018
                f"{kind.name!r}: the rule's number"
            )


@every_game
def test_every_action_has_a_label_and_every_phase_a_headline(name: str) -> None:
    game = load_game(name)
    assert all(group.label is not None for group in game.action_list.declared)
    assert {*game.phases} - {"over"} == game.headlines.keys()
    for seats in game.player_counts:
        labels = [
            game.action_list.label(action, 0, seats, 0) for action in range(len(game.actions))
        ]
        assert all(label and label[0].isupper() and "{" not in label for label in labels)


# ---------------------------------------------------------------- that the checks can fail


def with_kind(game: Game, name: str, **changes: Any) -> Any:
    """Replace what a kind of event says; returns the kind as it was."""
    place = next(place for place, kind in enumerate(game.events.kinds) if kind.name == name)
    kind = game.events.kinds[place]
    game.events.kinds[place] = Kind(**{**vars(kind), **changes})
    return place, kind


@pytest.mark.parametrize(
    ("test", "kind", "changes", "message"),
    [
        (test_events_say_how_what_all_can_count_has_changed, "drew", {"changes": ()}, "draw"),
        (
            test_events_do_not_depend_on_what_a_seat_cannot_know,
            "drew",
            {"parts": (Thing("card", names=range(40)),)},
            "sees the same",
        ),
    ],
)
@needs_compiling
def test_mistakes_are_noticed(test: Any, kind: str, changes: dict[str, Any], message: str) -> None:
    game = load_game("go_dig_v0")
    place, before = with_kind(game, kind, **changes)
    try:
        with pytest.raises(AssertionError, match=message):
            test("go_dig_v0", {"num_players": 2})
    finally:
        game.events.kinds[place] = before


def test_more_events_than_there_is_room_for_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dig_envs.engine.event_log.MAX_EVENTS", 1)
    assert telling.MAX_EVENTS > 1
    env = next(positions("go_dig_v0", {}, 1, 1))
    log = EventLog(env.game, env.states)
    with pytest.raises(Exception, match="more than 1"):
        log.play(0, env.game.legal_actions(env.states, 0)[0])
