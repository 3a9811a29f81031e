"""The page without a server: it offers the players that there are with the options, plays, and
keeps the game and itself in the browser."""

import json
import re

import pytest

from dig_envs.engine.compiler.jit import JIT_DISABLED, linker
from tests.export.serving import serving
from tests.server.browsing import PATIENCE, browsing

pytestmark = pytest.mark.skipif(JIT_DISABLED or linker() is None, reason="nothing is linked here")
ASKED = "document.body.dataset.asked === 'yes' && document.body.dataset.busy === 'no'"
VERSION = "Number(document.body.dataset.version)"
MISSING = "import('./page/words.js').then((words) => [...words.missing])"
OFFERED = "[...document.querySelectorAll('#player option')].map((one) => one.value)"


def wait_for(page, said):
    page.wait_for_function(f"() => {said}", timeout=PATIENCE)


def play(page, times):
    for _ in range(times):
        version = page.evaluate("document.body.dataset.version")
        while not page.locator("#actions [data-action]").count():
            page.locator("#actions [data-actions]").first.click()
        page.locator("#actions [data-action]").first.click()
        wait_for(page, f"{VERSION} > {version} && {ASKED}")


def hint(page):
    """Return the advice with its chances and reasons."""
    page.click("#hint")
    wait_for(page, "document.querySelector('#advice .chance')")
    for row in page.locator("#advice li").all():
        assert 0 <= int(row.locator(".chance").inner_text().removesuffix(" %")) <= 100
        assert len(row.locator("p").inner_text()) > 10
    return page.inner_text("#advice")


def test_a_policy_is_offered_only_for_what_it_was_trained_for(exported):
    """People play Fossil Memory without help, for which the policy was not trained; a player that
    remembers plays with them, and goes back with them. All of it is there in German."""
    errors = []
    with serving(exported("fossil_memory_v0")) as address, browsing() as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        wait_for(page, f"({OFFERED}).length > 0")
        assert page.input_value("#recall") == json.dumps("none")
        offered = page.evaluate(OFFERED)
        assert {"random", "easy", "hard", "best", "heuristic:style=greedy"} <= {*offered}
        assert "fossil_memory/policy" not in offered
        assert offered[:4] == ["easy", "medium", "hard", "best"]
        assert page.input_value("#player") == "easy"
        page.click("details summary")
        page.select_option("#recall", json.dumps("perfect"))
        wait_for(page, f"({OFFERED}).includes('fossil_memory/policy')")
        page.select_option("#recall", json.dumps("none"))
        wait_for(page, f"!({OFFERED}).includes('fossil_memory/policy')")
        page.select_option("#player", "medium")
        page.click("#start")
        wait_for(page, ASKED)
        assert "medium opponent" in page.inner_text("#players")
        play(page, 3)
        assert "chance of winning" in hint(page)
        before = page.locator("#log li").count()
        page.click("#back")
        wait_for(page, f"document.querySelectorAll('#log li').length < {before} && {ASKED}")
        page = browser.new_page(locale="de-DE")
        page.goto(address)
        wait_for(page, f"({OFFERED}).length > 0")
        page.click("#start")
        wait_for(page, ASKED)
        page.click("#rules")
        page.wait_for_selector("#guide h3", timeout=PATIENCE)
        assert "Dein Zug" in page.inner_text("#guide")
        assert page.evaluate(MISSING) == ["remembering player"]  # of the tests only
    assert not errors


def test_a_game_outlives_a_reload_and_the_network(package):
    """Log, position and what can be taken back are there again; hints, too."""
    errors = []
    with serving(package) as address, browsing() as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        wait_for(page, f"({OFFERED}).length > 0")
        page.select_option("#player", "medium")
        page.click("#start")
        wait_for(page, ASKED)
        play(page, 3)
        parts = ("#log", "#text", "#players", "#actions")
        before = [page.inner_text(part) for part in parts]
        assert page.evaluate("navigator.serviceWorker.ready.then((one) => Boolean(one.active))")
        page.context.set_offline(True)
        page.reload()
        wait_for(page, ASKED)
        assert [page.inner_text(part) for part in parts] == before
        assert len(hint(page)) > 100
        version = page.evaluate("document.body.dataset.version")
        page.click("#back")
        wait_for(page, f"document.body.dataset.version !== '{version}' && {ASKED}")
        assert page.inner_text("#log") != before[0]
        page.click("#new")
        wait_for(page, f"({OFFERED}).length > 0")
        assert page.input_value("#player") == "medium"  # what was chosen last
        page.click("#continue")
        wait_for(page, ASKED)
        # what cannot be played on is forgotten
        page.evaluate("""() => {
            const [key] = Object.keys(localStorage).filter((one) => one.includes(":game:"));
            const kept = JSON.parse(localStorage[key]);
            kept.moves[0].action = 10000;
            localStorage[key] = JSON.stringify(kept);
        }""")
        page.reload()
        wait_for(page, f"({OFFERED}).length > 0")
        assert "not legal" in page.inner_text("#said")
        assert page.locator("#continue").count() == 0
    assert not errors


def test_the_page_can_be_installed(package):
    """The manifest says what a browser asks for, and the script keeps all files of the page."""
    manifest = json.loads((package / "manifest.json").read_text())
    assert {"name", "start_url", "display", "icons"} <= manifest.keys()
    assert all((package / icon["src"]).is_file() for icon in manifest["icons"])
    files = json.loads(re.search(r"FILES = (\[.*\]);", (package / "sw.js").read_text()).group(1))
    assert all((package / file).is_file() for file in files if file != "./")
    pages = {f"page/{path.name}" for path in (package / "page").iterdir()}
    assert "page/net.js" not in pages  # there is no server
    assert {*files} >= pages | {"./", "go_dig.wasm", "go_dig-policy.weights", "advice.js"}
