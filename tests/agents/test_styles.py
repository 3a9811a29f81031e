"""Styles of the scripted players, carelessness, and the levels for people."""

import copy
from importlib import import_module

import numpy as np
import pytest

from dig_envs import BatchEnv, list_environments, load_agent, make
from dig_envs.agents.matches import play_games
from dig_envs.registry import load_game
from tests.games import needs_compiling

QUICK = "fossil_memory_v0"
GAMES = [name for name in list_environments() if load_game(name).package.startswith("dig_envs.")]
COMPETITIVE = [name for name in GAMES if not load_game(name).cooperative]
POSITIONS = 256
STEPS = 40


def some_positions(name):
    """A batch of positions from mixed play, of different lengths."""
    batch = BatchEnv(name, POSITIONS, seed=11)
    rng = np.random.default_rng(5)
    for _ in range(STEPS):
        by_chance = rng.random(POSITIONS) < 0.2
        batch.step(
            np.where(by_chance, batch.sample_actions(), batch.heuristic_actions()),
            rng.random(POSITIONS) < 0.7,
        )
    return batch


def check_styles(name):
    batch = some_positions(name)
    game, usual = batch.game, batch.heuristic_actions()
    actions = np.zeros(POSITIONS, np.int64)
    weights = import_module(f"{game.package}.heuristic").USUAL
    game.kernels.styled_actions(batch.states.copy(), 0, POSITIONS, batch.mover, weights, actions)
    np.testing.assert_array_equal(actions, usual, "the usual weights are the scripted player")
    differ = {}
    for style in game.styles:
        chosen = batch.heuristic_actions(style)
        assert np.take_along_axis(batch.action_mask, chosen[:, None], axis=1).all(), (
            f"{style} plays legal actions only"
        )
        agent = load_agent(f"heuristic:style={style}", name)
        np.testing.assert_array_equal(
            agent.act_batch(batch.observation, batch.action_mask, batch.states, batch.mover), chosen
        )
        again = batch.states.copy()
        for i in range(POSITIONS):  # what the seat does not know is dealt anew: the choice stays
            game.kernels.determinize_one(again[i : i + 1], int(batch.mover[i]), 77 + i)
        np.testing.assert_array_equal(
            agent.act_batch(batch.observation, batch.action_mask, again, batch.mover), chosen
        )
        differ[style] = (chosen != usual).mean()
    differ.pop("first", None)  # a former player, which differs with more players or at the end
    assert all(share > 0 for share in differ.values()), differ


@needs_compiling
def test_a_style_is_legal_sees_what_its_seat_sees_and_is_not_the_usual_player():
    check_styles(QUICK)


@needs_compiling
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMPETITIVE if name != QUICK])
def test_styles_of_every_game(name):
    check_styles(name)


@pytest.mark.parametrize("name", COMPETITIVE)
def test_every_competitive_game_has_styles_and_says_what_they_do(name):
    game = load_game(name)
    usual = import_module(f"{game.package}.heuristic").USUAL
    assert len(game.styles) >= 2
    assert (
        len({usual, *(style.weights for style in game.styles.values())}) == len(game.styles) + 1
    ), "no two are the same"
    assert all(style.meaning.endswith(".") for style in game.styles.values())


def test_an_unknown_style_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(
        ValueError, match="fossil_memory_v0 has no style 'mean'; there are greedy, careful"
    ):
        load_agent("heuristic:style=mean", QUICK)
    with pytest.raises(
        ValueError, match="cretaceous_creek_v0 has no style 'greedy'; there are first"
    ):
        load_agent("heuristic:style=greedy", "cretaceous_creek_v0")
    with pytest.raises(
        ValueError,
        match="others must be one of search, heuristic, guide, greedy, careful, not 'mean'",
    ):
        load_agent("search:others=mean", QUICK)
    assert (
        copy.deepcopy(load_agent("search:sims=2:others=greedy", QUICK)).settings.others == "greedy"
    )
    for settings in ("greedy", "style", "style=greedy:style=greedy", "speed=3"):
        with pytest.raises(ValueError, match="has the settings ':style='"):
            load_agent(f"heuristic:{settings}", QUICK)
    for careless in ("2", "-0.1", "nan", "much", ""):
        with pytest.raises(ValueError, match="careless must be a number from 0 to 1"):
            load_agent(f"heuristic:careless={careless}", QUICK)


@needs_compiling
def test_a_careless_player_is_the_scripted_one_but_for_a_share_of_mistakes():
    batch = some_positions(QUICK)
    seen = batch.observation, batch.action_mask, batch.states, batch.mover
    usual = load_agent("heuristic", QUICK).act_batch(*seen)
    half = load_agent("heuristic:careless=0.5", QUICK, seed=3).act_batch(*seen)
    assert 0.3 < (half == usual).mean() < 0.75
    assert np.take_along_axis(batch.action_mask, half[:, None], axis=1).all()
    np.testing.assert_array_equal(
        load_agent("heuristic:careless=0.5", QUICK, seed=3).act_batch(*seen), half
    )
    assert (
        load_agent("heuristic:careless=1", QUICK, seed=3).act_batch(*seen) != usual
    ).mean() > 0.8
    agent = load_agent("heuristic:style=greedy:careless=0.25", QUICK, seed=1)
    assert agent.name == "heuristic:style=greedy:careless=0.25"


@needs_compiling
def test_a_player_that_only_one_game_has_can_be_careless_and_remembers():
    def won(first, second):
        agents = [load_agent(name, QUICK, seed=k) for k, name in enumerate((first, second))]
        return play_games(QUICK, agents, 300, options={"recall": "none"}, rotate=True).won_by(0)

    careless = load_agent("fossil_memory/remembering:careless=0.2", seed=1)
    assert careless.name == "remembering:careless=0.2"
    assert careless.memory_size == load_agent("fossil_memory/remembering").memory_size > 0
    assert won("remembering:careless=0.2", "remembering").high < 0.5
    assert won("remembering:careless=0.2", "heuristic").low > 0.5, (
        "without recall the scripted player knows hardly anything"
    )
    for settings in ("careless", "careless=2", "style=greedy", "careless=0.1:careless=0.2"):
        with pytest.raises(ValueError, match=r"agent 'remembering'.*careless"):
            load_agent(f"fossil_memory/remembering:{settings}")


@needs_compiling
@pytest.mark.slow
def test_a_search_answers_a_style_of_the_other_seats():
    """Its tree takes their play as given, so that it differs from the one that answers the usual
    player."""
    env = make(QUICK, num_players=2)
    env.reset(seed=4)
    while (
        len(env.unwrapped.game.legal_actions(env.unwrapped.states, 0)) < 2
        or env.unwrapped.states["turn"][0] < 6
    ):
        env.step(load_agent("heuristic", QUICK).act(env))
    states, seat = env.unwrapped.states, env.unwrapped.seat_of(env.agent_selection)
    found = {
        others: load_agent(f"search:sims=400:others={others}", QUICK, seed=1).search(states, seat)
        for others in ("heuristic", "greedy")
    }
    assert found["greedy"].simulations == found["heuristic"].simulations == 400
    assert (found["greedy"].visits != found["heuristic"].visits).any()
    assert found["greedy"].visits.sum() == 399


# ---------------------------------------------------------------- levels


def test_levels_have_no_settings():
    with pytest.raises(ValueError, match="'easy' has no settings"):
        load_agent("easy:sims=3", QUICK)
