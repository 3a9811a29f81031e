"""The table in a real browser: whole games by clicks, several people, lost connections, a killed server, keyboard, a phone."""

import pytest

from dig_envs.registry import list_environments
from tests.server.browsing import (
    HERE,
    MINE_OR_OVER,
    MY_TURN,
    Server,
    ask_for_hint,
    browsing,
    click_thing,
    hurry,
    is_over,
    new_page,
    set_up,
    version,
    wait_for_change,
)

# Options that keep a game short, and as few players as there can be; the rest is played by scripted players.
SHORT = {
    "cretaceous_creek_v0": (["human", "heuristic"], {}),
    "diggity_v0": (["human", "heuristic"], {"gold_cards": "2"}),
    "dino_dig_v0": (["human", "heuristic"], {"max_turns": "4"}),
    "fossil_canyon_v0": (["human", "heuristic"], {"max_turns": "3"}),
    "fossil_memory_v0": (["human", "heuristic"], {"max_turns": "12"}),
    "go_dig_v0": (["human", "heuristic"], {"max_turns": "16"}),
    "oak_island_v0": (["human", "heuristic"], {"max_rounds": "4"}),
    "the_big_dig_v0": (["human", "heuristic"], {"turns": "1"}),
    "twenty_questions_v0": (["human", "heuristic"], {"questions": "6"}),
}


@pytest.fixture(scope="module")
def browser():
    with browsing() as one:
        yield one


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    one = Server(tmp_path_factory.mktemp("games") / "games.sqlite")
    yield one
    one.stop()


@pytest.fixture
def errors():
    """What went wrong in pages; nothing may."""
    found = []
    yield found
    assert found == []


@pytest.fixture
def page(browser, errors):
    context = browser.new_context()
    yield new_page(context, errors)
    context.close()


def play_by_clicks(page, moves=10_000):
    """Do what the scripted player would, by clicking things in the picture; returns how many decisions were clicked."""
    count = 0
    for _ in range(moves):
        page.wait_for_selector(MINE_OR_OVER)
        if is_over(page):
            break
        assert click_thing(page, ask_for_hint(page))
        count += 1
    return count


@pytest.mark.parametrize("name", list_environments())
def test_a_whole_game_by_clicks(server, page, name):
    """Each decision by the things in the picture that it belongs to; and then the game can be seen again."""
    players, options = SHORT[name]
    set_up(page, server.url, name, players, options)
    hurry(page)
    assert play_by_clicks(page) > 2
    assert "The game is over" in page.inner_text("#status")
    assert page.locator("#log li").count() > 3
    page.click("#before")
    page.wait_for_selector("#replayed:not(:empty)")
    before = page.inner_text("#replayed")
    page.click("#before")
    page.wait_for_function("before => document.getElementById('replayed').textContent !== before", arg=before)


def test_two_people_in_two_browsers(server, browser, errors):
    """Each sees its own view and plays its own seat; a choice that both make at once shows nothing before both have chosen."""
    contexts = [browser.new_context(), browser.new_context()]
    first, second = (new_page(context, errors) for context in contexts)
    set_up(first, server.url, "fossil_canyon_v0", ["human", "human"])
    first.wait_for_selector("#links[open]")
    second.goto(first.input_value('#links input[data-seat="1"]'))
    for page in (first, second):
        page.wait_for_selector(MY_TURN)
        assert "Everybody chooses at once" in page.inner_text("#status")
    own = [set(page.locator("#actions button").all_inner_texts()) for page in (first, second)]
    assert own[0] != own[1]
    shown = first.inner_html("main"), version(first)
    while second.get_attribute("body", "data-asked") == "yes":
        before = version(second)
        second.locator("#actions button").first.click()
        wait_for_change(second, before)
    assert "You have chosen" in second.inner_text("#status")
    assert (first.inner_html("main"), version(first)) == shown
    while first.get_attribute("body", "data-asked") == "yes" and "at once" in first.inner_text("#status"):
        before = version(first)
        first.locator("#actions button").first.click()
        wait_for_change(first, before)
    second.wait_for_function("() => document.querySelectorAll('#log li').length === 2")
    assert "has chosen" in second.locator("#log li").nth(0).inner_text()
    assert "hide" not in second.locator("#log li").nth(0).inner_text()
    assert "hide" in second.locator("#log li").nth(1).inner_text() or "done" in second.locator("#log li").nth(1).inner_text()
    assert sorted(page.get_attribute("body", "data-asked") for page in (first, second)) == ["no", "yes"]
    for context in contexts:
        context.close()


def test_a_reload_loses_nothing(server, page):
    set_up(page, server.url, "go_dig_v0", ["human", "heuristic"])
    hurry(page)
    play_by_clicks(page, 4)
    page.wait_for_selector(MY_TURN)
    before = version(page), page.locator("#log li").all_inner_texts(), page.locator("#actions button").all_inner_texts()
    page.reload()
    page.wait_for_selector(MY_TURN)
    page.wait_for_function("count => document.querySelectorAll('#log li').length === count", arg=len(before[1]))
    assert (version(page), page.locator("#log li").all_inner_texts(), page.locator("#actions button").all_inner_texts()) == before
    play_by_clicks(page, 2)


def test_a_killed_server_loses_nothing(page, tmp_path):
    """The page says that the connection is lost, comes back by itself, and the game goes on where it was."""
    server = Server(tmp_path / "games.sqlite")
    try:
        set_up(page, server.url, "go_dig_v0", ["human", "heuristic"])
        hurry(page)
        play_by_clicks(page, 4)
        page.wait_for_selector(MY_TURN)
        before = version(page), page.locator("#log li").all_inner_texts()
        server.kill()
        page.wait_for_selector("body[data-connection=lost]")
        assert page.is_visible("#lost")
        assert page.locator("#actions button:not([disabled])").count() == 0
        server = server.again()
        page.wait_for_selector(MY_TURN)
        assert page.is_hidden("#lost")
        assert (version(page), page.locator("#log li").all_inner_texts()) == before
        play_by_clicks(page, 2)
    finally:
        server.stop()


def press_until(page, key, selector, most=80):
    """Press a key until something of a selector has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {selector}")


def test_by_keyboard_only(server, page):
    """The form, things in the picture, the menu and back, the list, hint and taking back, without a mouse."""
    page.goto(server.url)
    page.wait_for_selector("#game")
    press_until(page, "Tab", "#game")
    page.keyboard.type("Fossil Ca")
    assert page.input_value("#game") == "fossil_canyon_v0"
    press_until(page, "Tab", "#players")
    page.keyboard.press("Home")
    press_until(page, "Tab", "#start")
    page.keyboard.press("Enter")
    page.wait_for_selector(MY_TURN)
    press_until(page, "Tab", ".board .open")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')")
    before, legal = version(page), page.locator("#actions button").all_inner_texts()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "before => document.body.dataset.version !== before || !document.querySelector('.menu').hidden", arg=before
    )
    if page.is_visible(".menu"):
        page.keyboard.press("Escape")
        assert page.is_hidden(".menu")
        assert version(page) == before
        press_until(page, "Tab", "#actions button")
        page.keyboard.press("Enter")
        wait_for_change(page, before)
    page.wait_for_selector(MY_TURN)
    changed = version(page)
    page.keyboard.press("u")
    wait_for_change(page, changed)
    page.wait_for_selector(MY_TURN)
    before = version(page)
    assert page.locator("#actions button").all_inner_texts() == legal
    page.keyboard.press("h")
    page.wait_for_selector("#advice[data-action]:not([hidden])")
    press_until(page, "Tab", "#actions button")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('#actions button:nth-of-type(2)')")
    page.keyboard.press("Enter")
    wait_for_change(page, before)
    page.wait_for_function("() => document.activeElement.matches('#actions button')")  # ready for the next


@pytest.mark.parametrize("name", ["fossil_canyon_v0", "the_big_dig_v0"])
def test_on_a_phone(server, browser, errors, name):
    """Nothing is wider than the screen, and the game can be played by touch."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = new_page(context, errors)
    too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    page.goto(server.url)
    page.wait_for_selector("#game")
    assert not page.evaluate(too_wide)
    set_up(page, server.url, name, ["human", "heuristic"])
    hurry(page)
    for _ in range(4):
        action, before = ask_for_hint(page), version(page)
        page.locator(f'#actions [data-action="{action}"]').tap()
        wait_for_change(page, before)
        assert not page.evaluate(too_wide)
    page.wait_for_selector(MY_TURN)
    page.click("#search")
    page.wait_for_selector(".bars")
    assert not page.evaluate(too_wide)
    context.close()


def test_search_shows_bars(server, page):
    set_up(page, server.url, "go_dig_v0", ["human", "heuristic"])
    page.wait_for_selector(MY_TURN)
    legal = page.locator("#actions button").count()
    page.click("#search")
    page.wait_for_selector(".bars tbody tr")
    assert 1 <= page.locator(".bars tbody tr").count() <= legal
    widths = page.locator(".measure").evaluate_all("bars => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 10


def test_watching_agents_step_by_step(server, page):
    set_up(page, server.url, "go_dig_v0", ["heuristic", "random"])
    assert page.locator("#log li").count() == 0
    for count in (1, 2):
        page.click("#step")
        page.wait_for_function("count => document.querySelectorAll('#log li').length === count", arg=count)
    hurry(page)
    page.click("#pause")
    page.wait_for_selector("body[data-over=yes]")


def test_saving_and_loading(server, page, tmp_path):
    set_up(page, server.url, "go_dig_v0", ["human", "heuristic"])
    hurry(page)
    play_by_clicks(page, 3)
    page.wait_for_selector(MY_TURN)
    text = page.text_content(".card .drawing")
    with page.expect_download() as download:
        page.click("#save")
    path = tmp_path / "saved.json"
    download.value.save_as(path)
    page.goto(server.url)
    page.wait_for_selector("#game")
    page.locator("summary", has_text="saved position").click()
    page.set_input_files("#file", path)
    page.wait_for_function("() => document.getElementById('game').value === 'go_dig_v0'")
    page.click("#start")
    page.wait_for_selector(HERE)
    page.wait_for_selector(MY_TURN)
    assert page.text_content(".card .drawing") == text
    assert "from a saved position" in page.inner_text("#players")


def test_a_wrong_link_says_so(server, page):
    page.goto(f"{server.url}#{'0' * 32}")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('opens no game here')")
