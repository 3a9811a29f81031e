"""Our games as environments of TextArena."""

import copy

import pytest

from dig_envs.engine.core.errors import OptionError
from dig_envs.registry import list_environments, load_game
from tests.adapters.answering import scripted

ta = pytest.importorskip(
    "textarena", reason="TextArena is not installed: pip install 'dig_envs[textarena]'"
)
from dig_envs.adapters.textarena import register_all  # noqa: E402

pytestmark = pytest.mark.ecosystem

KINDS = ta.ObservationType


def spoken(env):
    """The scripted player's action for the current player, in words."""
    return scripted(env.text_game.env, env.state.current_player_id)


def test_what_a_player_is_told():
    env = ta.make("go_dig_v0-raw")
    env.reset(num_players=2, seed=1)
    kinds = []
    for _ in range(12):
        player, messages = env.get_observation()
        assert all(sender in (ta.GAME_ID, player) for sender, _, _ in messages), (
            "nobody reads the answers of others"
        )
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


def test_an_invalid_move_is_told_to_its_player_alone():
    env = ta.make("diggity_v0-raw", error_allowance=1, gold_cards=8)
    env.reset(num_players=2, seed=1)
    player, messages = env.get_observation()
    assert "`gold_cards` 8" in messages[0][1]
    assert env.step("I do not know.") == (False, {"outcome": "unreadable", "action": None})
    asked, messages = env.get_observation()
    assert asked == player
    assert [kind for _, _, kind in messages] == [KINDS.PLAYER_ACTION, KINDS.GAME_ADMIN]
    assert (env.state.turn, env.state.error_count) == (0, 1)
    assert env.step("Hm.")[0]
    assert [info["invalid_move"] for info in env.close()[1].values()] == [True, False]
    with pytest.raises(OptionError):
        ta.make("diggity_v0", wings=2).reset(2)
