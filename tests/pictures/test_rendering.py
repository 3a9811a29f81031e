"""Render modes, the window, notebooks, films, and the commands that draw."""

import gc
import json
import os
import pickle
import re
import subprocess
import sys
import warnings
from base64 import b64decode

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo
from pettingzoo.test import render_test
from PIL import Image
from typer.testing import CliRunner

import dig_envs
from dig_envs.adapters.parallel import Parallel
from dig_envs.adapters.rendering import ShownPosition
from dig_envs.commands.main import app
from dig_envs.engine.core.errors import OptionError
from dig_envs.engine.core.installing import how_to_install
from dig_envs.games.fossil_cards import name_of
from dig_envs.pictures.drawing import CAPTION, sheet_of
from dig_envs.pictures.film import Film, check_film
from dig_envs.pictures.window import Window
from tests.games import every_game, needs_compiling, positions

pytestmark = needs_compiling

NAME = "fossil_canyon_v0"
SMALL, LARGE = np.zeros((40, 60, 3), np.uint8), np.zeros((400, 600, 3), np.uint8)


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("dig_envs.adapters.rendering.RENDER_FPS", 1000)


def dealt(mode=None, **settings):
    """An environment at the start of a game."""
    env = dig_envs.make(NAME, render_mode=mode, **settings)
    env.reset(seed=1)
    return env


def run(*arguments, code=0):
    """Run a command; returns what it printed without line breaks."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done.output.replace("\n", "")


# ---------------------------------------------------------------- modes


@every_game
def test_pettingzoo_render_test(name):
    render_test(lambda render_mode: dig_envs.make(name, render_mode=render_mode))


@every_game
def test_frames_have_one_size_and_the_last_position_is_rendered(name):
    env = dig_envs.make(name, render_mode="rgb_array")
    env.reset(seed=1)
    scripted, sizes = dig_envs.load_agent("heuristic", name), set()
    for count, agent in enumerate(env.agent_iter()):
        if env.terminations[agent]:
            break
        env.step(scripted.act(env))
        if count % 40 == 0:
            sizes.add(env.render().shape)
    last = env.render()
    assert sizes | {last.shape} == {last.shape}
    assert last.dtype == np.uint8


def test_each_mode_gives_what_it_says():
    for mode, kind in (
        ("ansi", str),
        ("svg", str),
        ("rgb_array", np.ndarray),
        ("human", type(None)),
    ):
        env = dealt(mode)
        assert isinstance(env.render(), kind)
        env.close()
    assert env.unwrapped.metadata["render_modes"] == ["ansi", "human", "rgb_array", "svg"]
    parallel = Parallel(NAME, render_mode="rgb_array")
    parallel.reset(seed=1)
    assert parallel.render().ndim == 3


def test_without_a_mode_or_a_game_nothing_is_rendered():
    with pytest.warns(UserWarning, match="render_mode"):
        assert dealt().render() is None
    with pytest.raises(ResetNeeded):
        dig_envs.make(NAME, render_mode="svg").unwrapped.render()


def test_what_is_rendered_is_public_or_all_or_of_an_agent():
    shown = {
        what: dealt("svg", render_view=what).render()
        for what in ("public", "all", "player_0", "player_1")
    }
    assert len(set(shown.values())) == 4
    for card in set(dealt().unwrapped.snapshot()["hidden"][0]):
        assert name_of(card) in shown["all"]
        assert name_of(card) in shown["player_0"]
        assert name_of(card) not in shown["public"]
    for wrong in ({"render_view": "player_7"}, {"render_mode": "hologram"}):
        with pytest.raises(OptionError, match=next(iter(wrong.values()))):
            dig_envs.make(NAME, **wrong)


def test_gymnasium_checks_and_records(tmp_path):
    env = gymnasium.make("dig_envs:dig/fossil_canyon-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped)
        film = RecordVideo(env, str(tmp_path), disable_logger=True)
        film.reset(seed=1)
        for _ in range(3):
            mask = film.unwrapped.action_masks()
            film.step(int(np.flatnonzero(mask)[0]))
        film.close()
    assert [path.suffix for path in tmp_path.iterdir() if path.suffix == ".mp4"] == [".mp4"]


# ---------------------------------------------------------------- window


def test_human_mode_shows_each_position_in_a_window(monkeypatch):
    shown = []
    monkeypatch.setattr(Window, "show", lambda window, pixels: shown.append(pixels.shape))
    env = dealt("human")
    env.step(dig_envs.load_agent("heuristic", NAME).act(env))
    assert len(shown) == 2
    env.close()


def show_often(window):
    """A pipe that nobody reads takes a frame or two before it breaks."""
    for _ in range(10):
        window.show(LARGE)


def test_a_window_ends_with_close_and_when_it_is_closed():
    window = Window("test")
    window.show(SMALL)
    window.close()
    window.close()
    assert window._process.returncode == 0
    window.show(SMALL)  # nothing happens
    other = Window("test")
    other.show(SMALL)
    other._process.terminate()  # as if somebody had closed it
    other._process.wait(10)
    other._process.returncode = 0
    show_often(other)
    assert other.closed


def test_a_window_goes_with_its_environment_and_not_with_copies():
    env = dealt("human")
    assert pickle.loads(pickle.dumps(env.unwrapped))._window is None
    process = env.unwrapped._window._process
    del env
    gc.collect()
    assert process.returncode == 0


def test_where_no_window_can_be_opened_it_says_why(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    window = Window("test")
    window._process.wait(30)
    with pytest.raises(RuntimeError, match=r"no window can be opened: .*no_such_driver"):
        show_often(window)


# ---------------------------------------------------------------- notebooks


def drawn(thing):
    """The picture that a notebook shows."""
    return b64decode(
        re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', thing._repr_html_())[1]
    ).decode()


def test_without_the_extra_a_notebook_shows_text(monkeypatch):
    monkeypatch.setattr("dig_envs.adapters.rendering.can_draw", lambda: False)
    html = dealt()._repr_html_()
    assert "<pre>" in html
    assert "<img" not in html


def test_environments_snapshots_and_views_show_themselves():
    assert "call <code>reset()</code>" in dig_envs.make(NAME)._repr_html_()
    env = dealt()
    assert f"to move: {env.agent_selection}" in env._repr_html_()
    assert "<svg" in drawn(env)
    snapshot, view = env.unwrapped.snapshot(), env.unwrapped.view("player_1")
    assert drawn(snapshot) != drawn(view)
    assert "You" in drawn(view)
    assert json.loads(json.dumps(view)) == view
    twin = pickle.loads(pickle.dumps(view))
    assert isinstance(twin, ShownPosition)
    assert (twin, twin.seat) == (view, 1)


def test_without_the_extra_nothing_is_drawn_and_it_says_what_to_install():
    program = """
import sys
for name in ("drawsvg", "thorvg_python"):
    sys.modules[name] = None
import dig_envs
import dig_envs.commands.main
env = dig_envs.make("go_dig_v0", render_mode="ansi")
env.reset(seed=1)
assert env.render()
env = dig_envs.make("go_dig_v0", render_mode="rgb_array")
env.reset(seed=1)
try:
    env.render()
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert how_to_install("pictures") in done.stdout


@pytest.mark.parametrize(
    ("absent", "modes"),
    [
        (["drawsvg", "thorvg_python", "pygame"], ["ansi"]),
        (["thorvg_python"], ["ansi", "svg"]),
        (["pygame"], ["ansi", "rgb_array", "svg"]),
    ],
)
def test_modes_that_cannot_be_drawn_are_not_listed(absent, modes):
    program = f"""
import sys, warnings
for name in {absent}:
    sys.modules[name] = None
import gymnasium
from gymnasium.utils.env_checker import check_env
import dig_envs
env = gymnasium.make("dig_envs:dig/go_dig-v0")
warnings.simplefilter("ignore")
check_env(env.unwrapped)  # renders in each mode that is listed
made = dig_envs.make("go_dig_v0"), dig_envs.make_parallel("go_dig_v0")
for one in (env.unwrapped, *(one.unwrapped for one in made)):
    print(one.metadata["render_modes"])
"""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.stdout.splitlines() == [str(modes)] * 3, done.stderr


# ---------------------------------------------------------------- films and commands


@pytest.mark.parametrize("name", ["film.gif", "film.mp4", "film"])
def test_watch_films_a_game(tmp_path, name):
    path = tmp_path / name
    words = (
        "--agents",
        "random",
        "--seed",
        3,
        "--draw",
        "never",
        "-o",
        "max_turns=2",
        "--delay",
        0.1,
    )
    output = run("watch", NAME, *words, "--picture", path)
    count = int(re.search(r"(\d+) pictures in", output)[1])
    assert "seed 3" in output
    assert count > 2
    if path.is_dir():
        assert len(list(path.glob("*.svg"))) == count
    elif path.suffix == ".gif":
        assert Image.open(path).n_frames in range(count // 2, count + 1)  # equal ones become one
    else:
        assert path.stat().st_size > 1000


def test_a_picture_stands_as_long_as_its_words_take(tmp_path):
    env = dealt().unwrapped
    sheets = [
        sheet_of(env.game, env.game.to_public(env.snapshot()), None, caption=[text])
        for text in ("Few words.", "There are more words here than before.")
    ]
    for delay, shown in ((None, [500, 2000]), (0.2, [200, 200])):
        with Film(tmp_path / "film.gif", delay) as film:
            for sheet, words in zip(sheets, (2, 8), strict=True):
                film.add(sheet, words)
        with Image.open(tmp_path / "film.gif") as read:
            durations = []
            for frame in range(read.n_frames):
                read.seek(frame)
                durations.append(read.info["duration"])
        assert durations == shown


def test_films_go_to_known_places_only(tmp_path):
    for bad in (tmp_path / "film.avi", tmp_path / "nowhere" / "film.gif"):
        with pytest.raises((ValueError, FileNotFoundError)):
            check_film(bad)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("")
    with pytest.raises(ValueError, match="not an empty folder"):
        Film(tmp_path / "full")
    assert "film.avi" in run("watch", NAME, "--picture", tmp_path / "film.avi", code=2)


def interrupted_film(path, frames, beside=None):
    """Add frames to a film, and a file beside them, and then press Ctrl-C."""
    env = dealt().unwrapped
    sheet = sheet_of(env.game, env.game.to_public(env.snapshot()), None)
    with Film(path) as film:
        for _ in range(frames):
            film.add(sheet)
        if beside is not None:
            beside.write_text("mine")
        raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["film.gif", "film.mp4", "film"])
@pytest.mark.parametrize("frames", [0, 2])
def test_an_interrupted_film_leaves_what_was_there(tmp_path, name, frames):
    """An earlier film or an empty folder; nothing of the new one is left."""
    path = tmp_path / name
    if path.suffix:
        path.write_bytes(b"earlier")
    else:
        path.mkdir()
    with pytest.raises(KeyboardInterrupt):
        interrupted_film(path, frames)
    assert list(tmp_path.rglob("*")) == [path]
    assert path.is_dir() or path.read_bytes() == b"earlier"


def test_an_interrupted_film_removes_its_own_files_only(tmp_path):
    with pytest.raises(KeyboardInterrupt):  # the first error, not that the folder is not empty
        interrupted_film(tmp_path / "film", 1, tmp_path / "film" / "mine")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["film", "mine"]


def test_picture_of_a_saved_position(tmp_path):
    file = tmp_path / "position.json"
    file.write_text(json.dumps(dealt().unwrapped.snapshot()))
    public = run("picture", file)
    assert public.endswith("</svg>")
    run("picture", file, "--view", "player_0", "--theme", "dark", "--out", tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    run("picture", file, "--view", "all", "--out", tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text().replace("\n", "") != public


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        ({"turn": "x"}, [], "turn"),
        ({"game": "chess"}, [], "chess"),
        ({}, ["--view", "player_9"], "player_9"),
        ({}, ["--theme", "pink"], "pink"),
        ({}, ["--out", "p.bmp"], ".svg or .png"),
    ],
)
def test_picture_refuses_what_is_none(tmp_path, change, arguments, words):
    file = tmp_path / "position.json"
    file.write_text(json.dumps({**dealt().unwrapped.snapshot(), **change}))
    assert words in run("picture", file, *arguments, code=2)


def test_captions_are_written_below_the_picture_and_leave_its_size():
    """All frames of a film are of one size, whatever has happened; a long caption keeps its end."""
    env = next(positions("go_dig_v0", {}, 1, 1))
    view = env.game.to_public(env.snapshot())
    plain = sheet_of(env.game, view, None)
    sheets = [
        sheet_of(env.game, view, None, caption=caption)
        for caption in ([], ["Bob digs."], [f"Event {n} happens." for n in range(99)])
    ]
    assert {sheet.height - plain.height for sheet in sheets} == {CAPTION}
    assert sheets[1].things["caption"] == "Bob digs."
    assert ">Bob digs.<" in sheets[1].svg()
    assert "Event 98 happens." in sheets[2].svg()
    assert "Event 1 happens." not in sheets[2].svg().split("</title>")[-1]
