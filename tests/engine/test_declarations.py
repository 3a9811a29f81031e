"""The declarations of a game: actions, fields of the observation, fields of its records."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import NumbaError

import tests.model.bone_bids as model
from dig_envs import registry
from dig_envs.adapters.registration import add_game
from dig_envs.engine.compiler.spelling import check_fields
from dig_envs.engine.core import fields
from dig_envs.engine.core.actions import Actions
from dig_envs.engine.core.errors import RulesError
from dig_envs.engine.core.events import Events
from dig_envs.engine.core.fields import Field, Fields
from dig_envs.engine.declarations import check_declared
from dig_envs.registry import load_game
from tests.games import every_game, needs_compiling

# ---------------------------------------------------------------- actions


def test_groups_return_their_first_index():
    actions = Actions()
    assert actions.add("pass") == 0
    assert actions.add("give {} +{}", ("rib", "toe"), range(1, 4)) == 1
    assert actions.add("done") == 7
    assert actions.names[1:7] == (
        "give rib +1",
        "give rib +2",
        "give rib +3",
        "give toe +1",
        "give toe +2",
        "give toe +3",
    )
    assert actions.groups == ((0, 0), (1, 6), (7, 7))


def test_an_action_is_there_once():
    actions = Actions()
    actions.add("dig {}", ("rib", "toe"))
    with pytest.raises(ValueError, match="'dig toe' is there twice"):
        actions.add("dig {}", ("toe",))
    with pytest.raises(ValueError, match="'eat x' is there twice"):
        actions.add("eat {}", ("x", "x"))
    with pytest.raises(ValueError, match="has no actions"):
        actions.add("eat {}", ())
    assert actions.names == ("dig rib", "dig toe")


@every_game
def test_first_indices_are_those_of_their_groups(name):
    """``A_…`` of a game's state module are the beginnings of groups, each of one: two that are
    exchanged would be noticed."""
    state = sys.modules[f"{load_game(name).package}.state"]
    firsts = sorted(
        value
        for key, value in vars(state).items()
        if key.startswith("A_") and isinstance(value, int)
    )
    groups = [first for first, _ in load_game(name).action_groups]
    # those that nothing names, such as questions, are between them
    assert [first for first in groups if first in firsts] == firsts
    assert firsts


# ---------------------------------------------------------------- observation

FIELDS = Fields(
    fields.plays(3),
    Field("bones", (2, 2), "per place and side: bones / 2"),
    Field("lead", (), "from -1 to 1", low=-1.0),
    fields.score(3, 10),
    fields.turn(8),
)


def test_bounds_are_per_number():
    low, high = FIELDS.bounds()
    assert low.tolist() == [0] * 7 + [-1] + [0] * 4
    assert high.tolist() == [1] * 12
    assert FIELDS.size == 12
    assert FIELDS.dtype.itemsize == 48


def test_words_for_seats():
    assert fields.seats_in_words(2) == "self, +1"
    assert fields.seats_in_words(4) == "self, +1, +2, +3"
    assert fields.seats_in_words(6) == "self, +1 to +5"


@every_game
def test_observations_by_name(name):
    game = load_game(name)
    vector = np.arange(3 * game.observation_size, dtype=np.float32).reshape(3, -1)
    named = game.named(vector)
    assert [*named] == [*game.layout]
    for field, entry in game.layout.items():
        assert np.array_equal(named[field], vector[:, entry.slice].reshape(3, *entry.shape))
        assert np.array_equal(game.named(vector[0])[field], named[field][0])
        assert np.shares_memory(named[field], vector)
    with pytest.raises(ValueError, match=rf"has {game.observation_size} numbers"):
        game.named(vector[:, 1:])


# ---------------------------------------------------------------- misspelt fields


@every_game
def test_the_games_use_only_fields_that_there_are(name):
    check_fields(load_game(name))


@pytest.mark.parametrize(
    ("file", "right", "wrong", "told"),
    [
        (
            "rules.py",
            "state.worth = below",
            "state.wort = below",
            "state of {} has no field 'wort'; the nearest name is 'worth'",
        ),
        (
            "observation.py",
            "own_bid[",
            "own_bit[",
            "observation of {} has no field 'own_bit'; the nearest name is 'own_bid'",
        ),
        (
            "rules.py",
            "facts.asked[p]",
            "facts.askd[p]",
            "facts of {} has no field 'askd'; the nearest name is 'asked'",
        ),
    ],
)
def test_a_misspelt_field_is_named_with_file_and_line(
    tmp_path, monkeypatch, file, right, wrong, told
):
    game, folder = changed_model(tmp_path, monkeypatch, file, right, wrong)
    with pytest.raises(RulesError) as error:
        _ = game.kernels
    assert told.format(game.name) in str(error.value)
    line = 1 + (folder / file).read_text().split(wrong)[0].count("\n")
    assert f"{folder / file}:{line}: " in str(error.value)


def test_a_misspelt_field_is_found_in_a_folder_of_modules(tmp_path, monkeypatch):
    game, folder = changed_model(
        tmp_path, monkeypatch, "rules.py", "state.worth = below", "state.wurth = below"
    )
    (folder / "rules").mkdir()
    (folder / "rules.py").rename(folder / "rules" / "course.py")
    with pytest.raises(RulesError, match=r"course\.py:\d+: the state of .* has no field 'wurth'"):
        check_fields(game)


@needs_compiling
def test_other_errors_of_compilation_say_how_to_find_the_line(tmp_path, monkeypatch):
    game, _ = changed_model(
        tmp_path,
        monkeypatch,
        "rules.py",
        "state.worth = below(state, 6) + 1",
        "state.worth = 1 + 'one'",
    )
    with pytest.raises(NumbaError) as error:
        game.kernels.start(
            *(game.template(game.complete_options({})), 0, 1, np.zeros(1, np.uint64)),
            *(game.template(game.complete_options({})), np.zeros(1, np.int64)),
        )
    assert any("NUMBA_DISABLE_JIT=1" in note for note in error.value.__notes__)


@pytest.mark.parametrize(
    ("file", "right", "wrong", "told"),
    [
        ("state.py", '("bid", "over")', '("bid", "end")', ".state: PHASES needs the phase 'over'"),
        (
            "state.py",
            '("hand_size", np.int8)',
            '("size_of_hand", np.int8)',
            ".state: the option 'hand_size' needs a field",
        ),
        ("state.py", "range(2, box", "range(2, 2 + box", ".state: State is made for 4 seats, but"),
        (
            "state.py",
            "Facts = ",
            "Fakts = ",
            ".state: there is a function inspect in the rules, but no record type Facts",
        ),
        (
            "rules.py",
            "def inspect(",
            "def inspekt(",
            ".rules: there are Facts in the state module, but no function inspect",
        ),
        (
            "snapshot.py",
            '"turn": Int(1, box.MAX_HAND),',
            "",
            ".snapshot: SNAPSHOT needs the key 'turn'",
        ),
        (
            "state.py",
            '"hand_size"',
            '"max_rounds"',
            ".snapshot: SNAPSHOT needs the key 'round', which the option 'max_rounds'",
        ),
        (
            "snapshot.py",
            '"pile":',
            '"heap":',
            ".snapshot: the key 'heap' is stored in the field 'heap', which State has not",
        ),
        (
            "snapshot.py",
            'total="num_cards"',
            'total="count"',
            ".snapshot: the key 'hands' keeps its total in the field 'count'",
        ),
    ],
)
def test_what_does_not_fit_is_named_when_the_game_is_built(
    tmp_path, monkeypatch, file, right, wrong, told
):
    with pytest.raises(RulesError) as error:
        changed_model(tmp_path, monkeypatch, file, right, wrong)
    assert told in str(error.value)


def test_the_limit_that_events_tell_is_the_one_of_the_option():
    with pytest.raises(
        RulesError,
        match=r"oak_island\.events: Events\(…\) needs limit='round', since the option 'max_rounds'",
    ):
        check_declared(load_game("oak_island"), Events(limit="turn"))


def test_reasons_belong_to_groups_of_actions():
    game = load_game("go_dig")
    check_declared(game, game.events, game.reasons)
    with pytest.raises(RulesError, match=r"go_dig\.reasons: REASONS has the key 1, which is not"):
        check_declared(game, game.events, {1: str})


def changed_model(tmp_path, monkeypatch, file, right, wrong):
    """The model game under another name, with a mistake in it."""
    name = f"mistaken_{abs(hash((file, wrong)))}"
    folder = tmp_path / name
    shutil.copytree(Path(model.__file__).parent, folder)
    for path in folder.glob("*.py"):
        text = path.read_text().replace("tests.model.bone_bids", name)
        assert path.name != file or right in text
        path.write_text(text.replace(right, wrong) if path.name == file else text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_added", {})
    return load_game(add_game(name)), folder


def test_a_game_is_found_by_its_folder_and_added_once():
    assert add_game("tests.model.bone_bids") == "bone_bids_v0"
    with pytest.raises(
        ValueError, match=r"there is a game 'bone_bids' already, in tests\.model\.bone_bids"
    ):
        add_game("elsewhere.bone_bids")
    with pytest.raises(ValueError, match="'os' is not a game package"):
        add_game("os")
    assert "os" not in registry.packages()
