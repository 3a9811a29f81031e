"""The games as games of OpenSpiel: its own checks, its environment for learners and its bots, and
what it must not see."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from dig_envs import load_agent
from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.core.errors import IllegalActionError, OptionError
from dig_envs.registry import load_game
from tests.games import every_game, every_player_count, needs_compiling, option_cases

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'dig_envs[openspiel]'"
)
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402 (there where pyspiel is)

from dig_envs.adapters import openspiel  # noqa: E402

pytestmark = pytest.mark.ecosystem
DEALS = 8


def load(name, **options):
    """A game of OpenSpiel by the name of an environment, its options as parameters."""
    short_name = openspiel.short_name(load_game(name))
    return pyspiel.load_game(short_name, openspiel._parameters(8, options))


def deal(game, seed):
    """The state dealt from a seed."""
    state = game.new_initial_state()
    for byte in seed.to_bytes(game.seed_bytes):
        assert state.is_chance_node()
        state.apply_action(byte)
    return state


def play(state, rng, most=10**6):
    """Play on at random until the end or for ``most`` actions."""
    for _ in range(most):
        if state.is_terminal():
            break
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def middles(name, options, seed=0):
    """A state after the deal and two in the middle of a game."""
    for most in (0, 7, 40):
        state = play(deal(load(name, **options), seed), np.random.default_rng(seed), most)
        if not state.is_terminal():
            yield state


def everything_seen(state):
    """Return the observation of every seat, as text and as a tensor."""
    return [
        (state.information_state_string(p), state.information_state_tensor(p))
        for p in range(state.num_players())
    ]


# ---------------------------------------------------------------- OpenSpiel's own checks


@needs_compiling
@every_player_count
def test_random_simulations(name, options):
    pyspiel.random_sim_test(load(name, **options), num_sims=1, serialize=True, verbose=False)


@every_game
def test_every_option_can_be_a_parameter(name):
    for options in option_cases(name):
        game = load(name, **options)
        assert game.options == load_game(name).complete_options(options)
        assert pyspiel.load_game(str(game)) == game  # also as text
        assert pickle.loads(pickle.dumps(game)).options == game.options


@every_game
def test_what_the_game_says_of_itself(name):
    game, rules = load(name), load_game(name)
    kind = game.get_type()
    assert (
        game.num_players()
        == dict(game.get_parameters())["num_players"]
        == game.options["num_players"]
    )
    assert (kind.min_num_players, kind.max_num_players) == (rules.min_players, rules.max_players)
    assert game.num_distinct_actions() == len(rules.actions)
    assert (
        game.information_state_tensor_size()
        == game.observation_tensor_size()
        == rules.observation_size
    )
    assert (game.utility_sum() is None) == (kind.utility != pyspiel.GameType.Utility.ZERO_SUM)
    assert (kind.utility == pyspiel.GameType.Utility.IDENTICAL) == rules.cooperative
    mixed = kind.utility == pyspiel.GameType.Utility.GENERAL_SUM
    assert mixed == (rules.env_name == "oak_island_v1")  # at the limit nobody wins
    assert game.max_chance_nodes_in_history() == 8


# ---------------------------------------------------------------- the same games as elsewhere


@every_player_count
def test_the_same_game_as_the_aec_environment(name, options):
    seed, rng = 2**63 + 11, np.random.default_rng(5)
    env, state = RawAEC(name, **options), deal(load(name, **options), seed)
    env.reset(seed=seed)
    for _ in range(60):
        if state.is_terminal():
            break
        seat = state.current_player()
        agent = env.possible_agents[seat]
        assert agent == env.agent_selection
        seen = env.observe(agent)
        assert state.legal_actions() == np.flatnonzero(seen["action_mask"]).tolist()
        assert state.legal_actions((seat + 1) % (env.num_seats + 1)) == [] or env.num_seats == 1
        assert state.information_state_tensor() == seen["observation"].tolist()
        assert state.information_state_string() == f"{seat} {json.dumps(env.view(agent))}"
        assert state.returns() == [0.0] * env.num_seats
        action = int(rng.choice(state.legal_actions()))
        assert state.action_to_string(action) == env.action_names[action]
        state.apply_action(action)
        env.step(action)
    assert state.snapshot() == env.snapshot()


@needs_compiling
@every_player_count
def test_returns_at_the_end(name, options):
    rng = np.random.default_rng(1)
    env, state = RawAEC(name, **options), play(deal(load(name, **options), 1), rng)
    env.restore(state.snapshot())
    assert state.returns() == state.rewards() == env._returns()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.legal_actions() == []


def test_deals_of_fewer_bytes_are_those_of_small_seeds():
    game, env = pyspiel.load_game("dig_go_dig(seed_bytes=1)"), RawAEC("go_dig_v0")
    env.reset(seed=200)
    state = game.new_initial_state()
    outcomes = state.chance_outcomes()
    assert [outcome for outcome, _ in outcomes] == list(range(256))
    assert sum(probability for _, probability in outcomes) == 1
    state.apply_action(200)
    assert not state.is_chance_node()
    assert state.snapshot() == env.snapshot()


def test_a_game_of_another_package():
    """The model game is added by `tests.games`, here before this module was imported or after."""
    assert openspiel.register("bone_bids") == "dig_bone_bids"
    assert pyspiel.load_game("dig_bone_bids(num_players=3)").num_players() == 3


# ---------------------------------------------------------------- what is hidden


@every_player_count
def test_resampling_keeps_what_the_player_knows(name, options):
    """States that a player cannot tell apart look alike to it and to nobody else; later chance is
    dealt anew, too."""
    sampler = pyspiel.UniformProbabilitySampler(7, 0.0, 1.0)
    different = set()
    for state in middles(name, options):
        before = state.serialize()
        for player in range(state.num_players()):
            assert "rng" not in state.information_state_string(player)
            assert '"seed"' not in state.information_state_string(player)
            twins = [state.resample_from_infostate(player, sampler) for _ in range(DEALS)]
            for twin in twins:
                assert everything_seen(twin)[player] == everything_seen(state)[player]
                assert twin.observation_string(player) == state.information_state_string(player)
                assert twin.observation_tensor(player) == state.information_state_tensor(player)
                assert twin.current_player() == state.current_player()
            assert len({twin.snapshot()["rng"] for twin in twins}) == DEALS
            different |= {json.dumps({**twin.snapshot(), "rng": ""}) for twin in twins}
        assert state.serialize() == before
    assert len(different) > DEALS, "some deal is hidden from some player"


def test_committed_choices_are_hidden():
    """In set-up the seats of Fossil Canyon choose at the same time: later ones do not see what the
    first has chosen."""
    first = deal(load("fossil_canyon_v0", num_players=2), 4)
    second = first.clone()
    one, another = first.legal_actions()[:2]
    first.apply_action(one)
    second.apply_action(another)
    assert first.snapshot() != second.snapshot()
    assert everything_seen(first)[1] == everything_seen(second)[1]
    assert everything_seen(first)[0] != everything_seen(second)[0]


# ---------------------------------------------------------------- copies


@every_game
def test_clones_are_independent(name):
    for state in middles(name, {}):
        before, seen = state.serialize(), everything_seen(state)
        for copied in (state.clone(), copy.deepcopy(state), state.child(state.legal_actions()[0])):
            play(copied, np.random.default_rng(2), 20)
            assert copied.snapshot() != state.snapshot()
        assert state.serialize() == before
        assert everything_seen(state) == seen


def test_a_pickle_is_read_by_a_process_that_has_not_imported_this(tmp_path):
    """A fresh process reads a pickled state, prints the same information state and ends without an
    error."""
    state = play(deal(load("go_dig_v0"), 3), np.random.default_rng(0), 5)
    (tmp_path / "state").write_bytes(pickle.dumps((state.get_game(), state)))
    program = (
        "import pickle, sys; print(pickle.load(open(sys.argv[1], "
        "'rb'))[1].information_state_string(0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "state"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == state.information_state_string(0)


# ---------------------------------------------------------------- what is wrong is said


def test_wrong_parameters():
    with pytest.raises(OptionError, match="option 'recall': 'all' is not one of 'perfect'"):
        pyspiel.load_game("dig_fossil_memory(recall=all)")
    with pytest.raises(OptionError, match="three integers, 0 or more, with the sum 18"):
        pyspiel.load_game("dig_fossil_canyon(events=3_3_3)")
    with pytest.raises(ValueError, match="seed_bytes must be from 1 to 8, not 9"):
        pyspiel.load_game("dig_go_dig(seed_bytes=9)")


def test_lists_with_hyphens_are_understood_and_written_with_underscores():
    game = pyspiel.load_game("dig_fossil_canyon", {"events": "6-6-6"})
    assert game.options["events"] == [6, 6, 6]
    assert "events=6_6_6" in str(game)


@every_game
def test_an_illegal_action_changes_nothing(name):
    state = play(deal(load(name), 0), np.random.default_rng(0), 3)
    before, count = state.serialize(), len(load_game(name).actions)
    illegal = sorted(set(range(count)) - set(state.legal_actions()))
    for action in (*illegal[:1], -2, count, 2**40):  # -1 is refused by OpenSpiel itself
        with pytest.raises(IllegalActionError, match="is not legal for player"):
            state.apply_action(action)
    assert state.serialize() == before


def test_before_the_deal_there_is_nothing_to_see():
    state = load("go_dig_v0").new_initial_state()
    assert not any(state.information_state_tensor(0))
    assert state.information_state_string(1) == "1 null"
    assert state.legal_actions() == list(range(256))
    for look in (state.snapshot, lambda: state.view(0)):
        with pytest.raises(ValueError, match="the game has not been dealt"):
            look()


def test_observers_show_one_players_knowledge_only():
    game, kinds = load("go_dig_v0"), pyspiel.PrivateInfoType
    assert set(game.make_py_observer().dict) == set(load_game("go_dig_v0").layout)
    for wrong in (kinds.ALL_PLAYERS, kinds.NONE):
        with pytest.raises(ValueError, match="the player's own information"):
            game.make_py_observer(pyspiel.IIGObservationType(True, False, wrong))


# ---------------------------------------------------------------- its learners and bots


@needs_compiling
@every_game
def test_an_episode_in_the_environment_for_learners(name):
    rl_environment = pytest.importorskip("open_spiel.python.rl_environment")
    env = rl_environment.Environment(
        openspiel.short_name(load_game(name)), enable_legality_check=True
    )
    env.seed(4)
    rng, step, total = np.random.default_rng(4), env.reset(), np.zeros(env.num_players)
    while not step.last():
        player = step.observations["current_player"]
        assert (
            len(step.observations["info_state"][player]) == env.observation_spec()["info_state"][0]
        )
        step = env.step([int(rng.choice(step.observations["legal_actions"][player]))])
        total += step.rewards
    assert total.tolist() == env.get_state.returns()
    assert env.reset().first()


def ismcts_bot(game, simulations, seed):
    """OpenSpiel's search over information sets, which plays alike each time."""
    rng, sampler = np.random.RandomState(seed), pyspiel.UniformProbabilitySampler(seed, 0.0, 1.0)
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), 2.0, simulations, random_state=rng
    )
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, sampler))
    return bot


def mcts_bot(game, simulations, seed):
    rng = np.random.RandomState(seed)
    return mcts.MCTSBot(
        game, 2.0, simulations, mcts.RandomRolloutEvaluator(1, rng), random_state=rng
    )


def play_bots(state, bots):
    while not state.is_terminal():
        action = int(bots[state.current_player()].step(state))
        assert action in state.legal_actions()
        state.apply_action(action)
    return state.returns()


@needs_compiling
@pytest.mark.parametrize("make", [ismcts_bot, mcts_bot])
@pytest.mark.parametrize(
    "name", ["go_dig_v0", "cretaceous_creek_v0", "the_big_dig_v0", "twenty_questions_v0"]
)
def test_its_searches_play_a_whole_game(name, make):
    game = load(name)
    returns = [
        play_bots(deal(game, 5), [make(game, 4, seed) for seed in range(game.num_players())])
        for _ in range(2)
    ]
    assert returns[0] == returns[1]
    assert len(returns[0]) == game.num_players()


@needs_compiling
@every_game
def test_our_agents_are_bots(name):
    state, env = deal(load(name), 9), RawAEC(name)
    bot, agent = (
        openspiel.AgentBot(load_agent("heuristic", env=name)),
        load_agent("heuristic", env=name),
    )
    env.reset(seed=9)
    for _ in range(30):
        if state.is_terminal():
            break
        action = bot.step(state)
        assert action == agent.act(env)
        state.apply_action(action)
        env.step(action)


def test_agents_that_remember_are_no_bots():
    with pytest.raises(ValueError, match="has a memory"):
        openspiel.AgentBot(load_agent("fossil_memory/remembering"))
