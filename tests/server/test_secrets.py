"""Nobody is told more than its view: advice, searches, saves, the log, pictures, words, and public
tables are the same in positions that a viewer cannot tell apart."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from dig_envs.registry import list_environments, load_game
from dig_envs.server.table.lobby import FreeSeats, Lobby
from dig_envs.server.table.messages import log_messages
from dig_envs.server.table.table import Table
from dig_envs.server.thinking import Advise, Think, advise
from dig_envs.text.telling import redealt
from tests.server.tables import (
    at_once,
    connected,
    play_on,
    position_of,
    scripted,
    session_of,
    table_of,
)

every_game = pytest.mark.parametrize("name", list_environments())
TOGETHER = [name for name in list_environments() if load_game(name).is_simultaneous]
AGENTS = ("heuristic", "search:sims=40:seed=3", "search:sims=40:root=gumbel:seed=3")


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    for name, value in (("ACTIONS", 500), ("FIRST_ACTIONS", 300), ("DEALS_OF_REASONS", 4)):
        monkeypatch.setattr(f"dig_envs.agents.advice.{name}", value)


def twins_of(table, viewer, seed):
    """Two tables in positions that differ in what a viewer cannot know (None: the public, which
    knows less than any seat)."""
    states = table.world(viewer) if viewer is not None else table.sight(None)
    other = states
    for seat in range(table.num_seats) if viewer is None else [viewer]:
        other = redealt(table.game, other, seat, seed)
    pair = [
        Table(table.game, table.game.to_snapshot(world[0]), table.players)
        for world in (states, other)
    ]
    return pair, pair[0].snapshot() != pair[1].snapshot()


def advice(table, seat, agent):
    """Return an agent's advice on a decision at the table's server."""
    question = Think(table.game, agent, table.world(seat).tobytes(), seat)
    return advise(Advise(question, 3), {})


def told(table, viewer, theme="light"):
    """Everything that a viewer can get out of a table."""
    session = session_of(table)
    connection = connected(session, viewer, theme)
    position = position_of(session, connection)
    del position["game"]  # drawn at random for each table
    at_once(session.handle(connection, {"type": "save"}))
    saved = connection.messages.pop()
    assert saved["type"] == "saved"
    # what is said of things under the mouse
    titles = re.findall("<title>.*?</title>", position["picture"])
    log = log_messages(table, viewer, 0)  # with the things that are lit up, marked and moved
    connection.layout = "column"
    narrow = position_of(session, connection)["picture"]
    said = {"position": position, "saved": saved["position"], "titles": titles, "narrow": narrow}
    return {**said, "log": log, "lobby": listed(session)}


def listed(session):
    """Return what the start page says of a table while it is public."""
    table = session.table
    free = FreeSeats(
        table.game.env_name, table.game.title, table.players, set(table.people[1:]), 0.0
    )
    return Lobby.public(SimpleNamespace(_free={"one": free}, _sessions={"one": session}))


def check_twins(name, moves, every):
    """Compare all that is told in twin positions of a game; returns how many pairs there were that
    differ in something hidden."""
    table, count = table_of(name), 0
    for number, _ in enumerate(play_on(table, moves)):
        if number % every or table.carried_out < len(table.moves):
            continue
        for viewer in table.viewers:
            (first, second), different = twins_of(table, viewer, number)
            count += different
            one, other = told(first, viewer), told(second, viewer)
            assert one == other, (name, number, viewer)
            if viewer is not None and one["position"]["legal"]:
                for agent in AGENTS:
                    assert advice(first, viewer, agent) == advice(second, viewer, agent), (
                        name,
                        number,
                        viewer,
                        agent,
                    )
                action = scripted(first, viewer)
                for pair in (first, second):
                    pair.act(viewer, action)
                # it has shown nothing: so nothing else has happened for this viewer
                if first.view(viewer) == second.view(viewer):
                    assert told(first, viewer) == told(second, viewer), (name, number, viewer)
    return count


@every_game
def test_nothing_hidden_is_told(name):
    assert check_twins(name, 41, 20) or name == "cretaceous_creek_v0"


@pytest.mark.slow
@every_game
def test_nothing_hidden_is_told_in_whole_games(name):
    assert check_twins(name, 10_000, 7) or name == "cretaceous_creek_v0"


@pytest.mark.parametrize("name", TOGETHER)
def test_taking_back_does_not_tell_whether_others_have_chosen(name):
    """Whatever a seat may take back, the choices of others in a decision that is made together
    change nothing in that."""
    for seed in range(3):
        table, order = table_of(name, seed=seed), np.random.default_rng(seed)
        for seat in play_on(table, 300, order):
            if not table.together or len(table.to_act()) < 2:
                continue
            others = [other for other in range(table.num_seats) if other != seat]
            before = [(table.may_take_back(other), table.version(other)) for other in others]
            trial = Table(table.game, table.start, table.players, table.moves)
            trial.act(seat, scripted(trial, seat))
            if trial.carried_out < len(trial.moves):
                assert [
                    (trial.may_take_back(other), trial.version(other)) for other in others
                ] == before
