"""One seat of a game kept elsewhere: agents choose from its view as in the true position."""

import copy
import json
import pickle

import numpy as np
import pytest

import dig_envs
from dig_envs import SnapshotError
from dig_envs.adapters.seat import Seat
from tests.adapters.equality import compare, load_twice, names_of
from tests.games import every_game, mostly_heuristic, option_cases, play, positions, slow_but


def view_of(env, agent=None):
    """A view as another program gets it."""
    return json.loads(json.dumps(env.view(agent or env.agent_selection)))


@every_game
def test_a_seat_shows_what_the_environment_shows(name):
    for env in positions(name, {}, games=1, every=25):
        for number, agent in enumerate(env.possible_agents):
            seat = Seat(view_of(env, agent), number)
            seen = env.look(agent)
            assert seat.agent_selection == agent
            assert seat.view() == view_of(env, agent)
            assert np.array_equal(seat.observation, seen["observation"])
            assert np.array_equal(seat.action_mask, seen["action_mask"])
            assert seat.legal() == env.game.legal_texts(env.states, number)
            for one in seat.legal():
                said = env.game.label(seat.view(), one["action"], number, number)
                assert one["label"] in (said, f"{said} ({one['text']})")
            assert seat.text() == env.game.draw(env.view(agent))
            for part in ("rules", "how_to_answer", "position", "actions"):
                assert getattr(seat.prompt(agent), part) == getattr(env.prompt(agent), part)


@slow_but("dino_dig_v0", "go_dig_v0", "twenty_questions_v0")
def test_agents_choose_for_a_seat_as_in_the_game(name):
    """Part of what ``tests.adapters.equality`` compares."""
    names = names_of(name, 10).keys() - {"optimal", "answering"}  # which compute for seconds
    compared = list(compare(name, option_cases(name)[-1], 4, load_twice(name, sorted(names))))
    assert {agent for agent, *_ in compared} > {"random", "hard", "best+search:sims=10"}
    assert [one for one in compared if one[2] != one[3]] == []


@pytest.mark.parametrize(
    ("name", "recall"),
    [("remembering", "none"), ("memory:sample", "perfect"), ("remembering:careless=0.3", "none")],
)
def test_an_agent_with_a_memory_remembers_the_views_of_a_seat(name, recall):
    """It is shown each decision once: one that draws at random draws as often."""
    env = dig_envs.make("fossil_memory_v0", recall=recall, max_turns=60).unwrapped
    env.reset(seed=2)
    name = f"fossil_memory/{name}"
    agents = [dig_envs.load_agent(name, "fossil_memory_v0", seed=1) for _ in range(2)]
    seats, rng, compared = {}, np.random.default_rng(0), 0
    while not env.states["over"][0]:
        view = view_of(env)
        if (seat := seats.get(env.agent_selection)) is None:
            seat = seats[env.agent_selection] = Seat(view)
        else:
            seat.saw(view)
        action = agents[0].act(env)
        assert seat.act(agents[1]) == action
        compared += 1
        env.step(action if rng.random() < 0.9 else mostly_heuristic(env, rng))
    assert compared > 20


def test_views_that_do_not_go_on_with_the_game_change_nothing():
    env = dig_envs.make("go_dig_v0", num_players=2).unwrapped
    env.reset(seed=1)
    seat = Seat(view_of(env))
    before = pickle.dumps(seat.states.tobytes()), seat.view()
    other = dig_envs.make("go_dig_v0", num_players=3).unwrapped
    other.reset(seed=1)
    for wrong in (view_of(other), env.snapshot(), {**seat.view(), "turn": -1}, None, "view"):
        with pytest.raises(SnapshotError):
            seat.saw(wrong)
        assert before == (pickle.dumps(seat.states.tobytes()), seat.view())
    with pytest.raises(ValueError, match="does not know what player_1 sees"):
        seat.view("player_1")


def test_what_is_no_view_is_refused():
    env = dig_envs.make("go_dig_v0").unwrapped
    env.reset(seed=1)
    view = view_of(env)
    for wrong in (None, [], {}, {"game": 3}, {**view, "environment": 7}, env.snapshot()):
        with pytest.raises(SnapshotError):
            Seat(wrong)
    words = r"an agent is what .*, not 'heuristic'; load it: load_agent\('heuristic', …\)"
    with pytest.raises(TypeError, match=words):
        Seat(view).act("heuristic")
    for seat in (-1, 2, "0", 0.5):
        with pytest.raises((TypeError, ValueError), match="seat"):
            Seat(view, seat)


def test_a_finished_game_has_no_decision():
    env = dig_envs.make("go_dig_v0", max_turns=1).unwrapped
    env.reset(seed=1)
    for _ in play(env, np.random.default_rng(0)):
        pass
    with pytest.raises(SnapshotError, match="say whose view it is"):
        Seat(view_of(env, "player_1"))
    seat = Seat(view_of(env, "player_1"), 1)
    assert not seat.action_mask.any()
    with pytest.raises(ValueError, match="no decision"):
        seat.act(dig_envs.load_agent("heuristic", env="go_dig_v0"))


def test_copies_go_on_alike():
    env = dig_envs.make("diggity_v0").unwrapped
    env.reset(seed=1)
    seat = Seat(view_of(env))
    for twin in (copy.deepcopy(seat), pickle.loads(pickle.dumps(seat))):
        assert twin.view() == seat.view()
        assert np.array_equal(twin.observation, seat.observation)
