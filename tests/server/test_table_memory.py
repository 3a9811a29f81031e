"""Fossil Memory at a table with people: the log does not remember for them, and hints come from a
player that has seen what they have seen."""

from collections import OrderedDict

import numpy as np

from dig_envs.registry import load_game
from dig_envs.server.table.table import HUMAN, Table
from dig_envs.server.thinking import Advise, Think, advise

GAME = load_game("fossil_memory_v0")


def table_of(players):
    states = GAME.deal({"recall": "none"}, 5)
    return Table(GAME, GAME.to_snapshot(states[0]), players)


def flip(table, *places):
    for place in places:
        table.act(int(table.deciding[0]), place)


def told(table, viewer):
    return [(line.words[viewer], line.things[viewer]) for line in table.told(viewer, 0)]


def two_turns(table):
    """The places of a skeleton of two parts, which the two seats turn up one by one, each with
    another card after it."""
    grid = table.snapshot()["grid"]
    pair = next(
        [place for place, card in enumerate(grid) if card[:3] == genus]
        for genus in {card[:3] for card in grid}
        if sum(card[:3] == genus for card in grid) == 2
    )
    others = [
        next(place for place, card in enumerate(grid) if card[:3] == genus)
        for genus in sorted({card[:3] for card in grid} - {grid[pair[0]][:3]})
    ]
    flip(table, others[0], pair[0], others[1], pair[1])
    return pair


def hint(table):
    states, (first, moves) = table.world(0), table.course()
    think = Think(GAME, GAME.player_for_people, states.tobytes(), 0)
    task = Advise(think, 1, table.names, first=first.tobytes(), moves=moves)
    return advise(task, OrderedDict())[0].action


def test_with_people_the_log_does_not_keep_where_a_card_is():
    table = table_of([HUMAN, "random"])
    two_turns(table)
    for viewer in (0, None):
        lines = [one for one in told(table, viewer) if "up" in one[0]]
        assert len(lines) == 4
        assert not any(" row " in words or things for words, things in lines)
    watched = table_of(["random", "random"])
    two_turns(watched)
    assert sum(" row " in words and things != () for words, things in told(watched, None)) == 4


def test_a_hint_remembers_what_the_seat_was_shown():
    """Also the card that ended its own turn, which no position shows when it decides again."""
    table = table_of([HUMAN, "random"])
    pair = two_turns(table)
    assert table.deciding == [0]
    assert hint(table) in pair
    first = hint(table)
    flip(table, first)
    assert {first, hint(table)} == {*pair}
    assert np.count_nonzero(table.world(0)["seen"]) == 0  # it was not the position that knew
