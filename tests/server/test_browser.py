"""The table in a real browser: whole games by clicks, several people, lost connections, a killed
server, keyboard, a phone."""

import numpy as np
import pytest

from dig_envs.adapters.aec import RawAEC
from dig_envs.agents.measured import equal_levels
from dig_envs.registry import load_game
from tests.games import SHIPPED, mostly_heuristic, play
from tests.rules.oak_island.positions import base, everybody_at
from tests.saves import FORM, answered, changed_saves, choose_file, damaged
from tests.server.browsing import (
    HERE,
    MINE_OR_OVER,
    MY_TURN,
    TOO_WIDE,
    ask_for_hint,
    choose,
    click_thing,
    hurry,
    is_over,
    new_page,
    open_table,
    play_by_clicks,
    play_first,
    point_of,
    set_up,
    shown,
    touch,
    version,
    wait_for_change,
    wait_for_log,
)
from tests.server.tables import SHORT, play_on, table_of

# games with decisions for which two things are clicked
TWO_THINGS = {"dino_dig_v0", "oak_island_v0", "oak_island_v1", "the_big_dig_v0"}


@pytest.fixture
def errors():
    """Yield a list for what goes wrong in pages; nothing may."""
    found = []
    yield found
    assert found == []


@pytest.fixture
def page(browser, errors):
    context = browser.new_context()
    yield new_page(context, errors)
    context.close()


def check_end(page):
    """The game is over, and it can be seen again."""
    assert "The game is over" in page.inner_text("#status")
    assert page.locator("#log li").count() > 3
    page.click("#before")
    page.wait_for_selector("#replayed:not(:empty)")
    before = page.inner_text("#replayed")
    page.click("#before")
    page.wait_for_function(
        "before => document.getElementById('replayed').textContent !== before", arg=before
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_a_whole_game_by_clicks(server, page, name):
    """Each decision by the things in the picture that it belongs to, where it belongs to any; each
    can be hit by the mouse."""
    open_table(page, server.url, name, seed=4, options=SHORT.get(name, {}))
    hurry(page)
    clicked = play_by_clicks(page)
    assert sum(map(bool, clicked)) > 2
    most = max(map(len, clicked))
    assert most == (2 if name in TWO_THINGS else 1), (
        f"a decision of {name} takes {most} clicks: see TWO_THINGS"
    )
    check_end(page)


def test_a_fossil_and_its_new_owner_by_clicks(server, page):
    """A swap belongs to a fossil and to the player who is asked for one."""
    table = table_of("cretaceous_creek_v0", ["human", "heuristic"], seed=1)
    legal = (
        table.game.actions[action]
        for seat in play_on(table, 99)
        if seat == 0
        for action in table.legal(seat)
    )
    text = next(text for text in legal if text.startswith("swap "))
    open_table(page, server.url, "cretaceous_creek_v0", position=table.snapshot())
    page.wait_for_selector(MY_TURN)
    before = version(page)
    fossil, owner = table.game.painter.touched(table.view(0), 0, text.split())
    page.mouse.click(*point_of(page, owner))
    page.mouse.click(*point_of(page, fossil))
    if page.is_visible("#which"):  # not the only such fossil
        page.locator(
            "#which button", has_text=table.label(0, table.game.action_index[text])
        ).click()
    page.locator("#log li", has_text="You offer Player 2").wait_for()
    wait_for_change(page, before)  # the log comes in a message of its own


def check_copying(page, link):
    """Also on a page without TLS."""
    page.evaluate("delete Navigator.prototype.clipboard")
    page.locator("#links button", has_text="Copy").nth(0).click()
    page.locator("#said", has_text="copied").wait_for()
    assert page.evaluate("getSelection().toString()") == link


def test_a_card_is_turned_before_it_is_kept(server, page):
    """Diggity: a passage is touched, each further touch turns the card, a button keeps it."""
    table = table_of("diggity_v0", ["human", "heuristic"], seed=1)
    ways = {}
    for seat in play_on(table, 99):
        texts = [table.game.actions[action] for action in table.legal(0)] if seat == 0 else []
        for text in texts:
            if text.startswith("place "):
                ways.setdefault(text.split()[1], []).append(text)
        if any(len(some) > 1 for some in ways.values()):
            break
        ways = {}
    passage, texts = next((passage, some) for passage, some in ways.items() if len(some) > 1)
    open_table(page, server.url, "diggity_v0", position=table.snapshot())
    page.wait_for_selector(MY_TURN)
    before, seen = version(page), []
    for _ in texts:
        page.mouse.click(*point_of(page, f"place:{passage}"))
        seen.append(page.get_attribute('[data-ghost][display="inline"]', "data-ghost"))
    assert sorted(seen) == sorted(texts)
    page.click("#turn")
    assert page.get_attribute('[data-ghost][display="inline"]', "data-ghost") == seen[0]
    assert version(page) == before
    page.click('#which button:text-is("✓ Keep it")')
    wait_for_change(page, before)


def test_a_turn_with_nothing_to_do_is_skipped_by_itself(server, page):
    """A line of the log says so; who takes it back decides about it."""
    nothing = {"laird": 0, "money.0": 0, "ifso.0": 0, "where": everybody_at("lots")}
    position = base("dig", nothing)
    players = ["human", *["heuristic"] * (len(position.snapshot["scores"]) - 1)]
    open_table(page, server.url, "oak_island_v1", position=position.snapshot, players=players)
    page.locator("#log li", has_text="You can do nothing and skip the turn").wait_for()
    page.wait_for_selector(MY_TURN)
    page.click("#back")
    page.locator('#actions [data-action]:text-is("Skip the turn")').wait_for()


def test_two_people_in_two_browsers(server, browser, errors):
    """Each sees its own view and plays its own seat; a choice that both make at once shows nothing
    before both have chosen."""
    contexts = [browser.new_context(), browser.new_context()]
    first, second = (new_page(context, errors) for context in contexts)
    set_up(first, server.url, "fossil_canyon_v0", ["human", "human"])
    first.wait_for_selector("#links[open]")
    first.locator("#lobby", has_text="Still to come: Player 2").wait_for()
    link = first.input_value('#links input[data-seat="1"]')
    check_copying(first, link)
    second.set_viewport_size({"width": 390, "height": 844})
    second.goto(link)
    for page in (first, second):
        page.locator("#lobby", has_text="Everybody is here.").wait_for()
        assert page.is_hidden(".board")
        assert page.is_hidden("#actions")
    assert second.locator("#begin").count() == 1
    assert "link" not in second.inner_text("#lobby")
    assert not second.evaluate(TOO_WIDE)
    second.set_viewport_size({"width": 1280, "height": 720})
    first.reload()  # a table waits as long as it takes
    first.click("#begin")
    for page in (first, second):
        page.wait_for_selector(MY_TURN)
        assert "Everybody chooses at once" in page.inner_text("#status")
    own = [set(page.locator("#actions button").all_inner_texts()) for page in (first, second)]
    assert own[0] != own[1]
    assert [page.locator("#players li.asked").count() for page in (first, second)] == [2, 2]
    before = first.inner_html("main"), version(first)
    while second.get_attribute("body", "data-asked") == "yes":
        play_first(second)
    assert "You have chosen" in second.inner_text("#status")
    assert second.locator("#players li.asked").all_inner_texts() == [
        second.locator("#players li").first.inner_text()
    ]
    assert (first.inner_html("main"), version(first)) == before
    while first.get_attribute("body", "data-asked") == "yes" and "at once" in first.inner_text(
        "#status"
    ):
        play_first(first)
    second.locator("#log li", has_text="You choose to hide").first.wait_for()
    assert "Player 1 chooses to hide" not in second.inner_text("#log")
    assert sorted(page.get_attribute("body", "data-asked") for page in (first, second)) == [
        "no",
        "yes",
    ]
    second.click("#phrases summary")
    second.click("#phrases button")
    first.locator("#said", has_text="Player 2: ").wait_for()
    second.goto(server.url)  # the guest finds the seat again
    first.locator("#players li", has_text="not here").wait_for()
    second.click(f'a[href="#{link.partition("#")[2]}"]')
    second.wait_for_selector(HERE)
    for context in contexts:
        context.close()


def test_reloads_and_a_killed_server_lose_nothing(server, page):
    """The page says that the connection is lost, comes back by itself, and the game goes on where
    it was."""
    set_up(page, server.url, "go_dig_v0", ["human", "heuristic"])
    hurry(page)
    play_by_clicks(page, 3)
    before = shown(page)
    page.reload()
    page.wait_for_selector(MY_TURN)
    wait_for_log(page, len(before[1]))
    assert shown(page) == before
    play_by_clicks(page, 1)
    before = shown(page)
    server.kill()
    page.wait_for_selector("body[data-connection=lost]")
    assert page.is_visible("#lost")
    assert page.locator("#actions button:not([disabled])").count() == 0
    server.start_again()
    assert shown(page) == before
    assert page.is_hidden("#lost")
    play_by_clicks(page, 2)


def press_until(page, key, selector, most=80):
    """Press a key until something of a selector has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {selector}")


def test_by_keyboard_only(server, page):
    """The form, things in the picture, the menu and back, the list, hint and taking back, without a
    mouse."""
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
    words = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert words
    assert page.inner_text("#tip") in words
    before, legal = version(page), page.locator("#actions button").all_inner_texts()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "before => document.body.dataset.version !== before || "
        "!document.querySelector('#which').hidden",
        arg=before,
    )
    if page.is_visible("#which"):
        page.keyboard.press("Escape")
        assert page.is_hidden("#which")
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
    # ready for the next
    page.wait_for_function("() => document.activeElement.matches('#actions button')")


SMALL = """frame => [...frame.querySelectorAll(".open .reach")].filter((mark) => {
  const { width, height } = mark.getBoundingClientRect();
  return Math.min(width, height) < 39.5;
}).length"""
SIDEWAYS = "frame => frame.scrollWidth / frame.clientWidth"


# as when letters have come, or a position
REDRAW = "document.fonts.dispatchEvent(new Event('loadingdone'))"
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def check_long_press(page):
    """A finger that stays on a thing is told what it is, also where the picture is drawn again
    meanwhile, and does nothing."""
    before, mark = version(page), page.locator(".board .open").first
    left, top = point_of(page, mark.get_attribute("data-thing"))
    page.evaluate(FRAMES)  # the picture has been moved
    client = page.context.new_cdp_session(page)
    client.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": left, "y": top}]}
    )
    page.evaluate(REDRAW)
    page.wait_for_selector("#tip:not([hidden])")
    assert page.inner_text("#tip") in mark.get_attribute("aria-label")
    page.evaluate(REDRAW)
    assert page.is_visible("#tip")
    assert page.inner_text("#tip") in mark.get_attribute("aria-label")
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.evaluate(FRAMES)
    assert page.locator(HERE).count() == 1  # nothing is on its way
    assert version(page) == before
    assert page.is_hidden("#which")
    page.evaluate(REDRAW)
    assert page.is_hidden("#tip")


@pytest.mark.parametrize("name", ["fossil_canyon_v0", "the_big_dig_v0"])
def test_on_a_phone(server, browser, errors, name):
    """The picture is a column, no wider than the screen; what can be touched is large enough."""
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    page = new_page(context, errors)
    page.goto(server.url)
    page.wait_for_selector("#game")
    assert not page.evaluate(TOO_WIDE)
    set_up(page, server.url, name, ["human", "heuristic"])
    hurry(page)
    frame = page.locator(".board .picture")
    page.wait_for_selector(MY_TURN)
    check_long_press(page)
    click_thing(page, ask_for_hint(page))  # the next touch does something again
    for size in ("", "", "#larger", "#larger"):
        action = ask_for_hint(page)
        if size:
            page.tap(size)
            assert frame.evaluate(SIDEWAYS) > 1.2
        else:
            assert frame.evaluate(SIDEWAYS) <= 1.01
            assert frame.evaluate(SMALL) == 0
        assert not page.evaluate(TOO_WIDE)
        if size == "#larger":
            click_thing(page, action)
        else:
            choose(page, action, "tap")
    assert page.locator(".picture svg").get_attribute("viewBox").split()[2] == "360"
    for part in ("#status", "#actions", "#hint"):  # in sight, with nothing to be moved
        box = page.locator(part).bounding_box()
        assert 0 <= box["y"] < box["y"] + min(box["height"], 44) <= 740
    assert page.evaluate("document.documentElement.scrollHeight") == 740
    room = frame.bounding_box()["height"]
    page.tap('.tabs [data-tab="act"]')  # once more: the board has all the room
    assert page.is_hidden("#actions")
    assert frame.bounding_box()["height"] > room
    for tab, part in (("log", "#log"), ("more", "#players"), ("act", "#actions")):
        page.tap(f'.tabs [data-tab="{tab}"]')
        assert page.is_visible(part)
    context.close()


COLUMN = """() => {  // the picture for a narrow page is there, which takes a moment
  const { width, height } = document.querySelector(".picture svg").viewBox.baseVal;
  return height > width;
}"""


def test_advice_has_chances_and_reasons(server, page):
    set_up(page, server.url, "go_dig_v0", ["human", "heuristic"])
    page.wait_for_selector(MY_TURN)
    legal = page.locator("#actions button").count()
    page.click("#hint")
    page.wait_for_selector("#advice h2:has-text('scripted')")
    moves = page.locator(".moves li")
    assert moves.count() == min(3, legal)
    for chance in page.locator(".moves .chance").all_inner_texts():
        assert 0 <= int(chance.removesuffix(" %")) <= 100
    assert all(page.locator(".moves p").all_inner_texts())
    page.locator(".moves button").first.focus()  # which is gone afterwards
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('#actions button, .board')")
    # as 1440 x 900 at 200 %
    for size in ({"width": 360, "height": 740}, {"width": 720, "height": 450}):
        page.set_viewport_size(size)
        page.wait_for_function(COLUMN)
        assert not page.evaluate(TOO_WIDE)
        box = page.locator(".board .picture").bounding_box()
        assert box["height"] > 200
        assert box["y"] + box["height"] <= size["height"]


def test_watching_agents_step_by_step(server, page):
    set_up(page, server.url, "go_dig_v0", ["heuristic", "random"])
    assert page.locator("#log li").count() == 0
    for count in (1, 2):
        page.click("#step")
        page.locator("#log li", has_text=" asks ").nth(count - 1).wait_for()
        assert page.locator("#log li", has_text=" asks ").count() == count
    hurry(page)
    page.click("#pause")
    page.wait_for_selector("body[data-over=yes]")


@pytest.mark.parametrize(
    ("name", "every", "changed"),
    [
        ("go_dig_v0", 3, 6),
        *(
            pytest.param(name, 1, 60, marks=pytest.mark.slow)
            for name in ("go_dig_v0", "dino_dig_v0", "diggity_v0", "the_big_dig_v0")
        ),
    ],
)
def test_a_file_that_is_no_saved_game_leaves_the_form_as_it_was(server, page, name, every, changed):
    """It is said what is wrong; what the form takes, the server checks when the table is opened.
    Afterwards one plays on. The page of an exported game, which reads files with the same module,
    is given all of these files."""

    def begin_again():
        page.wait_for_selector("#game")
        page.locator("form details").evaluate_all(
            "all => all.forEach((one) => { one.open = true; })"
        )
        for game in ("fossil_canyon_v0", name):  # the other one, to forget a position
            page.select_option("#game", game)
        page.select_option("#seat1", "random")
        page.evaluate("document.querySelector('details [role=status]').textContent = ''")
        page.evaluate("document.getElementById('said').replaceChildren()")

    page.goto(server.url)
    begin_again()
    form, table = page.evaluate(FORM), table_of(name, ["human", "heuristic"])
    wrong = damaged(table.game, table.snapshot())
    for kind, content in [*list(wrong.items())[::every], *changed_saves(name, changed)]:
        choose_file(page, content)
        answered(page, "details [role=status]:not(:empty)")
        if "has not changed" not in page.inner_text("details [role=status]"):
            page.click("#start")
            answered(page, f"#said .error:not(:empty), {HERE}")
            if page.locator(".table").count():
                assert kind not in wrong
                page.click("#home")
        begin_again()
        assert page.evaluate(FORM) == form
    page.click("#start")
    page.wait_for_selector(MINE_OR_OVER)
    click_thing(page, ask_for_hint(page))


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
    assert page.input_value("#seat1") == "heuristic"  # as when it was saved
    page.click("#start")
    page.wait_for_selector(MY_TURN)
    assert page.text_content(".card .drawing") == text
    assert "from a saved position" in page.inner_text("#players")


def test_a_name_is_remembered_when_it_is_taken(server, page):
    for name, answer in (("\u3164", "#said .error"), ("Ann", HERE)):
        page.goto(server.url)
        page.fill("#myname", name)
        page.click("#start")
        page.wait_for_selector(answer)
        page.goto("about:blank")
        page.goto(server.url)
        page.wait_for_selector("#myname")
        assert page.input_value("#myname") == (name if answer == HERE else "")


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_long_names_leave_room_for_all_else(server, browser, errors, size):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = new_page(context, errors)
    open_table(page, server.url, "go_dig_v0", names=["W" * 40, "中" * 40], seed=4)
    page.wait_for_selector(MY_TURN)
    assert not page.evaluate(TOO_WIDE)
    if size[0] < 900:  # the list of what is in the picture is folded
        page.click("#actions summary")
    for place in ("#actions button", "#players .score", "#players .name"):
        if page.locator(place).first.is_hidden():
            page.click('.tabs [data-tab="more"]')
        for box in page.locator(place).evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().toJSON())"
        ):
            assert 0 <= box["left"] < box["right"] <= size[0]
    context.close()


# --------------------------------------------------------- what has happened, what to do, who plays


def test_the_log_tells_and_the_picture_shows_it(server, page):
    """Each line's things are lit up while it is looked at, by mouse or keyboard; what has just
    happened is marked and told."""
    open_table(page, server.url, "go_dig_v0", seed=4)
    hurry(page)
    play_by_clicks(page, 2)
    page.wait_for_selector(MY_TURN)
    assert page.locator(".traces .trace:not(.earlier)").count()
    assert page.locator("#just p").count()
    assert page.get_attribute("#just", "aria-live") == "polite"
    assert (
        page.locator("#just p").last.inner_text()
        == page.locator("#log li:not(.turn)").last.inner_text()
    )
    page.emulate_media(forced_colors="active")
    colours = page.locator("#players .dot").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(colours)) == 2
    log = page.locator("#log")
    assert log.evaluate("log => log.scrollHeight - log.scrollTop - log.clientHeight") < 2
    assert page.locator("#log li.turn").count() > 1
    page.locator("#log li", has_text=" asks you ").last.hover()
    assert page.locator(".lights .light").count() == 1
    page.mouse.move(0, 0)
    assert page.locator(".lights .light").count() == 0
    log.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.matches('#log li')")
    assert page.locator(".lights .light").count()


MOVED = """(() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    window.moved.push(this.dataset.thing ?? "joy");
    return animate.apply(this, how);
  };
})()"""


def test_things_go_from_where_they_were_unless_somebody_wants_no_motion(server, page):
    """Cards that have moved are animated, players' places never are; with reduced motion nothing
    is."""
    page.add_init_script(MOVED)
    open_table(page, server.url, "fossil_canyon_v0", seed=4)
    hurry(page)
    play_by_clicks(page, 8)
    moved = page.evaluate("window.moved")
    assert moved
    assert not any(name.startswith("seat:") for name in moved)
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("window.moved = []")
    play_by_clicks(page, 6)
    assert page.evaluate("window.moved") == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_card_that_is_turned_up_flips_unless_somebody_wants_no_motion(server, page, motion):
    page.emulate_media(reduced_motion=motion)
    open_table(page, server.url, "fossil_memory_v0", seed=4)
    page.wait_for_selector(MY_TURN)
    page.evaluate("""() => {
      const animate = Element.prototype.animate;
      window.flips = 0;
      Element.prototype.animate = function (frames, ...more) {
        window.flips += frames[0].transform.startsWith("scaleX");
        return animate.call(this, frames, ...more);
      };
    }""")
    before = version(page)
    page.mouse.click(*point_of(page, "place:1,1"))
    wait_for_change(page, before)
    page.wait_for_selector(MY_TURN)
    assert page.evaluate("window.flips") == (motion == "no-preference")


def test_moves_of_agents_are_slow_until_they_are_skipped(server, page):
    open_table(page, server.url, "go_dig_v0", players=["human", *["heuristic"] * 3], seed=2)
    assert page.input_value("#delay") == "1"
    for _ in range(9):
        page.wait_for_selector(MINE_OR_OVER)
        play_first(page)
        if page.get_attribute("body", "data-asked") == "no":
            break
    page.click("#skipping")
    page.wait_for_selector(MINE_OR_OVER)
    assert page.is_hidden("#skipping")


def test_what_cannot_be_undone_is_last_and_asks_first(server, page):
    """Leaving for good is never the first choice, and a question comes before it; the focus is not
    lost after a choice."""
    env = RawAEC("cretaceous_creek_v0", num_players=2)
    leaving, rng = env.game.action_index["evacuate"], np.random.default_rng(4)
    env.reset(seed=4)
    for _ in play(env, rng, mostly_heuristic):
        if leaving in env.game.legal_actions(env.states, 0):
            break
    open_table(page, server.url, "cretaceous_creek_v0", position=env.snapshot())
    hurry(page)
    leave = '#actions [data-action] >> text="Leave the dig site for good"'
    page.wait_for_selector(MY_TURN)
    buttons = page.locator("main button[data-action]:visible").evaluate_all(
        "all => all.map((one) => one.dataset.action)"
    )
    assert len(buttons) == len(set(buttons)), "a choice stands twice"
    action = page.locator(leave).get_attribute("data-action")
    name = page.locator(f'.board .open[data-actions~="{action}"]').get_attribute("data-thing")
    before, asked = version(page), []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.locator(f'.board .open[data-thing="{name}"]').focus()
    page.keyboard.press("Enter")
    if page.is_visible("#which"):
        first = page.evaluate("document.activeElement.dataset.action")
        assert first != action
        assert page.locator("#which [data-action]").last.get_attribute("data-action") == action
        page.click(f'#which [data-action="{action}"]')
    assert "do not come back" in asked[0]
    assert version(page) == before
    play_first(page)
    assert not page.evaluate("document.activeElement === document.body")


OTHER = """([token, message]) => {  // somebody else at the table says this
  const socket = new WebSocket(`ws://${location.host}/ws`);
  socket.onopen = () => socket.send(JSON.stringify({ token, theme: "" }));
  socket.addEventListener("message", () => socket.send(JSON.stringify(message)), { once: true });
}"""


def test_what_is_chosen_so_far_stays_while_others_do_something(server, page):
    """The region that was opened, the actions that are left, and what was typed to find one; the
    next decision begins anew."""
    tokens = open_table(page, server.url, "the_big_dig_v0", players=["human", "human"])
    page.wait_for_selector(MY_TURN)
    touch(page, "region:skull")
    page.fill("#filter", "molars")
    before = page.inner_text("#actions"), page.inner_text("#which")
    assert "molars" in before[0]
    assert "Skull" in before[1]
    page.evaluate(OTHER, [tokens[1], {"type": "name", "name": "Bob"}])
    page.locator(".picture text", has_text="Bob").first.wait_for()
    page.wait_for_selector(HERE)
    assert (page.inner_text("#actions"), page.inner_text("#which")) == before
    assert page.input_value("#filter") == "molars"
    assert page.locator(".mark.chosen").get_attribute("data-thing") == "region:skull"
    changed = version(page)
    page.locator("#actions .action").first.click()
    wait_for_change(page, changed)
    page.wait_for_selector(MY_TURN)
    assert page.is_hidden("#which")
    assert page.input_value("#filter") == ""
    assert page.locator(".mark.chosen").count() == 0


def test_an_attribute_its_state_is_or_is_not(server, page):
    """The Big Dig: small steps instead of a list of all spaces, and a step can be taken back; on a
    phone a part of the animal that is touched opens its region."""
    open_table(page, server.url, "the_big_dig_v0", seed=4, options={"turns": 1})
    page.wait_for_selector(MY_TURN)
    before = version(page)
    assert page.locator("#actions button").count() < 40
    page.click('#actions button:text-is("skull")')
    page.click('#actions button:text-is("Canines")')
    page.click('#actions button:text-is("small")')
    page.click("#stepback")
    page.click('#actions button:text-is("large")')
    button = page.locator('#actions button:text-is("is not")')
    assert button.get_attribute("aria-label") == 'Start from "no large canines"'
    button.click()
    wait_for_change(page, before)
    page.set_viewport_size({"width": 390, "height": 844})
    space, other = ('.board .open[data-thing="space:1-1-A"]', '[data-thing="space:10-1-A"]')
    page.wait_for_selector('[data-within="region:skull"]', state="attached")
    page.wait_for_selector(MY_TURN)
    assert page.locator(space).count() == 0
    before = version(page)
    touch(page, "region:skull")  # it stays open when the opponent's move draws the picture anew
    page.wait_for_selector(space)
    assert page.locator(f".board .open{other}").count() == 0
    assert page.locator("#which [data-action]").count() == 0  # the picture leads on to them
    page.click(space)
    wait_for_change(page, before)
    inputs = 'model 1 from "front pegs" and "no large canines"'
    page.click('[data-tab="log"]')
    page.locator("#log li", has_text=inputs).wait_for()


def test_the_end_is_celebrated_also_where_the_log_begins_with_it(server, page):
    """A saved position whose next moves end the game, which the person wins."""
    env = RawAEC("fossil_memory_v0", num_players=2)
    env.reset(seed=21)
    moves = play(env, np.random.default_rng(21), mostly_heuristic, 4000)
    *_, last = (env.snapshot() for _ in moves if env.states["owes"][0][0])
    open_table(page, server.url, "fossil_memory_v0", position=last)
    hurry(page)
    page.evaluate("""() => new MutationObserver((all) => {
      for (const { addedNodes } of all)
        for (const { className } of addedNodes) window.party ||= className === "party";
    }).observe(document.body, { childList: true })""")
    while not is_over(page):
        choose(page, ask_for_hint(page))
        page.wait_for_selector(MINE_OR_OVER)
    page.wait_for_function("() => window.party")
    assert "You won" in page.inner_text("#outcome")


def test_what_things_are_and_the_rules(server, page):
    """A thing under the mouse says what it is; the guide opens beside the board, without the signs
    of the text, and closes. Sounds can be switched off, and stay so."""
    open_table(page, server.url, "go_dig_v0", seed=4)
    page.wait_for_selector(MY_TURN)
    page.click("#sound[aria-pressed=true]")
    page.reload()
    page.wait_for_selector("#sound[aria-pressed=false]")
    page.wait_for_selector(MY_TURN)
    page.locator('.board [data-thing="pile"]').first.hover()
    page.wait_for_selector("#tip:not([hidden])")
    assert "Dig pile" in page.inner_text("#tip")
    page.evaluate(REDRAW)  # where the mouse only rests, nobody asks
    page.wait_for_timeout(400)
    assert page.is_hidden("#tip")
    page.click("#rules")
    page.wait_for_selector("#guide h3")
    assert "Go Dig" in page.inner_text("#guide")
    assert "Rules that we added" in page.inner_text("#guide")
    assert "as text" not in page.inner_text("#guide")
    assert "ask another player" in page.inner_text("#guide .short")
    assert page.is_hidden("#guide :text('Starting hand')")
    page.click("#guide summary")
    assert page.is_visible("#guide :text('Starting hand')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#guide", state="detached")


FORMER = """(game) => {
  const kept = JSON.parse(localStorage["dig-envs:results"]);
  localStorage["dig-envs:results"] = JSON.stringify([{ ...kept[0], game }, ...kept]);
}"""


@pytest.mark.slow
def test_who_plays_in_words(server, page):
    """Equal levels are named where one of them is chosen; where all win together, agents are
    partners, at the table, too."""
    page.goto(server.url)
    page.wait_for_selector("#level")
    names = page.locator(".game").evaluate_all("cards => cards.map((card) => card.dataset.game)")
    assert len(names) == 9
    for level in ("medium", "hard", "best"):
        page.select_option("#level", level)
        for name in names:
            pairs = [pair for pair in equal_levels(load_game(name)) if level in pair]
            notes = page.locator(f'.game[data-game="{name}"] [data-levels]:visible')
            assert [
                f"With {pair[2]} players, “" in note
                for pair, note in zip(pairs, notes.all_inner_texts(), strict=True)
            ] == [True] * len(pairs)
    for name, agents, level in (
        ("go_dig_v0", "Opponents", "strongest opponent"),
        ("cretaceous_creek_v0", "Partners", "strongest partner"),
    ):
        page.select_option("#game", name)
        assert page.inner_text("label[for=formlevel]") == agents
        assert page.inner_text("#formlevel option[value=best]") == level
        pairs = equal_levels(load_game(name))
        assert page.locator("form [data-levels]").count() == len(pairs)
    open_table(page, server.url, "cretaceous_creek_v0", players=["human", "best+search:1000ms"])
    assert "strongest partner, 1 s a move" in page.inner_text("#players")
    assert page.locator("summary:text('Speed of the partners')").count() == 1


def test_a_hint_of_a_scripted_player_says_so(server, page):
    """Also of one that only this game has."""
    open_table(page, server.url, "fossil_memory_v0", options={"recall": "none"})
    page.wait_for_selector(MY_TURN)
    page.click("#hint")
    page.wait_for_selector("#advice h2:has-text('The scripted player advises')")


def test_play_now_to_the_end_and_again(server, page):
    """One click from the start page; a name; the scores in a table; the game again with the log; a
    rematch with seats changed."""
    open_table(page, server.url, "twenty_questions_v0", options={"questions": 3}, names=["Ada", ""])
    hurry(page)
    while not is_over(page):
        page.wait_for_selector(MINE_OR_OVER)
        if not is_over(page):
            play_first(page)
    page.set_viewport_size({"width": 390, "height": 844})  # the result opens by itself
    assert page.inner_text("#outcome").startswith(("You ", "Nobody"))
    assert page.locator("#rematch").bounding_box()["y"] < 844
    page.set_viewport_size({"width": 1440, "height": 900})
    totals = page.locator(".scoring tbody tr").last.locator("td").all_inner_texts()
    assert [total.removeprefix("★ ") for total in totals] == page.locator(
        "#players .score"
    ).all_inner_texts()
    page.locator("#log li:not(.turn)").first.click()
    page.wait_for_selector("#replayed:not(:empty)")
    assert page.locator("#log li.here").count()
    page.click("#analyse")
    page.wait_for_selector('#analysis:not(:empty):not(:text("Searching"))')
    page.click("#mistaken")
    page.wait_for_selector("#mistakes h3")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#rematch")
    page.click("#rematch")
    page.wait_for_selector("body[data-over=no][data-connection=open]")
    other.click("#join")
    other.wait_for_selector("body[data-over=no][data-connection=open]")
    assert other.url == page.url
    other.close()
    assert page.locator("#players li").nth(1).inner_text().startswith("Ada")
    page.goto(server.url)
    assert "Twenty Questions" in page.inner_text("#results")
    assert page.locator("#results .chart rect").count() == 1
    secret = "0" * 32  # what a former page kept in the place of the game
    page.evaluate(FORMER, secret)
    page.click("#share summary")
    page.fill("#resultsname", "Ada Lovelace")
    with page.expect_request("**/api/results") as sent:
        page.click("#shareresults")
    assert secret not in sent.value.post_data
    other = new_page(page.context.browser.new_context(), [])  # another device
    other.goto(server.url)
    assert other.locator("#results table").count() == 0
    other.click("#share summary")
    other.fill("#resultsname", "Ada Lovelace")
    other.click("#shareresults")
    other.wait_for_selector("#results :text('Twenty Questions')")
    assert other.locator("#results .chart rect").count() == 1
    other.route("**/api/results", lambda route: route.abort())
    other.click("text=Forget all results")
    other.wait_for_selector("#said .error")
    assert other.locator("#results table").count() == 1  # it would only come back
    other.unroute("**/api/results")
    other.click("text=Forget all results")
    other.wait_for_selector("#results table", state="detached")
    other.context.close()
    page.click('[data-play="fossil_memory_v0"]')
    page.wait_for_selector(MINE_OR_OVER)
    assert "easy opponent" in page.inner_text("#players")
    assert page.locator("#players .face").count() == 1


def test_a_guided_first_game(server, page):
    """Who is new is led from the start page through a game. Another way ends the lesson, and taking
    back leads on, a reload too. The start page leads back to the game."""
    page.goto(server.url)
    page.click('#newhere [data-learn="fossil_memory_v0"]')
    page.wait_for_selector("#coach:not([hidden])")
    hurry(page)
    words, before = page.inner_text("#coached"), version(page)
    touch(page, page.locator(".open:not(.coach-mark)").first.get_attribute("data-thing"))
    wait_for_change(page, before)
    page.wait_for_selector("#coach", state="hidden")
    page.wait_for_selector("#said :text('your own way')")
    page.click("#back")
    page.wait_for_selector("#coach:not([hidden])")
    assert page.inner_text("#coached") == words
    before = version(page)
    touch(page, page.locator(".open.coach-mark").get_attribute("data-thing"))
    wait_for_change(page, before)
    page.wait_for_function(
        "words => document.querySelector('#coached').textContent !== words", arg=words
    )
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.wait_for_selector("#coach:not([hidden])")
    page.wait_for_selector(MY_TURN)
    point_of(page, page.locator(".open.coach-mark").get_attribute("data-thing"))
    words, frame, tabs = (
        page.locator(part).bounding_box() for part in ("#coach", ".board .picture", ".tabs")
    )
    assert frame["y"] + frame["height"] <= words["y"]  # they hide nothing of the picture
    assert words["y"] + words["height"] <= tabs["y"]
    page.click("#skiplesson")
    assert page.is_hidden("#coach")
    page.reload()
    page.wait_for_selector(MY_TURN)
    assert page.is_hidden("#coach")
    page.goto(server.url)
    assert page.inner_text("#continue") == "Continue: Fossil Memory, your turn"
    page.click("#continue")
    page.wait_for_selector(MY_TURN)
    assert "Fern" in page.inner_text("#players")


def test_nothing_can_be_done_while_the_game_is_dealt(server, page):
    page.route_web_socket("**/ws", lambda socket: None)  # no position comes
    page.goto(f"{server.url}#{'0' * 32}")
    page.wait_for_selector(".dealing progress")
    tools = page.locator(".right .tools button, #rules")
    assert tools.count() == 4
    assert all(tool.is_disabled() for tool in tools.all())


def test_a_public_table(server, browser, errors):
    """It stands on the start page of others, who sit down there; a free seat is taken once."""
    contexts = [browser.new_context(), browser.new_context()]
    first, second = (new_page(context, errors) for context in contexts)
    first.goto(server.url)
    first.select_option("#game", "go_dig_v0")
    first.select_option("#people", "2")
    first.check("#ispublic")
    first.click("#start")
    first.wait_for_selector(HERE)
    second.goto(server.url)
    second.click('#public button:text-is("Sit down")')
    second.wait_for_selector(f"{HERE} #lobby:not([hidden])")
    assert "Player 2\nyou" in second.inner_text("#players").replace(" you", "\nyou")
    third = new_page(contexts[1], errors)
    third.goto(server.url)
    third.wait_for_timeout(800)
    assert third.locator("#public li").count() == 0
    for context in contexts:
        context.close()


def test_open_hands_where_agents_play_alone(server, page):
    set_up(page, server.url, "go_dig_v0", ["heuristic", "random"])
    assert "paused" in page.inner_text("#status")
    assert page.is_visible("#goon")
    hidden = page.text_content(".card .drawing")
    page.click("#open")
    page.wait_for_function(
        "before => document.querySelector('.card .drawing').textContent !== before", arg=hidden
    )
    page.click("#open")
    page.wait_for_function(
        "before => document.querySelector('.card .drawing').textContent === before", arg=hidden
    )
