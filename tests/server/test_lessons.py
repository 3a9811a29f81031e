"""Guided first games: each leads through its own game, and is left and found again."""

import msgspec
import pytest

from dig_envs.engine.snapshots.positions import save_position
from dig_envs.registry import load_game
from dig_envs.server.table.table import HUMAN, Table
from dig_envs.text.lessons import BEGINNER, lesson_of
from tests.games import NEWEST

FEWEST, MOST = 6, 12  # decisions of the beginner
LONGEST = 200  # characters that are said about one


def lesson_table(game):
    return Table(game, lesson_of(game).start, [HUMAN, "easy"])


def lead(table):
    """Play all of a lesson, the opponent's moves first as the server does, which thinks for itself
    afterwards; yields what is said."""
    while True:
        other = next((seat for seat in table.to_act() if seat != BEGINNER), None)
        if other is not None:
            move = table.lesson_move(other)
            table.act(other, table.legal(other)[0] if move is None else move)
            continue
        said = table.coach(BEGINNER)
        yield said
        if said["action"] is None:
            return
        table.act(BEGINNER, said["action"])


@pytest.mark.parametrize("name", NEWEST)
def test_a_lesson_leads_through_its_game(name):
    game = load_game(name)
    table, lesson = lesson_table(game), lesson_of(game)
    said = list(lead(table))
    assert [one["step"] for one in said[:-1]] == list(range(1, len(said)))
    assert FEWEST <= len(said) - 1 <= MOST
    assert said[-1]["words"] == lesson.end
    for one in said:
        assert 0 < len(one["words"]) <= LONGEST, one["words"]
    for seat, moves in enumerate(lesson.moves):
        played = [move.action for move in table.moves if move.seat == seat]
        assert played[: len(moves)] == list(moves), "a move is never played"


def test_a_lesson_is_left_and_found_again():
    """Who goes another way is told nothing more, and the opponent thinks by itself; taking it back
    leads on. Others at the table are told nothing."""
    game = load_game("fossil_memory_v0")
    table = lesson_table(game)
    before = table.coach(BEGINNER)
    table.act(BEGINNER, next(a for a in table.legal(BEGINNER) if a != before["action"]))
    assert table.coach(BEGINNER) is None
    table.take_back(BEGINNER)
    assert table.coach(BEGINNER) == before
    assert table.coach(None) is None
    *_, end = lead(table)
    table.act(BEGINNER, table.legal(BEGINNER)[0])
    assert end["action"] is None
    assert table.coach(BEGINNER) is None
    assert table.lesson_move(1) is None


def test_other_games_are_no_lessons():
    game = load_game("fossil_memory_v0")
    start = lesson_of(game).start
    assert Table(game, start, [HUMAN, HUMAN]).lesson is None
    other = save_position(game, game.deal(lesson_of(game).options, lesson_of(game).seed + 1))
    assert Table(game, other, [HUMAN, "easy"]).lesson is None
    read = msgspec.json.decode(msgspec.json.encode(start))  # as it comes out of the store
    assert Table(game, read, [HUMAN, "easy"]).lesson is lesson_of(game)
