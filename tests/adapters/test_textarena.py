"""Our games as environments of TextArena."""

import copy
import random

import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.core.errors import OptionError
from dig_envs.registry import list_environments, load_game
from tests.adapters.answering import scripted

ta = pytest.importorskip("textarena", reason="TextArena is not installed: pip install 'dig_envs[textarena]'")
from dig_envs.adapters.textarena import DigTextEnv, register_all  # noqa: E402

pytestmark = pytest.mark.ecosystem

KINDS = ta.ObservationType
SEVERAL = [("go_dig_v0", 2), ("fossil_canyon_v0", 3), ("the_big_dig_v0", 2), ("cretaceous_creek_v0", 4), ("twenty_questions_v0", 3)]


def spoken(env):
    """The scripted player's action for the current player, in words."""
    return scripted(env.text_game.env, env.state.current_player_id)


def play_out(env, most=20_000):
    """Play as TextArena's own programs do; returns the rewards, the infos and the texts that players were given."""
    texts, done = [], False
    for _ in range(most):
        player, observation = env.get_observation()
        texts.append((player, observation))
        done, info = env.step(f"I have thought about it.\n<answer>{spoken(env)}</answer>")
        assert info["outcome"] == "legal", info
        if done:
            break
    assert done
    rewards, infos = env.close()
    return rewards, infos, texts


@pytest.mark.parametrize(("name", "players"), SEVERAL)
def test_a_whole_game_by_name(name, players):
    env = ta.make(name)
    env.reset(num_players=players, seed=3)
    rewards, infos, texts = play_out(env)
    game, states = env.text_game.game, env.text_game.env.states
    assert rewards == dict(enumerate(game.returns_of(states)[0][:players].tolist()))
    assert set(rewards) == set(infos) == set(range(players))
    assert len(set(rewards.values())) == 1 if game.cooperative else sum(rewards.values()) == pytest.approx(0, abs=1e-6)
    assert all(info["reason"].startswith("The game is over") for info in infos.values())
    assert {player for player, _ in texts} == set(range(players))
    for player, text in texts:
        assert f"You are Player {player + 1}" in text
        assert "Legal actions" in text
    assert env.state.turn == env.text_game.env.event_log.actions


@pytest.mark.parametrize(("name", "players"), SEVERAL)
def test_the_deal_and_the_course_are_those_of_our_environment(name, players):
    """The same seed and the same actions give the same game."""
    env, own = ta.make(f"{name}-raw"), RawAEC(name, num_players=players)
    env.reset(num_players=players, seed=11)
    own.reset(seed=11)
    for _ in range(60):
        assert env.text_game.env.states.tobytes() == own.states.tobytes()
        if own.states["over"][0]:
            break
        player, messages = env.get_observation()
        assert own.seat_of(own.agent_selection) == player
        board = [text for _, text, kind in messages if kind is KINDS.GAME_BOARD]
        assert board == [own.prompt(own.agent_selection).text("position", "actions")]
        action = spoken(env)
        env.step(action)
        own.step(own.parse(own.agent_selection, action).action)


def test_a_seed_gives_the_same_texts_and_another_one_others():
    def first_texts(seed):
        env = ta.make("go_dig_v0")
        env.reset(num_players=2, seed=seed)
        return env.get_observation()

    assert first_texts(5) == first_texts(5)
    assert first_texts(5) != first_texts(6)


def test_what_a_player_is_told():
    env = ta.make("go_dig_v0-raw")
    env.reset(num_players=2, seed=1)
    kinds = []
    for _ in range(12):
        player, messages = env.get_observation()
        assert all(sender in (ta.GAME_ID, player) for sender, _, _ in messages), "nobody reads the answers of others"
        kinds.append([kind for _, _, kind in messages])
        hand = set(env.text_game.game.to_snapshot(env.text_game.env.states[0])["hands"][player])
        board = messages[-1][1]
        own_line = next(line for line in board.splitlines() if "hand:" in line)
        assert set(own_line.split("hand:")[1].replace("+", " ").split()) == hand
        assert board.count("hand:") == 1, "the hand of the other is hidden"
        env.step(spoken(env))
    assert kinds[0] == [KINDS.PROMPT, KINDS.GAME_BOARD]
    assert [KINDS.PLAYER_ACTION, KINDS.GAME_MESSAGE, KINDS.GAME_BOARD] in kinds


@pytest.mark.parametrize("name", ["fossil_canyon_v0", "the_big_dig_v0"])
def test_choices_made_together_are_not_told_before_all_have_chosen(name):
    """Whatever the first player chooses, the second one is told the same."""
    env = ta.make(f"{name}-raw")
    env.reset(num_players=2, seed=2)
    done = False
    while not done:
        position = env.text_game.env
        legal = position.game.legal_actions(position.states, 0)
        if position.states["owes"][0][:2].all() and len(legal) > 1:
            break
        env.get_observation()
        done, _ = env.step(spoken(env))
    assert not done
    told = []
    for choice in (legal[0], legal[-1]):
        copied = copy.deepcopy(env)
        assert copied.state.current_player_id == 0
        copied.step(str(choice))
        while copied.state.current_player_id == 0 and copied.text_game.env.states["owes"][0][0]:
            copied.step(str(copied.text_game.game.legal_actions(copied.text_game.env.states, 0)[0]))
        told.append(copied.get_observation())
    assert told[0][0] == 1
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("I do not know.", "unreadable"),
        ("<answer>10000</answer>", "illegal"),
        ("<answer>0</answer> or <answer>1</answer>", "ambiguous"),
    ],
)
def test_what_is_no_legal_action_changes_nothing_and_loses_in_the_end(answer, outcome):
    env = ta.make("diggity_v0-raw", error_allowance=2)
    env.reset(num_players=3, seed=1)
    player, _ = env.get_observation()
    before = env.text_game.env.states.tobytes()
    if outcome == "ambiguous":
        legal = env.text_game.game.legal_actions(env.text_game.env.states, player)
        answer = f"<answer>{legal[0]}</answer> or <answer>{legal[1]}</answer>"
    for number in (1, 2):
        done, info = env.step(answer)
        assert (done, info) == (False, {"outcome": outcome, "action": None})
        asked, messages = env.get_observation()
        assert asked == player
        assert [kind for _, _, kind in messages] == [KINDS.PLAYER_ACTION, KINDS.GAME_ADMIN]
        assert "answer with one action" in messages[-1][1]
        assert env.state.turn == 0
        assert env.state.error_count == number
    done, _ = env.step(answer)
    assert done
    rewards, infos = env.close()
    assert rewards[player] == -1
    assert all(rewards[other] == 0.5 for other in rewards if other != player)
    assert [info["invalid_move"] for info in infos.values()] == [other == player for other in range(3)]
    assert env.text_game.env.states.tobytes() == before


def test_a_legal_action_forgives_mistakes_before_it():
    env = ta.make("go_dig_v0", error_allowance=1)
    env.reset(num_players=2, seed=1)
    for _ in range(5):
        assert not env.step("hm")[0]
        assert not env.step(spoken(env))[0]
    assert not env.step("hm")[0]
    assert env.step("hm")[0]


def test_all_lose_where_one_of_a_team_gives_up():
    env = ta.make("cretaceous_creek_v0", error_allowance=0)
    env.reset(num_players=2, seed=1)
    assert env.step("nothing")[0]
    assert env.close()[0] == {0: -1.0, 1: -1.0}


def test_agents_play_the_seats_that_are_not_asked():
    def game(opponents, seed=4):
        env = ta.make("go_dig_v0-raw", seats=[1], opponents=opponents)
        env.reset(num_players=3, seed=seed)
        rewards, _, texts = play_out(env)
        assert {player for player, _ in texts} == {1}
        return rewards, env.text_game.env.states.tobytes()

    assert game("random") == game("random"), "agents draw by the seed, too"
    assert game(["random", "heuristic"])[1] != game("heuristic")[1]
    with pytest.raises(ValueError, match="agents for 2 seats"):
        game(["random"] * 3)


def test_options_and_wrong_arguments():
    env = ta.make("diggity_v0", gold_cards=8)
    env.reset(num_players=2, seed=1)
    assert env.text_game.env.options["gold_cards"] == 8
    assert "`gold_cards` 8" in env.get_observation()[1]
    with pytest.raises(OptionError):
        env.reset(num_players=9)
    with pytest.raises(OptionError):
        DigTextEnv("diggity_v0", wings=2).reset(2)
    over = ta.make("go_dig_v0", error_allowance=0)
    over.reset(num_players=2, seed=1)
    over.step("?")
    with pytest.raises(RuntimeError, match="over"):
        over.step("?")


def test_all_games_are_registered_once():
    register_all()
    for name in list_environments():
        env = ta.make(name)
        env.reset(num_players=load_game(name).min_players, seed=0)
        _, text = env.get_observation()
        assert load_game(name).title in text


def test_the_short_text_for_training_has_rules_and_the_last_position():
    env = ta.make("go_dig_v0-train")
    env.reset(num_players=2, seed=1)
    for _ in range(6):
        _, text = env.get_observation()
        assert text.count("## Position") == 1
        assert text.count("<answer>") >= 1
        env.step(spoken(env))


def test_the_deal_does_not_depend_on_random_numbers_of_python():
    texts = []
    for number in (1, 2):
        env = ta.make("go_dig_v0")
        random.seed(number)
        env.reset(num_players=2, seed=9)
        texts.append(env.get_observation())
    assert texts[0] == texts[1]
