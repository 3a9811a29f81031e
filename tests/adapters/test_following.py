"""A seat that is told events alone has the view of the true game after each action."""

import copy
import json
import pickle
from itertools import groupby

import numpy as np
import pytest

import dig_envs
from dig_envs import SnapshotError
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.seat import Seat, opening_of
from dig_envs.engine.core.errors import EventError
from dig_envs.engine.event_log import EventLog
from dig_envs.registry import list_environments, load_game
from tests.games import every_game, mostly_heuristic, needs_compiling, play, random_choice, slow_but

MOST = 20  # actions of each game
LONG = 400


def told_of(log, seat, first):
    """What a seat is told, as another program sends it; odd seats in another order."""
    told = mixed(log, seat, first) if seat % 2 else log.told(seat, first)
    events = [event.to_json() for event in told]
    for event in events:
        del event["text"]
    return json.loads(json.dumps(events))


def followed(name, options, seed, most):
    """After each action of a game: the environment, its seats, and what each was told."""
    env = RawAEC(name, **options)
    env.reset(seed=seed)
    seats = [Seat(env.view(agent), p) for p, agent in enumerate(env.possible_agents)]
    log, rng = EventLog(env.game, env.states), np.random.default_rng(seed)
    for action in play(env, rng, random_choice if seed % 2 else mostly_heuristic, most):
        first = len(log)
        log.play(int(log.states["to_move"][0]), action)
        yield env, log, seats, [told_of(log, seat.seat, first) for seat in seats]


def mixed(log, seat, first):
    """What a seat is told, in another order as far as people see it at the same time."""
    runs = groupby(log.told(seat, first), lambda event: event.kind.together)
    return [event for together, run in runs for event in list(run)[:: -1 if together else 1]]


def check_views(name, options, seed, most):
    for env, log, seats, told in followed(name, options, seed, most):
        snapshot = env.game.to_snapshot(log.states[0])
        for seat, events in zip(seats, told, strict=True):
            seat.told(events)
            view = json.loads(json.dumps(env.game.to_view(snapshot, seat.seat)))
            assert seat.view() == view, (seat.seat, events)


@needs_compiling
@every_game
def test_events_alone_give_the_views_of_the_game(name):
    check_views(name, {"num_players": load_game(name).player_counts[0]}, 1, MOST)


@needs_compiling
@pytest.mark.slow
@pytest.mark.parametrize("name", list_environments())
def test_events_alone_give_the_views_of_whole_games(name):
    """Never a wrong view; the search for an agreeing deal fails seldom."""
    failed, count = 0, 0
    for players in load_game(name).player_counts:
        for seed in range(2, 4):
            for env, log, seats, told in followed(name, {"num_players": players}, seed, LONG):
                snapshot = env.game.to_snapshot(log.states[0])
                for seat, events in zip(seats, told, strict=True):
                    view = json.loads(json.dumps(env.game.to_view(snapshot, seat.seat)))
                    count += 1
                    try:
                        seat.told(events)
                    except EventError:
                        failed += 1
                        seat.saw(view)
                    assert seat.view() == view, (seat.seat, events)
                    seat.saw(view)
    assert failed <= 0.02 * count, (failed, count)


@needs_compiling
def test_what_was_told_together_is_taken_apart():
    """The events of a whole round at once."""
    seat, kept = None, []
    for _, log, seats, told in followed("go_dig_v0", {"num_players": 3}, 3, 12):
        seat = seat or seats[0]
        kept += told[0]
        if len(kept) > 8:
            seat.told(kept)
            assert seat.view() == seat.game.to_view(seat.game.to_snapshot(log.states[0]), 0)
            kept = []


@needs_compiling
@slow_but("go_dig_v0", "the_big_dig_v0")
def test_changed_events_are_refused_or_followed(name):
    """A wrong event gets an error, and then the seat has not changed."""
    rng, refused, count = np.random.default_rng(5), 0, 0
    for _, _, seats, told in followed(name, {}, 1, 4):
        for seat, events in zip(seats, told, strict=True):
            if events and count < 3:
                count += 1
                before = seat.view(), seat.states.tobytes()
                try:
                    copy.deepcopy(seat).told(changed(events, rng))
                except (EventError, TypeError, ValueError) as error:
                    refused += 1
                    assert "event" in str(error)  # noqa: PT017
                twin = copy.deepcopy(seat)
                with pytest.raises((EventError, TypeError, ValueError)):
                    twin.told([*events, {"kind": "nothing like it", "seat": 0}])
                assert before == (twin.view(), twin.states.tobytes())
            seat.told(events)
    assert refused > 0


def changed(events, rng):
    """The events with one value changed or not said, one left out, or one doubled."""
    events = copy.deepcopy(events)
    at = int(rng.integers(len(events)))
    key = str(rng.choice(list(events[at])))
    way = int(rng.integers(5))
    if way == 0:
        del events[at]
    elif way == 1:
        events.insert(at, copy.deepcopy(events[at]))
    elif way == 2:
        del events[at][key]
    else:
        values = (None, -1, 3, 10**30, 0.5, "TRI", "x" * 10**5, [], [[]], {}, True)
        events[at][key] = values[int(rng.integers(len(values)))]
    return events


def test_malformed_events_are_refused_by_name():
    env = dig_envs.make("go_dig_v0").unwrapped
    env.reset(seed=1)
    seat = Seat(env.view("player_0"))
    asked = {"kind": "asked", "seat": 0, "other": 1, "genus": "TRI"}
    for events, error, words in (
        ("events", TypeError, "a list of objects"),
        ([3], TypeError, "event 1 must be an object"),
        ([{**asked, "kind": "ask"}], ValueError, "no kind of event 'ask'; there are turn"),
        ([{**asked, "genus": "XYZ"}], ValueError, "event 1: genus: 'XYZ' is not one of TYR"),
        ([{**asked, "other": True}], ValueError, "event 1: other: True is not one of 0, 1"),
        ([{**asked, "seat": 2}], ValueError, "event 1: seat must be from 0 to 1"),
        ([{**asked, "card": "TRI1"}], ValueError, "has no part 'card'; it has seat, other, genus"),
        ([{"kind": "action", "seat": 0, "action": "ask"}], ValueError, "no action 'ask'"),
        ([asked], EventError, "event 1 is not the last one of its action"),
        ([{**asked, "seat": 1}], EventError, "event 1 cannot come now: Player 2 asks"),
    ):
        before = seat.view(), seat.states.tobytes()
        with pytest.raises(error, match=words):
            seat.told(events)
        assert before == (seat.view(), seat.states.tobytes())


@needs_compiling
def test_what_was_told_can_be_taken_back_and_saved():
    for _, _, seats, told in followed("diggity_v0", {}, 2, 10):
        for seat, events in zip(seats, told, strict=True):
            before = seat.view(), seat.states.tobytes()
            seat.told(events)
            after = seat.view()
            seat.back()
            assert before == (seat.view(), seat.states.tobytes())
            seat.told(events)
            assert seat.view() == after
    seat = seats[0]
    again = Seat.from_json(json.loads(json.dumps(seat.to_json())))
    for twin in (again, copy.deepcopy(seat), pickle.loads(pickle.dumps(seat))):
        assert (twin.view(), twin.states.tobytes()) == (seat.view(), seat.states.tobytes())
        twin.back(9)
        assert twin.view() == seat._history[-9][0][0]
    for wrong, error in ((0, ValueError), (99, ValueError), ("1", TypeError), (True, TypeError)):
        with pytest.raises(error, match="number"):
            seat.back(wrong)
    saved = seat.to_json()
    for wrong in (None, {}, {**saved, "told": 3}, {**saved, "told": [{}]}, {**saved, "view": 3}):
        with pytest.raises((SnapshotError, TypeError, ValueError)):
            Seat.from_json(wrong)


@needs_compiling
@pytest.mark.parametrize("name", ["fossil_memory/remembering", "best"])
def test_an_agent_with_a_memory_is_shown_what_happened(name):
    """It is asked now and then, and chooses as one that was asked at each decision."""
    options = {"recall": "none", "max_turns": 30}
    agents = [dig_envs.load_agent(name, env="fossil_memory_v0")] * 2
    env = RawAEC("fossil_memory_v0", **options)
    env.reset(seed=2)
    seats = [Seat(env.view(agent), p) for p, agent in enumerate(env.possible_agents)]
    log, rng, compared = EventLog(env.game, env.states), np.random.default_rng(0), 0
    while not env.states["over"][0]:
        seat, action = int(log.states["to_move"][0]), agents[0].act(env)
        if rng.random() < 0.4:
            assert seats[seat].act(agents[1]) == action
            compared += 1
        if rng.random() < 0.2:
            action = random_choice(env, rng)
        first = len(log)
        log.play(seat, action)
        env.step(action)
        for one in seats:
            one.told(told_of(log, one.seat, first))
    assert compared > 8


@needs_compiling
@every_game
def test_a_seat_begins_with_its_own_opening(name):
    game = load_game(name)
    env = RawAEC(name)
    env.reset(seed=7)
    for p, agent in enumerate(env.possible_agents):
        needed, _ = opening_of(name, p)
        view = json.loads(json.dumps(env.view(agent)))
        opening = {key: view[key] for key in needed}
        assert Seat.begin(name, p, opening).view() == view
        if opening:
            with pytest.raises(SnapshotError, match="is missing; an opening is such as"):
                Seat.begin(name, p, dict(list(opening.items())[1:]))
        with pytest.raises(SnapshotError, match="leave it out"):
            Seat.begin(name, p, {**opening, "turn": 1})
    with pytest.raises(ValueError, match="seat"):
        Seat.begin(name, game.max_players, {})


@needs_compiling
def test_what_may_be_told_next():
    for _, _, seats, told in followed("go_dig_v0", {}, 2, 8):
        for seat, events in zip(seats, told, strict=True):
            may = seat.possible()
            assert not may.ends
            assert any(events[0].items() <= event.to_json().items() for event in may.events)
            if len(events) > 1:
                kinds = {event.kind.name for event in seat.possible(events[:1]).events}
                assert events[1]["kind"] in kinds
            assert seat.possible(events).ends
            seat.told(events)


@needs_compiling
def test_sentences_alone_give_the_views_of_a_game_of_fossil_canyon():
    """As a person types the log: where a sentence says less than the event, it decides."""
    last = 0
    for env, log, seats, _ in followed("fossil_canyon_v0", {"num_players": 3}, 1, 20):
        snapshot = env.game.to_snapshot(log.states[0])
        for seat in seats:
            seat.told([event.text() for event in mixed(log, seat.seat, last)])
            assert seat.view() == json.loads(json.dumps(env.game.to_view(snapshot, seat.seat)))
        last = len(log)


@needs_compiling
def test_no_more_is_possible_than_an_event_has_counted():
    """After a card that exposes one fossil, and this fossil, no other one may be exposed."""
    looked = 0
    for _, _, seats, told in followed("fossil_canyon_v0", {"num_players": 2}, 2, 6):
        for seat, events in zip(seats, told, strict=True):
            if [event["kind"] for event in events][-1:] == ["exposed"]:
                may = seat.possible(events)
                assert may.ends
                assert may.events == []
                looked += 1
            seat.told(events)
    assert looked
