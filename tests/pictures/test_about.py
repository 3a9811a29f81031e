"""Which things of a picture an event is about: things that are there, for whoever is told of it,
and nothing hidden. And what people see and hear then."""

import re
from importlib.resources import files

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.event_log import ALL, EventLog
from dig_envs.pictures import about, joy
from dig_envs.pictures.drawing import sheet_of
from dig_envs.registry import list_environments
from dig_envs.text.telling import view_of
from tests.games import mostly_heuristic, play

ACTIONS = 60
NEVER_ALONE = {"turn", "chose", "over"}  # kinds of events that no picture has a thing for


PAGE = (files("dig_envs.server") / "page" / "joy.js").read_text(encoding="utf-8")
SOUNDS = {*re.findall(r"^  (\w+): \[\[", PAGE, re.MULTILINE)}  # what the page can show or play


def things(game, states, viewer):
    """The names of all things in the picture of a viewer."""
    return set(
        sheet_of(game, view_of(game, states, viewer), None if viewer == ALL else viewer).things
    )


@pytest.mark.parametrize("name", list_environments())
def test_events_are_about_things_in_the_picture(name):
    """Things that an event names are in the picture before or after the action, for each viewer;
    nothing hidden is named."""
    env = RawAEC(name)
    env.reset(seed=8)
    log, found, missed = EventLog(env.game, env.states), 0, []
    for number, action in enumerate(play(env, np.random.default_rng(8), mostly_heuristic, ACTIONS)):
        seat = env.seat_of(env.agent_selection)
        viewers = [(seat + number) % env.num_seats, None, ALL][number % 3 :][:1]
        before = {viewer: things(env.game, log.states, viewer) for viewer in viewers}
        events = len(log.rows(viewers))
        log.play(seat, action)
        after = {viewer: things(env.game, log.states, viewer) for viewer in viewers}
        for row in log.rows(viewers)[events:]:
            for viewer, event in row.items():
                names = about(env.game, event)
                assert joy(env.game, event).partition(":")[0] in SOUNDS | {""}
                assert "None" not in " ".join(names), (event.kind.name, names)
                there = set(names) & (before[viewer] | after[viewer])
                found += len(there)
                if names and not there and event.kind.name not in NEVER_ALONE:
                    missed.append((event.kind.name, names))
    assert {*getattr(env.game.painter, "JOYS", {})} <= {kind.name for kind in env.game.events.kinds}
    assert 10 * len(missed) <= found, missed
    assert found > 20
