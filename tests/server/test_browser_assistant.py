"""The assistant for a real table in a real browser: an opening and actions that are tapped, and the
views of the true game."""

import json

import numpy as np

import dig_envs
from dig_envs.adapters.aec import RawAEC
from dig_envs.adapters.seat import opening_of
from dig_envs.commands.beginning import go_on
from dig_envs.engine.event_log import EventLog
from dig_envs.registry import load_game
from tests.games import mostly_heuristic, play
from tests.server.browsing import Server, new_page

KEPT = "JSON.parse(localStorage.getItem('dig-envs:assistant'))"
NAME = "go_dig_v0"


def views_of(page):
    kept = page.evaluate(KEPT)
    return [kept["view"], *(one["view"] for one in kept["told"])]


def wait_for_views(page, number):
    page.wait_for_function(f"number => {KEPT}?.told.length === number - 1", arg=number)
    page.wait_for_selector("body[data-busy=no] #choices", state="attached")


def enter_opening(page, name, view, seat):
    """Fill in what a seat sees first: cards by taps, all else as it is written."""
    page.select_option("#game", name)
    page.click("#more summary")
    page.select_option("#option-num_players", str(len(view["scores"])))
    page.select_option("#seat", str(seat))
    page.wait_for_selector("#opening[aria-busy=false]")
    for key in opening_of(name, seat)[0]:
        parts = [(key, view[key])]
        if isinstance(view[key], list) and page.locator(f'[data-cards="{key}"]').count() == 0:
            whose = ["yours" if p == seat else f"Player {p + 1}" for p in range(len(view[key]))]
            parts = [(f"{key}, {who}", one) for who, one in zip(whose, view[key], strict=True)]
        elif isinstance(view[key], dict):  # of piles that show their top card
            parts = [(f"{key} {place}", pile[-1]) for place, pile in view[key].items()]
        for label, value in parts:
            cards = page.locator(f'[data-cards="{label}"]')
            if cards.count():
                cards.locator("summary").click()
                for card in value:
                    cards.locator(f'[data-card="{card}"]').click()
                continue
            field = page.locator(f'[id="opening-{label}"]')
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(label=value)
            else:
                field.fill(json.dumps(value))


def follow_by_taps(page, name, most, shot=lambda number: None):
    """Play a game elsewhere, and tap what the first seat sees of it; returns its views."""
    env, rng = RawAEC(name), np.random.default_rng(1)
    env.reset(seed=3)
    views = [json.loads(json.dumps(env.view("player_0")))]
    page.wait_for_selector("#opening *")
    enter_opening(page, name, views[0], 0)
    shot("opening")
    page.click("#start")
    wait_for_views(page, 1)
    log = EventLog(env.game, env.states)
    for number, action in enumerate(play(env, rng, mostly_heuristic, most)):
        first, mover = len(log), int(log.states["to_move"][0])
        log.play(mover, action)
        if mover == 0:
            page.wait_for_selector("#advice:not([hidden]) .chance")
        shot(f"{number}a")
        if name != NAME:
            page.evaluate("document.getElementById('told').open = true")
        told = [str(event) for event in log.told(0, first)]
        if mover and env.game.is_simultaneous and not told:
            continue
        if not (mover and env.game.is_simultaneous):
            tap_action(page, action)
        views.append(
            json.loads(json.dumps(log.game.to_view(log.game.to_snapshot(log.states[0]), 0)))
        )
        tap_events(page, told, len(views))
        assert views_of(page) == views, told
    return views


def tap_action(page, action):
    for _ in range(4):
        button = page.locator(f'#actions [data-action="{action}"]')
        if button.count():
            break
        page.click(f'#actions [data-actions~="{action}"]')
    button.click()


def tap_events(page, told, views):
    """Tap what was told, until the page has the next view."""
    for _ in range(2 * len(told) + 2):
        page.wait_for_selector("body[data-busy=no]")
        if len(views_of(page)) == views:
            break
        said = page.locator("#sofar li.event").count()
        if said == len(told):
            page.click("#nomore")
            continue
        event = page.locator("#events [data-line]").get_by_text(told[said], exact=True)
        if event.count():
            event.click()
        else:  # it is rare: not in the list
            page.fill("#line", told[said])
            page.press("#line", "Enter")
    wait_for_views(page, views)


def test_an_opening_and_a_few_actions_are_tapped(browser, tmp_path):
    """The views are those of the true game; they are saved, taken back and loaded, and the terminal
    reads them, too."""
    server, errors = Server(tmp_path / "games.sqlite"), []
    try:
        page = new_page(browser.new_context(accept_downloads=True), errors)
        page.goto(server.url)
        page.click("#assistant")
        views = follow_by_taps(page, NAME, 5)
        assert views_of(page) == views
        seat = dig_envs.Seat(views[-1], 0)
        assert page.inner_text("#status") == seat.headline()
        assert page.locator(".picture svg").count() == 1
        check_words_that_do_not_fit(page, views)
        with page.expect_download() as download:
            page.click("#save")
        download.value.save_as(tmp_path / "saved.json")
        saved = json.loads((tmp_path / "saved.json").read_text())
        told = [{"view": view} for view in views[1:]]
        assert saved == {"view": views[0], "seat": 0, "seed": 0, "told": told}
        page.click("#back")
        wait_for_views(page, len(views) - 1)
        page.reload()  # it is kept in the browser
        page.wait_for_selector("#choices", state="attached")
        assert views_of(page) == views[:-1]
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("#new")
        check_files_that_are_no_game(page, tmp_path)
        page.set_input_files("#file", tmp_path / "saved.json")
        wait_for_views(page, len(views))
        assert errors == []
        again = go_on(tmp_path / "saved.json", load_game(NAME), None)
        assert again.view() == views[-1]
        assert again.to_json() == saved
    finally:
        server.close()


def test_a_board_is_entered_by_a_field_for_each_place(browser, tmp_path):
    server, errors, typed = Server(tmp_path / "games.sqlite"), [], []
    try:
        page = new_page(browser.new_context(), errors)
        page.goto(server.url)
        page.click("#assistant")
        fields = page.locator("#opening input")
        views = follow_by_taps(
            page, "cretaceous_creek_v0", 0, lambda _: typed.append(fields.count())
        )
        assert views_of(page) == views
        assert typed == [0]
        assert errors == []
    finally:
        server.close()


def check_words_that_do_not_fit(page, views):
    """What is no event, or none that can come next, is refused in words, and can be taken back."""
    page.evaluate("document.getElementById('told').open = true")
    for line, press in (("nonsense", None), ("skipped 1", "#nomore")):
        page.fill("#line", line)
        page.press("#line", "Enter")
        if press:
            page.wait_for_selector("#trouble", state="hidden")
            page.click(press)
        page.wait_for_selector("#trouble:not([hidden])")
        assert line.split()[0] in page.inner_text("#trouble")
    page.click("#back")
    page.wait_for_selector("#sofar", state="hidden")
    assert views_of(page) == views


def check_files_that_are_no_game(page, folder):
    for text, words in (
        ("{", "not JSON"),
        ("[]", '"seat" and "told"'),
        ('{"seat": 0, "view": 1, "told": []}', "no game"),
    ):
        (folder / "bad.json").write_text(text)
        page.set_input_files("#file", folder / "bad.json")
        page.get_by_text(words).wait_for()
