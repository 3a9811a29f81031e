"""Settings: inheritance, defaults, what may change when a run goes on."""

import json
from dataclasses import replace

import pytest
import torch

from tests.training.tiny import LEG, train
from training.command_options import read_settings
from training.ppo import choose_device
from training.settings import DEFAULTS, FOLDER, Settings, load_settings
from training.train import check_same_run


def test_a_file_says_only_what_differs(tmp_path):
    """Its own values over those of the file that it inherits from, over the defaults; tables as a whole."""
    (tmp_path / "first.toml").write_text("epochs = 7\ngamma = 0.5\n[opponents]\nrandom = 2.0\n")
    (tmp_path / "second.toml").write_text('inherits = "first.toml"\ngamma = 0.25\n')
    settings = load_settings("any", tmp_path / "second.toml", ["clip_range=0.125"])
    assert (settings.epochs, settings.gamma, settings.clip_range) == (7, 0.25, 0.125)
    assert settings.opponents == {"random": 2.0}
    changed = {"epochs", "gamma", "clip_range", "opponents"}
    expected = {key: value for key, value in Settings.of().as_dict().items() if key not in changed}
    assert {key: value for key, value in settings.as_dict().items() if key not in changed} == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('inherits = "other.toml"', "inherits must name a settings file beside it, not 'other.toml'"),
        ("inherits = 3", "inherits must name a settings file beside it, not 3"),
        ('inherits = "x.toml"', "inherits from itself"),
        ("gamma = 2.0", "gamma must be from 0 to 1"),
        ("gamma = true", "gamma must be of type float, not True"),
        ("num_envs = 2.5", "num_envs must be of type int, not 2.5"),
        ("threads = -1", "threads must not be negative"),
    ],
)
def test_bad_files(text, message, tmp_path):
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_settings("any", tmp_path / "x.toml")


def test_no_file_repeats_what_it_inherits():
    """What a file says differs from what it would have without."""
    import tomllib

    for file in set(FOLDER.glob("*.toml")) - {DEFAULTS}:
        values = tomllib.loads(file.read_text())
        parent = values.pop("inherits", None)
        inherited = load_settings("any", FOLDER / parent if parent else None).as_dict()
        assert {key for key, value in values.items() if inherited[key] == value} == set(), file.name


def test_a_game_without_a_file_imitates_and_plays_against_itself(tmp_path):
    """The defaults are a whole recipe; here with everything but its sizes."""
    settings = load_settings("a_game_to_come")
    assert settings == Settings.of()
    assert settings.warm_start == "heuristic"
    assert {"heuristic", "snapshots", "best"} <= set(settings.opponents)
    words = ["--settings", str(DEFAULTS), "--steps", str(3 * LEG), "--set", "gate_games=4"]
    result = train(tmp_path / "run", tmp_path / "zoo" / "x", *words, env="the_big_dig_v0")
    assert result.returncode == 0, result.stderr
    card = json.loads((tmp_path / "zoo" / "x" / "card.json").read_text())
    assert card["history"][0]["stage"] == "imitation of 'heuristic'"
    assert card["history"][0]["steps"] == LEG
    assert set(card["settings"]["opponents"]) == {"heuristic", "random", "best", "snapshots"}


def test_device():
    """``auto`` takes a GPU if there is one; another name has to be one that works here."""
    assert choose_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="device 'abacus' cannot be used here"):
        choose_device("abacus")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device 'cuda' cannot be used here"):
            choose_device("cuda")


def test_how_a_run_is_computed_may_change(tmp_path):
    """Where, with how many threads, for how long; but not what it learns."""
    wanted = {"environment": "x_v0", "seed": 1, "settings": Settings.of().as_dict(), "steps": None, "history": []}
    (tmp_path / "run.json").write_text(json.dumps(wanted))
    for change in ({"device": "cuda"}, {"threads": 3}, {"bfloat16": True}, {"minutes": 5.0}):
        check_same_run(tmp_path, {**wanted, "settings": {**wanted["settings"], **change}})
    with pytest.raises(ValueError, match="layers is"):
        check_same_run(tmp_path, {**wanted, "settings": {**wanted["settings"], "layers": [3]}})
    (tmp_path / "run.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match="is damaged"):
        check_same_run(tmp_path, wanted)


def test_nothing_global_is_changed():
    """Importing training leaves PyTorch, NumPy's threads and matplotlib as they are."""
    import subprocess
    import sys

    code = (
        "import os; before = dict(os.environ)\n"
        "import torch; threads = torch.get_num_threads()\n"
        "import training.train, training.ppo\n"
        "assert dict(os.environ) == before\n"
        "assert torch.get_num_threads() == threads\n"
        "assert torch.distributions.Categorical(torch.ones(2))._validate_args is not False\n"
        "import sys; assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert 'stable_baselines3' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_command_line_before_settings():
    """What the command says of how a run is computed goes before the file and ``--set``; what it leaves out stays as these say."""
    changes = ["threads=3", "device=cpu"]
    assert read_settings("go_dig", None, changes, None, None, False) == load_settings("go_dig", None, changes)
    changed = read_settings("go_dig", None, changes, "cuda", 0, True)
    assert (changed.device, changed.threads, changed.bfloat16) == ("cuda", 0, True)
    assert changed == replace(load_settings("go_dig"), device="cuda", threads=0, bfloat16=True)
