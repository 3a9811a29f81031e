"""Events as lines of text, and back."""

import json

import numpy as np
import pytest

from dig_envs.engine.core.events import Event, Events, Number
from dig_envs.engine.core.lines import event_line, read_line
from dig_envs.engine.core.said import read_said
from dig_envs.registry import load_game
from tests.engine.test_events import followed_games
from tests.games import every_game


def told(name):
    """Events as each seat is told them, one of each kind and knowledge."""
    seen = set()
    for env, log, _ in followed_games(name, {}):
        for seat in range(env.num_seats):
            for event in log.told(seat, max(0, len(log) - 8)):
                key = event.kind.name, event.knows, event.seat == seat
                if key not in seen:
                    seen.add(key)
                    yield env.game, env.num_seats, seat, event


def as_json(event):
    shown = {key: value for key, value in event.to_json().items() if key != "text"}
    return json.loads(json.dumps(shown))


@every_game
def test_the_short_form_says_all(name):
    count = 0
    for game, seats, seat, event in told(name):
        line = event_line(as_json(event), game.events)
        found = read_line(line, game.events, seat, seats)
        (said,) = read_said(game.events, game.action_index, seats, [found])
        assert not said.differs(event), line
        assert event_line(said.to_json(), game.events) == line
        count += 1
    assert count > 4


@every_game
def test_sentences_of_the_log_are_read(name):
    """All of them, in capitals and without the last mark; what a sentence says is understood."""
    count = 0
    for game, seats, seat, event in told(name):
        text = event.text()
        found = read_line(text.upper().rstrip(".!"), game.events, seat, seats)
        (said,) = read_said(game.events, game.action_index, seats, [found])
        assert said.kind is event.kind, (text, found)
        assert not said.differs(event), (text, found)
        count += 1
    assert count > 4


def test_a_sentence_says_its_cards_and_numbers():
    for name, line, values in (
        (
            "oak_island_v0",
            "Player 2 digs at the lots and pulls 1 Bobby Dazzler",
            {"seat": 1, "place": "lots", "red": 1, "brown": 0, "cost": 0},
        ),
        (
            "cretaceous_creek_v0",
            "Event cards from the erosion deck: B3 and no erosion.",
            {"first": "B3", "second": "none", "third": None},
        ),
        (
            "dino_dig_v0",
            "You declare a skeleton of 2 cards: 9 of diamonds, joker 1 as 10.",
            {"seat": 0, "points": 2, "high": 10, "red": ["9D"], "black": ["X1"]},
        ),
        ("go_dig_v0", "you draw allosaurus part 1", {"seat": 0, "card": "ALL1"}),
    ):
        found = read_line(line, load_game(name).events, 0, 3)
        assert values.items() <= found.items(), (line, found)


def test_a_sentence_of_two_kinds_is_refused_with_both():
    events = Events()
    for name in ("found", "lost"):
        events.add(name, "Meaning.", "{seat} {move|moves} a card.", [Number("count")])
    with pytest.raises(ValueError, match=r"may be found 2 \? or lost 2 \?: type one"):
        read_line("Player 2 moves a card.", events, 0, 3)


def test_what_is_no_event_is_refused():
    game = load_game("go_dig_v0")
    for line, words in (
        ("", "type a sentence of the log"),
        ("Player 2 asks Player 3 for a bone.", "such as 'skipped SEAT'"),
        ("asked", "must be asked SEAT OTHER GENUS"),
        ("asked 0x 2 TRI", "is not a seat; seats are 1 to 3"),
        ("asked 1 2 TRI 4", "must be asked SEAT OTHER GENUS"),
        ("asked 1 2 'TRI", "no closing quotation"),
        ("built 1 TRI many 3", "points: 'many' is not an integer"),
        ("action 1", "must be action SEAT"),
        ("x" * 2000, "at most 1000 characters"),
    ):
        with pytest.raises(ValueError, match=words):
            read_line(line, game.events, 0, 3)
    with pytest.raises(TypeError, match="a line of text"):
        read_line(3, game.events, 0, 3)


def test_hostile_lines_are_refused():
    game, rng = load_game("go_dig_v0"), np.random.default_rng(0)
    for _ in range(300):
        line = "".join(map(chr, rng.integers(0, 0x2FF, rng.integers(0, 60))))
        with pytest.raises(ValueError, match="event"):
            read_line(line, game.events, 0, 3)


def test_the_end_of_a_game_is_read_with_its_reason():
    game = load_game("fossil_canyon_v0")
    line = "The game is over. Nobody got a skeleton or an award for 2 rounds. You won."
    found = read_line(line, game.events, 1, 3)
    assert (found["kind"], found["winners"], found["limit"]) == ("over", [1], False)
    assert "reason" not in found


def test_a_sentence_that_leaves_values_open_is_compared_as_it_stands():
    """From the hidden hand or not: the number of fossils is not said, but only one action fits."""
    game = load_game("fossil_canyon_v0")
    line = "Player 1 gives Player 2 Tyrannosaurus part 4"
    said = {}
    for end in (".", " from the hidden hand."):
        found = read_line(line + end, game.events, 2, 3)
        (said[end],) = read_said(game.events, game.action_index, 3, [found])
    values = {"other": 1, "fossil": "TYR4"}
    for hidden in (0, 1):
        event = Event(
            game.events.kind("gave"),
            0,
            {**values, "hidden": hidden, "face_up": 1 - hidden},
            2,
            True,
        )
        assert bool(said["."].differs(event)) == bool(hidden)
        assert bool(said[" from the hidden hand."].differs(event)) != bool(hidden)
    with pytest.raises(TypeError, match="event 1: sentence must be a text"):
        read_said(game.events, game.action_index, 3, [{"kind": "gave", "sentence": 3}])
