"""Settings: what there is to set, inheritance, defaults, what may change when a run goes on."""

import json
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from dig_envs.registry import load_game, packages
from tests.training.tiny import LEG, changed, done, train
from training.learner import choose_device
from training.settings import DEFAULTS, FOLDER, Settings, defaults_as_toml, load_settings
from training.train import check_same_run

FILES = sorted(set(FOLDER.glob("*.toml")) - {DEFAULTS})
CELLS = {"fields": ["open_exists"], "units": 3}


def test_the_defaults_are_written_from_the_schema():
    """``python -m training.settings`` writes them; what is there is TOML with all settings and
    their meanings."""
    text = DEFAULTS.read_text()
    assert text == defaults_as_toml()
    assert tomllib.loads(text) == Settings().as_dict()
    assert text.count("#") > len(Settings().as_dict())


def test_a_file_says_only_what_differs(tmp_path):
    """Its own values over those of the file that it inherits from, over the defaults; a table
    replaces a table."""
    (tmp_path / "first.toml").write_text("epochs = 7\ngamma = 0.5\n[opponents]\nrandom = 2.0\n")
    (tmp_path / "second.toml").write_text('inherits = "first.toml"\ngamma = 0.25\n')
    settings = load_settings("any", tmp_path / "second.toml", ["clip_range=0.125"])
    assert settings == Settings.of(
        epochs=7, gamma=0.25, clip_range=0.125, opponents={"random": 2.0}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'inherits = "other.toml"',
            "inherits must name a settings file beside it, not 'other.toml'",
        ),
        ("inherits = 3", "inherits must name a settings file beside it, not 3"),
        ('inherits = "x.toml"', "inherits from itself"),
        ("layers = [", "x.toml is not a TOML file"),
        ("gamma = 2.0", "x.toml: gamma must be from 0 to 1, not 2.0"),
    ],
)
def test_bad_files(text, message, tmp_path):
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_settings("any", tmp_path / "x.toml")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gama": 0.9}, "no setting 'gama'; the nearest is 'gamma'"),
        ({"gamma": True}, "gamma must be a number, not True"),
        ({"gamma": -0.1}, "gamma must be from 0 to 1, not -0.1"),
        ({"win_weight": float("inf")}, "win_weight must be a finite number, not inf"),
        ({"num_envs": 2.5}, "num_envs must be an integer, not 2.5"),
        ({"layers": []}, "layers must have at least one entry"),
        ({"layers": [8, 0]}, "layers[1] must be at least 1, not 0"),
        ({"games": [{}, {}, {}]}, "must be a multiple of the number of [[games]] (3)"),
        ({"num_envs": 1, "rollout_steps": 1}, "num_envs times rollout_steps must be at least 2"),
        ({"opponents": {"random": -1}}, "opponents.random must be at least 0, not -1"),
        (
            {"opponents": {"random": 0, "best": 1}},
            "a weight above 0 for an agent such as heuristic",
        ),
        ({"late_rewards": {"win_weight": 1}}, "late_rewards needs from: share of the budget"),
        ({"late_rewards": {"from": 2, "win_weight": 1}}, "late_rewards.from must be from 0 to 1"),
        (
            {"late_rewards": {"from": 0.5}},
            "late_rewards needs some of win_weight, score_weight, shaping_weight",
        ),
        ({"grid": {"rows": 1}}, "grid needs cells"),
        ({"links": [{}]}, "links[0] needs cells"),
        ({"cells": [{**CELLS, "fields": [1]}]}, "cells[0].fields[0] must be a text, not 1"),
        ({"cells": [{}]}, "cells[0] needs units"),
        (
            {"cells": [{**CELLS, "unit": 4}]},
            "no setting 'cells[0].unit'; the nearest is 'cells[0].units'",
        ),
        ({"cells": [{**CELLS, "units": 0}]}, "cells.units must be at least 1"),
        (
            {"cells": [{**CELLS, "units": 0, "leave_out": True, "actions": ["x"]}]},
            "cells.units must be at least 1",
        ),
    ],
)
def test_bad_settings(changes, message):
    """The error names the setting, what it may be, and for an unknown one the nearest."""
    with pytest.raises(ValueError, match=re.escape(message)):
        Settings.of(**changes)


def test_a_setting_is_checked_however_it_comes():
    """The error says where it came from."""
    with pytest.raises(ValueError, match="epochs must be at least 1"):
        replace(Settings(), epochs=0)
    for change, message in (
        ("epochs=0", "--set: epochs must be at least 1, not 0"),
        ("learning_rate=abc", "--set: learning_rate must be a number, not 'abc'"),
        ("epocs=1", "--set: no setting 'epocs'; the nearest is 'epochs'"),
        ("minutes=2020-01-01", "--set: minutes must be a number, not '2020-01-01'"),
        ("games=[{}, {}, {}]", f"{FOLDER / 'go_dig.toml'} with --set: num_envs"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            load_settings("go_dig", None, [change])


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("opponents={heuristic=1}", {"heuristic": 1}),
        ('opponents={"heuristic": 1}', {"heuristic": 1}),
        ("games=[{num_players=3}]", [{"num_players": 3}]),
        ("batch_size=4_096", 4096),
        ("bfloat16=false", False),
        ("warm_start='go_dig/policy'", "go_dig/policy"),
        ("warm_start=go_dig/policy", "go_dig/policy"),
        ("warm_start=1\nepochs = 9", "1\nepochs = 9"),
    ],
)
def test_a_change_is_toml_or_json_or_a_word(change, value):
    settings = load_settings("a_game_to_come", None, [change])
    assert settings == replace(Settings.of(), **{change.partition("=")[0]: value})


# Snapshots have to be asked for every move, which leaves less time to learn; baselines know no
# earlier versions.
NO_SELF_PLAY = (
    "diggity_2to4",
    "dino_dig_quick",
    "dino_dig_2to4",
    "fossil_memory_2to4",
    "go_dig_2to4",
    "oak_island_2to4",
)
NO_SELF_PLAY += ("baseline", "fossil_memory_baseline", "twenty_questions_baseline")
NO_SELF_PLAY += ("the_big_dig_baseline",)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_settings_file_is_valid(file):
    """Every settings file is valid, its games' options included, and states only values that differ
    from those it inherits."""
    game = load_game(next(filter(file.stem.startswith, packages()), "go_dig"))
    settings = load_settings(game.name, file)
    for options in settings.games:
        game.complete_options(options)
    if not game.cooperative:
        assert ({"best", "snapshots"} <= set(settings.opponents)) == (file.stem not in NO_SELF_PLAY)
    values = tomllib.loads(file.read_text())
    parent = values.pop("inherits", None)
    inherited = load_settings("any", FOLDER / parent if parent else None).as_dict()
    assert {key for key, value in values.items() if inherited[key] == value} == set()


def test_a_game_without_a_file_imitates_and_plays_against_itself(tmp_path):
    """The defaults are a complete recipe; here with everything but its sizes."""
    settings = load_settings("a_game_to_come")
    assert settings == Settings.of()
    assert settings.warm_start == "heuristic"
    assert {"heuristic", "snapshots", "best"} <= set(settings.opponents)
    words = ["--settings", str(DEFAULTS), "--steps", str(2 * LEG), *changed(gate_games=4)]
    done(train(tmp_path / "run", tmp_path / "zoo" / "x", *words, env="the_big_dig_v0"))
    card = json.loads((tmp_path / "zoo" / "x" / "card.json").read_text())
    assert (card["history"][0]["stage"], card["history"][0]["steps"]) == (
        "imitation of 'heuristic'",
        LEG,
    )
    assert set(card["settings"]["opponents"]) == {"heuristic", "random", "best", "snapshots"}


def test_device(monkeypatch):
    """``auto`` takes a GPU if there is one; another name has to be one that works here. Games go to
    the same GPU."""
    assert choose_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="device 'abacus' cannot be used here"):
        choose_device("abacus")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device 'cuda' cannot be used here"):
            choose_device("cuda")
    current = []
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    monkeypatch.setattr(
        torch, "empty", lambda _, device: SimpleNamespace(device=torch.device(device))
    )
    assert [choose_device("cuda:1")] == current == [torch.device("cuda:1")]


def test_how_a_run_is_computed_may_change(tmp_path):
    """The device, the number of threads and the time of a run may change; but not what it
    learns."""
    wanted = {
        "environment": "x_v0",
        "seed": 1,
        "settings": Settings.of().as_dict(),
        "steps": None,
        "history": [],
    }
    (tmp_path / "run.json").write_text(json.dumps(wanted))
    for change in ({"device": "cuda"}, {"threads": 3}, {"bfloat16": False}, {"minutes": 5.0}):
        check_same_run(tmp_path, {**wanted, "settings": {**wanted["settings"], **change}})
    with pytest.raises(ValueError, match="layers is"):
        check_same_run(tmp_path, {**wanted, "settings": {**wanted["settings"], "layers": [3]}})
    (tmp_path / "run.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match="is damaged"):
        check_same_run(tmp_path, wanted)


def test_nothing_global_is_changed():
    """Importing training leaves PyTorch, NumPy's threads and matplotlib as they are; ``ppo.py``
    needs nothing else of training."""
    code = (
        "import os, sys; before = dict(os.environ)\n"
        "import torch; threads = torch.get_num_threads()\n"
        "import training.ppo\n"
        "assert {name for name in sys.modules if name.startswith('training')} == {'training', "
        "'training.ppo', 'training.rows'}\n"
        "import training.train\n"
        "assert dict(os.environ) == before\n"
        "assert torch.get_num_threads() == threads\n"
        "assert torch.distributions.Categorical(torch.ones(2))._validate_args is not False\n"
        "assert not {'matplotlib.pyplot', 'stable_baselines3'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
