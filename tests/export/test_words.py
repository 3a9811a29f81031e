"""Exported games say and draw in JavaScript what they say and draw here, and take the same
positions from outside."""

import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from hashlib import sha256

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from dig_envs.engine.core.errors import OptionError, SnapshotError
from dig_envs.export.build import export_game
from dig_envs.export.words import words_module
from dig_envs.registry import list_environments, load_game
from tests.engine.mutations import moves, mutations
from tests.export.node import NODE, POLICY, SMALL, needs_node, node
from tests.export.serving import serving
from tests.export.words import play
from tests.saves import FORM, answered, changed_saves, choose_file, damaged
from tests.server.browsing import MINE_OR_OVER, browsing, is_over, new_page

pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")


def episodes_of(game, count, every, most=400):
    """Return episodes with different options, and what is said in them."""
    few = [option for option in game.options if 1 < len(option.values) <= 8]
    found = []
    for k in range(count):
        options = {
            option.name: option.values[(k // (i + 1)) % len(option.values)]
            for i, option in enumerate(few)
        }
        try:
            game.complete_options(options)
        except OptionError:
            options = {}
        found.append(play(game, options, 1000 + k, most, every, scripted=k % 2 == 0))
    return found


def said_in_node(folder, game, episodes, *text):
    plan = folder / "words.json"
    plan.write_text(
        json.dumps(
            [{key: value for key, value in one.items() if key != "moments"} for one in episodes]
        )
    )
    return node("words.mjs", folder / f"{game.name}.js", plan, *text)


def check_words(folder, game, count, every):
    """Check all that is said at each moment: snapshot, view, text, picture, headline, actions,
    events; and the state restored. The code for one file says the same."""
    episodes = episodes_of(game, count, every)
    found = said_in_node(folder, game, episodes)
    assert said_in_node(folder, game, episodes[::2], folder / "wasm.js") == found[::2]
    for episode, moments in zip(episodes, found, strict=True):
        for expected, there in zip(
            json.loads(json.dumps(episode["moments"])), moments, strict=True
        ):
            for key, value in expected.items():
                assert there[key] == value, key
    return episodes


def check_positions(folder, game, snapshots, count):
    """Changed positions are taken here and there, and are the same states then, or are refused here
    and there."""
    rng = np.random.default_rng(1)
    tried = [
        snapshot
        for one in snapshots
        for snapshot in (
            *mutations(one, game.json_schema, rng, count),
            *moves(one, game.json_schema, rng, count),
        )
    ]
    expected = []
    for snapshot in tried:
        try:
            expected.append(
                {"sha256": sha256(game.from_snapshot(snapshot).tobytes()[8:]).hexdigest()}
            )
        except SnapshotError as error:
            expected.append({"refused": str(error)})
    path = folder / "positions.jsonl"
    path.write_text("\n".join(map(json.dumps, tried)))
    found = node("positions.mjs", folder / f"{game.name}.js", path)
    for snapshot, here, there in zip(tried, expected, found, strict=True):
        assert here.keys() == there.keys(), (here, there, snapshot)
        assert here.get("sha256") == there.get("sha256")
    same = sum(here == there for here, there in zip(expected, found, strict=True))
    assert same > 0.9 * len(expected), "but for how values are shown, the words are the same"
    refused = sum("refused" in here for here in expected)
    assert 0 < refused < len(expected)


@needs_node
def test_node_says_what_is_said_here(package):
    game = load_game(SMALL)
    episodes = check_words(package, game, 2, 11)
    check_positions(
        package,
        game,
        [moment["snapshot"] for one in episodes for moment in one["moments"][::4]],
        20,
    )


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize("name", list_environments())
def test_all_games_say_what_is_said_here(name, tmp_path):
    game = load_game(name)
    export_game(game, "wasm", tmp_path)
    episodes = check_words(tmp_path, game, 8, 5)
    check_positions(
        tmp_path,
        game,
        [moment["snapshot"] for one in episodes for moment in one["moments"][::3]],
        60,
    )


@contextmanager
def served(package, folder):
    """The address where the files of a package are served, in which no player pauses before it
    plays."""
    shutil.copytree(package, folder)
    worker = folder / "page" / "worker.js"
    text, count = re.subn(r"PAUSE = \d+;", "PAUSE = 0;", worker.read_text())
    assert count == 1
    worker.write_text(text)
    with serving(folder) as address:
        yield address


@pytest.fixture
def site(package, tmp_path):
    with served(package, tmp_path / "site") as address:
        yield address


def check_offers(page):
    """The policy is offered with the usual turn limit, that it was trained for, and a saved game
    with another one is not played with it."""
    offers = "one => [...document.querySelectorAll('#player option')].some(o => o.value === one)"
    page.click("summary")
    field = page.locator("#max_turns")
    for value, offered in (("100", f"one => !({offers})(one)"), ("200", offers)):
        field.fill(value)
        field.dispatch_event("change")
        page.wait_for_function(offered, arg=POLICY)
    page.select_option("#player", POLICY)
    env = RawAEC(SMALL, num_players=2, max_turns=100)
    env.reset(seed=1)
    choose_file(page, json.dumps(env.snapshot()).encode())
    page.click("#start")
    page.wait_for_selector("#said .error:not(:empty)")
    assert "not trained for these options" in page.inner_text("#said .error")
    page.evaluate("document.getElementById('said').replaceChildren()")
    page.locator("#file").evaluate("file => { file.value = ''; }")
    page.click("summary")


def test_a_whole_game_on_the_page(site):
    """Against the policy, without a server: by the keyboard, by what is clicked; taken back once;
    hints; the end."""
    errors: list[str] = []
    with browsing() as browser:
        page = new_page(browser.new_context(), errors)
        page.goto(site)
        page.wait_for_selector("#start")
        page.wait_for_selector("#player option", state="attached")
        check_offers(page)
        page.click("summary")
        page.fill("#seed", "7")
        page.keyboard.press("Enter")
        page.wait_for_selector(MINE_OR_OVER.replace("[data-connection=open]", ""))
        dealt = load_game(SMALL)
        assert "You" in page.inner_text(".picture")
        assert page.locator("#text").inner_text(timeout=1000) is not None
        decisions = 0
        while not is_over(page):
            before = page.get_attribute("body", "data-version")
            if decisions == 1:
                page.click("#back")
                page.wait_for_function(
                    "before => document.body.dataset.version !== before", arg=before
                )
                page.wait_for_selector("body[data-asked=yes][data-busy=no]")
                assert page.locator("#back").is_disabled(), "the only decision was taken back"
                before = page.get_attribute("body", "data-version")
            if decisions % 9:
                page.locator("#actions .action").first.focus()
                page.keyboard.press("Enter")
            else:
                page.keyboard.press("h")
                page.click("#advice button")
            page.wait_for_function("before => document.body.dataset.version !== before", arg=before)
            page.wait_for_selector("body[data-asked=yes][data-busy=no], body[data-over=yes]")
            decisions += 1
            assert decisions < dealt.max_actions
        assert page.inner_text("#outcome").startswith(("You ", "Nobody"))
        assert "The game is over" in page.inner_text("#status")
        assert page.locator("#log li").count() > 2 * decisions
        page.click("#again")
        page.wait_for_selector("#start")
    assert errors == []


ANSWERED = "#said .error:not(:empty), .table .picture svg"


def check_saves(page, address, game, changed):
    """Whatever a file is, the page answers: it plays it, or says what is wrong and leaves the
    form as it was; afterwards it can be played on."""
    page.goto(address)
    page.wait_for_selector("#start")
    page.click("summary")
    page.select_option("#player", "random")
    page.fill("#seed", "5")
    form, played = page.evaluate(FORM), 0
    env = RawAEC(game.env_name)
    env.reset(seed=1)
    wrong = damaged(game, env.snapshot())
    for name, content in [*wrong.items(), *changed_saves(game.env_name, changed)]:
        choose_file(page, content)
        page.click("#start")
        answered(page, ANSWERED)
        if page.locator(".table").count():
            assert name not in wrong
            played += 1
            page.click("#new")
            page.wait_for_selector("#start")
            page.click("summary")
            page.select_option("#player", "random")
            page.fill("#seed", "5")
        assert page.evaluate(FORM) == form
        page.evaluate("document.getElementById('said').replaceChildren()")
    assert changed == 0 or 0 < played < changed
    page.locator("#file").evaluate("file => { file.value = ''; }")
    page.click("#start")
    page.wait_for_selector("body[data-asked=yes][data-busy=no]")
    before = page.get_attribute("body", "data-version")
    page.keyboard.press("h")
    page.click("#advice button")
    page.wait_for_function("before => document.body.dataset.version !== before", arg=before)
    return played


def test_what_is_no_saved_game_is_refused_by_the_page(site):
    errors: list[str] = []
    with browsing() as browser:
        check_saves(new_page(browser.new_context(), errors), site, load_game(SMALL), 24)
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dino_dig_v0", "diggity_v0", "the_big_dig_v0"])
def test_pages_of_other_games_refuse_it_too(name, tmp_path):
    export_game(load_game(name), "wasm", tmp_path / "package")
    errors: list[str] = []
    with served(tmp_path / "package", tmp_path / "site") as address, browsing() as browser:
        check_saves(new_page(browser.new_context(), errors), address, load_game(name), 120)
    assert errors == []


@needs_node
@pytest.mark.parametrize("name", list_environments())
def test_all_that_a_game_says_has_a_translation(name, tmp_path):
    """Whatever is added to a game's drawing, picture, events or checks must not keep it from being
    exported."""
    text = words_module(load_game(name))
    assert text.count("export const ") > 10
    assert name != SMALL or text == words_module(load_game(name)), "it is the same each time"
    (tmp_path / "words.mjs").write_text(text)
    subprocess.run([str(NODE), "--check", str(tmp_path / "words.mjs")], check=True)
