"""One game at a table: what is played, what is seen, what may be taken back."""

import json

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.errors import IllegalActionError
from dig_envs.registry import list_environments, load_game
from dig_envs.server.bounds import TableError
from dig_envs.server.table import HUMAN, SECRET, Table
from dig_envs.telling import redealt, words_told
from tests.server.tables import at_once, guest_of, play_on, played, position_of, room_of, scripted, table_of

every_game = pytest.mark.parametrize("name", list_environments())
TOGETHER = [name for name in list_environments() if load_game(name).is_simultaneous]


@every_game
def test_a_table_plays_as_the_environment_does(name):
    """The same actions lead to the same end, whoever of several chooses first."""
    table = table_of(name)
    env = RawAEC(name, num_players=table.num_seats)
    env.restore(table.start)
    chosen = {seat: [] for seat in range(table.num_seats)}
    for seat in play_on(table, 10_000, np.random.default_rng(1)):
        chosen[seat].append(scripted(table, seat))
    while not env.states["over"][0]:
        env.step(chosen[env.seat_of(env.agent_selection)].pop(0))
    assert table.over
    assert table.snapshot() == env.snapshot()
    assert "The game is over" in table.result()


@every_game
def test_moves_lead_to_the_same_position_again(name):
    table = played(table_of(name), 30, np.random.default_rng(2))
    again = Table(table.game, json.loads(json.dumps(table.start)), table.players, table.moves, table.lines)
    assert again.snapshot() == table.snapshot()
    assert [again.view(watcher) for watcher in table.watchers] == [table.view(watcher) for watcher in table.watchers]
    assert again.lines == table.lines


def test_nobody_plays_for_another():
    table = table_of("go_dig_v0")
    (mover,) = table.asked
    other = 1 - mover
    before = table.snapshot()
    with pytest.raises(TableError, match=f"it is not your turn: player_{mover} decides"):
        table.act(other, table.legal(mover)[0])
    for action in (-1, 10_000, None, "0", True, 1.0):
        with pytest.raises(IllegalActionError):
            table.act(mover, action)
    assert table.snapshot() == before
    assert not table.moves
    assert table.legal(other) == []


def test_a_finished_game_takes_no_move():
    table = played(table_of("twenty_questions_v0"), 10_000)
    with pytest.raises(TableError, match="the game is over"):
        table.act(0, 0)


# ---------------------------------------------------------------- decisions that are made together


def shown(room, guest):
    """Everything that a guest is or would be told now."""
    return json.dumps(position_of(room, guest)), len(room.table.lines), list(guest.notes), guest.stale, guest.wake.is_set()


@pytest.mark.parametrize("name", TOGETHER)
def test_a_choice_shows_nothing_before_all_have_chosen(name):
    """Neither what was chosen nor that anything was, to other seats or to the public, wherever in the game it is; nor that it was
    taken back."""
    table, order, checked = table_of(name), np.random.default_rng(3), 0
    room = room_of(table)
    guests = {watcher: guest_of(room, watcher) for watcher in table.watchers}
    for seat in play_on(table, 400, order):
        if not table.together or len(table.owing()) < 2 or checked > 60:
            continue
        others = [guest for watcher, guest in guests.items() if watcher != seat]
        for guest in guests.values():
            at_once(room.due(guest))
            guest.wake.clear()
        before, own = [shown(room, guest) for guest in others], table.view(seat)
        moves = len(table.moves)
        room._act(guests[seat], {"action": scripted(table, seat), "at": table.version(seat)})
        if table.carried_out == len(table.moves):
            break
        assert [shown(room, guest) for guest in others] == before
        assert guests[seat].stale
        room._back(guests[seat], {})
        assert [shown(room, guest) for guest in others] == before
        assert table.view(seat) == own
        assert len(table.moves) == moves
        checked += 1
    assert checked > 2


@pytest.mark.parametrize("name", TOGETHER)
def test_secret_choices_are_not_told_afterwards(name):
    table = table_of(name)
    for _ in play_on(table, 40):
        pass
    texts = {text for line in table.lines for watcher, text in line.words.items() if watcher != line.seat}
    assert (SECRET in texts) == bool(table.game.secrets)
    assert {text for text in texts if text.startswith(table.game.secrets)} <= {f"{secret} …" for secret in table.game.secrets}
    own = [text for line in table.lines for watcher, text in line.words.items() if watcher == line.seat]
    assert own
    assert any(text.startswith(table.game.secrets) for text in own) == bool(table.game.secrets)


# ---------------------------------------------------------------- what is seen


@every_game
def test_what_a_guest_is_told_depends_on_what_it_may_know_only(name):
    """In positions that a seat cannot tell apart, it is told the same to the letter: picture, text, actions, everything."""
    table, told = table_of(name), 0
    for number, seat in enumerate(play_on(table, 37)):
        if number % 9 or table.carried_out < len(table.moves):
            continue
        for watcher in range(table.num_seats):
            other = redealt(table.game, table.world(watcher), watcher, number)
            twin = Table(table.game, table.game.to_snapshot(other[0]), table.players)
            first = Table(table.game, table.game.to_snapshot(table.world(watcher)[0]), table.players)
            messages = []
            for one in (first, twin):
                room = room_of(one)
                guest = guest_of(room, watcher, "light")
                messages.append(position_of(room, guest))
            assert messages[0] == messages[1]
            told += twin.snapshot() != first.snapshot()
        assert seat in table.owing()
    assert told > 3


@pytest.mark.parametrize(
    ("name", "action", "told"),
    [
        ("fossil_canyon_v0", "hide TYR1", "hide …"),
        ("fossil_canyon_v0", "dig buried", "dig buried"),
        ("diggity_v0", "card 3", "card …"),
        ("dino_dig_v0", "suit H", "suit …"),
        ("the_big_dig_v0", "single", "single"),
        ("the_big_dig_v0", "input 1-1-A", "input …"),
        ("the_big_dig_v0", "put 1-1-A", "put 1-1-A"),
        ("go_dig_v0", "ask +1 TYR", "ask +1 TYR"),
    ],
)
def test_words_for_others(name, action, told):
    game = load_game(name)
    assert words_told(game, game.action_index[action]) == told


def test_only_the_first_word_of_a_game_that_does_not_say_what_is_secret():
    from dataclasses import replace

    game = replace(load_game("go_dig_v0"), secrets=None)
    assert words_told(game, game.action_index["ask +1 TYR"]) == "ask …"


@every_game
def test_a_replay_is_for_finished_games(name):
    table = played(table_of(name), 5)
    with pytest.raises(TableError, match="when it is over"):
        table.replay(0, None)
    played(table, 10_000)
    views = [table.replay(number, 0)[0] for number in (0, len(table.moves))]
    assert views[0] == table.game.to_view(table.start, 0)
    assert views[1] == table.view(0)
    assert len(table.replay(1, None)[1]) == len(table.moves)
    for number in (-1, len(table.moves) + 1):
        with pytest.raises(TableError, match="moves"):
            table.replay(number, 0)


# ---------------------------------------------------------------- taking back


def test_who_plays_alone_goes_back_to_the_last_decision():
    table = table_of("go_dig_v0", [HUMAN, "heuristic"])
    assert not table.may_take_back(0)
    positions = []
    for seat in play_on(table, 40):
        if seat == 0:
            positions.append(table.snapshot())
    while positions:
        assert table.may_take_back(0)
        table.take_back(0)
        assert table.snapshot() == positions.pop()
    assert not table.may_take_back(0)
    assert table.moves == [move for move in table.moves if move.seat == 1]
    with pytest.raises(TableError, match="take nothing back"):
        table.take_back(0)


def test_nobody_takes_back_what_showed_something():
    """A question is answered at once, a card is turned up: that cannot be undone where other people play."""
    for name in ("go_dig_v0", "fossil_memory_v0", "twenty_questions_v0"):
        table = table_of(name)
        for seat in play_on(table, 12):
            table.act(seat, scripted(table, seat))
            assert not table.over
            assert not table.may_take_back(seat), (name, table.lines[-1])
            break


def test_a_mistake_is_taken_back_before_others_have_moved():
    """A move on the board, without chance, and only by who made it, as long as nobody else has moved."""
    table = table_of("oak_island_v0")
    (seat,) = table.asked
    before, other = table.snapshot(), 1 - seat
    move = next(a for a in table.legal(seat) if table.game.actions[a].startswith("move"))
    table.act(seat, move)
    assert table.may_take_back(seat)
    assert not table.may_take_back(other)
    with pytest.raises(TableError):
        table.take_back(other)
    table.take_back(seat)
    assert table.snapshot() == before
    assert not table.lines
    table.act(seat, move)
    for mover in play_on(table, 20):
        if mover == other:
            table.act(other, scripted(table, other))
            break
    assert not table.may_take_back(seat)


@every_game
def test_what_may_be_taken_back_showed_nothing_new(name):
    """However the hidden cards lie, the same action would have led to the same view."""
    table, allowed = table_of(name), 0
    for number, seat in enumerate(play_on(table, 60)):
        if table.together:
            continue
        before, action = table.world(seat), scripted(table, seat)
        trial = Table(table.game, table.start, table.players, table.moves)
        trial.act(seat, action)
        if trial.over or not trial.may_take_back(seat):
            continue
        allowed += 1
        for deal in range(1000, 1005):
            other = redealt(table.game, before, seat, deal + number)
            table.game.kernels.apply_one(other, seat, action)
            seen = table.game.to_view(table.game.to_snapshot(other[0]), seat)
            assert seen == trial.view(seat)
    assert allowed or name in ("go_dig_v0", "fossil_memory_v0", "twenty_questions_v0", "the_big_dig_v0", "bone_bids_v0")
