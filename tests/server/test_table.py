"""One game at a table: what is played, what is seen, what may be taken back."""

import json
from itertools import groupby

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.commands.terminal import Console, Match, Narrator
from dig_envs.engine.core.errors import IllegalActionError
from dig_envs.engine.event_log import EventLog
from dig_envs.games.diggity.components import CARD_NAMES, CODES
from dig_envs.registry import list_environments, load_game
from dig_envs.server.bounds import TableError
from dig_envs.server.course import EVERY, Moment
from dig_envs.server.table.table import HUMAN, Table
from dig_envs.server.thinking import Think, position, replay, told
from dig_envs.text.sentences import UNTOLD, line_for_people
from dig_envs.text.telling import redealt, view_of
from tests.server.tables import (
    SHORT,
    at_once,
    connected,
    play_on,
    played,
    position_of,
    scripted,
    session_of,
    table_of,
)

every_game = pytest.mark.parametrize("name", list_environments())
# something may be
TAKEN_BACK = (
    "cretaceous_creek_v0",
    "fossil_canyon_v0",
    "oak_island_v0",
    "oak_island_v1",
    "dino_dig_v0",
    "diggity_v0",
)
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
def test_an_agent_that_takes_events_is_told_what_its_seat_was_told_since_its_last_decision(name):
    """An agent that takes events is told those since its seat's last decision, without choices of
    others that are not carried out yet.
    """
    table, told_something, rng = table_of(name), 0, np.random.default_rng(2)
    for number, seat in enumerate(play_on(table, 2 * EVERY + 20, rng)):
        if number % 3:
            continue
        before, played = table.since(seat)
        task = Think(
            table.game,
            "llm:any",
            table.world(seat).tobytes(),
            seat,
            before=before.tobytes(),
            played=played,
        )
        log = EventLog(table.game, table._first)
        for one, action in (
            *table._in_order(),
            *((seat, action) for action in table._course.now.choices.get(seat, [])),
        ):
            log.play(one, action)
        assert [str(event) for event in told(task)] == [str(event) for event in log.since(seat)]
        told_something += bool(log.since(seat))
    assert told_something > 1


def test_nobody_plays_for_another():
    table = table_of("go_dig_v0")
    (mover,) = table.deciding
    other = 1 - mover
    before = table.snapshot()
    with pytest.raises(TableError, match=f"it is not your turn; to decide: Player {mover + 1}"):
        table.act(other, table.legal(mover)[0])
    for action in (-1, 10_000):
        with pytest.raises(IllegalActionError):
            table.act(mover, action)
    for action in (None, "0", True, 1.0):
        with pytest.raises(TableError, match="an action must be an integer"):
            table.act(mover, action)
    assert table.snapshot() == before
    assert not table.moves
    assert table.legal(other) == []


def test_a_finished_game_takes_no_move():
    table = played(table_of("twenty_questions_v0"), 10_000)
    with pytest.raises(TableError, match="the game is over"):
        table.act(0, 0)


# ---------------------------------------------------------------- decisions that are made together


def all_told(session, connection):
    """Everything that a connection is or would be told now."""
    told = (
        json.dumps(position_of(session, connection)),
        len(session.table.lines),
        list(connection.messages),
    )
    return *told, connection.stale, connection.wake.is_set()


@pytest.mark.parametrize("name", TOGETHER)
def test_a_choice_shows_nothing_before_all_have_chosen(name):
    """Neither what was chosen nor that anything was, to other seats or to the public, wherever in
    the game it is; nor that it was taken back."""
    table, order, checked = table_of(name), np.random.default_rng(3), 0
    session = session_of(table)
    connections = {viewer: connected(session, viewer) for viewer in table.viewers}
    for seat in play_on(table, 400, order):
        if not table.together or len(table.to_act()) < 2 or checked > 60:
            continue
        others = [connection for viewer, connection in connections.items() if viewer != seat]
        for connection in connections.values():
            at_once(session.due(connection))
            connection.wake.clear()
        before, own = [all_told(session, connection) for connection in others], table.view(seat)
        moves = len(table.moves)
        session._act(connections[seat], scripted(table, seat), table.version(seat))
        if table.carried_out == len(table.moves):
            break
        assert [all_told(session, connection) for connection in others] == before
        assert connections[seat].stale
        at_once(session._back(connections[seat]))
        assert [all_told(session, connection) for connection in others] == before
        assert table.view(seat) == own
        assert len(table.moves) == moves
        checked += 1
    assert checked


@every_game
def test_the_log_has_what_each_is_told(name):
    """The lines of a viewer are the events that it is told, of the game as it was carried out."""
    table = played(table_of(name), 40)
    log = EventLog(table.game, table.game.from_snapshot(table.start))
    ends = sorted({line.moves for line in table.lines})
    # of one decision; in seat order, whoever was first to choose
    for first, last in zip([0, *ends], ends, strict=False):
        for move in sorted(table.moves[first:last], key=lambda move: move.seat):
            log.play(move.seat, move.action)
    for viewer in table.viewers:
        heard = [event for event in log.told(viewer) if event.kind.name not in UNTOLD]
        told = [line_for_people(table.game, event) or str(event) for event in heard]
        assert [line.words[viewer] for line in table.lines if viewer in line.words] == told


# ---------------------------------------------------------------- what is seen


def replayed(table, moves, viewer):
    """What a viewer could see after so many moves of a finished game, and the last in words."""
    found = replay(table.replay(moves, viewer))
    return view_of(table.game, position(table.game, found.state), viewer), found.done


@every_game
def test_a_replay_is_for_finished_games(name):
    table = played(table_of(name), 5)
    with pytest.raises(TableError, match="when it is over"):
        table.replay(0, None)
    played(table, 10_000)
    assert replayed(table, 0, 0) == (table.game.to_view(table.start, 0), "")
    assert replayed(table, len(table.moves), 0)[0] == table.view(0)
    first = table.moves[0]
    assert replayed(table, 1, None)[1].endswith(
        table.game.label(table.start, first.action, first.seat)
    )
    for number in (-1, len(table.moves) + 1):
        with pytest.raises(TableError, match="moves"):
            table.replay(number, 0)


def test_actions_name_what_the_seat_sees():
    """A card of the own hand by what is on it, as it is called in the hand; in the list of actions
    by its place."""
    table = table_of("diggity_v0")
    hand = table.view(0)["hands"][0]
    names = [f"Pick a {CARD_NAMES[CODES.index(code)]}" for code in hand]
    assert [table.label(0, action) for action in table.legal(0)] == names
    table.act(0, table.legal(0)[1])
    assert not any(
        "hand" in table.label(seat, action)
        for seat in table.deciding
        for action in table.legal(seat)
    )


@every_game
def test_scores_have_names(name):
    """Each kind of event that changes scores says for what, as the table of scores at the end calls
    it."""
    kinds = [
        kind
        for kind in load_game(name).events.kinds
        if any(what == "scores" for what, *_ in kind.changes)
    ]
    assert kinds
    assert all(kind.scored and kind.scored != kind.name for kind in kinds)


@every_game
def test_nothing_is_played_again_from_the_beginning(name, monkeypatch):
    """A replay shows what a new table with the moves before does, and plays only a few of them; so
    does taking back."""
    table = played(table_of(name), 10_000, np.random.default_rng(5))
    few, count, play = 2 * EVERY * table.num_seats, [0], Moment.play
    monkeypatch.setattr(Moment, "play", lambda *move: (count.append(0), play(*move)))
    for moves in {
        0,
        1,
        len(table.moves),
        *range(EVERY - 1, len(table.moves), max(7, len(table.moves) // 6)),
    }:
        other = Table(table.game, table.start, table.players, table.moves[:moves])
        for viewer in (None, moves % table.num_seats):
            count.clear()
            assert replayed(table, moves, viewer)[0] == other.view(viewer)
            assert len(count) <= few
    alone = Table(
        table.game, table.start, [HUMAN] + ["random"] * (table.num_seats - 1), table.moves
    )
    while alone.may_take_back(0):
        left = len(alone.moves)
        count.clear()
        dropped = alone.take_back(0)
        assert len(count) <= few
        assert len(alone.moves) < left
        assert dropped.moves[0].seat == 0
    assert alone.snapshot() == Table(table.game, table.start, table.players, alone.moves).snapshot()
    assert not any(move.seat == 0 for move in alone.moves)


def test_what_was_taken_back_can_be_restored():
    """Moves, lines and position are as they were, as after a write that failed."""
    table = played(table_of("dino_dig_v0", [HUMAN, "heuristic"]), 150)
    for _ in range(5):
        before = (
            table.snapshot(),
            list(table.moves),
            list(table.lines),
            [table.told(0, 0), table.told(None, 0)],
            table.version(0),
        )
        table.restore(table.take_back(0))
        after = (
            table.snapshot(),
            table.moves,
            table.lines,
            [table.told(0, 0), table.told(None, 0)],
            table.version(0),
        )
        assert after == before
        table.take_back(0)


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


@pytest.mark.parametrize("name", ["go_dig_v0", "fossil_memory_v0", "twenty_questions_v0"])
def test_nobody_takes_back_what_showed_something(name):
    """A question is answered at once, a card is turned up: that cannot be undone where other people
    play."""
    table = table_of(name)
    seat = next(play_on(table, 12))
    table.act(seat, scripted(table, seat))
    assert not table.over
    assert not table.may_take_back(seat), table.lines[-1]


def test_a_mistake_is_taken_back_before_others_have_moved():
    """A move on the board, without chance, and only by the player that made it, as long as nobody
    else has moved."""
    table = table_of("oak_island_v0")
    (seat,) = table.deciding
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
    assert allowed or name not in TAKEN_BACK


class Kept:
    """In the place of a film: the captions of its pictures."""

    def __init__(self):
        self.captions = []

    def add(self, sheet, words):
        self.captions.append(sheet.things["caption"])


@pytest.mark.parametrize("name", ["go_dig_v0", "the_big_dig_v0"])
def test_captions_of_a_film_are_the_lines_of_the_log(name, monkeypatch):
    """A picture of which nothing is told, such as that of a secret choice, keeps the caption
    before."""
    match, film, played = (
        Match(load_game(name), "heuristic,heuristic", SHORT[name], seed=4),
        Kept(),
        [],
    )
    table, step = Table(match.game, match.env.snapshot(), match.players), match.env.step
    monkeypatch.setattr(
        match.env, "step", lambda action: (played.append((match.seat, action)), step(action))
    )
    Narrator(match, Console(), "never", film=film).tell()
    for seat, action in played:
        table.act(seat, action)
    public = [line for line in table.lines if None in line.words]
    log = [
        film.captions[0],
        *(
            f"{line.turn} · {line.words[None]}" if line.turn else line.words[None]
            for line in public
        ),
    ]
    assert " ".join(caption for caption, _ in groupby(film.captions)) == " ".join(log)
    assert len(log) > 9
