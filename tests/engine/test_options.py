"""Options: refused by name, with what would be right; stored in the state and read back."""

from functools import partial

import numpy as np
import pytest

import dig_envs
from dig_envs import OptionError
from dig_envs.adapters.gymnasium import SingleLearnerEnv
from dig_envs.adapters.vector import DigVectorEnv
from dig_envs.batch.batch_env import BatchEnv
from dig_envs.engine.core.options import Option, complete_options, parse_option
from dig_envs.registry import environments_of, game_name, load_game
from tests.games import every_game

OPTIONS = (
    Option("num_players", (2, 3), 2, "seats"),
    Option("level", ("easy", "hard"), "easy", "a word"),
    Option("tools", (False, True), True, "yes or no"),
    Option("max_turns", range(1, 501), 200, "a number"),
)
NAMES = "num_players, level, tools, max_turns"


def test_defaults_are_filled_in():
    given = {"num_players": 2, "level": "hard", "tools": True, "max_turns": 200}
    assert complete_options(OPTIONS, {"level": "hard"}, "digging") == given


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"players": 3},
            (
                f"digging has no option 'players'; its options are {NAMES} (got an unexpected "
                "keyword argument 'players')"
            ),
        ),
        ({"num_players": 4}, "option 'num_players': 4 is not one of 2, 3"),
        ({"num_players": True}, "option 'num_players': True is not one of 2, 3"),
        ({"num_players": 2.0}, "option 'num_players': 2.0 is not one of 2, 3"),
        ({"num_players": None}, "option 'num_players': None is not one of 2, 3"),
        ({"level": "Hard"}, "option 'level': 'Hard' is not one of 'easy', 'hard'"),
        ({"level": 1}, "option 'level': 1 is not one of 'easy', 'hard'"),
        ({"tools": 1}, "option 'tools': 1 is not one of False, True"),
        ({"max_turns": 0}, "option 'max_turns': 0 is not one of 1 … 500"),
    ],
)
def test_what_is_wrong_is_told_with_what_would_be_right(given, told):
    with pytest.raises(OptionError) as error:
        complete_options(OPTIONS, given, "digging")
    assert str(error.value) == told
    assert isinstance(error.value, ValueError) and isinstance(error.value, TypeError)  # noqa: PT018 - it is both


def test_numpy_values_are_taken_as_what_they_are():
    given = {"num_players": np.int64(3), "tools": np.bool_(False), "level": np.str_("hard")}
    complete = complete_options(OPTIONS, given, "digging")
    assert complete == {"num_players": 3, "level": "hard", "tools": False, "max_turns": 200}
    assert [type(value) for value in complete.values()] == [int, str, bool, int]


def test_encoding_is_reversed_by_decoding():
    for option in OPTIONS:
        decoded = [option.decode(option.encode(value)) for value in option.values]
        assert decoded == [*option.values]
        assert {type(value) for value in decoded} == {type(value) for value in option.values}


def test_values_may_be_tuples_and_come_back_as_lists():
    option = Option(
        "mix", ((0, 2), (1, 1), (2, 0)), (1, 1), "two numbers", "two integers with the sum 2"
    )
    assert complete_options((option,), {}, "digging") == {"mix": [1, 1]}
    for given in ((2, 0), [2, 0]):
        assert complete_options((option,), {"mix": given}, "digging") == {"mix": [2, 0]}
        assert option.decode(option.encode(given)) == [2, 0]
    assert option.by_text() == {"0-2": (0, 2), "1-1": (1, 1), "2-0": (2, 0)}
    for wrong in ([1, 2], [2], "2-0", 2, None, [True, True], [1.0, 1.0]):
        with pytest.raises(OptionError, match="is not one of two integers with the sum 2"):
            complete_options((option,), {"mix": wrong}, "digging")


def test_the_parts_of_a_value_may_come_in_any_order():
    option = Option("team", ("all", ("a", "b"), ("a", "c")), "all", "who", any_order=True)
    for given in (["b", "a"], ("a", "b"), np.array(["b", "a"]), [np.str_("b"), "a"]):
        assert complete_options((option,), {"team": given}, "digging") == {"team": ["a", "b"]}
    assert [option.from_text(text) for text in ("all", "c-a")] == ["all", ("a", "c")]
    for wrong in (["a", "a"], ["a"], ["a", "b", "b"], ["b", "c"], ["a", 1], "b-a", None):
        with pytest.raises(OptionError, match="option 'team'"):
            option.encode(wrong)
    for text in ("a-a", "a", "a-b-b", "a--b", "-a-b", "b", "lla", ""):
        with pytest.raises(OptionError, match="option 'team'"):
            option.from_text(text)


@every_game
def test_every_way_to_make_a_game_refuses_bad_options(name):
    module = getattr(dig_envs, name)
    for make in (
        partial(dig_envs.make, name),
        module.env,
        module.raw_env,
        module.parallel_env,
        partial(BatchEnv, name, 2),
    ):
        for wrong, told in (
            ({"nonsense": 1}, "no option 'nonsense'; its options are num_players"),
            ({"num_players": 0}, "option 'num_players': 0 is not one of"),
            ({"reward": "fame"}, "reward 'fame' is not one of 'win', 'score'"),
        ):
            with pytest.raises(OptionError, match=told):
                make(**wrong)


@pytest.mark.parametrize(
    "make", [dig_envs.make, dig_envs.make_parallel, SingleLearnerEnv, DigVectorEnv]
)
def test_reset_changes_no_option(make):
    env = make("go_dig_v0", num_players=2)
    with pytest.raises(ValueError, match="num_players"):
        env.reset(seed=1, options={"num_players": 4})
    env.reset(seed=1, options={})


@every_game
def test_names_with_and_without_version(name):
    assert load_game(game_name(name)).env_name == environments_of(game_name(name))[-1], (
        "without a version it is the newest"
    )
    for wrong in ("chess_v0", f"{name}9", ""):
        with pytest.raises(ValueError, match=name):
            game_name(wrong)


def test_options_as_typed():
    assert parse_option(OPTIONS, "level=hard") == ("level", ["hard"])
    assert parse_option(OPTIONS, "tools=False") == ("tools", [False])
    assert parse_option(OPTIONS, "num_players=3,2", several=True) == ("num_players", [3, 2])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("level", "write name=value, the name one of num_players, level"),
        ("colour=red", "write name=value"),
        ("level=", "option 'level': '' is not one of 'easy', 'hard'"),
        ("level=easy,hard", "option 'level': 'easy,hard' is not one of"),
        ("num_players=02", "option 'num_players': '02' is not one of 2, 3"),
    ],
)
def test_options_typed_wrong(text, told):
    with pytest.raises(OptionError, match=told):
        parse_option(OPTIONS, text)
    with pytest.raises(OptionError):
        parse_option(OPTIONS, text.replace("easy,hard", "easy,soft"), several=True)
